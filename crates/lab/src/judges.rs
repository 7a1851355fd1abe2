//! Judges on labelled webs, without crawling: every page is judged, and the judgements are compared with the labels.
//!
//! A judge is made from a [`Source`]: the task's query, its terms, some or all of its examples, or a mixture. How good the
//! judge is by the number of examples is its learning curve. [`Lab::make_judge`] is the one place that knows what each kind of
//! judge can be made from.
//!
//! Every page of the web counts, whether or not it can be reached, except examples and pages that the task ignores.

mod figures;
mod report;
mod source;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use scenthound_config::Given;
use scenthound_judge::{Judge, JudgeKind, PageText, TableJudge, TopicJudge, TrainingSettings};
use scenthound_types::text::Stemming;
use scenthound_types::{Keyring, ParsedPage};

pub use figures::JudgeFigures;
pub use report::JudgesReport;
pub use source::{Examples, Seen, Source, SourceSpec};

use crate::error::LabError;
use crate::reach::reachable;
use crate::recorded::PageId;
use crate::session::{Lab, LabEvent};
use crate::spec::{JudgeSpec, LabJudge};
use crate::trained::{BACKGROUND_PAGES, shuffled};
use crate::trial::Trial;

/// What is measured.
#[derive(Clone, PartialEq, Debug)]
pub struct JudgesSettings {
    /// The judges.
    pub judges: Vec<JudgeSpec>,
    /// What they are made from; each judge is made from each source that it can use.
    pub sources: Vec<SourceSpec>,
    /// The unlabelled pages that a judge may learn from.
    pub seen: Seen,
}

impl Default for JudgesSettings {
    /// Terms, query and logistic regression, from all sources; all pages are seen.
    fn default() -> JudgesSettings {
        JudgesSettings {
            judges: [JudgeKind::Terms, JudgeKind::Query, JudgeKind::Logistic]
                .map(JudgeSpec::from)
                .to_vec(),
            sources: SourceSpec::usual(),
            seen: Seen::All,
        }
    }
}

/// A judge from one source on one task.
#[derive(Clone, PartialEq, Debug)]
pub struct JudgesRow {
    /// The web.
    pub web: String,
    /// The task.
    pub task: String,
    /// The judge.
    pub judge: String,
    /// What it was made from.
    pub source: SourceSpec,
    /// How many positive examples that was on this task.
    pub examples: usize,
    /// How well it did.
    pub figures: JudgeFigures,
}

/// A judge to be measured.
struct Candidate<'t> {
    trial: &'t Trial,
    label: String,
    source: SourceSpec,
    examples: usize,
    judge: Arc<dyn Judge>,
    /// Whether it compares stems.
    stems: bool,
}

/// Tasks on which a judge could not be made.
#[derive(Default)]
struct Failed {
    tasks: usize,
    /// What was wrong with the first.
    first: Option<String>,
}

impl Failed {
    fn note(self, made: &str) -> String {
        let first = self.first.unwrap_or_default();
        match self.tasks {
            1 => format!("{made}: {first}"),
            tasks => format!("{made}: could not be made on {tasks} tasks; {first}"),
        }
    }
}

/// A judgement in short: the relevance, and whether the judge called the page relevant.
type Verdict = (f64, bool);

impl Lab<'_> {
    /// Makes every judge from every source it can use and judges all pages of the trials' webs with it.
    pub fn judges(&self, trials: &[Trial], settings: &JudgesSettings) -> Result<JudgesReport, LabError> {
        let mut rows = Vec::new();
        let mut failures = BTreeMap::new();
        // Pages are parsed once for all tasks of a web.
        for trials in trials.chunk_by(|a, b| Arc::ptr_eq(&a.web, &b.web)) {
            let mut candidates = Vec::new();
            for trial in trials {
                self.tell(LabEvent::JudgingFor {
                    label: &trial.task.name,
                });
                let seen = seen_pages(trial, settings.seen);
                for spec in &settings.judges {
                    for source in &settings.sources {
                        let made = self.candidate(trial, spec, source, &seen);
                        match made {
                            Ok(Some(candidate)) => candidates.push(candidate),
                            Ok(None) => {}
                            // Too few examples for this kind of judge, for instance: the others can still be measured.
                            Err(error @ LabError::Judge { .. }) => {
                                let failed: &mut Failed =
                                    failures.entry(format!("{spec} from {source}")).or_default();
                                failed.tasks += 1;
                                failed.first.get_or_insert(error.to_string());
                            }
                            Err(error) => return Err(error),
                        }
                    }
                }
            }
            rows.extend(self.measure(&candidates));
        }
        self.tell(LabEvent::StepEnded);
        Ok(JudgesReport {
            rows,
            notes: failures
                .into_iter()
                .map(|(made, failed)| failed.note(&made))
                .collect(),
            settings: settings.clone(),
        })
    }

    fn candidate<'t>(
        &self,
        trial: &'t Trial,
        spec: &JudgeSpec,
        wanted: &SourceSpec,
        seen: &[PageId],
    ) -> Result<Option<Candidate<'t>>, LabError> {
        let Some(source) = Source::of(trial, wanted) else {
            return Ok(None);
        };
        let made = self.make_judge(trial, spec, &source, seen)?;
        let stems = spec.stemming()? != Stemming::None;
        Ok(made.map(|judge| Candidate {
            trial,
            label: spec.to_string(),
            source: *wanted,
            examples: source.positive.len(),
            judge,
            stems,
        }))
    }

    /// A judge of this kind, made from this source and nothing else; none if this kind cannot use all of it. `seen` are the
    /// pages of the web that the judge may learn from without their labels.
    pub fn make_judge(
        &self,
        trial: &Trial,
        spec: &JudgeSpec,
        source: &Source,
        seen: &[PageId],
    ) -> Result<Option<Arc<dyn Judge>>, LabError> {
        let kind = match spec.kind() {
            LabJudge::Crawl(kind) => kind,
            LabJudge::TaskDefault => trial.default_judge(),
            LabJudge::Truth => {
                return Err(LabError::Unknown {
                    what: "judge to measure",
                    name: spec.to_string(),
                    known: JudgeKind::NAMES.join(", "),
                });
            }
        };
        let trial = trial.read_by(spec)?;
        let trial = trial.as_ref();
        let has_words = source.query.is_some() || source.has_terms();
        let has_examples = !source.positive.is_empty();
        let parsed = |pages: &[PageId]| -> Vec<ParsedPage> { trial.parsed(pages).collect() };
        if let Some(model) = kind.model() {
            if has_words || !has_examples {
                return Ok(None);
            }
            let negative = if source.negative.is_empty() {
                let others = seen.iter().filter(|page| !source.positive.contains(page));
                let mut drawn = shuffled(trial, others.copied());
                drawn.truncate(BACKGROUND_PAGES);
                drawn
            } else {
                source.negative.clone()
            };
            let task = &trial.task.name;
            let judge = self.train(
                task,
                model,
                &TrainingSettings {
                    stemming: spec.stemming()?,
                    ..TrainingSettings::default()
                },
                &parsed(&source.positive),
                &parsed(&negative),
            )?;
            return Ok(Some(Arc::new(match spec.setting("threshold") {
                Some(given) => judge.with_threshold(given.parse().map_err(|_| LabError::Threshold {
                    given: given.to_owned(),
                })?)?,
                None => judge,
            })));
        }
        match kind {
            JudgeKind::Topic => {
                if !has_words && !has_examples {
                    return Ok(None);
                }
                let settings = self.source_settings(trial, kind, spec, source)?;
                Ok(Some(Arc::new(topic_judge(trial, &settings, source, seen)?)))
            }
            JudgeKind::Table => {
                if has_words || !has_examples || !source.negative.is_empty() {
                    return Ok(None);
                }
                let settings = self.source_settings(trial, kind, spec, source)?;
                let judge = TableJudge::learn(&parsed(&source.positive), &settings.table_judge_settings());
                Ok(Some(Arc::new(judge.map_err(|fault| LabError::Judge {
                    task: trial.task.name.clone(),
                    fault,
                })?)))
            }
            JudgeKind::Query if source.has_terms() => Ok(None),
            _ if has_examples || !source.negative.is_empty() || !has_words => Ok(None),
            _ => Ok(Some(self.source_settings(trial, kind, spec, source)?.judge()?)),
        }
    }

    /// The settings of a crawl that has only the words of this source.
    fn source_settings(
        &self,
        trial: &Trial,
        kind: JudgeKind,
        spec: &JudgeSpec,
        source: &Source,
    ) -> Result<scenthound_config::Settings, LabError> {
        let mut given = vec![
            Given::new("topic-name", trial.task.name.clone()),
            Given::new("judge", kind.name()),
        ];
        let seeds = trial.pages.seeds.iter();
        given.extend(seeds.map(|seed| Given::new("seed-urls", seed.as_str())));
        let genre = source.genre.iter().cloned();
        given.extend(genre.map(|term| Given::new("genre-terms", term)));
        let content = source.content.iter().cloned();
        given.extend(content.map(|term| Given::new("content-terms", term)));
        given.extend(spec.settings().iter().cloned());
        // With terms, the words of the topic name it and nothing else.
        self.check(source.query.as_deref().unwrap_or(&trial.task.name), &given)
    }

    /// Judges all pages of one web with every candidate.
    fn measure(&self, candidates: &[Candidate<'_>]) -> Vec<JudgesRow> {
        let Some(first) = candidates.first() else {
            return Vec::new();
        };
        let web = first.trial.web.as_ref();
        let pages = web.pages() as u32;
        let wanted = wanted_text(candidates.iter().map(|candidate| &*candidate.judge));
        let (next, judged) = (AtomicUsize::new(0), AtomicU64::new(0));
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let threads = self.options.threads.unwrap_or(cores).max(1);
        let work = || {
            let mut verdicts: Vec<(u32, Vec<Verdict>)> = Vec::new();
            loop {
                let at = next.fetch_add(1, Ordering::Relaxed) as u32;
                if at >= pages {
                    return verdicts;
                }
                if let Some(page) = web.page_with(PageId(at), wanted) {
                    let of_page = candidates.iter().map(|candidate| {
                        let stemmed;
                        let page = if candidate.stems {
                            let mut prepared = page.clone();
                            candidate.judge.prepare(&mut prepared);
                            stemmed = prepared;
                            &stemmed
                        } else {
                            &page
                        };
                        let judgement = candidate.judge.judge(page);
                        (judgement.relevance, judgement.is_relevant())
                    });
                    verdicts.push((at, of_page.collect()));
                }
                let done = judged.fetch_add(1, Ordering::Relaxed) + 1;
                if done.is_multiple_of(100) {
                    self.tell(LabEvent::Judging {
                        task: &first.trial.web_name,
                        judged: done,
                        pages: pages.into(),
                    });
                }
            }
        };
        let mut verdicts: Vec<(u32, Vec<Verdict>)> = std::thread::scope(|scope| {
            let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
            let done = workers.into_iter().map(|worker| worker.join());
            // A worker does not panic; if one did, its pages would be missing from the counts.
            done.flat_map(Result::unwrap_or_default).collect()
        });
        verdicts.sort_by_key(|(page, _)| *page);
        let each = candidates.iter().enumerate();
        each.map(|(at, candidate)| {
            let trial = candidate.trial;
            let counted = verdicts
                .iter()
                .filter(|(page, _)| !trial.pages.uncounted.contains(&PageId(*page)));
            let of_judge = counted.filter_map(|(page, verdicts)| {
                let (relevance, is_called) = verdicts.get(at)?;
                let is_relevant = trial.pages.relevant.contains(&PageId(*page));
                Some((*relevance, *is_called, is_relevant))
            });
            JudgesRow {
                web: trial.web_name.clone(),
                task: trial.task.name.clone(),
                judge: candidate.label.clone(),
                source: candidate.source,
                examples: candidate.examples,
                figures: JudgeFigures::of(&of_judge.collect::<Vec<_>>()),
            }
        })
        .collect()
    }
}

/// The topic judge, from the words and examples of a source and the pages seen.
fn topic_judge(
    trial: &Trial,
    settings: &scenthound_config::Settings,
    source: &Source,
    seen: &[PageId],
) -> Result<TopicJudge, LabError> {
    let mut settings = settings.clone();
    settings.topic.query = source.query.clone();
    if source.query.is_none() && !source.has_terms() {
        // The task's name stood in for the words that a crawl must have.
        settings.terms.content.clear();
    }
    let judge = settings.topic_judge()?;
    let keyring = Keyring::new(0);
    for page in seen {
        if let Some(page) = trial.web.page_with(*page, judge.reads()) {
            judge.show(keyring.key(&page.url), judge.fields(&page));
        }
    }
    let fields = |pages: &[PageId]| trial.parsed(pages).map(|page| judge.fields(&page)).collect();
    judge.add_examples(fields(&source.positive), fields(&source.negative));
    Ok(judge)
}

/// Which text pages must come with for all of these judges.
pub(crate) fn wanted_text<'a>(mut judges: impl Iterator<Item = &'a dyn Judge>) -> PageText {
    match judges.any(|judge| judge.reads() == PageText::Main) {
        true => PageText::Main,
        false => PageText::Page,
    }
}

/// The pages that a judge may learn from without their labels.
fn seen_pages(trial: &Trial, seen: Seen) -> Vec<PageId> {
    match seen {
        Seen::All => (0..trial.web.pages() as u32).map(PageId).collect(),
        Seen::BreadthFirst(most) => {
            let mut order = reachable(trial.web.as_ref(), &trial.pages.seeds);
            order.truncate(most);
            order
        }
    }
}
