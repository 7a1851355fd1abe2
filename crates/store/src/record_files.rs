//! Everything a crawl appends, under one mark: the archive and the page records.
//!
//! The order of a commit: append the exchange, append its page record, then store [`RecordFiles::mark`] in the same batch
//! as the page's state. Opening cuts both files back to the stored mark, so a page is in all three places or in none.

use std::path::PathBuf;

use crate::archive::{Archive, ArchiveCut, ArchiveSettings, Position, Unflushed};
use crate::error::Result;
use crate::folder::CrawlFolder;
use crate::index::ArchiveIndex;
use crate::mark::Mark;
use crate::pack::{PackedExchange, Packer, PayloadSource};
use crate::pages::{PageRecord, PagesFile};
use crate::tail::intact_mark;
use crate::warc::read_at;

/// What opening cut off: appended, but never committed.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Cut {
    /// Cut from the archive.
    pub archive: ArchiveCut,
    /// Bytes cut from the page records.
    pub pages: u64,
}

impl Cut {
    /// Whether nothing was cut: the last run did not stop between two commits.
    pub fn is_nothing(&self) -> bool {
        *self == Cut::default()
    }
}

/// Appends to the archive and the page records.
#[derive(Debug)]
pub struct RecordFiles {
    archive: Archive,
    archive_folder: PathBuf,
    index: ArchiveIndex,
    packer: Packer,
    pages: PagesFile,
}

impl RecordFiles {
    /// Opens both as they were at `mark`; the default mark starts a crawl.
    pub fn open(folder: &CrawlFolder, settings: ArchiveSettings, mark: Mark) -> Result<(RecordFiles, Cut)> {
        let layout = folder.layout();
        let settings = settings.continuing(&layout.archive())?;
        let packer = Packer::with(settings.seed, settings.compression);
        let (archive, archive_cut) = Archive::open(&layout.archive(), settings, mark.archive)?;
        let (pages, pages_cut) = PagesFile::open(&layout.pages(), mark.pages)?;
        let cut = Cut {
            archive: archive_cut,
            pages: pages_cut,
        };
        let files = RecordFiles {
            archive,
            archive_folder: layout.archive(),
            index: ArchiveIndex::open(layout)?,
            packer,
            pages,
        };
        Ok((files, cut))
    }

    /// The mark to open the folder with, if the process may have ended by a power failure: `committed`, or an earlier one if
    /// something that was written after `flushed` was lost.
    pub fn intact_mark(folder: &CrawlFolder, flushed: Mark, committed: Mark) -> Result<Mark> {
        let layout = folder.layout();
        intact_mark(&layout.archive(), &layout.pages(), flushed, committed)
    }

    /// After [`Error::Short`](crate::Error::Short): the mark to open the folder with, which keeps every complete record and
    /// line that is left. What lies between it and `mark` is lost.
    pub fn repaired_mark(folder: &CrawlFolder, settings: &ArchiveSettings, mark: Mark) -> Result<Mark> {
        let layout = folder.layout();
        let settings = settings.clone().continuing(&layout.archive())?;
        Ok(Mark {
            archive: Archive::repaired_mark(&layout.archive(), &settings, mark.archive)?,
            pages: PagesFile::repaired_length(&layout.pages(), mark.pages)?,
        })
    }

    /// When the committed mark is lost: a mark that keeps everything there is. The archive goes on in a new file, because
    /// its last one may end in the middle of a record, and the page records end after their last complete line.
    pub fn rescued_mark(folder: &CrawlFolder, settings: &ArchiveSettings) -> Result<Mark> {
        let layout = folder.layout();
        let settings = settings.clone().continuing(&layout.archive())?;
        Ok(Mark {
            archive: Archive::mark_after_all(&layout.archive(), &settings)?,
            pages: PagesFile::repaired_length(&layout.pages(), u64::MAX)?,
        })
    }

    /// Replaces the metadata record of an exchange that has not been appended yet.
    pub fn revise_metadata(&mut self, exchange: &mut PackedExchange, metadata: &[u8]) -> Result<()> {
        self.archive.revise_metadata(exchange, metadata)
    }

    /// Appends an exchange; its position belongs in the page record. If the archive holds the same payload already, the
    /// response becomes a revisit record that refers to it.
    pub fn append_exchange(&mut self, exchange: &PackedExchange) -> Result<Position> {
        let revisit = match self.payload_source(exchange)? {
            Some(source) => Some(self.packer.as_revisit(exchange, &source)?),
            None => None,
        };
        let exchange = revisit.as_ref().unwrap_or(exchange);
        let position = self.archive.append(exchange)?;
        self.index.append(&position, self.archive.length(), exchange)?;
        Ok(position)
    }

    /// The record that holds the payload of this response already.
    fn payload_source(&mut self, exchange: &PackedExchange) -> Result<Option<PayloadSource>> {
        let Some(response) = exchange
            .response
            .as_ref()
            .filter(|response| response.is_shareable)
        else {
            return Ok(None);
        };
        let Some((file, offset)) = self.index.payload(&response.digest) else {
            return Ok(None);
        };
        // It may be among the bytes that have not been written yet.
        self.archive.flush()?;
        // A file that somebody moved away must not stop the crawl: the payload is then stored once more.
        let Ok(source) = read_at(&self.archive_folder.join(file), offset) else {
            return Ok(None);
        };
        let field = |name: &str| source.field(name).map(str::to_owned);
        if !source.is_kind("response") || field("WARC-Payload-Digest").as_ref() != Some(&response.digest) {
            return Ok(None);
        }
        let fields = (
            field("WARC-Record-ID"),
            field("WARC-Target-URI"),
            field("WARC-Date"),
        );
        let (Some(id), Some(url), Some(date)) = fields else {
            return Ok(None);
        };
        Ok(Some(PayloadSource {
            id,
            url,
            date,
            file: file.to_owned(),
            offset,
        }))
    }

    /// Appends a page record.
    pub fn append_page(&mut self, page: &PageRecord) -> Result<()> {
        self.pages.append(page)
    }

    /// Hands everything to the system and returns where the files end, for the commit.
    pub fn mark(&mut self) -> Result<Mark> {
        self.index.flush()?;
        Ok(Mark {
            archive: self.archive.mark()?,
            pages: self.pages.mark()?,
        })
    }

    /// Everything that is not on the disk yet, for another thread to flush.
    pub fn unflushed(&mut self) -> Result<Unflushed> {
        let mut all = self.archive.unflushed()?;
        all.add(self.pages.handle()?);
        Ok(all)
    }

    /// Waits until everything is on the disk. Call this before flushing the store that holds the mark.
    pub fn sync(&mut self) -> Result<()> {
        self.archive.sync()?;
        self.pages.sync()
    }
}
