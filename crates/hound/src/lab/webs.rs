//! Webs for commands outside the lab, and where parsed webs are cached.

use std::path::PathBuf;

use anyhow::Result;
use indicatif::{ProgressBar, ProgressStyle};
use scenthound_lab::recorded::{RecordedWeb, WebFolder};

use super::console::with_lab;

/// Where parsed webs and trained judges are cached: `SCENTHOUND_CACHE`, or the user's cache folder.
pub fn cache_folder() -> Option<PathBuf> {
    let from = |name: &str| {
        std::env::var_os(name)
            .filter(|value| !value.is_empty())
            .map(PathBuf::from)
    };
    from("SCENTHOUND_CACHE")
        .or_else(|| Some(from("XDG_CACHE_HOME")?.join("scenthound")))
        .or_else(|| Some(from("HOME")?.join(".cache").join("scenthound")))
}

/// A spinner on stderr, hidden when stderr is not a terminal.
pub fn spinner(message: &str) -> ProgressBar {
    let bar = ProgressBar::new_spinner();
    if let Ok(style) = ProgressStyle::with_template("{spinner} {msg}") {
        bar.set_style(style);
    }
    bar.set_message(message.to_owned());
    bar
}

/// Reads a recorded web, from the cache if possible, and prints warnings about the archive.
pub fn load(folder: &WebFolder) -> Result<RecordedWeb> {
    with_lab(None, |lab| Ok(lab.load(folder)?))
}
