//! Reads the records of a collection one by one.

use std::fmt;
use std::path::PathBuf;

use scenthound_store::{CrawlView, Error as StoreError, PageRecord, PagesReader, RecordPlace};

use super::{CollectionError, Warning};

/// Lines of the records that were skipped because they are not records.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnreadableLines {
    /// The file of the first one.
    pub path: PathBuf,
    /// The number of the first one, from 1.
    pub first: u64,
    /// How many there are.
    pub count: u64,
}

impl fmt::Display for UnreadableLines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{} is not a page record", self.path.display(), self.first)?;
        match self.count {
            0 | 1 => {}
            2 => write!(f, ", nor is 1 more line")?,
            count => write!(f, ", nor are {} more lines", count - 1)?,
        }
        write!(f, "; hound repair says what was lost and fetches it again")
    }
}

/// The records of a collection in the order they were written. Lines that are not records are skipped;
/// [`Pages::unreadable`] says which.
#[derive(Debug)]
pub struct Pages {
    reader: PagesReader,
    unreadable: Option<UnreadableLines>,
}

impl Pages {
    pub(super) fn open(view: &CrawlView) -> Result<Pages, CollectionError> {
        Ok(Pages {
            reader: view.pages()?,
            unreadable: None,
        })
    }

    pub(super) fn open_after(view: &CrawlView, last: RecordPlace) -> Result<Pages, CollectionError> {
        Ok(Pages {
            reader: view.pages_after(last)?,
            unreadable: None,
        })
    }

    /// The lines skipped so far.
    pub fn unreadable(&self) -> Option<&UnreadableLines> {
        self.unreadable.as_ref()
    }

    /// The line of the record read last, from 1.
    pub fn line(&self) -> u64 {
        self.reader.line()
    }

    /// Where the record read last is.
    pub fn place(&self) -> RecordPlace {
        self.reader.place()
    }
}

impl Iterator for Pages {
    type Item = Result<PageRecord, CollectionError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            match self.reader.next()? {
                Err(StoreError::BadLine { path, line, .. }) => {
                    let unreadable = self.unreadable.get_or_insert(UnreadableLines {
                        path,
                        first: line,
                        count: 0,
                    });
                    unreadable.count += 1;
                }
                record => return Some(record.map_err(CollectionError::from)),
            }
        }
    }
}

/// Visits every record with its line number, and returns the lines that were skipped.
pub(crate) fn each_record(
    view: &CrawlView,
    mut visit: impl FnMut(u64, PageRecord),
) -> Result<Option<UnreadableLines>, CollectionError> {
    let mut pages = Pages::open(view)?;
    while let Some(record) = pages.next() {
        visit(pages.line(), record?);
    }
    Ok(pages.unreadable)
}

/// Like [`each_record`], but turns the skipped lines into a warning.
pub(super) fn each_record_or_warn(
    view: &CrawlView,
    warnings: &mut Vec<Warning>,
    visit: impl FnMut(u64, PageRecord),
) -> Result<(), CollectionError> {
    warnings.extend(each_record(view, visit)?.map(Warning::UnreadableLines));
    Ok(())
}
