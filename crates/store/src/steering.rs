//! `steering.jsonl`: what people asked of a crawl while it ran, and afterwards.
//!
//! Every line is one [`Action`]. Lines are only ever added, and a line is on the disk before the person gets an answer. Undoing
//! an action is an action too. What is in force is therefore always the same function of the lines, [`Steering::of`], whichever
//! process asks and however the last one ended.
//!
//! Several processes may write: they take turns with a lock of their own. A crawl reads what is new with a
//! [`SteeringReader`]. A last line without its newline does not count; the next writer removes it.
//!
//! Deliberately absent: carrying anything out.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::PathBuf;
use std::time::Duration;

use scenthound_types::{Timestamp, Verdict};
use serde::{Deserialize, Serialize};

use crate::append::sync_folder;
use crate::error::{Context, Error, Result};
use crate::folder::{CrawlView, Layout};

/// A longer file is not one of ours.
const MOST_BYTES: u64 = 256 << 20;

/// A list of terms of the topic.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TermList {
    /// What kind of page is wanted.
    Genre,
    /// What it is about.
    Content,
    /// Words of the wrong sense.
    Exclude,
}

/// A page that was marked, with its mark before and after.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct MarkedPage {
    /// The page.
    pub url: String,
    /// The mark it had.
    pub before: Option<Verdict>,
    /// The mark it has now; none if the mark was removed.
    pub mark: Option<Verdict>,
}

/// What somebody asked for.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Request {
    /// Make no more requests until told to go on.
    Pause,
    /// Go on.
    Resume,
    /// Save and stop. It concerns the run that is under way; a later run starts as usual.
    Stop,
    /// Start from these URLs too.
    AddSeeds {
        /// The URLs.
        urls: Vec<String>,
    },
    /// Fetch nothing from a host and the hosts below it.
    BlockHost {
        /// The host's name.
        host: String,
    },
    /// Prefer a host and the hosts below it.
    BoostHost {
        /// The host's name.
        host: String,
    },
    /// Treat a host like any other again.
    ReleaseHost {
        /// The host's name.
        host: String,
    },
    /// Wait this long between two requests to a host.
    Delay {
        /// The time in milliseconds.
        ms: u64,
    },
    /// A page with at least this relevance is relevant.
    Threshold {
        /// The threshold, from 0 to 1.
        threshold: f64,
    },
    /// A setting of the judge that is a number.
    Weight {
        /// The long name of the setting.
        name: String,
        /// Its value.
        value: f64,
    },
    /// Add a term to the topic.
    AcceptTerm {
        /// The list to add it to.
        list: TermList,
        /// The term.
        term: String,
    },
    /// Drop a term from the topic, or never suggest it again.
    DropTerm {
        /// The list to remove it from.
        list: TermList,
        /// The term.
        term: String,
    },
    /// The user's own verdict on pages. The marks themselves are in `pages/marks.jsonl`.
    Mark {
        /// The pages.
        pages: Vec<MarkedPage>,
    },
    /// Learn from the pages that are marked now.
    Learn,
    /// Learn from the marks and judge all pages again. A crawl that runs makes no requests meanwhile, and then goes on.
    Rejudge,
    /// The pages were judged again.
    Rejudged {
        /// The number of the judgements.
        generation: u32,
        /// The last action that they take into account. None: all that was asked for the topic became part of the settings,
        /// and no longer counts as steering.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        upto: Option<u64>,
    },
    /// Undo an action.
    Undo {
        /// Its number.
        of: u64,
    },
}

impl Request {
    /// Whether it can be undone.
    pub fn can_be_undone(&self) -> bool {
        !matches!(
            self,
            Request::Stop | Request::Learn | Request::Rejudge | Request::Rejudged { .. }
        )
    }
}

/// A line of the journal.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Action {
    /// Its number, from 1.
    pub id: u64,
    /// When it was asked for, in UTC.
    pub at: String,
    /// What was asked for.
    #[serde(flatten)]
    pub request: Request,
}

/// What people ask of the topic: how pages are judged.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct TopicSteering {
    /// The threshold, instead of that of the settings.
    pub threshold: Option<f64>,
    /// Settings of the judge that are numbers, instead of those of the settings.
    pub weights: BTreeMap<String, f64>,
    /// Terms to add.
    pub accepted: BTreeSet<(TermList, String)>,
    /// Terms to drop.
    pub dropped: BTreeSet<(TermList, String)>,
}

/// What is in force after a list of actions.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Steering {
    /// The number of the last action.
    pub last: u64,
    /// The numbers of the actions that are undone.
    pub undone: BTreeSet<u64>,
    /// Whether the crawl makes no requests.
    pub is_paused: bool,
    /// The number of the last request to stop; 0 if there was none.
    pub stop: u64,
    /// The number of the last request to learn from the marks; 0 if there was none.
    pub learn: u64,
    /// The number of the last request to judge the pages again; 0 if there was none.
    pub rejudge: u64,
    /// The last action that was taken into account when all pages were judged for the last time; 0 if they never were.
    pub judged_upto: u64,
    /// URLs to start from, in addition to those of the settings.
    pub seeds: Vec<String>,
    /// URLs that were among them and no longer are.
    pub dropped_seeds: Vec<String>,
    /// Hosts that nothing is fetched from, with the hosts below them.
    pub blocked: BTreeSet<String>,
    /// Hosts that are preferred, with the hosts below them.
    pub boosted: BTreeSet<String>,
    /// The time between two requests to a host, instead of that of the settings.
    pub delay: Option<Duration>,
    /// How pages are judged.
    pub topic: TopicSteering,
    /// How they were judged when all of them were judged for the last time.
    pub judged: TopicSteering,
    /// Terms that were ever dropped: they are not suggested again.
    pub unwanted: BTreeSet<(TermList, String)>,
}

impl Steering {
    /// What is in force after these actions.
    pub fn of(actions: &[Action]) -> Steering {
        let mut steering = Steering::default();
        // An undo names an earlier action, so going backwards everything is known to be in force or not when it is met.
        for action in actions.iter().rev() {
            if let Request::Undo { of } = action.request
                && !steering.undone.contains(&action.id)
            {
                steering.undone.insert(of);
            }
        }
        for (at, action) in actions.iter().enumerate() {
            steering.last = steering.last.max(action.id);
            if let Request::Rejudged { upto: Some(upto), .. } = action.request {
                // What was undone since counted then.
                let then: Vec<Action> = actions
                    .iter()
                    .take(at)
                    .filter(|earlier| earlier.id <= upto)
                    .cloned()
                    .collect();
                steering.judged = Steering::of(&then).topic;
                steering.judged_upto = upto;
            }
            let is_undone = steering.undone.contains(&action.id);
            if let (Request::AddSeeds { urls }, true) = (&action.request, is_undone) {
                steering.dropped_seeds.extend(urls.iter().cloned());
            }
            if !is_undone {
                steering.add(action);
            }
        }
        let seeds: BTreeSet<&String> = steering.seeds.iter().collect();
        steering.dropped_seeds.retain(|url| !seeds.contains(url));
        steering
    }

    fn add(&mut self, action: &Action) {
        match &action.request {
            Request::Pause => self.is_paused = true,
            Request::Resume => self.is_paused = false,
            Request::Stop => self.stop = action.id,
            Request::Learn => self.learn = action.id,
            Request::Rejudge => self.rejudge = action.id,
            Request::AddSeeds { urls } => {
                for url in urls {
                    if !self.seeds.contains(url) {
                        self.seeds.push(url.clone());
                    }
                }
            }
            Request::BlockHost { host } => {
                self.boosted.remove(host);
                self.blocked.insert(host.clone());
            }
            Request::BoostHost { host } => {
                self.blocked.remove(host);
                self.boosted.insert(host.clone());
            }
            Request::ReleaseHost { host } => {
                self.blocked.remove(host);
                self.boosted.remove(host);
            }
            Request::Delay { ms } => self.delay = Some(Duration::from_millis(*ms)),
            Request::Threshold { threshold } => self.topic.threshold = Some(*threshold),
            Request::Weight { name, value } => {
                self.topic.weights.insert(name.clone(), *value);
            }
            Request::AcceptTerm { list, term } => {
                let term = (*list, term.clone());
                self.topic.dropped.remove(&term);
                self.unwanted.remove(&term);
                self.topic.accepted.insert(term);
            }
            Request::DropTerm { list, term } => {
                let term = (*list, term.clone());
                self.topic.accepted.remove(&term);
                self.topic.dropped.insert(term.clone());
                self.unwanted.insert(term);
            }
            Request::Rejudged { upto: None, .. } => {
                self.topic = TopicSteering::default();
                self.judged = TopicSteering::default();
                self.judged_upto = action.id;
            }
            Request::Rejudged { .. } | Request::Mark { .. } | Request::Undo { .. } => {}
        }
    }

    /// Whether some pages were judged by another topic than the present one.
    pub fn is_pending(&self) -> bool {
        self.topic != self.judged
    }

    /// Whether somebody asked for the pages to be judged again, and they have not been since.
    pub fn wants_rejudging(&self) -> bool {
        self.rejudge > self.judged_upto
    }
}

impl Layout {
    /// What people asked of the crawl.
    pub fn steering(&self) -> PathBuf {
        self.root().join("steering.jsonl")
    }
}

impl CrawlView {
    /// Everything that was ever asked of the crawl.
    pub fn steering_actions(&self) -> Result<Vec<Action>> {
        let mut reader = SteeringReader::new(self.layout());
        reader.poll()?;
        Ok(reader.actions)
    }

    /// Writes down what somebody asks of the crawl. When this returns, it is on the disk.
    pub fn ask(&self, request: Request, now: Timestamp) -> Result<Action> {
        let path = self.layout().steering();
        let lock_path = path.with_extension("lock");
        let lock = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(&lock_path)
            .context("open", &lock_path)?;
        lock.lock().context("lock", &lock_path)?;
        let mut reader = SteeringReader::new(self.layout());
        reader.poll()?;
        let action = Action {
            id: reader.actions.last().map_or(0, |last| last.id) + 1,
            at: now.to_rfc3339(),
            request,
        };
        let mut line = serde_json::to_vec(&action).map_err(|source| Error::BadLine {
            path: path.clone(),
            line: action.id,
            source,
        })?;
        line.push(b'\n');
        let is_new = !path.exists();
        let mut file = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(&path)
            .context("open", &path)?;
        // A line that was cut short by a crash was never answered, so nobody counts on it.
        file.set_len(reader.offset).context("shorten", &path)?;
        file.seek(SeekFrom::End(0)).context("write to", &path)?;
        file.write_all(&line).context("write to", &path)?;
        file.sync_all().context("flush", &path)?;
        if is_new {
            sync_folder(self.layout().root())?;
        }
        Ok(action)
    }
}

/// Follows the journal as it grows.
#[derive(Debug)]
pub struct SteeringReader {
    path: PathBuf,
    /// The end of the last complete line.
    offset: u64,
    actions: Vec<Action>,
}

impl SteeringReader {
    /// Starts before the first line.
    pub fn new(layout: &Layout) -> SteeringReader {
        SteeringReader {
            path: layout.steering(),
            offset: 0,
            actions: Vec::new(),
        }
    }

    /// Everything read so far.
    pub fn actions(&self) -> &[Action] {
        &self.actions
    }

    /// Reads what is new. Returns whether there was anything. While nothing is, it costs one look at the file's length.
    pub fn poll(&mut self) -> Result<bool> {
        let length = match std::fs::metadata(&self.path) {
            Ok(metadata) => metadata.len(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
            Err(error) => return Err(error).context("examine", &self.path),
        };
        if length <= self.offset {
            return Ok(false);
        }
        let mut file = File::open(&self.path).context("open", &self.path)?;
        file.seek(SeekFrom::Start(self.offset))
            .context("read", &self.path)?;
        let mut bytes = Vec::new();
        file.take(MOST_BYTES)
            .read_to_end(&mut bytes)
            .context("read", &self.path)?;
        let before = self.actions.len();
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            let Some(text) = line.strip_suffix(b"\n") else {
                break;
            };
            let action = match serde_json::from_slice(text) {
                Ok(action) => action,
                // A power failure may leave zeros where the last line should be. It was never answered, so nobody counts on it.
                Err(_) if self.offset + line.len() as u64 == length => break,
                Err(source) => {
                    return Err(Error::BadLine {
                        path: self.path.clone(),
                        line: self.actions.len() as u64 + 1,
                        source,
                    });
                }
            };
            self.actions.push(action);
            self.offset += line.len() as u64;
        }
        Ok(self.actions.len() > before)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CrawlFolder;

    const NOW: Timestamp = Timestamp::from_millis(1_700_000_000_000);

    fn block(host: &str) -> Request {
        Request::BlockHost {
            host: host.to_owned(),
        }
    }

    fn folded(requests: Vec<Request>) -> Steering {
        let actions: Vec<Action> = (1..)
            .zip(requests)
            .map(|(id, request)| Action {
                id,
                at: String::new(),
                request,
            })
            .collect();
        Steering::of(&actions)
    }

    #[test]
    fn undoing_an_undo_brings_the_action_back() {
        let undo = |of| Request::Undo { of };
        assert!(folded(vec![block("a.test"), undo(1)]).blocked.is_empty());
        let again = folded(vec![block("a.test"), undo(1), undo(2)]);
        assert_eq!(again.blocked.len(), 1);
        assert!(
            folded(vec![block("a.test"), undo(1), undo(2), undo(3)])
                .blocked
                .is_empty()
        );
    }

    #[test]
    fn the_action_before_an_undone_one_is_in_force_again() {
        let delay = |ms| Request::Delay { ms };
        let steering = folded(vec![delay(100), delay(900), Request::Undo { of: 2 }]);
        assert_eq!(steering.delay, Some(Duration::from_millis(100)));
        let steering = folded(vec![Request::Pause, Request::Undo { of: 1 }]);
        assert!(!steering.is_paused);
    }

    #[test]
    fn a_host_is_blocked_or_boosted_or_neither() {
        let host = || "a.test".to_owned();
        let boost = Request::BoostHost { host: host() };
        let steering = folded(vec![block("a.test"), boost.clone()]);
        assert!(steering.blocked.is_empty() && steering.boosted.contains("a.test"));
        let steering = folded(vec![boost, Request::ReleaseHost { host: host() }]);
        assert_eq!(steering.boosted.len(), 0);
    }

    fn accept(term: &str) -> Request {
        Request::AcceptTerm {
            list: TermList::Content,
            term: term.to_owned(),
        }
    }

    #[test]
    fn what_became_part_of_the_settings_is_no_longer_steering() {
        let drop = Request::DropTerm {
            list: TermList::Content,
            term: "july".to_owned(),
        };
        let rejudged = Request::Rejudged {
            generation: 1,
            upto: None,
        };
        let threshold = Request::Threshold { threshold: 0.3 };
        let steering = folded(vec![
            accept("oolong"),
            drop,
            threshold,
            rejudged,
            accept("matcha"),
        ]);
        assert_eq!(steering.topic.threshold, None);
        assert_eq!(steering.topic.accepted.len(), 1);
        assert!(steering.topic.dropped.is_empty() && steering.is_pending());
        assert_eq!(steering.unwanted.len(), 1);
    }

    #[test]
    fn a_term_stays_in_force_after_the_pages_were_judged_by_it_and_can_still_be_undone() {
        let rejudged = |upto| Request::Rejudged {
            generation: 1,
            upto: Some(upto),
        };
        let steering = folded(vec![accept("oolong"), rejudged(1)]);
        assert_eq!(steering.topic.accepted.len(), 1);
        assert!(!steering.is_pending());
        // Asked while the pages were being judged: it was not taken into account.
        let steering = folded(vec![accept("oolong"), accept("matcha"), rejudged(1)]);
        assert!(steering.is_pending());
        // Undone later: the pages were judged by it, so they have to be judged once more.
        let undone = vec![accept("oolong"), rejudged(1), Request::Undo { of: 1 }];
        let steering = folded(undone.clone());
        assert!(steering.topic.accepted.is_empty() && steering.is_pending());
        let steering = folded([undone, vec![rejudged(3)]].concat());
        assert!(!steering.is_pending());
        // Undone before they were judged: nothing has changed.
        assert!(!folded(vec![accept("oolong"), Request::Undo { of: 1 }]).is_pending());
    }

    #[test]
    fn a_journal_of_an_earlier_version_means_what_it_meant() {
        let line = r#"{"id":2,"at":"2026-01-01T00:00:00Z","kind":"rejudged","generation":1}"#;
        let action: Action = serde_json::from_str(line).unwrap();
        let first = Action {
            id: 1,
            at: String::new(),
            request: accept("oolong"),
        };
        let steering = Steering::of(&[first, action]);
        assert_eq!(steering.topic, TopicSteering::default());
        assert!(!steering.is_pending());
    }

    #[test]
    fn seeds_that_are_taken_back_are_named_unless_they_were_added_again() {
        let seeds = |url: &str| Request::AddSeeds {
            urls: vec![url.to_owned()],
        };
        let undo = Request::Undo { of: 1 };
        let steering = folded(vec![seeds("http://a.test/"), undo.clone()]);
        assert_eq!(steering.dropped_seeds, ["http://a.test/"]);
        let steering = folded(vec![seeds("http://a.test/"), undo, seeds("http://a.test/")]);
        assert_eq!(steering.seeds, ["http://a.test/"]);
        assert!(steering.dropped_seeds.is_empty());
    }

    #[test]
    fn a_line_cut_short_by_a_crash_is_ignored_and_removed() {
        let temp = tempfile::tempdir().unwrap();
        let folder = CrawlFolder::open_or_create(temp.path()).unwrap();
        let view = CrawlView::open(temp.path()).unwrap();
        view.ask(block("a.test"), NOW).unwrap();
        let path = folder.layout().steering();
        let mut bytes = std::fs::read(&path).unwrap();
        bytes.extend(b"{\"id\":2,\"at\":\"20");
        std::fs::write(&path, bytes).unwrap();
        let mut reader = SteeringReader::new(folder.layout());
        assert!(reader.poll().unwrap());
        assert_eq!(reader.actions().len(), 1);
        assert!(!reader.poll().unwrap());
        let second = view.ask(Request::Pause, NOW).unwrap();
        assert_eq!(second.id, 2);
        assert!(reader.poll().unwrap());
        assert_eq!(reader.actions(), view.steering_actions().unwrap());
        assert_eq!(reader.actions().len(), 2);
    }

    #[test]
    fn a_last_line_that_became_zeros_is_ignored_and_one_before_others_is_not() {
        let temp = tempfile::tempdir().unwrap();
        let folder = CrawlFolder::open_or_create(temp.path()).unwrap();
        let view = CrawlView::open(temp.path()).unwrap();
        view.ask(block("a.test"), NOW).unwrap();
        let path = folder.layout().steering();
        let mut bytes = std::fs::read(&path).unwrap();
        bytes.extend([0, 0, 0, b'\n']);
        std::fs::write(&path, &bytes).unwrap();
        assert_eq!(view.steering_actions().unwrap().len(), 1);
        bytes.extend(b"{}\n");
        std::fs::write(&path, &bytes).unwrap();
        assert!(matches!(
            view.steering_actions(),
            Err(Error::BadLine { line: 2, .. })
        ));
    }

    #[test]
    fn actions_of_several_writers_get_different_numbers() {
        let temp = tempfile::tempdir().unwrap();
        drop(CrawlFolder::open_or_create(temp.path()).unwrap());
        let view = CrawlView::open(temp.path()).unwrap();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..10).for_each(|_| drop(view.ask(Request::Pause, NOW).unwrap())));
            }
        });
        let ids: Vec<u64> = view.steering_actions().unwrap().iter().map(|a| a.id).collect();
        assert_eq!(ids, (1..=40).collect::<Vec<u64>>());
    }
}
