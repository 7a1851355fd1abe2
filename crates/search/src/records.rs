//! The pages of a collection as far as its records were read, for going on from there.

use std::collections::HashMap;

use scenthound::{Collection, FoldedPage, Folding, PageRecord, page_id};
use scenthound_store::RecordPlace;

use crate::SearchError;
use crate::table::{Row, Table};

/// A page: its newest record, and what that says.
#[derive(Debug)]
pub(crate) struct Page {
    pub(crate) key: u64,
    pub(crate) place: RecordPlace,
    /// Whether the index holds it as this record says.
    pub(crate) is_held: bool,
    row: Row,
}

/// The pages read so far.
#[derive(Debug, Default)]
pub(crate) struct Records {
    pub(crate) generation: u32,
    pub(crate) pages: Vec<Page>,
    /// Pages that the index does not hold, or not as they are now, by their places in `pages`.
    pub(crate) missing: Vec<u32>,
    /// The last record.
    last: Option<RecordPlace>,
    numbers: HashMap<u64, u32>,
    folding: Folding,
}

impl Records {
    pub(crate) fn new(generation: u32) -> Records {
        Records {
            generation,
            ..Records::default()
        }
    }

    /// Reads the records that were written since. The table says which of the pages the index holds.
    pub(crate) fn read(&mut self, collection: &Collection, table: &mut Table) -> Result<(), SearchError> {
        let mut records = match self.last {
            Some(last) => collection.pages_after(last)?,
            None => collection.pages()?,
        };
        let mut changed = Vec::new();
        while let Some(record) = records.next() {
            let record = record?;
            let place = records.place();
            self.last = Some(place);
            if record.is_judged_page() {
                changed.extend(self.add(place, &record, table));
            }
        }
        changed.sort_unstable();
        changed.dedup();
        for number in changed {
            if let Some(page) = self.pages.get_mut(number as usize) {
                let held = table.rows.get(&page.key);
                page.is_held = held.is_some_and(|held| held.record == page.row.record);
                if !page.is_held {
                    self.missing.push(number);
                }
            }
        }
        Ok(())
    }

    /// Takes in a page that was read. None for one that is known and was only visited again.
    fn add(&mut self, place: RecordPlace, record: &PageRecord, table: &mut Table) -> Option<u32> {
        let key = url_key(&record.url);
        let page = Page {
            key,
            place,
            is_held: false,
            row: Row {
                record: record_key(record),
                relevance: record.relevance,
                genre: record.genre.as_ref().and_then(|genre| table.genre(&genre.class)),
                is_relevant: record.is_relevant(),
                is_duplicate: false,
            },
        };
        if let Some(number) = self.numbers.get(&key) {
            if record.revisit {
                return None;
            }
            *self.pages.get_mut(*number as usize)? = page;
            return Some(*number);
        }
        let number = u32::try_from(self.pages.len()).ok()?;
        self.numbers.insert(key, number);
        self.pages.push(page);
        let repeats = (record.duplicate_of.as_deref().filter(|_| !record.hidden)).map(url_key);
        let repeats = repeats.and_then(|key| self.numbers.get(&key)).copied();
        self.folding.add(
            number,
            FoldedPage {
                key,
                canonical: record.canonical.as_deref().map(url_key),
                repeats,
                is_relevant: record.is_relevant(),
                is_seed: record.seed,
                length: record.url.len(),
            },
        );
        Some(number)
    }

    /// Whether the records have this page.
    pub(crate) fn has(&self, key: u64) -> bool {
        self.numbers.contains_key(&key)
    }

    /// The rows of the pages that the index holds.
    pub(crate) fn rows(&self) -> HashMap<u64, Row> {
        let held = (0..).zip(&self.pages).filter(|(_, page)| page.is_held);
        held.map(|(number, page)| {
            let is_duplicate = self.folding.original(number).is_some();
            (
                page.key,
                Row {
                    is_duplicate,
                    ..page.row
                },
            )
        })
        .collect()
    }
}

/// Tells the record of one attempt from those of others.
fn record_key(record: &PageRecord) -> u64 {
    url_key(&format!(
        "{} {} {}",
        record.fetched_at, record.attempt, record.url
    ))
}

/// Identifies a URL in memory, and a page in the index.
pub(crate) fn url_key(url: &str) -> u64 {
    key_of_id(&page_id(url))
}

/// The key of a page with this id.
pub(crate) fn key_of_id(id: &str) -> u64 {
    u64::from_str_radix(id, 16).unwrap_or_default()
}

/// The id of the page with this key.
pub(crate) fn id_of_key(key: u64) -> String {
    format!("{key:016x}")
}
