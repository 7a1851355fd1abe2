//! What the judge for topics makes of the meaning of words, and of words that no page has.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use scenthound_judge::{Judge, TopicJudge, TopicSettings, TopicWords};
use scenthound_parse::{Limits, PageInput, parse};
use scenthound_types::{CanonicalUrl, ParsedPage, UrlKey};

/// A page that repeats these words, in another order on each page.
fn page(number: usize, words: &[&str]) -> ParsedPage {
    let url = CanonicalUrl::parse(&format!("http://a.test/{number}")).unwrap();
    let text: Vec<&str> = (0..60)
        .map(|at| words[(number + at * (1 + number % 3)) % words.len()])
        .collect();
    let body = format!(
        "<h1>{}</h1><p>{}</p>",
        words[number % words.len()],
        text.join(" ")
    );
    let input = PageInput {
        url: &url,
        content_type: Some("text/html"),
        body: body.as_bytes(),
        truncated: false,
    };
    parse(&input, &Limits::default())
}

fn judge(query: &str, seen: &[ParsedPage]) -> TopicJudge {
    let words = TopicWords {
        query: query.to_owned(),
        ..TopicWords::default()
    };
    let judge = TopicJudge::new(&words, TopicSettings::default()).unwrap();
    for (key, page) in (0..).zip(seen) {
        judge.show(UrlKey(key), judge.fields(page));
    }
    judge.learn();
    judge
}

const SKY: [&str; 8] = [
    "telescope",
    "planet",
    "galaxy",
    "orbit",
    "comet",
    "nebula",
    "lunar",
    "stellar",
];
const FARM: [&str; 8] = [
    "cattle",
    "wheat",
    "barley",
    "tractor",
    "pasture",
    "livestock",
    "harvest",
    "plough",
];

#[test]
fn pages_near_the_query_in_meaning_rank_before_others_that_share_its_word_as_often() {
    // Both kinds of page say "observation" now and then.
    let with = |words: &[&'static str; 8]| -> Vec<&'static str> {
        words.iter().copied().chain(["observation"]).collect()
    };
    let pages: Vec<ParsedPage> = (0..60)
        .map(|number| page(number, &with(if number % 2 == 0 { &SKY } else { &FARM })))
        .collect();
    let judge = judge("observation astronomy", &pages);
    let relevance = |words: &[&'static str; 8]| judge.judge(&page(99, &with(words))).relevance;
    assert!(
        relevance(&SKY) > relevance(&FARM) + 0.1,
        "{} {}",
        relevance(&SKY),
        relevance(&FARM)
    );
}

#[test]
fn a_misspelt_word_does_not_turn_every_page_away() {
    let pages: Vec<ParsedPage> = (0..120)
        .map(|number| match number % 4 {
            0 => page(number, &["volcano", "lava", "crater", "ash", "eruption"]),
            _ => page(number, &FARM),
        })
        .collect();
    let relevance = |query| judge(query, &pages).judge(&pages[0]).relevance;
    assert!(relevance("volcano") > 0.5, "{}", relevance("volcano"));
    assert!(
        relevance("volcano erthquak") > 0.5,
        "{}",
        relevance("volcano erthquak")
    );
    // A word that some pages have is still asked for.
    assert!(relevance("volcano wheat") < 0.5, "{}", relevance("volcano wheat"));
}
