//! The tables and figures of the papers, reproduced and shown beside the originals.
//!
//! The papers' webs are gone, so only the shape can be compared: which is ahead of which, and by roughly how much. Each
//! experiment runs on any web with tasks. By default it uses a synthetic web of the paper's size.

mod feedback;
mod genres;
mod judging;
mod layer_terms;
mod layers;
mod measure;
mod ordering;
mod paper4;

use std::path::PathBuf;

use scenthound_report::Experiment;

use self::measure::Bench;
use crate::conditions::Conditions;
use crate::error::LabError;
use crate::session::Lab;
use crate::spec::JudgeSpec;

/// An experiment by name.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// The name it is run by.
    pub name: &'static str,
    /// What it shows.
    pub about: &'static str,
    /// The synthetic webs it runs on by default.
    pub webs: &'static [&'static str],
    /// How many webs of each kind, made with different seeds.
    pub seeds: u32,
    /// How many pages each web has in a quick run.
    quick_pages: u32,
    run: fn(&Bench<'_>) -> Result<Experiment, LabError>,
}

impl Plan {
    /// The experiment with this name.
    pub fn find(name: &str) -> Result<&'static Plan, LabError> {
        PLANS
            .iter()
            .find(|plan| plan.name == name)
            .ok_or_else(|| LabError::Unknown {
                what: "experiment",
                name: name.to_owned(),
                known: PLANS.iter().map(|plan| plan.name).collect::<Vec<_>>().join(", "),
            })
    }
}

/// How an experiment is run.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ExperimentSettings {
    /// The webs; none for the experiment's own.
    pub webs: Vec<PathBuf>,
    /// The tasks; none, or `all`, for every task.
    pub tasks: Vec<String>,
    /// The clock and the limits of crawls.
    pub conditions: Conditions,
    /// The judge of all crawls that do not have one of their own; `None` for the experiment's own.
    pub judge: Option<JudgeSpec>,
    /// The genre detector: a built-in one by name, or a model file; `None` for one trained on another web of the same kind.
    pub detector: Option<String>,
    /// How many webs of each kind, made with different seeds; `None` for the experiment's own number.
    pub seeds: Option<u32>,
    /// Whether to use small webs and small budgets.
    pub quick: bool,
}

/// The seed of a web that a detector or a table is learnt on: far from those of the webs that are crawled.
const OTHER_SEED: u64 = 1_000;

impl Lab<'_> {
    /// Runs an experiment.
    pub fn experiment(&self, plan: &Plan, settings: &ExperimentSettings) -> Result<Experiment, LabError> {
        let seeds = settings.seeds.unwrap_or(if settings.quick {
            plan.seeds.min(2)
        } else {
            plan.seeds
        });
        let variant = |name: &str, seed: u64| match settings.quick {
            true => PathBuf::from(format!("synth:{name}@{seed},{}", plan.quick_pages)),
            false => PathBuf::from(format!("synth:{name}@{seed}")),
        };
        let webs: Vec<PathBuf> = match settings.webs.as_slice() {
            [] => plan
                .webs
                .iter()
                .flat_map(|name| (1..=u64::from(seeds.max(1))).map(move |seed| variant(name, seed)))
                .collect(),
            given => given.to_vec(),
        };
        let other_webs = match settings.webs.as_slice() {
            [] => plan.webs.iter().map(|name| variant(name, OTHER_SEED)).collect(),
            _ => Vec::new(),
        };
        let bench = Bench {
            lab: self,
            trials: self.open_all(&webs, &settings.tasks)?,
            conditions: settings.conditions.clone(),
            judge: settings.judge.clone(),
            detector: settings.detector.clone(),
            other_webs,
            is_quick: settings.quick,
        };
        let experiment = (plan.run)(&bench)?;
        let names: Vec<String> = webs.iter().map(|web| web.display().to_string()).collect();
        let mut tasks: Vec<&str> = bench
            .trials
            .iter()
            .map(|trial| trial.task.name.as_str())
            .collect();
        tasks.dedup();
        Ok(experiment
            .setting("webs", names.join(", "))
            .setting("tasks", tasks.join(", "))
            .setting(
                "judge",
                bench
                    .judge
                    .as_ref()
                    .map_or("the experiment's own".to_owned(), ToString::to_string),
            )
            .setting("seed", settings.conditions.seed.to_string()))
    }
}

/// All experiments.
pub const PLANS: &[Plan] = &[
    Plan {
        name: "paper1-thresholds",
        about: "F1 by similarity threshold: separate and joint terms, with and without idf, against SVM-RBF",
        webs: &["paper1-terms", "paper1-60k"],
        seeds: 1,
        quick_pages: 15_000,
        run: judging::thresholds,
    },
    Plan {
        name: "paper1-fewer-terms",
        about: "best F1 with 100, 75, 50 and 25 % of the genre and of the content terms",
        webs: &["paper1-terms"],
        seeds: 2,
        quick_pages: 15_000,
        run: judging::fewer_terms,
    },
    Plan {
        name: "paper1-generated",
        about: "best F1 with generated terms, 20 to 80, all of them and an expert's pick (Algorithm 2)",
        webs: &["paper1-terms"],
        seeds: 2,
        quick_pages: 15_000,
        run: judging::generated,
    },
    Plan {
        name: "paper1-ranks",
        about: "precision at ranks of the pages visited, by genre and subject; overlap of generated and written terms",
        webs: &["paper1-terms"],
        seeds: 2,
        quick_pages: 15_000,
        run: judging::ranks,
    },
    Plan {
        name: "paper1-feedback",
        about: "terms before and after a user has marked the best pages of a first crawl; the labels stand in for the user",
        webs: &["paper1-terms"],
        seeds: 2,
        quick_pages: 15_000,
        run: feedback::marked,
    },
    Plan {
        name: "paper1-policies",
        about: "the five queueing policies, merging by set and by max",
        webs: &["paper1-terms"],
        seeds: 3,
        quick_pages: 15_000,
        run: ordering::policies,
    },
    Plan {
        name: "paper1-coverage",
        about: "relevant pages against visited pages; visits per relevant page; SVM as the baseline",
        webs: &["paper1-terms"],
        seeds: 3,
        quick_pages: 15_000,
        run: ordering::coverage,
    },
    Plan {
        name: "paper2-weights",
        about: "area under the coverage curve by the weight of relevance, 1 to 0 in steps of 0.05",
        webs: &["paper2-baseball", "paper2-gaming"],
        seeds: 3,
        quick_pages: 6_000,
        run: genres::weights,
    },
    Plan {
        name: "paper2-harvest",
        about: "harvest rate of best-first and of genre-weighted links, at most 300 pages per host",
        webs: &["paper2-baseball", "paper2-gaming"],
        seeds: 3,
        quick_pages: 6_000,
        run: genres::harvest_rates,
    },
    Plan {
        name: "paper3-recall",
        about: "target recall and harvest rate: breadth-first, link-context, OPIC, OTIE",
        webs: &["paper3-homes"],
        seeds: 1,
        quick_pages: 20_000,
        run: ordering::cash_recall,
    },
    Plan {
        name: "paper3-describing",
        about: "the same by the share of links that describe their targets, 0 to 90 %",
        webs: &["paper3-homes"],
        seeds: 1,
        quick_pages: 20_000,
        run: ordering::cash_describing,
    },
    Plan {
        name: "paper3-parameters",
        about: "OTIE's revision (a) and its power (d)",
        webs: &["paper3-homes"],
        seeds: 1,
        quick_pages: 20_000,
        run: ordering::cash_parameters,
    },
    Plan {
        name: "paper3-time",
        about: "running time under politeness: lists of 50, 30 workers, a delay per host",
        webs: &["paper3"],
        seeds: 1,
        quick_pages: 10_000,
        run: ordering::cash_time,
    },
    Plan {
        name: "paper4-concurrency",
        about: "virtual time and precision by the number of requests an agent may have in flight, 1 to 12",
        webs: &["paper4"],
        seeds: 1,
        quick_pages: 6_000,
        run: paper4::concurrency,
    },
    Plan {
        name: "paper4-agents",
        about: "three agents against one with all the seeds: precision, and how many hosts they reach",
        webs: &["paper4"],
        seeds: 1,
        quick_pages: 6_000,
        run: paper4::agents,
    },
    Plan {
        name: "paper4-table",
        about: "size of the word table, fixed and growing",
        webs: &["paper4"],
        seeds: 1,
        quick_pages: 6_000,
        run: paper4::table,
    },
    Plan {
        name: "paper4-genre",
        about: "links scored by genre words, by the table, by their sum and by weighted means",
        webs: &["paper4-genre"],
        seeds: 1,
        quick_pages: 6_000,
        run: paper4::genre,
    },
    Plan {
        name: "paper4-disambiguation",
        about: "irrelevant pages among those visited, with and without words of the wrong sense",
        webs: &["paper4-ambiguous"],
        seeds: 1,
        quick_pages: 6_000,
        run: paper4::disambiguation,
    },
    Plan {
        name: "paper4-beyond",
        about: "how far the crawl goes beyond the search engine's first 500 results",
        webs: &["paper4"],
        seeds: 1,
        quick_pages: 6_000,
        run: paper4::beyond,
    },
    Plan {
        name: "paper5-terms",
        about: "the 28 terms that best tell the layers of a context graph apart, and how well they tell the topic",
        webs: &["paper5-small", "paper5-large"],
        seeds: 1,
        quick_pages: 20_000,
        run: layer_terms::best,
    },
    Plan {
        name: "paper5-small",
        about: "a small, loose topic: on-topic pages by pages fetched, breadth-first, context graph, layered queues",
        webs: &["paper5-small"],
        seeds: 5,
        quick_pages: 20_000,
        run: layers::small,
    },
    Plan {
        name: "paper5-large",
        about: "a large, dense topic: the same",
        webs: &["paper5-large"],
        seeds: 5,
        quick_pages: 30_000,
        run: layers::large,
    },
];
