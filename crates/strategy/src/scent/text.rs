//! A model of the words at links, learnt while crawling: which words led to relevant pages.
//!
//! Logistic regression on hashed words, one AdaGrad step per example. After each visit a few earlier ones are learnt
//! again, good and bad in turn, because good ones are rare.

use scenthound_types::Rng;

use super::note::{Note, Reader, Words};

/// How many words the model tells apart.
const WORDS: usize = 1 << 16;
/// How many good and how many bad visits are kept to learn from again.
const KEPT: usize = 400;
/// How many earlier visits are learnt again after each visit.
const REPLAYED: usize = 6;
const RATE: f32 = 0.5;
const FIRST_SQUARES: f32 = 0.3;
const DECAY: f32 = 1e-4;
const BIAS: f32 = -2.0;
/// Weights of the words of anchors, of those around them and of those of the URL.
const BLOCKS: [f32; 3] = [1.0, 0.7, 1.0];

/// The words of a visited link and how relevant the page was.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Example {
    words: Words,
    label: f32,
}

/// What words at links say about the pages behind them.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct TextModel {
    weights: Vec<f32>,
    squares: Vec<f32>,
    bias: f32,
    bias_squares: f32,
    good: Vec<Example>,
    bad: Vec<Example>,
    /// Good and bad visits seen.
    seen: [u64; 2],
}

impl Default for TextModel {
    fn default() -> TextModel {
        TextModel {
            weights: vec![0.0; WORDS],
            squares: vec![FIRST_SQUARES; WORDS],
            bias: BIAS,
            bias_squares: FIRST_SQUARES,
            good: Vec::new(),
            bad: Vec::new(),
            seen: [0; 2],
        }
    }
}

fn scales(words: &Words) -> [f32; 3] {
    let mut scales = BLOCKS;
    for (scale, words) in scales.iter_mut().zip(words.blocks()) {
        *scale /= (words.len().max(1) as f32).sqrt();
    }
    scales
}

pub(super) fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}

impl TextModel {
    /// The log-odds that a link with these words leads to a relevant page, without the base rate.
    pub fn score(&self, words: &Words) -> f32 {
        let mut sum = 0.0;
        for (words, scale) in words.blocks().into_iter().zip(scales(words)) {
            let of_block: f32 = words.iter().map(|word| self.weight(*word)).sum();
            sum += of_block * scale;
        }
        sum
    }

    fn weight(&self, word: u16) -> f32 {
        self.weights.get(usize::from(word)).copied().unwrap_or_default()
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
        let error = sigmoid(self.bias + self.score(&example.words)) - example.label;
        for (words, scale) in example.words.blocks().into_iter().zip(scales(&example.words)) {
            for word in words {
                let at = usize::from(*word);
                if let (Some(weight), Some(squares)) = (self.weights.get_mut(at), self.squares.get_mut(at)) {
                    let slope = error * scale + DECAY * *weight;
                    *squares += slope * slope;
                    *weight -= RATE * slope / squares.sqrt();
                }
            }
        }
        self.bias_squares += error * error;
        self.bias -= RATE * error / self.bias_squares.sqrt();
    }
}

impl TextModel {
    /// Appends the model to some bytes.
    pub fn save(&self, out: &mut Vec<u8>) {
        let learnt = || {
            let weights = self.weights.iter().zip(&self.squares);
            (0u16..=u16::MAX)
                .zip(weights)
                .filter(|(_, (_, squares))| **squares != FIRST_SQUARES)
        };
        out.extend((learnt().count() as u32).to_le_bytes());
        for (word, (weight, squares)) in learnt() {
            out.extend(word.to_le_bytes());
            out.extend(weight.to_le_bytes());
            out.extend(squares.to_le_bytes());
        }
        out.extend(self.bias.to_le_bytes());
        out.extend(self.bias_squares.to_le_bytes());
        for (seen, kept) in self.seen.iter().zip([&self.good, &self.bad]) {
            out.extend(seen.to_le_bytes());
            out.extend((kept.len() as u32).to_le_bytes());
            for example in kept {
                out.extend(example.label.to_le_bytes());
                example.words.save(out);
            }
        }
    }

    /// Reads what [`TextModel::save`] wrote.
    pub fn restore(reader: &mut Reader<'_>) -> Option<TextModel> {
        let mut model = TextModel::default();
        for _ in 0..reader.four()? {
            let at = usize::from(reader.two()?);
            *model.weights.get_mut(at)? = reader.small_float()?;
            *model.squares.get_mut(at)? = reader.small_float()?;
        }
        model.bias = reader.small_float()?;
        model.bias_squares = reader.small_float()?;
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
