//! Finds out how much of what was written last is really there.
//!
//! A power failure may leave a file as long as it was and with zeros where its last bytes should be, or keep one file and lose
//! another. What was flushed is safe; what was committed after that has to be looked at, line by line and response by response.
//!
//! Deliberately absent: any change to the files.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use crate::archive::Position;
use crate::error::{Context, Result};
use crate::mark::{ArchiveMark, Mark};
use crate::pages::{PageRecord, RECORD_VERSION};
use crate::warc::{read_at, read_response};

/// Longer lines are not ours.
const LONGEST_LINE: u64 = 16 << 20;

/// The mark up to which everything is intact, if everything up to `flushed` is: `committed`, unless something after `flushed`
/// was lost. If it was, the archive goes on in a new file, because its last one may hold anything.
pub(crate) fn intact_mark(archive: &Path, pages: &Path, flushed: Mark, committed: Mark) -> Result<Mark> {
    if flushed.pages >= committed.pages {
        return Ok(committed);
    }
    let intact = intact_lines(archive, pages, flushed.pages, committed.pages)?;
    if intact == committed.pages {
        return Ok(committed);
    }
    Ok(Mark {
        archive: ArchiveMark {
            file: committed.archive.file + 1,
            length: 0,
        },
        pages: intact,
    })
}

/// Where the first line ends after which another follows that is damaged, or whose response is.
fn intact_lines(archive: &Path, pages: &Path, from: u64, to: u64) -> Result<u64> {
    let mut file = match File::open(pages) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(0),
        opened => opened.context("open", pages)?,
    };
    let length = file.metadata().context("examine", pages)?.len();
    if length < from {
        return crate::pages::PagesFile::repaired_length(pages, from);
    }
    file.seek(SeekFrom::Start(from)).context("read", pages)?;
    let mut lines = BufReader::new(file.take(to - from));
    let (mut intact, mut line) = (from, Vec::new());
    loop {
        line.clear();
        let read = (&mut lines).take(LONGEST_LINE).read_until(b'\n', &mut line);
        let read = read.context("read", pages)? as u64;
        if line.pop_if(|last| *last == b'\n').is_none() {
            return Ok(intact);
        }
        match serde_json::from_slice::<PageRecord>(&line) {
            Ok(record) if record.v == RECORD_VERSION && is_archived(archive, &record) => intact += read,
            _ => return Ok(intact),
        }
    }
}

/// Whether the response of a record is in the archive, if it should be.
fn is_archived(archive: &Path, record: &PageRecord) -> bool {
    let Some(Position { file, offset, .. }) = &record.archive else {
        return true;
    };
    let name = Path::new(&**file).file_name().unwrap_or_default();
    let file = archive.join(name);
    let found = read_at(&file, *offset).and_then(|found| read_response(&file, found));
    found.is_ok_and(|found| found.faults.is_empty() && found.target_uri() == Some(record.url.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(url: &str) -> Vec<u8> {
        let record = PageRecord {
            url: url.to_owned(),
            ..PageRecord::default()
        };
        let mut line = serde_json::to_vec(&record).unwrap();
        line.push(b'\n');
        line
    }

    #[test]
    fn lines_that_became_zeros_after_the_last_flush_are_found() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pages.jsonl");
        let lines = [
            line("http://a.test/1"),
            line("http://a.test/2"),
            line("http://a.test/3"),
        ];
        let whole = lines.concat();
        let end = |n: usize| lines[..n].concat().len() as u64;
        let marked = |pages| Mark {
            pages,
            ..Mark::default()
        };
        let intact = |flushed: u64| {
            let mark = intact_mark(folder.path(), &path, marked(flushed), marked(end(3))).unwrap();
            (mark.pages, mark.archive.file)
        };
        std::fs::write(&path, &whole).unwrap();
        assert_eq!(intact(0), (end(3), 0));
        let mut zeros = whole.clone();
        zeros[end(1) as usize + 5..end(2) as usize].fill(0);
        std::fs::write(&path, &zeros).unwrap();
        assert_eq!(intact(0), (end(1), 1), "the archive goes on in a new file");
        assert_eq!(intact(end(3)), (end(3), 0), "what was flushed is not looked at");
        std::fs::write(&path, &whole[..end(2) as usize + 3]).unwrap();
        assert_eq!(intact(end(1)), (end(2), 1));
        std::fs::remove_file(&path).unwrap();
        assert_eq!(intact(0), (0, 1));
    }
}
