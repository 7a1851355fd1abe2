//! One request and its response on one connection: the head under its own time limit, then the body under all limits.

use std::error::Error;
use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use hyper::body::{Body, Incoming};
use scenthound_types::{Documents, Failure, Readable, Truncation};
use tokio::time::{Instant, Sleep};

use crate::channel::{Ask, Channel, Line, Motor, turn};
use crate::decode::{Decoder, Stop};
use crate::patience::Patience;
use crate::room::{Reserved, Room, SMALL};
use crate::settings::{BodyCaps, Limits};
use crate::tape::SharedTape;

/// No response came.
#[derive(Debug)]
pub(crate) struct NoResponse {
    pub(crate) failure: Failure,
    /// Whether not a single byte arrived, so that repeating the request elsewhere is safe.
    pub(crate) untouched: bool,
    /// Whether the server refused HTTP/2 for this request and asked for HTTP/1.1.
    pub(crate) wants_http1: bool,
}

/// How often a limit that may shrink is looked at.
const LOOK: Duration = Duration::from_millis(250);

/// Waits for a future, at most for as long as `limit` says. The limit may shrink in the meantime.
async fn within<F: Future>(waited_for: F, limit: impl Fn() -> Duration) -> Option<F::Output> {
    let started = Instant::now();
    let mut waited_for = std::pin::pin!(waited_for);
    loop {
        let left = limit().saturating_sub(started.elapsed());
        if let Ok(output) = tokio::time::timeout(left.min(LOOK), &mut waited_for).await {
            return Some(output);
        }
        if left <= LOOK && started.elapsed() >= limit() {
            return None;
        }
    }
}

/// Whether a server refused a request with HTTP_1_1_REQUIRED.
fn wants_http1(error: &hyper::Error) -> bool {
    let reason = error
        .source()
        .and_then(|source| source.downcast_ref::<h2::Error>())
        .and_then(h2::Error::reason);
    reason == Some(h2::Reason::HTTP_1_1_REQUIRED)
}

/// Sends the request and waits for the head.
pub(crate) async fn ask(
    channel: &mut Channel,
    ask: Ask,
    limit: impl Fn() -> Duration,
) -> Result<http::Response<Incoming>, NoResponse> {
    let sent = within(channel.send(ask), limit).await;
    let (full, received) = match &channel.line {
        Line::One(one) => {
            let tape = one.tape.lock();
            (tape.full, tape.received.len())
        }
        Line::Many(_) => (false, 0),
    };
    match sent {
        Some(Ok(response)) => Ok(response),
        Some(Err(error)) if wants_http1(&error) => Err(NoResponse {
            failure: Failure::Protocol,
            untouched: true,
            wants_http1: true,
        }),
        Some(Err(error)) => {
            let garbled = full || error.is_parse();
            Err(NoResponse {
                failure: if garbled {
                    Failure::Protocol
                } else {
                    Failure::Disconnect
                },
                untouched: received == 0 && !garbled,
                wants_http1: false,
            })
        }
        None => Err(NoResponse {
            failure: Failure::FirstByteTimeout,
            untouched: false,
            wants_http1: false,
        }),
    }
}

/// What to do with the bytes of a body as they arrive.
pub(crate) enum Sink {
    /// Only count them: they are contiguous on the tape.
    InPlace,
    /// Collect them, because chunk headers lie in between.
    Gathered(Vec<u8>),
    /// Decode them.
    Decoded(Box<Decoder>),
}

/// Where body bytes come from and what is recorded on the way.
pub(crate) struct Source<'a> {
    pub(crate) body: Incoming,
    /// Drives an HTTP/1 connection.
    pub(crate) motor: Option<&'a mut Motor>,
    pub(crate) tape: SharedTape,
    /// When the request was sent.
    pub(crate) asked: Instant,
    /// HTTP/2 has no stream of its own to record, so its body is recorded here.
    pub(crate) record: bool,
}

/// How reading a body ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum End {
    /// The whole body arrived.
    Whole,
    /// Part of it arrived.
    Cut(Truncation),
    /// What arrived is not valid: bad chunks, or a damaged encoding.
    Damaged,
    /// Its first bytes show that it is not something we read.
    NotText,
}

/// A body, as far as it was read.
pub(crate) struct Read {
    pub(crate) end: End,
    /// How many body bytes arrived, without chunk headers.
    pub(crate) wire: usize,
    pub(crate) sink: Sink,
    /// The room it takes, if it is large.
    pub(crate) reserved: Reserved,
}

impl Sink {
    /// How many bytes are kept in addition to those as sent.
    fn extra(&self) -> usize {
        match self {
            Sink::InPlace => 0,
            Sink::Gathered(gathered) => gathered.len(),
            Sink::Decoded(decoder) => decoder.so_far().len(),
        }
    }
}

/// Reads a body until it ends or a limit is reached.
pub(crate) async fn read(
    mut source: Source<'_>,
    mut sink: Sink,
    caps: BodyCaps,
    sniff: Option<Readable>,
    documents: Documents,
    limits: &Limits,
    (room, patience): (&Room, &Patience),
) -> Read {
    let mut wire = 0;
    let mut reserved = None;
    // How far several codings blow up a body shows only when it is too late.
    let mut is_large = matches!(&sink, Sink::Decoded(decoder) if decoder.codings() > 1);
    if let Sink::Decoded(decoder) = &mut sink {
        decoder.pause_at(SMALL);
    }
    let mut unseen = sniff;
    let mut watch = Watch::new(limits, patience, source.asked);
    let end = loop {
        let data = match next(&mut source, &mut watch, wire).await {
            Next::Data(data) => data,
            // Either we cut it, or it is complete but so many interim responses came first that the recording is not.
            Next::End | Next::Broken | Next::Invalid if source.tape.lock().full => {
                break End::Cut(Truncation::Length);
            }
            Next::End => break finished(&sink),
            Next::Broken => break End::Cut(Truncation::Disconnect),
            Next::Invalid => break End::Damaged,
            Next::TooSlow => break End::Cut(Truncation::Time),
        };
        is_large |= wire + data.len() + sink.extra() > SMALL;
        if is_large && reserved.is_none() && !watch.reserve(room, caps, &mut sink, &mut reserved).await {
            break End::Cut(Truncation::Time);
        }
        let most = match sink {
            Sink::InPlace => caps.wire.min(caps.decoded),
            Sink::Gathered(_) | Sink::Decoded(_) => caps.wire,
        };
        let over = data.len().saturating_sub(most - wire);
        let data = data.slice(..data.len() - over);
        wire += data.len();
        if source.record {
            source.tape.lock().receive(&data);
        }
        let stop = match &mut sink {
            Sink::InPlace => None,
            Sink::Gathered(gathered) => {
                let room = caps.decoded - gathered.len();
                gathered.extend_from_slice(data.get(..room).unwrap_or(&data));
                (data.len() > room).then_some(Stop::Full)
            }
            Sink::Decoded(decoder) => {
                let mut left = decoder.push(&data);
                if let Ok(Some(rest)) = left {
                    if !watch.reserve(room, caps, &mut sink, &mut reserved).await {
                        break End::Cut(Truncation::Time);
                    }
                    left = match &mut sink {
                        Sink::Decoded(decoder) => decoder.push(rest),
                        _ => Ok(None),
                    };
                }
                left.err()
            }
        };
        if let Some(readable) = unseen {
            let start: &[u8] = match &sink {
                Sink::InPlace => &data,
                Sink::Gathered(gathered) => gathered,
                Sink::Decoded(decoder) => decoder.so_far(),
            };
            unseen = start.is_empty().then_some(readable);
            if !start.is_empty() && !readable.admits(start, documents) {
                break End::NotText;
            }
        }
        match stop {
            Some(Stop::Full) => break End::Cut(Truncation::Length),
            Some(Stop::Damaged) => break End::Damaged,
            None if over > 0 => break End::Cut(Truncation::Length),
            None => {}
        }
    };
    Read {
        end,
        wire,
        sink,
        reserved: reserved.unwrap_or_default(),
    }
}

/// The body has ended, but its encoding may not have.
fn finished(sink: &Sink) -> End {
    match sink {
        Sink::Decoded(decoder) if !decoder.is_whole() => End::Cut(Truncation::Disconnect),
        _ => End::Whole,
    }
}

enum Next {
    Data(Bytes),
    End,
    Broken,
    /// Its chunks are invalid.
    Invalid,
    TooSlow,
}

/// Whether a body ended because of what arrived, not because nothing more did.
fn is_invalid(error: &hyper::Error) -> bool {
    let source = error
        .source()
        .and_then(|source| source.downcast_ref::<io::Error>());
    source.is_some_and(|source| {
        matches!(
            source.kind(),
            io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData
        )
    })
}

/// Waits for the next bytes of the body, driving the connection in the meantime.
async fn next(source: &mut Source<'_>, watch: &mut Watch<'_>, wire: usize) -> Next {
    poll_fn(|cx| {
        loop {
            let mut frame = Pin::new(&mut source.body).poll_frame(cx);
            if frame.is_pending()
                && let Some(motor) = source.motor.as_deref_mut()
            {
                turn(motor, cx);
                frame = Pin::new(&mut source.body).poll_frame(cx);
            }
            match frame {
                Poll::Ready(Some(Ok(frame))) => match frame.into_data() {
                    Ok(data) => return Poll::Ready(Next::Data(data)),
                    // Trailers.
                    Err(_) => continue,
                },
                Poll::Ready(Some(Err(error))) if is_invalid(&error) => return Poll::Ready(Next::Invalid),
                Poll::Ready(Some(Err(_))) => return Poll::Ready(Next::Broken),
                Poll::Ready(None) => return Poll::Ready(Next::End),
                Poll::Pending => {}
            }
            return watch.poll_too_slow(cx, wire).map(|()| Next::TooSlow);
        }
    })
    .await
}

/// Checks a body's progress: the total time, and the rate in each window.
struct Watch<'a> {
    limits: &'a Limits,
    patience: &'a Patience,
    deadline: Instant,
    /// Created at the first wait; most bodies need none.
    window: Option<Pin<Box<Sleep>>>,
    /// How much had arrived when the window began.
    before: usize,
}

impl<'a> Watch<'a> {
    fn new(limits: &'a Limits, patience: &'a Patience, asked: Instant) -> Watch<'a> {
        Watch {
            limits,
            patience,
            deadline: asked + limits.whole_response,
            window: None,
            before: 0,
        }
    }

    /// Waits for room for a large body; false if the time for the body is over first.
    async fn reserve(
        &mut self,
        room: &Room,
        caps: BodyCaps,
        sink: &mut Sink,
        reserved: &mut Option<Reserved>,
    ) -> bool {
        let room = tokio::time::timeout_at(self.deadline, room.reserve(caps)).await;
        *reserved = room.ok().flatten();
        if let Sink::Decoded(decoder) = sink {
            decoder.pause_at(usize::MAX);
        }
        // Waiting was our doing: the rate counts from now on.
        self.window = None;
        reserved.is_some()
    }

    /// Ready when the body is too slow.
    fn poll_too_slow(&mut self, cx: &mut Context<'_>, wire: usize) -> Poll<()> {
        loop {
            let (deadline, length) = (self.deadline, self.limits.slow_window);
            let window = self.window.get_or_insert_with(|| {
                let end = (Instant::now() + length).min(deadline);
                Box::pin(tokio::time::sleep_until(end))
            });
            ready!(window.as_mut().poll(cx));
            let late = Instant::now() >= self.deadline;
            if late || wire - self.before < self.patience.least_bytes(self.limits.slow_bytes) {
                return Poll::Ready(());
            }
            self.before = wire;
            self.window = None;
        }
    }
}
