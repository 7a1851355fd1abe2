//! Seed files: one URL per line.
//!
//! Blank lines and comments (`#` at the start of a line or after a space) are skipped, and so is a byte order mark. A
//! line without a scheme that begins with a host name (`example.com/x`, `localhost:8080`) gets `https://`. A URL that
//! occurs twice, in any spelling, counts once, at its first position.
//!
//! Invariant: either every line is understood, or all faults are reported and nothing is crawled.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use scenthound_types::{CanonicalUrl, UrlFault};
use thiserror::Error;

/// Why there are no seeds.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SeedsError {
    /// The file could not be read.
    #[error("could not read seeds from {}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The error from the system.
        source: std::io::Error,
    },
    /// Some lines are not URLs.
    #[error("{}", report(faults))]
    Lines {
        /// Every bad line, in order.
        faults: Vec<BadLine>,
    },
}

/// A line that is not a URL.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("line {line}: {fault}: {text}")]
pub struct BadLine {
    /// Counted from 1.
    pub line: usize,
    /// The text of the line, shortened if it is long.
    pub text: String,
    /// What is wrong with it.
    pub fault: LineFault,
}

/// What is wrong with a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum LineFault {
    /// It is not a URL we can fetch.
    #[error(transparent)]
    Url(#[from] UrlFault),
    /// There is a space inside.
    #[error("more than one word; write one URL per line")]
    Words,
    /// It is not UTF-8.
    #[error("not UTF-8 text")]
    Encoding,
}

/// Reads a seed file.
pub fn read_seeds(path: &Path) -> Result<Vec<CanonicalUrl>, SeedsError> {
    let bytes = std::fs::read(path).map_err(|source| SeedsError::Read {
        path: path.to_owned(),
        source,
    })?;
    parse_seeds(&bytes).map_err(|faults| SeedsError::Lines { faults })
}

/// Reads the bytes of a seed file; the error contains every bad line.
pub fn parse_seeds(bytes: &[u8]) -> Result<Vec<CanonicalUrl>, Vec<BadLine>> {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let mut seeds = Vec::new();
    let mut seen = HashSet::new();
    let mut faults = Vec::new();
    for (index, line) in bytes.split(|&byte| byte == b'\n').enumerate() {
        match read_line(line) {
            Ok(None) => {}
            Ok(Some(url)) => {
                if seen.insert(url.clone()) {
                    seeds.push(url);
                }
            }
            Err(fault) => faults.push(BadLine {
                line: index + 1,
                text: String::from_utf8_lossy(line).trim().chars().take(100).collect(),
                fault,
            }),
        }
    }
    if faults.is_empty() { Ok(seeds) } else { Err(faults) }
}

fn read_line(line: &[u8]) -> Result<Option<CanonicalUrl>, LineFault> {
    let line = std::str::from_utf8(line).map_err(|_| LineFault::Encoding)?;
    let mut words = line.split_whitespace().take_while(|word| !word.starts_with('#'));
    let Some(word) = words.next() else {
        return Ok(None);
    };
    if words.next().is_some() {
        return Err(LineFault::Words);
    }
    let url = if let Some(rest) = word.strip_prefix("//") {
        CanonicalUrl::parse(&format!("https://{rest}"))
    } else if begins_with_host(word) {
        CanonicalUrl::parse(&format!("https://{word}"))
    } else {
        CanonicalUrl::parse(word)
    };
    Ok(Some(url?))
}

/// Whether the word is a URL that only lacks its scheme. `mailto:a@b.c` is not, nor is a single word.
fn begins_with_host(word: &str) -> bool {
    let authority = word.split(['/', '?', '#']).next().unwrap_or_default();
    let (host, port) = match authority.rsplit_once(':') {
        Some((host, port)) if !authority.ends_with(']') => (host, port),
        _ => (authority, ""),
    };
    let named = host.contains('.') || host.starts_with('[') || host.eq_ignore_ascii_case("localhost");
    named && !host.contains('@') && port.bytes().all(|byte| byte.is_ascii_digit())
}

fn report(faults: &[BadLine]) -> String {
    let mut text = match faults.len() {
        1 => "a seed is not a valid URL".to_owned(),
        n => format!("{n} seeds are not valid URLs"),
    };
    for fault in faults {
        // Writing to a string cannot fail.
        let _ = write!(text, "\n  {fault}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seeds(text: &str) -> Vec<String> {
        parse_seeds(text.as_bytes())
            .unwrap()
            .iter()
            .map(ToString::to_string)
            .collect()
    }

    #[test]
    fn one_url_per_line_with_comments_and_blank_lines() {
        let text =
            "\u{feff}# tea\r\nhttp://a.test/x#part\r\n\r\n  https://b.test  # the other one\n#http://c.test/";
        assert_eq!(seeds(text), ["http://a.test/x", "https://b.test/"]);
        assert!(seeds("").is_empty());
    }

    #[test]
    fn a_missing_scheme_is_https() {
        let text = "example.com/x?y:z\nlocalhost:8080\n[::1]:80/a\n//c.test\nwww.a.test:81/b";
        assert_eq!(
            seeds(text),
            [
                "https://example.com/x?y:z",
                "https://localhost:8080/",
                "https://[::1]:80/a",
                "https://c.test/",
                "https://www.a.test:81/b"
            ]
        );
    }

    #[test]
    fn a_url_counts_once_at_its_first_position() {
        assert_eq!(
            seeds("http://b.test/\nhttp://a.test/\nHTTP://B.test:80\nhttp://a.test/#x"),
            ["http://b.test/", "http://a.test/"]
        );
    }

    #[test]
    fn every_bad_line_is_reported_at_once() {
        let text = b"http://a.test/\ntea\n\nmailto:a@b.c\nhttp://a.test/ http://b.test/\nhttp://\n\xFF\xFE.test\nftp://a.b/";
        let faults = parse_seeds(text).unwrap_err();
        let facts: Vec<_> = faults.iter().map(|bad| (bad.line, bad.fault)).collect();
        assert_eq!(
            facts,
            [
                (2, LineFault::Url(UrlFault::Unreadable)),
                (4, LineFault::Url(UrlFault::Scheme)),
                (5, LineFault::Words),
                (6, LineFault::Url(UrlFault::Unreadable)),
                (7, LineFault::Encoding),
                (8, LineFault::Url(UrlFault::Scheme)),
            ]
        );
        assert_eq!(faults[0].to_string(), "line 2: not an absolute URL: tea");
    }

    #[test]
    fn a_file_is_named_in_its_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("seeds.txt");
        assert!(read_seeds(&path).unwrap_err().to_string().contains("seeds.txt"));
        std::fs::write(&path, "tea\nhttp://a.test/\ngreen").unwrap();
        let told = read_seeds(&path).unwrap_err().to_string();
        assert_eq!(
            told,
            "2 seeds are not valid URLs\n  line 1: not an absolute URL: tea\n  line 3: not an absolute URL: green"
        );
        std::fs::write(&path, "http://a.test/").unwrap();
        assert_eq!(read_seeds(&path).unwrap().len(), 1);
    }

    proptest::proptest! {
        #[test]
        fn any_bytes_give_seeds_or_faults(bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..200)) {
            let lines = bytes.split(|&byte| byte == b'\n').count();
            match parse_seeds(&bytes) {
                Ok(seeds) => assert!(seeds.len() <= lines),
                Err(faults) => assert!(!faults.is_empty() && faults.len() <= lines),
            }
        }
    }
}
