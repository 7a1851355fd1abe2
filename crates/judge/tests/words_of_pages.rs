//! Judges of a query and of a table, and words of the wrong sense, on whole pages.

#![allow(clippy::unwrap_used)] // a failed step is a failed test

use scenthound_judge::{
    Judge, JudgeFault, QueryJudge, QueryMatch, TableJudge, TableJudgeSettings, WrongSense,
};
use scenthound_learn::Space;
use scenthound_types::text::{Language, Text, tokenize};
use scenthound_types::{CanonicalUrl, ParsedPage, TermSet};

/// A page whose blocks are the lines of `text`.
fn page(text: &str, language: Option<Language>) -> ParsedPage {
    let mut words = Text::default();
    for line in text.lines() {
        words.push(line);
        words.push_break();
    }
    ParsedPage {
        text: words,
        language,
        ..ParsedPage::blank(CanonicalUrl::parse("http://tea.test/").unwrap())
    }
}

fn relevance(query: &str, wanted: QueryMatch, text: &str) -> f64 {
    let judge = QueryJudge::new(query, wanted, Some(Language::ENGLISH)).unwrap();
    let judgement = judge.judge(&page(text, Some(Language::ENGLISH)));
    assert_eq!(judgement.is_relevant(), judgement.relevance == 1.0);
    judgement.relevance
}

#[test]
fn a_page_with_all_words_of_the_query_is_relevant_wherever_they_occur() {
    let all = |text| relevance("history of tea", QueryMatch::All, text);
    assert_eq!(all("Tea came late.\nIts HISTORY is long."), 1.0);
    assert_eq!(all("a history of coffee"), 0.5);
    assert_eq!(all("of of of"), 0.0);
    assert_eq!(all(""), 0.0);
}

#[test]
fn a_phrase_must_be_contiguous_except_for_stop_words() {
    let phrase = |text| relevance("history of tea", QueryMatch::Phrase, text);
    assert_eq!(phrase("the history of tea"), 1.0);
    assert_eq!(phrase("the history of the tea"), 1.0);
    // Both words, but not the phrase: two of three.
    assert_eq!(phrase("tea has a history"), 2.0 / 3.0);
    assert_eq!(phrase("a history of\ntea"), 2.0 / 3.0);
    assert_eq!(phrase("tea"), 1.0 / 3.0);
}

#[test]
fn any_word_is_enough_where_any_is_wanted() {
    let any = |text| relevance("history of tea", QueryMatch::Any, text);
    assert_eq!(any("tea"), 1.0);
    assert_eq!(any("of"), 0.0);
    assert_eq!(
        relevance("to be or not to be", QueryMatch::All, "be or not to"),
        1.0
    );
}

#[test]
fn a_query_in_a_script_without_spaces_is_found_by_its_pairs_of_characters() {
    let japanese = Language::from_code("ja");
    let judge = |wanted, text| {
        let judge = QueryJudge::new("緑茶歴史", wanted, japanese).unwrap();
        judge.judge(&page(text, japanese)).relevance
    };
    assert_eq!(judge(QueryMatch::Phrase, "日本の緑茶歴史について"), 1.0);
    assert!(judge(QueryMatch::Phrase, "緑茶の歴史") < 1.0);
    assert!(judge(QueryMatch::All, "緑茶の歴史") > 0.5);
    assert_eq!(judge(QueryMatch::All, "紅茶"), 0.0);
}

#[test]
fn what_was_found_of_the_query_is_told_and_adds_up() {
    let judge = QueryJudge::new("green tea", QueryMatch::Phrase, None).unwrap();
    let parts = judge.judge(&page("green tea and green tea", None)).parts;
    let told: Vec<(&str, u32)> = parts.terms.iter().map(|hit| (&*hit.term, hit.count)).collect();
    assert_eq!(told, [("green", 2), ("green tea", 2), ("tea", 2)]);
    assert!(parts.terms.iter().all(|hit| hit.set == TermSet::Query));
    let sum: f64 = parts.terms.iter().map(|hit| hit.share).sum();
    assert!((sum - 1.0).abs() < 1e-12);
    assert_eq!(judge.snippet(&tokenize("some green tea")), 1.0);
    assert!(judge.snippet(&tokenize("tea")) < 0.5);
}

#[test]
fn a_query_without_words_is_an_error() {
    assert!(matches!(
        QueryJudge::new(" — ", QueryMatch::All, None),
        Err(JudgeFault::EmptyTerm { .. })
    ));
}

fn settings() -> TableJudgeSettings {
    TableJudgeSettings {
        size: 3,
        space: Space::Union,
        threshold: 0.5,
    }
}

fn tea_pages() -> [ParsedPage; 2] {
    [page("tea tea leaf cup", None), page("tea leaf kettle", None)]
}

#[test]
fn a_table_judge_gives_the_cosine_to_the_table_of_its_examples() {
    let pages = tea_pages();
    let judge = TableJudge::learn(&pages, &settings()).unwrap();
    let words: Vec<&str> = judge.words().iter().map(|word| &*word.spelling).collect();
    assert_eq!(words.get(..2), Some(["tea", "leaf"].as_slice()));
    // tea ln 2 and an unknown word ln 3 against |table| = 1.421310: 0.693147 / (1.299001 · 1.421310).
    let judgement = judge.judge(&page("tea wheel", None));
    assert!(
        (judgement.relevance - 0.375_428).abs() < 1e-5,
        "{}",
        judgement.relevance
    );
    assert_eq!(judgement.parts.table, Some(judgement.relevance));
    assert!(!judgement.is_relevant());
    let [first, _] = &pages;
    assert!(judge.judge(first).is_relevant());
    assert_eq!(judge.judge(&page("wheel", None)).relevance, 0.0);
    assert_eq!(judge.judge(&page("", None)).relevance, 0.0);
}

#[test]
fn a_table_judge_comes_back_from_its_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tea.model");
    let judge = TableJudge::learn(&tea_pages(), &settings()).unwrap();
    judge.save(&path).unwrap();
    let back = TableJudge::load(&path, &settings()).unwrap();
    assert_eq!(back.words(), judge.words());
    let wheel = page("tea wheel kettle", None);
    assert_eq!(back.judge(&wheel), judge.judge(&wheel));
    std::fs::write(&path, b"SCENTMOD").unwrap();
    assert!(TableJudge::load(&path, &settings()).is_err());
}

#[test]
fn examples_without_words_are_an_error() {
    assert!(matches!(
        TableJudge::learn(&[page("", None)], &settings()),
        Err(JudgeFault::NoWords)
    ));
}

#[test]
fn a_page_has_the_wrong_sense_if_it_has_enough_different_words_of_it() {
    let words: Vec<String> = ["cat", "jungle", "big cats"].map(str::to_owned).into();
    let sense = |least| WrongSense::new(&words, least, None).unwrap();
    let jungle = page("The jaguar lives in the jungle. Jungle, jungle.", None);
    let both = page("A cat of the jungle", None);
    let car = page("A jaguar is a car", None);
    let told = |least, page: &ParsedPage| {
        sense(least).of(page).map(|hits| {
            hits.iter()
                .map(|hit| (hit.term.to_string(), hit.count))
                .collect::<Vec<_>>()
        })
    };
    assert_eq!(told(1, &jungle), Some(vec![("jungle".to_owned(), 3)]));
    assert_eq!(told(2, &jungle), None);
    assert_eq!(
        told(2, &both),
        Some(vec![("cat".to_owned(), 1), ("jungle".to_owned(), 1)])
    );
    assert_eq!(told(1, &car), None);
    assert!(WrongSense::new(&words, 0, None).is_err());
    assert!(WrongSense::new(&["?".to_owned()], 1, None).is_err());
}
