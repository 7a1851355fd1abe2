//! Prints the text of a document, one block per line, and its links.
//!
//! `cargo run --release -p scenthound-document --example text -- FILE`
#![allow(clippy::print_stdout, reason = "it is what the example is for")]

use std::error::Error;

use scenthound_document::{Limits, extract};
use scenthound_types::DocumentKind;

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("name a file")?;
    let bytes = std::fs::read(path)?;
    let kind = DocumentKind::by_bytes(&bytes).ok_or("not a PDF, DOCX or ODT file")?;
    let document = extract(&bytes, kind, &Limits::default());
    println!(
        "title: {:?}\nauthor: {:?}\ndate: {:?}\nlanguage: {:?}\nencrypted: {}, truncated: {}\n",
        document.title,
        document.author,
        document.date,
        document.language,
        document.is_encrypted,
        document.is_truncated
    );
    for block in &document.blocks {
        println!("{}", block.text);
        for link in &block.links {
            let words = block.text.get(link.range.clone()).unwrap_or_default();
            println!("  [{words}] -> {}", link.uri);
        }
    }
    for uri in &document.bare_links {
        println!("  [] -> {uri}");
    }
    Ok(())
}
