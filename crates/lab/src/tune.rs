//! Finds the settings that find relevant pages soonest, without overfitting to the tasks.
//!
//! Every setting is crawled on every task. Then each task in turn is held out: the setting that is best on the other tasks is
//! scored on the one held out. The mean of these scores is what to expect on a new task, and the setting that is best over all
//! tasks is the one to use there.

use std::str::FromStr;

use scenthound_config::options;
use scenthound_report::{RunResult, stats};
use scenthound_types::{Keyring, named_enum};

use crate::batch::{Job, Shortfall};
use crate::conditions::Conditions;
use crate::error::LabError;
use crate::session::Lab;
use crate::spec::{JudgeSpec, StrategySpec};
use crate::trial::Trial;

/// The maximum number of steps in the range of one setting.
const MOST_STEPS: f64 = 10_000.0;

named_enum! {
    /// The measure to maximise.
    #[derive(Default)]
    pub enum Objective {
        /// The mean coverage over the first 30 % of the visits.
        #[default]
        Auc30 = "auc30",
        /// The mean coverage over all visits.
        Auc100 = "auc100",
        /// The share of relevant pages among the first 20 % of the visits.
        Harvest20 = "harvest20",
        /// The share of all relevant pages that were found.
        TargetRecall = "target-recall",
        /// The judge's F1 over the fetched pages.
        F1 = "f1",
    }
}

impl Objective {
    fn of(self, run: &RunResult) -> f64 {
        match self {
            Objective::Auc30 => run.auc30,
            Objective::Auc100 => run.auc100,
            Objective::Harvest20 => run.harvest[2],
            Objective::TargetRecall => run.target_recall,
            Objective::F1 => run.f1,
        }
    }
}

/// A setting and the values it takes.
#[derive(Clone, PartialEq, Debug)]
pub struct Axis {
    name: String,
    values: Vec<String>,
    /// Whether it belongs to the judge rather than to the strategy.
    is_judges: bool,
}

impl FromStr for Axis {
    type Err = LabError;

    /// Reads `name=from:to:step` or `name=a,b,c`.
    fn from_str(text: &str) -> Result<Axis, LabError> {
        let (name, values) = text.split_once('=').ok_or_else(|| LabError::NoValues {
            given: text.to_owned(),
        })?;
        let option = options().find(|option| option.name == name);
        let option = option.ok_or_else(|| LabError::NoSetting {
            name: name.to_owned(),
        })?;
        let bounds: Vec<f64> = values.split(':').filter_map(|part| part.parse().ok()).collect();
        let values = match *bounds.as_slice() {
            [from, to, step] if values.matches(':').count() == 2 => {
                if step <= 0.0 || to < from || (to - from) / step > MOST_STEPS {
                    return Err(LabError::Range {
                        given: values.to_owned(),
                        from,
                        to,
                        step,
                    });
                }
                let steps = ((to - from) / step + 1e-9).floor() as u32;
                // Counted, not summed, so that 0.15 is 0.15 and not 0.15000000000000002.
                (0..=steps)
                    .map(|at| {
                        let value = from + step * f64::from(at);
                        ((value * 1e9).round() / 1e9).to_string()
                    })
                    .collect()
            }
            _ => values.split(',').map(str::to_owned).collect(),
        };
        Ok(Axis {
            name: name.to_owned(),
            values,
            is_judges: matches!(option.section, "judge" | "terms"),
        })
    }
}

/// What to tune, and how.
#[derive(Clone, PartialEq, Debug)]
pub struct TuneSettings {
    /// The strategy whose settings are tried.
    pub strategy: StrategySpec,
    /// The judge; its settings may be tried too.
    pub judge: JudgeSpec,
    /// The settings to try; every combination of their values is crawled.
    pub axes: Vec<Axis>,
    /// Try only this many of the combinations, chosen at random.
    pub random: Option<usize>,
    /// The measure to maximise.
    pub objective: Objective,
    /// The clock and the limits of every crawl.
    pub conditions: Conditions,
}

/// The result of tuning.
pub struct Tuning {
    /// The settings tried, in order.
    pub tried: Vec<TriedSetting>,
    /// Index of the setting that is best over all tasks.
    pub best: usize,
    /// Every task, scored with the setting that was best on the others.
    pub held_out: Vec<HeldOutTask>,
    /// How far tuning got, if it was interrupted. The results then cover only the tasks in `held_out`.
    pub shortfall: Option<Shortfall>,
}

/// One combination of values.
pub struct TriedSetting {
    /// The values: `revision=0.5 revision-power=3`.
    pub label: String,
    /// The objective on each task.
    pub by_task: Vec<f64>,
}

/// A task scored with the setting that was best on the others.
pub struct HeldOutTask {
    /// The web.
    pub web: String,
    /// The task.
    pub task: String,
    /// Index of the setting.
    pub chosen: usize,
    /// The objective.
    pub value: f64,
}

impl Tuning {
    /// The label of a setting, by its index.
    pub fn label(&self, at: usize) -> &str {
        self.tried.get(at).map_or("", |setting| setting.label.as_str())
    }

    /// What to expect on a new task: mean and standard error.
    pub fn expected(&self) -> (f64, f64) {
        let values: Vec<f64> = self.held_out.iter().map(|task| task.value).collect();
        (stats::mean(&values), stats::standard_error(&values))
    }
}

impl TriedSetting {
    /// Mean and standard error of the objective over the tasks.
    pub fn mean(&self) -> (f64, f64) {
        (stats::mean(&self.by_task), stats::standard_error(&self.by_task))
    }

    fn mean_without(&self, held: Option<usize>) -> f64 {
        let kept: Vec<f64> = self
            .by_task
            .iter()
            .enumerate()
            .filter(|(task, _)| Some(*task) != held)
            .map(|(_, value)| *value)
            .collect();
        stats::mean(&kept)
    }
}

/// One combination of values.
#[derive(Clone)]
struct Combination {
    strategy: StrategySpec,
    judge: JudgeSpec,
    label: String,
}

impl TuneSettings {
    fn combinations(&self) -> Result<Vec<Combination>, LabError> {
        let mut all = vec![Combination {
            strategy: self.strategy.clone(),
            judge: self.judge.clone(),
            label: String::new(),
        }];
        for axis in &self.axes {
            let mut longer = Vec::with_capacity(all.len() * axis.values.len());
            for combination in &all {
                for value in &axis.values {
                    let mut next = combination.clone();
                    if axis.is_judges {
                        next.judge = next.judge.with(&axis.name, value)?;
                    } else {
                        next.strategy = next.strategy.with(&axis.name, value)?;
                    }
                    let gap = if next.label.is_empty() { "" } else { " " };
                    next.label.push_str(&format!("{gap}{}={value}", axis.name));
                    longer.push(next);
                }
            }
            all = longer;
        }
        if let Some(most) = self.random {
            // A fixed shuffle: each combination gets a number from the seed, and the smallest win. They stay in order.
            let keyring = Keyring::new(self.conditions.seed);
            let mut drawn: Vec<(u64, usize)> = (0..all.len())
                .map(|at| (keyring.hash(&format!("try {at}")), at))
                .collect();
            drawn.sort_unstable();
            let mut kept: Vec<usize> = drawn.into_iter().take(most.max(1)).map(|(_, at)| at).collect();
            kept.sort_unstable();
            all = kept.into_iter().filter_map(|at| all.get(at).cloned()).collect();
        }
        Ok(all)
    }
}

impl Lab<'_> {
    /// Tries all settings on all trials. If stopped early, it uses the tasks on which every setting was tried.
    pub fn tune(&self, trials: &[Trial], settings: &TuneSettings) -> Result<Tuning, LabError> {
        if trials.len() < 2 {
            return Err(LabError::OneTask);
        }
        let all = settings.combinations()?;
        let jobs: Vec<Job> = (0..trials.len())
            .flat_map(|trial| {
                all.iter().map(move |combination| Job {
                    trial,
                    strategy: combination.strategy.clone(),
                    judge: combination.judge.clone(),
                    conditions: settings.conditions.clone(),
                    repeat: 0,
                })
            })
            .collect();
        let batch = self.run_all(trials, &jobs)?;
        let shortfall = batch.shortfall();
        let tasks = match shortfall {
            None => trials.len(),
            Some(shortfall) => {
                // Jobs are in task order, so the complete tasks come first.
                let in_order = batch.results.iter().enumerate();
                let finished = in_order.take_while(|(place, (job, _))| place == job).count();
                match finished / all.len().max(1) {
                    0 | 1 => return Err(LabError::NothingTuned(shortfall)),
                    tasks => tasks,
                }
            }
        };
        let mut tried: Vec<TriedSetting> = all
            .iter()
            .map(|combination| TriedSetting {
                label: combination.label.clone(),
                by_task: vec![0.0; tasks],
            })
            .collect();
        for (at, result) in &batch.results {
            let setting = tried.get_mut(at % all.len());
            if let Some(cell) = setting.and_then(|setting| setting.by_task.get_mut(at / all.len())) {
                *cell = settings.objective.of(result);
            }
        }
        let held_out = trials.iter().take(tasks).enumerate();
        let held_out = held_out.map(|(held, trial)| {
            let chosen = best(&tried, Some(held));
            let value = tried.get(chosen).and_then(|setting| setting.by_task.get(held));
            HeldOutTask {
                web: trial.web_name.clone(),
                task: trial.task.name.clone(),
                chosen,
                value: value.copied().unwrap_or(f64::NAN),
            }
        });
        Ok(Tuning {
            held_out: held_out.collect(),
            best: best(&tried, None),
            tried,
            shortfall,
        })
    }
}

/// The index of the setting that is best over all tasks but one; ties go to the first.
fn best(tried: &[TriedSetting], held: Option<usize>) -> usize {
    let means: Vec<f64> = tried.iter().map(|setting| setting.mean_without(held)).collect();
    let most = means.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    means.iter().position(|mean| *mean == most).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_a_range_or_a_list() {
        let values = |text: &str| text.parse::<Axis>().unwrap().values;
        assert_eq!(
            values("revision=0.1:0.3:0.05"),
            ["0.1", "0.15", "0.2", "0.25", "0.3"]
        );
        assert_eq!(values("ties=fifo,probe"), ["fifo", "probe"]);
        for wrong in ["revision", "none=1,2", "revision=1:0:0.1", "revision=0:1:0"] {
            assert!(wrong.parse::<Axis>().is_err(), "{wrong}");
        }
    }
}
