//! Reads a shard back into a frontier.

use std::collections::BTreeMap;
use std::sync::Arc;

use scenthound_frontier::{
    Entry, FrontierError, HostPolicy, HostRecord, Kept, Kinship, Queues, Storage, StoredFrontier, UrlId,
};
use scenthound_types::{Evidence, Keyring, Timestamp};

use crate::keys::{Shard, Table};
use crate::mail::parse;
use crate::pending::{PART, SLOT};
use crate::storage::{RedisStorage, number, pair, read_entry, read_ids, read_raised, read_url};
use crate::{Claim, Link, RedisFault, ShardFrontier};

/// Fields asked for at a time.
const FIELDS: usize = 1_000;

type Field = (Vec<u8>, Vec<u8>);

/// The shard as it was at its last commit.
pub(crate) fn reopen(
    link: Arc<Link>,
    shard: Shard,
    claim: Claim,
    policy: HostPolicy,
    keyring: Keyring,
    now: Timestamp,
) -> Result<ShardFrontier, FrontierError> {
    let mut command = redis::cmd("HMGET");
    command
        .arg(shard.owner())
        .arg("token")
        .arg("commits")
        .arg("numbers");
    let (token, done, numbers): (Option<u64>, Option<u64>, Option<u32>) = link.query(&command)?;
    if token != Some(claim.0) {
        return Err(RedisFault::Fenced {
            shard: shard.number(),
        }
        .into());
    }
    let mut storage = RedisStorage::new(link, shard, claim, done.unwrap_or_default());
    storage.numbers = numbers.unwrap_or_default();
    read_notes(&mut storage)?;
    read_mail(&mut storage)?;
    let hosts = read_hosts(&mut storage)?;
    let entries = read_entries(&storage)?;
    read_urls(&mut storage, &entries)?;
    let kinship = read_kinship(&mut storage, &policy)?;
    let entries = entries
        .into_iter()
        .map(|(id, (entry, age))| Ok((UrlId(id), entry, age)));
    let kept = Kept {
        hosts,
        entries,
        queues: Queues::Unordered,
        kinship,
    };
    StoredFrontier::reopen(storage, policy, keyring, kept, now)
}

/// All fields of a table, in order.
fn fields(storage: &RedisStorage, table: Table) -> Result<Vec<Field>, RedisFault> {
    let mut fields = Vec::new();
    let mut cursor = 0_u64;
    loop {
        let mut command = redis::cmd("HSCAN");
        command
            .arg(storage.shard.table(table))
            .arg(cursor)
            .arg("COUNT")
            .arg(FIELDS);
        let (next, found): (u64, Vec<Field>) = storage.link.query(&command)?;
        fields.extend(found);
        if next == 0 {
            break;
        }
        cursor = next;
    }
    fields.sort_unstable();
    // A scan may give a field twice while the table is rehashed.
    fields.dedup_by(|a, b| a.0 == b.0);
    Ok(fields)
}

fn read_notes(storage: &mut RedisStorage) -> Result<(), RedisFault> {
    for (name, value) in fields(storage, Table::Notes)? {
        let name = String::from_utf8(name).map_err(|_| storage.damaged("a note has no readable name"))?;
        storage.memory.put_note(&name, &value);
    }
    Ok(())
}

fn read_mail(storage: &mut RedisStorage) -> Result<(), RedisFault> {
    let damaged = storage.damaged("a letter has no readable number");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).ok();
    let counted = |(shard, number): Field| Some((text(shard)?.parse().ok()?, text(number)?.parse().ok()?));
    for field in fields(storage, Table::Sent)? {
        let Some((shard, number)) = counted(field) else {
            return Err(damaged);
        };
        storage.mail.sent.insert(shard, number);
    }
    for field in fields(storage, Table::Read)? {
        let Some((shard, number)) = counted(field) else {
            return Err(damaged);
        };
        storage.mail.read.insert(shard, (number, 0));
    }
    for (field, body) in fields(storage, Table::Outbox)? {
        let Some(at) = text(field).as_deref().and_then(parse) else {
            return Err(damaged);
        };
        storage.mail.outbox.insert(at, (0, body));
    }
    Ok(())
}

fn read_hosts(storage: &mut RedisStorage) -> Result<Vec<HostRecord>, RedisFault> {
    let mut hosts = Vec::new();
    for (field, value) in fields(storage, Table::Hosts)? {
        if number(&field) != u32::try_from(hosts.len()).ok() {
            return Err(storage.damaged(&format!("host {} is missing", hosts.len())));
        }
        hosts.push(
            HostRecord::from_bytes(&value).ok_or_else(|| storage.damaged("a host record is incomplete"))?,
        );
    }
    for (field, value) in fields(storage, Table::Rules)? {
        let host = number(&field).ok_or_else(|| storage.damaged("rules belong to no host"))?;
        storage
            .memory
            .put_rules(scenthound_frontier::HostId(host), &value);
    }
    Ok(hosts)
}

type Entries = BTreeMap<u32, (Entry, Option<u32>)>;

fn read_entries(storage: &RedisStorage) -> Result<Entries, RedisFault> {
    let mut entries = Entries::new();
    for part in 0..storage.numbers.div_ceil(PART) {
        let mut command = redis::cmd("GET");
        command.arg(storage.shard.entries(part));
        let bytes: Option<Vec<u8>> = storage.link.query(&command)?;
        let mut id = part * PART;
        for slot in bytes.unwrap_or_default().chunks(SLOT) {
            let entry =
                read_entry(slot).ok_or_else(|| storage.damaged(&format!("entry {id} is incomplete")))?;
            if let Some(entry) = entry {
                entries.insert(id, entry);
            }
            id += 1;
        }
        let expected = storage.numbers.min((part + 1) * PART);
        if id < expected {
            return Err(storage.damaged(&format!("entries {id} to {expected} are missing")));
        }
    }
    Ok(entries)
}

/// URLs are written once. Those of dropped entries are passed over.
fn read_urls(storage: &mut RedisStorage, entries: &Entries) -> Result<(), RedisFault> {
    let mut next = 0;
    for part in 0..storage.numbers.div_ceil(PART) {
        let mut command = redis::cmd("GET");
        command.arg(storage.shard.urls(part));
        let bytes: Option<Vec<u8>> = storage.link.query(&command)?;
        let bytes = bytes.unwrap_or_default();
        let mut rest = bytes.as_slice();
        while !rest.is_empty() {
            let Some((id, url, after)) = next_url(rest) else {
                return Err(storage.damaged("the URLs end in the middle of one"));
            };
            rest = after;
            // Numbers grow. One that does not was written twice.
            if id >= next && entries.contains_key(&id) {
                next = id + 1;
                let known =
                    read_url(url).ok_or_else(|| storage.damaged(&format!("URL {id} is not valid")))?;
                storage.memory.put_url(UrlId(id), &known);
            }
        }
    }
    if storage.memory.len() != entries.len() {
        return Err(storage.damaged(&format!(
            "there are {} URLs for {} entries",
            storage.memory.len(),
            entries.len()
        )));
    }
    let known = fields(storage, Table::Evidence)?;
    for (field, value) in known {
        let evidence = number(&field).zip(Evidence::from_bytes(&value));
        let (id, evidence) =
            evidence.ok_or_else(|| storage.damaged("what is known of a link is incomplete"))?;
        storage.memory.put_evidence(UrlId(id), &evidence);
    }
    Ok(())
}

pub(crate) fn next_url(bytes: &[u8]) -> Option<(u32, &[u8], &[u8])> {
    let (id, rest) = bytes.split_first_chunk()?;
    let (length, rest) = rest.split_first_chunk()?;
    let (url, rest) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
    Some((u32::from_le_bytes(*id), url, rest))
}

fn read_kinship(storage: &mut RedisStorage, policy: &HostPolicy) -> Result<Kinship, RedisFault> {
    let mut kinship = Kinship::default();
    for (field, value) in fields(storage, Table::Raised)? {
        let raised = read_raised(&field, &value);
        kinship
            .raised
            .push(raised.ok_or_else(|| storage.damaged("a record of a raise is incomplete"))?);
    }
    if !policy.all_parents {
        return Ok(kinship);
    }
    let parents = fields(storage, Table::Parents)?;
    let kept = parents.len() as u64;
    for (field, _) in parents {
        let (child, parent) = pair(&field).ok_or_else(|| storage.damaged("a parent link is incomplete"))?;
        let counts = &mut kinship.parent_counts;
        if counts.len() <= child as usize {
            counts.resize(child as usize + 1, 0);
        }
        if let Some(count) = counts.get_mut(child as usize) {
            *count = count.saturating_add(1);
        }
        storage.memory.put_parent(UrlId(child), UrlId(parent));
    }
    // Every link is in its page's list; those missing on the parents' side were dropped.
    let mut links = 0_u64;
    for (field, value) in fields(storage, Table::Children)? {
        let children = number(&field).zip(read_ids(&value));
        let (page, children) = children.ok_or_else(|| storage.damaged("a list of links is incomplete"))?;
        links += children.len() as u64;
        storage.memory.put_children(UrlId(page), &children);
    }
    kinship.parents_dropped = links.saturating_sub(kept);
    Ok(kinship)
}
