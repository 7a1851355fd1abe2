//! The folders of several nodes as one crawl folder, for everything that reads one.
//!
//! Archives are linked, not copied, where the file system allows it. Page records are merged by the time of their requests; what they
//! say stays as it is, except for the names of the archive files. A page that two nodes settled, because one of them died before it
//! could commit, is in the result once: as it was fetched last.
//!
//! **Invariant:** nothing in the nodes' folders is changed, and a folder that holds pages is not added to.
//!
//! Deliberately absent: the frontier. What waits is in Redis.

use std::collections::HashMap;
use std::fs;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

use scenthound_store::{CrawlFolder, CrawlView};
use serde_json::Value;
use thiserror::Error;

/// Why folders could not be gathered.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum GatherError {
    /// There are no folders.
    #[error("there is nothing to gather: no folder of a node was given")]
    Nothing,
    /// The folder already holds pages.
    #[error("{} already holds pages; choose a new folder", .0.display())]
    NotEmpty(PathBuf),
    /// A folder is not a crawl's.
    #[error(transparent)]
    Store(#[from] scenthound_store::Error),
    /// A file could not be read or written.
    #[error("could not use {}", path.display())]
    Files {
        /// Which.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// A line of the page records makes no sense.
    #[error("line {line} of {} is not a page record", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: u64,
    },
}

/// What was gathered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Gathered {
    /// Page records written.
    pub records: u64,
    /// Records left out because another node fetched the page again.
    pub repeated: u64,
    /// Archive files.
    pub archives: u64,
}

/// One node's records, read in order.
struct Records {
    path: PathBuf,
    /// What the names of its archive files begin with in the result.
    prefix: String,
    lines: std::io::Lines<BufReader<fs::File>>,
    number: u64,
    next: Option<Value>,
}

impl Records {
    fn open(path: PathBuf, prefix: String) -> Result<Records, GatherError> {
        let file = fs::File::open(&path).map_err(fault(&path))?;
        let mut records = Records {
            lines: BufReader::new(file).lines(),
            path,
            prefix,
            number: 0,
            next: None,
        };
        records.advance()?;
        Ok(records)
    }

    fn advance(&mut self) -> Result<(), GatherError> {
        self.number += 1;
        self.next = match self.lines.next() {
            None => None,
            Some(line) => {
                let line = line.map_err(fault(&self.path))?;
                let record = serde_json::from_str(&line).map_err(|_| GatherError::Line {
                    path: self.path.clone(),
                    line: self.number,
                })?;
                Some(record)
            }
        };
        Ok(())
    }

    fn time(&self) -> Option<&str> {
        self.next.as_ref().map(|record| text(record, "fetched_at"))
    }
}

fn fault(path: &Path) -> impl FnOnce(std::io::Error) -> GatherError {
    let path = path.to_owned();
    move |source| GatherError::Files { path, source }
}

fn text<'a>(record: &'a Value, name: &str) -> &'a str {
    record.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// The page that a record settles, if it does. Later settlings of it replace earlier ones.
fn settles(record: &Value) -> Option<&str> {
    let is_set = |name: &str| record.get(name).and_then(Value::as_bool).unwrap_or_default();
    let is_final = text(record, "kind") == "page" && !is_set("will_retry") && !is_set("revisit");
    is_final.then(|| text(record, "url"))
}

/// Makes one crawl folder of the folders of several nodes.
pub fn gather(nodes: &[PathBuf], into: &Path) -> Result<Gathered, GatherError> {
    let mut views = Vec::new();
    for node in nodes {
        views.push(CrawlView::open(node)?);
    }
    let Some(first) = views.first() else {
        return Err(GatherError::Nothing);
    };
    if CrawlView::open(into)
        .is_ok_and(|view| fs::metadata(view.layout().pages()).is_ok_and(|pages| pages.len() > 0))
    {
        return Err(GatherError::NotEmpty(into.to_owned()));
    }
    let folder = CrawlFolder::open_or_create(into)?;
    if let Some(settings) = first.settings()? {
        folder.write_settings(&settings)?;
    }
    link_all(&first.layout().root().join("models"), &into.join("models"), "")?;
    let mut gathered = Gathered::default();
    let mut last: HashMap<String, (usize, u64)> = HashMap::new();
    let open_all = || -> Result<Vec<Records>, GatherError> {
        let named = views
            .iter()
            .zip(nodes)
            .filter(|(view, _)| view.layout().pages().exists());
        named
            .map(|(view, node)| Records::open(view.layout().pages(), prefix_of(node)))
            .collect()
    };
    for (view, node) in views.iter().zip(nodes) {
        let archives = (view.layout().archive(), folder.layout().archive());
        gathered.archives += link_all(&archives.0, &archives.1, &prefix_of(node))?;
    }
    // Twice over the records: first to learn which one settles each page for good.
    let mut records = open_all()?;
    while let Some(at) = earliest(&records) {
        let Some(reader) = records.get_mut(at) else { break };
        if let Some(url) = reader.next.as_ref().and_then(settles) {
            last.insert(url.to_owned(), (at, reader.number));
        }
        reader.advance()?;
    }
    let pages = folder.layout().pages();
    if let Some(above) = pages.parent() {
        fs::create_dir_all(above).map_err(fault(above))?;
    }
    let mut out = BufWriter::new(fs::File::create(&pages).map_err(fault(&pages))?);
    let mut records = open_all()?;
    while let Some(at) = earliest(&records) {
        let Some(reader) = records.get_mut(at) else { break };
        let place = (at, reader.number);
        if let Some(mut record) = reader.next.take() {
            let is_last = settles(&record).is_none_or(|url| last.get(url) == Some(&place));
            if is_last {
                let named = record.pointer_mut("/archive/file");
                if let Some(Value::String(name)) = named {
                    name.insert_str(0, &reader.prefix);
                }
                writeln!(out, "{record}").map_err(fault(&pages))?;
                gathered.records += 1;
            } else {
                gathered.repeated += 1;
            }
        }
        reader.advance()?;
    }
    out.flush().map_err(fault(&pages))?;
    scenthound_store::bring_indexes_up_to_date(folder.layout())?;
    Ok(gathered)
}

/// The reader whose next record is the earliest.
fn earliest(records: &[Records]) -> Option<usize> {
    let waiting = records
        .iter()
        .enumerate()
        .filter(|(_, reader)| reader.next.is_some());
    waiting
        .min_by(|(_, a), (_, b)| a.time().cmp(&b.time()))
        .map(|(at, _)| at)
}

fn prefix_of(node: &Path) -> String {
    let node = node.canonicalize().unwrap_or_else(|_| node.to_owned());
    let name = node.file_name().unwrap_or_default().to_string_lossy();
    format!("{name}-")
}

/// Links the files of one folder into another, under names that begin with a prefix. Returns how many.
fn link_all(from: &Path, to: &Path, prefix: &str) -> Result<u64, GatherError> {
    let Ok(files) = fs::read_dir(from) else {
        return Ok(0);
    };
    fs::create_dir_all(to).map_err(fault(to))?;
    let mut linked = 0;
    for file in files {
        let file = file.map_err(fault(from))?;
        let name = file.file_name().to_string_lossy().into_owned();
        // What was cut from an archive is set aside beside it.
        if !file.path().is_file() || name.contains("cut-at") {
            continue;
        }
        let copy = to.join(format!("{prefix}{name}"));
        if fs::hard_link(file.path(), &copy).is_err() {
            fs::copy(file.path(), &copy).map_err(fault(&copy))?;
        }
        linked += 1;
    }
    Ok(linked)
}
