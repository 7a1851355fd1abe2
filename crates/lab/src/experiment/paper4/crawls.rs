//! Crawls of the experiments on agents, and what is kept of each: every visit that counts, with its agent, its host and
//! whether the page was good.
//!
//! A page has the query if the judge `query` says so; the share of such pages is what the paper calls precision. It is
//! relevant if the labels say so. The judge only counts pages here: links are ranked by the table.

use std::collections::BTreeMap;
use std::sync::Mutex;

use scenthound_report::stats;
use scenthound_report::table::Cell;
use scenthound_types::{AgentId, CanonicalUrl, registrable_domain};

use super::super::measure::Bench;
use crate::batch::Job;
use crate::conditions::Conditions;
use crate::error::LabError;
use crate::recorded::PageId;
use crate::spec::{JudgeSpec, StrategySpec};
use crate::trial::{Outcome, Trial};

/// One row of a table: its label and how it crawls.
pub struct Entry {
    pub label: String,
    /// As given to `--strategy`.
    pub strategy: String,
    /// As given to `--judge`.
    pub judge: String,
    pub genres: Genres,
    pub conditions: Conditions,
}

/// The genres a crawl wants.
#[derive(Clone, Copy)]
pub enum Genres {
    /// Any.
    Any,
    /// The genre the task is about.
    OfTask,
    /// This genre.
    One(&'static str),
}

/// The paper's genres, by the names of our word lists.
pub const KINDS: [&str; 3] = ["news", "forum", "blog"];

/// The genre a task is about, taken from its name.
pub fn kind_of(trial: &Trial) -> Option<&'static str> {
    let mut words = trial.task.name.split('-');
    words.find_map(|word| KINDS.into_iter().find(|kind| *kind == word))
}

impl Entry {
    /// The strategy `table` with these settings (`:table-size=100`), with pages counted by the judge `query`.
    pub fn table(label: impl Into<String>, settings: &str, conditions: &Conditions) -> Entry {
        Entry {
            label: label.into(),
            strategy: format!("table{settings}"),
            judge: "query".to_owned(),
            genres: Genres::Any,
            conditions: conditions.clone(),
        }
    }

    fn strategy_on(&self, trial: &Trial) -> Result<StrategySpec, LabError> {
        let kinds: Vec<&str> = match self.genres {
            Genres::Any => Vec::new(),
            Genres::One(kind) => vec![kind],
            // A task that is about no genre in particular wants any of them.
            Genres::OfTask => kind_of(trial).map_or_else(|| KINDS.to_vec(), |kind| vec![kind]),
        };
        let strategy: StrategySpec = self.strategy.parse()?;
        Ok(strategy.for_genres(&kinds))
    }
}

/// One visit that counts.
#[derive(Clone, PartialEq, Debug)]
pub struct Visited {
    pub page: PageId,
    pub agent: AgentId,
    pub host: Box<str>,
    pub has_query: bool,
    pub is_relevant: bool,
    /// Whether the page uses the word in the wrong sense.
    pub is_ignored: bool,
}

/// What is kept of a crawl.
#[derive(Clone, Debug)]
pub struct Crawled {
    pub visits: Vec<Visited>,
    pub auc30: f64,
    pub virtual_seconds: f64,
    /// Words in the table at the end; the mean if there are several agents.
    pub table_words: f64,
}

impl Crawled {
    /// Share of the visits that have the query: the paper's precision.
    pub fn precision(&self) -> f64 {
        share(&self.visits, |visit| visit.has_query)
    }

    /// Share of the visits that are relevant by the labels.
    pub fn harvest(&self) -> f64 {
        share(&self.visits, |visit| visit.is_relevant)
    }

    /// How the visits that pass the filter are spread.
    pub fn places(&self, passes: impl Fn(&Visited) -> bool) -> Places {
        Places::of(self.visits.iter().filter(|visit| passes(visit)))
    }

    /// How many of the first visits pass the filter.
    pub fn among_first(&self, visits: usize, passes: impl Fn(&Visited) -> bool) -> f64 {
        let first = self.visits.iter().take(visits);
        first.filter(|visit| passes(visit)).count() as f64
    }
}

fn share(visits: &[Visited], passes: impl Fn(&Visited) -> bool) -> f64 {
    visits.iter().filter(|visit| passes(visit)).count() as f64 / visits.len().max(1) as f64
}

/// How widely visits are spread.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Places {
    pub hosts: f64,
    pub domains: f64,
    /// Entropy over the hosts, in bits: 0 for one host, 3 for eight visited equally often.
    pub entropy: f64,
}

impl Places {
    fn of<'v>(visits: impl Iterator<Item = &'v Visited>) -> Places {
        let mut hosts: BTreeMap<&str, f64> = BTreeMap::new();
        for visit in visits {
            *hosts.entry(&visit.host).or_default() += 1.0;
        }
        let all: f64 = hosts.values().sum();
        let domains: std::collections::BTreeSet<&str> =
            hosts.keys().map(|host| registrable_domain(host)).collect();
        let bits = hosts.values().map(|visits| visits / all * (all / visits).log2());
        Places {
            hosts: hosts.len() as f64,
            domains: domains.len() as f64,
            // An empty sum is -0.
            entropy: bits.sum::<f64>().abs(),
        }
    }
}

/// Crawls every trial with every entry; by entry, then by trial.
pub fn crawl(bench: &Bench<'_>, trials: &[Trial], entries: &[Entry]) -> Result<Vec<Vec<Crawled>>, LabError> {
    let mut jobs = Vec::new();
    for entry in entries {
        let judge: JudgeSpec = entry.judge.parse()?;
        for (place, trial) in trials.iter().enumerate() {
            jobs.push(Job {
                trial: place,
                strategy: entry.strategy_on(trial)?,
                judge: judge.clone(),
                conditions: entry.conditions.clone(),
                repeat: 0,
            });
        }
    }
    let kept: Mutex<BTreeMap<usize, Result<Crawled, LabError>>> = Mutex::default();
    let batch = bench.lab.run_all_watched(trials, &jobs, &|at, outcome| {
        if let Some(job) = jobs.get(at)
            && let Some(trial) = trials.get(job.trial)
            && let Ok(mut kept) = kept.lock()
        {
            kept.insert(at, crawled(bench, trial, job, outcome));
        }
    })?;
    if let Some(shortfall) = batch.shortfall() {
        return Err(LabError::Unfinished(shortfall));
    }
    let kept = kept.into_inner().unwrap_or_default();
    let all: Vec<Crawled> = kept.into_values().collect::<Result<_, _>>()?;
    Ok(all.chunks(trials.len().max(1)).map(<[Crawled]>::to_vec).collect())
}

fn crawled(bench: &Bench<'_>, trial: &Trial, job: &Job, outcome: &Outcome) -> Result<Crawled, LabError> {
    let settings = bench.lab.settings(trial, Some(&job.strategy), &job.judge)?;
    let sense = settings.wrong_sense()?;
    let each = outcome
        .order
        .iter()
        .zip(&outcome.visited_by)
        .zip(&outcome.called_relevant);
    let visits = each
        .filter(|((page, _), _)| !trial.targets.uncounted.contains(page))
        .map(|((page, agent), has_query)| {
            let url = CanonicalUrl::parse(&trial.web.spelled(*page));
            let is_ignored = sense.as_ref().is_some_and(|sense| {
                let parsed = trial.web.page(*page);
                parsed.is_some_and(|parsed| sense.of(&parsed).is_some())
            });
            Visited {
                page: *page,
                agent: *agent,
                host: url.map_or_else(|_| "".into(), |url| url.host().into()),
                has_query: *has_query,
                is_relevant: trial.pages.relevant.contains(page),
                is_ignored,
            }
        })
        .collect();
    let words: usize = outcome.agents.iter().map(|agent| agent.learnt.len()).sum();
    Ok(Crawled {
        visits,
        auc30: outcome.score.auc30,
        virtual_seconds: outcome.virtual_seconds,
        table_words: words as f64 / outcome.agents.len().max(1) as f64,
    })
}

/// Mean and standard error over tasks.
pub fn mean(crawls: &[Crawled], value: impl Fn(&Crawled) -> f64) -> Cell {
    let values: Vec<f64> = crawls.iter().map(value).collect();
    let error = stats::standard_error(&values);
    Cell::number(stats::mean(&values), error.is_finite().then_some(error))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn visit(host: &str) -> Visited {
        Visited {
            page: PageId(0),
            agent: AgentId::default(),
            host: host.into(),
            has_query: true,
            is_relevant: false,
            is_ignored: false,
        }
    }

    #[test]
    fn two_hosts_visited_equally_often_are_one_bit() {
        let visits = ["a.example.org", "b.example.org", "a.example.org", "b.example.org"].map(visit);
        let places = Places::of(visits.iter());
        assert_eq!((places.hosts, places.domains, places.entropy), (2.0, 1.0, 1.0));
    }

    #[test]
    fn no_visits_are_nowhere() {
        let places = Places::of([].iter());
        assert_eq!((places.hosts, places.domains, places.entropy), (0.0, 0.0, 0.0));
    }
}
