//! Parents and children: raising siblings, counting visited ones, and the lists both need.
//!
//! The children a page was first to discover have consecutive ids, so they form a run. The few that came in another
//! way (redirect targets, links found on a second visit) are adopted. All parents of a URL are kept only for
//! strategies that ask for them.
//!
//! A page's children are what the agent that fetched it discovered, including claims. Dropped children leave gaps in
//! the run and stale numbers in the lists; code that walks either skips what no longer exists.

use super::*;

/// Below every rank a strategy gives.
const NOT_RAISED: Rank = Rank {
    class: u16::MAX,
    score: Score::ZERO,
    tie: u32::MAX,
};

/// What the children of a page get because one of them was visited.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChildrenRaise {
    /// The one that was visited.
    pub of: UrlKey,
    /// Whether the page counts as any parent or as the first.
    pub parents: Parents,
    /// The rank the others get.
    pub rank: Rank,
    /// How to combine it with their current rank.
    pub merge: Merge,
}

impl ChildrenRaise {
    pub(super) fn of_update(update: &Update) -> Option<ChildrenRaise> {
        match update {
            Update::RaiseSiblings {
                of,
                parents,
                rank,
                merge,
            } => Some(ChildrenRaise {
                of: *of,
                parents: *parents,
                rank: *rank,
                merge: *merge,
            }),
            _ => None,
        }
    }
}

impl<S: Storage> StoredFrontier<S> {
    /// Makes a URL a child of a page although the page's run of ids is already closed.
    pub(super) fn adopt(&mut self, page: UrlId, child: UrlId) {
        let adopted = self.adopted.get(&page.0).and_then(|ids| ids.last().copied());
        // A child whose id happens to follow the run is found with the run. Listed here as well, it would count
        // twice.
        let is_in_run = self.entries.get(page).and_then(Entry::first_child).is_some()
            && child
                .0
                .checked_sub(1)
                .map(UrlId)
                .is_some_and(|before| self.parent_of(before) == Some(page) && adopted != Some(before));
        if !is_in_run {
            self.adopted.entry(page.0).or_default().push(child);
        }
        self.forget_raises(page);
    }

    /// An entry's parent, if that still exists.
    fn parent_of(&self, id: UrlId) -> Option<UrlId> {
        self.entries.get(id)?.parent.known()
    }

    pub(super) fn first_children(&self, page: UrlId) -> Vec<UrlId> {
        let mut children = Vec::new();
        let first = self.entries.get(page).and_then(Entry::first_child);
        if let Some(first) = first {
            let run = self.entries.from(first);
            let run = run.take_while(|(_, entry)| entry.parent == page);
            let links = run.filter(|(_, entry)| !self.is_requisite(entry));
            children.extend(links.map(|(id, _)| id));
        }
        if let Some(adopted) = self.adopted.get(&page.0) {
            // Across a gap, a run may reach a child that was adopted.
            let last = children.last().copied();
            let is_in_run = |id: &UrlId| first.is_some_and(|first| first <= *id) && last >= Some(*id);
            let is_link = |id: &&UrlId| {
                self.entries
                    .get(**id)
                    .is_some_and(|entry| !self.is_requisite(entry))
            };
            let there = adopted.iter().filter(is_link);
            children.extend(there.filter(|id| !is_in_run(id)));
        }
        children
    }

    pub(super) fn raise_siblings(
        &mut self,
        agent: AgentId,
        raise: ChildrenRaise,
        now: Timestamp,
    ) -> Result<(), FrontierError> {
        for page in self.parents_that_count(agent, raise.of, raise.parents)? {
            self.raise_children_of(agent, page, raise, now)?;
        }
        Ok(())
    }

    /// The pages that count as parents of a URL.
    pub(super) fn parents_that_count(
        &self,
        agent: AgentId,
        of: UrlKey,
        parents: Parents,
    ) -> Result<Vec<UrlId>, FrontierError> {
        let Some(base) = self.find(of) else {
            return Ok(Vec::new());
        };
        if parents == Parents::All && self.policy.all_parents {
            return self.storage.parents(base);
        }
        let own = self.entry_of(base, agent).unwrap_or(base);
        Ok(self.entries[own].parent.known().into_iter().collect())
    }

    /// Raises the children of one page. False if an earlier raise was as high.
    pub(super) fn raise_children_of(
        &mut self,
        agent: AgentId,
        page: UrlId,
        raise: ChildrenRaise,
        now: Timestamp,
    ) -> Result<bool, FrontierError> {
        let ChildrenRaise {
            of,
            parents,
            rank,
            merge,
        } = raise;
        let all = parents == Parents::All && self.policy.all_parents;
        if merge == Merge::Max {
            let raised = (page.0, all, agent);
            if self.raised.get(&raised).is_some_and(|raised| *raised >= rank) {
                return Ok(false);
            }
            self.raised.insert(raised, rank);
            let whose = if all { Parents::All } else { Parents::First };
            self.storage.put_raised(page, whose, agent, rank);
        }
        let children = if all {
            let children = self.storage.children(page)?.into_iter();
            let there = children.filter(|child| self.entries.get(*child).is_some());
            there.filter_map(|child| self.entry_of(child, agent)).collect()
        } else {
            self.first_children(page)
        };
        for child in children {
            let entry = &self.entries[child];
            if entry.key != of && entry.waits() && entry.agent() == agent {
                // The tie says in which order equals are served, which a better score does not change.
                let tie = entry.rank().tie;
                self.merge(child, Rank { tie, ..rank }, merge, now);
            }
        }
        Ok(true)
    }

    /// Forgets how far a page's children were raised, because one of them has not been: it is new on the list, or was
    /// not waiting at the time.
    fn forget_raises(&mut self, page: UrlId) {
        if self.raised.is_empty() {
            return;
        }
        for agent in (0..AgentId::MOST).map(AgentId) {
            for whose in [Parents::First, Parents::All] {
                if self
                    .raised
                    .remove(&(page.0, whose == Parents::All, agent))
                    .is_some()
                {
                    self.storage.put_raised(page, whose, agent, NOT_RAISED);
                }
            }
        }
    }

    /// A URL waits again: what its siblings were raised to meanwhile has passed it by.
    pub(super) fn missed_raises(&mut self, base: UrlId) -> Result<(), FrontierError> {
        if self.raised.is_empty() {
            return Ok(());
        }
        let entries = std::iter::once(base).chain(self.claims_of(base).iter().copied());
        let mut pages: Vec<UrlId> = entries.filter_map(|id| self.parent_of(id)).collect();
        if self.policy.all_parents {
            pages.extend(self.storage.parents(base)?);
        }
        for page in pages {
            self.forget_raises(page);
        }
        Ok(())
    }

    pub(super) fn retie_siblings(&mut self, agent: AgentId, of: UrlKey, now: Timestamp) {
        let own = self
            .find(of)
            .map(|base| self.entry_of(base, agent).unwrap_or(base));
        let Some(page) = own.and_then(|id| self.parent_of(id)) else {
            return;
        };
        let children = self.first_children(page);
        let visited = children
            .iter()
            .filter(|id| matches!(self.entries[**id].state, State::Fetched | State::Gone))
            .count() as u32;
        for child in children {
            let entry = &mut self.entries[child];
            if entry.waits() && entry.agent() == agent && entry.tie_or_relevance != visited {
                entry.tie_or_relevance = visited;
                self.touch(child);
                self.reorder(child, now);
            }
        }
    }

    pub(super) fn keep_children(
        &mut self,
        page: UrlId,
        lease: &Lease,
        links: &[UrlKey],
    ) -> Result<(), FrontierError> {
        // Only a page that was leased before can already have a list.
        let children = if lease.revisit || lease.attempt > 0 {
            self.storage.children(page)?
        } else {
            Vec::new()
        };
        self.add_children(page, children, links);
        Ok(())
    }

    /// Adds links to the list of a page's children.
    pub(super) fn add_children(&mut self, page: UrlId, mut children: Vec<UrlId>, links: &[UrlKey]) {
        // Redirects may make several links lead to one URL, and one lead to the page itself, which is not its own
        // child.
        let mut seen: HashSet<UrlId> = children.iter().copied().chain([page]).collect();
        let found = links.iter().filter_map(|key| self.find_moved(*key));
        let new: Vec<UrlId> = found.filter(|child| seen.insert(*child)).collect();
        children.extend(&new);
        self.storage.put_children(page, &children);
        if !new.is_empty() {
            self.forget_raises(page);
        }
        for child in new {
            self.add_parent(child, page);
        }
    }

    pub(super) fn add_parent(&mut self, child: UrlId, page: UrlId) {
        if self.parent_counts.len() < self.entries.len() as usize {
            self.parent_counts.resize(self.entries.len() as usize, 0);
        }
        match self.parent_counts.get_mut(child.0 as usize) {
            Some(count) if *count < self.policy.max_parents => {
                *count += 1;
                self.storage.put_parent(child, page);
            }
            _ => self.parents_dropped += 1,
        }
    }

    /// A page that links to a URL also links to where that URL redirects.
    pub(super) fn pass_parents_on(&mut self, from: UrlId, to: UrlId) -> Result<(), FrontierError> {
        let mut pages = self.storage.parents(from)?;
        // There may not be room for all of them, and which ones fit must not depend on how a storage orders them.
        pages.sort_unstable();
        for page in pages {
            let mut children = self.storage.children(page)?;
            if page != to && !children.contains(&to) {
                children.push(to);
                self.storage.put_children(page, &children);
                self.forget_raises(page);
                self.add_parent(to, page);
            }
        }
        Ok(())
    }
}
