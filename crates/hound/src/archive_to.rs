//! `hound crawl --archive-to`: copies of the archives in object storage.

use std::path::Path;

use anyhow::Result;
use clap::{Arg, ArgMatches};
use scenthound::Crawler;
use scenthound_upload::{Destination, UploadReport, Uploading};

use crate::fault::bad_input;
use crate::wording::counted;

/// Files that are named when they are missing. One reason usually holds for all.
const NAMED: usize = 3;
/// The smallest archive files. An exchange larger than this still has a file of its own.
const SMALLEST: u64 = 10_000;

/// The options of `hound crawl`.
pub fn args() -> [Arg; 2] {
    [
        Arg::new("archive-to")
            .long("archive-to")
            .value_name("URL")
            .hide_short_help(true)
            .help_heading("More about the archive")
            .help(
                "Copy archive files and their indexes to s3://BUCKET/PREFIX, gs://BUCKET/PREFIX or file:///FOLDER as they are \
                 completed, and the rest at the end; keys come from the environment (AWS_ACCESS_KEY_ID…)",
            ),
        Arg::new("archive-size")
            .long("archive-size")
            .value_name("SIZE")
            .value_parser(read_size)
            .hide_short_help(true)
            .help_heading("More about the archive")
            .help("Begin another archive file when one has this size [default: 1GB]"),
    ]
}

fn read_size(text: &str) -> Result<u64, String> {
    match scenthound_config::read_size(text) {
        Some(size) if size >= SMALLEST => Ok(size),
        Some(_) => Err("archive files of less than 10KB would hold less than a page".to_owned()),
        None => Err(format!("{text:?} is not a size; write 100MB or 1GiB")),
    }
}

/// Copies under way, and where to.
pub struct Copies {
    uploading: Uploading,
    address: String,
}

/// Where copies are wanted, checked before anything is written.
pub fn destination(matches: &ArgMatches) -> Result<Option<Destination>> {
    let address = matches.get_one::<String>("archive-to");
    address
        .map(|address| Destination::parse(address).map_err(bad_input))
        .transpose()
}

/// Applies the size of archive files.
pub fn set_size(crawler: &mut Crawler, matches: &ArgMatches) {
    if let Some(size) = matches.get_one::<u64>("archive-size") {
        crawler.live_settings().archive.roll_at = *size;
    }
}

/// Begins to copy.
pub fn start(destination: Destination, folder: &Path) -> Result<Copies> {
    let address = destination.address().to_owned();
    let uploading = Uploading::start(folder, destination)?;
    Ok(Copies { uploading, address })
}

impl Copies {
    /// Copies the rest, unless somebody interrupted the crawl, and says what is missing.
    pub fn finish(self, is_interrupted: bool) {
        let report = match is_interrupted {
            true => self.uploading.interrupt(),
            false => {
                note!("Copying the rest of the archive to {}…", self.address);
                self.uploading.finish()
            }
        };
        tell(&report, &self.address);
    }
}

fn tell(report: &UploadReport, address: &str) {
    if report.files > 0 {
        note!("{} copied to {address}", counted(report.files, "archive file"));
    }
    if report.missing.is_empty() {
        return;
    }
    complain!(
        "warning: {} not copied to {address}; run the same command again to try again:",
        counted(report.missing.len() as u64, "archive file")
    );
    for missing in report.missing.iter().take(NAMED) {
        complain!("  {}: {}", missing.file, missing.why);
    }
    if report.missing.len() > NAMED {
        complain!("  and {} more", report.missing.len() - NAMED);
    }
}
