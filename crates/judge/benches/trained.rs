//! The cost of judging a page, and the words at a link, with a trained judge.

#![allow(missing_docs, clippy::unwrap_used)] // nobody calls a bench, and its input is its own

use divan::Bencher;
use divan::counter::ItemsCount;
use scenthound_judge::{Judge, ModelKind, TrainedJudge, TrainingPages, TrainingSettings};
use scenthound_types::text::{Language, Text, Token};
use scenthound_types::{CanonicalUrl, ParsedPage};

fn main() {
    divan::main();
}

const KINDS: [&str; 6] = ["bayes", "svm", "svm-rbf", "network", "logistic", "committee"];
const WORDS: u64 = 5_000;

/// Word frequencies as in natural text: the n-th most frequent word occurs about 1/n as often as the first.
fn page(words: u64, seed: u64) -> ParsedPage {
    let mut text = Text::default();
    let mut state = seed;
    for n in 0..words {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let uniform = (state >> 11) as f64 / (1_u64 << 53) as f64;
        let rank = (30_000_f64.powf(uniform)) as u64 - 1;
        // Each topic has half of the words to itself.
        text.push(&format!(
            "word{}",
            if rank.is_multiple_of(2) {
                rank
            } else {
                rank + 100_000 * (seed % 2)
            }
        ));
        if n % 60 == 0 {
            text.push_break();
        }
    }
    ParsedPage {
        text,
        language: Some(Language::ENGLISH),
        ..ParsedPage::blank(CanonicalUrl::parse(&format!("http://a{seed}.test/some/page")).unwrap())
    }
}

/// Trained on 60 pages against 120.
fn judge(kind: &str) -> TrainedJudge {
    let positive: Vec<ParsedPage> = (0..60).map(|n| page(600, 2 * n + 1)).collect();
    let negative: Vec<ParsedPage> = (0..120).map(|n| page(600, 2 * n + 1000)).collect();
    let (positive, negative): (Vec<&ParsedPage>, Vec<&ParsedPage>) =
        (positive.iter().collect(), negative.iter().collect());
    let pages = TrainingPages {
        positive: &positive,
        negative: &negative,
    };
    TrainedJudge::train(
        ModelKind::from_name(kind).unwrap(),
        &pages,
        &TrainingSettings::default(),
    )
    .unwrap()
}

#[divan::bench(args = KINDS)]
fn page_of_5000_words(bencher: Bencher, kind: &str) {
    let judge = judge(kind);
    let page = page(WORDS, 7);
    bencher
        .counter(ItemsCount::new(WORDS))
        .bench(|| judge.judge(&page));
}

#[divan::bench(args = KINDS)]
fn snippet_of_20_words(bencher: Bencher, kind: &str) {
    let judge = judge(kind);
    let words: Vec<Token> = page(20, 7).text.tokens().to_vec();
    bencher.bench(|| judge.snippet(&words));
}
