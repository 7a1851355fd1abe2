//! What people ask of a crawl: written to its journal first, answered then.

use axum::extract::State;
use scenthound::{CanonicalUrl, CrawlState, JudgeKind, Settings, Verdict, now};
use scenthound_store::{Action, MarkedPage, Request, Steering, TermList};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::crawls::in_force;
use super::extract::{Json, Path};
use super::{Answer, ApiError, Shared, json_response};
use crate::crawl::ServedCrawl;

/// URLs in one request.
const MOST_URLS: usize = 1_000;
/// Actions that are listed, the newest first.
const MOST_ACTIONS: usize = 500;
/// The longest delay, in milliseconds.
const LONGEST_DELAY: u64 = 3_600_000;
/// The longest term, in characters.
const LONGEST_TERM: usize = 200;
/// Settings of the judge that are weights.
const WEIGHTS: [&str; 4] = [
    "genre-weight",
    "content-weight",
    "genre-content-weight",
    "url-weight",
];

/// An action as it is listed.
#[derive(Debug, Serialize)]
struct Listed<'a> {
    #[serde(flatten)]
    action: &'a Action,
    undone: bool,
    can_undo: bool,
}

fn listed<'a>(actions: &'a [Action], steering: &Steering) -> Vec<Listed<'a>> {
    actions
        .iter()
        .rev()
        .take(MOST_ACTIONS)
        .map(|action| {
            let undone = steering.undone.contains(&action.id);
            Listed {
                action,
                undone,
                can_undo: !undone && why_not_undone(actions, action).is_none(),
            }
        })
        .collect()
}

/// `GET /crawls/{crawl}/steering`: what is in force, and everything that was asked.
pub(super) async fn state(State(served): Shared, Path(id): Path<String>) -> Answer {
    let bytes = served
        .read(move |served| {
            let crawl = served.crawl(&id)?;
            let (actions, steering) = crawl.steering()?;
            super::json(&json!({
                "in_force": in_force(&steering),
                "threshold": crawl.threshold(&steering),
                "actions": listed(&actions, &steering),
            }))
        })
        .await?;
    Ok(json_response(bytes))
}

/// Why an action cannot be undone.
fn why_not_undone(actions: &[Action], action: &Action) -> Option<&'static str> {
    let is_of_topic = matches!(
        action.request,
        Request::Threshold { .. }
            | Request::Weight { .. }
            | Request::AcceptTerm { .. }
            | Request::DropTerm { .. }
    );
    let was_adopted = |later: &Action| {
        matches!(later.request, Request::Rejudged { upto: None, .. }) && later.id > action.id
    };
    if !action.request.can_be_undone() {
        Some("this cannot be undone")
    } else if is_of_topic && actions.iter().any(was_adopted) {
        Some("the pages were judged again with other settings since, which replaced this")
    } else {
        None
    }
}

/// `POST /crawls/{crawl}/steering`.
pub(super) async fn ask(
    State(served): Shared,
    Path(id): Path<String>,
    Json(request): Json<Request>,
) -> Answer {
    let bytes = served
        .read(move |served| {
            let crawl = served.crawl(&id)?;
            let view = crawl.collection.view();
            let request = checked(&crawl, request)?;
            let action = view.ask(request, now())?;
            if let Request::Undo { of } = action.request {
                redo_marks(&crawl, of, true)?;
            }
            crawl.forget();
            let (actions, steering) = crawl.steering()?;
            super::json(&json!({
                "action": action, "in_force": in_force(&steering), "actions": listed(&actions, &steering),
            }))
        })
        .await?;
    Ok(json_response(bytes))
}

/// Refuses what makes no sense, and brings names and URLs into their usual form.
fn checked(crawl: &ServedCrawl, request: Request) -> Result<Request, ApiError> {
    let is_running = || -> Result<bool, ApiError> { Ok(crawl.status()?.state == CrawlState::Running) };
    if crawl.collection.nodes().is_some() && !matches!(request, Request::Undo { .. }) {
        return Err(ApiError::conflict(
            "these are the pages of several nodes; steer each node in its own folder",
        ));
    }
    Ok(match request {
        Request::Pause | Request::Resume => request,
        Request::Stop if !is_running()? => {
            return Err(ApiError::conflict("the crawl is not running"));
        }
        Request::Stop => request,
        Request::Learn => {
            let settings = crawl.settings();
            if settings.is_none_or(|settings| settings.judge.kind != JudgeKind::Topic) {
                return Err(ApiError::conflict(
                    "the judge of this crawl does not learn; only the judge topic does",
                ));
            }
            if !is_running()? {
                return Err(ApiError::conflict(
                    "the crawl is not running; judge its pages again to learn from the marks",
                ));
            }
            request
        }
        Request::Rejudge if !is_running()? => {
            return Err(ApiError::conflict(
                "the crawl is not running; judge its pages again with POST …/rejudge",
            ));
        }
        Request::Rejudge => request,
        Request::AddSeeds { urls } => Request::AddSeeds {
            urls: canonical(&urls)?,
        },
        Request::BlockHost { host } => Request::BlockHost {
            host: host_name(&host)?,
        },
        Request::BoostHost { host } => Request::BoostHost {
            host: host_name(&host)?,
        },
        Request::ReleaseHost { host } => Request::ReleaseHost {
            host: host_name(&host)?,
        },
        Request::Delay { ms } if ms > LONGEST_DELAY => {
            return Err(ApiError::bad("the delay must be at most an hour"));
        }
        Request::Delay { .. } => request,
        Request::Threshold { threshold } => {
            if !(threshold > 0.0 && threshold <= 1.0) {
                return Err(ApiError::bad("the threshold must be above 0 and at most 1"));
            }
            let settings = crawl.settings();
            if settings.is_some_and(|settings| settings.judge.kind == JudgeKind::Query) {
                return Err(ApiError::conflict(
                    "the judge query has no threshold: a page contains the query or it does not",
                ));
            }
            request
        }
        Request::Weight { ref name, value } => {
            let settings = crawl.settings();
            if settings.is_none_or(|settings| settings.judge.kind != JudgeKind::Terms) {
                return Err(ApiError::conflict(
                    "the judge of this crawl has no weights; only the judge terms does",
                ));
            }
            if !WEIGHTS.contains(&name.as_str()) || !(0.0..=1000.0).contains(&value) {
                return Err(ApiError::bad(format!(
                    "a weight is one of {} and a number from 0 to 1000",
                    WEIGHTS.join(", ")
                )));
            }
            request
        }
        Request::AcceptTerm { list, term } => Request::AcceptTerm {
            list,
            term: checked_term(&term)?,
        },
        Request::DropTerm { list, term } => {
            let term = checked_term(&term)?;
            let is_topic = |settings: Settings| list == TermList::Content && settings.topic.name == term;
            if crawl.settings().is_some_and(is_topic) {
                return Err(ApiError::conflict(
                    "this is the topic itself; drop other words, or start a crawl with another topic",
                ));
            }
            Request::DropTerm { list, term }
        }
        Request::Undo { of } => {
            let (actions, steering) = crawl.steering()?;
            let action = actions.iter().find(|action| action.id == of);
            let action = action.ok_or_else(|| ApiError::not_found("there is no such action"))?;
            if steering.undone.contains(&of) {
                return Err(ApiError::conflict("this is undone already"));
            }
            if let Some(why) = why_not_undone(&actions, action) {
                return Err(ApiError::conflict(why));
            }
            request
        }
        Request::Mark { .. } => return Err(ApiError::bad("mark pages with POST …/marks")),
        _ => return Err(ApiError::bad("this cannot be asked for")),
    })
}

fn canonical(urls: &[String]) -> Result<Vec<String>, ApiError> {
    if urls.is_empty() || urls.len() > MOST_URLS {
        return Err(ApiError::bad(format!("give from 1 to {MOST_URLS} URLs")));
    }
    urls.iter()
        .map(|url| {
            CanonicalUrl::parse(url.trim())
                .map(|url| url.to_string())
                .map_err(|fault| ApiError::bad(format!("{} is not an absolute URL: {fault}", url.trim())))
        })
        .collect()
}

/// A host's name as URLs have it.
fn host_name(name: &str) -> Result<String, ApiError> {
    let name = name.trim().trim_end_matches('.');
    let shown: String = name.chars().take(100).collect();
    let bad = || ApiError::bad(format!("“{shown}” is not the name of a host"));
    if name.is_empty() || name.contains(['/', '@', '?', '#', ':', '\\']) || name.contains(char::is_whitespace)
    {
        return Err(bad());
    }
    let url = CanonicalUrl::parse(&format!("http://{name}/")).map_err(|_| bad())?;
    Ok(url.host().to_owned())
}

fn checked_term(term: &str) -> Result<String, ApiError> {
    let term = term.split_whitespace().collect::<Vec<_>>().join(" ");
    let length = term.chars().count();
    if length == 0 || length > LONGEST_TERM || term.chars().any(char::is_control) {
        return Err(ApiError::bad(format!(
            "a term has from 1 to {LONGEST_TERM} characters"
        )));
    }
    Ok(term)
}

/// Pages to mark.
#[derive(Debug, Deserialize)]
pub(super) struct MarkRequest {
    /// Ids of pages.
    pages: Vec<String>,
    /// The mark; none to remove it.
    mark: Option<Verdict>,
}

/// `POST /crawls/{crawl}/marks`.
pub(super) async fn mark(
    State(served): Shared,
    Path(id): Path<String>,
    Json(request): Json<MarkRequest>,
) -> Answer {
    let bytes = served
        .read(move |served| {
            let crawl = served.crawl(&id)?;
            let view = crawl.collection.view();
            if request.pages.is_empty() || request.pages.len() > MOST_URLS {
                return Err(ApiError::bad(format!("give from 1 to {MOST_URLS} pages")));
            }
            let urls: Vec<String> = {
                let index = crawl.index();
                let urls: Option<Vec<String>> = request
                    .pages
                    .iter()
                    .map(|id| {
                        let (_, page) = index.find(u64::from_str_radix(id, 16).ok()?)?;
                        Some(page.url.to_string())
                    })
                    .collect();
                urls.ok_or_else(|| ApiError::not_found("only pages that were read can be marked"))?
            };
            let mut pages = Vec::with_capacity(urls.len());
            let marks = view.change_marks(|marks| {
                for url in urls {
                    let before = match request.mark {
                        Some(mark) => marks.insert(url.clone(), mark),
                        None => marks.remove(&url),
                    };
                    pages.push(MarkedPage {
                        url,
                        before,
                        mark: request.mark,
                    });
                }
            })?;
            let action = view.ask(Request::Mark { pages }, now())?;
            let count = |side: Verdict| marks.values().filter(|mark| **mark == side).count();
            crawl.forget();
            super::json(&json!({
                "action": action,
                "marked": { "relevant": count(Verdict::Relevant), "irrelevant": count(Verdict::Irrelevant) },
            }))
        })
        .await?;
    Ok(json_response(bytes))
}

/// Brings the marks in line after an action was undone, or was brought back by undoing its undo.
fn redo_marks(crawl: &ServedCrawl, id: u64, is_undoing: bool) -> Result<(), ApiError> {
    let (actions, _) = crawl.steering()?;
    let mut at = id;
    let mut is_undoing = is_undoing;
    // An undo names an earlier action, so this ends.
    while let Some(action) = actions.iter().find(|action| action.id == at) {
        match &action.request {
            Request::Undo { of } if *of < at => {
                is_undoing = !is_undoing;
                at = *of;
            }
            Request::Mark { pages } => {
                crawl.collection.view().change_marks(|marks| {
                    for page in pages {
                        match if is_undoing { page.before } else { page.mark } {
                            Some(mark) => marks.insert(page.url.clone(), mark),
                            None => marks.remove(&page.url),
                        };
                    }
                })?;
                break;
            }
            _ => break,
        }
    }
    Ok(())
}
