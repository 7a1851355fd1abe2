//! Prints the main text of an HTML file, to compare it with what other extractors find:
//! `cargo run -p scenthound-parse --example main_text -- URL < page.html`
#![allow(clippy::print_stdout, reason = "an example prints")]

use std::io::Read;

use scenthound_parse::{PageInput, main_text};
use scenthound_types::CanonicalUrl;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let url = std::env::args()
        .nth(1)
        .ok_or("usage: main_text URL < page.html")?;
    let mut body = Vec::new();
    std::io::stdin().read_to_end(&mut body)?;
    let found = main_text(&PageInput {
        url: &CanonicalUrl::parse(&url)?,
        content_type: Some("text/html"),
        body: &body,
        truncated: false,
    });
    println!("{}", found.text);
    Ok(())
}
