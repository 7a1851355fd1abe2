//! The HTTP interface under `/api/v1`.
//!
//! Answers are JSON. What a command prints with `--json` has the same form here. An error is an object with a `code` for
//! programs and a `message` for people.

mod crawls;
mod extract;
pub(crate) mod files;
mod map;
mod metrics;
mod openapi;
mod pages;
mod search;
mod steer;
mod words;

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{DefaultBodyLimit, State};
use axum::http::header::{CONTENT_TYPE, HeaderValue};
use axum::http::{HeaderMap, Method, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use bytes::Bytes;
use scenthound::CollectionError;
use serde::Serialize;

use crate::events::message;
use crate::state::Served;

pub(crate) use crawls::tick;

/// The largest body of a request.
pub(crate) const BODY_BYTES: usize = 1 << 20;

/// Why a request was not answered as hoped.
#[derive(Debug)]
pub(crate) struct ApiError {
    status: StatusCode,
    code: &'static str,
    pub message: String,
}

impl ApiError {
    pub fn new(status: StatusCode, code: &'static str, message: impl Into<String>) -> ApiError {
        ApiError {
            status,
            code,
            message: message.into(),
        }
    }

    /// Something in the folder could not be read or written.
    pub fn failed(error: impl std::error::Error) -> ApiError {
        let mut message = error.to_string();
        let mut source = error.source();
        while let Some(cause) = source {
            message.push_str(": ");
            message.push_str(&cause.to_string());
            source = cause.source();
        }
        ApiError::new(StatusCode::INTERNAL_SERVER_ERROR, "failed", message)
    }

    pub fn bad(message: impl Into<String>) -> ApiError {
        ApiError::new(StatusCode::BAD_REQUEST, "bad-request", message)
    }

    pub fn not_found(message: impl Into<String>) -> ApiError {
        ApiError::new(StatusCode::NOT_FOUND, "not-found", message)
    }

    pub fn conflict(message: impl Into<String>) -> ApiError {
        ApiError::new(StatusCode::CONFLICT, "conflict", message)
    }
}

impl From<CollectionError> for ApiError {
    fn from(error: CollectionError) -> ApiError {
        ApiError::failed(error)
    }
}

impl From<scenthound_store::Error> for ApiError {
    fn from(error: scenthound_store::Error) -> ApiError {
        ApiError::failed(error)
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let body = serde_json::json!({ "error": { "code": self.code, "message": self.message } });
        let mut response = json_response(Bytes::from(body.to_string()));
        *response.status_mut() = self.status;
        response
    }
}

/// A value as JSON.
fn json(value: &impl Serialize) -> Result<Bytes, ApiError> {
    serde_json::to_vec(value)
        .map(Bytes::from)
        .map_err(ApiError::failed)
}

fn json_response(bytes: Bytes) -> Response {
    let mut response = Response::new(Body::from(bytes));
    response
        .headers_mut()
        .insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

type Answer = Result<Response, ApiError>;
type Shared = State<Arc<Served>>;

/// All paths of the interface.
pub(crate) fn router() -> Router<Arc<Served>> {
    let crawl = Router::new()
        .route("/status", get(crawls::status))
        .route("/overview", get(crawls::overview))
        .route("/hosts", get(crawls::hosts))
        .route("/pages", get(pages::list))
        .route("/pages/{page}", get(pages::page))
        .route("/pages/{page}/text", get(pages::text))
        .route("/explain", get(pages::explain))
        .route("/search", get(search::search))
        .route("/map", get(map::map))
        .route("/label", get(pages::label))
        .route("/marks", post(steer::mark))
        .route("/steering", get(steer::state).post(steer::ask))
        .route("/suggestions", get(words::suggest))
        .route(
            "/rejudge",
            get(words::job).post(words::rejudge).delete(words::stop),
        )
        .route("/files", get(files::of_crawl))
        .route("/files/{name}", get(files::read_of_crawl));
    let api = Router::new()
        .route("/session", get(session))
        .route("/openapi.json", get(openapi::description))
        .route("/events", get(events))
        .route("/crawls", get(crawls::list))
        .nest("/crawls/{crawl}", crawl)
        .route("/reports", get(files::all))
        .route("/reports/{folder}/{name}", get(files::read))
        .route("/tickets", post(files::ticket))
        .fallback(unknown);
    Router::new()
        .nest("/api/v1", api)
        .route("/metrics", get(metrics::metrics))
        .method_not_allowed_fallback(wrong_method)
        .layer(DefaultBodyLimit::max(BODY_BYTES))
}

async fn unknown() -> ApiError {
    ApiError::not_found("there is no such path; /api/v1/openapi.json describes what there is")
}

async fn wrong_method(method: Method) -> ApiError {
    ApiError::new(
        StatusCode::METHOD_NOT_ALLOWED,
        "method",
        format!("this path does not take {method}"),
    )
}

/// What this dashboard allows, and whether the request carried the token.
async fn session(State(served): Shared, headers: HeaderMap) -> Answer {
    let guard = &served.guard;
    Ok(json_response(json(&serde_json::json!({
        "version": env!("CARGO_PKG_VERSION"),
        "read_only": guard.is_read_only(),
        "token_for_reading": guard.is_closed(),
        "has_token": guard.has_token(&headers),
    }))?))
}

/// A stream of server-sent events: `tick` with a line of figures for each crawl, whenever they change.
async fn events(State(served): Shared) -> Answer {
    let first = served.read(tick).await?;
    let Some(body) = served.hub.listen(message("tick", &first)) else {
        return Err(ApiError::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "busy",
            "too many clients are listening already",
        ));
    };
    let mut response = Response::new(body);
    response
        .headers_mut()
        .insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    Ok(response)
}
