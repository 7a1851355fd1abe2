//! Words that the good pages suggest, and judging the pages again with what was changed.

use std::sync::Arc;

use axum::extract::State;
use scenthound::terms::{SuggestSettings, suggest_terms};
use scenthound::{CrawlState, JudgeKind, Rejudgement, StatusFile, StopHandle};
use scenthound_store::TermList;
use serde::Deserialize;
use serde_json::{Value, json};

use super::extract::{Json, Path};
use super::{Answer, ApiError, Shared, json_response};
use crate::crawl::{Job, ServedCrawl, lock};

/// `GET /crawls/{crawl}/suggestions`: what `hound terms suggest --json` finds, without what was dropped before.
pub(super) async fn suggest(State(served): Shared, Path(id): Path<String>) -> Answer {
    let bytes = served
        .read(move |served| {
            let crawl = served.crawl(&id)?;
            let settings = crawl
                .settings()
                .ok_or_else(|| ApiError::conflict("the crawl has no settings yet"))?;
            let found = match suggest_terms(&crawl.collection, &settings, &SuggestSettings::default()) {
                Err(error) if error.is_bad_input() => return Err(ApiError::conflict(error.to_string())),
                found => found.map_err(ApiError::failed)?,
            };
            let (_, steering) = crawl.steering()?;
            let mut value = serde_json::to_value(&found).map_err(ApiError::failed)?;
            for (name, list) in [("genre", TermList::Genre), ("content", TermList::Content)] {
                if let Some(terms) = value.get_mut(name).and_then(Value::as_array_mut) {
                    terms.retain(|candidate| {
                        let term = candidate["term"].as_str().unwrap_or_default();
                        let key = (list, term.to_owned());
                        !steering.unwanted.contains(&key) && !steering.topic.accepted.contains(&key)
                    });
                }
            }
            super::json(&value)
        })
        .await?;
    Ok(json_response(bytes))
}

/// `GET /crawls/{crawl}/rejudge`: how far it has come.
pub(super) async fn job(State(served): Shared, Path(id): Path<String>) -> Answer {
    let crawl = served.crawl(&id)?;
    let job = lock(&crawl.job).clone();
    Ok(json_response(super::json(&job)?))
}

/// How to judge the pages again.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct RejudgeRequest {
    /// Learn from the marks first. Only the judge topic can.
    learn: Option<bool>,
}

/// `POST /crawls/{crawl}/rejudge`: what `hound rejudge --learn` does, with everything that waits for it.
pub(super) async fn rejudge(
    State(served): Shared,
    Path(id): Path<String>,
    Json(request): Json<RejudgeRequest>,
) -> Answer {
    let bytes = served
        .read(move |served| {
            let crawl = served.crawl(&id)?;
            let status = crawl.status()?;
            if status.state == CrawlState::Running {
                return Err(ApiError::conflict(
                    "the crawl is running; ask it with POST …/steering and {\"kind\":\"rejudge\"}",
                ));
            }
            let settings = status
                .settings
                .as_ref()
                .ok_or_else(|| ApiError::conflict("the crawl has no settings yet"))?;
            let can_learn = settings.judge.kind == JudgeKind::Topic;
            let refused = |error: scenthound::RejudgeError| ApiError::conflict(error.to_string());
            let mut prepared = Rejudgement::same_topic(crawl.collection.folder(), &[]).map_err(refused)?;
            if request.learn.unwrap_or(can_learn) {
                prepared = prepared.learn().map_err(refused)?;
            }
            let total = prepared.attempts().map_err(refused)?;
            let stop = StopHandle::default();
            {
                let mut job = lock(&crawl.job);
                if job.is_running {
                    return Err(ApiError::conflict("the pages are being judged again already"));
                }
                *job = Job {
                    is_running: true,
                    total,
                    ..Job::default()
                };
            }
            *lock(&crawl.stop_job) = stop.clone();
            let working = Arc::clone(&crawl);
            let spawned = std::thread::Builder::new()
                .name("rejudge".into())
                .spawn(move || work(&working, prepared, &stop));
            if let Err(error) = spawned {
                lock(&crawl.job).is_running = false;
                return Err(ApiError::failed(error));
            }
            let job = lock(&crawl.job).clone();
            super::json(&job)
        })
        .await?;
    Ok(json_response(bytes))
}

fn work(crawl: &ServedCrawl, prepared: Rejudgement, stop: &StopHandle) {
    let result = prepared.run_and_suggest(stop, &mut |done| lock(&crawl.job).done = done);
    let (result, error) = match result {
        Err(error) => (None, Some(error.to_string())),
        Ok(None) => (None, Some("stopped; the crawl is as it was".to_owned())),
        Ok(Some((rejudged, suggested))) => {
            let layout = crawl.collection.view().layout();
            let kept = StatusFile::update_rejudged(layout, &rejudged);
            let result = json!({
                "generation": rejudged.generation, "judged": rejudged.judged,
                "relevant": rejudged.tally.relevant, "became_relevant": rejudged.became_relevant,
                "no_longer_relevant": rejudged.no_longer_relevant,
                "suggested_threshold": suggested.map(|suggested| suggested.threshold),
            });
            (Some(result), kept.err().map(|error| error.to_string()))
        }
    };
    crawl.forget();
    let mut job = lock(&crawl.job);
    job.is_running = false;
    (job.result, job.error) = (result, error);
}

/// `DELETE /crawls/{crawl}/rejudge`: stops it; the crawl stays as it was.
pub(super) async fn stop(State(served): Shared, Path(id): Path<String>) -> Answer {
    let crawl = served.crawl(&id)?;
    lock(&crawl.stop_job).stop();
    let job = lock(&crawl.job).clone();
    Ok(json_response(super::json(&job)?))
}
