//! Which nodes run, what they say of themselves, and what people ask of all of them.

use std::collections::BTreeMap;

use scenthound_frontier_redis::{Keyspace, Link, RedisFault, command, script_on};

use crate::frontier::Membership;

/// Why a node has nothing to do for now, or what made the whole crawl end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Idle {
    /// Nothing is left to fetch.
    Exhausted,
    /// The only hosts left rest for a long time.
    OnlyRestingHosts,
    /// The goal is met.
    Goals,
    /// The agents' shares are spent.
    Shares,
    /// The budget of pages is spent.
    Pages,
    /// The budget of bytes is spent.
    Bytes,
    /// The node's time is over.
    Time,
}

impl Idle {
    const ALL: [(Idle, &'static str); 7] = [
        (Idle::Exhausted, "exhausted"),
        (Idle::OnlyRestingHosts, "resting"),
        (Idle::Goals, "goals"),
        (Idle::Shares, "shares"),
        (Idle::Pages, "pages"),
        (Idle::Bytes, "bytes"),
        (Idle::Time, "time"),
    ];

    /// Its code.
    pub fn code(self) -> &'static str {
        let found = Idle::ALL.iter().find(|(idle, _)| *idle == self);
        found.map_or("", |(_, code)| code)
    }

    fn of_code(code: &str) -> Option<Idle> {
        Idle::ALL
            .iter()
            .find(|(_, known)| *known == code)
            .map(|(idle, _)| *idle)
    }
}

/// What a node says of itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NodeFacts {
    /// Distinguishes its runs.
    pub run: String,
    /// The machine and folder it runs in.
    pub home: String,
    /// How often it has said so.
    pub beats: u64,
    /// Shards it owns.
    pub shards: u64,
    /// Changes of any kind since it joined.
    pub activity: u64,
    /// Why it has nothing to do.
    pub idle: Option<Idle>,
    /// Page attempts over all its runs.
    pub pages: u64,
    /// Relevant pages.
    pub relevant: u64,
    /// Bytes received.
    pub bytes: u64,
    /// URLs that wait in its shards.
    pub waiting: u64,
    /// URLs known in its shards.
    pub known: u64,
}

impl NodeFacts {
    fn fields(&self) -> [(&'static str, String); 11] {
        [
            ("run", self.run.clone()),
            ("home", self.home.clone()),
            ("beats", self.beats.to_string()),
            ("shards", self.shards.to_string()),
            ("activity", self.activity.to_string()),
            ("idle", self.idle.map_or("", Idle::code).to_owned()),
            ("pages", self.pages.to_string()),
            ("relevant", self.relevant.to_string()),
            ("bytes", self.bytes.to_string()),
            ("waiting", self.waiting.to_string()),
            ("known", self.known.to_string()),
        ]
    }

    fn of_fields(fields: &BTreeMap<String, String>) -> NodeFacts {
        let text = |name: &str| fields.get(name).cloned().unwrap_or_default();
        let number = |name: &str| text(name).parse().unwrap_or_default();
        NodeFacts {
            run: text("run"),
            home: text("home"),
            beats: number("beats"),
            shards: number("shards"),
            activity: number("activity"),
            idle: Idle::of_code(&text("idle")),
            pages: number("pages"),
            relevant: number("relevant"),
            bytes: number("bytes"),
            waiting: number("waiting"),
            known: number("known"),
        }
    }
}

/// Everything that nodes and people say.
#[derive(Clone, Debug, Default)]
pub struct Overview {
    /// The nodes that run, by name.
    pub nodes: BTreeMap<String, NodeFacts>,
    /// Nodes that ran once and say nothing any more.
    pub gone: Vec<String>,
    /// Nodes that should own nothing.
    pub drained: Vec<String>,
    /// Whether all nodes should save and stop.
    pub is_stopped: bool,
    /// Why the crawl has ended.
    pub done: Option<Idle>,
}

/// Says that a node runs, unless another process does under its name.
const SAY: &str = "
local run = redis.call('HGET', KEYS[1], 'run')
if run and run ~= ARGV[1] and redis.call('HGET', KEYS[1], 'home') ~= ARGV[2] then return 0 end
if run and run ~= ARGV[1] and ARGV[4] == '0' then return 0 end
for at = 5, #ARGV, 2 do redis.call('HSET', KEYS[1], ARGV[at], ARGV[at + 1]) end
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return 1
";

/// Takes pages from the budget of all nodes.
const RESERVE: &str = "
local spent = 0
for _, pages in ipairs(redis.call('HVALS', KEYS[1])) do spent = spent + tonumber(pages) end
local grant = math.min(tonumber(ARGV[2]), tonumber(ARGV[3]) - spent)
if grant > 0 then redis.call('HINCRBY', KEYS[1], ARGV[1], grant) end
return tonumber(redis.call('HGET', KEYS[1], ARGV[1]) or '0')
";

/// The keys that nodes and people write to.
#[derive(Debug)]
pub(crate) struct Board<'a> {
    pub link: &'a Link,
    pub space: &'a Keyspace,
}

impl Board<'_> {
    fn node_key(&self, node: &str) -> String {
        self.space.key(&format!("node:{node}"))
    }

    fn control(&self) -> String {
        self.space.key("control")
    }

    /// Says that a node runs. False if another process does under its name. A node that joins replaces an earlier run in the
    /// same folder, which cannot be running any more.
    pub fn say(&self, member: &Membership, facts: &NodeFacts, is_joining: bool) -> Result<bool, RedisFault> {
        let node = &member.node;
        let mut asked = script_on(SAY, &self.node_key(node));
        asked.arg(&facts.run).arg(&facts.home);
        asked.arg(u64::try_from(member.lease.as_millis()).unwrap_or(u64::MAX));
        asked.arg(u8::from(is_joining));
        for (name, value) in facts.fields() {
            asked.arg(name).arg(value);
        }
        let is_said = self.link.query::<i64>(&asked)? == 1;
        if is_said && is_joining {
            let mut asked = command("SADD");
            asked.arg(self.space.key("nodes")).arg(node);
            self.link.query::<i64>(&asked)?;
        }
        Ok(is_said)
    }

    /// Whether a run of a node has not ended, as far as Redis knows at this moment.
    pub fn runs(&self, node: &str, run: &str) -> Result<bool, RedisFault> {
        let mut asked = command("HGET");
        asked.arg(self.node_key(node)).arg("run");
        let running: Option<String> = self.link.query(&asked)?;
        Ok(running.as_deref() == Some(run))
    }

    /// Says that a node has ended.
    pub fn leave(&self, node: &str) -> Result<(), RedisFault> {
        let mut asked = command("DEL");
        asked.arg(self.node_key(node));
        self.link.query::<i64>(&asked)?;
        let mut asked = command("SREM");
        asked.arg(self.space.key("nodes")).arg(node);
        self.link.query::<i64>(&asked).map(|_| ())
    }

    /// Reads what everybody says.
    pub fn overview(&self) -> Result<Overview, RedisFault> {
        let mut overview = Overview::default();
        let mut asked = command("SMEMBERS");
        asked.arg(self.space.key("nodes"));
        let mut names: Vec<String> = self.link.query(&asked)?;
        names.sort_unstable();
        for name in names {
            let mut asked = command("HGETALL");
            asked.arg(self.node_key(&name));
            let fields: BTreeMap<String, String> = self.link.query(&asked)?;
            if fields.is_empty() {
                overview.gone.push(name);
            } else {
                overview.nodes.insert(name, NodeFacts::of_fields(&fields));
            }
        }
        let mut asked = command("HGETALL");
        asked.arg(self.control());
        let control: BTreeMap<String, String> = self.link.query(&asked)?;
        overview.is_stopped = control.contains_key("stop");
        overview.done = control.get("done").and_then(|code| Idle::of_code(code));
        let drained = control.keys().filter_map(|name| name.strip_prefix("drain:"));
        overview.drained = drained.map(str::to_owned).collect();
        Ok(overview)
    }

    /// Asks something of all nodes.
    pub fn set(&self, name: &str, value: &str) -> Result<(), RedisFault> {
        let mut asked = command("HSET");
        asked.arg(self.control()).arg(name).arg(value);
        self.link.query::<i64>(&asked).map(|_| ())
    }

    /// Takes back what was asked.
    pub fn clear(&self, name: &str) -> Result<(), RedisFault> {
        let mut asked = command("HDEL");
        asked.arg(self.control()).arg(name);
        self.link.query::<i64>(&asked).map(|_| ())
    }

    /// Takes up to this many more pages from the budget. Returns how many the node has taken in all.
    pub fn reserve(&self, node: &str, more: u64, budget: u64) -> Result<u64, RedisFault> {
        let mut asked = script_on(RESERVE, &self.space.key("budget"));
        asked.arg(node).arg(more).arg(budget);
        self.link.query(&asked)
    }

    /// Gives back pages that the node has no use for.
    pub fn spent(&self, node: &str, pages: u64) -> Result<(), RedisFault> {
        let mut asked = command("HSET");
        asked.arg(self.space.key("budget")).arg(node).arg(pages);
        self.link.query::<i64>(&asked).map(|_| ())
    }
}
