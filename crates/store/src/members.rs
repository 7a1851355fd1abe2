//! The bytes of a WARC file, uncompressed, member by member: gzip members, zstd frames, or both in one file.
//!
//! A plain file counts as one long member. Records do not cross members: no tool writes that, and stopping at the end of
//! a member keeps one bad length from swallowing the records after it.
//!
//! Damage ends the reading: after it the source stays empty.
//!
//! Deliberately absent: zstd dictionaries, which some archivists put at the beginning of a file.

use std::io::{self, BufRead, Read};

use flate2::bufread::GzDecoder;
use zstd::stream::raw::{DParameter, Decoder as ZstdDecoder, Operation};

use crate::fault::Fault;

const BUFFER: usize = 64 * 1024;
/// The first byte of a gzip member and of a zstd frame. No record of a plain file begins with either.
const GZIP: u8 = 0x1f;
const ZSTD: u8 = 0x28;
/// The largest window of a zstd frame, as a power of two: 64 MiB, as much as is kept of a block. A file can ask for any, and the
/// memory is taken before anything is read.
const LARGEST_WINDOW: u32 = 26;

/// Why reading stopped.
pub(crate) enum Stop {
    /// Reading failed.
    Io(io::Error),
    /// The file is damaged.
    Fault(Fault),
}

/// Counts the bytes read from the file, and distinguishes its errors from the decoder's.
struct Counted<R> {
    inner: R,
    offset: u64,
    failed: bool,
}

impl<R: BufRead> Read for Counted<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let n = self.fill_buf()?.read(into)?;
        self.consume(n);
        Ok(n)
    }
}

impl<R: BufRead> BufRead for Counted<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        let failed = &mut self.failed;
        self.inner.fill_buf().inspect_err(|_| *failed = true)
    }

    fn consume(&mut self, n: usize) {
        self.offset += n as u64;
        self.inner.consume(n);
    }
}

enum State<R> {
    Plain(Counted<R>),
    Between(Counted<R>),
    Gzip {
        start: u64,
        decoder: Box<GzDecoder<Counted<R>>>,
    },
    Zstd {
        start: u64,
        file: Counted<R>,
        /// The frame has been read to its end.
        is_whole: bool,
    },
    Ended {
        offset: u64,
    },
}

pub(crate) struct Members<R> {
    state: State<R>,
    /// Kept from frame to frame: it has much memory.
    zstd: Option<ZstdDecoder<'static>>,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    /// Nothing of the member has been consumed yet.
    fresh: bool,
}

impl<R: BufRead> Members<R> {
    /// `offset` is the position of `inner` in the file.
    pub(crate) fn new(mut inner: R, offset: u64) -> io::Result<Members<R>> {
        let is_compressed = matches!(inner.fill_buf()?.first(), Some(&(GZIP | ZSTD)));
        let counted = Counted {
            inner,
            offset,
            failed: false,
        };
        Ok(Members {
            state: if is_compressed {
                State::Between(counted)
            } else {
                State::Plain(counted)
            },
            zstd: None,
            buffer: vec![0; BUFFER],
            start: 0,
            end: 0,
            fresh: true,
        })
    }

    /// At least one byte of what is left of the current member; empty at its end.
    pub(crate) fn fill(&mut self) -> Result<&[u8], Stop> {
        if self.start == self.end {
            self.start = 0;
            self.end = 0;
            let read = match &mut self.state {
                State::Plain(file) => retry(|| file.read(&mut self.buffer)).map_err(Stop::Io),
                State::Zstd { file, is_whole, .. } => match &mut self.zstd {
                    Some(decoder) if !*is_whole => read_frame(decoder, file, &mut self.buffer, is_whole),
                    _ => Ok(0),
                },
                State::Gzip { decoder, .. } => retry(|| decoder.read(&mut self.buffer)).map_err(|error| {
                    if decoder.get_ref().failed {
                        Stop::Io(error)
                    } else if error.kind() == io::ErrorKind::UnexpectedEof {
                        Stop::Fault(Fault::Cut)
                    } else {
                        Stop::Fault(Fault::Gzip)
                    }
                }),
                State::Between(_) | State::Ended { .. } => Ok(0),
            };
            match read {
                Ok(n) => self.end = n,
                Err(stop) => {
                    self.state = State::Ended {
                        offset: self.offset(),
                    };
                    return Err(stop);
                }
            }
            if self.end == 0 {
                self.leave();
            }
        }
        Ok(self.buffer.get(self.start..self.end).unwrap_or_default())
    }

    /// Leaves a member that has ended.
    fn leave(&mut self) {
        let here = State::Ended {
            offset: self.offset(),
        };
        self.state = match std::mem::replace(&mut self.state, here) {
            State::Gzip { decoder, .. } => State::Between(decoder.into_inner()),
            State::Zstd { file, .. } => State::Between(file),
            State::Plain(file) => State::Ended { offset: file.offset },
            other => other,
        };
    }

    pub(crate) fn consume(&mut self, n: usize) {
        self.fresh &= n == 0;
        self.start = (self.start + n).min(self.end);
    }

    /// Enters the next member if the current one has ended; false at the end of the file.
    pub(crate) fn enter_next(&mut self) -> Result<bool, Stop> {
        loop {
            if !self.fill()?.is_empty() {
                return Ok(true);
            }
            let here = State::Ended {
                offset: self.offset(),
            };
            let State::Between(mut file) = std::mem::replace(&mut self.state, here) else {
                return Ok(false);
            };
            let next = file.fill_buf().map_err(Stop::Io)?.first().copied();
            match next {
                None => return Ok(false),
                Some(GZIP) => {
                    self.state = State::Gzip {
                        start: file.offset,
                        decoder: Box::new(GzDecoder::new(file)),
                    };
                    self.fresh = true;
                }
                Some(ZSTD) => {
                    begin_frame(&mut self.zstd).map_err(Stop::Io)?;
                    self.state = State::Zstd {
                        start: file.offset,
                        file,
                        is_whole: false,
                    };
                    self.fresh = true;
                }
                Some(_) => return Err(Stop::Fault(Fault::Garbage)),
            }
        }
    }

    /// The position in the (compressed) file; inside a member, how far it has been read.
    pub(crate) fn offset(&self) -> u64 {
        match &self.state {
            State::Plain(file) => file.offset - (self.end - self.start) as u64,
            State::Between(file) => file.offset,
            State::Gzip { decoder, .. } => decoder.get_ref().offset,
            State::Zstd { file, .. } => file.offset,
            State::Ended { offset } => *offset,
        }
    }

    /// The offset at which reading could start with the next byte; none in the middle of a member.
    pub(crate) fn entrance(&self) -> Option<u64> {
        match &self.state {
            State::Plain(_) => Some(self.offset()),
            State::Gzip { start, .. } | State::Zstd { start, .. } if self.fresh => Some(*start),
            _ => None,
        }
    }

    /// Whether a file cut off here would hold only complete members.
    pub(crate) fn at_boundary(&self) -> bool {
        match self.state {
            State::Plain(_) => true,
            State::Gzip { .. } | State::Zstd { .. } => false,
            State::Between(_) | State::Ended { .. } => self.start == self.end,
        }
    }
}

/// Prepares the decoder for a new frame.
fn begin_frame(decoder: &mut Option<ZstdDecoder<'static>>) -> io::Result<()> {
    match decoder {
        Some(decoder) => decoder.reinit(),
        none => {
            let mut fresh = ZstdDecoder::new()?;
            fresh.set_parameter(DParameter::WindowLogMax(LARGEST_WINDOW))?;
            *none = Some(fresh);
            Ok(())
        }
    }
}

/// At least one byte of a frame; none at its end.
fn read_frame<R: BufRead>(
    decoder: &mut ZstdDecoder<'static>,
    file: &mut Counted<R>,
    into: &mut [u8],
    is_whole: &mut bool,
) -> Result<usize, Stop> {
    loop {
        let bytes = match file.fill_buf() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            bytes => bytes.map_err(Stop::Io)?,
        };
        let is_end = bytes.is_empty();
        let step = decoder
            .run_on_buffers(bytes, into)
            .map_err(|_| Stop::Fault(Fault::Zstd))?;
        file.consume(step.bytes_read);
        // Nothing remains when the frame was read with its checksum, and all of it was given out.
        *is_whole = step.remaining == 0;
        if step.bytes_written > 0 || *is_whole {
            return Ok(step.bytes_written);
        }
        if is_end {
            return Err(Stop::Fault(Fault::Cut));
        }
    }
}

fn retry(mut read: impl FnMut() -> io::Result<usize>) -> io::Result<usize> {
    loop {
        match read() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            outcome => return outcome,
        }
    }
}
