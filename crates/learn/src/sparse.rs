//! Vectors that are mostly zero.
//!
//! Invariant: the places of a vector are ascending and unique, and the values are finite. So a product with another
//! vector is a single pass, and what is learnt is finite too.

use serde::{Deserialize, Serialize};

/// A vector that owns its values.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct SparseVector {
    places: Vec<u32>,
    values: Vec<f32>,
}

impl SparseVector {
    /// From places and values in any order. Values at one place add up; a value that is not finite counts as 0.
    pub fn new(mut entries: Vec<(u32, f32)>) -> SparseVector {
        entries.retain(|(_, value)| value.is_finite());
        entries.sort_by_key(|(place, _)| *place);
        let mut vector = SparseVector::default();
        for (place, value) in entries {
            match (vector.places.last(), vector.values.last_mut()) {
                (Some(last), Some(held)) if *last == place => {
                    *held = (*held + value).clamp(f32::MIN, f32::MAX);
                }
                _ => {
                    vector.places.push(place);
                    vector.values.push(value);
                }
            }
        }
        vector
    }

    /// The vector as a row.
    pub fn row(&self) -> Row<'_> {
        Row {
            places: &self.places,
            values: &self.values,
        }
    }

    pub(crate) fn scale(&mut self, factor: f32) {
        for value in &mut self.values {
            *value *= factor;
        }
    }

    /// Adds an entry whose place lies after all others.
    pub(crate) fn push(&mut self, place: u32, value: f32) {
        debug_assert!(self.places.last().is_none_or(|last| *last < place));
        self.places.push(place);
        self.values.push(value);
    }
}

/// A borrowed vector: ascending places, and the value at each.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Row<'a> {
    places: &'a [u32],
    values: &'a [f32],
}

impl<'a> Row<'a> {
    /// Places and values, places ascending.
    pub fn entries(self) -> impl Iterator<Item = (u32, f32)> + Clone + 'a {
        self.places.iter().copied().zip(self.values.iter().copied())
    }

    /// How many places are not zero.
    pub fn len(self) -> usize {
        self.places.len()
    }

    /// Whether the vector is zero everywhere.
    pub fn is_empty(self) -> bool {
        self.places.is_empty()
    }

    /// The dot product with a dense vector; places it does not have count as 0.
    #[inline]
    pub fn dot(self, full: &[f64]) -> f64 {
        let mut sum = 0.0;
        for (place, value) in self.entries() {
            if let Some(other) = full.get(place as usize) {
                sum += other * f64::from(value);
            }
        }
        sum
    }

    /// Adds a multiple of this vector to a dense one; places it does not have are skipped.
    #[inline]
    pub fn add_to(self, factor: f64, full: &mut [f64]) {
        for (place, value) in self.entries() {
            if let Some(other) = full.get_mut(place as usize) {
                *other += factor * f64::from(value);
            }
        }
    }

    /// The sum of the squares.
    pub fn squared_length(self) -> f64 {
        self.values.iter().map(|value| f64::from(*value).powi(2)).sum()
    }
}

/// Many vectors, contiguous in memory.
#[derive(Clone, PartialEq, Debug)]
pub struct SparseRows {
    /// Where each row ends: one more element than there are rows, the first 0.
    ends: Vec<usize>,
    places: Vec<u32>,
    values: Vec<f32>,
    features: usize,
}

impl SparseRows {
    /// No rows yet, over this many features.
    pub fn new(features: usize) -> SparseRows {
        SparseRows {
            ends: vec![0],
            places: Vec::new(),
            values: Vec::new(),
            features,
        }
    }

    /// Builds rows from these vectors. There are `features` features, or more if a vector has a place beyond that.
    pub fn of<'a>(features: usize, vectors: impl IntoIterator<Item = Row<'a>>) -> SparseRows {
        let mut rows = SparseRows::new(features);
        for vector in vectors {
            rows.push(vector);
        }
        rows
    }

    /// Adds a row at the end.
    pub fn push(&mut self, row: Row<'_>) {
        if let Some(last) = row.places.last() {
            self.features = self.features.max(*last as usize + 1);
        }
        self.places.extend_from_slice(row.places);
        self.values.extend_from_slice(row.values);
        self.ends.push(self.places.len());
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.ends.len() - 1
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many features there are.
    pub fn features(&self) -> usize {
        self.features
    }

    /// The row at an index; empty if there is none.
    #[inline]
    pub fn row(&self, at: usize) -> Row<'_> {
        let (Some(start), Some(end)) = (self.ends.get(at), self.ends.get(at + 1)) else {
            return Row {
                places: &[],
                values: &[],
            };
        };
        Row {
            places: self.places.get(*start..*end).unwrap_or_default(),
            values: self.values.get(*start..*end).unwrap_or_default(),
        }
    }

    /// All rows in order.
    pub fn rows(&self) -> impl Iterator<Item = Row<'_>> + Clone {
        (0..self.len()).map(|at| self.row(at))
    }

    /// The rows at these indices, in this order.
    pub fn pick(&self, places: &[usize]) -> SparseRows {
        SparseRows::of(self.features, places.iter().map(|at| self.row(*at)))
    }

    /// The same rows with only the given features, numbered as in the list.
    pub fn select(&self, features: &[u32]) -> SparseRows {
        let mut new_places = vec![u32::MAX; self.features];
        for (new, old) in (0..).zip(features) {
            if let Some(place) = new_places.get_mut(*old as usize) {
                *place = new;
            }
        }
        let mut rows = SparseRows::new(features.len());
        for row in self.rows() {
            let entries = row.entries().filter_map(|(place, value)| {
                let new = *new_places.get(place as usize)?;
                (new != u32::MAX).then_some((new, value))
            });
            rows.push(SparseVector::new(entries.collect()).row());
        }
        rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_ascend_and_values_at_one_place_add_up() {
        let vector = SparseVector::new(vec![(5, 1.0), (2, 2.0), (5, 3.0), (9, f32::NAN)]);
        assert_eq!(vector.row().entries().collect::<Vec<_>>(), [(2, 2.0), (5, 4.0)]);
        assert_eq!(vector.row().dot(&[0.0, 0.0, 10.0]), 20.0);
        assert_eq!(vector.row().squared_length(), 20.0);
    }

    #[test]
    fn rows_are_picked_and_features_selected_in_the_order_named() {
        let first = SparseVector::new(vec![(0, 1.0), (3, 2.0)]);
        let second = SparseVector::new(vec![(1, 5.0)]);
        let rows = SparseRows::of(4, [first.row(), second.row()]);
        assert_eq!(rows.pick(&[1, 0, 1]).row(2), second.row());
        let selected = rows.select(&[3, 0]);
        assert_eq!(selected.features(), 2);
        assert_eq!(
            selected.row(0).entries().collect::<Vec<_>>(),
            [(0, 2.0), (1, 1.0)]
        );
        assert!(selected.row(1).is_empty() && rows.row(7).is_empty());
    }
}
