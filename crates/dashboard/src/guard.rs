//! Who may ask for what.
//!
//! The dashboard listens on loopback unless told otherwise, and even there a page of another site must not be able to use it
//! through the visitor's browser. Three things prevent that:
//!
//! - The `Host` header must name an address of ours. A site that points its own name at 127.0.0.1 (DNS rebinding) is refused.
//! - A request with an `Origin` other than ours is refused, and so is one that the browser says comes from another site.
//! - Every change needs the token, in a header that no form and no foreign script can send. On an address that other machines
//!   can reach, everything but the page itself needs it.
//!
//! Every response carries a content security policy without inline scripts and styles. Titles and URLs of crawled pages are
//! hostile; should one ever end up as markup, it still could not run.

use std::net::{IpAddr, SocketAddr};

use axum::extract::{Request, State};
use axum::http::header::{
    AUTHORIZATION, CACHE_CONTROL, CONTENT_LENGTH, CONTENT_SECURITY_POLICY, HOST, ORIGIN, REFERRER_POLICY,
    X_CONTENT_TYPE_OPTIONS,
};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use std::sync::Arc;
use std::time::Duration;

use crate::api::{ApiError, BODY_BYTES};
use crate::error::DashboardError;
use crate::state::Served;

/// The least length of a token.
pub(crate) const LEAST_TOKEN: usize = 16;
/// A client that has waited this long is told to ask again.
const PATIENCE: Duration = Duration::from_secs(30);

/// The policy of our own pages.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
    frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Who may ask for what.
#[derive(Debug)]
pub(crate) struct Guard {
    token: String,
    is_loopback: bool,
    /// Names, besides addresses, that the dashboard may be reached under.
    names: Vec<String>,
    is_read_only: bool,
}

impl Guard {
    pub fn new(
        addr: SocketAddr,
        token: Option<String>,
        names: Vec<String>,
        is_read_only: bool,
    ) -> Result<Guard, DashboardError> {
        let is_loopback = addr.ip().is_loopback();
        let token = match token {
            Some(token) => {
                let is_plain = |c: char| c.is_ascii_alphanumeric() || "-._~".contains(c);
                if token.len() < LEAST_TOKEN || !token.chars().all(is_plain) {
                    return Err(DashboardError::BadToken { least: LEAST_TOKEN });
                }
                token
            }
            None if is_loopback => random_token()?,
            None => {
                return Err(DashboardError::NeedsToken {
                    addr,
                    least: LEAST_TOKEN,
                });
            }
        };
        Ok(Guard {
            token,
            is_loopback,
            names,
            is_read_only,
        })
    }

    pub fn token(&self) -> &str {
        &self.token
    }

    pub fn is_read_only(&self) -> bool {
        self.is_read_only
    }

    /// Whether reading needs the token too.
    pub fn is_closed(&self) -> bool {
        !self.is_loopback
    }

    /// Whether the request carries the token.
    pub fn has_token(&self, headers: &HeaderMap) -> bool {
        let given = headers
            .get(AUTHORIZATION)
            .and_then(|value| value.to_str().ok())
            .and_then(|value| value.strip_prefix("Bearer "))
            .unwrap_or_default();
        is_same(given.as_bytes(), self.token.as_bytes())
    }

    fn check(&self, request: &Request, has_ticket: bool) -> Result<(), ApiError> {
        let headers = request.headers();
        let host = self.check_host(headers)?;
        // A whole URL as the target is for proxies. Its host would count instead of the header's.
        if request.uri().authority().is_some_and(|given| *given != host) {
            return Err(not_our_host());
        }
        check_origin(headers, &host)?;
        let path = request.uri().path();
        let is_change = !matches!(*request.method(), Method::GET | Method::HEAD);
        // The page and its files say nothing about any crawl, and the page has to be there to ask for the token.
        let is_data = path.starts_with("/api/") || path == "/metrics";
        let is_open = path == "/api/v1/session" || path == "/api/v1/openapi.json";
        let needs_token = is_change || (self.is_closed() && is_data && !is_open && !has_ticket);
        if needs_token && !self.has_token(headers) {
            return Err(ApiError::new(
                StatusCode::UNAUTHORIZED,
                "token",
                "this needs the token that was printed when the dashboard started, as Authorization: Bearer TOKEN",
            ));
        }
        let length = headers
            .get(CONTENT_LENGTH)
            .and_then(|length| length.to_str().ok()?.parse::<usize>().ok());
        if length.is_some_and(|length| length > BODY_BYTES) {
            return Err(ApiError::new(
                StatusCode::PAYLOAD_TOO_LARGE,
                "too-large",
                "the body of the request is too large",
            ));
        }
        if is_change && self.is_read_only && !path.ends_with("/tickets") {
            return Err(ApiError::new(
                StatusCode::FORBIDDEN,
                "read-only",
                "this dashboard is read-only",
            ));
        }
        Ok(())
    }

    fn check_host(&self, headers: &HeaderMap) -> Result<Authority, ApiError> {
        let refused = not_our_host;
        let mut given = headers.get_all(HOST).iter();
        let (Some(host), None) = (given.next(), given.next()) else {
            return Err(refused());
        };
        let host: Authority = host
            .to_str()
            .ok()
            .and_then(|host| host.parse().ok())
            .ok_or_else(refused)?;
        // What follows the name must be a port and nothing else; the parser is more generous.
        let rest = host.as_str().strip_prefix(host.host());
        let is_port = |port: &str| port.parse::<u16>().is_ok() && !port.starts_with('+');
        if rest.is_none_or(|rest| !rest.is_empty() && !rest.strip_prefix(':').is_some_and(is_port)) {
            return Err(refused());
        }
        let name = host.host().trim_start_matches('[').trim_end_matches(']');
        let is_ours = match name.parse::<IpAddr>() {
            // Rebinding needs a name: nobody can point an address elsewhere.
            Ok(address) => address.is_loopback() || !self.is_loopback,
            Err(_) => {
                name.eq_ignore_ascii_case("localhost")
                    || self.names.iter().any(|ours| ours.eq_ignore_ascii_case(name))
            }
        };
        if is_ours { Ok(host) } else { Err(refused()) }
    }
}

fn not_our_host() -> ApiError {
    ApiError::new(
        StatusCode::MISDIRECTED_REQUEST,
        "host",
        "the Host header does not name this dashboard; other names are allowed with --host",
    )
}

fn check_origin(headers: &HeaderMap, host: &Authority) -> Result<(), ApiError> {
    let refused = || {
        ApiError::new(
            StatusCode::FORBIDDEN,
            "origin",
            "requests from other sites are refused",
        )
    };
    if let Some(origin) = headers.get(ORIGIN) {
        let origin = origin.to_str().map_err(|_| refused())?;
        let rest = origin
            .strip_prefix("http://")
            .or_else(|| origin.strip_prefix("https://"))
            .ok_or_else(refused)?;
        if !rest.eq_ignore_ascii_case(host.as_str()) {
            return Err(refused());
        }
    }
    // A link to the dashboard on another site may be followed, but nothing may be loaded into that site.
    let said = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let is_foreign = matches!(said("sec-fetch-site"), Some("cross-site" | "same-site"));
    let is_navigation =
        said("sec-fetch-mode") == Some("navigate") && said("sec-fetch-dest") == Some("document");
    if is_foreign && !is_navigation {
        return Err(refused());
    }
    Ok(())
}

/// Lets a request through or refuses it, and adds the headers that every response carries.
pub(crate) async fn guard(State(served): State<Arc<Served>>, request: Request, next: Next) -> Response {
    let has_ticket = served.tickets.admits(request.uri());
    let mut response = match served.guard.check(&request, has_ticket) {
        Err(refused) => refused.into_response(),
        Ok(()) => match tokio::time::timeout(PATIENCE, next.run(request)).await {
            Ok(response) => response,
            Err(_) => ApiError::new(
                StatusCode::ACCEPTED,
                "slow",
                "this takes longer than usual; it goes on, so ask again in a moment",
            )
            .into_response(),
        },
    };
    let headers = response.headers_mut();
    let mut add = |name: HeaderName, value: &'static str| {
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    };
    add(CONTENT_SECURITY_POLICY, POLICY);
    add(X_CONTENT_TYPE_OPTIONS, "nosniff");
    add(REFERRER_POLICY, "no-referrer");
    add(CACHE_CONTROL, "no-store");
    add(
        HeaderName::from_static("cross-origin-opener-policy"),
        "same-origin",
    );
    add(
        HeaderName::from_static("cross-origin-resource-policy"),
        "same-origin",
    );
    response
}

/// Whether two texts are the same, in a time that depends on their lengths only.
fn is_same(a: &[u8], b: &[u8]) -> bool {
    a.len() == b.len() && a.iter().zip(b).fold(0, |all, (a, b)| all | (a ^ b)) == 0
}

/// 128 random bits as hexadecimal digits.
pub(crate) fn random_token() -> Result<String, DashboardError> {
    let mut bytes = [0_u8; 16];
    getrandom::fill(&mut bytes).map_err(|error| DashboardError::Random(error.to_string()))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
