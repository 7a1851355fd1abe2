//! `hound demo`: serves a small web on this machine, crawls it live and shows the results.

use std::collections::HashSet;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use scenthound::Quadrant;
use scenthound_config::{Given, Surroundings, check};
use scenthound_report::text::harvest_curve;
use scenthound_store::CrawlFolder;
use scenthound_strategy::StrategyKind;
use scenthound_testweb::{DemoWeb, Request, ScriptWeb, ServeOptions, TestSite, serve};

use crate::wording::counted;
use crate::{crawl, exit, results};

/// The options of `hound demo`.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  hound demo\n  hound demo -o tea            keeps the crawl folder: try hound results tea --why\n  hound demo --topic chinese   entrance examinations, in Big5, GB18030 and UTF-8\n  hound demo --topic japanese  hot springs, in Shift_JIS, EUC-JP and ISO-2022-JP"
)]
pub struct Args {
    /// Which web to crawl, and for what
    #[arg(long, value_enum, value_name = "NAME", default_value_t = Topic::Tea)]
    topic: Topic,
    /// Keep the crawl folder here
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Crawl with this strategy instead of the topic's
    #[arg(long, value_name = "NAME")]
    strategy: Option<String>,
    /// Stop after this many pages
    #[arg(long, value_name = "N")]
    max_pages: Option<u64>,
}

/// The webs to choose from.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Topic {
    /// Guides to brewing tea, in English
    Tea,
    /// Entrance examinations of graduate schools, in Chinese
    Chinese,
    /// Inns with hot springs, in Japanese
    Japanese,
}

/// A web, and what is known about its pages because we generated them.
struct Shown {
    site: Arc<dyn TestSite>,
    pages: usize,
    topic: &'static str,
    relevant: Vec<String>,
    forbidden: Vec<String>,
}

impl Shown {
    fn of(topic: Topic) -> Shown {
        let web = match topic {
            Topic::Tea => {
                let web = DemoWeb::new();
                return Shown {
                    pages: web.pages(),
                    topic: DemoWeb::TOPIC,
                    relevant: web.relevant().to_vec(),
                    forbidden: web.forbidden().to_vec(),
                    site: Arc::new(web),
                };
            }
            Topic::Chinese => ScriptWeb::chinese(),
            Topic::Japanese => ScriptWeb::japanese(),
        };
        Shown {
            pages: web.pages(),
            topic: web.topic(),
            relevant: web.relevant().to_vec(),
            forbidden: Vec::new(),
            site: Arc::new(web),
        }
    }
}

/// The name of the topic file in messages.
const TOPIC: &str = "demo.toml";
/// Makes the web feel remote.
const LATENCY: Duration = Duration::from_millis(5);

fn address(request: &Request) -> String {
    format!("http://{}{}", request.host, request.path)
}

pub fn run(args: Args) -> Result<ExitCode> {
    let shown = Shown::of(args.topic);
    let hosts = shown.site.hosts();
    let serving = serve(
        Arc::clone(&shown.site),
        ServeOptions {
            latency: LATENCY,
            ..ServeOptions::default()
        },
    )?;

    let mut given: Vec<Given> = args
        .strategy
        .iter()
        .map(|name| Given::new("strategy", name))
        .collect();
    given.extend(
        args.max_pages
            .map(|most| Given::new("max-pages", most.to_string())),
    );
    let surroundings = Surroundings {
        folder: &std::env::current_dir().context("could not determine the current directory")?,
        read: &|_| Ok(shown.topic.as_bytes().to_vec()),
    };
    let settings = match check(TOPIC, &given, &surroundings) {
        Ok(settings) => settings,
        Err(faults) => {
            complain!("{faults}");
            return Ok(ExitCode::from(exit::BAD_SETTINGS));
        }
    };

    // Deleted at the end of this function. With --output, the crawl goes elsewhere and stays.
    let temporary = tempfile::tempdir().context("could not create a temporary folder")?;
    let output = args
        .output
        .clone()
        .unwrap_or_else(|| temporary.path().join("demo"));
    let mut crawler = match crawl::crawler(settings.clone(), &output)? {
        Ok(crawler) => crawler,
        Err(code) => return Ok(code),
    };
    let pins: Vec<_> = hosts.iter().map(|host| (host.clone(), serving.addr())).collect();
    crawler.live_settings().fetch.pins = pins.iter().cloned().collect();
    let folder = CrawlFolder::open_or_create(&output)?;

    let seeds: Vec<&str> = settings.seeds.urls.iter().map(|url| url.as_str()).collect();
    say!(
        "Serving a web of {} hosts and {} pages on this machine, at {}.",
        hosts.len(),
        shown.pages,
        serving.addr()
    );
    say!(
        "Looking for: {} (judged by {} genre and {} content terms).",
        settings.topic.name,
        settings.terms.genre.len(),
        settings.terms.content.len()
    );
    say!(
        "Starting from {}, with the strategy {}.\n",
        seeds.join(" and "),
        settings.strategy.kind
    );
    crawl::listen_for_signals(crawler.stop_handle())?;
    let summary = crawl::crawl(crawler, &folder)?;
    drop(folder);

    let tally = &summary.tally;
    say!("The best pages, and why:\n");
    results::run(results::Args {
        folders: vec![output.clone()],
        top: 10,
        why: true,
        ..results::Args::default()
    })?;
    say!("\nThe right kind of page, but about something else:\n");
    results::run(results::Args {
        folders: vec![output.clone()],
        top: 3,
        view: vec![Quadrant::GenreOnly],
        ..results::Args::default()
    })?;
    say!("\nRelevant pages found, by pages fetched:\n");
    say!("{}", harvest_curve(&tally.curve(), 60, 10));
    say!(
        "{} pages in {:.1} s: {} judged relevant (harvest rate {:.1} %), {} failed; {}.",
        tally.pages,
        summary.running.as_secs_f64(),
        tally.relevant,
        100.0 * tally.harvest_rate(),
        tally.errors(),
        crawl::ending(&summary)
    );
    let asked: HashSet<String> = serving.requests().iter().map(address).collect();
    let found = shown.relevant.iter().filter(|url| asked.contains(*url)).count();
    let trespassed = shown.forbidden.iter().filter(|url| asked.contains(*url)).count();
    let trapped = asked.iter().filter(|url| DemoWeb::is_trap(url)).count();
    say!(
        "Compared with the truth: fetched {found} of {} relevant pages, requested {trespassed} of {} forbidden pages, and sent {} into crawler traps.",
        shown.relevant.len(),
        shown.forbidden.len(),
        counted(trapped as u64, "request")
    );
    if settings.strategy.kind != StrategyKind::BreadthFirst {
        let asked_before = serving.requests().len();
        let mut plain = settings.clone();
        plain.strategy.kind = StrategyKind::BreadthFirst;
        let folder = temporary.path().join("breadth-first");
        if let Ok(mut crawler) = crawl::crawler(plain, &folder)? {
            crawler.live_settings().fetch.pins = pins.iter().cloned().collect();
            let summary = crawler.run()?;
            let requests = serving.requests();
            let asked: HashSet<String> = requests.iter().skip(asked_before).map(address).collect();
            let found = shown.relevant.iter().filter(|url| asked.contains(*url)).count();
            say!(
                "Breadth-first, on the same web with the same budget, fetched {found} of {} in {} pages.",
                shown.relevant.len(),
                summary.tally.pages
            );
        }
    }
    match args.output {
        Some(kept) => {
            if let Err(error) = crate::crawl_report::write(&kept, &crawl::ending(&summary)) {
                note!("warning: the report could not be written: {error:#}");
            }
            say!(
                "The crawl is in {0}. Try: hound explain {0} {1}, or hound serve {0}",
                kept.display(),
                seeds.last().unwrap_or(&"URL")
            );
        }
        None => say!("The crawl folder was temporary and has been deleted. To keep it: hound demo -o DIR"),
    }
    Ok(ExitCode::SUCCESS)
}
