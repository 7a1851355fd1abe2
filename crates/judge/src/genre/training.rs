//! Labelled pages, and training a detector on them.
//!
//! Pages become rows of numbers as they arrive, so a web need not fit in memory. All figures are for pages that the
//! detector in question has not seen: in folds of pages, or of groups (sites) that stay together.

use std::collections::BTreeMap;
use std::sync::Arc;

use scenthound_learn::{
    Balance, ClassFigures, FeatureTable, Folds, ForestSettings, LearnFault, RandomForest, Rng,
};
use scenthound_types::{CanonicalUrl, ParsedPage};
use serde::Serialize;

use super::word_lists::{GenreWords, WordLists};
use super::{DetectorKind, GenreDetector, feature_names};
use crate::JudgeFault;

/// What the folds keep together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Apart {
    /// A page.
    Pages,
    /// A group: the figures are those to expect on unseen sites.
    Groups,
}

/// How a forest is grown and tested.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct GenreTrainingSettings {
    /// The number of trees.
    pub trees: u32,
    /// The number of features each split considers; none: 3 of the nine, or the square root of the number of rich
    /// features.
    pub features_a_split: Option<u32>,
    /// The minimum number of pages in a leaf.
    pub least_leaf: u32,
    /// Whether every class counts the same, regardless of its number of pages.
    pub balanced: bool,
    /// The number of folds.
    pub folds: usize,
    /// The random seed.
    pub seed: u64,
}

impl Default for GenreTrainingSettings {
    fn default() -> GenreTrainingSettings {
        GenreTrainingSettings {
            trees: 100,
            features_a_split: None,
            least_leaf: 1,
            balanced: false,
            folds: 5,
            seed: 1,
        }
    }
}

/// The size of a class.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct ClassSize {
    /// The class.
    pub class: String,
    /// Its pages.
    pub pages: usize,
    /// The groups they belong to.
    pub groups: usize,
}

/// How good a detector is on unseen pages.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct GenreFigures {
    /// The number of folds.
    pub folds: u32,
    /// Share of correct answers.
    pub accuracy: f64,
    /// Mean F1 of the classes.
    pub macro_f1: f64,
    /// By class.
    pub per_class: Vec<GenreClassFigures>,
    /// The confusion matrix.
    pub confusion: GenreConfusion,
    /// How much each feature matters, the most important first.
    pub importance: Vec<FeatureImportance>,
}

/// The figures of one class.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct GenreClassFigures {
    /// The class and its size.
    #[serde(flatten)]
    pub size: ClassSize,
    /// The share of pages taken for this class that belong to it.
    pub precision: f64,
    /// The share of its pages that were recognised.
    pub recall: f64,
    /// Harmonic mean of both.
    pub f1: f64,
}

/// How often pages of each class were taken for each class.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct GenreConfusion {
    /// The classes, in the order of rows and columns.
    pub classes: Vec<String>,
    /// `rows[truth][answer]`.
    pub rows: Vec<Vec<usize>>,
}

/// How much a feature matters.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct FeatureImportance {
    /// Its name.
    pub feature: String,
    /// The accuracy lost when its values are shuffled among the pages of a fold.
    pub accuracy_lost: f64,
}

/// Labelled pages as numbers.
#[derive(Clone, Debug)]
pub struct GenreTrainingSet {
    kind: DetectorKind,
    words: GenreWords,
    lists: WordLists,
    rows: Vec<Vec<f32>>,
    labels: Vec<String>,
    groups: Vec<String>,
}

impl GenreTrainingSet {
    /// An empty training set.
    pub fn new(kind: DetectorKind, words: GenreWords) -> GenreTrainingSet {
        GenreTrainingSet {
            kind,
            lists: WordLists::new(&words),
            words,
            rows: Vec::new(),
            labels: Vec::new(),
            groups: Vec::new(),
        }
    }

    /// Adds a page of a class. Pages of one group can be kept together in a fold.
    pub fn push(&mut self, page: &ParsedPage, class: &str, group: &str) {
        let mut row = Vec::new();
        self.kind.tell(page, &self.lists, |_, value| row.push(value));
        self.rows.push(row);
        self.labels.push(class.to_owned());
        self.groups.push(group.to_owned());
    }

    /// The number of pages.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are no pages.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The classes with their sizes, by name.
    pub fn classes(&self) -> Vec<ClassSize> {
        let mut of_class: BTreeMap<&str, (usize, std::collections::BTreeSet<&str>)> = BTreeMap::new();
        for (label, group) in self.labels.iter().zip(&self.groups) {
            let (pages, groups) = of_class.entry(label).or_default();
            *pages += 1;
            groups.insert(group);
        }
        of_class
            .into_iter()
            .map(|(class, (pages, groups))| ClassSize {
                class: class.to_owned(),
                pages,
                groups: groups.len(),
            })
            .collect()
    }

    /// Keeps the pages for which `keep` returns true, given their class and group.
    pub fn retain(&mut self, mut keep: impl FnMut(&str, &str) -> bool) {
        let kept: Vec<bool> = self
            .labels
            .iter()
            .zip(&self.groups)
            .map(|(label, group)| keep(label, group))
            .collect();
        let mut of_row = kept.iter();
        self.rows.retain(|_| of_row.next() == Some(&true));
        let mut of_label = kept.iter();
        self.labels.retain(|_| of_label.next() == Some(&true));
        let mut of_group = kept.iter();
        self.groups.retain(|_| of_group.next() == Some(&true));
    }

    /// Leaves out classes with fewer pages or groups, and returns them.
    pub fn leave_out_small(&mut self, least_pages: usize, least_groups: usize) -> Vec<ClassSize> {
        let mut small = self.classes();
        small.retain(|size| size.pages < least_pages || size.groups < least_groups);
        self.retain(|label, _| !small.iter().any(|size| size.class == label));
        small
    }

    /// Keeps at most this many pages of each class in each group, spread evenly over them. A small class of a large group
    /// keeps all its pages.
    pub fn thin_groups(&mut self, most: usize) {
        let key = |label: &str, group: &str| (label.to_owned(), group.to_owned());
        let mut sizes: BTreeMap<(String, String), usize> = BTreeMap::new();
        for (label, group) in self.labels.iter().zip(&self.groups) {
            *sizes.entry(key(label, group)).or_default() += 1;
        }
        let mut seen: BTreeMap<(String, String), usize> = BTreeMap::new();
        self.retain(|label, group| {
            let key = key(label, group);
            let size = sizes.get(&key).copied().unwrap_or(0).max(1);
            let at = seen.entry(key).or_default();
            // The page is kept if the running share of pages to keep reaches the next whole number.
            let (before, after) = (*at * most / size, (*at + 1) * most / size);
            *at += 1;
            size <= most || after > before
        });
    }

    fn numbered(&self) -> (Vec<String>, Vec<u32>) {
        let classes: Vec<String> = self.classes().into_iter().map(|size| size.class).collect();
        let numbers = self
            .labels
            .iter()
            .map(|label| classes.iter().position(|class| class == label).unwrap_or(0) as u32)
            .collect();
        (classes, numbers)
    }

    fn table(&self) -> Result<FeatureTable, LearnFault> {
        let mut table = FeatureTable::new(feature_names(self.kind).len());
        for row in &self.rows {
            table.push(row)?;
        }
        Ok(table)
    }

    fn forest_settings(&self, settings: &GenreTrainingSettings) -> ForestSettings {
        ForestSettings {
            trees: settings.trees,
            features_a_split: settings.features_a_split.or(match self.kind {
                DetectorKind::Nine => Some(3),
                DetectorKind::Rich => None,
            }),
            least_leaf: settings.least_leaf,
            balance: if settings.balanced {
                Balance::Classes
            } else {
                Balance::AsGiven
            },
            seed: settings.seed,
            ..ForestSettings::default()
        }
    }

    /// Trains in folds and measures accuracy on what each fold left out. `progress` is called after each fold.
    pub fn cross_validate(
        &self,
        apart: Apart,
        settings: &GenreTrainingSettings,
        mut progress: impl FnMut(u32),
    ) -> Result<GenreFigures, JudgeFault> {
        let (classes, labels) = self.numbered();
        let table = self.table()?;
        let folds = match apart {
            Apart::Pages => Folds::stratified(&labels, settings.folds, settings.seed)?,
            Apart::Groups => {
                let names: std::collections::BTreeSet<&str> =
                    self.groups.iter().map(String::as_str).collect();
                let names: Vec<&str> = names.into_iter().collect();
                let groups: Vec<u32> = self
                    .groups
                    .iter()
                    .map(|group| names.binary_search(&group.as_str()).unwrap_or(0) as u32)
                    .collect();
                Folds::grouped(&labels, &groups, settings.folds, settings.seed)?
            }
        };
        let forest_settings = self.forest_settings(settings);
        let pick = |places: &[usize]| -> Vec<u32> {
            places.iter().filter_map(|at| labels.get(*at)).copied().collect()
        };
        let mut lost = vec![0_i64; table.width()];
        let mut done = 0;
        let answers = folds.held_out(|train, held| -> Result<Vec<u32>, LearnFault> {
            let forest = RandomForest::fit(
                &table.pick(train),
                &pick(train),
                classes.len() as u32,
                &forest_settings,
            )?;
            let held_table = table.pick(held);
            let truth = pick(held);
            let rows: Vec<&[f32]> = (0..held_table.len()).map(|at| held_table.row(at)).collect();
            let answers: Vec<u32> = rows.iter().map(|row| forest.predict(row).0).collect();
            note_losses(&forest, &rows, &truth, &answers, settings.seed, &mut lost);
            done += 1;
            progress(done);
            Ok(answers)
        })?;
        let mut importance: Vec<FeatureImportance> = feature_names(self.kind)
            .into_iter()
            .zip(&lost)
            .map(|(feature, lost)| FeatureImportance {
                feature,
                accuracy_lost: *lost as f64 / table.len().max(1) as f64,
            })
            .collect();
        importance.sort_by(|a, b| b.accuracy_lost.total_cmp(&a.accuracy_lost));
        let figures = ClassFigures::new(&labels, &answers, classes.len() as u32);
        let per_class = self.classes().into_iter().zip(figures.per_class);
        Ok(GenreFigures {
            folds: folds.count(),
            accuracy: figures.accuracy,
            macro_f1: figures.macro_f1,
            per_class: per_class
                .map(|(size, figures)| GenreClassFigures {
                    size,
                    precision: figures.precision,
                    recall: figures.recall,
                    f1: figures.f1,
                })
                .collect(),
            confusion: GenreConfusion {
                classes,
                rows: figures.confusion,
            },
            importance,
        })
    }

    /// Trains on all pages.
    pub fn train(&self, settings: &GenreTrainingSettings) -> Result<GenreDetector, JudgeFault> {
        let (classes, labels) = self.numbered();
        if classes.len() < 2 {
            return Err(LearnFault::OneClass.into());
        }
        let forest = RandomForest::fit(
            &self.table()?,
            &labels,
            classes.len() as u32,
            &self.forest_settings(settings),
        )?;
        let classes = classes.iter().map(|class| Arc::from(class.as_str())).collect();
        GenreDetector::from_parts(self.kind, classes, self.words.clone(), forest)
            .ok_or_else(|| LearnFault::NoExamples.into())
    }
}

/// Adds to each feature the number of correct answers lost when its values are shuffled among the rows.
fn note_losses(
    forest: &RandomForest,
    rows: &[&[f32]],
    truth: &[u32],
    answers: &[u32],
    seed: u64,
    lost: &mut [i64],
) {
    let right = |answer: u32, truth: u32| i64::from(answer == truth);
    for (feature, lost) in lost.iter_mut().enumerate() {
        let mut order: Vec<usize> = (0..rows.len()).collect();
        Rng::for_part(seed, feature as u64).shuffle(&mut order);
        let value = |at: usize| {
            rows.get(at)
                .and_then(|row| row.get(feature))
                .copied()
                .unwrap_or(0.0)
        };
        let mut changed: Vec<f32> = Vec::new();
        for (at, other) in order.iter().enumerate() {
            let (Some(row), Some(truth), Some(answer)) = (rows.get(at), truth.get(at), answers.get(at))
            else {
                continue;
            };
            if value(at) == value(*other) {
                continue;
            }
            changed.clear();
            changed.extend_from_slice(row);
            if let Some(place) = changed.get_mut(feature) {
                *place = value(*other);
            }
            *lost += right(*answer, *truth) - right(forest.predict(&changed).0, *truth);
        }
    }
}

/// An empty page, used to find out the names of the features.
pub(super) fn blank_page() -> ParsedPage {
    ParsedPage::blank(BLANK.clone())
}

#[allow(clippy::expect_used, reason = "the URL is a constant, and a test parses it")]
static BLANK: std::sync::LazyLock<CanonicalUrl> =
    std::sync::LazyLock::new(|| CanonicalUrl::parse("http://blank.invalid/").expect("a valid URL"));
