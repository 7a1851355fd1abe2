//! What happens in a crawl, as typed values.

use std::collections::HashSet;
use std::time::Duration;

use scenthound_live::{LiveEvent, Snapshot};
use scenthound_store::PageRecord;
use scenthound_types::{CanonicalUrl, LeaseKind, Outcome};

/// How many failing hosts are remembered, to report their recovery.
const MOST_HOSTS: usize = 100_000;

/// Something that happened in a crawl.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Event {
    /// An attempt at a page has ended, successfully or not. The record is its line in `pages.jsonl`.
    Page(Box<PageRecord>),
    /// The state of a host has changed.
    Host {
        /// `scheme://host:port`.
        origin: String,
        /// How the host is doing.
        state: HostState,
    },
    /// How far the crawl has come; sent several times a second.
    Progress(Progress),
}

/// How a host is doing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum HostState {
    /// Its robots.txt was read, so its pages may be fetched as far as the rules allow.
    RulesKnown,
    /// Its robots.txt could not be fetched, so none of its pages are fetched for now.
    RulesUnreachable,
    /// A request failed because of the host, which is now left alone for longer and longer.
    Failing,
    /// It responds again.
    Answering,
}

/// How far a crawl has come.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
#[non_exhaustive]
pub struct Progress {
    /// Page attempts, over all runs.
    pub pages: u64,
    /// Relevant pages among them.
    pub relevant: u64,
    /// URLs known.
    pub known: u64,
    /// URLs waiting.
    pub waiting: u64,
    /// Running time, over all runs.
    pub running: Duration,
}

impl Progress {
    fn of(snapshot: &Snapshot<'_>) -> Progress {
        Progress {
            pages: snapshot.tally.pages,
            relevant: snapshot.tally.relevant,
            known: snapshot.counts.known,
            waiting: snapshot.counts.waiting,
            running: snapshot.running,
        }
    }
}

/// Turns the driver's events into ours.
#[derive(Default)]
pub(crate) struct Translator {
    failing: HashSet<String>,
}

impl Translator {
    pub(crate) fn translate(&mut self, event: LiveEvent<'_>, watch: &mut dyn FnMut(&Event)) {
        match event {
            LiveEvent::Ranking { .. } | LiveEvent::Rejudged(_) | LiveEvent::NotRanked { .. } => {}
            LiveEvent::Progress(snapshot) => watch(&Event::Progress(Progress::of(snapshot))),
            LiveEvent::Settled(record) => {
                if let Some((origin, state)) = self.host_state(record) {
                    watch(&Event::Host { origin, state });
                }
                if record.is_page() {
                    watch(&Event::Page(Box::new(record.clone())));
                }
            }
        }
    }

    /// The new state of the host, if the attempt changed it.
    fn host_state(&mut self, record: &PageRecord) -> Option<(String, HostState)> {
        if record.unasked {
            return None;
        }
        let is_robots = record.kind == LeaseKind::Robots;
        let is_hosts_fault =
            matches!(record.outcome(), Some(Outcome::Failed(failure)) if failure.is_hosts_fault());
        let origin = CanonicalUrl::parse(&record.url).ok()?.origin().to_owned();
        let state = if is_hosts_fault {
            if self.failing.len() >= MOST_HOSTS || !self.failing.insert(origin.clone()) {
                return None;
            }
            match is_robots {
                true => HostState::RulesUnreachable,
                false => HostState::Failing,
            }
        } else if is_robots {
            self.failing.remove(&origin);
            HostState::RulesKnown
        } else if self.failing.remove(&origin) {
            HostState::Answering
        } else {
            return None;
        };
        Some((origin, state))
    }
}
