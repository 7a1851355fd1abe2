//! `pages/pages.jsonl`: one line an attempt, refused and failed ones too.
//!
//! A line counts once its newline is there. The file grows like the archive does: what lies behind the committed length
//! is cut off on opening. Pages that were judged again keep their line; their [`JudgementRecord`] stands in a file of its
//! own and is laid over it on reading.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use scenthound_types::{GenreGuess, Parts};
use serde::{Deserialize, Serialize};

use crate::append::AppendFile;
use crate::archive::{MOST_CUT, Position};
use crate::error::{Context, Error, Result};

/// Longer lines are not ours; reading them would let a file decide how much memory we take.
const LONGEST_LINE: u64 = 16 << 20;

/// What came of one attempt at a URL.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct PageRecord {
    /// What was asked for.
    pub url: String,
    /// Where its redirects led, if anywhere else.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub final_url: Option<String>,
    /// `page`, `robots` or `sitemap`.
    pub kind: Cow<'static, str>,
    /// The HTTP status, where one came.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub status: Option<u16>,
    /// The stable code of how it ended: `ok`, `refused-robots`, `failed-dns`…
    pub outcome: Cow<'static, str>,
    /// What went wrong, for people.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub error: Option<String>,
    /// `length`, `time` or `disconnect`, if the body was cut short.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub truncated: Option<Cow<'static, str>>,
    /// When the request was sent, in UTC.
    pub fetched_at: String,
    /// How long it took, in milliseconds.
    pub ms: u64,
    /// Bytes that came over the wire.
    pub bytes: u64,
    /// As the server named it.
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
    /// Links away from a seed.
    pub depth: u16,
    /// The page that first led here; none for seeds.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub parent: Option<String>,
    /// Whether the user named it.
    #[serde(default)]
    pub seed: bool,
    /// Why it was fetched, in a few words.
    #[serde(default)]
    pub why: String,
    /// The score it was taken with: its cash, for strategies that pass cash on.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub score: Option<f64>,
    /// Set if it had been read before and was fetched again for the cash it had gathered.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub revisit: bool,
    /// Set if it was ignored with its links because it speaks of something else by the same name.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub excluded: bool,
    /// The agent that asked for it, counted from 1, where a crawl has several.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub agent: Option<u8>,
    /// 0 for the first try.
    #[serde(default)]
    pub attempt: u8,
    /// Whether nobody was asked for it: refused by rules, by its address, or because its host has no name.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub unasked: bool,
    /// Where the response lies, if one came.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub archive: Option<Position>,
    /// The page this one repeats.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub duplicate_of: Option<String>,
    /// For finding near-duplicates; sixteen hexadecimal digits in the file.
    #[serde(skip_serializing_if = "Option::is_none", default, with = "hex")]
    pub fingerprint: Option<u64>,
    /// The address the page says is its own.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub canonical: Option<String>,
}

/// Sixty-four bits as text, because many readers of JSON keep only fifty-three of a number.
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
    /// Opens the file as it was at this length, and tells how many bytes behind it were cut off.
    pub fn open(path: &Path, length: u64) -> Result<(PagesFile, u64)> {
        let (file, cut) = AppendFile::open(path, length, MOST_CUT)?;
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

    /// Hands everything to the system and tells the file's length, for the commit.
    pub fn mark(&mut self) -> Result<u64> {
        self.file.flush()?;
        Ok(self.file.length())
    }

    /// Waits until everything is on the disk.
    pub fn sync(&mut self) -> Result<()> {
        self.file.sync()
    }

    /// For a file that [`Error::Short`] was told of: the length to open it with, which keeps every whole line that is
    /// left.
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

/// What is thought of a page now that it was judged again.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct JudgementRecord {
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
}

/// Writes judgements, in the order of the lines they are about.
#[derive(Debug)]
pub struct JudgementsFile {
    file: AppendFile,
    line: Vec<u8>,
}

impl JudgementsFile {
    /// Begins a file anew.
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

/// A file of one JSON value a line, read a line at a time.
#[derive(Debug)]
struct Lines {
    path: PathBuf,
    file: Option<BufReader<File>>,
    line: u64,
    buffer: Vec<u8>,
    torn: Option<u64>,
}

impl Lines {
    /// A file that is not there has no lines.
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
            buffer: Vec::new(),
            torn: None,
        })
    }

    fn read<T: serde::de::DeserializeOwned>(&mut self) -> Result<Option<T>> {
        let Some(file) = &mut self.file else {
            return Ok(None);
        };
        self.buffer.clear();
        self.line += 1;
        file.take(LONGEST_LINE)
            .read_until(b'\n', &mut self.buffer)
            .context("read", &self.path)?;
        let length = self.buffer.len() as u64;
        if self.buffer.pop_if(|last| *last == b'\n').is_some() {
            let value = serde_json::from_slice(&self.buffer).map_err(|source| Error::BadLine {
                path: self.path.clone(),
                line: self.line,
                source,
            })?;
            return Ok(Some(value));
        }
        // Whatever the reason, nothing sensible can follow.
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

/// The judgements of one generation, read alongside the page records.
#[derive(Debug)]
struct Judgements {
    lines: Lines,
    next: Option<JudgementRecord>,
}

impl Judgements {
    /// The judgement of a line, if there is one. Lines are asked for in order.
    fn of_line(&mut self, line: u64) -> Result<Option<JudgementRecord>> {
        while self.next.as_ref().is_some_and(|next| next.line < line) {
            self.next = self.lines.read()?;
        }
        let found = self.next.take_if(|next| next.line == line);
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
    /// Reads a file from its beginning. A file that is not there has no lines: the crawl has just begun.
    pub fn open(path: &Path) -> Result<PagesReader> {
        Ok(PagesReader {
            lines: Lines::open(path)?,
            judgements: None,
        })
    }

    /// Reads the records with these judgements in place of their own; what is not in the file keeps its own.
    pub fn judged_by(self, judgements: &Path) -> Result<PagesReader> {
        let mut lines = Lines::open(judgements)?;
        let next = lines.read()?;
        Ok(PagesReader {
            judgements: Some(Judgements { lines, next }),
            ..self
        })
    }

    /// Bytes of a last line without an end, once the iteration is over: being written just now, or left by a crash.
    pub fn torn(&self) -> Option<u64> {
        self.lines.torn
    }

    /// The number of the line read last, from 1.
    pub fn line(&self) -> u64 {
        self.lines.line
    }

    fn read_line(&mut self) -> Result<Option<PageRecord>> {
        let Some(mut page) = self.lines.read::<PageRecord>()? else {
            return Ok(None);
        };
        if let Some(judgements) = &mut self.judgements
            && let Some(judgement) = judgements.of_line(self.lines.line)?
            && judgement.url == page.url
        {
            page.relevance = Some(judgement.relevance);
            page.relevant = Some(judgement.relevant);
            page.genre = judgement.genre;
            page.parts = judgement.parts;
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
            kind: "page".into(),
            status: Some(200),
            outcome: "ok".into(),
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
    fn a_minimal_line_of_a_later_version_can_be_read() {
        let line = r#"{"url":"http://a.test/","kind":"page","outcome":"ok","fetched_at":"x","ms":1,"bytes":2,"depth":0,"mood":9}"#;
        let record: PageRecord = serde_json::from_str(line).unwrap();
        assert_eq!((record.url.as_str(), record.status), ("http://a.test/", None));
    }

    #[test]
    fn a_file_cut_at_any_byte_gives_its_whole_lines_and_repairs_to_them() {
        let (_folder, path) = written(3);
        let whole = std::fs::read(&path).unwrap();
        for length in 0..=whole.len() {
            // A new file each time: many file systems wait for the disk when a full one is emptied and written again.
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
        text.insert_str(0, "{\"url\":1}\n");
        std::fs::write(&path, text).unwrap();
        let lines: Vec<Result<PageRecord>> = PagesReader::open(&path).unwrap().collect();
        let message = lines[0].as_ref().unwrap_err().to_string();
        assert!(message.ends_with("pages.jsonl:1 is no page record"), "{message}");
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
    fn later_judgements_are_laid_over_the_lines_they_are_about() {
        let (folder, path) = written(4);
        let path_of_judgements = folder.path().join("judgements-1.jsonl");
        let mut judgements = JudgementsFile::create(&path_of_judgements).unwrap();
        for (line, n, relevance) in [(2, 1, 0.75), (3, 9, 1.0), (4, 3, 0.5)] {
            judgements
                .append(&JudgementRecord {
                    line,
                    url: format!("http://a.test/{n}"),
                    relevance,
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
        assert_eq!(pages[1].title, page(1).title);
    }

    #[test]
    fn a_crawl_that_has_just_begun_has_no_lines() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(PagesReader::open(&folder.path().join("none")).unwrap().count(), 0);
    }
}
