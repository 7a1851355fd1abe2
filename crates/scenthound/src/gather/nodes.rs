//! `nodes.json`: whose records a folder holds, and how far they were read.

use std::collections::HashSet;
use std::fs;
use std::io::{ErrorKind, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use scenthound_store::{CrawlView, Layout};
use scenthound_types::{ArchiveFormat, Keyring};
use serde::{Deserialize, Serialize};

use super::{GatherError, fault, write_whole};

const FILE: &str = "nodes.json";

/// Whose records a folder holds.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Nodes {
    pub sources: Vec<Source>,
    /// Bytes of our page records.
    pub length: u64,
    /// Pages settled in them.
    pub settled: u64,
    /// Records left out.
    pub repeated: u64,
}

/// A node, and how far its records were read.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Source {
    pub folder: PathBuf,
    /// What the names of its archive files begin with in the result.
    pub prefix: String,
    /// Bytes of its page records.
    pub read: u64,
    /// The length of the last line among them, with its end, and its hash.
    pub last: (u64, u64),
    /// The number of the judgements that are in our records.
    #[serde(default)]
    pub generation: u32,
}

impl Source {
    fn pages(&self) -> PathBuf {
        self.folder.join("pages").join("pages.jsonl")
    }

    /// Whether what was read is still there. A node that cannot be found any more counts as it was.
    pub fn is_unchanged(&self) -> bool {
        let Ok(mut file) = fs::File::open(self.pages()) else {
            return true;
        };
        let (length, hash) = self.last;
        let mut line = Vec::new();
        let read = file
            .seek(SeekFrom::Start(self.read.saturating_sub(length)))
            .and_then(|_| (&mut file).take(length).read_to_end(&mut line));
        read.is_ok() && line.len() as u64 == length && (length == 0 || hash_of(&line) == hash)
    }

    /// The number of the node's present judgements. A node that cannot be found any more counts as it was.
    pub fn present_generation(&self) -> u32 {
        let view = CrawlView::open(&self.folder).ok();
        let present = view.and_then(|view| view.layout().generation().ok());
        present.unwrap_or(self.generation)
    }

    pub fn has_news(&self) -> bool {
        fs::metadata(self.pages()).is_ok_and(|pages| pages.len() > self.read)
    }
}

pub(super) fn hash_of(line: &[u8]) -> u64 {
    Keyring::new(0).hash(&String::from_utf8_lossy(line))
}

impl Nodes {
    /// What was gathered into a folder before, if anything was.
    pub fn read(root: &Path) -> Result<Option<Nodes>, GatherError> {
        let path = root.join(FILE);
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(GatherError::Files { path, source }),
        };
        let mut nodes: Nodes = serde_json::from_slice(&bytes).map_err(|error| GatherError::Files {
            path,
            source: error.into(),
        })?;
        for source in &mut nodes.sources {
            let folder = root.join(&source.folder);
            source.folder = folder.canonicalize().unwrap_or(folder);
        }
        Ok(Some(nodes))
    }

    pub fn write(&self, root: &Path) -> Result<(), GatherError> {
        let path = root.join(FILE);
        let mut written = self.clone();
        let beside = root.canonicalize().map_err(fault(root))?;
        for source in &mut written.sources {
            // Nodes beside the result move together with it.
            if let (Some(name), true) = (
                source.folder.file_name(),
                source.folder.parent() == beside.parent(),
            ) {
                source.folder = Path::new("..").join(name);
            }
        }
        let bytes = serde_json::to_vec_pretty(&written).map_err(|error| GatherError::Files {
            path: path.clone(),
            source: error.into(),
        })?;
        write_whole(&path, &bytes)
    }

    /// Adds a node that is not known yet.
    pub fn add(&mut self, view: &CrawlView, node: &Path) -> Result<(), GatherError> {
        let folder = node.canonicalize().map_err(fault(node))?;
        if self.sources.iter().any(|source| source.folder == folder) {
            return Ok(());
        }
        let archives = archives(&view.layout().archive());
        let is_taken = self.sources.iter().any(|other| {
            other.prefix.is_empty()
                && self::archives(&other.folder.join("archive"))
                    .iter()
                    .any(|name| archives.contains(name))
        });
        // Nodes of one crawl name their archives after themselves. Others may not.
        let prefix = match is_taken {
            true => format!("{}-", folder.file_name().unwrap_or_default().to_string_lossy()),
            false => String::new(),
        };
        self.sources.push(Source {
            folder,
            prefix,
            generation: view.layout().generation()?,
            ..Source::default()
        });
        Ok(())
    }

    /// Forgets everything that was read.
    pub fn begin_again(&mut self, layout: &Layout) -> Result<(), GatherError> {
        let pages = layout.pages();
        // A new file rather than an empty one: whoever follows the old one notices.
        match fs::remove_file(&pages) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(fault(&pages)(error)),
            _ => {}
        }
        for source in &mut self.sources {
            (source.read, source.last) = (0, (0, 0));
            source.generation = source.present_generation();
        }
        (self.length, self.settled, self.repeated) = (0, 0, 0);
        self.write(layout.root())
    }

    /// Where the pages that are settled in our records are listed, as hashes.
    pub fn seen_path(layout: &Layout) -> PathBuf {
        layout.pages().with_file_name("settled.bin")
    }

    pub fn seen(&self, path: &Path) -> Result<HashSet<u64>, GatherError> {
        let mut bytes = Vec::new();
        match fs::File::open(path) {
            Ok(file) => {
                let most = self.settled.saturating_mul(8);
                file.take(most).read_to_end(&mut bytes).map_err(fault(path))?;
            }
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(fault(path)(error)),
        }
        Ok(bytes
            .as_chunks::<8>()
            .0
            .iter()
            .map(|hash| u64::from_le_bytes(*hash))
            .collect())
    }
}

fn archives(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    entries
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| ArchiveFormat::of_file(name).is_some())
        .collect()
}
