//! What was judged of the pages of an index, and which records they were made from.
//!
//! A file beside the index: a line of JSON, then one row of fixed length for each page, then a digest of both. It is read whole
//! and replaced whole. One that is missing or damaged means that nothing is known of the index, which is then filled anew.

use std::collections::HashMap;
use std::path::Path;

use scenthound_store::replace;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use crate::SearchError;

/// The name of the file in the folder of the index.
pub(crate) const FILE: &str = "pages.table";
/// The form of the table and of the index beside it.
const VERSION: u32 = 3;
const ROW_BYTES: usize = 8 + 8 + 8 + 2 + 1;
const NO_GENRE: u16 = u16::MAX;

/// What is known of one page of the index.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Row {
    /// Tells the record that the page was made from.
    pub(crate) record: u64,
    /// How relevant it was judged.
    pub(crate) relevance: Option<f64>,
    /// Its genre, by its place in [`Table::genres`].
    pub(crate) genre: Option<u16>,
    pub(crate) is_relevant: bool,
    /// Whether another page is shown for it.
    pub(crate) is_duplicate: bool,
}

#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
struct Head {
    version: u32,
    /// The length of the page records when all of them were in; 0 while some are missing.
    bytes: u64,
    /// The judgements it was made with.
    generation: u32,
    /// The names of the genres.
    genres: Vec<String>,
}

/// The rows of all pages of an index, by the keys of their URLs.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Table {
    pub(crate) rows: HashMap<u64, Row>,
    pub(crate) genres: Vec<String>,
    pub(crate) bytes: u64,
    pub(crate) generation: u32,
}

impl Table {
    /// Reads the table of an index. None if there is none that is whole and of this version.
    pub(crate) fn read(index: &Path) -> Option<Table> {
        let bytes = std::fs::read(index.join(FILE)).ok()?;
        let (content, digest) = bytes.split_last_chunk::<8>()?;
        if xxh3_64(content) != u64::from_le_bytes(*digest) {
            return None;
        }
        let end = content.iter().position(|byte| *byte == b'\n')?;
        let (head, rows) = content.split_at_checked(end + 1)?;
        let head: Head = serde_json::from_slice(head).ok()?;
        if head.version != VERSION || rows.len() % ROW_BYTES != 0 {
            return None;
        }
        let rows = rows.chunks_exact(ROW_BYTES).map(read_row);
        Some(Table {
            rows: rows.collect::<Option<HashMap<u64, Row>>>()?,
            genres: head.genres,
            bytes: head.bytes,
            generation: head.generation,
        })
    }

    /// Replaces the table of an index.
    pub(crate) fn write(&self, index: &Path) -> Result<(), SearchError> {
        let head = Head {
            version: VERSION,
            bytes: self.bytes,
            generation: self.generation,
            genres: self.genres.clone(),
        };
        let mut bytes = serde_json::to_vec(&head).unwrap_or_default();
        bytes.push(b'\n');
        bytes.reserve(self.rows.len() * ROW_BYTES + 8);
        for (key, row) in &self.rows {
            bytes.extend(key.to_le_bytes());
            bytes.extend(row.record.to_le_bytes());
            bytes.extend(row.relevance.unwrap_or(f64::NAN).to_le_bytes());
            bytes.extend(row.genre.unwrap_or(NO_GENRE).to_le_bytes());
            bytes.push(u8::from(row.is_relevant) | u8::from(row.is_duplicate) << 1);
        }
        bytes.extend(xxh3_64(&bytes).to_le_bytes());
        Ok(replace(&index.join(FILE), &bytes)?)
    }

    /// The number of a genre; none if there are more than anybody could have meant.
    pub(crate) fn genre(&mut self, class: &str) -> Option<u16> {
        let class = class.to_ascii_lowercase();
        let place = match self.genres.iter().position(|known| *known == class) {
            Some(place) => place,
            None => {
                self.genres.push(class);
                self.genres.len() - 1
            }
        };
        u16::try_from(place).ok().filter(|place| *place != NO_GENRE)
    }

    /// The name of a genre.
    pub(crate) fn genre_name(&self, row: &Row) -> Option<&str> {
        self.genres.get(usize::from(row.genre?)).map(String::as_str)
    }
}

fn read_row(bytes: &[u8]) -> Option<(u64, Row)> {
    let (key, rest) = bytes.split_first_chunk()?;
    let (record, rest) = rest.split_first_chunk()?;
    let (relevance, rest) = rest.split_first_chunk()?;
    let (genre, flags) = rest.split_first_chunk()?;
    let relevance = f64::from_le_bytes(*relevance);
    let genre = u16::from_le_bytes(*genre);
    let flags = flags.first()?;
    let row = Row {
        record: u64::from_le_bytes(*record),
        relevance: (!relevance.is_nan()).then_some(relevance),
        genre: (genre != NO_GENRE).then_some(genre),
        is_relevant: flags & 1 != 0,
        is_duplicate: flags & 2 != 0,
    };
    Some((u64::from_le_bytes(*key), row))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may panic")]

    use super::*;

    #[test]
    fn a_table_is_read_as_it_was_written_and_damage_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(Table::read(folder.path()), None);
        let mut table = Table {
            bytes: 77,
            generation: 3,
            ..Table::default()
        };
        let genre = table.genre("Blog");
        assert_eq!(genre, table.genre("blog"));
        for (key, relevance) in [(1, Some(0.25)), (u64::MAX, None)] {
            let row = Row {
                record: key ^ 5,
                relevance,
                genre: relevance.and(genre),
                is_relevant: key == 1,
                is_duplicate: key != 1,
            };
            table.rows.insert(key, row);
        }
        table.write(folder.path()).unwrap();
        assert_eq!(Table::read(folder.path()), Some(table.clone()));
        assert_eq!(table.genre_name(&table.rows[&1]), Some("blog"));
        let path = folder.path().join(FILE);
        let whole = std::fs::read(&path).unwrap();
        for end in 0..whole.len() {
            std::fs::write(&path, &whole[..end]).unwrap();
            assert_eq!(Table::read(folder.path()), None, "{end} bytes of it");
        }
        for place in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[place] ^= 4;
            std::fs::write(&path, damaged).unwrap();
            assert_eq!(Table::read(folder.path()), None, "byte {place} of it");
        }
    }
}
