//! Splits examples into folds: each fold is held out once while the others train.
//!
//! Stratified folds hold about the same share of each class. Grouped folds also keep what belongs together (the pages
//! of one site) in one fold, because a classifier that has seen a site's menu recognises the site rather than the
//! class.

use crate::{LearnFault, Rng};

/// The fold of each example.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Folds {
    fold_of: Vec<u32>,
    count: u32,
}

impl Folds {
    /// Folds with about the same share of each class.
    pub fn stratified(classes: &[u32], count: usize, seed: u64) -> Result<Folds, LearnFault> {
        if count < 2 || count > classes.len() {
            return Err(LearnFault::Folds {
                folds: count,
                groups: classes.len(),
            });
        }
        let mut rng = Rng::from_seed(seed);
        let mut order: Vec<usize> = (0..classes.len()).collect();
        rng.shuffle(&mut order);
        // A stable sort, so that the order within a class stays random. Examples then go to the folds in turn, and
        // the turn carries over from class to class so that no fold gets every extra example.
        order.sort_by_key(|at| classes.get(*at));
        let mut fold_of = vec![0; classes.len()];
        for (dealt, at) in order.into_iter().enumerate() {
            if let Some(fold) = fold_of.get_mut(at) {
                *fold = (dealt % count) as u32;
            }
        }
        Ok(Folds {
            fold_of,
            count: count as u32,
        })
    }

    /// Stratified folds for binary labels.
    pub fn of_labels(labels: &[bool], count: usize, seed: u64) -> Result<Folds, LearnFault> {
        let classes: Vec<u32> = labels.iter().map(|label| u32::from(*label)).collect();
        Folds::stratified(&classes, count, seed)
    }

    /// Folds that share no group, with the classes spread as evenly as the groups allow. The largest groups go first,
    /// each to the fold that is then closest to an even share of every class.
    pub fn grouped(classes: &[u32], groups: &[u32], count: usize, seed: u64) -> Result<Folds, LearnFault> {
        if classes.len() != groups.len() {
            return Err(LearnFault::Labels {
                examples: classes.len(),
                labels: groups.len(),
            });
        }
        let class_count = classes.iter().max().map_or(0, |most| *most as usize + 1);
        let mut members: std::collections::BTreeMap<u32, Vec<usize>> = std::collections::BTreeMap::new();
        for (at, group) in groups.iter().enumerate() {
            members.entry(*group).or_default().push(at);
        }
        if count < 2 || count > members.len() {
            return Err(LearnFault::Folds {
                folds: count,
                groups: members.len(),
            });
        }
        let mut order: Vec<Vec<usize>> = members.into_values().collect();
        Rng::from_seed(seed).shuffle(&mut order);
        order.sort_by_key(|members| std::cmp::Reverse(members.len()));

        let mut sizes = vec![0.0_f64; class_count];
        for class in classes {
            if let Some(size) = sizes.get_mut(*class as usize) {
                *size += 1.0;
            }
        }
        let mut held = vec![vec![0.0_f64; class_count]; count];
        let mut fold_of = vec![0; classes.len()];
        for members in order {
            let mut of_group = vec![0.0_f64; class_count];
            for class in members.iter().filter_map(|at| classes.get(*at)) {
                if let Some(sum) = of_group.get_mut(*class as usize) {
                    *sum += 1.0;
                }
            }
            // Σ (share of the class then held)² grows least in the fold that holds least of what the group brings.
            let growth = |held: &[f64]| -> f64 {
                held.iter()
                    .zip(&of_group)
                    .zip(&sizes)
                    .map(|((held, more), size)| {
                        ((held + more).powi(2) - held.powi(2)) / size.powi(2).max(1.0)
                    })
                    .sum()
            };
            let target = held
                .iter()
                .enumerate()
                .min_by(|a, b| growth(a.1).total_cmp(&growth(b.1)))
                .map_or(0, |(fold, _)| fold);
            if let Some(held) = held.get_mut(target) {
                for (sum, more) in held.iter_mut().zip(&of_group) {
                    *sum += more;
                }
            }
            for at in members {
                if let Some(fold) = fold_of.get_mut(at) {
                    *fold = target as u32;
                }
            }
        }
        Ok(Folds {
            fold_of,
            count: count as u32,
        })
    }

    /// How many folds there are.
    pub fn count(&self) -> u32 {
        self.count
    }

    /// The fold of each example.
    pub fn fold_of(&self) -> &[u32] {
        &self.fold_of
    }

    /// Trains on all folds but one and scores that one, for each fold in turn. Returns the answers in the order of
    /// the examples. `train_and_score` gets the indices to train on and the indices to score, and returns one answer
    /// for each of the latter.
    pub fn held_out<T: Clone, Fault>(
        &self,
        mut train_and_score: impl FnMut(&[usize], &[usize]) -> Result<Vec<T>, Fault>,
    ) -> Result<Vec<T>, Fault> {
        let mut answers: Vec<Option<T>> = vec![None; self.fold_of.len()];
        for fold in 0..self.count {
            let (held, others): (Vec<usize>, Vec<usize>) =
                (0..self.fold_of.len()).partition(|at| self.fold_of.get(*at) == Some(&fold));
            if held.is_empty() {
                continue;
            }
            for (at, answer) in held.iter().zip(train_and_score(&others, &held)?) {
                if let Some(place) = answers.get_mut(*at) {
                    *place = Some(answer);
                }
            }
        }
        Ok(answers.into_iter().flatten().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_fold_has_its_share_of_each_class() {
        let classes: Vec<u32> = (0..103).map(|n| u32::from(n % 10 == 0)).collect();
        let folds = Folds::stratified(&classes, 5, 1).unwrap();
        for fold in 0..5 {
            let size = |class| {
                classes
                    .iter()
                    .zip(folds.fold_of())
                    .filter(|(c, f)| **c == class && **f == fold)
                    .count()
            };
            assert!((18..=19).contains(&size(0)), "{}", size(0));
            assert!((2..=3).contains(&size(1)), "{}", size(1));
        }
    }

    #[test]
    fn no_group_is_in_two_folds_and_the_classes_are_spread() {
        // Twelve sites of different sizes; a third of them belong to class 1.
        let mut classes = Vec::new();
        let mut groups = Vec::new();
        for site in 0..12_u32 {
            for _ in 0..=(site * 3 % 7) {
                classes.push(u32::from(site % 3 == 0));
                groups.push(site);
            }
        }
        let folds = Folds::grouped(&classes, &groups, 4, 9).unwrap();
        for site in 0..12 {
            let mut of_site: Vec<u32> = groups
                .iter()
                .zip(folds.fold_of())
                .filter(|(group, _)| **group == site)
                .map(|(_, fold)| *fold)
                .collect();
            of_site.dedup();
            assert_eq!(of_site.len(), 1, "site {site}");
        }
        for fold in 0..4 {
            assert!(
                classes
                    .iter()
                    .zip(folds.fold_of())
                    .any(|(c, f)| *c == 1 && *f == fold),
                "fold {fold} has no examples of class 1"
            );
        }
    }

    #[test]
    fn every_example_is_scored_once_by_a_model_that_has_not_seen_it() {
        let folds = Folds::of_labels(&[true, false, true, false, true, false], 3, 0).unwrap();
        let scored = folds
            .held_out(|train, held| -> Result<Vec<usize>, ()> {
                assert!(held.iter().all(|at| !train.contains(at)));
                assert_eq!(train.len() + held.len(), 6);
                Ok(held.to_vec())
            })
            .unwrap();
        assert_eq!(scored, [0, 1, 2, 3, 4, 5]);
    }

    #[test]
    fn folds_that_cannot_be_made_are_refused() {
        assert!(Folds::stratified(&[0, 1], 1, 0).is_err());
        assert!(Folds::stratified(&[0, 1], 3, 0).is_err());
        assert!(Folds::grouped(&[0, 1, 1], &[5, 5, 5], 2, 0).is_err());
    }
}
