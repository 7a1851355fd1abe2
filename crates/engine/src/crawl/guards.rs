//! Where the crawl meets traps and duplicates.

use std::collections::BTreeSet;

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

    /// Drops the links that lead to more new hosts than one page or one domain may lead to. Returns how many.
    pub(super) fn limit_new_hosts(&mut self) -> u32 {
        let Some(traps) = &mut self.traps else {
            return 0;
        };
        let mut new_hosts = NewHosts::default();
        let frontier = &self.frontier;
        let before = self.links.len();
        self.links.retain(|link| {
            link.standing != Standing::New
                || frontier.knows_host(link.url.origin())
                || new_hosts.admit(&link.url, traps)
        });
        let dropped = before - self.links.len();
        if dropped > 0 {
            self.keys.clear();
            self.keys.extend(self.links.iter().map(|link| link.key));
        }
        u32::try_from(dropped).unwrap_or(u32::MAX)
    }

    /// Whether a redirect may lead to this host: it is known, or its domain may get another one.
    pub(super) fn admits_host(&mut self, lease: &Lease, to: &CanonicalUrl) -> bool {
        let is_free = lease.seed || lease.kind == LeaseKind::Robots || self.frontier.knows_host(to.origin());
        is_free || self.traps.as_mut().is_none_or(|traps| traps.admit_host(to))
    }
}
