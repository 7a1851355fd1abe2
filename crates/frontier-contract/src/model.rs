//! A frontier that is obviously right and slow: plain lists, and everything is found by looking through all of them.
//!
//! It keeps no queue, no timer and no table, so there is nothing in it that could fall out of step.

use std::collections::BTreeMap;
use std::time::Duration;

use scenthound_frontier::{Counts, End, HostRules, Manners, Policy, State};
use scenthound_types::{
    CanonicalUrl, LeaseId, LeaseKind, Merge, Offer, Parents, Priority, Rank, Reason, Score, Standing,
    Timestamp, Update, UrlKey,
};

#[derive(Clone, Debug)]
pub(crate) struct ModelUrl {
    pub url: CanonicalUrl,
    pub key: UrlKey,
    pub host: usize,
    pub parent: Option<usize>,
    pub depth: u16,
    pub rank: Rank,
    pub age: u32,
    pub state: State,
    pub relevance: f32,
    pub seed: bool,
    pub sitemap: bool,
    pub reason: Reason,
    pub attempt: u8,
    pub redirects: u8,
    /// To be fetched again…
    pub revisit: bool,
    /// …and that request is out.
    pub revisit_out: bool,
    /// Pages that link here, at most as many as are kept.
    parents: Vec<usize>,
    /// URLs this page links to.
    children: Vec<usize>,
    /// Where it redirects to.
    moved: Option<usize>,
}

#[derive(Clone, Debug)]
pub(crate) struct ModelHost {
    pub origin: String,
    pub busy: u16,
    pub asking_rules: bool,
    pub rest_until: Timestamp,
    pub failures: u16,
    pub rules_attempt: u8,
    pub crawl_delay: Duration,
    pub rules_until: Timestamp,
    pub pages: u32,
    pub pages_out: u32,
}

/// What the model hands out; compared with a lease field by field.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct ModelLease {
    pub kind: LeaseKind,
    pub url: CanonicalUrl,
    pub parent: Option<UrlKey>,
    pub depth: u16,
    pub seed: bool,
    pub taken: Priority,
    pub attempt: u8,
    pub redirects: u8,
    pub revisit: bool,
}

#[derive(Clone, Debug)]
struct Out {
    /// None for robots.txt.
    url: Option<usize>,
    host: usize,
    kind: LeaseKind,
    from_list: bool,
    taken: Priority,
}

#[derive(PartialEq, Debug)]
pub(crate) enum ModelNext {
    Fetch(Vec<ModelLease>),
    WaitUntil(Timestamp),
    Blocked,
    Done,
}

#[derive(Clone, Debug)]
pub(crate) struct Model {
    policy: Policy,
    pub urls: Vec<ModelUrl>,
    pub hosts: Vec<ModelHost>,
    leases: BTreeMap<LeaseId, Out>,
    list: Vec<usize>,
    drawn_with: BTreeMap<usize, Score>,
    raised: BTreeMap<(usize, bool), Rank>,
    parents_dropped: u64,
}

struct Source {
    parent: Option<usize>,
    depth: u16,
    reason: Reason,
    sitemap: bool,
    seed: bool,
}

fn is_waiting(state: State) -> bool {
    matches!(state, State::Waiting | State::Drawn)
}

impl Model {
    pub fn new(policy: Policy) -> Model {
        Model {
            policy,
            urls: Vec::new(),
            hosts: Vec::new(),
            leases: BTreeMap::new(),
            list: Vec::new(),
            drawn_with: BTreeMap::new(),
            raised: BTreeMap::new(),
            parents_dropped: 0,
        }
    }

    fn find(&self, key: UrlKey) -> Option<usize> {
        self.urls.iter().position(|url| url.key == key)
    }

    /// The URL that stands for a known one: where it redirects to.
    fn find_moved(&self, key: UrlKey) -> Option<usize> {
        let mut id = self.find(key)?;
        for _ in 0..10 {
            match self.urls[id].moved {
                Some(to) => id = to,
                None => break,
            }
        }
        Some(id)
    }

    pub fn standing(&self, key: UrlKey) -> Standing {
        let Some(url) = self.find_moved(key).map(|id| &self.urls[id]) else {
            return Standing::New;
        };
        match url.state {
            State::Waiting | State::Drawn => Standing::Waiting,
            State::Leased => Standing::Leased,
            State::Fetched => Standing::Fetched {
                relevance: url.relevance,
            },
            State::Gone => Standing::Gone,
            State::Forgotten => Standing::New,
        }
    }

    pub fn priority(&self, id: usize) -> Priority {
        let url = &self.urls[id];
        let mut rank = url.rank;
        if url.state == State::Fetched {
            rank.tie = 0;
        }
        Priority { rank, age: url.age }
    }

    fn is_full(&self, host: usize) -> bool {
        let host = &self.hosts[host];
        self.policy
            .max_pages_per_host
            .is_some_and(|most| host.pages + host.pages_out >= most)
    }

    fn is_busy(&self, host: usize) -> bool {
        let host = &self.hosts[host];
        host.asking_rules || host.busy >= self.policy.connections_per_host
    }

    fn has_work(&self, host: usize) -> bool {
        self.urls
            .iter()
            .any(|url| url.host == host && (url.state == State::Waiting || (url.revisit && !url.revisit_out)))
    }

    fn is_resting(&self, host: usize, now: Timestamp) -> bool {
        self.has_work(host) && !self.is_busy(host) && !self.is_full(host) && self.hosts[host].rest_until > now
    }

    pub fn counts(&self, now: Timestamp) -> Counts {
        let of = |is: &dyn Fn(&ModelUrl) -> bool| self.urls.iter().filter(|url| is(url)).count() as u64;
        Counts {
            known: self.urls.len() as u64,
            waiting: of(&|url| is_waiting(url.state)),
            leased: self.leases.len() as u64,
            hosts: self.hosts.len() as u64,
            hosts_resting: (0..self.hosts.len())
                .filter(|host| self.is_resting(*host, now))
                .count() as u64,
            parents_dropped: self.parents_dropped,
            expired: 0,
        }
    }

    fn usual_rest(&self, host: usize) -> Duration {
        let asked = self.hosts[host].crawl_delay.min(self.policy.max_delay);
        self.policy.delay.max(asked)
    }

    /// What a restart leaves of a model that was committed like this.
    pub fn restarted(&self, now: Timestamp) -> Model {
        let mut model = self.clone();
        model.leases.clear();
        model.list.clear();
        model.drawn_with.clear();
        for url in &mut model.urls {
            if matches!(url.state, State::Drawn | State::Leased) {
                url.state = State::Waiting;
            }
            url.revisit_out = false;
        }
        for number in 0..model.hosts.len() {
            let rested = now + model.usual_rest(number);
            let host = &mut model.hosts[number];
            host.busy = 0;
            host.asking_rules = false;
            host.pages_out = 0;
            host.rules_attempt = 0;
            host.rest_until = host.rest_until.max(rested);
        }
        model
    }

    fn best(&self, eligible: impl Fn(&ModelUrl) -> bool) -> Option<usize> {
        (0..self.urls.len())
            .filter(|id| eligible(&self.urls[*id]))
            .max_by(|a, b| self.priority(*a).cmp(&self.priority(*b)).then(b.cmp(a)))
    }

    fn lease_rules(&mut self, host: usize) -> (ModelLease, Out) {
        let found = &mut self.hosts[host];
        found.asking_rules = true;
        found.busy += 1;
        let url = CanonicalUrl::parse(&format!("{}/robots.txt", found.origin)).unwrap();
        let lease = ModelLease {
            kind: LeaseKind::Robots,
            url,
            parent: None,
            depth: 0,
            seed: false,
            taken: Priority::default(),
            attempt: found.rules_attempt,
            redirects: 0,
            revisit: false,
        };
        let out = Out {
            url: None,
            host,
            kind: LeaseKind::Robots,
            from_list: false,
            taken: Priority::default(),
        };
        (lease, out)
    }

    fn lease_url(&mut self, id: usize, revisit: bool, from_list: bool) -> (ModelLease, Out) {
        let mut taken = self.priority(id);
        if let Some(score) = self.drawn_with.remove(&id) {
            taken.rank.score = score;
        }
        let parent = self.urls[id].parent.map(|parent| self.urls[parent].key);
        let url = &mut self.urls[id];
        if revisit {
            url.revisit_out = true;
        } else {
            url.state = State::Leased;
        }
        let kind = if url.sitemap {
            LeaseKind::Sitemap
        } else {
            LeaseKind::Page
        };
        let host = &mut self.hosts[url.host];
        host.busy += 1;
        host.pages_out += u32::from(kind == LeaseKind::Page);
        let lease = ModelLease {
            kind,
            url: url.url.clone(),
            parent,
            depth: url.depth,
            seed: url.seed,
            taken,
            attempt: url.attempt,
            redirects: url.redirects,
            revisit,
        };
        let out = Out {
            url: Some(id),
            host: url.host,
            kind,
            from_list,
            taken,
        };
        (lease, out)
    }

    fn needs_rules(&self, host: usize, now: Timestamp) -> bool {
        self.policy.robots && self.hosts[host].rules_until <= now
    }

    /// Leases like the frontier, under the numbers the frontier gave (in order), as far as it gave any.
    pub fn take(&mut self, n: usize, ids: &[LeaseId], now: Timestamp) -> ModelNext {
        let mut leases = Vec::new();
        let mut ids = ids.iter();
        let mut keep = |model: &mut Model, (lease, out): (ModelLease, Out)| {
            // A lease the frontier did not give is a difference that comparing the answers will show.
            if let Some(id) = ids.next() {
                model.leases.insert(*id, out);
            }
            leases.push(lease);
            leases.len()
        };
        if n == 0 {
            return ModelNext::Fetch(Vec::new());
        }
        let mut given = 0;
        let mut wake = Timestamp::NEVER;
        for id in std::mem::take(&mut self.list) {
            let host = self.urls[id].host;
            let revisit = self.urls[id].state == State::Fetched;
            if self.is_full(host) || self.is_left_alone(host, now) {
                self.drawn_with.remove(&id);
                if revisit {
                    self.urls[id].revisit_out = false;
                } else {
                    self.urls[id].state = State::Waiting;
                }
            } else if given == n || self.is_busy(host) {
                self.list.push(id);
            } else if self.hosts[host].rest_until > now {
                wake = wake.min(self.hosts[host].rest_until);
                self.list.push(id);
            } else if self.needs_rules(host, now) {
                let lease = self.lease_rules(host);
                given = keep(self, lease);
                self.list.push(id);
            } else {
                let lease = self.lease_url(id, revisit, true);
                given = keep(self, lease);
            }
        }
        let list_out = self.leases.values().any(|out| out.from_list);
        if given > 0 {
            return ModelNext::Fetch(leases);
        } else if !self.list.is_empty() && wake < Timestamp::NEVER {
            return ModelNext::WaitUntil(wake);
        } else if !self.list.is_empty() || list_out {
            return ModelNext::Blocked;
        }
        while given < n {
            let may_be_asked: Vec<usize> = (0..self.hosts.len())
                .filter(|host| {
                    self.has_work(*host)
                        && !self.is_busy(*host)
                        && !self.is_full(*host)
                        && self.hosts[*host].rest_until <= now
                })
                .collect();
            let is_due = |url: &ModelUrl| url.revisit && !url.revisit_out;
            let revisiting = may_be_asked
                .iter()
                .find(|host| self.urls.iter().any(|url| url.host == **host && is_due(url)));
            let best = self.best(|url| url.state == State::Waiting && may_be_asked.contains(&url.host));
            let lease = if let Some(host) = revisiting.copied() {
                if self.needs_rules(host, now) {
                    self.lease_rules(host)
                } else {
                    let richest = (0..self.urls.len())
                        .filter(|id| self.urls[*id].host == host && is_due(&self.urls[*id]))
                        .max_by(|a, b| {
                            let score = |id: usize| self.urls[id].rank.score;
                            score(*a).cmp(&score(*b)).then(b.cmp(a))
                        })
                        .unwrap();
                    self.lease_url(richest, true, false)
                }
            } else if let Some(best) = best {
                if self.needs_rules(self.urls[best].host, now) {
                    self.lease_rules(self.urls[best].host)
                } else {
                    self.lease_url(best, false, false)
                }
            } else {
                break;
            };
            given = keep(self, lease);
        }
        let wake = (0..self.hosts.len())
            .filter(|host| self.is_resting(*host, now))
            .map(|host| self.hosts[host].rest_until)
            .min();
        if given > 0 {
            ModelNext::Fetch(leases)
        } else if let Some(wake) = wake {
            ModelNext::WaitUntil(wake)
        } else if !self.leases.is_empty() {
            ModelNext::Blocked
        } else {
            ModelNext::Done
        }
    }

    fn is_left_alone(&self, host: usize, now: Timestamp) -> bool {
        let short = self.usual_rest(host).max(self.policy.backoff.saturating_mul(2));
        self.hosts[host].rest_until > now + short
    }

    pub fn draw(&mut self, n: usize, now: Timestamp) -> usize {
        if !self.list.is_empty() || self.leases.values().any(|out| out.from_list) {
            return 0;
        }
        let score = |model: &Model, id: usize| model.urls[id].rank.score;
        for host in 0..self.hosts.len() {
            let is_open = !self.is_full(host) && !self.is_left_alone(host, now);
            let mut due: Vec<usize> = (0..self.urls.len())
                .filter(|id| is_open && self.urls[*id].host == host)
                .filter(|id| self.urls[*id].revisit && !self.urls[*id].revisit_out)
                .collect();
            due.sort_by(|a, b| score(self, *b).cmp(&score(self, *a)).then(a.cmp(b)));
            for id in due {
                self.urls[id].revisit_out = true;
                self.list.push(id);
                self.drawn_with.insert(id, score(self, id));
            }
        }
        let most = self.list.len() + n;
        while self.list.len() < most
            && let Some(best) = self.best(|url| {
                let is_open = !self.is_full(url.host) && !self.is_left_alone(url.host, now);
                url.state == State::Waiting && is_open
            })
        {
            self.urls[best].state = State::Drawn;
            self.list.push(best);
            self.drawn_with.insert(best, score(self, best));
        }
        self.list.len()
    }

    fn take_in(&mut self, id: LeaseId) -> Out {
        let out = self.leases.remove(&id).unwrap();
        let host = &mut self.hosts[out.host];
        host.busy -= 1;
        match out.kind {
            LeaseKind::Robots => host.asking_rules = false,
            LeaseKind::Page => host.pages_out -= 1,
            LeaseKind::Sitemap => {}
        }
        out
    }

    pub fn hand_back(&mut self, id: LeaseId, until: Timestamp) {
        let out = self.take_in(id);
        let host = &mut self.hosts[out.host];
        host.rest_until = host.rest_until.max(until);
        let Some(url) = out.url else { return };
        if self.urls[url].revisit_out {
            self.urls[url].revisit_out = false;
        } else if out.from_list {
            self.urls[url].state = State::Drawn;
            let before = |a: usize, b: usize| (self.priority(a), b) > (self.priority(b), a);
            let worse = self.list.iter().position(|drawn| before(url, *drawn));
            self.list.insert(worse.unwrap_or(self.list.len()), url);
            self.drawn_with.insert(url, out.taken.rank.score);
        } else {
            self.urls[url].state = State::Waiting;
        }
    }

    pub fn seed(&mut self, seeds: &[Offer]) {
        for seed in seeds {
            let keep = Offer {
                merge: Merge::Keep,
                ..seed.clone()
            };
            self.offer(
                &keep,
                &Source {
                    parent: None,
                    depth: 0,
                    reason: Reason::Seed,
                    sitemap: false,
                    seed: true,
                },
            );
            let id = self.find(seed.key).unwrap();
            self.urls[id].seed = true;
        }
    }

    fn add(&mut self, offer: &Offer, source: &Source) -> usize {
        let origin = offer.url.origin();
        let host = self.hosts.iter().position(|host| host.origin == origin);
        let host = host.unwrap_or_else(|| {
            self.hosts.push(ModelHost {
                origin: origin.to_owned(),
                busy: 0,
                asking_rules: false,
                rest_until: Timestamp::ZERO,
                failures: 0,
                rules_attempt: 0,
                crawl_delay: Duration::ZERO,
                rules_until: Timestamp::ZERO,
                pages: 0,
                pages_out: 0,
            });
            self.hosts.len() - 1
        });
        self.urls.push(ModelUrl {
            url: offer.url.clone(),
            key: offer.key,
            host,
            parent: source.parent,
            depth: source.depth,
            rank: offer.rank,
            age: self.urls.len() as u32,
            state: State::Waiting,
            relevance: 0.0,
            seed: source.seed,
            sitemap: source.sitemap,
            reason: source.reason,
            attempt: 0,
            redirects: 0,
            revisit: false,
            revisit_out: false,
            parents: Vec::new(),
            children: Vec::new(),
            moved: None,
        });
        self.urls.len() - 1
    }

    fn bring_back(&mut self, id: usize, rank: Rank, age: u32) {
        let url = &mut self.urls[id];
        url.rank = rank;
        url.age = age;
        url.attempt = 0;
        url.state = State::Waiting;
    }

    fn offer(&mut self, offer: &Offer, source: &Source) {
        match self.find_moved(offer.key) {
            None => {
                self.add(offer, source);
            }
            Some(id) if self.urls[id].state == State::Forgotten => {
                self.bring_back(id, offer.rank, self.urls.len() as u32);
            }
            Some(id) => self.merge(id, offer.rank, offer.merge),
        }
    }

    fn merge(&mut self, id: usize, rank: Rank, merge: Merge) {
        let url = &mut self.urls[id];
        match merge {
            Merge::Keep => {}
            Merge::Replace if is_waiting(url.state) => url.rank = rank,
            Merge::Max if is_waiting(url.state) => url.rank = url.rank.max(rank),
            Merge::Replace | Merge::Max => {}
            Merge::Add if url.state == State::Forgotten => {}
            Merge::Add => url.rank.score = Score::new(url.rank.score.get() + rank.score.get()),
        }
    }

    fn first_children(&self, page: usize) -> Vec<usize> {
        (0..self.urls.len())
            .filter(|id| self.urls[*id].parent == Some(page))
            .collect()
    }

    fn apply(&mut self, update: &Update, source: &Source) {
        match update {
            Update::Offer(offer) => self.offer(offer, source),
            Update::RaiseSiblings {
                of,
                parents,
                rank,
                merge,
            } => {
                let Some(id) = self.find(*of) else { return };
                let all = *parents == Parents::All && self.policy.all_parents;
                let pages: Vec<usize> = if all {
                    self.urls[id].parents.clone()
                } else {
                    self.urls[id].parent.into_iter().collect()
                };
                for page in pages {
                    if *merge == Merge::Max {
                        if self.raised.get(&(page, all)).is_some_and(|had| had >= rank) {
                            continue;
                        }
                        self.raised.insert((page, all), *rank);
                    }
                    let children = if all {
                        self.urls[page].children.clone()
                    } else {
                        self.first_children(page)
                    };
                    for child in children {
                        if child != id && is_waiting(self.urls[child].state) {
                            self.merge(child, *rank, *merge);
                        }
                    }
                }
            }
            Update::Rescore { url, rank } => {
                if let Some(id) = self.find(*url) {
                    self.merge(id, *rank, Merge::Replace);
                }
            }
            Update::RetieSiblings { of } => {
                let Some(page) = self.find(*of).and_then(|id| self.urls[id].parent) else {
                    return;
                };
                let children = self.first_children(page);
                let is_visited = |id: &&usize| matches!(self.urls[**id].state, State::Fetched | State::Gone);
                let visited = children.iter().filter(is_visited).count() as u32;
                for child in children {
                    if is_waiting(self.urls[child].state) {
                        self.urls[child].rank.tie = visited;
                    }
                }
            }
            Update::Forget { url } => {
                if let Some(id) = self.find(*url)
                    && is_waiting(self.urls[id].state)
                {
                    self.list.retain(|drawn| *drawn != id);
                    self.drawn_with.remove(&id);
                    self.urls[id].state = State::Forgotten;
                }
            }
            Update::RevisitRichest => {
                let richest = (0..self.urls.len())
                    .filter(|id| {
                        let url = &self.urls[*id];
                        url.state == State::Fetched && !url.revisit && url.rank.score > Score::ZERO
                    })
                    .max_by(|a, b| {
                        let score = |id: usize| self.urls[id].rank.score;
                        score(*a).cmp(&score(*b)).then(b.cmp(a))
                    });
                if let Some(id) = richest {
                    self.urls[id].revisit = true;
                }
            }
        }
    }

    fn add_parent(&mut self, child: usize, page: usize) {
        if self.urls[child].parents.len() < usize::from(self.policy.max_parents) {
            self.urls[child].parents.push(page);
        } else {
            self.parents_dropped += 1;
        }
    }

    fn keep_children(&mut self, page: usize, links: &[UrlKey]) {
        for link in links {
            if let Some(child) = self.find_moved(*link)
                && child != page
                && !self.urls[page].children.contains(&child)
            {
                self.urls[page].children.push(child);
                self.add_parent(child, page);
            }
        }
    }

    fn redirect(&mut self, from: usize, taken: Priority, offer: &Offer) {
        let source = self.urls[from].clone();
        let target = match self.find_moved(offer.key) {
            Some(known) => {
                if self.urls[known].state == State::Forgotten {
                    self.urls[known].redirects = source.redirects + 1;
                    self.bring_back(known, taken.rank, taken.age);
                } else {
                    self.merge(known, taken.rank, offer.merge);
                }
                self.urls[known].seed |= source.seed;
                known
            }
            None => {
                let new = self.add(
                    offer,
                    &Source {
                        parent: source.parent,
                        depth: source.depth,
                        reason: Reason::Redirect,
                        sitemap: source.sitemap,
                        seed: source.seed,
                    },
                );
                self.urls[new].redirects = source.redirects + 1;
                self.urls[new].age = taken.age;
                new
            }
        };
        if target == from || self.urls[from].state != State::Gone {
            return;
        }
        self.urls[from].moved = Some(target);
        if self.policy.all_parents {
            let mut pages = source.parents;
            pages.sort_unstable();
            for page in pages {
                if page != target && !self.urls[page].children.contains(&target) {
                    self.urls[page].children.push(target);
                    self.add_parent(target, page);
                }
            }
        }
    }

    /// Ends a lease. `rests_until` is what the frontier says of the host now: the model checks it where it is exact and
    /// its bounds where it is not, and goes on with it.
    #[allow(clippy::too_many_arguments)]
    pub fn settle(
        &mut self,
        id: LeaseId,
        end: &End,
        manners: Manners,
        updates: &[Update],
        links: &[UrlKey],
        rules: Option<&HostRules>,
        sitemaps: &[Offer],
        now: Timestamp,
        rests_until: Timestamp,
    ) {
        let out = self.take_in(id);
        let host = &mut self.hosts[out.host];
        match manners {
            Manners::Asked => host.failures = 0,
            Manners::Failed => host.failures += 1,
            Manners::Later(_) | Manners::Untouched => {}
        }
        let is_redirect = matches!(end, End::Redirected { .. });
        if out.kind == LeaseKind::Page && !is_redirect && manners != Manners::Untouched {
            host.pages += 1;
        }
        if out.kind == LeaseKind::Robots {
            host.rules_attempt += 1;
        }
        if let Some(rules) = rules {
            host.rules_attempt = 0;
            host.rules_until = rules.fresh_until;
            host.crawl_delay = rules.crawl_delay.unwrap_or_default();
        }
        let (failures, had) = (u32::from(host.failures), host.rest_until);
        let usual = self.usual_rest(out.host);
        let (least, most) = match manners {
            Manners::Untouched => (Duration::ZERO, Duration::ZERO),
            Manners::Asked => (usual, usual),
            Manners::Later(until) => {
                let rest = until.since(now).min(self.policy.max_retry_after).max(usual);
                (rest, rest)
            }
            Manners::Failed => {
                let rest = self.policy.backoff * 2_u32.pow(failures - 1);
                let rest = rest.min(self.policy.max_backoff).max(usual);
                (rest, rest.mul_f64(1.25))
            }
        };
        let (earliest, latest) = if manners == Manners::Untouched {
            (had, had)
        } else {
            (had.max(now + least), had.max(now + most))
        };
        assert!(
            (earliest..=latest).contains(&rests_until),
            "after {manners:?} at {now:?} the host should rest until {earliest:?} to {latest:?}, not {rests_until:?}"
        );
        self.hosts[out.host].rest_until = rests_until;

        if let Some(id) = out.url {
            let first_visit = !self.urls[id].revisit_out;
            self.urls[id].revisit_out = false;
            if *end == End::Retry {
                self.urls[id].attempt += 1;
                if first_visit {
                    self.urls[id].state = State::Waiting;
                }
            } else {
                let url = &mut self.urls[id];
                url.revisit = false;
                url.attempt = 0;
                if let End::Fetched { relevance } = end {
                    url.relevance = *relevance;
                }
                if first_visit {
                    url.state = match end {
                        End::Fetched { .. } => State::Fetched,
                        _ => State::Gone,
                    };
                }
                url.rank.score = Score::new(url.rank.score.get() - out.taken.rank.score.get());
                if let End::Redirected { to, key, merge } = end {
                    let offer = Offer {
                        url: to.clone(),
                        key: *key,
                        rank: out.taken.rank,
                        merge: *merge,
                    };
                    self.redirect(id, out.taken, &offer);
                }
            }
            let depth = self.urls[id].depth;
            let source = match out.kind {
                LeaseKind::Sitemap => Source {
                    parent: None,
                    depth: depth + 1,
                    reason: Reason::Sitemap,
                    sitemap: false,
                    seed: false,
                },
                _ => Source {
                    parent: Some(id),
                    depth: depth + 1,
                    reason: Reason::Link,
                    sitemap: false,
                    seed: false,
                },
            };
            for update in updates {
                self.apply(update, &source);
            }
            if self.policy.all_parents && out.kind == LeaseKind::Page && !links.is_empty() {
                self.keep_children(id, links);
            }
        }
        let deeper = u16::from(out.kind == LeaseKind::Sitemap);
        let depth = out.url.map_or(0, |id| self.urls[id].depth) + deeper;
        for sitemap in sitemaps {
            self.offer(
                sitemap,
                &Source {
                    parent: None,
                    depth,
                    reason: Reason::SitemapLine,
                    sitemap: true,
                    seed: false,
                },
            );
        }
    }
}
