//! Links that wait on the disk, as bytes.

use scenthound_frontier::{KnownUrl, Spilled, UrlId};
use scenthound_types::{CanonicalUrl, Evidence, Rank, Score};

use crate::storage::{reason_byte, reason_of};

/// Whole URLs: what waits here belongs to no host, and few of the same host stand together.
pub(crate) fn to_bytes(spilled: &Spilled) -> Vec<u8> {
    let Spilled {
        known,
        rank,
        unit,
        age,
        depth,
        parent,
        is_sitemap,
        evidence,
    } = spilled;
    let url = known.url.as_str().as_bytes();
    let mut bytes = Vec::with_capacity(40 + url.len());
    bytes.extend([reason_byte(known.reason), u8::from(*is_sitemap)]);
    bytes.extend(rank.class.to_le_bytes());
    bytes.extend(rank.score.get().to_le_bytes());
    bytes.extend(rank.tie.to_le_bytes());
    bytes.extend(unit.to_le_bytes());
    bytes.extend(age.to_le_bytes());
    bytes.extend(depth.to_le_bytes());
    bytes.extend(parent.0.to_le_bytes());
    bytes.extend((url.len() as u32).to_le_bytes());
    bytes.extend(url);
    bytes.extend(evidence.iter().flat_map(Evidence::to_bytes));
    bytes
}

/// Reads what [`to_bytes`] wrote; `None` for any other bytes.
pub(crate) fn from_bytes(bytes: &[u8]) -> Option<Spilled> {
    let ([reason, is_sitemap], rest) = bytes.split_first_chunk()?;
    let (class, rest) = rest.split_first_chunk()?;
    let (score, rest) = rest.split_first_chunk()?;
    let (tie, rest) = rest.split_first_chunk()?;
    let (unit, rest) = rest.split_first_chunk()?;
    let (age, rest) = rest.split_first_chunk()?;
    let (depth, rest) = rest.split_first_chunk()?;
    let (parent, rest) = rest.split_first_chunk()?;
    let (length, rest) = rest.split_first_chunk()?;
    let (url, evidence) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
    Some(Spilled {
        known: KnownUrl {
            url: CanonicalUrl::from_canonical(std::str::from_utf8(url).ok()?).ok()?,
            reason: reason_of(*reason)?,
        },
        rank: Rank {
            class: u16::from_le_bytes(*class),
            score: Score::new(f64::from_le_bytes(*score)),
            tie: u32::from_le_bytes(*tie),
        },
        unit: i32::from_le_bytes(*unit),
        age: u32::from_le_bytes(*age),
        depth: u16::from_le_bytes(*depth),
        parent: UrlId(u32::from_le_bytes(*parent)),
        is_sitemap: *is_sitemap == 1,
        evidence: match evidence {
            [] => None,
            bytes => Some(Evidence::from_bytes(bytes)?),
        },
    })
}

#[cfg(test)]
mod tests {
    use scenthound_types::Reason;

    use super::*;

    #[test]
    fn a_link_comes_back_from_its_bytes_and_from_no_others() {
        let mut spilled = Spilled {
            known: KnownUrl {
                url: CanonicalUrl::from_canonical("http://a.example/b?c").unwrap(),
                reason: Reason::Link,
            },
            rank: Rank {
                class: 3,
                score: Score::new(-0.25),
                tie: 9,
            },
            unit: -7,
            age: 11,
            depth: 4,
            parent: UrlId(5),
            is_sitemap: true,
            evidence: None,
        };
        assert_eq!(from_bytes(&to_bytes(&spilled)), Some(spilled.clone()));
        spilled.evidence = Some(Evidence::of_note(b"note"));
        let bytes = to_bytes(&spilled);
        assert_eq!(from_bytes(&bytes), Some(spilled));
        assert_eq!(from_bytes(&bytes[..20]), None);
        assert_eq!(from_bytes(&[9; 60]), None);
    }
}
