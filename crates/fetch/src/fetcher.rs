//! The fetcher: finds a host's addresses and makes requests.

use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use http::StatusCode;
use scenthound_types::{CanonicalUrl, Documents, Failure, Outcome, Refusal};
use tokio::time::Instant;

use crate::address::{AddressGuard, is_of_another_service};
use crate::channel::{Channel, Line};
use crate::connect::Connector;
use crate::decode::Decoder;
use crate::error::FetchError;
use crate::exchange::{self, End, NoResponse, Read, Sink, Source};
use crate::fetched::{Fetched, Protocol, RawExchange, cut_out};
use crate::head::{self, Encoding};
use crate::names::Names;
use crate::patience::Patience;
use crate::plan::Plan;
use crate::pool::Pool;
use crate::requests::{Requests, write_request, write_response};
use crate::room::{Reserved, Room};
use crate::settings::{FetchSettings, Limits, Want};
use crate::tape::{SharedTape, final_head};

/// The addresses of a host that we may connect to; at least one. Created only by [`Fetcher::locate`], so that no
/// address bypasses the guard.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Located {
    addresses: Vec<SocketAddr>,
}

impl Located {
    /// The address that will be tried first.
    pub fn ip(&self) -> IpAddr {
        // `locate` returns at least one.
        self.addresses
            .first()
            .map_or(IpAddr::from([0, 0, 0, 0]), SocketAddr::ip)
    }

    /// All addresses in the order they will be tried.
    pub fn addresses(&self) -> &[SocketAddr] {
        &self.addresses
    }
}

/// Decides when an address may get a request.
pub trait AddressGate: Sync {
    /// Claims the address for a request that begins now. If it is not free, returns how long it will be busy.
    fn claim(&self, address: IpAddr) -> Result<(), Duration>;
}

/// Every address is free at any time.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoGate;

impl AddressGate for NoGate {
    fn claim(&self, _: IpAddr) -> Result<(), Duration> {
        Ok(())
    }
}

/// No request was made, because the address is not free for this long.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NotYet(pub Duration);

/// Fetches URLs, one request each.
pub struct Fetcher {
    names: Names,
    guard: AddressGuard,
    pins: HashMap<String, SocketAddr>,
    connector: Connector,
    pool: Pool,
    requests: Requests,
    limits: Limits,
    documents: Documents,
    patience: Patience,
    room: Room,
}

impl Fetcher {
    /// Creates a fetcher with these settings.
    pub fn new(settings: FetchSettings) -> Result<Fetcher, FetchError> {
        Ok(Fetcher {
            names: Names::new(settings.resolver, settings.limits.resolve)?,
            connector: Connector::new(&settings)?,
            requests: Requests::new(&settings)?,
            pool: Pool::new(settings.idle_connections, settings.idle_time),
            guard: AddressGuard::new(settings.allowed_nets),
            pins: settings.pins,
            limits: settings.limits,
            documents: settings.documents,
            patience: Patience::default(),
            room: Room::new(settings.bytes_in_flight),
        })
    }

    /// Sets how long hosts may take that have not answered yet, where the limits allow more. `None` for as long as the
    /// limits allow. This also applies to requests that have begun.
    pub fn hurry_strangers(&self, most: Option<Duration>) {
        self.patience.hurry_strangers(most);
    }

    /// Says whether all requests are taken. Responses must then arrive faster than the limits demand; this also applies to
    /// requests that have begun.
    pub fn crowd(&self, is_crowded: bool) {
        self.patience.crowd(is_crowded);
    }

    /// Finds the addresses of a URL's host. Fails with the outcome if there are none, or none we may connect to.
    pub async fn locate(&self, url: &CanonicalUrl) -> Result<Located, Outcome> {
        if let Some(pin) = self.pins.get(url.host()) {
            return Ok(Located {
                addresses: vec![*pin],
            });
        }
        if is_of_another_service(url.port()) {
            return Err(Outcome::Refused(Refusal::Port));
        }
        let ips = self.names.addresses(url.host()).await.map_err(Outcome::Failed)?;
        let permitted = ips.iter().filter(|ip| self.guard.permits(**ip));
        let addresses: Vec<SocketAddr> = permitted.map(|ip| SocketAddr::new(*ip, url.port())).collect();
        if addresses.is_empty() {
            return Err(Outcome::Refused(Refusal::Address));
        }
        Ok(Located { addresses })
    }

    /// Whether a host can be reached: looks up its name again and connects, without making a request.
    pub async fn can_reach(&self, url: &CanonicalUrl, limit: Duration) -> bool {
        self.names.forget(url.host());
        let Ok(located) = self.locate(url).await else {
            return false;
        };
        let opened = self
            .connector
            .open(url, &located.addresses, &self.names, &NoGate, limit);
        // Even a handshake that fails comes from somewhere.
        matches!(opened.await, Ok(_) | Err(Failure::Tls))
    }

    /// Requests a URL at one of the addresses that [`Fetcher::locate`] returned for it.
    pub async fn fetch(&self, url: &CanonicalUrl, at: &Located, want: Want) -> Fetched {
        match self.fetch_when_free(url, at, want, &NoGate).await {
            Ok(fetched) => fetched,
            // Never with this gate.
            Err(NotYet(_)) => Fetched::nothing(Outcome::Failed(Failure::Internal), None),
        }
    }

    /// Requests a URL at one of the addresses that [`Fetcher::locate`] returned for it. Every address is claimed before
    /// it is used: the one that a kept connection leads to, the first one, and each further one that is tried because
    /// those before it did not answer.
    pub async fn fetch_when_free(
        &self,
        url: &CanonicalUrl,
        at: &Located,
        want: Want,
        gate: &dyn AddressGate,
    ) -> Result<Fetched, NotYet> {
        let kept = self.pool.take(url.origin(), &at.addresses).await;
        let reused = kept.is_some();
        let first = kept
            .as_ref()
            .map_or_else(|| at.ip(), |channel| channel.target.ip());
        if let Err(busy) = gate.claim(first) {
            if let Some(channel) = kept {
                self.pool.put(url.origin(), channel);
            }
            return Err(NotYet(busy));
        }
        let channel = match kept {
            Some(channel) => channel,
            None => match self.connect(url, at, gate).await {
                Ok(channel) => channel,
                Err(failure) => return Ok(Fetched::nothing(Outcome::Failed(failure), None)),
            },
        };
        Ok(self.request(url, want, channel, reused).await)
    }

    /// Makes a request on a connection.
    async fn request(&self, url: &CanonicalUrl, want: Want, mut channel: Channel, reused: bool) -> Fetched {
        match self.converse(url, want, &mut channel).await {
            Ok(mut fetched) => {
                fetched.ip = self.ip_of(&channel);
                // After a cut, the rest of the body is still in transit; with HTTP/2 only that stream is reset.
                let reusable = fetched.truncated.is_none() || matches!(channel.line, Line::Many(_));
                if reusable && channel.is_open().await {
                    self.pool.put(url.origin(), channel);
                }
                fetched
            }
            Err(none) => {
                if matches!(channel.line, Line::Many(_)) {
                    self.pool.forget_shared(url.origin());
                }
                let mut fetched = Fetched::nothing(Outcome::Failed(none.failure), self.ip_of(&channel));
                if none.wants_http1 {
                    self.connector.avoid_http2(url.origin());
                }
                // The other side may close an idle connection at any time, even while our request is on its way.
                fetched.stale = none.wants_http1 || (reused && none.untouched);
                fetched
            }
        }
    }

    async fn connect(
        &self,
        url: &CanonicalUrl,
        at: &Located,
        gate: &dyn AddressGate,
    ) -> Result<Channel, Failure> {
        let limit = self.patience.limit(url, self.limits.connect);
        let connected = self
            .connector
            .open(url, &at.addresses, &self.names, gate, limit)
            .await?;
        tokio::time::timeout(limit, Channel::new(connected, &self.limits))
            .await
            .map_err(|_| Failure::ConnectTimeout)?
    }

    /// The target's address, if we know it.
    fn ip_of(&self, channel: &Channel) -> Option<IpAddr> {
        (!self.requests.http_proxy).then(|| channel.target.ip())
    }

    /// One request and its response on a connection.
    async fn converse(
        &self,
        url: &CanonicalUrl,
        want: Want,
        channel: &mut Channel,
    ) -> Result<Fetched, NoResponse> {
        let (protocol, tape) = match &channel.line {
            Line::One(one) => (Protocol::Http1, one.tape.clone()),
            Line::Many(_) => (Protocol::Http2, SharedTape::default()),
        };
        let ask = self.requests.ask(url, protocol).ok_or(GARBLED)?;
        let longest = self.limits.header_bytes + self.limits.caps(want, true).wire;
        tape.lock().rewind(longest);
        if protocol == Protocol::Http2 {
            write_request(&mut tape.lock().sent, &ask, url);
        }
        let asked = Instant::now();
        let response =
            exchange::ask(channel, ask, || self.patience.limit(url, self.limits.first_byte)).await?;
        self.patience.meet(url);
        let (parts, body) = response.into_parts();
        if protocol == Protocol::Http2 {
            write_response(&mut tape.lock().received, &parts);
        }
        let head = final_head(&tape.lock().received).ok_or(GARBLED)?;
        if head.len() > self.limits.header_bytes || parts.headers.len() > self.limits.header_lines {
            return Err(GARBLED);
        }
        let mut plan = Plan::new(url, want, &parts, &self.limits, self.documents);
        if parts.status == StatusCode::PROXY_AUTHENTICATION_REQUIRED && self.requests.asks_proxy(url) {
            plan.outcome = Outcome::Failed(Failure::Proxy);
        }
        let chunked = protocol == Protocol::Http1 && head::is_chunked(&parts.headers);
        if !chunked && let Some(length) = head::content_length(&parts.headers) {
            tape.lock().expect(length.min(plan.caps.wire));
        }
        let source = Source {
            body,
            motor: match &mut channel.line {
                Line::One(one) => Some(&mut one.motor),
                Line::Many(_) => None,
            },
            tape: tape.clone(),
            asked,
            record: protocol == Protocol::Http2,
        };
        let read = self.read(source, &plan, chunked).await?;
        let (sent, received) = tape.lock().take();
        let raw = RawExchange {
            request: self.requests.archived(sent, url, protocol),
            response: cut_out(&received, head, chunked, &read),
            protocol,
        };
        Ok(Fetched::response(
            plan.outcome,
            &parts.headers,
            raw,
            head.len(),
            read,
        ))
    }

    /// Reads the body according to the plan.
    async fn read(&self, source: Source<'_>, plan: &Plan, chunked: bool) -> Result<Read, NoResponse> {
        if plan.is_refusal_of_type() {
            return Ok(Read {
                end: End::NotText,
                wire: 0,
                sink: Sink::InPlace,
                reserved: Reserved::default(),
            });
        }
        let sink = match &plan.encoding {
            Encoding::Coded(codings) => {
                let decoder = Decoder::new(codings, plan.caps.decoded).map_err(|_| GARBLED)?;
                Sink::Decoded(Box::new(decoder))
            }
            _ if chunked => Sink::Gathered(Vec::new()),
            _ => Sink::InPlace,
        };
        Ok(exchange::read(
            source,
            sink,
            plan.caps,
            plan.sniff,
            self.documents,
            &self.limits,
            (&self.room, &self.patience),
        )
        .await)
    }
}

const GARBLED: NoResponse = NoResponse {
    failure: Failure::Protocol,
    untouched: false,
    wants_http1: false,
};
