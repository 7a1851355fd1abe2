//! Tickets: how a frame or a new tab, which cannot send a header, may open one file for a minute.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::http::Uri;

use crate::error::DashboardError;
use crate::guard::random_token;

/// How long a ticket is valid.
const VALID: Duration = Duration::from_secs(60);
/// Tickets that may be out at a time.
const MOST: usize = 1_000;

/// The tickets that are out: the path each is for, and until when.
#[derive(Debug, Default)]
pub(crate) struct Tickets(Mutex<HashMap<String, (String, Instant)>>);

impl Tickets {
    /// A ticket for a path.
    pub fn issue(&self, path: &str) -> Result<String, DashboardError> {
        let ticket = random_token()?;
        let mut out = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        out.retain(|_, (_, until)| *until > now);
        if out.len() >= MOST {
            out.clear();
        }
        out.insert(ticket.clone(), (path.to_owned(), now + VALID));
        Ok(ticket)
    }

    /// Whether a request has a ticket for its path.
    pub fn admits(&self, uri: &Uri) -> bool {
        let Some(ticket) = uri.query().and_then(|query| query.strip_prefix("ticket=")) else {
            return false;
        };
        let out = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        out.get(ticket)
            .is_some_and(|(path, until)| path == uri.path() && *until > Instant::now())
    }
}
