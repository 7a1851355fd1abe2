//! Where the crawl meets traps and duplicates.

use std::collections::{BTreeSet, HashMap};

use scenthound_frontier::Frontier;
use scenthound_types::{CanonicalUrl, Lease, LeaseKind, Refusal, Standing};

use super::Crawl;
use crate::CrawlError;
use crate::lease_result::{Found, ProcessedPage};
use crate::recorder::Recorder;
use crate::traps::{Brought, NewHosts};

/// A shorter page repeats nothing: what few words say depends on the title and the links.
const FEW_WORDS: u32 = 40;

/// What a page brought, as far as traps are concerned.
pub(super) fn brought(page: &ProcessedPage) -> Brought<'_> {
    Brought {
        fingerprint: page.fingerprint,
        is_relevant: page.judgement.is_relevant(),
        is_duplicate: page.duplicate_of.is_some(),
        is_copy: page.is_copy,
        words: &page.sample,
    }
}

/// What a link is called within its folder.
fn last_segment(url: &CanonicalUrl) -> &str {
    let path = url.path().trim_end_matches('/');
    path.rsplit('/').next().unwrap_or_default()
}

impl<F: Frontier, R: Recorder> Crawl<F, R> {
    /// Whether a page may be requested although its host or its pattern has brought nothing for a while.
    pub(super) fn check_traps(&self, lease: &Lease) -> Result<(), Refusal> {
        match &self.traps {
            Some(traps) => {
                let is_seed_host = self.settings.scope.is_seed_host(lease.url.host());
                traps.check(lease, is_seed_host, self.tally.pages)
            }
            None => Ok(()),
        }
    }

    /// Finds out whether a page repeats another. If its links have the same names too and it is on the same host, as under another
    /// session id, they are not followed again. On another host they are, until that host has proven to be a mirror.
    pub(super) fn find_duplicate(&mut self, lease: &Lease, found: &mut Found) -> Result<(), CrawlError> {
        let (Some(duplicates), Found::Page(page)) = (&mut self.duplicates, found) else {
            return Ok(());
        };
        // What results leave out must not hide a page that they show.
        if page.is_set_aside() || page.directives.noindex || lease.revisit || page.length < FEW_WORDS {
            return Ok(());
        }
        // Under another name of its own, a page links to its other forms differently.
        let own = last_segment(&lease.url);
        let names: BTreeSet<&str> = page.links.iter().map(|link| last_segment(&link.url)).collect();
        let names = names.into_iter().filter(|name| *name != own);
        let links = names
            .map(|name| self.keyring.hash(name))
            .fold(0, u64::wrapping_add);
        let Some(original) = duplicates.add(lease.key, page.fingerprint, links) else {
            return Ok(());
        };
        page.duplicate_of = self.frontier.url(original.key)?;
        page.is_copy = original.links == links;
        let is_here = |original: &CanonicalUrl| original.origin() == lease.url.origin();
        if page.is_copy && page.duplicate_of.as_ref().is_some_and(is_here) {
            page.skipped.duplicate = u32::try_from(page.links.len()).unwrap_or(u32::MAX);
            page.links.clear();
        }
        Ok(())
    }

    /// Drops the links that lead to more new hosts than one page or one domain may lead to, and those to hosts of which more URLs
    /// wait than will be fetched. Returns how many of each.
    pub(super) fn limit_links(&mut self) -> (u32, u32) {
        let Some(traps) = &mut self.traps else {
            return (0, 0);
        };
        let mut new_hosts = NewHosts::default();
        let mut rooms: HashMap<Box<str>, usize> = HashMap::new();
        let (frontier, scope) = (&self.frontier, &self.settings.scope);
        let (mut to_new, mut to_full) = (0, 0);
        self.links.retain(|link| {
            let origin = link.url.origin();
            if link.standing != Standing::New {
                return true;
            }
            if !frontier.knows_host(origin) && !new_hosts.admit(&link.url, traps) {
                to_new += 1;
                return false;
            }
            if !rooms.contains_key(origin) {
                let most = traps.most_waiting(&link.url, scope.is_seed_host(link.url.host()));
                rooms.insert(origin.into(), most.saturating_sub(frontier.waiting_at(origin)));
            }
            let has_room = rooms.get_mut(origin).is_some_and(|room| {
                let before = *room;
                *room = before.saturating_sub(1);
                before > 0
            });
            to_full += u32::from(!has_room);
            has_room
        });
        if to_new + to_full > 0 {
            self.keys.clear();
            self.keys.extend(self.links.iter().map(|link| link.key));
        }
        (to_new, to_full)
    }

    /// Whether a redirect may lead to this host: it is known, or its domain may get another one.
    pub(super) fn admits_host(&mut self, lease: &Lease, to: &CanonicalUrl) -> bool {
        let is_free = lease.seed || lease.kind == LeaseKind::Robots || self.frontier.knows_host(to.origin());
        is_free || self.traps.as_mut().is_none_or(|traps| traps.admit_host(to))
    }
}
