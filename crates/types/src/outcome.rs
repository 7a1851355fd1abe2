//! What came of a request. What the web does is data; every end has a stable code.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::CanonicalUrl;

/// Why a body was cut short and kept all the same.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Truncation {
    /// The cap on bytes, wire or decoded.
    Length,
    /// The time limit for the whole body, or slower than the slowest rate.
    Time,
    /// The connection broke after part of the body had come.
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
    /// The port belongs to another service than the web.
    Port,
    /// Content of a type we do not read.
    ContentType,
    /// A redirect to something that is no http or https URL.
    RedirectTarget,
    /// More redirects than the limit, or a loop.
    TooManyRedirects,
    /// A redirect, or the URL itself, lies outside the crawl's scope.
    Scope,
    /// The host has used up what it may get while it brings nothing new or relevant.
    HostBudget,
    /// URLs of the same pattern have brought nothing new or relevant for too long.
    UrlPattern,
    /// It differs from a page that was read only by parameters that do not change the page.
    InertParameter,
    /// Its domain has led to too many new hosts.
    NewHosts,
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
    /// A body whose chunks or whose encoding are invalid.
    Body,
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
            | Failure::Body
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
            Failure::Body | Failure::Internal | Failure::NotRecorded => false,
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

macro_rules! outcome_codes {
    ($($(#[$doc:meta])* $name:ident = $code:literal,)+) => {
        /// How an attempt ended: the stable code that records and `--json` show.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
        pub enum OutcomeCode {
            $($(#[$doc])* #[serde(rename = $code)] $name,)+
        }

        impl OutcomeCode {
            /// Every code there is.
            pub const ALL: &[OutcomeCode] = &[$(OutcomeCode::$name,)+];

            /// The code as it is written.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(OutcomeCode::$name => $code,)+
                }
            }
        }
    };
}

outcome_codes! {
    /// A page, robots.txt or sitemap was read.
    Ok = "ok",
    /// It was read up to a limit.
    OkTruncated = "ok-truncated",
    /// It leads elsewhere.
    Redirect = "redirect",
    /// robots.txt disallows it.
    RefusedRobots = "refused-robots",
    /// robots.txt could not be read because of a server error.
    RefusedRobotsUnreachable = "refused-robots-unreachable",
    /// The host has a private or local address.
    RefusedAddress = "refused-address",
    /// Its port belongs to another service than the web.
    RefusedPort = "refused-port",
    /// The content is of a type we do not read.
    RefusedContentType = "refused-content-type",
    /// It redirects to something other than an http or https URL.
    RefusedRedirectTarget = "refused-redirect-target",
    /// Too many redirects in a row.
    RefusedTooManyRedirects = "refused-too-many-redirects",
    /// It redirects out of the crawl's scope.
    RefusedScope = "refused-scope",
    /// Its host has brought nothing new or relevant for too long.
    RefusedHostBudget = "refused-host-budget",
    /// URLs of its pattern have brought nothing new or relevant for too long.
    RefusedUrlPattern = "refused-url-pattern",
    /// It differs from a page that was read only by parameters that do not change the page.
    RefusedInertParameter = "refused-inert-parameter",
    /// It redirects to a domain that has led to too many new hosts.
    RefusedNewHosts = "refused-new-hosts",
    /// The host name does not exist.
    FailedDnsNoName = "failed-dns-no-name",
    /// The host name could not be resolved.
    FailedDns = "failed-dns",
    /// No connection could be made.
    FailedConnect = "failed-connect",
    /// No connection was made in time.
    FailedConnectTimeout = "failed-connect-timeout",
    /// The TLS handshake failed.
    FailedTls = "failed-tls",
    /// The server did not respond in time.
    FailedFirstByteTimeout = "failed-first-byte-timeout",
    /// The connection broke before the response began.
    FailedDisconnect = "failed-disconnect",
    /// The response is not valid HTTP.
    FailedProtocol = "failed-protocol",
    /// The body is damaged: its chunks or its encoding are invalid.
    FailedBody = "failed-body",
    /// The proxy refused or failed.
    FailedProxy = "failed-proxy",
    /// A status from 500 on.
    FailedStatus5xx = "failed-status-5xx",
    /// A status from 400 to 499.
    FailedStatus4xx = "failed-status-4xx",
    /// Another status that is not a success.
    FailedStatus = "failed-status",
    /// A fault of ours.
    FailedInternal = "failed-internal",
    /// In the lab: the recording does not contain it.
    NotRecorded = "not-recorded",
}

impl OutcomeCode {
    /// The code spelled so, if it is one.
    pub fn parse(code: &str) -> Option<OutcomeCode> {
        OutcomeCode::ALL
            .iter()
            .copied()
            .find(|known| known.as_str() == code)
    }

    /// Whether a body was read, whole or in part.
    pub fn is_ok(self) -> bool {
        matches!(self, OutcomeCode::Ok | OutcomeCode::OkTruncated)
    }

    /// Whether it went wrong.
    pub fn is_failed(self) -> bool {
        self.as_str().starts_with("failed")
    }

    /// Whether we declined.
    pub fn is_refused(self) -> bool {
        use OutcomeCode::*;
        matches!(
            self,
            RefusedRobots
                | RefusedRobotsUnreachable
                | RefusedAddress
                | RefusedPort
                | RefusedContentType
                | RefusedRedirectTarget
                | RefusedTooManyRedirects
                | RefusedScope
                | RefusedHostBudget
                | RefusedUrlPattern
                | RefusedInertParameter
                | RefusedNewHosts
        )
    }
}

impl fmt::Display for OutcomeCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Outcome {
    /// The outcome a record tells of by its code, its status, where it led and why it was cut short; none if the four do not
    /// make one.
    pub fn recorded(
        code: OutcomeCode,
        status: Option<u16>,
        to: Option<&CanonicalUrl>,
        truncated: Option<Truncation>,
    ) -> Option<Outcome> {
        let refusals = [
            Refusal::Robots,
            Refusal::RobotsUnreachable,
            Refusal::Address,
            Refusal::Port,
            Refusal::ContentType,
            Refusal::RedirectTarget,
            Refusal::TooManyRedirects,
            Refusal::Scope,
            Refusal::HostBudget,
            Refusal::UrlPattern,
            Refusal::InertParameter,
            Refusal::NewHosts,
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
            Failure::Body,
            Failure::Proxy,
            Failure::Internal,
            Failure::NotRecorded,
        ];
        let plain = refusals
            .map(Outcome::Refused)
            .into_iter()
            .chain(failures.map(Outcome::Failed));
        let of_status = status.into_iter().flat_map(|status| {
            let redirect = to.map(|to| Outcome::Redirect {
                status,
                to: to.clone(),
            });
            let body = Outcome::Body { status, truncated };
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
    pub fn code(&self) -> OutcomeCode {
        match self {
            Outcome::Body { truncated: None, .. } => OutcomeCode::Ok,
            Outcome::Body {
                truncated: Some(_), ..
            } => OutcomeCode::OkTruncated,
            Outcome::Redirect { .. } => OutcomeCode::Redirect,
            Outcome::Refused(refusal) => match refusal {
                Refusal::Robots => OutcomeCode::RefusedRobots,
                Refusal::RobotsUnreachable => OutcomeCode::RefusedRobotsUnreachable,
                Refusal::Address => OutcomeCode::RefusedAddress,
                Refusal::Port => OutcomeCode::RefusedPort,
                Refusal::ContentType => OutcomeCode::RefusedContentType,
                Refusal::RedirectTarget => OutcomeCode::RefusedRedirectTarget,
                Refusal::TooManyRedirects => OutcomeCode::RefusedTooManyRedirects,
                Refusal::Scope => OutcomeCode::RefusedScope,
                Refusal::HostBudget => OutcomeCode::RefusedHostBudget,
                Refusal::UrlPattern => OutcomeCode::RefusedUrlPattern,
                Refusal::InertParameter => OutcomeCode::RefusedInertParameter,
                Refusal::NewHosts => OutcomeCode::RefusedNewHosts,
            },
            Outcome::Failed(failure) => match failure {
                Failure::DnsNoName => OutcomeCode::FailedDnsNoName,
                Failure::DnsError => OutcomeCode::FailedDns,
                Failure::Connect => OutcomeCode::FailedConnect,
                Failure::ConnectTimeout => OutcomeCode::FailedConnectTimeout,
                Failure::Tls => OutcomeCode::FailedTls,
                Failure::FirstByteTimeout => OutcomeCode::FailedFirstByteTimeout,
                Failure::Disconnect => OutcomeCode::FailedDisconnect,
                Failure::Protocol => OutcomeCode::FailedProtocol,
                Failure::Body => OutcomeCode::FailedBody,
                Failure::Proxy => OutcomeCode::FailedProxy,
                Failure::Status(status) if *status >= 500 => OutcomeCode::FailedStatus5xx,
                Failure::Status(status) if *status >= 400 => OutcomeCode::FailedStatus4xx,
                Failure::Status(_) => OutcomeCode::FailedStatus,
                Failure::Internal => OutcomeCode::FailedInternal,
                Failure::NotRecorded => OutcomeCode::NotRecorded,
            },
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.status() {
            Some(status) => write!(f, "{} ({status})", self.code()),
            None => self.code().fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_leads_back_to_an_outcome_that_has_it() {
        let to = CanonicalUrl::parse("http://a.test/").ok();
        for code in OutcomeCode::ALL.iter().copied() {
            let status = match code {
                OutcomeCode::Ok | OutcomeCode::OkTruncated => Some(200),
                OutcomeCode::Redirect => Some(301),
                OutcomeCode::FailedStatus5xx => Some(503),
                OutcomeCode::FailedStatus4xx => Some(404),
                OutcomeCode::FailedStatus => Some(304),
                _ => None,
            };
            let cut = (code == OutcomeCode::OkTruncated).then_some(Truncation::Time);
            let outcome = Outcome::recorded(code, status, to.as_ref(), cut);
            let found = outcome.as_ref().map(|outcome| (outcome.code(), outcome.status()));
            assert_eq!(found, Some((code, status)), "{code}");
            assert_eq!(OutcomeCode::parse(code.as_str()), Some(code));
        }
        assert_eq!(Outcome::recorded(OutcomeCode::Ok, None, None, None), None);
        assert_eq!(
            Outcome::recorded(OutcomeCode::Redirect, Some(301), None, None),
            None
        );
        assert_eq!(OutcomeCode::parse("splendid"), None);
    }
}
