//! `hound crawl`: the main job.

use std::io::Read;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use scenthound_config::{Faults, Given, OptionSpec, Settings, Shape, Surroundings, changes, check, options};
use scenthound_engine::StopReason;
use scenthound_fetch::Fetcher;
use scenthound_live::{Ended, LiveSettings, StopSwitch, Summary};
use scenthound_store::{CrawlFolder, CrawlView};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::dashboard::Dashboard;
use crate::progress::Progress;
use crate::{exit, pages_input, seeds};

const EXAMPLES: &str = "\
Examples:
  hound crawl tea.toml -o tea --max-pages 5000
  hound crawl \"green tea\" https://example.org/ -o tea --scope domain --contact me@example.org
  hound crawl \"green tea\" -o tea --engine searxng=http://127.0.0.1:8888 --max-pages 500
  hound crawl tea.toml -s more-seeds.txt --strategy fs-2 --max-time 2h
  hound crawl tea.toml -o tea                 again: carries on where it stopped

Exit codes: 0 done, 1 failure, 4 bad settings, 11 interrupted and saved, 13 forced,
14/15/16 stopped by size/time/disk. The first Ctrl-C saves and stops, the second forces.";

/// The option that seeds on the command line become.
const SEED_URLS: &str = "seed-urls";

pub fn command() -> Command {
    let command = Command::new("crawl")
        .about("Crawl the web for a topic; run again to resume")
        .after_help(EXAMPLES)
        .arg(
            Arg::new("TOPIC")
                .required(true)
                .help("A topic file ending in .toml, or the words to look for"),
        )
        .arg(
            Arg::new("SEED_URL")
                .num_args(0..)
                .help("URLs to start from, besides those of the topic file"),
        )
        .arg(
            Arg::new("output")
                .short('o')
                .long("output")
                .value_name("DIR")
                .value_parser(value_parser!(PathBuf))
                .help("The crawl folder, made if it is not there [default: the topic's name]"),
        )
        .arg(
            Arg::new("dashboard")
                .long("dashboard")
                .value_name("ADDR")
                .value_parser(value_parser!(SocketAddr))
                .help("Show the crawl in a browser at this address and port, such as 127.0.0.1:8500"),
        )
        .arg(
            Arg::new("keys")
                .long("keys")
                .value_name("FILE")
                .value_parser(value_parser!(PathBuf))
                .help("A file with the keys of search engines, one NAME = \"key\" a line; never copied anywhere"),
        )
        .arg(
            Arg::new("json")
                .long("json")
                .action(ArgAction::SetTrue)
                .help("Print the summary as JSON"),
        );
    options()
        .filter(|option| option.name != SEED_URLS)
        .fold(command, |command, option| command.arg(arg(option)))
}

fn arg(option: &'static OptionSpec) -> Arg {
    let mut help = option.help();
    if let Some(default) = option.default.filter(|_| option.kind.value_name().is_some()) {
        help.push_str(&format!(" [default: {default}]"));
    }
    let arg = Arg::new(option.name)
        .long(option.name)
        .help(help)
        .help_heading(match option.section {
            _ if option.name == "genre" => "What to look for, and where to start",
            "topic" | "terms" | "seeds" => "What to look for, and where to start",
            "judge" => "What counts as relevant",
            "strategy" => "Which link is followed next",
            _ => "How far, how fast and how politely",
        });
    let arg = match option.short() {
        Some(letter) => arg.short(letter),
        None => arg,
    };
    match option.kind.value_name() {
        None => arg.action(ArgAction::SetTrue),
        Some(name) => arg
            .value_name(name)
            .allow_hyphen_values(true)
            .action(if option.shape == Shape::Many {
                ArgAction::Append
            } else {
                ArgAction::Set
            }),
    }
}

/// What was given on the command line, by option.
fn given(matches: &ArgMatches) -> Vec<Given> {
    let mut given = Vec::new();
    for option in options().filter(|option| option.name != SEED_URLS) {
        if option.kind.value_name().is_none() {
            if matches.get_flag(option.name) {
                given.push(Given::new(option.name, "true"));
            }
        } else if let Some(values) = matches.get_many::<String>(option.name) {
            given.extend(values.map(|value| Given::new(option.name, value)));
        }
    }
    let seeds = matches.get_many::<String>("SEED_URL").into_iter().flatten();
    given.extend(seeds.map(|url| Given::new(SEED_URLS, url)));
    given
}

/// Checks a topic and options with files read from disk.
pub fn check_settings(topic: &str, given: &[Given]) -> Result<std::result::Result<Settings, Faults>> {
    let folder = std::env::current_dir().context("the current folder cannot be told")?;
    let read = |path: &Path| {
        if path == Path::new("-") {
            let mut bytes = Vec::new();
            std::io::stdin().read_to_end(&mut bytes)?;
            Ok(bytes)
        } else {
            std::fs::read(path)
        }
    };
    let surroundings = Surroundings {
        folder: &folder,
        read: &read,
    };
    Ok(check(topic, given, &surroundings))
}

/// The settings an earlier run left in a folder, if there was one.
pub fn earlier_settings(folder: &Path) -> Result<Option<Settings>> {
    let Ok(view) = CrawlView::open(folder) else {
        return Ok(None);
    };
    let file = view.layout().settings();
    if !file.exists() {
        return Ok(None);
    }
    let name = file.to_str().context("the folder's name is not text")?;
    match check_settings(name, &[])? {
        Ok(settings) => Ok(Some(settings)),
        Err(faults) => Err(anyhow::anyhow!(
            "the settings of the earlier run do not check out:\n{faults}"
        )),
    }
}

/// Whether a crawl with these settings may begin in a folder, or carry on there. Says so if not.
pub fn may_carry_on(output: &Path, settings: &Settings) -> Result<bool> {
    let Some(before) = earlier_settings(output)? else {
        return Ok(true);
    };
    let changed = changes(&before, settings);
    let refused: Vec<_> = changed.iter().filter(|change| !change.is_allowed()).collect();
    if !refused.is_empty() {
        note!("{} holds a crawl with other settings:", output.display());
        for change in refused {
            note!("  {change}");
        }
        return Ok(false);
    }
    for change in changed {
        note!("note: {change}");
    }
    Ok(true)
}

pub fn run(matches: &ArgMatches) -> Result<ExitCode> {
    let topic = matches.get_one::<String>("TOPIC").map_or("", String::as_str);
    let settings = match check_settings(topic, &given(matches))? {
        Ok(settings) => settings,
        Err(faults) => {
            note!("{faults}");
            return Ok(ExitCode::from(exit::BAD_SETTINGS));
        }
    };
    let output = match matches.get_one::<PathBuf>("output") {
        Some(folder) => folder.clone(),
        None => PathBuf::from(slug(&settings.topic.name)),
    };
    // All that can be wrong is looked at before anybody is asked or anything is written; with seeds from engines, once more.
    let checked = |settings: &Settings| {
        let live = scenthound::live_settings(settings)?;
        settings.judge()?;
        Fetcher::new(live.fetch.clone())?;
        anyhow::Ok(live)
    };
    let key_file = matches.get_one::<PathBuf>("keys").map(PathBuf::as_path);
    let has_engines = !settings.seeds.engines.is_empty();
    let (settings, kept_seeds) = match checked(&settings) {
        Ok(_) if has_engines => match seeds::settle(settings, &output, key_file) {
            Ok(settled) => settled,
            Err(error) => return pages_input::end(Err(error)),
        },
        _ => (settings, None),
    };
    let live = match checked(&settings) {
        Ok(live) => live,
        Err(error) => {
            note!("hound: {error:#}");
            return Ok(ExitCode::from(exit::BAD_SETTINGS));
        }
    };
    if !may_carry_on(&output, &settings)? {
        return Ok(ExitCode::from(exit::BAD_SETTINGS));
    }
    for warning in &settings.warnings {
        note!("note: {warning}");
    }
    let dashboard = matches
        .get_one::<SocketAddr>("dashboard")
        .map(|addr| Dashboard::open(*addr))
        .transpose()?;
    if let Some(dashboard) = &dashboard {
        note!("dashboard: http://{}/", dashboard.addr());
    }
    let folder = CrawlFolder::open_or_create(&output)?;
    if let Some(kept) = &kept_seeds {
        kept.save(&folder)?;
    }
    folder.write_settings(&settings.to_toml())?;
    let stop = StopSwitch::default();
    listen_for_signals(stop.clone())?;
    let summary = match crawl(&folder, &settings, live, &stop, dashboard) {
        Ok(summary) => summary,
        Err(error) if is_full_disk(&error) => {
            note!("hound: {error:#}");
            note!(
                "hound: make room on the disk and run the same command again; it carries on from its last commit"
            );
            return Ok(ExitCode::from(exit::DISK));
        }
        Err(error) => return Err(error),
    };
    tell(&summary, &output, matches.get_flag("json"))
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
pub fn crawl(
    folder: &CrawlFolder,
    settings: &Settings,
    live: LiveSettings,
    stop: &StopSwitch,
    dashboard: Option<Dashboard>,
) -> Result<Summary> {
    let judge = settings.judge()?;
    let agents = settings.agents(&settings.seeds.urls)?;
    if agents.len() < usize::from(settings.crawl.agents) {
        note!(
            "note: {} of {} agents have a seed; name more seeds, or deal them evenly",
            agents.len(),
            settings.crawl.agents
        );
    }
    let mut progress = Progress::new(folder.layout().clone(), &settings.crawl, dashboard);
    let result = scenthound_live::crawl(folder, live, judge, agents, stop, &mut |snapshot| {
        progress.tell(snapshot)
    });
    let ended = match &result {
        Ok(summary) => ending(summary),
        Err(error) => format!("failed: {error}"),
    };
    progress.end(&ended);
    Ok(result?)
}

/// The first signal saves and stops, the second stops at once.
pub fn listen_for_signals(stop: StopSwitch) -> Result<()> {
    let mut signals = Signals::new([SIGINT, SIGTERM]).context("could not listen for signals")?;
    std::thread::spawn(move || {
        for _ in signals.forever() {
            if stop.is_on() {
                note!("\nhound: stopped at once; the crawl resumes from its last commit");
                std::process::exit(exit::FORCED.into());
            }
            stop.stop();
            note!("\nhound: saving and stopping; once more to stop at once");
        }
    });
    Ok(())
}

pub fn ending(summary: &Summary) -> String {
    match summary.ended {
        Ended::Done(reason) => crate::wording::stop_reason(reason),
        Ended::Interrupted => "interrupted and saved".to_owned(),
        Ended::Disk => "the disk is nearly full".to_owned(),
    }
}

fn tell(summary: &Summary, output: &Path, as_json: bool) -> Result<ExitCode> {
    let tally = &summary.tally;
    let folder = output.display();
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
            "{} pages, {} relevant ({:.1} %), {} URLs known, {} waiting; {}.",
            tally.pages,
            tally.relevant,
            100.0 * tally.harvest_rate(),
            summary.counts.known,
            summary.counts.waiting,
            ending(summary)
        );
        if tally.bodies == 0 {
            say!("No page was read. What came of each URL:");
            for (code, count) in &tally.outcomes {
                say!("  {count:>6}  {code}");
            }
            say!("Ask for one: hound explain {folder} URL");
        } else {
            say!("In {folder}. See the best: hound results {folder} --why");
        }
    }
    let code = match summary.ended {
        Ended::Done(reason) => {
            if let Some(option) = met_already(summary, reason) {
                note!("note: the budget was met before this run; raise {option} to go on");
                return Ok(ExitCode::SUCCESS);
            }
            match reason {
                // Nobody who crawls means to bring home nothing.
                _ if tally.bodies == 0 => exit::FAILURE,
                StopReason::Bytes => exit::SIZE,
                StopReason::Time => exit::TIME,
                StopReason::Exhausted
                | StopReason::OnlyRestingHosts
                | StopReason::Goals
                | StopReason::Shares
                | StopReason::Pages => 0,
            }
        }
        Ended::Interrupted => exit::INTERRUPTED,
        Ended::Disk => exit::DISK,
    };
    Ok(ExitCode::from(code))
}

/// The option to raise, if nothing was done because a budget was met by earlier runs.
fn met_already(summary: &Summary, reason: StopReason) -> Option<&'static str> {
    if summary.pages_this_run > 0 {
        return None;
    }
    match reason {
        StopReason::Pages | StopReason::Shares => Some("--max-pages"),
        StopReason::Time => Some("--max-time"),
        StopReason::Bytes => Some("--max-bytes"),
        StopReason::Goals => Some("--goal"),
        StopReason::Exhausted | StopReason::OnlyRestingHosts => None,
    }
}

/// A folder name from a topic's name.
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
