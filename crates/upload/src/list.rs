//! Which files are stored: a line per copy in `uploads.jsonl`.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use serde::{Deserialize, Serialize};

/// The name of the list in the crawl folder.
const LIST: &str = "uploads.jsonl";

/// A file as it was when it was copied.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Version {
    pub bytes: u64,
    /// When it was last changed, in milliseconds: a file may be cut and grow to the same length again.
    pub changed: u64,
}

impl Version {
    pub fn of(path: &Path) -> io::Result<Version> {
        let facts = std::fs::metadata(path)?;
        let changed = facts.modified()?.duration_since(UNIX_EPOCH).unwrap_or_default();
        Ok(Version {
            bytes: facts.len(),
            changed: u64::try_from(changed.as_millis()).unwrap_or(u64::MAX),
        })
    }
}

#[derive(Serialize, Deserialize)]
struct Line {
    to: String,
    file: String,
    #[serde(flatten)]
    version: Version,
}

/// The files that are stored at one destination.
#[derive(Debug)]
pub(crate) struct List {
    path: PathBuf,
    to: String,
    stored: HashMap<String, Version>,
}

impl List {
    /// Reads the list of a crawl folder. A line that a crash left incomplete counts as none: its file is copied again.
    pub fn open(root: &Path, to: &str) -> io::Result<List> {
        let path = root.join(LIST);
        let mut text = String::new();
        match File::open(&path) {
            Ok(mut file) => drop(file.read_to_string(&mut text)?),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
        let lines = text
            .lines()
            .filter_map(|line| serde_json::from_str::<Line>(line).ok());
        let stored = lines
            .filter(|line| line.to == to)
            .map(|line| (line.file, line.version))
            .collect();
        if !text.is_empty() && !text.ends_with('\n') {
            OpenOptions::new().append(true).open(&path)?.write_all(b"\n")?;
        }
        Ok(List {
            path,
            to: to.to_owned(),
            stored,
        })
    }

    pub fn has(&self, file: &str, version: &Version) -> bool {
        self.stored.get(file) == Some(version)
    }

    /// A file was stored.
    pub fn add(&mut self, file: &str, version: Version) -> io::Result<()> {
        let line = Line {
            to: self.to.clone(),
            file: file.to_owned(),
            version,
        };
        let mut text = serde_json::to_string(&line)?;
        text.push('\n');
        let mut list = OpenOptions::new().create(true).append(true).open(&self.path)?;
        list.write_all(text.as_bytes())?;
        self.stored.insert(line.file, line.version);
        Ok(())
    }
}
