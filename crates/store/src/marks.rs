//! `pages/marks.jsonl`: the user's own judgements of pages.
//!
//! The file is small, so it is read and replaced as a whole. Marks may be made while a crawl runs. Processes that mark at
//! the same time take turns with a lock of their own, so that none loses the others' marks.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read};
use std::path::PathBuf;

use scenthound_types::Verdict;
use serde::{Deserialize, Serialize};

use crate::error::{Context, Error, Result};
use crate::folder::{CrawlView, Layout, replace};

/// A longer file is not one of ours.
const MOST_BYTES: u64 = 1 << 30;

/// The user's own judgements, by URL.
pub type Marks = BTreeMap<String, Verdict>;

#[derive(Serialize, Deserialize)]
struct Line {
    url: String,
    mark: Verdict,
}

impl Layout {
    /// The user's own judgements.
    pub fn marks(&self) -> PathBuf {
        self.pages().with_file_name("marks.jsonl")
    }
}

impl CrawlView {
    /// The user's own judgements.
    pub fn marks(&self) -> Result<Marks> {
        let path = self.layout().marks();
        let mut text = String::new();
        match File::open(&path) {
            Ok(file) => file
                .take(MOST_BYTES)
                .read_to_string(&mut text)
                .context("read", &path)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Marks::new()),
            Err(error) => return Err(error).context("open", &path),
        };
        let mut marks = Marks::new();
        for (number, line) in (1..).zip(text.lines()) {
            let Line { url, mark } = serde_json::from_str(line).map_err(|source| Error::BadLine {
                path: path.clone(),
                line: number,
                source,
            })?;
            marks.insert(url, mark);
        }
        Ok(marks)
    }

    /// Changes the user's own judgements. A reader sees either the old or the new ones, even after a crash.
    pub fn change_marks(&self, change: impl FnOnce(&mut Marks)) -> Result<Marks> {
        let path = self.layout().marks();
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).context("create", folder)?;
        }
        let lock_path = path.with_extension("lock");
        let lock = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(&lock_path)
            .context("open", &lock_path)?;
        lock.lock().context("lock", &lock_path)?;
        let mut marks = self.marks()?;
        change(&mut marks);
        let mut text = Vec::new();
        for (url, mark) in &marks {
            let line = Line {
                url: url.clone(),
                mark: *mark,
            };
            serde_json::to_writer(&mut text, &line).map_err(|source| Error::Unwritable {
                url: url.clone(),
                source,
            })?;
            text.push(b'\n');
        }
        replace(&path, &text)?;
        Ok(marks)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CrawlFolder;

    #[test]
    fn marks_are_kept_changed_and_cleared_while_a_crawl_runs() {
        let temp = tempfile::tempdir().unwrap();
        let _running = CrawlFolder::open_or_create(temp.path()).unwrap();
        let view = CrawlView::open(temp.path()).unwrap();
        assert!(view.marks().unwrap().is_empty());
        let url = |n: u32| format!("http://a.test/{n}");
        view.change_marks(|marks| marks.extend([(url(2), Verdict::Relevant), (url(1), Verdict::Irrelevant)]))
            .unwrap();
        view.change_marks(|marks| {
            marks.remove(&url(2));
            marks.insert(url(1), Verdict::Relevant);
        })
        .unwrap();
        assert_eq!(view.marks().unwrap(), Marks::from([(url(1), Verdict::Relevant)]));
        std::fs::write(
            view.layout().marks(),
            "{\"url\":\"http://a.test/\",\"mark\":\"fine\"}\n",
        )
        .unwrap();
        let error = view.marks().unwrap_err().to_string();
        assert!(error.contains("marks.jsonl:1"), "{error}");
    }

    #[test]
    fn marks_made_at_the_same_time_are_all_kept() {
        let temp = tempfile::tempdir().unwrap();
        drop(CrawlFolder::open_or_create(temp.path()).unwrap());
        let view = CrawlView::open(temp.path()).unwrap();
        std::thread::scope(|scope| {
            for n in 0..8 {
                let view = &view;
                scope.spawn(move || {
                    for page in 0..5 {
                        let url = format!("http://a.test/{n}/{page}");
                        view.change_marks(|marks| marks.extend([(url, Verdict::Relevant)]))
                            .unwrap();
                    }
                });
            }
        });
        assert_eq!(view.marks().unwrap().len(), 40);
    }
}
