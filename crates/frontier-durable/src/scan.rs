//! Reads the store back into a frontier.

use scenthound_frontier::{Entry, FrontierError, HostRecord, Kinship, Ledger, Policy, UrlId};
use scenthound_types::{Keyring, Timestamp};

use crate::DurableFrontier;
use crate::shelf::{FjallShelf, number, pair, read_entry, read_raised};

/// The frontier as it was at its last commit.
pub(crate) fn reopen(
    shelf: FjallShelf,
    policy: Policy,
    keyring: Keyring,
    now: Timestamp,
) -> Result<DurableFrontier, FrontierError> {
    let hosts = hosts(&shelf)?;
    let kinship = kinship(&shelf, &policy)?;
    let rows = shelf.tables.entries.iter();
    let folder = shelf.folder().to_owned();
    // Numbers of dropped URLs are missing; the ledger knows how many may be.
    let entries = rows.map(move |row| -> Result<(UrlId, Entry, Option<u32>), FrontierError> {
        let damaged = |what: String| FrontierError::Damaged {
            what: format!("{what} in {}", folder.display()),
        };
        let (key, value) = row
            .into_inner()
            .map_err(|error| FjallShelf::fault_in(&folder, error))?;
        let id = number(&key).ok_or_else(|| damaged("an entry without number".to_owned()))?;
        let (entry, age) = read_entry(&value).ok_or_else(|| damaged(format!("a torn entry number {id}")))?;
        Ok((UrlId(id), entry, age))
    });
    Ledger::reopen(shelf, policy, keyring, hosts, entries, kinship, now)
}

fn hosts(shelf: &FjallShelf) -> Result<Vec<HostRecord>, FrontierError> {
    let mut hosts = Vec::new();
    for row in shelf.tables.hosts.iter() {
        let (key, value) = row.into_inner().map_err(|error| shelf.fault(error))?;
        if *key != (hosts.len() as u32).to_be_bytes() {
            return Err(shelf.damaged(&format!("no host number {}", hosts.len())));
        }
        hosts.push(HostRecord::from_bytes(&value).ok_or_else(|| shelf.damaged("a torn host"))?);
    }
    Ok(hosts)
}

fn kinship(shelf: &FjallShelf, policy: &Policy) -> Result<Kinship, FrontierError> {
    let mut kinship = Kinship::default();
    for row in shelf.tables.raised.iter() {
        let (key, value) = row.into_inner().map_err(|error| shelf.fault(error))?;
        kinship
            .raised
            .push(read_raised(&key, &value).ok_or_else(|| shelf.damaged("a torn raise"))?);
    }
    if !policy.all_parents {
        return Ok(kinship);
    }
    let mut kept = 0_u64;
    for row in shelf.tables.parents.iter() {
        let key = row.key().map_err(|error| shelf.fault(error))?;
        let (child, _) = pair(&key).ok_or_else(|| shelf.damaged("a torn parent"))?;
        let counts = &mut kinship.parent_counts;
        if counts.len() <= child as usize {
            counts.resize(child as usize + 1, 0);
        }
        if let Some(count) = counts.get_mut(child as usize) {
            *count = count.saturating_add(1);
        }
        kept += 1;
    }
    // Every link stands in its page's list; what the parents' side lacks was dropped.
    let mut links = 0_u64;
    for row in shelf.tables.children.iter() {
        let (_, value) = row.into_inner().map_err(|error| shelf.fault(error))?;
        links += value.len() as u64 / 4;
    }
    kinship.parents_dropped = links.saturating_sub(kept);
    Ok(kinship)
}
