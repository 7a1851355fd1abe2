//! Queries that name a kind of page, which few pages of that kind do.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use scenthound_judge::{Judge, TopicJudge, TopicSettings, TopicWords};
use scenthound_parse::{Limits, PageInput, parse};
use scenthound_types::{CanonicalUrl, ParsedPage, Parts, Verdict};

fn page(html: &str) -> ParsedPage {
    let url = CanonicalUrl::parse("https://backstube.example/a").unwrap();
    let input = PageInput {
        url: &url,
        content_type: Some("text/html; charset=utf-8"),
        body: html.as_bytes(),
        truncated: false,
    };
    parse(&input, &Limits::default())
}

/// An offer that no word of says what it is, only its markup.
fn offer() -> ParsedPage {
    page(
        "<title>Bäckerei Huber</title>\
         <script type='application/ld+json'>{\"@type\":\"JobPosting\",\"title\":\"Bäcker\"}</script>\
         <p>Die Bäckerei Huber sucht ab sofort Verstärkung in der Backstube.</p>",
    )
}

fn story() -> ParsedPage {
    page("<title>Bäckerei Huber</title><p>Die Bäckerei Huber sucht ab sofort nach dem Rezept von früher.</p>")
}

fn judge(query: &str) -> TopicJudge {
    let words = TopicWords {
        query: query.to_owned(),
        ..TopicWords::default()
    };
    TopicJudge::new(&words, TopicSettings::default()).unwrap()
}

#[test]
fn a_page_shows_a_kind_that_it_does_not_name() {
    let judge = judge("Bäckerei job");
    let (offer, story) = (judge.judge(&offer()), judge.judge(&story()));
    assert_eq!(offer.verdict, Verdict::Relevant, "{offer:?}");
    assert_eq!(story.verdict, Verdict::Irrelevant, "{story:?}");
    assert!(offer.parts.kind.unwrap() > 0.8);
    assert!(story.parts.kind.unwrap() < 0.5);
}

#[test]
fn nobody_is_asked_about_kinds_that_are_not_wanted() {
    let Parts { kind, .. } = judge("Bäckerei").judge(&offer()).parts;
    assert_eq!(kind, None);
    // A guide is a part of the articles, and not told from them.
    let Parts { kind, .. } = judge("Bäckerei guide").judge(&offer()).parts;
    assert_eq!(kind, None);
}
