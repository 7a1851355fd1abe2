//! Cash in a unit that grows finer as a crawl goes on, so that none is rounded to zero.
//!
//! A page passes on a share of the cash it was taken with. So at each step along a path of links cash is divided by
//! the number of links, and a hundred pages of a hundred links down it would be too small for a float. But only the
//! order matters: when the amounts taken become very small, all scores are multiplied by one power of two, which
//! changes neither their order nor a single digit. Scores within about four hundred orders of magnitude of each other
//! stay in order.
//!
//! **Invariant:** a lease uses the unit it was taken in, and its results are converted to the current unit when it is
//! settled. From outside, only the size of the numbers differs.
//!
//! Only scores that add up are cash. A score that is a probability has a meaning of its own and is left alone.

use super::*;

/// Cash below two to this power calls for a finer unit.
const SMALL: i32 = -400;
/// The largest step at a time, as a power of two…
const STEP: i32 = 600;
/// …limited so that nothing that waits grows beyond this.
const LARGE: i32 = 900;
/// Changing the unit touches every entry, so smaller steps are not made.
const LEAST_STEP: i32 = 100;

/// The note that holds the unit.
const UNIT: &str = "frontier/unit";

/// Two to this power.
fn power(exponent: i32) -> f64 {
    2.0_f64.powi(exponent)
}

impl<S: Storage> StoredFrontier<S> {
    /// Refines the unit if a URL is about to be taken with very little cash.
    pub(super) fn keep_cash_in_range(&mut self, taken: f64) {
        if !self.has_cash || taken <= 0.0 || taken >= power(SMALL) {
            return;
        }
        let largest = self
            .entries
            .all()
            .filter(|(_, entry)| entry.waits())
            .fold(taken, |largest, (_, entry)| largest.max(entry.score));
        let room = LARGE.saturating_sub(largest.log2().ceil() as i32);
        let step = room.min(STEP);
        if step < LEAST_STEP {
            return;
        }
        let rich = self.entries.all().filter(|(_, entry)| entry.score != 0.0);
        for id in rich.map(|(id, _)| id).collect::<Vec<_>>() {
            let entry = &mut self.entries[id];
            // A fetched page may have gathered more than fits; it then keeps the largest number.
            entry.score = Score::new(entry.score * power(step)).get();
            self.touch(id);
        }
        for score in self.drawn_with.values_mut() {
            *score = Score::new(score.get() * power(step));
        }
        self.unit += step;
        self.storage.put_note(UNIT, &self.unit.to_le_bytes());
    }

    /// How much finer the unit is than at the start, as a power of two.
    pub fn unit(&self) -> i32 {
        self.unit
    }

    /// Restores the unit the storage's entries are in.
    pub(super) fn restore_unit(&mut self) -> Result<(), FrontierError> {
        if let Some((_, value)) = self.storage.notes(UNIT)?.pop() {
            let bytes = value.as_slice().try_into().map_err(|_| FrontierError::Damaged {
                what: format!("the unit of cash has {} bytes", value.len()),
            })?;
            self.unit = i32::from_le_bytes(bytes);
        }
        Ok(())
    }

    /// Converts a score from the initial unit, in which new seeds come, to the current one.
    pub(super) fn todays(&self, rank: Rank) -> Rank {
        lift(rank, self.unit)
    }

    /// Converts a lease and what follows from it to the current unit.
    pub(super) fn in_todays_unit(&self, settled: &Settled<'_>, unit: i32) -> (Lease, Vec<Update>) {
        let step = self.unit.saturating_sub(unit);
        let mut lease = settled.lease.clone();
        lease.taken.rank = lift(lease.taken.rank, step);
        let updates = settled.updates.iter().map(|update| match update {
            Update::Offer(offer) if offer.merge == Merge::Add => Update::Offer(Offer {
                rank: lift(offer.rank, step),
                ..offer.clone()
            }),
            other => other.clone(),
        });
        (lease, updates.collect())
    }
}

/// A rank in a unit finer by `step` powers of two.
pub(super) fn lift(rank: Rank, step: i32) -> Rank {
    Rank {
        score: Score::new(rank.score.get() * power(step)),
        ..rank
    }
}
