//! Turns a page into features.
//!
//! A feature is a word of the page and, if enabled, also a pair of adjacent words, a word of the URL, or a count of
//! some element on a coarse scale. Each kind of feature has its own keys, so that a word in the URL is not the same
//! feature as that word in the text.
//!
//! Deliberately absent: stemming. A token is a hash of the whole word, and so is each word of a link, which must be
//! cheap to score.

use std::collections::{BTreeMap, BTreeSet};

use scenthound_types::ParsedPage;
use scenthound_types::text::{StopList, Token};
use serde::{Deserialize, Serialize};

/// What is read from a page, and how much it counts.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct FeatureWeights {
    /// The total weight of a word in the title.
    pub title: f32,
    /// The total weight of a word in a link's text.
    pub anchor: f32,
    /// The weight of a word in the URL; 0: URLs are not read.
    pub url: f32,
    /// The weight of two adjacent words; 0: pairs are not read.
    pub pairs: f32,
    /// The weight of an element count; 0: elements are not counted.
    pub structure: f32,
}

impl FeatureWeights {
    /// Every word once.
    pub const WORDS: FeatureWeights = FeatureWeights {
        title: 1.0,
        anchor: 1.0,
        url: 0.0,
        pairs: 0.0,
        structure: 0.0,
    };
    /// Words of links twice.
    pub const WORDS_AND_ANCHORS: FeatureWeights = FeatureWeights {
        anchor: 2.0,
        ..FeatureWeights::WORDS
    };
    /// Words of the title twice.
    pub const TITLES_TWICE: FeatureWeights = FeatureWeights {
        title: 2.0,
        ..FeatureWeights::WORDS
    };

    /// Reports each feature of a page, and the weight of the occurrence.
    pub(super) fn features(&self, page: &ParsedPage, mut tell: impl FnMut(u64, f32)) {
        let tokens = page.text.tokens();
        let title_ends = if page.title.is_empty() {
            0
        } else {
            tokens
                .iter()
                .position(|token| !token.is_word())
                .unwrap_or(tokens.len())
        };
        let mut before = Token::BREAK;
        for (at, token) in tokens.iter().enumerate() {
            if token.is_word() {
                tell(word_key(*token), if at < title_ends { self.title } else { 1.0 });
                if self.pairs > 0.0 && before.is_word() {
                    tell(pair_key(before, *token), self.pairs);
                }
            }
            before = *token;
        }
        if self.anchor != 1.0 {
            for link in &page.links {
                for token in page.text.run(&link.anchor) {
                    if token.is_word() {
                        tell(word_key(*token), self.anchor - 1.0);
                    }
                }
            }
        }
        if self.url > 0.0 {
            for token in page.url_words(page.url.path_and_query()) {
                tell(url_key(token), self.url);
            }
        }
        if self.structure > 0.0 {
            for (element, count) in structure(page) {
                tell(structure_key(element, scale(count)), self.structure);
            }
        }
    }
}

/// The key of a word.
#[inline]
pub(super) fn word_key(token: Token) -> u64 {
    token.hash()
}

#[inline]
fn pair_key(first: Token, second: Token) -> u64 {
    first.hash().rotate_left(23).wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ second.hash()
}

fn url_key(token: Token) -> u64 {
    token.hash().rotate_left(32) ^ 0x75_726c
}

fn structure_key(element: usize, scale: u32) -> u64 {
    (0x7374_7275_6374 << 16) ^ ((element as u64) << 8) ^ u64::from(scale)
}

/// 0, 1, 2–3, 4–7…: whether there are nine or eleven images makes no difference.
fn scale(count: u32) -> u32 {
    u32::BITS - count.leading_zeros()
}

/// What is counted on a page, by name.
const STRUCTURE: [&str; 14] = [
    "images",
    "media",
    "forms",
    "inputs",
    "tables",
    "list items",
    "headings",
    "paragraphs",
    "code blocks",
    "articles",
    "times",
    "links",
    "words",
    "links within the site, out of eight",
];

fn structure(page: &ParsedPage) -> impl Iterator<Item = (usize, u32)> {
    let tags = &page.tags;
    let inside = page
        .links
        .iter()
        .filter(|link| link.url.host() == page.url.host())
        .count() as u32;
    let links = page.links.len() as u32;
    [
        tags.images,
        tags.media,
        tags.forms,
        tags.inputs,
        tags.tables,
        tags.list_items,
        tags.headings,
        tags.paragraphs,
        tags.code_blocks,
        tags.articles,
        tags.times,
        links,
        page.text.len() / 16,
        (inside * 8).checked_div(links).unwrap_or(0),
    ]
    .into_iter()
    .enumerate()
}

/// The keys of the stop words of languages used by at least a tenth of the pages.
pub(super) fn stop_keys(pages: &[&ParsedPage]) -> Vec<u64> {
    let mut keys: Vec<u64> = StopList::all()
        .filter(|(language, _)| {
            let speaking = pages
                .iter()
                .filter(|page| page.language == Some(*language))
                .count();
            speaking > 0 && speaking * 10 >= pages.len()
        })
        .flat_map(|(_, list)| list.tokens().iter().map(|token| word_key(*token)))
        .collect();
    keys.sort_unstable();
    keys.dedup();
    keys
}

/// These features in readable form, and where they were found. A feature that no page has is left out.
pub(super) fn spell(wanted: &BTreeSet<u64>, pages: &[&ParsedPage]) -> BTreeMap<u64, (String, FeatureSource)> {
    let mut spelled = BTreeMap::new();
    for (element, name) in STRUCTURE.into_iter().enumerate() {
        for scale in 0..=u32::BITS {
            let key = structure_key(element, scale);
            if wanted.contains(&key) {
                let least = if scale == 0 { 0 } else { 1_u64 << (scale - 1) };
                let most = (1_u64 << scale) - 1;
                spelled.insert(key, (format!("[{name}: {least} to {most}]"), FeatureSource::Page));
            }
        }
    }
    for page in pages {
        let tokens = page.text.tokens();
        for (at, token) in (0_u32..).zip(tokens).filter(|(_, token)| token.is_word()) {
            let key = word_key(*token);
            if wanted.contains(&key) && !spelled.contains_key(&key) {
                spelled.insert(key, (page.text.spelling(at).to_owned(), FeatureSource::Page));
            }
            let Some(next) = tokens.get(at as usize + 1).filter(|next| next.is_word()) else {
                continue;
            };
            let key = pair_key(*token, *next);
            if wanted.contains(&key) && !spelled.contains_key(&key) {
                let words = format!("{} {}", page.text.spelling(at), page.text.spelling(at + 1));
                spelled.insert(key, (words, FeatureSource::Page));
            }
        }
        for part in page.url.path_and_query().split(|c: char| !c.is_alphanumeric()) {
            for key in page.url_words(part).into_iter().map(url_key) {
                if wanted.contains(&key) {
                    spelled.insert(key, (part.to_lowercase(), FeatureSource::Url));
                }
            }
        }
    }
    spelled
}

/// Where a feature was found.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) enum FeatureSource {
    /// The page itself.
    Page,
    /// Its URL.
    Url,
}
