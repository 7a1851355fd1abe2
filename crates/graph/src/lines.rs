//! Reads lists of links and nodes line by line, plain or gzipped, of any length.
//!
//! * An edge list: `source<TAB>target`, both URLs; further columns are ignored.
//! * Common Crawl's vertices: `number<TAB>reversed host name`, further columns ignored, and edges:
//!   `number<TAB>number`.
//!
//! Empty lines and those that start with `#` are ignored. A malformed line is an error that names the file and the
//! line or, on request, is counted and skipped. No line can take more memory than one or two long URLs.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use flate2::bufread::MultiGzDecoder;
use scenthound_types::CanonicalUrl;

use crate::hosts::is_host_name;
use crate::{GraphBuilder, GraphFault, NamedGraph};

/// Longer lines cannot be links.
const LONGEST_LINE: usize = 64 << 10;
/// Bytes sent from the reading thread to the receiving one at a time.
const BATCH: usize = 1 << 20;
/// How many such batches may be queued.
const UNDER_WAY: usize = 4;
/// Lines between two progress reports.
const TOLD: u64 = 1 << 16;

/// What to do with malformed lines.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BadLines {
    /// Stop at the first one.
    Refuse,
    /// Count and skip them.
    Skip,
}

/// Totals for one list.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ListTally {
    /// Lines that are neither empty nor comments.
    pub lines: u64,
    /// How many of them were skipped.
    pub skipped: u64,
    /// What was wrong with the first one skipped.
    pub first: Option<String>,
}

enum Wrong {
    Line(String),
    Stop(GraphFault),
}

impl From<GraphFault> for Wrong {
    fn from(fault: GraphFault) -> Wrong {
        Wrong::Stop(fault)
    }
}

/// Reads an edge list.
pub fn read_edge_list(
    path: &Path,
    builder: &mut GraphBuilder,
    bad: BadLines,
    progress: &mut dyn FnMut(u64),
) -> Result<ListTally, GraphFault> {
    let mut last: Option<(String, CanonicalUrl)> = None;
    each_line(path, bad, progress, &mut |line| {
        let (source, target) = two(line).ok_or_else(|| {
            Wrong::Line("no tab found; write source<TAB>target, two URLs separated by a tab".to_owned())
        })?;
        let from = match last.take() {
            Some((text, url)) if text == source => (text, url),
            _ => (source.to_owned(), url(source, "source")?),
        };
        builder.link(from.1.as_str(), url(target, "target")?.as_str())?;
        last = Some(from);
        Ok(())
    })
}

fn url(text: &str, end: &str) -> Result<CanonicalUrl, Wrong> {
    CanonicalUrl::parse(text).map_err(|fault| {
        let remedy = if text.bytes().all(|byte| byte.is_ascii_digit()) && !text.is_empty() {
            "pass a list of numbers with --vertices FILE --edges FILE"
        } else {
            "write source<TAB>target, two absolute URLs such as http://example.org/a"
        };
        Wrong::Line(format!(
            "the {end} {} is not a URL ({fault}); {remedy}",
            cited(text)
        ))
    })
}

/// Reads the nodes of a Common Crawl graph.
pub fn read_vertices(
    path: &Path,
    builder: &mut GraphBuilder,
    bad: BadLines,
    progress: &mut dyn FnMut(u64),
) -> Result<ListTally, GraphFault> {
    each_line(path, bad, progress, &mut |line| {
        let expected = "write number<TAB>reversed host name, such as 12<TAB>org.example.www";
        let (number, name) = two(line)
            .and_then(|(number, name)| Some((number.parse::<u32>().ok()?, name)))
            .ok_or_else(|| Wrong::Line(format!("{} is not a vertex; {expected}", cited(line))))?;
        let name = name.to_ascii_lowercase();
        if !is_host_name(&name) {
            return Err(Wrong::Line(format!(
                "{} is not a host name; {expected}",
                cited(&name)
            )));
        }
        Ok(builder.vertex(number, &name)?)
    })
}

/// Reads the links of a Common Crawl graph.
pub fn read_numbered_edges(
    path: &Path,
    graph: &mut NamedGraph,
    bad: BadLines,
    progress: &mut dyn FnMut(u64),
) -> Result<ListTally, GraphFault> {
    each_line(path, bad, progress, &mut |line| {
        let (from, to) = two(line)
            .and_then(|(from, to)| Some((from.parse().ok()?, to.parse().ok()?)))
            .ok_or_else(|| {
                Wrong::Line(format!(
                    "{} is not an edge; write number<TAB>number, two vertex numbers",
                    cited(line)
                ))
            })?;
        graph.numbered_link(from, to)?.map_err(|unknown| {
            Wrong::Line(format!(
                "no vertex has the number {unknown}; name all vertex files with --vertices"
            ))
        })
    })
}

/// The first two columns.
fn two(line: &str) -> Option<(&str, &str)> {
    let mut columns = line.split('\t').map(str::trim);
    Some((columns.next()?, columns.next()?))
}

/// The start of a text, without terminal control characters.
fn cited(text: &str) -> String {
    let mut start: String = text.chars().take(80).collect();
    if start.len() < text.len() {
        start.push('…');
    }
    format!("{start:?}")
}

/// A piece of a list that ends at a line break, or the error.
type Piece = io::Result<Vec<u8>>;

/// Passes on every line that is neither empty nor a comment. A separate thread reads and decompresses.
fn each_line(
    path: &Path,
    bad: BadLines,
    progress: &mut dyn FnMut(u64),
    visit: &mut dyn FnMut(&str) -> Result<(), Wrong>,
) -> Result<ListTally, GraphFault> {
    let fault = GraphFault::file(path);
    let file = File::open(path).map_err(&fault)?;
    let mut bytes = BufReader::with_capacity(1 << 17, file);
    let is_zipped = bytes.fill_buf().map_err(&fault)?.starts_with(&[0x1f, 0x8b]);
    let (send, pieces): (SyncSender<Piece>, Receiver<Piece>) = sync_channel(UNDER_WAY);
    thread::scope(|scope| {
        scope.spawn(move || {
            if is_zipped {
                read_pieces(MultiGzDecoder::new(bytes), &send);
            } else {
                read_pieces(bytes, &send);
            }
        });
        let mut tally = ListTally::default();
        let mut number = 0;
        for piece in pieces {
            let piece = piece.map_err(&fault)?;
            let piece = piece.strip_suffix(b"\n").unwrap_or(&piece);
            for line in piece.split(|byte| *byte == b'\n') {
                number += 1;
                if number % TOLD == 0 {
                    progress(number);
                }
                let line = line.strip_suffix(b"\r").unwrap_or(line);
                if line.is_empty() || line.starts_with(b"#") {
                    continue;
                }
                tally.lines += 1;
                let done = if line.len() >= LONGEST_LINE {
                    Err(Wrong::Line(format!("longer than {LONGEST_LINE} bytes")))
                } else {
                    std::str::from_utf8(line)
                        .map_err(|_| Wrong::Line("not valid UTF-8".to_owned()))
                        .and_then(&mut *visit)
                };
                match done {
                    Ok(()) => {}
                    Err(Wrong::Stop(fault)) => return Err(fault),
                    Err(Wrong::Line(what)) => {
                        let fault = GraphFault::Line {
                            path: path.to_owned(),
                            line: number,
                            what,
                        };
                        if bad == BadLines::Refuse {
                            return Err(fault);
                        }
                        tally.skipped += 1;
                        tally.first.get_or_insert_with(|| fault.to_string());
                    }
                }
            }
        }
        progress(number);
        Ok(tally)
    })
}

/// Sends pieces that end at a line break. Of a line that is too long only the start is sent.
fn read_pieces(mut from: impl Read, send: &SyncSender<Piece>) {
    let mut piece = Vec::new();
    let mut is_too_long = false;
    loop {
        let begun = piece.len();
        piece.resize(BATCH.max(begun + BATCH / 2), 0);
        let read = loop {
            match from.read(piece.get_mut(begun..).unwrap_or_default()) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                other => break other,
            }
        };
        let read = match read {
            Ok(read) => read,
            Err(error) => {
                let _ = send.send(Err(error));
                return;
            }
        };
        piece.truncate(begun + read);
        if is_too_long {
            // The part already sent stands for the line; the rest is skipped.
            match piece.iter().position(|byte| *byte == b'\n') {
                Some(end) => {
                    piece.drain(..=end);
                    is_too_long = false;
                }
                None => piece.clear(),
            }
        }
        if read == 0 {
            if !piece.is_empty() {
                let _ = send.send(Ok(piece));
            }
            return;
        }
        let kept = match piece.iter().rposition(|byte| *byte == b'\n') {
            Some(end) => piece.split_off(end + 1),
            None if piece.len() >= LONGEST_LINE => {
                piece.truncate(LONGEST_LINE);
                is_too_long = true;
                Vec::new()
            }
            None => continue,
        };
        // The receiver is gone: reading was abandoned.
        if send.send(Ok(std::mem::replace(&mut piece, kept))).is_err() {
            return;
        }
    }
}
