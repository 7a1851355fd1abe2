//! The page records of a crawl folder, for the modules that take pages or links from one.

use scenthound_store::{CrawlView, Error as StoreError, PageRecord};

/// Lines of a crawl's page records that could not be read.
#[derive(Debug)]
pub struct BadRecords {
    /// What is wrong with the first.
    pub first: StoreError,
    /// How many there are.
    pub count: u64,
}

/// Visits every page record. Lines that are not page records are skipped and returned.
pub(crate) fn each_record(
    view: &CrawlView,
    mut visit: impl FnMut(PageRecord),
) -> Result<Option<BadRecords>, StoreError> {
    let mut bad: Option<BadRecords> = None;
    for record in view.pages()? {
        match record {
            Ok(record) => visit(record),
            Err(error @ StoreError::BadLine { .. }) => match &mut bad {
                Some(bad) => bad.count += 1,
                None => {
                    bad = Some(BadRecords {
                        first: error,
                        count: 1,
                    });
                }
            },
            Err(error) => return Err(error),
        }
    }
    Ok(bad)
}

/// Whether a record is of a page that was read and judged.
pub(crate) fn is_judged_page(record: &PageRecord) -> bool {
    record.kind == "page" && record.outcome.starts_with("ok") && record.relevance.is_some()
}

/// Whether a record is of a page or a redirect, which have links to follow.
pub(crate) fn has_links(record: &PageRecord) -> bool {
    record.kind == "page" && (record.outcome.starts_with("ok") || record.outcome == "redirect")
}
