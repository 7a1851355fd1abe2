//! A connection that carries HTTP: one request at a time (HTTP/1) or many (HTTP/2).
//!
//! An HTTP/1 connection has no task of its own: the code that waits for a response drives it. That saves a task
//! switch per read, and an idle connection costs nothing but its socket. HTTP/2 needs a task, which ends with its
//! last user.

use std::future::{Future, poll_fn};
use std::net::SocketAddr;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::Empty;
use hyper::body::Incoming;
use hyper::client::conn::{http1, http2};
use hyper_util::rt::{TokioExecutor, TokioIo};
use scenthound_types::Failure;
use tokio::task::AbortHandle;

use crate::connect::{Connected, Wire};
use crate::settings::Limits;
use crate::tape::{SharedTape, Taped};

/// The smallest buffer the library accepts.
const SMALLEST_BUFFER: usize = 8 * 1024;

/// How much of a body an HTTP/2 server may send before we read it.
const HTTP2_WINDOW: u32 = 1 << 20;

pub(crate) type Ask = Request<Empty<Bytes>>;

/// The driving half of an HTTP/1 connection; `None` once it is closed.
pub(crate) type Motor = Option<http1::Connection<TokioIo<Taped<Wire>>, Empty<Bytes>>>;

/// HTTP/1: one request at a time.
pub(crate) struct OneAtATime {
    sender: http1::SendRequest<Empty<Bytes>>,
    pub(crate) motor: Motor,
    pub(crate) tape: SharedTape,
}

/// HTTP/2: shared by all requests to that origin.
#[derive(Clone)]
pub(crate) struct Shared {
    sender: http2::SendRequest<Empty<Bytes>>,
    _task: Arc<EndsWithUs>,
}

/// Ends the connection's task when nobody needs it, even if the other side would keep it busy.
struct EndsWithUs(AbortHandle);

impl Drop for EndsWithUs {
    fn drop(&mut self) {
        self.0.abort();
    }
}

pub(crate) enum Line {
    One(Box<OneAtATime>),
    Many(Shared),
}

/// A connection and the address it leads to.
pub(crate) struct Channel {
    pub(crate) line: Line,
    pub(crate) target: SocketAddr,
}

impl Channel {
    /// Starts HTTP on a stream.
    pub(crate) async fn new(connected: Connected, limits: &Limits) -> Result<Channel, Failure> {
        let Connected { wire, target } = connected;
        let line = if wire.speaks_http2() {
            let (sender, connection) = http2::Builder::new(TokioExecutor::new())
                .initial_stream_window_size(HTTP2_WINDOW)
                .initial_connection_window_size(2 * HTTP2_WINDOW)
                .max_header_list_size(u32::try_from(limits.header_bytes).unwrap_or(u32::MAX))
                .handshake(TokioIo::new(wire))
                .await
                .map_err(|_| Failure::Disconnect)?;
            // Its errors also reach the requests on it.
            let task = tokio::spawn(async move {
                let _ = connection.await;
            });
            Line::Many(Shared {
                sender,
                _task: Arc::new(EndsWithUs(task.abort_handle())),
            })
        } else {
            let tape = SharedTape::default();
            // As lenient as browsers: real servers send all of this.
            let (sender, connection) = http1::Builder::new()
                .title_case_headers(true)
                .allow_obsolete_multiline_headers_in_responses(true)
                .allow_spaces_after_header_name_in_responses(true)
                .ignore_invalid_headers_in_responses(true)
                .max_headers(limits.header_lines)
                .max_buf_size(limits.header_bytes.max(SMALLEST_BUFFER))
                .handshake(TokioIo::new(Taped::new(wire, tape.clone())))
                .await
                .map_err(|_| Failure::Disconnect)?;
            Line::One(Box::new(OneAtATime {
                sender,
                motor: Some(connection),
                tape,
            }))
        };
        Ok(Channel { line, target })
    }

    /// Whether another request can be sent now. Detects that the other side has closed an idle connection.
    pub(crate) async fn is_open(&mut self) -> bool {
        match &mut self.line {
            Line::One(one) => {
                poll_fn(|cx| {
                    turn(&mut one.motor, cx);
                    let ready = matches!(one.sender.poll_ready(cx), Poll::Ready(Ok(())));
                    Poll::Ready(ready && one.motor.is_some())
                })
                .await
            }
            Line::Many(shared) => shared.sender.is_ready(),
        }
    }

    /// Sends a request and waits for the head of the response.
    pub(crate) async fn send(&mut self, ask: Ask) -> hyper::Result<Response<Incoming>> {
        match &mut self.line {
            Line::One(one) => drive(&mut one.motor, one.sender.send_request(ask)).await,
            Line::Many(shared) => shared.sender.send_request(ask).await,
        }
    }
}

/// Lets the connection make progress without waiting.
pub(crate) fn turn(motor: &mut Motor, cx: &mut Context<'_>) {
    if let Some(connection) = motor
        && Pin::new(connection).poll(cx).is_ready()
    {
        *motor = None;
    }
}

/// Waits for a future that depends on the connection's progress.
async fn drive<F: Future>(motor: &mut Motor, waited_for: F) -> F::Output {
    let mut waited_for = pin!(waited_for);
    poll_fn(|cx| {
        if let Poll::Ready(output) = waited_for.as_mut().poll(cx) {
            return Poll::Ready(output);
        }
        turn(motor, cx);
        waited_for.as_mut().poll(cx)
    })
    .await
}
