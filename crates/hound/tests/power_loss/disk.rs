//! What may be on a disk after a power failure: everything that was flushed, and any part of the rest.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::io::Write;
use std::path::Path;

use scenthound_types::Rng;

use crate::trace::{Change, Event, Inode, ROOT, Trace};

/// Disks write whole pages.
const PAGE: u64 = 4096;

/// Which of the bytes that were not flushed are there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bytes {
    /// None.
    None,
    /// All.
    All,
    /// Each write or not.
    AnyWrites,
    /// Each page of each write or not.
    AnyPages,
    /// Of each file, the writes up to some moment; the last one may be torn.
    Prefixes,
    /// Of each file, all or none.
    WholeFiles,
}

/// Which of the names that were not flushed are there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Names {
    /// Those up to some moment. Any flush writes down all names before it, as the journal of ext4 or XFS does.
    InOrder,
    /// Each or not. Only a flush of the folder counts, which is all that POSIX promises.
    Any,
}

/// A power failure.
#[derive(Clone, Copy, Debug)]
pub struct Failure {
    /// The number of the event before which it happens.
    pub before: usize,
    /// Which bytes are kept.
    pub bytes: Bytes,
    /// Which names are kept.
    pub names: Names,
    /// The seed of all choices.
    pub seed: u64,
}

impl Failure {
    /// The n-th failure of a trace.
    pub fn number(n: u64, trace: &Trace) -> Failure {
        let mut rng = Rng::for_part(15, n);
        let bytes = [
            Bytes::None,
            Bytes::All,
            Bytes::AnyWrites,
            Bytes::AnyPages,
            Bytes::Prefixes,
            Bytes::WholeFiles,
        ];
        let events = &trace.events;
        let mut before = rng.below(events.len() + 1);
        if n.is_multiple_of(2) {
            // Beside a flush or a change of names, where it matters most.
            let matters = |event: &Event| !matches!(event, Event::Changed(Change::Write { .. }));
            before = (before..events.len())
                .find(|n| events.get(*n).is_some_and(|(_, event)| matters(event)))
                .unwrap_or(before);
            before = (before + rng.below(3)).min(events.len());
        }
        Failure {
            before,
            bytes: bytes[rng.below(bytes.len())],
            names: [Names::InOrder, Names::Any][rng.below(2)],
            seed: rng.number(),
        }
    }

    /// Writes what is on the disk after it to a folder.
    pub fn write(self, trace: &Trace, to: &Path) {
        let disk = self.disk(trace);
        disk.write(ROOT, to);
    }

    /// The bytes of a file after it.
    pub fn all_of(self, trace: &Trace, path: &[&str]) -> Vec<u8> {
        let mut disk = self.disk(trace);
        let inode = path
            .iter()
            .try_fold(ROOT, |inode, name| disk.entries[inode].get(*name).copied());
        inode.map_or_else(Vec::new, |inode| std::mem::take(&mut disk.files[inode].bytes))
    }

    fn disk(self, trace: &Trace) -> Disk {
        let mut rng = Rng::from_seed(self.seed);
        let happened = &trace.events[..self.before];
        // The last flush of each inode, by when it began; and the last of all.
        let mut flushed: HashMap<Inode, usize> = HashMap::new();
        for (_, event) in happened {
            if let Event::Flushed { inode, began } = event {
                let last = flushed.entry(*inode).or_default();
                *last = (*last).max(*began);
            }
        }
        let last_flush = flushed.values().copied().max().unwrap_or(0);
        let is_flushed =
            |inode: Inode, number: usize| flushed.get(&inode).is_some_and(|began| number < *began);
        let names_flushed = |folder: Inode, number: usize| match self.names {
            Names::InOrder => number < last_flush,
            Names::Any => is_flushed(folder, number),
        };
        let unflushed_names: Vec<usize> = happened
            .iter()
            .filter(|(number, event)| match event {
                Event::Changed(Change::Name { folder, .. } | Change::Remove { folder, .. }) => {
                    !names_flushed(*folder, *number)
                }
                Event::Changed(Change::Rename { to, .. }) => !names_flushed(to.0, *number),
                _ => false,
            })
            .map(|(number, _)| *number)
            .collect();
        let kept_names: HashSet<usize> = match self.names {
            Names::InOrder => {
                let kept = rng.below(unflushed_names.len() + 1);
                unflushed_names[..kept].iter().copied().collect()
            }
            Names::Any => {
                let share = rng.fraction();
                unflushed_names
                    .iter()
                    .copied()
                    .filter(|_| rng.fraction() < share)
                    .collect()
            }
        };
        let share = rng.fraction();
        let mut ends: HashMap<Inode, usize> = HashMap::new();
        let mut disk = Disk::new(&trace.folders);
        let last = happened.last().map_or(0, |(number, _)| *number);
        for (number, event) in happened {
            let Event::Changed(change) = event else { continue };
            match change {
                Change::Write { file, .. } | Change::Length { file, .. } if is_flushed(*file, *number) => {
                    disk.apply(change);
                }
                Change::Write { file, at, bytes } => {
                    let end = *ends.entry(*file).or_insert_with(|| {
                        let from = flushed.get(file).copied().unwrap_or(0);
                        match self.bytes {
                            Bytes::None => 0,
                            Bytes::All => usize::MAX,
                            Bytes::WholeFiles => [0, usize::MAX][rng.below(2)],
                            _ => from + rng.below(last.saturating_sub(from) + 2),
                        }
                    });
                    match self.bytes {
                        Bytes::None | Bytes::All | Bytes::WholeFiles if *number < end => disk.apply(change),
                        Bytes::Prefixes if *number < end => disk.apply(change),
                        Bytes::Prefixes if disk.torn.insert(*file) => {
                            let kept = rng.below(bytes.len() + 1);
                            disk.put(*file, *at, &bytes[..kept]);
                        }
                        Bytes::AnyWrites if rng.fraction() < share => disk.apply(change),
                        Bytes::AnyPages => {
                            let mut from = 0;
                            while from < bytes.len() {
                                let here = at + from as u64;
                                let page = (PAGE - here % PAGE) as usize;
                                let to = bytes.len().min(from + page);
                                if rng.fraction() < share {
                                    disk.put(*file, here, &bytes[from..to]);
                                }
                                from = to;
                            }
                        }
                        _ => {}
                    }
                }
                Change::Length { .. } => {
                    if self.bytes == Bytes::All || (self.bytes != Bytes::None && rng.fraction() < share) {
                        disk.apply(change);
                    }
                }
                _ => {
                    if !unflushed_names.contains(number) || kept_names.contains(number) {
                        disk.apply(change);
                    }
                }
            }
        }
        disk
    }
}

#[derive(Default)]
struct File {
    bytes: Vec<u8>,
    length: u64,
}

struct Disk {
    entries: Vec<HashMap<String, Inode>>,
    is_folder: Vec<bool>,
    files: Vec<File>,
    /// Files of which a write was torn. Nothing after it is kept.
    torn: HashSet<Inode>,
}

impl Disk {
    fn new(folders: &[bool]) -> Disk {
        Disk {
            entries: vec![HashMap::new(); folders.len()],
            is_folder: folders.to_vec(),
            files: folders.iter().map(|_| File::default()).collect(),
            torn: HashSet::new(),
        }
    }

    fn put(&mut self, file: Inode, at: u64, bytes: &[u8]) {
        if bytes.is_empty() {
            return;
        }
        let file = &mut self.files[file];
        let (at, end) = (at as usize, at as usize + bytes.len());
        if file.bytes.len() < end {
            file.bytes.resize(end, 0);
        }
        file.bytes[at..end].copy_from_slice(bytes);
        file.length = file.length.max(end as u64);
    }

    fn apply(&mut self, change: &Change) {
        match change {
            Change::Write { file, at, bytes } => self.put(*file, *at, bytes),
            Change::Length { file, length } => {
                let file = &mut self.files[*file];
                file.length = *length;
                file.bytes.truncate(*length as usize);
            }
            Change::Name { folder, name, inode } => {
                self.entries[*folder].insert(name.clone(), *inode);
            }
            Change::Remove { folder, name } => {
                self.entries[*folder].remove(name);
            }
            Change::Rename { from, to } => {
                if let Some(inode) = self.entries[from.0].remove(&from.1) {
                    self.entries[to.0].insert(to.1.clone(), inode);
                }
            }
        }
    }

    fn write(&self, folder: Inode, to: &Path) {
        fs::create_dir_all(to).unwrap();
        for (name, inode) in &self.entries[folder] {
            let path = to.join(name);
            if self.is_folder[*inode] {
                self.write(*inode, &path);
                continue;
            }
            let (file, mut written) = (&self.files[*inode], fs::File::create(&path).unwrap());
            written.write_all(&file.bytes).unwrap();
            // Files may be longer than what was written to them, and need no room for that.
            written.set_len(file.length).unwrap();
        }
    }
}
