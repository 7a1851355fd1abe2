//! Why a model cannot be trained from the given examples.

use thiserror::Error;

/// Why a model cannot be trained.
#[derive(Clone, PartialEq, Debug, Error)]
#[non_exhaustive]
pub enum LearnFault {
    /// There are no examples.
    #[error("there are no examples to learn from")]
    NoExamples,
    /// The number of labels differs from the number of examples.
    #[error("{examples} examples but {labels} labels")]
    Labels {
        /// How many examples there are.
        examples: usize,
        /// How many labels.
        labels: usize,
    },
    /// There is only one class.
    #[error("all examples belong to one class; training needs examples of at least two")]
    OneClass,
    /// A class number is not below the number of classes.
    #[error("an example has class {class}, but there are only {classes} classes, numbered from 0")]
    Class {
        /// The class of the example.
        class: u32,
        /// How many there are.
        classes: u32,
    },
    /// The table has no columns, or an example has too few or too many features.
    #[error("an example has {found} features, but {expected} are expected")]
    Features {
        /// How many the example has.
        found: usize,
        /// How many the others have.
        expected: usize,
    },
    /// Fewer than two folds, or more folds than there are groups.
    #[error("cannot make {folds} folds from {groups} examples or groups; choose from 2 to {groups}")]
    Folds {
        /// How many folds were requested.
        folds: usize,
        /// How many examples or groups there are.
        groups: usize,
    },
    /// A setting is out of range.
    #[error("{name} is {value}; it must be {expected}")]
    Setting {
        /// The setting.
        name: &'static str,
        /// Its value.
        value: f64,
        /// The allowed values.
        expected: &'static str,
    },
    /// A feature's value is not a finite number.
    #[error("feature {feature} of example {example} is not a finite number")]
    NotFinite {
        /// The example's index.
        example: usize,
        /// The feature's index.
        feature: u32,
    },
}

/// Checks that there are examples of both classes, and one label for each.
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
