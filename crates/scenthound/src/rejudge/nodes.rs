//! Judges the pages of several nodes again, each in its own folder.
//!
//! The judge learns from the pages of all nodes first, so that all are judged by the same. Only if a single node is named and its
//! topic is the same does it go on with what that node had learnt itself and heard from the others.
//!
//! The queue of a cluster is in Redis and stays as it is.
//!
//! **Invariant:** all folders are locked before the first of them changes. Each switches to its new judgements in one step; a run
//! that is stopped in between leaves some nodes judged and some not, and can be repeated.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use scenthound_config::Settings;
use scenthound_engine::Agent;
use scenthound_judge::{Judge, Learner};
use scenthound_live::{LiveSettings, NodeLessons, Rejudged, rejudge_node, teach_by_node};
use scenthound_store::{CrawlFolder, CrawlView, Error as StoreError};
use scenthound_types::StateDelta;

use super::{RejudgeError, Rejudgement, SuggestedThreshold, judge_held_out, learn_marks, marked_pages};
use crate::crawler::StopHandle;
use crate::gather::{NODE_FILE, gathered_from};
use crate::kept_files;
use crate::live::{LiveBuildError, live_settings};

/// The folders of the nodes that a folder stands for: itself if it is a node's, those it was gathered from if it was; none if it is
/// the folder of a crawl on one machine.
pub fn nodes_of(view: &CrawlView) -> Vec<PathBuf> {
    let root = view.layout().root();
    if is_node(root) {
        return vec![root.to_owned()];
    }
    gathered_from(view).unwrap_or_default()
}

pub(crate) fn is_node(folder: &Path) -> bool {
    folder.join(NODE_FILE).is_file()
}

/// How a node of a crawl with these settings is run.
pub(crate) fn settings_of_node(settings: &Settings, folder: &Path) -> Result<LiveSettings, RejudgeError> {
    let live = live_settings(settings)?;
    let name = std::fs::read_to_string(folder.join(NODE_FILE)).map_err(RejudgeError::KeptFiles)?;
    Ok(LiveSettings {
        archive: live.archive.clone().of_node(name.trim()),
        ..live
    })
}

/// What was done on each node, with its folder, and a threshold if enough pages were marked.
pub type NodesRejudged = (Vec<(PathBuf, Rejudged)>, Option<SuggestedThreshold>);

/// Nodes whose pages are about to be judged again: everything has been checked and nothing changed yet.
pub struct NodesRejudgement {
    nodes: Vec<Rejudgement>,
    /// The folder with the user's marks.
    marks: PathBuf,
}

fn agents_of(settings: &Settings) -> Result<Vec<Agent>, RejudgeError> {
    Ok(settings
        .agents(&settings.seeds.urls)
        .map_err(LiveBuildError::Parts)?)
}

fn judge_of(settings: &Settings) -> Result<Arc<dyn Judge>, RejudgeError> {
    Ok(settings.judge().map_err(LiveBuildError::Parts)?)
}

impl NodesRejudgement {
    /// Several nodes of one crawl. Marks are those in this folder.
    pub fn of(nodes: Vec<Rejudgement>, marks: &Path) -> NodesRejudgement {
        NodesRejudgement {
            nodes,
            marks: marks.to_owned(),
        }
    }

    /// The number of attempts that will be repeated.
    pub fn attempts(&self) -> Result<u64, RejudgeError> {
        self.nodes.iter().map(Rejudgement::attempts).sum()
    }

    /// Judges every stored page of all nodes again. Returns what was done on each, with its folder, and a threshold if it learnt from
    /// enough marks. If it is stopped, it returns `None`; nodes that were finished by then stay judged.
    pub fn run(
        self,
        stop: &StopHandle,
        progress: &mut dyn FnMut(u64),
    ) -> Result<Option<NodesRejudged>, RejudgeError> {
        let mut nodes = Vec::new();
        for node in &self.nodes {
            nodes.push((node, lock(&node.folder)?));
        }
        let Some((first, first_folder)) = nodes.first() else {
            return Err(RejudgeError::NothingCrawled { folder: self.marks });
        };
        let marked = match first.learns {
            true => marked_pages(&CrawlView::open(&self.marks)?)?,
            false => Vec::new(),
        };
        let add_marks = |learner: &dyn Learner| {
            if first.learns {
                learn_marks(learner, &marked);
            }
        };
        // Nodes that are judged together are judged by the same, also if one of them has lost what it had heard.
        let taught = match first.keeps_lessons && nodes.len() == 1 {
            true => None,
            false => match teach(&nodes, &add_marks, stop)? {
                Some(taught) => Some(taught),
                None => return Ok(None),
            },
        };
        let mut done = Vec::new();
        let mut before = 0;
        for (node, folder) in &nodes {
            let root = folder.layout().root();
            let settings = &node.settings;
            let written = node.steered.as_ref().map_or(settings, |(settings, _)| settings);
            let kept = kept_files::keep(written, root).map_err(RejudgeError::KeptFiles)?;
            let (judge, lessons) = match &taught {
                Some((judge, learnt)) => (judge.clone(), NodeLessons::Taught(learnt)),
                None => (judge_of(settings)?, NodeLessons::Kept(&add_marks)),
            };
            let rejudged = rejudge_node(
                folder,
                settings_of_node(settings, root)?,
                judge,
                agents_of(settings)?,
                lessons,
                &kept,
                stop.switch(),
                &mut |repeated| progress(before + repeated),
            )?;
            let Some(rejudged) = rejudged else { return Ok(None) };
            let upto = node.steered.as_ref().map(|(_, last)| *last);
            crate::steering::note_rejudged(&CrawlView::open(root)?, rejudged.generation, upto)?;
            before += rejudged.attempts;
            done.push((root.to_owned(), rejudged));
        }
        let judged = judge_held_out(&first.settings, first_folder, &marked)?;
        Ok(Some((done, SuggestedThreshold::of(&judged))))
    }
}

/// Takes a node's folder into use. Nobody else may be using it.
pub(crate) fn lock(folder: &Path) -> Result<CrawlFolder, RejudgeError> {
    match CrawlFolder::open(folder) {
        Err(StoreError::InUse { .. }) => Err(RejudgeError::InUse {
            pid: CrawlView::open(folder)?.worker()?.unwrap_or_default(),
            folder: folder.to_owned(),
        }),
        folder => Ok(folder?),
    }
}

/// A judge and what it has learnt, by name.
type Taught = (Arc<dyn Judge>, Vec<(String, Vec<u8>)>);

/// Lets a judge learn from the pages of all nodes. None if it was stopped.
fn teach(
    nodes: &[(&Rejudgement, CrawlFolder)],
    add: &dyn Fn(&dyn Learner),
    stop: &StopHandle,
) -> Result<Option<Taught>, RejudgeError> {
    let Some((first, _)) = nodes.first() else {
        return Ok(None);
    };
    let judge = judge_of(&first.settings)?;
    let mut learnt = BTreeMap::new();
    if let Some(learner) = judge.learner() {
        for (number, (node, folder)) in nodes.iter().enumerate() {
            // All nodes have read the same examples.
            let with_examples = node.keeps_examples && number == 0;
            let more = teach_by_node(
                folder,
                settings_of_node(&node.settings, folder.layout().root())?,
                judge.clone(),
                agents_of(&node.settings)?,
                with_examples,
                stop.switch(),
            )?;
            let Some(more) = more else { return Ok(None) };
            learnt.extend(more);
        }
        learner.change_examples(&[], Vec::new());
        add(learner);
        let mut added = StateDelta::default();
        learner.save_changes(&mut added);
        learnt.extend(added.changes().iter().cloned());
    }
    Ok(Some((judge, learnt.into_iter().collect())))
}
