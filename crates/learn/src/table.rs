//! Rows of plain numbers, all of the same width: what a forest learns from.

use crate::LearnFault;

/// Examples as rows, features as columns. Every number is finite.
#[derive(Clone, PartialEq, Debug)]
pub struct FeatureTable {
    width: usize,
    values: Vec<f32>,
}

impl FeatureTable {
    /// An empty table with this many columns.
    pub fn new(width: usize) -> FeatureTable {
        FeatureTable {
            width,
            values: Vec::new(),
        }
    }

    /// Adds an example.
    pub fn push(&mut self, row: &[f32]) -> Result<(), LearnFault> {
        if row.len() != self.width || row.is_empty() {
            return Err(LearnFault::Features {
                found: row.len(),
                expected: self.width.max(1),
            });
        }
        if let Some(feature) = row.iter().position(|value| !value.is_finite()) {
            return Err(LearnFault::NotFinite {
                example: self.len(),
                feature: feature as u32,
            });
        }
        self.values.extend_from_slice(row);
        Ok(())
    }

    /// How many examples there are.
    pub fn len(&self) -> usize {
        self.values.len().checked_div(self.width).unwrap_or(0)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// How many columns there are.
    pub fn width(&self) -> usize {
        self.width
    }

    /// An example's numbers; empty if there is no such example.
    pub fn row(&self, at: usize) -> &[f32] {
        self.values
            .get(at * self.width..(at + 1) * self.width)
            .unwrap_or_default()
    }

    /// The examples at these indices, in this order.
    pub fn pick(&self, places: &[usize]) -> FeatureTable {
        let mut picked = FeatureTable::new(self.width);
        for at in places {
            picked.values.extend_from_slice(self.row(*at));
        }
        picked
    }
}
