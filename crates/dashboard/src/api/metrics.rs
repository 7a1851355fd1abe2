//! `GET /metrics`: the figures of all crawls in the text format of Prometheus.

use std::fmt::Write;

use axum::body::Body;
use axum::extract::State;
use axum::http::header::{CONTENT_TYPE, HeaderValue};
use axum::response::Response;
use scenthound::{CrawlState, Status};

use super::{Answer, Shared};
use crate::state::Served;

/// A figure: its name, its type, what it says and where it comes from.
type Figure = (&'static str, &'static str, &'static str, fn(&Status) -> f64);

const FIGURES: &[Figure] = &[
    (
        "scenthound_pages_total",
        "counter",
        "Page attempts settled.",
        |status| status.figures.pages as f64,
    ),
    (
        "scenthound_pages_read_total",
        "counter",
        "Pages read.",
        |status| status.figures.bodies as f64,
    ),
    (
        "scenthound_relevant_pages",
        "gauge",
        "Pages judged relevant. Judging again may lower it.",
        |status| status.figures.relevant as f64,
    ),
    (
        "scenthound_received_bytes_total",
        "counter",
        "Bytes received.",
        |status| status.figures.bytes as f64,
    ),
    (
        "scenthound_errors_total",
        "counter",
        "Page attempts that failed.",
        |status| status.figures.errors as f64,
    ),
    (
        "scenthound_running_seconds_total",
        "counter",
        "Running time over all runs.",
        |status| status.figures.running_ms as f64 / 1000.0,
    ),
    ("scenthound_known_urls", "gauge", "URLs ever seen.", |status| {
        status.figures.known as f64
    }),
    (
        "scenthound_waiting_urls",
        "gauge",
        "URLs in the queue.",
        |status| status.figures.waiting as f64,
    ),
    (
        "scenthound_requests_in_flight",
        "gauge",
        "Requests under way.",
        |status| status.figures.leased as f64,
    ),
    ("scenthound_hosts", "gauge", "Hosts ever seen.", |status| {
        status.figures.hosts as f64
    }),
    (
        "scenthound_hosts_resting",
        "gauge",
        "Hosts left alone for now.",
        |status| status.figures.hosts_resting as f64,
    ),
    (
        "scenthound_running",
        "gauge",
        "1 while the crawl runs.",
        |status| f64::from(u8::from(status.state == CrawlState::Running)),
    ),
];

/// `GET /metrics`.
pub(super) async fn metrics(State(served): Shared) -> Answer {
    let text = served.read(|served| Ok(write(served))).await?;
    let mut response = Response::new(Body::from(text));
    let kind = HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");
    response.headers_mut().insert(CONTENT_TYPE, kind);
    Ok(response)
}

fn write(served: &Served) -> String {
    let statuses: Vec<_> = served
        .crawls
        .iter()
        .filter_map(|crawl| Some((&crawl.id, crawl.status().ok()?)))
        .collect();
    let mut text = String::new();
    // Writing to a string cannot fail.
    for (name, kind, about, figure) in FIGURES {
        let _ = writeln!(text, "# HELP {name} {about}\n# TYPE {name} {kind}");
        for (id, status) in &statuses {
            let _ = writeln!(text, "{name}{{crawl=\"{id}\"}} {}", figure(status));
        }
    }
    let name = "scenthound_outcomes_total";
    let _ = writeln!(
        text,
        "# HELP {name} Page attempts by outcome code.\n# TYPE {name} counter"
    );
    for (id, status) in &statuses {
        for (code, count) in &status.figures.outcomes {
            let code: String = code
                .chars()
                .filter(|c| c.is_ascii_alphanumeric() || *c == '-')
                .collect();
            let _ = writeln!(text, "{name}{{crawl=\"{id}\",outcome=\"{code}\"}} {count}");
        }
    }
    let _ = writeln!(
        text,
        "# HELP scenthound_dashboard_clients Clients that listen to events.\n# TYPE scenthound_dashboard_clients gauge\n\
         scenthound_dashboard_clients {}",
        served.hub.clients()
    );
    text
}
