//! Writes a long edge list, the same each time, to measure `hound graph build`.
//!
//! ```sh
//! cargo run --release -p scenthound-graph --example many_links -- 100000000 | gzip -1 > links.tsv.gz
//! ```
//!
//! It has the shape of the web's links: sites of very different sizes and ten links per page. Seven of the ten stay
//! on the site (half of these lead to its first ten pages, as menus do). Three leave it, most often for the first
//! pages of large sites.
#![allow(clippy::unwrap_used, reason = "a benchmark may panic")]

use std::io::{self, BufWriter, Write};

/// Links per page.
const EACH: u64 = 10;

/// The next number of a sequence that looks random (splitmix64).
fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut mixed = *state;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// Pages of a site: many sites are small, few are large.
fn size(site: u64) -> u64 {
    let mut state = site;
    let chance = next(&mut state) % 1_000;
    match chance {
        0 => 100_000,
        1..10 => 10_000,
        10..100 => 1_000,
        _ => 30,
    }
}

fn write_page(out: &mut impl Write, site: u64, page: u64) -> io::Result<()> {
    write!(
        out,
        "https://www.site-{site}.example/section-{}/article-{page}.html",
        page % 20
    )
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let links: u64 = arguments
        .next()
        .and_then(|count| count.parse().ok())
        .unwrap_or(1_000_000);
    let mut out = BufWriter::with_capacity(1 << 20, io::stdout().lock());
    let mut state = 1;
    let mut written = 0;
    let sites = links / EACH / 150 + 1;
    for site in (0..).map(|at| at % sites) {
        for page in 0..size(site) {
            for link in 0..EACH {
                if written == links {
                    out.flush().unwrap();
                    return;
                }
                let draw = next(&mut state);
                let (to, target) = match link {
                    0..4 => (site, draw % 10),
                    4..7 => (site, draw % size(site)),
                    _ => {
                        // The larger of two random sites, and mostly its first page.
                        let (one, other) = (next(&mut state) % sites, next(&mut state) % sites);
                        let to = if size(one) >= size(other) { one } else { other };
                        let page = if !draw.is_multiple_of(3) {
                            0
                        } else {
                            (draw >> 8) % size(to)
                        };
                        (to, page)
                    }
                };
                write_page(&mut out, site, page).unwrap();
                out.write_all(b"\t").unwrap();
                write_page(&mut out, to, target).unwrap();
                out.write_all(b"\n").unwrap();
                written += 1;
            }
        }
    }
}
