//! What was learnt, as it is saved.
//!
//! ```text
//! core   weights, counts, and how many of the values below are valid
//! t/N    a snapshot of the tables (the models of words and the yields), in pieces
//! l/N    the visits since that snapshot
//! ```
//!
//! The tables are a function of the visits, so a commit writes only the visits since the last one, about a hundred bytes
//! each. Once there are enough of them, a snapshot replaces them. All of it is written in one batch with the pages themselves.
//! Numbers are little-endian.

use scenthound_types::StateDelta;

use super::Scent;
use super::note::{Note, Reader};
use super::text::TextModel;
use super::yields::Yields;
use crate::RestoreError;

/// A snapshot is taken after this many visits at the earliest…
const LEAST_VISITS: usize = 2_000;
/// …and when the visits since the last one take this share of its size.
const SHARE: usize = 2;
/// Bytes per piece of a snapshot.
const PIECE: usize = 1 << 16;
/// The form of what is saved.
const VERSION: u8 = 6;

/// What a visit adds to the tables.
#[derive(Clone, Copy, Debug)]
pub(super) struct Learnt<'a> {
    /// The short key of the page.
    pub page: u32,
    pub note: &'a Note,
    pub relevance: f32,
    /// Whether the URL was a seed, about which no links said anything.
    pub is_seed: bool,
}

/// What has to be saved, and what was saved before.
#[derive(Clone, Debug, Default)]
pub(super) struct Unsaved {
    /// Visits since the last save.
    visits: Vec<u8>,
    is_changed: bool,
    /// Values `l/N` since the last snapshot, their visits and their bytes.
    logs: u32,
    logged: usize,
    logged_bytes: usize,
    /// Values `t/N`, and their bytes.
    pieces: u32,
    snapshot_bytes: usize,
}

impl Learnt<'_> {
    pub fn write(&self, out: &mut Vec<u8>) {
        let note = self.note.to_bytes();
        out.push(note.len() as u8);
        out.push(u8::from(self.is_seed));
        out.extend(self.relevance.to_le_bytes());
        out.extend(self.page.to_le_bytes());
        out.extend(note);
    }
}

impl Unsaved {
    /// Remembers a visit.
    pub fn add(&mut self, learnt: Learnt<'_>) {
        learnt.write(&mut self.visits);
        self.logged += 1;
        self.is_changed = true;
    }
}

/// Stores what changed since the last call.
pub(super) fn save(scent: &mut Scent, out: &mut StateDelta) {
    if !std::mem::take(&mut scent.unsaved.is_changed) {
        return;
    }
    let unsaved = &mut scent.unsaved;
    let visits = std::mem::take(&mut unsaved.visits);
    unsaved.logged_bytes += visits.len();
    if unsaved.logged >= LEAST_VISITS && unsaved.logged_bytes * SHARE >= unsaved.snapshot_bytes {
        let mut tables = Vec::new();
        scent.text.save(&mut tables);
        scent.yields.save(&mut tables);
        unsaved.pieces = 0;
        for piece in tables.chunks(PIECE) {
            out.put(format!("t/{:x}", unsaved.pieces), piece);
            unsaved.pieces += 1;
        }
        unsaved.snapshot_bytes = tables.len();
        (unsaved.logs, unsaved.logged, unsaved.logged_bytes) = (0, 0, 0);
    } else {
        out.put(format!("l/{:x}", unsaved.logs), visits);
        unsaved.logs += 1;
    }
    let (logs, pieces, logged) = (unsaved.logs, unsaved.pieces, unsaved.logged as u64);
    let mut core = vec![VERSION];
    core.extend(logs.to_le_bytes());
    core.extend(pieces.to_le_bytes());
    core.extend(logged.to_le_bytes());
    for count in [scent.visits, scent.epoch, scent.next_epoch] {
        core.extend(count.to_le_bytes());
    }
    let spreads = scent.spreads.iter().flat_map(|spread| spread.numbers());
    let weights = scent.weights.iter().chain(&scent.squares).copied();
    for number in [scent.credit, scent.recent]
        .into_iter()
        .chain(spreads)
        .chain(weights)
    {
        core.extend(number.to_le_bytes());
    }
    out.put("core", core);
}

/// Restores what was saved.
pub(super) fn restore(scent: &mut Scent, saved: &[(String, Vec<u8>)]) -> Result<(), RestoreError> {
    let damaged = |what: String| RestoreError::Damaged {
        strategy: "scent",
        what,
    };
    let value = |name: &str| {
        saved
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, value)| value.as_slice())
    };
    let Some(core) = value("core") else {
        return Ok(());
    };
    if core.first().is_some_and(|version| *version != VERSION) {
        return Err(RestoreError::OtherVersion { strategy: "scent" });
    }
    let (logs, pieces) = restore_core(scent, core).ok_or_else(|| damaged("the value core".to_owned()))?;
    if pieces > 0 {
        let mut tables = Vec::new();
        for piece in 0..pieces {
            let name = format!("t/{piece:x}");
            let bytes = value(&name).ok_or_else(|| damaged(format!("the value {name} is missing")))?;
            tables.extend(bytes);
        }
        scent.unsaved.snapshot_bytes = tables.len();
        let mut reader = Reader(&tables);
        let text = TextModel::restore(&mut reader);
        let yields = Yields::restore(&mut reader);
        match (text, yields) {
            (Some(text), Some(yields)) if reader.0.is_empty() => (scent.text, scent.yields) = (text, yields),
            _ => return Err(damaged("the snapshot cannot be read".to_owned())),
        }
    }
    for log in 0..logs {
        let name = format!("l/{log:x}");
        let visits = value(&name).ok_or_else(|| damaged(format!("the value {name} is missing")))?;
        scent.unsaved.logged_bytes += visits.len();
        replay(scent, visits).ok_or_else(|| damaged(format!("the value {name} cannot be read")))?;
    }
    Ok(())
}

/// Restores the core, and returns how many logs and pieces there are.
fn restore_core(scent: &mut Scent, core: &[u8]) -> Option<(u32, u32)> {
    let mut reader = Reader(core);
    if reader.one()? != VERSION {
        return None;
    }
    let (logs, pieces) = (reader.four()?, reader.four()?);
    let logged = reader.eight()?;
    (scent.visits, scent.epoch, scent.next_epoch) = (reader.eight()?, reader.eight()?, reader.eight()?);
    (scent.credit, scent.recent) = (reader.float()?, reader.float()?);
    for spread in &mut scent.spreads {
        spread.restore([reader.float()?, reader.float()?, reader.float()?]);
    }
    for number in scent.weights.iter_mut().chain(&mut scent.squares) {
        *number = reader.float()?;
    }
    scent.unsaved.logs = logs;
    scent.unsaved.pieces = pieces;
    scent.unsaved.logged = usize::try_from(logged).ok()?;
    reader.0.is_empty().then_some((logs, pieces))
}

/// Learns saved visits again.
fn replay(scent: &mut Scent, visits: &[u8]) -> Option<()> {
    each_visit(visits, |learnt| scent.learn_tables(learnt))
}

/// Learns from the visits of another node.
pub(super) fn hear(scent: &mut Scent, visits: &[u8]) -> Result<(), RestoreError> {
    let heard = each_visit(visits, |learnt| {
        scent.learn_visit(learnt, f64::from(learnt.relevance));
    });
    heard.ok_or_else(|| RestoreError::Damaged {
        strategy: "scent",
        what: "the lessons of another node cannot be read".to_owned(),
    })
}

fn each_visit(visits: &[u8], mut visit: impl FnMut(Learnt<'_>)) -> Option<()> {
    let mut rest = visits;
    while let Some((header, after)) = rest.split_first_chunk::<10>() {
        let [length, is_seed, a, b, c, d, page @ ..] = *header;
        let (note, after) = after.split_at_checked(length.into())?;
        let learnt = Learnt {
            page: u32::from_le_bytes(page),
            note: &Note::from_bytes(note)?,
            relevance: f32::from_le_bytes([a, b, c, d]),
            is_seed: is_seed == 1,
        };
        visit(learnt);
        rest = after;
    }
    rest.is_empty().then_some(())
}
