//! Asking search engines where to start a crawl.
//!
//! The engines are asked at the same time, each at its own pace. One that fails does not stop the others; it is listed in
//! [`FoundSeeds::failed`]. A crawl asks once: the answer is kept in its folder, and from then on its URLs count as seeds that
//! were named.
//!
//! Invariant: keys come from the environment or a key file and go into requests. They appear in no message and in no file.

use std::collections::BTreeSet;
use std::error::Error as StdError;
use std::io;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use scenthound_config::Settings;
use scenthound_fetch::{FetchSettings, Fetcher, HeaderName, HeaderValue, IpNet, RetryAfter, Want};
use scenthound_live::Clock;
use scenthound_seeds::read_seeds;
pub use scenthound_seeds::search::Keys;
use scenthound_seeds::search::{
    Category, CollectionPage, CollectionRanking, Engine, EngineFault, EngineSpec, Found, Hit, Inquiry,
    KeyFileFault, Next, Question, RankedList, Reply, Request, Secret, merge,
};
use scenthound_store::{CrawlFolder, CrawlView, Error as StoreError, replace};
use scenthound_types::{CanonicalUrl, Failure, Outcome, Refusal, Truncation};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::collection::each_record;
use crate::{Collection, CrawlerError, LiveBuildError, earlier_settings, live_settings};

/// No answer of a search engine is as large as this.
const LARGEST_ANSWER: usize = 4 << 20;

/// Why there are no seeds.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SeedSearchError {
    /// The query has no words.
    #[error("the query is empty; write what to look for")]
    EmptyQuery,
    /// The settings for requests.
    #[error(transparent)]
    Live(#[from] LiveBuildError),
    /// The runtime for requests.
    #[error("the network could not be used")]
    Network(#[source] io::Error),
    /// Asking an engine ended in a panic.
    #[error("asking an engine failed")]
    Lost(#[source] tokio::task::JoinError),
    /// No engine named a URL.
    #[error("{}", nothing_found(query, engines, failed))]
    NothingFound {
        /// What was asked for.
        query: String,
        /// The engines asked.
        engines: Vec<String>,
        /// Those of them that failed.
        failed: Vec<FailedEngine>,
        /// Whether all of them failed because of how they are set up, such as a missing key.
        is_bad_setup: bool,
    },
    /// The seeds kept in a crawl folder.
    #[error("{} could not be read", path.display())]
    Kept {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: serde_json::Error,
    },
    /// The system refused to read a file.
    #[error("{} could not be read", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A key file.
    #[error("{}: {source}", path.display())]
    KeyFile {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: KeyFileFault,
    },
    /// The crawl folder.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The settings of an earlier run.
    #[error(transparent)]
    Earlier(Box<CrawlerError>),
}

impl From<CrawlerError> for SeedSearchError {
    fn from(error: CrawlerError) -> SeedSearchError {
        SeedSearchError::Earlier(Box::new(error))
    }
}

impl SeedSearchError {
    /// Whether the user's words, settings or keys are at fault.
    pub fn is_bad_input(&self) -> bool {
        match self {
            SeedSearchError::EmptyQuery | SeedSearchError::Live(_) | SeedSearchError::KeyFile { .. } => true,
            SeedSearchError::NothingFound { is_bad_setup, .. } => *is_bad_setup,
            _ => false,
        }
    }
}

fn nothing_found(query: &str, engines: &[String], failed: &[FailedEngine]) -> String {
    if failed.is_empty() {
        return format!(
            "no seeds found: {} found nothing for {query:?}; try other words, or another engine or category",
            engines.join(", ")
        );
    }
    let lines: String = failed
        .iter()
        .map(|failed| format!("\n  {}: {}", failed.engine, failed.why))
        .collect();
    format!("no seeds found for {query:?}:{lines}")
}

/// What search engines answered, as it is kept in a crawl folder.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct FoundSeeds {
    /// The words asked for.
    pub query: String,
    /// The engines asked.
    pub engines: Vec<String>,
    /// The kinds of pages asked for.
    pub categories: Vec<String>,
    /// The number of URLs asked for.
    pub count: u64,
    /// The URLs, best first.
    pub seeds: Vec<FoundSeed>,
    /// Engines that gave nothing, or not everything.
    pub failed: Vec<FailedEngine>,
}

/// A URL that engines named.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct FoundSeed {
    /// The URL.
    pub url: String,
    /// Its title, if an engine gave one.
    pub title: Option<String>,
    /// The merged score: higher is better.
    pub score: f64,
    /// The engines that named it.
    pub by: Vec<SeedPlacing>,
}

/// Where an engine ranked a URL.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct SeedPlacing {
    /// The engine.
    pub engine: String,
    /// The kind of page it was asked for.
    pub category: String,
    /// Counted from 1.
    pub rank: usize,
}

/// An engine that failed.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct FailedEngine {
    /// The engine.
    pub engine: String,
    /// What went wrong, and what would help.
    pub why: String,
}

impl FoundSeed {
    fn new(found: Found) -> FoundSeed {
        let by = found.by.into_iter().map(|by| SeedPlacing {
            engine: by.engine,
            category: by.category.name().to_owned(),
            rank: by.rank,
        });
        FoundSeed {
            url: found.url.to_string(),
            title: found.title,
            score: found.score,
            by: by.collect(),
        }
    }
}

impl FoundSeeds {
    /// The URLs, best first.
    pub fn urls(&self) -> Vec<CanonicalUrl> {
        self.seeds
            .iter()
            .filter_map(|seed| CanonicalUrl::parse(&seed.url).ok())
            .collect()
    }

    /// Keeps the answer in a crawl folder.
    pub fn save(&self, folder: &CrawlFolder) -> Result<(), SeedSearchError> {
        let path = folder.layout().seeds();
        let mut text = serde_json::to_vec_pretty(self).map_err(|source| SeedSearchError::Kept {
            path: path.clone(),
            source,
        })?;
        text.push(b'\n');
        Ok(replace(&path, &text)?)
    }

    /// The answer kept in a crawl folder, if there is one.
    pub fn load(folder: &Path) -> Result<Option<FoundSeeds>, SeedSearchError> {
        let path = CrawlView::open(folder)?.layout().seeds();
        match std::fs::read(&path) {
            Ok(bytes) => serde_json::from_slice(&bytes)
                .map(Some)
                .map_err(|source| SeedSearchError::Kept { path, source }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(source) => Err(SeedSearchError::Io { path, source }),
        }
    }
}

/// The words a crawl asks engines for: the topic's query, or its name.
pub fn search_query(settings: &Settings) -> &str {
    settings.topic.query.as_deref().unwrap_or(&settings.topic.name)
}

/// Whether engines must be asked for the seeds of a crawl. If they were asked before, what they answered is added to the
/// settings. A folder that cannot become a crawl folder is an error, before any engine is asked.
pub fn must_ask(settings: &mut Settings, folder: &Path) -> Result<bool, SeedSearchError> {
    if settings.seeds.engines.is_empty() {
        return Ok(false);
    }
    if let Some(before) = earlier_settings(folder)? {
        let urls = match FoundSeeds::load(folder)? {
            Some(found) => found.urls(),
            // The settings hold them too.
            None => before.seeds.urls,
        };
        add_seeds(settings, urls);
        return Ok(false);
    }
    let mut inside = std::fs::read_dir(folder).into_iter().flatten();
    if CrawlView::open(folder).is_err() && inside.next().is_some() {
        // A folder of something else.
        CrawlFolder::open_or_create(folder)?;
    }
    Ok(true)
}

/// Adds URLs to the seeds of settings, except those that are there already.
pub fn add_seeds(settings: &mut Settings, urls: Vec<CanonicalUrl>) {
    let mut known: BTreeSet<_> = settings.seeds.urls.iter().cloned().collect();
    let fresh = urls.into_iter().filter(|url| known.insert(url.clone()));
    settings.seeds.urls.extend(fresh);
}

/// A file with keys for search engines.
#[derive(Clone, Debug)]
pub struct KeyFile {
    /// The keys in it.
    pub keys: Keys,
    /// Whether other users of this machine can read the file.
    pub is_readable_by_others: bool,
}

impl KeyFile {
    /// Reads a file of lines `NAME = "key"`.
    pub fn read(path: &Path) -> Result<KeyFile, SeedSearchError> {
        let text = std::fs::read_to_string(path).map_err(|source| SeedSearchError::Io {
            path: path.to_owned(),
            source,
        })?;
        let keys = Keys::parse(&text).map_err(|source| SeedSearchError::KeyFile {
            path: path.to_owned(),
            source,
        })?;
        Ok(KeyFile {
            keys,
            is_readable_by_others: is_readable_by_others(path),
        })
    }
}

#[cfg(unix)]
fn is_readable_by_others(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    let mode = std::fs::metadata(path).map(|file| file.permissions().mode());
    mode.is_ok_and(|mode| mode & 0o077 != 0)
}

#[cfg(not(unix))]
fn is_readable_by_others(_path: &Path) -> bool {
    false
}

/// The keys in the environment.
pub fn environment_keys() -> Keys {
    Keys::from_lookup(|name| std::env::var(name).ok())
}

/// What one engine answered, and what went wrong.
struct EngineAnswer {
    lists: Vec<(Category, Vec<Hit>)>,
    fault: Option<EngineFault>,
}

/// The values without repetitions, in their order.
fn distinct<T: PartialEq + Clone>(values: &[T]) -> Vec<T> {
    let mut distinct: Vec<T> = Vec::new();
    for value in values {
        if !distinct.contains(value) {
            distinct.push(value.clone());
        }
    }
    distinct
}

/// Asks all engines of the settings, and merges what they name by reciprocal rank.
pub fn find_seeds(settings: &Settings, query: &str, keys: &Keys) -> Result<FoundSeeds, SeedSearchError> {
    let query = query.split_whitespace().collect::<Vec<_>>().join(" ");
    if query.is_empty() {
        return Err(SeedSearchError::EmptyQuery);
    }
    let mut categories = distinct(&settings.seeds.categories);
    if categories.is_empty() {
        categories.push(Category::Web);
    }
    let engines = distinct(&settings.seeds.engines);
    let most = usize::try_from(settings.seeds.count).unwrap_or(usize::MAX);
    let questions: Vec<Question> = categories
        .iter()
        .map(|category| Question {
            query: query.clone(),
            category: *category,
            most,
        })
        .collect();
    let fetch = live_settings(settings)?.fetch;
    let answers = ask_all(&engines, &questions, keys, &fetch)?;
    let mut lists = Vec::new();
    let mut failed = Vec::new();
    let mut is_bad_setup = true;
    for (name, answer) in engines.iter().zip(answers) {
        lists.extend(answer.lists.into_iter().map(|(category, hits)| RankedList {
            engine: name.clone(),
            category,
            hits,
        }));
        if let Some(fault) = answer.fault {
            is_bad_setup &= fault.is_bad_setting();
            failed.push(FailedEngine {
                engine: name.clone(),
                why: format!("{fault}; {}", fault.remedy()),
            });
        }
    }
    let seeds: Vec<_> = merge(&lists, most).into_iter().map(FoundSeed::new).collect();
    if seeds.is_empty() {
        is_bad_setup &= failed.len() == engines.len();
        return Err(SeedSearchError::NothingFound {
            query,
            engines,
            failed,
            is_bad_setup,
        });
    }
    Ok(FoundSeeds {
        query,
        engines,
        categories: categories
            .iter()
            .map(|category| category.name().to_owned())
            .collect(),
        count: settings.seeds.count,
        seeds,
        failed,
    })
}

/// What each engine answers, in the order of the engines.
fn ask_all(
    engines: &[String],
    questions: &[Question],
    keys: &Keys,
    fetch: &FetchSettings,
) -> Result<Vec<EngineAnswer>, SeedSearchError> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(SeedSearchError::Network)?;
    runtime.block_on(async {
        let mut tasks = Vec::new();
        for name in engines {
            let given = match EngineSpec::parse(name) {
                None => Err(EngineFault::Unreadable {
                    why: format!("{name:?} is not a search engine"),
                }),
                Some(spec) => spec.engine(keys).map(|engine| (spec, engine)),
            };
            let questions = questions.to_vec();
            let fetch = fetch.clone();
            tasks.push(tokio::spawn(async move {
                match given {
                    Err(fault) => EngineAnswer {
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
            given.push(task.await.map_err(SeedSearchError::Lost)?);
        }
        Ok(given)
    })
}

/// Asks one engine all questions, one after the other.
async fn ask(
    spec: &EngineSpec,
    engine: &dyn Engine,
    questions: Vec<Question>,
    fetch: FetchSettings,
) -> EngineAnswer {
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
            return EngineAnswer {
                lists,
                fault: Some(fault),
            };
        }
    }
    EngineAnswer { lists, fault: None }
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

/// Whether a URL is of this machine. A proxy, most often elsewhere, could not reach it.
fn is_local(url: &CanonicalUrl) -> bool {
    let host = url.host().trim_matches(['[', ']']);
    let is_loopback = host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback());
    is_loopback || host == "localhost" || host.ends_with(".localhost")
}

/// How one engine is asked. An address that the user named is trusted, like a proxy's. No redirect is followed, so nothing
/// else is reached through it. An engine on this machine is asked directly, without the proxy.
fn engine_settings(spec: &EngineSpec, url: &CanonicalUrl, fetch: &FetchSettings) -> FetchSettings {
    let mut fetch = fetch.clone();
    if is_local(url) {
        fetch.proxy = None;
    }
    if spec.named_address().is_some() {
        fetch.allowed_nets = ["0.0.0.0/0", "::/0"]
            .iter()
            .filter_map(|net| net.parse::<IpNet>().ok())
            .collect();
    }
    fetch
}

fn fetcher(spec: &EngineSpec, request: &Request, fetch: &FetchSettings) -> Result<Fetcher, EngineFault> {
    let mut fetch = engine_settings(spec, &request.url, fetch);
    fetch.limits.sitemap_bytes = LARGEST_ANSWER;
    // Engines explain errors in the body, and bodies of errors are not decoded.
    let plain = ("accept-encoding", "identity");
    let sent = request
        .headers
        .iter()
        .map(|(name, value)| (*name, value.reveal()))
        .chain([plain]);
    for (name, value) in sent {
        let mut value = HeaderValue::from_str(value).map_err(|_| EngineFault::Unreachable {
            why: "the request could not be written".to_owned(),
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
            let is_safe = |secret: &&Secret| !to.origin().contains(secret.reveal());
            let is_shown = engine.secrets().iter().all(is_safe);
            return Err(EngineFault::Moved {
                to: is_shown.then(|| format!("{}/", to.origin())),
            });
        }
        other => return Err(unreached(other)),
    };
    let retry_after = fetched.retry_after.map(|after| match after {
        RetryAfter::Delay(delay) => delay,
        RetryAfter::At(moment) => moment.since(Clock::system().now()),
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

/// An error and its causes in one line.
fn with_causes(error: &dyn StdError) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(&format!(": {error}"));
        cause = error.source();
    }
    text
}

/// What an earlier crawl or a file contains.
fn look_up(spec: &EngineSpec, questions: &[Question]) -> EngineAnswer {
    let mut given = EngineAnswer {
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
    let urls = read_seeds(path).map_err(|error| with_causes(&error))?;
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
    let collection = Collection::open(folder).map_err(|error| with_causes(&error))?;
    let read = each_record(collection.view(), |_, record| {
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
    // Lines that are not records hold no hits.
    read.map_err(|error| with_causes(&error))?;
    Ok(ranking.into_hits())
}

#[cfg(test)]
mod tests {
    use scenthound_fetch::Proxy;

    use super::*;

    #[test]
    fn engines_on_this_machine_are_asked_without_the_proxy() {
        let local = |url: &str| is_local(&CanonicalUrl::parse(url).unwrap());
        assert!(local("http://127.0.0.1:8888/") && local("http://[::1]:8888/"));
        assert!(local("http://localhost/") && local("http://searx.localhost:8080/"));
        assert!(!local("http://10.0.0.1/") && !local("http://localhost.example.org/"));
        let fetch = FetchSettings {
            proxy: Some(Proxy::parse("http://proxy.test:3128").unwrap()),
            ..FetchSettings::new("test".to_owned())
        };
        let proxied = |engine: &str| {
            let spec = EngineSpec::parse(engine).unwrap();
            let url = spec.named_address().unwrap();
            engine_settings(&spec, url, &fetch).proxy.is_some()
        };
        assert!(!proxied("searxng=http://127.0.0.1:8888/"));
        assert!(proxied("searxng=https://searx.example.org/"));
    }

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
