//! All entries in one file, so that a large frontier opens by reading it from beginning to end.
//!
//! The store keeps every entry by itself, and reading a hundred million of them back one by one takes minutes. So a
//! crawl that ends in order also leaves a copy of them in the order of their numbers, with the places they had in their queues.
//! It is only ever a copy: a note in the store says which file belongs to which commit, and with the next commit the file is stale
//! and is removed. Where there is none, or where it is damaged, the store is read instead. So a process that is killed
//! costs the next one time, and nothing else.
//!
//! The file is a list of blocks: the number of the first entry, how many follow one another, bytes and checksum of what
//! follows, then the entries as the store has them. A block without entries is the end.

use std::fs::File;
use std::io::{BufWriter, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, sync_channel};

use scenthound_frontier::{Entry, FrontierError, UrlId};
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use crate::folder::fault;
use crate::{DurableError, DurableFrontier};

/// The file beside the store.
const FILE: &str = "SNAPSHOT";
/// The note in the store.
pub(crate) const NOTE: &str = "durable/snapshot";
/// What a file begins with.
const MAGIC: &[u8; 24] = b"scenthound snapshot 1\n\n\n";
/// The most entries of a block.
const MOST: u32 = 16_384;
/// Entries with their ages.
const LONGEST: usize = Entry::BYTES + 4;
const HEAD: usize = 20;
/// How many blocks are read ahead.
const AHEAD: usize = 8;

/// Which file belongs to which commit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct SnapshotMark {
    /// The commit that wrote this mark.
    pub(crate) commits: u64,
    /// A checksum of the checksums of all blocks.
    pub(crate) sum: u64,
}

impl SnapshotMark {
    pub(crate) fn to_bytes(self) -> [u8; 16] {
        (u128::from(self.commits) << 64 | u128::from(self.sum)).to_le_bytes()
    }

    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<SnapshotMark> {
        let both = u128::from_le_bytes(bytes.try_into().ok()?);
        Some(SnapshotMark {
            commits: (both >> 64) as u64,
            sum: both as u64,
        })
    }
}

/// Where the file is.
pub(crate) fn path(folder: &Path) -> PathBuf {
    folder.join(FILE)
}

/// Saves a copy of all entries, so that the frontier opens quickly next time. Returns whether it did: nothing is saved while
/// anything is leased, drawn or not committed.
pub fn save_snapshot(frontier: &mut DurableFrontier) -> Result<bool, FrontierError> {
    let Some(sum) = write_copy(frontier)? else {
        return Ok(false);
    };
    frontier.storage_mut().commit_snapshot(sum)?;
    Ok(true)
}

/// Writes the file and returns its checksum, if the frontier is at rest.
fn write_copy(frontier: &DurableFrontier) -> Result<Option<u64>, DurableError> {
    let folder = frontier.storage().folder();
    let (fresh, place) = (folder.join(format!("{FILE}.new")), path(folder));
    if !frontier.storage().has_committed_all() {
        return Ok(None);
    }
    let Some(rows) = frontier.at_rest() else {
        return Ok(None);
    };
    let written = write(&fresh, rows).and_then(|sum| std::fs::rename(&fresh, &place).map(|()| sum));
    match written {
        Ok(sum) => Ok(Some(sum)),
        Err(error) => {
            // Half a file helps nobody, least of all on a full disk.
            let _ = std::fs::remove_file(&fresh);
            Err(fault(&fresh)(error))
        }
    }
}

fn write<'a>(
    path: &Path,
    rows: impl Iterator<Item = (UrlId, &'a Entry, Option<u32>)>,
) -> std::io::Result<u64> {
    let mut file = BufWriter::with_capacity(1 << 20, File::create(path)?);
    file.write_all(MAGIC)?;
    let mut block = Block::default();
    let mut sums = Xxh3::new();
    for (id, entry, other_age) in rows {
        if block.rows == MOST || block.rows > 0 && block.first + block.rows != id.0 {
            block.write(&mut file, &mut sums)?;
        }
        if block.rows == 0 {
            block.first = id.0;
        }
        block.rows += 1;
        block.bytes.extend(entry.to_bytes());
        if let Some(age) = other_age {
            block.bytes.extend(age.to_le_bytes());
        }
    }
    if block.rows > 0 {
        block.write(&mut file, &mut sums)?;
    }
    block.write(&mut file, &mut sums)?;
    let file = file.into_inner().map_err(std::io::IntoInnerError::into_error)?;
    file.sync_all()?;
    Ok(sums.digest())
}

#[derive(Default)]
struct Block {
    first: u32,
    rows: u32,
    bytes: Vec<u8>,
}

impl Block {
    /// Writes what was gathered and begins anew.
    fn write(&mut self, file: &mut impl Write, sums: &mut Xxh3) -> std::io::Result<()> {
        let sum = xxh3_64(&self.bytes);
        let mut head = [0; HEAD];
        let fields = [self.first, self.rows, self.bytes.len() as u32];
        let fields = fields.iter().flat_map(|field| field.to_le_bytes());
        for (byte, field) in head.iter_mut().zip(fields.chain(sum.to_le_bytes())) {
            *byte = field;
        }
        sums.update(&head);
        file.write_all(&head)?;
        file.write_all(&self.bytes)?;
        self.rows = 0;
        self.bytes.clear();
        Ok(())
    }
}

type Row = (UrlId, Entry, Option<u32>);

/// The entries in a file. Another thread reads ahead, because putting entries in their places takes as long as reading them.
pub(crate) struct Rows {
    blocks: Receiver<Result<Vec<Row>, FrontierError>>,
    block: std::vec::IntoIter<Row>,
}

impl Rows {
    /// The entries in the file of this mark; none if there is no such file.
    pub(crate) fn open(folder: &Path, mark: SnapshotMark) -> Result<Option<Rows>, DurableError> {
        let path = path(folder);
        let mut file = match File::open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(fault(&path)(error)),
        };
        let mut magic = [0; MAGIC.len()];
        if file.read_exact(&mut magic).is_err() || magic != *MAGIC {
            return Ok(None);
        }
        let blocks = Blocks {
            path: path.clone(),
            file,
            sums: Xxh3::new(),
            expected: mark.sum,
            bytes: Vec::new(),
            is_over: false,
        };
        let (sender, receiver) = sync_channel(AHEAD);
        std::thread::Builder::new()
            .name("snapshot".to_owned())
            .spawn(move || {
                for block in blocks {
                    // Nobody waits for it once the frontier could not be opened.
                    if sender.send(block).is_err() {
                        break;
                    }
                }
            })
            .map_err(fault(&path))?;
        Ok(Some(Rows {
            blocks: receiver,
            block: Vec::new().into_iter(),
        }))
    }
}

impl Iterator for Rows {
    type Item = Result<Row, FrontierError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(row) = self.block.next() {
                return Some(Ok(row));
            }
            match self.blocks.recv() {
                Ok(Ok(block)) => self.block = block.into_iter(),
                Ok(Err(error)) => return Some(Err(error)),
                Err(_) => return None,
            }
        }
    }
}

/// The blocks of a file.
struct Blocks {
    path: PathBuf,
    file: File,
    sums: Xxh3,
    expected: u64,
    /// The bytes of a block.
    bytes: Vec<u8>,
    is_over: bool,
}

impl Blocks {
    /// Reads the next block; an empty one is the end. None if the file is not what was written.
    fn read_block(&mut self) -> Option<Vec<Row>> {
        let mut head = [0; HEAD];
        self.file.read_exact(&mut head).ok()?;
        self.sums.update(&head);
        let (fields, sum) = head.split_at(HEAD - 8);
        let mut fields = fields
            .as_chunks::<4>()
            .0
            .iter()
            .map(|field| u32::from_le_bytes(*field));
        let (first, rows, bytes) = (fields.next()?, fields.next()?, fields.next()? as usize);
        if rows > MOST || bytes > rows as usize * LONGEST {
            return None;
        }
        self.bytes.resize(bytes, 0);
        self.file.read_exact(&mut self.bytes).ok()?;
        if xxh3_64(&self.bytes).to_le_bytes() != sum {
            return None;
        }
        if rows == 0 && self.sums.digest() != self.expected {
            return None;
        }
        let mut rest = self.bytes.as_slice();
        let mut block = Vec::with_capacity(rows as usize);
        for id in first..first.checked_add(rows)? {
            let (entry, after) = rest.split_at_checked(Entry::BYTES)?;
            let entry = Entry::from_bytes(entry)?;
            rest = after;
            let mut other_age = None;
            if entry.has_other_age() {
                let (age, after) = rest.split_first_chunk()?;
                other_age = Some(u32::from_le_bytes(*age));
                rest = after;
            }
            block.push((UrlId(id), entry, other_age));
        }
        Some(block)
    }
}

impl Iterator for Blocks {
    type Item = Result<Vec<Row>, FrontierError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_over {
            return None;
        }
        let block = self.read_block();
        self.is_over = block.as_ref().is_none_or(Vec::is_empty);
        match block {
            Some(block) if block.is_empty() => None,
            Some(block) => Some(Ok(block)),
            None => Some(Err(FrontierError::Damaged {
                what: format!("{} is not what was written", self.path.display()),
            })),
        }
    }
}
