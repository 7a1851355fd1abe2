//! The contents of a document: numbered features and how often each occurs.
//!
//! A feature's key is any 64-bit number, such as a word's hash. A count may be fractional, because an occurrence in
//! one place (a title) may count for more than in another.

/// Features with counts. The keys are ascending and unique.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Bag {
    counts: Vec<(u64, f32)>,
}

impl Bag {
    /// Builds from occurrences in any order. The counts of one key add up; those not above 0 are left out.
    pub fn new(occurrences: impl IntoIterator<Item = (u64, f32)>) -> Bag {
        let mut counts: Vec<(u64, f32)> = occurrences
            .into_iter()
            .filter(|(_, count)| *count > 0.0 && count.is_finite())
            .collect();
        counts.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
        counts.dedup_by(|next, held| {
            let is_same = next.0 == held.0;
            if is_same {
                held.1 = (held.1 + next.1).min(f32::MAX);
            }
            is_same
        });
        Bag { counts }
    }

    /// Keys and counts, keys ascending.
    pub fn counts(&self) -> &[(u64, f32)] {
        &self.counts
    }

    /// Whether the document is empty.
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_of_one_key_add_up_whatever_their_order() {
        let bag = Bag::new([(9, 1.0), (3, 2.0), (9, 0.5), (4, 0.0), (5, f32::NAN)]);
        assert_eq!(bag.counts(), [(3, 2.0), (9, 1.5)]);
        assert_eq!(bag, Bag::new([(9, 0.5), (9, 1.0), (3, 2.0)]));
    }
}
