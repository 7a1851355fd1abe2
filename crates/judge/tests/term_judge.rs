//! The term judge on whole pages, checked against figures computed by hand.

#![allow(clippy::unwrap_used)] // a failed step is a failed test

use proptest::prelude::*;
use scenthound_judge::{Combine, IdfTable, Judge, JudgeFault, TermJudge, TermSets, TermSettings, Weights};
use scenthound_types::text::{Language, Text, tokenize};
use scenthound_types::{CanonicalUrl, Judgement, ParsedPage, TermSet, Verdict};

/// A page whose blocks are the lines of `text`.
fn page(url: &str, text: &str) -> ParsedPage {
    let mut words = Text::default();
    for line in text.lines() {
        words.push(line);
        words.push_break();
    }
    ParsedPage {
        text: words,
        ..ParsedPage::blank(CanonicalUrl::parse(url).unwrap())
    }
}

fn terms(list: &[&str]) -> Vec<String> {
    list.iter().map(|term| (*term).to_owned()).collect()
}

fn settings(genre: &[&str], content: &[&str], url: &[&str]) -> TermSettings {
    TermSettings {
        genre: terms(genre),
        content: terms(content),
        url: terms(url),
        language: Some(Language::ENGLISH),
        ..TermSettings::default()
    }
}

fn judge(settings: &TermSettings, text: &str) -> Judgement {
    TermJudge::new(settings)
        .unwrap()
        .judge(&page("http://uni.test/cs/databases/syllabus.html", text))
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-9
}

#[test]
fn one_term_of_sixteen_gives_a_quarter() {
    let sixteen: Vec<String> = (0..16).map(|n| format!("term{n}")).collect();
    let settings = TermSettings {
        content: sixteen,
        ..TermSettings::default()
    };
    assert_eq!(
        judge(&settings, "a page with term3 only, and term3 again").relevance,
        0.25
    );
    assert_eq!(judge(&settings, "a page with none").relevance, 0.0);
}

#[test]
fn genre_content_and_url_are_weighted_five_five_seven_three() {
    let settings = settings(
        &["syllabus", "credits", "instructor", "grading"],
        &["relational model", "sql"],
        &["syllabus", "course"],
    );
    // Genre 1 of 4, content 2 of 2, URL 1 of 2.
    let judgement = judge(&settings, "Syllabus\nThe relational model and SQL");
    let text = (5.0 * 0.5 + 5.0 * 1.0) / 10.0;
    let expected = (7.0 * text + 3.0 * 0.5_f64.sqrt()) / 10.0;
    assert!(close(judgement.relevance, expected), "{judgement:?}");
    assert_eq!(judgement.verdict, Verdict::Relevant);
    let parts = &judgement.parts;
    assert!(close(parts.genre.unwrap(), 0.5) && close(parts.content.unwrap(), 1.0));
    assert!(close(parts.url.unwrap(), 0.5_f64.sqrt()));
}

#[test]
fn weights_can_be_set() {
    let mut settings = settings(&["syllabus"], &["sql"], &["nowhere"]);
    settings.weights = Weights {
        genre: 1.0,
        content: 3.0,
        text: 1.0,
        url: 1.0,
    };
    assert!(close(judge(&settings, "sql").relevance, 0.75 / 2.0));
}

#[test]
fn a_set_that_is_not_given_drops_out_with_its_weight() {
    let text = "syllabus: sql";
    let only_content = judge(&settings(&[], &["sql", "tables"], &[]), text);
    assert!(close(only_content.relevance, 0.5_f64.sqrt()));
    assert_eq!((only_content.parts.genre, only_content.parts.url), (None, None));
    let without_url = judge(&settings(&["syllabus"], &["trees"], &[]), text);
    assert!(close(without_url.relevance, 0.5));
    let only_url = judge(&settings(&[], &[], &["databases"]), "whatever");
    assert!(close(only_url.relevance, 1.0));
}

#[test]
fn the_threshold_itself_is_relevant() {
    let mut settings = settings(&[], &["a1", "b1", "c1", "d1"], &[]);
    settings.threshold = 0.5;
    assert_eq!(judge(&settings, "a1").verdict, Verdict::Relevant);
    settings.threshold = 0.500_001;
    assert_eq!(judge(&settings, "a1").verdict, Verdict::Irrelevant);
}

#[test]
fn the_parts_name_every_term_and_their_shares_add_up() {
    let settings = settings(
        &["course", "credits"],
        &["sql", "relational model", "trees"],
        &["cs"],
    );
    let judgement = judge(&settings, "SQL course, sql and SQL\nthe relational model");
    let shares: Vec<f64> = judgement.parts.terms.iter().map(|hit| hit.share).collect();
    assert!(shares.is_sorted_by(|a, b| a >= b), "{shares:?}");
    for (set, similarity) in [
        (TermSet::Genre, judgement.parts.genre),
        (TermSet::Content, judgement.parts.content),
        (TermSet::Url, judgement.parts.url),
    ] {
        let sum: f64 = judgement
            .parts
            .terms
            .iter()
            .filter(|hit| hit.set == set)
            .map(|hit| hit.share)
            .sum();
        assert!(close(sum, similarity.unwrap()), "{set:?}");
    }
    let counts: Vec<(&str, u32)> = judgement
        .parts
        .terms
        .iter()
        .map(|hit| (hit.term.as_ref(), hit.count))
        .collect();
    assert_eq!(counts.len(), 4);
    assert!(counts.contains(&("sql", 3)) && counts.contains(&("relational model", 1)));
}

#[test]
fn a_phrase_matches_across_the_stop_words_of_topic_and_page() {
    let settings = settings(&[], &["algorithms and data structures"], &[]);
    assert_eq!(
        judge(&settings, "algorithms: the data of structures").relevance,
        1.0
    );
    assert_eq!(
        judge(&settings, "algorithms, good data structures").relevance,
        0.0
    );
}

#[test]
fn the_stop_words_of_the_pages_language_count_where_the_topic_names_none() {
    let mut settings = settings(&[], &["structures of data"], &[]);
    settings.language = None;
    let judge = TermJudge::new(&settings).unwrap();
    let mut english = page("http://a.test/", "structures for the data");
    assert_eq!(judge.judge(&english).relevance, 0.0);
    english.language = Some(Language::ENGLISH);
    assert_eq!(judge.judge(&english).relevance, 1.0);
}

#[test]
fn no_term_matches_across_two_blocks() {
    let settings = settings(&[], &["green tea"], &[]);
    assert_eq!(judge(&settings, "we like green\ntea is served").relevance, 0.0);
}

#[test]
fn accents_and_capitals_make_no_difference() {
    assert_eq!(
        judge(&settings(&[], &["Thé vert"], &[]), "THE VERT").relevance,
        1.0
    );
}

#[test]
fn a_japanese_term_is_found_inside_a_running_sentence() {
    let settings = settings(&[], &["関係モデル"], &[]);
    assert_eq!(judge(&settings, "今日は関係モデルを学びます。").relevance, 1.0);
    assert_eq!(judge(&settings, "今日は関係とモデルを学びます。").relevance, 0.0);
}

#[test]
fn the_url_is_decoded_and_split_before_it_is_compared() {
    let settings = settings(&[], &[], &["café", "summer term", "cs_101"]);
    let judge = TermJudge::new(&settings).unwrap();
    let judgement = judge.judge(&page("http://a.test/CS-101/Caf%C3%A9?t=summer+term", ""));
    assert!(close(judgement.relevance, 1.0), "{judgement:?}");
}

#[test]
fn exclude_words_overrule_everything_and_are_named() {
    let mut settings = settings(&[], &["jaguar"], &[]);
    settings.exclude = terms(&["jungle", "big cat"]);
    let excluded = judge(&settings, "the jaguar of the jungle");
    assert_eq!((excluded.relevance, excluded.verdict), (0.0, Verdict::Irrelevant));
    assert_eq!(excluded.parts.content, Some(1.0));
    let wrong = excluded
        .parts
        .terms
        .iter()
        .find(|hit| hit.set == TermSet::Exclude)
        .unwrap();
    assert_eq!(
        (wrong.term.as_ref(), wrong.count, wrong.share),
        ("jungle", 1, 0.0)
    );

    settings.exclude_at = 2;
    assert_eq!(
        judge(&settings, "the jaguar of the jungle, jungle").relevance,
        1.0
    );
    assert_eq!(
        judge(&settings, "the jaguar, big cat of the jungle").relevance,
        0.0
    );
}

#[test]
fn one_joint_set_counts_genre_terms_as_content_terms() {
    let mut settings = settings(&["syllabus", "credits"], &["sql", "Syllabus"], &[]);
    settings.sets = TermSets::Joint;
    // Three different terms, one found.
    let judgement = judge(&settings, "syllabus");
    assert!(close(judgement.relevance, (1.0_f64 / 3.0).sqrt()));
    assert_eq!(judgement.parts.genre, None);
}

#[test]
fn a_rare_term_counts_for_more_than_a_common_one() {
    let mut settings = settings(&[], &["tea", "gaiwan"], &[]);
    let counts = [("tea".to_owned(), 50), ("gaiwan".to_owned(), 1)].into();
    settings.idf = Some(IdfTable::new(100, counts).unwrap());
    let (common, rare) = (2_f64.ln(), 100_f64.ln());
    let norm = (common * common + rare * rare).sqrt();
    assert!(close(judge(&settings, "tea").relevance, common / norm));
    assert!(close(judge(&settings, "gaiwan").relevance, rare / norm));
}

#[test]
fn a_snippet_is_judged_like_a_page_without_a_url() {
    let settings = settings(&["guide", "steps"], &["tea", "green tea"], &["tea"]);
    let judge = TermJudge::new(&settings).unwrap();
    let expected = (0.5_f64.sqrt() + 1.0) / 2.0;
    let words = tokenize("A guide to green tea");
    assert!((f64::from(judge.snippet(&words)) - expected).abs() < 1e-6);
    assert!((f64::from(judge.url_snippet(&words)) - (7.0 * expected + 3.0) / 10.0).abs() < 1e-6);
    assert_eq!(judge.snippet(&[]), 0.0);
}

#[test]
fn faulty_settings_are_refused() {
    let fault = |settings: &TermSettings| TermJudge::new(settings).err().unwrap();
    assert!(matches!(fault(&TermSettings::default()), JudgeFault::NoTerms));
    assert!(
        matches!(fault(&settings(&[], &["tea", "!?"], &[])), JudgeFault::EmptyTerm { term } if term == "!?")
    );
    let mut weightless = settings(&[], &[], &["tea"]);
    weightless.weights.url = 0.0;
    assert!(matches!(fault(&weightless), JudgeFault::NoWeight));
    weightless.weights.url = f64::NAN;
    assert!(matches!(
        fault(&weightless),
        JudgeFault::Weight { name: "url", .. }
    ));
    let mut strict = settings(&[], &["tea"], &[]);
    strict.threshold = 1.1;
    assert!(matches!(fault(&strict), JudgeFault::Threshold { .. }));
    strict.threshold = 0.5;
    strict.exclude_at = 0;
    assert!(matches!(fault(&strict), JudgeFault::ExcludeAt));
}

fn some_words() -> impl Strategy<Value = Vec<String>> {
    let word = prop::sample::select(vec![
        "tea",
        "leaf",
        "the",
        "of",
        "green tea",
        "pot of tea",
        "緑茶の本",
        "of the",
        "cup",
        "the the",
    ]);
    prop::collection::vec(word.prop_map(str::to_owned), 0..12)
}

proptest! {
    #[test]
    fn a_relevance_is_always_a_number_from_zero_to_one(
        genre in some_words(),
        content in some_words(),
        url in some_words(),
        page_words in some_words(),
        joint: bool,
        documents in prop::option::of(1_u64..50),
        weights in [0.0..1e6_f64, 0.0..10.0_f64, 0.0..1e-300_f64, 0.0..10.0_f64],
    ) {
        let settings = TermSettings {
            genre,
            content,
            url,
            language: Some(Language::ENGLISH),
            weights: Weights { genre: weights[0], content: weights[1], text: weights[2], url: weights[3] },
            sets: if joint { TermSets::Joint } else { TermSets::Separate },
            idf: documents.map(|n| IdfTable::new(n, [("tea".to_owned(), n)].into()).unwrap()),
            ..TermSettings::default()
        };
        if let Ok(judge) = TermJudge::new(&settings) {
            let judgement = judge.judge(&page("http://tea.test/the/leaf", &page_words.join(" ")));
            prop_assert!((0.0..=1.0).contains(&judgement.relevance), "{judgement:?}");
            let shares: f64 = judgement.parts.terms.iter().map(|hit| hit.share).sum();
            let similarities: f64 = [judgement.parts.genre, judgement.parts.content, judgement.parts.url]
                .into_iter().flatten().sum();
            prop_assert!((shares - similarities).abs() < 1e-9);
            let snippet = judge.snippet(&tokenize(&page_words.join(" ")));
            prop_assert!((0.0..=1.0).contains(&snippet));
        }
    }
}

#[test]
fn the_lower_of_two_similarities_asks_for_both() {
    let mean = settings(&["syllabus", "credits"], &["sql"], &[]);
    let lower = TermSettings {
        combine: Combine::Min,
        ..mean.clone()
    };
    let only_content = "sql and sql again";
    assert!(close(judge(&mean, only_content).relevance, 0.5));
    assert_eq!(judge(&lower, only_content).relevance, 0.0);
    let both = "a syllabus on sql";
    assert!(close(judge(&lower, both).relevance, 0.5_f64.sqrt()));
}
