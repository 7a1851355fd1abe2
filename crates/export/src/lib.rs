//! Collections in the formats of other tools.
//!
//! An [`Export`] reads the chosen pages of a collection once, in the order of their records, and passes each to the writer
//! of a format. Memory does not grow with the number of pages. Page ids are the same in every format
//! ([`scenthound::page_id`]).
//!
//! **Invariant:** a file is complete or absent. Output goes to a temporary name and is renamed at the end.
//!
//! Deliberately absent: which pages are chosen and how they are ranked, which is decided by [`scenthound::RankSettings`].

mod corpus;
mod error;
mod lines;
mod page;
mod parquet_file;
mod table;
mod wacz;
mod warc;

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use scenthound::{Collection, RankSettings};

pub use error::ExportError;
pub use page::{ExportedPage, Extras};

/// The format of an export.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// One JSON object per page.
    Jsonl,
    /// One row per page.
    Csv,
    /// One row per page, with typed columns.
    Parquet,
    /// The archive with an index and a list of pages, for replay tools.
    Wacz,
    /// A folder with the archive as `.warc.gz` files and their indexes.
    Warc,
    /// A folder with the main text of all pages, in compressed parts.
    Text,
    /// A folder with one Markdown file per page.
    Markdown,
    /// The links between pages, one per line.
    Links,
}

impl Format {
    /// Whether the export is a folder.
    pub fn is_folder(self) -> bool {
        matches!(self, Format::Warc | Format::Text | Format::Markdown)
    }

    /// Whether the export can be written to a pipe.
    pub fn is_stream(self) -> bool {
        matches!(self, Format::Jsonl | Format::Csv | Format::Links)
    }
}

/// What is exported.
#[derive(Clone, PartialEq, Debug)]
pub struct ExportSettings {
    /// The format.
    pub format: Format,
    /// Which pages.
    pub pages: RankSettings,
    /// What is added to each page.
    pub extras: Extras,
}

/// What was exported.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Exported {
    /// Pages.
    pub pages: u64,
    /// Pages whose response could not be read from the archive, so that text and links are missing.
    pub unreadable: u64,
    /// Links, if they were exported.
    pub links: u64,
    /// What was wrong with the records, in sentences.
    pub warnings: Vec<String>,
}

/// An export that is ready to be written.
#[derive(Debug)]
pub struct Export<'a> {
    collection: &'a Collection,
    settings: ExportSettings,
}

impl<'a> Export<'a> {
    /// Prepares an export.
    pub fn new(collection: &'a Collection, settings: ExportSettings) -> Export<'a> {
        Export { collection, settings }
    }

    /// Writes a format that can be written to a pipe.
    pub fn write(&self, out: &mut dyn Write) -> Result<Exported, ExportError> {
        match self.settings.format {
            Format::Jsonl => lines::write_jsonl(self, out),
            Format::Csv => lines::write_csv(self, out),
            Format::Links => lines::write_links(self, out),
            format => Err(ExportError::NotAStream(format)),
        }
    }

    /// Writes the export to a file or a folder, which must not exist yet or be replaced as a whole.
    pub fn save(&self, path: &Path) -> Result<Exported, ExportError> {
        if self.settings.format.is_folder() {
            return self.save_folder(path);
        }
        let unfinished = unfinished(path);
        let result = match self.settings.format {
            Format::Parquet => parquet_file::save(self, &unfinished),
            Format::Wacz => wacz::save(self, &unfinished),
            _ => self.save_lines(&unfinished),
        };
        match result {
            Ok(exported) => {
                fs::rename(&unfinished, path).map_err(|source| ExportError::io("replace", path, source))?;
                Ok(exported)
            }
            Err(error) => {
                // The first error is the one to report.
                let _ = fs::remove_file(&unfinished);
                Err(error)
            }
        }
    }

    fn save_lines(&self, path: &Path) -> Result<Exported, ExportError> {
        let fault = |source| ExportError::io("write to", path, source);
        let mut out = BufWriter::new(File::create(path).map_err(fault)?);
        let exported = self.write(&mut out)?;
        out.into_inner().map_err(|error| fault(error.into_error()))?;
        Ok(exported)
    }

    fn save_folder(&self, path: &Path) -> Result<Exported, ExportError> {
        let is_taken = fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_some());
        if is_taken || path.is_file() {
            return Err(ExportError::NotEmpty(path.to_owned()));
        }
        let unfinished = unfinished(path);
        if unfinished.exists() {
            fs::remove_dir_all(&unfinished)
                .map_err(|source| ExportError::io("delete", &unfinished, source))?;
        }
        fs::create_dir_all(&unfinished).map_err(|source| ExportError::io("create", &unfinished, source))?;
        let exported = match self.settings.format {
            Format::Warc => warc::save(self, &unfinished)?,
            Format::Markdown => corpus::save_markdown(self, &unfinished)?,
            _ => corpus::save_text(self, &unfinished)?,
        };
        if path.is_dir() {
            fs::remove_dir(path).map_err(|source| ExportError::io("replace", path, source))?;
        }
        fs::rename(&unfinished, path).map_err(|source| ExportError::io("replace", path, source))?;
        Ok(exported)
    }

    /// Visits every chosen page with what the settings add to it.
    fn each_page(
        &self,
        extras: Extras,
        mut visit: impl FnMut(ExportedPage) -> Result<(), ExportError>,
    ) -> Result<Exported, ExportError> {
        let ranking = self.collection.ranked(&self.settings.pages)?;
        let mut exported = Exported {
            warnings: ranking.warnings().iter().map(ToString::to_string).collect(),
            ..Exported::default()
        };
        ranking.each_in_order(|page| {
            let page = ExportedPage::read(self.collection.view(), page, extras);
            exported.pages += 1;
            exported.unreadable += u64::from(page.is_unreadable);
            visit(page)
        })?;
        Ok(exported)
    }
}

/// The name a file has until it is complete.
fn unfinished(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".unfinished");
    path.with_file_name(name)
}
