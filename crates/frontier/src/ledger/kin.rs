//! Who is whose child: raising siblings, counting visited ones, and the lists that both need.
//!
//! The children a page was first to discover have consecutive ids, so they are a run; the few that came in otherwise
//! (redirect targets, finds of a second visit) are adopted. All parents of a URL are kept only for strategies that ask.

use super::*;

impl<S: Shelf> Ledger<S> {
    /// Makes a URL a child of a page although the page's run of ids is closed.
    pub(super) fn adopt(&mut self, page: UrlId, child: UrlId) {
        let adopted = self.adopted.get(&page.0).and_then(|ids| ids.last().copied());
        // A child whose id follows the run by chance is found with the run; listed here too it would count twice.
        let is_in_run = self.entries[page].first_child().is_some()
            && child
                .0
                .checked_sub(1)
                .map(UrlId)
                .is_some_and(|before| self.entries[before].parent == page && adopted != Some(before));
        if !is_in_run {
            self.adopted.entry(page.0).or_default().push(child);
        }
    }

    pub(super) fn first_children(&self, page: UrlId) -> Vec<UrlId> {
        let mut children = Vec::new();
        if let Some(first) = self.entries[page].first_child() {
            let run = (first.0..self.entries.len()).map(UrlId);
            children.extend(run.take_while(|id| self.entries[*id].parent == page));
        }
        children.extend(self.adopted.get(&page.0).into_iter().flatten());
        children
    }

    pub(super) fn raise_siblings(
        &mut self,
        of: UrlKey,
        parents: Parents,
        rank: Rank,
        merge: Merge,
        now: Timestamp,
    ) -> Result<(), FrontierError> {
        let Some(id) = self.find(of) else { return Ok(()) };
        let all = parents == Parents::All && self.policy.all_parents;
        let pages = if all {
            self.shelf.parents(id)?
        } else {
            self.entries[id].parent.known().into_iter().collect()
        };
        for page in pages {
            if merge == Merge::Max {
                if self
                    .raised
                    .get(&(page.0, all))
                    .is_some_and(|raised| *raised >= rank)
                {
                    continue;
                }
                self.raised.insert((page.0, all), rank);
                let whose = if all { Parents::All } else { Parents::First };
                self.shelf.put_raised(page, whose, rank);
            }
            let children = if all {
                self.shelf.children(page)?
            } else {
                self.first_children(page)
            };
            for child in children {
                if child != id && matches!(self.entries[child].state, State::Waiting | State::Drawn) {
                    self.merge(child, rank, merge, now);
                }
            }
        }
        Ok(())
    }

    pub(super) fn retie_siblings(&mut self, of: UrlKey, now: Timestamp) {
        let Some(page) = self.find(of).and_then(|id| self.entries[id].parent.known()) else {
            return;
        };
        let children = self.first_children(page);
        let visited = children
            .iter()
            .filter(|id| matches!(self.entries[**id].state, State::Fetched | State::Gone))
            .count() as u32;
        for child in children {
            let entry = &mut self.entries[child];
            let is_waiting = matches!(entry.state, State::Waiting | State::Drawn);
            if is_waiting && entry.tie_or_relevance != visited {
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
        // Only a page that was leased before can have a list already.
        let mut children = if lease.revisit || lease.attempt > 0 {
            self.shelf.children(page)?
        } else {
            Vec::new()
        };
        // Several links may lead to one URL by way of redirects, and one to the page itself, which is not its own child.
        let mut seen: HashSet<UrlId> = children.iter().copied().chain([page]).collect();
        let found = links.iter().filter_map(|key| self.find_moved(*key));
        let new: Vec<UrlId> = found.filter(|child| seen.insert(*child)).collect();
        children.extend(&new);
        self.shelf.put_children(page, &children);
        for child in new {
            self.add_parent(child, page);
        }
        Ok(())
    }

    pub(super) fn add_parent(&mut self, child: UrlId, page: UrlId) {
        if self.parent_counts.len() < self.entries.len() as usize {
            self.parent_counts.resize(self.entries.len() as usize, 0);
        }
        match self.parent_counts.get_mut(child.0 as usize) {
            Some(count) if *count < self.policy.max_parents => {
                *count += 1;
                self.shelf.put_parent(child, page);
            }
            _ => self.parents_dropped += 1,
        }
    }

    /// Whoever links to a URL links to where it redirects.
    pub(super) fn pass_parents_on(&mut self, from: UrlId, to: UrlId) -> Result<(), FrontierError> {
        let mut pages = self.shelf.parents(from)?;
        // Not all may find room, and which do must not depend on how a shelf keeps them.
        pages.sort_unstable();
        for page in pages {
            let mut children = self.shelf.children(page)?;
            if page != to && !children.contains(&to) {
                children.push(to);
                self.shelf.put_children(page, &children);
                self.add_parent(to, page);
            }
        }
        Ok(())
    }
}
