//! The fetcher: where a host is, and what it answers.

use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};

use bytes::{BufMut, Bytes, BytesMut};
use http::header::{self, HeaderMap, HeaderName, HeaderValue};
use http::{Method, Request, StatusCode, Uri};
use http_body_util::Empty;
use scenthound_types::{CanonicalUrl, Failure, Outcome, Refusal, Truncation};

use crate::address::AddressGuard;
use crate::channel::{Ask, Channel, Line};
use crate::connect::Connector;
use crate::content::essence;
use crate::decode::Decoder;
use crate::error::FetchError;
use crate::exchange::{self, End, NoResponse, Read, Sink, Source};
use crate::head::{self, Encoding, RetryAfter};
use crate::names::Names;
use crate::pool::Pool;
use crate::proxy::Way;
use crate::settings::{BodyCaps, FetchSettings, Limits, Want};
use crate::tape::{SharedTape, chunked_len, final_head};

const ACCEPT: &str = "text/html,application/xhtml+xml,application/xml;q=0.9,text/plain;q=0.8,*/*;q=0.1";
const ACCEPT_ENCODING: &str = "gzip, deflate, br, zstd";

/// The addresses of a host that we may connect to; at least one. Made only by [`Fetcher::locate`], so that no
/// address comes here past the guard.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Located {
    addresses: Vec<SocketAddr>,
}

impl Located {
    /// The address that will be tried first.
    pub fn ip(&self) -> IpAddr {
        // `locate` gives at least one.
        self.addresses
            .first()
            .map_or(IpAddr::from([0, 0, 0, 0]), SocketAddr::ip)
    }

    /// All addresses in the order they will be tried.
    pub fn addresses(&self) -> &[SocketAddr] {
        &self.addresses
    }
}

/// Which HTTP was spoken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Protocol {
    /// HTTP/1.0 or 1.1: the bytes are those of the wire.
    Http1,
    /// HTTP/2: the heads are written in the form of HTTP/1.1, the body is as it was sent.
    Http2,
}

/// An exchange for the archive.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RawExchange {
    /// Request line and headers. What was said only to a proxy is left out.
    pub request: Bytes,
    /// Status line, headers and the body as sent, chunk headers and content encoding included.
    pub response: Bytes,
    /// Which HTTP was spoken.
    pub protocol: Protocol,
}

/// What came of one request.
#[derive(Clone, PartialEq, Debug)]
pub struct Fetched {
    /// How it ended.
    pub outcome: Outcome,
    /// The address asked; none if no connection stood, or if an HTTP proxy chose it.
    pub ip: Option<IpAddr>,
    /// The exchange for the archive, if a response came.
    pub raw: Option<RawExchange>,
    /// Content-Type as sent.
    pub content_type: Option<String>,
    /// When the host wants to be asked again.
    pub retry_after: Option<RetryAfter>,
    /// The X-Robots-Tag lines.
    pub x_robots_tag: Vec<String>,
    /// ETag as sent.
    pub etag: Option<String>,
    /// Last-Modified as sent.
    pub last_modified: Option<String>,
    /// The body without chunk headers and content encoding. Shares memory with `raw` where it can.
    pub body: Bytes,
    /// Set if the body is not all there, whatever the outcome.
    pub truncated: Option<Truncation>,
}

impl Fetched {
    /// A request that got no response.
    fn nothing(outcome: Outcome, ip: Option<IpAddr>) -> Fetched {
        Fetched {
            outcome,
            ip,
            raw: None,
            content_type: None,
            retry_after: None,
            x_robots_tag: Vec::new(),
            etag: None,
            last_modified: None,
            body: Bytes::new(),
            truncated: None,
        }
    }
}

/// Fetches URLs, one request each.
pub struct Fetcher {
    names: Names,
    guard: AddressGuard,
    connector: Connector,
    pool: Pool,
    limits: Limits,
    pins: HashMap<String, SocketAddr>,
    content_types: Vec<String>,
    /// What every request says, but for Host.
    headers: Vec<(HeaderName, HeaderValue)>,
    /// Set if http URLs are asked from an HTTP proxy, which wants them whole.
    plain_proxy: bool,
    /// What such a proxy wants to hear.
    proxy_login: Option<HeaderValue>,
}

impl Fetcher {
    /// A fetcher with these settings.
    pub fn new(settings: FetchSettings) -> Result<Fetcher, FetchError> {
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
        let plain_proxy = settings.proxy.as_ref().filter(|proxy| proxy.way == Way::Http);
        Ok(Fetcher {
            names: Names::new(settings.resolver, settings.limits.resolve)?,
            connector: Connector::new(&settings)?,
            pool: Pool::new(settings.idle_connections, settings.idle_time),
            plain_proxy: plain_proxy.is_some(),
            proxy_login: plain_proxy
                .and_then(|proxy| proxy.authorization())
                .and_then(|login| HeaderValue::from_str(&login).ok()),
            guard: AddressGuard::new(settings.allowed_nets),
            limits: settings.limits,
            pins: settings.pins,
            content_types: settings.content_types,
            headers,
        })
    }

    /// Finds where a URL's host is. The outcome, if it is nowhere or nowhere we may go.
    pub async fn locate(&self, url: &CanonicalUrl) -> Result<Located, Outcome> {
        if let Some(pin) = self.pins.get(url.host()) {
            return Ok(Located {
                addresses: vec![*pin],
            });
        }
        let ips = self.names.addresses(url.host()).await.map_err(Outcome::Failed)?;
        let permitted = ips.into_iter().filter(|ip| self.guard.permits(*ip));
        let addresses: Vec<SocketAddr> = permitted.map(|ip| SocketAddr::new(ip, url.port())).collect();
        if addresses.is_empty() {
            return Err(Outcome::Refused(Refusal::Address));
        }
        Ok(Located { addresses })
    }

    /// Asks for a URL at one of the addresses that [`Fetcher::locate`] gave for it.
    pub async fn fetch(&self, url: &CanonicalUrl, at: &Located, want: Want) -> Fetched {
        let mut kept = self.pool.take(url.origin(), &at.addresses).await;
        loop {
            let reused = kept.is_some();
            let mut channel = match kept.take() {
                Some(channel) => channel,
                None => match self.connect(url, at).await {
                    Ok(channel) => channel,
                    Err(failure) => return Fetched::nothing(Outcome::Failed(failure), None),
                },
            };
            match self.converse(url, want, &mut channel).await {
                Ok(mut fetched) => {
                    fetched.ip = self.ip_of(&channel);
                    // After a cut, the rest of the body is still on its way; on HTTP/2 only that stream is reset.
                    let reusable = fetched.truncated.is_none() || matches!(channel.line, Line::Many(_));
                    if reusable && channel.is_open().await {
                        self.pool.put(url.origin(), channel);
                    }
                    return fetched;
                }
                Err(none) => {
                    if matches!(channel.line, Line::Many(_)) {
                        self.pool.forget_shared(url.origin());
                    }
                    // The other side may close an idle connection at any time, also while our request is on its way.
                    if !(reused && none.untouched) {
                        return Fetched::nothing(Outcome::Failed(none.failure), self.ip_of(&channel));
                    }
                }
            }
        }
    }

    async fn connect(&self, url: &CanonicalUrl, at: &Located) -> Result<Channel, Failure> {
        let connected = self.connector.open(url, &at.addresses, &self.names).await?;
        tokio::time::timeout(self.limits.connect, Channel::new(connected, &self.limits))
            .await
            .map_err(|_| Failure::ConnectTimeout)?
    }

    /// The target's address, where we know it.
    fn ip_of(&self, channel: &Channel) -> Option<IpAddr> {
        (!self.plain_proxy).then(|| channel.target.ip())
    }

    /// One request and its response on a connection.
    async fn converse(
        &self,
        url: &CanonicalUrl,
        want: Want,
        channel: &mut Channel,
    ) -> Result<Fetched, NoResponse> {
        let protocol = match channel.line {
            Line::One(_) => Protocol::Http1,
            Line::Many(_) => Protocol::Http2,
        };
        let request = self.request(url, protocol).ok_or(GARBLED)?;
        let room = self.limits.header_bytes + self.limits.caps(want, true).wire;
        let tape = match &channel.line {
            Line::One(one) => one.tape.clone(),
            Line::Many(_) => SharedTape::default(),
        };
        tape.lock().rewind(room);
        if protocol == Protocol::Http2 {
            write_request(&mut tape.lock().sent, &request, url);
        }
        let response = exchange::ask(channel, request, self.limits.first_byte).await?;
        let (parts, body) = response.into_parts();
        if protocol == Protocol::Http2 {
            write_response(&mut tape.lock().received, &parts);
        }
        let (start, end) = final_head(&tape.lock().received).ok_or(GARBLED)?;
        if end - start > self.limits.header_bytes || parts.headers.len() > self.limits.header_lines {
            return Err(GARBLED);
        }
        let source = Source {
            body,
            motor: match &mut channel.line {
                Line::One(one) => Some(&mut one.motor),
                Line::Many(_) => None,
            },
            tape: tape.clone(),
            record: protocol == Protocol::Http2,
        };
        let mut plan = Plan::new(url, want, &parts, &self.content_types, &self.limits);
        if parts.status == StatusCode::PROXY_AUTHENTICATION_REQUIRED && self.asks_proxy(url) {
            plan.outcome = Outcome::Failed(Failure::Proxy);
        }
        let chunked = protocol == Protocol::Http1 && head::is_chunked(&parts.headers);
        if !chunked && let Some(length) = head::content_length(&parts.headers) {
            tape.lock().expect(length.min(plan.caps.wire));
        }
        let read = match plan.encoding {
            // Closing is cheaper than reading what nobody wants.
            _ if matches!(plan.outcome, Outcome::Refused(Refusal::ContentType)) => Read {
                end: End::NotText,
                wire: 0,
                sink: Sink::InPlace,
            },
            Encoding::Coded(ref codings) => match Decoder::new(codings, plan.caps.decoded) {
                Ok(decoder) => self.read(source, Sink::Decoded(Box::new(decoder)), &plan).await,
                Err(_) => return Err(GARBLED),
            },
            _ if chunked => self.read(source, Sink::Gathered(Vec::new()), &plan).await,
            _ => self.read(source, Sink::InPlace, &plan).await,
        };
        let (sent, received) = {
            let mut tape = tape.lock();
            (
                std::mem::take(&mut tape.sent).freeze(),
                std::mem::take(&mut tape.received).freeze(),
            )
        };
        let received = received.slice(start..);
        let head = end - start;
        let len = match read.end {
            End::NotText => head,
            End::Whole if chunked => chunked_len(&received[head..]).map_or(received.len(), |len| head + len),
            _ if chunked => received.len(),
            End::Whole | End::Cut(_) => head + read.wire,
        };
        let response = received.slice(..len.min(received.len()));
        let body = match read.sink {
            _ if read.end == End::NotText => Bytes::new(),
            Sink::InPlace => {
                let body = response.slice(head.min(response.len())..);
                body.slice(..body.len().min(plan.caps.decoded))
            }
            Sink::Gathered(gathered) => Bytes::from(gathered),
            Sink::Decoded(decoder) => Bytes::from(decoder.into_decoded()),
        };
        let truncated = match read.end {
            End::Whole => None,
            End::Cut(why) => Some(why),
            End::NotText => Some(Truncation::Length),
        };
        Ok(Fetched {
            outcome: match plan.outcome {
                _ if read.end == End::NotText => Outcome::Refused(Refusal::ContentType),
                Outcome::Body { status, .. } => Outcome::Body { status, truncated },
                other => other,
            },
            ip: None,
            raw: Some(RawExchange {
                request: self.archived_request(sent, url, protocol),
                response,
                protocol,
            }),
            content_type: head::text(&parts.headers, header::CONTENT_TYPE),
            retry_after: head::text(&parts.headers, header::RETRY_AFTER)
                .and_then(|value| RetryAfter::parse(&value)),
            x_robots_tag: head::robots_tags(&parts.headers),
            etag: head::text(&parts.headers, header::ETAG),
            last_modified: head::text(&parts.headers, header::LAST_MODIFIED),
            body,
            truncated,
        })
    }

    async fn read(&self, source: Source<'_>, sink: Sink, plan: &Plan) -> Read {
        exchange::read(source, sink, plan.caps, plan.sniff, &self.limits).await
    }

    /// The request for a URL, or none if the library cannot spell it.
    fn request(&self, url: &CanonicalUrl, protocol: Protocol) -> Option<Ask> {
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

    /// Whether the request itself goes to a proxy.
    fn asks_proxy(&self, url: &CanonicalUrl) -> bool {
        self.plain_proxy && !url.is_https()
    }

    /// The request as the target would have got it: the archive is no place for a proxy's password.
    fn archived_request(&self, sent: Bytes, url: &CanonicalUrl, protocol: Protocol) -> Bytes {
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

const GARBLED: NoResponse = NoResponse {
    failure: Failure::Protocol,
    untouched: false,
};

/// What to do about a response, decided by its head.
struct Plan {
    /// How it ends if nothing goes wrong.
    outcome: Outcome,
    caps: BodyCaps,
    encoding: Encoding,
    /// Whether the first bytes have to show that it is text.
    sniff: bool,
}

impl Plan {
    fn new(
        url: &CanonicalUrl,
        want: Want,
        head: &http::response::Parts,
        readable: &[String],
        limits: &Limits,
    ) -> Plan {
        let status = head.status.as_u16();
        let encoding = Encoding::of(&head.headers);
        let aside = |outcome| Plan {
            outcome,
            caps: limits.caps(want, false),
            // Kept as it is: nobody reads it.
            encoding: Encoding::Plain,
            sniff: false,
        };
        match head.status {
            StatusCode::MOVED_PERMANENTLY
            | StatusCode::FOUND
            | StatusCode::SEE_OTHER
            | StatusCode::TEMPORARY_REDIRECT
            | StatusCode::PERMANENT_REDIRECT => {
                return aside(match head::redirect_target(url, &head.headers) {
                    Some(to) => Outcome::Redirect { status, to },
                    None => Outcome::Refused(Refusal::RedirectTarget),
                });
            }
            other if !other.is_success() => return aside(Outcome::Failed(Failure::Status(status))),
            _ => {}
        }
        let kind = head::text(&head.headers, header::CONTENT_TYPE).and_then(|kind| essence(&kind));
        let empty = matches!(head.status, StatusCode::NO_CONTENT | StatusCode::RESET_CONTENT);
        let unreadable = match (want, &kind) {
            _ if encoding == Encoding::TooDeep => true,
            (Want::Page, Some(kind)) if !empty => !readable.iter().any(|readable| readable == kind),
            _ => false,
        };
        Plan {
            outcome: if unreadable {
                Outcome::Refused(Refusal::ContentType)
            } else {
                Outcome::Body {
                    status,
                    truncated: None,
                }
            },
            caps: limits.caps(want, true),
            sniff: want == Want::Page && (kind.is_none() || encoding == Encoding::Unknown),
            encoding,
        }
    }
}

/// Writes an HTTP/2 request in the form of HTTP/1.1.
fn write_request(to: &mut BytesMut, request: &Ask, url: &CanonicalUrl) {
    to.put_slice(format!("GET {} HTTP/1.1\r\n", url.path_and_query()).as_bytes());
    to.put_slice(format!("host: {}\r\n", url.authority()).as_bytes());
    write_headers(to, request.headers());
}

/// Writes the head of an HTTP/2 response in the form of HTTP/1.1.
fn write_response(to: &mut BytesMut, head: &http::response::Parts) {
    let reason = head.status.canonical_reason().unwrap_or_default();
    to.put_slice(format!("HTTP/1.1 {} {reason}\r\n", head.status.as_u16()).as_bytes());
    write_headers(to, &head.headers);
}

fn write_headers(to: &mut BytesMut, headers: &HeaderMap) {
    for (name, value) in headers {
        // It speaks of a framing that HTTP/2 does not have.
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
