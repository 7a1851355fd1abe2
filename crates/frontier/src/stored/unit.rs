//! Cash in a unit that grows finer as a crawl goes on, so that none fades to nothing.
//!
//! A page passes on a part of what it was taken with, so along a path of links cash shrinks by the number of links at each
//! step, and a hundred pages of a hundred links down it would be too small for a number. But only the order counts: when
//! what is taken has become very small, all scores are multiplied by one power of two, which changes neither their order
//! nor a single digit. Scores that differ by less than some four hundred orders of magnitude stay in order.
//!
//! **Invariant:** a lease speaks in the unit it was taken in, and what comes of it is brought into the present one when it
//! is settled; nobody outside sees a difference but in the size of the numbers.
//!
//! Only scores that add up are cash. A score that is a probability means something by itself and is left alone.

use super::*;

/// Cash below this calls for a finer unit.
const SMALL: i32 = -400;
/// At most so much finer at a time, in powers of two…
const STEP: i32 = 600;
/// …and so that nothing that waits grows larger than this.
const LARGE: i32 = 900;
/// Changing the unit touches every entry, so it must be worth it.
const LEAST_STEP: i32 = 100;

/// The name the unit is noted by.
const UNIT: &str = "frontier/unit";

/// Two to this power.
fn power(exponent: i32) -> f64 {
    2.0_f64.powi(exponent)
}

impl<S: Storage> StoredFrontier<S> {
    /// Refines the unit if a URL is about to be taken with very little.
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
            // What a fetched page has gathered may be beyond all measure; it then stays the largest number.
            entry.score = Score::new(entry.score * power(step)).get();
            self.touch(id);
        }
        for score in self.drawn_with.values_mut() {
            *score = Score::new(score.get() * power(step));
        }
        self.unit += step;
        self.storage.put_note(UNIT, &self.unit.to_le_bytes());
    }

    /// How much finer the unit is than at the beginning, as a power of two.
    pub fn unit(&self) -> i32 {
        self.unit
    }

    /// Takes up the unit that the storage's entries are in.
    pub(super) fn restore_unit(&mut self) -> Result<(), FrontierError> {
        if let Some((_, value)) = self.storage.notes(UNIT)?.pop() {
            let bytes = value.as_slice().try_into().map_err(|_| FrontierError::Damaged {
                what: format!("a unit of cash in {} bytes", value.len()),
            })?;
            self.unit = i32::from_le_bytes(bytes);
        }
        Ok(())
    }

    /// A score in the unit of the beginning, as new seeds come, in today's.
    pub(super) fn todays(&self, rank: Rank) -> Rank {
        lift(rank, self.unit)
    }

    /// A lease and what follows from it, in today's unit.
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

/// A rank in a unit so much finer.
pub(super) fn lift(rank: Rank, step: i32) -> Rank {
    Rank {
        score: Score::new(rank.score.get() * power(step)),
        ..rank
    }
}
