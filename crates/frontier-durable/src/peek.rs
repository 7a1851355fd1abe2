//! Looks up single URLs in a store without rebuilding the frontier that it holds.
//!
//! Opening a frontier reads every URL into memory, which takes seconds and hundreds of megabytes in a large crawl. Whoever
//! wants to know about a few URLs passes over the entries once instead and keeps only those.
//!
//! Deliberately absent: an index by key. It would have to be written for every URL of every crawl, for a question that people
//! ask now and then.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::time::Duration;

use scenthound_frontier::{
    CLOCK_NOTE, Counts, Entry, FrontierError, HostId, HostRecord, Spilled, State, Storage, UrlFacts, UrlId,
    noted_expired, noted_spilled,
};
use scenthound_types::{AgentId, CanonicalUrl, Evidence, Keyring, Priority, Timestamp, UrlKey};

use crate::DurableError;
use crate::folder;
use crate::storage::{FjallStorage, number, read_entry};

/// The note that holds the unit of cash.
const UNIT: &str = "frontier/unit";

/// A store to look things up in.
#[derive(Debug)]
pub struct Peek {
    storage: FjallStorage,
    keyring: Keyring,
    /// How far the clock was set back since the last commit.
    ahead: Duration,
}

/// What looking up some URLs found.
#[derive(Debug, Default)]
pub struct Peeked {
    /// Facts about each, and its number, in the order they were asked for; none for those that are not known.
    pub urls: Vec<Option<(UrlId, UrlFacts)>>,
    /// How many URLs wait in all.
    pub waiting: u64,
}

/// An entry that was asked for, and the first claim on it.
#[derive(Clone, Copy, Default)]
struct Found {
    base: Option<(UrlId, Entry, u32)>,
    claim: Option<(UrlId, Entry)>,
}

/// Whether it is a URL that waits, and not another agent's claim on one.
fn waits(entry: &Entry) -> bool {
    matches!(entry.state, State::Waiting | State::Drawn) && !entry.is_claim()
}

impl Peek {
    /// Opens the store in a folder. Fails if there is none, or if another process has it open.
    pub fn open(folder: &Path, keyring: Keyring, now: Timestamp) -> Result<Peek, FrontierError> {
        if !folder::holds_store(folder, keyring)? {
            return Err(DurableError::Missing {
                folder: folder.to_owned(),
            }
            .into());
        }
        let storage = FjallStorage::open(folder)?.read_only();
        let noted = storage.notes(CLOCK_NOTE)?.pop();
        let noted = noted.and_then(|(_, value)| value.try_into().ok());
        let ahead = noted.map_or(Duration::ZERO, |bytes| {
            Timestamp::from_millis(u64::from_le_bytes(bytes)).since(now)
        });
        Ok(Peek {
            storage,
            keyring,
            ahead,
        })
    }

    /// Looks up some URLs in one pass.
    pub fn look_up(&self, urls: &[&CanonicalUrl]) -> Result<Peeked, FrontierError> {
        let keys: Vec<_> = urls.iter().map(|url| self.keyring.key(url)).collect();
        let mut found = vec![Found::default(); urls.len()];
        let mut waiting = 0;
        self.pass_over(|id, entry, age| {
            waiting += u64::from(waits(entry));
            let wanted = keys.iter().zip(&mut found).find(|(key, _)| **key == entry.key);
            let Some((_, found)) = wanted else { return };
            if entry.is_claim() {
                found.claim.get_or_insert((id, *entry));
            } else {
                found.base = Some((id, *entry, age));
            }
        })?;
        let facts = found.into_iter().map(|found| self.facts(found));
        let mut facts = facts.collect::<Result<Vec<_>, _>>()?;
        if facts.iter().any(Option::is_none) && noted_spilled(&self.storage)? > 0 {
            self.storage.each_spilled(&mut |spilled| {
                let wanted = urls.iter().zip(&mut facts);
                for (_, facts) in wanted.filter(|(url, facts)| facts.is_none() && ***url == spilled.known.url)
                {
                    *facts = Some((UrlId::NONE, self.facts_on_disk(&spilled)?));
                }
                Ok(())
            })?;
        }
        Ok(Peeked { urls: facts, waiting })
    }

    /// What is known of a link that waits on the disk.
    fn facts_on_disk(&self, spilled: &Spilled) -> Result<UrlFacts, FrontierError> {
        let parent = self.entry(spilled.parent)?;
        let host = self.host_named(spilled.known.url.origin())?;
        let host = host.map(|(_, host)| host);
        Ok(UrlFacts {
            url: spilled.known.url.clone(),
            state: State::Waiting,
            priority: Priority {
                rank: spilled.rank,
                age: spilled.age,
            },
            parent: parent.map(|parent| parent.key),
            parent_url: self.url_of(spilled.parent, parent)?,
            depth: spilled.depth,
            seed: false,
            reason: spilled.known.reason,
            agent: AgentId::default(),
            host_rests_until: host
                .as_ref()
                .map_or(Timestamp::ZERO, |host| host.rest_until.earlier(self.ahead)),
            host_failures: host.as_ref().map_or(0, |host| host.failures),
            host_pages: host.map_or(0, |host| host.pages),
        })
    }

    /// The URL of an entry, if there is one.
    fn url_of(&self, id: UrlId, entry: Option<Entry>) -> Result<Option<CanonicalUrl>, FrontierError> {
        let Some(entry) = entry else {
            return Ok(None);
        };
        let host = self.host(entry.host)?;
        Ok(Some(self.storage.url(id, &host.origin)?.url))
    }

    /// A host by its origin.
    fn host_named(&self, origin: &str) -> Result<Option<(HostId, HostRecord)>, FrontierError> {
        for row in self.storage.tables.hosts.iter() {
            let (key, value) = row.into_inner().map_err(|error| self.storage.fault(error))?;
            if let Some(host) = HostRecord::from_bytes(&value).filter(|host| host.origin == origin)
                && let Some(id) = number(&key)
            {
                return Ok(Some((HostId(id), host)));
            }
        }
        Ok(None)
    }

    /// The figures of the frontier.
    pub fn counts(&self, now: Timestamp) -> Result<Counts, FrontierError> {
        let mut counts = Counts {
            expired: noted_expired(&self.storage)?,
            on_disk: noted_spilled(&self.storage)?,
            ..Counts::default()
        };
        let mut asked_for = HashSet::new();
        self.pass_over(|_, entry, _| {
            counts.known += u64::from(!entry.is_claim());
            if waits(entry) {
                counts.waiting += 1;
                asked_for.insert(entry.host.0);
            }
        })?;
        for row in self.storage.tables.hosts.iter() {
            let (key, value) = row.into_inner().map_err(|error| self.storage.fault(error))?;
            let host = HostRecord::from_bytes(&value).zip(number(&key));
            let (host, id) = host.ok_or_else(|| self.storage.damaged("a host is incomplete"))?;
            counts.hosts += 1;
            let rests = host.rest_until.earlier(self.ahead) > now && asked_for.contains(&id);
            counts.hosts_resting += u64::from(rests);
        }
        Ok(counts)
    }

    /// Shows every entry with its number and its age.
    fn pass_over(&self, mut look: impl FnMut(UrlId, &Entry, u32)) -> Result<(), FrontierError> {
        for row in self.storage.tables.entries.iter() {
            let (key, value) = row.into_inner().map_err(|error| self.storage.fault(error))?;
            let entry = read_entry(&value).zip(number(&key));
            let ((entry, other_age), id) =
                entry.ok_or_else(|| self.storage.damaged("an entry is incomplete"))?;
            look(UrlId(id), &entry, other_age.unwrap_or(id));
        }
        Ok(())
    }

    fn facts(&self, found: Found) -> Result<Option<(UrlId, UrlFacts)>, FrontierError> {
        let Some((base, entry, age)) = found.base else {
            return Ok(None);
        };
        // How a URL was found is recorded by the agent that leased it, or by the first while it waits.
        let (found_by, by) = match entry.state {
            State::Fetched | State::Gone => found.claim.unwrap_or((base, entry)),
            _ => (base, entry),
        };
        let host = self.host(entry.host)?;
        let known = self.storage.url(found_by, &host.origin)?;
        let parent = self.entry(by.parent)?;
        let facts = UrlFacts {
            url: known.url,
            state: entry.state,
            priority: entry.priority_with(age),
            parent: parent.map(|parent| parent.key),
            parent_url: self.url_of(by.parent, parent)?,
            depth: by.depth,
            seed: by.is_seed(),
            reason: known.reason,
            agent: by.agent(),
            host_rests_until: host.rest_until.earlier(self.ahead),
            host_failures: host.failures,
            host_pages: host.pages,
        };
        Ok(Some((base, facts)))
    }

    fn entry(&self, id: UrlId) -> Result<Option<Entry>, FrontierError> {
        let bytes = self.storage.tables.entries.get(id.0.to_be_bytes());
        let bytes = bytes.map_err(|error| self.storage.fault(error))?;
        Ok(bytes.and_then(|bytes| read_entry(&bytes)).map(|(entry, _)| entry))
    }

    fn host(&self, id: HostId) -> Result<HostRecord, FrontierError> {
        let host = self.storage.host(id)?;
        host.ok_or_else(|| self.storage.damaged("an entry has no host"))
    }

    /// The robots rules of a URL's host.
    pub fn rules(&self, url: &CanonicalUrl) -> Result<Option<Vec<u8>>, FrontierError> {
        match self.host_named(url.origin())? {
            Some((id, _)) => self.storage.rules(id),
            None => Ok(None),
        }
    }

    /// What is known of the links to a waiting URL, by its number.
    pub fn evidence(&self, id: UrlId) -> Result<Option<Evidence>, FrontierError> {
        match self.entry(id)?.is_some_and(|entry| entry.has_evidence()) {
            true => self.storage.evidence(id),
            false => Ok(None),
        }
    }

    /// The notes whose names begin like this.
    pub fn notes(&self, prefix: &str) -> Result<Vec<(String, Vec<u8>)>, FrontierError> {
        self.storage.notes(prefix)
    }

    /// The cash that fetched pages have gathered since their last visit, in the unit of the frontier; pages without any are left
    /// out.
    pub fn held_cash(&self) -> Result<HashMap<UrlKey, f64>, FrontierError> {
        let mut held = HashMap::new();
        self.pass_over(|_, entry, age| {
            let cash = entry.priority_with(age).rank.score.get();
            if entry.state == State::Fetched && !entry.is_claim() && cash != 0.0 {
                held.insert(entry.key, cash);
            }
        })?;
        Ok(held)
    }

    /// How much finer the unit of cash is than at the start, as a power of two.
    pub fn unit(&self) -> Result<i32, FrontierError> {
        let noted = self.storage.notes(UNIT)?.pop();
        let bytes = noted.and_then(|(_, value)| value.try_into().ok());
        Ok(bytes.map_or(0, i32::from_le_bytes))
    }
}
