//! In how many pages of the web at large a term occurs.
//!
//! The shipped table holds numbers only: hashes of terms and in how many of some thousand pages each occurs, rounded to
//! steps of about a fifth. `hound lab background` makes such a table from recorded webs. A term that is not in it is rare.
//!
//! On disk: `SCENTBG1`, the number of pages, the mean length, the number of terms (4 bytes each, little-endian), then for each term, by
//! hash, the difference to the hash before as a variable-length integer and the rounded count as a byte.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use super::ById;
use super::fields::PageFields;

const MAGIC: &[u8; 8] = b"SCENTBG1";
/// Counts are powers of this.
const STEP: f64 = 1.2;

static SHIPPED: &[u8] = include_bytes!("background.bin");

/// Document frequencies of terms.
#[derive(Clone, PartialEq, Debug)]
pub struct Background {
    pages: u32,
    mean_length: f32,
    /// The rounded counts by term.
    steps: HashMap<u32, u8, ById>,
    /// How much terms of each rounded count tell, and last how much a term tells that is not in the table. Judging a page
    /// asks for hundreds of them, so no logarithm is taken then.
    idfs: Vec<f64>,
}

impl Default for Background {
    /// A table without terms.
    fn default() -> Background {
        Background::new(0, 0.0, HashMap::default())
    }
}

impl Background {
    fn new(pages: u32, mean_length: f32, steps: HashMap<u32, u8, ById>) -> Background {
        let known = (0..=255).map(|step| STEP.powi(step));
        let idfs = known.chain([0.0]).map(|with| idf(f64::from(pages), with));
        Background {
            pages,
            mean_length,
            steps,
            idfs: idfs.collect(),
        }
    }

    /// The table that comes with the program.
    pub fn shipped() -> &'static Arc<Background> {
        static TABLE: OnceLock<Arc<Background>> = OnceLock::new();
        TABLE.get_or_init(|| Arc::new(Background::from_bytes(SHIPPED).unwrap_or_default()))
    }

    /// Counts the terms of pages. Terms that fewer than `least` pages contain are left out.
    pub fn count<'a>(pages: impl IntoIterator<Item = &'a PageFields>, least: u32) -> Background {
        let mut counts: HashMap<u32, u32, ById> = HashMap::default();
        let (mut seen, mut words) = (0_u32, 0_u64);
        for page in pages {
            seen += 1;
            words += u64::from(page.length());
            for (id, _) in page.terms() {
                *counts.entry(id).or_default() += 1;
            }
        }
        let step = |count: u32| (f64::from(count).ln() / STEP.ln()).round().min(255.0) as u8;
        let steps = counts
            .into_iter()
            .filter(|(_, count)| *count >= least)
            .map(|(id, count)| (id, step(count)))
            .collect();
        Background::new(seen, words as f32 / seen.max(1) as f32, steps)
    }

    /// How many pages were counted.
    pub fn pages(&self) -> u32 {
        self.pages
    }

    /// How many terms it knows.
    pub fn terms(&self) -> usize {
        self.steps.len()
    }

    /// The mean number of words of a page.
    pub fn mean_length(&self) -> f64 {
        f64::from(self.mean_length).max(1.0)
    }

    /// In how many pages a term occurs, roughly.
    pub(super) fn frequency(&self, id: u32) -> f64 {
        self.steps
            .get(&id)
            .map_or(0.0, |step| STEP.powi(i32::from(*step)))
    }

    /// How much a term tells: the logarithm of how rare it is.
    pub(super) fn idf(&self, id: u32) -> f64 {
        let place = self.steps.get(&id).map_or(256, |step| usize::from(*step));
        self.idfs.get(place).copied().unwrap_or_default()
    }

    /// The share of pages that contain a word, roughly; 0 if it is rare or unknown.
    pub fn share(&self, word: &str) -> f64 {
        let id = super::stem::id_of(scenthound_types::text::Token::of(&super::stem::stem(word)));
        self.frequency(id) / f64::from(self.pages.max(1))
    }

    /// The bytes of a file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend(self.pages.to_le_bytes());
        bytes.extend(self.mean_length.to_le_bytes());
        bytes.extend((self.steps.len() as u32).to_le_bytes());
        let mut terms: Vec<(&u32, &u8)> = self.steps.iter().collect();
        terms.sort_unstable();
        let mut before = 0;
        for (id, step) in terms {
            let mut gap = id - before;
            before = *id;
            while gap >= 0x80 {
                bytes.push(gap as u8 | 0x80);
                gap >>= 7;
            }
            bytes.push(gap as u8);
            bytes.push(*step);
        }
        bytes
    }

    /// Reads a file's bytes; `None` if they are not such a file.
    pub fn from_bytes(bytes: &[u8]) -> Option<Background> {
        let rest = bytes.strip_prefix(MAGIC)?;
        let (pages, rest) = rest.split_first_chunk::<4>()?;
        let (mean_length, rest) = rest.split_first_chunk::<4>()?;
        let (count, mut rest) = rest.split_first_chunk::<4>()?;
        let count = u32::from_le_bytes(*count) as usize;
        let mean_length = f32::from_le_bytes(*mean_length);
        let mut steps = HashMap::with_capacity_and_hasher(count.min(rest.len()), ById::default());
        let mut before = 0_u32;
        for _ in 0..count {
            let mut gap = 0_u32;
            for shift in (0..).step_by(7) {
                let (byte, after) = rest.split_first()?;
                rest = after;
                gap |= u32::from(byte & 0x7f).checked_shl(shift)?;
                if byte & 0x80 == 0 {
                    break;
                }
            }
            let (step, after) = rest.split_first()?;
            rest = after;
            before = before.checked_add(gap)?;
            steps.insert(before, *step);
        }
        let is_sound = rest.is_empty() && mean_length.is_finite() && steps.len() == count;
        is_sound.then(|| Background::new(u32::from_le_bytes(*pages), mean_length, steps))
    }
}

/// ln(1 + (N − n + ½)/(n + ½)), which is never negative.
pub(super) fn idf(pages: f64, with: f64) -> f64 {
    (1.0 + (pages - with.min(pages) + 0.5) / (with + 0.5)).ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shipped_table_is_sound_and_small() {
        let table = Background::shipped();
        assert!(
            table.pages() > 5_000 && table.terms() > 50_000,
            "{} {}",
            table.pages(),
            table.terms()
        );
        assert!(SHIPPED.len() < 3 << 20, "{}", SHIPPED.len());
        assert!(table.share("page") > 0.05 && table.share("zygote") < 0.05);
        assert_eq!(
            Background::from_bytes(&table.to_bytes()).as_ref(),
            Some(table.as_ref())
        );
    }

    #[test]
    fn other_bytes_are_refused() {
        let bytes = Background::shipped().to_bytes();
        assert_eq!(Background::from_bytes(&bytes[..bytes.len() - 1]), None);
        assert_eq!(Background::from_bytes(&[&bytes[..], &[0]].concat()), None);
        assert_eq!(Background::from_bytes(b"SCENTBG1"), None);
    }
}
