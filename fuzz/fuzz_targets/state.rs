//! A crawl's saved state may be damaged: resuming from it, or from parts of it, never panics.
//!
//! The first byte chooses the strategy. Notes follow: a byte for the name, two for the length, then the value.
#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;
use scenthound_config::{Given, Settings, Surroundings, check};
use scenthound_engine::{Access, Crawl, Recorder, Tally, Visit};
use scenthound_frontier::{Entry, Frontier, HostPolicy, HostRecord, MemoryFrontier};
use scenthound_types::{Keyring, StateDelta, Timestamp};

const STRATEGIES: [&str; 8] = [
    "scent", "otie", "opic", "bandit", "ache", "genre", "table", "layered",
];
const NAMES: [&str; 28] = [
    "engine/tally",
    "engine/mark",
    "agents/0/counts",
    "traps/host/0000000000000001",
    "traps/domain/0000000000000001",
    "duplicates/00000000",
    "duplicates/00000001",
    "strategy/core",
    "strategy/t/0",
    "strategy/t/1",
    "strategy/l/0",
    "strategy/w/0",
    "strategy/s/0000000000000001",
    "strategy/g/0",
    "strategy/state",
    "strategy/draws",
    "strategy/group/0",
    "strategy/model",
    "strategy/visits",
    "strategy/example/00000",
    "strategy/table",
    "strategy/classes",
    "strategy/page/0",
    "strategy/counts",
    "judge/seen",
    "judge/next",
    "judge/page/0000000000000001",
    "judge/relevant/000000",
];

/// Records nothing.
struct Nowhere;

impl Recorder for Nowhere {
    type Payload = ();

    fn record(
        &mut self,
        _: &Visit<'_>,
        _: Option<()>,
    ) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        Ok(())
    }

    fn mark(&mut self) -> Result<Option<Vec<u8>>, Box<dyn std::error::Error + Send + Sync>> {
        Ok(None)
    }

    fn sync(&mut self) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        Ok(())
    }
}

fn settings(strategy: &str) -> Option<Settings> {
    let given = [
        Given::new("seed-urls", "http://a.test/"),
        Given::new("strategy", strategy),
    ];
    let read = |_: &Path| Err(std::io::ErrorKind::NotFound.into());
    let surroundings = Surroundings {
        folder: Path::new("/"),
        read: &read,
    };
    check("tea", &given, &surroundings).ok()
}

fuzz_target!(|data: &[u8]| {
    let Some((choice, notes)) = data.split_first() else {
        return;
    };
    let _ = Tally::from_bytes(notes);
    let _ = Access::from_bytes(notes);
    let _ = Entry::from_bytes(notes);
    let _ = HostRecord::from_bytes(notes);

    let mut saved = StateDelta::default();
    let mut lessons = Vec::new();
    let mut rest = notes;
    while let [name, low, high, behind @ ..] = rest {
        let name = NAMES[usize::from(*name) % NAMES.len()];
        let length = usize::from(u16::from_le_bytes([*low, *high])).min(behind.len());
        let (value, behind) = behind.split_at(length);
        if let Some(name) = name.strip_prefix("judge/") {
            lessons.push((name.to_owned(), value.to_vec()));
        }
        let under = scenthound_engine::learnt_under(scenthound_types::AgentId(0));
        match name.strip_prefix("strategy/") {
            Some(name) => saved.put(format!("{under}{name}"), value),
            None => saved.put(name, value),
        }
        rest = behind;
    }
    let Some(settings) = settings(STRATEGIES[usize::from(*choice) % STRATEGIES.len()]) else {
        return;
    };
    let Ok(judge) = settings.judge() else { return };
    if let Some(learner) = judge.learner() {
        let _ = learner.restore(&lessons);
    }
    let (Ok(agents), Ok(crawl_settings)) = (settings.agents(&settings.seeds.urls), settings.crawl_settings())
    else {
        return;
    };
    let keyring = Keyring::new(0);
    let mut frontier = MemoryFrontier::new(HostPolicy::default(), keyring);
    if frontier.commit(&saved).is_err() {
        return;
    }
    let started = Crawl::start_with(
        crawl_settings,
        frontier,
        agents,
        Nowhere,
        keyring,
        Timestamp::ZERO,
    );
    if let Ok(mut crawl) = started {
        let _ = crawl.next(4, Timestamp::from_millis(1));
    }
});
