//! What a new user gets: a short crawl from a few words and one seed, ranked by what the judge has learnt by then.
//!
//! Other figures of the lab start from all seeds of a task and look at the order of visits. This one looks at the first page
//! of results, where a judge that has drifted shows at once.

use std::ops::ControlFlow;

use scenthound_types::CanonicalUrl;

use crate::conditions::Conditions;
use crate::error::LabError;
use crate::session::Lab;
use crate::spec::{JudgeSpec, StrategySpec};
use crate::trial::{LabBudget, Trial};

/// A page among the results.
#[derive(Clone, PartialEq, Debug)]
pub struct TopPage {
    /// Its URL.
    pub url: String,
    /// The judge's final opinion.
    pub relevance: f64,
    /// Whether it is one that the task asks for, the task's examples included.
    pub is_right: bool,
}

/// The results of one crawl.
#[derive(Clone, PartialEq, Debug)]
pub struct TopResults {
    /// The seed.
    pub seed: CanonicalUrl,
    /// Pages fetched.
    pub fetched: usize,
    /// The right ones among them.
    pub right: usize,
    /// Pages that the judge calls relevant at the end.
    pub called: usize,
    /// The right ones among those.
    pub called_right: usize,
    /// The best pages, best first.
    pub best: Vec<TopPage>,
}

impl TopResults {
    /// How many of the best pages are right.
    pub fn right_among_best(&self) -> usize {
        self.best.iter().filter(|page| page.is_right).count()
    }
}

impl Lab<'_> {
    /// Crawls a trial once from each of its seeds alone, judges the pages again by what the judge has learnt, and ranks them.
    pub fn top_results(
        &self,
        trial: &Trial,
        strategy: &StrategySpec,
        judge: &JudgeSpec,
        pages: u64,
        best: usize,
    ) -> Result<Vec<TopResults>, LabError> {
        let conditions = Conditions {
            page_limit: Some(pages),
            budget: Some(LabBudget::All),
            ..Conditions::default()
        };
        let of_seed = |seed: &CanonicalUrl| {
            let mut trial = trial.clone();
            trial.pages.seeds = vec![seed.clone()];
            let named = self.judge(&trial, judge)?;
            let (outcome, _) = self.crawl_with(
                &trial,
                strategy,
                judge,
                named.judge.as_ref(),
                &conditions,
                &mut |_| ControlFlow::Continue(()),
            )?;
            if let Some(learner) = named.judge.learner().as_ref().and_then(|judge| judge.learner()) {
                // Learns from the last pages too, as a live crawl does when it ends.
                learner.change_examples(&[], Vec::new());
            }
            let truth = trial.truth();
            let counts = |page: &crate::recorded::PageId| {
                truth.contains(page) || !trial.targets.uncounted.contains(page)
            };
            let mut results = TopResults {
                seed: seed.clone(),
                fetched: 0,
                right: 0,
                called: 0,
                called_right: 0,
                best: Vec::new(),
            };
            for page in outcome.order.iter().filter(|page| counts(page)) {
                let judgement = named.judge.opinion(trial.web.as_ref(), *page, false).judgement;
                let is_right = truth.contains(page);
                let is_called = judgement.verdict == scenthound_types::Verdict::Relevant;
                results.fetched += 1;
                results.right += usize::from(is_right);
                results.called += usize::from(is_called);
                results.called_right += usize::from(is_called && is_right);
                results.best.push(TopPage {
                    url: trial.web.spelled(*page).to_string(),
                    relevance: judgement.relevance,
                    is_right,
                });
            }
            // The earlier visited first among equals.
            results.best.sort_by(|a, b| b.relevance.total_cmp(&a.relevance));
            results.best.truncate(best);
            Ok(results)
        };
        trial.pages.seeds.iter().map(of_seed).collect()
    }
}
