//! The tables and figures of the papers, reproduced and shown beside the originals.
//!
//! The papers' webs are gone, so only the shape can be compared: which is ahead of which, and by roughly how much. Each
//! experiment runs on any web with tasks. By default it uses a synthetic web of the paper's size.

mod judging;
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

/// An experiment by name.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// The name it is run by.
    pub name: &'static str,
    /// What it shows.
    pub about: &'static str,
    /// The web it runs on by default.
    pub web: &'static str,
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

impl Lab<'_> {
    /// Runs an experiment on these webs, or on its default web if none is given.
    pub fn experiment(
        &self,
        plan: &Plan,
        webs: &[PathBuf],
        tasks: &[String],
        conditions: &Conditions,
    ) -> Result<Experiment, LabError> {
        let webs = match webs {
            [] => vec![PathBuf::from(plan.web)],
            given => given.to_vec(),
        };
        let bench = Bench {
            lab: self,
            trials: self.open_all(&webs, tasks)?,
            conditions: conditions.clone(),
        };
        let experiment = (plan.run)(&bench)?;
        let names: Vec<String> = webs.iter().map(|web| web.display().to_string()).collect();
        let tasks: Vec<&str> = bench
            .trials
            .iter()
            .map(|trial| trial.task.name.as_str())
            .collect();
        Ok(experiment
            .setting("webs", names.join(", "))
            .setting("tasks", tasks.join(", "))
            .setting("seed", conditions.seed.to_string()))
    }
}

/// All experiments.
pub const PLANS: &[Plan] = &[
    Plan {
        name: "paper1-thresholds",
        about: "F1 by similarity threshold: separate and joint terms, with and without idf, against SVM-RBF",
        web: "synth:paper1-60k",
        run: judging::thresholds,
    },
    Plan {
        name: "paper1-fewer-terms",
        about: "best F1 with 100, 75, 50 and 25 % of the genre and of the content terms",
        web: "synth:paper1-60k",
        run: judging::fewer_terms,
    },
    Plan {
        name: "paper1-generated",
        about: "best F1 with 40, 30, 20 and 10 generated terms",
        web: "synth:paper1-60k",
        run: judging::generated,
    },
    Plan {
        name: "paper1-policies",
        about: "the five queueing policies, merging by set and by max",
        web: "synth:paper1-60k",
        run: ordering::policies,
    },
    Plan {
        name: "paper1-coverage",
        about: "relevant pages against visited pages; visits per relevant page; SVM as the baseline",
        web: "synth:paper1-60k",
        run: ordering::coverage,
    },
    Plan {
        name: "paper2-weights",
        about: "area under the coverage curve by the weight of relevance, 1 to 0 in steps of 0.05",
        web: "synth:paper2-gaming",
        run: ordering::weights,
    },
    Plan {
        name: "paper2-harvest",
        about: "harvest rate of best-first and of genre-weighted links, at most 300 pages per host",
        web: "synth:paper2-gaming",
        run: ordering::genre_harvest,
    },
    Plan {
        name: "paper3-recall",
        about: "target recall and harvest rate: breadth-first, link-context, OPIC, OTIE",
        web: "synth:paper3",
        run: ordering::cash_recall,
    },
    Plan {
        name: "paper3-parameters",
        about: "OTIE's revision (a) and its power (d)",
        web: "synth:paper3",
        run: ordering::cash_parameters,
    },
    Plan {
        name: "paper3-time",
        about: "running time under politeness: lists of 50, 30 workers, a delay per host",
        web: "synth:paper3",
        run: ordering::cash_time,
    },
    Plan {
        name: "paper4-concurrency",
        about: "virtual time and precision by the number of requests an agent may have in flight, 1 to 12",
        web: "synth:paper4",
        run: paper4::concurrency,
    },
    Plan {
        name: "paper4-agents",
        about: "three agents against one with all the seeds: precision, and how many hosts they reach",
        web: "synth:paper4",
        run: paper4::agents,
    },
    Plan {
        name: "paper4-table",
        about: "size of the word table, fixed and growing",
        web: "synth:paper4",
        run: paper4::table,
    },
    Plan {
        name: "paper4-genre",
        about: "links scored by genre words, by the table, by their sum and by weighted means",
        web: "synth:paper4-genre",
        run: paper4::genre,
    },
    Plan {
        name: "paper4-disambiguation",
        about: "irrelevant pages among the first 1,000, with and without words of the wrong sense",
        web: "synth:paper4-ambiguous",
        run: paper4::disambiguation,
    },
    Plan {
        name: "paper5-small",
        about: "a small, loose topic: on-topic pages by pages fetched, breadth-first, context graph, layered queues",
        web: "synth:paper5-small",
        run: layers::small,
    },
    Plan {
        name: "paper5-large",
        about: "a large, dense topic: the same",
        web: "synth:paper5-large",
        run: layers::large,
    },
];
