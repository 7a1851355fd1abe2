//! What came of a request. What the web does is data; every end has a stable code.

use std::fmt;

use crate::CanonicalUrl;

/// Why a body was cut short and kept all the same.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Truncation {
    /// The cap on bytes, wire or decoded.
    Length,
    /// The time limit for the whole body, or slower than the slowest rate.
    Time,
    /// The connection broke or the encoding was damaged after part of the body had come.
    Disconnect,
}

impl Truncation {
    /// As WARC-Truncated names it.
    pub fn code(self) -> &'static str {
        match self {
            Truncation::Length => "length",
            Truncation::Time => "time",
            Truncation::Disconnect => "disconnect",
        }
    }
}

/// Why we declined, or stopped reading after the headers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// robots.txt disallows it.
    Robots,
    /// robots.txt could not be had (server error), so the host counts as closed for now.
    RobotsUnreachable,
    /// The host resolves to a private, loopback or otherwise forbidden address.
    Address,
    /// Content of a type we do not read.
    ContentType,
    /// A redirect to something that is no http or https URL.
    RedirectTarget,
    /// More redirects than the limit, or a loop.
    TooManyRedirects,
    /// A redirect, or the URL itself, lies outside the crawl's scope.
    Scope,
}

/// What went wrong on the way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Failure {
    /// The name has no address.
    DnsNoName,
    /// The resolver did not answer or answered with an error.
    DnsError,
    /// The connection was refused or unreachable.
    Connect,
    /// No connection within the limit.
    ConnectTimeout,
    /// The TLS handshake failed (certificate, protocol).
    Tls,
    /// No first byte within the limit.
    FirstByteTimeout,
    /// Broken off before the headers were complete.
    Disconnect,
    /// Not HTTP, or headers over the limits.
    Protocol,
    /// The proxy refused or failed.
    Proxy,
    /// An HTTP status that is no success: 4xx, 5xx and the odd ones.
    Status(u16),
    /// Reading the answer made us fail: a fault of ours, kept to the one URL.
    Internal,
    /// In the lab: the recording does not hold this URL.
    NotRecorded,
}

impl Failure {
    /// Whether trying again later can help.
    pub fn may_pass(self) -> bool {
        match self {
            Failure::DnsError
            | Failure::Connect
            | Failure::ConnectTimeout
            | Failure::FirstByteTimeout
            | Failure::Disconnect
            | Failure::Proxy => true,
            Failure::Status(status) => matches!(status, 408 | 425 | 429 | 500 | 502 | 503 | 504),
            Failure::DnsNoName
            | Failure::Tls
            | Failure::Protocol
            | Failure::Internal
            | Failure::NotRecorded => false,
        }
    }

    /// Whether it tells of trouble at the host rather than with one URL.
    pub fn is_hosts_fault(self) -> bool {
        match self {
            Failure::Status(status) => status >= 500 || status == 429,
            Failure::Internal | Failure::NotRecorded => false,
            _ => true,
        }
    }
}

/// What came of a request.
#[derive(Clone, PartialEq, Debug)]
pub enum Outcome {
    /// A body we read.
    Body {
        /// The 2xx status.
        status: u16,
        /// Set if a limit cut it short.
        truncated: Option<Truncation>,
    },
    /// Look elsewhere.
    Redirect {
        /// The 3xx status.
        status: u16,
        /// Where to.
        to: CanonicalUrl,
    },
    /// We declined.
    Refused(Refusal),
    /// It went wrong.
    Failed(Failure),
}

/// Every code an outcome can have.
const CODES: &[&str] = &[
    "ok",
    "ok-truncated",
    "redirect",
    "refused-robots",
    "refused-robots-unreachable",
    "refused-address",
    "refused-content-type",
    "refused-redirect-target",
    "refused-too-many-redirects",
    "refused-scope",
    "failed-dns-no-name",
    "failed-dns",
    "failed-connect",
    "failed-connect-timeout",
    "failed-tls",
    "failed-first-byte-timeout",
    "failed-disconnect",
    "failed-protocol",
    "failed-proxy",
    "failed-status-5xx",
    "failed-status-4xx",
    "failed-status",
    "failed-internal",
    "not-recorded",
];

impl Outcome {
    /// The code spelled so, if it is one.
    pub fn known_code(code: &str) -> Option<&'static str> {
        CODES.iter().copied().find(|known| *known == code)
    }

    /// The outcome a record tells of by its code, its status, where it led and why it was cut short; none if the four do not
    /// make one.
    pub fn recorded(
        code: &str,
        status: Option<u16>,
        to: Option<&CanonicalUrl>,
        truncated: Option<&str>,
    ) -> Option<Outcome> {
        let refusals = [
            Refusal::Robots,
            Refusal::RobotsUnreachable,
            Refusal::Address,
            Refusal::ContentType,
            Refusal::RedirectTarget,
            Refusal::TooManyRedirects,
            Refusal::Scope,
        ];
        let failures = [
            Failure::DnsNoName,
            Failure::DnsError,
            Failure::Connect,
            Failure::ConnectTimeout,
            Failure::Tls,
            Failure::FirstByteTimeout,
            Failure::Disconnect,
            Failure::Protocol,
            Failure::Proxy,
            Failure::Internal,
            Failure::NotRecorded,
        ];
        let cuts = [Truncation::Length, Truncation::Time, Truncation::Disconnect];
        let plain = refusals
            .map(Outcome::Refused)
            .into_iter()
            .chain(failures.map(Outcome::Failed));
        let of_status = status.into_iter().flat_map(|status| {
            let cut = cuts.into_iter().find(|cut| truncated == Some(cut.code()));
            let redirect = to.map(|to| Outcome::Redirect {
                status,
                to: to.clone(),
            });
            let body = Outcome::Body {
                status,
                truncated: cut,
            };
            [Outcome::Failed(Failure::Status(status)), body]
                .into_iter()
                .chain(redirect)
        });
        plain.chain(of_status).find(|outcome| outcome.code() == code)
    }

    /// The HTTP status, where one came.
    pub fn status(&self) -> Option<u16> {
        match *self {
            Outcome::Body { status, .. } | Outcome::Redirect { status, .. } => Some(status),
            Outcome::Failed(Failure::Status(status)) => Some(status),
            Outcome::Refused(_) | Outcome::Failed(_) => None,
        }
    }

    /// The stable code of this end, as records and `--json` show it.
    pub fn code(&self) -> &'static str {
        match self {
            Outcome::Body { truncated: None, .. } => "ok",
            Outcome::Body {
                truncated: Some(_), ..
            } => "ok-truncated",
            Outcome::Redirect { .. } => "redirect",
            Outcome::Refused(refusal) => match refusal {
                Refusal::Robots => "refused-robots",
                Refusal::RobotsUnreachable => "refused-robots-unreachable",
                Refusal::Address => "refused-address",
                Refusal::ContentType => "refused-content-type",
                Refusal::RedirectTarget => "refused-redirect-target",
                Refusal::TooManyRedirects => "refused-too-many-redirects",
                Refusal::Scope => "refused-scope",
            },
            Outcome::Failed(failure) => match failure {
                Failure::DnsNoName => "failed-dns-no-name",
                Failure::DnsError => "failed-dns",
                Failure::Connect => "failed-connect",
                Failure::ConnectTimeout => "failed-connect-timeout",
                Failure::Tls => "failed-tls",
                Failure::FirstByteTimeout => "failed-first-byte-timeout",
                Failure::Disconnect => "failed-disconnect",
                Failure::Protocol => "failed-protocol",
                Failure::Proxy => "failed-proxy",
                Failure::Status(status) if *status >= 500 => "failed-status-5xx",
                Failure::Status(status) if *status >= 400 => "failed-status-4xx",
                Failure::Status(_) => "failed-status",
                Failure::Internal => "failed-internal",
                Failure::NotRecorded => "not-recorded",
            },
        }
    }
}

impl Outcome {
    /// What happened, in a sentence for people.
    pub fn explain(&self) -> String {
        match self {
            Outcome::Body { truncated: None, .. } => "fetched".to_owned(),
            Outcome::Body {
                truncated: Some(cut), ..
            } => format!("fetched, cut short by {}", cut.code()),
            Outcome::Redirect { to, .. } => format!("redirects to {to}"),
            Outcome::Refused(refusal) => match refusal {
                Refusal::Robots => "the host's robots.txt disallows it",
                Refusal::RobotsUnreachable => {
                    "the host's robots.txt could not be had, so nothing of it is fetched"
                }
                Refusal::Address => "the host's address is private or local (see --allow-net)",
                Refusal::ContentType => "the content is of a type that is not read",
                Refusal::RedirectTarget => "it redirects to something that is no http or https URL",
                Refusal::TooManyRedirects => "too many redirects in a row (see --redirects)",
                Refusal::Scope => "it redirects to a URL outside the crawl's scope",
            }
            .to_owned(),
            Outcome::Failed(failure) => match failure {
                Failure::DnsNoName => "the host name does not exist",
                Failure::DnsError => "the host name could not be looked up",
                Failure::Connect => "the connection was refused or the host unreachable",
                Failure::ConnectTimeout => "no connection in time (see --connect-timeout)",
                Failure::Tls => "the TLS handshake failed",
                Failure::FirstByteTimeout => "no answer in time (see --first-byte-timeout)",
                Failure::Disconnect => "the connection broke before an answer came",
                Failure::Protocol => "the answer is not HTTP or its headers are over the limits",
                Failure::Proxy => "the proxy refused or failed",
                Failure::Status(status) => return format!("the server answered {status}"),
                Failure::Internal => "the crawler itself failed on it; please report the URL",
                Failure::NotRecorded => "the recording does not hold it",
            }
            .to_owned(),
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.status() {
            Some(status) => write!(f, "{} ({status})", self.code()),
            None => f.write_str(self.code()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_leads_back_to_an_outcome_that_has_it() {
        let to = CanonicalUrl::parse("http://a.test/").ok();
        for code in CODES {
            let status = match *code {
                "ok" | "ok-truncated" => Some(200),
                "redirect" => Some(301),
                "failed-status-5xx" => Some(503),
                "failed-status-4xx" => Some(404),
                "failed-status" => Some(304),
                _ => None,
            };
            let cut = (*code == "ok-truncated").then_some("time");
            let outcome = Outcome::recorded(code, status, to.as_ref(), cut);
            let told = outcome.as_ref().map(|outcome| (outcome.code(), outcome.status()));
            assert_eq!(told, Some((*code, status)), "{code}");
        }
        assert_eq!(Outcome::recorded("ok", None, None, None), None);
        assert_eq!(Outcome::recorded("redirect", Some(301), None, None), None);
        assert_eq!(Outcome::recorded("splendid", Some(200), None, None), None);
    }
}
