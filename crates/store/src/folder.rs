//! The crawl folder: where everything is, and who may write.
//!
//! A folder with a `crawl.lock` is a crawl folder; that file is created before anything else. One process at a time holds
//! the lock on it, and the system releases it however the process ends. Reading ([`CrawlView`]) needs no lock: all files
//! only grow or are replaced as a whole.
//!
//! Deliberately absent: what the settings and the state mean.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::append::sync_folder;
use crate::archive::Position;
use crate::error::{Context, Error, Result};
use crate::pages::{PagesReader, RecordPlace, RecordsAt};
use crate::warc::{WarcRecord, read_at, read_response};

const LOCK: &str = "crawl.lock";

/// Where everything is in a crawl folder.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Layout {
    root: PathBuf,
}

impl Layout {
    /// The folder itself.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The checked settings.
    pub fn settings(&self) -> PathBuf {
        self.present_settings()
    }

    /// The search engines' answers to the search for seeds.
    pub fn seeds(&self) -> PathBuf {
        self.root.join("seeds.json")
    }

    /// Frontier, strategy state, politeness.
    pub fn state(&self) -> PathBuf {
        self.present("state", Layout::next_state)
    }

    /// WARC files.
    pub fn archive(&self) -> PathBuf {
        self.root.join("archive")
    }

    /// CDXJ indexes of the WARC files.
    pub fn indexes(&self) -> PathBuf {
        self.root.join("indexes")
    }

    /// The page records.
    pub fn pages(&self) -> PathBuf {
        self.root.join("pages").join("pages.jsonl")
    }

    /// The journal.
    pub fn logs(&self) -> PathBuf {
        self.root.join("logs")
    }

    /// Reports for people, written at the end.
    pub fn reports(&self) -> PathBuf {
        self.root.join("reports")
    }

    fn lock(&self) -> PathBuf {
        self.root.join(LOCK)
    }
}

/// A crawl folder locked by this process. Dropping it releases the lock.
#[derive(Debug)]
pub struct CrawlFolder {
    layout: Layout,
    /// Holds the lock for as long as it is open.
    _lock: File,
}

impl CrawlFolder {
    /// Opens the crawl in this folder, or creates a new one if the folder is empty or missing.
    pub fn open_or_create(root: &Path) -> Result<CrawlFolder> {
        match is_crawl(root)? {
            Standing::Crawl => {}
            Standing::Missing | Standing::Empty => {
                fs::create_dir_all(root).context("create", root)?;
                let above = root.parent().filter(|above| !above.as_os_str().is_empty());
                sync_folder(above.unwrap_or(Path::new(".")))?;
            }
            Standing::Other => return Err(Error::NotACrawlFolder(root.to_owned())),
        }
        let layout = Layout {
            root: root.to_owned(),
        };
        let lock = take_lock(&layout)?;
        let folder = CrawlFolder { layout, _lock: lock };
        folder.tidy()?;
        for part in folder.parts() {
            fs::create_dir_all(&part).context("create", &part)?;
        }
        sync_folder(root)?;
        Ok(folder)
    }

    fn parts(&self) -> [PathBuf; 5] {
        let layout = &self.layout;
        let pages = layout.pages();
        let pages = pages.parent().unwrap_or(layout.root()).to_owned();
        [
            layout.state(),
            layout.archive(),
            pages,
            layout.logs(),
            layout.reports(),
        ]
    }

    /// Takes back what creating the folder made, unless a crawl was begun in it or anything else is there.
    pub fn abandon(self) {
        if self.layout.settings().exists() {
            return;
        }
        // A folder that is not empty is not removed.
        for part in self.parts() {
            let _ = fs::remove_dir(part);
        }
        let root = self.layout.root();
        let is_ours = |entry: io::Result<fs::DirEntry>| entry.is_ok_and(|entry| entry.file_name() == LOCK);
        if fs::read_dir(root).is_ok_and(|mut entries| entries.all(is_ours)) {
            let _ = fs::remove_file(self.layout.lock());
            let _ = fs::remove_dir(root);
        }
    }

    /// Opens the crawl in this folder; an error if there is none.
    pub fn open(root: &Path) -> Result<CrawlFolder> {
        CrawlView::open(root)?;
        CrawlFolder::open_or_create(root)
    }

    /// Where everything is.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Bytes available to us on the folder's disk.
    pub fn free_space(&self) -> Result<u64> {
        let root = self.layout.root();
        let disk = rustix::fs::statvfs(root).map_err(std::io::Error::from);
        let disk = disk.context("examine the disk of", root)?;
        Ok(disk.f_bavail.saturating_mul(disk.f_frsize))
    }

    /// Replaces the settings. A reader sees either the old or the new ones, even after a crash.
    pub fn write_settings(&self, text: &str) -> Result<()> {
        replace(&self.layout.settings(), text.as_bytes())
    }
}

/// A crawl folder to read, even while a crawl is running in it.
#[derive(Clone, Debug)]
pub struct CrawlView {
    layout: Layout,
}

impl CrawlView {
    /// Opens the crawl in this folder for reading.
    pub fn open(root: &Path) -> Result<CrawlView> {
        match is_crawl(root)? {
            Standing::Crawl => Ok(CrawlView {
                layout: Layout {
                    root: root.to_owned(),
                },
            }),
            Standing::Missing | Standing::Empty | Standing::Other => Err(Error::NoCrawl(root.to_owned())),
        }
    }

    /// Where everything is.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The settings' text; none if the crawl was stopped before it wrote them.
    pub fn settings(&self) -> Result<Option<String>> {
        let path = self.layout.settings();
        match fs::read_to_string(&path) {
            Ok(text) => Ok(Some(text)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error).context("read", &path),
        }
    }

    /// The page records so far, with the current judgements.
    pub fn pages(&self) -> Result<PagesReader> {
        let reader = PagesReader::open(&self.layout.pages())?;
        match self.layout.generation()? {
            0 => Ok(reader),
            generation => reader.judged_by(&self.layout.judgements(generation)),
        }
    }

    /// The page records after one that was read before.
    pub fn pages_after(&self, last: RecordPlace) -> Result<PagesReader> {
        PagesReader::open_after(&self.layout.pages(), last)
    }

    /// Reads single records again. The generation is that of the reader that found their places.
    pub fn records_at(&self, generation: u32) -> Result<RecordsAt> {
        let judgements = (generation > 0).then(|| self.layout.judgements(generation));
        RecordsAt::open(&self.layout.pages(), judgements.as_deref())
    }

    /// A record of the archive. A revisit comes as the response it stands for: its own head with the body it refers to.
    pub fn record(&self, position: &Position) -> Result<WarcRecord> {
        // The name comes from a file, so it must not be able to lead out of the folder.
        let name = Path::new(&*position.file).file_name().unwrap_or_default();
        let path = self.layout.archive().join(name);
        read_response(&path, read_at(&path, position.offset)?)
    }

    /// The id of the process that uses the folder, if any; 0 if it is unknown.
    pub fn worker(&self) -> Result<Option<u32>> {
        let path = self.layout.lock();
        let file = File::open(&path).context("open", &path)?;
        match file.try_lock_shared() {
            Ok(()) => Ok(None),
            Err(TryLockError::WouldBlock) => Ok(Some(pid_in(&path).unwrap_or(0))),
            Err(TryLockError::Error(error)) => Err(error).context("lock", &path),
        }
    }
}

/// What is at a path.
enum Standing {
    Missing,
    Empty,
    Crawl,
    Other,
}

fn is_crawl(root: &Path) -> Result<Standing> {
    let kind = match fs::metadata(root) {
        Ok(metadata) => metadata.file_type(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Standing::Missing),
        Err(error) => return Err(error).context("examine", root),
    };
    if !kind.is_dir() {
        return Err(Error::NotAFolder(root.to_owned()));
    }
    if root.join(LOCK).is_file() {
        return Ok(Standing::Crawl);
    }
    let mut entries = fs::read_dir(root).context("list", root)?;
    Ok(if entries.next().is_some() {
        Standing::Other
    } else {
        Standing::Empty
    })
}

fn take_lock(layout: &Layout) -> Result<File> {
    let path = layout.lock();
    let mut file = OpenOptions::new()
        .create(true)
        .truncate(false)
        .read(true)
        .write(true)
        .open(&path)
        .context("open", &path)?;
    // A process that only checks whether the folder is in use holds the lock for an instant.
    let mut patience = 5;
    loop {
        match file.try_lock() {
            Ok(()) => break,
            Err(TryLockError::WouldBlock) if patience > 0 => {
                patience -= 1;
                std::thread::sleep(Duration::from_millis(20));
            }
            Err(TryLockError::WouldBlock) => {
                return Err(Error::InUse {
                    path: layout.root.clone(),
                    pid: pid_in(&path),
                });
            }
            Err(TryLockError::Error(error)) => return Err(error).context("lock", &path),
        }
    }
    file.set_len(0).context("write to", &path)?;
    writeln!(file, "{}", std::process::id()).context("write to", &path)?;
    Ok(file)
}

fn pid_in(lock: &Path) -> Option<u32> {
    let mut text = String::new();
    File::open(lock).ok()?.take(32).read_to_string(&mut text).ok()?;
    text.trim().parse().ok()
}

/// Replaces a file atomically: a reader finds the old content or the new, even after a crash.
pub fn replace(path: &Path, bytes: &[u8]) -> Result<()> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".new");
    let fresh = path.with_file_name(name);
    let mut file = File::create(&fresh).context("create", &fresh)?;
    file.write_all(bytes).context("write to", &fresh)?;
    file.sync_all().context("flush", &fresh)?;
    fs::rename(&fresh, path).context("replace", path)?;
    // The parent of a bare file name is the empty path, which cannot be opened.
    match path.parent() {
        Some(parent) if parent.as_os_str().is_empty() => sync_folder(Path::new(".")),
        Some(parent) => sync_folder(parent),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_in_which_nothing_was_begun_is_taken_back_with_nothing_of_others() {
        let temp = tempfile::tempdir().unwrap();
        let root = temp.path().join("crawl");
        CrawlFolder::open_or_create(&root).unwrap().abandon();
        assert!(!root.exists());
        let folder = CrawlFolder::open_or_create(&root).unwrap();
        fs::write(root.join("logs").join("notes"), "mine").unwrap();
        folder.abandon();
        assert!(root.join("logs").join("notes").exists());
        let folder = CrawlFolder::open_or_create(&root).unwrap();
        folder.write_settings("begun").unwrap();
        folder.abandon();
        assert!(CrawlFolder::open(&root).is_ok());
    }

    #[test]
    fn a_new_folder_gets_its_parts_and_is_found_again() {
        let temp = tempfile::tempdir().unwrap();
        let root = temp.path().join("a").join("crawl");
        let folder = CrawlFolder::open_or_create(&root).unwrap();
        for part in ["state", "archive", "pages", "logs", "reports"] {
            assert!(root.join(part).is_dir(), "{part}");
        }
        folder.write_settings("first").unwrap();
        folder.write_settings("second").unwrap();
        assert!(folder.free_space().unwrap() > 0);
        drop(folder);
        CrawlFolder::open(&root).unwrap();
        let view = CrawlView::open(&root).unwrap();
        assert_eq!(view.settings().unwrap().as_deref(), Some("second"));
        assert_eq!(view.pages().unwrap().count(), 0);
        let left: Vec<_> = fs::read_dir(&root)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|name| name.contains("new"))
            .collect();
        assert!(left.is_empty(), "{left:?}");
    }

    #[test]
    fn a_folder_with_something_else_in_it_is_left_alone() {
        let temp = tempfile::tempdir().unwrap();
        fs::write(temp.path().join("thesis.txt"), "mine").unwrap();
        let error = CrawlFolder::open_or_create(temp.path()).unwrap_err();
        assert!(
            error.to_string().contains("neither empty nor a crawl folder"),
            "{error}"
        );
        assert_eq!(fs::read_dir(temp.path()).unwrap().count(), 1);
        assert!(matches!(CrawlFolder::open(temp.path()), Err(Error::NoCrawl(_))));
        let file = temp.path().join("thesis.txt");
        assert!(matches!(
            CrawlFolder::open_or_create(&file),
            Err(Error::NotAFolder(_))
        ));
        assert!(matches!(
            CrawlFolder::open(&temp.path().join("none")),
            Err(Error::NoCrawl(_))
        ));
        assert!(!temp.path().join("none").exists());
    }

    #[test]
    fn a_folder_in_use_is_refused_with_the_process_id_but_can_be_read() {
        let temp = tempfile::tempdir().unwrap();
        let folder = CrawlFolder::open_or_create(temp.path()).unwrap();
        let error = CrawlFolder::open_or_create(temp.path()).unwrap_err().to_string();
        let expected = format!(
            "{} is in use by process {}; wait for it to end, or stop it",
            temp.path().display(),
            std::process::id()
        );
        assert_eq!(error, expected);
        let view = CrawlView::open(temp.path()).unwrap();
        assert_eq!(view.worker().unwrap(), Some(std::process::id()));
        drop(folder);
        assert_eq!(view.worker().unwrap(), None);
        CrawlFolder::open_or_create(temp.path()).unwrap();
    }
}
