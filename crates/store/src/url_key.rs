//! The keys under which archive tools look a URL up: `com,example)/path?query`.
//!
//! Tools agree on a form that makes URLs equal which usually lead to the same page: the host is reversed and loses its
//! `www.`, escapes are normalised, letters become small, parameters are sorted, and well-known session ids go. A key that
//! is not exactly what a tool computes is never found, so oddities of the common form are kept.
//!
//! Deliberately absent: schemes other than http and https.

use scenthound_types::CanonicalUrl;

/// A session id in a query: the name before `=`, how many letters may follow the name, and the id's length and alphabet.
type SessionId = (&'static [u8], usize, usize, fn(u8) -> bool);

const QUERY_SESSIONS: [SessionId; 4] = [
    (b"jsessionid", 0, 32, |byte| byte.is_ascii_alphanumeric()),
    (b"phpsessid", 0, 32, |byte| byte.is_ascii_alphanumeric()),
    (b"sid", 0, 32, |byte| byte.is_ascii_alphanumeric()),
    (b"aspsessionid", 8, 24, |byte| byte.is_ascii_alphabetic()),
];

/// The key of a URL in CDXJ indexes.
pub fn url_key(url: &CanonicalUrl) -> String {
    let mut key = host_key(url);
    key.push(')');
    let whole = url.path_and_query();
    let (path, query) = match whole.split_once('?') {
        Some((path, query)) => (path, Some(query)),
        None => (whole, None),
    };
    key.push_str(&path_key(path));
    if let Some(query) = query.map(query_key).filter(|query| !query.is_empty()) {
        key.push('?');
        key.push_str(&query);
    }
    key
}

fn host_key(url: &CanonicalUrl) -> String {
    let host = url.host().to_ascii_lowercase();
    let host = host.trim_matches('.');
    let mut key = if let Some(address) = host.strip_prefix('[') {
        address.trim_end_matches(']').to_owned()
    } else {
        let labels: Vec<&str> = without_www(host).split('.').rev().collect();
        labels.join(",")
    };
    let usual = if url.is_https() { 443 } else { 80 };
    if url.port() != usual {
        key.push_str(&format!(":{}", url.port()));
    }
    key
}

/// Without a leading `www.`, `www2.` and so on.
fn without_www(host: &str) -> &str {
    host.strip_prefix("www")
        .map(|rest| rest.trim_start_matches(|c: char| c.is_ascii_digit()))
        .and_then(|rest| rest.strip_prefix('.'))
        .unwrap_or(host)
}

fn path_key(path: &str) -> String {
    let mut kept: Vec<&[u8]> = Vec::new();
    let plain = unescape(path.as_bytes());
    let segments: Vec<&[u8]> = plain.split(|byte| *byte == b'/').skip(1).collect();
    for (at, segment) in segments.iter().enumerate() {
        let is_last = at + 1 == segments.len();
        match *segment {
            b"." => {}
            b".." => {
                if kept.pop().is_none() {
                    kept.push(segment);
                }
            }
            b"" if !is_last => {}
            segment => kept.push(segment),
        }
    }
    let mut joined = vec![b'/'];
    joined.extend_from_slice(&kept.join(&b'/'));
    let mut path = escape(&joined).to_ascii_lowercase();
    if let Some(shorter) = without_path_session(&path) {
        path = shorter;
    }
    if path.len() > 1 && path.ends_with('/') {
        path.pop();
    }
    path
}

/// The path without an ASP.NET session id such as `/(S(…))/`, if it has one.
fn without_path_session(path: &str) -> Option<String> {
    let start = path.rfind("/(")? + 1;
    let rest = path.get(start..)?;
    let end = rest.find("/")?;
    let (session, page) = (rest.get(1..end)?.strip_suffix(')')?, rest.get(end + 1..)?);
    let is_id = |id: &str| id.len() == 24 && id.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let is_session = is_id(session)
        || session.split_inclusive(')').all(|part| {
            part.get(1..)
                .and_then(|part| part.strip_prefix('(')?.strip_suffix(')'))
                .is_some_and(is_id)
        });
    let is_asp = page.find(".aspx").is_some_and(|at| at > 0);
    (is_session && is_asp).then(|| format!("{}{page}", path.get(..start).unwrap_or_default()))
}

fn query_key(query: &str) -> String {
    let mut query = escape(&unescape(query.as_bytes()));
    for (name, letters, length, alphabet) in QUERY_SESSIONS {
        if let Some(shorter) = without_session(&query, name, letters, length, alphabet) {
            query = shorter;
        }
    }
    if let Some(shorter) = without_cold_fusion(&query) {
        query = shorter;
    }
    let query = query.to_ascii_lowercase();
    // "a" sorts before "a=" and both before "b".
    let mut parameters: Vec<(&str, Option<&str>)> = query
        .split('&')
        .map(|parameter| match parameter.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (parameter, None),
        })
        .collect();
    parameters.sort_unstable();
    let parameters = parameters.into_iter().map(|(name, value)| match value {
        Some(value) => format!("{name}={value}"),
        None => name.to_owned(),
    });
    parameters.collect::<Vec<String>>().join("&")
}

/// The query without the last session id of this form.
fn without_session(
    query: &str,
    name: &[u8],
    letters: usize,
    length: usize,
    alphabet: fn(u8) -> bool,
) -> Option<String> {
    let bytes = query.as_bytes();
    (0..bytes.len()).rev().find_map(|start| {
        let rest = bytes.get(start..)?;
        let (found, rest) = rest.split_at_checked(name.len())?;
        let (more, rest) = rest.split_at_checked(letters)?;
        let (id, rest) = rest.strip_prefix(b"=")?.split_at_checked(length)?;
        let fits = found.eq_ignore_ascii_case(name)
            && more.iter().all(u8::is_ascii_alphabetic)
            && id.iter().copied().all(alphabet);
        let after = match rest.first() {
            None => "",
            Some(b'&') => query.get(query.len() - rest.len() + 1..)?,
            Some(_) => return None,
        };
        fits.then(|| format!("{}{after}", query.get(..start).unwrap_or_default()))
    })
}

/// The query without `cfid=…&cftoken=…`.
fn without_cold_fusion(query: &str) -> Option<String> {
    let small = query.to_ascii_lowercase();
    let start = small.rfind("cfid=")?;
    let rest = small.get(start..)?;
    let token = rest.find('&').filter(|end| *end > "cfid=".len())?;
    let value = rest.get(token + 1..)?.strip_prefix("cftoken=")?;
    let end = value.find('&').unwrap_or(value.len());
    if end == 0 {
        return None;
    }
    let after = query.get(query.len() - value.len() + end..)?;
    let after = after.strip_prefix('&').unwrap_or(after);
    Some(format!("{}{after}", query.get(..start).unwrap_or_default()))
}

/// Decodes escapes until none is left.
fn unescape(bytes: &[u8]) -> Vec<u8> {
    let mut current = bytes.to_vec();
    loop {
        let mut decoded = Vec::with_capacity(current.len());
        let mut rest = current.as_slice();
        while let Some((first, after)) = rest.split_first() {
            let digits = after.get(..2).filter(|_| *first == b'%');
            let byte = digits
                .filter(|digits| digits.iter().all(u8::is_ascii_hexdigit))
                .and_then(|digits| std::str::from_utf8(digits).ok())
                .and_then(|digits| u8::from_str_radix(digits, 16).ok());
            match byte {
                Some(byte) => {
                    decoded.push(byte);
                    rest = after.get(2..).unwrap_or_default();
                }
                None => {
                    decoded.push(*first);
                    rest = after;
                }
            }
        }
        if decoded == current {
            return decoded;
        }
        current = decoded;
    }
}

/// Escapes everything that is not printable ASCII, and `#`, `%` and spaces.
fn escape(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for byte in bytes {
        match byte {
            b'#' | b'%' | b' ' | 0..=31 | 127.. => text.push_str(&format!("%{byte:02X}")),
            byte => text.push(char::from(*byte)),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(url: &str) -> String {
        url_key(&CanonicalUrl::parse(url).unwrap())
    }

    #[test]
    fn keys_are_those_that_other_tools_look_for() {
        let id = "0123456789ABCDEF0123456789ABCDEF";
        for (url, expected) in [
            (
                "http://127.0.0.1:8080/A/b/?B=2&a=1",
                "1,0,0,127:8080)/a/b?a=1&b=2",
            ),
            ("http://www2.Example.com/", "com,example)/"),
            (
                "https://example.com/a%20b/%E2%82%AC?x=%41&y",
                "com,example)/a%20b/%e2%82%ac?x=a&y",
            ),
            ("http://example.com/a?", "com,example)/a"),
            (
                &format!("http://example.com/a?phpsessid={id}&x=1"),
                "com,example)/a?x=1",
            ),
            (
                &format!("http://example.com/a?x=1&sid={id}"),
                "com,example)/a?&x=1",
            ),
            (
                "http://example.com/(S(abcdefghijklmnopqrstuvwx))/x.aspx",
                "com,example)/x.aspx",
            ),
            ("http://[::1]/x", "::1)/x"),
            ("http://example.com/a?b=%2520&c=%26", "com,example)/a?&b=%20&c="),
            ("http://www.com/", "com)/"),
            (
                "http://example.com/x?aspsessionidabcdefgh=abcdefghijklmnopqrstuvwx&y=1",
                "com,example)/x?y=1",
            ),
            (
                "http://example.com/x?CFID=1234&CFTOKEN=12345678&z=1",
                "com,example)/x?z=1",
            ),
            (
                "http://example.com/x/?b=2&a=3&a=1&a",
                "com,example)/x?a&a=1&a=3&b=2",
            ),
        ] {
            assert_eq!(key(url), expected, "{url}");
        }
    }
}
