//! The judge for topics: a retrieval model for words, learning from examples, and learning while crawling.

mod background;
mod examples;
mod feedback;
mod fields;
mod judge;
mod kinds;
mod manner;
mod match_score;
mod meaning;
mod page_space;
mod sample;
mod stem;
mod votes;
mod words;

use std::hash::{BuildHasherDefault, Hasher};

pub use background::Background;
pub use fields::{FieldCounts, PageFields};
pub use judge::{TopicJudge, TopicSettings, saved_examples};
pub use stem::stem as without_plural;
pub use words::{TopicWords, compared_words};

/// Spreads numbers that are parts of hashes already. Its order is the same in every run.
#[derive(Clone, Copy, Default)]
pub struct IdHasher(u64);

impl Hasher for IdHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte));
        }
    }

    fn write_u32(&mut self, number: u32) {
        self.write_u64(number.into());
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = (self.0 ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}

pub(crate) type ById = BuildHasherDefault<IdHasher>;
