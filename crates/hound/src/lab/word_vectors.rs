//! `hound lab word-vectors`: makes the table of what words mean, for the judge topic and the strategy scent.

use std::path::PathBuf;

use anyhow::{Context, Result};
use scenthound_lab::read_word_vectors;

#[derive(Debug, clap::Args)]
pub struct Args {
    /// A file with one word and its numbers per line, the most frequent word first.
    #[arg(value_name = "FILE")]
    input: PathBuf,
    /// Number of words to keep.
    #[arg(long, value_name = "N", default_value_t = 28_000)]
    words: usize,
    /// Write the table to this file.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
}

pub fn run(args: Args) -> Result<()> {
    let table = read_word_vectors(&args.input, args.words)?;
    let bytes = table.to_bytes();
    std::fs::write(&args.output, &bytes)
        .with_context(|| format!("could not write {}", args.output.display()))?;
    say!(
        "{} words, {:.1} MB, in {}",
        table.len(),
        bytes.len() as f64 / 1e6,
        args.output.display()
    );
    Ok(())
}
