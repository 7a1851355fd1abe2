//! A frontier that survives being killed, kept in an embedded store.
//!
//! The rules of the frontier are [`StoredFrontier`]'s. This crate gives it a [`FjallStorage`], so that after a crash
//! either everything a commit wrote is there or nothing. What the hot paths need is read into memory on opening;
//! strings, child lists and rules stay in the store. A frontier that was closed in order may leave a copy of what is read
//! ([`save_snapshot`]), so that opening it is quick.
//!
//! **Invariant:** a folder holds either a complete store or none: a new one is created beside its place and then
//! renamed.
//!
//! **Invariant:** a store that has lost commits is not opened. What it had confirmed is known from a file beside it
//! (`commit_mark`).
//!
//! Deliberately absent: decisions about URLs or hosts, and threads of our own.

mod commit_mark;
mod fault;
mod folder;
mod peek;
mod pending;
mod recent;
mod scan;
mod snapshot;
mod spilled;
mod storage;

use std::path::Path;

use scenthound_frontier::{FrontierError, HostPolicy, StoredFrontier};
use scenthound_types::{Keyring, Timestamp};

pub use crate::fault::DurableError;
pub use crate::peek::{Peek, Peeked};
use crate::scan::Access;
pub use crate::snapshot::save_snapshot;
pub use crate::storage::FjallStorage;

/// A frontier that survives being killed.
pub type DurableFrontier = StoredFrontier<FjallStorage>;

/// Opens the frontier in a folder as it was at its last commit, or creates a new one.
///
/// Fails at once, and changes nothing, if another process has it open.
pub fn open(
    folder: &Path,
    policy: HostPolicy,
    keyring: Keyring,
    now: Timestamp,
) -> Result<DurableFrontier, FrontierError> {
    if !folder::holds_store(folder, keyring)? {
        folder::create(folder, keyring)?;
    }
    scan::reopen(folder, Access::Full, policy, keyring, now)
}

/// Opens the frontier in a folder for reading only. Commits are refused.
///
/// Fails if there is none, or if another process has it open.
pub fn open_read_only(
    folder: &Path,
    policy: HostPolicy,
    keyring: Keyring,
    now: Timestamp,
) -> Result<DurableFrontier, FrontierError> {
    if !folder::holds_store(folder, keyring)? {
        return Err(DurableError::Missing {
            folder: folder.to_owned(),
        }
        .into());
    }
    scan::reopen(folder, Access::ReadOnly, policy, keyring, now)
}
