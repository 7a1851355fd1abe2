//! Detects what kind of page a page is: news, a blog, a forum, a shop.
//!
//! A [`GenreDetector`] computes features of a parsed page (how long it is, where its links lead, which words it uses,
//! what its markup declares) and lets a random forest vote. There are two feature sets: the nine of the paper
//! ([`DetectorKind::Nine`]) and a much larger one ([`DetectorKind::Rich`]). The classes are whatever the training
//! pages were labelled with. One trained detector is built into the program; it also believes some of what pages
//! [declare](declared), and tells [galleries](gallery) by a rule. [`GenreTrainingSet`] trains others, and [`WithGenre`] adds genre detection to any judge.
//!
//! Invariant: a guess depends only on the parsed page and the model. The word lists are part of the model, so a model
//! always counts the words it was trained on.
//!
//! Deliberately absent: how desirable a genre is; that is for the strategy to decide.

mod addresses;
mod declared;
mod features;
mod gallery;
mod memory;
mod note;
mod recognition;
mod substrings;
mod training;
mod word_lists;

use std::path::Path;
use std::sync::{Arc, LazyLock};

use scenthound_learn::{Damage, ModelFile, ModelFileFault, RandomForest};
use scenthound_types::{GenreGuess, Judgement, LinkPlace, ParsedPage, Token};
use serde::{Deserialize, Serialize};

use self::features::Name;
pub use self::recognition::{KnownGenre, RecognisedBy, Recognition as GenreRecognition};
pub use self::training::{
    Apart as GenreFolds, ClassSize, FeatureImportance, GenreClassFigures, GenreConfusion, GenreFigures,
    GenreTrainingSet, GenreTrainingSettings,
};
pub use self::word_lists::GenreWords;
use self::word_lists::WordLists;
use crate::{Judge, JudgeFault, Learner, Lesson, PageText, SnippetScorer};

/// Which features a detector uses.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum DetectorKind {
    /// The nine of the paper.
    Nine,
    /// Structure, markup, URLs and words.
    Rich,
}

impl DetectorKind {
    /// All kinds.
    pub const ALL: [DetectorKind; 2] = [DetectorKind::Nine, DetectorKind::Rich];

    /// The name it is selected by.
    pub fn name(self) -> &'static str {
        match self {
            DetectorKind::Nine => "genre-9",
            DetectorKind::Rich => "genre",
        }
    }

    /// The words its features count, unless a user adds some.
    pub fn words(self) -> GenreWords {
        match self {
            DetectorKind::Nine => GenreWords::paper(),
            DetectorKind::Rich => GenreWords::shipped(),
        }
    }

    /// The kind with that name.
    pub fn from_name(name: &str) -> Option<DetectorKind> {
        DetectorKind::ALL.into_iter().find(|kind| kind.name() == name)
    }

    fn tell(self, page: &ParsedPage, lists: &WordLists, tell: impl FnMut(Name, f32)) {
        match self {
            DetectorKind::Nine => features::nine(page, lists, tell),
            DetectorKind::Rich => features::rich(page, lists, tell),
        }
    }
}

/// The contents of a model file.
#[derive(Serialize, Deserialize)]
struct Stored {
    kind: DetectorKind,
    classes: Vec<String>,
    words: GenreWords,
    forest: RandomForest,
}

impl ModelFile for Stored {
    const KIND: &'static str = "genre";
    const VERSION: u16 = 2;
}

/// Detects the genre of pages.
#[derive(Clone, Debug)]
pub struct GenreDetector {
    kind: DetectorKind,
    classes: Vec<Arc<str>>,
    words: GenreWords,
    lists: WordLists,
    forest: RandomForest,
    /// Whether what a page declares itself to be, and the rule for galleries, come before the votes. Not for models with classes of
    /// their own.
    believes: bool,
}

/// The class of pages that are of no kind it knows.
const OTHER: &str = "other";

static RICH: LazyLock<Option<GenreDetector>> = LazyLock::new(|| {
    let read = GenreDetector::from_bytes(include_bytes!("../../../models/genre.model")).ok();
    read.map(|detector| GenreDetector {
        believes: true,
        ..detector
    })
});

impl GenreDetector {
    /// A detector from its parts; none if they do not fit together.
    fn from_parts(
        kind: DetectorKind,
        classes: Vec<Arc<str>>,
        words: GenreWords,
        forest: RandomForest,
    ) -> Option<GenreDetector> {
        let features = feature_names(kind).len();
        (forest.classes() as usize == classes.len() && forest.features() as usize == features).then(|| {
            GenreDetector {
                kind,
                classes,
                lists: WordLists::new(&words),
                words,
                forest,
                believes: false,
            }
        })
    }

    /// The detector built into the program; none for the nine features, and if the program was built with a damaged model.
    ///
    /// Nine features hardly recognise pages of sites they were not trained on: by sites their mean F1 on the paper's five classes is
    /// 0.38. So a detector with nine features is for pages of one's own, or for repeating the paper's experiments.
    pub fn shipped(kind: DetectorKind) -> Option<&'static GenreDetector> {
        match kind {
            DetectorKind::Rich => RICH.as_ref(),
            DetectorKind::Nine => None,
        }
    }

    /// Reads a model from bytes.
    pub fn from_bytes(bytes: &[u8]) -> Result<GenreDetector, Damage> {
        let stored = Stored::from_bytes(bytes)?;
        let classes = stored
            .classes
            .iter()
            .map(|class| Arc::from(class.as_str()))
            .collect();
        GenreDetector::from_parts(stored.kind, classes, stored.words, stored.forest).ok_or(Damage::Senseless)
    }

    /// Reads a model file.
    pub fn load(path: &Path) -> Result<GenreDetector, JudgeFault> {
        let stored = <Stored as ModelFile>::load(path)?;
        let classes = stored
            .classes
            .iter()
            .map(|class| Arc::from(class.as_str()))
            .collect();
        GenreDetector::from_parts(stored.kind, classes, stored.words, stored.forest).ok_or_else(|| {
            JudgeFault::Model(ModelFileFault::Unusable {
                path: path.to_owned(),
                what: Damage::Senseless,
            })
        })
    }

    fn stored(&self) -> Stored {
        Stored {
            kind: self.kind,
            classes: self.classes.iter().map(|class| class.to_string()).collect(),
            words: self.words.clone(),
            forest: self.forest.clone(),
        }
    }

    /// The model as the bytes of a file.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.stored().to_bytes()
    }

    /// Writes a model file.
    pub fn save(&self, path: &Path) -> Result<(), JudgeFault> {
        Ok(self.stored().save(path)?)
    }

    /// Which features it uses.
    pub fn kind(&self) -> DetectorKind {
        self.kind
    }

    /// The classes it knows.
    pub fn classes(&self) -> &[Arc<str>] {
        &self.classes
    }

    /// The same detector with more words to count; `name` is how messages refer to the list.
    pub fn with_words(&self, name: &str, list: &str) -> Result<GenreDetector, JudgeFault> {
        let mut words = self.words.clone();
        words.add(name, list)?;
        Ok(GenreDetector {
            lists: WordLists::new(&words),
            words,
            ..self.clone()
        })
    }

    /// The feature values of a page.
    pub fn features(&self, page: &ParsedPage) -> Vec<f32> {
        // The forest was trained on words as they are read.
        let page = page.as_read();
        let page = page.as_ref();
        let mut values = Vec::with_capacity(self.forest.features() as usize);
        self.kind.tell(page, &self.lists, |_, value| values.push(value));
        values
    }

    /// The share of the votes of each class, in the order of [`GenreDetector::classes`]. The built-in detector believes pages that
    /// declare to be of a class, and gives none to pages without a word.
    pub fn votes(&self, page: &ParsedPage) -> Vec<f64> {
        if self.believes && !has_words(page) {
            return vec![0.0; self.classes.len()];
        }
        let mut shares = self.forest.shares(&self.features(page));
        let declared = self.believes.then(|| declared::declared(&page.hints)).flatten();
        let classes = shares.iter_mut().zip(&self.classes);
        for (share, _) in classes.filter(|(_, class)| declared == Some(&***class)) {
            *share = share.max(declared::CONFIDENCE);
        }
        shares
    }

    /// The class of a page, and its share of the votes. The built-in detector believes pages that declare to be a job offer or a
    /// video, tells galleries by their thumbnails, and takes pages without a word for none of its kinds.
    pub fn detect(&self, page: &ParsedPage) -> GenreGuess {
        if self.believes
            && let Some(class) = declared::declared(&page.hints)
        {
            return GenreGuess {
                class: class.into(),
                confidence: declared::CONFIDENCE,
            };
        }
        if self.believes && gallery::is_gallery(page) {
            return GenreGuess {
                class: gallery::CLASS.into(),
                confidence: gallery::CONFIDENCE,
            };
        }
        // Trees vote on features that are all 0 as well: an empty page was a shop.
        if self.believes && !has_words(page) {
            return GenreGuess {
                class: OTHER.into(),
                confidence: 1.0,
            };
        }
        let (class, confidence) = self.forest.predict(&self.features(page));
        GenreGuess {
            class: self
                .classes
                .get(class as usize)
                .cloned()
                .unwrap_or_else(|| OTHER.into()),
            confidence,
        }
    }
}

fn has_words(page: &ParsedPage) -> bool {
    page.text.tokens().iter().any(|token| token.is_word())
}

/// The names of a kind's features, in order.
pub fn feature_names(kind: DetectorKind) -> Vec<String> {
    let mut names = Vec::new();
    let lists = WordLists::new(&GenreWords::default());
    kind.tell(&training::blank_page(), &lists, |name, _| {
        names.push(name.to_string())
    });
    names
}

/// Whether a class matches a genre that a user asked for: by the class's own name, or by another word for it.
pub fn is_of_genre(class: &str, wanted: &str) -> bool {
    class == wanted
        || matches!(
            (wanted, class),
            ("guide" | "review", "article")
                | ("article", "news")
                | ("shop", "product" | "listing")
                | ("product", "shop")
                | ("documentation", "docs")
                | ("job", "jobs")
                | ("academic" | "homepage" | "personal", "home")
        )
}

/// A judge that also detects the genre.
pub struct WithGenre {
    /// Judges how relevant a page is.
    pub judge: Arc<dyn Judge>,
    /// Detects its genre.
    pub detector: GenreDetector,
}

impl Judge for WithGenre {
    fn prepare(&self, page: &mut ParsedPage) {
        self.judge.prepare(page);
    }

    fn judge(&self, page: &ParsedPage) -> Judgement {
        self.judge_and_keep(page).0
    }

    fn judge_and_keep(&self, page: &ParsedPage) -> (Judgement, Option<Box<Lesson>>) {
        let (judged, lesson) = self.judge.judge_and_keep(page);
        let judgement = Judgement {
            genre: Some(self.detector.detect(page)),
            ..judged
        };
        (judgement, lesson)
    }

    fn learner(&self) -> Option<&dyn Learner> {
        self.judge.learner()
    }

    fn snippet(&self, tokens: &[Token]) -> f32 {
        self.judge.snippet(tokens)
    }

    fn url_snippet(&self, words: &[Token]) -> f32 {
        self.judge.url_snippet(words)
    }

    fn snippets(&self) -> Option<Box<SnippetScorer>> {
        self.judge.snippets()
    }

    fn reads(&self) -> PageText {
        self.judge.reads()
    }

    fn place(&self, anchor: &[Token]) -> Option<LinkPlace> {
        self.judge.place(anchor)
    }
}
