//! A frontier that is slow but obviously right: plain lists, searched from end to end.
//!
//! It keeps no queue, no timer and no table, so nothing in it can get out of step.

use std::cmp::{Ordering, Reverse};
use std::collections::BTreeMap;
use std::time::Duration;

use scenthound_frontier::{Ask, Counts, End, HostEffect, HostPolicy, HostRules, State};
use scenthound_types::{
    AgentId, CanonicalUrl, LeaseId, LeaseKind, Merge, Offer, Parents, Priority, Rank, Reason, Score,
    Standing, Timestamp, Update, UrlKey,
};

/// When something entered: the time, and the number of pages tried so far.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Stamp {
    at: Timestamp,
    pages: u64,
}

/// One agent's wish for a URL.
#[derive(Clone, Debug)]
pub(crate) struct Wish {
    pub id: u32,
    pub agent: AgentId,
    pub parent: Option<usize>,
    pub depth: u16,
    pub rank: Rank,
    pub age: u32,
    pub seed: bool,
    pub reason: Reason,
    pub redirects: u8,
    pub evidence: Option<u64>,
    /// When it entered…
    stamp: Stamp,
    /// …whether that is too long ago, even if it was not dropped for it…
    is_over: bool,
    /// …and when it started waiting again, if it did.
    back: Option<Stamp>,
}

#[derive(Clone, Debug)]
pub(crate) struct ModelUrl {
    pub url: CanonicalUrl,
    pub key: UrlKey,
    pub host: usize,
    pub state: State,
    pub relevance: f32,
    pub sitemap: bool,
    pub attempt: u8,
    /// Due to be fetched again…
    pub revisit: bool,
    /// …and that request is in flight.
    pub revisit_out: bool,
    /// The agents that want it; the first is the one it is known by. Once it has ended: that one, and the agent that
    /// leased it if that was another.
    pub wishes: Vec<Wish>,
    /// Nothing is known of it any more. If the URL is known again, it is as another entry.
    pub dropped: bool,
    /// Pages that link here, up to the limit.
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
    pub agent: AgentId,
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
    /// `None` for robots.txt.
    url: Option<usize>,
    /// The number of the wish it was leased through.
    wish: u32,
    agent: AgentId,
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
    policy: HostPolicy,
    pub urls: Vec<ModelUrl>,
    pub hosts: Vec<ModelHost>,
    leases: BTreeMap<LeaseId, Out>,
    /// Numbers of wishes.
    list: Vec<u32>,
    drawn_with: BTreeMap<u32, Score>,
    raised: BTreeMap<(usize, bool, AgentId), Rank>,
    parents_dropped: u64,
    next_id: u32,
    has_cash: bool,
    pages: u64,
    expired: u64,
    last_stamp: Option<Stamp>,
}

struct Source {
    agent: AgentId,
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
    pub fn new(policy: HostPolicy) -> Model {
        Model {
            policy,
            urls: Vec::new(),
            hosts: Vec::new(),
            leases: BTreeMap::new(),
            list: Vec::new(),
            drawn_with: BTreeMap::new(),
            raised: BTreeMap::new(),
            parents_dropped: 0,
            next_id: 0,
            has_cash: false,
            pages: 0,
            expired: 0,
            last_stamp: None,
        }
    }

    pub fn find(&self, key: UrlKey) -> Option<usize> {
        self.urls.iter().position(|url| !url.dropped && url.key == key)
    }

    /// The URL that stands for a known one: the end of its redirects.
    fn find_moved(&self, key: UrlKey) -> Option<usize> {
        let mut id = self.find(key)?;
        for _ in 0..10 {
            match self.urls[id].moved {
                Some(to) if !self.urls[to].dropped => id = to,
                _ => break,
            }
        }
        Some(id)
    }

    fn may_enter_again(&self, id: usize) -> bool {
        let url = &self.urls[id];
        url.moved.is_some_and(|to| self.urls[to].dropped)
    }

    pub fn standing(&self, key: UrlKey) -> Standing {
        let Some(id) = self.find_moved(key).filter(|id| !self.may_enter_again(*id)) else {
            return Standing::New;
        };
        let url = &self.urls[id];
        match url.state {
            State::Waiting | State::Drawn => Standing::Waiting,
            State::Leased => Standing::Leased,
            State::Fetched => Standing::Fetched {
                relevance: url.relevance,
            },
            State::Gone => Standing::Gone,
        }
    }

    /// The position of an agent's wish among the wishes for a URL.
    fn wish_of(&self, id: usize, agent: AgentId) -> Option<usize> {
        self.urls[id].wishes.iter().position(|wish| wish.agent == agent)
    }

    /// URL and position of the wish with this number.
    fn wish(&self, number: u32) -> Option<(usize, usize)> {
        let there = |(id, url): (usize, &ModelUrl)| {
            let at = url.wishes.iter().position(|wish| wish.id == number)?;
            (!url.dropped).then_some((id, at))
        };
        self.urls.iter().enumerate().find_map(there)
    }

    /// An agent's wish for a waiting URL.
    fn waiting_wish(&self, agent: AgentId, key: UrlKey) -> Option<(usize, usize)> {
        let id = self
            .find_moved(key)
            .filter(|id| is_waiting(self.urls[*id].state))?;
        Some((id, self.wish_of(id, agent)?))
    }

    pub fn waits_for(&self, agent: AgentId, key: UrlKey) -> Option<Priority> {
        let (id, at) = self.waiting_wish(agent, key)?;
        Some(self.priority(id, at))
    }

    pub fn evidence(&self, agent: AgentId, key: UrlKey) -> Option<u64> {
        let (id, at) = self.waiting_wish(agent, key)?;
        self.urls[id].wishes[at].evidence
    }

    pub fn keep_evidence(&mut self, agent: AgentId, key: UrlKey, evidence: u64) {
        if let Some((id, at)) = self.waiting_wish(agent, key) {
            self.urls[id].wishes[at].evidence = Some(evidence);
        }
    }

    pub fn waiting_of(&self, agent: AgentId) -> u64 {
        let waits = |id: &usize| is_waiting(self.urls[*id].state) && self.wish_of(*id, agent).is_some();
        self.known().filter(waits).count() as u64
    }

    pub fn known(&self) -> impl Iterator<Item = usize> {
        (0..self.urls.len()).filter(|id| !self.urls[*id].dropped)
    }

    pub fn priority(&self, id: usize, at: usize) -> Priority {
        let url = &self.urls[id];
        let wish = &url.wishes[at];
        let mut rank = wish.rank;
        if url.state == State::Fetched {
            rank.tie = 0;
        }
        Priority { rank, age: wish.age }
    }

    /// The wish that records how a URL was found.
    pub fn found_by(&self, id: usize) -> &Wish {
        let url = &self.urls[id];
        match url.state {
            State::Fetched | State::Gone if url.wishes.len() > 1 => &url.wishes[1],
            _ => &url.wishes[0],
        }
    }

    /// The parent of a wish, if it is still known.
    pub fn parent(&self, wish: &Wish) -> Option<&ModelUrl> {
        wish.parent
            .map(|parent| &self.urls[parent])
            .filter(|parent| !parent.dropped)
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

    fn is_due(&self, id: usize) -> bool {
        self.urls[id].revisit && !self.urls[id].revisit_out
    }

    fn has_work(&self, host: usize) -> bool {
        self.known()
            .filter(|id| self.urls[*id].host == host)
            .any(|id| self.urls[id].state == State::Waiting || self.is_due(id))
    }

    /// Whether a host has something for an agent.
    fn can_serve(&self, host: usize, ask: &Ask) -> bool {
        let mut here = self.known().filter(|id| self.urls[*id].host == host);
        here.any(|id| {
            let is_due = ask.agent == AgentId(0) && self.is_due(id);
            is_due || self.urls[id].state == State::Waiting && self.may_be_served(id, ask).is_some()
        })
    }

    fn may_be_served(&self, id: usize, ask: &Ask) -> Option<usize> {
        let at = self.wish_of(id, ask.agent)?;
        (self.urls[id].wishes[at].rank.class <= ask.highest_class).then_some(at)
    }

    fn is_resting(&self, host: usize, now: Timestamp) -> bool {
        self.has_work(host) && !self.is_busy(host) && !self.is_full(host) && self.hosts[host].rest_until > now
    }

    pub fn counts(&self, now: Timestamp) -> Counts {
        Counts {
            known: self.known().count() as u64,
            waiting: self.known().filter(|id| is_waiting(self.urls[*id].state)).count() as u64,
            // The policies it tries have no stack for them.
            requisites: 0,
            leased: self.leases.len() as u64,
            hosts: self.hosts.len() as u64,
            hosts_resting: (0..self.hosts.len())
                .filter(|host| self.is_resting(*host, now))
                .count() as u64,
            // The policies it tries set no limit on hosts that never answered.
            hosts_parked: 0,
            parents_dropped: self.parents_dropped,
            expired: self.expired,
            on_disk: 0,
        }
    }

    fn usual_rest(&self, host: usize) -> Duration {
        let asked = self.hosts[host].crawl_delay.min(self.policy.max_delay);
        self.policy.delay.max(asked)
    }

    /// What a restart leaves of a model in this committed state.
    pub fn restarted(&self, now: Timestamp) -> Model {
        let mut model = self.clone();
        model.leases.clear();
        // What was in flight stands at the head of the list.
        let in_flight: Vec<(u32, Score)> = self
            .leases
            .values()
            .filter(|out| out.from_list)
            .map(|out| (out.wish, out.taken.rank.score))
            .collect();
        let left = self.list.iter().map(|wish| (*wish, self.drawn_with[wish]));
        let drawn: Vec<(u32, Score)> = in_flight.into_iter().chain(left).collect();
        model.list = drawn.iter().map(|(wish, _)| *wish).collect();
        model.drawn_with = drawn.into_iter().collect();
        model.has_cash = false;
        model.pages = 0;
        // Whatever waits on opening counts as entered at that moment.
        let stamp = Stamp { at: now, pages: 0 };
        model.last_stamp = Some(stamp);
        for wish in model.urls.iter_mut().flat_map(|url| &mut url.wishes) {
            wish.stamp = stamp;
            wish.is_over = false;
            wish.back = None;
        }
        for url in &mut model.urls {
            if matches!(url.state, State::Drawn | State::Leased) {
                url.state = State::Waiting;
            }
            url.revisit_out = false;
        }
        for wish in model.list.clone() {
            let Some((id, _)) = model.wish(wish) else { continue };
            let url = &mut model.urls[id];
            match url.state {
                State::Fetched => url.revisit_out = true,
                _ => url.state = State::Drawn,
            }
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

    /// The best of an agent's wishes for eligible URLs.
    fn best(&self, ask: &Ask, eligible: impl Fn(&ModelUrl) -> bool) -> Option<(usize, usize)> {
        self.known()
            .filter(|id| eligible(&self.urls[*id]))
            .filter_map(|id| Some((id, self.may_be_served(id, ask)?)))
            .max_by(|(a, one), (b, other)| {
                let (left, right) = (&self.urls[*a].wishes[*one], &self.urls[*b].wishes[*other]);
                let order = self.priority(*a, *one).cmp(&self.priority(*b, *other));
                order.then(right.id.cmp(&left.id))
            })
    }

    fn lease_rules(&mut self, host: usize, agent: AgentId) -> (ModelLease, Out) {
        let found = &mut self.hosts[host];
        found.asking_rules = true;
        found.busy += 1;
        let url = CanonicalUrl::parse(&format!("{}/robots.txt", found.origin)).unwrap();
        let lease = ModelLease {
            agent,
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
            wish: 0,
            agent,
            host,
            kind: LeaseKind::Robots,
            from_list: false,
            taken: Priority::default(),
        };
        (lease, out)
    }

    fn lease_url(
        &mut self,
        (id, at): (usize, usize),
        agent: AgentId,
        revisit: bool,
        from_list: bool,
    ) -> (ModelLease, Out) {
        let mut taken = self.priority(id, at);
        let wish = &self.urls[id].wishes[at];
        let number = wish.id;
        let found = if revisit { self.found_by(id) } else { wish }.clone();
        let parent = self.parent(&found).map(|parent| parent.key);
        if let Some(score) = self.drawn_with.remove(&number) {
            taken.rank.score = score;
        }
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
            agent,
            kind,
            url: url.url.clone(),
            parent,
            depth: found.depth,
            seed: found.seed,
            taken,
            attempt: url.attempt,
            redirects: found.redirects,
            revisit,
        };
        let out = Out {
            url: Some(id),
            wish: number,
            agent,
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

    /// Leases as the frontier does, under the numbers the frontier gave (in order), as far as it gave any.
    pub fn take(&mut self, ask: &Ask, ids: &[LeaseId], now: Timestamp) -> ModelNext {
        let (agent, n) = (ask.agent, ask.most);
        let mut leases = Vec::new();
        let mut ids = ids.iter();
        let mut keep = |model: &mut Model, (lease, out): (ModelLease, Out)| {
            // A lease the frontier did not give is a difference that shows when the answers are compared.
            if let Some(id) = ids.next() {
                model.leases.insert(*id, out);
            }
            leases.push(lease);
            leases.len()
        };
        self.expire(now);
        if n == 0 {
            return ModelNext::Fetch(Vec::new());
        }
        let mut given = 0;
        let mut wake = Timestamp::NEVER;
        let list = if agent == AgentId(0) {
            std::mem::take(&mut self.list)
        } else {
            Vec::new()
        };
        for number in list {
            let (id, at) = self.wish(number).unwrap();
            let host = self.urls[id].host;
            let revisit = self.urls[id].state == State::Fetched;
            if self.is_full(host) || self.is_left_alone(host, now) {
                self.drawn_with.remove(&number);
                if revisit {
                    self.urls[id].revisit_out = false;
                } else {
                    self.line_up(id, now);
                }
            } else if given == n || self.is_busy(host) {
                self.list.push(number);
            } else if self.hosts[host].rest_until > now {
                wake = wake.min(self.hosts[host].rest_until);
                self.list.push(number);
            } else if self.needs_rules(host, now) {
                let lease = self.lease_rules(host, agent);
                given = keep(self, lease);
                self.list.push(number);
            } else {
                let lease = self.lease_url((id, at), agent, revisit, true);
                given = keep(self, lease);
            }
        }
        let list_out = self.leases.values().any(|out| out.from_list);
        if given > 0 {
            return ModelNext::Fetch(leases);
        } else if agent == AgentId(0) {
            if !self.list.is_empty() && wake < Timestamp::NEVER {
                return ModelNext::WaitUntil(wake);
            } else if !self.list.is_empty() || list_out {
                return ModelNext::Blocked;
            }
        }
        while given < n {
            let may_be_asked: Vec<usize> = (0..self.hosts.len())
                .filter(|host| {
                    self.can_serve(*host, ask)
                        && !self.is_busy(*host)
                        && !self.is_full(*host)
                        && self.hosts[*host].rest_until <= now
                })
                .collect();
            let due: Vec<usize> = self.known().filter(|id| self.is_due(*id)).collect();
            let revisiting = may_be_asked
                .iter()
                .find(|host| agent == AgentId(0) && due.iter().any(|id| self.urls[*id].host == **host));
            let best = self.best(ask, |url| {
                url.state == State::Waiting && may_be_asked.contains(&url.host)
            });
            let lease = if let Some(host) = revisiting.copied() {
                if self.needs_rules(host, now) {
                    self.lease_rules(host, agent)
                } else {
                    let richest = due
                        .into_iter()
                        .filter(|id| self.urls[*id].host == host)
                        .max_by(|a, b| self.by_cash(*a, *b))
                        .unwrap();
                    self.lease_url((richest, 0), agent, true, false)
                }
            } else if let Some(best) = best {
                if self.needs_rules(self.urls[best.0].host, now) {
                    self.lease_rules(self.urls[best.0].host, agent)
                } else {
                    self.lease_url(best, agent, false, false)
                }
            } else {
                break;
            };
            given = keep(self, lease);
        }
        let wake = (0..self.hosts.len())
            .filter(|host| self.is_resting(*host, now) && self.can_serve(*host, ask))
            .map(|host| self.hosts[host].rest_until)
            .min();
        let depends = |out: &Out| {
            let wants_it = |id: usize| self.wish_of(id, agent).is_some();
            out.agent == agent || self.can_serve(out.host, ask) || out.url.is_some_and(wants_it)
        };
        if given > 0 {
            ModelNext::Fetch(leases)
        } else if let Some(wake) = wake {
            ModelNext::WaitUntil(wake)
        } else if self.leases.values().any(depends) {
            ModelNext::Blocked
        } else {
            ModelNext::Done
        }
    }

    /// The one with more cash first, then the older.
    fn by_cash(&self, a: usize, b: usize) -> Ordering {
        let base = |id: usize| &self.urls[id].wishes[0];
        let order = base(a).rank.score.cmp(&base(b).rank.score);
        order.then(base(b).id.cmp(&base(a).id))
    }

    fn is_left_alone(&self, host: usize, now: Timestamp) -> bool {
        let short = self.usual_rest(host).max(self.policy.backoff.saturating_mul(2));
        self.hosts[host].rest_until > now + short
    }

    pub fn draw(&mut self, n: usize, now: Timestamp) -> usize {
        if !self.list.is_empty() || self.leases.values().any(|out| out.from_list) {
            return 0;
        }
        let ask = Ask {
            agent: AgentId(0),
            most: n,
            highest_class: u16::MAX,
        };
        let is_open = |model: &Model, host: usize| !model.is_full(host) && !model.is_left_alone(host, now);
        let put = |model: &mut Model, (id, at): (usize, usize)| {
            let wish = &model.urls[id].wishes[at];
            model.list.push(wish.id);
            model.drawn_with.insert(wish.id, wish.rank.score);
        };
        for host in 0..self.hosts.len() {
            let mut due: Vec<usize> = self
                .known()
                .filter(|id| is_open(self, host) && self.urls[*id].host == host && self.is_due(*id))
                .collect();
            due.sort_by(|a, b| self.by_cash(*b, *a));
            for id in due {
                self.urls[id].revisit_out = true;
                put(self, (id, 0));
            }
        }
        let most = self.list.len() + n;
        while self.list.len() < most
            && let Some(best) = self.best(&ask, |url| url.state == State::Waiting && is_open(self, url.host))
        {
            self.urls[best.0].state = State::Drawn;
            put(self, best);
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
            LeaseKind::Sitemap | LeaseKind::Requisite => {}
        }
        out
    }

    pub fn hand_back(&mut self, id: LeaseId, until: Timestamp, now: Timestamp) {
        let out = self.take_in(id);
        let host = &mut self.hosts[out.host];
        host.rest_until = host.rest_until.max(until);
        let Some(url) = out.url else { return };
        if !self.urls[url].revisit_out {
            self.missed_raises(url);
        }
        if self.urls[url].revisit_out {
            self.urls[url].revisit_out = false;
        } else if out.from_list {
            self.urls[url].state = State::Drawn;
            let order = |number: u32| {
                let (id, at) = self.wish(number).unwrap();
                (self.priority(id, at), Reverse(number))
            };
            let worse = self.list.iter().position(|drawn| order(out.wish) > order(*drawn));
            self.list.insert(worse.unwrap_or(self.list.len()), out.wish);
            self.drawn_with.insert(out.wish, out.taken.rank.score);
        } else {
            self.line_up(url, now);
        }
    }

    /// Puts a URL back in its queue. If it expired while it was not waiting, its time starts again.
    fn line_up(&mut self, id: usize, now: Timestamp) {
        let stamp = Stamp {
            at: now,
            pages: self.pages,
        };
        let url = &mut self.urls[id];
        url.state = State::Waiting;
        for wish in url.wishes.iter_mut().filter(|wish| wish.is_over) {
            wish.back = Some(stamp);
        }
    }

    fn is_over(&self, stamp: Stamp, now: Timestamp) -> bool {
        let (time, pages) = (self.policy.expire_after, self.policy.expire_after_pages);
        time.is_some_and(|limit| now.since(stamp.at) > limit)
            || pages.is_some_and(|limit| self.pages - stamp.pages > limit)
    }

    /// The stamp for something that enters now: the last one, unless that is more than a small part of the limit ago.
    fn entered(&mut self, now: Timestamp) -> Stamp {
        let is_old = |last: Stamp| {
            let (time, pages) = (self.policy.expire_after, self.policy.expire_after_pages);
            time.is_some_and(|limit| now.since(last.at) > limit / 64)
                || pages.is_some_and(|limit| self.pages - last.pages > limit / 64)
        };
        let new = Stamp {
            at: now,
            pages: self.pages,
        };
        let stamp = self.last_stamp.filter(|last| !is_old(*last)).unwrap_or(new);
        self.last_stamp = Some(stamp);
        stamp
    }

    fn may_go(&self, id: usize, at: usize) -> bool {
        self.urls[id].state == State::Waiting && !self.urls[id].wishes[at].seed
    }

    /// Numbers of all wishes for known URLs.
    fn all_wishes(&self) -> Vec<(usize, usize, u32)> {
        let of = |id: usize| {
            let wishes = self.urls[id].wishes.iter().enumerate();
            wishes.map(move |(at, wish)| (id, at, wish.id))
        };
        self.known().flat_map(of).collect()
    }

    fn expire(&mut self, now: Timestamp) {
        if self.last_stamp.is_some_and(|last| self.is_over(last, now)) {
            self.last_stamp = None;
        }
        let mut over = Vec::new();
        for (id, at, number) in self.all_wishes() {
            let wish = &self.urls[id].wishes[at];
            let (stamp, since) = (wish.stamp, wish.back.unwrap_or(wish.stamp));
            if self.is_over(since, now) && self.may_go(id, at) {
                over.push(number);
            }
            let is_over = self.is_over(stamp, now);
            self.urls[id].wishes[at].is_over |= is_over;
        }
        self.drop_wishes(&over);
    }

    fn keep_within_bounds(&mut self, now: Timestamp) {
        self.expire(now);
        let Some(most) = self.policy.max_waiting else {
            return;
        };
        let mut queued = self.all_wishes();
        queued.retain(|(id, at, _)| self.may_go(*id, *at));
        let waiting = queued.len() as u64;
        if waiting <= most + most / 10 {
            return;
        }
        queued.sort_by_key(|(id, at, number)| (self.priority(*id, *at), Reverse(*number)));
        queued.truncate((waiting - most) as usize);
        let worst: Vec<u32> = queued.into_iter().map(|(.., number)| number).collect();
        self.drop_wishes(&worst);
    }

    fn drop_wishes(&mut self, numbers: &[u32]) {
        for number in numbers {
            let (id, at) = self.wish(*number).unwrap();
            self.drop_wish(id, at);
            self.expired += 1;
        }
    }

    /// Drops one agent's wish. The URL is then known by the next one, as another entry.
    fn drop_wish(&mut self, id: usize, at: usize) {
        let wish = self.urls[id].wishes.remove(at);
        self.list.retain(|drawn| *drawn != wish.id);
        self.drawn_with.remove(&wish.id);
        if at > 0 {
            return;
        }
        let mut heir = self.urls[id].clone();
        self.urls[id].dropped = true;
        if !heir.wishes.is_empty() {
            heir.parents.clear();
            self.urls.push(heir);
        }
    }

    pub fn seed(&mut self, agent: AgentId, seeds: &[Offer], now: Timestamp) {
        for seed in seeds {
            let keep = Offer {
                merge: Merge::Keep,
                ..seed.clone()
            };
            self.offer(
                &keep,
                &Source {
                    agent,
                    parent: None,
                    depth: 0,
                    reason: Reason::Seed,
                    sitemap: false,
                    seed: true,
                },
                now,
            );
            let id = self.find(seed.key).unwrap();
            let met = self.gathers_on(id, agent);
            self.urls[id].wishes[met].seed = true;
        }
        self.keep_within_bounds(now);
    }

    /// The wish that an agent's offer of a known URL affects.
    fn gathers_on(&self, id: usize, agent: AgentId) -> usize {
        match self.urls[id].state {
            State::Fetched | State::Gone => 0,
            _ => self.wish_of(id, agent).unwrap_or(0),
        }
    }

    /// A page's children are no longer all raised as far as the page says.
    fn forget_raises(&mut self, page: usize) {
        self.raised.retain(|(raised, ..), _| *raised != page);
    }

    /// A URL waits again, and has not been raised meanwhile.
    fn missed_raises(&mut self, id: usize) {
        let url = &self.urls[id];
        let found_on = url.wishes.iter().filter_map(|wish| wish.parent);
        for page in found_on.chain(url.parents.iter().copied()).collect::<Vec<_>>() {
            self.forget_raises(page);
        }
    }

    fn new_wish(&mut self, offer: &Offer, source: &Source, now: Timestamp) -> Wish {
        if let Some(page) = source.parent {
            self.forget_raises(page);
        }
        let id = self.next_id;
        self.next_id += 1;
        Wish {
            id,
            agent: source.agent,
            parent: source.parent,
            depth: source.depth,
            rank: offer.rank,
            age: id,
            seed: source.seed,
            reason: source.reason,
            redirects: 0,
            evidence: None,
            stamp: self.entered(now),
            is_over: false,
            back: None,
        }
    }

    fn add(&mut self, offer: &Offer, source: &Source, now: Timestamp) -> usize {
        let wish = self.new_wish(offer, source, now);
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
            state: State::Waiting,
            relevance: 0.0,
            sitemap: source.sitemap,
            attempt: 0,
            revisit: false,
            revisit_out: false,
            wishes: vec![wish],
            dropped: false,
            parents: Vec::new(),
            children: Vec::new(),
            moved: None,
        });
        self.urls.len() - 1
    }

    fn bring_back(&mut self, id: usize, rank: Rank, age: u32, agent: AgentId, now: Timestamp) {
        let stamp = Stamp {
            at: now,
            pages: self.pages,
        };
        let url = &mut self.urls[id];
        url.attempt = 0;
        url.state = State::Waiting;
        url.moved = None;
        url.wishes.truncate(1);
        let wish = &mut url.wishes[0];
        wish.agent = agent;
        wish.rank = rank;
        wish.age = age;
        wish.back = Some(stamp);
        self.missed_raises(id);
    }

    fn offer(&mut self, offer: &Offer, source: &Source, now: Timestamp) {
        match self.find_moved(offer.key) {
            None => {
                self.add(offer, source, now);
            }
            Some(id) if self.may_enter_again(id) => {
                self.bring_back(id, offer.rank, self.next_id, source.agent, now);
            }
            Some(id) if self.wish_of(id, source.agent).is_none() && is_waiting(self.urls[id].state) => {
                let wish = self.new_wish(offer, source, now);
                self.urls[id].wishes.push(wish);
            }
            Some(id) => self.merge(id, self.gathers_on(id, source.agent), offer.rank, offer.merge),
        }
    }

    fn merge(&mut self, id: usize, at: usize, rank: Rank, merge: Merge) {
        let url = &mut self.urls[id];
        let had = &mut url.wishes[at].rank;
        match merge {
            Merge::Keep => {}
            Merge::Replace if is_waiting(url.state) => *had = rank,
            Merge::Max if is_waiting(url.state) => *had = (*had).max(rank),
            Merge::Replace | Merge::Max => {}
            Merge::Add => had.score = Score::new(had.score.get() + rank.score.get()),
        }
    }

    /// Wishes for URLs that an agent first found on this page.
    fn first_children(&self, page: usize) -> Vec<(usize, usize)> {
        let all = self.all_wishes().into_iter();
        all.filter(|(id, at, _)| self.urls[*id].wishes[*at].parent == Some(page))
            .map(|(id, at, _)| (id, at))
            .collect()
    }

    fn own_parent(&self, id: usize, agent: AgentId) -> Option<usize> {
        let own = self.wish_of(id, agent).unwrap_or(0);
        self.urls[id].wishes[own].parent
    }

    fn apply(&mut self, update: &Update, source: &Source, now: Timestamp) {
        let agent = source.agent;
        match update {
            Update::Offer(offer) => self.offer(offer, source, now),
            Update::Raise { of, rank, merge } => {
                if let Some(id) = self.find_moved(*of)
                    && let Some(at) = self.wish_of(id, agent)
                    && is_waiting(self.urls[id].state)
                {
                    let tie = self.urls[id].wishes[at].rank.tie;
                    self.merge(id, at, Rank { tie, ..*rank }, *merge);
                }
            }
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
                    self.own_parent(id, agent).into_iter().collect()
                };
                for page in pages {
                    if *merge == Merge::Max {
                        let had = self.raised.get(&(page, all, agent));
                        if had.is_some_and(|had| had >= rank) {
                            continue;
                        }
                        self.raised.insert((page, all, agent), *rank);
                    }
                    let children = if all {
                        let children = self.urls[page].children.iter().copied();
                        children
                            .filter_map(|child| Some((child, self.wish_of(child, agent)?)))
                            .collect()
                    } else {
                        self.first_children(page)
                    };
                    for (child, at) in children {
                        let url = &self.urls[child];
                        let is_own = !url.dropped && url.wishes[at].agent == agent;
                        if child != id && is_own && is_waiting(url.state) {
                            let tie = url.wishes[at].rank.tie;
                            self.merge(child, at, Rank { tie, ..*rank }, *merge);
                        }
                    }
                }
            }
            Update::RetieSiblings { of } => {
                let Some(page) = self.find(*of).and_then(|id| self.own_parent(id, agent)) else {
                    return;
                };
                let children = self.first_children(page);
                let is_visited =
                    |(id, _): &&(usize, usize)| matches!(self.urls[*id].state, State::Fetched | State::Gone);
                let visited = children.iter().filter(is_visited).count() as u32;
                for (child, at) in children {
                    if is_waiting(self.urls[child].state) && self.urls[child].wishes[at].agent == agent {
                        self.urls[child].wishes[at].rank.tie = visited;
                    }
                }
            }
            // The model keeps no evidence.
            Update::Note { .. } => {}
            Update::RevisitRichest => {
                let richest = self
                    .known()
                    .filter(|id| {
                        let url = &self.urls[*id];
                        let has_cash = url.wishes[0].rank.score > Score::ZERO;
                        url.state == State::Fetched && !url.revisit && has_cash
                    })
                    .max_by(|a, b| self.by_cash(*a, *b));
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
                self.forget_raises(page);
                self.add_parent(child, page);
            }
        }
    }

    fn redirect(&mut self, from: usize, found: &Wish, out: &Out, offer: &Offer, now: Timestamp) {
        let (taken, agent) = (out.taken, out.agent);
        let source = Source {
            agent,
            parent: found.parent,
            depth: found.depth,
            reason: Reason::Redirect,
            sitemap: self.urls[from].sitemap,
            seed: found.seed,
        };
        let redirects = found.redirects + 1;
        let target = match self.find_moved(offer.key) {
            Some(known) if self.may_enter_again(known) => {
                self.urls[known].wishes[0].redirects = redirects;
                self.bring_back(known, taken.rank, taken.age, agent, now);
                self.urls[known].wishes[0].seed |= found.seed;
                known
            }
            Some(known) if self.wish_of(known, agent).is_none() && is_waiting(self.urls[known].state) => {
                let mut wish = self.new_wish(offer, &source, now);
                wish.redirects = redirects;
                wish.age = taken.age;
                self.urls[known].wishes.push(wish);
                known
            }
            Some(known) => {
                let met = self.gathers_on(known, agent);
                self.merge(known, met, taken.rank, offer.merge);
                self.urls[known].wishes[met].seed |= found.seed;
                known
            }
            None => {
                let new = self.add(offer, &source, now);
                self.urls[new].wishes[0].redirects = redirects;
                self.urls[new].wishes[0].age = taken.age;
                new
            }
        };
        if target == from || self.urls[from].state != State::Gone {
            return;
        }
        self.urls[from].moved = Some(target);
        if self.policy.all_parents {
            let mut pages = self.urls[from].parents.clone();
            pages.sort_unstable();
            for page in pages {
                if page != target && !self.urls[page].children.contains(&target) {
                    self.urls[page].children.push(target);
                    self.forget_raises(page);
                    self.add_parent(target, page);
                }
            }
        }
    }

    /// Ends a lease. `rests_until` is what the frontier now says about the host. The model checks it exactly where it
    /// can and within bounds where it cannot, then adopts it.
    #[allow(clippy::too_many_arguments)]
    pub fn settle(
        &mut self,
        id: LeaseId,
        end: &End,
        host_effect: HostEffect,
        updates: &[Update],
        links: &[UrlKey],
        rules: Option<&HostRules>,
        sitemaps: &[Offer],
        now: Timestamp,
        rests_until: Timestamp,
    ) {
        let out = self.take_in(id);
        let gives = |update: &Update| matches!(update, Update::Offer(offer) if offer.merge == Merge::Add);
        self.has_cash |= updates.iter().any(gives);
        let host = &mut self.hosts[out.host];
        match host_effect {
            HostEffect::Asked | HostEffect::Costly(_) => host.failures = 0,
            HostEffect::Failed => host.failures += 1,
            HostEffect::Later(_) | HostEffect::Untouched => {}
        }
        let is_redirect = matches!(end, End::Redirected { .. });
        if out.kind == LeaseKind::Page && !is_redirect && host_effect != HostEffect::Untouched {
            host.pages += 1;
            self.pages += 1;
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
        let (least, most) = match host_effect {
            HostEffect::Untouched => (Duration::ZERO, Duration::ZERO),
            HostEffect::Asked => (usual, usual),
            HostEffect::Costly(rest) => {
                let rest = rest.min(self.policy.max_backoff).max(usual);
                (rest, rest)
            }
            HostEffect::Later(until) => {
                let rest = until.since(now).min(self.policy.max_retry_after).max(usual);
                (rest, rest)
            }
            HostEffect::Failed => {
                let rest = self.policy.backoff * 2_u32.pow(failures - 1);
                let rest = rest.min(self.policy.max_backoff).max(usual);
                (rest, rest.mul_f64(1.25))
            }
        };
        let (earliest, latest) = if host_effect == HostEffect::Untouched {
            (had, had)
        } else {
            (had.max(now + least), had.max(now + most))
        };
        assert!(
            (earliest..=latest).contains(&rests_until),
            "after {host_effect:?} at {now:?} the host should rest until {earliest:?} to {latest:?}, not {rests_until:?}"
        );
        self.hosts[out.host].rest_until = rests_until;

        let mut depth = 0;
        if let Some(id) = out.url {
            let first_visit = !self.urls[id].revisit_out;
            let at = self.urls[id].wishes.iter().position(|wish| wish.id == out.wish);
            let at = at.unwrap();
            depth = if first_visit {
                self.urls[id].wishes[at].depth
            } else {
                self.found_by(id).depth
            };
            self.urls[id].revisit_out = false;
            if *end == End::Retry {
                self.urls[id].attempt += 1;
                if first_visit {
                    self.missed_raises(id);
                    self.line_up(id, now);
                }
            } else {
                self.end(id, at, &out, end, first_visit, now);
            }
            let source = match out.kind {
                LeaseKind::Sitemap => Source {
                    agent: out.agent,
                    parent: None,
                    depth: depth + 1,
                    reason: Reason::Sitemap,
                    sitemap: false,
                    seed: false,
                },
                _ => Source {
                    agent: out.agent,
                    parent: Some(id),
                    depth: depth + 1,
                    reason: Reason::Link,
                    sitemap: false,
                    seed: false,
                },
            };
            for update in updates {
                self.apply(update, &source, now);
            }
            if self.policy.all_parents && out.kind == LeaseKind::Page && !links.is_empty() {
                self.keep_children(id, links);
            }
        }
        let deeper = u16::from(out.kind == LeaseKind::Sitemap);
        for sitemap in sitemaps {
            self.offer(
                sitemap,
                &Source {
                    agent: out.agent,
                    parent: None,
                    depth: depth + deeper,
                    reason: Reason::SitemapLine,
                    sitemap: true,
                    seed: false,
                },
                now,
            );
        }
        self.keep_within_bounds(now);
    }

    /// Gives a URL its final state, and ends all wishes for it.
    fn end(&mut self, id: usize, at: usize, out: &Out, end: &End, first_visit: bool, now: Timestamp) {
        let has_cash = self.has_cash;
        let found = if first_visit {
            self.urls[id].wishes[at].clone()
        } else {
            self.found_by(id).clone()
        };
        let url = &mut self.urls[id];
        url.revisit = false;
        url.attempt = 0;
        if let End::Fetched { relevance } = end {
            url.relevance = *relevance;
        }
        let had = &mut url.wishes[at].rank;
        had.score = Score::new(had.score.get() - out.taken.rank.score.get());
        if first_visit {
            url.state = match end {
                End::Fetched { .. } => State::Fetched,
                _ => State::Gone,
            };
            if at > 0 && !has_cash {
                url.wishes[0].rank.score = Score::ZERO;
            }
            for other in 1..url.wishes.len() {
                if has_cash {
                    let left = std::mem::take(&mut url.wishes[other].rank.score).get();
                    let had = &mut url.wishes[0].rank.score;
                    *had = Score::new(had.get() + left);
                }
            }
            let base = url.wishes[0].id;
            url.wishes.retain(|wish| wish.id == out.wish || wish.id == base);
            for wish in &mut url.wishes {
                wish.evidence = None;
            }
        }
        if let End::Redirected { to, key, merge } = end {
            let offer = Offer {
                url: to.clone(),
                key: *key,
                rank: out.taken.rank,
                merge: *merge,
            };
            self.redirect(id, &found, out, &offer, now);
        }
    }
}
