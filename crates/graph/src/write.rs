//! Writes a graph file: the names in order, then the links by target, then the index to both.
//!
//! Everything goes to a temporary file beside the target, which is replaced only when all of it is on the disk.

use std::io::{BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;
use xxhash_rust::xxh3::xxh3_64;

use crate::file::{BLOCK, BlockStart, HEADER_BYTES, Header};
use crate::names::put_name;
use crate::{GraphFault, is_host, varint};

pub(crate) struct GraphWriter {
    out: BufWriter<NamedTempFile>,
    at: u64,
    path: PathBuf,
    header: Header,
    places: Vec<BlockStart>,
    block: Vec<u8>,
    before: Vec<u8>,
    /// Names or targets in the block.
    held: u32,
    links: LinkBlock,
}

/// The links to the targets of one block.
#[derive(Default)]
struct LinkBlock {
    number: usize,
    lists: Vec<Vec<u8>>,
    /// The target of the last link, and its source.
    last: Option<(u32, u32)>,
}

impl GraphWriter {
    pub(crate) fn new(path: &Path) -> Result<GraphWriter, GraphFault> {
        let folder = path
            .parent()
            .filter(|folder| !folder.as_os_str().is_empty())
            .unwrap_or(Path::new("."));
        let temp = tempfile::Builder::new()
            .prefix(".graph-")
            .tempfile_in(folder)
            .map_err(GraphFault::file(path))?;
        let mut writer = GraphWriter {
            out: BufWriter::with_capacity(1 << 20, temp),
            at: 0,
            path: path.to_owned(),
            header: Header::default(),
            places: Vec::new(),
            block: Vec::new(),
            before: Vec::new(),
            held: 0,
            links: LinkBlock::default(),
        };
        writer.write(&[0; HEADER_BYTES])?;
        Ok(writer)
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), GraphFault> {
        self.at += bytes.len() as u64;
        self.out.write_all(bytes).map_err(GraphFault::file(&self.path))
    }

    /// Writes the block and its checksum.
    fn end_block(&mut self) -> Result<(), GraphFault> {
        let sum = xxh3_64(&self.block);
        self.block.extend_from_slice(&sum.to_le_bytes());
        let block = std::mem::take(&mut self.block);
        self.write(&block)?;
        self.block = block;
        self.block.clear();
        self.before.clear();
        self.held = 0;
        Ok(())
    }

    /// Adds the next name. Names come in order, each once.
    pub(crate) fn name(&mut self, name: &[u8]) -> Result<(), GraphFault> {
        if self.header.nodes == u64::from(u32::MAX) {
            return Err(GraphFault::TooMany);
        }
        if self.held == BLOCK {
            self.end_block()?;
        }
        if self.held == 0 {
            self.places.push(BlockStart {
                names: self.at,
                links: 0,
            });
        }
        put_name(&mut self.block, &mut self.before, name);
        self.held += 1;
        self.header.nodes += 1;
        self.header.hosts += u64::from(std::str::from_utf8(name).is_ok_and(is_host));
        Ok(())
    }

    /// Called after the last name.
    pub(crate) fn end_names(&mut self) -> Result<(), GraphFault> {
        if self.held > 0 {
            self.end_block()?;
        }
        self.header.links_at = self.at;
        self.links.lists = vec![Vec::new(); BLOCK as usize];
        Ok(())
    }

    /// Adds the next link. Links come by target, then by source, each once.
    pub(crate) fn link(&mut self, source: u32, target: u32) -> Result<(), GraphFault> {
        let block = (target / BLOCK) as usize;
        while self.links.number < block {
            self.end_links()?;
        }
        // The pages of a site are adjacent in the order of names. So the first source is stored as its difference
        // from the target, and each of the others as its difference from the one before.
        let told = match self.links.last {
            Some((last, before)) if last == target => u64::from(source - before - 1),
            _ => zigzag(i64::from(source) - i64::from(target)),
        };
        self.links.last = Some((target, source));
        if let Some(list) = self.links.lists.get_mut((target % BLOCK) as usize) {
            varint::put(list, told);
        }
        self.header.links += 1;
        Ok(())
    }

    fn end_links(&mut self) -> Result<(), GraphFault> {
        if let Some(place) = self.places.get_mut(self.links.number) {
            place.links = self.at;
        }
        for list in &self.links.lists {
            varint::put(&mut self.block, list.len() as u64);
        }
        for list in &mut self.links.lists {
            self.block.extend_from_slice(list);
            list.clear();
            // A page that everybody links to should not hold its memory for good.
            list.shrink_to(1 << 16);
        }
        self.links.number += 1;
        self.end_block()
    }

    /// Finishes the file with the redirecting nodes and their targets, and moves it into place.
    pub(crate) fn finish(mut self, aliases: &[(u32, u32)]) -> Result<Header, GraphFault> {
        while self.links.number < self.places.len() {
            self.end_links()?;
        }
        self.header.index_at = self.at;
        self.header.aliases = aliases.len() as u64;
        let mut index = Vec::with_capacity(16 * self.places.len() + 8 * aliases.len());
        for place in &self.places {
            index.extend_from_slice(&place.names.to_le_bytes());
            index.extend_from_slice(&place.links.to_le_bytes());
        }
        for (from, to) in aliases {
            index.extend_from_slice(&from.to_le_bytes());
            index.extend_from_slice(&to.to_le_bytes());
        }
        self.header.index_sum = xxh3_64(&index);
        self.write(&index)?;
        self.header.length = self.at;
        let header = self.header.to_bytes();
        let path = self.path;
        let fault = GraphFault::file(&path);
        self.out.seek(SeekFrom::Start(0)).map_err(&fault)?;
        self.out.write_all(&header).map_err(&fault)?;
        let temp = self.out.into_inner().map_err(|error| fault(error.into_error()))?;
        temp.as_file().sync_all().map_err(&fault)?;
        readable(&temp).map_err(&fault)?;
        temp.persist(&path).map_err(|error| fault(error.error))?;
        Ok(self.header)
    }
}

/// Temporary files are readable by their owner only; this one stays, so it gets the usual permissions.
#[cfg(unix)]
fn readable(temp: &NamedTempFile) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    temp.as_file()
        .set_permissions(std::fs::Permissions::from_mode(0o644))
}

#[cfg(not(unix))]
fn readable(_: &NamedTempFile) -> std::io::Result<()> {
    Ok(())
}

/// Maps small numbers of either sign to small unsigned numbers.
pub(crate) fn zigzag(number: i64) -> u64 {
    ((number << 1) ^ (number >> 63)) as u64
}

/// The inverse of [`zigzag`].
pub(crate) fn unzigzag(number: u64) -> i64 {
    (number >> 1) as i64 ^ -((number & 1) as i64)
}
