//! An unnamed file for what does not fit into memory.
//!
//! It disappears when the process ends, however it ends. Extents are appended and may be overwritten in place.
//!
//! Deliberately absent: checksums. Everything read was written by this same process.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use crate::GraphFault;

/// Where something is in the scratch file.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Extent {
    pub(crate) start: u64,
    pub(crate) end: u64,
}

#[derive(Debug)]
pub(crate) struct Scratch {
    file: File,
    length: u64,
    folder: PathBuf,
}

impl Scratch {
    pub(crate) fn new(folder: &Path) -> Result<Scratch, GraphFault> {
        Ok(Scratch {
            file: tempfile::tempfile_in(folder).map_err(GraphFault::file(folder))?,
            length: 0,
            folder: folder.to_owned(),
        })
    }

    /// Appends bytes.
    pub(crate) fn append(&mut self, bytes: &[u8]) -> Result<Extent, GraphFault> {
        let extent = self.reserve(bytes.len() as u64);
        self.write(extent.start, bytes)?;
        Ok(extent)
    }

    /// Reserves space at the end, to be written later.
    pub(crate) fn reserve(&mut self, length: u64) -> Extent {
        let start = self.length;
        self.length += length;
        Extent {
            start,
            end: self.length,
        }
    }

    pub(crate) fn write(&mut self, at: u64, bytes: &[u8]) -> Result<(), GraphFault> {
        self.file
            .seek(SeekFrom::Start(at))
            .and_then(|_| self.file.write_all(bytes))
            .map_err(GraphFault::file(&self.folder))
    }

    pub(crate) fn read(&self, at: u64, into: &mut [u8]) -> Result<(), GraphFault> {
        let mut file = &self.file;
        file.seek(SeekFrom::Start(at))
            .and_then(|_| file.read_exact(into))
            .map_err(GraphFault::file(&self.folder))
    }

    /// Appends numbers.
    pub(crate) fn append_numbers(&mut self, numbers: &[u64]) -> Result<Extent, GraphFault> {
        let extent = self.reserve(8 * numbers.len() as u64);
        self.write_numbers(extent.start, numbers)?;
        Ok(extent)
    }

    /// Overwrites numbers in place.
    pub(crate) fn write_numbers(&mut self, mut at: u64, numbers: &[u64]) -> Result<(), GraphFault> {
        let mut bytes = Vec::new();
        for some in numbers.chunks(1 << 16) {
            bytes.clear();
            bytes.extend(some.iter().flat_map(|number| number.to_le_bytes()));
            self.write(at, &bytes)?;
            at += bytes.len() as u64;
        }
        Ok(())
    }

    /// Reads the numbers of an extent.
    pub(crate) fn numbers(&self, extent: Extent) -> Result<Vec<u64>, GraphFault> {
        let mut numbers = Vec::with_capacity(((extent.end - extent.start) / 8) as usize);
        let mut part = Part::new(extent, 1 << 19);
        while part.has(8, self)? {
            numbers.push(part.number());
        }
        Ok(numbers)
    }

    /// Reads the 32-bit numbers of an extent.
    pub(crate) fn small_numbers(&self, extent: Extent) -> Result<Vec<u32>, GraphFault> {
        let mut numbers = Vec::with_capacity(((extent.end - extent.start) / 4) as usize);
        let mut part = Part::new(extent, 1 << 19);
        while part.has(4, self)? {
            numbers.push(part.small_number());
        }
        Ok(numbers)
    }
}

/// An extent being read from front to back.
#[derive(Debug)]
pub(crate) struct Part {
    rest: Extent,
    buffer: Vec<u8>,
    at: usize,
    room: usize,
}

impl Part {
    pub(crate) fn new(extent: Extent, room: usize) -> Part {
        Part {
            rest: extent,
            buffer: Vec::new(),
            at: 0,
            room,
        }
    }

    /// Makes at least this many bytes available, or as many as are left; false if none are left.
    pub(crate) fn has(&mut self, bytes: usize, scratch: &Scratch) -> Result<bool, GraphFault> {
        if self.buffer.len() - self.at < bytes && self.rest.start < self.rest.end {
            self.buffer.drain(..self.at);
            self.at = 0;
            let kept = self.buffer.len();
            let left = self.rest.end - self.rest.start;
            let more = usize::try_from(left)
                .unwrap_or(usize::MAX)
                .min(self.room.max(bytes));
            self.buffer.resize(kept + more, 0);
            scratch.read(self.rest.start, self.buffer.get_mut(kept..).unwrap_or_default())?;
            self.rest.start += more as u64;
        }
        Ok(self.at < self.buffer.len())
    }

    /// The bytes available.
    pub(crate) fn bytes(&self) -> &[u8] {
        self.buffer.get(self.at..).unwrap_or_default()
    }

    /// Skips bytes.
    pub(crate) fn pass(&mut self, bytes: usize) {
        self.at = (self.at + bytes).min(self.buffer.len());
    }

    /// Reads the next number.
    pub(crate) fn number(&mut self) -> u64 {
        let number = self.bytes().first_chunk().copied().unwrap_or_default();
        self.pass(8);
        u64::from_le_bytes(number)
    }

    /// Reads the next 32-bit number.
    pub(crate) fn small_number(&mut self) -> u32 {
        let number = self.bytes().first_chunk().copied().unwrap_or_default();
        self.pass(4);
        u32::from_le_bytes(number)
    }
}
