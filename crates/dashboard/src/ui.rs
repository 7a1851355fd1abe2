//! The front end: a few hand-made files, part of the program.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderValue};
use axum::response::Response;
use axum::routing::get;

use crate::state::Served;

const HTML: &str = "text/html; charset=utf-8";
const CSS: &str = "text/css; charset=utf-8";
const JS: &str = "text/javascript; charset=utf-8";
const SVG: &str = "image/svg+xml";

/// Each file: its path, its type and its text.
const FILES: &[(&str, &str, &str)] = &[
    ("/", HTML, include_str!("ui/index.html")),
    ("/app.css", CSS, include_str!("ui/app.css")),
    ("/icon.svg", SVG, include_str!("ui/icon.svg")),
    ("/app.js", JS, include_str!("ui/app.js")),
    ("/core.js", JS, include_str!("ui/core.js")),
    ("/charts.js", JS, include_str!("ui/charts.js")),
    ("/overview.js", JS, include_str!("ui/overview.js")),
    ("/pages.js", JS, include_str!("ui/pages.js")),
    ("/map.js", JS, include_str!("ui/map.js")),
    ("/steering.js", JS, include_str!("ui/steering.js")),
    ("/reports.js", JS, include_str!("ui/reports.js")),
    ("/interface.js", JS, include_str!("ui/interface.js")),
];

/// The paths of the front end.
pub(crate) fn router() -> Router<Arc<Served>> {
    FILES.iter().fold(Router::new(), |router, (path, kind, text)| {
        router.route(path, get(move || async move { file(kind, text) }))
    })
}

fn file(kind: &'static str, text: &'static str) -> Response {
    let mut response = Response::new(Body::from(text));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_file_contains_inline_code_or_names_another_site() {
        for (path, _, text) in FILES {
            assert!(!text.contains("innerHTML") && !text.contains("eval("), "{path}");
            assert!(!text.contains("https://"), "{path}");
            let without_namespace = text.replace("http://www.w3.org/2000/svg", "");
            assert!(!without_namespace.contains("http://"), "{path}");
            assert!(!text.contains(" style=") && !text.contains(" onclick="), "{path}");
        }
    }
}
