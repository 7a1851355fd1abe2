//! What kind of page a page is: news, a blog, a forum, a shop.
//!
//! A [`GenreDetector`] reads numbers off a parsed page (how long it is, where its links lead, which words it uses, what its
//! markup says of itself) and lets a random forest vote. There are two sets of numbers: the nine of the paper
//! ([`DetectorKind::Nine`]) and many more ([`DetectorKind::Rich`]); the classes are whatever the training pages were
//! labelled with. Two trained detectors come with the program. [`GenreTrainingSet`] trains others, and [`WithGenre`] lets any
//! judge tell the genre too.
//!
//! Invariant: a guess depends on the parsed page and the model alone. The words are part of the model, so a model counts what
//! it was trained on.
//!
//! Deliberately absent: what a genre is worth; that is the strategy's.

mod addresses;
mod features;
mod memory;
mod note;
mod substrings;
mod training;
mod word_lists;

use std::path::Path;
use std::sync::{Arc, LazyLock};

use scenthound_learn::{Damage, ModelFile, ModelFileFault, RandomForest};
use scenthound_types::{GenreGuess, Judgement, LinkPlace, ParsedPage, Token};
use serde::{Deserialize, Serialize};

use self::features::Name;
pub use self::training::{Apart as GenreFolds, GenreFigures, GenreTrainingSet, GenreTrainingSettings};
pub use self::word_lists::GenreWords;
use self::word_lists::WordLists;
use crate::{Judge, JudgeFault};

/// Which numbers a detector goes by.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum DetectorKind {
    /// The nine of the paper.
    Nine,
    /// Structure, markup, addresses and words.
    Rich,
}

impl DetectorKind {
    /// All kinds.
    pub const ALL: [DetectorKind; 2] = [DetectorKind::Nine, DetectorKind::Rich];

    /// The name it is chosen by.
    pub fn name(self) -> &'static str {
        match self {
            DetectorKind::Nine => "genre-9",
            DetectorKind::Rich => "genre",
        }
    }

    /// The kind of that name.
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

/// What a model file holds.
#[derive(Serialize, Deserialize)]
struct Stored {
    kind: DetectorKind,
    classes: Vec<String>,
    words: GenreWords,
    forest: RandomForest,
}

impl ModelFile for Stored {
    const KIND: &'static str = "genre";
    const VERSION: u16 = 1;
}

/// Tells the genre of pages.
#[derive(Clone, Debug)]
pub struct GenreDetector {
    kind: DetectorKind,
    classes: Vec<Arc<str>>,
    words: GenreWords,
    lists: WordLists,
    forest: RandomForest,
}

static RICH: LazyLock<Option<GenreDetector>> =
    LazyLock::new(|| GenreDetector::from_bytes(include_bytes!("../../../models/genre.model")).ok());
static NINE: LazyLock<Option<GenreDetector>> =
    LazyLock::new(|| GenreDetector::from_bytes(include_bytes!("../../../models/genre-9.model")).ok());

impl GenreDetector {
    /// A detector from its parts; none where they do not go together.
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
            }
        })
    }

    /// The detector that comes with the program; none only if the program was built from a damaged model.
    pub fn shipped(kind: DetectorKind) -> Option<&'static GenreDetector> {
        match kind {
            DetectorKind::Rich => RICH.as_ref(),
            DetectorKind::Nine => NINE.as_ref(),
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

    /// The model as a file's bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.stored().to_bytes()
    }

    /// Writes a model file.
    pub fn save(&self, path: &Path) -> Result<(), JudgeFault> {
        Ok(self.stored().save(path)?)
    }

    /// Which numbers it goes by.
    pub fn kind(&self) -> DetectorKind {
        self.kind
    }

    /// The classes it knows.
    pub fn classes(&self) -> &[Arc<str>] {
        &self.classes
    }

    /// The same detector counting more words; `name` is what messages call the list.
    pub fn with_words(&self, name: &str, list: &str) -> Result<GenreDetector, JudgeFault> {
        let mut words = self.words.clone();
        words.add(name, list)?;
        Ok(GenreDetector {
            lists: WordLists::new(&words),
            words,
            ..self.clone()
        })
    }

    /// The numbers of a page.
    pub fn features(&self, page: &ParsedPage) -> Vec<f32> {
        let mut values = Vec::with_capacity(self.forest.features() as usize);
        self.kind.tell(page, &self.lists, |_, value| values.push(value));
        values
    }

    /// The class of a page and the share of the votes for it.
    pub fn detect(&self, page: &ParsedPage) -> GenreGuess {
        let (class, confidence) = self.forest.predict(&self.features(page));
        GenreGuess {
            class: self
                .classes
                .get(class as usize)
                .cloned()
                .unwrap_or_else(|| "other".into()),
            confidence,
        }
    }
}

/// What the numbers of a kind are called, in order.
pub fn feature_names(kind: DetectorKind) -> Vec<String> {
    let mut names = Vec::new();
    let lists = WordLists::new(&GenreWords::default());
    kind.tell(&training::blank_page(), &lists, |name, _| {
        names.push(name.to_string())
    });
    names
}

/// Whether a page guessed to be of a class is of a genre that somebody asked for: by the class's own name, or by another
/// word for it.
pub fn is_of_genre(class: &str, wanted: &str) -> bool {
    class == wanted
        || matches!(
            (wanted, class),
            ("news" | "guide" | "review", "article")
                | ("article", "news")
                | ("shop", "product" | "listing")
                | ("product", "shop")
                | ("documentation", "docs")
                | ("job", "jobs")
                | ("academic" | "homepage" | "personal", "home")
        )
}

/// A judge that also tells the genre.
pub struct WithGenre {
    /// Says how relevant a page is.
    pub judge: Arc<dyn Judge>,
    /// Says of which kind it is.
    pub detector: GenreDetector,
}

impl Judge for WithGenre {
    fn judge(&self, page: &ParsedPage) -> Judgement {
        Judgement {
            genre: Some(self.detector.detect(page)),
            ..self.judge.judge(page)
        }
    }

    fn snippet(&self, tokens: &[Token]) -> f32 {
        self.judge.snippet(tokens)
    }

    fn url_snippet(&self, words: &[Token]) -> f32 {
        self.judge.url_snippet(words)
    }

    fn place(&self, anchor: &[Token]) -> Option<LinkPlace> {
        self.judge.place(anchor)
    }
}
