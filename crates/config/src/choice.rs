//! How two enums of `types` are written in settings.

use scenthound_types::{Merge, Parents};

/// How `parents` is written.
pub(crate) const PARENTS: &[&str] = &["first", "all"];

pub(crate) fn parents_name(parents: Parents) -> &'static str {
    match parents {
        Parents::First => "first",
        Parents::All => "all",
    }
}

pub(crate) fn parents_from(name: &str) -> Option<Parents> {
    match name {
        "first" => Some(Parents::First),
        "all" => Some(Parents::All),
        _ => None,
    }
}

/// How `merge` is written. Only strategies choose keeping and adding; users cannot.
pub(crate) const MERGES: &[&str] = &["max", "set"];

pub(crate) fn merge_name(merge: Merge) -> &'static str {
    if merge == Merge::Replace { "set" } else { "max" }
}

pub(crate) fn merge_from(name: &str) -> Option<Merge> {
    match name {
        "max" => Some(Merge::Max),
        "set" => Some(Merge::Replace),
        _ => None,
    }
}
