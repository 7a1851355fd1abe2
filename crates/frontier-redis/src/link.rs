//! A connection to one Redis server or to a cluster of them.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use redis::cluster::{ClusterClient, ClusterConnection};
use redis::{Cmd, ConnectionLike, FromRedisValue};

use crate::RedisFault;

/// How long connecting may take, and how long an answer.
const CONNECT: Duration = Duration::from_secs(2);
const ANSWER: Duration = Duration::from_secs(5);
/// How often a cluster client tries again, after a move of a slot for example. Longer faults are the caller's to wait for.
const RETRIES: u32 = 3;

/// A connection to one Redis server or to a cluster of them. It is opened again when it was lost.
pub struct Link {
    /// The first address, for people.
    shown: String,
    addresses: Vec<String>,
    open: Mutex<Option<Open>>,
}

enum Open {
    Single(Box<redis::Connection>),
    Cluster(Box<ClusterConnection>),
}

impl std::fmt::Debug for Link {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Link").field(&self.shown).finish()
    }
}

impl Link {
    /// Connects to the servers at `redis://[USER:PASSWORD@]HOST:PORT,HOST:PORT`. One that answers is enough.
    pub fn connect(given: &str) -> Result<Link, RedisFault> {
        let wrong = || RedisFault::Address {
            given: without_password(given),
        };
        let rest = given.strip_prefix("redis://").ok_or_else(wrong)?;
        let (user, hosts) = match rest.rsplit_once('@') {
            Some((user, hosts)) => (format!("{user}@"), hosts),
            None => (String::new(), rest),
        };
        let hosts: Vec<&str> = hosts.trim_end_matches('/').split(',').map(str::trim).collect();
        let is_valid = |host: &&str| {
            let port = host
                .rsplit_once(':')
                .map(|(name, port)| (name, port.parse::<u16>()));
            matches!(port, Some((name, Ok(1..))) if !name.is_empty() && !host.contains('/'))
        };
        if !hosts.iter().all(is_valid) {
            return Err(wrong());
        }
        let link = Link {
            shown: hosts.first().copied().unwrap_or_default().to_owned(),
            addresses: hosts
                .iter()
                .map(|host| format!("redis://{user}{host}/"))
                .collect(),
            open: Mutex::new(None),
        };
        *link.lock() = Some(link.open()?);
        Ok(link)
    }

    /// Another connection to the same servers.
    pub fn another(&self) -> Link {
        Link {
            shown: self.shown.clone(),
            addresses: self.addresses.clone(),
            open: Mutex::new(None),
        }
    }

    /// The first address, for people.
    pub fn address(&self) -> &str {
        &self.shown
    }

    /// Refuses servers that would lose what they confirmed.
    pub fn check(&self) -> Result<(), RedisFault> {
        for server in self.servers()? {
            let mut connection = self.open_one(&server)?;
            let shown = without_password(&server);
            let info = |section: &str, connection: &mut redis::Connection| -> Result<String, RedisFault> {
                redis::cmd("INFO")
                    .arg(section)
                    .query(connection)
                    .map_err(|source| self.fault(source))
            };
            let persistence = info("persistence", &mut connection)?;
            if field(&persistence, "aof_enabled") == Some("0") {
                return Err(RedisFault::NotDurable { address: shown });
            }
            let memory = info("memory", &mut connection)?;
            match field(&memory, "maxmemory_policy") {
                None | Some("noeviction") => {}
                Some(policy) => {
                    return Err(RedisFault::Evicts {
                        address: shown,
                        policy: policy.to_owned(),
                    });
                }
            }
        }
        Ok(())
    }

    /// The masters of the cluster, or the server itself.
    fn servers(&self) -> Result<Vec<String>, RedisFault> {
        let user = self.addresses.first().and_then(|address| {
            let rest = address.strip_prefix("redis://")?;
            rest.rsplit_once('@').map(|(user, _)| format!("{user}@"))
        });
        let mut last = None;
        for address in &self.addresses {
            let mut connection = match self.open_one(address) {
                Ok(connection) => connection,
                Err(fault) => {
                    last = Some(fault);
                    continue;
                }
            };
            if !is_cluster(&mut connection) {
                return Ok(vec![address.clone()]);
            }
            let nodes: String = redis::cmd("CLUSTER")
                .arg("NODES")
                .query(&mut connection)
                .map_err(|source| self.fault(source))?;
            let masters = nodes.lines().filter_map(|line| {
                let mut parts = line.split(' ').skip(1);
                let place = parts.next()?.split('@').next()?;
                let flags = parts.next()?;
                let is_up = flags.contains("master") && !flags.contains("fail");
                is_up.then(|| format!("redis://{}{place}/", user.as_deref().unwrap_or_default()))
            });
            return Ok(masters.collect());
        }
        Err(last.unwrap_or_else(|| RedisFault::Address {
            given: self.shown.clone(),
        }))
    }

    /// Sends a command and reads its answer.
    pub fn query<T: FromRedisValue>(&self, command: &Cmd) -> Result<T, RedisFault> {
        let mut open = self.lock();
        if open.is_none() {
            *open = Some(self.open()?);
        }
        let answer = match open.as_mut() {
            Some(Open::Single(connection)) => connection.req_command(command),
            Some(Open::Cluster(connection)) => connection.req_command(command),
            None => return Err(self.gone()),
        };
        let value = answer.map_err(|source| {
            // A connection that failed in the middle of an answer would give it to the next question.
            if source.is_io_error() || source.is_unrecoverable_error() || source.is_cluster_error() {
                *open = None;
            }
            self.fault(source)
        })?;
        let value = value.extract_error().map_err(|source| self.fault(source))?;
        redis::from_redis_value(value).map_err(|source| self.fault(source.into()))
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<Open>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn gone(&self) -> RedisFault {
        RedisFault::Unreachable {
            address: self.shown.clone(),
            source: redis::RedisError::from(std::io::Error::from(std::io::ErrorKind::NotConnected)),
        }
    }

    fn open(&self) -> Result<Open, RedisFault> {
        let mut last = None;
        for address in &self.addresses {
            match self.open_one(address) {
                Ok(mut connection) => {
                    if !is_cluster(&mut connection) {
                        return Ok(Open::Single(Box::new(connection)));
                    }
                    let client = ClusterClient::builder(self.addresses.iter().map(String::as_str))
                        .retries(RETRIES)
                        .connection_timeout(CONNECT)
                        .response_timeout(ANSWER)
                        .build();
                    let cluster = client.and_then(|client| client.get_connection());
                    return cluster
                        .map(|connection| Open::Cluster(Box::new(connection)))
                        .map_err(|source| self.fault(source));
                }
                Err(fault) => last = Some(fault),
            }
        }
        Err(last.unwrap_or_else(|| self.gone()))
    }

    fn open_one(&self, address: &str) -> Result<redis::Connection, RedisFault> {
        let shown = without_password(address);
        let client =
            redis::Client::open(address).map_err(|_| RedisFault::Address { given: shown.clone() })?;
        let connection = client
            .get_connection_with_timeout(CONNECT)
            .map_err(|source| fault_at(&shown, source))?;
        connection
            .set_read_timeout(Some(ANSWER))
            .and_then(|()| connection.set_write_timeout(Some(ANSWER)))
            .map_err(|source| fault_at(&shown, source))?;
        Ok(connection)
    }

    fn fault(&self, source: redis::RedisError) -> RedisFault {
        fault_at(&self.shown, source)
    }
}

fn is_cluster(connection: &mut redis::Connection) -> bool {
    let info: Result<String, _> = redis::cmd("INFO").arg("cluster").query(connection);
    info.is_ok_and(|info| field(&info, "cluster_enabled") == Some("1"))
}

/// A field of `INFO`.
fn field<'a>(info: &'a str, name: &str) -> Option<&'a str> {
    let mut lines = info.lines().filter_map(|line| line.trim().split_once(':'));
    lines.find(|(key, _)| *key == name).map(|(_, value)| value)
}

fn fault_at(address: &str, source: redis::RedisError) -> RedisFault {
    let address = address.to_owned();
    let is_password = source.kind() == redis::ErrorKind::AuthenticationFailed
        || matches!(source.code(), Some("NOAUTH" | "WRONGPASS" | "NOPERM"));
    if is_password {
        RedisFault::Password { address }
    } else if source.is_io_error() || source.kind() == redis::ErrorKind::ClusterConnectionNotFound {
        RedisFault::Unreachable { address, source }
    } else {
        RedisFault::Failed { address, source }
    }
}

/// An address as it may be shown.
fn without_password(address: &str) -> String {
    let (scheme, rest) = match address.split_once("://") {
        Some((scheme, rest)) => (Some(scheme), rest),
        None => (None, address),
    };
    let host = rest.rsplit_once('@').map_or(rest, |(_, host)| host);
    match scheme {
        Some("redis") => host.trim_end_matches('/').to_owned(),
        Some(scheme) => format!("{scheme}://{host}"),
        None => host.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_an_address_is_refused_without_its_password() {
        for given in [
            "10.0.0.1:7001",
            "redis://",
            "redis://host",
            "redis://a:1,b",
            "redis://a:0",
            "http://a:1",
        ] {
            let refused = Link::connect(given);
            assert!(matches!(refused, Err(RedisFault::Address { .. })), "{given}");
        }
        let refused = Link::connect("redis://me:secret@host").unwrap_err().to_string();
        assert!(!refused.contains("secret"), "{refused}");
    }
}
