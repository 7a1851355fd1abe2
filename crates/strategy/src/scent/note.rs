//! What is kept about a waiting URL, in at most a hundred bytes.
//!
//! A note holds everything that is needed to score the URL again when the model has changed: what its parents were like,
//! the judge's scores of the words at its links, where yields are counted for it, and hashes of the words themselves.

use scenthound_learn::WordVectors;
use scenthound_types::{LinkTokens, SnippetScores};

/// The most parents whose lists are remembered. The most relevant ones are kept.
pub(super) const MOST_PARENTS: usize = 3;
/// Scores of words are kept as log-odds in steps of this.
const STEP: f64 = 1.0 / 16.0;
/// Stands for a score that no link had.
const UNKNOWN: i8 = i8::MIN;

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
    /// The folder above the directory, or the same as the directory at the top of a host.
    pub section: u32,
    pub directory: u32,
    pub template: u32,
}

/// What is known about a waiting URL.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Note {
    /// The highest relevance of a parent, and the sum of all.
    pub best: f64,
    pub sum: f64,
    /// How many pages link to it; at most 255 are counted.
    pub count: u8,
    pub depth: u8,
    /// Relevance passed on from earlier pages, in steps of 1/255.
    pub inherited: u8,
    /// Logarithms of the number of links in the smallest list it stands in and on that page, in eighths.
    pub list_size: u8,
    pub page_size: u8,
    /// The mean of the standardised scores of all links of the list, in eighths.
    pub list_mean: i8,
    /// Whether the first parent is on the same host.
    pub same_host: bool,
    /// Log-odds of the words of the best anchor, around it and of the URL.
    pub scores: [i8; 3],
    pub places: Places,
    pub parents: Few<Parent, MOST_PARENTS>,
    /// Words of anchors, around them and of the URL, as places in the text model.
    pub words: Words,
}

/// A few values in place: scoring a link again must not allocate.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Few<T, const N: usize> {
    values: [T; N],
    count: u8,
}

impl<T: Copy + Default, const N: usize> Default for Few<T, N> {
    fn default() -> Few<T, N> {
        Few {
            values: [T::default(); N],
            count: 0,
        }
    }
}

impl<T: Copy, const N: usize> Few<T, N> {
    /// Adds a value if there is room.
    fn push(&mut self, value: T) -> bool {
        match self.values.get_mut(usize::from(self.count)) {
            Some(room) => {
                *room = value;
                self.count += 1;
                true
            }
            None => false,
        }
    }

    fn get_mut(&mut self) -> &mut [T] {
        self.values.get_mut(..usize::from(self.count)).unwrap_or_default()
    }
}

impl<T, const N: usize> std::ops::Deref for Few<T, N> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        self.values.get(..usize::from(self.count)).unwrap_or_default()
    }
}

/// Words of anchors, of the text around them and of the URL.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(super) struct Words {
    pub anchor: Few<u16, 6>,
    pub around: Few<u16, 8>,
    pub url: Few<u16, 6>,
}

impl Words {
    pub fn blocks(&self) -> [&[u16]; 3] {
        [&self.anchor, &self.around, &self.url]
    }

    /// Appends the words to some bytes.
    pub fn save(&self, out: &mut Vec<u8>) {
        let blocks = self.blocks();
        out.extend(blocks.map(|words| words.len() as u8));
        for word in blocks.into_iter().flatten() {
            out.extend(word.to_le_bytes());
        }
    }

    /// Reads what [`Words::save`] wrote.
    pub fn restore(reader: &mut Reader<'_>) -> Option<Words> {
        let [of_anchor, of_around, of_url] = [reader.one()?, reader.one()?, reader.one()?];
        Some(Words {
            anchor: reader.words(of_anchor)?,
            around: reader.words(of_around)?,
            url: reader.words(of_url)?,
        })
    }
}

impl Default for Note {
    fn default() -> Note {
        Note {
            best: 0.0,
            sum: 0.0,
            count: 0,
            depth: 0,
            inherited: 0,
            list_size: 0,
            page_size: 0,
            list_mean: 0,
            same_host: false,
            scores: [UNKNOWN; 3],
            places: Places::default(),
            parents: Few::default(),
            words: Words::default(),
        }
    }
}

/// One link to the URL.
pub(super) struct Sighting<'a> {
    pub parent: Parent,
    pub relevance: f64,
    pub inherited: f64,
    pub list_size: f64,
    pub page_size: f64,
    pub list_mean: f64,
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

/// The place of a word in the models: that of its vector if it has one, any of the others if not.
fn place(token: u32) -> u16 {
    let vectors = WordVectors::shipped();
    let place = vectors.place(token).unwrap_or_else(|| {
        let known = vectors.len() as u32;
        known + token % (u32::from(u16::MAX) + 1).saturating_sub(known).max(1)
    });
    place as u16
}

impl Note {
    /// The log-odds of a score, if any link had one.
    pub fn score(&self, which: usize) -> Option<f64> {
        let score = self.scores.get(which).filter(|score| **score != UNKNOWN)?;
        Some(f64::from(*score) * STEP)
    }

    /// Adds one more link to the URL.
    pub fn add(&mut self, sighting: &Sighting<'_>) {
        let is_first = self.count == 0;
        let is_known = self
            .parents
            .iter()
            .any(|known| known.page == sighting.parent.page);
        if !is_known {
            self.count = self.count.saturating_add(1);
            self.best = self.best.max(sighting.relevance);
            self.sum += sighting.relevance;
            self.add_parent(sighting.parent);
            let eighths = |number: f64| (number.ln_1p() * 8.0).round().clamp(0.0, 255.0) as u8;
            let size = eighths(sighting.list_size);
            if is_first || size < self.list_size {
                (self.list_size, self.page_size) = (size, eighths(sighting.page_size));
            }
            let mean = (sighting.list_mean * 8.0).round().clamp(-127.0, 127.0) as i8;
            self.list_mean = if is_first { mean } else { mean.max(self.list_mean) };
            let inherited = (sighting.inherited * 255.0).round().clamp(0.0, 255.0) as u8;
            self.inherited = self.inherited.max(inherited);
        }
        if let Some(scores) = sighting.scores {
            let seen = [scores.anchor, scores.around, scores.url].map(quantised);
            for (kept, seen) in self.scores.iter_mut().zip(seen) {
                *kept = seen.max(*kept);
            }
        }
        if let Some(tokens) = sighting.tokens {
            let Words { anchor, around, url } = &mut self.words;
            unite(anchor, tokens.anchor().iter().map(|token| place(*token)));
            unite(around, tokens.around().iter().map(|token| place(*token)));
            if url.is_empty() {
                // The last words of a URL say most about the page.
                unite(url, tokens.url().iter().rev().map(|token| place(*token)));
            }
        }
    }

    fn add_parent(&mut self, parent: Parent) {
        if self.parents.push(parent) {
            return;
        }
        let worst = self
            .parents
            .get_mut()
            .iter_mut()
            .rev()
            .min_by_key(|known| known.relevance);
        if let Some(worst) = worst.filter(|worst| worst.relevance < parent.relevance) {
            *worst = parent;
        }
    }

    /// The bytes a frontier keeps.
    pub fn to_bytes(self) -> Box<[u8]> {
        let words: usize = self.words.blocks().iter().map(|words| words.len()).sum();
        let mut bytes = Vec::with_capacity(34 + self.parents.len() * 9 + words * 2);
        bytes.extend(fixed(self.best, 65535.0).to_le_bytes());
        bytes.extend(fixed(self.sum, 256.0).to_le_bytes());
        bytes.push(self.count);
        bytes.push(self.depth.min(127) | u8::from(self.same_host) << 7);
        bytes.extend([
            self.inherited,
            self.list_size,
            self.page_size,
            self.list_mean as u8,
        ]);
        bytes.extend(self.scores.map(|score| score as u8));
        let Places {
            host,
            section,
            directory,
            template,
        } = self.places;
        for place in [host, section, directory, template] {
            bytes.extend(place.to_le_bytes());
        }
        bytes.push(self.parents.len() as u8);
        for parent in self.parents.iter() {
            bytes.extend(parent.page.to_le_bytes());
            bytes.extend(parent.list.to_le_bytes());
            bytes.push(parent.relevance);
        }
        self.words.save(&mut bytes);
        bytes.into()
    }

    /// Reads what [`Note::to_bytes`] wrote; `None` for any other bytes.
    pub fn from_bytes(bytes: &[u8]) -> Option<Note> {
        let mut rest = Reader(bytes);
        let best = f64::from(rest.two()?) / 65535.0;
        let sum = f64::from(rest.two()?) / 256.0;
        let count = rest.one()?;
        let depth = rest.one()?;
        let [inherited, list_size, page_size, list_mean] =
            [rest.one()?, rest.one()?, rest.one()?, rest.one()?];
        let scores = [rest.one()? as i8, rest.one()? as i8, rest.one()? as i8];
        let places = Places {
            host: rest.four()?,
            section: rest.four()?,
            directory: rest.four()?,
            template: rest.four()?,
        };
        let mut parents = Few::default();
        for _ in 0..rest.one()? {
            parents.push(Parent {
                page: rest.four()?,
                list: rest.four()?,
                relevance: rest.one()?,
            });
        }
        let words = Words::restore(&mut rest)?;
        rest.0.is_empty().then_some(Note {
            best,
            sum,
            count,
            depth: depth & 127,
            same_host: depth > 127,
            inherited,
            list_size,
            page_size,
            list_mean: list_mean as i8,
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

fn unite<const N: usize>(words: &mut Few<u16, N>, more: impl Iterator<Item = u16>) {
    for word in more {
        if !words.contains(&word) && !words.push(word) {
            return;
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

    fn words<const N: usize>(&mut self, count: u8) -> Option<Few<u16, N>> {
        let mut words = Few::default();
        for _ in 0..count {
            words.push(self.two()?);
        }
        Some(words)
    }

    pub fn four(&mut self) -> Option<u32> {
        let (four, rest) = self.0.split_first_chunk::<4>()?;
        self.0 = rest;
        Some(u32::from_le_bytes(*four))
    }

    pub fn float(&mut self) -> Option<f64> {
        let number = f64::from_bits(self.eight()?);
        number.is_finite().then_some(number)
    }

    pub fn small_float(&mut self) -> Option<f32> {
        let number = f32::from_bits(self.four()?);
        number.is_finite().then_some(number)
    }

    pub fn eight(&mut self) -> Option<u64> {
        let (eight, rest) = self.0.split_first_chunk::<8>()?;
        self.0 = rest;
        Some(u64::from_le_bytes(*eight))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sighting(page: u32, relevance: f64, tokens: &LinkTokens) -> Sighting<'_> {
        Sighting {
            parent: Parent {
                page,
                list: page + 1,
                relevance: (relevance * 255.0) as u8,
            },
            relevance,
            inherited: relevance,
            list_size: 12.0,
            page_size: 80.0,
            list_mean: -0.5,
            scores: Some(SnippetScores {
                anchor: 0.9,
                around: 0.1,
                url: 0.5,
            }),
            tokens: Some(tokens),
        }
    }

    #[test]
    fn a_note_comes_back_from_its_bytes_and_nothing_else_does() {
        let tokens = LinkTokens::new(1..20, 20..60, 60..90);
        let mut note = Note {
            depth: 3,
            same_host: true,
            ..Note::default()
        };
        for page in 0..10 {
            note.add(&sighting(page * 7, f64::from(page) / 15.0, &tokens));
        }
        let bytes = note.to_bytes();
        assert!(bytes.len() <= 100, "{} bytes", bytes.len());
        let back = Note::from_bytes(&bytes).unwrap();
        assert_eq!(back.to_bytes(), bytes);
        assert_eq!((back.words, back.parents), (note.words, note.parents));
        assert_eq!(Note::from_bytes(&bytes[..bytes.len() - 1]), None);
        assert_eq!(Note::from_bytes(&[&bytes[..], &[0]].concat()), None);
        assert_eq!(Note::from_bytes(&[]), None);
    }

    #[test]
    fn the_most_relevant_parents_are_kept() {
        let tokens = LinkTokens::default();
        let mut note = Note::default();
        for (page, relevance) in [(1, 0.2), (2, 0.9), (3, 0.1), (4, 0.5), (4, 0.5)] {
            note.add(&sighting(page, relevance, &tokens));
        }
        let pages: Vec<u32> = note.parents.iter().map(|parent| parent.page).collect();
        assert_eq!((note.count, pages), (4, vec![1, 2, 4]));
    }
}
