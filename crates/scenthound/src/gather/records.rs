//! What is new in the page records of one node.

use std::fs;
use std::io::{BufRead, BufReader, Seek, SeekFrom};
use std::path::PathBuf;

use scenthound_store::{CrawlView, JudgementRecord, PageRecord};
use serde::Deserialize;
use serde_json::Value;

use super::nodes::{Source, hash_of};
use super::{GatherError, fault};

/// What has to be known of a record; nothing of a line that is none, which is passed on as it is.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Facts {
    url: String,
    kind: String,
    fetched_at: String,
    #[serde(default)]
    will_retry: bool,
    #[serde(default)]
    revisit: bool,
}

impl Facts {
    /// The page that the record settles, if it does.
    pub fn settles(&self) -> Option<&str> {
        (self.kind == "page" && !self.will_retry && !self.revisit).then_some(self.url.as_str())
    }
}

/// A record.
pub(super) struct Line {
    pub text: String,
    pub facts: Facts,
}

/// The judgements of a node's pages that replace those of their records, in the order of the lines.
struct Judgements {
    lines: BufReader<fs::File>,
    next: Option<JudgementRecord>,
}

impl Judgements {
    /// Those of a node; none if its pages were not judged again.
    fn of(source: &Source) -> Option<Judgements> {
        let view = CrawlView::open(&source.folder).ok()?;
        let file = fs::File::open(view.layout().judgements(source.generation)).ok()?;
        Some(Judgements {
            lines: BufReader::with_capacity(256 << 10, file),
            next: None,
        })
    }

    /// The record of a line with its new judgement, if it has one.
    fn judge(&mut self, line: u64, record: &[u8]) -> Option<String> {
        while self.next.as_ref().is_none_or(|next| next.line < line) {
            let mut text = String::new();
            if self.lines.read_line(&mut text).ok()? == 0 {
                return None;
            }
            self.next = Some(serde_json::from_str(&text).ok()?);
        }
        let judgement = self.next.take_if(|next| next.line == line)?;
        let mut page: PageRecord = serde_json::from_slice(record).ok()?;
        if page.url != judgement.url {
            return None;
        }
        page.judge_as(judgement);
        serde_json::to_string(&page).ok()
    }
}

/// The records of one node, from where they were read to last time.
pub(super) struct Records {
    path: PathBuf,
    prefix: String,
    lines: Option<BufReader<fs::File>>,
    /// The number of the line read last, from 1.
    line: u64,
    judgements: Option<Judgements>,
    next: Option<Line>,
    /// Bytes up to the end of the line before `next`, and that line's length and hash.
    read: u64,
    last: (u64, u64),
    /// The same for `next`.
    coming: (u64, (u64, u64)),
}

impl Records {
    pub fn open(source: &Source) -> Result<Records, GatherError> {
        let path = source.folder.join("pages").join("pages.jsonl");
        let lines = match fs::File::open(&path) {
            Ok(mut file) => {
                file.seek(SeekFrom::Start(source.read)).map_err(fault(&path))?;
                Some(BufReader::with_capacity(256 << 10, file))
            }
            // It has recorded nothing yet, or is gone.
            Err(_) => None,
        };
        let mut records = Records {
            path,
            prefix: source.prefix.clone(),
            lines,
            line: 0,
            // Pages that were recorded after the others were judged again have their own judgements.
            judgements: match source.read {
                0 => Judgements::of(source),
                _ => None,
            },
            next: None,
            read: source.read,
            last: source.last,
            coming: (source.read, source.last),
        };
        records.advance()?;
        Ok(records)
    }

    fn advance(&mut self) -> Result<(), GatherError> {
        (self.read, self.last) = self.coming;
        self.next = None;
        let Some(lines) = &mut self.lines else {
            return Ok(());
        };
        let mut bytes = Vec::new();
        let length = lines.read_until(b'\n', &mut bytes).map_err(fault(&self.path))? as u64;
        // The end, or a line that is being written right now.
        if bytes.last() != Some(&b'\n') {
            return Ok(());
        }
        self.coming = (self.read + length, (length, hash_of(&bytes)));
        bytes.pop();
        self.line += 1;
        let facts: Facts = serde_json::from_slice(&bytes).unwrap_or_default();
        let judged = self
            .judgements
            .as_mut()
            .and_then(|judgements| judgements.judge(self.line, &bytes));
        let mut text = judged.unwrap_or_else(|| String::from_utf8_lossy(&bytes).into_owned());
        if !self.prefix.is_empty()
            && let Ok(mut record) = serde_json::from_str::<Value>(&text)
            && let Some(Value::String(name)) = record.pointer_mut("/archive/file")
        {
            name.insert_str(0, &self.prefix);
            text = record.to_string();
        }
        self.next = Some(Line { text, facts });
        Ok(())
    }

    /// Takes the next record.
    pub fn take(&mut self) -> Result<Option<Line>, GatherError> {
        let line = self.next.take();
        self.advance()?;
        Ok(line)
    }

    /// Says how far the records were read.
    pub fn end(self, source: &mut Source) {
        (source.read, source.last) = (self.read, self.last);
    }
}

/// The reader whose next record is the earliest.
pub(super) fn earliest(records: &[Records]) -> Option<usize> {
    let waiting = records
        .iter()
        .enumerate()
        .filter_map(|(at, reader)| Some((at, &reader.next.as_ref()?.facts.fetched_at)));
    waiting.min_by(|(_, a), (_, b)| a.cmp(b)).map(|(at, _)| at)
}
