//! Follows the page records of a crawl as they grow.
//!
//! Each line is read once. If the file gets shorter (a crawl that was killed has been opened again) or is another one (the records
//! of several nodes were gathered anew), or the pages were judged again, everything is read anew.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};
use std::os::unix::fs::MetadataExt;

use scenthound_store::{JudgementRecord, Layout, PageRecord, RECORD_VERSION};

/// Longer lines are not ours.
const LONGEST_LINE: u64 = 16 << 20;
/// Lines that are handed over together.
const BATCH: usize = 1_000;

/// A record and where it is in the file.
#[derive(Debug)]
pub(crate) struct Placed {
    pub record: PageRecord,
    pub offset: u64,
    pub length: u32,
}

/// What following has brought.
#[derive(Debug)]
pub(crate) enum News {
    /// Forget everything; the records come again from the first.
    Restart,
    /// The next records.
    Records(Vec<Placed>),
}

/// How far the records have been read.
#[derive(Debug)]
pub(crate) struct Follower {
    layout: Layout,
    generation: u32,
    /// The number of the file in its file system.
    file: u64,
    offset: u64,
    line: u64,
    /// The judgements that replace those of the records, by line.
    judgements: HashMap<u64, JudgementRecord>,
}

impl Follower {
    pub fn new(layout: Layout) -> Follower {
        Follower {
            layout,
            // None has been loaded yet, so the first look loads them.
            generation: u32::MAX,
            file: 0,
            offset: 0,
            line: 0,
            judgements: HashMap::new(),
        }
    }

    /// Hands over what is new since the last call, a batch at a time. Whatever cannot be read is tried again next time.
    pub fn poll(&mut self, take: &mut dyn FnMut(News)) -> std::io::Result<()> {
        let generation = self.layout.generation().unwrap_or_default();
        let path = self.layout.pages();
        let (file, length) =
            std::fs::metadata(&path).map_or((0, 0), |metadata| (metadata.ino(), metadata.len()));
        if generation != self.generation || file != self.file || length < self.offset {
            *self = Follower {
                generation,
                file,
                judgements: judgements(&self.layout, generation),
                ..Follower::new(self.layout.clone())
            };
            take(News::Restart);
        }
        if length == self.offset {
            return Ok(());
        }
        let mut file = File::open(&path)?;
        file.seek(SeekFrom::Start(self.offset))?;
        let mut lines = BufReader::with_capacity(256 << 10, file);
        let mut text = Vec::new();
        let mut batch = Vec::new();
        loop {
            text.clear();
            let read = (&mut lines).take(LONGEST_LINE).read_until(b'\n', &mut text)? as u64;
            if text.pop_if(|last| *last == b'\n').is_none() {
                // The end, or a line that is being written right now.
                break;
            }
            self.line += 1;
            if let Ok(mut record) = serde_json::from_slice::<PageRecord>(&text)
                && record.v == RECORD_VERSION
            {
                if let Some(judgement) = self.judgements.remove(&self.line)
                    && judgement.url == record.url
                {
                    record.judge_as(judgement);
                }
                batch.push(Placed {
                    record,
                    offset: self.offset,
                    length: u32::try_from(text.len()).unwrap_or(u32::MAX),
                });
            }
            self.offset += read;
            if batch.len() >= BATCH {
                take(News::Records(std::mem::take(&mut batch)));
            }
        }
        if !batch.is_empty() {
            take(News::Records(batch));
        }
        Ok(())
    }
}

fn judgements(layout: &Layout, generation: u32) -> HashMap<u64, JudgementRecord> {
    if generation == 0 {
        return HashMap::new();
    }
    let Ok(file) = File::open(layout.judgements(generation)) else {
        return HashMap::new();
    };
    BufReader::new(file)
        .split(b'\n')
        .map_while(Result::ok)
        .filter_map(|line| serde_json::from_slice::<JudgementRecord>(&line).ok())
        .map(|judgement| (judgement.line, judgement))
        .collect()
}

/// Reads the record at a place, with its own judgement.
pub(crate) fn read_at(layout: &Layout, offset: u64, length: u32) -> std::io::Result<PageRecord> {
    let mut file = File::open(layout.pages())?;
    file.seek(SeekFrom::Start(offset))?;
    let mut text = vec![0; length as usize];
    file.read_exact(&mut text)?;
    Ok(serde_json::from_slice(&text)?)
}
