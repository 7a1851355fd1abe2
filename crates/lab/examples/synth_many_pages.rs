//! Measures a large synthetic web: `cargo run --release --example synth_many_pages -- 10000000`.

#![allow(
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "an example shows its figures, and measures them"
)]

use std::time::Instant;

use scenthound_lab::synth::{SynthFault, SynthSettings, SynthWeb};

fn main() -> Result<(), SynthFault> {
    let pages = std::env::args()
        .nth(1)
        .and_then(|pages| pages.parse().ok())
        .unwrap_or(10_000_000);
    let started = Instant::now();
    let web = SynthWeb::new(SynthSettings {
        pages,
        hosts: pages / 100,
        out_degree: 25.0,
        ..SynthSettings::default()
    })?;
    println!(
        "{pages} pages on {} hosts generated in {:.3} s, {} bytes in memory",
        web.host_count(),
        started.elapsed().as_secs_f64(),
        web.table_bytes()
    );
    let started = Instant::now();
    let mut links = Vec::new();
    let mut all = 0;
    for page in 0..web.len() {
        web.links(page, &mut links);
        all += links.len();
    }
    let seconds = started.elapsed().as_secs_f64();
    println!(
        "{all} links in {seconds:.1} s: {:.0} pages/s",
        f64::from(pages) / seconds
    );
    Ok(())
}
