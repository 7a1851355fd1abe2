//! Genre detectors trained on small generated pages, saved, loaded and built in.
#![allow(clippy::unwrap_used, reason = "a failed step is a failed test")]

use std::sync::Arc;

use scenthound_judge::{
    DetectorKind, GenreDetector, GenreFolds, GenreTrainingSet, GenreTrainingSettings, Judge, WithGenre,
    is_of_genre,
};
use scenthound_types::{
    CanonicalUrl, Hint, Judgement, Link, LinkSource, PageHints, ParsedPage, Parts, Rel, TagCounts, Text,
    Token, Verdict,
};

fn page(url: &str, title: &str, text: &str, tags: TagCounts, hints: &[Hint], links: usize) -> ParsedPage {
    let url = CanonicalUrl::parse(url).unwrap();
    let mut words = Text::default();
    words.push(title);
    words.push_break();
    words.push(text);
    let mut noted = PageHints::default();
    for hint in hints {
        noted.note(*hint);
    }
    ParsedPage {
        title: title.to_owned(),
        visible_chars: text.chars().count() as u32,
        text: words,
        links: (0..links)
            .map(|n| Link {
                url: url.join(&format!("/item/{n}")).unwrap(),
                source: LinkSource::Anchor,
                anchor: 0..0,
                around: 0..0,
                sentence: 0..0,
                title: 0..0,
                rel: Rel::default(),
                path: 0,
                more: Vec::new(),
                times: 1,
            })
            .collect(),
        tags,
        hints: noted,
        ..ParsedPage::blank(url)
    }
}

/// The n-th page of a generated site: blogs, galleries and shops in turn, two pages per site.
fn made(n: usize) -> (ParsedPage, &'static str, String) {
    let site = format!("http://site{}.test", n / 6);
    match n % 3 {
        0 => (
            page(
                &format!("{site}/2024/05/post-{n}"),
                "My blog",
                &format!(
                    "Posted on a day in May by me. A blog post about thing {n}. {}",
                    "word ".repeat(n % 40 + 60)
                ),
                TagCounts::default(),
                &[Hint::GraphArticle],
                n % 5,
            ),
            "blog",
            site,
        ),
        1 => (
            page(
                &format!("{site}/gallery/{n}"),
                "Photos",
                "Images of the day: image one, image two",
                TagCounts {
                    images: 20 + (n % 9) as u32,
                    ..TagCounts::default()
                },
                &[],
                12,
            ),
            "image",
            site,
        ),
        _ => (
            page(
                &format!("{site}/product/{n}"),
                "Buy it",
                &format!("Price and shipping. Add to cart. In stock: {n}"),
                TagCounts::default(),
                &[Hint::SchemaProduct],
                40 + n % 7,
            ),
            "shop",
            site,
        ),
    }
}

fn training(kind: DetectorKind) -> GenreTrainingSet {
    let mut training = GenreTrainingSet::new(kind, kind.words());
    for n in 0..90 {
        let (page, class, site) = made(n);
        training.push(&page, class, &site);
    }
    training
}

fn quick() -> GenreTrainingSettings {
    GenreTrainingSettings {
        trees: 20,
        ..GenreTrainingSettings::default()
    }
}

#[test]
fn classes_are_distinguished_on_unseen_sites() {
    for kind in DetectorKind::ALL {
        let figures = training(kind)
            .cross_validate(GenreFolds::Groups, &quick(), |_| ())
            .unwrap();
        assert_eq!(figures.confusion.classes, ["blog", "image", "shop"]);
        assert!(figures.accuracy > 0.95, "{}: {}", kind.name(), figures.accuracy);
        let best = &figures.importance[0];
        assert!(best.accuracy_lost >= 0.0 && !best.feature.is_empty());
    }
}

#[test]
fn a_saved_detector_gives_the_same_answers_when_loaded() {
    let detector = training(DetectorKind::Rich).train(&quick()).unwrap();
    let again = GenreDetector::from_bytes(&detector.to_bytes()).unwrap();
    let (page, class, _) = made(91);
    assert_eq!(class, "image");
    assert_eq!(&*detector.detect(&page).class, "image");
    assert_eq!(again.detect(&page), detector.detect(&page));
    assert_eq!(
        again.to_bytes(),
        training(DetectorKind::Rich).train(&quick()).unwrap().to_bytes()
    );
    let mut damaged = detector.to_bytes();
    let last = damaged.len() - 1;
    damaged[last] ^= 1;
    assert!(
        GenreDetector::from_bytes(&damaged)
            .unwrap_err()
            .to_string()
            .contains("damaged")
    );
}

#[test]
fn words_can_be_added_to_a_trained_detector() {
    let detector = training(DetectorKind::Nine).train(&quick()).unwrap();
    let weblog = page(
        "http://a.test/",
        "",
        "mein netztagebuch",
        TagCounts::default(),
        &[],
        0,
    );
    let blog_words = |detector: &GenreDetector| detector.features(&weblog)[7];
    assert_eq!(blog_words(&detector), 0.0);
    let more = detector.with_words("de", "[blog]\n*tagebuch*\n").unwrap();
    assert_eq!(blog_words(&more), 1.0);
}

#[test]
fn the_nine_features_are_those_of_the_paper() {
    let detector = training(DetectorKind::Nine).train(&quick()).unwrap();
    let mut page = page(
        "http://www.example.co.uk/",
        "News",
        "A weblog. Video and video images, 写真 and ニュース",
        TagCounts {
            images: 4,
            media: 3,
            audios: 1,
            ..TagCounts::default()
        },
        &[],
        3,
    );
    page.links[0].url = CanonicalUrl::parse("http://img.example.co.uk/a").unwrap();
    page.links[1].url = CanonicalUrl::parse("http://other.co.uk/a").unwrap();
    page.links[1].times = 3;
    let length = page.visible_chars as f32;
    assert_eq!(
        detector.features(&page),
        [length, 2.0, 3.0, 2.0, 2.0, 2.0, 4.0, 1.0, 2.0]
    );
}

#[test]
fn small_classes_are_left_out_and_large_groups_thinned() {
    let mut training = training(DetectorKind::Nine);
    let (page, _, _) = made(0);
    training.push(&page, "odd", "http://odd.test");
    let left_out = training.leave_out_small(2, 1);
    assert_eq!(left_out.len(), 1);
    assert_eq!(
        (left_out[0].class.as_str(), left_out[0].pages, left_out[0].groups),
        ("odd", 1, 1)
    );
    // Each of the fifteen sites has two pages of each of three classes.
    assert_eq!(training.len(), 90);
    training.thin_groups(1);
    assert_eq!(training.len(), 45);
}

#[test]
fn a_small_class_of_a_large_group_keeps_its_pages() {
    let mut training = GenreTrainingSet::new(DetectorKind::Nine, DetectorKind::Nine.words());
    let (page, _, _) = made(0);
    for number in 0..20 {
        let class = if number % 10 == 0 { "job" } else { "listing" };
        training.push(&page, class, "http://one.test");
    }
    training.thin_groups(3);
    let sizes: Vec<(String, usize)> = training
        .classes()
        .into_iter()
        .map(|size| (size.class, size.pages))
        .collect();
    assert_eq!(sizes, [("job".to_owned(), 2), ("listing".to_owned(), 3)]);
}

struct Flat;

impl Judge for Flat {
    fn judge(&self, _page: &ParsedPage) -> Judgement {
        Judgement {
            relevance: 0.5,
            verdict: Verdict::Relevant,
            genre: None,
            layer: None,
            parts: Parts::default(),
        }
    }

    fn snippet(&self, _tokens: &[Token]) -> f32 {
        0.25
    }
}

#[test]
fn a_judge_with_a_detector_also_detects_the_genre() {
    let judge = WithGenre {
        judge: Arc::new(Flat),
        detector: training(DetectorKind::Rich).train(&quick()).unwrap(),
    };
    let judged = judge.judge(&made(92).0);
    assert_eq!((judged.relevance, judge.snippet(&[])), (0.5, 0.25));
    let genre = judged.genre.unwrap();
    assert_eq!(&*genre.class, "shop");
    assert!(genre.confidence > 0.5 && genre.confidence <= 1.0);
}

#[test]
fn the_built_in_detector_can_be_read() {
    let rich = GenreDetector::shipped(DetectorKind::Rich).unwrap();
    for class in [
        "article",
        "blog",
        "course",
        "documentation",
        "forum",
        "home",
        "job",
        "listing",
        "news",
        "service",
        "shop",
        "other",
    ] {
        assert!(rich.classes().iter().any(|known| &**known == class), "{class}");
    }
    assert!(GenreDetector::shipped(DetectorKind::Nine).is_none());
}

#[test]
fn only_the_built_in_detector_believes_what_a_page_declares() {
    let (mut page, class, _) = made(0);
    let rich = GenreDetector::shipped(DetectorKind::Rich).unwrap();
    let own = training(DetectorKind::Rich).train(&quick()).unwrap();
    assert_ne!(&*rich.detect(&page).class, "video");
    page.hints.note(Hint::GraphVideo);
    assert_eq!(&*rich.detect(&page).class, "video");
    assert_eq!(&*own.detect(&page).class, class);
}

#[test]
fn a_page_without_words_is_of_no_kind() {
    let (mut page, _, _) = made(0);
    page.text.truncate(0);
    let rich = GenreDetector::shipped(DetectorKind::Rich).unwrap();
    assert_eq!(&*rich.detect(&page).class, "other");
    page.hints.note(Hint::GraphVideo);
    assert_eq!(&*rich.detect(&page).class, "video");
}

#[test]
fn a_genre_is_known_by_other_words_too() {
    assert!(is_of_genre("article", "guide") && is_of_genre("blog", "blog"));
    assert!(!is_of_genre("article", "blog"));
}

#[test]
fn news_are_articles_but_an_article_need_not_be_news() {
    assert!(is_of_genre("news", "article"));
    assert!(!is_of_genre("article", "news"));
}
