//! Undersampling of the larger class.

use crate::Rng;

/// All of the smaller class among these examples and as many of the larger, chosen at random; ascending. Use it on
/// the training part of each fold, never on what is held out: figures must reflect the real proportions.
pub fn under_sample(labels: &[bool], examples: &[usize], seed: u64) -> Vec<usize> {
    let (mut positive, mut negative): (Vec<usize>, Vec<usize>) = examples
        .iter()
        .filter(|at| **at < labels.len())
        .partition(|at| labels.get(**at) == Some(&true));
    let least = positive.len().min(negative.len());
    let mut rng = Rng::from_seed(seed);
    for class in [&mut positive, &mut negative] {
        if class.len() > least {
            rng.shuffle(class);
            class.truncate(least);
        }
    }
    let mut kept = [positive, negative].concat();
    kept.sort_unstable();
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_classes_are_left_with_as_many_and_the_smaller_one_whole() {
        let labels: Vec<bool> = (0..100).map(|n| n % 10 == 0).collect();
        let examples: Vec<usize> = (0..100).collect();
        let kept = under_sample(&labels, &examples, 1);
        assert_eq!(kept.len(), 20);
        assert_eq!(kept.iter().filter(|at| labels[**at]).count(), 10);
        assert_ne!(kept, under_sample(&labels, &examples, 2));
    }
}
