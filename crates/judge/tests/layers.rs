//! Layers of a context graph, learnt from a few pages and predicted for others.

#![allow(
    clippy::unwrap_used,
    reason = "a test's own data; a failure there is the test's failure"
)]

use scenthound_judge::{HOT, HotWords, JudgeFault, LayerModel, LayerSettings, LayerTrainingSet, WithLayers};
use scenthound_types::text::{Text, tokenize};
use scenthound_types::{CanonicalUrl, Link, LinkSource, ParsedPage, Rel};

/// A page with these words, and a link for each of these pairs of words and target.
fn page(words: &str, links: &[(&str, &str)]) -> ParsedPage {
    let mut text = Text::default();
    text.push(words);
    let links = links
        .iter()
        .map(|(to, anchor)| {
            text.push_break();
            let start = text.len();
            text.push(anchor);
            Link {
                url: CanonicalUrl::parse(&format!("http://web.test/{to}")).unwrap(),
                source: LinkSource::Anchor,
                anchor: start..text.len(),
                around: start..text.len(),
                sentence: start..text.len(),
                title: 0..0,
                rel: Rel::default(),
                path: 0,
                more: Vec::new(),
                times: 1,
            }
        })
        .collect();
    ParsedPage {
        text,
        links,
        ..ParsedPage::blank(CanonicalUrl::parse("http://web.test/").unwrap())
    }
}

/// Targets about exams, departments that link to them, and universities that link to those.
fn training(settings: &LayerSettings) -> LayerTrainingSet {
    let mut training = LayerTrainingSet::new(settings).unwrap();
    let layer_of = |url: &CanonicalUrl| match url.path() {
        "/exam" => Some(0),
        "/department" => Some(1),
        _ => None,
    };
    for _ in 0..4 {
        training.add(
            &page("碩士班甄試 碩士班招生簡章", &[("home", "首頁")]),
            0,
            layer_of,
        );
        training.add(
            &page(
                "資訊工程學系 師資 課程",
                &[("exam", "碩士班甄試"), ("home", "首頁")],
            ),
            1,
            layer_of,
        );
        training.add(
            &page(
                "大學 校園 圖書館",
                &[("department", "資訊工程學系"), ("news", "新聞")],
            ),
            2,
            layer_of,
        );
    }
    training
}

fn settings() -> LayerSettings {
    LayerSettings {
        layers: 2,
        ..LayerSettings::default()
    }
}

#[test]
fn unseen_pages_are_put_in_the_layer_whose_words_they_use() {
    let model = training(&settings()).train().unwrap();
    assert_eq!(model.sizes(), [4, 4, 4]);
    for (layer, words) in ["碩士班甄試 簡章", "學系 師資 課程", "校園 圖書館"]
        .into_iter()
        .enumerate()
    {
        assert_eq!(model.layer(&page(words, &[])).layer as usize, layer, "{words}");
    }
}

#[test]
fn a_page_that_speaks_of_something_else_is_beyond_all_layers() {
    let model = training(&settings()).train().unwrap();
    assert_eq!(model.layer(&page("diesel engine", &[])).layer, 3);
}

#[test]
fn links_are_placed_by_where_such_links_led() {
    let model = training(&settings()).train().unwrap();
    let hot = HotWords::new("甄試", HOT);
    let place = |anchor: &str| WithLayers::place_of(&model, &hot, &tokenize(anchor));
    assert_eq!((place("碩士班甄試").layer, place("碩士班甄試").is_hot), (0, true));
    assert_eq!(
        (place("電機工程學系").layer, place("電機工程學系").is_hot),
        (1, false)
    );
    assert_eq!(place("首頁").layer, 3);
    assert_eq!((place("diesel").layer, place("diesel").similarity), (3, 0.0));
}

#[test]
fn a_model_read_back_tells_the_same_and_a_cut_one_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("layers.model");
    let model = training(&settings()).train().unwrap();
    model.save(&file).unwrap();
    assert_eq!(LayerModel::load(&file).unwrap(), model);
    let bytes = std::fs::read(&file).unwrap();
    for length in 0..bytes.len() {
        std::fs::write(&file, &bytes[..length]).unwrap();
        assert!(
            matches!(LayerModel::load(&file), Err(JudgeFault::Model(_))),
            "{length} bytes"
        );
    }
}

/// A department's page contains the words of its link to the exam besides its own, so by the plain mean of its words
/// its layer is uncertain. The amount of evidence that classifies held-out pages best gets it right.
#[test]
fn evidence_chosen_on_held_out_pages_tells_what_the_plain_mean_does_not() {
    let confusion = |evidence| {
        let settings = LayerSettings {
            evidence,
            ..settings()
        };
        let figures = training(&settings).cross_validate(4, 1).unwrap();
        figures.figures.confusion[..3].to_vec()
    };
    assert_eq!(confusion(Some(1.0)), [[4, 0, 0, 0], [0, 0, 0, 4], [0, 0, 4, 0]]);
    assert_eq!(confusion(None), [[4, 0, 0, 0], [0, 4, 0, 0], [0, 0, 4, 0]]);
}

#[test]
fn a_page_with_the_targets_words_is_nearer_than_one_with_others() {
    let model = training(&settings()).train().unwrap();
    let near = |words: &str| model.layer(&page(words, &[])).nearness();
    let (exam, campus) = (near("碩士班甄試 碩士班招生簡章"), near("校園 圖書館"));
    assert!(exam.total_cmp(&campus).is_gt());
    assert_eq!((exam.layer, campus.layer), (0, 2));
    assert!(
        exam.similarity > 0.5 && campus.similarity == 0.0,
        "{exam:?} {campus:?}"
    );
}

#[test]
fn no_layers_are_refused() {
    let none = LayerSettings {
        layers: 0,
        ..settings()
    };
    assert!(matches!(
        LayerTrainingSet::new(&none),
        Err(JudgeFault::Layers { .. })
    ));
}
