//! Records the exact bytes of an exchange, below the HTTP library.
//!
//! An archive needs exactly what was sent and received: unusual header case, chunk extensions, encoded bodies. The
//! library keeps none of that, so the stream below it records everything on a tape. The tape is finite: once it is
//! full, reading fails, which also limits what a flood of interim responses can cost.

use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

use bytes::{Bytes, BytesMut};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// Room for an ordinary page with its head, so that most recordings are never reallocated.
const USUAL: usize = 32 * 1024;

/// What went over one connection during one exchange.
#[derive(Default)]
pub(crate) struct Tape {
    pub(crate) sent: BytesMut,
    pub(crate) received: BytesMut,
    room: usize,
    /// Set when more arrived than there was room for.
    pub(crate) full: bool,
}

impl Tape {
    /// Clears the tape and makes room for this many received bytes.
    pub(crate) fn rewind(&mut self, room: usize) {
        *self = Tape {
            sent: BytesMut::with_capacity(512),
            received: BytesMut::with_capacity(USUAL.min(room)),
            room,
            full: false,
        };
    }

    /// Records received bytes as far as there is room.
    pub(crate) fn receive(&mut self, bytes: &[u8]) {
        let room = self.room.saturating_sub(self.received.len());
        self.full |= bytes.len() > room;
        self.received
            .extend_from_slice(bytes.get(..room).unwrap_or(bytes));
    }

    /// What was sent, and what was received.
    pub(crate) fn take(&mut self) -> (Bytes, Bytes) {
        (
            std::mem::take(&mut self.sent).freeze(),
            std::mem::take(&mut self.received).freeze(),
        )
    }

    /// Reserves space for a body whose length is announced, within reason.
    pub(crate) fn expect(&mut self, more: usize) {
        let wanted = more.min(1 << 20).min(self.room);
        if wanted > self.received.capacity() - self.received.len() {
            self.received.reserve(wanted);
        }
    }
}

/// A tape that the stream writes and the exchange reads. Both run in one task, so the lock is never contended.
#[derive(Clone, Default)]
pub(crate) struct SharedTape(Arc<Mutex<Tape>>);

impl SharedTape {
    pub(crate) fn lock(&self) -> MutexGuard<'_, Tape> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A stream that records what passes through it.
pub(crate) struct Taped<S> {
    stream: S,
    tape: SharedTape,
}

impl<S> Taped<S> {
    pub(crate) fn new(stream: S, tape: SharedTape) -> Taped<S> {
        Taped { stream, tape }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Taped<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        if self.tape.lock().full {
            return Poll::Ready(Err(io::ErrorKind::FileTooLarge.into()));
        }
        let read = Pin::new(&mut self.stream).poll_read(cx, buf);
        if let Some(new) = buf.filled().get(before..)
            && !new.is_empty()
        {
            self.tape.lock().receive(new);
        }
        read
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Taped<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(cx, buf);
        if let Poll::Ready(Ok(count)) = written {
            let sent = buf.get(..count).unwrap_or(buf);
            self.tape.lock().sent.extend_from_slice(sent);
        }
        written
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

/// The position of a head in the received bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Span {
    pub(crate) start: usize,
    /// Where the body begins.
    pub(crate) end: usize,
}

impl Span {
    pub(crate) fn len(self) -> usize {
        self.end - self.start
    }
}

/// Finds the head of the final response in the received bytes.
///
/// Interim responses (1xx except 101) and blank lines come before it; readers of the archive expect neither.
pub(crate) fn final_head(received: &[u8]) -> Option<Span> {
    let mut start = 0;
    loop {
        let rest = received.get(start..)?;
        start += rest
            .iter()
            .take_while(|byte| matches!(byte, b'\r' | b'\n'))
            .count();
        let rest = received.get(start..)?;
        let end = start + end_of_head(rest)?;
        let interim =
            rest.starts_with(b"HTTP/1.") && rest.get(8..10) == Some(b" 1") && rest.get(9..12) != Some(b"101");
        if !interim {
            return Some(Span { start, end });
        }
        start = end;
    }
}

/// The length of a head with its blank line. Bare line feeds count, as in the parser above.
fn end_of_head(bytes: &[u8]) -> Option<usize> {
    memchr::memchr_iter(b'\n', bytes).find_map(|at| match bytes.get(at + 1..)? {
        [b'\n', ..] => Some(at + 2),
        [b'\r', b'\n', ..] => Some(at + 3),
        _ => None,
    })
}

/// The length of a complete chunked body with its trailers; `None` if it does not end in these bytes.
pub(crate) fn chunked_len(body: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        let line_end = at + memchr::memchr(b'\n', body.get(at..)?)?;
        let line = body.get(at..line_end)?;
        let digits = line.iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
        let size = std::str::from_utf8(line.get(..digits)?).ok()?;
        let size = usize::from_str_radix(size, 16).ok()?;
        at = line_end + 1;
        if size == 0 {
            break;
        }
        at = at.checked_add(size)?.checked_add(2)?;
    }
    // Trailers end with a blank line.
    loop {
        let rest = body.get(at..)?;
        let line_end = memchr::memchr(b'\n', rest)?;
        at += line_end + 1;
        if matches!(rest.get(..line_end)?, [] | [b'\r']) {
            return Some(at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interim_responses_and_blank_lines_come_before_the_response() {
        let received = b"\r\nHTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nA: b\r\n\r\nbody";
        let Span { start, end } = final_head(received).unwrap();
        assert_eq!(&received[start..end], b"HTTP/1.1 200 OK\r\nA: b\r\n\r\n");
        assert_eq!(
            final_head(b"HTTP/1.0 200 OK\nA: b\n\nbody"),
            Some(Span { start: 0, end: 22 })
        );
        assert_eq!(final_head(b"HTTP/1.1 100 Continue\r\n\r\n"), None);
        assert_eq!(final_head(b"HTTP/1.1 200 OK\r\nA: b\r\n"), None);
    }

    #[test]
    fn a_chunked_body_ends_after_its_trailers() {
        let body = b"4;ext=1\r\nabcd\r\n0\r\nX: y\r\n\r\nrubbish";
        assert_eq!(chunked_len(body), Some(body.len() - 7));
        assert_eq!(chunked_len(b"4\r\nab"), None);
        assert_eq!(chunked_len(b"fffffffffffffffff\r\nab"), None);
        assert_eq!(chunked_len(b"ffffffffffffffff\r\nab"), None);
        assert_eq!(chunked_len(b"zz\r\n"), None);
    }

    #[test]
    fn a_full_tape_keeps_what_fits() {
        let mut tape = Tape::default();
        tape.rewind(5);
        tape.receive(b"abc");
        assert!(!tape.full);
        tape.receive(b"def");
        assert_eq!((&tape.received[..], tape.full), (&b"abcde"[..], true));
    }
}
