//! What a learning strategy is told about pages and links: words as hashes, and which pages link to a URL.
//!
//! A waiting link keeps its evidence, so that a strategy whose model has changed can score it again without the pages
//! it was found on. Words are token hashes. Only the words of a page also have spellings, because a learnt word may
//! have to be shown to people.

use crate::{Rank, UrlKey};

/// The most words of one kind kept per link. Navigation links gain new words from every page they appear on.
const MOST_WORDS: usize = 64;
/// The most linking pages remembered per URL.
const MOST_PARENTS: usize = 64;

/// A page that links to a URL.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ParentPage {
    /// The page.
    pub key: UrlKey,
    /// Its score when it was read.
    pub relevance: f32,
}

/// What is known about a link's target before it is fetched: the words at every link to it seen so far, and the pages
/// those links are on. Each list of words is ascending, without duplicates.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Evidence {
    /// Words of anchors and their titles.
    pub anchor: Vec<u64>,
    /// Words of the surrounding sentences.
    pub around: Vec<u64>,
    /// Words of the URL.
    pub url: Vec<u64>,
    /// The pages that link to it, in the order they were found.
    pub parents: Vec<ParentPage>,
    /// What a strategy wrote down about it, in a form only that strategy reads; at most [`Evidence::MOST_NOTE`] bytes.
    pub note: Vec<u8>,
}

impl Evidence {
    /// The longest note kept, in bytes.
    pub const MOST_NOTE: usize = 255;

    /// Evidence that is only a strategy's note.
    pub fn of_note(note: &[u8]) -> Evidence {
        Evidence {
            note: note
                .get(..note.len().min(Evidence::MOST_NOTE))
                .unwrap_or_default()
                .to_vec(),
            ..Evidence::default()
        }
    }

    /// Evidence of one link from its words in any order.
    pub fn of_words(anchor: Vec<u64>, around: Vec<u64>, url: Vec<u64>) -> Evidence {
        let set = |mut words: Vec<u64>| {
            words.sort_unstable();
            words.dedup();
            words.truncate(MOST_WORDS);
            words
        };
        Evidence {
            anchor: set(anchor),
            around: set(around),
            url: set(url),
            parents: Vec::new(),
            note: Vec::new(),
        }
    }

    /// Merges the words and parents of another link to the same URL. A parent that is already known keeps its first
    /// score.
    pub fn gather(&mut self, other: &Evidence) {
        unite(&mut self.anchor, &other.anchor);
        unite(&mut self.around, &other.around);
        unite(&mut self.url, &other.url);
        for parent in &other.parents {
            self.add_parent(*parent);
        }
    }

    /// Adds a page that links to the URL, unless it is already known or the limit is reached.
    pub fn add_parent(&mut self, parent: ParentPage) {
        let is_known = self.parents.iter().any(|known| known.key == parent.key);
        if !is_known && self.parents.len() < MOST_PARENTS {
            self.parents.push(parent);
        }
    }

    /// The bytes a storage keeps.
    pub fn to_bytes(&self) -> Vec<u8> {
        let words = self.anchor.len() + self.around.len() + self.url.len();
        let mut bytes = Vec::with_capacity(5 + words * 8 + self.parents.len() * 12 + self.note.len());
        for words in [&self.anchor, &self.around, &self.url] {
            bytes.push(words.len().min(MOST_WORDS) as u8);
            for word in words.iter().take(MOST_WORDS) {
                bytes.extend(word.to_le_bytes());
            }
        }
        bytes.push(self.parents.len().min(MOST_PARENTS) as u8);
        for parent in self.parents.iter().take(MOST_PARENTS) {
            bytes.extend(parent.key.0.to_le_bytes());
            bytes.extend(parent.relevance.to_le_bytes());
        }
        if let Some(note) = self.note.get(..self.note.len().min(Evidence::MOST_NOTE))
            && !note.is_empty()
        {
            bytes.push(note.len() as u8);
            bytes.extend(note);
        }
        bytes
    }

    /// Reads what [`Evidence::to_bytes`] wrote; `None` for any other bytes.
    pub fn from_bytes(bytes: &[u8]) -> Option<Evidence> {
        let mut rest = bytes;
        let mut words = || {
            let (count, mut left) = rest.split_first()?;
            let mut words = Vec::with_capacity((*count).into());
            for _ in 0..*count {
                let (word, after) = left.split_first_chunk::<8>()?;
                words.push(u64::from_le_bytes(*word));
                left = after;
            }
            rest = left;
            Some(words)
        };
        let (anchor, around, url) = (words()?, words()?, words()?);
        let (count, mut left) = rest.split_first()?;
        let mut parents = Vec::with_capacity((*count).into());
        for _ in 0..*count {
            let (key, after) = left.split_first_chunk::<8>()?;
            let (relevance, after) = after.split_first_chunk::<4>()?;
            parents.push(ParentPage {
                key: UrlKey(u64::from_le_bytes(*key)),
                relevance: f32::from_le_bytes(*relevance),
            });
            left = after;
        }
        let note = match left.split_first() {
            None => Vec::new(),
            Some((length, note)) if *length > 0 && note.len() == usize::from(*length) => note.to_vec(),
            Some(_) => return None,
        };
        Some(Evidence {
            anchor,
            around,
            url,
            parents,
            note,
        })
    }
}

/// Merges two ascending lists of words.
fn unite(words: &mut Vec<u64>, more: &[u64]) {
    for word in more {
        if words.len() >= MOST_WORDS {
            return;
        }
        if let Err(at) = words.binary_search(word) {
            words.insert(at, *word);
        }
    }
}

/// The words at one link as short hashes, in reading order.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LinkTokens {
    tokens: Box<[u32]>,
    anchor: u8,
    around: u8,
}

impl LinkTokens {
    /// The most words kept of the anchor, of the words around it, and of the URL.
    const MOST: [usize; 3] = [12, 24, 16];

    /// The words of an anchor and its title, of the text around it without the anchor, and of the URL.
    pub fn new(
        anchor: impl Iterator<Item = u32>,
        around: impl Iterator<Item = u32>,
        url: impl Iterator<Item = u32>,
    ) -> LinkTokens {
        let [most_anchor, most_around, most_url] = LinkTokens::MOST;
        let mut tokens = Vec::with_capacity(LinkTokens::MOST.iter().sum());
        tokens.extend(anchor.take(most_anchor));
        let anchor = tokens.len() as u8;
        tokens.extend(around.take(most_around));
        let around = tokens.len() as u8 - anchor;
        tokens.extend(url.take(most_url));
        LinkTokens {
            tokens: tokens.into(),
            anchor,
            around,
        }
    }

    /// The words of the anchor and its title.
    pub fn anchor(&self) -> &[u32] {
        self.tokens.get(..usize::from(self.anchor)).unwrap_or_default()
    }

    /// The words around the anchor.
    pub fn around(&self) -> &[u32] {
        let start = usize::from(self.anchor);
        self.tokens
            .get(start..start + usize::from(self.around))
            .unwrap_or_default()
    }

    /// The words of the URL.
    pub fn url(&self) -> &[u32] {
        let start = usize::from(self.anchor) + usize::from(self.around);
        self.tokens.get(start..).unwrap_or_default()
    }
}

/// A waiting link, with everything a strategy needs to score it again.
#[derive(Clone, Copy, Debug)]
pub struct WaitingLink<'a> {
    /// The URL it points to.
    pub key: UrlKey,
    /// Its current rank.
    pub rank: Rank,
    /// The page that first led to it.
    pub parent: Option<UrlKey>,
    /// What is known about it.
    pub evidence: &'a Evidence,
}

/// One word of a page.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PageWord<'a> {
    /// Its token's hash.
    pub hash: u64,
    /// How often it occurs on the page.
    pub count: u32,
    /// Its normalised spelling.
    pub spelling: &'a str,
}

/// The words of a page with their counts, without stop words, in the order of their hashes.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PageWords {
    words: Vec<(u64, u32, u32)>,
    spellings: String,
}

impl PageWords {
    /// Counts words. When a word is given more than once, its first spelling is kept.
    pub fn count<'a>(words: impl IntoIterator<Item = (u64, &'a str)>) -> PageWords {
        let mut all: Vec<(u64, &str)> = words.into_iter().collect();
        // Stable, so that the first spelling stays first.
        all.sort_by_key(|(hash, _)| *hash);
        let mut counted = PageWords::default();
        for same in all.chunk_by(|a, b| a.0 == b.0) {
            if let Some((hash, spelling)) = same.first() {
                counted.spellings.push_str(spelling);
                counted
                    .words
                    .push((*hash, same.len() as u32, counted.spellings.len() as u32));
            }
        }
        counted
    }

    /// The bytes a storage keeps.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(4 + self.words.len() * 16 + self.spellings.len());
        bytes.extend((self.words.len() as u32).to_le_bytes());
        for (hash, count, end) in &self.words {
            bytes.extend(hash.to_le_bytes());
            bytes.extend(count.to_le_bytes());
            bytes.extend(end.to_le_bytes());
        }
        bytes.extend(self.spellings.as_bytes());
        bytes
    }

    /// Reads what [`PageWords::to_bytes`] wrote; `None` for any other bytes.
    pub fn from_bytes(bytes: &[u8]) -> Option<PageWords> {
        let (count, mut rest) = bytes.split_first_chunk::<4>()?;
        let count = u32::from_le_bytes(*count) as usize;
        let mut words = Vec::with_capacity(count.min(rest.len() / 16));
        for _ in 0..count {
            let (hash, after) = rest.split_first_chunk::<8>()?;
            let (count, after) = after.split_first_chunk::<4>()?;
            let (end, after) = after.split_first_chunk::<4>()?;
            words.push((
                u64::from_le_bytes(*hash),
                u32::from_le_bytes(*count),
                u32::from_le_bytes(*end),
            ));
            rest = after;
        }
        let spellings = std::str::from_utf8(rest).ok()?.to_owned();
        let are_in_order = words.is_sorted_by(|a, b| a.0 < b.0 && a.2 <= b.2);
        let ends = words.last().map_or(0, |(_, _, end)| *end as usize);
        (are_in_order && ends == spellings.len()).then_some(PageWords { words, spellings })
    }

    /// How many different words there are.
    pub fn len(&self) -> usize {
        self.words.len()
    }

    /// Whether there are no words at all.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// The words' hashes and counts, ordered by hash.
    pub fn pairs(&self) -> impl Iterator<Item = (u64, u32)> + Clone {
        self.words.iter().map(|(hash, count, _)| (*hash, *count))
    }

    /// The words, ordered by hash.
    pub fn iter(&self) -> impl Iterator<Item = PageWord<'_>> {
        let mut start = 0;
        self.words.iter().map(move |(hash, count, end)| {
            let end = *end as usize;
            let spelling = self.spellings.get(start..end).unwrap_or_default();
            start = end;
            PageWord {
                hash: *hash,
                count: *count,
                spelling,
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parent(key: u64, relevance: f32) -> ParentPage {
        ParentPage {
            key: UrlKey(key),
            relevance,
        }
    }

    #[test]
    fn evidence_of_two_links_is_the_union_of_their_words_and_parents() {
        let mut evidence = Evidence::of_words(vec![9, 2, 9], vec![5], vec![]);
        evidence.add_parent(parent(1, 0.5));
        let mut other = Evidence::of_words(vec![3, 2], vec![5, 4], vec![7]);
        other.add_parent(parent(1, 0.9));
        other.add_parent(parent(2, 0.1));
        evidence.gather(&other);
        assert_eq!(evidence.anchor, [2, 3, 9]);
        assert_eq!(evidence.around, [4, 5]);
        assert_eq!(evidence.url, [7]);
        assert_eq!(evidence.parents, [parent(1, 0.5), parent(2, 0.1)]);
    }

    #[test]
    fn evidence_comes_back_from_its_bytes_and_nothing_else_does() {
        let mut evidence = Evidence::of_words(vec![1, 2], vec![3], (0..500).collect());
        (0..100).for_each(|key| evidence.add_parent(parent(key, 0.25)));
        assert_eq!(
            (evidence.url.len(), evidence.parents.len()),
            (MOST_WORDS, MOST_PARENTS)
        );
        let bytes = evidence.to_bytes();
        assert_eq!(Evidence::from_bytes(&bytes), Some(evidence));
        assert_eq!(Evidence::from_bytes(&bytes[..bytes.len() - 1]), None);
        assert_eq!(Evidence::from_bytes(&[bytes.as_slice(), &[0]].concat()), None);
        assert_eq!(Evidence::from_bytes(&[]), None);
    }

    #[test]
    fn words_are_counted_with_their_first_spelling() {
        let words = PageWords::count([(7, "tea"), (3, "pot"), (7, "TEA"), (7, "tea")]);
        let all: Vec<_> = words
            .iter()
            .map(|word| (word.hash, word.count, word.spelling))
            .collect();
        assert_eq!(all, [(3, 1, "pot"), (7, 3, "tea")]);
    }

    #[test]
    fn words_come_back_from_their_bytes_and_nothing_else_does() {
        let words = PageWords::count([(7, "tea"), (3, "töpfe"), (7, "tea")]);
        let bytes = words.to_bytes();
        assert_eq!(PageWords::from_bytes(&bytes), Some(words));
        assert_eq!(PageWords::from_bytes(&bytes[..bytes.len() - 1]), None);
        assert_eq!(PageWords::from_bytes(&[255; 4]), None);
        assert_eq!(PageWords::from_bytes(&[]), None);
        let none = PageWords::default();
        assert_eq!(PageWords::from_bytes(&none.to_bytes()), Some(none));
    }
}
