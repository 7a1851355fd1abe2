//! Resolves host names to addresses.
//!
//! Names are looked up exactly as written: the machine's search domains never apply, or `http://intranet/` on a page
//! would mean a host on the network the crawl runs in. Answers are cached for as long as they allow, within limits on
//! time and number. Failures are not cached; the caller decides when to ask again.

use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use hickory_resolver::config::{
    ConnectionConfig, LookupIpStrategy, NameServerConfig, ProtocolConfig, ResolveHosts, ResolverConfig,
    ResolverOpts,
};
use hickory_resolver::lookup_ip::LookupIp;
use hickory_resolver::net::runtime::TokioRuntimeProvider;
use hickory_resolver::net::{DnsError, NetError};
use hickory_resolver::proto::rr::Name;
use hickory_resolver::{Resolver, TokioResolver};
use scenthound_types::Failure;

use crate::error::FetchError;

/// The most addresses tried per host.
const MAX_ADDRESSES: usize = 16;

/// With a shorter lifetime, a host would be looked up again for every page.
const SHORTEST_LIFE: Duration = Duration::from_secs(60);

const LONGEST_LIFE: Duration = Duration::from_secs(24 * 60 * 60);

/// How many hosts are cached.
const MOST_KEPT: usize = 16_384;

/// The addresses of a host, until they expire.
struct Kept {
    addresses: Arc<[IpAddr]>,
    until: Instant,
}

/// Looks up addresses.
pub(crate) struct Names {
    /// `None` on a machine without a configured name service: then only literal addresses and pinned hosts can be
    /// reached.
    resolver: Option<TokioResolver>,
    kept: Mutex<HashMap<String, Kept>>,
    limit: Duration,
}

impl Names {
    pub(crate) fn new(server: Option<SocketAddr>, limit: Duration) -> Result<Names, FetchError> {
        let names = |resolver| Names {
            resolver,
            kept: Mutex::default(),
            limit,
        };
        let mut builder = match server {
            Some(server) => Resolver::builder_with_config(only(server), TokioRuntimeProvider::default()),
            None => match Resolver::builder_tokio() {
                Ok(builder) => builder,
                Err(_) => return Ok(names(None)),
            },
        };
        let options: &mut ResolverOpts = builder.options_mut();
        options.ip_strategy = LookupIpStrategy::Ipv4AndIpv6;
        options.negative_max_ttl = Some(Duration::from_secs(600));
        // A crawl looks up many hosts at once; the default would reject the 33rd.
        options.max_active_requests = 1_024;
        if server.is_some() {
            options.use_hosts_file = ResolveHosts::Never;
        }
        let resolver = builder
            .build()
            .map_err(|source| FetchError::Resolver(Box::new(source)))?;
        Ok(names(Some(resolver)))
    }

    /// The addresses of a host, IPv4 first; at least one.
    pub(crate) async fn addresses(&self, host: &str) -> Result<Arc<[IpAddr]>, Failure> {
        if let Some(ip) = literal(host) {
            return Ok(Arc::new([ip]));
        }
        if let Some(kept) = self.lock().get(host)
            && kept.until > Instant::now()
        {
            return Ok(kept.addresses.clone());
        }
        let answer = self.ask(host).await?;
        let mut addresses: Vec<IpAddr> = answer.iter().take(MAX_ADDRESSES).collect();
        if addresses.is_empty() {
            return Err(Failure::DnsNoName);
        }
        addresses.sort_by_key(IpAddr::is_ipv6);
        let addresses: Arc<[IpAddr]> = addresses.into();
        self.keep(host, addresses.clone(), answer.valid_until());
        Ok(addresses)
    }

    /// Forgets what is cached for a host.
    pub(crate) fn forget(&self, host: &str) {
        self.lock().remove(host);
    }

    async fn ask(&self, host: &str) -> Result<LookupIp, Failure> {
        let resolver = self.resolver.as_ref().ok_or(Failure::DnsError)?;
        let mut name = Name::from_ascii(host).map_err(|_| Failure::DnsNoName)?;
        name.set_fqdn(true);
        match tokio::time::timeout(self.limit, resolver.lookup_ip(name)).await {
            Ok(Ok(answer)) => Ok(answer),
            Ok(Err(NetError::Dns(DnsError::NoRecordsFound(_)))) => Err(Failure::DnsNoName),
            Ok(Err(_)) | Err(_) => Err(Failure::DnsError),
        }
    }

    fn keep(&self, host: &str, addresses: Arc<[IpAddr]>, until: Instant) {
        let now = Instant::now();
        let life = until.saturating_duration_since(now);
        let until = now + life.clamp(SHORTEST_LIFE, LONGEST_LIFE);
        let mut kept = self.lock();
        if kept.len() >= MOST_KEPT {
            kept.retain(|_, kept| kept.until > now);
            // Nothing has expired. Dropping everything costs one look-up per host; tracking use would cost more.
            if kept.len() >= MOST_KEPT {
                kept.clear();
            }
        }
        kept.insert(host.to_owned(), Kept { addresses, until });
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Kept>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A host that is already an address.
fn literal(host: &str) -> Option<IpAddr> {
    match host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        Some(v6) => v6.parse().ok().map(IpAddr::V6),
        None => host.parse().ok(),
    }
}

fn only(server: SocketAddr) -> ResolverConfig {
    let mut connections = Vec::new();
    for protocol in [ProtocolConfig::Udp, ProtocolConfig::Tcp] {
        let mut connection = ConnectionConfig::new(protocol);
        connection.port = server.port();
        connections.push(connection);
    }
    ResolverConfig::from_name_servers(vec![NameServerConfig::new(server.ip(), true, connections)])
}
