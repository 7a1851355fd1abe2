//! The cost of detecting the genre of a page: a generated page of the term bench's size, and real ones if recorded
//! webs are available.
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

const KINDS: [&str; 1] = ["genre"];
const PAGES: u32 = 300;

/// Pages spread over a recorded web; none if it is not available.
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

/// A sample is one page, copied just before, as in a crawl it would just have been read. All pages come up equally
/// often, so the mean is the average cost of a page, and the median the cost of a page of medium length.
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
