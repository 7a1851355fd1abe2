//! Two models of the words at links, learnt while crawling: which words led to relevant pages, and which meanings.
//!
//! Both are logistic regression, one AdaGrad step per example. After each visit a few earlier ones are learnt again, good and
//! bad in turn, because good ones are rare.
//!
//! The first knows each word by itself, so it knows nothing about a word that no visited link had; and the names of things,
//! which is what most links consist of, rarely occur twice. The second knows words by their vectors ([`WordVectors`]): once
//! links to leopards and lions have led to relevant pages, it expects something of tigers. It is as ignorant as before of words
//! without a vector, such as those of most languages.

use scenthound_learn::{MEANING, Meaning, WordVectors};
use scenthound_types::Rng;

use super::note::{Note, Reader, Words};

/// Places of words in one block of weights.
const PLACES: usize = 1 << 16;
/// Words of anchors and around them share a block of weights; those of URLs have their own.
const WORDS: usize = 2 * PLACES;
/// The meaning of the link itself, anchor and URL together, and of the words around it.
pub(super) const MEANINGS: usize = 2 * MEANING;
/// How many good and how many bad visits are kept to learn from again.
const KEPT: usize = 400;
/// How many earlier visits are learnt again after each visit.
const REPLAYED: usize = 6;
const RATE: f32 = 0.5;
const FIRST_SQUARES: f32 = 0.3;
const DECAY: f32 = 1e-4;
const BIAS: f32 = -2.0;
/// Weights of the words of anchors, of those around them and of those of the URL.
const BLOCKS: [f32; 3] = [1.0, AROUND, 1.0];
const AROUND: f32 = 0.7;

/// The words of a visited link and how relevant the page was.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Example {
    words: Words,
    label: f32,
}

/// A number that is learnt: AdaGrad makes its steps shorter the longer all of them were together.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Learnt {
    value: f32,
    squares: f32,
}

impl Learnt {
    const NOTHING: Learnt = Learnt::starting_at(0.0);

    const fn starting_at(value: f32) -> Learnt {
        Learnt {
            value,
            squares: FIRST_SQUARES,
        }
    }

    fn step(&mut self, slope: f32) {
        self.squares += slope * slope;
        self.value -= RATE * slope / self.squares.sqrt();
    }

    fn weight_step(&mut self, slope: f32) {
        self.step(slope + DECAY * self.value);
    }

    fn save(&self, out: &mut Vec<u8>) {
        out.extend(self.value.to_le_bytes());
        out.extend(self.squares.to_le_bytes());
    }

    fn restore(reader: &mut Reader<'_>) -> Option<Learnt> {
        Some(Learnt {
            value: reader.small_float()?,
            squares: reader.small_float()?,
        })
    }
}

/// What words at links say about the pages behind them.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct TextModel {
    words: Vec<Learnt>,
    words_bias: Learnt,
    meanings: [Learnt; MEANINGS],
    meanings_bias: Learnt,
    good: Vec<Example>,
    bad: Vec<Example>,
    /// Good and bad visits seen.
    seen: [u64; 2],
}

impl Default for TextModel {
    fn default() -> TextModel {
        TextModel {
            words: vec![Learnt::NOTHING; WORDS],
            words_bias: Learnt::starting_at(BIAS),
            meanings: [Learnt::NOTHING; MEANINGS],
            meanings_bias: Learnt::starting_at(BIAS),
            good: Vec::new(),
            bad: Vec::new(),
            seen: [0; 2],
        }
    }
}

/// Each word's place among the weights, and how much it counts.
fn scaled(words: &Words) -> impl Iterator<Item = (usize, f32)> + '_ {
    let from = [0, 0, PLACES];
    let blocks = words.blocks().into_iter().zip(BLOCKS).zip(from);
    blocks.flat_map(|((words, weight), from)| {
        let scale = weight / (words.len().max(1) as f32).sqrt();
        words.iter().map(move |word| (from + usize::from(*word), scale))
    })
}

/// What a link and the words around it mean.
fn meanings(words: &Words) -> [Meaning; 2] {
    let vectors = WordVectors::shipped();
    let of_link = words.anchor.iter().chain(words.url.iter());
    let of_link = vectors.meaning(of_link.map(|word| u32::from(*word)));
    let around = vectors.meaning(words.around.iter().map(|word| u32::from(*word)));
    [of_link, around.map(|number| AROUND * number)]
}

pub(super) fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}

impl TextModel {
    /// The log-odds that a link with these words leads to a relevant page, by the words themselves and without the base rate.
    pub fn words(&self, words: &Words) -> f32 {
        let weight = |place: usize| self.words.get(place).map_or(0.0, |weight| weight.value);
        scaled(words).map(|(place, scale)| weight(place) * scale).sum()
    }

    /// The same by what the words mean.
    pub fn meaning(&self, words: &Words) -> f32 {
        self.of_meanings(&meanings(words))
    }

    fn of_meanings(&self, meanings: &[Meaning; 2]) -> f32 {
        let weights = self.meanings.iter().zip(meanings.as_flattened());
        weights.map(|(weight, value)| weight.value * value).sum()
    }

    /// Learns from a visit, and again from a few earlier ones.
    pub fn learn(&mut self, note: &Note, label: f32) {
        let example = Example {
            words: note.words,
            label,
        };
        self.step(&example);
        let mut rng = Rng::for_part(0x5ce7, self.seen.iter().sum());
        for turn in 0..REPLAYED {
            let kept = if turn % 2 == 0 { &self.good } else { &self.bad };
            if kept.is_empty() {
                continue;
            }
            let at = (rng.number() % kept.len() as u64) as usize;
            if let Some(example) = kept.get(at).copied() {
                self.step(&example);
            }
        }
        let is_good = label >= 0.5;
        let [good, bad] = &mut self.seen;
        let (kept, seen) = if is_good {
            (&mut self.good, good)
        } else {
            (&mut self.bad, bad)
        };
        if kept.len() < KEPT {
            kept.push(example);
        } else if let Some(old) = kept.get_mut((*seen % KEPT as u64) as usize) {
            *old = example;
        }
        *seen += 1;
    }

    fn step(&mut self, example: &Example) {
        let error = sigmoid(self.words_bias.value + self.words(&example.words)) - example.label;
        for (place, scale) in scaled(&example.words) {
            if let Some(weight) = self.words.get_mut(place) {
                weight.weight_step(error * scale);
            }
        }
        self.words_bias.step(error);
        let meanings = meanings(&example.words);
        let error = sigmoid(self.meanings_bias.value + self.of_meanings(&meanings)) - example.label;
        for (weight, value) in self.meanings.iter_mut().zip(meanings.as_flattened()) {
            weight.weight_step(error * value);
        }
        self.meanings_bias.step(error);
    }
}

impl TextModel {
    /// Appends the models to some bytes.
    pub fn save(&self, out: &mut Vec<u8>) {
        let learnt = || {
            let words = (0_u32..).zip(&self.words);
            words.filter(|(_, weight)| **weight != Learnt::NOTHING)
        };
        out.extend((learnt().count() as u32).to_le_bytes());
        for (place, weight) in learnt() {
            out.extend(place.to_le_bytes());
            weight.save(out);
        }
        for number in self.others() {
            number.save(out);
        }
        for (seen, kept) in self.seen.iter().zip([&self.good, &self.bad]) {
            out.extend(seen.to_le_bytes());
            out.extend((kept.len() as u32).to_le_bytes());
            for example in kept {
                out.extend(example.label.to_le_bytes());
                example.words.save(out);
            }
        }
    }

    /// What is saved besides the weights of words.
    fn others(&self) -> impl Iterator<Item = &Learnt> {
        [&self.words_bias, &self.meanings_bias]
            .into_iter()
            .chain(&self.meanings)
    }

    /// Reads what [`TextModel::save`] wrote.
    pub fn restore(reader: &mut Reader<'_>) -> Option<TextModel> {
        let mut model = TextModel::default();
        for _ in 0..reader.four()? {
            let place = reader.four()? as usize;
            *model.words.get_mut(place)? = Learnt::restore(reader)?;
        }
        let TextModel {
            words_bias,
            meanings,
            meanings_bias,
            ..
        } = &mut model;
        for number in [words_bias, meanings_bias].into_iter().chain(meanings) {
            *number = Learnt::restore(reader)?;
        }
        for (seen, kept) in model.seen.iter_mut().zip([&mut model.good, &mut model.bad]) {
            *seen = reader.eight()?;
            for _ in 0..reader.four()? {
                kept.push(Example {
                    label: reader.small_float()?,
                    words: Words::restore(reader)?,
                });
            }
        }
        Some(model)
    }
}

#[cfg(test)]
mod tests {
    use scenthound_types::LinkTokens;
    use scenthound_types::text::Token;

    use super::*;
    use crate::scent::note::{Parent, Sighting};

    fn link(anchor: &str) -> Note {
        let token = |word: &str| (Token::of(word).hash() >> 32) as u32;
        let tokens = LinkTokens::new(
            anchor.split(' ').map(token),
            std::iter::empty(),
            std::iter::empty(),
        );
        let mut note = Note::default();
        note.add(&Sighting {
            parent: Parent::default(),
            relevance: 0.0,
            inherited: 0.0,
            list_size: 1.0,
            page_size: 1.0,
            list_mean: 0.0,
            scores: None,
            tokens: Some(&tokens),
        });
        note
    }

    fn taught() -> TextModel {
        let mut model = TextModel::default();
        for _ in 0..5 {
            for good in ["lion", "leopard", "gray wolf", "squirrel"] {
                model.learn(&link(good), 1.0);
            }
            for bad in ["parliament", "minister", "railway station", "violin"] {
                model.learn(&link(bad), 0.0);
            }
        }
        model
    }

    #[test]
    fn words_never_seen_are_known_by_what_they_mean() {
        let model = taught();
        let by_meaning = |anchor| model.meaning(&link(anchor).words);
        assert!(by_meaning("tiger") > by_meaning("senator") + 1.0);
        assert!(model.words(&link("tiger").words).abs() < 1e-6, "not by itself");
        assert!(model.words(&link("lion").words) > 0.3);
        assert!(
            by_meaning("qqzzxy").abs() < 1e-6,
            "what has no meaning says nothing"
        );
    }

    #[test]
    fn both_models_are_saved() {
        let model = taught();
        let mut bytes = Vec::new();
        model.save(&mut bytes);
        assert_eq!(TextModel::restore(&mut Reader(&bytes)), Some(model));
    }
}
