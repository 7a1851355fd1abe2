//! What the words at a page's links cost to score, beside parsing the page: `cargo bench -p scenthound-engine`.

#![allow(missing_docs, clippy::unwrap_used)] // nobody calls a bench, and its input is its own

use divan::Bencher;
use divan::counter::ItemsCount;
use scenthound_engine::snippet_scores;
use scenthound_judge::{TermJudge, TermSettings};
use scenthound_parse::{Limits, PageInput, parse};
use scenthound_types::{CanonicalUrl, ParsedPage, SnippetScores};
use scenthound_worlds::bench::{BenchSize, Naming};
use scenthound_worlds::{BenchWeb, World};

fn main() {
    divan::main();
}

const LINKS: usize = 100;
const TERMS: [usize; 2] = [16, 1_000];

/// A page of 25 kB with a hundred links.
fn body() -> (CanonicalUrl, Vec<u8>) {
    let size = BenchSize {
        hosts: 10,
        pages: 2_000,
        bytes: 25_000,
        links: LINKS,
    };
    let web = BenchWeb::new(size, Naming::Names);
    let url = CanonicalUrl::parse(&web.urls().nth(500).unwrap()).unwrap();
    let answer = web.answer(url.host(), url.path_and_query());
    (url, answer.body.to_vec())
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
    // A link or two of the hundred lead to the same page.
    assert!(parsed(&url, &body).links.len() >= LINKS - 10);
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
        let scores = page.links.iter().map(|link| snippet_scores(&judge, &page, link));
        scores.collect::<Vec<SnippetScores>>()
    });
}
