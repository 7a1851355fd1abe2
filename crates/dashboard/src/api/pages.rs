//! Pages: the ranked list, one page with everything about it, and the pages to label next.

use std::cmp::Ordering;
use std::collections::HashMap;

use axum::extract::State;
use axum::http::StatusCode;
use scenthound::{CanonicalUrl, PageRecord, Verdict, main_text_of_response, page_of_response};
use scenthound_store::{CrawlView, JudgementRecord, Via};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::extract::{Path, Query};
use super::{Answer, ApiError, Shared, json_response};
use crate::crawl::ServedCrawl;
use crate::follow::{read_at, read_line};
use crate::index::{KeyedMarks, Page, PageIndex, PageNumber, rfc3339};

/// Pages on one sheet of a list, at most.
pub(super) const MOST_LISTED: usize = 200;
/// Near-duplicates that are listed.
const MOST_DUPLICATES: usize = 50;
/// Steps of a path whose anchors are looked up: each one is a page to read from the archive.
const MOST_ANCHORS: usize = 40;
/// Characters of an archived text that are shown.
const MOST_TEXT: usize = 200_000;
/// Pages to label that are handed out together.
const TO_LABEL: usize = 20;

/// A page on one line of a list.
#[derive(Clone, Debug, Serialize)]
pub(super) struct PageLine<'a> {
    id: String,
    url: &'a str,
    title: &'a str,
    host: &'a str,
    relevance: f64,
    relevant: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    hidden: bool,
    #[serde(skip_serializing_if = "str::is_empty")]
    genre: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    language: &'a str,
    depth: u16,
    fetched_at: String,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    seed: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    mark: Option<Verdict>,
    near_duplicates: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    duplicate_of: Option<&'a str>,
    /// The part of the text that matches a search, in pieces: text, and whether it is a word of the query.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub snippet: Vec<(String, bool)>,
}

pub(super) fn page_id_of(page: &Page) -> String {
    format!("{:016x}", page.key)
}

impl<'a> PageLine<'a> {
    pub fn of(index: &'a PageIndex, number: PageNumber, marks: &KeyedMarks) -> Option<PageLine<'a>> {
        let page = index.page(number)?;
        Some(PageLine {
            id: page_id_of(page),
            url: &page.url,
            title: &page.title,
            host: index.host_of(page),
            relevance: page.relevance,
            relevant: page.is_relevant,
            hidden: page.is_hidden,
            genre: index.names.name(page.genre),
            language: index.names.name(page.language),
            depth: page.depth,
            fetched_at: rfc3339(page.fetched),
            seed: page.is_seed,
            mark: marks.get(&page.key).copied(),
            near_duplicates: index.folding.copies(number),
            duplicate_of: index
                .folding
                .original(number)
                .and_then(|original| index.page(original))
                .map(|page| &*page.url),
            snippet: Vec::new(),
        })
    }
}

/// Which pages to list, and how.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct PagesQuery {
    /// Words to search the text for.
    pub q: String,
    /// A part of the title or the URL.
    pub find: String,
    pub host: String,
    pub genre: String,
    pub language: String,
    /// `yes`, `no` or empty.
    pub relevant: String,
    /// `relevant`, `irrelevant`, `any`, `none` or empty.
    pub mark: String,
    pub min: Option<f64>,
    pub max: Option<f64>,
    pub depth: Option<u16>,
    pub agent: Option<u8>,
    pub duplicates: bool,
    pub hidden: bool,
    /// `relevance`, `worst`, `newest`, `oldest` or `depth`.
    pub sort: String,
    pub offset: usize,
    pub limit: Option<usize>,
}

impl PagesQuery {
    /// Refuses words that mean nothing here: whoever misspells a filter should not get all pages.
    pub fn check(&self) -> Result<(), ApiError> {
        let known: [(&str, &str, &[&str]); 3] = [
            ("relevant", &self.relevant, &["yes", "no"]),
            ("mark", &self.mark, &["relevant", "irrelevant", "any", "none"]),
            (
                "sort",
                &self.sort,
                &["relevance", "worst", "newest", "oldest", "depth"],
            ),
        ];
        for (name, value, values) in known {
            if !value.is_empty() && !values.contains(&value) {
                let values = values.join(", ");
                return Err(ApiError::bad(format!("{name} is {value:?}; it can be {values}")));
            }
        }
        Ok(())
    }

    pub fn limit(&self) -> usize {
        self.limit.unwrap_or(50).clamp(1, MOST_LISTED)
    }

    fn admits(&self, index: &PageIndex, number: PageNumber, page: &Page, marks: &KeyedMarks) -> bool {
        let is = |wanted: &str, found: &str| wanted.is_empty() || wanted.eq_ignore_ascii_case(found);
        (self.duplicates || index.folding.original(number).is_none())
            && (self.hidden || !page.is_hidden)
            && match self.relevant.as_str() {
                "yes" => page.is_relevant,
                "no" => !page.is_relevant,
                _ => true,
            }
            && match self.mark.as_str() {
                "" => true,
                "none" => !marks.contains_key(&page.key),
                "relevant" => marks.get(&page.key) == Some(&Verdict::Relevant),
                "irrelevant" => marks.get(&page.key) == Some(&Verdict::Irrelevant),
                _ => marks.contains_key(&page.key),
            }
            && self.min.is_none_or(|least| page.relevance >= least)
            && self.max.is_none_or(|most| page.relevance <= most)
            && self.depth.is_none_or(|depth| page.depth == depth)
            && self.agent.is_none_or(|agent| page.agent == agent)
            && is(&self.genre, index.names.name(page.genre))
            && is(&self.language, index.names.name(page.language))
            && (self.host.is_empty() || is_below(index.host_of(page), &self.host))
            && (self.find.is_empty() || contains(&page.title, &self.find) || contains(&page.url, &self.find))
    }

    fn order(&self, index: &PageIndex, a: &Page, b: &Page) -> Ordering {
        match self.sort.as_str() {
            "worst" => index.rank(b, a),
            "newest" => b.fetched.cmp(&a.fetched),
            "oldest" => a.fetched.cmp(&b.fetched),
            "depth" => a.depth.cmp(&b.depth).then(index.rank(a, b)),
            _ => index.rank(a, b),
        }
    }
}

/// Whether a host is another or below it.
pub(super) fn is_below(host: &str, above: &str) -> bool {
    let above = above.trim_start_matches('.');
    host.eq_ignore_ascii_case(above)
        || host
            .len()
            .checked_sub(above.len() + 1)
            .and_then(|start| host.get(start..))
            .is_some_and(|end| {
                end.strip_prefix('.')
                    .is_some_and(|end| end.eq_ignore_ascii_case(above))
            })
}

fn contains(text: &str, part: &str) -> bool {
    text.contains(part) || text.to_lowercase().contains(&part.to_lowercase())
}

/// Puts the best pages first, as far as they are wanted.
pub(super) fn rank_order(index: &PageIndex, numbers: &mut Vec<PageNumber>, wanted: usize) {
    sort_first(index, numbers, wanted, |a, b| index.rank(a, b));
}

fn sort_first(
    index: &PageIndex,
    numbers: &mut Vec<PageNumber>,
    wanted: usize,
    order: impl Fn(&Page, &Page) -> Ordering,
) {
    // Ties go to the page fetched earlier, as in `hound results`.
    let compare = |a: &PageNumber, b: &PageNumber| match (index.page(*a), index.page(*b)) {
        (Some(left), Some(right)) => order(left, right).then(a.cmp(b)),
        _ => a.cmp(b),
    };
    if wanted < numbers.len() {
        numbers.select_nth_unstable_by(wanted, compare);
        numbers.truncate(wanted);
    }
    numbers.sort_unstable_by(compare);
}

/// `GET /crawls/{crawl}/pages`.
pub(super) async fn list(
    State(served): Shared,
    Path(id): Path<String>,
    Query(query): Query<PagesQuery>,
) -> Answer {
    let bytes = served
        .read(move |served| {
            let crawl = served.crawl(&id)?;
            query.check()?;
            if !query.q.trim().is_empty() {
                return super::search::in_crawl(&crawl, &query);
            }
            let marks = crawl.marks()?;
            let index = crawl.index();
            let mut numbers: Vec<PageNumber> = (0..)
                .zip(&index.pages)
                .filter(|(number, page)| query.admits(&index, *number, page, &marks))
                .map(|(number, _)| number)
                .collect();
            let total = numbers.len();
            let end = query.offset.saturating_add(query.limit());
            sort_first(&index, &mut numbers, end, |a, b| query.order(&index, a, b));
            let pages: Vec<PageLine<'_>> = numbers
                .iter()
                .skip(query.offset)
                .take(query.limit())
                .filter_map(|number| PageLine::of(&index, *number, &marks))
                .collect();
            super::json(&json!({
                "total": total, "all": index.pages.len(), "offset": query.offset, "pages": pages,
                "read": crawl.share_read(),
            }))
        })
        .await?;
    Ok(json_response(bytes))
}

fn find<'a>(crawl: &ServedCrawl, index: &'a PageIndex, id: &str) -> Result<(PageNumber, &'a Page), ApiError> {
    let key = u64::from_str_radix(id, 16).ok();
    key.and_then(|key| index.find(key))
        .ok_or_else(|| match crawl.share_read() {
            // It may still come.
            Some(_) => ApiError::new(
                StatusCode::ACCEPTED,
                "slow",
                "the records of this crawl are still being read",
            ),
            None => ApiError::not_found("this crawl has read no page with this id"),
        })
}

/// The record of a page with its present judgement.
fn record_of(view: &CrawlView, index: &PageIndex, page: &Page) -> Result<PageRecord, ApiError> {
    let layout = view.layout();
    let mut record = read_at(layout, page.place).map_err(ApiError::failed)?;
    if let Some(place) = page.judged
        && let Ok(judgement) = read_line::<JudgementRecord>(&layout.judgements(index.generation), place)
        && judgement.url == record.url
    {
        record.judge_as(judgement);
    }
    Ok(record)
}

/// A page on the way from a seed.
#[derive(Debug, Serialize)]
struct Step<'a> {
    #[serde(flatten)]
    page: PageLine<'a>,
    via: Via,
    /// The words of the link that led here, if the page with the link is in the archive and has such a link.
    #[serde(skip_serializing_if = "Option::is_none")]
    anchor: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<f64>,
}

/// `GET /crawls/{crawl}/pages/{page}`: the record, the way from the seed and the near-duplicates.
pub(super) async fn page(State(served): Shared, Path((id, page)): Path<(String, String)>) -> Answer {
    let bytes = served
        .read(move |served| {
            let crawl = served.crawl(&id)?;
            let (_, steering) = crawl.steering()?;
            let threshold = crawl.threshold(&steering);
            let marks = crawl.marks()?;
            let view = crawl.collection.view();
            let index = crawl.index();
            let (number, page) = find(&crawl, &index, &page)?;
            let record = record_of(view, &index, page)?;
            let path = path(&crawl, &index, number, &marks);
            let others = index.folding.others(number);
            let duplicates: Vec<PageLine<'_>> = others
                .into_iter()
                .filter_map(|at| PageLine::of(&index, at, &marks))
                .take(MOST_DUPLICATES)
                .collect();
            let children = index
                .pages
                .iter()
                .filter(|other| other.parent == page.key)
                .count();
            super::json(&json!({
                "page": PageLine::of(&index, number, &marks),
                "threshold": threshold,
                "record": record,
                "path": path,
                "near_duplicates": duplicates,
                "led_to": children,
                "has_archive": record.archive.is_some(),
            }))
        })
        .await?;
    Ok(json_response(bytes))
}

fn path<'a>(
    crawl: &ServedCrawl,
    index: &'a PageIndex,
    number: PageNumber,
    marks: &KeyedMarks,
) -> Vec<Step<'a>> {
    let view = crawl.collection.view();
    let mut steps = Vec::new();
    let mut parent: Option<(&Page, PageRecord)> = None;
    for at in index.path_to(number) {
        let (Some(page), Some(line)) = (index.page(at), PageLine::of(index, at, marks)) else {
            continue;
        };
        let Ok(record) = read_at(view.layout(), page.place) else {
            continue;
        };
        let anchor = parent
            .as_ref()
            .filter(|_| steps.len() < MOST_ANCHORS)
            .and_then(|(from, record)| anchor(view, from, record, &page.url));
        steps.push(Step {
            page: line,
            via: record.via,
            anchor,
            score: record.score,
        });
        parent = Some((page, record));
    }
    steps
}

/// The words of the first link from one page to another.
fn anchor(view: &CrawlView, from: &Page, record: &PageRecord, to: &str) -> Option<String> {
    let url = CanonicalUrl::parse(&from.url).ok()?;
    let stored = view.record(record.archive.as_ref()?).ok()?;
    let parsed = page_of_response(&url, &stored.http()?)?;
    let link = parsed.links.iter().find(|link| link.url.as_str() == to)?;
    let words: Vec<&str> = (link.anchor.start..link.anchor.end)
        .take(30)
        .map(|position| parsed.text.spelling(position))
        .collect();
    Some(words.join(" "))
}

/// `GET /crawls/{crawl}/pages/{page}/text`: the main text, from the archive.
pub(super) async fn text(State(served): Shared, Path((id, page)): Path<(String, String)>) -> Answer {
    let bytes = served
        .read(move |served| {
            let crawl = served.crawl(&id)?;
            let view = crawl.collection.view();
            let index = crawl.index();
            let (_, page) = find(&crawl, &index, &page)?;
            let (place, url) = (page.place, page.url.clone());
            drop(index);
            let record = read_at(view.layout(), place).map_err(ApiError::failed)?;
            let gone = || ApiError::not_found("the page is not in the archive");
            let position = record.archive.as_ref().ok_or_else(gone)?;
            let url = CanonicalUrl::parse(&url).map_err(|_| gone())?;
            let stored = view.record(position)?;
            let response = stored.http().ok_or_else(gone)?;
            let found = main_text_of_response(&url, &response);
            let text: String = found.text.chars().take(MOST_TEXT).collect();
            super::json(&json!({
                "url": url.as_str(), "title": record.title, "language": record.language,
                "fetched_at": record.fetched_at, "text": text,
            }))
        })
        .await?;
    Ok(json_response(bytes))
}

/// A URL to explain.
#[derive(Debug, Deserialize)]
pub(super) struct ExplainQuery {
    url: String,
}

/// `GET /crawls/{crawl}/explain`: what `hound explain --json` prints.
pub(super) async fn explain(
    State(served): Shared,
    Path(id): Path<String>,
    Query(query): Query<ExplainQuery>,
) -> Answer {
    let bytes = served
        .read(move |served| {
            let crawl = served.crawl(&id)?;
            let url = CanonicalUrl::parse(query.url.trim())
                .map_err(|fault| ApiError::bad(format!("this is not an absolute URL: {fault}")))?;
            super::json(&crawl.collection.explain(&url)?)
        })
        .await?;
    Ok(json_response(bytes))
}

/// How many pages to label.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct LabelQuery {
    limit: Option<usize>,
    /// Ids of pages to leave out, separated by commas: those that were skipped.
    skip: String,
}

/// `GET /crawls/{crawl}/label`: the pages whose label would teach the most.
///
/// A judge is least sure about pages near the threshold, so these come first. One page of each host comes before the second of
/// any: pages of one host are alike, and labelling them all teaches little.
pub(super) async fn label(
    State(served): Shared,
    Path(id): Path<String>,
    Query(query): Query<LabelQuery>,
) -> Answer {
    let bytes = served
        .read(move |served| {
            let crawl = served.crawl(&id)?;
            let (_, steering) = crawl.steering()?;
            let threshold = crawl.threshold(&steering).unwrap_or(0.5);
            let marks = crawl.marks()?;
            let index = crawl.index();
            let skipped: Vec<u64> = query
                .skip
                .split(',')
                .filter_map(|id| u64::from_str_radix(id, 16).ok())
                .collect();
            let mut numbers: Vec<PageNumber> = (0..)
                .zip(&index.pages)
                .filter(|(number, page)| {
                    !page.is_hidden
                        && index.folding.original(*number).is_none()
                        && !marks.contains_key(&page.key)
                        && !skipped.contains(&page.key)
                })
                .map(|(number, _)| number)
                .collect();
            let left = numbers.len();
            let far = |page: &Page| (page.relevance - threshold).abs();
            sort_first(&index, &mut numbers, 2_000, |a, b| far(a).total_cmp(&far(b)));
            let mut of_host: HashMap<u32, usize> = HashMap::new();
            let mut rounds: Vec<(usize, usize, PageNumber)> = Vec::with_capacity(numbers.len());
            for (place, number) in numbers.into_iter().enumerate() {
                let host = index.page(number).map_or(u32::MAX, |page| page.host);
                let round = of_host.entry(host).or_default();
                rounds.push((*round, place, number));
                *round += 1;
            }
            rounds.sort_unstable();
            let pages: Vec<PageLine<'_>> = rounds
                .into_iter()
                .take(query.limit.unwrap_or(TO_LABEL).clamp(1, MOST_LISTED))
                .filter_map(|(.., number)| PageLine::of(&index, number, &marks))
                .collect();
            let count = |side: Verdict| marks.values().filter(|mark| **mark == side).count();
            super::json(&json!({
                "threshold": threshold, "left": left, "pages": pages, "read": crawl.share_read(),
                "marked": { "relevant": count(Verdict::Relevant), "irrelevant": count(Verdict::Irrelevant) },
            }))
        })
        .await?;
    Ok(json_response(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_below_itself_and_its_domain_but_not_below_a_part_of_a_name() {
        assert!(is_below("tea.example.org", "example.org"));
        assert!(is_below("example.org", "EXAMPLE.org"));
        assert!(!is_below("badexample.org", "example.org"));
        assert!(!is_below("org", "example.org"));
    }
}
