//! What the pages that a crawl starts from, and those that somebody marks, tell the topic judge.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::BTreeMap;

use scenthound_judge::{Judge, LabelledPage, Learner, TopicJudge, TopicSettings, TopicWords};
use scenthound_parse::{Limits, PageInput, parse};
use scenthound_types::text::Token;
use scenthound_types::{CanonicalUrl, ParsedPage, StateDelta, UrlKey, Verdict};

/// Words that pages about the animal, about the car and about anything else use.
const ANIMAL: [&str; 8] = [
    "cat",
    "prey",
    "forest",
    "spotted",
    "hunts",
    "cubs",
    "river",
    "territory",
];
const CAR: [&str; 8] = [
    "engine", "coupe", "saloon", "gearbox", "chassis", "dealer", "leather", "torque",
];
const OTHER: [&str; 8] = [
    "council", "bridge", "harvest", "market", "school", "museum", "festival", "railway",
];

fn parsed(number: u64, html: &str) -> ParsedPage {
    let url = CanonicalUrl::parse(&format!("http://a.test/{number}")).unwrap();
    let input = PageInput {
        url: &url,
        content_type: Some("text/html"),
        body: html.as_bytes(),
        truncated: false,
    };
    parse(&input, &Limits::default())
}

/// A page of running text that uses most of these words, each page in its own way.
fn page(number: u64, about: &str, words: &[&str]) -> ParsedPage {
    let mut text = String::new();
    for at in 0..160_u64 {
        let word = words[((at * 7 + number * (at % 5 + 1)) % words.len() as u64) as usize];
        text.push_str(&format!("{word} filler{} ", (at * 31 + number * 17) % 97));
        if at % 12 == 0 {
            text.push_str(about);
            text.push(' ');
        }
    }
    parsed(number, &format!("<title>{about} page</title><p>{text}</p>"))
}

/// A judge that was shown a seed and then pages about the animal, the car and other things.
fn judge_from(seed: ParsedPage) -> TopicJudge {
    judge_after(seed, true)
}

fn judge_after(first: ParsedPage, is_seed: bool) -> TopicJudge {
    let words = TopicWords {
        query: "jaguar".to_owned(),
        ..TopicWords::default()
    };
    let judge = TopicJudge::new(&words, TopicSettings::default()).unwrap();
    show(&judge, 0, first, is_seed);
    for number in 1..91 {
        let page = match number % 3 {
            0 => page(number, "jaguar", &ANIMAL),
            1 => page(number, "jaguar", &CAR),
            _ => page(number, "town", &OTHER),
        };
        show(&judge, number, page, false);
    }
    judge
}

fn show(judge: &TopicJudge, key: u64, page: ParsedPage, is_seed: bool) {
    let (_, lesson) = judge.judge_and_keep(&page);
    let mut lesson = lesson.unwrap();
    lesson.is_seed = is_seed;
    judge.observe(UrlKey(key), *lesson);
}

/// How much more relevant a page about the animal is than one about the car.
fn preference(judge: &TopicJudge) -> f64 {
    let of = |words| judge.judge(&page(400, "jaguar", words)).relevance;
    of(&ANIMAL) - of(&CAR)
}

#[test]
fn the_seed_says_which_sense_of_a_word_is_meant() {
    let animal = judge_from(page(0, "jaguar", &ANIMAL));
    let car = judge_from(page(0, "jaguar", &CAR));
    assert!(preference(&animal) > 0.1, "{}", preference(&animal));
    assert!(preference(&car) < -0.1, "{}", preference(&car));
    let score = |judge: &TopicJudge, word| judge.snippet(&[Token::of(word)]);
    assert!(score(&animal, "prey") > score(&car, "prey"), "links too");
}

#[test]
fn a_list_of_links_as_a_seed_says_nothing() {
    let list: String = (0..200)
        .map(|at| format!("<li><a href=/{at}>{} jaguar</a>", ANIMAL[at % ANIMAL.len()]))
        .collect();
    let list = parsed(0, &format!("<title>jaguar</title><ul>{list}</ul>"));
    let [seed, page] = [true, false].map(|is_seed| judge_after(list.clone(), is_seed));
    assert_eq!(preference(&seed), preference(&page));
}

#[test]
fn the_seeds_are_remembered_across_a_restart() {
    let judge = judge_from(page(0, "jaguar", &CAR));
    let mut saved = StateDelta::default();
    judge.save_changes(&mut saved);
    let state: BTreeMap<String, Vec<u8>> = saved.changes().iter().cloned().collect();
    let words = TopicWords {
        query: "jaguar".to_owned(),
        ..TopicWords::default()
    };
    let again = TopicJudge::new(&words, TopicSettings::default()).unwrap();
    again.restore(&state.into_iter().collect::<Vec<_>>()).unwrap();
    judge.learn();
    assert_eq!(preference(&again), preference(&judge));
}

/// Found by fuzzing: the time of the next lesson is computed from the number of pages seen.
#[test]
fn a_damaged_count_of_pages_is_refused() {
    let words = TopicWords {
        query: "jaguar".to_owned(),
        ..TopicWords::default()
    };
    let judge = TopicJudge::new(&words, TopicSettings::default()).unwrap();
    for name in ["seen", "next"] {
        let damaged = [(name.to_owned(), u64::MAX.to_le_bytes().to_vec())];
        assert!(judge.restore(&damaged).is_err(), "{name}");
    }
    // What another node says is believed as far as it can be.
    judge.hear_lessons(&u64::MAX.to_le_bytes()).unwrap();
    judge.learn();
}

/// How many of the pages about the car, and how many of the others, the judge calls relevant after so many were marked.
fn called_after(marks: u64) -> (usize, usize) {
    let judge = judge_from(page(0, "jaguar", &CAR));
    let marked = (0..marks).map(|number| LabelledPage {
        name: number.to_string(),
        label: Verdict::Relevant,
        fields: Learner::fields(&judge, &page(3 * number + 1, "jaguar", &CAR)),
    });
    judge.change_examples(&[], marked.collect());
    judge.learn();
    let called = |number: u64| {
        let page = match number % 3 {
            0 => page(number, "jaguar", &ANIMAL),
            1 => page(number, "jaguar", &CAR),
            _ => page(number, "town", &OTHER),
        };
        judge.judge(&page).verdict == Verdict::Relevant
    };
    let count = |about: u64| {
        (1..91)
            .filter(|number| number % 3 == about && called(*number))
            .count()
    };
    (count(1), count(0) + count(2))
}

#[test]
fn marking_right_pages_does_not_turn_other_right_pages_away() {
    let (before, wrong_before) = called_after(0);
    assert!(before >= 25, "{before} of 30 before");
    for marks in [1, 3, 8, 12, 20] {
        let (right, wrong) = called_after(marks);
        assert!(right + 3 >= before, "{right} of {before} after {marks} marks");
        assert!(
            wrong <= wrong_before,
            "{wrong} instead of {wrong_before} wrong after {marks} marks"
        );
    }
}
