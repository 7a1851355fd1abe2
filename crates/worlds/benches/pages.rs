//! What making a page of the bench web costs its server.

#![allow(missing_docs)] // nobody calls a bench

use divan::Bencher;
use scenthound_worlds::World;
use scenthound_worlds::bench::{BenchSize, BenchWeb, Naming};

fn main() {
    divan::main();
}

#[divan::bench]
fn bench_page(bencher: Bencher) {
    let web = BenchWeb::new(BenchSize::default(), Naming::Names);
    let mut page = 0_usize;
    bencher.bench_local(|| {
        page = (page + 1) % 990 + 1;
        web.answer(
            "h7.bench.test",
            &format!("/section-{}/article-{page}.html", page / 100),
        )
    });
}
