//! Latent semantic analysis: the few directions along which documents differ most.
//!
//! Words that occur in the same documents come to lie in the same direction, so a document on leopards lies near one on lions
//! although they share few words. Nothing is known beforehand about the words or their language.
//!
//! The directions are found by multiplying random ones with the documents' products a few times (a randomised singular value
//! decomposition). They need not be exact: what is used of them is who lies near whom.
//!
//! Invariant: a position has length 1, or is 0 where nothing is known of a document.

use std::collections::HashMap;

use scenthound_types::Rng;

use crate::sparse::{Row, SparseRows};

/// How many directions there are.
pub const LATENT: usize = 32;
/// How often random directions are multiplied by the documents' products.
const STEPS: usize = 2;
/// A group of so many documents gives half of its mean.
const FEW: f32 = 2.0;
/// A direction this much shorter than the first is left out.
const LEAST: f32 = 1e-4;

/// Where a document lies.
pub type Position = [f32; LATENT];

/// The directions, as the position of each feature.
#[derive(Clone, PartialEq, Debug)]
pub struct LatentSpace {
    features: Vec<Position>,
    /// The mean of the documents' positions, each document taken at length 1.
    mean: Position,
}

impl LatentSpace {
    /// Finds the directions along which documents of the same group differ, whatever groups have in common; documents have length 1.
    /// `None` if there are too few of them.
    pub fn fit(documents: &SparseRows, groups: &[u32]) -> Option<LatentSpace> {
        let count = documents.len();
        if count <= LATENT {
            return None;
        }
        let mut rng = Rng::for_part(0x1a7e, 0);
        // One line per document; the columns are the directions.
        let mut lines: Vec<Position> = (0..count)
            .map(|_| std::array::from_fn(|_| (rng.fraction() - 0.5) as f32))
            .collect();
        let groups = Groups::new(groups);
        let mut features = vec![[0.0; LATENT]; documents.features()];
        for _ in 0..STEPS {
            orthogonalise(&mut lines);
            groups.centre(&mut lines);
            gather(documents, &lines, &mut features);
            for (line, row) in lines.iter_mut().zip(documents.rows()) {
                *line = sum_of(row, &features);
            }
            groups.centre(&mut lines);
        }
        orthogonalise(&mut lines);
        groups.centre(&mut lines);
        gather(documents, &lines, &mut features);
        orthogonalise(&mut features);
        let mut mean = [0.0; LATENT];
        for row in documents.rows() {
            add(&mut mean, &sum_of(row, &features), 1.0 / count as f32);
        }
        Some(LatentSpace { features, mean })
    }

    /// What a feature with a value adds to the position of a document, before [`LatentSpace::position`].
    #[inline]
    pub fn add_feature(&self, sum: &mut Position, feature: u32, value: f32) {
        if let Some(position) = self.features.get(feature as usize) {
            add(sum, position, value);
        }
    }

    /// Where a document lies whose features were added up, each multiplied so that the document had length 1.
    pub fn position(&self, mut sum: Position) -> Position {
        if sum.iter().all(|number| *number == 0.0) {
            return sum;
        }
        add(&mut sum, &self.mean, -1.0);
        let length = dot(&sum, &sum).sqrt();
        if length > 0.0 {
            sum.iter_mut().for_each(|number| *number /= length);
        }
        sum
    }

    /// Where a document of length 1 lies.
    pub fn position_of(&self, document: Row<'_>) -> Position {
        self.position(sum_of(document, &self.features))
    }
}

/// Which documents belong together.
struct Groups {
    /// The group of each document, and how many documents each group has.
    of: Vec<usize>,
    sizes: Vec<f32>,
}

impl Groups {
    fn new(names: &[u32]) -> Groups {
        let mut numbers: HashMap<u32, usize> = HashMap::new();
        let mut sizes = Vec::new();
        let of = names
            .iter()
            .map(|name| {
                let number = *numbers.entry(*name).or_insert_with(|| {
                    sizes.push(0.0);
                    sizes.len() - 1
                });
                if let Some(size) = sizes.get_mut(number) {
                    *size += 1.0;
                }
                number
            })
            .collect();
        Groups { of, sizes }
    }

    /// Takes from each line the mean of its group, and less of it where there are few lines to tell it by.
    fn centre(&self, lines: &mut [Position]) {
        let mut means = vec![[0.0; LATENT]; self.sizes.len()];
        for (line, group) in lines.iter().zip(&self.of) {
            if let (Some(mean), Some(size)) = (means.get_mut(*group), self.sizes.get(*group)) {
                add(mean, line, 1.0 / (size + FEW));
            }
        }
        for (line, group) in lines.iter_mut().zip(&self.of) {
            if let Some(mean) = means.get(*group) {
                add(line, mean, -1.0);
            }
        }
    }
}

/// How near two positions are to each other: from −1 to 1.
pub fn nearness(a: &Position, b: &Position) -> f32 {
    dot(a, b)
}

fn sum_of(row: Row<'_>, features: &[Position]) -> Position {
    let mut sum = [0.0; LATENT];
    for (place, value) in row.entries() {
        if let Some(position) = features.get(place as usize) {
            add(&mut sum, position, value);
        }
    }
    sum
}

/// The sum of the lines of all documents that have a feature, for each feature.
fn gather(documents: &SparseRows, lines: &[Position], features: &mut [Position]) {
    features.fill([0.0; LATENT]);
    for (row, line) in documents.rows().zip(lines) {
        for (place, value) in row.entries() {
            if let Some(feature) = features.get_mut(place as usize) {
                add(feature, line, value);
            }
        }
    }
}

#[inline]
fn add(sum: &mut Position, other: &Position, factor: f32) {
    for (sum, number) in sum.iter_mut().zip(other) {
        *sum += factor * number;
    }
}

#[inline]
fn dot(a: &Position, b: &Position) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Makes the columns of some lines orthogonal and of length 1, by the products of all pairs of columns. A column that is a
/// mixture of those before it becomes 0.
fn orthogonalise(lines: &mut [Position]) {
    // Twice, because the rounding of the first time shows where columns are much alike.
    for _ in 0..2 {
        let mut products = vec![[0.0_f32; LATENT]; LATENT];
        for line in lines.iter() {
            for (sums, own) in products.iter_mut().zip(line) {
                add(sums, line, *own);
            }
        }
        let Some(factors) = inverse_root(&products) else {
            return;
        };
        for line in lines.iter_mut() {
            let mut turned = [0.0; LATENT];
            for (own, factors) in line.iter().zip(&factors) {
                add(&mut turned, factors, *own);
            }
            *line = turned;
        }
    }
}

/// The matrix R⁻¹ with RᵀR = products (Cholesky), line by line; `None` if all products are 0.
fn inverse_root(products: &[Position]) -> Option<Vec<Position>> {
    let at = |matrix: &[Vec<f64>], line: usize, column: usize| -> f64 {
        matrix
            .get(line)
            .and_then(|line| line.get(column))
            .copied()
            .unwrap_or(0.0)
    };
    let product = |line: usize, column: usize| -> f64 {
        products
            .get(line)
            .and_then(|line| line.get(column))
            .map_or(0.0, |number| f64::from(*number))
    };
    let largest = (0..LATENT).map(|place| product(place, place)).fold(0.0, f64::max);
    if largest <= 0.0 {
        return None;
    }
    // The lower root L, with L·Lᵀ = products.
    let mut root = vec![vec![0.0_f64; LATENT]; LATENT];
    for line in 0..LATENT {
        for column in 0..=line {
            let sum: f64 = (0..column)
                .map(|place| at(&root, line, place) * at(&root, column, place))
                .sum();
            let left = product(line, column) - sum;
            let value = if line == column {
                if left > f64::from(LEAST).powi(2) * largest {
                    left.sqrt()
                } else {
                    0.0
                }
            } else {
                let pivot = at(&root, column, column);
                if pivot > 0.0 { left / pivot } else { 0.0 }
            };
            if let Some(place) = root.get_mut(line).and_then(|line| line.get_mut(column)) {
                *place = value;
            }
        }
    }
    // The inverse of L, column by column; a line without a pivot stays 0. Its transpose is wanted.
    let mut turned = vec![[0.0_f32; LATENT]; LATENT];
    for column in 0..LATENT {
        let mut inverse = [0.0_f64; LATENT];
        for line in column..LATENT {
            let pivot = at(&root, line, line);
            if pivot <= 0.0 {
                continue;
            }
            let unit = if line == column { 1.0 } else { 0.0 };
            let sum: f64 = inverse
                .iter()
                .enumerate()
                .take(line)
                .skip(column)
                .map(|(place, known)| at(&root, line, place) * known)
                .sum();
            if let Some(place) = inverse.get_mut(line) {
                *place = (unit - sum) / pivot;
            }
        }
        if let Some(line) = turned.get_mut(column) {
            for (place, value) in line.iter_mut().zip(inverse) {
                *place = value as f32;
            }
        }
    }
    Some(turned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SparseVector;

    /// Two hundred documents on two subjects, twenty of the two hundred words of their subject each. Those with an even number belong to
    /// one group, whose documents all have one more word.
    fn documents() -> (SparseRows, Vec<u32>) {
        let mut rng = Rng::for_part(3, 0);
        let mut rows = SparseRows::new(402);
        let groups = (0..200).map(|at| at % 2).collect();
        for at in 0..200_u32 {
            let first = 200 * (at / 2 % 2);
            let mut entries: Vec<(u32, f32)> = (0..20)
                .map(|_| (first + (rng.fraction() * 200.0) as u32, 0.2))
                .collect();
            entries.push((400 + at % 2, 0.4));
            rows.push(SparseVector::new(entries).row());
        }
        (rows, groups)
    }

    fn position(space: &LatentSpace, words: std::ops::Range<u32>) -> Position {
        let entries = words.map(|word| (word, 0.2)).collect();
        space.position_of(SparseVector::new(entries).row())
    }

    #[test]
    fn documents_on_one_subject_are_near_each_other_without_a_word_in_common() {
        let (rows, groups) = documents();
        let space = LatentSpace::fit(&rows, &groups).unwrap();
        let own = position(&space, 0..25);
        assert!((nearness(&own, &own) - 1.0).abs() < 1e-4);
        let same = nearness(&own, &position(&space, 100..125));
        let other = nearness(&own, &position(&space, 300..325));
        assert!(same > other + 0.3, "{same} {other}");
    }

    #[test]
    fn what_all_documents_of_a_group_share_is_no_direction() {
        let (rows, groups) = documents();
        let of_group = |groups: &[u32]| {
            let space = LatentSpace::fit(&rows, groups).unwrap();
            let lengths = [400, 401].map(|word| dot(&space.features[word], &space.features[word]));
            lengths.into_iter().fold(0.0, f32::max)
        };
        // The mean of a group is only taken away in part.
        assert!(of_group(&groups) < 0.2 * of_group(&vec![0; 200]));
    }

    #[test]
    fn a_document_of_unknown_words_lies_nowhere() {
        let (rows, groups) = documents();
        let space = LatentSpace::fit(&rows, &groups).unwrap();
        assert_eq!(space.position([0.0; LATENT]), [0.0; LATENT]);
        assert_eq!(LatentSpace::fit(&SparseRows::new(5), &[]), None);
    }
}
