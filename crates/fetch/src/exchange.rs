//! One request and its response on one connection: the head under its time limit, then the body under all of them.

use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use hyper::body::{Body, Incoming};
use scenthound_types::{Failure, Truncation, looks_like_text};
use tokio::time::{Instant, Sleep};

use crate::channel::{Ask, Channel, Line, Motor, turn};
use crate::decode::{Decoder, Stop};
use crate::settings::{BodyCaps, Limits};
use crate::tape::SharedTape;

/// No response came.
#[derive(Debug)]
pub(crate) struct NoResponse {
    pub(crate) failure: Failure,
    /// Whether not a single byte came, so that asking again elsewhere repeats nothing.
    pub(crate) untouched: bool,
}

/// Sends the request and waits for the head.
pub(crate) async fn ask(
    channel: &mut Channel,
    ask: Ask,
    limit: Duration,
) -> Result<http::Response<Incoming>, NoResponse> {
    let sent = tokio::time::timeout(limit, channel.send(ask)).await;
    let (full, received) = match &channel.line {
        Line::One(one) => {
            let tape = one.tape.lock();
            (tape.full, tape.received.len())
        }
        Line::Many(_) => (false, 0),
    };
    match sent {
        Ok(Ok(response)) => Ok(response),
        Ok(Err(error)) => {
            let garbled = full || error.is_parse();
            Err(NoResponse {
                failure: if garbled {
                    Failure::Protocol
                } else {
                    Failure::Disconnect
                },
                untouched: received == 0 && !garbled,
            })
        }
        Err(_) => Err(NoResponse {
            failure: Failure::FirstByteTimeout,
            untouched: false,
        }),
    }
}

/// What becomes of the bytes of a body as they arrive.
pub(crate) enum Sink {
    /// They lie in one piece on the tape: only counted.
    InPlace,
    /// They are gathered, because chunk headers lie between them.
    Gathered(Vec<u8>),
    /// They are decoded.
    Decoded(Box<Decoder>),
}

/// Where body bytes come from and what is kept of them on the way.
pub(crate) struct Source<'a> {
    pub(crate) body: Incoming,
    /// What moves an HTTP/1 connection.
    pub(crate) motor: Option<&'a mut Motor>,
    pub(crate) tape: SharedTape,
    /// HTTP/2 has no stream of its own to record, so its body is written on the tape here.
    pub(crate) record: bool,
}

/// How reading a body ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum End {
    /// All of it is here.
    Whole,
    /// Part of it is here.
    Cut(Truncation),
    /// It is nothing we read, by its first bytes.
    NotText,
}

/// A body as far as it was read.
pub(crate) struct Read {
    pub(crate) end: End,
    /// The number of body bytes that came, without chunk headers.
    pub(crate) wire: usize,
    pub(crate) sink: Sink,
}

/// Reads a body until it ends or a limit says stop.
pub(crate) async fn read(
    mut source: Source<'_>,
    mut sink: Sink,
    caps: BodyCaps,
    sniff: bool,
    limits: &Limits,
) -> Read {
    let mut wire = 0;
    let mut unseen = sniff;
    let mut watch = Watch::new(limits);
    let end = loop {
        let data = match next(&mut source, &mut watch, wire).await {
            Next::Data(data) => data,
            // Cut by us; or complete, but with so many interim responses before it that the recording is not.
            Next::End | Next::Broken if source.tape.lock().full => break End::Cut(Truncation::Length),
            Next::End => break finished(&sink),
            Next::Broken => break End::Cut(Truncation::Disconnect),
            Next::TooSlow => break End::Cut(Truncation::Time),
        };
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
            Sink::Decoded(decoder) => decoder.push(&data).err(),
        };
        if unseen {
            let start: &[u8] = match &sink {
                Sink::InPlace => &data,
                Sink::Gathered(gathered) => gathered,
                Sink::Decoded(decoder) => decoder.so_far(),
            };
            unseen = start.is_empty();
            if !looks_like_text(start) {
                break End::NotText;
            }
        }
        match stop {
            Some(Stop::Full) => break End::Cut(Truncation::Length),
            Some(Stop::Damaged) => break End::Cut(Truncation::Disconnect),
            None if over > 0 => break End::Cut(Truncation::Length),
            None => {}
        }
    };
    Read { end, wire, sink }
}

/// The body is over; the encoding may not be.
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
    TooSlow,
}

/// Waits for the next bytes of the body, driving the connection meanwhile.
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
                Poll::Ready(Some(Err(_))) => return Poll::Ready(Next::Broken),
                Poll::Ready(None) => return Poll::Ready(Next::End),
                Poll::Pending => {}
            }
            return watch.poll_too_slow(cx, wire).map(|()| Next::TooSlow);
        }
    })
    .await
}

/// Watches that a body gets on: in time as a whole, and fast enough in each window.
struct Watch<'a> {
    limits: &'a Limits,
    deadline: Instant,
    /// Made at the first wait; most bodies come without one.
    window: Option<Pin<Box<Sleep>>>,
    /// How much was there when the window began.
    before: usize,
}

impl Watch<'_> {
    fn new(limits: &Limits) -> Watch<'_> {
        Watch {
            limits,
            deadline: Instant::now() + limits.whole_body,
            window: None,
            before: 0,
        }
    }

    /// Ready when the body takes too long.
    fn poll_too_slow(&mut self, cx: &mut Context<'_>, wire: usize) -> Poll<()> {
        loop {
            let (deadline, length) = (self.deadline, self.limits.slow_window);
            let window = self.window.get_or_insert_with(|| {
                let end = (Instant::now() + length).min(deadline);
                Box::pin(tokio::time::sleep_until(end))
            });
            ready!(window.as_mut().poll(cx));
            let late = Instant::now() >= self.deadline;
            if late || wire - self.before < self.limits.slow_bytes {
                return Poll::Ready(());
            }
            self.before = wire;
            self.window = None;
        }
    }
}
