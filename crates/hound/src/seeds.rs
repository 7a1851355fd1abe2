//! `hound seeds`, and the part of `hound crawl` that asks search engines where to start.

use std::path::{Path, PathBuf};

use anyhow::Result;
use scenthound::seeds::{
    FoundSeeds, KeyFile, Keys, SeedSearchError, add_seeds, environment_keys, find_seeds, must_ask,
    search_query,
};
use scenthound_config::{Given, Settings};

use crate::fault::bad_input;
use crate::pages_input::topic_settings;
use crate::stdout;
use crate::wording::{counted, harmless};

/// URLs to start a crawl from, by search engine.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  hound seeds \"green tea\" --engine searxng=http://127.0.0.1:8888
  hound seeds \"green tea\" --engine brave --engine marginalia -n 30 --why
  hound seeds \"green tea\" --engine brave --category news --category blogs --keys keys.toml
  hound seeds \"green tea\" --engine collection=tea > seeds.txt; hound crawl tea.toml -s seeds.txt

Engines: searxng=URL, brave, google-cse, marginalia, collection=DIR (an earlier crawl), file=FILE
(a list of URLs). Several are merged by reciprocal rank. Keys are BRAVE_API_KEY, GOOGLE_CSE_KEY
and GOOGLE_CSE_CX, MARGINALIA_API_KEY, as environment variables or as lines NAME = \"key\" of the
file --keys names.
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

/// Runs `hound seeds`.
pub fn run(args: Args) -> Result<()> {
    let mut given = vec![Given::new("seed-count", args.count.to_string())];
    given.extend(args.engine.iter().map(|engine| Given::new("engine", engine)));
    given.extend(args.category.iter().map(|name| Given::new("category", name)));
    let timeouts = ["connect-timeout", "first-byte-timeout", "body-timeout"];
    given.extend(timeouts.map(|name| Given::new(name, &args.timeout)));
    let options = [
        ("contact", &args.contact),
        ("resolver", &args.resolver),
        ("proxy", &args.proxy),
        ("ca-file", &args.ca_file),
    ];
    given.extend((options.iter()).filter_map(|(name, value)| Some(Given::new(*name, value.as_ref()?))));
    let settings = topic_settings("seeds", &given)?;
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
                let by: Vec<_> = (seed.by.iter())
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
    if !must_ask(&mut settings, output)? {
        return Ok((settings, None));
    }
    let keys = keys(key_file)?;
    let found = find(&settings, search_query(&settings), &keys)?;
    note!(
        "{} from search engines, kept in {}",
        counted(found.seeds.len() as u64, "seed"),
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
        complain!("warning: other users can read {shown}; keep the keys private with chmod 600 {shown}");
    }
    Ok(file.keys.or(around))
}

/// Asks all engines of the settings; prints which of them failed.
fn find(settings: &Settings, query: &str, keys: &Keys) -> Result<FoundSeeds> {
    let found = find_seeds(settings, query, keys)?;
    for failed in &found.failed {
        complain!("warning: {}: {}", harmless(&failed.engine), failed.why);
    }
    Ok(found)
}
