//! The thread that copies.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use object_store::{ObjectStoreExt, PutPayload, WriteMultipart};

use crate::list::{List, Version};
use crate::{Destination, UploadError};

/// How often the folder is looked at, and how rarely at most after faults.
const PAUSE: Duration = Duration::from_secs(2);
const LONGEST_PAUSE: Duration = Duration::from_secs(120);
/// How often what is left is tried at the end.
const LAST_TRIES: u32 = 2;
/// After this many files in a row that cannot be stored, the others are left for later: the storage is down.
const PATIENCE: u32 = 2;
/// Files are sent in parts of this size, this many of them at a time. Smaller files are one request.
const PART: usize = 8 << 20;
const AT_ONCE: usize = 2;

/// A file that is not stored, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missing {
    /// Its path in the crawl folder.
    pub file: String,
    /// What went wrong.
    pub why: String,
}

/// What was copied.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UploadReport {
    /// Files copied in this run.
    pub files: u64,
    /// Their bytes.
    pub bytes: u64,
    /// What is not stored. The next run tries again.
    pub missing: Vec<Missing>,
}

/// Archives being copied. Dropping it leaves what is not stored for the next run.
#[derive(Debug)]
pub struct Uploading {
    end: Sender<End>,
    thread: JoinHandle<UploadReport>,
}

/// How a crawl ended.
enum End {
    /// Everything that is left is to be copied.
    Finished,
    /// Somebody interrupted it and does not want to wait.
    Interrupted,
}

impl Uploading {
    /// Begins to copy the archives of a crawl folder.
    pub fn start(folder: &Path, destination: Destination) -> Result<Uploading, UploadError> {
        let (end, ended) = channel();
        let root = folder.to_owned();
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(UploadError::Thread)?;
        let thread = std::thread::Builder::new()
            .name("upload".to_owned())
            .spawn(move || follow(&root, &destination, &runtime, &ended))
            .map_err(UploadError::Thread)?;
        Ok(Uploading { end, thread })
    }

    /// Copies the rest, closed or not, and ends.
    pub fn finish(self) -> UploadReport {
        self.end(End::Finished)
    }

    /// Ends after the file that is being copied. The others are missing in the report.
    pub fn interrupt(self) -> UploadReport {
        self.end(End::Interrupted)
    }

    fn end(self, how: End) -> UploadReport {
        // If the thread has ended before, its result says why.
        let _ = self.end.send(how);
        match self.thread.join() {
            Ok(report) => report,
            Err(panic) => std::panic::resume_unwind(panic),
        }
    }
}

fn follow(
    root: &Path,
    destination: &Destination,
    runtime: &tokio::runtime::Runtime,
    ended: &Receiver<End>,
) -> UploadReport {
    let mut report = UploadReport::default();
    let mut pause = PAUSE;
    loop {
        let end = match ended.recv_timeout(pause) {
            Err(RecvTimeoutError::Timeout) => None,
            // The crawl failed before it could end: what is left is copied by the next run.
            Err(RecvTimeoutError::Disconnected) => return report,
            Ok(end) => Some(end),
        };
        let tries = match end {
            None => 1,
            Some(End::Finished) => LAST_TRIES,
            Some(End::Interrupted) => 0,
        };
        let which = if end.is_some() { Which::All } else { Which::Closed };
        let mut look = Look {
            root,
            destination,
            runtime,
            report: &mut report,
        };
        look.list_missing(which);
        for attempt in 0..tries {
            if attempt > 0 {
                std::thread::sleep(PAUSE);
            }
            look.copy(which);
            if look.report.missing.is_empty() {
                break;
            }
        }
        if end.is_some() {
            return report;
        }
        // Only what is wrong at the end is worth telling.
        pause = match report.missing.is_empty() {
            true => PAUSE,
            false => (pause * 2).min(LONGEST_PAUSE),
        };
    }
}

/// Which files are copied.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Which {
    /// Those that are complete.
    Closed,
    /// The one that the crawl ended in, too.
    All,
}

/// A file to be copied.
struct Wanted {
    folder: &'static str,
    name: String,
    path: PathBuf,
}

impl Wanted {
    fn file(&self) -> String {
        format!("{}/{}", self.folder, self.name)
    }
}

struct Look<'l> {
    root: &'l Path,
    destination: &'l Destination,
    runtime: &'l tokio::runtime::Runtime,
    report: &'l mut UploadReport,
}

impl Look<'_> {
    /// Everything that is not stored is missing until it is copied.
    fn list_missing(&mut self, which: Which) {
        self.visit(which, false);
    }

    fn copy(&mut self, which: Which) {
        self.visit(which, true);
    }

    fn visit(&mut self, which: Which, copies: bool) {
        self.report.missing.clear();
        let list = List::open(self.root, self.destination.address());
        let (mut list, wanted) = match list.and_then(|list| Ok((list, wanted(self.root, which)?))) {
            Ok(both) => both,
            Err(error) => return self.miss("archive", &error),
        };
        let mut failures = 0;
        for wanted in wanted {
            let version = match Version::of(&wanted.path) {
                Ok(version) => version,
                // An index that is not written yet is copied later.
                Err(error) if error.kind() == io::ErrorKind::NotFound && which == Which::Closed => continue,
                Err(error) => {
                    self.miss(&wanted.file(), &error);
                    continue;
                }
            };
            if list.has(&wanted.file(), &version) {
                continue;
            }
            if !copies || failures >= PATIENCE {
                self.miss(&wanted.file(), &"not tried");
                continue;
            }
            let copied = self
                .runtime
                .block_on(store(self.destination, &wanted, version.bytes))
                .and_then(|()| {
                    self.destination
                        .remove_unfinished(wanted.folder, &wanted.name)
                        .map_err(unreadable)
                })
                .and_then(|()| list.add(&wanted.file(), version.clone()).map_err(unreadable));
            match copied {
                Ok(()) => {
                    failures = 0;
                    self.report.files += 1;
                    self.report.bytes += version.bytes;
                }
                Err(error) => {
                    failures += 1;
                    self.miss(&wanted.file(), &error);
                }
            }
        }
    }

    fn miss(&mut self, file: &str, why: &dyn std::fmt::Display) {
        self.report.missing.push(Missing {
            file: file.to_owned(),
            why: why.to_string(),
        });
    }
}

/// How the names of archives end.
const ENDINGS: [&str; 2] = [".warc.gz", ".warc.zst"];

/// The name of an archive without its ending.
fn stem_of(name: &str) -> Option<&str> {
    ENDINGS.iter().find_map(|ending| name.strip_suffix(ending))
}

/// The archives and their indexes. Of each name, such as NAME in `NAME-00000.warc.gz`, the last file is still growing.
fn wanted(root: &Path, which: Which) -> io::Result<Vec<Wanted>> {
    let archive = root.join("archive");
    let entries = match std::fs::read_dir(&archive) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut by_name: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for entry in entries {
        let name = entry?.file_name();
        let Some(name) = name.to_str() else { continue };
        if let Some((series, number)) = stem_of(name).and_then(|stem| stem.rsplit_once('-'))
            && number.bytes().all(|byte| byte.is_ascii_digit())
        {
            by_name
                .entry(series.to_owned())
                .or_default()
                .push(name.to_owned());
        }
    }
    let mut all = Vec::new();
    for (_, mut names) in by_name {
        names.sort_unstable_by_key(|name| (name.len(), name.clone()));
        if which == Which::Closed {
            names.pop();
        }
        for name in names {
            let index = format!("{}.cdxj", stem_of(&name).unwrap_or(&name));
            for (folder, name) in [("archive", name), ("indexes", index)] {
                let path = root.join(folder).join(&name);
                all.push(Wanted { folder, name, path });
            }
        }
    }
    Ok(all)
}

fn unreadable(error: io::Error) -> object_store::Error {
    object_store::Error::Generic {
        store: "crawl folder",
        source: error.into(),
    }
}

/// Stores a file.
async fn store(destination: &Destination, wanted: &Wanted, bytes: u64) -> Result<(), object_store::Error> {
    let object = destination.object(wanted.folder, &wanted.name);
    let mut file = File::open(&wanted.path).map_err(unreadable)?;
    let mut part = Vec::new();
    let mut next = |file: &mut File| -> Result<Vec<u8>, object_store::Error> {
        part.clear();
        file.take(PART as u64)
            .read_to_end(&mut part)
            .map_err(unreadable)?;
        Ok(part.clone())
    };
    if bytes <= PART as u64 {
        let whole = next(&mut file)?;
        destination.store.put(&object, PutPayload::from(whole)).await?;
        return Ok(());
    }
    let mut upload =
        WriteMultipart::new_with_chunk_size(destination.store.put_multipart(&object).await?, PART);
    loop {
        let part = match next(&mut file) {
            Ok(part) if part.is_empty() => break,
            Ok(part) => part,
            Err(error) => {
                // What was sent costs money until it is dropped.
                let _ = upload.abort().await;
                return Err(error);
            }
        };
        if let Err(error) = upload.wait_for_capacity(AT_ONCE).await {
            let _ = upload.abort().await;
            return Err(error);
        }
        upload.put(part.into());
    }
    upload.finish().await.map(|_| ())
}
