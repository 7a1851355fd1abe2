//! What pages and the query mean, by vectors of words: a page on telescopes and planets is about astronomy, whether it says so
//! or not.
//!
//! This finds the pages that feedback begins with. Most pages on a subject do not hold the words one would search for it with,
//! and some that do mean something else. Judging itself goes by what those pages have in common, which knows more words and
//! all languages: the shipped vectors are English.

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

/// How near the meaning of each page is to that of these words, from 0 to 1 for the nearest; nothing if the words have none.
pub(super) fn nearness_to(words: &[u32], pages: &[&PageFields], rarity: &Rarity) -> Option<Vec<f64>> {
    let table = WordVectors::shipped();
    let wanted = table.weighed_meaning(words.iter().map(|id| (*id, rarity.idf(*id) as f32)));
    if wanted.iter().all(|number| *number == 0.0) {
        return None;
    }
    let idf = |known: bool| -> f64 {
        let of_kind = words.iter().filter(|id| !known || table.place(**id).is_some());
        of_kind.map(|id| rarity.idf(*id)).sum()
    };
    let known = idf(true) / idf(false).max(1e-9);
    let all: Vec<Meaning> = pages.iter().map(|page| of_page(page, rarity)).collect();
    let count = all.len() as f64;
    let share = (1.0 / count * count / (count + FEW_PAGES)) as f32;
    let mut mean = [0.0; MEANING];
    for page in &all {
        mean.iter_mut()
            .zip(page)
            .for_each(|(sum, number)| *sum += share * number);
    }
    let near: Vec<f64> = all
        .iter()
        .map(|page| {
            let (mut product, mut squares) = (0.0, 0.0_f32);
            for ((number, mean), wanted) in page.iter().zip(mean).zip(wanted) {
                product += (number - mean) * wanted;
                squares += (number - mean).powi(2);
            }
            f64::from(product / squares.sqrt().max(1e-6)).max(0.0)
        })
        .collect();
    let most = near.iter().copied().fold(1e-9, f64::max);
    Some(near.iter().map(|near| known * near / most).collect())
}
