//! A cluster in virtual time: several engines that crawl one web together.
//!
//! Each node has a crawl of its own, with its own strategy and its own judge, and owns some of the shards that sites hash to. What a
//! page means for URLs of other shards arrives there after a delay. A node that dies leaves its shards to the others, which take
//! them after a while; its requests in flight and what it has learnt are lost.
//!
//! **Invariant:** the same seed, web, settings and nodes give the same journal. Things that happen at the same moment happen in the
//! order of the nodes.
//!
//! Deliberately absent: Redis, commits and everything else that a real cluster needs to survive. What is measured here is what
//! nodes lose by not knowing what the others know.

mod frontier;
#[cfg(test)]
mod kin_tests;

use std::collections::{BTreeMap, VecDeque};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use scenthound_engine::{Agent, Crawl, CrawlError, PageRules, Pupil, Step, StopReason, Tally, needs_of};
use scenthound_frontier::{HostPolicy, MemoryFrontier};
use scenthound_types::{Keyring, Timestamp};

use crate::answer::Answers;
use crate::journal::Journal;
use crate::opinion::PageJudge;
use crate::replay::{LabSettings, Requests, Run};
use crate::web::Web;
use crate::web_answers::WebAnswers;
use frontier::{Message, NodeFrontier};

/// How often the counts of a crawl are committed, in pages.
const PAGES_PER_COMMIT: u64 = 100;

/// How a cluster is simulated.
#[derive(Clone, PartialEq, Debug)]
pub struct NodeSettings {
    /// How long what one shard tells another is on its way.
    pub message_delay: Duration,
    /// How many shards there are.
    pub shards: u16,
    /// How long the shards of a node that died belong to nobody.
    pub lease: Duration,
    /// How often nodes tell each other what they have learnt; never if none.
    pub share_every: Option<Duration>,
    /// After how many pages a node dies. One node is left at least.
    pub deaths: Vec<u64>,
}

impl Default for NodeSettings {
    /// What a real cluster does unless told otherwise; nobody dies.
    fn default() -> NodeSettings {
        NodeSettings {
            message_delay: Duration::from_millis(150),
            shards: 64,
            lease: Duration::from_secs(20),
            share_every: Some(Duration::from_secs(5)),
            deaths: Vec::new(),
        }
    }
}

/// One node: who judges its pages, and its agent.
pub struct NodeParts<'j> {
    /// The judge. Nodes that share one that learns share what it learns.
    pub judge: &'j dyn PageJudge,
    /// The agents.
    pub agents: Vec<Agent>,
}

/// What a node tells the others.
enum Lesson {
    Passing(Vec<u8>),
    /// By name, for everyone who joins later too; but nobody does here.
    Lasting(String, Vec<u8>),
}

struct Node<'w> {
    crawl: Crawl<NodeFrontier, Journal>,
    answers: WebAnswers<'w>,
    out: Requests,
    wake: Timestamp,
    /// Pages of its journal that are in the common one.
    told: usize,
}

/// Crawls a web on several nodes. The requests in flight are divided among them. After each page read, the watcher sees the journal
/// of all nodes and may end the crawl.
pub fn crawl_web_on_nodes(
    web: &dyn Web,
    nodes: Vec<NodeParts<'_>>,
    settings: &LabSettings,
    cluster: &NodeSettings,
    watch: &mut dyn FnMut(&Journal) -> ControlFlow<()>,
) -> Result<Run, CrawlError> {
    let mut simulation = Simulation::start(web, nodes, settings, cluster)?;
    let stopped = simulation.run(watch)?;
    simulation.end(stopped)
}

struct Simulation<'w> {
    nodes: BTreeMap<usize, Node<'w>>,
    settings: LabSettings,
    cluster: NodeSettings,
    workers: usize,
    now: Timestamp,
    /// What is on its way, in the order of arrival: the delay is the same for all.
    messages: VecDeque<(Timestamp, Message)>,
    /// When nodes tell each other next what they have learnt.
    next_lesson: Timestamp,
    /// Lessons that are on their way, and who gave them.
    lessons: VecDeque<(Timestamp, usize, Pupil, Lesson)>,
    /// Shards of nodes that died, and when others may take them.
    orphans: VecDeque<(Timestamp, u16, MemoryFrontier)>,
    deaths: VecDeque<u64>,
    journal: Journal,
    /// URLs waiting on all nodes after each page read.
    waiting_after: Vec<u64>,
    tally: Tally,
}

impl<'w> Simulation<'w> {
    fn start(
        web: &'w dyn Web,
        parts: Vec<NodeParts<'w>>,
        settings: &LabSettings,
        cluster: &NodeSettings,
    ) -> Result<Simulation<'w>, CrawlError> {
        let keyring = Keyring::new(settings.seed).by_site();
        let now = Timestamp::ZERO;
        let count = parts.len().max(1);
        let mut nodes = BTreeMap::new();
        for (number, NodeParts { judge, agents }) in parts.into_iter().enumerate() {
            let needs = needs_of(&agents);
            let policy = HostPolicy {
                all_parents: needs.all_parents,
                siblings: needs.siblings,
                oldest_from: needs.oldest_from,
                agents: u8::try_from(agents.len()).unwrap_or(u8::MAX),
                ..settings.policy.clone()
            };
            let mut frontier = NodeFrontier::new(policy.clone(), keyring, cluster.shards);
            for shard in (0..cluster.shards).filter(|shard| usize::from(*shard) % count == number) {
                frontier.take_up(shard, MemoryFrontier::new(policy.clone(), keyring), now)?;
            }
            let rules = PageRules::new(settings.processor.clone(), needs, keyring);
            let answers = WebAnswers::new(web, judge, rules, keyring);
            let journal = Journal::default();
            let mut crawl =
                Crawl::start_with(settings.crawl.clone(), frontier, agents, journal, keyring, now)?;
            if let Some(judge) = judge.learner() {
                crawl.teach(Arc::clone(&judge))?;
            }
            if cluster.share_every.is_some() {
                crawl.share_lessons();
            }
            let node = Node {
                crawl,
                answers,
                out: Requests::default(),
                wake: Timestamp::ZERO,
                told: 0,
            };
            nodes.insert(number, node);
        }
        let mut deaths = cluster.deaths.clone();
        deaths.sort_unstable();
        Ok(Simulation {
            nodes,
            settings: settings.clone(),
            cluster: cluster.clone(),
            workers: settings.workers.div_ceil(count),
            now,
            messages: VecDeque::new(),
            next_lesson: cluster.share_every.map_or(Timestamp::NEVER, |every| now + every),
            lessons: VecDeque::new(),
            orphans: VecDeque::new(),
            deaths: deaths.into(),
            journal: Journal::default(),
            waiting_after: Vec::new(),
            tally: Tally::default(),
        })
    }

    fn run(
        &mut self,
        watch: &mut dyn FnMut(&Journal) -> ControlFlow<()>,
    ) -> Result<Option<StopReason>, CrawlError> {
        loop {
            self.ask()?;
            let Some(next) = self.next_moment() else {
                return Ok(Some(StopReason::Exhausted));
            };
            self.now = self.now.max(next);
            self.deliver()?;
            self.adopt()?;
            self.teach()?;
            let numbers: Vec<usize> = self.nodes.keys().copied().collect();
            for number in numbers {
                while let Some(read) = self.settle(number)? {
                    if read && watch(&self.journal).is_break() {
                        return Ok(None);
                    }
                }
            }
            self.bury()?;
        }
    }

    /// Lets every node make the requests it may make now.
    fn ask(&mut self) -> Result<(), CrawlError> {
        for node in self.nodes.values_mut() {
            loop {
                let room = self.workers.saturating_sub(node.out.len());
                if room == 0 {
                    node.wake = Timestamp::NEVER;
                    break;
                }
                match node.crawl.next(room, self.now)? {
                    Step::Fetch(leases) => {
                        for lease in leases {
                            node.out.push(self.now + self.settings.latency, lease);
                        }
                        continue;
                    }
                    Step::WaitUntil(until) => node.wake = until,
                    Step::Blocked | Step::Done(_) => node.wake = Timestamp::NEVER,
                }
                break;
            }
            // A URL that needs no request, because rules forbid it, is settled by asking.
            let told = node.crawl.frontier_mut().outgoing.drain(..);
            let arrival = self.now + self.cluster.message_delay;
            self.messages.extend(told.map(|message| (arrival, message)));
        }
        Ok(())
    }

    /// When something happens next.
    fn next_moment(&self) -> Option<Timestamp> {
        let nodes = self.nodes.values();
        let moments = nodes
            .flat_map(|node| [Some(node.wake), node.out.next_end()])
            .chain([
                self.messages.front().map(|(at, _)| *at),
                self.orphans.front().map(|(at, ..)| *at),
            ]);
        moments.flatten().filter(|at| *at < Timestamp::NEVER).min()
    }

    /// Delivers what has arrived. What is for a shard that nobody owns waits for its next owner.
    fn deliver(&mut self) -> Result<(), CrawlError> {
        let mut kept = VecDeque::new();
        while let Some((at, message)) = self.messages.pop_front() {
            if at > self.now {
                self.messages.push_front((at, message));
                break;
            }
            let mut nodes = self.nodes.values_mut();
            match nodes.find(|node| node.crawl.frontier().owns(message.to)) {
                Some(node) => node.crawl.frontier_mut().hear(message, self.now)?,
                None => {
                    let taken = self.orphans.iter().find(|(_, shard, _)| *shard == message.to);
                    let later = taken.map_or(at, |(at, ..)| *at);
                    kept.push_back((later.max(self.now), message));
                }
            }
        }
        // They arrive when the shards are taken, before everything that is sent from now on.
        let mut all: Vec<(Timestamp, Message)> = kept.into_iter().chain(self.messages.drain(..)).collect();
        all.sort_by_key(|(at, _)| *at);
        self.messages.extend(all);
        Ok(())
    }

    /// Lets nodes tell each other what they have learnt, if it is time, and hear what has arrived.
    fn teach(&mut self) -> Result<(), CrawlError> {
        if self.now >= self.next_lesson {
            let arrival = self.now + self.cluster.message_delay;
            for (number, node) in &mut self.nodes {
                let lessons = node.crawl.lessons().into_iter();
                let lessons = lessons.map(|(pupil, lesson)| (pupil, Lesson::Passing(lesson)));
                let lasting = node.crawl.lasting_lessons().into_iter();
                let lasting = lasting.map(|(pupil, name, lesson)| (pupil, Lesson::Lasting(name, lesson)));
                let sent = lasting.chain(lessons);
                self.lessons
                    .extend(sent.map(|(pupil, lesson)| (arrival, *number, pupil, lesson)));
            }
            let every = self.cluster.share_every.unwrap_or_default();
            self.next_lesson = self.now + every.max(Duration::from_millis(1));
        }
        while self.lessons.front().is_some_and(|(at, ..)| *at <= self.now) {
            let Some((_, from, pupil, lesson)) = self.lessons.pop_front() else {
                break;
            };
            for (_, node) in self.nodes.iter_mut().filter(|(number, _)| **number != from) {
                match &lesson {
                    Lesson::Passing(lesson) => node.crawl.hear_lessons(pupil, lesson)?,
                    Lesson::Lasting(name, lesson) => {
                        let lesson = (name.clone(), lesson.clone());
                        node.crawl
                            .hear_lasting_lessons(pupil, std::slice::from_ref(&lesson))?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Gives shards of dead nodes to the others, one after the other.
    fn adopt(&mut self) -> Result<(), CrawlError> {
        while self.orphans.front().is_some_and(|(at, ..)| *at <= self.now) {
            let Some((_, shard, frontier)) = self.orphans.pop_front() else {
                break;
            };
            let count = self.nodes.len().max(1);
            if let Some(node) = self.nodes.values_mut().nth(usize::from(shard) % count) {
                node.crawl.frontier_mut().take_up(shard, frontier, self.now)?;
            }
        }
        Ok(())
    }

    /// Settles one request of a node that has ended by now. Returns whether that read a page; none if there is no such request.
    fn settle(&mut self, number: usize) -> Result<Option<bool>, CrawlError> {
        let Some(node) = self.nodes.get_mut(&number) else {
            return Ok(None);
        };
        let Some((_, lease)) = node.out.pop_until(self.now) else {
            return Ok(None);
        };
        let answer = node.answers.answer(lease, self.now, self.settings.latency);
        node.crawl.settle(answer, self.now)?;
        if node.crawl.tally().pages.is_multiple_of(PAGES_PER_COMMIT) {
            node.crawl.commit(self.now)?;
        }
        let journal = node.crawl.recorder();
        let new = journal.pages.get(node.told..).unwrap_or_default();
        let has_read = !new.is_empty();
        self.journal.pages.extend_from_slice(new);
        node.told = journal.pages.len();
        if has_read {
            let nodes = self.nodes.values();
            let waiting = nodes.map(|node| node.crawl.counts().waiting).sum();
            self.waiting_after.resize(self.journal.pages.len(), waiting);
        }
        Ok(Some(has_read))
    }

    /// Lets nodes die whose time has come: the first that is left.
    fn bury(&mut self) -> Result<(), CrawlError> {
        while self.nodes.len() > 1
            && self
                .deaths
                .front()
                .is_some_and(|pages| self.journal.pages.len() as u64 >= *pages)
        {
            self.deaths.pop_front();
            let Some((_, mut node)) = self.nodes.pop_first() else {
                break;
            };
            // Nobody knows of its requests; they are made again.
            while let Some((_, lease)) = node.out.pop_until(Timestamp::NEVER) {
                node.crawl.hand_back(&lease, self.now, self.now)?;
            }
            self.count(&node);
            let (mut frontier, _) = node.crawl.into_parts();
            let at = self.now + self.cluster.lease;
            for (shard, frontier) in frontier.give_up() {
                self.orphans.push_back((at, shard, frontier));
            }
        }
        Ok(())
    }

    fn count(&mut self, node: &Node<'_>) {
        let tally = node.crawl.tally();
        self.tally.pages += tally.pages;
        self.tally.relevant += tally.relevant;
        for (code, count) in &tally.outcomes {
            *self.tally.outcomes.entry(*code).or_default() += count;
        }
    }

    fn end(mut self, stopped: Option<StopReason>) -> Result<Run, CrawlError> {
        let nodes = std::mem::take(&mut self.nodes);
        let (mut known, mut waiting) = (0, 0);
        let mut agents = Vec::new();
        for node in nodes.into_values() {
            self.count(&node);
            let counts = node.crawl.counts();
            known += counts.known;
            waiting += counts.waiting;
            agents = node.crawl.agents();
        }
        Ok(Run {
            journal: self.journal,
            tally: self.tally,
            virtual_time: self.now.since(Timestamp::ZERO),
            stopped,
            known,
            waiting,
            waiting_after: self.waiting_after,
            agents,
        })
    }
}
