//! One task on one web: where a crawl begins, what it should find, and how well it did.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::Arc;

use crate::recorded::{PageId, Task, TaskPages};
use scenthound_engine::{Agent, AgentFacts, BreadthFirst, CrawlError, FoundAt};
use scenthound_strategy::Strategy;
use scenthound_types::AgentId;

use crate::bound::greedy_order;
use crate::journal::Journal;
use crate::nodes::{NodeParts, NodeSettings, crawl_web_on_nodes};
use crate::opinion::PageJudge;
use crate::replay::{LabSettings, Run, crawl_web};
use crate::score::{CrawlScore, RankedBy, Targets, Verdicts, f1_by_threshold, share_by_rank};
use crate::web::Web;

/// How long a crawl may go on.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum LabBudget {
    /// Until nothing is left.
    All,
    /// This many pages that count.
    Pages(u64),
    /// This share of the reachable pages.
    Share(f64),
}

/// One task on one web.
#[derive(Clone)]
pub struct Trial {
    /// The name of the web.
    pub web_name: String,
    /// The web.
    pub web: Arc<dyn Web>,
    /// The task.
    pub task: Task,
    /// The task's pages.
    pub pages: TaskPages,
    /// What a crawl is scored against.
    pub targets: Targets,
}

/// A crawl of a trial, scored.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The numbers of the visiting order.
    pub score: CrawlScore,
    /// The judge's verdicts against the labels, over the pages fetched that count.
    pub verdicts: Verdicts,
    /// F1 by threshold, in steps of a hundredth.
    pub f1_by_threshold: Vec<(f64, f64)>,
    /// Share of relevant pages among the first k ranked by the judge.
    pub precision_at: Vec<(u32, f64)>,
    /// The first pages ranked by the judge, of those that count.
    pub first_ranked: Vec<PageId>,
    /// What the pages are ranked by at the end.
    pub ranked_by: RankedBy,
    /// Share of relevant pages among each hundred ranks: (first rank, share).
    pub share_by_rank: Vec<(u32, f64)>,
    /// Pages in the order visited, including those that do not count.
    pub order: Vec<PageId>,
    /// Requested URLs that were not recorded.
    pub not_recorded: u64,
    /// What breadth-first would have found, as far as the crawl can tell.
    pub breadth_first: Option<BreadthFirst>,
    /// How long it would have taken.
    pub virtual_seconds: f64,
    /// Whether it was ended early.
    pub is_partial: bool,
    /// What happened; every update if requested.
    pub journal: String,
    /// The agents at the end.
    pub agents: Vec<AgentFacts>,
    /// Which agent visited each page of the order.
    pub visited_by: Vec<AgentId>,
    /// Which pages of the order the judge called relevant.
    pub called_relevant: Vec<bool>,
    /// How many URLs waited after each visit.
    pub waiting: Vec<u64>,
}

/// The ranks at which precision is computed.
const RANKS: [u32; 8] = [5, 10, 20, 50, 65, 100, 200, 500];

impl Trial {
    /// A trial of a task on a web.
    pub fn new(web_name: String, web: Arc<dyn Web>, task: Task, pages: TaskPages) -> Trial {
        let targets = Targets::new(
            web.as_ref(),
            &pages.seeds,
            &pages.relevant,
            pages.relevant_missing,
            pages.uncounted.clone(),
        );
        Trial {
            web_name,
            web,
            task,
            pages,
            targets,
        }
    }

    /// The pages that `truth` calls relevant: the pages to find and the positive examples.
    pub fn truth(&self) -> BTreeSet<PageId> {
        self.pages
            .relevant
            .iter()
            .chain(&self.pages.positive)
            .copied()
            .collect()
    }

    /// A budget as a number of pages that count.
    pub fn budget(&self, budget: LabBudget) -> Option<u64> {
        match budget {
            LabBudget::All => None,
            LabBudget::Pages(pages) => Some(pages),
            LabBudget::Share(share) => Some(self.targets.share(share) as u64),
        }
    }

    /// Crawls and scores. The watcher sees how many of the pages read count, and may end the crawl.
    pub fn run(
        &self,
        judge: &dyn PageJudge,
        strategy: Box<dyn Strategy>,
        settings: &LabSettings,
        budget: LabBudget,
        watch: &mut dyn FnMut(u64) -> ControlFlow<()>,
    ) -> Result<Outcome, CrawlError> {
        let agents = vec![Agent::alone(strategy, &self.pages.seeds)];
        self.run_with(judge, agents, settings, budget, watch)
    }

    /// Crawls with several agents, and scores.
    pub fn run_with(
        &self,
        judge: &dyn PageJudge,
        agents: Vec<Agent>,
        settings: &LabSettings,
        budget: LabBudget,
        watch: &mut dyn FnMut(u64) -> ControlFlow<()>,
    ) -> Result<Outcome, CrawlError> {
        self.watched(budget, watch, |watch| {
            crawl_web(self.web.as_ref(), judge, agents, settings, watch)
        })
    }

    /// Crawls on several nodes, and scores.
    pub fn run_on_nodes(
        &self,
        nodes: Vec<NodeParts<'_>>,
        settings: &LabSettings,
        cluster: &NodeSettings,
        budget: LabBudget,
        watch: &mut dyn FnMut(u64) -> ControlFlow<()>,
    ) -> Result<Outcome, CrawlError> {
        self.watched(budget, watch, |watch| {
            crawl_web_on_nodes(self.web.as_ref(), nodes, settings, cluster, watch)
        })
    }

    /// Scores a crawl that ends when its budget is used up or its watcher says so.
    fn watched(
        &self,
        budget: LabBudget,
        watch: &mut dyn FnMut(u64) -> ControlFlow<()>,
        crawl: impl FnOnce(&mut dyn FnMut(&Journal) -> ControlFlow<()>) -> Result<Run, CrawlError>,
    ) -> Result<Outcome, CrawlError> {
        let budget = self.budget(budget);
        let mut order = Vec::new();
        let mut counted = 0;
        let mut is_partial = false;
        let run = crawl(&mut |journal| {
            let newest = journal.pages.last().and_then(|page| self.web.page_at(&page.url));
            if let Some(page) = newest {
                order.push(page);
                counted += u64::from(!self.targets.uncounted.contains(&page));
            }
            if budget.is_some_and(|budget| counted >= budget) {
                return ControlFlow::Break(());
            }
            let goes_on = watch(counted);
            is_partial = goes_on.is_break();
            goes_on
        })?;
        Ok(self.outcome(run, order, is_partial))
    }

    fn outcome(&self, run: Run, order: Vec<PageId>, is_partial: bool) -> Outcome {
        let counts = |page: &PageId| !self.targets.uncounted.contains(page);
        let judged: Vec<(f64, bool, bool)> = order
            .iter()
            .zip(&run.journal.pages)
            .filter(|(page, _)| counts(page))
            .map(|(page, read)| {
                (
                    read.relevance,
                    read.is_relevant,
                    self.pages.relevant.contains(page),
                )
            })
            .collect();
        let ranked: Vec<_> = order
            .iter()
            .zip(&run.journal.pages)
            .filter(|(page, _)| counts(page))
            .map(|(page, read)| (read.relevance, read.nearness, self.pages.relevant.contains(page)))
            .collect();
        let (ranked_by, share_by_rank) = share_by_rank(&ranked);
        let scored: Vec<(f64, bool)> = judged
            .iter()
            .map(|(relevance, _, label)| (*relevance, *label))
            .collect();
        let not_recorded = run
            .tally
            .outcomes
            .get(scenthound_types::OutcomeCode::NotRecorded.as_str())
            .copied()
            .unwrap_or(0);
        Outcome {
            score: CrawlScore::of(&self.targets.counted(order.iter().copied()), &self.targets),
            verdicts: Verdicts::of(judged.iter().map(|(_, verdict, label)| (*verdict, *label))),
            f1_by_threshold: f1_by_threshold(&scored, (0..=100).map(|step| f64::from(step) / 100.0)),
            precision_at: precision_at(&scored),
            first_ranked: first_ranked(order.iter().copied().filter(counts).zip(&scored)),
            ranked_by,
            share_by_rank,
            agents: run.agents,
            visited_by: run.journal.pages.iter().map(|page| page.agent).collect(),
            called_relevant: run.journal.pages.iter().map(|page| page.is_relevant).collect(),
            waiting: run.waiting_after,
            order,
            not_recorded,
            breadth_first: BreadthFirst::of(run.journal.pages.iter().map(|page| FoundAt {
                age: page.age,
                is_relevant: page.is_relevant,
                is_explored: page.is_explored,
            })),
            virtual_seconds: run.virtual_time.as_secs_f64(),
            is_partial,
            journal: run.journal.text,
        }
    }

    /// The score of a crawl with perfect knowledge.
    pub fn upper_bound(&self) -> (CrawlScore, Vec<PageId>) {
        let order = greedy_order(
            self.web.as_ref(),
            &self.pages.seeds,
            &self.targets.relevant_reachable,
        );
        let score = CrawlScore::of(&self.targets.counted(order.iter().copied()), &self.targets);
        (score, order)
    }

    /// The same, stopped when the budget is used up, as any other crawl would be.
    pub fn upper_bound_within(&self, budget: LabBudget) -> CrawlScore {
        let (score, order) = self.upper_bound();
        match self.budget(budget) {
            None => score,
            Some(pages) => {
                let mut visits = self.targets.counted(order);
                visits.truncate(usize::try_from(pages).unwrap_or(usize::MAX));
                CrawlScore::of(&visits, &self.targets)
            }
        }
    }
}

/// How many of the pages ranked first are kept.
const FIRST_RANKED: usize = 100;

/// The pages ranked first by relevance, the earlier visited first among equals.
fn first_ranked<'s>(pages: impl Iterator<Item = (PageId, &'s (f64, bool))>) -> Vec<PageId> {
    let mut ranked: Vec<(PageId, f64)> = pages.map(|(page, (relevance, _))| (page, *relevance)).collect();
    ranked.sort_by(|a, b| b.1.total_cmp(&a.1));
    ranked.truncate(FIRST_RANKED);
    ranked.into_iter().map(|(page, _)| page).collect()
}

/// Share of relevant pages among the first k when the pages are ranked by relevance, the earlier visited first among equals.
fn precision_at(scored: &[(f64, bool)]) -> Vec<(u32, f64)> {
    let mut ranked: Vec<&(f64, bool)> = scored.iter().collect();
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
    RANKS
        .into_iter()
        .filter_map(|k| {
            let first = ranked.get(..k as usize)?;
            let hits = first.iter().filter(|(_, label)| *label).count();
            Some((k, hits as f64 / f64::from(k)))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_ranked_by_relevance_and_equals_by_age() {
        let scored = [(0.2, false), (0.9, true), (0.2, true), (0.5, false)];
        let ranked = first_ranked((0..4).map(PageId).zip(&scored));
        assert_eq!(ranked, [1, 3, 0, 2].map(PageId));
    }
}
