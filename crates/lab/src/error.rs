//! Why the lab cannot do what it was asked for.

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

/// Why the lab cannot do what it was asked for.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LabError {
    /// Nothing goes by this name.
    #[error("there is no {what} {name:?}; there are: {known}")]
    Unknown {
        /// What was asked for.
        what: &'static str,
        /// Its name.
        name: String,
        /// The names there are.
        known: String,
    },
    /// A strategy or a judge is not spelled right, or has a setting that is not its own.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// A value of a setting is wrong.
    #[error(transparent)]
    Settings(#[from] Faults),
    /// The settings are right, but something they name is not.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// The threshold of a trained judge is not a number.
    #[error("{given:?} is not a threshold; write a number from 0 to 1")]
    Threshold {
        /// What was given.
        given: String,
    },
    /// A task makes no judge.
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
    /// A model or a table cannot be used.
    #[error(transparent)]
    Model(#[from] JudgeFault),
    /// Terms cannot be counted.
    #[error(transparent)]
    Terms(#[from] TermsFault),
    /// A web folder, its tasks or its labels are not as they should be.
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
    /// A synthetic web cannot be made.
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
    /// The settings file of a synthetic web is wrong.
    #[error("{name}: {fault}")]
    SyntheticSettings {
        /// The file.
        name: String,
        /// Why.
        fault: SynthFault,
    },
    /// A web has no task of this name.
    #[error("{web} has no task {task:?}; there are: {known}")]
    NoTask {
        /// The web.
        web: String,
        /// The task asked for.
        task: String,
        /// The tasks there are.
        known: String,
    },
    /// None of several webs has a task of this name.
    #[error("none of the webs has a task {task:?}; there are: {known}")]
    NoTaskInWebs {
        /// The task asked for.
        task: String,
        /// The tasks there are.
        known: String,
    },
    /// No web has any task.
    #[error("the webs have no tasks (no tasks.toml)")]
    NoTasks,
    /// What should be a topic file is none.
    #[error("{} is not a topic file; the name of a topic file ends in .toml", path.display())]
    NotATopicFile {
        /// The file.
        path: PathBuf,
    },
    /// A context graph has nothing to be built around.
    #[error(
        "task {task} has no positive examples, so no context graph can be built around them; name a model with layers=FILE"
    )]
    NoExamples {
        /// The task.
        task: String,
    },
    /// A task has no words of the wrong sense.
    #[error(
        "the task {task} of {web} has no words of the wrong sense; write exclude = [\"…\"] in its tasks.toml, or choose other \
         tasks with --tasks"
    )]
    NoWrongSense {
        /// The task.
        task: String,
        /// Its web.
        web: String,
    },
    /// The web has more links than can be numbered.
    #[error(transparent)]
    TooMany(#[from] TooMany),
    /// A budget is not one.
    #[error("{given:?} is not a budget; write a number of pages (5000) or a share (30%)")]
    Budget {
        /// What was given.
        given: String,
    },
    /// The values to try are not spelled right.
    #[error("{given:?} names no values to try; write setting=from:to:step or setting=a,b,c")]
    NoValues {
        /// What was given.
        given: String,
    },
    /// The setting to try does not exist.
    #[error("there is no setting {name:?}; hound strategies and hound judges list them")]
    NoSetting {
        /// The setting.
        name: String,
    },
    /// The range to try is empty or far too long.
    #[error("{given:?}: cannot go from {from} to {to} in steps of {step}")]
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
    /// Tuning on one task.
    #[error(
        "tuning needs at least two tasks: a setting tuned on a task proves nothing when it is scored on the same task"
    )]
    OneTask,
    /// The baseline is not among what is compared.
    #[error("the baseline {name:?} is not compared here; there are: {known}")]
    NoBaseline {
        /// The baseline.
        name: String,
        /// What is compared.
        known: String,
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
    /// An experiment was stopped before all its crawls were finished.
    #[error("{0}; an experiment needs all of them")]
    Unfinished(Shortfall),
    /// Tuning was stopped before two tasks had seen every setting.
    #[error("{0}; nothing can be chosen before every setting was tried on two tasks")]
    NothingTuned(Shortfall),
    /// An error that several crawls ran into.
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
