//! `hound seeds`, and the part of `hound crawl` that asks search engines where to start.
//!
//! The engines are asked at the same time, each at its own pace; one that fails is told of and does not stop the others. A
//! crawl asks once: what was answered is kept in its folder, and from then on counts like seeds that were named.
//!
//! Invariant: keys come from the environment or a key file and go into requests. They are in no message, and in no file.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result, anyhow};
use scenthound_config::{Given, Settings};
use scenthound_fetch::{FetchSettings, Fetcher, HeaderName, HeaderValue, IpNet, RetryAfter, Want};
use scenthound_seeds::read_seeds;
use scenthound_seeds::search::{
    Category, CollectionPage, CollectionRanking, Engine, EngineFault, EngineSpec, Found, Hit, Inquiry, Keys,
    Next, Question, RankedList, Reply, Request, merge,
};
use scenthound_store::{CrawlFolder, CrawlView, replace};
use scenthound_types::{CanonicalUrl, Failure, Outcome, Refusal, Truncation};
use serde::{Deserialize, Serialize};

use crate::judge::NO_SEED;
use crate::pages_input::{bad_input, end};
use crate::wording::harmless;
use crate::{crawl, look, stdout};

/// No answer of a search engine is as large as this.
const LARGEST_ANSWER: usize = 4 << 20;

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
    /// What to look for.
    #[arg(value_name = "QUERY")]
    pub query: String,
    /// The engine to ask; again for several.
    #[arg(long, value_name = "ENGINE", required = true)]
    pub engine: Vec<String>,
    /// What kind of page to ask for: web, news, discussions or blogs; again for several [default: web].
    #[arg(long, value_name = "NAME")]
    pub category: Vec<String>,
    /// How many URLs.
    #[arg(short = 'n', long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u64).range(1..=1000))]
    pub count: u64,
    /// A file with keys, one NAME = "key" a line.
    #[arg(long, value_name = "FILE")]
    pub keys: Option<PathBuf>,
    /// The longest wait for an engine's answer.
    #[arg(long, value_name = "TIME", default_value = "20s")]
    pub timeout: String,
    /// Show with each URL who named it, at which rank, and its title.
    #[arg(long)]
    pub why: bool,
    /// One JSON object a URL.
    #[arg(long)]
    pub json: bool,
    /// Where the engines' owners can reach you.
    #[arg(long, value_name = "CONTACT")]
    pub contact: Option<String>,
    /// The DNS server to ask, in place of the system's.
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
    let kept = find(&settings, &args.query, &keys)?;
    stdout::write(|out| {
        for seed in &kept.seeds {
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

/// What engines answered, as it is kept in a crawl folder.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct KeptSeeds {
    query: String,
    engines: Vec<String>,
    categories: Vec<String>,
    count: u64,
    seeds: Vec<KeptSeed>,
    /// Engines that gave nothing, or not all, and why.
    failed: Vec<FailedEngine>,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
struct KeptSeed {
    url: String,
    title: Option<String>,
    score: f64,
    by: Vec<KeptPlacing>,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
struct KeptPlacing {
    engine: String,
    category: String,
    rank: usize,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
struct FailedEngine {
    engine: String,
    why: String,
}

impl KeptSeed {
    fn new(found: Found) -> KeptSeed {
        let by = found.by.into_iter().map(|by| KeptPlacing {
            engine: by.engine,
            category: by.category.name().to_owned(),
            rank: by.rank,
        });
        KeptSeed {
            url: found.url.to_string(),
            title: found.title,
            score: found.score,
            by: by.collect(),
        }
    }
}

/// The words a crawl asks engines for.
fn query_of(settings: &Settings) -> &str {
    settings.topic.query.as_deref().unwrap_or(&settings.topic.name)
}

/// Adds the seeds that engines name to those of the settings: from the crawl's folder if they were asked before, else by
/// asking. What is to be kept in the folder, if they were asked now.
pub fn settle(
    mut settings: Settings,
    output: &Path,
    key_file: Option<&Path>,
) -> Result<(Settings, Option<KeptSeeds>)> {
    if settings.seeds.engines.is_empty() {
        return Ok((settings, None));
    }
    let before = crawl::earlier_settings(output)?;
    if let Some(before) = before {
        let urls = match kept_in(output)? {
            Some(kept) => urls_of(&kept),
            // The settings hold them too.
            None => before.seeds.urls,
        };
        add(&mut settings, urls);
        return Ok((settings, None));
    }
    if output.is_dir() && CrawlView::open(output).is_err() && std::fs::read_dir(output)?.next().is_some() {
        // A folder of something else: it says so, and nobody is asked in vain.
        CrawlFolder::open_or_create(output)?;
    }
    let keys = keys(key_file)?;
    let kept = find(&settings, query_of(&settings), &keys)?;
    note!(
        "{} seeds by search engine; they are kept in {}",
        kept.seeds.len(),
        output.join("seeds.json").display()
    );
    add(&mut settings, urls_of(&kept));
    Ok((settings, Some(kept)))
}

/// Keeps what engines answered in a crawl folder.
pub fn keep(folder: &CrawlFolder, kept: &KeptSeeds) -> Result<()> {
    let mut text = serde_json::to_vec_pretty(kept)?;
    text.push(b'\n');
    Ok(replace(&folder.layout().seeds(), &text)?)
}

fn kept_in(output: &Path) -> Result<Option<KeptSeeds>> {
    let path = CrawlView::open(output)?.layout().seeds();
    match std::fs::read(&path) {
        Ok(bytes) => Ok(Some(
            serde_json::from_slice(&bytes).with_context(|| format!("{} cannot be read", path.display()))?,
        )),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).with_context(|| format!("{} cannot be read", path.display())),
    }
}

fn urls_of(kept: &KeptSeeds) -> Vec<CanonicalUrl> {
    kept.seeds
        .iter()
        .filter_map(|seed| CanonicalUrl::parse(&seed.url).ok())
        .collect()
}

fn add(settings: &mut Settings, urls: Vec<CanonicalUrl>) {
    let mut known: BTreeSet<_> = settings.seeds.urls.iter().cloned().collect();
    let fresh = urls.into_iter().filter(|url| known.insert(url.clone()));
    settings.seeds.urls.extend(fresh);
}

/// The keys of a file, then those of the environment.
fn keys(file: Option<&Path>) -> Result<Keys> {
    let around = Keys::from_lookup(|name| std::env::var(name).ok());
    let Some(path) = file else { return Ok(around) };
    let shown = path.display();
    let text =
        std::fs::read_to_string(path).map_err(|error| bad_input(format!("--keys: {shown}: {error}")))?;
    let keys = Keys::parse(&text).map_err(|fault| bad_input(format!("--keys: {shown}: {fault}")))?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(path).map(|file| file.permissions().mode());
        if mode.is_ok_and(|mode| mode & 0o077 != 0) {
            note!("warning: {shown} can be read by others; chmod 600 {shown} keeps the keys yours");
        }
    }
    Ok(keys.or(around))
}

/// What one engine gave for its questions, and what went wrong.
struct Brought {
    lists: Vec<(Category, Vec<Hit>)>,
    fault: Option<EngineFault>,
}

/// Asks all engines of the settings.
fn find(settings: &Settings, query: &str, keys: &Keys) -> Result<KeptSeeds> {
    let query = query.split_whitespace().collect::<Vec<_>>().join(" ");
    if query.is_empty() {
        return Err(bad_input(
            "there is nothing to ask for: the query is empty".to_owned(),
        ));
    }
    let mut categories: Vec<Category> = Vec::new();
    for category in settings.seeds.categories.iter().copied() {
        if !categories.contains(&category) {
            categories.push(category);
        }
    }
    if categories.is_empty() {
        categories.push(Category::Web);
    }
    let mut engines: Vec<&String> = Vec::new();
    for engine in &settings.seeds.engines {
        if !engines.contains(&engine) {
            engines.push(engine);
        }
    }
    let most = usize::try_from(settings.seeds.count).unwrap_or(usize::MAX);
    let questions: Vec<Question> = categories
        .iter()
        .map(|category| Question {
            query: query.clone(),
            category: *category,
            most,
        })
        .collect();
    let fetch = scenthound::live_settings(settings)
        .map_err(|error| bad_input(format!("{error:#}")))?
        .fetch;
    let given = ask_all(&engines, &questions, keys, &fetch)?;
    let mut lists = Vec::new();
    let mut failed = Vec::new();
    let mut are_bad_settings = true;
    for (name, given) in engines.iter().zip(given) {
        lists.extend(given.lists.into_iter().map(|(category, hits)| RankedList {
            engine: (*name).clone(),
            category,
            hits,
        }));
        if let Some(fault) = given.fault {
            are_bad_settings &= fault.is_bad_setting();
            failed.push(FailedEngine {
                engine: (*name).clone(),
                why: format!("{fault}; {}", fault.remedy()),
            });
        }
    }
    let seeds: Vec<_> = merge(&lists, most).into_iter().map(KeptSeed::new).collect();
    let told = |failed: &[FailedEngine]| -> String {
        let lines = failed
            .iter()
            .map(|failed| format!("\n  {}: {}", harmless(&failed.engine), failed.why));
        lines.collect()
    };
    if seeds.is_empty() {
        let all_failed = failed.len() == engines.len();
        let message = match failed.is_empty() {
            true => {
                let names: Vec<_> = engines.iter().map(|name| harmless(name)).collect();
                format!(
                    "no seeds found: {} found nothing for {query:?}; try other words, or another engine or category",
                    names.join(", ")
                )
            }
            false => format!("no seeds found for {query:?}:{}", told(&failed)),
        };
        return Err(match all_failed && are_bad_settings {
            true => bad_input(message),
            false => anyhow!("{message}"),
        });
    }
    for failed in &failed {
        note!("warning: {}: {}", harmless(&failed.engine), failed.why);
    }
    Ok(KeptSeeds {
        query,
        engines: engines.into_iter().cloned().collect(),
        categories: categories
            .iter()
            .map(|category| category.name().to_owned())
            .collect(),
        count: settings.seeds.count,
        seeds,
        failed,
    })
}

/// What each engine gives, in the order of the engines.
fn ask_all(
    engines: &[&String],
    questions: &[Question],
    keys: &Keys,
    fetch: &FetchSettings,
) -> Result<Vec<Brought>> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("the network cannot be used")?;
    runtime.block_on(async {
        let mut tasks = Vec::new();
        for name in engines {
            let given = match EngineSpec::parse(name) {
                None => Err(EngineFault::Unreadable {
                    why: format!("{name:?} is no search engine"),
                }),
                Some(spec) => spec.engine(keys).map(|engine| (spec, engine)),
            };
            let questions = questions.to_vec();
            let fetch = fetch.clone();
            tasks.push(tokio::spawn(async move {
                match given {
                    Err(fault) => Brought {
                        lists: Vec::new(),
                        fault: Some(fault),
                    },
                    Ok((spec, Some(engine))) => ask(&spec, &*engine, questions, fetch).await,
                    Ok((spec, None)) => look_up(&spec, &questions),
                }
            }));
        }
        let mut given = Vec::new();
        for task in tasks {
            given.push(task.await.context("asking an engine failed")?);
        }
        Ok(given)
    })
}

/// Takes the questions through one engine.
async fn ask(
    spec: &EngineSpec,
    engine: &dyn Engine,
    questions: Vec<Question>,
    fetch: FetchSettings,
) -> Brought {
    let mut lists = Vec::new();
    for (number, question) in questions.into_iter().enumerate() {
        let category = question.category;
        if number > 0 {
            tokio::time::sleep(engine.pace(&question).spacing).await;
        }
        let mut inquiry = Inquiry::new(engine, question);
        let ended = lead(spec, engine, &mut inquiry, &fetch).await;
        lists.push((category, inquiry.into_hits()));
        if let Err(fault) = ended {
            return Brought {
                lists,
                fault: Some(fault),
            };
        }
    }
    Brought { lists, fault: None }
}

async fn lead(
    spec: &EngineSpec,
    engine: &dyn Engine,
    inquiry: &mut Inquiry<'_>,
    fetch: &FetchSettings,
) -> Result<(), EngineFault> {
    let mut request = inquiry.begin()?;
    let fetcher = fetcher(spec, &request, fetch)?;
    loop {
        match inquiry.take(get(&fetcher, &request, engine).await?.as_reply())? {
            Next::Done => return Ok(()),
            Next::Ask { request: next, after } => {
                tokio::time::sleep(after).await;
                request = next;
            }
        }
    }
}

/// A fetcher for one engine. An address that the user named is the user's own word, as a proxy's is; no redirect is followed,
/// so nobody else is reached by it.
fn fetcher(spec: &EngineSpec, request: &Request, fetch: &FetchSettings) -> Result<Fetcher, EngineFault> {
    let mut fetch = fetch.clone();
    if spec.named_address().is_some() {
        fetch.allowed_nets = ["0.0.0.0/0", "::/0"]
            .iter()
            .filter_map(|net| net.parse::<IpNet>().ok())
            .collect();
    }
    fetch.limits.sitemap_bytes = LARGEST_ANSWER;
    // Errors are told in the body, and bodies of errors are not decoded.
    let plain = ("accept-encoding", "identity");
    let sent = request
        .headers
        .iter()
        .map(|(name, value)| (*name, value.reveal()))
        .chain([plain]);
    for (name, value) in sent {
        let mut value = HeaderValue::from_str(value).map_err(|_| EngineFault::Unreachable {
            why: "the request cannot be written".to_owned(),
        })?;
        value.set_sensitive(name != plain.0);
        fetch.headers.push((HeaderName::from_static(name), value));
    }
    Fetcher::new(fetch).map_err(|error| EngineFault::Unreachable {
        why: error.to_string(),
    })
}

/// A reply that holds its body.
struct Body {
    status: u16,
    retry_after: Option<Duration>,
    body: Vec<u8>,
    truncated: Option<Truncation>,
}

impl Body {
    fn as_reply(&self) -> Reply<'_> {
        Reply {
            status: self.status,
            retry_after: self.retry_after,
            body: &self.body,
            truncated: self.truncated,
        }
    }
}

async fn get(fetcher: &Fetcher, request: &Request, engine: &dyn Engine) -> Result<Body, EngineFault> {
    let at = fetcher
        .locate(&request.url)
        .await
        .map_err(|outcome| unreached(&outcome))?;
    let mut fetched = fetcher.fetch(&request.url, &at, Want::Sitemap).await;
    if fetched.stale {
        fetched = fetcher.fetch(&request.url, &at, Want::Sitemap).await;
    }
    let status = match &fetched.outcome {
        Outcome::Body { status, .. } => *status,
        Outcome::Failed(Failure::Status(status)) => *status,
        Outcome::Redirect { to, .. } => {
            let is_safe = |secret: &&scenthound_seeds::search::Secret| !to.origin().contains(secret.reveal());
            let is_shown = engine.secrets().iter().all(is_safe);
            return Err(EngineFault::Moved {
                to: is_shown.then(|| format!("{}/", to.origin())),
            });
        }
        other => return Err(unreached(other)),
    };
    let retry_after = fetched.retry_after.map(|after| match after {
        RetryAfter::Delay(delay) => delay,
        RetryAfter::At(moment) => moment.since(look::now()),
    });
    Ok(Body {
        status,
        retry_after,
        body: fetched.body.to_vec(),
        truncated: fetched.truncated,
    })
}

fn unreached(outcome: &Outcome) -> EngineFault {
    match outcome {
        Outcome::Failed(Failure::FirstByteTimeout | Failure::ConnectTimeout) => EngineFault::TimedOut,
        Outcome::Refused(Refusal::RedirectTarget) => EngineFault::Moved { to: None },
        other => EngineFault::Unreachable {
            why: other.code().to_string(),
        },
    }
}

/// What an earlier crawl or a file holds.
fn look_up(spec: &EngineSpec, questions: &[Question]) -> Brought {
    let mut given = Brought {
        lists: Vec::new(),
        fault: None,
    };
    for question in questions {
        let hits = match spec {
            EngineSpec::File(path) => in_file(path, question),
            EngineSpec::Collection(folder) => in_collection(folder, question),
            _ => Ok(Vec::new()),
        };
        match hits {
            Ok(hits) => given.lists.push((question.category, hits)),
            Err(why) => {
                given.fault = Some(EngineFault::Unreadable { why });
                break;
            }
        }
    }
    given
}

fn in_file(path: &Path, question: &Question) -> Result<Vec<Hit>, String> {
    let urls = read_seeds(path).map_err(|error| format!("{:#}", anyhow!(error)))?;
    let urls = urls.into_iter().take(question.most);
    Ok(urls.map(|url| Hit { url, title: None }).collect())
}

fn in_collection(folder: &Path, question: &Question) -> Result<Vec<Hit>, String> {
    let genre = match question.category {
        Category::Web => None,
        Category::News => Some("news"),
        Category::Discussions => Some("forum"),
        Category::Blogs => Some("blog"),
    };
    let mut ranking = CollectionRanking::new(&question.query, question.most);
    let view = look::open(folder).map_err(|error| format!("{error:#}"))?;
    let read = look::each_record(&view, |_, record| {
        let is_of_genre =
            genre.is_none_or(|genre| record.genre.as_ref().is_some_and(|guess| &*guess.class == genre));
        if !record.is_judged_page() || !is_of_genre {
            return;
        }
        let parts = record.parts.as_ref();
        let terms: Vec<&str> = parts
            .into_iter()
            .flat_map(|parts| parts.terms.iter().map(|hit| &*hit.term))
            .collect();
        ranking.offer(CollectionPage {
            url: &record.url,
            title: record.title.as_deref(),
            terms: &terms,
            relevance: record.relevance.unwrap_or(0.0),
        });
    });
    read.map_err(|error| format!("{error:#}"))?;
    Ok(ranking.into_hits())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_settings_take_for_an_engine_or_a_category_can_be_asked() {
        for engine in [
            "searxng=http://a.test/",
            "brave",
            "google-cse",
            "marginalia",
            "collection=/a",
            "file=/a",
        ] {
            assert!(EngineSpec::parse(engine).is_some(), "{engine}");
        }
    }
}
