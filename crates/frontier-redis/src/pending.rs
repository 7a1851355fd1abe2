//! What was put into a shard since the last commit, and the commits that may have to be sent again.

use std::collections::{BTreeMap, VecDeque};

use redis::Cmd;

use crate::keys::{Shard, Table};
use crate::script;

/// Bytes of an entry: whether there is one and whether it has an age of its own, the entry, the age.
pub(crate) const SLOT: usize = 45;
/// Entries, and URLs, per key.
pub(crate) const PART: u32 = 1 << 16;
/// How many commits are kept to be sent again. A server whose replica takes over has lost at most the last moments.
const KEPT: usize = 64;

/// The changes since the last commit. One value per key; ordered, so that what is sent depends only on the crawl.
#[derive(Debug, Default)]
pub(crate) struct Pending {
    /// By number of the URL; zeros where it was dropped.
    pub entries: BTreeMap<u32, [u8; SLOT]>,
    /// By number of the URL.
    pub urls: BTreeMap<u32, Vec<u8>>,
    /// None where the field is removed.
    pub fields: BTreeMap<(Table, Vec<u8>), Option<Vec<u8>>>,
}

impl Pending {
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty() && self.urls.is_empty() && self.fields.is_empty()
    }
}

/// A commit as it is sent.
#[derive(Debug)]
struct Batch {
    number: u64,
    keys: Vec<String>,
    arguments: Vec<Vec<u8>>,
}

/// The commits of a shard.
#[derive(Debug)]
pub(crate) struct Commits {
    /// The last one that was made.
    made: u64,
    /// The last one that Redis confirmed.
    pub confirmed: u64,
    kept: VecDeque<Batch>,
}

impl Commits {
    /// After this many commits.
    pub fn after(done: u64) -> Commits {
        Commits {
            made: done,
            confirmed: done,
            kept: VecDeque::new(),
        }
    }

    pub fn made(&self) -> u64 {
        self.made
    }

    /// Makes a commit of all changes.
    pub fn make(&mut self, shard: &Shard, pending: Pending, numbers: u32) {
        self.made += 1;
        let mut batch = Batch {
            number: self.made,
            keys: vec![shard.owner()],
            arguments: Vec::new(),
        };
        batch.add(
            &shard.owner(),
            b"H",
            [b"numbers".to_vec(), numbers.to_string().into_bytes()],
        );
        batch.add_entries(shard, &pending.entries);
        let mut parts: BTreeMap<u32, Vec<u8>> = BTreeMap::new();
        for (id, url) in &pending.urls {
            let part = parts.entry(id / PART).or_default();
            part.extend(id.to_le_bytes());
            part.extend((url.len() as u32).to_le_bytes());
            part.extend(url);
        }
        for (part, bytes) in parts {
            batch.add(&shard.urls(part), b"A", [bytes]);
        }
        for ((table, field), value) in pending.fields {
            let key = shard.table(table);
            match value {
                Some(value) => batch.add(&key, b"H", [field, value]),
                None => batch.add(&key, b"D", [field]),
            }
        }
        self.kept.push_back(batch);
    }

    /// The first commit that Redis has not confirmed.
    pub fn next(&self, token: u64) -> Option<Cmd> {
        let batch = self
            .kept
            .iter()
            .find(|batch| batch.number == self.confirmed + 1)?;
        let mut command = script::commit(&batch.keys);
        command.arg(token).arg(batch.number);
        for argument in &batch.arguments {
            command.arg(argument.as_slice());
        }
        Some(command)
    }

    /// Redis has confirmed a commit.
    pub fn confirm(&mut self) {
        self.confirmed += 1;
        while self.kept.len() > KEPT
            && self
                .kept
                .front()
                .is_some_and(|batch| batch.number < self.confirmed)
        {
            self.kept.pop_front();
        }
    }
}

impl Batch {
    fn add<const N: usize>(&mut self, key: &str, what: &[u8], arguments: [Vec<u8>; N]) {
        // Keys come in runs.
        let at = match self.keys.iter().rposition(|known| known == key) {
            Some(at) => at,
            None => {
                self.keys.push(key.to_owned());
                self.keys.len() - 1
            }
        };
        self.arguments.push(what.to_vec());
        self.arguments.push((at + 1).to_string().into_bytes());
        self.arguments.extend(arguments);
    }

    /// Neighbours are written together.
    fn add_entries(&mut self, shard: &Shard, entries: &BTreeMap<u32, [u8; SLOT]>) {
        let mut run: Option<(u32, Vec<u8>)> = None;
        let mut next = 0;
        for (id, bytes) in entries {
            match &mut run {
                Some((_, written)) if *id == next && *id % PART != 0 => written.extend(bytes),
                _ => {
                    self.add_run(shard, run.take());
                    run = Some((*id, bytes.to_vec()));
                }
            }
            next = id + 1;
        }
        self.add_run(shard, run);
    }

    fn add_run(&mut self, shard: &Shard, run: Option<(u32, Vec<u8>)>) {
        if let Some((first, bytes)) = run {
            let place = (first % PART) as usize * SLOT;
            self.add(
                &shard.entries(first / PART),
                b"R",
                [place.to_string().into_bytes(), bytes],
            );
        }
    }
}
