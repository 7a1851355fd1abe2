//! From responses in archives to parsed pages, the same way for every command that reads pages it has at hand.

use std::path::Path;

use scenthound_parse::{Limits, MainText, PageInput, main_text, parse};
use scenthound_store::{Error as StoreError, HttpResponse, WarcReader, WarcRecord, read_response};
use scenthound_types::{CanonicalUrl, Documents, ParsedPage, Readable, media_type};

/// The page in a response with status 200, if its content type is one that is read.
pub fn page_of_response(url: &CanonicalUrl, response: &HttpResponse<'_>) -> Option<ParsedPage> {
    if response.status != 200 {
        return None;
    }
    let limits = Limits {
        // For judges that want it.
        main_text: true,
        ..Limits::default()
    };
    let content_type = response.header("content-type");
    let body = response.body(limits.body_bytes);
    if !Readable::is_page(content_type, &body.bytes, Documents::Read) {
        return None;
    }
    let input = PageInput {
        url,
        content_type,
        body: &body.bytes,
        truncated: !body.faults.is_empty(),
    };
    Some(parse(&input, &limits))
}

/// The main text of a response, for people and for searching.
pub fn main_text_of_response(url: &CanonicalUrl, response: &HttpResponse<'_>) -> MainText {
    let body = response.body(Limits::default().body_bytes);
    main_text(&PageInput {
        url,
        content_type: response.header("content-type"),
        body: &body.bytes,
        truncated: !body.faults.is_empty(),
    })
}

/// The same, but only for a response that is declared as HTML or declares no type.
pub(crate) fn html_of_response(url: &CanonicalUrl, response: &HttpResponse<'_>) -> Option<ParsedPage> {
    let kind = response.header("content-type").and_then(media_type);
    let is_html = kind.is_none_or(|kind| {
        kind.eq_ignore_ascii_case("text/html") || kind.eq_ignore_ascii_case("application/xhtml+xml")
    });
    is_html.then(|| page_of_response(url, response)).flatten()
}

/// Whether to read on in an archive.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Flow {
    Continue,
    Stop,
}

/// Visits the responses of an archive. Damaged records are skipped; the first fault is returned.
pub(crate) fn each_response(
    path: &Path,
    mut visit: impl FnMut(CanonicalUrl, &WarcRecord) -> Flow,
) -> Result<Option<StoreError>, StoreError> {
    let mut damage = None;
    for record in WarcReader::open(path)? {
        let record = match record {
            Ok(record) => record,
            Err(error @ StoreError::Io { .. }) => return Err(error),
            Err(error) => {
                damage.get_or_insert(error);
                continue;
            }
        };
        let record = match read_response(path, record) {
            Ok(record) => record,
            Err(error) => {
                damage.get_or_insert(error);
                continue;
            }
        };
        if !record.kind().eq_ignore_ascii_case("response") {
            continue;
        }
        let url = record.target_uri().and_then(|uri| CanonicalUrl::parse(uri).ok());
        if let Some(url) = url
            && visit(url, &record) == Flow::Stop
        {
            break;
        }
    }
    Ok(damage)
}
