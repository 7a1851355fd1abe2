//! Reports: those of crawls, and those that the lab wrote.
//!
//! A report is a page of its own with its own script. It is served with a policy that gives it no origin and no network, so
//! it can neither read nor change anything here, whoever wrote it.

use std::path::{Path as FilePath, PathBuf};

use axum::body::Body;
use axum::extract::State;
use axum::http::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderValue};
use axum::response::Response;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::extract::{Json, Path};
use super::{Answer, ApiError, Shared, json_response};

/// Larger files are not reports.
const MOST_BYTES: u64 = 64 << 20;
/// Files of one folder, at most.
const MOST_FILES: usize = 500;
/// What a report may do: show itself and sort its tables.
const POLICY: &str = "sandbox allow-scripts; default-src 'none'; style-src 'unsafe-inline'; \
    script-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'";

/// A file that can be shown.
#[derive(Debug, Serialize)]
pub(crate) struct ReportFile {
    name: String,
    bytes: u64,
    /// Seconds since 1970.
    modified: u64,
}

/// How a file is shown, by its ending.
fn kind(name: &str) -> Option<&'static str> {
    let (_, ending) = name.rsplit_once('.')?;
    match ending.to_ascii_lowercase().as_str() {
        "html" => Some("text/html; charset=utf-8"),
        "json" => Some("application/json"),
        "csv" | "txt" | "md" | "toml" | "jsonl" => Some("text/plain; charset=utf-8"),
        "svg" => Some("image/svg+xml"),
        _ => None,
    }
}

/// The files of a folder that can be shown, the newest first.
pub(crate) fn list(folder: &FilePath) -> std::io::Result<Vec<ReportFile>> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder)?.take(20 * MOST_FILES) {
        let entry = entry?;
        let Ok(name) = entry.file_name().into_string() else {
            continue;
        };
        // Not through a link: what is shown is in the folder.
        let metadata = entry.metadata()?;
        if !metadata.is_file() || kind(&name).is_none() || name.starts_with('.') {
            continue;
        }
        let modified = metadata
            .modified()
            .ok()
            .and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
        files.push(ReportFile {
            name,
            bytes: metadata.len(),
            modified: modified.map_or(0, |time| time.as_secs()),
        });
    }
    files.sort_by(|a, b| b.modified.cmp(&a.modified).then_with(|| a.name.cmp(&b.name)));
    files.truncate(MOST_FILES);
    Ok(files)
}

fn list_or_none(folder: &FilePath) -> Vec<ReportFile> {
    list(folder).unwrap_or_default()
}

/// `GET /crawls/{crawl}/files`.
pub(super) async fn of_crawl(State(served): Shared, Path(id): Path<String>) -> Answer {
    let bytes = served
        .read(move |served| {
            let crawl = served.crawl(&id)?;
            let files = list_or_none(&crawl.collection.view().layout().reports());
            super::json(&json!({ "files": files }))
        })
        .await?;
    Ok(json_response(bytes))
}

/// `GET /reports`: everything that can be shown, of crawls and of the lab.
pub(super) async fn all(State(served): Shared) -> Answer {
    let bytes = served
        .read(|served| {
            let of_crawls = served.crawls.iter().map(|crawl| {
                let layout = crawl.collection.view().layout();
                json!({ "id": crawl.id, "crawl": true, "files": list_or_none(&layout.reports()) })
            });
            let others = served.reports.iter().map(
                |folder| json!({ "id": folder.id, "crawl": false, "files": list_or_none(&folder.path) }),
            );
            super::json(&json!({ "folders": of_crawls.chain(others).collect::<Vec<_>>() }))
        })
        .await?;
    Ok(json_response(bytes))
}

/// `GET /crawls/{crawl}/files/{name}`.
pub(super) async fn read_of_crawl(State(served): Shared, Path((id, name)): Path<(String, String)>) -> Answer {
    served
        .read(move |served| {
            let crawl = served.crawl(&id)?;
            open(&crawl.collection.view().layout().reports(), &name)
        })
        .await
}

/// `GET /reports/{folder}/{name}`.
pub(super) async fn read(State(served): Shared, Path((id, name)): Path<(String, String)>) -> Answer {
    served
        .read(move |served| {
            let folder = served.reports.iter().find(|folder| folder.id == id);
            let folder =
                folder.ok_or_else(|| ApiError::not_found("no folder of reports has this name here"))?;
            open(&folder.path, &name)
        })
        .await
}

fn open(folder: &FilePath, name: &str) -> Answer {
    let none = || ApiError::not_found("there is no such report");
    // Only what the list shows, so that no name can lead out of the folder.
    let is_listed = list_or_none(folder).iter().any(|file| file.name == name);
    let kind = kind(name).filter(|_| is_listed).ok_or_else(none)?;
    let path: PathBuf = folder.join(name);
    let length = std::fs::metadata(&path).map_err(|_| none())?.len();
    if length > MOST_BYTES {
        return Err(ApiError::bad("this file is too large to be shown here"));
    }
    let bytes = std::fs::read(&path).map_err(ApiError::failed)?;
    let mut response = Response::new(Body::from(bytes));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    Ok(response)
}

/// A path to open in a frame or a new tab.
#[derive(Debug, Deserialize)]
pub(super) struct TicketRequest {
    path: String,
}

/// `POST /tickets`.
pub(super) async fn ticket(State(served): Shared, Json(request): Json<TicketRequest>) -> Answer {
    let is_report = request.path.starts_with("/api/v1/reports/")
        || (request.path.starts_with("/api/v1/crawls/") && request.path.contains("/files/"));
    if !is_report {
        return Err(ApiError::bad("tickets are for reports only"));
    }
    let ticket = served.tickets.issue(&request.path).map_err(ApiError::failed)?;
    Ok(json_response(super::json(&json!({ "ticket": ticket }))?))
}
