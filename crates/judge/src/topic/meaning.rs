//! What pages and the query mean, by vectors of words: a page on telescopes and planets is about astronomy, whether it says so
//! or not.
//!
//! Most pages on a subject do not hold the words one would search for it with, and some that do mean something else. So what the
//! query means finds the pages that feedback begins with, and holds back what feedback finds further off.
//!
//! The shipped vectors are English. A query without known words has no meaning, and everything goes by words alone.

use scenthound_learn::{MEANING, Meaning, WordVectors};

use super::feedback::values;
use super::fields::PageFields;
use super::words::Rarity;

/// The mean of all pages is taken away from each, because a crawl's pages have much in common. With this many pages, half of it
/// is: few pages say little about what is usual, and those around the seeds have the topic itself in common.
const FEW_PAGES: f64 = 50.0;

/// What a page means: the sum of its words.
pub(super) fn of_page(page: &PageFields, rarity: &Rarity) -> Meaning {
    let words = values(page, rarity).map(|(id, value)| (id, value as f32));
    WordVectors::shipped().weighed_meaning(words)
}

/// What some words mean, against what all pages of a crawl have in common.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct MeantWords {
    wanted: Meaning,
    mean: Meaning,
    /// How much is known of the words, divided by how near the nearest page is.
    scale: f64,
}

impl MeantWords {
    /// What these words mean, beside these pages; `None` if none has a meaning.
    pub(super) fn new(
        words: &[u32],
        pages: &[&PageFields],
        rarity: &Rarity,
    ) -> Option<(MeantWords, Vec<f64>)> {
        let table = WordVectors::shipped();
        let wanted = table.weighed_meaning(words.iter().map(|id| (*id, rarity.idf(*id) as f32)));
        if wanted.iter().all(|number| *number == 0.0) {
            return None;
        }
        let all = |known: bool| -> f64 {
            let counted = words.iter().filter(|id| !known || table.place(**id).is_some());
            counted.map(|id| rarity.idf(*id)).sum()
        };
        let known = all(true) / all(false).max(1e-9);
        let meanings: Vec<Meaning> = pages.iter().map(|page| of_page(page, rarity)).collect();
        let share = (1.0 / (meanings.len() as f64 + FEW_PAGES)) as f32;
        let mut mean = [0.0; MEANING];
        for page in &meanings {
            mean.iter_mut()
                .zip(page)
                .for_each(|(sum, number)| *sum += share * number);
        }
        let mut words = MeantWords {
            wanted,
            mean,
            scale: 1.0,
        };
        let near: Vec<f64> = meanings.iter().map(|page| words.to(page)).collect();
        let most = near.iter().copied().fold(1e-9, f64::max);
        words.scale = known / most;
        let near = near.into_iter().map(|near| near * words.scale).collect();
        Some((words, near))
    }

    fn to(&self, page: &Meaning) -> f64 {
        let (mut product, mut squares) = (0.0, 0.0_f32);
        for ((number, mean), wanted) in page.iter().zip(self.mean).zip(self.wanted) {
            product += (number - mean) * wanted;
            squares += (number - mean).powi(2);
        }
        f64::from(product / squares.sqrt().max(1e-6)).max(0.0) * self.scale
    }

    /// How near a page is in meaning, from 0 to about 1 for the nearest of those pages.
    pub(super) fn nearness(&self, page: &PageFields, rarity: &Rarity) -> f64 {
        self.to(&of_page(page, rarity))
    }
}
