//! The description of the interface, in the form of OpenAPI 3.1.
//!
//! One table describes all paths. A test asks for each of them, so that the table and the router cannot disagree.

use axum::http::HeaderMap;
use serde_json::{Map, Value, json};

use super::{Answer, json_response};

/// A parameter: its name, the type of its value and what it does. The types are those of OpenAPI; `count` is an integer that is
/// not negative, `small` one of at most a byte, a type with `!` is required, and `a|b` is a choice.
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
    /// The schema of the body, and an example.
    pub body: Option<(&'static str, &'static str)>,
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

const fn change(
    path: &'static str,
    about: &'static str,
    schema: &'static str,
    example: &'static str,
) -> Operation {
    Operation {
        method: "post",
        path,
        tag: "Steering",
        about,
        query: &[],
        body: Some((schema, example)),
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
            ("sort", "relevant|pages|failed|bytes", "The default is relevant."),
            ("offset", "count", "How many to skip."),
            ("limit", "count", "How many to list, at most 1000."),
        ],
    ),
    read(
        "/api/v1/crawls/{crawl}/map",
        "Pages",
        "How pages were found: the columns of a table of pages. `parents` are places in the table, or -1.",
        &[(
            "limit",
            "count",
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
                "Words to search the text for. The best matches come first. The status is 202 and the error has the code indexing while a first index is being built; ask again in a moment.",
            ),
            ("find", "string", "A part of the title or the URL."),
            ("host", "string", "Pages of this host and the hosts below it."),
            ("genre", "string", "Pages of this genre."),
            ("language", "string", "Pages in this language, by its code."),
            ("relevant", "yes|no", "Only relevant pages, or only others."),
            (
                "mark",
                "relevant|irrelevant|any|none",
                "Pages with this mark of yours.",
            ),
            ("min", "number", "The least relevance."),
            ("max", "number", "The highest relevance."),
            ("depth", "small", "Links away from a seed."),
            ("agent", "small", "Pages that this agent found, counted from 1."),
            ("duplicates", "boolean", "List near-duplicates too."),
            ("hidden", "boolean", "List pages too that results leave out."),
            (
                "sort",
                "relevance|worst|newest|oldest|depth",
                "The default is relevance, as in hound results. A search is always sorted by how well pages match.",
            ),
            ("offset", "count", "How many to skip."),
            ("limit", "count", "How many to list, at most 200."),
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
        &[("url", "string!", "The URL.")],
    ),
    read(
        "/api/v1/crawls/{crawl}/search",
        "Pages",
        "Full-text search: hits as `hound search --json` prints them.",
        &[
            ("q", "string!", "The words to search for."),
            ("top", "count", "How many hits, at most 200."),
        ],
    ),
    read(
        "/api/v1/crawls/{crawl}/label",
        "Pages",
        "The pages whose label would teach the most: nearest to the threshold, mixed over hosts.",
        &[
            ("limit", "count", "How many, at most 200."),
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
        "Asks something of the crawl. It is in the journal, on the disk, when the answer comes. Kinds: pause, resume, stop, add-seeds (urls), block-host, boost-host and release-host (host), delay (ms), threshold (threshold), weight (name, value), accept-term and drop-term (list, term), learn, rejudge, undo (of).",
        "Request",
        "{\"kind\":\"block-host\",\"host\":\"example.org\"}",
    ),
    change(
        "/api/v1/crawls/{crawl}/marks",
        "Marks pages as relevant or irrelevant, or removes their marks with null.",
        "Marks",
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
        "Judges all pages again with the threshold, weights and terms that were asked for, and learns from the marks first unless told otherwise. Only while the crawl is not running; ask a running one with the steering kind rejudge.",
        "Rejudge",
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
        body: Some(("Ticket", "{\"path\":\"/api/v1/crawls/tea/files/report.html\"}")),
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
            let required = kind.ends_with('!');
            json!({ "name": name, "in": "query", "description": about, "required": required, "schema": schema(kind) })
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
        if let Some((schema, example)) = operation.body {
            let schema = format!("#/components/schemas/{schema}");
            let example: Value = serde_json::from_str(example).unwrap_or_default();
            described["requestBody"] = json!({
                "required": true,
                "content": { "application/json": { "schema": { "$ref": schema }, "example": example } },
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
            "schemas": schemas(),
        },
    })
}

/// The schema of a parameter.
fn schema(kind: &str) -> Value {
    match kind.trim_end_matches('!') {
        "count" => json!({ "type": "integer", "minimum": 0, "maximum": u32::MAX }),
        "small" => json!({ "type": "integer", "minimum": 0, "maximum": u8::MAX }),
        choice if choice.contains('|') => {
            json!({ "type": "string", "enum": choice.split('|').collect::<Vec<_>>() })
        }
        other => json!({ "type": other }),
    }
}

/// What bodies and errors look like.
fn schemas() -> Value {
    let object = |properties: Value, required: &[&str]| json!({ "type": "object", "properties": properties, "required": required });
    let text = json!({ "type": "string" });
    let request = |kinds: &[&str], mut properties: Value| {
        let mut required: Vec<String> = vec!["kind".to_owned()];
        required.extend(
            properties
                .as_object()
                .into_iter()
                .flatten()
                .map(|(name, _)| name.clone()),
        );
        properties["kind"] = json!({ "enum": kinds });
        json!({ "type": "object", "properties": properties, "required": required })
    };
    let term = json!({ "list": { "enum": ["genre", "content", "exclude"] }, "term": { "type": "string", "minLength": 1, "maxLength": 200 } });
    let weight = json!({
        "name": { "enum": ["genre-weight", "content-weight", "genre-content-weight", "url-weight"] },
        "value": { "type": "number", "minimum": 0, "maximum": 1000 },
    });
    json!({
        "Request": { "oneOf": [
            request(&["pause", "resume", "stop", "learn", "rejudge"], json!({})),
            request(&["add-seeds"], json!({ "urls": { "type": "array", "items": text, "minItems": 1, "maxItems": 1000 } })),
            request(&["block-host", "boost-host", "release-host"], json!({ "host": text })),
            request(&["delay"], json!({ "ms": { "type": "integer", "minimum": 0, "maximum": 3_600_000 } })),
            request(&["threshold"], json!({ "threshold": { "type": "number", "exclusiveMinimum": 0, "maximum": 1 } })),
            request(&["weight"], weight),
            request(&["accept-term", "drop-term"], term),
            request(&["undo"], json!({ "of": { "type": "integer", "minimum": 1, "maximum": u32::MAX } })),
        ] },
        "Marks": object(
            json!({
                "pages": { "type": "array", "items": { "type": "string", "pattern": "^[0-9a-f]{1,16}$" }, "minItems": 1, "maxItems": 1000 },
                "mark": { "enum": ["relevant", "irrelevant", null] },
            }),
            &["pages"],
        ),
        "Rejudge": object(json!({ "learn": { "type": ["boolean", "null"] } }), &[]),
        "Ticket": object(json!({ "path": text }), &["path"]),
        "Error": object(
            json!({ "error": object(json!({ "code": text, "message": text }), &["code", "message"]) }),
            &["error"],
        ),
    })
}
