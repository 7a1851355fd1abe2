//! Why nothing can be learnt from the examples given.

use thiserror::Error;

/// Why a model cannot be made.
#[derive(Clone, PartialEq, Debug, Error)]
#[non_exhaustive]
pub enum LearnFault {
    /// There is no example at all.
    #[error("there are no examples to learn from")]
    NoExamples,
    /// A label for each example, or none.
    #[error("{examples} examples but {labels} labels")]
    Labels {
        /// How many examples there are.
        examples: usize,
        /// How many labels.
        labels: usize,
    },
    /// Nothing to tell apart.
    #[error("all examples are of one class: there is nothing to tell apart")]
    OneClass,
    /// A class number at or over the number of classes.
    #[error("class {class} of an example is not one of the {classes} classes")]
    Class {
        /// The class of the example.
        class: u32,
        /// How many there are.
        classes: u32,
    },
    /// The table has no columns, or an example has too few or too many.
    #[error("an example has {found} features where {expected} are expected")]
    Features {
        /// How many the example has.
        found: usize,
        /// How many the others have.
        expected: usize,
    },
    /// Fewer than two folds, or more folds than there are groups.
    #[error("{folds} folds cannot be made of {groups} examples or groups; from 2 to {groups} can")]
    Folds {
        /// How many were asked for.
        folds: usize,
        /// Of how many examples or groups.
        groups: usize,
    },
    /// A setting no training can work with.
    #[error("{name} is {value}; it must be {expected}")]
    Setting {
        /// Which one.
        name: &'static str,
        /// What it is.
        value: f64,
        /// What would be right.
        expected: &'static str,
    },
    /// A feature's value that cannot be reckoned with.
    #[error("feature {feature} of example {example} is not a finite number")]
    NotFinite {
        /// The example's place.
        example: usize,
        /// The feature's place.
        feature: u32,
    },
}

/// Checks that there are examples of both classes and as many labels.
pub(crate) fn check_labels(examples: usize, labels: &[bool]) -> Result<(), LearnFault> {
    if examples != labels.len() {
        return Err(LearnFault::Labels {
            examples,
            labels: labels.len(),
        });
    }
    match labels.first() {
        None => Err(LearnFault::NoExamples),
        Some(first) if labels.iter().all(|label| label == first) => Err(LearnFault::OneClass),
        Some(_) => Ok(()),
    }
}

/// Checks a setting that must be a finite number above 0.
pub(crate) fn check_positive(name: &'static str, value: f64) -> Result<(), LearnFault> {
    if value.is_finite() && value > 0.0 {
        Ok(())
    } else {
        Err(LearnFault::Setting {
            name,
            value,
            expected: "a finite number above 0",
        })
    }
}
