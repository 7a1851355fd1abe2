//! What a server needs from a web: answers to requests.

use std::borrow::Cow;

use bytes::Bytes;

/// How a page is requested.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scheme {
    /// Without TLS.
    Http,
    /// With TLS.
    Https,
}

impl Scheme {
    /// Its name at the start of a URL.
    pub fn name(self) -> &'static str {
        match self {
            Scheme::Http => "http",
            Scheme::Https => "https",
        }
    }

    /// The default port.
    pub fn port(self) -> u16 {
        match self {
            Scheme::Http => 80,
            Scheme::Https => 443,
        }
    }
}

/// Everything in a request that identifies the page.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SiteRequest<'a> {
    /// http or https.
    pub scheme: Scheme,
    /// In lower case, without port.
    pub host: &'a str,
    /// The port, unless it is the scheme's default.
    pub port: Option<u16>,
    /// Starts with a slash.
    pub path_and_query: &'a str,
}

impl SiteRequest<'_> {
    /// The URL, as it was requested.
    pub fn url(&self) -> String {
        let (scheme, host, rest) = (self.scheme.name(), self.host, self.path_and_query);
        match self.port {
            Some(port) => format!("{scheme}://{host}:{port}{rest}"),
            None => format!("{scheme}://{host}{rest}"),
        }
    }
}

/// A web in memory.
pub trait TestSite: Send + Sync {
    /// Answers a request for a page. The host is in lower case, without port; the rest starts with a slash.
    fn answer(&self, host: &str, path_and_query: &str) -> SiteResponse;

    /// Answers a request in a web that distinguishes http from https, or one port from another. Most do not.
    fn answer_at(&self, asked: &SiteRequest<'_>) -> SiteResponse {
        self.answer(asked.host, asked.path_and_query)
    }

    /// The names of its hosts, each once.
    fn hosts(&self) -> Vec<String>;
}

/// An answer: what a real server would send, except `Content-Length`, `Date` and the like.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SiteResponse {
    /// The HTTP status.
    pub status: u16,
    /// Header lines in order.
    pub headers: Vec<(&'static str, Cow<'static, str>)>,
    /// The body as it goes over the wire.
    pub body: Bytes,
}

impl SiteResponse {
    /// Status 200 with a content type.
    pub fn page(content_type: &'static str, body: impl Into<Bytes>) -> SiteResponse {
        SiteResponse {
            status: 200,
            headers: vec![("Content-Type", Cow::Borrowed(content_type))],
            body: body.into(),
        }
    }

    /// An HTML page in UTF-8.
    pub fn html(body: impl Into<Bytes>) -> SiteResponse {
        SiteResponse::page("text/html; charset=utf-8", body)
    }

    /// Plain text, such as a robots.txt.
    pub fn text(body: impl Into<Bytes>) -> SiteResponse {
        SiteResponse::page("text/plain; charset=utf-8", body)
    }

    /// A redirect.
    pub fn redirect(status: u16, to: impl Into<Cow<'static, str>>) -> SiteResponse {
        let mut answer = SiteResponse::fault(status);
        answer.headers.push(("Location", to.into()));
        answer
    }

    /// A short page that only states the status.
    pub fn fault(status: u16) -> SiteResponse {
        let reason = reason(status);
        let mut answer = SiteResponse::html(format!(
            "<!doctype html><title>{status} {reason}</title><h1>{status} {reason}</h1>\n"
        ));
        answer.status = status;
        answer
    }

    /// There is no such page.
    pub fn missing() -> SiteResponse {
        SiteResponse::fault(404)
    }

    /// The page was not recorded, so nobody knows whether it exists. Status 404, and a header that distinguishes it
    /// from a recorded 404.
    pub fn not_recorded() -> SiteResponse {
        SiteResponse::missing().with("X-Scenthound", "not-recorded")
    }

    /// Whether this is [`SiteResponse::not_recorded`].
    pub fn is_not_recorded(&self) -> bool {
        self.headers
            .iter()
            .any(|(name, value)| *name == "X-Scenthound" && value == "not-recorded")
    }

    /// The same answer with one more header.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: impl Into<Cow<'static, str>>) -> SiteResponse {
        self.headers.push((name, value.into()));
        self
    }
}

/// The reason phrase of a status.
pub(crate) fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        301 => "Moved Permanently",
        302 => "Found",
        307 => "Temporary Redirect",
        308 => "Permanent Redirect",
        400 => "Bad Request",
        404 => "Not Found",
        405 => "Method Not Allowed",
        410 => "Gone",
        429 => "Too Many Requests",
        431 => "Request Header Fields Too Large",
        500 => "Internal Server Error",
        503 => "Service Unavailable",
        _ => "Status",
    }
}
