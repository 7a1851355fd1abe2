//! A frontier from what its shelf kept.

use super::*;

impl<S: Shelf> Ledger<S> {
    /// The frontier as it was at its last commit, from what its shelf kept: hosts and entries in order of their numbers
    /// (each entry with its age where that is not its number), and what it kept of parents.
    ///
    /// Every host rests one full delay from `now`: when its last request was made is not known, since nothing is written
    /// when a lease is taken.
    pub fn reopen(
        shelf: S,
        policy: Policy,
        keyring: Keyring,
        hosts: impl IntoIterator<Item = HostRecord>,
        entries: impl IntoIterator<Item = Result<(Entry, Option<u32>), FrontierError>>,
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
            .map(|(page, whose, rank)| ((page.0, whose == Parents::All), rank))
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
        let mut queues: Vec<Vec<u32>> = vec![Vec::new(); ledger.hosts.len()];
        // Whether the entry before stands in its parent's run of ids.
        let mut in_run = false;
        for entry in entries {
            let (entry, other_age) = entry?;
            let damaged = |what: &str| FrontierError::Damaged {
                what: what.to_owned(),
            };
            let queue = queues
                .get_mut(entry.host.0 as usize)
                .ok_or_else(|| damaged("an entry without host"))?;
            let id = ledger.entries.push(entry);
            if entry.parent.known().is_some_and(|parent| parent >= id) {
                return Err(damaged("a URL older than its parent"));
            }
            ledger
                .ids
                .insert_unique(entry.key.0, id.0, |id| ledger.entries[UrlId(*id)].key.0);
            if let Some(age) = other_age {
                ledger.entries.set_age(id, age);
            }
            if entry.state == State::Waiting {
                queue.push(id.0);
                ledger.waiting += 1;
            }
            if entry.has(flag::REVISIT) {
                ledger.hosts[entry.host.0 as usize].revisits.push(id.0);
            }
            if let Some(parent) = entry.parent.known() {
                let follows = in_run && ledger.entries[UrlId(id.0 - 1)].parent == parent;
                in_run = follows || ledger.entries[parent].first_child() == Some(id);
                if !in_run {
                    ledger.adopted.entry(parent.0).or_default().push(id);
                }
            } else {
                in_run = false;
            }
        }
        for (number, queue) in queues.into_iter().enumerate() {
            ledger.hosts[number]
                .queue
                .rebuild(queue, &mut UrlOrder(&mut ledger.entries));
            ledger.place(HostId(number as u32), now);
        }
        Ok(ledger)
    }
}
