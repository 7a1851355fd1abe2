//! One crawl of a trial: from a strategy and a judge with their settings to a scored result.

use std::ops::ControlFlow;
use std::sync::Arc;

use scenthound_config::{Given, Settings};
use scenthound_judge::{Calibrate, Judge, JudgeKind, TableJudge};
use scenthound_strategy::StrategyKind;
use scenthound_types::ParsedPage;

use crate::conditions::Conditions;
use crate::error::LabError;
use crate::genres::WithGenres;
use crate::layers::InLayers;
use crate::nodes::NodeParts;
use crate::opinion::{DirectJudge, PageJudge, Truth};
use crate::recorded::PageId;
use crate::session::Lab;
use crate::spec::{JudgeSpec, LabJudge, StrategySpec};
use crate::trial::{Outcome, Trial};

/// Stands for the task's own examples.
const TASK_EXAMPLES: &str = "task";

/// A judge of a trial, and its name in tables.
pub struct NamedJudge {
    /// Its name in tables.
    pub label: String,
    /// The judge.
    pub judge: Arc<dyn PageJudge>,
}

impl Trial {
    /// The judge of this task unless another is chosen.
    pub fn default_judge(&self) -> JudgeKind {
        if self.has_terms() {
            JudgeKind::Terms
        } else {
            JudgeKind::Logistic
        }
    }
}

impl Lab<'_> {
    /// The settings of a strategy and a judge on a trial.
    pub fn settings(
        &self,
        trial: &Trial,
        strategy: Option<&StrategySpec>,
        judge: &JudgeSpec,
    ) -> Result<Settings, LabError> {
        let mut given = vec![Given::new("topic-name", trial.task.name.clone())];
        let seeds = trial.pages.seeds.iter();
        given.extend(seeds.map(|seed| Given::new("seed-urls", seed.as_str())));
        if let Ok(terms) = trial.terms() {
            let genre = terms.genre.into_iter();
            given.extend(genre.map(|term| Given::new("genre-terms", term)));
            let content = terms.content.into_iter();
            given.extend(content.map(|term| Given::new("content-terms", term)));
        }
        // Words of the wrong sense apply under every judge, also for tasks without terms.
        let exclude = trial.task.exclude.iter();
        given.extend(exclude.map(|term| Given::new("exclude-terms", term.clone())));
        let own = || {
            let of_strategy = strategy.into_iter().flat_map(StrategySpec::settings);
            of_strategy.chain(judge.settings()).cloned()
        };
        // A trained judge has a model only where it is trained, so it is not named here. Every other one is: without a name the
        // judge of a crawl is the topic judge, whatever terms the task has.
        let (kind, _) = judge.on(trial)?;
        if kind.model().is_none() {
            given.push(Given::new("judge", kind.name()));
        }
        if let Some(strategy) = strategy {
            given.push(Given::new("strategy", strategy.crawl()?.name()));
        }
        given.extend(own());
        let words = match trial.task.query.as_str() {
            "" => trial.task.name.as_str(),
            query => query,
        };
        self.check(words, &given)
    }

    /// Builds a judge for a trial.
    pub fn judge(&self, trial: &Trial, spec: &JudgeSpec) -> Result<NamedJudge, LabError> {
        let trial = trial.read_by(spec)?;
        let trial = trial.as_ref();
        let (kind, crawl_spec) = spec.on(trial)?;
        let direct = Arc::new(DirectJudge(self.page_judge(trial, kind, &crawl_spec)?));
        Ok(match spec.kind() {
            LabJudge::Truth => NamedJudge {
                label: format!("truth+{crawl_spec}"),
                judge: Arc::new(Truth {
                    relevant: trial.truth(),
                    of_links: direct,
                }),
            },
            LabJudge::Crawl(_) | LabJudge::TaskDefault => NamedJudge {
                label: crawl_spec.to_string(),
                judge: direct,
            },
        })
    }

    fn page_judge(
        &self,
        trial: &Trial,
        kind: JudgeKind,
        spec: &JudgeSpec,
    ) -> Result<Arc<dyn Judge>, LabError> {
        if let Some(model) = kind.model() {
            let calibrate = spec
                .setting("calibrate")
                .map_or(Ok(Calibrate::default()), |given| {
                    Calibrate::from_name(given).ok_or_else(|| LabError::Unknown {
                        what: "calibration",
                        name: given.to_owned(),
                        known: Calibrate::NAMES.join(", "),
                    })
                })?;
            let judge = self.trained_judge(trial, model, calibrate, spec.stemming()?)?;
            return Ok(Arc::new(match spec.setting("threshold") {
                Some(given) => judge.with_threshold(given.parse().map_err(|_| LabError::Threshold {
                    given: given.to_owned(),
                })?)?,
                None => judge,
            }));
        }
        match kind {
            JudgeKind::Query => {
                let mut settings = self.settings(trial, None, spec)?;
                settings.judge.kind = JudgeKind::Query;
                settings.topic.query = Some(trial.task.query.clone()).filter(|query| !query.is_empty());
                Ok(settings.judge()?)
            }
            JudgeKind::Topic => self.topic_judge(trial, spec),
            JudgeKind::Table => {
                let settings = self.settings(trial, None, spec)?;
                let examples: Vec<ParsedPage> = trial.parsed(&trial.pages.positive).collect();
                let judge =
                    TableJudge::learn(&examples, &settings.table_judge_settings()).map_err(|fault| {
                        LabError::Judge {
                            task: trial.task.name.clone(),
                            fault,
                        }
                    })?;
                Ok(Arc::new(judge))
            }
            _ => {
                // Without this check, missing terms would be blamed on the topic file rather than on the task.
                trial.terms()?;
                Ok(self.settings(trial, None, spec)?.judge()?)
            }
        }
    }

    /// The topic judge, from the task's query and terms. With `examples=task` it learns from the task's examples as well.
    fn topic_judge(&self, trial: &Trial, spec: &JudgeSpec) -> Result<Arc<dyn Judge>, LabError> {
        let mut settings = self.settings(trial, None, spec)?;
        settings.judge.kind = JudgeKind::Topic;
        settings.topic.query = Some(trial.task.query.clone()).filter(|query| !query.is_empty());
        settings.terms.genre.clear();
        settings.terms.content.clear();
        let judge = settings.topic_judge()?;
        // Not from the checked settings, where a name has become the path of a file.
        if spec.setting("examples") == Some(TASK_EXAMPLES) {
            let fields = |pages: &[PageId]| trial.parsed(pages).map(|page| judge.fields(&page)).collect();
            judge.add_examples(fields(&trial.pages.positive), fields(&trial.pages.negative));
        }
        Ok(Arc::new(judge))
    }

    /// Crawls a trial and scores it; also returns how many seconds that took. The judge must be the one that `judge_spec` names.
    /// The watcher sees how many of the pages read count, and may end the crawl.
    pub fn crawl(
        &self,
        trial: &Trial,
        spec: &StrategySpec,
        judge_spec: &JudgeSpec,
        judge: &dyn PageJudge,
        conditions: &Conditions,
        watch: &mut dyn FnMut(u64) -> ControlFlow<()>,
    ) -> Result<(Outcome, f64), LabError> {
        // A judge that learns begins anew with each crawl.
        let fresh;
        let judge: &dyn PageJudge = if judge.learner().is_some() {
            fresh = self.judge(trial, judge_spec)?;
            fresh.judge.as_ref()
        } else {
            judge
        };
        self.crawl_with(trial, spec, judge_spec, judge, conditions, watch)
    }

    /// The same with this very judge: afterwards it knows what it learnt from the crawl.
    pub(crate) fn crawl_with(
        &self,
        trial: &Trial,
        spec: &StrategySpec,
        judge_spec: &JudgeSpec,
        judge: &dyn PageJudge,
        conditions: &Conditions,
        watch: &mut dyn FnMut(u64) -> ControlFlow<()>,
    ) -> Result<(Outcome, f64), LabError> {
        let trial = trial.read_by(judge_spec)?;
        let trial = trial.as_ref();
        let kind = spec.crawl()?;
        let mut settings = self.settings(trial, Some(spec), judge_spec)?;
        let list_size = match settings.crawl.list_size {
            Some(links) => links as usize,
            None => settings.strategy()?.needs().list_size,
        };
        let mut lab = conditions.lab_settings(list_size);
        lab.processor.wrong_sense = settings.wrong_sense()?;
        if kind == StrategyKind::Table && judge_spec.kind() == LabJudge::Crawl(JudgeKind::Table) {
            lab.crawl.strategy_judges = Some(settings.judge.threshold);
        }
        let with_genres;
        let in_layers;
        let mut is_plain = false;
        let judge: &dyn PageJudge = if kind == StrategyKind::Genre {
            let named = match &settings.judge.genre_model {
                Some(path) => path.display().to_string(),
                None => settings.judge.genre_detector.clone(),
            };
            let genres = self.genres(trial, &named, || Ok(settings.genre_detector()?))?;
            with_genres = WithGenres { judge, genres };
            &with_genres
        } else if kind.uses_layers() && !settings.learns_layers() {
            in_layers = InLayers {
                judge,
                layers: self.layers(trial, &settings)?,
            };
            &in_layers
        } else {
            is_plain = true;
            judge
        };
        let begun = (self.options.clock)();
        (settings.crawl.agents, settings.crawl.assign_seeds) = (conditions.agents, conditions.assign_seeds);
        let failed = |source| LabError::Crawl {
            task: trial.task.name.clone(),
            strategy: spec.to_string(),
            source,
        };
        let outcome = if conditions.nodes > 1 {
            // What one node learns, the others do not know.
            let mut own = Vec::new();
            if is_plain && judge.learner().is_some() {
                for _ in 0..conditions.nodes {
                    own.push(self.judge(trial, judge_spec)?);
                }
            }
            let mut nodes = Vec::new();
            for number in 0..usize::from(conditions.nodes) {
                nodes.push(NodeParts {
                    judge: own.get(number).map_or(judge, |named| named.judge.as_ref()),
                    agents: settings.agents(&trial.pages.seeds)?,
                });
            }
            let pages = trial.budget(conditions.budget());
            let cluster = conditions.node_settings(pages.unwrap_or(trial.targets.reachable as u64));
            trial
                .run_on_nodes(nodes, &lab, &cluster, conditions.budget(), watch)
                .map_err(failed)?
        } else {
            let agents = settings.agents(&trial.pages.seeds)?;
            trial
                .run_with(judge, agents, &lab, conditions.budget(), watch)
                .map_err(failed)?
        };
        let took = (self.options.clock)().saturating_sub(begun);
        Ok((outcome, took.as_secs_f64()))
    }
}
