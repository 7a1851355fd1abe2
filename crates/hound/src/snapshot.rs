//! `hound snapshot`: copies a crawl folder, even while a crawl is running in it.

use std::path::PathBuf;

use anyhow::Result;

use crate::wording::counted;

/// Copy a crawl.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  hound snapshot tea -o backup/tea    copy the crawl; a running crawl goes on
  hound resume backup/tea             go on with the copy

The copy is as if the crawl had been killed at that moment: all settled pages and their records
are in it, and it can be searched, exported or resumed. Do not resume both: each would fetch the
same pages. The search index is left out; hound search makes it again.
Exit codes: 0 done, 1 failure.")]
pub struct Args {
    /// The folder of the crawl
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    /// A new or empty folder for the copy
    #[arg(short, long, value_name = "COPY")]
    pub output: PathBuf,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Runs `hound snapshot`.
pub fn run(args: Args) -> Result<()> {
    let copied = scenthound::snapshot(&args.folder, &args.output)?;
    if args.json {
        say!(
            "{}",
            serde_json::json!({ "folder": args.output, "files": copied.files, "bytes": copied.bytes })
        );
    } else {
        say!(
            "Copied {} ({} bytes) to {}.",
            counted(copied.files, "file"),
            copied.bytes,
            args.output.display()
        );
    }
    Ok(())
}
