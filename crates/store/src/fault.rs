//! What is wrong with a WARC record, as a list rather than an error: readers still want the rest of the record.
//!
//! The checks cover what careless writers get wrong: required fields, the form of values, digests. They follow WARC 1.0
//! and 1.1; older drafts are read by the same rules.

use std::net::IpAddr;

use thiserror::Error;

use crate::warc::WarcRecord;

/// Something wrong in a WARC file.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum Fault {
    /// The file or the member ends inside a record.
    #[error("the record is cut off")]
    Cut,
    /// The compressed data is damaged.
    #[error("the gzip data is damaged")]
    Gzip,
    /// The data compressed by zstd is damaged, needs a dictionary or more memory than is given.
    #[error("the zstd data is damaged or of a kind that is not read here")]
    Zstd,
    /// Bytes that are not a record.
    #[error("this is not a WARC record")]
    Garbage,
    /// The head of a record is longer than the limit.
    #[error("the record's head is too long")]
    LongHead,
    /// A version that was never published.
    #[error("unknown WARC version")]
    Version,
    /// A line of the head without a colon.
    #[error("a line of the record's head is not a field")]
    Line,
    /// A required field is missing or empty.
    #[error("{0} is missing")]
    Missing(&'static str),
    /// A field's value does not have the required form.
    #[error("{0} is not valid")]
    Invalid(&'static str),
    /// A field that may occur once is repeated.
    #[error("{0} occurs more than once")]
    Repeated(String),
    /// The block does not match its digest.
    #[error("the block does not match its digest")]
    Digest,
    /// The block is longer than the reader's limit; the rest was skipped.
    #[error("the block is longer than the limit")]
    LongBlock,
    /// The two line ends after the block are missing.
    #[error("the record is not followed by two line ends")]
    Unterminated,
}

impl Fault {
    /// Whether bytes of the record are missing or wrong, rather than just its form.
    pub fn loses_bytes(&self) -> bool {
        matches!(
            self,
            Fault::Cut | Fault::Gzip | Fault::Zstd | Fault::Garbage | Fault::Digest
        )
    }
}

/// Checks everything that shows in the head and the block's length.
pub(crate) fn check_head(record: &WarcRecord, faults: &mut Vec<Fault>) {
    if !matches!(record.version.as_str(), "0.17" | "0.18" | "1.0" | "1.1") {
        faults.push(Fault::Version);
    }
    for name in ["WARC-Type", "WARC-Record-ID", "WARC-Date", "Content-Length"] {
        if record.field(name).is_none_or(str::is_empty) {
            faults.push(Fault::Missing(name));
        }
    }
    let continuation = record.is_kind("continuation");
    if record.block_length > 0 && !continuation && record.field("Content-Type").is_none_or(str::is_empty) {
        faults.push(Fault::Missing("Content-Type"));
    }
    let mut form = |name: &'static str, fits: fn(&str) -> bool| {
        if record
            .field(name)
            .is_some_and(|value| !value.is_empty() && !fits(value))
        {
            faults.push(Fault::Invalid(name));
        }
    };
    form("WARC-Record-ID", |id| {
        id.strip_prefix('<')
            .and_then(|id| id.strip_suffix('>'))
            .is_some_and(|id| id.contains(':'))
    });
    form("WARC-Date", |date| {
        date.len() >= 4
            && date
                .bytes()
                .all(|b| b.is_ascii_digit() || b"-:.TZtz".contains(&b))
    });
    form("Content-Length", |length| length.parse::<u64>().is_ok());
    form("WARC-IP-Address", |ip| ip.parse::<IpAddr>().is_ok());
    form("WARC-Block-Digest", is_digest);
    form("WARC-Payload-Digest", is_digest);
    form("WARC-Target-URI", |uri| uri.contains(':'));
    if record.is_kind("warcinfo") {
        form("Content-Type", |kind| {
            kind.to_ascii_lowercase().starts_with("application/warc-fields")
        });
    }
    if continuation {
        form("WARC-Segment-Number", |number| {
            number.parse::<u32>().is_ok_and(|number| number > 1)
        });
    } else {
        form("WARC-Segment-Number", |number| number == "1");
    }
    check_repeats(record, faults);
}

fn is_digest(value: &str) -> bool {
    value.split_once(':').is_some_and(|(algorithm, digest)| {
        !algorithm.is_empty() && !digest.is_empty() && !digest.contains(' ')
    })
}

/// The standard allows only WARC-Concurrent-To to be repeated; WARC-Protocol and its companions are repeated by design.
fn check_repeats(record: &WarcRecord, faults: &mut Vec<Fault>) {
    const MAY_REPEAT: [&str; 3] = ["warc-concurrent-to", "warc-protocol", "warc-cipher-suite"];
    let mut names: Vec<String> = record
        .fields
        .iter()
        .map(|(name, _)| name.to_ascii_lowercase())
        .filter(|name| name.starts_with("warc-") || name == "content-length" || name == "content-type")
        .filter(|name| !MAY_REPEAT.contains(&name.as_str()))
        .collect();
    names.sort_unstable();
    let mut repeated: Vec<String> = names
        .windows(2)
        .filter_map(|pair| match pair {
            [a, b] if a == b => Some(a.clone()),
            _ => None,
        })
        .collect();
    repeated.dedup();
    faults.extend(repeated.into_iter().map(Fault::Repeated));
}
