//! Rules as bytes, for a frontier to keep with the host.
//!
//! Version, checksum, then the parts in a fixed order; numbers are little-endian. Invariant: what was written is read
//! back unchanged, and anything else is an error. A damaged blob must neither panic nor open up a host that was
//! closed.

use std::time::Duration;

use thiserror::Error;

use crate::rules::{MAX_CRAWL_DELAY, Rule, RuleKind, Rules};

const VERSION: u8 = 1;
const NO_DELAY: u32 = u32::MAX;

/// Why saved rules cannot be read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum SavedFault {
    /// Written by another version of this program.
    #[error("the saved robots rules have version {0}, but this program reads version {VERSION}")]
    Version(u8),
    /// Truncated, changed, or never rules at all.
    #[error("the saved robots rules are damaged")]
    Damaged,
}

impl Rules {
    /// The rules as bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = vec![VERSION, 0, 0, 0, 0];
        let delay = self.crawl_delay.map_or(NO_DELAY, |delay| {
            u32::try_from(delay.as_millis()).unwrap_or(NO_DELAY - 1)
        });
        put(&mut out, delay);
        put_len(&mut out, self.sitemaps.len());
        for sitemap in &self.sitemaps {
            put_len(&mut out, sitemap.len());
            out.extend_from_slice(sitemap.as_bytes());
        }
        put_len(&mut out, self.rules.len());
        for rule in &self.rules {
            out.push(match rule.kind {
                RuleKind::Allow => b'+',
                RuleKind::Disallow => b'-',
            });
            put(&mut out, rule.line);
            out.extend_from_slice(&rule.len.to_le_bytes());
        }
        out.extend_from_slice(self.patterns.as_bytes());
        let sum = checksum(out.get(5..).unwrap_or_default());
        if let Some(place) = out.get_mut(1..5) {
            place.copy_from_slice(&sum.to_le_bytes());
        }
        out
    }

    /// Reads what [`Rules::to_bytes`] wrote.
    pub fn from_bytes(saved: &[u8]) -> Result<Rules, SavedFault> {
        let (&version, rest) = saved.split_first().ok_or(SavedFault::Damaged)?;
        if version != VERSION {
            return Err(SavedFault::Version(version));
        }
        let mut reader = Reader { rest };
        if reader.number()? != checksum(reader.rest) {
            return Err(SavedFault::Damaged);
        }
        let crawl_delay = match reader.number()? {
            NO_DELAY => None,
            millis => Some(Duration::from_millis(millis.into()).min(MAX_CRAWL_DELAY)),
        };
        let mut sitemaps = Vec::new();
        for _ in 0..reader.number()? {
            let len = reader.number()? as usize;
            sitemaps.push(reader.text(len)?.to_owned());
        }
        // Nothing is allocated in advance: a count is only a claim.
        let mut heads = Vec::new();
        for _ in 0..reader.number()? {
            let kind = match reader.take(1)? {
                b"+" => RuleKind::Allow,
                b"-" => RuleKind::Disallow,
                _ => return Err(SavedFault::Damaged),
            };
            let line = reader.number()?;
            let len = match reader.take(2)? {
                [low, high] => u16::from_le_bytes([*low, *high]),
                _ => return Err(SavedFault::Damaged),
            };
            heads.push((kind, line, usize::from(len)));
        }
        let patterns = reader.text(reader.rest.len())?;
        let mut start = 0;
        let rules = heads
            .into_iter()
            .map(|(kind, line, len)| {
                let rule = Rule::new(kind, start, patterns.get(start..start + len)?, line);
                start += len;
                rule
            })
            .collect::<Option<Box<[Rule]>>>()
            .ok_or(SavedFault::Damaged)?;
        if start != patterns.len() || !patterns.is_ascii() {
            return Err(SavedFault::Damaged);
        }
        Ok(Rules::new(patterns.into(), rules, crawl_delay, sitemaps))
    }
}

fn put(out: &mut Vec<u8>, number: u32) {
    out.extend_from_slice(&number.to_le_bytes());
}

/// The limit on the body keeps every length far below the maximum.
fn put_len(out: &mut Vec<u8>, len: usize) {
    put(out, u32::try_from(len).unwrap_or(u32::MAX));
}

/// FNV-1a: detects accidental damage, which is all we expect in our own files.
fn checksum(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0x811c_9dc5, |sum, &byte| {
        (sum ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    })
}

struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    fn take(&mut self, len: usize) -> Result<&'a [u8], SavedFault> {
        let (taken, rest) = self.rest.split_at_checked(len).ok_or(SavedFault::Damaged)?;
        self.rest = rest;
        Ok(taken)
    }

    fn number(&mut self) -> Result<u32, SavedFault> {
        let bytes = self.take(4)?.try_into().map_err(|_| SavedFault::Damaged)?;
        Ok(u32::from_le_bytes(bytes))
    }

    fn text(&mut self, len: usize) -> Result<&'a str, SavedFault> {
        std::str::from_utf8(self.take(len)?).map_err(|_| SavedFault::Damaged)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn some_rules() -> Rules {
        Rules::parse(
            b"User-agent: *\nCrawl-delay: 2.5\nDisallow: /a*b$\nAllow: /\xe3\x83\x84\nSitemap: /s.xml\n",
            "scenthound",
        )
    }

    #[test]
    fn rules_come_back_as_they_were() {
        for rules in [some_rules(), Rules::allow_all(), Rules::disallow_all()] {
            assert_eq!(Rules::from_bytes(&rules.to_bytes()), Ok(rules));
        }
    }

    #[test]
    fn a_damaged_blob_is_an_error() {
        let saved = some_rules().to_bytes();
        for len in 0..saved.len() {
            assert!(Rules::from_bytes(&saved[..len]).is_err(), "cut at {len}");
        }
        for at in 0..saved.len() {
            let mut changed = saved.clone();
            changed[at] ^= 0x20;
            assert!(Rules::from_bytes(&changed).is_err(), "changed at {at}");
        }
        let longer = [saved, vec![0]].concat();
        assert_eq!(Rules::from_bytes(&longer), Err(SavedFault::Damaged));
    }

    #[test]
    fn another_version_says_so() {
        assert_eq!(Rules::from_bytes(&[9, 1, 2, 3]), Err(SavedFault::Version(9)));
    }

    proptest::proptest! {
        #[test]
        fn no_bytes_make_reading_panic(mut bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..200)) {
            let _ = Rules::from_bytes(&bytes);
            // Again with a valid outer layer, so that the inner ones are reached.
            if bytes.len() > 5 {
                bytes[0] = VERSION;
                let sum = checksum(&bytes[5..]);
                bytes[1..5].copy_from_slice(&sum.to_le_bytes());
                let _ = Rules::from_bytes(&bytes).map(|rules| rules.allows("/"));
            }
        }
    }
}
