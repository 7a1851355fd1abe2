//! What telling the genre of a page costs: the made page of the term bench's size, and real ones where recorded webs are at
//! hand.
//!
//! `cargo bench -p scenthound-judge --bench genre`

#![allow(missing_docs, clippy::unwrap_used)] // nobody calls a bench, and its input is its own

use std::path::Path;

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use scenthound_judge::{DetectorKind, GenreDetector};
use scenthound_recorded::{PageId, WebFolder};
use scenthound_types::ParsedPage;

fn main() {
    divan::main();
}

const KINDS: [&str; 2] = ["genre-9", "genre"];
const PAGES: u32 = 300;

/// Pages spread over a recorded web; none where it is not at hand.
fn pages(web: &str) -> Vec<ParsedPage> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/webs/");
    let Ok(folder) = WebFolder::open(Path::new(&format!("{path}{web}"))) else {
        return Vec::new();
    };
    let cache = std::env::temp_dir().join("scenthound-bench");
    let (web, _) = folder.load(Some(&cache), |_| ()).unwrap();
    let step = (web.pages() as u32 / PAGES).max(1);
    (0..PAGES).filter_map(|n| web.page(PageId(n * step))).collect()
}

#[divan::bench(args = KINDS, sample_count = 20)]
fn pages_of_genres(bencher: Bencher, kind: &str) {
    detect_all(bencher, kind, &pages("genres"));
}

#[divan::bench(args = KINDS, sample_count = 20)]
fn pages_of_mixed(bencher: Bencher, kind: &str) {
    detect_all(bencher, kind, &pages("mixed"));
}

/// The counter makes it pages a second: 20,000 a second are 50 µs a page.
fn detect_all(bencher: Bencher, kind: &str, pages: &[ParsedPage]) {
    let detector = GenreDetector::shipped(DetectorKind::from_name(kind).unwrap()).unwrap();
    bencher.counter(ItemsCount::new(pages.len())).bench_local(|| {
        pages
            .iter()
            .map(|page| detector.detect(black_box(page)).confidence)
            .sum::<f64>()
    });
}
