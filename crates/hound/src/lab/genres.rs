//! The genres of a web's pages, detected once for all crawls of it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock};

use scenthound_judge::GenreDetector;
use scenthound_lab::recorded::PageId;
use scenthound_lab::{Opinion, PageJudge, Trial, Web};
use scenthound_types::GenreGuess;

/// What a detector makes of the pages of one web.
pub struct Genres {
    detector: GenreDetector,
    guesses: Vec<OnceLock<GenreGuess>>,
}

impl Genres {
    /// No page looked at yet.
    pub fn new(detector: GenreDetector, pages: usize) -> Genres {
        Genres {
            detector,
            guesses: (0..pages).map(|_| OnceLock::new()).collect(),
        }
    }

    /// The genre of a page; none where there is no such page.
    pub fn of(&self, web: &dyn Web, page: PageId) -> Option<GenreGuess> {
        let guess = self.guesses.get(page.0 as usize)?;
        if guess.get().is_none() {
            // Another thread may have been quicker; it found the same.
            let _ = guess.set(self.detector.detect(&web.page(page)?));
        }
        guess.get().cloned()
    }

    /// Those of a trial's web by one detector (told by its name or file), shared by all crawls of this run.
    pub fn shared(
        trial: &Trial,
        name: &str,
        detector: impl FnOnce() -> anyhow::Result<GenreDetector>,
    ) -> anyhow::Result<Arc<Genres>> {
        type Known = BTreeMap<(String, usize, String), Arc<Genres>>;
        static KNOWN: Mutex<Known> = Mutex::new(BTreeMap::new());
        let pages = trial.web.pages();
        let key = (trial.web_name.clone(), pages, name.to_owned());
        let mut known = KNOWN.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if let Some(genres) = known.get(&key) {
            return Ok(genres.clone());
        }
        let genres = Arc::new(Genres::new(detector()?, pages));
        known.insert(key, genres.clone());
        Ok(genres)
    }
}

/// A judge that also tells the genre, where its own judgement does not.
pub struct WithGenres<'j> {
    pub judge: &'j dyn PageJudge,
    pub genres: Arc<Genres>,
}

impl PageJudge for WithGenres<'_> {
    fn opinion(&self, web: &dyn Web, page: PageId, snippets: bool) -> Opinion {
        let mut opinion = self.judge.opinion(web, page, snippets);
        if opinion.judgement.genre.is_none() {
            opinion.judgement.genre = self.genres.of(web, page);
        }
        opinion
    }
}
