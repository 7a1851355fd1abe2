//! Many strategies and judges on many tasks, as one report.

use std::fmt::Display;

use scenthound_report::compare::find_baseline;
use scenthound_report::{Report, ReportSettings, report};
use scenthound_strategy::StrategyKind;

use crate::batch::{Shortfall, combine};
use crate::conditions::Conditions;
use crate::error::LabError;
use crate::session::Lab;
use crate::spec::{JudgeSpec, StrategySpec};
use crate::trial::Trial;

/// What is compared, and how.
#[derive(Clone, PartialEq, Debug)]
pub struct CompareSettings {
    /// The strategies.
    pub strategies: Vec<StrategySpec>,
    /// The judges; each strategy crawls with each of them.
    pub judges: Vec<JudgeSpec>,
    /// The clock and the limits of every crawl.
    pub conditions: Conditions,
    /// How often each crawl is repeated, with different random seeds.
    pub repeats: u32,
    /// The significance level of the t-tests.
    pub alpha: f64,
    /// The strategy that the others are tested against; by default the first.
    pub baseline: Option<String>,
    /// Whether the upper bound and a random crawl are shown beside the strategies.
    pub references: bool,
}

impl Default for CompareSettings {
    /// No strategies, the tasks' own judges, one crawl each.
    fn default() -> CompareSettings {
        CompareSettings {
            strategies: Vec::new(),
            judges: vec![JudgeSpec::default()],
            conditions: Conditions::default(),
            repeats: 1,
            alpha: 0.05,
            baseline: None,
            references: true,
        }
    }
}

/// A comparison.
pub struct Comparison {
    /// The report, from which every output format is made.
    pub report: Report,
    /// How far the comparison got, if it was interrupted. The report then covers the finished crawls.
    pub shortfall: Option<Shortfall>,
}

impl Lab<'_> {
    /// Crawls every trial with every strategy and judge. If stopped early, it reports the finished crawls.
    pub fn compare(&self, trials: &[Trial], settings: &CompareSettings) -> Result<Comparison, LabError> {
        let mut strategies = settings.strategies.clone();
        if settings.references {
            for reference in [StrategySpec::upper_bound(), StrategyKind::Random.into()] {
                if strategies.iter().all(|spec| spec.kind() != reference.kind()) {
                    strategies.push(reference);
                }
            }
        }
        if let Some(name) = &settings.baseline {
            // Check before crawling, so that a typo does not cost hours.
            let strategy = name.split(" · ").next().unwrap_or(name);
            if strategies.iter().all(|spec| spec.to_string() != strategy) {
                return Err(LabError::NoBaseline {
                    name: name.clone(),
                    known: listed(&strategies),
                });
            }
        }
        let jobs = combine(
            trials.len(),
            &strategies,
            &settings.judges,
            &settings.conditions,
            settings.repeats,
        );
        let batch = self.run_all(trials, &jobs)?;
        let shortfall = batch.shortfall();
        let mut report_settings = ReportSettings {
            title: "Strategies compared".to_owned(),
            notes: shortfall.iter().map(ToString::to_string).collect(),
            settings: described(settings),
            alpha: settings.alpha,
            baseline: settings.baseline.clone(),
            ..ReportSettings::default()
        };
        let runs = batch.runs();
        if let Some(name) = &settings.baseline
            && find_baseline(&runs, name).is_err()
        {
            if shortfall.is_none() {
                return Err(LabError::NoBaseline {
                    name: name.clone(),
                    known: listed(&strategies),
                });
            }
            // None of its crawls finished, so the report leaves it out.
            report_settings.baseline = None;
        }
        Ok(Comparison {
            report: report(&runs, &report_settings),
            shortfall,
        })
    }
}

fn listed<T: Display>(specs: &[T]) -> String {
    let labels: Vec<String> = specs.iter().map(ToString::to_string).collect();
    labels.join(", ")
}

fn described(settings: &CompareSettings) -> Vec<(String, String)> {
    let conditions = &settings.conditions;
    [
        ("strategies", listed(&settings.strategies)),
        ("judges", listed(&settings.judges)),
        ("budget", conditions.budget_in_words()),
        ("delay", format!("{} s", conditions.delay.as_secs_f64())),
        ("workers", conditions.workers.to_string()),
        ("latency", format!("{} s", conditions.latency.as_secs_f64())),
        ("seed", conditions.seed.to_string()),
        ("repeats", settings.repeats.to_string()),
    ]
    .into_iter()
    .map(|(name, value)| (name.to_owned(), value))
    .collect()
}
