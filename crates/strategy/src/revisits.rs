//! Visits to pages that were fetched before, to pass on the cash they have gathered since.
//!
//! Counts visits, and asks for the richest fetched page when it is time. The count is part of the strategy's saved state.

use scenthound_types::{PageReport, StateDelta, Update, Updates};

use crate::RestoreError;

/// When to visit fetched pages again.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Revisits {
    /// Pages between two such visits; 0 for none.
    every: u32,
    visits: u32,
    changed: bool,
}

impl Revisits {
    pub(crate) fn every(pages: u32) -> Revisits {
        Revisits {
            every: pages,
            ..Revisits::default()
        }
    }

    /// Counts a visit, and schedules the richest fetched page again when it is time.
    pub(crate) fn count(&mut self, report: &PageReport<'_>, out: &mut Updates) {
        if self.every == 0 || report.lease.revisit {
            return;
        }
        self.visits += 1;
        self.changed = true;
        if self.visits >= self.every {
            self.visits = 0;
            out.push(Update::RevisitRichest);
        }
    }

    pub(crate) fn save(&mut self, name: &str, out: &mut StateDelta) {
        if std::mem::take(&mut self.changed) {
            out.put(name, self.visits.to_le_bytes());
        }
    }

    pub(crate) fn restore(
        &mut self,
        strategy: &'static str,
        name: &str,
        saved: &[(String, Vec<u8>)],
    ) -> Result<(), RestoreError> {
        if let Some((_, value)) = saved.iter().find(|(saved, _)| saved == name) {
            let bytes = value.as_slice().try_into().map_err(|_| RestoreError::Damaged {
                strategy,
                what: format!("the count of visits has {} bytes", value.len()),
            })?;
            self.visits = u32::from_le_bytes(bytes);
        }
        Ok(())
    }
}
