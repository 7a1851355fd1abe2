//! What a score is made of, and the weights a crawl starts with.

use thiserror::Error;

/// How many parts a score has.
pub(super) const PARTS: usize = 29;

/// The parts of a score, one number each.
pub type ScentParts = [f64; PARTS];

/// What the parts are called, in the order of the weights.
pub(super) const NAMES: [&str; PARTS] = [
    "bias",
    "best-parent",
    "mean-parent",
    "sum-of-parents",
    "context",
    "anchor",
    "url",
    "words",
    "meaning",
    "directory",
    "list",
    "page",
    "template",
    "parents",
    "host",
    "best-list",
    "best-page",
    "same-host",
    "depth",
    "dry-host",
    "dry-template",
    "inherited",
    "list-size",
    "page-size",
    "list-mean",
    "host-visits",
    "directory-visits",
    "template-visits",
    "chain",
];

/// The place of the part that is the same for all links.
pub(super) const BIAS: usize = 0;
/// The place of the part `chain`.
pub(super) const CHAIN: usize = PARTS - 1;

/// The weights shipped with the program.
const SHIPPED: &str = include_str!("prior.txt");

/// A text that does not hold weights.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum PriorError {
    /// A line is not a name and a number.
    #[error("line {line} is not a name and a number: {text:?}")]
    Line {
        /// Its number, from 1.
        line: usize,
        /// The line.
        text: String,
    },
    /// No part of a score has this name.
    #[error("line {line}: no part of a score is called {name:?}")]
    Unknown {
        /// Its number, from 1.
        line: usize,
        /// The name.
        name: String,
    },
}

/// The weights a crawl starts with. They are learnt from many crawls; each crawl then adapts them.
#[derive(Clone, PartialEq, Debug)]
pub struct ScentPrior {
    /// One weight for each part of a score.
    pub weights: ScentParts,
}

impl Default for ScentPrior {
    /// The weights shipped with the program.
    fn default() -> ScentPrior {
        // A test makes sure that the shipped text is valid.
        ScentPrior::from_text(SHIPPED).unwrap_or(ScentPrior {
            weights: [0.0; PARTS],
        })
    }
}

impl ScentPrior {
    /// The names of the parts of a score, in the order of the weights.
    pub const NAMES: &[&str] = &NAMES;

    /// Reads weights: one name and number per line; lines that start with # are comments. Parts that are not named have no
    /// weight.
    pub fn from_text(text: &str) -> Result<ScentPrior, PriorError> {
        let mut weights = [0.0; PARTS];
        for (number, line) in (1..).zip(text.lines()) {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let fault = || PriorError::Line {
                line: number,
                text: line.to_owned(),
            };
            let (name, weight) = line.split_once(char::is_whitespace).ok_or_else(fault)?;
            let weight: f64 = weight.trim().parse().map_err(|_| fault())?;
            if !weight.is_finite() {
                return Err(fault());
            }
            let place = NAMES.iter().position(|known| *known == name);
            match place.and_then(|place| weights.get_mut(place)) {
                Some(slot) => *slot = weight,
                None => {
                    return Err(PriorError::Unknown {
                        line: number,
                        name: name.to_owned(),
                    });
                }
            }
        }
        Ok(ScentPrior { weights })
    }

    /// Spells the weights as [`ScentPrior::from_text`] reads them.
    pub fn to_text(&self) -> String {
        let lines = NAMES.iter().zip(self.weights);
        lines
            .map(|(name, weight)| format!("{name} {weight:.3}\n"))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shipped_weights_can_be_read() {
        let shipped = ScentPrior::from_text(SHIPPED).unwrap();
        assert!(shipped.weights[CHAIN] < 0.0);
        assert_eq!(ScentPrior::from_text(&shipped.to_text()), Ok(shipped));
    }

    #[test]
    fn a_line_that_is_no_weight_is_refused() {
        for (text, line) in [
            ("anchor", 1),
            ("# x\nanchor much", 2),
            ("anchor 1\nanchor inf", 2),
        ] {
            assert!(
                matches!(ScentPrior::from_text(text), Err(PriorError::Line { line: at, .. }) if at == line)
            );
        }
        assert!(matches!(
            ScentPrior::from_text("ancor 1"),
            Err(PriorError::Unknown { line: 1, .. })
        ));
    }
}
