//! What a recorded response means, and which of two responses for one URL counts.
//!
//! Archives often hold several responses for one URL. A page counts before a redirect, a redirect before a failure, and the
//! first before later ones of its kind.

use scenthound_store::HttpResponse;
use scenthound_types::{CanonicalUrl, Documents, Readable};

/// The precedence of a recorded response over others for the same URL: the greater wins.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Precedence {
    /// Nothing was recorded.
    Nothing,
    /// A failure, or a body that is not text.
    Failure,
    /// A redirect.
    Redirect,
    /// A page or a robots.txt.
    Page,
}

/// What a recorded response means.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Recorded {
    /// A body to read.
    Body,
    /// A body of a type that is not read.
    NoText,
    /// A redirect.
    Redirect(CanonicalUrl),
    /// A status without a body to read, or a redirect that leads nowhere.
    Status,
}

impl Recorded {
    /// Interprets a response for this URL; `None` for a redirect to another spelling of the same URL, which carries no information.
    pub(crate) fn of(url: &CanonicalUrl, http: &HttpResponse<'_>) -> Option<Recorded> {
        Some(match http.status {
            301 | 302 | 303 | 307 | 308 => match http.header("location").and_then(|to| url.join(to).ok()) {
                Some(to) if to == *url => return None,
                Some(to) => Recorded::Redirect(to),
                None => Recorded::Status,
            },
            200..=299 if is_robots_txt(url) => Recorded::Body,
            200..=299 => {
                let documents = Documents::Read;
                match Readable::by_type(http.header("content-type"), documents) {
                    Readable::Yes => Recorded::Body,
                    Readable::No => Recorded::NoText,
                    unsure if unsure.admits(&http.body(SNIFFED).bytes, documents) => Recorded::Body,
                    _ => Recorded::NoText,
                }
            }
            _ => Recorded::Status,
        })
    }

    pub(crate) fn precedence(&self) -> Precedence {
        match self {
            Recorded::Body => Precedence::Page,
            Recorded::Redirect(_) => Precedence::Redirect,
            Recorded::NoText | Recorded::Status => Precedence::Failure,
        }
    }
}

/// Enough bytes to recognise text.
const SNIFFED: usize = 1024;

/// Whether a URL is a robots.txt, which is read whatever its content type.
pub(crate) fn is_robots_txt(url: &CanonicalUrl) -> bool {
    url.path_and_query() == "/robots.txt"
}
