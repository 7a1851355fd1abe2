//! Which judgements of a crawl's pages are current, and the switch from one set to the next.
//!
//! Pages are judged when they are fetched: that is generation 0, found in the page records themselves. Judging them again
//! with another topic writes `pages/judgements-N.jsonl`, a new state in `state-N` and settings in `crawl-N.toml`, all beside
//! what is in use. Then one small file, `pages/current.json`, is replaced: that is the switch. What follows (`state-N`
//! replaces `state`, `crawl-N.toml` replaces `crawl.toml`) only tidies up. If it is cut short, whoever opens the folder next
//! finishes it, and until then [`Layout`] looks in the right place.
//!
//! **Invariant:** at every moment the whole folder belongs to one generation, whichever write was the last.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::append::{sync_folder, unused_name};
use crate::error::{Context, Error, Result};
use crate::folder::{CrawlFolder, Layout, replace};

/// What `pages/current.json` holds.
#[derive(Serialize, Deserialize)]
struct Pointer {
    /// The number of the current judgements.
    judgements: u32,
}

impl Layout {
    /// The number of the current judgements; 0 for those in the page records.
    pub fn generation(&self) -> Result<u32> {
        let path = self.pointer();
        let text = match fs::read(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(0),
            Err(error) => return Err(error).context("read", &path),
        };
        let pointer: Pointer =
            serde_json::from_slice(&text).map_err(|source| Error::BadPointer { path, source })?;
        Ok(pointer.judgements)
    }

    /// The judgements of a generation above 0.
    pub fn judgements(&self, generation: u32) -> PathBuf {
        self.pages()
            .with_file_name(format!("judgements-{generation}.jsonl"))
    }

    /// Where the state of a generation is built before the switch.
    pub fn next_state(&self, generation: u32) -> PathBuf {
        self.root().join(format!("state-{generation}"))
    }

    fn next_settings(&self, generation: u32) -> PathBuf {
        self.root().join(format!("crawl-{generation}.toml"))
    }

    fn pointer(&self) -> PathBuf {
        self.pages().with_file_name("current.json")
    }

    /// Where something is: where it was built if the switch has not been tidied up yet, in its usual place otherwise.
    pub(crate) fn present(&self, usual: &str, built: fn(&Layout, u32) -> PathBuf) -> PathBuf {
        // Whoever reads judgements reports a pointer that cannot be read; until then nothing has moved.
        let generation = self.generation().unwrap_or(0);
        let fresh = built(self, generation);
        if generation > 0 && fresh.exists() {
            fresh
        } else {
            self.root().join(usual)
        }
    }

    pub(crate) fn present_settings(&self) -> PathBuf {
        self.present("crawl.toml", Layout::next_settings)
    }
}

impl CrawlFolder {
    /// Makes everything prepared for a generation current, with these settings.
    pub fn switch(&self, generation: u32, settings: &str) -> Result<()> {
        let layout = self.layout();
        replace(&layout.next_settings(generation), settings.as_bytes())?;
        sync_folder(layout.root())?;
        let pointer = format!("{{\"judgements\":{generation}}}\n");
        replace(&layout.pointer(), pointer.as_bytes())?;
        self.tidy()
    }

    /// Moves the state aside, so that a switch does not delete it. Returns where it is now; none if there was none.
    pub fn set_state_aside(&self) -> Result<Option<PathBuf>> {
        let state = self.layout().state();
        if !state.exists() {
            return Ok(None);
        }
        let aside = unused_name(&self.layout().root().join("state"), "damaged");
        fs::rename(&state, &aside).context("set aside", &state)?;
        Ok(Some(aside))
    }

    /// Deletes what was prepared for later generations, and finishes a switch that was cut short.
    pub fn tidy(&self) -> Result<()> {
        let layout = self.layout();
        let present = layout.generation()?;
        let pages = layout.pages();
        let pages = pages.parent().unwrap_or(layout.root());
        for folder in [layout.root(), pages] {
            for path in list(folder)? {
                let name = path
                    .file_name()
                    .and_then(|name| name.to_str())
                    .unwrap_or_default();
                if numbered(name).is_some_and(|number| number > present) {
                    remove(&path)?;
                }
            }
        }
        if present == 0 {
            return Ok(());
        }
        let (made, usual) = (layout.next_state(present), layout.root().join("state"));
        if made.exists() {
            // The old state goes first. If the process is killed in between, the new one is still where it was built.
            remove(&usual)?;
            fs::rename(&made, &usual).context("replace", &usual)?;
        }
        let (made, usual) = (layout.next_settings(present), layout.root().join("crawl.toml"));
        if made.exists() {
            fs::rename(&made, &usual).context("replace", &usual)?;
        }
        sync_folder(layout.root())
    }
}

fn list(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.context("list", folder)?,
    };
    entries
        .map(|entry| Ok(entry.context("list", folder)?.path()))
        .collect()
}

/// The generation in a file name made by [`Layout`].
fn numbered(name: &str) -> Option<u32> {
    let kinds = [
        ("state-", ""),
        ("state-", ".unfinished"),
        ("crawl-", ".toml"),
        ("crawl-", ".toml.new"),
        ("judgements-", ".jsonl"),
    ];
    kinds.iter().find_map(|(start, end)| {
        let number = name.strip_prefix(start)?.strip_suffix(end)?;
        (!number.starts_with('+')).then(|| number.parse().ok()).flatten()
    })
}

fn remove(path: &Path) -> Result<()> {
    let gone = match fs::symlink_metadata(path) {
        Ok(metadata) if metadata.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
        Err(error) => Err(error),
    };
    match gone {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        gone => gone.context("delete", path),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CrawlView;

    fn prepared(root: &Path) -> CrawlFolder {
        let folder = CrawlFolder::open_or_create(root).unwrap();
        folder.write_settings("old").unwrap();
        fs::write(root.join("state/a"), "old").unwrap();
        fs::create_dir(folder.layout().next_state(1)).unwrap();
        fs::write(folder.layout().next_state(1).join("a"), "new").unwrap();
        fs::write(folder.layout().judgements(1), "").unwrap();
        folder
    }

    fn seen(root: &Path) -> (u32, String, String) {
        let view = CrawlView::open(root).unwrap();
        let state = fs::read_to_string(view.layout().state().join("a")).unwrap();
        (
            view.layout().generation().unwrap(),
            view.settings().unwrap().unwrap(),
            state,
        )
    }

    #[test]
    fn a_switch_changes_settings_and_state_together_and_leaves_nothing_behind() {
        let temp = tempfile::tempdir().unwrap();
        let folder = prepared(temp.path());
        folder.switch(1, "new").unwrap();
        assert_eq!(seen(temp.path()), (1, "new".to_owned(), "new".to_owned()));
        assert!(temp.path().join("state/a").exists() && !folder.layout().next_state(1).exists());
        assert!(!temp.path().join("crawl-1.toml").exists());
        folder.write_settings("newer").unwrap();
        drop(folder);
        drop(CrawlFolder::open(temp.path()).unwrap());
        assert_eq!(seen(temp.path()), (1, "newer".to_owned(), "new".to_owned()));
    }

    #[test]
    fn what_was_prepared_and_not_switched_to_is_deleted_on_opening() {
        let temp = tempfile::tempdir().unwrap();
        let folder = prepared(temp.path());
        fs::write(temp.path().join("crawl-1.toml"), "new").unwrap();
        fs::write(temp.path().join("crawl-notes.toml"), "the user's").unwrap();
        drop(folder);
        assert_eq!(seen(temp.path()), (0, "old".to_owned(), "old".to_owned()));
        let folder = CrawlFolder::open(temp.path()).unwrap();
        assert_eq!(seen(temp.path()), (0, "old".to_owned(), "old".to_owned()));
        assert!(!folder.layout().next_state(1).exists() && !folder.layout().judgements(1).exists());
        assert!(!temp.path().join("crawl-1.toml").exists());
        assert!(temp.path().join("crawl-notes.toml").exists());
    }

    /// The steps after the switch are cut short after each of them. Readers see the new generation throughout, and whoever
    /// opens the folder next finishes the switch.
    #[test]
    fn a_switch_cut_short_looks_complete_and_is_finished_on_opening() {
        for steps in 0..4 {
            let temp = tempfile::tempdir().unwrap();
            let folder = prepared(temp.path());
            fs::write(temp.path().join("crawl-1.toml"), "new").unwrap();
            fs::write(temp.path().join("pages/current.json"), "{\"judgements\":1}").unwrap();
            if steps > 0 {
                fs::remove_file(temp.path().join("state/a")).unwrap();
            }
            if steps > 1 {
                fs::remove_dir(temp.path().join("state")).unwrap();
            }
            if steps > 2 {
                fs::rename(temp.path().join("state-1"), temp.path().join("state")).unwrap();
            }
            drop(folder);
            assert_eq!(
                seen(temp.path()),
                (1, "new".to_owned(), "new".to_owned()),
                "{steps}"
            );
            drop(CrawlFolder::open(temp.path()).unwrap());
            assert_eq!(
                seen(temp.path()),
                (1, "new".to_owned(), "new".to_owned()),
                "{steps}"
            );
            assert!(!temp.path().join("state-1").exists() && !temp.path().join("crawl-1.toml").exists());
        }
    }

    #[test]
    fn a_bad_pointer_is_reported() {
        let temp = tempfile::tempdir().unwrap();
        drop(prepared(temp.path()));
        fs::write(temp.path().join("pages/current.json"), "1").unwrap();
        let error = CrawlFolder::open(temp.path()).unwrap_err().to_string();
        assert!(error.contains("current.json does not say"), "{error}");
    }
}
