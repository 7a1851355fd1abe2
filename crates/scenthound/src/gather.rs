//! The folders of several nodes as one crawl folder, for everything that reads one.
//!
//! Archives and their indexes are linked, not copied, where the file system allows it. Page records are merged by the time of their
//! requests; what they say stays as it is, but for the judgements of pages that a node has judged again. A page that two nodes settled, because one of them died before it could commit, is in
//! the result once: as it was fetched first.
//!
//! Gathering is incremental. `nodes.json` in the result says how far the records of each node were read, so gathering again reads
//! only what is new, and costs a look at a few files if nothing is. That is why a command that is given `tea`, the folder above
//! `tea/node-a` and `tea/node-b`, can gather both into `tea/all` first and read that.
//!
//! **Invariant:** nothing in the nodes' folders is changed, and a folder that holds other pages is not added to. What was written
//! after `nodes.json` was replaced last does not count, and is cut off by the next run.
//!
//! Deliberately absent: the frontier. What waits is in Redis.

mod nodes;
mod records;

use std::collections::HashSet;
use std::fs;
use std::io::{BufWriter, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use scenthound_store::{CrawlFolder, CrawlView, Error as StoreError, JudgementsFile, Layout, replace};
use scenthound_types::Keyring;
use thiserror::Error;

use nodes::{Nodes, Source};
use records::{Line, Records, earliest};

/// The folder of everything that the nodes beside it have gathered.
pub const ALL: &str = "all";
/// The file that says that a folder belongs to a node, and its name.
pub(crate) const NODE_FILE: &str = "node.txt";
/// How often it is tried to get hold of a folder that somebody else is gathering into, and how long that takes each time.
const TRIES: u32 = 50;
const TRY_EVERY: Duration = Duration::from_millis(100);

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
    Store(#[from] StoreError),
    /// A file could not be read or written.
    #[error("could not use {}", path.display())]
    Files {
        /// Which.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
}

/// What was gathered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Gathered {
    /// Page records added.
    pub records: u64,
    /// Records left out because the page had been settled before.
    pub repeated: u64,
    /// Archive files linked or copied.
    pub archives: u64,
}

fn fault(path: &Path) -> impl FnOnce(std::io::Error) -> GatherError {
    let path = path.to_owned();
    move |source| GatherError::Files { path, source }
}

/// The folders of the nodes whose pages a folder holds; none if it holds those of a single crawl.
pub fn gathered_from(view: &CrawlView) -> Option<Vec<PathBuf>> {
    let nodes = Nodes::read(view.layout().root()).ok()??;
    Some(nodes.sources.into_iter().map(|source| source.folder).collect())
}

/// The folders of nodes in a folder, which is not a crawl's itself.
pub fn nodes_in(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut nodes: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| is_node(path))
        .collect();
    nodes.sort_unstable();
    nodes
}

fn is_node(folder: &Path) -> bool {
    folder.join(NODE_FILE).is_file() && CrawlView::open(folder).is_ok()
}

/// The folders to read when people name these. Nodes' folders, or the folder above them, stand for all nodes in that folder, which
/// are gathered; every other folder is returned as it is.
pub fn read_as_one(named: &[PathBuf]) -> Result<Vec<PathBuf>, GatherError> {
    let mut folders: Vec<PathBuf> = Vec::new();
    for folder in named {
        // One node of several that are named is not asked for alone.
        let is_beside =
            |other: &PathBuf| other != folder && other.parent() == folder.parent() && is_node(other);
        let above = if CrawlView::open(folder).is_err() {
            Some(folder.clone())
        } else if is_node(folder) && named.iter().any(is_beside) {
            folder.parent().map(|above| Path::new(".").join(above))
        } else {
            None
        };
        let nodes = above.as_deref().map(nodes_in).unwrap_or_default();
        let read = match above {
            Some(above) if !nodes.is_empty() => {
                let all = above.join(ALL);
                update(&nodes, &all)?;
                all
            }
            _ => folder.clone(),
        };
        if !folders.contains(&read) {
            folders.push(read);
        }
    }
    Ok(folders)
}

/// Adds what the nodes have recorded since, if a folder holds the pages of several.
pub fn refresh(view: &CrawlView) -> Result<(), GatherError> {
    let Some(mut nodes) = gathered_from(view) else {
        return Ok(());
    };
    let root = view.layout().root();
    if root.file_name().is_some_and(|name| name == ALL) {
        nodes = nodes_in(&root.join(".."));
    }
    update(&nodes, root).map(|_| ())
}

/// Makes one crawl folder of the folders of several nodes, or adds what is new in them to one that was made before.
pub fn gather(nodes: &[PathBuf], into: &Path) -> Result<Gathered, GatherError> {
    let gathered = update(nodes, into)?;
    scenthound_store::bring_indexes_up_to_date(CrawlView::open(into)?.layout())?;
    Ok(gathered)
}

fn update(nodes: &[PathBuf], into: &Path) -> Result<Gathered, GatherError> {
    if nodes.is_empty() {
        return Err(GatherError::Nothing);
    }
    let mut views = Vec::new();
    for node in nodes {
        views.push(CrawlView::open(node)?);
    }
    if let Ok(view) = CrawlView::open(into)
        && Nodes::read(into)?.is_none()
        && fs::metadata(view.layout().pages()).is_ok_and(|pages| pages.len() > 0)
    {
        return Err(GatherError::NotEmpty(into.to_owned()));
    }
    let folder = lock(into)?;
    let layout = folder.layout();
    let mut known = Nodes::read(into)?.unwrap_or_default();
    let is_judged_anew = known
        .sources
        .iter()
        .any(|source| source.present_generation() != source.generation);
    if is_judged_anew && let Some(first) = views.first() {
        // Our records have the new judgements in place of their own. The new number tells readers that all of them changed.
        let generation = layout.generation()? + 1;
        JudgementsFile::create(&layout.judgements(generation))?.sync()?;
        folder.switch(generation, &first.settings()?.unwrap_or_default())?;
    }
    if is_judged_anew || !known.sources.iter().all(Source::is_unchanged) {
        // Pages were judged again, or a node was killed and has taken back its last records. They may be anywhere in ours.
        known.begin_again(layout)?;
    }
    let is_new = known.sources.is_empty();
    for (view, node) in views.iter().zip(nodes) {
        known.add(view, node)?;
    }
    if is_new && let Some(first) = views.first() {
        if let Some(settings) = first.settings()? {
            folder.write_settings(&settings)?;
        }
        link_all(&first.layout().root().join("models"), &into.join("models"), "")?;
    }
    let mut gathered = Gathered::default();
    // Archives first: a record never names a file that is not there.
    for source in &known.sources {
        let Ok(view) = CrawlView::open(&source.folder) else {
            continue;
        };
        gathered.archives += link_all(&view.layout().archive(), &layout.archive(), &source.prefix)?;
        if source.prefix.is_empty() {
            link_all(&view.layout().indexes(), &layout.indexes(), "")?;
        } else {
            forget_indexes(layout, &source.prefix)?;
        }
    }
    if !known.sources.iter().any(Source::has_news) && !is_new {
        return Ok(gathered);
    }
    add_records(&mut known, layout, &mut gathered)?;
    known.repeated += gathered.repeated;
    known.write(into)?;
    Ok(gathered)
}

/// Waits until nobody else gathers into the folder.
fn lock(into: &Path) -> Result<CrawlFolder, GatherError> {
    let mut tries = 0;
    loop {
        match CrawlFolder::open_or_create(into) {
            Err(StoreError::InUse { .. }) if tries < TRIES => {
                tries += 1;
                std::thread::sleep(TRY_EVERY);
            }
            opened => return Ok(opened?),
        }
    }
}

/// Merges what is new in the records of all nodes, by the time of the requests.
fn add_records(known: &mut Nodes, layout: &Layout, gathered: &mut Gathered) -> Result<(), GatherError> {
    let pages = layout.pages();
    let seen_path = Nodes::seen_path(layout);
    let mut seen: HashSet<u64> = known.seen(&seen_path)?;
    let mut out = BufWriter::new(open_at(&pages, known.length)?);
    let mut seen_out = BufWriter::new(open_at(&seen_path, seen.len() as u64 * 8)?);
    let keyring = Keyring::new(0);
    let mut records: Vec<Records> = Vec::new();
    for source in &known.sources {
        records.push(Records::open(source)?);
    }
    while let Some(at) = earliest(&records) {
        let Some(reader) = records.get_mut(at) else { break };
        let Some(Line { text, facts }) = reader.take()? else {
            continue;
        };
        let is_repeated = facts.settles().is_some_and(|url| !seen.insert(keyring.hash(url)));
        if is_repeated {
            gathered.repeated += 1;
            continue;
        }
        if let Some(url) = facts.settles() {
            seen_out
                .write_all(&keyring.hash(url).to_le_bytes())
                .map_err(fault(&seen_path))?;
        }
        writeln!(out, "{text}").map_err(fault(&pages))?;
        known.length += text.len() as u64 + 1;
        gathered.records += 1;
    }
    out.flush().map_err(fault(&pages))?;
    seen_out.flush().map_err(fault(&seen_path))?;
    known.settled = seen.len() as u64;
    for (source, reader) in known.sources.iter_mut().zip(records) {
        reader.end(source);
    }
    Ok(())
}

/// Opens a file to append to, cut to a length.
fn open_at(path: &Path, length: u64) -> Result<fs::File, GatherError> {
    if let Some(above) = path.parent() {
        fs::create_dir_all(above).map_err(fault(above))?;
    }
    let file = fs::OpenOptions::new()
        .create(true)
        .append(true)
        .open(path)
        .map_err(fault(path))?;
    file.set_len(length).map_err(fault(path))?;
    Ok(file)
}

/// Links the files of one folder into another, under names that begin with a prefix. Returns how many were not there yet.
fn link_all(from: &Path, to: &Path, prefix: &str) -> Result<u64, GatherError> {
    let Ok(files) = fs::read_dir(from) else {
        return Ok(0);
    };
    fs::create_dir_all(to).map_err(fault(to))?;
    let mut linked = 0;
    for file in files {
        let file = file.map_err(fault(from))?;
        let name = file.file_name().to_string_lossy().into_owned();
        // What was cut from an archive is set aside beside it. A name that begins with a dot is being written.
        if !file.path().is_file() || name.contains("cut-at") || name.starts_with('.') {
            continue;
        }
        linked += u64::from(link(&file.path(), &to.join(format!("{prefix}{name}")))?);
    }
    Ok(linked)
}

/// Links a file, or copies it to another disk. A link that is there already grows by itself, but a file that was replaced, or a
/// copy that is too short, has to be linked or copied again. Returns whether it was.
fn link(from: &Path, to: &Path) -> Result<bool, GatherError> {
    let Ok(source) = fs::metadata(from) else {
        return Ok(false);
    };
    if let Ok(known) = fs::metadata(to) {
        let is_linked = (known.dev(), known.ino()) == (source.dev(), source.ino());
        let is_copied = known.dev() != source.dev() && known.len() == source.len();
        if is_linked || is_copied {
            return Ok(false);
        }
        fs::remove_file(to).map_err(fault(to))?;
    }
    if fs::hard_link(from, to).is_err() {
        fs::copy(from, to).map_err(fault(to))?;
    }
    Ok(true)
}

/// Removes the indexes of archives that go by other names here. They are made again from the archives.
fn forget_indexes(layout: &Layout, prefix: &str) -> Result<(), GatherError> {
    let Ok(files) = fs::read_dir(layout.indexes()) else {
        return Ok(());
    };
    for file in files {
        let path = file.map_err(fault(&layout.indexes()))?.path();
        let is_its = path
            .file_name()
            .is_some_and(|name| name.to_string_lossy().starts_with(prefix));
        if is_its {
            fs::remove_file(&path).map_err(fault(&path))?;
        }
    }
    Ok(())
}

/// Replaces `nodes.json`.
fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), GatherError> {
    Ok(replace(path, bytes)?)
}
