//! Takes one question through the result pages of one engine.
//!
//! Invariants: at most one request for each page needed for the number of results wanted, plus one more in all if the
//! engine said that it was busy; what arrived before a fault is kept; nothing that contains a key becomes a hit.

use std::collections::HashSet;
use std::time::Duration;

use scenthound_types::{CanonicalUrl, Truncation};
use serde_json::Value;

use super::fault::EngineFault;
use super::{Engine, Hit, Question, Request, json};

/// An engine that stays busy for longer than this is not asked again.
const LONGEST_WAIT: Duration = Duration::from_secs(30);

/// The reply to a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reply<'a> {
    /// The HTTP status.
    pub status: u16,
    /// How long the engine asks us to wait.
    pub retry_after: Option<Duration>,
    /// The body, decoded.
    pub body: &'a [u8],
    /// Set if the body is incomplete.
    pub truncated: Option<Truncation>,
}

/// What to do next.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Next {
    /// Make a request, after waiting at least this long.
    Ask {
        /// The request.
        request: Request,
        /// The time to wait first.
        after: Duration,
    },
    /// Nothing: there are no more results.
    Done,
}

/// Takes one question through the result pages of one engine.
pub struct Inquiry<'e> {
    engine: &'e dyn Engine,
    question: Question,
    page: u32,
    was_busy: bool,
    known: HashSet<CanonicalUrl>,
    hits: Vec<Hit>,
}

impl<'e> Inquiry<'e> {
    /// A question for an engine.
    pub fn new(engine: &'e dyn Engine, question: Question) -> Inquiry<'e> {
        Inquiry {
            engine,
            question,
            page: 0,
            was_busy: false,
            known: HashSet::new(),
            hits: Vec::new(),
        }
    }

    /// The first request.
    pub fn begin(&self) -> Result<Request, EngineFault> {
        self.engine.request(&self.question, 0)
    }

    /// Processes the reply to the latest request.
    pub fn take(&mut self, reply: Reply<'_>) -> Result<Next, EngineFault> {
        if !(200..300).contains(&reply.status) {
            let fault = self.refused(reply);
            return self.retry_if_busy(fault);
        }
        match reply.truncated {
            Some(Truncation::Length) => return Err(EngineFault::TooLarge),
            Some(Truncation::Time) => return Err(EngineFault::TimedOut),
            Some(Truncation::Disconnect) => return Err(EngineFault::CutShort),
            None => {}
        }
        let answer = json::parse(reply.body, self.engine.remedy_for_html())?;
        let page = self.engine.read(&self.question, &answer)?;
        let before = self.hits.len();
        let secrets = self.engine.secrets();
        for hit in page.hits {
            let holds_key = secrets.iter().any(|secret| {
                secret.is_in(hit.url.as_str()) || hit.title.as_ref().is_some_and(|title| secret.is_in(title))
            });
            if self.hits.len() < self.question.most && !holds_key && self.known.insert(hit.url.clone()) {
                self.hits.push(hit);
            }
        }
        let pace = self.engine.pace(&self.question);
        let pages = self.question.most.div_ceil(pace.page_size.max(1));
        let has_enough = self.hits.len() >= self.question.most;
        self.page += 1;
        // Engines that do not know how to continue return a page without anything new.
        if has_enough
            || !page.has_more
            || self.hits.len() == before
            || self.page >= pace.pages
            || self.page as usize >= pages
        {
            return Ok(Next::Done);
        }
        Ok(Next::Ask {
            request: self.engine.request(&self.question, self.page)?,
            after: pace.spacing,
        })
    }

    /// What was found, best first.
    pub fn into_hits(self) -> Vec<Hit> {
        self.hits
    }

    fn refused(&self, reply: Reply<'_>) -> EngineFault {
        let Reply { status, .. } = reply;
        let answer = serde_json::from_slice(reply.body).unwrap_or(Value::Null);
        let said = json::said(&answer, &self.engine.secrets());
        let retry_after = reply.retry_after;
        match self.engine.refusal(status, &answer, said.as_deref()) {
            Some(EngineFault::Busy { status, said, .. }) => EngineFault::Busy {
                status,
                retry_after,
                said,
            },
            Some(fault) => fault,
            None if matches!(status, 429 | 503) => EngineFault::Busy {
                status,
                retry_after,
                said,
            },
            None => EngineFault::Status { status, said },
        }
    }

    /// Repeats the request once if the engine was only briefly busy.
    fn retry_if_busy(&mut self, fault: EngineFault) -> Result<Next, EngineFault> {
        let EngineFault::Busy { retry_after, .. } = &fault else {
            return Err(fault);
        };
        let spacing = self.engine.pace(&self.question).spacing;
        let after = retry_after.unwrap_or(spacing * 2).max(spacing);
        if self.was_busy || after > LONGEST_WAIT {
            return Err(fault);
        }
        self.was_busy = true;
        Ok(Next::Ask {
            request: self.engine.request(&self.question, self.page)?,
            after,
        })
    }
}
