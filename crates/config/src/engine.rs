//! How a search engine is written: `brave`, `searxng=URL`, `collection=DIR`.
//!
//! Only the form is checked here. Whether a server responds, and whether there is a key for it, shows when it is queried.
//!
//! Invariant: an address with a password or a query, which may contain a key, is refused, and the message does not repeat
//! it. Settings are written to the crawl folder, and keys must not be.

use std::path::Path;

use url::Url;

use crate::fault::{Wrong, quoted};
use crate::kind::one_of;

/// The names of all engines.
const NAMES: &[&str] = &[
    "searxng",
    "brave",
    "google-cse",
    "marginalia",
    "collection",
    "file",
];

/// Reads an engine; relative paths start from `folder`.
pub(crate) fn read_engine(text: &str, folder: &Path) -> Result<String, Wrong> {
    let (name, at) = match text.split_once('=') {
        Some((name, at)) => (name.trim(), at.trim()),
        None => (text.trim(), ""),
    };
    one_of(name, NAMES)?;
    let no = |given: String, right: &str| Wrong::NotA {
        given,
        noun: "valid search engine",
        right: right.to_owned(),
    };
    match (name, at) {
        ("searxng", "") => Err(no(
            quoted(text),
            "searxng=URL with the address of a SearXNG server, such as searxng=http://127.0.0.1:8888",
        )),
        ("collection", "") => Err(no(
            quoted(text),
            "collection=DIR with the folder of an earlier crawl",
        )),
        ("file", "") => Err(no(quoted(text), "file=FILE with a file of URLs, one per line")),
        ("collection" | "file", path) => Ok(format!("{name}={}", folder.join(path).to_string_lossy())),
        (name, "") => Ok(name.to_owned()),
        (name, at) => {
            let url = Url::parse(at)
                .ok()
                .filter(|url| matches!(url.scheme(), "http" | "https") && url.host_str().is_some());
            let url =
                url.ok_or_else(|| no(quoted(text), &format!("{name}=URL with an http or https address")))?;
            let has_more = !url.username().is_empty()
                || url.password().is_some()
                || url.query().is_some()
                || url.fragment().is_some();
            if has_more {
                return Err(no(
                    format!("{name}=…"),
                    "the address alone, without user, password, query or fragment",
                ));
            }
            Ok(format!("{name}={url}"))
        }
    }
}
