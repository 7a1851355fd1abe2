//! The cost of judging a page, with few terms and with many.

#![allow(missing_docs, clippy::unwrap_used)] // nobody calls a bench, and its input is its own

use divan::Bencher;
use divan::counter::ItemsCount;
use scenthound_judge::{Judge, TermJudge, TermSettings};
use scenthound_types::text::{Language, Text, Token};
use scenthound_types::{CanonicalUrl, ParsedPage};

fn main() {
    divan::main();
}

const TERMS: [usize; 2] = [16, 1_000];
const WORDS: u64 = 5_000;

/// Half words, half phrases of two words.
fn made_terms(terms: usize) -> impl Iterator<Item = String> {
    (0..terms).map(|n| match n % 2 {
        0 => format!("word{}", 7 * n + 40),
        _ => format!("word{} word{}", 7 * n + 40, 3 * n + 50),
    })
}

fn judge(terms: usize) -> TermJudge {
    judge_of(made_terms(terms).collect())
}

fn judge_of(content: Vec<String>) -> TermJudge {
    TermJudge::new(&TermSettings {
        content,
        language: Some(Language::ENGLISH),
        ..TermSettings::default()
    })
    .unwrap()
}

/// Word frequencies as in natural text: the n-th most frequent word occurs about 1/n as often as the first, and the
/// first ones are stop words.
fn page(words: u64) -> ParsedPage {
    let stop = ["the", "of", "and", "to", "a", "in", "is", "for", "with", "on"];
    let mut text = Text::default();
    let mut state = 1_u64;
    for n in 0..words {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let uniform = (state >> 11) as f64 / (1_u64 << 53) as f64;
        let rank = (30_000_f64.powf(uniform)) as usize - 1;
        match stop.get(rank) {
            Some(word) => text.push(word),
            None => text.push(&format!("word{rank}")),
        }
        if n % 60 == 0 {
            text.push_break();
        }
    }
    ParsedPage {
        text,
        language: Some(Language::ENGLISH),
        ..ParsedPage::blank(CanonicalUrl::parse("http://a.test/some/page").unwrap())
    }
}

#[divan::bench(args = TERMS)]
fn page_of_5000_words(bencher: Bencher, terms: usize) {
    let judge = judge(terms);
    let page = page(WORDS);
    bencher
        .counter(ItemsCount::new(WORDS))
        .bench(|| judge.judge(&page));
}

/// The same number of matches for any number of terms: all but the first sixteen occur on no page. The rest is the
/// cost of the longer list itself.
#[divan::bench(args = TERMS)]
fn page_of_5000_words_with_the_same_finds(bencher: Bencher, terms: usize) {
    let unseen = (16..terms).map(|n| match n % 2 {
        0 => format!("unseen{n}"),
        _ => format!("unseen{n} elsewhere{n}"),
    });
    let judge = judge_of(made_terms(16).chain(unseen).collect());
    let page = page(WORDS);
    bencher
        .counter(ItemsCount::new(WORDS))
        .bench(|| judge.judge(&page));
}

#[divan::bench(args = TERMS)]
fn snippet_of_20_words(bencher: Bencher, terms: usize) {
    let judge = judge(terms);
    let words: Vec<Token> = page(20).text.tokens().to_vec();
    bencher.bench(|| judge.snippet(&words));
}
