//! Judges of relevance from pages that are wanted and pages that are not.

use std::collections::BTreeSet;
use std::fmt;

use scenthound_judge::{
    Apart, Calibrate, JudgeFault, ModelKind, TableJudge, TableJudgeSettings, TellingWord, TrainedJudge,
    TrainingPages, TrainingSettings, Validation,
};
use scenthound_learn::Space;
use scenthound_types::text::Stemming;
use scenthound_types::{CanonicalUrl, ParsedPage, Token};
use serde::{Serialize, Serializer};
use thiserror::Error;

/// With fewer examples, ten more pages would change the figures a lot.
const FEW: usize = 20;
/// An AUC below this is close to chance.
const HARDLY_SEPARABLE: f64 = 0.75;
/// A class this many times larger than the other is worth a warning.
const UNBALANCED: usize = 20;
/// Background pages taken for each example, and at least.
const BACKGROUND_EACH: usize = 4;
const LEAST_BACKGROUND: usize = 200;
/// Words reported for each direction.
const WORDS: usize = 20;

/// Why a judge cannot be trained.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TrainError {
    /// A page was given as wanted and as not wanted.
    #[error("{0} is among the positive and among the negative pages; it can be in one only")]
    InBoth(CanonicalUrl),
    /// The examples are not enough, or the file could not be written.
    #[error(transparent)]
    Judge(#[from] JudgeFault),
}

impl TrainError {
    /// Whether other examples would help.
    pub fn is_bad_input(&self) -> bool {
        match self {
            TrainError::InBoth(_) => true,
            TrainError::Judge(fault) => fault.is_bad_input(),
        }
    }
}

/// One of the two classes of examples.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ExampleClass {
    /// The pages wanted.
    Wanted,
    /// The others.
    NotWanted,
}

/// What the examples cannot support.
#[derive(Clone, Copy, PartialEq, Debug)]
#[non_exhaustive]
pub enum TrainingWarning {
    /// So few pages of a class that the figures are rough.
    FewPages(ExampleClass, usize),
    /// All wanted pages come from one site.
    OneSite,
    /// One class has this many times the pages of the other.
    Unbalanced(usize),
    /// The classes can hardly be separated; the area under the ROC curve.
    HardlySeparable(f64),
    /// Background pages count as not wanted, though some may be.
    Background,
    /// The examples come from too few sites to hold out whole sites.
    FewSites,
}

impl Serialize for TrainingWarning {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl fmt::Display for TrainingWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TrainingWarning::FewPages(class, pages) => write!(
                f,
                "only {pages} {} {}: the figures are rough; {FEW} or more would make them reliable",
                if *pages == 1 { "page" } else { "pages" },
                match class {
                    ExampleClass::Wanted => "wanted",
                    ExampleClass::NotWanted => "not wanted",
                }
            ),
            TrainingWarning::OneSite => f.write_str(
                "all wanted pages come from one site: the judge may learn the site instead of the topic; add pages of other sites",
            ),
            TrainingWarning::Unbalanced(times) => {
                write!(f, "one class has {times} times the pages of the other")
            }
            TrainingWarning::HardlySeparable(auc) => write!(
                f,
                "the classes can hardly be separated (AUC {auc:.2}, chance is 0.50): do the wanted pages have something in \
                 common?"
            ),
            TrainingWarning::Background => f.write_str(
                "background pages count as not wanted, though some may be wanted: true precision may be higher than shown",
            ),
            TrainingWarning::FewSites => f.write_str(
                "the examples come from too few sites to hold out whole sites: expect lower figures on new sites",
            ),
        }
    }
}

/// The pages to learn from. Add the wanted pages first.
#[derive(Debug, Default)]
pub struct RelevanceExamples {
    positive: Vec<ParsedPage>,
    wanted: BTreeSet<CanonicalUrl>,
    negative: Vec<ParsedPage>,
    background: Option<Sample>,
}

/// Reduces the words of pages to their stems.
fn stem_all(pages: &mut [ParsedPage], stemming: Stemming) {
    for page in pages {
        page.stem(stemming.stemmer(page.language));
    }
}

impl RelevanceExamples {
    /// Adds a page that is wanted.
    pub fn add_positive(&mut self, page: ParsedPage) {
        self.wanted.insert(page.url.clone());
        self.positive.push(page);
    }

    /// Adds a page that is not wanted.
    pub fn add_negative(&mut self, page: ParsedPage) -> Result<(), TrainError> {
        if self.wanted.contains(&page.url) {
            return Err(TrainError::InBoth(page.url));
        }
        self.negative.push(page);
        Ok(())
    }

    /// Lets pages of a background stand in for pages that are not wanted: a sample drawn with this seed, sized by the number of
    /// wanted pages.
    pub fn use_background(&mut self, seed: u64) {
        let most = LEAST_BACKGROUND.max(BACKGROUND_EACH * self.positive.len());
        self.background = Some(Sample::new(most, seed));
    }

    /// Adds a page of the background, unless it is wanted.
    pub fn add_background(&mut self, page: ParsedPage) {
        if let Some(sample) = &mut self.background
            && !self.wanted.contains(&page.url)
        {
            sample.offer(page);
        }
    }

    /// The number of wanted pages.
    pub fn positive(&self) -> usize {
        self.positive.len()
    }

    /// Makes a table of the heaviest words of the wanted pages.
    pub fn train_table(&mut self, size: usize, stemming: Stemming) -> Result<TableJudge, TrainError> {
        stem_all(&mut self.positive, stemming);
        let settings = TableJudgeSettings {
            size,
            space: Space::Union,
            threshold: 0.0,
        };
        Ok(TableJudge::learn(&self.positive, &settings)?)
    }

    /// Trains a classifier, and cross-validates it.
    pub fn train(mut self, settings: &RelevanceSettings) -> Result<TrainedRelevance, TrainError> {
        let has_background = self.background.is_some();
        if let Some(sample) = self.background.take() {
            self.negative.extend(sample.take());
        }
        stem_all(&mut self.positive, settings.stemming);
        stem_all(&mut self.negative, settings.stemming);
        let positive: Vec<&ParsedPage> = self.positive.iter().collect();
        let negative: Vec<&ParsedPage> = self.negative.iter().collect();
        let pages = TrainingPages {
            positive: &positive,
            negative: &negative,
        };
        let training = TrainingSettings {
            seed: settings.seed,
            calibrate: settings.calibrate,
            stemming: settings.stemming,
            ..TrainingSettings::default()
        };
        let validation = TrainedJudge::cross_validate(settings.kind, &pages, &training, settings.folds)?;
        let judge = TrainedJudge::train(settings.kind, &pages, &training)?;
        let (mut telling, mut telling_against) = judge.telling_words(WORDS);
        for word in telling.iter_mut().chain(&mut telling_against) {
            word.effect = (word.effect * 1000.0).round() / 1000.0;
        }
        let kernel = judge.kernel().map(|(cost, gamma)| KernelSettings { cost, gamma });
        Ok(TrainedRelevance {
            judge,
            kernel,
            positive: positive.len(),
            negative: negative.len(),
            negatives_are_background: has_background,
            warnings: self.warnings(&validation, has_background),
            validation,
            telling,
            telling_against,
        })
    }

    fn warnings(&self, validation: &Validation, has_background: bool) -> Vec<TrainingWarning> {
        let mut warnings = Vec::new();
        for (pages, class) in [
            (self.positive.len(), ExampleClass::Wanted),
            (self.negative.len(), ExampleClass::NotWanted),
        ] {
            if pages < FEW {
                warnings.push(TrainingWarning::FewPages(class, pages));
            }
        }
        let sites: BTreeSet<&str> = self.positive.iter().map(|page| page.url.host()).collect();
        if sites.len() == 1 && self.positive.len() > 1 {
            warnings.push(TrainingWarning::OneSite);
        }
        let larger = self.negative.len().max(self.positive.len());
        let smaller = self.negative.len().min(self.positive.len()).max(1);
        if larger / smaller >= UNBALANCED {
            warnings.push(TrainingWarning::Unbalanced(larger / smaller));
        }
        if validation.figures.auc < HARDLY_SEPARABLE {
            warnings.push(TrainingWarning::HardlySeparable(validation.figures.auc));
        }
        if has_background {
            warnings.push(TrainingWarning::Background);
        }
        if validation.apart == Apart::Pages {
            warnings.push(TrainingWarning::FewSites);
        }
        warnings
    }
}

/// How a classifier is trained.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct RelevanceSettings {
    /// What decides.
    pub kind: ModelKind,
    /// How a score becomes a probability.
    pub calibrate: Calibrate,
    /// Whose stems the words of the pages are reduced to.
    pub stemming: Stemming,
    /// For all random numbers.
    pub seed: u64,
    /// Parts for cross-validation.
    pub folds: usize,
}

/// A trained judge, and what to expect of it.
#[derive(Debug, Serialize)]
pub struct TrainedRelevance {
    /// The judge.
    #[serde(skip)]
    pub judge: TrainedJudge,
    /// What was found for an RBF kernel by cross-validation.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub kernel: Option<KernelSettings>,
    /// Wanted pages.
    pub positive: usize,
    /// Other pages.
    pub negative: usize,
    /// Whether background pages are among the others.
    pub negatives_are_background: bool,
    /// Figures on pages it had not seen.
    #[serde(flatten)]
    pub validation: Validation,
    /// The words that speak most for relevance.
    pub telling: Vec<TellingWord>,
    /// The words that speak most against it.
    pub telling_against: Vec<TellingWord>,
    /// What the examples cannot support.
    pub warnings: Vec<TrainingWarning>,
}

/// The settings of an RBF kernel.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct KernelSettings {
    /// C: how much a missed margin costs.
    pub cost: f64,
    /// γ: how quickly pages stop being alike.
    pub gamma: f64,
}

/// A bounded number of pages out of any number, chosen by a hash of their URL: the same ones in whatever order they come.
#[derive(Debug)]
struct Sample {
    most: usize,
    seed: u64,
    held: Vec<(u64, ParsedPage)>,
}

impl Sample {
    fn new(most: usize, seed: u64) -> Sample {
        Sample {
            most,
            seed,
            held: Vec::new(),
        }
    }

    fn offer(&mut self, page: ParsedPage) {
        let hash = Token::of(&format!("{} {}", self.seed, page.url)).hash();
        self.held.push((hash, page));
        if self.held.len() >= 2 * self.most {
            self.cut();
        }
    }

    fn cut(&mut self) {
        self.held
            .sort_by(|a, b| a.0.cmp(&b.0).then_with(|| a.1.url.cmp(&b.1.url)));
        self.held.truncate(self.most);
    }

    fn take(mut self) -> impl Iterator<Item = ParsedPage> {
        self.cut();
        self.held.into_iter().map(|(_, page)| page)
    }
}
