//! The same for the folder of one node of a cluster.
//!
//! The state in such a folder is notes alone: counts, how far the records reach, what was learnt here and heard from others. The
//! queue belongs to all nodes and is in Redis. So the node's pages are read again in a frontier in memory, which is thrown away, and
//! the new state is the old notes with new counts and with what the judge knows now.
//!
//! Deliberately absent: Redis. What waits keeps the scores it has, and what was settled stays settled.

use std::collections::BTreeMap;
use std::sync::Arc;

use scenthound_engine::{Agent, CrawlError, FLUSHED_MARK, MARK, Tally, UNRANKED, lesson_name, saved_lessons};
use scenthound_frontier::{Counts, Frontier, HostPolicy, MemoryFrontier};
use scenthound_judge::{Judge, Learner, saved_examples};
use scenthound_store::{CrawlFolder, RecordFiles};
use scenthound_types::{Keyring, StateDelta};

use super::{Again, Rejudged, Repaired, Repeat, open_old, open_to_read, read_only};
use crate::LiveError;
use crate::clock::Clock;
use crate::drive::{LiveSettings, StopSwitch, log};

/// Values by name.
type Notes = Vec<(String, Vec<u8>)>;

/// What a judge that learns knows when the pages of a node are judged again.
pub enum NodeLessons<'a> {
    /// What the node had learnt, and heard from others. The function may add to it.
    Kept(&'a dyn Fn(&dyn Learner)),
    /// What it was taught by the pages of several nodes, which it knows already ([`teach_by_node`]).
    Taught(&'a [(String, Vec<u8>)]),
}

fn keyring_of(settings: &LiveSettings) -> Keyring {
    Keyring::new(settings.seed).by_site()
}

impl Again<'_> {
    /// Writes the next state: the counts, what the judge knows, and of these notes all that does not contradict them.
    fn write_notes(
        &self,
        policy: HostPolicy,
        kept: Notes,
        tally: &Tally,
        learnt: Notes,
    ) -> Result<(), LiveError> {
        let mut notes: BTreeMap<String, Vec<u8>> = kept.into_iter().collect();
        notes.retain(|name, _| name != FLUSHED_MARK && lesson_name(name).is_none());
        notes.insert(MARK.to_owned(), self.mark.to_bytes().to_vec());
        notes.extend(self.notes(tally, learnt).changes().iter().cloned());
        let mut all = StateDelta::default();
        for (name, value) in notes {
            all.put(name, value);
        }
        let mut next = self.next_frontier(policy)?;
        next.commit(&all)?;
        Ok(next.sync()?)
    }
}

/// Lets a judge learn from the stored pages of a node, after those of other nodes if it was taught by them before. Returns what has
/// changed in what it knows. None if it was stopped. Nothing in the folder changes.
pub fn teach_by_node(
    folder: &CrawlFolder,
    settings: LiveSettings,
    judge: Arc<dyn Judge>,
    agents: Vec<Agent>,
    with_examples: bool,
    stop: &StopSwitch,
) -> Result<Option<Notes>, LiveError> {
    folder.tidy()?;
    let now = Clock::system().now();
    let keyring = keyring_of(&settings);
    let (old, mark, _) = open_old(folder, &settings, read_only(agents.len()), keyring, now)?;
    let again = Again {
        generation: folder.layout().generation()? + 1,
        folder,
        settings,
        judge,
        keyring,
        now,
        mark,
        stop,
    };
    if let Some(learner) = again.judge.learner()
        && with_examples
    {
        learner.change_examples(&[], saved_examples(&saved_lessons(&old)?));
    }
    let frontier = MemoryFrontier::new(again.policy(&agents), keyring);
    let taught = again.repeat(frontier, Some(old), agents, true, &mut |_| {})?;
    let learnt = match taught {
        Some(taught) => Some(saved_lessons(taught.crawl.frontier())?),
        None => None,
    };
    folder.tidy()?;
    Ok(learnt)
}

/// Judges every stored page of a node again. Its part of the queue, which is in Redis, keeps its scores. None if it was stopped: the
/// folder is then unchanged.
#[allow(clippy::too_many_arguments, reason = "a crawl is made of the same parts")]
pub fn rejudge_node(
    folder: &CrawlFolder,
    settings: LiveSettings,
    judge: Arc<dyn Judge>,
    agents: Vec<Agent>,
    lessons: NodeLessons<'_>,
    settings_text: &str,
    stop: &StopSwitch,
    progress: &mut dyn FnMut(u64),
) -> Result<Option<Rejudged>, LiveError> {
    folder.tidy()?;
    let now = Clock::system().now();
    let keyring = keyring_of(&settings);
    let (old, mark, earlier) = open_old(folder, &settings, read_only(agents.len()), keyring, now)?;
    let generation = folder.layout().generation()? + 1;
    let again = Again {
        folder,
        settings,
        judge,
        keyring,
        now,
        mark,
        generation,
        stop,
    };
    let mut learnt = saved_lessons(&old)?;
    if let Some(learner) = again.judge.learner() {
        match lessons {
            NodeLessons::Kept(add) => {
                learner.restore(&learnt).map_err(CrawlError::from)?;
                add(learner);
            }
            NodeLessons::Taught(saved) => learnt = saved.to_vec(),
        }
    }
    let policy = again.policy(&agents);
    let frontier = MemoryFrontier::new(policy.clone(), keyring);
    let Some(done) = again.repeat(frontier, Some(old), agents, false, progress)? else {
        return Ok(None);
    };
    let Repeat {
        old: Some(old),
        crawl,
        kept,
        skipped,
        attempts,
        ..
    } = done
    else {
        return Ok(None);
    };
    let tally = earlier.judged_as(crawl.tally());
    let (_, mut recorder) = crawl.into_parts();
    let mut notes = old.notes("")?;
    notes.retain(|(name, _)| name != UNRANKED);
    again.write_notes(policy, notes, &tally, learnt)?;
    recorder.file.sync()?;
    drop(old);
    folder.switch(generation, settings_text)?;
    Ok(Some(Rejudged {
        attempts,
        judged: recorder.judged,
        became_relevant: recorder.became_relevant,
        no_longer_relevant: recorder.no_longer_relevant,
        kept,
        skipped,
        generation,
        tally,
        counts: Counts::default(),
    }))
}

/// Rebuilds the state of a node's folder from its archive and its page records: its counts and how far its records reach. What the
/// node had learnt is taken from the old state, or learnt again from its own pages if that cannot be read; it then hears again what
/// the others have told lately. Pages whose records were lost stay settled in Redis, so they are counted and not requested again.
/// None if it was stopped: the folder is then unchanged.
pub fn repair_node(
    folder: &CrawlFolder,
    settings: LiveSettings,
    judge: Arc<dyn Judge>,
    agents: impl Fn() -> Vec<Agent>,
    settings_text: &str,
    stop: &StopSwitch,
    progress: &mut dyn FnMut(u64),
) -> Result<Option<Repaired>, LiveError> {
    folder.tidy()?;
    let now = Clock::system().now();
    let keyring = keyring_of(&settings);
    let saved = open_to_read(folder, keyring, now).and_then(|old| old.notes("").ok());
    let mark = RecordFiles::rescued_mark(folder, &settings.archive)?;
    let generation = folder.layout().generation()? + 1;
    let again = Again {
        folder,
        settings,
        judge,
        keyring,
        now,
        mark,
        generation,
        stop,
    };
    let policy = again.policy(&agents());
    let in_memory = || MemoryFrontier::new(policy.clone(), keyring);
    let mut learnt = Notes::new();
    if let Some(learner) = again.judge.learner() {
        match &saved {
            Some(saved) => {
                learnt = lessons_in(saved);
                learner.restore(&learnt).map_err(CrawlError::from)?;
            }
            None => {
                let Some(taught) = again.repeat(in_memory(), None, agents(), true, &mut |_| {})? else {
                    return Ok(None);
                };
                learnt = saved_lessons(taught.crawl.frontier())?;
            }
        }
    }
    let Some(done) = again.repeat(in_memory(), None, agents(), false, progress)? else {
        return Ok(None);
    };
    let Repeat {
        crawl,
        lost,
        skipped,
        attempts,
        ..
    } = done;
    let mut tally = crawl.tally().clone();
    let kept_lessons = saved.is_some();
    if let Some(before) = saved.as_ref().and_then(tally_in) {
        tally.running = before.running;
    }
    let (frontier, mut recorder) = crawl.into_parts();
    let mut notes = match saved {
        Some(saved) => saved,
        None => frontier.notes("")?,
    };
    // Its pages are judged again at the end of the next run, by what it has heard from the others until then.
    if !kept_lessons && again.judge.learner().is_some() {
        notes.push((UNRANKED.to_owned(), vec![1]));
    }
    again.write_notes(policy, notes, &tally, learnt)?;
    recorder.file.sync()?;
    let old_state = folder.set_state_aside()?;
    folder.switch(generation, settings_text)?;
    log(
        folder,
        now,
        &format!(
            "rebuilt the state of the node from {attempts} recorded attempts; the records of {} pages were lost, and {skipped} \
             lines could not be read",
            lost.len()
        ),
    );
    Ok(Some(Repaired {
        attempts,
        lost: lost.len() as u64,
        skipped,
        old_state,
        kept_lessons,
        tally,
        counts: Counts::default(),
    }))
}

fn lessons_in(notes: &Notes) -> Notes {
    let lesson = |(name, value): &(String, Vec<u8>)| Some((lesson_name(name)?.to_owned(), value.clone()));
    notes.iter().filter_map(lesson).collect()
}

fn tally_in(notes: &Notes) -> Option<Tally> {
    let (_, bytes) = notes.iter().find(|(name, _)| name == "engine/tally")?;
    Tally::from_bytes(bytes).ok()
}
