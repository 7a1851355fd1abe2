//! Crawls as a whole: figures, curves, hosts.

use std::collections::BTreeMap;
use std::time::Duration;

use axum::extract::State;
use scenthound::{CrawlState, Status};
use scenthound_store::Steering;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::extract::{Path, Query};
use super::pages::{PageLine, rank_order};
use super::{Answer, ApiError, Shared, json_response};
use crate::crawl::{Job, ServedCrawl, lock};
use crate::index::{BINS, HostSums, PageIndex, Timeline};
use crate::state::Served;

/// An overview is made this often at most, however many ask for it.
const OVERVIEW_EVERY: Duration = Duration::from_millis(1_500);
/// Hosts in an overview.
const HOSTS: usize = 12;
/// Pages in an overview.
const BEST: usize = 8;

/// A crawl on one line, for lists and for events.
#[derive(Debug, Serialize)]
struct CrawlLine {
    id: String,
    folder: String,
    topic: Option<String>,
    state: CrawlState,
    paused: bool,
    ended: Option<String>,
    updated: String,
    pages: u64,
    relevant: u64,
    harvest_rate: f64,
    waiting: u64,
    leased: u64,
    bytes: u64,
    errors: u64,
    running_ms: u64,
    hosts: u64,
    max_pages: Option<u64>,
    actions: u64,
    generation: u32,
    marks: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    job: Option<Job>,
}

fn line(crawl: &ServedCrawl) -> Result<CrawlLine, ApiError> {
    let status = crawl.status()?;
    let (_, steering) = crawl.steering()?;
    let figures = &status.figures;
    let job = lock(&crawl.job).clone();
    let settings = status.settings.as_ref();
    Ok(CrawlLine {
        id: crawl.id.clone(),
        folder: crawl.collection.folder().display().to_string(),
        topic: settings.map(|settings| settings.topic.name.clone()),
        state: status.state,
        paused: steering.is_paused,
        ended: figures.ended.clone(),
        updated: figures.updated.clone(),
        pages: figures.pages,
        relevant: figures.relevant,
        harvest_rate: figures.harvest_rate,
        waiting: figures.waiting,
        leased: figures.leased,
        bytes: figures.bytes,
        errors: figures.errors,
        running_ms: figures.running_ms,
        hosts: figures.hosts,
        max_pages: settings.and_then(|settings| settings.crawl.max_pages),
        actions: steering.last,
        generation: figures.generation,
        marks: status.marks.relevant + status.marks.irrelevant,
        job: (job.is_running || job.result.is_some() || job.error.is_some()).then_some(job),
    })
}

fn lines(served: &Served) -> Value {
    let lines = served.crawls.iter().map(|crawl| match line(crawl) {
        Ok(line) => json!(line),
        // One folder that cannot be read must not hide the others.
        Err(error) => json!({ "id": crawl.id, "error": error.message }),
    });
    lines.collect()
}

/// The figures of all crawls, as events carry them.
pub(crate) fn tick(served: &Served) -> Result<String, ApiError> {
    Ok(json!({ "crawls": lines(served) }).to_string())
}

/// `GET /crawls`.
pub(super) async fn list(State(served): Shared) -> Answer {
    let bytes = served.read(|served| super::json(&lines(served))).await?;
    Ok(json_response(bytes))
}

/// `GET /crawls/{crawl}/status`: what `hound status --json` prints.
pub(super) async fn status(State(served): Shared, Path(id): Path<String>) -> Answer {
    let bytes = served
        .read(move |served| {
            let crawl = served.crawl(&id)?;
            let status = crawl.status()?;
            super::json(&status.report(crawl.collection.folder()))
        })
        .await?;
    Ok(json_response(bytes))
}

/// How many pages there are of a sort, and relevant ones among them.
#[derive(Debug, Default, Serialize)]
struct Share {
    pages: u64,
    relevant: u64,
}

/// Everything that the overview shows.
#[derive(Debug, Serialize)]
struct Overview<'a> {
    status: Value,
    settings: Value,
    steering: Value,
    threshold: Option<f64>,
    /// Page attempts and relevant pages among them, in the order of the crawl.
    curve: Vec<(u64, u64)>,
    timeline: &'a Timeline,
    /// Pages by relevance, in equal steps from 0 to 1.
    histogram: Vec<u64>,
    failures: &'a BTreeMap<String, u64>,
    genres: BTreeMap<&'a str, Share>,
    languages: BTreeMap<&'a str, Share>,
    depths: Vec<Share>,
    hosts: Vec<&'a HostSums>,
    host_count: usize,
    near_duplicates: usize,
    hidden: u64,
    best: Vec<PageLine<'a>>,
    job: Job,
    /// The share of the records that this was made from, until all are read.
    read: Option<f64>,
}

/// `GET /crawls/{crawl}/overview`.
pub(super) async fn overview(State(served): Shared, Path(id): Path<String>) -> Answer {
    let bytes = served
        .read(move |served| {
            let crawl = served.crawl(&id)?;
            crawl.answer("overview", OVERVIEW_EVERY, || make_overview(&crawl))
        })
        .await?;
    Ok(json_response(bytes))
}

fn make_overview(crawl: &ServedCrawl) -> Result<bytes::Bytes, ApiError> {
    let status = crawl.status()?;
    let (_, steering) = crawl.steering()?;
    let marks = crawl.marks()?;
    let index = crawl.index();
    let mut genres: BTreeMap<&str, Share> = BTreeMap::new();
    let mut languages: BTreeMap<&str, Share> = BTreeMap::new();
    let mut depths: Vec<Share> = Vec::new();
    let mut histogram = vec![0; BINS];
    let mut hidden = 0;
    for page in &index.pages {
        let add = |share: &mut Share| {
            share.pages += 1;
            share.relevant += u64::from(page.is_find);
        };
        let named = |number: u16| match index.names.name(number) {
            "" => "unknown",
            name => name,
        };
        if page.genre != u16::MAX {
            add(genres.entry(named(page.genre)).or_default());
        }
        add(languages.entry(named(page.language)).or_default());
        let depth = usize::from(page.depth).min(30);
        if depths.len() <= depth {
            depths.resize_with(depth + 1, Share::default);
        }
        depths.get_mut(depth).into_iter().for_each(add);
        if page.is_hidden {
            hidden += 1;
        } else {
            let bin = (page.relevance * BINS as f64) as usize;
            histogram
                .get_mut(bin.min(BINS - 1))
                .into_iter()
                .for_each(|bin| *bin += 1);
        }
    }
    let mut hosts: Vec<&HostSums> = index
        .hosts
        .iter()
        .filter(|host| host.pages + host.failed > 0)
        .collect();
    let host_count = hosts.len();
    hosts.sort_by(|a, b| {
        (b.relevant, b.pages)
            .cmp(&(a.relevant, a.pages))
            .then_with(|| a.host.cmp(&b.host))
    });
    hosts.truncate(HOSTS);
    let mut curve = index.curve.clone();
    let end = (index.attempts, index.relevant);
    if curve.last() != Some(&end) && end.0 > 0 {
        curve.push(end);
    }
    let mut best: Vec<u32> = (0_u32..)
        .zip(&index.pages)
        .filter(|(number, page)| !page.is_hidden && index.folding.original(*number).is_none())
        .map(|(number, _)| number)
        .collect();
    rank_order(&index, &mut best, BEST);
    best.truncate(BEST);
    let overview = Overview {
        status: report(crawl, &status)?,
        settings: settings(&status),
        steering: in_force(&steering),
        threshold: crawl.threshold(&steering),
        curve,
        timeline: &index.timeline,
        histogram,
        failures: &index.failures,
        genres,
        languages,
        depths,
        hosts,
        host_count,
        near_duplicates: index.folding.folded(),
        hidden,
        best: best
            .iter()
            .filter_map(|number| PageLine::of(&index, *number, &marks))
            .collect(),
        job: lock(&crawl.job).clone(),
        read: crawl.share_read(),
    };
    super::json(&overview)
}

fn report(crawl: &ServedCrawl, status: &Status) -> Result<Value, ApiError> {
    let mut report =
        serde_json::to_value(status.report(crawl.collection.folder())).map_err(ApiError::failed)?;
    // The overview has a curve of its own, counted from the records.
    if let Some(report) = report.as_object_mut() {
        report.remove("curve");
        report.insert("can_resume".to_owned(), status.can_resume.into());
        let warnings: Vec<String> = status.warnings.iter().map(ToString::to_string).collect();
        report.insert("warnings".to_owned(), warnings.into());
    }
    Ok(report)
}

/// The settings that people may want to see or change.
fn settings(status: &Status) -> Value {
    let Some(settings) = &status.settings else {
        return Value::Null;
    };
    let judge = &settings.judge;
    let weights = match judge.kind {
        scenthound::JudgeKind::Terms => json!({
            "genre-weight": judge.genre_weight,
            "content-weight": judge.content_weight,
            "genre-content-weight": judge.genre_content_weight,
            "url-weight": judge.url_weight,
        }),
        _ => json!({}),
    };
    json!({
        "topic": settings.topic.name,
        "query": settings.topic.query,
        "language": settings.topic.language.map(|language| language.code().to_owned()),
        "terms": {
            "genre": settings.terms.genre,
            "content": settings.terms.content,
            "url": settings.terms.url,
            "exclude": settings.terms.exclude,
        },
        "seeds": settings.seeds.urls.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "judge": judge.kind.name(),
        "learns": judge.kind == scenthound::JudgeKind::Topic,
        "strategy": settings.strategy.kind.name(),
        "delay_ms": u64::try_from(settings.crawl.delay.as_millis()).unwrap_or(u64::MAX),
        "threshold": judge.threshold,
        "weights": weights,
    })
}

/// What is in force, as programs read it.
pub(super) fn in_force(steering: &Steering) -> Value {
    let terms = |terms: &std::collections::BTreeSet<(scenthound_store::TermList, String)>| {
        let terms = terms
            .iter()
            .map(|(list, term)| json!({ "list": list, "term": term }));
        Value::from_iter(terms)
    };
    json!({
        "paused": steering.is_paused,
        "blocked": steering.blocked,
        "boosted": steering.boosted,
        "seeds": steering.seeds,
        "delay_ms": steering.delay.map(|delay| u64::try_from(delay.as_millis()).unwrap_or(u64::MAX)),
        "threshold": steering.topic.threshold,
        "weights": steering.topic.weights,
        "accepted": terms(&steering.topic.accepted),
        "dropped": terms(&steering.topic.dropped),
        "pending": steering.is_pending(),
        "rejudging": steering.wants_rejudging(),
    })
}

/// What to list of the hosts.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct HostsQuery {
    find: String,
    sort: String,
    offset: usize,
    limit: Option<usize>,
}

/// `GET /crawls/{crawl}/hosts`.
pub(super) async fn hosts(
    State(served): Shared,
    Path(id): Path<String>,
    Query(query): Query<HostsQuery>,
) -> Answer {
    let bytes = served
        .read(move |served| {
            let crawl = served.crawl(&id)?;
            let index: &PageIndex = &crawl.index();
            let mut hosts: Vec<&HostSums> = index
                .hosts
                .iter()
                .filter(|host| host.host.contains(&query.find))
                .collect();
            let key = |host: &HostSums| match query.sort.as_str() {
                "pages" => host.pages,
                "failed" => host.failed,
                "bytes" => host.bytes,
                _ => host.relevant,
            };
            hosts.sort_by(|a, b| key(b).cmp(&key(a)).then_with(|| b.pages.cmp(&a.pages)));
            let total = hosts.len();
            let limit = query.limit.unwrap_or(50).min(1_000);
            let shown: Vec<_> = hosts.into_iter().skip(query.offset).take(limit).collect();
            super::json(&json!({ "total": total, "hosts": shown }))
        })
        .await?;
    Ok(json_response(bytes))
}
