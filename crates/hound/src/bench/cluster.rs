//! What a cluster costs beside one machine: `hound bench --cluster`.
//!
//! Two crawls of the same web in turn: one machine with its own store, and several nodes over a Redis server of their own on
//! loopback. The order of the two changes from round to round, so that a machine that grows busier weighs on both. Judging all
//! pages again at the end, which only one machine does, is left out.
//!
//! At the end of each round two nodes crawl the web slowly, and one of them is killed: how long until the other has all shards?

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Child;
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use scenthound::Console;
use scenthound_testweb::RedisServer;
use serde::Serialize;

use super::collection::mean_ratio;
use super::{Args, Server, Spent, finish_part, run_part, start_part};
use crate::table::{Align, Table};

/// How often nodes are looked at while one takes over from another.
const LOOK_EVERY: Duration = Duration::from_millis(20);
/// Pages that are fetched before a node is killed.
const BEFORE_DEATH: u64 = 100;
/// How long a death or what leads to it may take, beyond the lease.
const PATIENCE: Duration = Duration::from_secs(120);

/// What a Redis server says of itself.
#[derive(Clone, Debug, Default)]
struct Said(BTreeMap<String, String>);

impl Said {
    fn of(server: &RedisServer) -> Result<Said> {
        let text = server
            .cli(&["INFO", "all"])
            .context("could not ask the Redis server")?;
        let fields = text.lines().filter_map(|line| line.trim().split_once(':'));
        Ok(Said(
            fields
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .collect(),
        ))
    }

    fn number(&self, name: &str) -> f64 {
        self.0
            .get(name)
            .and_then(|value| value.parse().ok())
            .unwrap_or_default()
    }

    /// How often a command was called: `cmdstat_eval:calls=12,usec=…`.
    fn calls(&self, command: &str) -> f64 {
        let stat = self.0.get(&format!("cmdstat_{command}"));
        stat.and_then(|stat| {
            stat.split(',')
                .find_map(|part| part.strip_prefix("calls=")?.parse().ok())
        })
        .unwrap_or_default()
    }

    fn cpu_seconds(&self) -> f64 {
        self.number("used_cpu_user") + self.number("used_cpu_sys")
    }
}

/// What a crawl cost its Redis server.
#[derive(Clone, Copy, Debug, Serialize)]
struct RedisCost {
    cpu_ms_per_page: f64,
    /// Without lessons.
    bytes_per_known_url: f64,
    /// What nodes told each other of what they learnt. Redis keeps the last few hundred lessons, however long the crawl.
    lesson_bytes: f64,
    /// Scripts, each of them one round trip.
    scripts_per_page: f64,
    /// Commands, those inside scripts included.
    commands_per_page: f64,
}

impl RedisCost {
    fn between(before: &Said, after: &Said, lesson_bytes: f64, spent: &Spent) -> RedisCost {
        let pages = spent.pages.max(1) as f64;
        let grown = |name: &str| after.number(name) - before.number(name);
        RedisCost {
            cpu_ms_per_page: 1e3 * (after.cpu_seconds() - before.cpu_seconds()) / pages,
            bytes_per_known_url: (grown("used_memory_dataset") - lesson_bytes) / spent.known.max(1) as f64,
            lesson_bytes,
            scripts_per_page: (after.calls("eval") - before.calls("eval")) / pages,
            commands_per_page: grown("total_commands_processed") / pages,
        }
    }
}

/// Both crawls of one round, and a death.
struct Pair {
    alone: Spent,
    together: Spent,
    redis: RedisCost,
    take_over_seconds: f64,
}

impl Pair {
    fn ratio(&self) -> f64 {
        self.together.cpu_per_thousand() / self.alone.cpu_per_thousand()
    }
}

fn redis() -> Result<RedisServer> {
    RedisServer::start(&[])
        .context("could not start redis-server")?
        .context(
            "redis-server is not on the PATH; install it (apt install redis-server) to measure a cluster",
        )
}

/// The size of all lessons that Redis keeps, in a stream of their own.
fn lesson_bytes(redis: &RedisServer) -> Result<f64> {
    let size = redis
        .cli(&["MEMORY", "USAGE", "scenthound:lessons", "SAMPLES", "0"])
        .context("could not ask the Redis server")?;
    // There are none if nothing was learnt.
    Ok(size.trim().parse().unwrap_or_default())
}

fn node_name(number: u8) -> String {
    format!("n{number}")
}

fn start_node(
    server: &Server,
    scratch: &Path,
    redis: &RedisServer,
    number: u8,
    more: &[&str],
) -> Result<Child> {
    let name = node_name(number);
    let address = redis.address();
    let arguments = [&["--redis", &address, "--node", &name], more].concat();
    start_part("crawl", server, &scratch.join(&name), &arguments)
}

/// A crawl of several nodes, added up.
fn crawl_together(nodes: u8, server: &Server, scratch: &Path) -> Result<(Spent, RedisCost)> {
    let redis = redis()?;
    let before = Said::of(&redis)?;
    let running: Vec<Child> = (0..nodes)
        .map(|number| start_node(server, scratch, &redis, number, &[]))
        .collect::<Result<_>>()?;
    let mut all: Option<Spent> = None;
    for process in running {
        let spent = finish_part("crawl", process)?;
        all = Some(match all {
            None => spent,
            Some(all) => Spent {
                pages: all.pages + spent.pages,
                known: all.known + spent.known,
                seconds: all.seconds.max(spent.seconds),
                cpu_seconds: all.cpu_seconds + spent.cpu_seconds,
                peak_bytes: all.peak_bytes + spent.peak_bytes,
                base_bytes: all.base_bytes + spent.base_bytes,
                ..all
            },
        });
    }
    let spent = all.context("a cluster has at least one node")?;
    let after = Said::of(&redis)?;
    let cost = RedisCost::between(&before, &after, lesson_bytes(&redis)?, &spent);
    Ok((spent, cost))
}

/// Ends a node however the measurement ends.
struct Running(Child);

impl Running {
    fn kill(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.kill();
    }
}

/// How long it takes until a node has the shards of another that was killed.
fn take_over(lease: u64, server: &Server, scratch: &Path) -> Result<f64> {
    let redis = redis()?;
    // Slowly: neither node may be done before the death.
    let slow = ["--delay", "1s"];
    let mut nodes = Vec::new();
    for number in 0..2 {
        nodes.push(Running(start_node(server, scratch, &redis, number, &slow)?));
    }
    let [_survivor, victim] = nodes.as_mut_slice() else {
        bail!("there are two nodes");
    };
    let mut console = None;
    let started = Instant::now();
    let shards = |facts: Option<&scenthound::NodeFacts>| facts.map_or(0, |facts| facts.shards);
    let total = u64::from(scenthound::SHARDS);
    let mut killed: Option<Instant> = None;
    loop {
        if started.elapsed() > PATIENCE + Duration::from_secs(lease) {
            bail!("no node took over from another within {:?}", started.elapsed());
        }
        sleep(LOOK_EVERY);
        if console.is_none() {
            console = Console::connect(&redis.address()).ok();
        }
        let Some(overview) = console.as_ref().and_then(|console| console.overview().ok()) else {
            continue;
        };
        if overview.done.is_some() {
            bail!("the web is too small: the crawl ended before a node could be killed; give more --pages");
        }
        let survivor = shards(overview.nodes.get(&node_name(0)));
        match killed {
            Some(killed) if survivor == total => return Ok(killed.elapsed().as_secs_f64()),
            Some(_) => {}
            None => {
                let pages: u64 = overview.nodes.values().map(|facts| facts.pages).sum();
                if pages >= BEFORE_DEATH.min(server.pages as u64 / 4)
                    && survivor + shards(overview.nodes.get(&node_name(1))) == total
                    && survivor < total
                {
                    victim.kill();
                    killed = Some(Instant::now());
                }
            }
        }
    }
}

/// Runs all rounds and prints what they cost.
pub fn measure(args: &Args, server: &Server, scratch: &Path) -> Result<()> {
    drop(redis()?);
    let alone = |round: usize| -> Result<Spent> {
        let folder = scratch.join(format!("alone-{round}"));
        let spent = run_part("crawl", server, &folder)?;
        // Many rounds would fill a disk.
        std::fs::remove_dir_all(&folder)?;
        note!(
            "round {round}, one machine: {:.3} CPU s per 1,000 pages",
            spent.cpu_per_thousand()
        );
        Ok(spent)
    };
    let together = |round: usize| -> Result<(Spent, RedisCost)> {
        let folder = scratch.join(format!("together-{round}"));
        let (spent, cost) = crawl_together(args.nodes, server, &folder)?;
        std::fs::remove_dir_all(&folder)?;
        note!(
            "round {round}, cluster of {}: {:.3} CPU s per 1,000 pages",
            args.nodes,
            spent.cpu_per_thousand()
        );
        Ok((spent, cost))
    };
    let mut pairs = Vec::new();
    for round in 1..=args.rounds.max(1) {
        let (alone, (together, redis)) = if round % 2 == 1 {
            let alone = alone(round)?;
            (alone, together(round)?)
        } else {
            let together = together(round)?;
            (alone(round)?, together)
        };
        let folder = scratch.join(format!("death-{round}"));
        let take_over_seconds = take_over(args.lease, server, &folder)?;
        std::fs::remove_dir_all(&folder)?;
        note!("round {round}: a node took over from another in {take_over_seconds:.1} s");
        pairs.push(Pair {
            alone,
            together,
            redis,
            take_over_seconds,
        });
    }
    print(args, &pairs)
}

/// The mean of a figure over all rounds, with the error if there is one.
fn mean(pairs: &[Pair], of: impl Fn(&Pair) -> f64, digits: usize) -> String {
    // A geometric mean has no room for nothing at all.
    let figures: Vec<f64> = pairs.iter().map(|pair| of(pair).max(f64::MIN_POSITIVE)).collect();
    let (mean, within) = mean_ratio(&figures);
    match within {
        Some(within) => format!("{mean:.digits$} ± {within:.digits$}"),
        None => format!("{mean:.digits$}"),
    }
}

fn print(args: &Args, pairs: &[Pair]) -> Result<()> {
    let ratios: Vec<f64> = pairs.iter().map(Pair::ratio).collect();
    let (ratio, within) = mean_ratio(&ratios);
    if args.json {
        let rounds: Vec<_> = (pairs.iter())
            .map(|pair| {
                serde_json::json!({
                    "one_machine": pair.alone, "cluster": pair.together, "ratio": pair.ratio(), "redis": pair.redis,
                    "take_over_seconds": pair.take_over_seconds,
                })
            })
            .collect();
        return crate::stdout::json(&serde_json::json!({
            "nodes": args.nodes, "lease_seconds": args.lease, "rounds": rounds,
            "cpu_ratio": { "mean": ratio, "within": within },
        }));
    }
    let mut table = Table::new(&[
        ("", Align::Left),
        ("one machine", Align::Right),
        ("cluster", Align::Right),
    ]);
    let mut row = |name: &str, alone: String, together: String| {
        table.row(vec![name.to_owned(), alone, together], Vec::new());
    };
    let pages = |of: &dyn Fn(&Pair) -> u64| pairs.first().map_or(0, of).to_string();
    row("nodes", "1".to_owned(), args.nodes.to_string());
    row(
        "pages",
        pages(&|pair| pair.alone.pages),
        pages(&|pair| pair.together.pages),
    );
    row(
        "pages/s",
        mean(pairs, |pair| pair.alone.pages_per_second(), 0),
        mean(pairs, |pair| pair.together.pages_per_second(), 0),
    );
    row(
        "CPU of hound per page, ms",
        mean(pairs, |pair| pair.alone.cpu_per_thousand(), 3),
        mean(pairs, |pair| pair.together.cpu_per_thousand(), 3),
    );
    let mut of_redis = |name: &str, of: fn(&RedisCost) -> f64, digits: usize| {
        row(name, String::new(), mean(pairs, |pair| of(&pair.redis), digits));
    };
    of_redis("CPU of Redis per page, ms", |redis| redis.cpu_ms_per_page, 3);
    of_redis(
        "Redis memory per known URL, bytes",
        |redis| redis.bytes_per_known_url,
        0,
    );
    of_redis(
        "Redis memory for lessons, MB",
        |redis| redis.lesson_bytes / 1e6,
        1,
    );
    of_redis("scripts per page", |redis| redis.scripts_per_page, 2);
    of_redis(
        "commands per page, in scripts too",
        |redis| redis.commands_per_page,
        1,
    );
    row(
        "taking over after a death, s",
        String::new(),
        format!(
            "{} (lease {} s)",
            mean(pairs, |pair| pair.take_over_seconds, 1),
            args.lease
        ),
    );
    crate::stdout::write(|out| Ok(crate::table::show(&table, out)?))?;
    let within = within.map_or(String::new(), |within| format!(" ± {within:.3}"));
    say!("CPU of hound per page in a cluster to one machine: {ratio:.3}{within}");
    Ok(())
}
