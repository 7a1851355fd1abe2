//! Follows the page records of a crawl as they grow.
//!
//! Each line is read once. If the file gets shorter (a crawl that was killed has been opened again) or is another one (the records
//! of several nodes were gathered anew), or the pages were judged again, everything is read anew. Reading a large crawl takes a
//! while, so it is done in turns of bounded length.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::Instant;

use scenthound_store::{Layout, PageRecord};
use serde::de::DeserializeOwned;

use crate::brief::{BriefJudgement, BriefRecord};

/// Longer lines are not ours.
const LONGEST_LINE: u64 = 16 << 20;
/// Lines that are handed over together.
const BATCH: usize = 500;

/// Where a line is in its file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub offset: u64,
    pub length: u32,
}

/// A record and where it is in the file.
#[derive(Debug)]
pub(crate) struct Placed {
    pub record: BriefRecord,
    pub place: Place,
    /// Where its present judgement is, if it was judged again.
    pub judged: Option<Place>,
}

/// What following has brought.
#[derive(Debug)]
pub(crate) enum News {
    /// Forget everything; the records come again from the first, with the judgements of a generation.
    Restart { generation: u32 },
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
    judgements: HashMap<u64, (BriefJudgement, Place)>,
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

    /// Hands over what is new since the last call, a batch at a time, until everything is read or the time is up. Returns the
    /// share of the records that has been read. Whatever cannot be read is tried again next time.
    pub fn poll(&mut self, until: Instant, take: &mut dyn FnMut(News)) -> std::io::Result<f64> {
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
            take(News::Restart { generation });
        }
        if length == self.offset {
            return Ok(1.0);
        }
        let mut file = File::open(&path)?;
        file.seek(SeekFrom::Start(self.offset))?;
        let mut lines = BufReader::with_capacity(256 << 10, file);
        let mut text = Vec::new();
        let mut batch = Vec::with_capacity(BATCH);
        let mut share = 1.0;
        loop {
            text.clear();
            let read = (&mut lines).take(LONGEST_LINE).read_until(b'\n', &mut text)? as u64;
            if text.pop_if(|last| *last == b'\n').is_none() {
                // The end, or a line that is being written right now.
                break;
            }
            self.line += 1;
            if let Some(record) = BriefRecord::read(&text) {
                batch.push(self.placed(record, text.len()));
            }
            self.offset += read;
            if batch.len() >= BATCH {
                take(News::Records(std::mem::take(&mut batch)));
                if Instant::now() >= until && self.offset < length {
                    share = self.offset as f64 / length as f64;
                    break;
                }
            }
        }
        if !batch.is_empty() {
            take(News::Records(batch));
        }
        Ok(share)
    }

    fn placed(&mut self, mut record: BriefRecord, length: usize) -> Placed {
        let mut judged = None;
        if let Some((judgement, place)) = self.judgements.remove(&self.line)
            && judgement.url == record.url
        {
            record.judge_as(judgement);
            judged = Some(place);
        }
        Placed {
            record,
            place: Place {
                offset: self.offset,
                length: u32::try_from(length).unwrap_or(u32::MAX),
            },
            judged,
        }
    }
}

fn judgements(layout: &Layout, generation: u32) -> HashMap<u64, (BriefJudgement, Place)> {
    let mut found = HashMap::new();
    if generation == 0 {
        return found;
    }
    let Ok(file) = File::open(layout.judgements(generation)) else {
        return found;
    };
    let mut offset = 0;
    for line in BufReader::with_capacity(256 << 10, file)
        .split(b'\n')
        .map_while(Result::ok)
    {
        let place = Place {
            offset,
            length: u32::try_from(line.len()).unwrap_or(u32::MAX),
        };
        offset += line.len() as u64 + 1;
        if let Ok(judgement) = serde_json::from_slice::<BriefJudgement>(&line) {
            found.insert(judgement.line, (judgement, place));
        }
    }
    found
}

/// Reads the page record at a place, with its own judgement.
pub(crate) fn read_at(layout: &Layout, place: Place) -> std::io::Result<PageRecord> {
    read_line(&layout.pages(), place)
}

/// Reads the line at a place in a file.
pub(crate) fn read_line<T: DeserializeOwned>(path: &Path, place: Place) -> std::io::Result<T> {
    let mut file = File::open(path)?;
    file.seek(SeekFrom::Start(place.offset))?;
    let mut text = vec![0; place.length as usize];
    file.read_exact(&mut text)?;
    Ok(serde_json::from_slice(&text)?)
}
