//! Why the lab could not do what was asked.

use std::path::PathBuf;
use std::sync::Arc;

use scenthound_config::{BuildError, Faults, SpecError};
use scenthound_engine::CrawlError;
use scenthound_graph::TooMany;
use scenthound_judge::JudgeFault;
use scenthound_judge::terms::TermsFault;
use thiserror::Error;

use crate::batch::Shortfall;
use crate::recorded::RecordedFault;
use crate::synth::SynthFault;
use crate::topic::TopicFault;

/// Why the lab could not do what was asked.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LabError {
    /// There is nothing of this name.
    #[error("there is no {what} {name:?}; choose from: {known}")]
    Unknown {
        /// What kind of thing was asked for.
        what: &'static str,
        /// Its name.
        name: String,
        /// The names that exist.
        known: String,
    },
    /// A strategy or judge is misspelled, or has a setting that does not belong to it.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// A value of a setting is wrong.
    #[error(transparent)]
    Settings(#[from] Faults),
    /// The settings are valid, but something they refer to is not.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// The threshold of a trained judge is invalid.
    #[error("{given:?} is not a threshold; write a number from 0 to 1")]
    Threshold {
        /// What was given.
        given: String,
    },
    /// No judge can be built for a task.
    #[error(transparent)]
    Topic(#[from] TopicFault),
    /// A judge cannot be trained or used on a task.
    #[error("task {task}: {fault}")]
    Judge {
        /// The task.
        task: String,
        /// Why.
        fault: JudgeFault,
    },
    /// A model or table could not be used.
    #[error(transparent)]
    Model(#[from] JudgeFault),
    /// Terms could not be extracted.
    #[error(transparent)]
    Terms(#[from] TermsFault),
    /// A web folder, its tasks or its labels are invalid.
    #[error(transparent)]
    Web(#[from] RecordedFault),
    /// The archives of a web could not be read.
    #[error("could not read {}", path.display())]
    Unreadable {
        /// The web.
        path: PathBuf,
        /// Why.
        source: RecordedFault,
    },
    /// A file of the lab's own could not be written.
    #[error("could not write {}", path.display())]
    Write {
        /// The file or folder.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A synthetic web could not be generated.
    #[error(transparent)]
    Synthetic(#[from] SynthFault),
    /// The settings file of a synthetic web could not be read.
    #[error("could not read {name}: {fault}")]
    SyntheticFile {
        /// The file.
        name: String,
        /// Why.
        fault: std::io::Error,
    },
    /// The settings file of a synthetic web is invalid.
    #[error("{name}: {fault}")]
    SyntheticSettings {
        /// The file.
        name: String,
        /// Why.
        fault: SynthFault,
    },
    /// A web has no task of this name.
    #[error("{web} has no task {task:?}; its tasks are: {known}")]
    NoTask {
        /// The web.
        web: String,
        /// The task asked for.
        task: String,
        /// The tasks that exist.
        known: String,
    },
    /// None of several webs has a task of this name.
    #[error("none of the webs has a task {task:?}; their tasks are: {known}")]
    NoTaskInWebs {
        /// The task asked for.
        task: String,
        /// The tasks that exist.
        known: String,
    },
    /// No web has any task.
    #[error("none of the webs has tasks; add a tasks.toml")]
    NoTasks,
    /// A topic was given as a file of another kind.
    #[error("{} is not a topic file; the name of a topic file ends in .toml", path.display())]
    NotATopicFile {
        /// The file.
        path: PathBuf,
    },
    /// There are no pages to build a context graph around.
    #[error(
        "task {task} has no positive examples, so no context graph can be built; add examples or name a model with layers=FILE"
    )]
    NoExamples {
        /// The task.
        task: String,
    },
    /// A task has no words of the wrong sense.
    #[error(
        "task {task} of {web} has no words of the wrong sense; add exclude = [\"…\"] in its tasks.toml, or choose other \
         tasks with --tasks"
    )]
    NoWrongSense {
        /// The task.
        task: String,
        /// Its web.
        web: String,
    },
    /// An experiment varies the links of a web, which only a synthetic one allows.
    #[error("{web} is not a synthetic web, so its links cannot be varied; choose one with --web synth:NAME")]
    NotSynthetic {
        /// The web.
        web: String,
    },
    /// The web has more links than can be numbered.
    #[error(transparent)]
    TooMany(#[from] TooMany),
    /// A budget could not be parsed.
    #[error("{given:?} is not a budget; write a number of pages (5000) or a share (30%)")]
    Budget {
        /// What was given.
        given: String,
    },
    /// The values to try could not be parsed.
    #[error("{given:?} does not list values to try; write setting=from:to:step or setting=a,b,c")]
    NoValues {
        /// What was given.
        given: String,
    },
    /// The setting to try does not exist.
    #[error("there is no setting {name:?}; `hound strategies` and `hound judges` list all settings")]
    NoSetting {
        /// The setting.
        name: String,
    },
    /// The range to try is empty or far too large.
    #[error(
        "{given:?}: cannot go from {from} to {to} in steps of {step}; write from:to:step, lower value first, with at most 10,000 steps"
    )]
    Range {
        /// What was given.
        given: String,
        /// The first value.
        from: f64,
        /// The last value.
        to: f64,
        /// The step between two values.
        step: f64,
    },
    /// Only one task was given for tuning.
    #[error("tuning needs at least two tasks: scoring a setting on the task it was tuned on proves nothing")]
    OneTask,
    /// The baseline is not one of the strategies compared.
    #[error("the baseline {name:?} is not one of the strategies compared; choose from: {known}")]
    NoBaseline {
        /// The baseline.
        name: String,
        /// What is compared.
        known: String,
    },
    /// A file of vectors of words is not one.
    #[error("{}, line {line}: {what}; a line is a word and its numbers, at least 34 and always as many", path.display())]
    Vectors {
        /// The file.
        path: PathBuf,
        /// Where.
        line: usize,
        /// What is wrong.
        what: String,
    },
    /// A crawl failed.
    #[error("the crawl of {task} with {strategy} failed")]
    Crawl {
        /// The task.
        task: String,
        /// The strategy.
        strategy: String,
        /// Why.
        source: CrawlError,
    },
    /// An experiment was stopped before all its crawls had finished.
    #[error("{0}; an experiment needs all of them")]
    Unfinished(Shortfall),
    /// Tuning was stopped before every setting had been tried on two tasks.
    #[error("{0}; no setting can be chosen until all settings have been tried on two tasks")]
    NothingTuned(Shortfall),
    /// An error shared by several crawls.
    #[error(transparent)]
    Shared(Arc<LabError>),
}

impl LabError {
    /// Whether the input is at fault, rather than the machine or an interruption.
    pub fn is_bad_input(&self) -> bool {
        match self {
            LabError::Unreadable { .. }
            | LabError::Crawl { .. }
            | LabError::Unfinished(_)
            | LabError::NothingTuned(_) => false,
            LabError::Shared(error) => error.is_bad_input(),
            _ => true,
        }
    }
}
