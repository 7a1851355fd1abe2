//! Why an engine gave nothing, and what helps.
//!
//! Invariant: no message holds a key; what the engine itself said passes through the inquiry, which blanks keys and control
//! characters, before it comes here.

use std::time::Duration;

use thiserror::Error;

/// Why an engine gave nothing.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
#[allow(missing_docs)] // The messages say what each is, and the fields are what they print.
pub enum EngineFault {
    #[error("no key: {} not set", are(names))]
    KeyMissing {
        names: Vec<&'static str>,
        at: &'static str,
    },
    #[error("its key {name} holds characters that cannot be sent")]
    KeyUnsendable { name: &'static str },
    #[error("it refuses the key (status {status}){}", told(said))]
    KeyRefused {
        status: u16,
        said: Option<String>,
        at: &'static str,
    },
    #[error("it refuses to answer in JSON (status {status})")]
    JsonRefused { status: u16, remedy: &'static str },
    #[error("a web page came in place of JSON")]
    Html { remedy: &'static str },
    #[error("its answer is no JSON (line {line}, column {column})")]
    NotJson { line: usize, column: usize },
    #[error("its answer ends too early")]
    CutShort,
    #[error("its answer is too large")]
    TooLarge,
    #[error("its answer is not as documented: {wanted} is missing or of another type")]
    Shape { wanted: &'static str },
    #[error("it is asked too often (status {status}){}", told(said))]
    Busy {
        status: u16,
        retry_after: Option<Duration>,
        said: Option<String>,
    },
    #[error("its quota is used up{}", told(said))]
    QuotaUsedUp { said: Option<String> },
    #[error("it answers with status {status}{}", told(said))]
    Status { status: u16, said: Option<String> },
    #[error("it leads elsewhere{}", to.as_ref().map(|to| format!(", to {to}")).unwrap_or_default())]
    Moved { to: Option<String> },
    #[error("it cannot be reached: {why}")]
    Unreachable { why: String },
    #[error("it gives no answer in time")]
    TimedOut,
    #[error("the query is too long for an address")]
    QueryTooLong,
    #[error("{why}")]
    Unreadable { why: String },
}

impl EngineFault {
    /// What helps.
    pub fn remedy(&self) -> String {
        match self {
            EngineFault::KeyMissing { names, at } => format!(
                "set {} in the environment or in a file named by --keys; keys are given at {at}",
                names.join(" and ")
            ),
            EngineFault::KeyUnsendable { .. } => "copy the key again, as plain letters and digits".to_owned(),
            EngineFault::KeyRefused { at, .. } => {
                format!("check that the key is whole, active and meant for this service, at {at}")
            }
            EngineFault::JsonRefused { remedy, .. } | EngineFault::Html { remedy } => (*remedy).to_owned(),
            EngineFault::NotJson { .. } | EngineFault::Shape { .. } => {
                "check the address: something else may be answering there".to_owned()
            }
            EngineFault::CutShort | EngineFault::TimedOut => "try again later".to_owned(),
            EngineFault::TooLarge => "ask for fewer seeds, or check the address".to_owned(),
            EngineFault::Busy {
                retry_after: Some(wait),
                ..
            } => format!("try again in {} s", wait.as_secs().max(1)),
            EngineFault::Busy { .. } => "try again in a few minutes".to_owned(),
            EngineFault::QuotaUsedUp { .. } => {
                "wait until it is renewed, or raise it where you have the key from".to_owned()
            }
            EngineFault::Status { status, .. } if *status >= 500 => "try again later".to_owned(),
            EngineFault::Status { .. } => "check the address and the query".to_owned(),
            EngineFault::Moved { .. } => "name the address it leads to".to_owned(),
            EngineFault::Unreachable { .. } => "check the address, and that it is running".to_owned(),
            EngineFault::QueryTooLong => "ask for fewer words".to_owned(),
            EngineFault::Unreadable { .. } => "check the path".to_owned(),
        }
    }

    /// Whether it is for the user to put right before anybody is asked.
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

fn told(said: &Option<String>) -> String {
    said.as_ref().map(|said| format!(": {said}")).unwrap_or_default()
}

fn are(names: &[&'static str]) -> String {
    match names {
        [name] => format!("{name} is"),
        names => format!("{} are", names.join(" and ")),
    }
}
