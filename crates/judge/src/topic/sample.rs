//! The pages a judge learns from while it crawls: a random sample of those seen, the best of them, and the first seeds.
//!
//! All are bounded, so a crawl of millions of pages learns from some hundreds. The sample is drawn by the pages' keys,
//! which are hashes: every page is as likely to be in it, and nothing depends on the order or on a random number.

use std::collections::BTreeMap;

use scenthound_types::UrlKey;

use super::fields::PageFields;

/// Pages in the random sample, and best pages.
const RANDOM: usize = 600;
const BEST: usize = 300;
/// Seeds that stay whatever their score. People name few; a list of thousands says little about any one of them.
const SEEDS: usize = 30;

/// More pages than any crawl has seen. A saved count above it is damaged.
pub(super) const MOST_SEEN: u64 = 1 << 48;

/// Pages seen.
#[derive(Debug, Default)]
pub(super) struct Sample {
    /// How many were seen.
    pub seen: u64,
    pages: BTreeMap<u64, Kept>,
    /// Drawn at random, by the numbers they were drawn by.
    random: BTreeMap<u64, u64>,
    /// Pages that stay because they are seeds.
    seeds: usize,
    changed: Vec<u64>,
    /// What other nodes are to be told, if there are any.
    told: Option<Told>,
    /// The worst of the pages that are kept for their score alone, as far as it is known. Once the sample is full, every page
    /// is compared with it and hardly any comes in.
    worst: Option<(u64, f64)>,
}

/// What other nodes have not been told yet.
#[derive(Debug, Default)]
struct Told {
    /// How many pages were seen.
    seen: u64,
    /// Those among them that came in.
    came_in: Vec<u64>,
}

#[derive(Debug)]
struct Kept {
    fields: PageFields,
    score: f64,
    is_random: bool,
    is_seed: bool,
}

impl Kept {
    /// Whether nothing but its score keeps it.
    fn is_kept_for_score(&self) -> bool {
        !self.is_random && !self.is_seed
    }

    fn flags(&self) -> u8 {
        u8::from(self.is_random) | u8::from(self.is_seed) << 1
    }
}

/// The number a page is drawn by. Not the key itself, whose bits other parts use for other purposes.
fn lot(key: u64) -> u64 {
    key.wrapping_mul(0xd6e8_feb8_6659_fd93)
        .rotate_left(29)
        .wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

impl Sample {
    /// Adds a page with its current score.
    pub(super) fn add(&mut self, key: UrlKey, fields: PageFields, score: f64, is_seed: bool) {
        self.seen += 1;
        if let Some(told) = &mut self.told {
            told.seen += 1;
        }
        let key = key.0;
        if fields.is_empty() || self.pages.contains_key(&key) {
            return;
        }
        let drawn = lot(key);
        let is_random = self.random.len() < RANDOM
            || self
                .random
                .last_key_value()
                .is_some_and(|(last, _)| drawn < *last);
        let best = self.pages.len() - self.random.len();
        let is_seed = is_seed && self.seeds < SEEDS;
        self.seeds += usize::from(is_seed);
        if !is_random && !is_seed && best >= BEST && score <= self.worst().map_or(0.0, |(_, score)| score) {
            return;
        }
        self.worst = None;
        self.changed.push(key);
        if let Some(told) = &mut self.told {
            told.came_in.push(key);
        }
        self.pages.insert(
            key,
            Kept {
                fields,
                score,
                is_random,
                is_seed,
            },
        );
        if is_random {
            self.random.insert(drawn, key);
            if self.random.len() > RANDOM
                && let Some((_, out)) = self.random.pop_last()
                && let Some(kept) = self.pages.get_mut(&out)
            {
                // It may stay as one of the best.
                kept.is_random = false;
                self.changed.push(out);
            }
        }
        while self.pages.len() - self.random.len() > BEST {
            let Some((out, _)) = self.worst() else { break };
            self.pages.remove(&out);
            self.changed.push(out);
            self.worst = None;
        }
    }

    /// Of those that are kept for their score alone, the one with the lowest.
    fn worst(&mut self) -> Option<(u64, f64)> {
        if self.worst.is_none() {
            let best = self.pages.iter().filter(|(_, kept)| kept.is_kept_for_score());
            self.worst = best
                .map(|(key, kept)| (*key, kept.score))
                .min_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
        }
        self.worst
    }

    /// Scores all pages again.
    pub(super) fn rescore(&mut self, mut score: impl FnMut(&PageFields) -> f64) {
        for kept in self.pages.values_mut() {
            kept.score = score(&kept.fields);
        }
        self.worst = None;
    }

    /// All pages, by key.
    pub(super) fn pages(&self) -> impl Iterator<Item = (u64, &PageFields)> {
        self.pages.iter().map(|(key, kept)| (*key, &kept.fields))
    }

    /// The places of the seeds among [`Sample::pages`].
    pub(super) fn seeds(&self) -> Vec<usize> {
        let kept = self.pages.values().enumerate();
        kept.filter(|(_, kept)| kept.is_seed).map(|(at, _)| at).collect()
    }

    /// Those drawn at random.
    pub(super) fn random(&self) -> impl Iterator<Item = (u64, &PageFields)> {
        let random = self.pages.iter().filter(|(_, kept)| kept.is_random);
        random.map(|(key, kept)| (*key, &kept.fields))
    }

    /// What changed since the last call: pages that came in, and none for pages that went out.
    pub(super) fn changes(&mut self) -> Vec<(u64, Option<Vec<u8>>)> {
        let mut keys = std::mem::take(&mut self.changed);
        keys.sort_unstable();
        keys.dedup();
        let bytes = |kept: &Kept| {
            let mut bytes = vec![kept.flags()];
            bytes.extend(kept.score.to_le_bytes());
            bytes.extend(kept.fields.to_bytes());
            bytes
        };
        keys.into_iter()
            .map(|key| (key, self.pages.get(&key).map(bytes)))
            .collect()
    }

    /// Keeps what comes in from now on for other nodes.
    pub(super) fn share(&mut self) {
        self.told.get_or_insert_default();
    }

    /// What other nodes have not been told yet: how many pages were seen, and those of them that are in the sample, each with its
    /// key, whether it is a seed, and its length. The sample is drawn by keys, so samples of nodes that have told each other everything agree.
    pub(super) fn lessons(&mut self) -> Vec<u8> {
        let Some(told) = self
            .told
            .as_mut()
            .map(std::mem::take)
            .filter(|told| told.seen > 0)
        else {
            return Vec::new();
        };
        let mut bytes = told.seen.to_le_bytes().to_vec();
        for key in told.came_in {
            if let Some(kept) = self.pages.get(&key) {
                let fields = kept.fields.to_bytes();
                bytes.extend(key.to_le_bytes());
                bytes.push(kept.flags());
                bytes.extend(u32::try_from(fields.len()).unwrap_or(u32::MAX).to_le_bytes());
                bytes.extend(fields);
            }
        }
        bytes
    }

    /// Adds what another node was shown, scored anew. Other nodes are told by that node itself.
    pub(super) fn hear(&mut self, lessons: &[u8], score: impl Fn(&PageFields) -> f64) -> Option<()> {
        if lessons.is_empty() {
            return Some(());
        }
        let (seen, mut rest) = lessons.split_first_chunk::<8>()?;
        let before = self.seen;
        let told = self.told.take();
        let mut read = || {
            while let Some((key, after)) = rest.split_first_chunk::<8>() {
                let (flags, after) = after.split_first()?;
                let (length, after) = after.split_first_chunk::<4>()?;
                let (fields, after) = after.split_at_checked(u32::from_le_bytes(*length) as usize)?;
                let fields = PageFields::from_bytes(fields)?;
                let score = score(&fields);
                self.add(UrlKey(u64::from_le_bytes(*key)), fields, score, flags & 2 != 0);
                rest = after;
            }
            rest.is_empty().then_some(())
        };
        let is_read = read();
        self.told = told;
        let seen = before.saturating_add(u64::from_le_bytes(*seen));
        self.seen = self.seen.max(seen.min(MOST_SEEN));
        is_read
    }

    /// Puts a saved page back.
    pub(super) fn restore(&mut self, key: u64, bytes: &[u8]) -> Option<()> {
        let (flags, rest) = bytes.split_first()?;
        let (score, rest) = rest.split_first_chunk::<8>()?;
        let kept = Kept {
            fields: PageFields::from_bytes(rest)?,
            score: f64::from_le_bytes(*score),
            is_random: flags & 1 != 0,
            is_seed: flags & 2 != 0,
        };
        self.seeds += usize::from(kept.is_seed);
        if kept.is_random {
            self.random.insert(lot(key), key);
        }
        self.pages.insert(key, kept);
        self.worst = None;
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use scenthound_parse::{Limits, PageInput, parse};
    use scenthound_types::CanonicalUrl;

    use super::*;

    fn page(key: u64) -> PageFields {
        let url = CanonicalUrl::parse("http://a.test/").unwrap();
        let body = format!("<p>tea {key}</p>");
        let input = PageInput {
            url: &url,
            content_type: Some("text/html"),
            body: body.as_bytes(),
            truncated: false,
        };
        PageFields::read(&parse(&input, &Limits::default()))
    }

    fn score_of(fields: &PageFields) -> f64 {
        f64::from(fields.to_bytes().iter().map(|byte| u32::from(*byte)).sum::<u32>())
    }

    #[test]
    fn nodes_that_tell_each_other_what_they_saw_have_the_sample_of_one() {
        let mut alone = Sample::default();
        let mut nodes = [Sample::default(), Sample::default()];
        nodes.iter_mut().for_each(Sample::share);
        for key in 0..3_000_u64 {
            let fields = page(key);
            let score = score_of(&fields);
            alone.add(UrlKey(key), fields.clone(), score, false);
            nodes[(key % 2) as usize].add(UrlKey(key), fields, score, false);
            if key % 700 == 0 || key == 2_999 {
                let lessons = [nodes[0].lessons(), nodes[1].lessons()];
                nodes[0].hear(&lessons[1], score_of).unwrap();
                nodes[1].hear(&lessons[0], score_of).unwrap();
            }
        }
        for node in &mut nodes {
            assert_eq!(node.seen, alone.seen);
            let keys = |sample: &Sample| sample.random().map(|(key, _)| key).collect::<Vec<_>>();
            assert_eq!(keys(node), keys(&alone));
            assert!(node.lessons().is_empty(), "what was heard is not passed on");
        }
    }
}
