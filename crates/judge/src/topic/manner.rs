//! In what manner a page is written, by its small words.
//!
//! "he" and "his" tell a life from an explanation, "you" a guide, "I" a diary. Stop words say nothing about what a page is
//! about, and much about what it is. People start from pages of the kind they look for: from an article on algebra they
//! want articles on mathematics, and not lives of mathematicians, whose subject is the same.

use scenthound_types::text::Token;

use super::fields::PageFields;

/// Small words are counted in so many groups, by hash: whatever the language, with few numbers for each page.
const GROUPS: usize = 64;
/// Words added to the length of every page, so that a short page has no manner to speak of.
const SHORT: f64 = 100.0;
/// The manner of fewer pages is chance.
const LEAST_PAGES: usize = 30;

/// How often a page uses the small words of each group.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct SmallWords([u16; GROUPS]);

impl Default for SmallWords {
    fn default() -> SmallWords {
        SmallWords([0; GROUPS])
    }
}

impl SmallWords {
    /// How many bytes it is stored in.
    pub(super) const BYTES: usize = 2 * GROUPS;

    #[inline]
    pub(super) fn count(&mut self, word: Token) {
        // The highest bits, because terms are numbered by the lowest.
        let group = (word.hash() >> 58) as usize;
        if let Some(count) = self.0.get_mut(group) {
            *count = count.saturating_add(1);
        }
    }

    pub(super) fn to_bytes(&self) -> impl Iterator<Item = u8> {
        self.0.iter().flat_map(|count| count.to_le_bytes())
    }

    /// Reads what [`SmallWords::to_bytes`] wrote. Pages that were kept before small words were counted have none.
    pub(super) fn from_bytes(bytes: &[u8]) -> Option<SmallWords> {
        let mut read = SmallWords::default();
        let (counts, rest) = bytes.as_chunks::<2>();
        if !rest.is_empty() || !(counts.is_empty() || counts.len() == GROUPS) {
            return None;
        }
        for (count, bytes) in read.0.iter_mut().zip(counts) {
            *count = u16::from_le_bytes(*bytes);
        }
        Some(read)
    }
}

type Shares = [f64; GROUPS];

/// The shares of the groups among all words of a page. The root keeps "the" from drowning all others.
fn shares(page: &PageFields) -> Shares {
    let SmallWords(counts) = page.small_words();
    let all = SHORT + f64::from(page.length()) + counts.iter().map(|count| f64::from(*count)).sum::<f64>();
    counts.map(|count| (f64::from(count) / all).sqrt())
}

/// How the seeds are written, compared with all pages seen.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct SeedManner {
    mean: Shares,
    /// One divided by the standard deviation.
    scale: Shares,
    /// As differences from the mean, of length 1.
    seeds: Vec<Shares>,
}

impl SeedManner {
    pub(super) fn new(pages: &[&PageFields], seeds: &[usize]) -> Option<SeedManner> {
        if pages.len() < LEAST_PAGES {
            return None;
        }
        let all: Vec<Shares> = pages.iter().map(|page| shares(page)).collect();
        let count = all.len() as f64;
        let (mut mean, mut scale) = ([0.0; GROUPS], [0.0; GROUPS]);
        for group in 0..GROUPS {
            let values = || all.iter().filter_map(|shares| shares.get(group).copied());
            let middle = values().sum::<f64>() / count;
            let spread = values().map(|value| (value - middle).powi(2)).sum::<f64>() / count;
            mean[group] = middle;
            scale[group] = if spread > 1e-12 { 1.0 / spread.sqrt() } else { 0.0 };
        }
        let mut manner = SeedManner {
            mean,
            scale,
            seeds: Vec::new(),
        };
        manner.seeds = seeds
            .iter()
            .filter_map(|seed| all.get(*seed))
            .filter_map(|shares| manner.direction(shares))
            .collect();
        (!manner.seeds.is_empty()).then_some(manner)
    }

    /// In what a page differs from others, as a vector of length 1.
    fn direction(&self, shares: &Shares) -> Option<Shares> {
        let mut away = [0.0; GROUPS];
        for (((away, share), mean), scale) in away.iter_mut().zip(shares).zip(&self.mean).zip(&self.scale) {
            *away = (share - mean) * scale;
        }
        let length = away.iter().map(|value| value * value).sum::<f64>().sqrt();
        (length > 1e-9).then(|| away.map(|value| value / length))
    }

    /// How alike a page and the most similar seed are written: 1 in the same manner, 0 no more than any page, below 0 the
    /// opposite.
    pub(super) fn similarity(&self, page: &PageFields) -> f64 {
        let Some(away) = self.direction(&shares(page)) else {
            return 0.0;
        };
        let product = |seed: &Shares| seed.iter().zip(&away).map(|(a, b)| a * b).sum::<f64>();
        self.seeds.iter().map(product).fold(-1.0, f64::max)
    }
}

#[cfg(test)]
mod tests {
    use scenthound_parse::{Limits, PageInput, parse};
    use scenthound_types::CanonicalUrl;

    use super::*;

    fn read(text: &str) -> PageFields {
        let url = CanonicalUrl::parse("http://a.test/").unwrap();
        let input = PageInput {
            url: &url,
            content_type: Some("text/html; charset=utf-8"),
            body: text.as_bytes(),
            truncated: false,
        };
        PageFields::read(&parse(&input, &Limits::default()))
    }

    fn life(of: &str) -> PageFields {
        read(
            &format!("<p>{of} was a mathematician. He was the first who had his own method. </p>").repeat(20),
        )
    }

    fn explanation(of: &str) -> PageFields {
        read(
            &format!("<p>{of} is a branch that is about these and those, which can be more. </p>").repeat(20),
        )
    }

    #[test]
    fn pages_are_like_the_seed_that_is_written_like_them_whatever_they_are_about() {
        let pages: Vec<PageFields> = (0..20)
            .flat_map(|page| {
                [
                    life(&format!("euler{page}")),
                    explanation(&format!("algebra{page}")),
                ]
            })
            .collect();
        let pages: Vec<&PageFields> = pages.iter().collect();
        let of_explanation = SeedManner::new(&pages, &[1]).unwrap();
        assert!(of_explanation.similarity(&explanation("topology")) > 0.9);
        assert!(of_explanation.similarity(&life("gauss")) < -0.9);
        let of_both = SeedManner::new(&pages, &[0, 1]).unwrap();
        assert!(of_both.similarity(&explanation("topology")) > 0.9);
        assert!(of_both.similarity(&life("gauss")) > 0.9);
    }

    #[test]
    fn there_is_no_manner_without_seeds_or_pages_to_compare_them_with() {
        let pages: Vec<PageFields> = (0..40).map(|page| life(&page.to_string())).collect();
        let pages: Vec<&PageFields> = pages.iter().collect();
        assert_eq!(SeedManner::new(&pages, &[]), None);
        assert_eq!(SeedManner::new(pages.get(..10).unwrap(), &[0]), None);
        // They are all the same, so the seed differs from them in nothing.
        assert_eq!(SeedManner::new(&pages, &[0]), None);
    }

    #[test]
    fn pages_kept_before_small_words_were_counted_can_be_read() {
        assert_eq!(SmallWords::from_bytes(&[]), Some(SmallWords::default()));
        assert_eq!(SmallWords::from_bytes(&[0; 7]), None);
    }
}
