//! Reads answers: JSON from outside, with no assumptions about its form.
//!
//! A malformed item is left out. An answer without a list, or with only malformed items, is a fault, so that a change
//! in an engine's format is not mistaken for "nothing found".

use scenthound_types::CanonicalUrl;
use serde_json::Value;

use super::fault::EngineFault;
use super::{Hit, Secret};

/// Titles are cut to this many characters.
const LONGEST_TITLE: usize = 300;
/// Messages from an engine are cut to this many characters.
const LONGEST_SAYING: usize = 200;

/// Parses a body.
pub(super) fn parse(body: &[u8], remedy_for_html: &'static str) -> Result<Value, EngineFault> {
    let body = body.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(body);
    serde_json::from_slice(body).map_err(|error| {
        if body.trim_ascii_start().starts_with(b"<") {
            EngineFault::Html {
                remedy: remedy_for_html,
            }
        } else if error.is_eof() {
            EngineFault::CutShort
        } else {
            EngineFault::NotJson {
                line: error.line(),
                column: error.column(),
            }
        }
    })
}

/// The hits of a list whose items have a URL under the given name, and a `title`.
pub(super) fn hits(list: Option<&Value>, url: &str, wanted: &'static str) -> Result<Vec<Hit>, EngineFault> {
    let items = list
        .and_then(Value::as_array)
        .ok_or(EngineFault::Shape { wanted })?;
    let hits: Vec<Hit> = items
        .iter()
        .filter_map(|item| {
            let url = CanonicalUrl::parse(item.get(url)?.as_str()?).ok()?;
            let title = item.get("title").and_then(Value::as_str);
            let title = title.map(|title| plain(title, LONGEST_TITLE));
            Some(Hit {
                url,
                title: title.filter(|title| !title.is_empty()),
            })
        })
        .collect();
    if hits.is_empty() && !items.is_empty() {
        return Err(EngineFault::Shape { wanted });
    }
    Ok(hits)
}

/// What an engine says about its refusal, safe to show.
pub(super) fn said(answer: &Value, secrets: &[&Secret]) -> Option<String> {
    let error = answer.get("error");
    let places = [
        error.and_then(|error| error.get("message")),
        error.and_then(|error| error.get("detail")),
        error,
        answer.get("message"),
        answer.get("detail"),
    ];
    let text = places.into_iter().flatten().find_map(Value::as_str)?;
    let text = blanked(text, secrets);
    let text = plain(&text, LONGEST_SAYING);
    (!text.is_empty()).then_some(text)
}

/// A text with the keys blanked.
pub(super) fn blanked(text: &str, secrets: &[&Secret]) -> String {
    secrets
        .iter()
        .fold(text.to_owned(), |text, secret| secret.blank_in(&text))
}

/// One line without control characters, shortened if it is long.
fn plain(text: &str, longest: usize) -> String {
    let mut line = String::new();
    for word in text.split(|c: char| c.is_whitespace() || c.is_control()) {
        if line.chars().count() >= longest {
            break;
        }
        if !word.is_empty() {
            if !line.is_empty() {
                line.push(' ');
            }
            line.extend(word.chars().take(longest));
        }
    }
    line.chars().take(longest).collect()
}
