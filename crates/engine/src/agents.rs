//! The agents of a crawl: each with a strategy, seeds and a stack of its own, under shared budgets and politeness.
//!
//! A crawl that asks for no agents has one. An agent stops when it has met its goal, spent its share of the page budget or
//! has nothing left; the others go on. An agent's state is derived from its counts on demand, so raising a budget or a goal
//! sets it to work again.
//!
//! Deliberately absent: stacks and leases, which belong to the frontier.

use scenthound_strategy::{Needs, Strategy};
use scenthound_types::{AgentId, CanonicalUrl, StateDelta};

use crate::CrawlError;

/// An agent before its crawl.
pub struct Agent {
    /// What people call it.
    pub name: String,
    /// How it ranks what it finds.
    pub strategy: Box<dyn Strategy>,
    /// Its seeds.
    pub seeds: Vec<CanonicalUrl>,
}

impl Agent {
    /// The only agent of a crawl.
    pub fn alone(strategy: Box<dyn Strategy>, seeds: &[CanonicalUrl]) -> Agent {
        Agent {
            name: String::new(),
            strategy,
            seeds: seeds.to_vec(),
        }
    }
}

/// What the strategies of all agents need in their reports.
pub fn needs_of(agents: &[Agent]) -> Needs {
    let mut all = agents
        .first()
        .map_or_else(Needs::default, |agent| agent.strategy.needs());
    for agent in agents {
        let needs = agent.strategy.needs();
        all.snippets |= needs.snippets;
        all.places |= needs.places;
        all.words |= needs.words;
        all.evidence |= needs.evidence;
        all.notes |= needs.notes;
        all.paths |= needs.paths;
        all.all_parents |= needs.all_parents;
        all.siblings |= needs.siblings;
    }
    all
}

/// The prefix of the notes that hold what an agent's strategy has learnt. The first agent uses the prefix of a crawl without
/// agents, so that such a crawl can be resumed.
pub fn learnt_under(id: AgentId) -> String {
    match id.0 {
        0 => "strategy/".to_owned(),
        other => format!("agents/{other}/strategy/"),
    }
}

/// Rules that apply to every agent of a crawl.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AgentRules {
    /// Relevant pages after which an agent stops.
    pub goal: Option<u64>,
    /// How many requests of one agent may be in flight at once.
    pub requests: Option<usize>,
    /// Whether the unspent page share of a stopped agent goes to the others.
    pub redistribute: bool,
}

/// What an agent is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AgentState {
    /// Reading its seeds, before it follows any link.
    Seeding,
    /// Crawling.
    Working,
    /// It has found as many relevant pages as its goal asks for.
    GoalMet,
    /// It has used up its share of the page budget.
    ShareSpent,
    /// Nothing is left in its stack.
    NothingLeft,
}

impl AgentState {
    /// The state as people read it.
    pub fn name(self) -> &'static str {
        match self {
            AgentState::Seeding => "reading seeds",
            AgentState::Working => "working",
            AgentState::GoalMet => "goal met",
            AgentState::ShareSpent => "share spent",
            AgentState::NothingLeft => "nothing left",
        }
    }
}

/// What the list of agents shows about one of them.
#[derive(Clone, Debug, PartialEq)]
pub struct AgentFacts {
    /// Its number.
    pub id: AgentId,
    /// What people call it.
    pub name: String,
    /// Its strategy's name.
    pub strategy: &'static str,
    /// Its seeds.
    pub seeds: Vec<CanonicalUrl>,
    /// Page attempts it has made.
    pub pages: u64,
    /// Relevant pages among them.
    pub relevant: u64,
    /// URLs in its stack.
    pub waiting: u64,
    /// What it is doing.
    pub state: AgentState,
    /// What its strategy has learnt, largest weight first.
    pub learnt: Vec<(String, f64)>,
}

/// An agent at work.
pub(crate) struct AgentSlot {
    pub agent: Agent,
    /// What its strategy needs.
    pub needs: Needs,
    pub pages: u64,
    pub relevant: u64,
    /// Page requests in flight.
    pub pages_out: u64,
    /// Requests of any kind in flight.
    pub out: usize,
    /// Whether it is still reading seeds and follows no links yet.
    pub is_seeding: bool,
    /// Whether the frontier last said that nothing is left.
    pub is_exhausted: bool,
    /// The strategy's epoch for which the stack was last opened…
    pub epoch: u64,
    /// …and the agent's page count at that time.
    pub epoch_opened_at: u64,
    /// Whether parts of the stack still carry scores from an earlier epoch.
    pub is_stale: bool,
    is_changed: bool,
}

impl AgentSlot {
    pub fn new(agent: Agent) -> AgentSlot {
        let needs = agent.strategy.needs();
        AgentSlot {
            agent,
            needs,
            pages: 0,
            relevant: 0,
            pages_out: 0,
            out: 0,
            is_seeding: needs.seeds_first,
            is_exhausted: false,
            epoch: 0,
            epoch_opened_at: 0,
            is_stale: false,
            is_changed: true,
        }
    }

    pub fn count(&mut self, is_relevant: bool) {
        self.pages += 1;
        self.relevant += u64::from(is_relevant);
        self.is_changed = true;
    }

    /// Whether the ranks of links that were scored again are committed with the page that caused it, so that a crawl goes on in
    /// the same order after a crash. A strategy that completes its epochs scores too many links again for that.
    pub fn keeps_epochs(&self) -> bool {
        !self.needs.rescoring.completes
    }

    /// Notes the epoch that was opened for its stack.
    pub fn open_epoch(&mut self) {
        self.epoch = self.agent.strategy.epoch();
        self.epoch_opened_at = self.pages;
        self.is_changed = true;
    }

    pub fn end_seeding(&mut self) {
        self.is_seeding = false;
        self.is_changed = true;
        self.agent.strategy.seeds_done();
    }

    fn counts_under(id: AgentId) -> String {
        format!("agents/{}/counts", id.0)
    }

    /// Restores the counts of an earlier run, and how far scoring again had come if the ranks were kept.
    pub fn restore(
        &mut self,
        id: AgentId,
        notes: &[(String, Vec<u8>)],
        has_kept_ranks: bool,
    ) -> Result<(), CrawlError> {
        let name = AgentSlot::counts_under(id);
        let Some((_, saved)) = notes.iter().find(|(note, _)| *note == name) else {
            return Ok(());
        };
        let numbers: Option<Vec<u64>> = std::str::from_utf8(saved)
            .ok()
            .and_then(|text| text.split(' ').map(|number| number.parse().ok()).collect());
        let Some(&[pages, relevant, seeding, ref epoch @ ..]) = numbers.as_deref() else {
            return Err(CrawlError::Damaged {
                what: format!("the counts of agent {}", id.0 + 1),
            });
        };
        (self.pages, self.relevant, self.is_seeding) = (pages, relevant, seeding == 1);
        // Crawls of earlier versions did not keep how far scoring again had come.
        if let (&[epoch, opened_at], true) = (epoch, has_kept_ranks) {
            (self.epoch, self.epoch_opened_at) = (epoch, opened_at);
        }
        Ok(())
    }

    pub fn save(&mut self, id: AgentId, out: &mut StateDelta) {
        if std::mem::take(&mut self.is_changed) {
            let counts = format!(
                "{} {} {} {} {}",
                self.pages,
                self.relevant,
                u8::from(self.is_seeding),
                self.epoch,
                self.epoch_opened_at
            );
            out.put(AgentSlot::counts_under(id), counts.into_bytes());
        }
        let mut learnt = StateDelta::default();
        self.agent.strategy.save_changes(&mut learnt);
        let prefix = learnt_under(id);
        for (name, value) in learnt.changes() {
            out.put(format!("{prefix}{name}"), value.as_slice());
        }
    }

    pub fn has_met(&self, goal: Option<u64>) -> bool {
        goal.is_some_and(|goal| self.relevant >= goal)
    }
}

/// How many more pages an agent may fetch from a budget shared by all.
pub(crate) fn share_left(slots: &[AgentSlot], at: usize, budget: Option<u64>, rules: &AgentRules) -> u64 {
    let (Some(budget), Some(slot)) = (budget, slots.get(at)) else {
        return u64::MAX;
    };
    let agents = slots.len() as u64;
    let share = |at: usize| budget / agents + u64::from((at as u64) < budget % agents);
    let mut mine = share(at);
    if rules.redistribute {
        let has_stopped = |slot: &AgentSlot| slot.is_exhausted || slot.has_met(rules.goal);
        let working = slots.iter().filter(|slot| !has_stopped(slot)).count() as u64;
        let unspent: u64 = slots
            .iter()
            .enumerate()
            .filter(|(_, slot)| has_stopped(slot))
            .map(|(at, slot)| share(at).saturating_sub(slot.pages + slot.pages_out))
            .sum();
        // Rounding up is safe: the crawl itself enforces the total.
        mine += unspent.div_ceil(working.max(1));
    }
    mine.saturating_sub(slot.pages + slot.pages_out)
}

#[cfg(test)]
mod tests {
    use scenthound_strategy::BreadthFirst;

    use super::*;

    fn slots(pages: &[u64]) -> Vec<AgentSlot> {
        let slot = |pages: &u64| {
            let mut slot = AgentSlot::new(Agent {
                name: String::new(),
                strategy: Box::new(BreadthFirst),
                seeds: Vec::new(),
            });
            slot.pages = *pages;
            slot
        };
        pages.iter().map(slot).collect()
    }

    #[test]
    fn the_shares_of_all_agents_add_up_to_the_budget() {
        let slots = slots(&[0, 0, 0]);
        let shares = (0..3).map(|at| share_left(&slots, at, Some(11), &AgentRules::default()));
        assert_eq!(shares.collect::<Vec<_>>(), [4, 4, 3]);
        assert_eq!(share_left(&slots, 0, None, &AgentRules::default()), u64::MAX);
    }

    #[test]
    fn what_a_stopped_agent_leaves_goes_to_the_others_if_redistributed() {
        let mut slots = slots(&[10, 4, 10]);
        slots[1].is_exhausted = true;
        let keep = AgentRules::default();
        let pass_on = AgentRules {
            redistribute: true,
            ..keep
        };
        assert_eq!(share_left(&slots, 0, Some(30), &keep), 0);
        assert_eq!(share_left(&slots, 0, Some(30), &pass_on), 3);
        assert_eq!(share_left(&slots, 2, Some(30), &pass_on), 3);
    }

    #[test]
    fn counts_come_back_and_damaged_ones_are_refused() {
        let mut slots = slots(&[7]);
        slots[0].relevant = 3;
        let mut saved = StateDelta::default();
        slots[0].save(AgentId(2), &mut saved);
        let notes: Vec<_> = saved.changes().to_vec();
        let mut back = self::slots(&[0]);
        back[0].restore(AgentId(2), &notes, true).unwrap();
        assert_eq!((back[0].pages, back[0].relevant), (7, 3));
        let damaged = [("agents/2/counts".to_owned(), b"seven".to_vec())];
        let error = back[0].restore(AgentId(2), &damaged, true).unwrap_err();
        assert!(error.to_string().contains("agent 3"), "{error}");
    }
}
