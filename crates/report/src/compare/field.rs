//! The runs, organised: the contenders, their tasks and the repeats.

use std::collections::BTreeMap;

use super::measure::Measure;
use super::run::RunResult;
use crate::plot::Look;
use crate::stats::{WinLoss, mean, score_task};
use crate::table::{Cell, Column, Owner};
use crate::writing::{grouped, plain};

/// Separates a strategy from its judge.
const WITH: &str = " · ";

/// A strategy with a judge.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Contender {
    /// The strategy.
    pub strategy: String,
    /// The judge.
    pub judge: String,
}

impl Contender {
    /// Both names.
    pub fn name(&self) -> String {
        format!("{}{WITH}{}", self.strategy, self.judge)
    }
}

/// A baseline that is not among the runs.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no strategy `{asked}` to compare with; choose one of {known}")]
pub struct UnknownBaseline {
    asked: String,
    known: String,
}

/// The contenders in these runs, in the order of their first run.
pub fn contenders(runs: &[RunResult]) -> Vec<Contender> {
    Field::of(runs, &[]).contenders
}

/// The contender a baseline's name means: a strategy, or `strategy · judge`.
pub fn find_baseline(runs: &[RunResult], name: &str) -> Result<Contender, UnknownBaseline> {
    let field = Field::of(runs, &[]);
    let found = field.find(name)?;
    // `find` returns an index into this very list.
    Ok(field.contenders.into_iter().nth(found).unwrap_or(Contender {
        strategy: name.to_owned(),
        judge: String::new(),
    }))
}

/// One task of one web.
pub struct Task<'a> {
    /// Which web, by its number.
    pub web: usize,
    /// Its name.
    pub name: &'a str,
    /// Pages that can be reached.
    pub reachable: u64,
    /// Relevant pages among them.
    pub relevant: u64,
}

/// The runs, organised.
pub struct Field<'a> {
    /// Webs in the order of their first run.
    pub webs: Vec<&'a str>,
    /// Tasks, also in the order of their first run.
    pub tasks: Vec<Task<'a>>,
    /// Contenders, also in that order, with bounds last.
    pub contenders: Vec<Contender>,
    looks: Vec<Look>,
    runs: BTreeMap<(usize, usize), Vec<&'a RunResult>>,
    number: usize,
    many_judges: bool,
}

impl<'a> Field<'a> {
    pub fn of(runs: &'a [RunResult], bounds: &[String]) -> Field<'a> {
        let is_bound = |run: &RunResult| bounds.contains(&run.strategy);
        let (mut webs, mut tasks, mut who) = (Numbers::default(), Numbers::default(), Numbers::default());
        let mut listed: Vec<Task<'a>> = Vec::new();
        for run in runs {
            let web = webs.of(run.web.as_str());
            let task = tasks.of((web, run.task.as_str()));
            if task == listed.len() {
                let (reachable, relevant) = (run.reachable, run.relevant_reachable);
                listed.push(Task {
                    web,
                    name: &run.task,
                    reachable,
                    relevant,
                });
            }
        }
        for bound in [false, true] {
            for run in runs.iter().filter(|run| is_bound(run) == bound) {
                who.of((run.strategy.as_str(), run.judge.as_str()));
            }
        }
        let mut sorted: BTreeMap<(usize, usize), Vec<&RunResult>> = BTreeMap::new();
        for run in runs {
            let task = tasks.of((webs.of(&run.web), run.task.as_str()));
            let contender = who.of((run.strategy.as_str(), run.judge.as_str()));
            sorted.entry((contender, task)).or_default().push(run);
        }
        let (mut own, mut theirs) = (0.., 0..);
        let looks = who.list.iter().map(|(strategy, _)| {
            if bounds.iter().any(|bound| bound == strategy) {
                Look::Bound(theirs.next().unwrap_or(0))
            } else {
                Look::Contender(own.next().unwrap_or(0))
            }
        });
        let judge_of = |(strategy, judge): &(&'a str, &'a str)| {
            (!bounds.iter().any(|bound| bound == strategy)).then_some(*judge)
        };
        let mut judges = who.list.iter().filter_map(judge_of);
        let first_judge = judges.next();
        Field {
            many_judges: judges.any(|judge| Some(judge) != first_judge),
            looks: looks.collect(),
            contenders: who
                .list
                .iter()
                .map(|(strategy, judge)| Contender {
                    strategy: (*strategy).to_owned(),
                    judge: (*judge).to_owned(),
                })
                .collect(),
            webs: webs.list,
            tasks: listed,
            runs: sorted,
            number: runs.len(),
        }
    }

    /// How many runs there are.
    pub fn runs(&self) -> usize {
        self.number
    }

    /// The runs of a contender on a task.
    pub fn repeats(&self, contender: usize, task: usize) -> &[&'a RunResult] {
        self.runs.get(&(contender, task)).map_or(&[], Vec::as_slice)
    }

    /// All runs, by contender and then by task.
    pub fn each(&self) -> impl Iterator<Item = (usize, usize, &'a RunResult)> + '_ {
        self.runs
            .iter()
            .flat_map(|((contender, task), runs)| runs.iter().map(|run| (*contender, *task, *run)))
    }

    /// A measure of a contender on a task, averaged over repeats; NaN if unknown.
    pub fn value(&self, contender: usize, task: usize, measure: &Measure) -> f64 {
        let values: Vec<f64> = self
            .repeats(contender, task)
            .iter()
            .map(|run| (measure.of)(run))
            .collect();
        mean(&values)
    }

    /// The numbers of a web's tasks, or of all.
    pub fn tasks_of(&self, web: Option<usize>) -> Vec<usize> {
        let tasks = self.tasks.iter().enumerate();
        tasks
            .filter(|(_, task)| web.is_none_or(|web| task.web == web))
            .map(|(at, _)| at)
            .collect()
    }

    /// How a contender looks in charts.
    pub fn look(&self, contender: usize) -> Look {
        self.looks.get(contender).copied().unwrap_or(Look::Bound(0))
    }

    /// Whether it is a contender or a bound.
    pub fn owner(&self, contender: usize) -> Owner {
        match self.look(contender) {
            Look::Contender(_) => Owner::Ours,
            Look::Bound(_) => Owner::Bound,
        }
    }

    /// The name of a contender, with its judge if there are several.
    pub fn label(&self, contender: usize) -> String {
        match self.contenders.get(contender) {
            Some(one) if self.many_judges && self.owner(contender) == Owner::Ours => one.name(),
            Some(one) => one.strategy.clone(),
            None => String::new(),
        }
    }

    /// The columns that name a contender, without the judge if there is only one.
    pub fn name_columns(&self) -> Vec<Column> {
        let names: &[&str] = if self.many_judges {
            &["strategy", "judge"]
        } else {
            &["strategy"]
        };
        names.iter().map(|name| Column::words(*name)).collect()
    }

    /// A contender's cells in these columns.
    pub fn name_cells(&self, contender: usize) -> Vec<Cell> {
        let Some(one) = self.contenders.get(contender) else {
            return Vec::new();
        };
        let mut cells = vec![Cell::from(one.strategy.as_str())];
        if self.many_judges {
            cells.push(one.judge.as_str().into());
        }
        cells
    }

    /// The name of a task, with its web if there are several.
    pub fn task_label(&self, task: usize) -> String {
        let Some(task) = self.tasks.get(task) else {
            return String::new();
        };
        match self.webs.as_slice() {
            [_] => task.name.to_owned(),
            webs => format!("{}{WITH}{}", webs.get(task.web).unwrap_or(&""), task.name),
        }
    }

    /// The first that is not a bound, or else the first.
    pub fn first(&self) -> Option<usize> {
        (!self.contenders.is_empty()).then_some(0)
    }

    /// Those that are not bounds.
    pub fn competing(&self) -> Vec<usize> {
        (0..self.contenders.len())
            .filter(|one| self.owner(*one) == Owner::Ours)
            .collect()
    }

    /// The contender a name means: a strategy, or a strategy with its judge.
    pub fn find(&self, name: &str) -> Result<usize, UnknownBaseline> {
        let by = |test: &dyn Fn(&Contender) -> bool| self.contenders.iter().position(test);
        by(&|one| one.name() == name)
            .or_else(|| by(&|one| one.strategy == name))
            .ok_or_else(|| UnknownBaseline {
                asked: plain(name),
                known: match self.contenders.as_slice() {
                    [] => "no runs".to_owned(),
                    some => some
                        .iter()
                        .map(|one| format!("`{}`", plain(&one.name())))
                        .collect::<Vec<_>>()
                        .join(", "),
                },
            })
    }

    /// Wins, ties and losses of every contender on these tasks; bounds have none.
    pub fn scores(&self, tasks: &[usize], measure: &Measure) -> Vec<WinLoss> {
        let mut totals = vec![WinLoss::default(); self.contenders.len()];
        let competing = self.competing();
        for task in tasks {
            let values: Vec<Option<f64>> = competing
                .iter()
                .map(|one| Some(self.value(*one, *task, measure)))
                .collect();
            for (one, points) in competing.iter().zip(score_task(&values)) {
                if let Some(total) = totals.get_mut(*one) {
                    total.wins += points.wins;
                    total.ties += points.ties;
                    total.losses += points.losses;
                }
            }
        }
        totals
    }

    /// What was compared, in one sentence.
    pub fn sentence(&self) -> String {
        let counted = |number: usize, noun: &str| match number {
            1 => format!("1 {noun}"),
            _ => format!("{} {noun}s", grouped(&number.to_string())),
        };
        let many = self
            .each()
            .any(|(contender, task, _)| self.repeats(contender, task).len() > 1);
        format!(
            "{} of {} on {} of {}{}{}.",
            counted(self.number, "run"),
            counted(self.contenders.len(), "contender"),
            counted(self.tasks.len(), "task"),
            counted(self.webs.len(), "web"),
            match self.competing().first().and_then(|one| self.contenders.get(*one)) {
                Some(one) if !self.many_judges => format!(", judged by {}", one.judge),
                _ => String::new(),
            },
            if many { ", with repeats" } else { "" }
        )
    }

    /// Names the contenders that did not run on every task: their means cover fewer tasks than the others'.
    pub fn gaps(&self) -> Vec<String> {
        let total = self.tasks.len();
        (0..self.contenders.len())
            .filter_map(|one| {
                let ran = (0..total).filter(|task| !self.repeats(one, *task).is_empty()).count();
                (ran < total).then(|| {
                    format!(
                        "{} ran on only {ran} of {total} tasks, so its means are not comparable with the others'.",
                        self.label(one)
                    )
                })
            })
            .collect()
    }
}

/// Numbers in order of first appearance.
struct Numbers<K> {
    list: Vec<K>,
    of: BTreeMap<K, usize>,
}

impl<K> Default for Numbers<K> {
    fn default() -> Numbers<K> {
        Numbers {
            list: Vec::new(),
            of: BTreeMap::new(),
        }
    }
}

impl<K: Ord + Copy> Numbers<K> {
    fn of(&mut self, key: K) -> usize {
        let next = self.list.len();
        let number = *self.of.entry(key).or_insert(next);
        if number == next {
            self.list.push(key);
        }
        number
    }
}
