//! Judges the stored pages of a crawl again with another topic, without fetching.
//!
//! The terms, judge and genres come from the new topic, and so does the strategy if the topic names one. The scope does not
//! change. With [`Rejudgement::learn`] the topic stays and the judge learns from the user's marks. The switch to the new judgements is one step at the very end, so a run that is stopped or killed leaves
//! the crawl as it was.

mod nodes;

use std::path::{Path, PathBuf};

use scenthound_config::{Change, Faults, Given, OnResume, Settings, changes};
use scenthound_judge::{JudgeKind, LabelledPage, Learner};
use scenthound_live::{Lessons, LiveError, Rejudged};
use scenthound_store::{CrawlFolder, CrawlView, Error as StoreError};
use scenthound_types::{CanonicalUrl, ParsedPage, Verdict};
use thiserror::Error;

use crate::collection::{Collection, CollectionError, each_record};
use crate::crawler::{CrawlerError, StopHandle, check_topic_settings, earlier_settings};
use crate::examples::{MARKED, saved_in};
use crate::kept_files;
use crate::live::{LiveBuildError, live_settings};
use crate::stored_page::page_of_response;
use crate::topic::Topic;

pub use nodes::{NodesRejudged, NodesRejudgement, nodes_of};
pub(crate) use nodes::{is_node, lock, settings_of_node};

/// Why pages could not be judged again.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RejudgeError {
    /// Nothing has been crawled in the folder yet.
    #[error("nothing has been crawled in {} yet; run a crawl first", folder.display())]
    NothingCrawled {
        /// The folder.
        folder: PathBuf,
    },
    /// The new topic is not valid.
    #[error("{0}")]
    Topic(Faults),
    /// A model or another file that the settings name could not be copied to the crawl folder.
    #[error("the files that the settings name could not be kept in the crawl folder")]
    KeptFiles(#[source] std::io::Error),
    /// The new topic needs another crawl.
    #[error(
        "{topic} does not match the crawl in {}:\n  {}\nRejudging can change only the topic, its terms, the judge and the \
         strategy; leave the rest out of the file, or start a new folder with hound crawl -o",
        folder.display(),
        refused.join("\n  ")
    )]
    OtherCrawl {
        /// The new topic.
        topic: String,
        /// The folder.
        folder: PathBuf,
        /// The settings that differ but may not.
        refused: Vec<String>,
    },
    /// The judge of the crawl does not learn from marks.
    #[error(
        "the crawl in {} uses the judge {judge}, which does not learn from marks; name a topic file with [judge] kind = \
         \"topic\": hound rejudge {} --topic FILE.toml --learn",
        folder.display(),
        folder.display()
    )]
    DoesNotLearn {
        /// The folder.
        folder: PathBuf,
        /// Its judge.
        judge: JudgeKind,
    },
    /// Another process is using the folder.
    #[error("process {pid} is using {}; stop it first (Ctrl-C saves), then run this again", folder.display())]
    InUse {
        /// The process.
        pid: u32,
        /// The folder.
        folder: PathBuf,
    },
    /// The folder belongs to a node of a cluster, or holds what several nodes have crawled.
    #[error(
        "{} belongs to nodes that crawled together; their pages are judged again by NodesRejudgement, each node's in its own folder",
        folder.display()
    )]
    Nodes {
        /// The folder.
        folder: PathBuf,
    },
    /// The folder of several nodes has no state that could be rebuilt.
    #[error(
        "{} has no state of its own to rebuild: it is made of the folders of nodes; name one of these: {}",
        folder.display(),
        nodes.iter().map(|node| node.display().to_string()).collect::<Vec<_>>().join(", ")
    )]
    NotANode {
        /// The folder.
        folder: PathBuf,
        /// The folders of the nodes.
        nodes: Vec<PathBuf>,
    },
    /// The judge or the strategy could not be built.
    #[error(transparent)]
    Build(#[from] LiveBuildError),
    /// The settings of the earlier run could not be read, or the current directory could not be determined.
    #[error(transparent)]
    Crawler(#[from] CrawlerError),
    /// The crawl folder could not be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The records could not be read.
    #[error(transparent)]
    Records(#[from] Box<CollectionError>),
    /// Repeating the crawl from its records failed.
    #[error(transparent)]
    Live(#[from] LiveError),
}

impl RejudgeError {
    /// Whether the user's input is at fault, rather than the folder or the machine.
    pub fn is_bad_input(&self) -> bool {
        matches!(
            self,
            RejudgeError::Topic(_)
                | RejudgeError::OtherCrawl { .. }
                | RejudgeError::DoesNotLearn { .. }
                | RejudgeError::Nodes { .. }
                | RejudgeError::NotANode { .. }
                | RejudgeError::Build(_)
        )
    }
}

/// A crawl about to be judged again: everything has been checked and nothing changed yet.
pub struct Rejudgement {
    settings: Settings,
    changes: Vec<Change>,
    folder: PathBuf,
    /// Whether the judge keeps what it had learnt. A judge for other words starts afresh.
    keeps_lessons: bool,
    /// Whether the examples are the same.
    keeps_examples: bool,
    /// Whether it learns from the marks.
    learns: bool,
    /// If what people asked for stays steering: the settings without it, and the last action that counts.
    steered: Option<(Settings, u64)>,
}

/// A threshold that suits the user's marks.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SuggestedThreshold {
    /// The threshold.
    pub threshold: f64,
    /// The F1 score of the marked pages with it, each judged by a judge that had not learnt from it.
    pub f1: f64,
    /// The pages marked relevant.
    pub relevant: usize,
    /// The pages marked irrelevant.
    pub irrelevant: usize,
}

/// With fewer marks of either side, no threshold is suggested.
const LEAST_MARKS: usize = 5;
/// The marked pages are judged in this many parts, each by what the others taught.
const FOLDS: usize = 5;

impl SuggestedThreshold {
    /// The threshold that separates these pages best: halfway between two of them.
    fn of(judged: &[(f64, Verdict)]) -> Option<SuggestedThreshold> {
        let mut judged = judged.to_vec();
        judged.sort_by(|a, b| b.0.total_cmp(&a.0));
        let relevant = judged
            .iter()
            .filter(|(_, mark)| *mark == Verdict::Relevant)
            .count();
        let irrelevant = judged.len() - relevant;
        if relevant < LEAST_MARKS || irrelevant < LEAST_MARKS {
            return None;
        }
        let mut best: Option<SuggestedThreshold> = None;
        let mut hits = 0;
        for (at, (relevance, mark)) in judged.iter().enumerate() {
            hits += usize::from(*mark == Verdict::Relevant);
            let next = judged.get(at + 1).map_or(0.0, |(next, _)| *next);
            if next == *relevance {
                continue;
            }
            let f1 = 2.0 * hits as f64 / (at + 1 + relevant) as f64;
            if best.is_none_or(|best| f1 > best.f1) {
                best = Some(SuggestedThreshold {
                    threshold: (relevance + next) / 2.0,
                    f1,
                    relevant,
                    irrelevant,
                });
            }
        }
        best
    }
}

impl Rejudgement {
    /// Prepares to judge the pages of a crawl folder again with the topic it has.
    pub fn same_topic(folder: &Path, given: &[Given]) -> Result<Rejudgement, RejudgeError> {
        let file = CrawlView::open(folder)?.layout().settings();
        if !file.exists() {
            return Err(RejudgeError::NothingCrawled {
                folder: folder.to_owned(),
            });
        }
        let prepared = Rejudgement::prepare(folder, &Topic::file(file), given)?;
        prepared.steered(given)
    }

    /// Adds what people asked of the topic. It stays steering, which can be undone, unless something is given beside it, which
    /// wins; then all of it becomes part of the settings.
    fn steered(mut self, given: &[Given]) -> Result<Rejudgement, RejudgeError> {
        let Some(mut before) = earlier_settings(&self.folder)? else {
            return Ok(self);
        };
        let steering = crate::steering::in_force(&CrawlView::open(&self.folder)?);
        if given.is_empty() {
            self.steered = Some((self.settings.clone(), steering.last));
        }
        let threshold = self.settings.judge.threshold;
        crate::steering::apply_topic(&steering.topic, &mut self.settings);
        if given.iter().any(|given| given.name == "threshold") {
            self.settings.judge.threshold = threshold;
        }
        self.settings.judge().map_err(LiveBuildError::Parts)?;
        crate::steering::apply_topic(&steering.judged, &mut before);
        self.changes = changes(&before, &self.settings);
        self.keeps_lessons = is_same_topic(&before, &self.settings);
        Ok(self)
    }

    /// Lets the judge learn from the pages that the user marked, if it can. A page that was marked before and no longer is
    /// teaches it nothing any more. Without marks, pages are judged again by what the judge has learnt from the crawl.
    pub fn learn(mut self) -> Result<Rejudgement, RejudgeError> {
        let judge = self.settings.judge.kind;
        if judge != JudgeKind::Topic {
            return Err(RejudgeError::DoesNotLearn {
                folder: self.folder,
                judge,
            });
        }
        self.learns = true;
        Ok(self)
    }

    /// Prepares to judge the pages of a crawl folder with another topic. Options win over the topic, as on the command line.
    pub fn prepare(folder: &Path, topic: &Topic, given: &[Given]) -> Result<Rejudgement, RejudgeError> {
        let before = earlier_settings(folder)?.ok_or_else(|| RejudgeError::NothingCrawled {
            folder: folder.to_owned(),
        })?;
        let (name, terms) = topic.as_given();
        let given: Vec<Given> = terms.iter().chain(given).cloned().collect();
        let new = check_topic_settings(&name, &given)?.map_err(RejudgeError::Topic)?;
        let refused = refused(&before, &new);
        if !refused.is_empty() {
            return Err(RejudgeError::OtherCrawl {
                topic: name,
                folder: folder.to_owned(),
                refused,
            });
        }
        let mut settings = before.clone();
        settings.topic = new.topic;
        settings.terms = new.terms;
        settings.judge = new.judge;
        settings.crawl.genres = new.crawl.genres;
        if names_strategy(Path::new(&name)) {
            settings.strategy = new.strategy;
        }
        // Find out what cannot be built before anything is opened.
        live_settings(&settings)?;
        settings.judge().map_err(LiveBuildError::Parts)?;
        Ok(Rejudgement {
            changes: changes(&before, &settings),
            keeps_lessons: is_same_topic(&before, &settings),
            keeps_examples: before.judge.examples == settings.judge.examples,
            settings,
            folder: folder.to_owned(),
            learns: false,
            steered: None,
        })
    }

    /// What the new topic changes.
    pub fn changes(&self) -> &[Change] {
        &self.changes
    }

    /// The number of attempts that will be repeated.
    pub fn attempts(&self) -> Result<u64, RejudgeError> {
        let mut attempts = 0;
        let view = CrawlView::open(&self.folder)?;
        each_record(&view, |_, _| attempts += 1).map_err(Box::new)?;
        Ok(attempts)
    }

    /// Judges every stored page again and switches over. If it is stopped, it returns `None` and leaves the crawl as it was.
    /// The callback gets the number of attempts repeated so far.
    pub fn run(
        self,
        stop: &StopHandle,
        progress: &mut dyn FnMut(u64),
    ) -> Result<Option<Rejudged>, RejudgeError> {
        Ok(self
            .run_and_suggest(stop, progress)?
            .map(|(rejudged, _)| rejudged))
    }

    /// Like [`run`](Rejudgement::run), and suggests a threshold if it learnt from enough marks.
    pub fn run_and_suggest(
        self,
        stop: &StopHandle,
        progress: &mut dyn FnMut(u64),
    ) -> Result<Option<(Rejudged, Option<SuggestedThreshold>)>, RejudgeError> {
        let view = CrawlView::open(&self.folder)?;
        if !nodes_of(&view).is_empty() {
            return Err(RejudgeError::Nodes { folder: self.folder });
        }
        let folder = lock(&self.folder)?;
        let settings = &self.settings;
        let agents = || {
            settings
                .agents(&settings.seeds.urls)
                .map_err(LiveBuildError::Parts)
        };
        let judge = settings.judge().map_err(LiveBuildError::Parts)?;
        let marked = match self.learns {
            true => marked_pages(&view)?,
            false => Vec::new(),
        };
        let add_marks = |learner: &dyn Learner| {
            if self.learns {
                learn_marks(learner, &marked);
            }
        };
        let lessons = match self.keeps_lessons {
            true => Lessons::Kept(&add_marks),
            false => Lessons::Afresh {
                with_examples: self.keeps_examples,
                agents: agents()?,
                add: &add_marks,
            },
        };
        let written = self.steered.as_ref().map_or(settings, |(settings, _)| settings);
        let kept = kept_files::keep(written, folder.layout().root()).map_err(RejudgeError::KeptFiles)?;
        let rejudged = scenthound_live::rejudge(
            &folder,
            live_settings(settings)?,
            judge,
            agents()?,
            lessons,
            &kept,
            stop.switch(),
            progress,
        )?;
        let Some(rejudged) = rejudged else {
            return Ok(None);
        };
        let upto = self.steered.as_ref().map(|(_, last)| *last);
        crate::steering::note_rejudged(&view, rejudged.generation, upto)?;
        let judged = judge_held_out(settings, &folder, &marked)?;
        Ok(Some((rejudged, SuggestedThreshold::of(&judged))))
    }
}

impl Collection {
    /// Judges every stored page again with another topic, without fetching, and re-scores the queue. No crawl may be running
    /// in the folder. [`Rejudgement`] does the same with progress and a way to stop.
    pub fn rejudge(&self, topic: &Topic) -> Result<Option<Rejudged>, RejudgeError> {
        Rejudgement::prepare(self.folder(), topic, &[])?.run(&StopHandle::default(), &mut |_| {})
    }
}

/// The settings of the new topic that rejudging cannot change.
fn refused(before: &Settings, new: &Settings) -> Vec<String> {
    let other_seed = new.seeds.urls.iter().find(|url| !before.seeds.urls.contains(url));
    let other_seed = other_seed.map(|url| format!("[seeds] {url} is not a seed of this crawl"));
    let changed = changes(before, new).into_iter().filter(|change| {
        change.option.on_resume == OnResume::NeedsNewFolder
            && change.option.section != "seeds"
            && !is_default(change)
    });
    other_seed
        .into_iter()
        .chain(changed.map(|change| change.to_string()))
        .collect()
}

/// Whether a value differs only because the new topic says nothing about it.
fn is_default(change: &Change) -> bool {
    change.now.is_empty() || change.option.default == Some(change.now.trim_matches('"'))
}

/// Whether a topic file names a strategy. If it does not, the crawl keeps its own, which may come from the command line.
fn names_strategy(topic: &Path) -> bool {
    let text = std::fs::read_to_string(topic).unwrap_or_default();
    text.lines()
        .any(|line| line.trim_start().starts_with("[strategy]"))
}

/// Whether a judge for the new settings can go on with what it had learnt for the old ones.
fn is_same_topic(before: &Settings, now: &Settings) -> bool {
    before.judge.kind == now.judge.kind
        && before.judge.background == now.judge.background
        && before.judge.learn == now.judge.learn
        && before.judge.examples == now.judge.examples
        && before.terms == now.terms
        && before.crawl.genres == now.crawl.genres
        && before.topic.query == now.topic.query
        && before.topic.name == now.topic.name
        && before.topic.language == now.topic.language
}

/// The pages that the user marked and that can be read from the archive.
fn marked_pages(view: &CrawlView) -> Result<Vec<(ParsedPage, Verdict)>, RejudgeError> {
    let marks = view.marks()?;
    let mut positions = std::collections::BTreeMap::new();
    each_record(view, |_, record| {
        if record.is_judged_page()
            && let (Some(mark), Some(position)) = (marks.get(&record.url), record.archive)
        {
            positions.insert(record.url, (position, *mark));
        }
    })
    .map_err(Box::new)?;
    let mut pages = Vec::with_capacity(positions.len());
    for (url, (position, mark)) in positions {
        let (Ok(url), Ok(record)) = (CanonicalUrl::parse(&url), view.record(&position)) else {
            continue;
        };
        let page = record.http().and_then(|http| page_of_response(&url, &http));
        pages.extend(page.map(|page| (page, mark)));
    }
    Ok(pages)
}

/// How relevant the marked pages are to judges that have not learnt from them, a fifth of the pages at a time. A judge that has
/// learnt from a page is surer of it than of any other, so its scores say nothing about a threshold.
fn judge_held_out(
    settings: &Settings,
    folder: &CrawlFolder,
    marked: &[(ParsedPage, Verdict)],
) -> Result<Vec<(f64, Verdict)>, RejudgeError> {
    let is = |side: Verdict| marked.iter().filter(move |(_, mark)| *mark == side);
    let sides = [Verdict::Relevant, Verdict::Irrelevant];
    if sides.iter().any(|side| is(*side).count() < LEAST_MARKS) {
        return Ok(Vec::new());
    }
    let saved = saved_in(folder.layout(), settings)?;
    let mut judged = Vec::with_capacity(marked.len());
    for part in 0..FOLDS {
        let judge = settings.judge().map_err(LiveBuildError::Parts)?;
        let held_out: Vec<_> = sides
            .iter()
            .flat_map(|side| is(*side).skip(part).step_by(FOLDS))
            .collect();
        if let Some(learner) = judge.learner() {
            let names: Vec<String> = held_out
                .iter()
                .map(|(page, _)| format!("{MARKED}{}", page.url))
                .collect();
            learner
                .restore(&saved)
                .map_err(|fault| LiveError::Crawl(fault.into()))?;
            learner.change_examples(&names, Vec::new());
        }
        judged.extend(held_out.iter().map(|(page, mark)| {
            let mut page = (*page).clone();
            judge.prepare(&mut page);
            (judge.judge(&page).relevance, *mark)
        }));
    }
    Ok(judged)
}

/// Lets the judge of a running crawl learn from the pages that are marked. What cannot be read teaches nothing.
pub(crate) fn learn_from_marks(view: &CrawlView, learner: &dyn Learner) {
    match marked_pages(view) {
        Ok(marked) => learn_marks(learner, &marked),
        Err(error) => tracing::warn!("could not learn from the marked pages: {error}"),
    }
}

/// Makes the marked pages examples, in place of those that were marked before.
fn learn_marks(learner: &dyn Learner, marked: &[(ParsedPage, Verdict)]) {
    let is_marked = |name: &str| marked.iter().any(|(page, _)| page.url.as_str() == name);
    let dropped: Vec<String> = learner
        .examples()
        .into_iter()
        .map(|(name, _)| name)
        .filter(|name| name.starts_with(MARKED) || is_marked(name))
        .collect();
    let added = marked.iter().map(|(page, mark)| LabelledPage {
        name: format!("{MARKED}{}", page.url),
        label: *mark,
        fields: learner.fields(page),
    });
    learner.change_examples(&dropped, added.collect());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_suggested_threshold_is_where_the_marks_are_separated_best() {
        let judged = |numbers: &[(f64, bool)]| -> Option<SuggestedThreshold> {
            let judged: Vec<(f64, Verdict)> = numbers
                .iter()
                .map(|(relevance, is_relevant)| match is_relevant {
                    true => (*relevance, Verdict::Relevant),
                    false => (*relevance, Verdict::Irrelevant),
                })
                .collect();
            SuggestedThreshold::of(&judged)
        };
        let wanted = [0.9, 0.8, 0.7, 0.6, 0.4].map(|relevance| (relevance, true));
        let others = [0.5, 0.2, 0.1, 0.05, 0.01].map(|relevance| (relevance, false));
        let both = [wanted, others].concat();
        let best = judged(&both).unwrap();
        assert!((best.threshold - 0.3).abs() < 1e-9, "{best:?}");
        assert!((best.f1 - 10.0 / 11.0).abs() < 1e-9);
        assert_eq!((best.relevant, best.irrelevant), (5, 5));
        // Too few of one side.
        assert_eq!(judged(&both[1..]), None);
    }
}
