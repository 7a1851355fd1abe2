//! `hound seeds`, and the part of `hound crawl` that asks search engines where to start.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Result;
use scenthound::seeds::{
    FoundSeeds, KeyFile, Keys, SeedSearchError, add_seeds, environment_keys, find_seeds, search_query,
};
use scenthound_config::{Given, Settings};
use scenthound_store::{CrawlFolder, CrawlView};

use crate::judge::NO_SEED;
use crate::pages_input::{bad_input, end};
use crate::wording::harmless;
use crate::{crawl, stdout};

/// URLs to start a crawl from, by search engine.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  hound seeds \"green tea\" --engine searxng=http://127.0.0.1:8888
  hound seeds \"green tea\" --engine brave --engine marginalia -n 30 --why
  hound seeds \"green tea\" --engine brave --category news --category blogs --keys keys.toml
  hound seeds \"green tea\" --engine collection=tea > seeds.txt; hound crawl tea.toml -s seeds.txt

Engines: searxng=URL, brave, google-cse, marginalia, collection=DIR (an earlier crawl), file=FILE (a list
of URLs). Several are merged by reciprocal rank. Keys are BRAVE_API_KEY, GOOGLE_CSE_KEY and GOOGLE_CSE_CX,
MARGINALIA_API_KEY, as environment variables or as lines NAME = \"key\" of the file --keys names.
Exit codes: 0 found, 1 failure or nothing found, 4 bad input, such as a missing key.")]
pub struct Args {
    /// The words to search for.
    #[arg(value_name = "QUERY")]
    pub query: String,
    /// The engine to ask; repeat for several.
    #[arg(long, value_name = "ENGINE", required = true)]
    pub engine: Vec<String>,
    /// What kind of page to ask for: web, news, discussions or blogs; repeat for several [default: web].
    #[arg(long, value_name = "NAME")]
    pub category: Vec<String>,
    /// Number of URLs to find.
    #[arg(short = 'n', long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u64).range(1..=1000))]
    pub count: u64,
    /// A file with keys, one NAME = "key" per line.
    #[arg(long, value_name = "FILE")]
    pub keys: Option<PathBuf>,
    /// The longest wait for an engine's answer.
    #[arg(long, value_name = "TIME", default_value = "20s")]
    pub timeout: String,
    /// Show with each URL the engines that named it, its rank there, and its title.
    #[arg(long)]
    pub why: bool,
    /// Print one JSON object per URL.
    #[arg(long)]
    pub json: bool,
    /// Where the engines' owners can reach you.
    #[arg(long, value_name = "CONTACT")]
    pub contact: Option<String>,
    /// The DNS server to use instead of the system's.
    #[arg(long, value_name = "ADDR")]
    pub resolver: Option<String>,
    /// The proxy all requests go through.
    #[arg(long, value_name = "URL")]
    pub proxy: Option<String>,
    /// Certificates to trust besides the usual ones, in PEM.
    #[arg(long, value_name = "FILE")]
    pub ca_file: Option<String>,
}

/// Answers `hound seeds`.
pub fn run(args: Args) -> Result<ExitCode> {
    end(list(&args))
}

fn list(args: &Args) -> Result<()> {
    let mut given = vec![
        Given::new("seed-urls", NO_SEED),
        Given::new("seed-count", args.count.to_string()),
    ];
    given.extend(args.engine.iter().map(|engine| Given::new("engine", engine)));
    given.extend(
        args.category
            .iter()
            .map(|category| Given::new("category", category)),
    );
    for name in ["connect-timeout", "first-byte-timeout", "body-timeout"] {
        given.push(Given::new(name, &args.timeout));
    }
    for (name, value) in [
        ("contact", &args.contact),
        ("resolver", &args.resolver),
        ("proxy", &args.proxy),
        ("ca-file", &args.ca_file),
    ] {
        given.extend(value.iter().map(|value| Given::new(name, value)));
    }
    let settings = crawl::check_settings("seeds", &given)?.map_err(|faults| bad_input(faults.to_string()))?;
    let keys = keys(args.keys.as_deref())?;
    let found = find(&settings, &args.query, &keys)?;
    stdout::write(|out| {
        for seed in &found.seeds {
            if args.json {
                writeln!(out, "{}", serde_json::to_string(seed)?)?;
                continue;
            }
            writeln!(out, "{}", seed.url)?;
            if args.why {
                let by: Vec<_> = seed
                    .by
                    .iter()
                    .map(|by| format!("{} ({}) rank {}", harmless(&by.engine), by.category, by.rank))
                    .collect();
                let title = harmless(seed.title.as_deref().unwrap_or("no title"));
                writeln!(out, "    {:.5}  {}  {title}", seed.score, by.join(", "))?;
            }
        }
        Ok(())
    })
}

/// Adds the seeds that engines name to those of the settings: from the crawl's folder if they were asked before, else by
/// asking. Returns what to keep in the folder if they were asked now.
pub fn settle(
    mut settings: Settings,
    output: &Path,
    key_file: Option<&Path>,
) -> Result<(Settings, Option<FoundSeeds>)> {
    if settings.seeds.engines.is_empty() {
        return Ok((settings, None));
    }
    if let Some(before) = crawl::earlier_settings(output)? {
        let urls = match FoundSeeds::load(output)? {
            Some(found) => found.urls(),
            // The settings hold them too.
            None => before.seeds.urls,
        };
        add_seeds(&mut settings, urls);
        return Ok((settings, None));
    }
    if output.is_dir() && CrawlView::open(output).is_err() && std::fs::read_dir(output)?.next().is_some() {
        // A folder of something else: fail before any engine is asked.
        CrawlFolder::open_or_create(output)?;
    }
    let keys = keys(key_file)?;
    let found = find(&settings, search_query(&settings), &keys)?;
    note!(
        "{} seeds from search engines, kept in {}",
        found.seeds.len(),
        output.join("seeds.json").display()
    );
    add_seeds(&mut settings, found.urls());
    Ok((settings, Some(found)))
}

/// The keys of a file, then those of the environment.
fn keys(file: Option<&Path>) -> Result<Keys> {
    let around = environment_keys();
    let Some(path) = file else { return Ok(around) };
    let file = KeyFile::read(path).map_err(|error| match error {
        SeedSearchError::Io { path, source } => bad_input(format!("--keys: {}: {source}", path.display())),
        error => bad_input(format!("--keys: {error}")),
    })?;
    if file.is_readable_by_others {
        let shown = path.display();
        note!("warning: other users can read {shown}; keep the keys private with chmod 600 {shown}");
    }
    Ok(file.keys.or(around))
}

/// Asks all engines of the settings; prints which of them failed.
fn find(settings: &Settings, query: &str, keys: &Keys) -> Result<FoundSeeds> {
    let found = find_seeds(settings, query, keys).map_err(|error| match error.is_bad_input() {
        true => bad_input(error),
        false => error.into(),
    })?;
    for failed in &found.failed {
        note!("warning: {}: {}", harmless(&failed.engine), failed.why);
    }
    Ok(found)
}
