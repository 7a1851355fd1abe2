//! `hound cluster`: a crawl on several machines, seen and steered as one.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Result, anyhow};
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use scenthound::{ClusterOverview, Console, Crawler, CrawlerError, GatherError, gather};

use crate::exit;
use crate::fault::bad_input;
use crate::wording::counted;

/// The environment variable with the address, so that a password need not be on the command line.
const ADDRESS: &str = "HOUND_CLUSTER";

fn address_arg() -> Arg {
    Arg::new("cluster")
        .long("cluster")
        .value_name("redis://HOST:PORT,…")
        .env(ADDRESS)
        .hide_env_values(true)
}

/// The options of `hound crawl`.
pub fn crawl_args() -> [Arg; 4] {
    [
        address_arg()
            .hide_short_help(true)
            .help_heading("Several machines")
            .help("Crawl together with other machines that run the same command, over this Redis cluster"),
        Arg::new("node")
            .long("node")
            .value_name("NAME")
            .requires("cluster")
            .hide_short_help(true)
            .help_heading("Several machines")
            .help("The name of this machine among them [default: its host name]"),
        Arg::new("shards")
            .long("shards")
            .value_name("N")
            .requires("cluster")
            .value_parser(value_parser!(u16).range(1..=i64::from(scenthound::MOST_SHARDS)))
            .hide_short_help(true)
            .help_heading("Several machines")
            .help("Into how many parts the first machine divides the web; several per machine [default: 64]"),
        Arg::new("lease")
            .long("lease")
            .value_name("SECONDS")
            .requires("cluster")
            .value_parser(value_parser!(u64).range(5..=3600))
            .hide_short_help(true)
            .help_heading("Several machines")
            .help("How long this machine keeps its part when it cannot be heard of [default: 20]"),
    ]
}

pub fn command() -> Command {
    let one = |name: &'static str| {
        Command::new(name).arg(
            address_arg()
                .required(true)
                .help("The Redis cluster that holds the crawl"),
        )
    };
    let json = Arg::new("json")
        .long("json")
        .action(ArgAction::SetTrue)
        .help("Print JSON");
    Command::new("cluster")
        .about("Show and steer a crawl that runs on several machines")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .after_help(
            "Examples:
  hound crawl tea.toml -o tea --cluster redis://10.0.0.1:7001,10.0.0.2:7001    the same on each machine
  hound cluster status --cluster redis://10.0.0.1:7001
  hound cluster drain crawler-3 --cluster redis://10.0.0.1:7001",
        )
        .subcommand(
            one("status")
                .about("Show the nodes, their shards and what they have done")
                .arg(json),
        )
        .subcommand(
            one("drain")
                .about("Let a node give its parts of the web to the others, to stop it without a pause")
                .arg(Arg::new("NODE").required(true).help("The node's name")),
        )
        .subcommand(one("rebalance").about("Let drained nodes take their share again"))
        .subcommand(one("stop").about("Ask all nodes to save and stop"))
        .subcommand(
            Command::new("gather")
                .about(
                    "Make one crawl folder of the nodes' folders, for results, search, export and the rest",
                )
                .after_help("Example:\n  hound cluster gather tea/node-* -o tea-all")
                .arg(
                    Arg::new("DIR")
                        .required(true)
                        .num_args(1..)
                        .value_parser(value_parser!(PathBuf))
                        .help("The folders of the nodes; they are not changed"),
                )
                .arg(
                    Arg::new("output")
                        .short('o')
                        .long("output")
                        .required(true)
                        .value_name("DIR")
                        .value_parser(value_parser!(PathBuf))
                        .help("The new folder; archives are linked where possible, not copied"),
                ),
        )
}

pub fn run(matches: &ArgMatches) -> Result<ExitCode> {
    let Some((name, matches)) = matches.subcommand() else {
        return Err(bad_input(anyhow!(
            "say what to do: status, drain, rebalance, stop or gather"
        )));
    };
    if name == "gather" {
        return gather_folders(matches);
    }
    let address = matches.get_one::<String>("cluster").map_or("", String::as_str);
    let console = Console::connect(address).map_err(bad_input)?;
    let Some(label) = console.label().map_err(bad_input)? else {
        return Err(bad_input(anyhow!(
            "this cluster holds no crawl; start one with hound crawl --cluster"
        )));
    };
    let overview = console.overview()?;
    match name {
        "status" => status(&overview, label.shards, matches.get_flag("json")),
        "drain" => {
            let node = matches.get_one::<String>("NODE").map_or("", String::as_str);
            if !overview.nodes.contains_key(node) {
                let names: Vec<&str> = overview.nodes.keys().map(String::as_str).collect();
                return Err(bad_input(anyhow!(
                    "no node named {node} is running; running are: {}",
                    if names.is_empty() {
                        "none".to_owned()
                    } else {
                        names.join(", ")
                    }
                )));
            }
            console.drain(node)?;
            say!("{node} gives its shards to the others; see hound cluster status.");
        }
        "rebalance" => {
            console.rebalance()?;
            say!("All nodes take their share.");
        }
        _ => {
            console.stop()?;
            say!(
                "Asked {} to save and stop.",
                counted(overview.nodes.len() as u64, "node")
            );
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn gather_folders(matches: &ArgMatches) -> Result<ExitCode> {
    let nodes: Vec<PathBuf> = matches.get_many("DIR").into_iter().flatten().cloned().collect();
    let Some(output) = matches.get_one::<PathBuf>("output") else {
        return Err(bad_input(anyhow!("say where to, with -o DIR")));
    };
    let gathered = match gather(&nodes, output) {
        Err(error @ (GatherError::Nothing | GatherError::NotEmpty(_) | GatherError::Store(_))) => {
            return Err(bad_input(error));
        }
        gathered => gathered?,
    };
    say!(
        "Gathered {} from {} into {}.",
        counted(gathered.records, "record"),
        counted(nodes.len() as u64, "node"),
        output.display()
    );
    if gathered.repeated > 0 {
        say!(
            "{} left out: another node fetched the page again.",
            counted(gathered.repeated, "record")
        );
    }
    Ok(ExitCode::SUCCESS)
}

fn status(overview: &ClusterOverview, shards: u16, as_json: bool) {
    let nodes = overview.nodes.values();
    let owned: u64 = nodes.clone().map(|facts| facts.shards).sum();
    let pages: u64 = nodes.clone().map(|facts| facts.pages).sum();
    let relevant: u64 = nodes.clone().map(|facts| facts.relevant).sum();
    let waiting: u64 = nodes.map(|facts| facts.waiting).sum();
    if as_json {
        let nodes: serde_json::Map<String, serde_json::Value> = overview
            .nodes
            .iter()
            .map(|(name, facts)| {
                let facts = serde_json::json!({
                    "shards": facts.shards, "pages": facts.pages, "relevant": facts.relevant, "bytes": facts.bytes,
                    "waiting": facts.waiting, "known": facts.known, "idle": facts.idle.map(|idle| idle.code()),
                    "home": facts.home, "drained": overview.drained.contains(name),
                });
                (name.clone(), facts)
            })
            .collect();
        say!(
            "{}",
            serde_json::json!({
                "shards": shards, "owned": owned, "pages": pages, "relevant": relevant, "waiting": waiting,
                "nodes": nodes, "gone": overview.gone, "stopped": overview.is_stopped,
                "done": overview.done.map(|why| why.code()),
            })
        );
        return;
    }
    say!(
        "{} running, {owned} of {shards} shards owned; {pages} pages, {relevant} relevant, {waiting} URLs waiting.",
        counted(overview.nodes.len() as u64, "node")
    );
    for (name, facts) in &overview.nodes {
        let state = match facts.idle {
            _ if overview.drained.contains(name) => "drained",
            Some(_) => "idle",
            None => "crawling",
        };
        say!(
            "  {name:<20} {:>5} shards {:>9} pages {:>9} waiting  {state}",
            facts.shards,
            facts.pages,
            facts.waiting
        );
    }
    for name in &overview.gone {
        say!("  {name:<20} says nothing any more; the others take its shards over");
    }
    if let Some(why) = overview.done {
        say!("The crawl has ended: {}.", why.code());
    } else if overview.is_stopped {
        say!("All nodes were asked to stop.");
    }
}

/// The name of this machine.
fn machine() -> String {
    let read = |path: &str| std::fs::read_to_string(path).ok();
    let name = read("/proc/sys/kernel/hostname")
        .or_else(|| read("/etc/hostname"))
        .or_else(|| std::env::var("HOSTNAME").ok());
    let name: String = name.unwrap_or_default().trim().to_owned();
    if name.is_empty() { "node".to_owned() } else { name }
}

/// The node that `hound crawl` runs as, if it is one of several, and its own folder.
pub fn node_folder(matches: &ArgMatches, output: PathBuf) -> Result<(PathBuf, Option<String>)> {
    if matches.try_contains_id("cluster").is_err() || !matches.contains_id("cluster") {
        return Ok((output, None));
    }
    let name = matches.get_one::<String>("node").cloned().unwrap_or_else(machine);
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    if name.is_empty() || !name.chars().all(is_plain) {
        return Err(bad_input(anyhow!(
            "--node {name:?}: use letters, digits, dots, hyphens and underscores"
        )));
    }
    Ok((output.join(format!("node-{name}")), Some(name)))
}

/// Makes a crawl a node of a cluster. Bad input is reported and gives the exit code to end with.
pub fn join(crawler: &mut Crawler, matches: &ArgMatches, name: &str) -> Result<Option<ExitCode>> {
    let address = matches.get_one::<String>("cluster").map_or("", String::as_str);
    let shards = matches.get_one::<u16>("shards").copied();
    let lease = matches.get_one::<u64>("lease").copied().map(Duration::from_secs);
    match crawler.join_cluster(address, name, &machine(), shards, lease) {
        Ok(()) => Ok(None),
        Err(
            error @ (CrawlerError::Cluster(_)
            | CrawlerError::OtherCluster { .. }
            | CrawlerError::NoNodeFolder { .. }),
        ) => {
            complain!("hound: {error}");
            Ok(Some(ExitCode::from(exit::BAD_SETTINGS)))
        }
        Err(error) => Err(error.into()),
    }
}
