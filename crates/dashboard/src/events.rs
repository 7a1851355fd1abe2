//! Server-sent events: one message for all clients, made once.
//!
//! A client that does not keep up is disconnected rather than waited for; its browser connects again and gets the present
//! state. While nobody listens, nothing is computed.

use std::pin::Pin;
use std::sync::{Mutex, PoisonError};
use std::task::{Context, Poll};

use axum::body::Body;
use bytes::Bytes;
use http_body::Frame;
use tokio::sync::mpsc;

/// Clients at a time.
const MOST_CLIENTS: usize = 256;
/// Messages that a client may be behind.
const AHEAD: usize = 16;

/// Everybody who listens.
#[derive(Debug, Default)]
pub(crate) struct Hub(Mutex<Vec<mpsc::Sender<Bytes>>>);

impl Hub {
    /// A body that goes on with every message; none if too many listen already.
    pub fn listen(&self, first: Bytes) -> Option<Body> {
        let mut clients = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        clients.retain(|client| !client.is_closed());
        if clients.len() >= MOST_CLIENTS {
            return None;
        }
        let (sender, receiver) = mpsc::channel(AHEAD);
        // There is room: the channel is new.
        let _ = sender.try_send(first);
        clients.push(sender);
        Some(Body::new(Stream(receiver)))
    }

    /// How many listen.
    pub fn clients(&self) -> usize {
        let mut clients = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        clients.retain(|client| !client.is_closed());
        clients.len()
    }

    /// Sends a message to everybody who keeps up.
    pub fn send(&self, message: &Bytes) {
        let mut clients = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        clients.retain(|client| client.try_send(message.clone()).is_ok());
    }
}

/// A message in the format of server-sent events.
pub(crate) fn message(event: &str, json: &str) -> Bytes {
    // JSON as serde writes it has no line breaks.
    Bytes::from(format!("event: {event}\ndata: {json}\n\n"))
}

/// The body of one client's response.
struct Stream(mpsc::Receiver<Bytes>);

impl http_body::Body for Stream {
    type Data = Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        self.0
            .poll_recv(context)
            .map(|message| message.map(|message| Ok(Frame::data(message))))
    }
}
