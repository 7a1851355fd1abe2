//! Queries that name a kind of page, which few pages of that kind do.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use scenthound_judge::{Judge, Learner, TopicJudge, TopicSettings, TopicWords};
use scenthound_parse::{Limits, PageInput, parse};
use scenthound_types::{CanonicalUrl, ParsedPage, Parts, UrlKey, Verdict};

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

#[test]
fn as_many_pages_are_called_as_are_of_the_kind_among_those_seen() {
    let judge = judge("job");
    assert_eq!(judge.judge(&offer()).verdict, Verdict::Irrelevant);
    for number in 0..90 {
        let seen = if number % 3 == 0 { offer() } else { story() };
        let (_, lesson) = judge.judge_and_keep(&seen);
        judge.observe(UrlKey(number), *lesson.unwrap());
    }
    assert_eq!(judge.judge(&offer()).verdict, Verdict::Relevant);
    assert_eq!(judge.judge(&story()).verdict, Verdict::Irrelevant);
}

#[test]
fn the_home_page_of_a_course_need_not_be_that_of_a_person() {
    let Parts { kind, .. } = judge("course home page").judge(&offer()).parts;
    assert_eq!(kind, judge("course").judge(&offer()).parts.kind);
}
