//! The requests we send: the same few headers every time, and nothing that distinguishes one visit from another.
//!
//! Also writes HTTP/2 heads as HTTP/1.1 for the archive, and removes what was meant only for a proxy.

use bytes::{BufMut, Bytes, BytesMut};
use http::header::{self, HeaderMap, HeaderName, HeaderValue};
use http::{Method, Request, Uri};
use http_body_util::Empty;
use scenthound_types::CanonicalUrl;

use crate::channel::Ask;
use crate::error::FetchError;
use crate::fetched::Protocol;
use crate::proxy::Way;
use crate::settings::FetchSettings;

const ACCEPT: &str = "text/html,application/xhtml+xml,application/xml;q=0.9,text/plain;q=0.8,*/*;q=0.1";
const ACCEPT_ENCODING: &str = "gzip, deflate, br, zstd";

/// Creates requests.
pub(crate) struct Requests {
    /// The headers of every request except Host. If a name occurs twice, the later value counts.
    headers: Vec<(HeaderName, HeaderValue)>,
    /// Set if there is an HTTP proxy, which needs absolute URLs for http.
    pub(crate) http_proxy: bool,
    /// The login for such a proxy.
    proxy_login: Option<HeaderValue>,
}

impl Requests {
    pub(crate) fn new(settings: &FetchSettings) -> Result<Requests, FetchError> {
        let mut headers = Vec::new();
        let mut say = |name, setting, value: &str| {
            let value = HeaderValue::from_str(value).map_err(|_| FetchError::Header {
                setting,
                value: value.to_owned(),
            })?;
            headers.push((name, value));
            Ok::<(), FetchError>(())
        };
        say(header::USER_AGENT, "user agent", &settings.user_agent)?;
        say(header::ACCEPT, "accept", ACCEPT)?;
        say(header::ACCEPT_ENCODING, "accept encoding", ACCEPT_ENCODING)?;
        if let Some(languages) = &settings.accept_language {
            say(header::ACCEPT_LANGUAGE, "accept language", languages)?;
        }
        headers.extend(settings.headers.iter().cloned());
        let http_proxy = settings.proxy.as_ref().filter(|proxy| proxy.way == Way::Http);
        Ok(Requests {
            headers,
            http_proxy: http_proxy.is_some(),
            proxy_login: http_proxy
                .and_then(|proxy| proxy.authorization())
                .and_then(|login| HeaderValue::from_str(&login).ok()),
        })
    }

    /// The request for a URL; `None` if the library cannot represent it.
    pub(crate) fn ask(&self, url: &CanonicalUrl, protocol: Protocol) -> Option<Ask> {
        let by_proxy = self.asks_proxy(url);
        let target = if by_proxy || protocol == Protocol::Http2 {
            url.as_str()
        } else {
            url.path_and_query()
        };
        let mut request = Request::new(Empty::new());
        *request.method_mut() = Method::GET;
        *request.uri_mut() = Uri::from_maybe_shared(Bytes::copy_from_slice(target.as_bytes())).ok()?;
        let mut headers = HeaderMap::with_capacity(8);
        if protocol == Protocol::Http1 {
            headers.insert(header::HOST, HeaderValue::from_str(url.authority()).ok()?);
        }
        for (name, value) in &self.headers {
            headers.insert(name.clone(), value.clone());
        }
        if by_proxy && let Some(login) = &self.proxy_login {
            headers.insert(header::PROXY_AUTHORIZATION, login.clone());
        }
        *request.headers_mut() = headers;
        Some(request)
    }

    /// Whether the request itself is sent to a proxy.
    pub(crate) fn asks_proxy(&self, url: &CanonicalUrl) -> bool {
        self.http_proxy && !url.is_https()
    }

    /// The request as the target would have received it: a proxy's password does not belong in the archive.
    pub(crate) fn archived(&self, sent: Bytes, url: &CanonicalUrl, protocol: Protocol) -> Bytes {
        if !self.asks_proxy(url) || protocol == Protocol::Http2 {
            return sent;
        }
        let mut request = BytesMut::with_capacity(sent.len());
        for (number, line) in sent.split_inclusive(|byte| *byte == b'\n').enumerate() {
            if number == 0 {
                request.put_slice(format!("GET {} HTTP/1.1\r\n", url.path_and_query()).as_bytes());
            } else if !line
                .get(..20)
                .is_some_and(|name| name.eq_ignore_ascii_case(b"proxy-authorization:"))
            {
                request.put_slice(line);
            }
        }
        request.freeze()
    }
}

/// Writes an HTTP/2 request as HTTP/1.1.
pub(crate) fn write_request(to: &mut BytesMut, request: &Ask, url: &CanonicalUrl) {
    to.put_slice(format!("GET {} HTTP/1.1\r\n", url.path_and_query()).as_bytes());
    to.put_slice(format!("host: {}\r\n", url.authority()).as_bytes());
    write_headers(to, request.headers());
}

/// Writes the head of an HTTP/2 response as HTTP/1.1.
pub(crate) fn write_response(to: &mut BytesMut, head: &http::response::Parts) {
    let reason = head.status.canonical_reason().unwrap_or_default();
    to.put_slice(format!("HTTP/1.1 {} {reason}\r\n", head.status.as_u16()).as_bytes());
    write_headers(to, &head.headers);
}

fn write_headers(to: &mut BytesMut, headers: &HeaderMap) {
    for (name, value) in headers {
        // This describes a framing that HTTP/2 does not have.
        if name == header::TRANSFER_ENCODING {
            continue;
        }
        to.put_slice(name.as_str().as_bytes());
        to.put_slice(b": ");
        to.put_slice(value.as_bytes());
        to.put_slice(b"\r\n");
    }
    to.put_slice(b"\r\n");
}
