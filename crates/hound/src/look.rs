//! Opens crawl folders for the commands that read them. Errors suggest a remedy; warnings go to standard error.

use std::error::Error;
use std::path::Path;

use anyhow::bail;
use scenthound::{Collection, CollectionError, Warning};
use scenthound_store::CrawlView;

use crate::stdout::note;

/// Opens the collection in a crawl folder.
pub fn collection(folder: &Path) -> anyhow::Result<Collection> {
    match Collection::open(folder) {
        Err(error @ (CollectionError::Missing(_) | CollectionError::NoCrawl(_))) => {
            bail!("{error}; give the folder that was passed to hound crawl with -o")
        }
        Err(error @ CollectionError::NotAFolder(_)) => {
            bail!("{error}; give the folder that contains crawl.toml")
        }
        opened => Ok(opened?),
    }
}

/// Opens the files of a crawl folder.
pub fn open(folder: &Path) -> anyhow::Result<CrawlView> {
    Ok(collection(folder)?.view().clone())
}

/// Prints warnings, each with its causes.
pub fn warn(warnings: &[Warning]) {
    for warning in warnings {
        let mut text = format!("warning: {warning}");
        let mut source = warning.source();
        while let Some(cause) = source {
            text.push_str(&format!(": {cause}"));
            source = cause.source();
        }
        note(&text);
    }
}

/// The command that resumes a crawl. It works for every crawl because the stored settings are a topic file too.
pub fn resume_command(view: &CrawlView) -> String {
    let quoted = |path: &Path| {
        let text = path.to_string_lossy();
        let is_plain = |c: char| c.is_alphanumeric() || "/._-+:@%".contains(c);
        match !text.is_empty() && text.chars().all(is_plain) {
            true => text.into_owned(),
            false => format!("'{}'", text.replace('\'', r"'\''")),
        }
    };
    let layout = view.layout();
    format!(
        "hound crawl {} -o {}",
        quoted(&layout.settings()),
        quoted(layout.root())
    )
}
