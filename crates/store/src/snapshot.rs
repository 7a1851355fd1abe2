//! Copies a crawl folder, even while a crawl is running in it, so that the copy opens without loss.
//!
//! The state is copied first and the records after it. Records only grow and are written before the state that refers to them,
//! so those of the copy reach at least as far as its state says, and opening it cuts off the rest, as after a kill. The files of
//! the state belong together: if one of them appears, goes or is replaced meanwhile, the state is copied again. Its journal may
//! grow: what is read of it ends in the middle of a commit at worst, and such a commit is dropped.
//!
//! Deliberately absent: opening the copy to see whether it is complete. Callers that know what a state is do that.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::append::sync_folder;
use crate::error::{Context, Error, Result};
use crate::folder::CrawlView;

/// How often the state is copied again before we give up.
const TRIES: u32 = 50;
/// The pause between two tries.
const PAUSE: Duration = Duration::from_millis(100);
/// Beside the state: made anew, or of no use in a copy.
const LEFT_OUT: [&str; 2] = ["crawl.lock", "search"];
/// The mark that the state must have reached. It comes first, so that the state has come at least as far.
const COMMITTED: &str = "COMMITTED";

/// A copy of a crawl folder.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Snapshot {
    /// Files copied.
    pub files: u64,
    /// Bytes copied.
    pub bytes: u64,
}

/// What tells whether a file is still the same.
#[derive(PartialEq)]
struct Seen {
    length: u64,
    modified: Option<SystemTime>,
}

impl CrawlView {
    /// Copies the folder. `is_sound` is asked whether the state that was copied can be used; if not, it is copied again.
    pub fn snapshot(&self, to: &Path, is_sound: &dyn Fn(&Path) -> bool) -> Result<Snapshot> {
        if fs::read_dir(to).is_ok_and(|mut entries| entries.next().is_some()) || to.is_file() {
            return Err(Error::NotEmpty(to.to_owned()));
        }
        let root = self.layout().root();
        let inside = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let parent = to.parent().filter(|parent| !parent.as_os_str().is_empty());
        if inside(parent.unwrap_or(Path::new("."))).starts_with(inside(root)) {
            return Err(Error::InsideCrawl(to.to_owned()));
        }
        fs::create_dir_all(to).context("create", to)?;
        let mut done = Snapshot::default();
        let state = self.copy_state(to, is_sound, &mut done)?;
        for path in list(root)? {
            let name = path.file_name().unwrap_or_default();
            let is_state = path == state || name.to_str().is_some_and(|name| name.starts_with("state"));
            if !is_state && !LEFT_OUT.iter().any(|left_out| name == *left_out) {
                copy(&path, &to.join(name), &mut done)?;
            }
        }
        // This makes it a crawl folder.
        let lock = to.join("crawl.lock");
        File::create(&lock).context("create", &lock)?;
        sync_folder(to)?;
        Ok(done)
    }

    fn copy_state(
        &self,
        to: &Path,
        is_sound: &dyn Fn(&Path) -> bool,
        done: &mut Snapshot,
    ) -> Result<PathBuf> {
        let layout = self.layout();
        for _ in 0..TRIES {
            let (generation, state) = (layout.generation()?, layout.state());
            let copied = to.join("state");
            let before = seen(&state)?;
            let mut tried = Snapshot::default();
            let is_copied =
                match copy_committed(&state, &copied).and_then(|()| copy(&state, &copied, &mut tried)) {
                    Ok(()) => true,
                    // A file that was there a moment ago.
                    Err(Error::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => false,
                    Err(error) => return Err(error),
                };
            let is_same = is_copied && before == seen(&state)? && generation == layout.generation()?;
            if is_same && (before.is_empty() || is_sound(&copied)) {
                done.files += tried.files;
                done.bytes += tried.bytes;
                return Ok(state);
            }
            fs::remove_dir_all(&copied).context("delete", &copied)?;
            std::thread::sleep(PAUSE);
        }
        Err(Error::Restless(layout.root().to_owned()))
    }
}

/// The files of a state that must not change while they are copied. A journal may grow, and the mark is replaced all the time.
fn seen(state: &Path) -> Result<BTreeMap<PathBuf, Option<Seen>>> {
    let mut all = BTreeMap::new();
    let mut folders = vec![state.to_owned()];
    while let Some(folder) = folders.pop() {
        for path in list(&folder)? {
            let Ok(metadata) = fs::metadata(&path) else {
                continue;
            };
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            if metadata.is_dir() {
                folders.push(path);
            } else if name.ends_with(".jnl") {
                all.insert(path, None);
            } else if !name.starts_with(COMMITTED) {
                let length = metadata.len();
                let modified = metadata.modified().ok();
                all.insert(path, Some(Seen { length, modified }));
            }
        }
    }
    Ok(all)
}

fn copy_committed(state: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to).context("create", to)?;
    match fs::read(state.join(COMMITTED)) {
        Ok(bytes) => {
            let path = to.join(COMMITTED);
            fs::write(&path, bytes).context("write to", &path)
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error).context("read", state),
    }
}

/// Copies a file or a folder, and makes it durable. What was copied before stays.
fn copy(from: &Path, to: &Path, done: &mut Snapshot) -> Result<()> {
    if from.is_dir() {
        fs::create_dir_all(to).context("create", to)?;
        for path in list(from)? {
            let name = path.file_name().unwrap_or_default();
            let is_transient = name.to_string_lossy().ends_with(".new");
            if !is_transient && (name != COMMITTED || !to.join(COMMITTED).exists()) {
                copy(&path, &to.join(name), done)?;
            }
        }
        return sync_folder(to);
    }
    let mut source = File::open(from).context("open", from)?;
    let mut target = File::create(to).context("create", to)?;
    done.bytes += io::copy(&mut source, &mut target).context("write to", to)?;
    done.files += 1;
    target.sync_all().context("flush", to)
}

fn list(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.context("list", folder)?,
    };
    let paths = entries.map(|entry| Ok(entry.context("list", folder)?.path()));
    let mut paths: Vec<PathBuf> = paths.collect::<Result<_>>()?;
    paths.sort();
    Ok(paths)
}
