//! Everything a crawl appends, under one mark: the archive and the page records.
//!
//! The order of a commit: append the exchange, append its page record, then store [`RecordFiles::mark`] in the same batch
//! as the page's state. Opening cuts both files back to the stored mark, so a page is in all three places or in none.

use crate::archive::{Archive, ArchiveCut, ArchiveSettings, Position};
use crate::error::Result;
use crate::folder::CrawlFolder;
use crate::mark::Mark;
use crate::pack::PackedExchange;
use crate::pages::{PageRecord, PagesFile};

/// What opening threw away: appended, but never committed.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Cut {
    /// Of the archive.
    pub archive: ArchiveCut,
    /// Bytes of page records.
    pub pages: u64,
}

impl Cut {
    /// Whether the last run was stopped between two commits.
    pub fn is_nothing(&self) -> bool {
        *self == Cut::default()
    }
}

/// Appends to the archive and the page records.
#[derive(Debug)]
pub struct RecordFiles {
    archive: Archive,
    pages: PagesFile,
}

impl RecordFiles {
    /// Opens both as they were at `mark`; the default mark begins a crawl.
    pub fn open(folder: &CrawlFolder, settings: ArchiveSettings, mark: Mark) -> Result<(RecordFiles, Cut)> {
        let layout = folder.layout();
        let settings = settings.continuing(&layout.archive())?;
        let (archive, archive_cut) = Archive::open(&layout.archive(), settings, mark.archive)?;
        let (pages, pages_cut) = PagesFile::open(&layout.pages(), mark.pages)?;
        let cut = Cut {
            archive: archive_cut,
            pages: pages_cut,
        };
        Ok((RecordFiles { archive, pages }, cut))
    }

    /// For a folder that [`Error::Short`](crate::Error::Short) was told of: the mark to open it with, which keeps every
    /// whole record and line that is left. The difference to `mark` is lost.
    pub fn repaired_mark(folder: &CrawlFolder, settings: &ArchiveSettings, mark: Mark) -> Result<Mark> {
        let layout = folder.layout();
        let settings = settings.clone().continuing(&layout.archive())?;
        Ok(Mark {
            archive: Archive::repaired_mark(&layout.archive(), &settings, mark.archive)?,
            pages: PagesFile::repaired_length(&layout.pages(), mark.pages)?,
        })
    }

    /// Replaces the metadata record of an exchange that is not appended yet.
    pub fn revise_metadata(&mut self, exchange: &mut PackedExchange, metadata: &[u8]) -> Result<()> {
        self.archive.revise_metadata(exchange, metadata)
    }

    /// Appends an exchange; its position belongs into the page record.
    pub fn append_exchange(&mut self, exchange: &PackedExchange) -> Result<Position> {
        self.archive.append(exchange)
    }

    /// Appends a page record.
    pub fn append_page(&mut self, page: &PageRecord) -> Result<()> {
        self.pages.append(page)
    }

    /// Hands everything to the system and tells where the files end, for the commit.
    pub fn mark(&mut self) -> Result<Mark> {
        Ok(Mark {
            archive: self.archive.mark()?,
            pages: self.pages.mark()?,
        })
    }

    /// Waits until everything is on the disk. Do so before flushing the store that holds the mark.
    pub fn sync(&mut self) -> Result<()> {
        self.archive.sync()?;
        self.pages.sync()
    }
}
