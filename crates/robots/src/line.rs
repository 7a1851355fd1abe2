//! The meaningful lines of a robots.txt.
//!
//! Forgiving where a mistake cannot be misunderstood: any line ending, a damaged byte order mark, UTF-16 with a byte
//! order mark, a missing colon, common misspellings of `disallow` and `user-agent`. Values are bytes, because they
//! need not be valid text.
//!
//! Invariant: at most [`MAX_BODY`] bytes of the body and [`MAX_LINE`] bytes of a line are read.

use std::borrow::Cow;

use memchr::{memchr, memchr2};

/// How much of a robots.txt is read: the 500 KiB that RFC 9309 (2.5) requires as a minimum. A line cut off there is
/// dropped.
pub const MAX_BODY: usize = 500 * 1024;

/// How much of a line is read: eight times the longest URL we keep, as in Google's parser.
pub const MAX_LINE: usize = 2_083 * 8 - 1;

/// The body of a robots.txt, ready to be read line by line.
#[derive(Clone, Debug)]
pub struct RobotsTxt<'a> {
    text: Cow<'a, [u8]>,
}

/// A line with a directive.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Line<'a> {
    /// Counted from 1, including empty and meaningless lines.
    pub number: u32,
    /// Its directive.
    pub directive: Directive<'a>,
}

/// A directive, with its value trimmed and its comment removed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Directive<'a> {
    /// The crawler that the following rules address.
    UserAgent(&'a [u8]),
    /// A pattern that may be fetched.
    Allow(&'a [u8]),
    /// A pattern that must not be fetched.
    Disallow(&'a [u8]),
    /// The location of a sitemap, for all crawlers.
    Sitemap(&'a [u8]),
    /// Seconds between requests; not part of RFC 9309.
    CrawlDelay(&'a [u8]),
    /// Something else, by name.
    Unknown(&'a [u8]),
}

impl<'a> RobotsTxt<'a> {
    /// Takes the bytes as received, after content decoding.
    pub fn new(body: &'a [u8]) -> RobotsTxt<'a> {
        let kept = body.get(..MAX_BODY).unwrap_or(body);
        let mut text = match kept {
            [0xFE, 0xFF, rest @ ..] => Cow::Owned(from_utf16(rest, u16::from_be_bytes)),
            [0xFF, 0xFE, rest @ ..] => Cow::Owned(from_utf16(rest, u16::from_le_bytes)),
            _ => Cow::Borrowed(without_bom(kept)),
        };
        if kept.len() < body.len() {
            // The end of the last line is missing: the remaining pattern would match more than intended.
            let whole = memchr::memrchr2(b'\n', b'\r', &text).map_or(0, |at| at + 1);
            match &mut text {
                Cow::Borrowed(bytes) => *bytes = bytes.get(..whole).unwrap_or_default(),
                Cow::Owned(bytes) => bytes.truncate(whole),
            }
        }
        RobotsTxt { text }
    }

    /// The lines with a directive, in order.
    pub fn lines(&self) -> impl Iterator<Item = Line<'_>> {
        let mut rest: &[u8] = &self.text;
        let mut number = 0;
        std::iter::from_fn(move || {
            while !rest.is_empty() {
                number += 1;
                let line = next_line(&mut rest);
                if let Some(directive) = read(line) {
                    return Some(Line { number, directive });
                }
            }
            None
        })
    }
}

/// Takes the first line; `
/// `, `\r` and `\r
/// ` each end one.
fn next_line<'a>(rest: &mut &'a [u8]) -> &'a [u8] {
    let end = memchr2(b'\n', b'\r', rest).unwrap_or(rest.len());
    let (line, tail) = rest.split_at(end);
    *rest = match tail {
        [b'\r', b'\n', after @ ..] | [_, after @ ..] => after,
        [] => tail,
    };
    line.get(..MAX_LINE).unwrap_or(line)
}

fn read(line: &[u8]) -> Option<Directive<'_>> {
    let line = match memchr(b'#', line) {
        Some(comment) => line.get(..comment).unwrap_or_default(),
        None => line,
    }
    .trim_ascii();
    let (name, value) = match memchr(b':', line) {
        Some(colon) => (line.get(..colon)?, line.get(colon + 1..)?),
        None => {
            // A forgotten colon is forgiven only between exactly two words; more is prose or markup.
            let gap = line.iter().position(u8::is_ascii_whitespace)?;
            let (name, value) = line.split_at(gap);
            if value.trim_ascii().iter().any(u8::is_ascii_whitespace) {
                return None;
            }
            (name, value)
        }
    };
    let (name, value) = (name.trim_ascii(), value.trim_ascii());
    if name.is_empty() {
        return None;
    }
    let is = |names: &[&str]| {
        names
            .iter()
            .any(|known| name.eq_ignore_ascii_case(known.as_bytes()))
    };
    Some(if is(&["user-agent", "useragent", "user agent"]) {
        Directive::UserAgent(value)
    } else if is(&["allow"]) {
        Directive::Allow(value)
    } else if is(&[
        "disallow",
        "dissallow",
        "dissalow",
        "disalow",
        "diasllow",
        "disallaw",
    ]) {
        Directive::Disallow(value)
    } else if is(&["sitemap", "site-map"]) {
        Directive::Sitemap(value)
    } else if is(&["crawl-delay", "crawldelay"]) {
        Directive::CrawlDelay(value)
    } else {
        Directive::Unknown(name)
    })
}

/// Skips as much of a UTF-8 byte order mark as there is; some servers lose part of it.
fn without_bom(bytes: &[u8]) -> &[u8] {
    let marked = bytes
        .iter()
        .zip([0xEF, 0xBB, 0xBF])
        .take_while(|(byte, mark)| *byte == mark)
        .count();
    bytes.get(marked..).unwrap_or_default()
}

fn from_utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Vec<u8> {
    let units = bytes.chunks_exact(2).map(|pair| match pair {
        [first, second] => unit([*first, *second]),
        _ => 0,
    });
    let text: String = char::decode_utf16(units)
        .map(|decoded| decoded.unwrap_or(char::REPLACEMENT_CHARACTER))
        .collect();
    text.into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use Directive::*;

    fn directives(body: &[u8]) -> Vec<(u32, String)> {
        RobotsTxt::new(body)
            .lines()
            .map(|line| {
                let (name, value) = match line.directive {
                    UserAgent(value) => ("agent", value),
                    Allow(value) => ("allow", value),
                    Disallow(value) => ("disallow", value),
                    Sitemap(value) => ("sitemap", value),
                    CrawlDelay(value) => ("delay", value),
                    Unknown(name) => ("unknown", name),
                };
                (line.number, format!("{name} {}", String::from_utf8_lossy(value)))
            })
            .collect()
    }

    #[test]
    fn common_mistakes_are_understood() {
        let body = b"User agent: a\ndissalow : /x # why\n\nDisallow /y\r\nplease do not\n<br />\nNoindex: /z";
        let expected = [
            (1, "agent a"),
            (2, "disallow /x"),
            (4, "disallow /y"),
            (6, "unknown <br"),
            (7, "unknown Noindex"),
        ];
        assert_eq!(
            directives(body),
            expected.map(|(line, text)| (line, text.to_owned()))
        );
    }

    #[test]
    fn a_body_over_the_limit_loses_its_last_line() {
        let mut body = b"Disallow: /kept\n".to_vec();
        body.resize(MAX_BODY - 20, b'#');
        body.extend_from_slice(b"\nAllow: /private/but-this-page");
        assert_eq!(directives(&body), [(1, "disallow /kept".to_owned())]);
    }

    #[test]
    fn a_long_line_is_cut() {
        let body = format!("Disallow: /{}", "x".repeat(2 * MAX_LINE));
        let robots = RobotsTxt::new(body.as_bytes());
        let Some(Line {
            directive: Disallow(value),
            ..
        }) = robots.lines().next()
        else {
            panic!("no rule")
        };
        assert_eq!(value.len(), MAX_LINE - "Disallow: ".len());
    }

    #[test]
    fn utf_16_with_a_byte_order_mark_is_read() {
        let text = "\u{feff}Disallow: /a\nDisallow: /b";
        let expected = [(1, "disallow /a".to_owned()), (2, "disallow /b".to_owned())];
        let big: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
        let little: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(directives(&big), expected);
        assert_eq!(directives(&little), expected);
    }
}
