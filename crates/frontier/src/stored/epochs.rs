//! Evidence of waiting links, and rescoring them when a strategy's model has changed.
//!
//! An epoch is a range of ids: everything that had entered when it was opened. A cursor goes through the range in
//! batches. A link that would be leased before the cursor reaches it is rescored when it surfaces. So the head of the
//! order is right at once and the rest in the end, and no single call rescores every link just because a model
//! changed a little.
//!
//! A changed model changes the ranks of a hundred links after every page, and changes most of them again before long. So
//! new ranks take effect at once, but are written only with the entry's next other change or when
//! [`Frontier::keep_ranks`] or [`Frontier::keep_some_ranks`] asks for it, and so is how far an epoch has come. A crash loses the
//! latest of them, and a note says so; a strategy that did not ask in time then opens an epoch and scores those links again.
//!
//! A link that many pages contain changes its rank with each of them. If ranks follow from notes, these are written in the same way:
//! the notes are all there.

use super::reopen::damaged;
use super::*;

/// The most ids the sweep looks at per link it rescores. Most ids of a long crawl no longer wait.
const LOOKS: usize = 64;

/// The part of an agent's stack that has not been rescored since its model changed.
#[derive(Debug, Default)]
pub(super) struct Epoch {
    /// The sweep has reached this id…
    cursor: u32,
    /// …and ends here.
    end: u32,
    /// Links between the two that were rescored when they surfaced.
    surfaced: BTreeSet<u32>,
}

/// A set of ids, one bit each.
#[derive(Debug, Default)]
pub(super) struct Ids {
    words: Vec<u64>,
    len: usize,
    /// The word where [`Ids::take_some`] goes on.
    next: usize,
}

impl Ids {
    pub fn insert(&mut self, id: UrlId) {
        let at = id.0 as usize / 64;
        if self.words.len() <= at {
            self.words.resize(at + 1, 0);
        }
        if let Some(word) = self.words.get_mut(at) {
            let bit = 1 << (id.0 % 64);
            self.len += usize::from(*word & bit == 0);
            *word |= bit;
        }
    }

    pub fn remove(&mut self, id: UrlId) {
        if let Some(word) = self.words.get_mut(id.0 as usize / 64) {
            let bit = 1 << (id.0 % 64);
            self.len -= usize::from(*word & bit != 0);
            *word &= !bit;
        }
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    pub fn len(&self) -> usize {
        self.len
    }

    /// Takes out this many ids or a few more, going on where the last call stopped, so that none is left behind for ever.
    fn take_some(&mut self, most: usize) -> Vec<UrlId> {
        let mut taken = Vec::with_capacity(most.min(self.len) + 64);
        for _ in 0..self.words.len() {
            if taken.len() >= most || self.len == 0 {
                break;
            }
            if self.next >= self.words.len() {
                self.next = 0;
            }
            if let Some(word) = self.words.get_mut(self.next) {
                let word = std::mem::take(word);
                let first = self.next as u32 * 64;
                let bits = (0..64).filter(|bit| word >> bit & 1 == 1);
                taken.extend(bits.map(|bit| UrlId(first + bit)));
                self.len -= word.count_ones() as usize;
            }
            self.next += 1;
        }
        taken
    }
}

/// The note that says whether all ranks that epochs have changed were written.
const RANKS_NOTE: &str = "frontier/ranks";
/// The prefix of the notes that say how far an epoch has come.
const EPOCH_NOTE: &str = "frontier/epoch/";

impl Epoch {
    fn to_bytes(&self) -> Vec<u8> {
        let numbers = [self.cursor, self.end];
        let all = numbers.iter().chain(&self.surfaced);
        all.flat_map(|number| number.to_le_bytes()).collect()
    }

    fn from_bytes(bytes: &[u8]) -> Option<Epoch> {
        let (numbers, rest) = bytes.as_chunks::<4>();
        let mut numbers = numbers.iter().map(|number| u32::from_le_bytes(*number));
        let (cursor, end) = (numbers.next()?, numbers.next()?);
        rest.is_empty().then(|| Epoch {
            cursor,
            end,
            surfaced: numbers.collect(),
        })
    }

    fn is_stale(&self, id: UrlId) -> bool {
        (self.cursor..self.end).contains(&id.0) && !self.surfaced.contains(&id.0)
    }
}

impl<S: Storage> StoredFrontier<S> {
    /// Drops the evidence of a link that no longer waits.
    pub(super) fn drop_evidence(&mut self, id: UrlId) {
        if self.entries[id].has(flag::EVIDENCE) {
            self.entries[id].set(flag::EVIDENCE, false);
            self.storage.drop_evidence(id);
            self.touch(id);
        }
    }

    pub(super) fn put_evidence(&mut self, id: UrlId, evidence: &Evidence) {
        self.storage.put_evidence(id, evidence);
        if !self.entries[id].has(flag::EVIDENCE) {
            self.entries[id].set(flag::EVIDENCE, true);
            self.touch(id);
        }
    }

    pub(super) fn evidence_of(&self, id: UrlId) -> Result<Option<Evidence>, FrontierError> {
        if self.entries[id].has(flag::EVIDENCE) {
            self.storage.evidence(id)
        } else {
            Ok(None)
        }
    }

    pub(super) fn begin_epoch(&mut self, agent: AgentId) {
        let epoch = self.epochs.entry(agent).or_default();
        epoch.cursor = 0;
        epoch.end = self.entries.len();
        epoch.surfaced.clear();
    }

    /// Notes how far each agent's epoch has come, where that changed.
    pub(super) fn note_epochs(&mut self) {
        let agents = 0..self.in_stack.len() as u8;
        for agent in agents.map(AgentId) {
            let now = self.epochs.get(&agent).map_or_else(Vec::new, Epoch::to_bytes);
            let before = self.noted_epochs.entry(agent).or_default();
            if *before != now {
                self.storage.put_note(&format!("{EPOCH_NOTE}{}", agent.0), &now);
                *before = now;
            }
        }
    }

    /// Notes whether this commit has all ranks, where that changed.
    pub(super) fn note_ranks(&mut self) {
        let are_kept = self.reranked.is_empty();
        if are_kept != self.ranks_are_kept {
            self.ranks_are_kept = are_kept;
            self.storage.put_note(RANKS_NOTE, &[u8::from(are_kept)]);
        }
    }

    /// Goes on with the epochs that were open at the last commit that noted them.
    pub(super) fn restore_epochs(&mut self) -> Result<(), FrontierError> {
        let ranks = self.storage.notes(RANKS_NOTE)?.pop();
        self.ranks_are_kept = ranks.is_none_or(|(_, value)| value != [0]);
        for (name, value) in self.storage.notes(EPOCH_NOTE)? {
            let agent = name
                .strip_prefix(EPOCH_NOTE)
                .and_then(|number| number.parse().ok());
            let agent = AgentId(agent.ok_or_else(|| damaged("an epoch belongs to no agent"))?);
            if !value.is_empty() {
                let epoch = Epoch::from_bytes(&value).filter(|epoch| epoch.end <= self.entries.len());
                let epoch = epoch.ok_or_else(|| damaged("an epoch has lost its place"))?;
                self.epochs.insert(agent, epoch);
            }
            self.noted_epochs.insert(agent, value);
        }
        Ok(())
    }

    /// See [`Frontier::freshen`].
    pub(super) fn work_on_epoch(
        &mut self,
        agent: AgentId,
        most: usize,
        rescore: Rescore<'_>,
        now: Timestamp,
    ) -> Result<bool, FrontierError> {
        // Taken out of the frontier while it is processed, so that both can change.
        let Some(mut epoch) = self.epochs.remove(&agent) else {
            return Ok(false);
        };
        let outcome = self.sweep(agent, &mut epoch, most, rescore, now);
        let is_open = epoch.cursor < epoch.end;
        if is_open {
            self.epochs.insert(agent, epoch);
        }
        outcome.map(|()| is_open)
    }

    fn sweep(
        &mut self,
        agent: AgentId,
        epoch: &mut Epoch,
        most: usize,
        rescore: Rescore<'_>,
        now: Timestamp,
    ) -> Result<(), FrontierError> {
        self.wake(now);
        while let Some(id) = self.next_in_line(agent).filter(|id| epoch.is_stale(*id)) {
            self.score_again(id, rescore, now)?;
            epoch.surfaced.insert(id.0);
        }
        let mut batch = Vec::with_capacity(most.min(1024));
        let (mut looked, mut reached) = (0, epoch.end);
        for (id, entry) in self.entries.from(UrlId(epoch.cursor)) {
            if id.0 >= epoch.end {
                break;
            }
            if batch.len() == most || looked >= most.saturating_mul(LOOKS) {
                reached = id.0;
                break;
            }
            looked += 1;
            if entry.waits() && entry.agent() == agent && epoch.is_stale(id) {
                batch.push(id);
            }
        }
        // The batch is in the order of the storage, which reads it faster as a whole than link by link.
        let evidence = self.storage.evidence_of_all(&batch)?;
        for (id, evidence) in batch.into_iter().zip(evidence) {
            self.score_with(id, &evidence.unwrap_or_default(), rescore, now);
        }
        epoch.cursor = reached;
        epoch.surfaced = epoch.surfaced.split_off(&reached);
        Ok(())
    }

    /// What an agent would be given next, over all hosts that may be asked.
    fn next_in_line(&self, agent: AgentId) -> Option<UrlId> {
        let host = self.ready.get(usize::from(agent.0))?.best()?;
        let best = self.hosts[host as usize].queue_of(agent)?.best()?;
        Some(UrlId(best))
    }

    fn score_again(
        &mut self,
        id: UrlId,
        rescore: &mut dyn FnMut(&WaitingLink<'_>) -> Option<Rank>,
        now: Timestamp,
    ) -> Result<(), FrontierError> {
        let evidence = self.evidence_of(id)?.unwrap_or_default();
        self.score_with(id, &evidence, rescore, now);
        Ok(())
    }

    fn score_with(
        &mut self,
        id: UrlId,
        evidence: &Evidence,
        rescore: &mut dyn FnMut(&WaitingLink<'_>) -> Option<Rank>,
        now: Timestamp,
    ) {
        let entry = &self.entries[id];
        let link = WaitingLink {
            key: entry.key,
            rank: entry.rank(),
            parent: self.key_of(entry.parent),
            evidence,
        };
        let Some(rank) = rescore(&link) else {
            return;
        };
        let entry = &mut self.entries[id];
        if matches!(entry.state, State::Waiting | State::Drawn) && entry.rank() != rank {
            entry.set_rank(rank);
            self.reranked.insert(id);
            self.reorder(id, now);
        }
    }

    /// Lets the next commit write so many of the ranks that have changed.
    pub(super) fn touch_reranked(&mut self, most: usize) {
        for id in self.reranked.take_some(most) {
            if self.entries.get(id).is_some() {
                self.touch(id);
            }
        }
        // If none is left, the next commit says that it has them all, and then how far epochs have come belongs to it.
        self.notes_epochs |= self.reranked.is_empty();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_taken_in_turn_and_each_once() {
        let mut ids = Ids::default();
        for id in [5, 70, 70, 200, 201] {
            ids.insert(UrlId(id));
        }
        ids.remove(UrlId(201));
        ids.remove(UrlId(6));
        ids.remove(UrlId(9_999));
        assert_eq!(ids.len(), 3);
        assert_eq!(ids.take_some(1), [UrlId(5)]);
        ids.insert(UrlId(6));
        assert_eq!(ids.take_some(2), [UrlId(70), UrlId(200)], "6 came after its turn");
        assert_eq!(ids.take_some(2), [UrlId(6)]);
        assert!(ids.is_empty() && ids.take_some(2).is_empty());
    }
}
