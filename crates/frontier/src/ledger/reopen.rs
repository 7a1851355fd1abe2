//! A frontier from what its shelf kept.

use super::stacks::UrlOrder;
use super::*;

impl<S: Shelf> Ledger<S> {
    /// The frontier as it was at its last commit, from what its shelf kept: hosts and entries in order of their numbers
    /// (each entry with its age where that is not its number), and what it kept of parents. Numbers of dropped entries are
    /// missing, and as many as were dropped must be.
    ///
    /// Every host rests one full delay from `now`: when its last request was made is not known, since nothing is written
    /// when a lease is taken.
    pub fn reopen(
        shelf: S,
        policy: Policy,
        keyring: Keyring,
        hosts: impl IntoIterator<Item = HostRecord>,
        entries: impl IntoIterator<Item = Result<(UrlId, Entry, Option<u32>), FrontierError>>,
        kinship: Kinship,
        now: Timestamp,
    ) -> Result<Ledger<S>, FrontierError> {
        let mut ledger = Ledger::over(shelf, policy, keyring);
        ledger.restore_unit()?;
        ledger.parent_counts = kinship.parent_counts;
        ledger.parents_dropped = kinship.parents_dropped;
        ledger.raised = kinship
            .raised
            .into_iter()
            .map(|(page, whose, agent, rank)| ((page.0, whose == Parents::All, agent), rank))
            .collect();
        for record in hosts {
            let mut host = Host::from_record(record);
            let rested = now + ledger.policy.usual_rest(&host);
            host.rest_until = host.rest_until.max(rested);
            ledger
                .host_ids
                .insert(host.origin.clone(), HostId(ledger.hosts.len() as u32));
            ledger.hosts.push(host);
        }
        let mut queues: BTreeMap<(HostId, AgentId), Vec<u32>> = BTreeMap::new();
        // The entry before: its parent, and whether it stands in that page's run of ids.
        let mut before: Option<(UrlId, UrlId, bool)> = None;
        for row in entries {
            let (id, entry, other_age) = row?;
            if entry.host.0 as usize >= ledger.hosts.len() {
                return Err(damaged("an entry without host"));
            }
            if id < UrlId(ledger.entries.len()) {
                return Err(damaged("entries out of order"));
            }
            if entry.parent.known().is_some_and(|parent| parent >= id) {
                return Err(damaged("a URL older than its parent"));
            }
            ledger.admit(entry.agent())?;
            ledger.entries.skip_to(id);
            ledger.entries.push(entry);
            if entry.has(flag::CLAIM) {
                let base = ledger.find(entry.key);
                let base = base.ok_or_else(|| damaged("a claim on no URL"))?;
                ledger.claims.entry(base.0).or_default().push(id);
            } else {
                ledger.know(entry.key, id);
            }
            if let Some(age) = other_age {
                ledger.entries.set_age(id, age);
            }
            if entry.state == State::Waiting {
                queues.entry((entry.host, entry.agent())).or_default().push(id.0);
                ledger.waiting += u64::from(!entry.has(flag::CLAIM));
                ledger.in_stack[usize::from(entry.agent().0)] += 1;
                ledger.seeds_in_line += u64::from(entry.has(flag::SEED));
            }
            if entry.has(flag::REVISIT) {
                ledger.hosts[entry.host.0 as usize].revisits.push(id.0);
            }
            let mut in_run = false;
            if let Some(parent) = entry.parent.known() {
                let follows = before.is_some_and(|(_, page, in_run)| in_run && page == parent);
                let first = ledger.entries.get(parent).and_then(Entry::first_child);
                // The first child, or whatever is left from there on.
                let begins =
                    first.is_some_and(|first| first <= id && before.is_none_or(|(last, ..)| last < first));
                in_run = follows || begins;
                if !in_run {
                    ledger.adopted.entry(parent.0).or_default().push(id);
                }
            }
            before = Some((id, entry.parent, in_run));
        }
        ledger.restore_numbers()?;
        for ((host, agent), queue) in queues {
            ledger.hosts[host.0 as usize]
                .queue_mut(agent)
                .rebuild(queue, &mut UrlOrder(&mut ledger.entries));
        }
        for number in 0..ledger.hosts.len() {
            ledger.place(HostId(number as u32), now);
        }
        ledger.begin_stamps(now);
        Ok(ledger)
    }

    /// Takes up the numbering of a shelf from which entries were dropped.
    fn restore_numbers(&mut self) -> Result<(), FrontierError> {
        if let Some((_, value)) = self.shelf.notes(NUMBERS)?.pop() {
            let bytes: [u8; 28] = value
                .as_slice()
                .try_into()
                .map_err(|_| damaged("a numbering that is torn"))?;
            let mut parts = bytes.as_slice();
            let mut part = |length: usize| {
                let (part, rest) = parts.split_at(length);
                parts = rest;
                part.iter()
                    .rev()
                    .fold(0_u64, |number, byte| number << 8 | u64::from(*byte))
            };
            let next = u32::try_from(part(4)).unwrap_or(u32::MAX);
            self.dropped = part(8);
            self.expired = part(8);
            self.links_lost = part(8);
            self.parents_dropped = self.parents_dropped.saturating_sub(self.links_lost);
            self.noted_dropped = self.dropped;
            // Dropped numbers must not be given out again: others may still name them.
            self.entries.skip_to(UrlId(next));
        }
        let missing = u64::from(self.entries.len()) - self.entries.live() as u64;
        if missing != self.dropped {
            return Err(damaged(&format!(
                "{missing} entries are missing and {} were dropped",
                self.dropped
            )));
        }
        Ok(())
    }

    /// Notes the numbering, once anything was dropped.
    pub(super) fn note_numbers(&mut self) {
        let mut bytes = Vec::with_capacity(28);
        bytes.extend(self.entries.len().to_le_bytes());
        bytes.extend(self.dropped.to_le_bytes());
        bytes.extend(self.expired.to_le_bytes());
        bytes.extend(self.links_lost.to_le_bytes());
        self.shelf.put_note(NUMBERS, &bytes);
    }
}

/// The name the numbering is noted by.
const NUMBERS: &str = "frontier/numbers";

fn damaged(what: &str) -> FrontierError {
    FrontierError::Damaged {
        what: what.to_owned(),
    }
}
