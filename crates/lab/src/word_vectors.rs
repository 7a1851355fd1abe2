//! Reads vectors of words, to make the table of meanings that the judge `topic` and the strategy `scent` know words by.

use std::collections::HashSet;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use scenthound_judge::without_plural;
use scenthound_learn::{MEANING, WordVectors};
use scenthound_types::text::Token;

use crate::error::LabError;

/// Makes a table of the first words of a file with one word and its numbers per line, the most frequent word first. Words of
/// one letter and what is not made of letters alone are passed over.
///
/// The judge compares words without the endings of plurals, which makes "mathematics" something that is no word and has no
/// vector. So what is left of a word stands for it, unless it is a word itself.
pub fn read_word_vectors(path: &Path, most: usize) -> Result<WordVectors, LabError> {
    let bad = |line: usize, what: String| LabError::Vectors {
        path: path.to_owned(),
        line,
        what,
    };
    let mut words: Vec<(u32, Vec<f32>)> = Vec::new();
    let mut known = HashSet::new();
    let mut stems: Vec<(u32, usize)> = Vec::new();
    let mut last = 0;
    let file = File::open(path).map_err(|error| bad(1, error.to_string()))?;
    for (number, line) in (1..).zip(BufReader::new(file).lines()) {
        let line = line.map_err(|error| bad(number, error.to_string()))?;
        last = number;
        let mut parts = line.split_ascii_whitespace();
        let Some(word) = parts.next() else { continue };
        let is_word = word.chars().nth(1).is_some() && word.chars().all(char::is_alphabetic);
        let hash = hash_of(word);
        if !is_word || !known.insert(hash) {
            continue;
        }
        let vector: Result<Vec<f32>, _> = parts.map(str::parse).collect();
        let vector = vector.map_err(|error| bad(number, format!("after {word:?}: {error}")))?;
        let length = words.first().map_or(vector.len(), |(_, first)| first.len());
        if vector.len() != length || vector.iter().any(|number| !number.is_finite()) {
            let what = format!("{word:?} has {} numbers, the first word {length}", vector.len());
            return Err(bad(number, what));
        }
        stems.push((hash_of(&without_plural(word)), words.len()));
        words.push((hash, vector));
        if words.len() == most {
            break;
        }
    }
    for (stem, place) in stems {
        if known.insert(stem)
            && let Some((_, vector)) = words.get(place)
        {
            words.push((stem, vector.clone()));
        }
    }
    let of_other_length = || bad(last, format!("a word does not have {MEANING} numbers"));
    WordVectors::of_vectors(&words).ok_or_else(of_other_length)
}

fn hash_of(word: &str) -> u32 {
    (Token::of(word).hash() >> 32) as u32
}
