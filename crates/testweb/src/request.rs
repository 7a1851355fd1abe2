//! Reads the head of an HTTP/1.1 request, as far as our own pages need it.
//!
//! Deliberately absent: request bodies, chunks, trailers, upgrades. A request with a body is answered and the
//! connection closed, so that the body is never mistaken for a request.

/// The maximum length of a head.
pub(crate) const MAX_HEAD: usize = 64 * 1024;

/// How a request names its host.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Addressed {
    /// To the server itself, in the Host header.
    Server,
    /// To a proxy, in an absolute URL or, for a tunnel, as host and port.
    Proxy,
}

/// The head of a request.
#[derive(PartialEq, Eq, Debug)]
pub(crate) struct Head {
    pub(crate) method: String,
    pub(crate) addressed: Addressed,
    /// In lower case, without port.
    pub(crate) host: String,
    /// As given with the host.
    pub(crate) port: Option<u16>,
    /// Starts with a slash; a single slash for a tunnel.
    pub(crate) target: String,
    /// Whether the connection may be reused.
    pub(crate) keep_alive: bool,
}

/// Where the head ends in the bytes so far; none if it is incomplete. Only bytes after `from` are examined.
pub(crate) fn end_of_head(bytes: &[u8], from: usize) -> Option<usize> {
    let from = from.saturating_sub(3);
    bytes
        .get(from..)?
        .windows(4)
        .position(|end| end == b"\r\n\r\n")
        .map(|at| from + at + 4)
}

/// Parses a head; none if it is not a request. A target that names its host (as for a proxy) overrides the header.
pub(crate) fn read_head(head: &[u8]) -> Option<Head> {
    let head = std::str::from_utf8(head).ok()?;
    let mut lines = head.split("\r\n");
    let mut words = lines.next()?.split(' ');
    let (method, target, version) = (words.next()?, words.next()?, words.next()?);
    if words.next().is_some() || !version.starts_with("HTTP/1.") {
        return None;
    }
    let mut host = "";
    let mut keep_alive = version != "HTTP/1.0";
    for (name, value) in lines.filter_map(|line| line.split_once(':')) {
        let value = value.trim();
        if name.eq_ignore_ascii_case("host") {
            host = value;
        } else if name.eq_ignore_ascii_case("connection") {
            keep_alive = !value.eq_ignore_ascii_case("close");
        } else if name.eq_ignore_ascii_case("transfer-encoding")
            || (name.eq_ignore_ascii_case("content-length") && value != "0")
        {
            keep_alive = false;
        }
    }
    let mut addressed = Addressed::Server;
    let target = match target.strip_prefix("http://") {
        _ if method == "CONNECT" => {
            addressed = Addressed::Proxy;
            host = target;
            "/"
        }
        Some(rest) => {
            addressed = Addressed::Proxy;
            let slash = rest.find(['/', '?']).unwrap_or(rest.len());
            let (authority, path) = rest.split_at(slash);
            host = authority;
            path
        }
        None => target,
    };
    let mut path = target.to_owned();
    if !path.starts_with('/') {
        path.insert(0, '/');
    }
    let (host, port) = split_port(host);
    Some(Head {
        method: method.to_owned(),
        addressed,
        host: host.to_ascii_lowercase(),
        port,
        target: path,
        keep_alive,
    })
}

/// Host and port. An invalid port is dropped, because the server listens on its own port anyway.
fn split_port(authority: &str) -> (&str, Option<u16>) {
    match authority.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|b| b.is_ascii_digit()) => (host, port.parse().ok()),
        _ => (authority, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn host_and_path_are_read_from_header_or_target() {
        let head = read_head(b"GET /a?b HTTP/1.1\r\nHOST: Tea.test:80\r\n\r\n").unwrap();
        assert_eq!(
            (head.host.as_str(), head.target.as_str(), head.keep_alive),
            ("tea.test", "/a?b", true)
        );
        let head =
            read_head(b"GET http://tea.test?q HTTP/1.1\r\nHost: other.test\r\nConnection: Close\r\n\r\n")
                .unwrap();
        assert_eq!(
            (head.host.as_str(), head.target.as_str(), head.keep_alive),
            ("tea.test", "/?q", false)
        );
    }

    #[test]
    fn a_request_to_a_proxy_names_host_and_port_in_its_target() {
        let head = read_head(b"GET http://Tea.test:8080/a HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
        assert_eq!(
            (
                head.addressed,
                head.host.as_str(),
                head.port,
                head.target.as_str()
            ),
            (Addressed::Proxy, "tea.test", Some(8080), "/a")
        );
        let head = read_head(b"CONNECT [2001:db8::1]:443 HTTP/1.1\r\n\r\n").unwrap();
        assert_eq!(
            (
                head.addressed,
                head.host.as_str(),
                head.port,
                head.target.as_str()
            ),
            (Addressed::Proxy, "[2001:db8::1]", Some(443), "/")
        );
        assert_eq!(
            read_head(b"GET /a HTTP/1.1\r\n\r\n").unwrap().addressed,
            Addressed::Server
        );
    }

    #[test]
    fn invalid_requests_are_refused() {
        for bad in [
            &b""[..],
            b"\r\n\r\n",
            b"GET /\r\n\r\n",
            b"GET / HTTP/2\r\n\r\n",
            b"\xff / HTTP/1.1\r\n\r\n",
        ] {
            assert_eq!(read_head(bad), None);
        }
    }

    #[test]
    fn a_head_ends_at_the_first_empty_line_even_if_that_comes_in_two_parts() {
        assert_eq!(end_of_head(b"GET / HTTP/1.1\r\n\r", 0), None);
        assert_eq!(end_of_head(b"GET / HTTP/1.1\r\n\r\nGET", 17), Some(18));
        assert_eq!(end_of_head(b"", 5), None);
    }
}
