//! Gives leases to the agents in turn, and rescores waiting links when a strategy has learnt something.

use scenthound_frontier::{Ask, Frontier, Next};
use scenthound_strategy::Pick;
use scenthound_types::{
    AgentId, Lease, LeaseKind, Outcome, PageReport, ParentPage, Standing, Timestamp, Verdict,
};

use super::{Crawl, SEED_PATIENCE, StopReason};
use crate::CrawlError;
use crate::agents::{AgentFacts, AgentSlot, AgentState, share_left};
use crate::lease_result::Found;
use crate::recorder::Recorder;

/// In this last part of a page budget, strategies get the best link even if they ask for the oldest.
const LAST: f64 = 0.15;

impl<F: Frontier, R: Recorder> Crawl<F, R> {
    /// Draws a list for best-N-first. Several agents take URLs one by one, each from its own stack.
    pub(super) fn draw(&mut self, now: Timestamp) -> Result<(), CrawlError> {
        if self.settings.list_size > 0 && self.slots.len() == 1 {
            self.frontier.draw(self.settings.list_size, now)?;
        }
        Ok(())
    }

    pub(super) fn why_done(&self) -> StopReason {
        let goal = self.settings.agents.goal;
        let all_idle = |slot: &AgentSlot| slot.is_exhausted || slot.has_met(goal);
        if !self.slots.iter().all(all_idle) {
            StopReason::Shares
        } else if self.slots.iter().any(|slot| slot.has_met(goal)) {
            StopReason::Goals
        } else {
            StopReason::Exhausted
        }
    }

    /// Takes leases for the agents in turn, one each, until there is no more room or no agent has any left.
    pub(super) fn take(&mut self, room: usize, now: Timestamp) -> Result<Next, CrawlError> {
        let agents = self.slots.len();
        let mut asking: Vec<usize> = (0..agents).map(|at| (self.turn + at) % agents).collect();
        let mut leases = Vec::new();
        let mut wake = Timestamp::NEVER;
        let mut is_blocked = false;
        while !asking.is_empty() && leases.len() < room {
            let mut again = Vec::with_capacity(asking.len());
            for at in asking {
                let left = room - leases.len();
                if left == 0 {
                    break;
                }
                match self.take_of(at, if agents == 1 { left } else { 1 }, now)? {
                    Next::Fetch(taken) => {
                        taken.iter().for_each(|lease| self.lease_out(lease));
                        leases.extend(taken);
                        again.push(at);
                        // Only a lease ends a turn: how often an agent had nothing to do depends on the clock.
                        self.turn = (at + 1) % agents;
                    }
                    Next::WaitUntil(until) => wake = wake.min(until),
                    Next::Blocked => is_blocked = true,
                    Next::Done => {}
                }
            }
            // A single agent has already got all there is.
            let one_by_one = |slot: &AgentSlot| slot.is_stale || slot.needs.picks;
            asking = if agents == 1 && !self.slots.iter().any(one_by_one) {
                Vec::new()
            } else {
                again
            };
        }
        Ok(if !leases.is_empty() {
            Next::Fetch(leases)
        } else if wake < Timestamp::NEVER {
            Next::WaitUntil(wake)
        } else if is_blocked {
            Next::Blocked
        } else {
            Next::Done
        })
    }

    /// Takes leases for one agent.
    fn take_of(&mut self, at: usize, most: usize, now: Timestamp) -> Result<Next, CrawlError> {
        let rules = self.settings.agents;
        // What is fetched only to learn from it must leave time to use what was learnt.
        let is_late = self
            .settings
            .budget
            .pages
            .is_some_and(|most| (self.tally.pages as f64) > (1.0 - LAST) * most as f64);
        let share = match self.slots.len() {
            1 => u64::MAX,
            _ => share_left(&self.slots, at, self.settings.budget.pages, &rules),
        };
        let Some(slot) = self.slots.get_mut(at) else {
            return Ok(Next::Done);
        };
        let requests = rules
            .requests
            .map_or(usize::MAX, |most| most.saturating_sub(slot.out));
        if slot.has_met(rules.goal) || share == 0 || requests == 0 {
            return Ok(if slot.out > 0 { Next::Blocked } else { Next::Done });
        }
        let agent = agent_id(at);
        let mut most = most
            .min(requests)
            .min(usize::try_from(share).unwrap_or(usize::MAX));
        if slot.needs.picks {
            most = 1;
        }
        if slot.is_stale {
            self.has_reranked = true;
            let strategy = &mut slot.agent.strategy;
            slot.is_stale = self
                .frontier
                .freshen(agent, 0, &mut |link| strategy.rescore(link), now)?;
            most = 1;
        }
        let mut pick = slot.agent.strategy.pick();
        if is_late {
            pick = Pick::Best;
        }
        let ask = Ask {
            agent,
            most,
            highest_class: if slot.is_seeding { 0 } else { u16::MAX },
        };
        let mut oldest = None;
        if pick == Pick::Oldest {
            oldest = self.frontier.take_oldest(ask, now)?;
        }
        let next = match oldest {
            Some(lease) => Next::Fetch(vec![lease]),
            None => {
                pick = Pick::Best;
                self.frontier.take_for(ask, now)?
            }
        };
        if let Next::Fetch(leases) = &next {
            let pages = leases.iter().filter(|lease| lease.kind == LeaseKind::Page);
            for lease in pages {
                slot.agent.strategy.leased(lease.key, pick);
                if pick == Pick::Oldest {
                    self.exploring.insert(lease.key);
                }
            }
        }
        let seeds_are_read = match next {
            Next::Done => slot.is_seeding,
            Next::WaitUntil(until) => slot.is_seeding && slot.out == 0 && until > now + SEED_PATIENCE,
            _ => false,
        };
        if seeds_are_read {
            slot.end_seeding();
            self.open_epoch(at, now, usize::MAX)?;
            return self.take_of(at, most, now);
        }
        slot.is_exhausted = next == Next::Done;
        Ok(next)
    }

    /// Opens an epoch: marks an agent's stack as stale and rescores the first `most` links.
    fn open_epoch(&mut self, at: usize, now: Timestamp, most: usize) -> Result<(), CrawlError> {
        let Some(slot) = self.slots.get_mut(at) else {
            return Ok(());
        };
        self.has_reranked = true;
        slot.open_epoch();
        let strategy = &mut slot.agent.strategy;
        self.frontier.open_epoch(agent_id(at));
        slot.is_stale = self
            .frontier
            .freshen(agent_id(at), most, &mut |link| strategy.rescore(link), now)?;
        Ok(())
    }

    /// Rescores stale links in an agent's stack, a batch after each page.
    pub(super) fn freshen(&mut self, at: usize, now: Timestamp) -> Result<(), CrawlError> {
        let Some(slot) = self.slots.get_mut(at) else {
            return Ok(());
        };
        let strategy = &mut slot.agent.strategy;
        let rescoring = slot.needs.rescoring;
        let is_free = !(rescoring.completes && slot.is_stale);
        let is_due = slot.epoch_opened_at == 0 || slot.pages >= slot.epoch_opened_at + rescoring.pages;
        if !slot.is_seeding && strategy.epoch() != slot.epoch && is_due && is_free {
            return self.open_epoch(at, now, rescoring.links);
        }
        if slot.is_stale {
            self.has_reranked = true;
            slot.is_stale = self.frontier.freshen(
                agent_id(at),
                rescoring.links,
                &mut |link| strategy.rescore(link),
                now,
            )?;
        }
        Ok(())
    }

    pub(super) fn lease_out(&mut self, lease: &Lease) {
        let is_page = u64::from(lease.kind == LeaseKind::Page);
        self.pages_out += is_page;
        self.requisites_out += u64::from(lease.kind == LeaseKind::Requisite);
        if let Some(slot) = self.slots.get_mut(usize::from(lease.agent.0)) {
            slot.pages_out += is_page;
            slot.out += 1;
        }
    }

    pub(super) fn lease_in(&mut self, lease: &Lease) {
        let is_page = u64::from(lease.kind == LeaseKind::Page);
        self.pages_out -= is_page;
        self.requisites_out -= u64::from(lease.kind == LeaseKind::Requisite);
        if let Some(slot) = self.slots.get_mut(usize::from(lease.agent.0)) {
            slot.pages_out -= is_page;
            slot.out -= 1;
        }
    }

    /// Asks the strategy for the page's score, makes it the judgement where the settings say so, and completes the evidence
    /// of the page's links.
    pub(super) fn score_page(
        &mut self,
        lease: &Lease,
        outcome: &Outcome,
        found: &mut Found,
    ) -> Result<(), CrawlError> {
        let (Found::Page(page), Some(slot)) = (found, self.slots.get_mut(usize::from(lease.agent.0))) else {
            return Ok(());
        };
        let report = PageReport {
            lease,
            outcome,
            judgement: Some(&page.judgement),
            words: page.words.as_deref(),
            evidence: None,
            note: None,
            links: &self.links,
            will_retry: false,
        };
        let scored = slot.agent.strategy.score_page(&report);
        let mut page_score = page.judgement.relevance;
        if let Some(scored) = scored {
            page_score = scored.relevance;
            if let Some(nearness) = scored.parts.nearness {
                page.judgement.layer = Some(nearness.layer);
                page.judgement.parts.nearness = Some(nearness);
                page.is_revised = true;
            }
            if let Some(threshold) = self.settings.strategy_judges.filter(|_| !page.is_set_aside()) {
                page.is_revised = true;
                page.judgement.relevance = scored.relevance;
                page.judgement.parts = scored.parts;
                page.judgement.verdict = if scored.relevance >= threshold {
                    Verdict::Relevant
                } else {
                    Verdict::Irrelevant
                };
            }
        }
        for link in &mut self.links {
            let Some(evidence) = &mut link.evidence else {
                continue;
            };
            match link.standing {
                Standing::New => {}
                Standing::Waiting => {
                    if let Some(mut known) = self.frontier.evidence(lease.agent, link.key)? {
                        known.gather(evidence);
                        **evidence = known;
                    }
                }
                // It is not fetched again, so only the words of this link matter.
                Standing::Leased | Standing::Fetched { .. } | Standing::Gone => continue,
            }
            evidence.add_parent(ParentPage {
                key: lease.key,
                relevance: page_score as f32,
            });
        }
        Ok(())
    }

    /// Facts about every agent, in order.
    pub fn agents(&self) -> Vec<AgentFacts> {
        let numbered = self.slots.iter().enumerate();
        numbered
            .map(|(at, slot)| AgentFacts {
                id: agent_id(at),
                name: slot.agent.name.clone(),
                strategy: slot.agent.strategy.name(),
                seeds: slot.agent.seeds.clone(),
                pages: slot.pages,
                relevant: slot.relevant,
                waiting: self.frontier.waiting_of(agent_id(at)),
                state: self.state_of(at, slot),
                learnt: slot.agent.strategy.learnt(),
            })
            .collect()
    }

    fn state_of(&self, at: usize, slot: &AgentSlot) -> AgentState {
        let rules = &self.settings.agents;
        if slot.has_met(rules.goal) {
            AgentState::GoalMet
        } else if share_left(&self.slots, at, self.settings.budget.pages, rules) == 0 {
            AgentState::ShareSpent
        } else if slot.is_exhausted {
            AgentState::NothingLeft
        } else if slot.is_seeding {
            AgentState::Seeding
        } else {
            AgentState::Working
        }
    }
}

/// The id of the agent in this slot.
fn agent_id(at: usize) -> AgentId {
    AgentId(u8::try_from(at).unwrap_or(AgentId::MOST))
}
