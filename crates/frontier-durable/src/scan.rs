//! Reads the store back into a frontier.

use std::path::Path;

use scenthound_frontier::{
    Entry, FrontierError, HostPolicy, HostRecord, Kept, Kinship, Queues, StoredFrontier, UrlId,
};
use scenthound_types::{Keyring, Timestamp};

use crate::storage::{FjallStorage, number, pair, read_entry, read_raised};
use crate::{DurableError, DurableFrontier};

/// The frontier in a folder as it was at its last commit. What is damaged is said with the folder it is in, and with what to do.
pub(crate) fn reopen(
    folder: &Path,
    access: Access,
    policy: HostPolicy,
    keyring: Keyring,
    now: Timestamp,
) -> Result<DurableFrontier, FrontierError> {
    let open = || {
        let storage = FjallStorage::open(folder)?;
        Ok::<_, FrontierError>(match access {
            Access::Full => storage,
            Access::ReadOnly => storage.read_only(),
        })
    };
    let storage = open()?;
    if let Some(rows) = storage.snapshot()? {
        match read_back(storage, rows, Queues::AsStored, policy.clone(), keyring, now) {
            // The copy of the entries may be damaged. The store decides.
            Err(FrontierError::Damaged { .. }) => {}
            opened => return opened,
        }
        return read_store(open()?, policy, keyring, now);
    }
    read_store(storage, policy, keyring, now)
}

/// What a frontier is opened for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Access {
    Full,
    ReadOnly,
}

/// Reads the entries from the store itself.
fn read_store(
    storage: FjallStorage,
    policy: HostPolicy,
    keyring: Keyring,
    now: Timestamp,
) -> Result<DurableFrontier, FrontierError> {
    let rows = storage.tables.entries.iter();
    let folder = storage.folder().to_owned();
    let damaged_in = folder.clone();
    // Numbers of dropped URLs are missing; the frontier knows how many there may be.
    let entries = rows.map(move |row| -> Result<(UrlId, Entry, Option<u32>), FrontierError> {
        let damaged = |what: String| FrontierError::Damaged {
            what: format!("{what} in {}", folder.display()),
        };
        let (key, value) = row
            .into_inner()
            .map_err(|error| FjallStorage::fault_in(&folder, error))?;
        let id = number(&key).ok_or_else(|| damaged("an entry has no number".to_owned()))?;
        let (entry, age) = read_entry(&value).ok_or_else(|| damaged(format!("entry {id} is incomplete")))?;
        Ok((UrlId(id), entry, age))
    });
    read_back(storage, entries, Queues::Unordered, policy, keyring, now).map_err(|error| match error {
        FrontierError::Damaged { what } => DurableError::Damaged {
            folder: damaged_in,
            what,
        }
        .into(),
        other => other,
    })
}

fn read_back(
    storage: FjallStorage,
    rows: impl Iterator<Item = Result<(UrlId, Entry, Option<u32>), FrontierError>>,
    queues: Queues,
    policy: HostPolicy,
    keyring: Keyring,
    now: Timestamp,
) -> Result<DurableFrontier, FrontierError> {
    let kept = Kept {
        hosts: hosts(&storage)?,
        kinship: kinship(&storage, &policy)?,
        entries: Bounded {
            rows,
            most: storage.numbers() as usize,
        },
        queues,
    };
    let frontier = StoredFrontier::reopen(storage, policy, keyring, kept, now)?;
    frontier.storage().check_entries(frontier.numbers())?;
    Ok(frontier)
}

/// Rows of which there are at most so many.
struct Bounded<I> {
    rows: I,
    most: usize,
}

impl<I: Iterator> Iterator for Bounded<I> {
    type Item = I::Item;

    fn next(&mut self) -> Option<I::Item> {
        self.rows.next()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (0, Some(self.most))
    }
}

fn hosts(storage: &FjallStorage) -> Result<Vec<HostRecord>, FrontierError> {
    let mut hosts = Vec::new();
    for row in storage.tables.hosts.iter() {
        let (key, value) = row.into_inner().map_err(|error| storage.fault(error))?;
        if *key != (hosts.len() as u32).to_be_bytes() {
            return Err(storage.damaged(&format!("host {} is missing", hosts.len())));
        }
        hosts.push(
            HostRecord::from_bytes(&value).ok_or_else(|| storage.damaged("a host record is incomplete"))?,
        );
    }
    Ok(hosts)
}

fn kinship(storage: &FjallStorage, policy: &HostPolicy) -> Result<Kinship, FrontierError> {
    let mut kinship = Kinship::default();
    for row in storage.tables.raised.iter() {
        let (key, value) = row.into_inner().map_err(|error| storage.fault(error))?;
        kinship.raised.push(
            read_raised(&key, &value).ok_or_else(|| storage.damaged("a record of a raise is incomplete"))?,
        );
    }
    if !policy.all_parents {
        return Ok(kinship);
    }
    let mut kept = 0_u64;
    for row in storage.tables.parents.iter() {
        let key = row.key().map_err(|error| storage.fault(error))?;
        let (child, _) = pair(&key).ok_or_else(|| storage.damaged("a parent link is incomplete"))?;
        let counts = &mut kinship.parent_counts;
        if counts.len() <= child as usize {
            counts.resize(child as usize + 1, 0);
        }
        if let Some(count) = counts.get_mut(child as usize) {
            *count = count.saturating_add(1);
        }
        kept += 1;
    }
    // Every link is in its page's list; those missing on the parents' side were dropped.
    let mut links = 0_u64;
    for row in storage.tables.children.iter() {
        let (_, value) = row.into_inner().map_err(|error| storage.fault(error))?;
        links += value.len() as u64 / 4;
    }
    kinship.parents_dropped = links.saturating_sub(kept);
    Ok(kinship)
}
