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

/// The entries in a file.
pub(crate) struct Rows {
    path: PathBuf,
    file: File,
    sums: Xxh3,
    expected: u64,
    /// What is left of a block.
    block: Vec<u8>,
    at: usize,
    next: u32,
    left: u32,
    is_over: bool,
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
        let is_ours = file.read_exact(&mut magic).is_ok() && magic == *MAGIC;
        Ok(is_ours.then_some(Rows {
            path,
            file,
            sums: Xxh3::new(),
            expected: mark.sum,
            block: Vec::new(),
            at: 0,
            next: 0,
            left: 0,
            is_over: false,
        }))
    }

    fn damaged(&self) -> FrontierError {
        FrontierError::Damaged {
            what: format!("{} is not what was written", self.path.display()),
        }
    }

    /// Reads the next block. Returns whether there is one.
    fn read_block(&mut self) -> Result<bool, FrontierError> {
        let mut head = [0; HEAD];
        self.file.read_exact(&mut head).map_err(|_| self.damaged())?;
        self.sums.update(&head);
        let (fields, sum) = head.split_at(HEAD - 8);
        let mut fields = fields
            .as_chunks::<4>()
            .0
            .iter()
            .map(|field| u32::from_le_bytes(*field));
        let mut field = || fields.next().unwrap_or_default();
        let (first, rows, bytes) = (field(), field(), field() as usize);
        if rows > MOST || bytes > rows as usize * LONGEST {
            return Err(self.damaged());
        }
        self.block.resize(bytes, 0);
        let mut block = std::mem::take(&mut self.block);
        self.file.read_exact(&mut block).map_err(|_| self.damaged())?;
        self.block = block;
        if xxh3_64(&self.block).to_le_bytes() != sum {
            return Err(self.damaged());
        }
        (self.at, self.next, self.left) = (0, first, rows);
        if rows == 0 && self.sums.digest() != self.expected {
            return Err(self.damaged());
        }
        Ok(rows > 0)
    }

    fn read_row(&mut self) -> Option<(UrlId, Entry, Option<u32>)> {
        let rest = self.block.get(self.at..)?;
        let (entry, rest) = rest.split_at_checked(Entry::BYTES)?;
        let entry = Entry::from_bytes(entry)?;
        let age = match entry.has_other_age() {
            true => Some(u32::from_le_bytes(*rest.first_chunk()?)),
            false => None,
        };
        self.at += Entry::BYTES + if age.is_some() { 4 } else { 0 };
        let id = UrlId(self.next);
        self.next = self.next.checked_add(1)?;
        self.left -= 1;
        Some((id, entry, age))
    }
}

impl Iterator for Rows {
    type Item = Result<(UrlId, Entry, Option<u32>), FrontierError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_over {
            return None;
        }
        if self.left == 0 {
            match self.read_block() {
                Ok(true) => {}
                Ok(false) => {
                    self.is_over = true;
                    return None;
                }
                Err(error) => {
                    self.is_over = true;
                    return Some(Err(error));
                }
            }
        }
        let row = self.read_row();
        self.is_over = row.is_none();
        Some(row.ok_or_else(|| self.damaged()))
    }
}
