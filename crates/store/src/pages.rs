//! `pages/pages.jsonl`: one line per attempt, including refused and failed ones.
//!
//! A line counts once its newline is written. The file grows as the archive does: what lies beyond the committed length is
//! cut off on opening. Pages that were judged again keep their line; their [`JudgementRecord`] is in a separate file and
//! replaces fields of the line on reading.
//!
//! Records hold codes and numbers, not sentences; those are made where they are shown. docs/records.md describes every
//! field. **Invariant:** each line names the version of its format, and a line of another version is refused.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use scenthound_types::{
    CanonicalUrl, GenreGuess, LeaseKind, Outcome, OutcomeCode, PageNote, Parts, ScorePart, SkippedLinks,
    Truncation,
};
use serde::{Deserialize, Serialize};

use crate::append::{AppendFile, sync_folder};
use crate::archive::{MOST_CUT, Position};
use crate::error::{Context, Error, Result};

/// Longer lines are not ours. Reading them would let a file decide how much memory is used.
const LONGEST_LINE: u64 = 16 << 20;

/// The version of the record format. Lines that name none are of version 1.
pub const RECORD_VERSION: u32 = 2;

fn first_version() -> u32 {
    1
}

/// How a URL was found.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Via {
    /// The user named it.
    Seed,
    /// Its parent links to it.
    #[default]
    Link,
    /// Another URL redirected to it.
    Redirect,
    /// A sitemap lists it.
    Sitemap,
    /// Its parent needs it to be shown.
    Requisite,
    /// It belongs to the host: a robots.txt, or a sitemap that the robots.txt or another sitemap names.
    Host,
}

/// The record of one attempt at a URL.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct PageRecord {
    /// The version of the format: [`RECORD_VERSION`].
    #[serde(default = "first_version")]
    pub v: u32,
    /// The URL requested.
    pub url: String,
    /// Where a redirect leads.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub final_url: Option<String>,
    /// What was requested: a page, a robots.txt or a sitemap.
    pub kind: LeaseKind,
    /// The HTTP status, if the server answered.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub status: Option<u16>,
    /// How it ended.
    pub outcome: OutcomeCode,
    /// Why the body was cut short, if it was.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub truncated: Option<Truncation>,
    /// Set if the URL will be tried again.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub will_retry: bool,
    /// When the request was sent, in UTC.
    pub fetched_at: String,
    /// How long it took, in milliseconds.
    pub ms: u64,
    /// Bytes received over the wire.
    pub bytes: u64,
    /// The content type as the server named it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub content_type: Option<String>,
    /// The page's title.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub title: Option<String>,
    /// The code of the page's language.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub language: Option<Cow<'static, str>>,
    /// From 0 to 1, if the page was judged.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub relevance: Option<f64>,
    /// Whether it belongs to the collection, if the page was judged.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub relevant: Option<bool>,
    /// The kind of page, where a detector runs.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub genre: Option<GenreGuess>,
    /// What the relevance was made of.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub parts: Option<Parts>,
    /// What a reader should know about the page.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub notes: Vec<PageNote>,
    /// Set if results leave the page out; one of the notes explains why.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub hidden: bool,
    /// How many of the page's links are not followed, by reason.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub skipped: Option<SkippedLinks>,
    /// Links away from a seed.
    pub depth: u16,
    /// The page that linked here first; none for seeds.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub parent: Option<String>,
    /// Whether the user named it, or a URL that redirects to it.
    #[serde(default)]
    pub seed: bool,
    /// How it was found.
    pub via: Via,
    /// The class of the queue it was taken from; none for robots.txt files.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub class: Option<u16>,
    /// The score it was taken with: its cash, for strategies that pass cash on. None for robots.txt files.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub score: Option<f64>,
    /// What the score was made of, if the strategy has that recorded.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub score_parts: Vec<ScorePart>,
    /// Set if it had been read before and was fetched again for the cash it had gathered.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub revisit: bool,
    /// The number of the URL's first entry into the queue.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub age: Option<u32>,
    /// Set if it was fetched only because it had waited longest.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub explored: bool,
    /// The agent that fetched it, counted from 1, if the crawl has several.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub agent: Option<u8>,
    /// 0 for the first try.
    #[serde(default)]
    pub attempt: u8,
    /// Set if no request was made: robots rules or its address forbid it, or its host does not exist.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub unasked: bool,
    /// Where the response is stored, if there was one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub archive: Option<Position>,
    /// For finding near-duplicates; sixteen hexadecimal digits in the file.
    #[serde(skip_serializing_if = "Option::is_none", default, with = "hex")]
    pub fingerprint: Option<u64>,
    /// The URL the page says it should be known by.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub canonical: Option<String>,
    /// The page it repeats: it does not count again, and its links were not followed again.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub duplicate_of: Option<String>,
}

impl Default for PageRecord {
    /// A page that was read, without a URL.
    fn default() -> PageRecord {
        PageRecord {
            v: RECORD_VERSION,
            url: String::new(),
            final_url: None,
            kind: LeaseKind::Page,
            status: None,
            outcome: OutcomeCode::Ok,
            truncated: None,
            will_retry: false,
            fetched_at: String::new(),
            ms: 0,
            bytes: 0,
            content_type: None,
            title: None,
            language: None,
            relevance: None,
            relevant: None,
            genre: None,
            parts: None,
            notes: Vec::new(),
            hidden: false,
            skipped: None,
            depth: 0,
            parent: None,
            seed: false,
            via: Via::Link,
            class: None,
            score: None,
            score_parts: Vec::new(),
            revisit: false,
            age: None,
            explored: false,
            agent: None,
            attempt: 0,
            unasked: false,
            archive: None,
            fingerprint: None,
            canonical: None,
            duplicate_of: None,
        }
    }
}

impl PageRecord {
    /// Whether a page was requested, rather than a robots.txt or a sitemap.
    pub fn is_page(&self) -> bool {
        self.kind == LeaseKind::Page
    }

    /// Whether a body was read.
    pub fn is_ok(&self) -> bool {
        self.outcome.is_ok()
    }

    /// Where it leads, if it is a redirect.
    pub fn redirect(&self) -> Option<&str> {
        self.final_url
            .as_deref()
            .filter(|_| self.outcome == OutcomeCode::Redirect)
    }

    /// Whether it is a page that was read and judged.
    pub fn is_judged_page(&self) -> bool {
        self.is_page() && self.is_ok() && self.relevance.is_some()
    }

    /// Whether the page was judged relevant.
    pub fn is_relevant(&self) -> bool {
        self.relevant == Some(true)
    }

    /// Whether it counts as a relevant page: judged relevant, and not a repetition of another page.
    pub fn is_find(&self) -> bool {
        self.is_relevant() && self.duplicate_of.is_none()
    }

    /// Whether the page has this note.
    pub fn has(&self, note: PageNote) -> bool {
        self.notes.contains(&note)
    }

    /// The outcome of the attempt; none if the fields contradict each other.
    pub fn outcome(&self) -> Option<Outcome> {
        let to = self.redirect().and_then(|to| CanonicalUrl::parse(to).ok());
        Outcome::recorded(self.outcome, self.status, to.as_ref(), self.truncated)
    }

    /// Whether the attempt counts as a page fetched: a request for a page that was not a redirect and not a revisit.
    pub fn counts_as_page(&self) -> bool {
        self.is_page() && self.outcome != OutcomeCode::Redirect && !self.unasked && !self.revisit
    }

    /// Replaces everything that a later judgement decides.
    pub fn judge_as(&mut self, judgement: JudgementRecord) {
        let JudgementRecord {
            v: _,
            line: _,
            url: _,
            relevance,
            relevant,
            genre,
            parts,
            notes,
            hidden,
            skipped,
            duplicate_of,
        } = judgement;
        self.relevance = Some(relevance);
        self.relevant = Some(relevant);
        self.genre = genre;
        self.parts = parts;
        self.notes = notes;
        self.hidden = hidden;
        self.skipped = skipped;
        self.duplicate_of = duplicate_of;
    }
}

/// Sixty-four bits as text, because many JSON readers keep only fifty-three bits of a number.
mod hex {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub(super) fn serialize<S: Serializer>(bits: &Option<u64>, serializer: S) -> Result<S::Ok, S::Error> {
        match bits {
            Some(bits) => serializer.collect_str(&format_args!("{bits:016x}")),
            None => serializer.serialize_none(),
        }
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
        Option::<String>::deserialize(deserializer)?
            .map(|text| u64::from_str_radix(&text, 16).map_err(D::Error::custom))
            .transpose()
    }
}

/// Appends page records.
#[derive(Debug)]
pub struct PagesFile {
    file: AppendFile,
    line: Vec<u8>,
}

impl PagesFile {
    /// Opens the file as it was at this length, and returns how many bytes after it were cut off. A file that begins with a
    /// record of another version is refused, so that no file mixes versions.
    pub fn open(path: &Path, length: u64) -> Result<(PagesFile, u64)> {
        if let Some(Err(other @ Error::OtherVersion { .. })) = PagesReader::open(path)?.next() {
            return Err(other);
        }
        let is_new = !path.exists();
        let (file, cut) = AppendFile::open(path, length, MOST_CUT)?;
        if is_new && let Some(folder) = path.parent() {
            // The file is flushed every second, which need not include its name.
            sync_folder(folder)?;
        }
        let pages = PagesFile {
            file,
            line: Vec::new(),
        };
        Ok((pages, cut))
    }

    /// Appends a line.
    pub fn append(&mut self, page: &PageRecord) -> Result<()> {
        self.line.clear();
        serde_json::to_writer(&mut self.line, page).map_err(|source| Error::Unwritable {
            url: page.url.clone(),
            source,
        })?;
        self.line.push(b'\n');
        self.file.append(&self.line)
    }

    /// Hands everything to the system and returns the file's length, for the commit.
    pub fn mark(&mut self) -> Result<u64> {
        self.file.flush()?;
        Ok(self.file.length())
    }

    /// Waits until everything is on the disk.
    pub fn sync(&mut self) -> Result<()> {
        self.file.sync()
    }

    pub(crate) fn handle(&mut self) -> Result<(PathBuf, File)> {
        self.file.handle()
    }

    /// After [`Error::Short`]: the length to open the file with, which keeps every complete line that is left.
    pub fn repaired_length(path: &Path, committed: u64) -> Result<u64> {
        let mut file = match File::open(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(0),
            opened => opened.context("open", path)?,
        };
        let mut end = file.metadata().context("examine", path)?.len().min(committed);
        let mut piece = Vec::new();
        while end > 0 {
            let start = end.saturating_sub(64 << 10);
            piece.clear();
            file.seek(SeekFrom::Start(start)).context("read", path)?;
            (&mut file)
                .take(end - start)
                .read_to_end(&mut piece)
                .context("read", path)?;
            if let Some(newline) = memchr::memrchr(b'\n', &piece) {
                return Ok(start + newline as u64 + 1);
            }
            end = start;
        }
        Ok(0)
    }
}

/// The new judgement of a page that was judged again: everything in a page record that a judgement decides.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct JudgementRecord {
    /// The version of the format: [`RECORD_VERSION`].
    #[serde(default = "first_version")]
    pub v: u32,
    /// The line of the page records it is about, from 1.
    pub line: u64,
    /// The page's URL.
    pub url: String,
    /// From 0 to 1.
    pub relevance: f64,
    /// Whether it belongs to the collection.
    pub relevant: bool,
    /// The kind of page, where a detector runs.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub genre: Option<GenreGuess>,
    /// What the relevance was made of.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub parts: Option<Parts>,
    /// What a reader should know about the page.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub notes: Vec<PageNote>,
    /// Set if results leave the page out.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub hidden: bool,
    /// How many of the page's links are not followed, by reason.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub skipped: Option<SkippedLinks>,
    /// The page it repeats. Pages that are set aside repeat nothing, so this may change with the topic.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub duplicate_of: Option<String>,
}

impl Default for JudgementRecord {
    fn default() -> JudgementRecord {
        JudgementRecord {
            v: RECORD_VERSION,
            line: 0,
            url: String::new(),
            relevance: 0.0,
            relevant: false,
            genre: None,
            parts: None,
            notes: Vec::new(),
            hidden: false,
            skipped: None,
            duplicate_of: None,
        }
    }
}

/// Writes judgements, in the order of the lines they are about.
#[derive(Debug)]
pub struct JudgementsFile {
    file: AppendFile,
    line: Vec<u8>,
}

impl JudgementsFile {
    /// Creates an empty file, replacing any earlier one.
    pub fn create(path: &Path) -> Result<JudgementsFile> {
        let (file, _) = AppendFile::open(path, 0, u64::MAX)?;
        Ok(JudgementsFile {
            file,
            line: Vec::new(),
        })
    }

    /// Appends a line.
    pub fn append(&mut self, judgement: &JudgementRecord) -> Result<()> {
        self.line.clear();
        serde_json::to_writer(&mut self.line, judgement).map_err(|source| Error::Unwritable {
            url: judgement.url.clone(),
            source,
        })?;
        self.line.push(b'\n');
        self.file.append(&self.line)
    }

    /// Waits until everything is on the disk.
    pub fn sync(&mut self) -> Result<()> {
        self.file.sync()
    }
}

/// A line that names the version of its format.
trait Versioned: serde::de::DeserializeOwned {
    fn version(&self) -> u32;
}

impl Versioned for PageRecord {
    fn version(&self) -> u32 {
        self.v
    }
}

impl Versioned for JudgementRecord {
    fn version(&self) -> u32 {
        self.v
    }
}

/// All that can be read from a line of another version.
#[derive(Deserialize)]
struct AnyVersion {
    #[serde(default = "first_version")]
    v: u32,
}

impl Versioned for AnyVersion {
    fn version(&self) -> u32 {
        self.v
    }
}

/// A file of one JSON value per line, read one line at a time.
#[derive(Debug)]
struct Lines {
    path: PathBuf,
    file: Option<BufReader<File>>,
    line: u64,
    /// Where the line read last begins, and where the next one does.
    start: u64,
    end: u64,
    buffer: Vec<u8>,
    torn: Option<u64>,
}

impl Lines {
    /// A file that does not exist has no lines.
    fn open(path: &Path) -> Result<Lines> {
        let file = match File::open(path) {
            Ok(file) => Some(BufReader::with_capacity(64 << 10, file)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error).context("open", path),
        };
        Ok(Lines {
            path: path.to_owned(),
            file,
            line: 0,
            start: 0,
            end: 0,
            buffer: Vec::new(),
            torn: None,
        })
    }

    /// Goes to the beginning of a line. Near the last one, what has been read ahead is kept.
    fn go_to(&mut self, start: u64, line: u64) -> Result<()> {
        if let Some(file) = &mut self.file {
            let step = start.checked_signed_diff(self.end);
            step.ok_or_else(|| io::Error::from(io::ErrorKind::InvalidInput))
                .and_then(|step| file.seek_relative(step))
                .context("read", &self.path)?;
        }
        self.end = start;
        self.line = line.saturating_sub(1);
        Ok(())
    }

    /// Refuses a line of another version.
    fn check(&self, line: &impl Versioned) -> Result<()> {
        match line.version() {
            RECORD_VERSION => Ok(()),
            found => Err(Error::OtherVersion {
                path: self.path.clone(),
                line: self.line,
                found,
            }),
        }
    }

    fn read<T: Versioned>(&mut self) -> Result<Option<T>> {
        let Some(file) = &mut self.file else {
            return Ok(None);
        };
        self.buffer.clear();
        self.line += 1;
        file.take(LONGEST_LINE)
            .read_until(b'\n', &mut self.buffer)
            .context("read", &self.path)?;
        let length = self.buffer.len() as u64;
        self.start = self.end;
        self.end += length;
        if self.buffer.pop_if(|last| *last == b'\n').is_some() {
            let value = match serde_json::from_slice::<T>(&self.buffer) {
                Ok(value) => value,
                Err(source) => {
                    // A line that says it is of another version is not wrong; this program just cannot read it.
                    if let Ok(other) = serde_json::from_slice::<AnyVersion>(&self.buffer) {
                        self.check(&other)?;
                    }
                    return Err(Error::BadLine {
                        path: self.path.clone(),
                        line: self.line,
                        source,
                    });
                }
            };
            self.check(&value)?;
            return Ok(Some(value));
        }
        // Whatever the reason, nothing useful can follow.
        self.file = None;
        if length == LONGEST_LINE {
            return Err(Error::LongLine {
                path: self.path.clone(),
                line: self.line,
            });
        }
        self.torn = (length > 0).then_some(length);
        Ok(None)
    }
}

/// Where a record is in its files.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RecordPlace {
    /// Its line, from 1.
    pub line: u64,
    start: u64,
    end: u64,
    /// Where the judgement that replaces its own begins.
    judgement: Option<u64>,
}

/// Reads single records again, by the places that a [`PagesReader`] found them at.
#[derive(Debug)]
pub struct RecordsAt {
    pages: Lines,
    judgements: Option<Lines>,
}

impl RecordsAt {
    /// Opens page records, and the judgements that replace theirs if there are any.
    pub fn open(pages: &Path, judgements: Option<&Path>) -> Result<RecordsAt> {
        Ok(RecordsAt {
            pages: Lines::open(pages)?,
            judgements: judgements.map(Lines::open).transpose()?,
        })
    }

    /// The record at a place; none if the file has become shorter. Places in the order of the file are read fastest.
    pub fn read(&mut self, place: RecordPlace) -> Result<Option<PageRecord>> {
        self.pages.go_to(place.start, place.line)?;
        let Some(mut page) = self.pages.read::<PageRecord>()? else {
            return Ok(None);
        };
        if let (Some(judgements), Some(start)) = (&mut self.judgements, place.judgement) {
            judgements.go_to(start, 0)?;
            let judgement = judgements.read::<JudgementRecord>()?;
            let is_its =
                |judgement: &JudgementRecord| judgement.line == place.line && judgement.url == page.url;
            if let Some(judgement) = judgement.filter(is_its) {
                page.judge_as(judgement);
            }
        }
        Ok(Some(page))
    }
}

/// The judgements of one generation, read alongside the page records.
#[derive(Debug)]
struct Judgements {
    lines: Lines,
    next: Option<JudgementRecord>,
    /// Where the judgement found last begins.
    found_at: Option<u64>,
}

impl Judgements {
    /// The judgement of a line, if there is one. Lines must be requested in order.
    fn of_line(&mut self, line: u64) -> Result<Option<JudgementRecord>> {
        while self.next.as_ref().is_some_and(|next| next.line < line) {
            self.next = self.lines.read()?;
        }
        let found = self.next.take_if(|next| next.line == line);
        self.found_at = found.is_some().then_some(self.lines.start);
        if found.is_some() {
            self.next = self.lines.read()?;
        }
        Ok(found)
    }
}

/// Reads page records, one line at a time.
#[derive(Debug)]
pub struct PagesReader {
    lines: Lines,
    judgements: Option<Judgements>,
}

impl PagesReader {
    /// Reads a file from its beginning. A file that does not exist has no lines: the crawl has just begun.
    pub fn open(path: &Path) -> Result<PagesReader> {
        Ok(PagesReader {
            lines: Lines::open(path)?,
            judgements: None,
        })
    }

    /// Goes on after a record. Pages are judged again only up to the last record there is, so records that came later have
    /// their own judgement.
    pub fn open_after(path: &Path, last: RecordPlace) -> Result<PagesReader> {
        let mut reader = PagesReader::open(path)?;
        reader.lines.go_to(last.end, last.line + 1)?;
        Ok(reader)
    }

    /// Reads the records with these judgements in place of their own. Records without a judgement in the file keep theirs.
    pub fn judged_by(self, judgements: &Path) -> Result<PagesReader> {
        let mut lines = Lines::open(judgements)?;
        let next = lines.read()?;
        Ok(PagesReader {
            judgements: Some(Judgements {
                lines,
                next,
                found_at: None,
            }),
            ..self
        })
    }

    /// The bytes of an unfinished last line, once iteration is over: it is being written right now, or a crash left it.
    pub fn torn(&self) -> Option<u64> {
        self.lines.torn
    }

    /// The number of the line read last, from 1.
    pub fn line(&self) -> u64 {
        self.lines.line
    }

    /// Where the record read last is.
    pub fn place(&self) -> RecordPlace {
        RecordPlace {
            line: self.lines.line,
            start: self.lines.start,
            end: self.lines.end,
            judgement: self.judgements.as_ref().and_then(|found| found.found_at),
        }
    }

    fn read_line(&mut self) -> Result<Option<PageRecord>> {
        let Some(mut page) = self.lines.read::<PageRecord>()? else {
            return Ok(None);
        };
        if let Some(judgements) = &mut self.judgements
            && let Some(judgement) = judgements.of_line(self.lines.line)?
            && judgement.url == page.url
        {
            page.judge_as(judgement);
        }
        Ok(Some(page))
    }
}

impl Iterator for PagesReader {
    type Item = Result<PageRecord>;

    fn next(&mut self) -> Option<Result<PageRecord>> {
        let read = self.read_line();
        if matches!(read, Err(Error::Io { .. })) {
            self.lines.file = None;
        }
        read.transpose()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use scenthound_types::{TermHit, TermSet};

    use super::*;

    fn page(n: u32) -> PageRecord {
        PageRecord {
            url: format!("http://a.test/{n}"),
            status: Some(200),
            fetched_at: "2023-11-14T22:13:20Z".to_owned(),
            ms: 12,
            bytes: 3000,
            title: Some("Tea \u{2028} \"and\" \n more".to_owned()),
            relevance: Some(0.25),
            relevant: Some(true),
            parts: Some(Parts {
                genre: Some(0.5),
                terms: vec![TermHit {
                    set: TermSet::Content,
                    term: "tea".into(),
                    count: 3,
                    share: 0.5,
                }],
                ..Parts::default()
            }),
            archive: Some(Position {
                file: Arc::from("tea-00000.warc.gz"),
                offset: 1 << 53,
                length: 77,
            }),
            fingerprint: Some(0x0123_4567_89ab_cdef),
            ..PageRecord::default()
        }
    }

    fn written(count: u32) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pages.jsonl");
        let (mut pages, _) = PagesFile::open(&path, 0).unwrap();
        for n in 0..count {
            pages.append(&page(n)).unwrap();
        }
        pages.sync().unwrap();
        (folder, path)
    }

    #[test]
    fn a_record_can_be_read_again_at_its_place_with_its_judgement() {
        let (folder, path) = written(4);
        let judgements = folder.path().join("judgements-1.jsonl");
        let mut file = JudgementsFile::create(&judgements).unwrap();
        for line in [2, 4] {
            let judgement = JudgementRecord {
                line,
                url: format!("http://a.test/{}", line - 1),
                relevance: 0.75,
                ..JudgementRecord::default()
            };
            file.append(&judgement).unwrap();
        }
        file.sync().unwrap();
        let mut reader = PagesReader::open(&path).unwrap().judged_by(&judgements).unwrap();
        let mut places = Vec::new();
        let mut pages = Vec::new();
        while let Some(page) = reader.next() {
            pages.push(page.unwrap());
            places.push(reader.place());
        }
        assert_eq!((pages[1].relevance, pages[2].relevance), (Some(0.75), Some(0.25)));
        let after: Vec<PageRecord> = PagesReader::open_after(&path, places[1])
            .unwrap()
            .collect::<Result<_>>()
            .unwrap();
        assert_eq!(after, [page(2), page(3)]);
        let mut again = RecordsAt::open(&path, Some(&judgements)).unwrap();
        for at in [3, 0, 2, 1, 1] {
            assert_eq!(again.read(places[at]).unwrap().as_ref(), Some(&pages[at]), "{at}");
        }
    }

    #[test]
    fn a_record_comes_back_as_it_was_written() {
        let (_folder, path) = written(3);
        let mut reader = PagesReader::open(&path).unwrap();
        let back: Vec<PageRecord> = reader.by_ref().collect::<Result<_>>().unwrap();
        assert_eq!(back, [page(0), page(1), page(2)]);
        assert_eq!(reader.torn(), None);
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(text.lines().count(), 3);
        assert!(text.contains("\"fingerprint\":\"0123456789abcdef\""));
    }

    #[test]
    fn unknown_fields_are_ignored() {
        let line = r#"{"v":2,"url":"http://a.test/","kind":"page","outcome":"ok","fetched_at":"x","ms":1,"bytes":2,"depth":0,"via":"seed","mood":9}"#;
        let record: PageRecord = serde_json::from_str(line).unwrap();
        assert_eq!((record.url.as_str(), record.status), ("http://a.test/", None));
    }

    #[test]
    fn lines_of_another_version_are_refused_with_a_remedy() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pages.jsonl");
        let first = r#"{"url":"http://a.test/","kind":"page","outcome":"ok","error":"none","fetched_at":"x","ms":1,"bytes":2,"depth":0,"why":"seed"}"#;
        let later = r#"{"v":3,"address":"http://a.test/"}"#;
        for (line, version) in [(first, 1), (later, 3)] {
            std::fs::write(&path, format!("{line}\n")).unwrap();
            let fault = PagesReader::open(&path).unwrap().next().unwrap().unwrap_err();
            assert!(
                matches!(fault, Error::OtherVersion { line: 1, found, .. } if found == version),
                "{fault}"
            );
            let message = fault.to_string();
            assert!(
                message.contains("pages.jsonl:1") && message.contains("new folder"),
                "{message}"
            );
            let length = line.len() as u64 + 1;
            assert!(matches!(
                PagesFile::open(&path, length),
                Err(Error::OtherVersion { .. })
            ));
        }
    }

    #[test]
    fn a_file_cut_at_any_byte_gives_its_complete_lines_and_repairs_to_them() {
        let (_folder, path) = written(3);
        let whole = std::fs::read(&path).unwrap();
        for length in 0..=whole.len() {
            // A new file each time: many file systems wait for the disk when a non-empty file is truncated and rewritten.
            std::fs::remove_file(&path).unwrap();
            std::fs::write(&path, &whole[..length]).unwrap();
            let lines = whole[..length].iter().filter(|byte| **byte == b'\n').count();
            let mut reader = PagesReader::open(&path).unwrap();
            assert_eq!(reader.by_ref().map(Result::unwrap).count(), lines);
            let last_end = whole[..length]
                .iter()
                .rposition(|byte| *byte == b'\n')
                .map_or(0, |at| at + 1);
            assert_eq!(reader.torn().unwrap_or(0), (length - last_end) as u64);
            if length < whole.len() {
                let short = PagesFile::open(&path, whole.len() as u64);
                assert!(matches!(short, Err(Error::Short { .. })));
            }
            let repaired = PagesFile::repaired_length(&path, whole.len() as u64).unwrap();
            assert_eq!(repaired, last_end as u64);
            let (mut pages, cut) = PagesFile::open(&path, repaired).unwrap();
            assert_eq!(cut, (length - last_end) as u64);
            pages.append(&page(9)).unwrap();
            pages.mark().unwrap();
            let back: Vec<PageRecord> = PagesReader::open(&path).unwrap().map(Result::unwrap).collect();
            assert_eq!(back.last(), Some(&page(9)));
            assert_eq!(back.len(), lines + 1);
        }
    }

    #[test]
    fn a_bad_line_is_named_and_the_others_are_read() {
        let (_folder, path) = written(2);
        let mut text = std::fs::read_to_string(&path).unwrap();
        text.insert_str(0, "{\"v\":2,\"url\":1}\n");
        std::fs::write(&path, text).unwrap();
        let lines: Vec<Result<PageRecord>> = PagesReader::open(&path).unwrap().collect();
        let message = lines[0].as_ref().unwrap_err().to_string();
        assert!(
            message.ends_with("pages.jsonl:1 is not a page record"),
            "{message}"
        );
        assert!(lines[1].is_ok() && lines[2].is_ok() && lines.len() == 3);
    }

    #[test]
    fn a_line_without_end_takes_no_more_memory_than_allowed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pages.jsonl");
        let file = File::create(&path).unwrap();
        file.set_len(LONGEST_LINE * 4).unwrap();
        let mut reader = PagesReader::open(&path).unwrap();
        assert!(matches!(
            reader.next(),
            Some(Err(Error::LongLine { line: 1, .. }))
        ));
        assert!(reader.next().is_none());
    }

    #[test]
    fn later_judgements_replace_those_of_their_lines() {
        let (folder, path) = written(4);
        let path_of_judgements = folder.path().join("judgements-1.jsonl");
        let mut judgements = JudgementsFile::create(&path_of_judgements).unwrap();
        for (line, n, relevance) in [(2, 1, 0.75), (3, 9, 1.0), (4, 3, 0.5)] {
            judgements
                .append(&JudgementRecord {
                    line,
                    url: format!("http://a.test/{n}"),
                    relevance,
                    notes: vec![PageNote::WrongSense],
                    hidden: true,
                    ..JudgementRecord::default()
                })
                .unwrap();
        }
        judgements.sync().unwrap();
        let reader = PagesReader::open(&path).unwrap().judged_by(&path_of_judgements);
        let pages: Vec<PageRecord> = reader.unwrap().map(Result::unwrap).collect();
        let judged: Vec<_> = pages.iter().map(|page| (page.relevance, page.relevant)).collect();
        // The third line's judgement is about another URL, so it is not that page's.
        let own = (Some(0.25), Some(true));
        assert_eq!(
            judged,
            [own, (Some(0.75), Some(false)), own, (Some(0.5), Some(false))]
        );
        assert_eq!(pages[1].parts, None);
        assert!(pages[1].hidden && pages[1].has(PageNote::WrongSense));
        assert!(!pages[2].hidden && pages[2].notes.is_empty());
        assert_eq!(pages[1].title, page(1).title);
    }

    #[test]
    fn a_crawl_that_has_just_begun_has_no_lines() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(PagesReader::open(&folder.path().join("none")).unwrap().count(), 0);
    }
}
