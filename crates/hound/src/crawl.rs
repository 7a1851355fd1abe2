//! `hound crawl`: the main job.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result, anyhow};
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use scenthound::{
    Crawler, CrawlerError, Ended, ExampleCounts, LiveEvent, Overview, StatusFile, StopHandle, StopReason,
    Summary, nodes_of,
};
use scenthound_config::{Faults, Given, Kind, OptionSpec, Settings, Shape, options, spelled_as_spec};

use scenthound_search::Indexing;
use scenthound_store::{CrawlFolder, CrawlView, Steering};
use scenthound_types::OutcomeCode;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::fault::bad_input;
use crate::pages_input::{none_fetched, print_notice};
use crate::progress::Progress;
use crate::terminal::Verbosity;
use crate::wording::{count, counted, harmless};
use crate::{archive_to, cluster, crawl_report, exit, genre_notes, seeds, serve};

const EXAMPLES: &str = "\
Examples:
  hound crawl \"green tea\" https://example.org/ -o tea --contact me@example.org
  hound crawl --examples good.txt -o tea   look for pages like these; no words needed
  hound crawl tea.toml -o tea --strategy otie:revision=0.5 --judge terms:threshold=0.4
  hound crawl tea.toml -o tea              run the same command again to resume the crawl
Use --help for all options; hound strategies and hound judges list their settings.";

const MORE_EXAMPLES: &str = "\
Examples:
  hound crawl tea.toml -o tea --max-pages 5000
  hound crawl \"green tea\" https://example.org/ -o tea --scope domain --contact me@example.org
  hound crawl \"green tea\" -o tea --engine searxng=http://127.0.0.1:8888 --max-pages 500
  hound crawl \"green tea\" --examples good.txt --examples https://example.org/sencha -o tea
  hound crawl tea.toml -s more-seeds.txt --strategy fs-2:ties=probe --max-time 2h
  hound crawl tea.toml -o tea                 run it again to resume where it stopped

Every option can also be set in the topic file under its long name; the command line wins.
`hound strategies` and `hound judges` list the strategies and judges with their settings.

Exit codes: 0 done, 1 failure, 4 bad settings, 11 interrupted and saved, 13 forced,
14/15/16/17 stopped by size/time/disk/memory. The first Ctrl-C saves and stops, the second forces.";

/// The option that holds the seeds given on the command line.
const SEED_URLS: &str = "seed-urls";

/// The option for example pages.
const EXAMPLE_PAGES: &str = "examples";

/// So many choices are shown in place of the name of a value.
const FEW: usize = 4;

/// The options that most crawls need, and that `-h` shows.
const COMMON: &[&str] = &[
    "seeds",
    "engine",
    "genre",
    "examples",
    "strategy",
    "judge",
    "max-pages",
    "max-time",
    "max-bytes",
    "depth",
    "max-pages-per-host",
    "scope",
    "include",
    "exclude",
    "lang",
    "delay",
    "concurrency",
    "contact",
    "allow-net",
];

/// The options that a crawl is most often resumed with.
const SHOWN_ON_RESUME: &[&str] = &[
    "max-pages",
    "max-time",
    "max-bytes",
    "delay",
    "concurrency",
    "proxy",
    "contact",
];

fn dashboard_args() -> [Arg; 2] {
    [
        Arg::new("dashboard")
            .long("dashboard")
            .value_name("ADDR")
            .value_parser(serve::parse_addr)
            .help("Show and steer the crawl in a browser at this address, such as 127.0.0.1:8500"),
        Arg::new("dashboard-token")
            .long("dashboard-token")
            .value_name("TOKEN")
            .env(serve::TOKEN)
            .hide_env_values(true)
            .requires("dashboard")
            .hide_short_help(true)
            .help("The token of the dashboard [default: random; needed for an address that other machines can reach]"),
    ]
}

pub fn command() -> Command {
    let command = Command::new("crawl")
        .about("Crawl the web for a topic; run again to resume")
        .after_help(EXAMPLES)
        .after_long_help(MORE_EXAMPLES)
        .arg(
            Arg::new("TOPIC")
                .required_unless_present(EXAMPLE_PAGES)
                .help("A topic file ending in .toml, or the words to look for; not needed with --examples"),
        )
        .arg(
            Arg::new("SEED_URL")
                .num_args(0..)
                .help("URLs to start from, in addition to those of the topic file"),
        )
        .arg(
            Arg::new("output")
                .short('o')
                .long("output")
                .value_name("DIR")
                .value_parser(value_parser!(PathBuf))
                .help("The crawl folder, created if missing [default: the topic's name]"),
        )
        .args(dashboard_args())
        .args(archive_to::args())
        .args(cluster::crawl_args())
        .arg(
            Arg::new("keys")
                .long("keys")
                .value_name("FILE")
                .value_parser(value_parser!(PathBuf))
                .hide_short_help(true)
                .help("File with the keys for search engines, one NAME = \"key\" per line; it is never copied anywhere"),
        )
        .arg(
            Arg::new("json")
                .long("json")
                .action(ArgAction::SetTrue)
                .help("Print the summary as JSON"),
        );
    flags().fold(command, |command, option| command.arg(arg(option)))
}

pub fn resume_command() -> Command {
    let command = Command::new("resume")
        .about("Go on with a crawl; its folder holds all it needs")
        .after_help(
            "Examples:
  hound resume tea                      with the settings it was started with
  hound resume tea --max-pages 10000    with a larger budget

Takes the options of hound crawl; see hound crawl --help. What would make it another crawl is refused.",
        )
        .arg(
            Arg::new("DIR")
                .required(true)
                .value_parser(value_parser!(PathBuf))
                .help("The crawl folder"),
        )
        .args(dashboard_args())
        .args(archive_to::args())
        .arg(
            Arg::new("json")
                .long("json")
                .action(ArgAction::SetTrue)
                .help("Print the summary as JSON"),
        );
    let flags = flags().filter(|option| option.section == "crawl");
    let flags = flags.map(|option| arg(option).hide(!SHOWN_ON_RESUME.contains(&option.name)));
    flags.fold(command, |command, flag| command.arg(flag))
}

/// The settings that have an option of their own. Settings of one strategy or judge follow its name instead.
fn flags() -> impl Iterator<Item = &'static OptionSpec> {
    options().filter(|option| {
        let belongs_to_a_kind = matches!(option.section, "strategy" | "judge") && option.key != "kind";
        option.name != SEED_URLS && (!belongs_to_a_kind || option.name == EXAMPLE_PAGES)
    })
}

fn heading(option: &OptionSpec) -> &'static str {
    match (option.section, option.name) {
        (_, "genre" | "engine" | "seeds" | "examples") | ("judge" | "strategy", _) => {
            "What to look for and where"
        }
        ("topic" | "terms" | "seeds", _) => "More about topic and seeds",
        (_, "width" | "sitemaps" | "list-size" | "max-waiting" | "expire-after" | "expire-after-pages") => {
            "More about links"
        }
        (_, "archive" | "requisites" | "max-requisites" | "skip-index") => "More about the archive",
        (_, "agents" | "assign-seeds" | "agent-requests" | "redistribute" | "goal") => "Agents",
        (
            _,
            "max-pages" | "least-yield" | "enough" | "max-time" | "max-bytes" | "depth" | "site-depth"
            | "max-pages-per-host" | "scope" | "include" | "exclude" | "lang",
        ) => "How far",
        (_, "delay" | "concurrency" | "contact" | "allow-net") => "How fast and how politely",
        (_, "seed") => "Repeating a crawl",
        _ => "More about requests",
    }
}

fn arg(option: &'static OptionSpec) -> Arg {
    let mut help = option.help().trim_end_matches('.').to_owned();
    if let Some(default) = option.default.filter(|_| option.kind.value_name().is_some()) {
        help.push_str(&format!(" [default: {default}]"));
    }
    let arg = Arg::new(option.name)
        .long(option.name)
        .help(help)
        .help_heading(heading(option))
        .hide_short_help(!COMMON.contains(&option.name));
    let arg = match option.short() {
        Some(letter) => arg.short(letter),
        None => arg,
    };
    match option.kind.value_name() {
        None => arg.action(ArgAction::SetTrue),
        Some(name) => arg
            .value_name(match option.kind {
                _ if matches!(option.name, "strategy" | "judge") => "NAME[:…]".to_owned(),
                Kind::Choice(names) if names.len() <= FEW => names.join("|"),
                _ => name.to_owned(),
            })
            .allow_hyphen_values(true)
            .action(if option.shape == Shape::Many {
                ArgAction::Append
            } else {
                ArgAction::Set
            }),
    }
}

/// What to write instead of an unknown option, if its name shows what was meant.
pub fn meant_by(unknown: &str) -> Option<String> {
    let name = unknown
        .trim_start_matches('-')
        .split('=')
        .next()
        .unwrap_or_default();
    match name {
        "deal" => Some("--assign-seeds".to_owned()),
        _ => spelled_as_spec(name),
    }
}

/// The options and seeds given on the command line.
fn given(matches: &ArgMatches) -> Vec<Given> {
    let mut given = Vec::new();
    // A resumed crawl takes only some of the options.
    let taken = flags().filter(|option| matches.try_contains_id(option.name).is_ok());
    for option in taken {
        if option.kind.value_name().is_none() {
            if matches.get_flag(option.name) {
                given.push(Given::new(option.name, "true"));
            }
        } else if let Some(values) = matches.get_many::<String>(option.name) {
            given.extend(values.map(|value| Given::new(option.name, value)));
        }
    }
    let seeds = matches.try_get_many::<String>("SEED_URL").ok().flatten();
    let seeds = seeds.into_iter().flatten();
    given.extend(seeds.map(|url| Given::new(SEED_URLS, url)));
    given
}

/// Checks a topic and its options. Files that they name are read from disk.
pub fn check_settings(topic: &str, given: &[Given]) -> Result<std::result::Result<Settings, Faults>> {
    Ok(scenthound::check_settings(topic, given)?)
}

/// Prepares a crawl with these settings in a folder. Bad settings are reported and give the exit code to end with.
pub fn crawler(settings: Settings, folder: &Path) -> Result<std::result::Result<Crawler, ExitCode>> {
    match Crawler::with_settings(settings, folder) {
        Ok(crawler) => {
            for change in crawler.changes() {
                note!("note: {change}");
            }
            Ok(Ok(crawler))
        }
        Err(
            error @ (CrawlerError::Build(_)
            | CrawlerError::OtherCrawl { .. }
            | CrawlerError::ProxyPassword { .. }
            | CrawlerError::NodeFolder { .. }
            | CrawlerError::NoSeeds),
        ) => {
            complain!("hound: {error}");
            Ok(Err(ExitCode::from(exit::BAD_SETTINGS)))
        }
        Err(CrawlerError::Examples(error)) => Err(error.into()),
        Err(error) => Err(error.into()),
    }
}

/// Reads the examples of a crawl, with warnings on stderr. None if it was interrupted.
fn read_examples(crawler: &mut Crawler, folder: &CrawlFolder) -> Result<Option<()>> {
    match crawler.read_examples(folder, &mut print_notice) {
        Ok(ExampleCounts { known: 0, new: 0 }) => Ok(Some(())),
        Ok(ExampleCounts { known, new }) => {
            if new > 0 {
                let known = match known {
                    0 => String::new(),
                    known => format!(", in addition to {known} learnt from before"),
                };
                note!("learning from {}{known}", counted(new as u64, "example page"));
            }
            Ok(Some(()))
        }
        Err(CrawlerError::Examples(error)) if error.is_interruption() => Ok(None),
        Err(CrawlerError::Examples(error)) => Err(none_fetched(error)),
        Err(error @ CrawlerError::NoExamples) => Err(bad_input(error)),
        Err(error) => Err(error.into()),
    }
}

pub fn run(matches: &ArgMatches) -> Result<ExitCode> {
    or_full_disk(run_crawl(matches))
}

/// Runs `hound resume`.
pub fn resume(matches: &ArgMatches) -> Result<ExitCode> {
    let Some(folder) = matches.get_one::<PathBuf>("DIR") else {
        return Err(bad_input(anyhow!("give the crawl folder")));
    };
    let view = CrawlView::open(folder).map_err(bad_input)?;
    let settings = view.layout().settings();
    if !settings.exists() {
        return Err(bad_input(anyhow!(
            "{} holds no crawl.toml, so nothing says how to go on; run the command that started the crawl",
            folder.display()
        )));
    }
    or_full_disk(run_with(
        matches,
        &settings.to_string_lossy(),
        given(matches),
        Some(folder),
    ))
}

fn or_full_disk(result: Result<ExitCode>) -> Result<ExitCode> {
    match result {
        // Wherever it happens: while the folder is made, the settings are written, or pages are committed.
        Err(error) if is_full_disk(&error) => {
            complain!("hound: {error:#}");
            complain!(
                "hound: free some disk space and run the same command again; the crawl resumes from its last commit"
            );
            Ok(ExitCode::from(exit::DISK))
        }
        result => result,
    }
}

fn run_crawl(matches: &ArgMatches) -> Result<ExitCode> {
    let mut topic = matches.get_one::<String>("TOPIC").map_or("", String::as_str);
    let mut given = given(matches);
    // With examples the words may be left out, and the first address is a seed.
    if matches.contains_id(EXAMPLE_PAGES) && topic.contains("://") {
        given.insert(0, Given::new(SEED_URLS, topic));
        topic = "";
    }
    run_with(matches, topic, given, matches.get_one::<PathBuf>("output"))
}

fn run_with(
    matches: &ArgMatches,
    topic: &str,
    given: Vec<Given>,
    output: Option<&PathBuf>,
) -> Result<ExitCode> {
    let settings = match check_settings(topic, &given)? {
        Ok(settings) => settings,
        Err(faults) => {
            complain!("{faults}");
            return Ok(ExitCode::from(exit::BAD_SETTINGS));
        }
    };
    let output = match output {
        Some(folder) => folder.clone(),
        None => PathBuf::from(slug(&settings.topic.name)),
    };
    let (output, node) = cluster::node_folder(matches, output)?;
    let destination = archive_to::destination(matches)?;
    // Check everything that can be wrong before asking a search engine or writing a file.
    let key_file = matches.try_get_one::<PathBuf>("keys").ok().flatten();
    let key_file = key_file.map(PathBuf::as_path);
    let (settings, kept_seeds) = if settings.seeds.engines.is_empty() {
        (settings, None)
    } else {
        let checked = scenthound::live_settings(&settings).and_then(|_| Ok(settings.judge().map(|_| ())?));
        if let Err(error) = checked {
            complain!("hound: {error}");
            return Ok(ExitCode::from(exit::BAD_SETTINGS));
        }
        seeds::settle(settings, &output, key_file)?
    };
    let warnings = settings.warnings.clone();
    let mut crawler = match crawler(settings, &output)? {
        Ok(crawler) => crawler,
        Err(code) => return Ok(code),
    };
    for warning in &warnings {
        note!("note: {warning}");
    }
    for about in genre_notes::of_crawl(crawler.settings()) {
        note!("note: {about}");
    }
    if let Some(node) = &node
        && let Some(code) = cluster::join(&mut crawler, matches, node)?
    {
        return Ok(code);
    }
    let folder = CrawlFolder::open_or_create(&output)?;
    let dashboard = matches
        .get_one::<SocketAddr>("dashboard")
        .map(|addr| serve::beside_crawl(*addr, &output, matches.get_one::<String>("dashboard-token")))
        .transpose()?;
    if let Some(kept) = &kept_seeds {
        kept.save(&folder)?;
    }
    let stop = crawler.stop_handle();
    listen_for_signals(stop.clone())?;
    match read_examples(&mut crawler, &folder) {
        Ok(Some(())) => {}
        Ok(None) => {
            complain!("hound: interrupted before the examples were read; run the same command again");
            return Ok(ExitCode::from(exit::INTERRUPTED));
        }
        Err(error) => {
            folder.abandon();
            return Err(error);
        }
    }
    note_pause(&folder);
    let indexing = start_indexing(&crawler, &output);
    archive_to::set_size(&mut crawler, matches);
    let copies = destination
        .map(|destination| archive_to::start(destination, &output))
        .transpose()?;
    let summary = crawl(crawler, &folder)?;
    drop(folder);
    let report = match crawl_report::write(&output, &ending(&summary)) {
        Ok(report) => Some(report),
        Err(error) => {
            complain!("warning: the report could not be written: {error:#}");
            None
        }
    };
    let code = print_summary(&summary, &output, matches.get_flag("json"), report.as_ref())?;
    // Whoever interrupts a crawl does not want to wait. The next search, or the next run, adds what is missing.
    if let Some(indexing) = indexing.filter(|_| summary.ended != Ended::Interrupted)
        && let Err(error) = indexing.finish()
    {
        complain!("warning: the pages could not be indexed, hound search tries again: {error}");
    }
    if let Some(copies) = copies {
        copies.finish(summary.ended == Ended::Interrupted);
    }
    if let Some(dashboard) = dashboard {
        serve::linger(dashboard, &stop);
    }
    Ok(code)
}

/// Begins to index the pages for searching, unless the user does not want it. A crawl does not fail because of its index.
pub fn start_indexing(crawler: &Crawler, folder: &Path) -> Option<Indexing> {
    if crawler.settings().crawl.skip_index {
        return None;
    }
    let began = std::time::Instant::now();
    Indexing::start(folder, move || began.elapsed())
        .map_err(|error| complain!("warning: the pages are not indexed while crawling: {error}"))
        .ok()
}

/// Says if the crawl begins with a pause that somebody asked for.
fn note_pause(folder: &CrawlFolder) {
    let actions = CrawlView::open(folder.layout().root()).and_then(|view| view.steering_actions());
    if Steering::of(&actions.unwrap_or_default()).is_paused {
        note!("note: the crawl is paused; to go on, press Resume in the dashboard (hound serve)");
    }
}

fn is_full_disk(error: &anyhow::Error) -> bool {
    let kinds = error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<std::io::Error>());
    kinds.map(|cause| cause.kind()).any(|kind| {
        matches!(
            kind,
            std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded
        )
    })
}

/// Runs a crawl in an open folder, with progress on stderr.
pub fn crawl(crawler: Crawler, folder: &CrawlFolder) -> Result<Summary> {
    let wanted = crawler.settings().crawl.agents;
    if crawler.agents() < usize::from(wanted) {
        note!(
            "note: the seeds are enough for {} of {wanted} agents; give more seeds, or assign them evenly",
            crawler.agents()
        );
    }
    let mut is_ranking = false;
    let mut progress = Progress::new(folder.layout().clone(), &crawler.settings().crawl);
    let result = crawler.drive_in(folder, &mut |event| match event {
        LiveEvent::Progress(snapshot) => progress.show(snapshot),
        LiveEvent::Settled(record) if Verbosity::get() == Verbosity::Verbose => {
            let relevance = record.relevance.map_or(String::new(), |relevance| format!(" {relevance:.3}"));
            note!("{} {}{relevance} {}", record.kind.name(), record.outcome, harmless(&record.url));
        }
        LiveEvent::Settled(_) => {}
        LiveEvent::Ranking { pages } => {
            is_ranking = true;
            progress.pause();
            note!("Ranking {} again by what was learnt…", counted(pages, "page"));
        }
        LiveEvent::Rejudged(ranked) => {
            is_ranking = false;
            note!("{} judged again; the crawl goes on", counted(ranked.judged, "page"));
        }
        LiveEvent::NotRanked { pages } => {
            progress.pause();
            note!(
                "note: the first of {} were judged before much was learnt; to rank them all again: hound rejudge {} --learn",
                counted(pages, "page"),
                folder.layout().root().display()
            );
        }
    });
    let ended = match &result {
        Ok(summary) => ending(summary),
        Err(error) => format!("failed: {error}"),
    };
    progress.end(&ended);
    let summary = result?;
    if is_ranking && summary.ranked.is_none() {
        note!("note: stopped before the pages were ranked again; run the same command again to do it");
    }
    if let Some(ranked) = &summary.ranked
        && let Err(error) = StatusFile::update_rejudged(folder.layout(), ranked)
    {
        complain!("warning: {error}");
    }
    Ok(summary)
}

/// Set once the crawl has ended and only its dashboard goes on.
pub static IS_OVER: AtomicBool = AtomicBool::new(false);

/// The first signal saves and stops, the second stops immediately.
pub fn listen_for_signals(stop: StopHandle) -> Result<()> {
    let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP]).context("could not listen for signals")?;
    std::thread::spawn(move || {
        for _ in signals.forever() {
            if IS_OVER.load(Ordering::Relaxed) {
                stop.stop();
                continue;
            }
            if stop.is_stopping() {
                complain!("\nhound: stopped immediately; the crawl resumes from its last commit");
                std::process::exit(exit::FORCED.into());
            }
            stop.stop();
            complain!("\nhound: saving and stopping; press Ctrl-C again to stop immediately");
        }
    });
    Ok(())
}

pub fn ending(summary: &Summary) -> String {
    match summary.ended {
        Ended::Done(StopReason::Exhausted) if summary.counts.waiting > 0 => {
            "what waits may not be fetched: its hosts are blocked or have had --max-pages-per-host".to_owned()
        }
        Ended::Done(reason) => crate::wording::stop_reason(reason),
        Ended::Interrupted => "interrupted and saved".to_owned(),
        Ended::Disk => "the disk is nearly full".to_owned(),
        Ended::Memory => "more memory is needed than --max-memory allows".to_owned(),
    }
}

fn print_summary(
    summary: &Summary,
    output: &Path,
    as_json: bool,
    overview: Option<&Overview>,
) -> Result<ExitCode> {
    let tally = &summary.tally;
    let folder = output.display();
    let is_node = CrawlView::open(output).is_ok_and(|view| !nodes_of(&view).is_empty());
    let had_no_share = is_node && tally.pages == 0;
    if as_json {
        say!(
            "{}",
            serde_json::json!({
                "folder": output, "ended": ending(summary), "pages": tally.pages, "bodies": tally.bodies,
                "relevant": tally.relevant, "harvest_rate": tally.harvest_rate(), "bytes": tally.bytes,
                "outcomes": tally.outcomes, "known": summary.counts.known, "waiting": summary.counts.waiting,
                "hosts": summary.counts.hosts, "running_ms": summary.running.as_millis() as u64,
            })
        );
    } else {
        say!(
            "{}, {} relevant ({:.1} %), {} known, {} waiting; {}.",
            counted(tally.pages, "page"),
            count(tally.relevant),
            100.0 * tally.harvest_rate(),
            counted(summary.counts.known, "URL"),
            count(summary.counts.waiting),
            ending(summary)
        );
        let reasons = overview.map(crawl_report::explain).unwrap_or_default();
        if had_no_share {
            say!("No part of the web came to this node; what the others have read is in their folders.");
        } else if tally.bodies == 0 {
            say!("No page was read. Outcomes of the requests:");
            for (code, count) in &tally.outcomes {
                say!("  {count:>6}  {code}");
            }
            if tally.outcomes.contains_key(OutcomeCode::RefusedAddress.as_str()) {
                say!("Private addresses are refused; allow a network with --allow-net, such as 127.0.0.0/8.");
            }
            for line in reasons {
                say!("{line}");
            }
            say!("To see what happened to a URL: hound explain {folder} URL");
        } else {
            for line in reasons {
                say!("{line}");
            }
            say!("Saved in {folder}. To see the best pages: hound results {folder} --why");
            if overview.is_some() {
                say!("A report for your browser: {folder}/reports/report.html");
            }
        }
    }
    if summary.cut > 0 {
        note!(
            "note: {} bytes that an earlier run had written and not committed were cut from the records and set aside in \
             {folder} (files with cut-at in their names)",
            summary.cut
        );
    }
    let code = match summary.ended {
        Ended::Done(reason) => {
            if let Some(option) = met_already(summary, reason) {
                note!("note: this limit was already reached before the run; raise {option} to continue");
                return Ok(ExitCode::SUCCESS);
            }
            match reason {
                // One node of several may have had nothing to do. A crawl that read no page at all has failed.
                _ if tally.bodies == 0 && !had_no_share => exit::FAILURE,
                StopReason::Bytes => exit::SIZE,
                StopReason::Time => exit::TIME,
                StopReason::Exhausted
                | StopReason::OnlyRestingHosts
                | StopReason::Goals
                | StopReason::Shares
                | StopReason::Pages
                | StopReason::Yield { .. }
                | StopReason::Found { .. } => 0,
            }
        }
        Ended::Interrupted => exit::INTERRUPTED,
        Ended::Disk => exit::DISK,
        Ended::Memory => exit::MEMORY,
    };
    Ok(ExitCode::from(code))
}

/// The option to raise, if this run did nothing because earlier runs had reached a limit.
fn met_already(summary: &Summary, reason: StopReason) -> Option<&'static str> {
    if summary.pages_this_run > 0 {
        return None;
    }
    match reason {
        StopReason::Pages | StopReason::Shares => Some("--max-pages"),
        StopReason::Time => Some("--max-time"),
        StopReason::Bytes => Some("--max-bytes"),
        StopReason::Goals => Some("--goal"),
        StopReason::Exhausted
        | StopReason::OnlyRestingHosts
        | StopReason::Yield { .. }
        | StopReason::Found { .. } => None,
    }
}

/// Turns a topic's name into a folder name.
fn slug(name: &str) -> String {
    let mut slug = String::new();
    for word in name
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
    {
        if !slug.is_empty() {
            slug.push('-');
        }
        slug.push_str(&word.to_lowercase());
    }
    if slug.is_empty() { "crawl".to_owned() } else { slug }
}
