//! Links that wait on the disk, as bytes.
//!
//! Their URLs and their evidence stay where they were, under their numbers; only the entry moves. Reading and writing them too
//! would take most of the time in which links leave memory.

use scenthound_frontier::{Entry, KnownUrl, Leaving, Spilled, SpilledPlace, UrlId};
use scenthound_types::{CanonicalUrl, Evidence, Rank, Score};

use crate::storage::reason_of;

/// The first byte of a link whose URL and evidence are elsewhere. Before, the first byte was the reason of the URL.
const ELSEWHERE: u8 = 255;

/// What is at the place of a link on the disk.
#[derive(Debug, PartialEq)]
pub(crate) enum Stored {
    /// All of it, as earlier versions wrote it.
    Whole(Box<Spilled>),
    /// The rest is stored under its number.
    Entry(Box<StoredEntry>),
}

impl Stored {
    /// The number under which the rest of it is stored, if it is.
    pub fn id(&self) -> UrlId {
        match self {
            Stored::Whole(_) => UrlId::NONE,
            Stored::Entry(entry) => entry.id,
        }
    }
}

/// An entry that has left memory.
#[derive(Debug, PartialEq)]
pub(crate) struct StoredEntry {
    pub id: UrlId,
    entry: Entry,
    age: u32,
    unit: i32,
    pub origin: String,
}

impl StoredEntry {
    /// The link with what is stored of it.
    pub fn as_leaving(&self) -> Leaving<'_> {
        Leaving {
            id: self.id,
            entry: &self.entry,
            age: self.age,
            unit: self.unit,
            origin: &self.origin,
        }
    }
}

pub(crate) fn to_bytes(leaving: &Leaving<'_>) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(9 + Entry::BYTES + leaving.origin.len());
    bytes.push(ELSEWHERE);
    bytes.extend(leaving.unit.to_le_bytes());
    bytes.extend(leaving.age.to_le_bytes());
    bytes.extend(leaving.entry.to_bytes());
    bytes.extend(leaving.origin.as_bytes());
    bytes
}

/// Reads what [`to_bytes`] wrote, or an earlier version did; `None` for any other bytes.
pub(crate) fn from_bytes(place: &SpilledPlace, bytes: &[u8]) -> Option<Stored> {
    let (&first, rest) = bytes.split_first()?;
    if first != ELSEWHERE {
        return Some(Stored::Whole(Box::new(whole_from_bytes(bytes)?)));
    }
    let (unit, rest) = rest.split_first_chunk()?;
    let (age, rest) = rest.split_first_chunk()?;
    let (entry, origin) = rest.split_at_checked(Entry::BYTES)?;
    Some(Stored::Entry(Box::new(StoredEntry {
        id: UrlId(u32::from_be_bytes(*place.last_chunk()?)),
        entry: Entry::from_bytes(entry)?,
        age: u32::from_le_bytes(*age),
        unit: i32::from_le_bytes(*unit),
        origin: std::str::from_utf8(origin).ok()?.to_owned(),
    })))
}

fn whole_from_bytes(bytes: &[u8]) -> Option<Spilled> {
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
        let mut place = [0; 22];
        place[18..].copy_from_slice(&7_u32.to_be_bytes());
        let entry = Entry::from_bytes(&[0; Entry::BYTES]).unwrap();
        let leaving = Leaving {
            id: UrlId(7),
            entry: &entry,
            age: 11,
            unit: -7,
            origin: "http://a.example",
        };
        let bytes = to_bytes(&leaving);
        let Some(Stored::Entry(read)) = from_bytes(&place, &bytes) else {
            panic!("it is an entry");
        };
        assert_eq!(to_bytes(&read.as_leaving()), bytes);
        assert_eq!((read.id, read.origin.as_str()), (UrlId(7), "http://a.example"));
        assert_eq!(from_bytes(&place, &bytes[..20]), None);
        assert_eq!(from_bytes(&place, &[9; 60]), None);
        assert_eq!(from_bytes(&place, &[]), None);
    }

    #[test]
    fn a_link_is_read_as_earlier_versions_wrote_it() {
        let url = b"http://a.example/b?c";
        let mut bytes = vec![1, 1];
        bytes.extend(3_u16.to_le_bytes());
        bytes.extend((-0.25_f64).to_le_bytes());
        bytes.extend(9_u32.to_le_bytes());
        bytes.extend((-7_i32).to_le_bytes());
        bytes.extend(11_u32.to_le_bytes());
        bytes.extend(4_u16.to_le_bytes());
        bytes.extend(5_u32.to_le_bytes());
        bytes.extend((url.len() as u32).to_le_bytes());
        bytes.extend(url);
        bytes.extend(Evidence::of_note(b"note").to_bytes());
        let spilled = Spilled {
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
            evidence: Some(Evidence::of_note(b"note")),
        };
        let read = from_bytes(&[0; 22], &bytes);
        assert_eq!(read, Some(Stored::Whole(Box::new(spilled))));
        assert_eq!(from_bytes(&[0; 22], &bytes[..20]), None);
    }
}
