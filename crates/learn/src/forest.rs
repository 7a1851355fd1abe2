//! A random forest: many trees, each grown on a random sample of the examples and looking at a few random features
//! per split. The answer is their average.
//!
//! Invariant: a node's children come after it, so a walk through a tree always ends, whatever file it came from.
//!
//! Deliberately absent: sparse vectors and missing numbers. Trees work on tables.

use std::hint::select_unpredictable;

use serde::{Deserialize, Serialize};

use crate::{FeatureTable, LearnFault, Rng};

/// How a forest is grown.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ForestSettings {
    /// How many trees.
    pub trees: u32,
    /// How many features each split looks at. `None` means the square root of their number, rounded down.
    pub features_a_split: Option<u32>,
    /// The least number of examples in a leaf.
    pub least_leaf: u32,
    /// The greatest depth of a tree.
    pub most_depth: u32,
    /// Whether every class counts the same, however many examples it has.
    pub balance: crate::Balance,
    /// Seed of the random numbers.
    pub seed: u64,
}

impl Default for ForestSettings {
    fn default() -> ForestSettings {
        ForestSettings {
            trees: 100,
            features_a_split: None,
            least_leaf: 1,
            most_depth: 64,
            balance: crate::Balance::AsGiven,
            seed: 0,
        }
    }
}

/// A branch, or a leaf where `feature` is [`LEAF`].
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
struct Node {
    feature: u16,
    /// Values up to this go to the next node, larger ones to `other`.
    threshold: f32,
    /// In a branch: the node for larger values. In a leaf: the index of its shares.
    other: u32,
}

const LEAF: u16 = u16::MAX;
/// How many trees are walked at once.
const ABREAST: usize = 8;

/// Trees that vote on the class of an example.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(try_from = "Stored", into = "Stored")]
pub struct RandomForest {
    classes: u32,
    features: u32,
    /// All trees, one after another.
    nodes: Vec<Node>,
    roots: Vec<u32>,
    /// Each leaf's class shares; equal leaves use the same place.
    shares: Vec<f32>,
}

impl RandomForest {
    /// Grows a forest. `classes[n]` is the class of row n, below `class_count`.
    pub fn fit(
        table: &FeatureTable,
        classes: &[u32],
        class_count: u32,
        settings: &ForestSettings,
    ) -> Result<RandomForest, LearnFault> {
        check(table, classes, class_count, settings)?;
        let mut forest = RandomForest {
            classes: class_count,
            features: table.width() as u32,
            nodes: Vec::new(),
            roots: Vec::new(),
            shares: Vec::new(),
        };
        let weights = class_weights(classes, class_count, settings.balance);
        let tried = settings
            .features_a_split
            .map_or((table.width() as f64).sqrt() as usize, |tried| tried as usize)
            .clamp(1, table.width());
        for tree in 0..settings.trees {
            let mut rng = Rng::for_part(settings.seed, u64::from(tree));
            let mut times = vec![0_u32; table.len()];
            for _ in 0..table.len() {
                if let Some(times) = times.get_mut(rng.below(table.len())) {
                    *times += 1;
                }
            }
            let drawn: Vec<Example> = times
                .iter()
                .enumerate()
                .filter(|(_, times)| **times > 0)
                .filter_map(|(at, times)| {
                    let class = *classes.get(at)?;
                    let weight = weights.get(class as usize)? * f64::from(*times);
                    Some(Example {
                        at: at as u32,
                        class,
                        weight,
                        times: *times,
                    })
                })
                .collect();
            let mut growth = Growth {
                forest: &mut forest,
                table,
                settings,
                tried,
                features: (0..table.width() as u16).collect(),
                rng,
            };
            growth.tree(drawn);
        }
        Ok(forest)
    }

    /// How many classes there are.
    pub fn classes(&self) -> u32 {
        self.classes
    }

    /// How many features a row has.
    pub fn features(&self) -> u32 {
        self.features
    }

    /// How many trees there are.
    pub fn trees(&self) -> usize {
        self.roots.len()
    }

    /// The mean of the trees' class shares; adds up to 1. A missing feature counts as 0.
    pub fn shares(&self, row: &[f32]) -> Vec<f64> {
        let classes = self.classes as usize;
        let features = self.features as usize;
        let padded: Vec<f32>;
        let row = if row.len() < features {
            padded = row
                .iter()
                .copied()
                .chain(std::iter::repeat(0.0))
                .take(features)
                .collect();
            &padded
        } else {
            row
        };
        let mut sums = vec![0.0; classes];
        for roots in self.roots.chunks(ABREAST) {
            let leaves = self.leaves(roots, row);
            for leaf in leaves.iter().take(roots.len()) {
                let leaf = *leaf as usize;
                let shares = self.shares.get(leaf..leaf + classes).unwrap_or_default();
                for (sum, share) in sums.iter_mut().zip(shares) {
                    *sum += f64::from(*share);
                }
            }
        }
        let total: f64 = sums.iter().sum();
        if total > 0.0 {
            for sum in &mut sums {
                *sum /= total;
            }
        }
        sums
    }

    /// The class with the largest share (the first, if several are equal) and that share.
    pub fn predict(&self, row: &[f32]) -> (u32, f64) {
        best(&self.shares(row))
    }

    /// Walks down several trees at once, one step in each at a time. The direction of a step is unpredictable, so
    /// steps are selected rather than branched on. A single walk would mostly wait for memory; several wait together.
    #[inline]
    fn leaves(&self, roots: &[u32], row: &[f32]) -> [u32; ABREAST] {
        let last = row.len().saturating_sub(1);
        let mut places = [0_u32; ABREAST];
        for (place, root) in places.iter_mut().zip(roots) {
            *place = *root;
        }
        loop {
            let mut moved = 0;
            for place in &mut places {
                let Some(node) = self.nodes.get(*place as usize) else {
                    continue;
                };
                // In a leaf it does not matter which number is looked at.
                let feature = usize::from(node.feature).min(last);
                let value = row.get(feature).copied().unwrap_or(0.0);
                let next = select_unpredictable(value <= node.threshold, *place + 1, node.other);
                let next = select_unpredictable(node.feature == LEAF, *place, next);
                moved |= next ^ *place;
                *place = next;
            }
            if moved == 0 {
                break;
            }
        }
        places.map(|place| self.nodes.get(place as usize).map_or(0, |node| node.other))
    }
}

/// The index of the largest share, the first if several are equal.
fn best(shares: &[f64]) -> (u32, f64) {
    let mut best = (0, 0.0);
    for (class, share) in (0..).zip(shares) {
        if *share > best.1 {
            best = (class, *share);
        }
    }
    best
}

fn check(
    table: &FeatureTable,
    classes: &[u32],
    class_count: u32,
    settings: &ForestSettings,
) -> Result<(), LearnFault> {
    if table.is_empty() {
        return Err(LearnFault::NoExamples);
    }
    if table.len() != classes.len() {
        return Err(LearnFault::Labels {
            examples: table.len(),
            labels: classes.len(),
        });
    }
    if table.width() >= LEAF as usize {
        return Err(LearnFault::Features {
            found: table.width(),
            expected: LEAF as usize - 1,
        });
    }
    if let Some(class) = classes.iter().find(|class| **class >= class_count) {
        return Err(LearnFault::Class {
            class: *class,
            classes: class_count,
        });
    }
    if settings.trees == 0 {
        return Err(LearnFault::Setting {
            name: "the number of trees",
            value: 0.0,
            expected: "at least 1",
        });
    }
    Ok(())
}

/// The weight of an example of each class.
fn class_weights(classes: &[u32], class_count: u32, balance: crate::Balance) -> Vec<f64> {
    let mut sizes = vec![0.0_f64; class_count as usize];
    for class in classes {
        if let Some(size) = sizes.get_mut(*class as usize) {
            *size += 1.0;
        }
    }
    let present = sizes.iter().filter(|size| **size > 0.0).count().max(1) as f64;
    match balance {
        crate::Balance::AsGiven => vec![1.0; sizes.len()],
        crate::Balance::Classes => sizes
            .iter()
            .map(|size| classes.len() as f64 / (present * size.max(1.0)))
            .collect(),
    }
}

#[derive(Clone, Copy)]
struct Example {
    at: u32,
    class: u32,
    weight: f64,
    /// How often it was drawn.
    times: u32,
}

struct Growth<'a> {
    forest: &'a mut RandomForest,
    table: &'a FeatureTable,
    settings: &'a ForestSettings,
    tried: usize,
    /// All features, in their latest shuffled order.
    features: Vec<u16>,
    rng: Rng,
}

/// The best split found for a node's examples.
#[derive(Clone, Copy)]
struct Split {
    feature: u16,
    threshold: f32,
    /// Σ over both sides of (Σ class weight²) / weight. Larger is purer.
    purity: f64,
}

impl Growth<'_> {
    /// Grows one tree: first the node, then the whole smaller side, then the other, without recursion.
    fn tree(&mut self, drawn: Vec<Example>) {
        self.forest.roots.push(self.forest.nodes.len() as u32);
        // What is left to grow: its examples, its depth, and the branch whose other side it is.
        let mut waiting: Vec<(Vec<Example>, u32, Option<usize>)> = vec![(drawn, 0, None)];
        while let Some((examples, depth, parent)) = waiting.pop() {
            let here = self.forest.nodes.len();
            if let Some(branch) = parent.and_then(|parent| self.forest.nodes.get_mut(parent)) {
                branch.other = here as u32;
            }
            let split = if depth >= self.settings.most_depth {
                None
            } else {
                self.split(&examples)
            };
            match split {
                None => {
                    let other = self.leaf_shares(&examples);
                    self.forest.nodes.push(Node {
                        feature: LEAF,
                        threshold: 0.0,
                        other,
                    });
                }
                Some(split) => {
                    let (low, high): (Vec<Example>, Vec<Example>) = examples
                        .into_iter()
                        .partition(|example| self.value(example, split.feature) <= split.threshold);
                    self.forest.nodes.push(Node {
                        feature: split.feature,
                        threshold: split.threshold,
                        other: 0,
                    });
                    waiting.push((high, depth + 1, Some(here)));
                    waiting.push((low, depth + 1, None));
                }
            }
        }
    }

    fn value(&self, example: &Example, feature: u16) -> f32 {
        self.table
            .row(example.at as usize)
            .get(feature as usize)
            .copied()
            .unwrap_or(0.0)
    }

    /// Tries random features until enough that vary have been tried; `None` if the node is pure or all features are
    /// constant.
    fn split(&mut self, examples: &[Example]) -> Option<Split> {
        let mut of_class = vec![0.0; self.forest.classes as usize];
        let mut drawn = 0;
        for example in examples {
            if let Some(sum) = of_class.get_mut(example.class as usize) {
                *sum += example.weight;
            }
            drawn += example.times;
        }
        let is_pure = of_class.iter().filter(|sum| **sum > 0.0).count() < 2;
        if is_pure || drawn < 2 * self.settings.least_leaf.max(1) {
            return None;
        }
        let mut best: Option<Split> = None;
        let mut tried = 0;
        let mut column: Vec<(f32, Example)> = Vec::with_capacity(examples.len());
        for next in 0..self.features.len() {
            if tried == self.tried {
                break;
            }
            let chosen = next + self.rng.below(self.features.len() - next);
            self.features.swap(next, chosen);
            let Some(feature) = self.features.get(next).copied() else {
                break;
            };
            column.clear();
            column.extend(
                examples
                    .iter()
                    .map(|example| (self.value(example, feature), *example)),
            );
            column.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.at.cmp(&b.1.at)));
            let varies = column
                .first()
                .zip(column.last())
                .is_some_and(|(least, most)| least.0 < most.0);
            if !varies {
                continue;
            }
            tried += 1;
            if let Some((threshold, purity)) = self.cut(&column, &of_class, drawn)
                && best.is_none_or(|best| purity > best.purity)
            {
                best = Some(Split {
                    feature,
                    threshold,
                    purity,
                });
            }
        }
        best
    }

    /// The best place to cut a sorted column.
    fn cut(&self, column: &[(f32, Example)], of_class: &[f64], drawn: u32) -> Option<(f32, f64)> {
        let mut low = vec![0.0; of_class.len()];
        let mut high = of_class.to_vec();
        let mut low_drawn = 0;
        let mut best: Option<(f32, f64)> = None;
        for pair in column.windows(2) {
            let [(value, example), (next, _)] = pair else {
                continue;
            };
            if let (Some(low), Some(high)) = (
                low.get_mut(example.class as usize),
                high.get_mut(example.class as usize),
            ) {
                *low += example.weight;
                *high -= example.weight;
            }
            low_drawn += example.times;
            let least = self.settings.least_leaf;
            if value == next || low_drawn < least || drawn - low_drawn < least {
                continue;
            }
            let purity = purity(&low) + purity(&high);
            if best.is_none_or(|(_, most)| purity > most) {
                // Half way, but never rounded up to the larger value.
                let middle = value + (next - value) / 2.0;
                let threshold = if middle < *next && middle.is_finite() {
                    middle
                } else {
                    *value
                };
                best = Some((threshold, purity));
            }
        }
        best
    }

    /// The index of a leaf's shares.
    fn leaf_shares(&mut self, examples: &[Example]) -> u32 {
        let classes = self.forest.classes as usize;
        let mut sums = vec![0.0_f64; classes];
        for example in examples {
            if let Some(sum) = sums.get_mut(example.class as usize) {
                *sum += example.weight;
            }
        }
        let total: f64 = sums.iter().sum();
        let shares: Vec<f32> = sums.iter().map(|sum| (sum / total) as f32).collect();
        // Nearly all leaves are pure, and those come first.
        let held = self
            .forest
            .shares
            .chunks_exact(classes)
            .take(4 * classes)
            .position(|held| held == shares);
        let place = held.map_or(self.forest.shares.len(), |place| place * classes);
        if held.is_none() {
            self.forest.shares.extend(shares);
        }
        place as u32
    }
}

fn purity(of_class: &[f64]) -> f64 {
    let total: f64 = of_class.iter().sum();
    if total <= 0.0 {
        return 0.0;
    }
    of_class.iter().map(|sum| sum * sum).sum::<f64>() / total
}

/// The stored form.
#[derive(Serialize, Deserialize)]
struct Stored {
    classes: u32,
    features: u32,
    nodes: Vec<Node>,
    roots: Vec<u32>,
    shares: Vec<f32>,
}

impl From<RandomForest> for Stored {
    fn from(forest: RandomForest) -> Stored {
        Stored {
            classes: forest.classes,
            features: forest.features,
            nodes: forest.nodes,
            roots: forest.roots,
            shares: forest.shares,
        }
    }
}

impl TryFrom<Stored> for RandomForest {
    type Error = &'static str;

    fn try_from(stored: Stored) -> Result<RandomForest, &'static str> {
        let nodes = stored.nodes.len();
        let classes = stored.classes as usize;
        if stored.roots.is_empty() || stored.roots.iter().any(|root| *root as usize >= nodes) {
            return Err("a tree has no root");
        }
        // A prediction allocates no more than one leaf's shares.
        if classes == 0 || stored.shares.len() < classes {
            return Err("the leaves name no class");
        }
        for (at, node) in stored.nodes.iter().enumerate() {
            let other = node.other as usize;
            let is_sound = if node.feature == LEAF {
                other + classes <= stored.shares.len()
            } else {
                // A child comes after its parent; the nearer one is the very next node.
                other > at + 1
                    && other < nodes
                    && u32::from(node.feature) < stored.features
                    && !node.threshold.is_nan()
            };
            if !is_sound {
                return Err("a branch leads nowhere");
            }
        }
        if stored.shares.iter().any(|share| !(0.0..=1.0).contains(share)) {
            return Err("a share is below 0 or above 1");
        }
        Ok(RandomForest {
            classes: stored.classes,
            features: stored.features,
            nodes: stored.nodes,
            roots: stored.roots,
            shares: stored.shares,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Class 1 inside a ring, class 2 where the first number is large, otherwise class 0; the third number is noise.
    fn rings(rows: usize, seed: u64) -> (FeatureTable, Vec<u32>) {
        let mut rng = Rng::from_seed(seed);
        let mut table = FeatureTable::new(3);
        let mut classes = Vec::new();
        for _ in 0..rows {
            let (x, y) = (rng.fraction() * 4.0 - 2.0, rng.fraction() * 4.0 - 2.0);
            table.push(&[x as f32, y as f32, rng.fraction() as f32]).unwrap();
            classes.push(match (x, y) {
                (x, y) if x * x + y * y < 1.0 => 1,
                (x, _) if x > 1.0 => 2,
                _ => 0,
            });
        }
        (table, classes)
    }

    fn accuracy(forest: &RandomForest, table: &FeatureTable, classes: &[u32]) -> f64 {
        let right = (0..table.len())
            .filter(|at| forest.predict(table.row(*at)).0 == classes[*at])
            .count();
        right as f64 / table.len() as f64
    }

    #[test]
    fn a_forest_learns_what_no_line_could_separate() {
        let (table, classes) = rings(800, 1);
        let forest = RandomForest::fit(&table, &classes, 3, &ForestSettings::default()).unwrap();
        let (fresh, truth) = rings(500, 2);
        let share = accuracy(&forest, &fresh, &truth);
        assert!(share > 0.93, "{share}");
        let shares = forest.shares(&[0.0, 0.0, 0.5]);
        assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        assert!(shares[1] > 0.9, "{shares:?}");
    }

    #[test]
    fn the_same_seed_grows_the_same_forest_and_another_another() {
        let (table, classes) = rings(200, 1);
        let grow = |seed| {
            let settings = ForestSettings {
                seed,
                trees: 7,
                ..ForestSettings::default()
            };
            RandomForest::fit(&table, &classes, 3, &settings).unwrap()
        };
        assert_eq!(grow(5), grow(5));
        assert_ne!(grow(5), grow(6));
        assert_eq!(grow(5).trees(), 7);
    }

    #[test]
    fn large_leaves_and_low_trees_are_kept_to() {
        let (table, classes) = rings(300, 1);
        let stump = ForestSettings {
            trees: 3,
            most_depth: 1,
            ..ForestSettings::default()
        };
        let forest = RandomForest::fit(&table, &classes, 3, &stump).unwrap();
        assert!(forest.nodes.len() <= 9);
        let coarse = ForestSettings {
            trees: 3,
            least_leaf: 100,
            ..ForestSettings::default()
        };
        let forest = RandomForest::fit(&table, &classes, 3, &coarse).unwrap();
        assert!(forest.nodes.len() <= 15, "{}", forest.nodes.len());
    }

    #[test]
    fn constant_features_make_a_leaf_of_the_class_shares() {
        let mut table = FeatureTable::new(1);
        for _ in 0..10 {
            table.push(&[4.0]).unwrap();
        }
        let classes = [0, 0, 0, 0, 0, 0, 0, 1, 1, 1];
        let forest = RandomForest::fit(&table, &classes, 2, &ForestSettings::default()).unwrap();
        let shares = forest.shares(&[4.0]);
        assert!((shares[0] - 0.7).abs() < 0.06, "{shares:?}");
    }

    #[test]
    fn what_cannot_be_grown_from_is_refused() {
        let (table, classes) = rings(10, 1);
        let settings = ForestSettings::default();
        assert!(matches!(
            RandomForest::fit(&table, &classes[1..], 3, &settings),
            Err(LearnFault::Labels { .. })
        ));
        assert!(matches!(
            RandomForest::fit(&table, &[9; 10], 3, &settings),
            Err(LearnFault::Class { .. })
        ));
        assert_eq!(
            RandomForest::fit(&FeatureTable::new(3), &[], 3, &settings),
            Err(LearnFault::NoExamples)
        );
    }
}
