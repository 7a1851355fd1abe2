//! A model of the words at links, learnt while crawling: which words led to relevant pages.
//!
//! Logistic regression on hashed words, one AdaGrad step per example. After each visit a few earlier ones are learnt
//! again, good and bad in turn, because good ones are rare.

use scenthound_types::Rng;

use super::note::{Note, Reader};

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
#[derive(Clone, PartialEq, Debug)]
struct Example {
    words: [Vec<u16>; 3],
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

fn scales(words: &[Vec<u16>; 3]) -> [f32; 3] {
    let mut scales = BLOCKS;
    for (scale, words) in scales.iter_mut().zip(words) {
        *scale /= (words.len().max(1) as f32).sqrt();
    }
    scales
}

pub(super) fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}

impl TextModel {
    /// The log-odds that a link with these words leads to a relevant page, without the base rate.
    pub fn score(&self, words: &[Vec<u16>; 3]) -> f32 {
        let mut sum = 0.0;
        for (words, scale) in words.iter().zip(scales(words)) {
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
            words: note.words.clone(),
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
            if let Some(example) = kept.get(at).cloned() {
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
        for (words, scale) in example.words.iter().zip(scales(&example.words)) {
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
