//! Why an engine returned nothing, and what to do about it.
//!
//! Invariant: no message contains a key. Text from the engine passes through the inquiry, which blanks keys and
//! control characters, before it gets here.

use std::time::Duration;

use thiserror::Error;

/// Why an engine returned nothing.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
#[allow(missing_docs)] // The messages say what each one is, and the fields are what they print.
pub enum EngineFault {
    #[error("no key: {} not set", are(names))]
    KeyMissing {
        names: Vec<&'static str>,
        at: &'static str,
    },
    #[error("the key {name} contains characters that cannot be sent")]
    KeyUnsendable { name: &'static str },
    #[error("the key was refused (status {status}){}", message(said))]
    KeyRefused {
        status: u16,
        said: Option<String>,
        at: &'static str,
    },
    #[error("the engine refuses to answer in JSON (status {status})")]
    JsonRefused { status: u16, remedy: &'static str },
    #[error("the engine answered with a web page instead of JSON")]
    Html { remedy: &'static str },
    #[error("the answer is not valid JSON (line {line}, column {column})")]
    NotJson { line: usize, column: usize },
    #[error("the answer ends too early")]
    CutShort,
    #[error("the answer is too large")]
    TooLarge,
    #[error("the answer is not as documented: {wanted} is missing or has the wrong type")]
    Shape { wanted: &'static str },
    #[error("too many requests (status {status}){}", message(said))]
    Busy {
        status: u16,
        retry_after: Option<Duration>,
        said: Option<String>,
    },
    #[error("the quota is used up{}", message(said))]
    QuotaUsedUp { said: Option<String> },
    #[error("the engine answered with status {status}{}", message(said))]
    Status { status: u16, said: Option<String> },
    #[error("the engine redirects{}", to.as_ref().map(|to| format!(" to {to}")).unwrap_or_default())]
    Moved { to: Option<String> },
    #[error("the engine could not be reached: {why}")]
    Unreachable { why: String },
    #[error("the engine did not answer in time")]
    TimedOut,
    #[error("the query is too long for a URL")]
    QueryTooLong,
    #[error("{why}")]
    Unreadable { why: String },
}

impl EngineFault {
    /// What to do about it.
    pub fn remedy(&self) -> String {
        match self {
            EngineFault::KeyMissing { names, at } => format!(
                "set {} in the environment or in a file named by --keys; get a key at {at}",
                names.join(" and ")
            ),
            EngineFault::KeyUnsendable { .. } => {
                "copy the key again; it must be plain letters and digits".to_owned()
            }
            EngineFault::KeyRefused { at, .. } => {
                format!("check at {at} that the key is complete, active and meant for this service")
            }
            EngineFault::JsonRefused { remedy, .. } | EngineFault::Html { remedy } => (*remedy).to_owned(),
            EngineFault::NotJson { .. } | EngineFault::Shape { .. } => {
                "check the URL: something else may be answering there".to_owned()
            }
            EngineFault::CutShort | EngineFault::TimedOut => "try again later".to_owned(),
            EngineFault::TooLarge => "ask for fewer seeds, or check the URL".to_owned(),
            EngineFault::Busy {
                retry_after: Some(wait),
                ..
            } => format!("try again in {} s", wait.as_secs().max(1)),
            EngineFault::Busy { .. } => "try again in a few minutes".to_owned(),
            EngineFault::QuotaUsedUp { .. } => {
                "wait until it is renewed, or raise it where you got the key".to_owned()
            }
            EngineFault::Status { status, .. } if *status >= 500 => "try again later".to_owned(),
            EngineFault::Status { .. } => "check the URL and the query".to_owned(),
            EngineFault::Moved { .. } => "use the URL it redirects to".to_owned(),
            EngineFault::Unreachable { .. } => "check the URL, and that the engine is running".to_owned(),
            EngineFault::QueryTooLong => "use fewer words".to_owned(),
            EngineFault::Unreadable { .. } => "check the path".to_owned(),
        }
    }

    /// Whether the user has to fix it before any request is made.
    pub fn is_bad_setting(&self) -> bool {
        matches!(
            self,
            EngineFault::KeyMissing { .. }
                | EngineFault::KeyUnsendable { .. }
                | EngineFault::QueryTooLong
                | EngineFault::Unreadable { .. }
        )
    }
}

fn message(said: &Option<String>) -> String {
    said.as_ref().map(|said| format!(": {said}")).unwrap_or_default()
}

fn are(names: &[&'static str]) -> String {
    match names {
        [name] => format!("{name} is"),
        names => format!("{} are", names.join(" and ")),
    }
}
