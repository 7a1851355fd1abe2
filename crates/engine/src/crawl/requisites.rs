//! Requisites: the images, style sheets and scripts that pages need to be shown.
//!
//! They wait in a stack of the frontier that no agent uses, so that hosts, rules, rests and leases are those of everything else,
//! and are taken in turn with pages. They have a budget of their own. No strategy hears of them, and nothing judges them.
//!
//! When pages come to an end, requisites go on until none is left or their budget is met.

use scenthound_frontier::{Ask, Frontier, Next};
use scenthound_types::{
    AgentId, Lease, LeaseKind, Merge, Offer, Rank, Requisite, RequisiteKind, Score, Timestamp,
};

use super::{Crawl, Step, StopReason};
use crate::CrawlError;
use crate::lease_result::Found;
use crate::recorder::Recorder;
use crate::traps::NewHosts;

/// How many style sheets deep what a page needs is followed: a page, its sheet, what that imports, and so on.
const NESTING: u16 = 4;

/// The stack that requisites wait in: the one after those of the agents, if there is room for one.
pub fn requisites_stack(agents: usize) -> Option<AgentId> {
    let stack = u8::try_from(agents).ok()?;
    (stack < AgentId::MOST).then_some(AgentId(stack))
}

/// The kind of a requisite as the lower part of its class. The upper part says through how many style sheets it was found.
const KINDS: u16 = RequisiteKind::ALL.len() as u16;

impl<F: Frontier, R: Recorder> Crawl<F, R> {
    /// Whether pages take their leases first in this step. Both take turns, so that neither keeps the other from its hosts.
    pub(super) fn pages_go_first(&mut self) -> bool {
        self.requisites_first = !self.requisites_first && self.settings.requisites.is_some();
        !self.requisites_first
    }

    /// Takes leases for requisites.
    pub(super) fn next_requisites(&mut self, room: usize, now: Timestamp) -> Result<Step, CrawlError> {
        let done = Step::Done(StopReason::Exhausted);
        let (Some(most), Some(stack)) = (self.settings.requisites, requisites_stack(self.slots.len())) else {
            return Ok(done);
        };
        let left = most.saturating_sub(self.tally.requisites + self.requisites_out);
        if left == 0 {
            return Ok(if self.requisites_out > 0 {
                Step::Blocked
            } else {
                done
            });
        }
        let room = room.min(usize::try_from(left).unwrap_or(usize::MAX));
        if room == 0 {
            return Ok(Step::Blocked);
        }
        let ask = Ask {
            agent: stack,
            most: room,
            highest_class: u16::MAX,
        };
        match self.frontier.take_for(ask, now)? {
            Next::Fetch(leases) => {
                leases.iter().for_each(|lease| self.lease_out(lease));
                let allowed = self.allowed(leases, now)?;
                Ok(if allowed.is_empty() {
                    Step::WaitUntil(now)
                } else {
                    Step::Fetch(allowed)
                })
            }
            Next::WaitUntil(until) => {
                let is_idle = self.frontier.counts().leased == 0;
                Ok(if is_idle && until > now + self.settings.patience {
                    done
                } else {
                    Step::WaitUntil(until)
                })
            }
            Next::Blocked => Ok(Step::Blocked),
            Next::Done => Ok(done),
        }
    }

    /// What a settled page or style sheet needs, as offers. What belongs to better pages comes first, and style sheets before
    /// what they name.
    pub(super) fn offer_requisites(&mut self, lease: &Lease, found: &Found) -> Vec<Offer> {
        if self.settings.requisites.is_none() {
            return Vec::new();
        }
        let (needed, nesting, score): (&[Requisite], u16, f64) = match found {
            Found::Page(page) => (&page.requisites, 0, page.judgement.relevance),
            Found::Requisite(needed) => {
                let rank = lease.taken.rank;
                (needed, rank.class / KINDS + 1, rank.score.get())
            }
            Found::Nothing | Found::Rules(..) | Found::Sitemap(_) => return Vec::new(),
        };
        if nesting >= NESTING {
            return Vec::new();
        }
        let mut new_hosts = NewHosts::default();
        let mut offers = Vec::with_capacity(needed.len());
        for Requisite { url, kind } in needed {
            let is_admitted = self.frontier.knows_host(url.origin())
                || self
                    .traps
                    .as_mut()
                    .is_none_or(|traps| new_hosts.admit(url, traps));
            if is_admitted {
                offers.push(Offer {
                    url: url.clone(),
                    key: self.keyring.key_for(LeaseKind::Requisite, url),
                    rank: Rank {
                        class: nesting * KINDS + *kind as u16,
                        score: Score::new(score),
                        tie: 0,
                    },
                    merge: Merge::Max,
                });
            }
        }
        offers
    }
}

/// What to do when both pages and requisites were asked for.
pub(super) fn either(pages: Step, requisites: Step) -> Step {
    match (pages, requisites) {
        (Step::Fetch(mut leases), Step::Fetch(more)) => {
            leases.extend(more);
            Step::Fetch(leases)
        }
        (Step::Fetch(leases), _) | (_, Step::Fetch(leases)) => Step::Fetch(leases),
        (Step::WaitUntil(a), Step::WaitUntil(b)) => Step::WaitUntil(a.min(b)),
        (Step::WaitUntil(until), _) | (_, Step::WaitUntil(until)) => Step::WaitUntil(until),
        (Step::Blocked, _) | (_, Step::Blocked) => Step::Blocked,
        (Step::Done(reason), Step::Done(_)) => Step::Done(reason),
    }
}
