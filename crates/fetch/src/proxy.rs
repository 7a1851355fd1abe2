//! Reaches a target through an HTTP proxy or a SOCKS5 server.
//!
//! We still resolve and check the target ourselves. A SOCKS5 server gets the checked address. An HTTP proxy gets the
//! name (most refuse plain addresses), so it is trusted to resolve it as we did. The proxy's own address comes from
//! the user and is not checked.

use std::fmt;
use std::net::SocketAddr;

use data_encoding::BASE64;
use scenthound_types::Failure;
use thiserror::Error;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use url::Url;

/// The longest head of a response to CONNECT.
const MAX_ANSWER: usize = 8 * 1024;

/// The protocol of a proxy.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Way {
    Http,
    Socks5,
}

/// A proxy: its address, protocol and login.
#[derive(Clone, PartialEq, Eq)]
pub struct Proxy {
    pub(crate) way: Way,
    /// As in a URL: IPv6 in brackets.
    pub(crate) host: String,
    pub(crate) port: u16,
    login: Option<(String, String)>,
}

/// Why a string is not a valid proxy.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum ProxyFault {
    /// It does not parse or names no host.
    #[error("not a URL with a host, such as http://proxy.example:3128")]
    Unreadable,
    /// Neither http nor socks5.
    #[error("a proxy URL must start with http:// or socks5://")]
    Scheme,
    /// A part of the login is longer than the protocol allows.
    #[error("the user name or password is longer than 255 bytes")]
    Login,
}

impl Proxy {
    /// Reads `http://[user:password@]host[:port]` or `socks5://…`.
    pub fn parse(raw: &str) -> Result<Proxy, ProxyFault> {
        let url = Url::parse(raw.trim()).map_err(|_| ProxyFault::Unreadable)?;
        let (way, standard) = match url.scheme() {
            "http" => (Way::Http, 80),
            "socks5" | "socks5h" => (Way::Socks5, 1080),
            _ => return Err(ProxyFault::Scheme),
        };
        let host = url
            .host_str()
            .filter(|host| !host.is_empty())
            .ok_or(ProxyFault::Unreadable)?;
        let login = (!url.username().is_empty() || url.password().is_some()).then(|| {
            (
                unescape(url.username()),
                unescape(url.password().unwrap_or_default()),
            )
        });
        if let Some((user, password)) = &login
            && (user.len() > 255 || password.len() > 255)
        {
            return Err(ProxyFault::Login);
        }
        Ok(Proxy {
            way,
            host: host.to_owned(),
            port: url.port().unwrap_or(standard),
            login,
        })
    }

    /// The value of Proxy-Authorization, if there is a login.
    pub(crate) fn authorization(&self) -> Option<String> {
        let (user, password) = self.login.as_ref()?;
        Some(format!(
            "Basic {}",
            BASE64.encode(format!("{user}:{password}").as_bytes())
        ))
    }

    /// Asks an HTTP proxy for a tunnel to `host:port`.
    pub(crate) async fn tunnel(&self, stream: &mut TcpStream, target: &str) -> Result<(), Failure> {
        let login = self.authorization();
        let login = login
            .map(|value| format!("Proxy-Authorization: {value}\r\n"))
            .unwrap_or_default();
        let request = format!("CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n{login}\r\n");
        stream
            .write_all(request.as_bytes())
            .await
            .map_err(|_| Failure::Proxy)?;
        let mut answer = Vec::with_capacity(256);
        while !answer.ends_with(b"\r\n\r\n") && !answer.ends_with(b"\n\n") {
            if answer.len() >= MAX_ANSWER {
                return Err(Failure::Proxy);
            }
            // Byte by byte, because what follows the head belongs to the tunnel.
            answer.push(stream.read_u8().await.map_err(|_| Failure::Proxy)?);
        }
        let agreed = answer.starts_with(b"HTTP/1.") && answer.get(8..10) == Some(b" 2");
        agreed.then_some(()).ok_or(Failure::Proxy)
    }

    /// Asks a SOCKS5 server (RFC 1928, 1929) for a connection to an address.
    pub(crate) async fn socks5(&self, stream: &mut TcpStream, target: SocketAddr) -> Result<(), Failure> {
        self.greet(stream).await.map_err(|_| Failure::Proxy)??;
        let mut request = vec![5, 1, 0];
        match target {
            SocketAddr::V4(v4) => {
                request.push(1);
                request.extend(v4.ip().octets());
            }
            SocketAddr::V6(v6) => {
                request.push(4);
                request.extend(v6.ip().octets());
            }
        }
        request.extend(target.port().to_be_bytes());
        let answer = ask(stream, &request).await.map_err(|_| Failure::Proxy)?;
        match answer {
            0 => Ok(()),
            3..=5 => Err(Failure::Connect),
            6 => Err(Failure::ConnectTimeout),
            _ => Err(Failure::Proxy),
        }
    }

    async fn greet(&self, stream: &mut TcpStream) -> std::io::Result<Result<(), Failure>> {
        let hello: &[u8] = if self.login.is_some() {
            &[5, 2, 0, 2]
        } else {
            &[5, 1, 0]
        };
        stream.write_all(hello).await?;
        let mut choice = [0; 2];
        stream.read_exact(&mut choice).await?;
        match (choice, &self.login) {
            ([5, 0], _) => Ok(Ok(())),
            ([5, 2], Some((user, password))) => {
                let mut login = vec![1];
                for part in [user, password] {
                    login.push(u8::try_from(part.len()).unwrap_or(u8::MAX));
                    login.extend(part.as_bytes());
                }
                stream.write_all(&login).await?;
                let mut verdict = [0; 2];
                stream.read_exact(&mut verdict).await?;
                let [_, status] = verdict;
                Ok(if status == 0 { Ok(()) } else { Err(Failure::Proxy) })
            }
            _ => Ok(Err(Failure::Proxy)),
        }
    }
}

/// Sends a SOCKS5 request and reads the whole answer; returns its code.
async fn ask(stream: &mut TcpStream, request: &[u8]) -> std::io::Result<u8> {
    stream.write_all(request).await?;
    let mut start = [0; 4];
    stream.read_exact(&mut start).await?;
    let [_, code, _, kind] = start;
    let address = match kind {
        1 => 4,
        3 => usize::from(stream.read_u8().await?),
        4 => 16,
        _ => return Ok(if code == 0 { u8::MAX } else { code }),
    };
    let mut bound = vec![0; address + 2];
    // Some servers close the connection right after a refusal.
    match stream.read_exact(&mut bound).await {
        Err(error) if code == 0 => Err(error),
        _ => Ok(code),
    }
}

/// Decodes the percent-escapes of a login.
fn unescape(escaped: &str) -> String {
    let mut bytes = Vec::with_capacity(escaped.len());
    let mut rest = escaped.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let hex = after.get(..2).and_then(|hex| std::str::from_utf8(hex).ok());
        match hex.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(byte) if *first == b'%' => {
                bytes.push(byte);
                rest = after.get(2..).unwrap_or_default();
            }
            _ => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

impl fmt::Debug for Proxy {
    /// Leaves the password out, because settings end up in logs.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let login = if self.login.is_some() { "(with login) " } else { "" };
        write!(f, "{login}{:?} {}:{}", self.way, self.host, self.port)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_proxy_is_read_from_a_url() {
        let proxy = Proxy::parse("http://me:p%40ss@proxy.test:3128").unwrap();
        assert_eq!(
            (proxy.way, proxy.host.as_str(), proxy.port),
            (Way::Http, "proxy.test", 3128)
        );
        assert_eq!(proxy.authorization().as_deref(), Some("Basic bWU6cEBzcw=="));
        assert_eq!(Proxy::parse("socks5://[::1]").unwrap().port, 1080);
        assert_eq!(Proxy::parse("socks5://[::1]").unwrap().host, "[::1]");
        assert_eq!(Proxy::parse("http://proxy.test").unwrap().authorization(), None);
        assert_eq!(Proxy::parse("ftp://x"), Err(ProxyFault::Scheme));
        assert_eq!(Proxy::parse("proxy"), Err(ProxyFault::Unreadable));
    }

    #[test]
    fn a_password_is_not_printed() {
        let proxy = Proxy::parse("http://me:secret@proxy.test:3128").unwrap();
        assert!(!format!("{proxy:?}").contains("secret"));
    }
}
