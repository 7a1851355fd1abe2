//! What a page of a synthetic web costs: its links, its URLs and its text.

#![allow(missing_docs, clippy::unwrap_used)] // a benchmark has no callers and makes its own input

use divan::Bencher;
use scenthound_lab::synth::{SynthWeb, preset};

fn main() {
    divan::main();
}

fn web(name: &str) -> SynthWeb {
    SynthWeb::new(preset(name).unwrap()).unwrap()
}

const WEBS: [&str; 4] = ["speed-200k", "paper2-baseball", "paper3", "paper5-large"];

#[divan::bench(args = WEBS)]
fn links(bencher: Bencher, name: &str) {
    let web = web(name);
    let mut page = 0;
    let mut links = Vec::new();
    bencher.bench_local(|| {
        page = (page + 7_919) % web.len();
        web.links(page, &mut links);
        links.len()
    });
}

#[divan::bench]
fn link_urls(bencher: Bencher) {
    let web = web("speed-200k");
    let mut page = 0;
    let mut links = Vec::new();
    let mut url = String::new();
    bencher.bench_local(|| {
        page = (page + 7_919) % web.len();
        web.links(page, &mut links);
        url.clear();
        for link in &links {
            web.push_target_url(link.target, &mut url);
        }
        url.len()
    });
}

#[divan::bench]
fn blocks(bencher: Bencher) {
    let web = web("speed-200k");
    let mut page = 0;
    bencher.bench_local(|| {
        page = (page + 7_919) % web.len();
        web.blocks(page)
    });
}

#[divan::bench]
fn html(bencher: Bencher) {
    let web = web("speed-200k");
    let mut page = 0;
    bencher.bench_local(|| {
        page = (page + 7_919) % web.len();
        web.html(page)
    });
}
