//! The description of the interface, in the form of OpenAPI 3.1.
//!
//! One table describes all paths. A test asks for each of them, so that the table and the router cannot disagree.

use axum::http::HeaderMap;
use serde_json::{Map, Value, json};

use super::{Answer, json_response};

/// A parameter: its name, the type of its value and what it does.
type Parameter = (&'static str, &'static str, &'static str);

/// One operation.
pub(crate) struct Operation {
    /// `get`, `post` or `delete`.
    pub method: &'static str,
    /// The path, with parameters in braces.
    pub path: &'static str,
    /// What it is about, for grouping.
    pub tag: &'static str,
    /// What it does.
    pub about: &'static str,
    /// Parameters after the question mark.
    pub query: &'static [Parameter],
    /// An example of the body.
    pub body: Option<&'static str>,
}

const fn read(
    path: &'static str,
    tag: &'static str,
    about: &'static str,
    query: &'static [Parameter],
) -> Operation {
    Operation {
        method: "get",
        path,
        tag,
        about,
        query,
        body: None,
    }
}

const fn change(path: &'static str, about: &'static str, body: &'static str) -> Operation {
    Operation {
        method: "post",
        path,
        tag: "Steering",
        about,
        query: &[],
        body: Some(body),
    }
}

/// Everything there is.
pub(crate) const OPERATIONS: &[Operation] = &[
    read(
        "/api/v1/session",
        "Dashboard",
        "What this dashboard allows, and whether the request carried the token.",
        &[],
    ),
    read("/api/v1/openapi.json", "Dashboard", "This description.", &[]),
    read(
        "/api/v1/events",
        "Dashboard",
        "Server-sent events. Each `tick` has one line of figures for every crawl, as in /api/v1/crawls.",
        &[],
    ),
    read(
        "/metrics",
        "Dashboard",
        "The figures of all crawls in the text format of Prometheus.",
        &[],
    ),
    read(
        "/api/v1/crawls",
        "Crawls",
        "All crawls, one line of figures each.",
        &[],
    ),
    read(
        "/api/v1/crawls/{crawl}/status",
        "Crawls",
        "State, budgets and figures: what `hound status --json` prints.",
        &[],
    ),
    read(
        "/api/v1/crawls/{crawl}/overview",
        "Crawls",
        "Everything that the overview shows: figures, curves, histogram, hosts, failures, genres, languages, the best pages.",
        &[],
    ),
    read(
        "/api/v1/crawls/{crawl}/hosts",
        "Crawls",
        "Hosts with their sums.",
        &[
            ("find", "string", "A part of the name."),
            ("sort", "string", "relevant (default), pages, failed or bytes."),
            ("offset", "integer", "How many to skip."),
            ("limit", "integer", "How many to list, at most 1000."),
        ],
    ),
    read(
        "/api/v1/crawls/{crawl}/map",
        "Pages",
        "How pages were found: the columns of a table of pages. `parents` are places in the table, or -1.",
        &[(
            "limit",
            "integer",
            "How many pages, at most 50000. If there are more, the most relevant ones are shown with all pages on the way to them.",
        )],
    ),
    read(
        "/api/v1/crawls/{crawl}/pages",
        "Pages",
        "Pages, best first.",
        &[
            (
                "q",
                "string",
                "Words to search the text for. The best matches come first.",
            ),
            ("find", "string", "A part of the title or the URL."),
            ("host", "string", "Pages of this host and the hosts below it."),
            ("genre", "string", "Pages of this genre."),
            ("language", "string", "Pages in this language, by its code."),
            ("relevant", "string", "yes or no."),
            ("mark", "string", "relevant, irrelevant, any or none."),
            ("min", "number", "The least relevance."),
            ("max", "number", "The highest relevance."),
            ("depth", "integer", "Links away from a seed."),
            ("agent", "integer", "Pages that this agent found, counted from 1."),
            ("duplicates", "boolean", "List near-duplicates too."),
            ("hidden", "boolean", "List pages too that results leave out."),
            (
                "sort",
                "string",
                "relevance (default), worst, newest, oldest or depth. A search is always sorted by how well pages match.",
            ),
            ("offset", "integer", "How many to skip."),
            ("limit", "integer", "How many to list, at most 200."),
        ],
    ),
    read(
        "/api/v1/crawls/{crawl}/pages/{page}",
        "Pages",
        "One page: its record as in pages.jsonl, the way from the seed with the words of each link, and its near-duplicates.",
        &[],
    ),
    read(
        "/api/v1/crawls/{crawl}/pages/{page}/text",
        "Pages",
        "The main text of a page, from the archive.",
        &[],
    ),
    read(
        "/api/v1/crawls/{crawl}/explain",
        "Pages",
        "Everything known about a URL: what `hound explain --json` prints.",
        &[("url", "string", "The URL.")],
    ),
    read(
        "/api/v1/crawls/{crawl}/search",
        "Pages",
        "Full-text search: hits as `hound search --json` prints them.",
        &[
            ("q", "string", "The words to search for."),
            ("top", "integer", "How many hits, at most 200."),
        ],
    ),
    read(
        "/api/v1/crawls/{crawl}/label",
        "Pages",
        "The pages whose label would teach the most: nearest to the threshold, mixed over hosts.",
        &[
            ("limit", "integer", "How many, at most 200."),
            (
                "skip",
                "string",
                "Ids of pages to leave out, separated by commas.",
            ),
        ],
    ),
    read(
        "/api/v1/crawls/{crawl}/steering",
        "Steering",
        "What is in force, and everything that was asked of the crawl.",
        &[],
    ),
    change(
        "/api/v1/crawls/{crawl}/steering",
        "Asks something of the crawl. It is in the journal, on the disk, when the answer comes. Kinds: pause, resume, stop, add-seeds (urls), block-host, boost-host and release-host (host), delay (ms), threshold (threshold), weight (name, value), accept-term and drop-term (list, term), learn, undo (of).",
        "{\"kind\":\"block-host\",\"host\":\"example.org\"}",
    ),
    change(
        "/api/v1/crawls/{crawl}/marks",
        "Marks pages as relevant or irrelevant, or removes their marks with null.",
        "{\"pages\":[\"0123456789abcdef\"],\"mark\":\"relevant\"}",
    ),
    read(
        "/api/v1/crawls/{crawl}/suggestions",
        "Steering",
        "Terms that set the pages marked relevant, or the best pages, apart: what `hound terms suggest --json` prints.",
        &[],
    ),
    read(
        "/api/v1/crawls/{crawl}/rejudge",
        "Steering",
        "How far judging the pages again has come.",
        &[],
    ),
    change(
        "/api/v1/crawls/{crawl}/rejudge",
        "Judges all pages again with the threshold, weights and terms that were asked for, and learns from the marks first unless told otherwise. Only while the crawl is not running.",
        "{\"learn\":true}",
    ),
    Operation {
        method: "delete",
        path: "/api/v1/crawls/{crawl}/rejudge",
        tag: "Steering",
        about: "Stops judging the pages again. The crawl stays as it was.",
        query: &[],
        body: None,
    },
    read(
        "/api/v1/crawls/{crawl}/files",
        "Reports",
        "The reports of a crawl.",
        &[],
    ),
    read(
        "/api/v1/crawls/{crawl}/files/{name}",
        "Reports",
        "One report.",
        &[],
    ),
    read(
        "/api/v1/reports",
        "Reports",
        "All reports: those of crawls, and those of other folders, such as results of the lab.",
        &[],
    ),
    read(
        "/api/v1/reports/{folder}/{name}",
        "Reports",
        "One report of another folder.",
        &[],
    ),
    Operation {
        method: "post",
        path: "/api/v1/tickets",
        tag: "Reports",
        about: "A ticket with which one report can be opened for a minute without the token, as ?ticket=…: for frames and new tabs.",
        query: &[],
        body: Some("{\"path\":\"/api/v1/crawls/tea/files/report.html\"}"),
    },
];

/// `GET /openapi.json`.
pub(super) async fn description(_: HeaderMap) -> Answer {
    Ok(json_response(super::json(&describe())?))
}

fn describe() -> Value {
    let mut paths: Map<String, Value> = Map::new();
    for operation in OPERATIONS {
        let in_path = operation
            .path
            .split('/')
            .filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'))
            .map(|name| json!({ "name": name, "in": "path", "required": true, "schema": { "type": "string" } }));
        let in_query = operation.query.iter().map(|(name, kind, about)| {
            json!({ "name": name, "in": "query", "description": about, "schema": { "type": kind } })
        });
        let kind = match operation.path {
            "/metrics" => "text/plain",
            "/api/v1/events" => "text/event-stream",
            path if path.ends_with("{name}") => "*/*",
            _ => "application/json",
        };
        let mut described = json!({
            "tags": [operation.tag],
            "summary": operation.about,
            "parameters": in_path.chain(in_query).collect::<Vec<_>>(),
            "responses": {
                "200": { "description": "Done.", "content": { kind: {} } },
                "default": {
                    "description": "An error.",
                    "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Error" } } },
                },
            },
        });
        if let Some(example) = operation.body {
            let example: Value = serde_json::from_str(example).unwrap_or_default();
            described["requestBody"] = json!({
                "required": true,
                "content": { "application/json": { "schema": { "type": "object" }, "example": example } },
            });
        }
        if operation.method != "get" {
            described["security"] = json!([{ "token": [] }]);
        }
        let path = paths.entry(operation.path).or_insert_with(|| json!({}));
        path[operation.method] = described;
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Scenthound",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Crawls: their figures, pages and steering. Every change needs the token that was printed when the \
                dashboard started, as `Authorization: Bearer TOKEN`. On an address that other machines can reach, reading needs \
                it too.",
        },
        "paths": paths,
        "components": {
            "securitySchemes": { "token": { "type": "http", "scheme": "bearer" } },
            "schemas": {
                "Error": {
                    "type": "object",
                    "properties": {
                        "error": {
                            "type": "object",
                            "properties": { "code": { "type": "string" }, "message": { "type": "string" } },
                        },
                    },
                },
            },
        },
    })
}
