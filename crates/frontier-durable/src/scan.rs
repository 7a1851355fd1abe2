//! Reads the store back into a frontier.

use scenthound_frontier::{Entry, FrontierError, HostPolicy, HostRecord, Kinship, StoredFrontier, UrlId};
use scenthound_types::{Keyring, Timestamp};

use crate::storage::{FjallStorage, number, pair, read_entry, read_raised};
use crate::{DurableError, DurableFrontier};

/// The frontier as it was at its last commit. What is damaged is said with the folder it is in, and with what to do.
pub(crate) fn reopen(
    storage: FjallStorage,
    policy: HostPolicy,
    keyring: Keyring,
    now: Timestamp,
) -> Result<DurableFrontier, FrontierError> {
    let folder = storage.folder().to_owned();
    read_back(storage, policy, keyring, now).map_err(|error| match error {
        FrontierError::Damaged { what } => DurableError::Damaged { folder, what }.into(),
        other => other,
    })
}

fn read_back(
    storage: FjallStorage,
    policy: HostPolicy,
    keyring: Keyring,
    now: Timestamp,
) -> Result<DurableFrontier, FrontierError> {
    let hosts = hosts(&storage)?;
    let kinship = kinship(&storage, &policy)?;
    let rows = storage.tables.entries.iter();
    let folder = storage.folder().to_owned();
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
    let entries = Bounded {
        rows: entries,
        most: storage.numbers() as usize,
    };
    let frontier = StoredFrontier::reopen(storage, policy, keyring, hosts, entries, kinship, now)?;
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
