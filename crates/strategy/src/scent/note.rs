//! What is kept about a waiting URL, in at most a hundred bytes.
//!
//! A note holds everything that is needed to score the URL again when the model has changed: what its parents were like,
//! the judge's scores of the words at its links, where yields are counted for it, and hashes of the words themselves.

use scenthound_types::{LinkTokens, SnippetScores};

/// The most parents whose lists are remembered. The most relevant ones are kept.
pub(super) const MOST_PARENTS: usize = 3;
/// The most words kept of anchors, of the text around them and of the URL.
const MOST_WORDS: [usize; 3] = [7, 9, 6];
/// Scores of words are kept as log-odds in steps of this.
const STEP: f64 = 1.0 / 16.0;
/// Words of URLs have other weights than words of text.
const URL_SALT: u32 = 0x9e37_79b9;

/// A page that links to the URL, and the list the link stands in.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Parent {
    pub page: u32,
    pub list: u32,
    /// Its relevance, in steps of 1/255.
    pub relevance: u8,
}

/// Where the yields of a URL are counted, by its address.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Places {
    pub host: u32,
    pub directory: u32,
    pub template: u32,
}

/// What is known about a waiting URL.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct Note {
    /// The highest relevance of a parent, and the sum of all.
    pub best: f64,
    pub sum: f64,
    /// How many pages link to it; at most 255 are counted.
    pub count: u8,
    pub depth: u8,
    /// Whether the first parent is on the same host.
    pub same_host: bool,
    /// Log-odds of the words of the best anchor, around it and of the URL.
    pub scores: [i8; 3],
    pub places: Places,
    pub parents: Vec<Parent>,
    /// Words of anchors, around them and of the URL, as places in the text model.
    pub words: [Vec<u16>; 3],
}

/// One link to the URL.
pub(super) struct Sighting<'a> {
    pub parent: Parent,
    pub relevance: f64,
    pub scores: Option<SnippetScores>,
    pub tokens: Option<&'a LinkTokens>,
}

pub(super) fn log_odds(p: f64) -> f64 {
    let p = p.clamp(3e-4, 1.0 - 3e-4);
    (p / (1.0 - p)).ln()
}

fn quantised(score: f32) -> i8 {
    (log_odds(score.into()) / STEP).round().clamp(-127.0, 127.0) as i8
}

fn fold(token: u32) -> u16 {
    ((token >> 16) ^ token) as u16
}

impl Note {
    /// The log-odds of a score.
    pub fn score(&self, which: usize) -> f64 {
        self.scores.get(which).map_or(0.0, |score| f64::from(*score) * STEP)
    }

    /// Adds one more link to the URL.
    pub fn add(&mut self, sighting: &Sighting<'_>) {
        let is_first = self.count == 0;
        let is_known = self.parents.iter().any(|known| known.page == sighting.parent.page);
        if !is_known {
            self.count = self.count.saturating_add(1);
            self.best = self.best.max(sighting.relevance);
            self.sum += sighting.relevance;
            self.add_parent(sighting.parent);
        }
        if let Some(scores) = sighting.scores {
            let seen = [scores.anchor, scores.around, scores.url].map(quantised);
            for (kept, seen) in self.scores.iter_mut().zip(seen) {
                *kept = if is_first { seen } else { seen.max(*kept) };
            }
        }
        if let Some(tokens) = sighting.tokens {
            let [anchor, around, url] = &mut self.words;
            let [most_anchor, most_around, most_url] = MOST_WORDS;
            unite(anchor, tokens.anchor().iter().map(|token| fold(*token)), most_anchor);
            unite(around, tokens.around().iter().map(|token| fold(*token)), most_around);
            if url.is_empty() {
                // The last words of a URL say most about the page.
                let words = tokens.url().iter().rev().map(|token| fold(token ^ URL_SALT));
                unite(url, words, most_url);
            }
        }
    }

    fn add_parent(&mut self, parent: Parent) {
        if self.parents.len() < MOST_PARENTS {
            self.parents.push(parent);
            return;
        }
        let worst = self.parents.iter_mut().rev().min_by_key(|known| known.relevance);
        if let Some(worst) = worst.filter(|worst| worst.relevance < parent.relevance) {
            *worst = parent;
        }
    }

    /// The bytes a frontier keeps.
    pub fn to_bytes(&self) -> Box<[u8]> {
        let words: usize = self.words.iter().map(Vec::len).sum();
        let mut bytes = Vec::with_capacity(26 + self.parents.len() * 9 + words * 2);
        bytes.extend(fixed(self.best, 65535.0).to_le_bytes());
        bytes.extend(fixed(self.sum, 256.0).to_le_bytes());
        bytes.push(self.count);
        bytes.push(self.depth.min(127) | u8::from(self.same_host) << 7);
        bytes.extend(self.scores.map(|score| score as u8));
        for place in [self.places.host, self.places.directory, self.places.template] {
            bytes.extend(place.to_le_bytes());
        }
        bytes.push(self.parents.len() as u8);
        for parent in &self.parents {
            bytes.extend(parent.page.to_le_bytes());
            bytes.extend(parent.list.to_le_bytes());
            bytes.push(parent.relevance);
        }
        bytes.extend(self.words.each_ref().map(|words| words.len() as u8));
        for word in self.words.iter().flatten() {
            bytes.extend(word.to_le_bytes());
        }
        bytes.into()
    }

    /// Reads what [`Note::to_bytes`] wrote; `None` for any other bytes.
    pub fn from_bytes(bytes: &[u8]) -> Option<Note> {
        let mut rest = Reader(bytes);
        let best = f64::from(rest.two()?) / 65535.0;
        let sum = f64::from(rest.two()?) / 256.0;
        let count = rest.one()?;
        let depth = rest.one()?;
        let scores = [rest.one()? as i8, rest.one()? as i8, rest.one()? as i8];
        let places = Places {
            host: rest.four()?,
            directory: rest.four()?,
            template: rest.four()?,
        };
        let parents = (0..rest.one()?)
            .map(|_| {
                Some(Parent {
                    page: rest.four()?,
                    list: rest.four()?,
                    relevance: rest.one()?,
                })
            })
            .collect::<Option<Vec<Parent>>>()?;
        let counts = [rest.one()?, rest.one()?, rest.one()?];
        let mut words = counts.map(|count| Vec::with_capacity(count.into()));
        for (words, count) in words.iter_mut().zip(counts) {
            for _ in 0..count {
                words.push(rest.two()?);
            }
        }
        rest.0.is_empty().then_some(Note {
            best,
            sum,
            count,
            depth: depth & 127,
            same_host: depth > 127,
            scores,
            places,
            parents,
            words,
        })
    }
}

/// A number in fixed-point form.
fn fixed(number: f64, steps: f64) -> u16 {
    (number * steps).round().clamp(0.0, 65535.0) as u16
}

fn unite(words: &mut Vec<u16>, more: impl Iterator<Item = u16>, most: usize) {
    for word in more {
        if words.len() >= most {
            return;
        }
        if !words.contains(&word) {
            words.push(word);
        }
    }
}

/// Reads numbers off the front of some bytes.
pub(super) struct Reader<'a>(pub &'a [u8]);

impl Reader<'_> {
    pub fn one(&mut self) -> Option<u8> {
        let (one, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*one)
    }

    pub fn two(&mut self) -> Option<u16> {
        let (two, rest) = self.0.split_first_chunk::<2>()?;
        self.0 = rest;
        Some(u16::from_le_bytes(*two))
    }

    pub fn four(&mut self) -> Option<u32> {
        let (four, rest) = self.0.split_first_chunk::<4>()?;
        self.0 = rest;
        Some(u32::from_le_bytes(*four))
    }

    pub fn eight(&mut self) -> Option<u64> {
        let (eight, rest) = self.0.split_first_chunk::<8>()?;
        self.0 = rest;
        Some(u64::from_le_bytes(*eight))
    }
}
