//! Measures how long it takes to find a page of a graph file by its URL and to list the pages that link to it.
//!
//! ```sh
//! cargo run --release -p scenthound-graph --example look_ups -- web.graph 10000
//! ```
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a benchmark may panic, print and read the clock"
)]

use std::path::Path;
use std::time::Instant;

use scenthound_graph::GraphFile;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().unwrap();
    let asked: u64 = arguments
        .next()
        .and_then(|count| count.parse().ok())
        .unwrap_or(10_000);
    let begun = Instant::now();
    let mut graph = GraphFile::open(Path::new(&path)).unwrap();
    println!("opened in {:?}", begun.elapsed());
    // A step that shares no factor with most sizes, so that look-ups are spread over the whole file.
    let nodes = graph.nodes();
    let urls: Vec<String> = (0..asked)
        .map(|at| (at * 7_368_787 % nodes) as u32)
        .map(|node| graph.name(node).unwrap().unwrap())
        .collect();
    let begun = Instant::now();
    let (mut sources, mut links) = (Vec::new(), 0);
    for url in &urls {
        let found = graph.find_page(url).unwrap().unwrap();
        sources.clear();
        graph.to(found.node, &mut sources).unwrap();
        links += sources.len();
    }
    let each = begun.elapsed() / u32::try_from(asked.max(1)).unwrap();
    println!("{asked} look-ups, {links} links: {each:?} each");
}
