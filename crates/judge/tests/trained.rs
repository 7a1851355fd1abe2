//! Judges trained on a few pages, tested on pages they have and have not seen.

#![allow(
    clippy::unwrap_used,
    reason = "a test's own data; a failure there is the test's failure"
)]

use scenthound_judge::{
    Apart, Calibrate, Judge, JudgeFault, ModelKind, TrainedJudge, TrainingPages, TrainingSettings,
};
use scenthound_learn::Rng;
use scenthound_types::text::{Stemming, Text, tokenize};
use scenthound_types::{CanonicalUrl, Language, ParsedPage};

const TEA: &str = "tea leaf oolong steep kettle green black harvest cup brew water aroma";
const CARS: &str = "engine wheel brake gear clutch motor road speed fuel tyre diesel garage";
const BOTH: &str = "the page news contact home about welcome and of for with people year price shop";

/// A page of random words from its topic and from words common to all pages.
fn page(url: &str, topic: &str, words: usize, seed: u64) -> ParsedPage {
    let (own, shared): (Vec<&str>, Vec<&str>) = (topic.split(' ').collect(), BOTH.split(' ').collect());
    let mut rng = Rng::from_seed(seed);
    let mut text = Text::default();
    text.push(own[rng.below(own.len())]);
    text.push_break();
    for _ in 0..words {
        let from = if rng.fraction() < 0.4 { &own } else { &shared };
        text.push(from[rng.below(from.len())]);
    }
    ParsedPage {
        title: "title".to_owned(),
        text,
        language: Some(Language::ENGLISH),
        ..ParsedPage::blank(CanonicalUrl::parse(url).unwrap())
    }
}

/// Pages of `sites` sites.
fn pages(topic: &str, count: u64, sites: u64, from: u64) -> Vec<ParsedPage> {
    (0..count)
        .map(|n| {
            let site = topic.split(' ').next().unwrap();
            page(
                &format!("http://{site}{}.test/{n}", n % sites),
                topic,
                60,
                from + n,
            )
        })
        .collect()
}

fn train(
    kind: ModelKind,
    positive: &[ParsedPage],
    negative: &[ParsedPage],
) -> Result<TrainedJudge, JudgeFault> {
    let (positive, negative): (Vec<&ParsedPage>, Vec<&ParsedPage>) =
        (positive.iter().collect(), negative.iter().collect());
    let pages = TrainingPages {
        positive: &positive,
        negative: &negative,
    };
    TrainedJudge::train(kind, &pages, &TrainingSettings::default())
}

#[test]
fn every_kind_judges_unseen_pages() {
    let (tea, cars) = (pages(TEA, 20, 4, 1), pages(CARS, 30, 4, 1000));
    for kind in ModelKind::ALL {
        let judge = train(kind, &tea, &cars).unwrap();
        let right = pages(TEA, 40, 1, 5000)
            .iter()
            .filter(|page| judge.judge(page).is_relevant())
            .count();
        let wrong = pages(CARS, 40, 1, 9000)
            .iter()
            .filter(|page| judge.judge(page).is_relevant())
            .count();
        assert!(
            right >= 38 && wrong <= 2,
            "{}: {right} right, {wrong} wrong",
            kind.name()
        );
        let (about, against) = (
            judge.snippet(&tokenize("green tea kettle")),
            judge.snippet(&tokenize("diesel motor")),
        );
        let nothing = judge.snippet(&[]);
        assert!(
            about > nothing && nothing > against,
            "{}: {about} {nothing} {against}",
            kind.name()
        );
        assert!(about > 0.55, "{}: {about}", kind.name());
    }
}

#[test]
fn the_telling_words_are_those_of_the_topic() {
    let judge = train(
        ModelKind::Logistic,
        &pages(TEA, 20, 4, 1),
        &pages(CARS, 20, 4, 1000),
    )
    .unwrap();
    let (about, against) = judge.telling_words(5);
    assert!(about.iter().all(|told| TEA.contains(&*told.word)), "{about:?}");
    assert!(
        against.iter().all(|told| CARS.contains(&*told.word)),
        "{against:?}"
    );
    let judgement = judge.judge(&page("http://new.test/", TEA, 60, 77));
    assert!(!judgement.parts.terms.is_empty() && judgement.parts.terms.len() <= 8);
    assert!(
        judgement
            .parts
            .terms
            .iter()
            .all(|hit| TEA.contains(&*hit.term) && hit.count > 0)
    );
    let shares: f64 = judgement.parts.terms.iter().map(|hit| hit.share).sum();
    assert!(shares <= judgement.relevance + 1e-9);
}

#[test]
fn a_judge_read_back_from_its_file_judges_the_same_and_training_again_gives_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let (tea, cars) = (pages(TEA, 12, 4, 1), pages(CARS, 12, 4, 1000));
    let fresh = page("http://new.test/", TEA, 60, 77);
    for kind in ModelKind::ALL {
        let judge = train(kind, &tea, &cars).unwrap();
        let (first, second) = (folder.path().join("first"), folder.path().join("second"));
        judge.save(&first).unwrap();
        train(kind, &tea, &cars).unwrap().save(&second).unwrap();
        assert_eq!(
            std::fs::read(&first).unwrap(),
            std::fs::read(&second).unwrap(),
            "{}",
            kind.name()
        );
        let read = TrainedJudge::load(&first).unwrap();
        assert_eq!(read, judge);
        assert_eq!(read.judge(&fresh), judge.judge(&fresh));
        assert_eq!(read.kind(), kind);
    }
}

#[test]
fn two_pages_of_each_are_enough_and_one_is_not() {
    let (tea, cars) = (pages(TEA, 2, 1, 1), pages(CARS, 2, 1, 1000));
    for kind in ModelKind::ALL {
        let judge = train(kind, &tea, &cars).unwrap();
        let relevance = judge.judge(&page("http://new.test/", TEA, 60, 77)).relevance;
        assert!((0.0..=1.0).contains(&relevance));
    }
    let told = train(ModelKind::Svm, &tea[..1], &cars).unwrap_err().to_string();
    assert!(told.contains("1 relevant and 2 other pages"), "{told}");
}

#[test]
fn pages_without_words_and_pages_of_other_languages_are_judged_without_an_error() {
    let empty = page("http://a.test/", "x", 0, 1);
    let mut blank = empty.clone();
    blank.text = Text::default();
    blank.title = String::new();
    let judge = train(ModelKind::Logistic, &pages(TEA, 5, 1, 1), &pages(CARS, 5, 1, 50)).unwrap();
    for page in [&empty, &blank] {
        assert!(judge.judge(page).relevance.is_finite());
    }
    // Blank pages as examples: nothing to learn, and no failure.
    let blanks = vec![blank.clone(), blank.clone(), blank];
    for kind in ModelKind::ALL {
        let judge = train(kind, &blanks, &blanks).unwrap();
        assert!(judge.judge(&empty).relevance.is_finite());
    }
}

#[test]
fn figures_are_by_site_if_there_are_enough_sites() {
    let validate = |sites: u64| {
        let (tea, cars) = (pages(TEA, 20, sites, 1), pages(CARS, 20, sites, 1000));
        let (positive, negative): (Vec<&ParsedPage>, Vec<&ParsedPage>) =
            (tea.iter().collect(), cars.iter().collect());
        let pages = TrainingPages {
            positive: &positive,
            negative: &negative,
        };
        TrainedJudge::cross_validate(ModelKind::Logistic, &pages, &TrainingSettings::default(), 5).unwrap()
    };
    let by_site = validate(4);
    assert_eq!((by_site.apart, by_site.folds), (Apart::Sites, 4));
    assert!(by_site.figures.auc > 0.95 && by_site.figures.f1 > 0.9);
    assert_eq!(validate(2).apart, Apart::Pages);
}

#[test]
fn the_raw_posterior_of_naive_bayes_saturates_and_the_calibrated_one_does_not() {
    let (tea, cars) = (pages(TEA, 20, 4, 1), pages(CARS, 20, 4, 1000));
    let (positive, negative): (Vec<&ParsedPage>, Vec<&ParsedPage>) =
        (tea.iter().collect(), cars.iter().collect());
    let pages = TrainingPages {
        positive: &positive,
        negative: &negative,
    };
    let relevance = |calibrate| {
        let settings = TrainingSettings {
            calibrate,
            ..TrainingSettings::default()
        };
        let judge = TrainedJudge::train(ModelKind::Bayes, &pages, &settings).unwrap();
        judge.judge(&page("http://new.test/", TEA, 60, 77)).relevance
    };
    assert!(relevance(Calibrate::Raw) > 0.999_999);
    assert!(relevance(Calibrate::Platt) < 0.999);
}

/// A judge trained on stems says so in its file, and brings pages into their form before it judges them.
#[test]
fn a_model_remembers_its_stems() {
    let stemmed = |mut pages: Vec<ParsedPage>| {
        for page in &mut pages {
            page.stem(Stemming::English.stemmer(None));
        }
        pages
    };
    let (tea, cars) = (stemmed(pages(TEA, 20, 4, 1)), stemmed(pages(CARS, 30, 4, 1000)));
    let (positive, negative): (Vec<&ParsedPage>, Vec<&ParsedPage>) =
        (tea.iter().collect(), cars.iter().collect());
    let settings = TrainingSettings {
        stemming: Stemming::English,
        ..TrainingSettings::default()
    };
    let examples = TrainingPages {
        positive: &positive,
        negative: &negative,
    };
    let judge = TrainedJudge::train(ModelKind::Svm, &examples, &settings).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("tea.model");
    judge.save(&file).unwrap();
    let read = TrainedJudge::load(&file).unwrap();
    assert_eq!(read, judge);
    assert_eq!(read.stemming(), Stemming::English);
    // Of these forms the examples have none.
    let forms = "kettles brewing brewed harvested harvesting cups steeping oolongs";
    let mut unseen = page("http://other.test/", forms, 80, 7);
    let as_read = read.judge(&unseen).relevance;
    read.prepare(&mut unseen);
    let by_stems = read.judge(&unseen).relevance;
    assert!(by_stems > 0.5 && by_stems > as_read + 0.1, "{as_read} {by_stems}");
}

#[test]
fn a_model_for_something_else_is_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("page.html");
    std::fs::write(&path, "<html>").unwrap();
    let told = TrainedJudge::load(&path).unwrap_err().to_string();
    assert!(
        told.contains("page.html") && told.contains("not a model file"),
        "{told}"
    );
}
