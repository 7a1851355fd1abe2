//! The options shared by all crawls in the lab.

use std::time::Duration;

use scenthound_engine::SeedAssignment;
use scenthound_lab::{Conditions, LabBudget};

/// The clock and the limits of a lab crawl, as options.
#[derive(Clone, Debug, clap::Args)]
pub struct ConditionArgs {
    /// Stop after N pages that count, or after this share of the reachable pages (30%).
    #[arg(long, value_name = "N|SHARE%")]
    budget: Option<LabBudget>,
    /// Virtual time between two requests to the same host.
    #[arg(long, value_name = "TIME", default_value = "0s", value_parser = read_time)]
    delay: Duration,
    /// Number of requests in flight at a time.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    workers: u32,
    /// Virtual time that each response takes.
    #[arg(long, value_name = "TIME", default_value = "0s", value_parser = read_time)]
    latency: Duration,
    /// Take the N best links at once and visit them all before taking more [default: the strategy's own].
    #[arg(long, value_name = "N")]
    list_size: Option<u32>,
    /// Follow at most N links in a row from a seed.
    #[arg(long, value_name = "N")]
    depth: Option<u16>,
    /// Follow at most N links in a row into a host, from the page where the crawl entered it.
    #[arg(long, value_name = "N")]
    site_depth: Option<u16>,
    /// Follow at most N links per page.
    #[arg(long, value_name = "N")]
    width: Option<u32>,
    /// Fetch at most N pages per host.
    #[arg(long, value_name = "N")]
    max_pages_per_host: Option<u32>,
    /// Obey nofollow on links and pages.
    #[arg(long)]
    nofollow: bool,
    /// Fetch robots.txt first, where one was recorded, and obey it.
    #[arg(long)]
    robots: bool,
    /// Number of agents, each with its own seeds, strategy and queue.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=16))]
    agents: u8,
    /// How seeds are assigned to agents.
    #[arg(long, value_name = "even|host|genre", default_value = "even", value_parser = read_assignment)]
    assign_seeds: SeedAssignment,
    /// Stop an agent after N pages that the judge calls relevant.
    #[arg(long, value_name = "N")]
    goal: Option<u64>,
    /// Number of requests that an agent may have in flight at a time.
    #[arg(long, value_name = "N")]
    agent_requests: Option<u32>,
    /// Forget links that have waited longer than this.
    #[arg(long, value_name = "TIME", value_parser = read_time)]
    expire_after: Option<Duration>,
    /// Forget links that have waited while N pages were fetched.
    #[arg(long, value_name = "N")]
    expire_after_pages: Option<u64>,
    /// Keep at most about N waiting links; the worst are forgotten.
    #[arg(long, value_name = "N")]
    max_waiting: Option<u64>,
    /// Crawl on N nodes together, each with a strategy, a judge and a part of the web of its own; the requests in flight are divided
    /// among them.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=64))]
    nodes: u16,
    /// Virtual time that what one node finds is on its way to another.
    #[arg(long, value_name = "TIME", default_value = "150ms", value_parser = read_time)]
    message_delay: Duration,
    /// Virtual time after which nodes tell each other again what their strategies and judges have learnt; 0s for never.
    #[arg(long, value_name = "TIME", default_value = "5s", value_parser = read_time)]
    share_every: Duration,
    /// Number of nodes that die on the way; the others take their parts over, but not what they have learnt.
    #[arg(long, value_name = "N", default_value_t = 0)]
    node_deaths: u16,
    /// Random seed.
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
}

impl From<ConditionArgs> for Conditions {
    fn from(args: ConditionArgs) -> Conditions {
        Conditions {
            budget: args.budget,
            page_limit: None,
            delay: args.delay,
            workers: args.workers,
            latency: args.latency,
            list_size: args.list_size,
            depth: args.depth,
            site_depth: args.site_depth,
            width: args.width,
            max_pages_per_host: args.max_pages_per_host,
            nofollow: args.nofollow,
            robots: args.robots,
            agents: args.agents,
            assign_seeds: args.assign_seeds,
            goal: args.goal,
            agent_requests: args.agent_requests,
            expire_after: args.expire_after,
            expire_after_pages: args.expire_after_pages,
            max_waiting: args.max_waiting,
            nodes: args.nodes,
            message_delay: args.message_delay,
            share_every: Some(args.share_every).filter(|every| !every.is_zero()),
            node_deaths: args.node_deaths,
            seed: args.seed,
        }
    }
}

fn read_assignment(text: &str) -> Result<SeedAssignment, String> {
    SeedAssignment::from_name(text).ok_or_else(|| {
        format!(
            "{text:?} is not a way to assign seeds; write one of {}",
            SeedAssignment::NAMES.join(", ")
        )
    })
}

pub fn read_time(text: &str) -> Result<Duration, String> {
    scenthound_config::read_time(text)
        .ok_or_else(|| format!("{text:?} is not a duration; write 500ms, 2s or 1m"))
}
