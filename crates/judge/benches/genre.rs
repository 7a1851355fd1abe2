//! What telling the genre of a page costs: the made page of the term bench's size, and real ones where recorded webs are at
//! hand.
//!
//! `cargo bench -p scenthound-judge --bench genre`

#![allow(missing_docs, clippy::unwrap_used)] // nobody calls a bench, and its input is its own

use std::path::Path;

use divan::{Bencher, black_box};
use scenthound_judge::{DetectorKind, GenreDetector};
use scenthound_lab::recorded::{PageId, WebFolder};
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

#[divan::bench(args = KINDS, sample_count = 6000, sample_size = 1)]
fn pages_of_genres(bencher: Bencher, kind: &str) {
    detect_each(bencher, kind, &pages("genres"));
}

#[divan::bench(args = KINDS, sample_count = 6000, sample_size = 1)]
fn pages_of_mixed(bencher: Bencher, kind: &str) {
    detect_each(bencher, kind, &pages("mixed"));
}

/// A sample is one page, copied just before: in a crawl it was read just before. All pages come equally often, so the mean
/// is what a page costs on average, and the median what a page of middling length costs.
fn detect_each(bencher: Bencher, kind: &str, pages: &[ParsedPage]) {
    if pages.is_empty() {
        return;
    }
    let detector = GenreDetector::shipped(DetectorKind::from_name(kind).unwrap()).unwrap();
    let mut next = pages.iter().cycle();
    bencher
        .with_inputs(|| next.next().unwrap().clone())
        .bench_local_refs(|page| detector.detect(black_box(page)).confidence);
}
