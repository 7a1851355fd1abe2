//! What the values of an option look like: reads them from text, and writes them so that they can be read back.
//!
//! Everything arrives as text, even the numbers of a TOML file, so that a value means the same in both places.

use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};
use std::time::Duration;

use ipnet::IpNet;
use regex::Regex;
use scenthound_types::{CanonicalUrl, Language};
use url::Url;

use crate::engine::read_engine;
use crate::fault::{Wrong, bare, either, quoted};
use crate::nearest::nearest;
use crate::units::{read_size, read_time, spell_size, spell_time};

/// Servers refuse header lines much longer than this.
const LONGEST_HEADER: usize = 400;

/// What the values of an option look like.
#[derive(Clone, Copy, PartialEq, Debug)]
#[non_exhaustive]
pub enum Kind {
    /// Any text that is not empty.
    Text,
    /// A word or phrase to look for, with at least one letter or digit.
    Term,
    /// Text that is allowed in an HTTP header.
    Header,
    /// A web page or an e-mail address.
    Contact,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// A whole number within bounds.
    Count {
        /// The smallest allowed.
        least: u64,
        /// The largest allowed.
        most: u64,
    },
    /// A number within bounds.
    Number {
        /// The smallest allowed.
        least: f64,
        /// The largest allowed.
        most: f64,
    },
    /// True or false; on the command line its mere presence means true.
    Switch,
    /// A duration, at least this long.
    Time {
        /// The shortest allowed.
        least: Duration,
    },
    /// An amount of bytes above 0.
    Size,
    /// Bytes per second.
    Rate,
    /// A regular expression.
    Pattern,
    /// A two-letter language code.
    Language,
    /// A block of IP addresses.
    Network,
    /// The address of a DNS server.
    Resolver,
    /// The URL of a proxy.
    Proxy,
    /// A file to read, relative to the topic file or, on the command line, to the current directory.
    Path,
    /// A URL to crawl.
    Url,
    /// Pages by a URL or by the path of a file or folder.
    Pages,
    /// A search engine by name, with its address or path where it needs one.
    Engine,
}

/// A regular expression; two are equal if they are written alike.
#[derive(Clone, Debug)]
pub struct Pattern(pub Regex);

impl PartialEq for Pattern {
    fn eq(&self, other: &Pattern) -> bool {
        self.0.as_str() == other.0.as_str()
    }
}

/// A value that was read and is valid.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Value {
    Text(String),
    Count(u64),
    Number(f64),
    Switch(bool),
    Time(Duration),
    Pattern(Pattern),
    Language(Language),
    Network(IpNet),
    Address(SocketAddr),
    Proxy(Url),
    Path(PathBuf),
    Url(CanonicalUrl),
}

/// What reading needs to know besides the text.
#[derive(Clone, Copy)]
pub(crate) struct ReadContext<'a> {
    /// The folder where relative paths start.
    pub folder: &'a Path,
}

impl Kind {
    /// The placeholder for the value in the command line's help; `None` if it takes no value.
    pub fn value_name(&self) -> Option<&'static str> {
        Some(match self {
            Kind::Text | Kind::Header => "TEXT",
            Kind::Term => "TERMS",
            Kind::Contact => "URL|EMAIL",
            Kind::Choice(_) => "NAME",
            Kind::Count { .. } | Kind::Number { .. } => "N",
            Kind::Switch => return None,
            Kind::Time { .. } => "TIME",
            Kind::Size => "SIZE",
            Kind::Rate => "SIZE/s",
            Kind::Pattern => "REGEX",
            Kind::Language => "LANG",
            Kind::Network => "NET",
            Kind::Resolver => "ADDR",
            Kind::Proxy | Kind::Url => "URL",
            Kind::Path => "FILE",
            Kind::Pages => "URL|FILE",
            Kind::Engine => "ENGINE",
        })
    }

    /// Whether several values may be written as one text, separated by commas. They may not if a value can contain a comma.
    pub(crate) fn splits_at_commas(&self) -> bool {
        matches!(
            self,
            Kind::Term | Kind::Language | Kind::Network | Kind::Choice(_)
        )
    }

    /// Reads one value.
    pub(crate) fn read(&self, text: &str, with: ReadContext<'_>) -> Result<Value, Wrong> {
        let text = text.trim();
        let no = |noun: &'static str, right: &str| Wrong::NotA {
            given: quoted(text),
            noun,
            right: right.to_owned(),
        };
        let outside = |right: String| Wrong::OutOfRange {
            given: bare(text),
            right: format!("write {right}"),
        };
        match self {
            Kind::Text => (!text.is_empty())
                .then(|| Value::Text(text.to_owned()))
                .ok_or_else(|| no("text", "at least one character")),
            Kind::Term => text
                .contains(char::is_alphanumeric)
                .then(|| Value::Text(text.to_owned()))
                .ok_or_else(|| no("term", "a word or a phrase")),
            Kind::Header => {
                let is_right = !text.is_empty() && text.len() <= LONGEST_HEADER && is_printable(text);
                is_right.then(|| Value::Text(text.to_owned())).ok_or_else(|| {
                    no(
                        "header text",
                        "at most 400 ASCII letters, digits, signs and spaces",
                    )
                })
            }
            Kind::Contact => is_contact(text)
                .then(|| Value::Text(text.to_owned()))
                .ok_or_else(|| no("contact", "the URL of a page about you or an e-mail address")),
            Kind::Choice(names) => one_of(text, names),
            Kind::Count { least, most } => {
                let right = match *most {
                    u64::MAX => format!("{least} or more"),
                    most => format!("a number from {least} to {most}"),
                };
                match text.parse::<u64>() {
                    Ok(count) if (*least..=*most).contains(&count) => Ok(Value::Count(count)),
                    Ok(_) => Err(outside(right)),
                    Err(_) => Err(no("whole number", &right)),
                }
            }
            Kind::Number { least, most } => {
                let right = format!("a number from {least} to {most}");
                match text.parse::<f64>() {
                    // Adding 0 turns -0 into 0.
                    Ok(number) if (*least..=*most).contains(&number) => Ok(Value::Number(number + 0.0)),
                    Ok(number) if number.is_finite() => Err(outside(right)),
                    _ => Err(no("number", &right)),
                }
            }
            Kind::Switch => match text {
                "true" => Ok(Value::Switch(true)),
                "false" => Ok(Value::Switch(false)),
                _ => Err(no("boolean", "true or false")),
            },
            Kind::Time { least } => match read_time(text) {
                Some(time) if time >= *least => Ok(Value::Time(time)),
                Some(_) => Err(outside(format!("{} or longer", spell_time(*least)))),
                None => Err(no("duration", "2s, 500ms or 1m")),
            },
            Kind::Size => match read_size(text) {
                Some(0) => Err(outside("1 or more".to_owned())),
                Some(bytes) => Ok(Value::Count(bytes)),
                None => Err(no("size", "10GB, 512KiB or a number of bytes")),
            },
            Kind::Rate => read_size(text.strip_suffix("/s").unwrap_or(text))
                .map(Value::Count)
                .ok_or_else(|| no("rate", "100B/s or 1KB/s")),
            Kind::Pattern => Regex::new(text)
                .map(|regex| Value::Pattern(Pattern(regex)))
                .map_err(|error| Wrong::Pattern {
                    given: quoted(text),
                    why: reason(&error),
                }),
            Kind::Language => Language::from_code(text)
                .map(Value::Language)
                .ok_or_else(|| no("language", "a two-letter code such as en or pt")),
            Kind::Network => read_network(text)
                .map(Value::Network)
                .ok_or_else(|| no("network", "127.0.0.0/8, fd00::/8 or one address")),
            Kind::Resolver => read_resolver(text)
                .map(Value::Address)
                .ok_or_else(|| no("address", "9.9.9.9, 9.9.9.9:53 or [2620:fe::fe]:53")),
            Kind::Proxy => read_proxy(text)
                .map(Value::Proxy)
                .ok_or_else(|| no("proxy", "http://host:port or socks5://host:port")),
            Kind::Path if text.is_empty() => Err(no("file", "the name of a file")),
            // Standard input has no folder.
            Kind::Path if text == "-" => Ok(Value::Path(PathBuf::from(text))),
            Kind::Path => Ok(Value::Path(with.folder.join(text))),
            Kind::Url => read_url(text).map(Value::Url),
            Kind::Pages if text.is_empty() => Err(no("page", "a URL or the name of a file")),
            Kind::Pages if text.contains("://") => read_url(text).map(|url| Value::Text(url.to_string())),
            Kind::Pages => Ok(Value::Text(with.folder.join(text).to_string_lossy().into_owned())),
            Kind::Engine => read_engine(text, with.folder).map(Value::Text),
        }
    }

    /// Writes a value as [`Kind::read`] reads it.
    pub(crate) fn spell(&self, value: &Value) -> String {
        match value {
            Value::Text(text) => text.clone(),
            Value::Count(bytes) if *self == Kind::Size => spell_size(*bytes),
            Value::Count(bytes) if *self == Kind::Rate => format!("{bytes}B/s"),
            Value::Count(count) => count.to_string(),
            Value::Number(number) => format!("{number:?}"),
            Value::Switch(on) => on.to_string(),
            Value::Time(time) => spell_time(*time),
            Value::Pattern(pattern) => pattern.0.as_str().to_owned(),
            Value::Language(language) => language.to_string(),
            Value::Network(network) => network.to_string(),
            Value::Address(address) => address.to_string(),
            Value::Proxy(url) => url.to_string(),
            Value::Path(path) => path.to_string_lossy().into_owned(),
            Value::Url(url) => url.to_string(),
        }
    }

    /// Writes a value as TOML.
    pub(crate) fn spell_toml(&self, value: &Value) -> String {
        let spelled = self.spell(value);
        let is_bare = match (self, value) {
            // TOML integers are limited to i64; larger numbers are written as text.
            (Kind::Count { .. }, Value::Count(count)) => i64::try_from(*count).is_ok(),
            (_, value) => matches!(value, Value::Number(_) | Value::Switch(_)),
        };
        if is_bare { spelled } else { toml_string(&spelled) }
    }
}

/// Reads a URL to crawl. If only the scheme is missing, the fault says so.
pub(crate) fn read_url(text: &str) -> Result<CanonicalUrl, Wrong> {
    CanonicalUrl::parse(text).map_err(|source| {
        let with_scheme = format!("https://{text}");
        let looks_like_host =
            text.contains('.') && !text.contains("://") && !text.contains(char::is_whitespace);
        Wrong::Url {
            given: quoted(text),
            source,
            right: (looks_like_host && !text.contains('@'))
                .then(|| CanonicalUrl::parse(&with_scheme).ok())
                .flatten()
                .map(|url| format!("write {}", quoted(url.as_str()))),
        }
    })
}

pub(crate) fn one_of(text: &str, names: &[&str]) -> Result<Value, Wrong> {
    if names.contains(&text) {
        return Ok(Value::Text(text.to_owned()));
    }
    let known = either(names.iter().copied());
    Err(Wrong::NotOneOf {
        given: quoted(text),
        right: match nearest(text, names.iter().copied()) {
            Some(near) => format!("did you mean {near}? the choices are {known}"),
            None => format!("write {known}"),
        },
    })
}

fn is_printable(text: &str) -> bool {
    text.bytes().all(|byte| byte == b' ' || byte.is_ascii_graphic())
}

/// The contact is put in parentheses in the user agent, so it must not contain any.
fn is_contact(text: &str) -> bool {
    let is_mail = text
        .split_once('@')
        .is_some_and(|(name, host)| !name.is_empty() && !host.is_empty() && !host.contains('@'));
    text.len() <= LONGEST_HEADER
        && text.bytes().all(|byte| byte.is_ascii_graphic())
        && !text.contains(['(', ')'])
        && (is_mail || CanonicalUrl::parse(text).is_ok())
}

fn read_resolver(text: &str) -> Option<SocketAddr> {
    let alone = |text: &str| text.parse::<IpAddr>().ok().map(|ip| SocketAddr::new(ip, 53));
    text.parse().ok().or_else(|| alone(text))
}

/// A single address is a network of one; bits beyond the prefix have no meaning and are dropped.
fn read_network(text: &str) -> Option<IpNet> {
    let alone = |text: &str| text.parse::<IpAddr>().ok().map(IpNet::from);
    text.parse()
        .ok()
        .or_else(|| alone(text))
        .map(|net: IpNet| net.trunc())
}

fn read_proxy(text: &str) -> Option<Url> {
    let url = Url::parse(text).ok()?;
    let is_right = matches!(url.scheme(), "http" | "socks5" | "socks5h")
        && url.host_str().is_some_and(|host| !host.is_empty())
        && matches!(url.path(), "" | "/")
        && url.query().is_none()
        && url.fragment().is_none();
    is_right.then_some(url)
}

/// The regex crate's message draws the pattern; its last line is the reason.
fn reason(error: &regex::Error) -> String {
    let text = error.to_string();
    let last = text.lines().last().unwrap_or_default();
    last.trim()
        .trim_start_matches("error: ")
        .trim_end_matches('.')
        .to_owned()
}

/// A TOML basic string.
pub(crate) fn toml_string(text: &str) -> String {
    let mut toml = String::with_capacity(text.len() + 2);
    toml.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => toml.extend(['\\', c]),
            c if c.is_control() => toml.push_str(&format!("\\u{:04X}", u32::from(c))),
            c => toml.push(c),
        }
    }
    toml.push('"');
    toml
}
