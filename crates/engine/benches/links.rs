//! How long scoring the words at a page's links takes, compared with parsing the page: `cargo bench -p scenthound-engine`.

#![allow(missing_docs, clippy::unwrap_used)] // benches have no callers, and they make their own input

use divan::Bencher;
use divan::counter::ItemsCount;
use scenthound_engine::LinkScorer;
use scenthound_judge::{TermJudge, TermSettings};
use scenthound_parse::{Limits, PageInput, parse};
use scenthound_types::{CanonicalUrl, ParsedPage, SnippetScores};

fn main() {
    divan::main();
}

const LINKS: usize = 100;
const TERMS: [usize; 2] = [16, 1_000];

/// A page of about 25 kB with a hundred links in running text.
fn body() -> (CanonicalUrl, Vec<u8>) {
    let words = [
        "water", "light", "house", "garden", "river", "stone", "paper", "music", "the", "and", "of",
        "morning",
    ];
    let mut html = String::from("<!doctype html><title>A bench</title>");
    for link in 0..LINKS {
        html.push_str("<p>");
        for at in 0..36 {
            if at == 17 {
                html.push_str(&format!(
                    "<a href=\"/page/{link}.html\">{} {}</a> ",
                    words[link % 12],
                    words[link % 7]
                ));
            }
            html.push_str(words[(link * 31 + at * 7) % 12]);
            html.push(' ');
        }
    }
    let url = CanonicalUrl::parse("http://bench.example/").unwrap();
    (url, html.into_bytes())
}

fn parsed(url: &CanonicalUrl, body: &[u8]) -> ParsedPage {
    let input = PageInput {
        url,
        content_type: Some("text/html; charset=utf-8"),
        body,
        truncated: false,
    };
    parse(&input, &Limits::default())
}

#[divan::bench]
fn parsing_the_page(bencher: Bencher) {
    let (url, body) = body();
    assert_eq!(parsed(&url, &body).links.len(), LINKS);
    bencher.bench(|| parsed(&url, &body));
}

#[divan::bench(args = TERMS)]
fn scoring_its_links(bencher: Bencher, terms: usize) {
    let (url, body) = body();
    let page = parsed(&url, &body);
    let words = [
        "water", "light", "house", "garden", "river", "stone", "paper", "music",
    ];
    let content = (0..terms)
        .map(|n| match n {
            0..8 => words[n].to_owned(),
            _ => format!("{} {}", words[n % 8], words[n / 8 % 8]),
        })
        .collect();
    let judge = TermJudge::new(&TermSettings {
        content,
        ..TermSettings::default()
    })
    .unwrap();
    bencher.counter(ItemsCount::new(LINKS)).bench(|| {
        let scorer = LinkScorer::new(&judge);
        let mut urls = page.link_url_words();
        let links = page.links.iter();
        let scores = links.map(|link| scorer.score(&page, link, urls.of(&link.url)));
        scores.collect::<Vec<SnippetScores>>()
    });
}
