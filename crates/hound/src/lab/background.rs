//! `hound lab background`: counts how many pages of recorded webs contain each term.

use std::path::PathBuf;

use anyhow::{Context, Result};

use super::console::with_lab;

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Web folders or WARC files to count.
    #[arg(long = "web", value_name = "FOLDER", required = true)]
    webs: Vec<PathBuf>,
    /// Leave out terms that fewer pages than this contain.
    #[arg(long, value_name = "PAGES", default_value_t = 3)]
    least: u32,
    /// Write the table to this file.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
}

pub fn run(args: Args) -> Result<()> {
    let table = with_lab(None, |lab| Ok(lab.background(&args.webs, args.least)?))?;
    let bytes = table.to_bytes();
    std::fs::write(&args.output, &bytes)
        .with_context(|| format!("could not write {}", args.output.display()))?;
    say!(
        "{} terms of {} pages, {:.1} MB, in {}",
        table.terms(),
        table.pages(),
        bytes.len() as f64 / 1e6,
        args.output.display()
    );
    Ok(())
}
