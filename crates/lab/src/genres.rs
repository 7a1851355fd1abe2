//! The genres of a web's pages, detected once and shared by all its crawls.

use std::sync::{Arc, OnceLock};

use scenthound_judge::GenreDetector;
use scenthound_types::GenreGuess;

use crate::error::LabError;
use crate::opinion::{Opinion, PageJudge};
use crate::recorded::PageId;
use crate::session::Lab;
use crate::trial::Trial;
use crate::web::Web;

/// The genres that a detector finds on the pages of one web.
pub struct Genres {
    detector: GenreDetector,
    guesses: Vec<OnceLock<GenreGuess>>,
}

impl Genres {
    /// No page has been examined yet.
    pub fn new(detector: GenreDetector, pages: usize) -> Genres {
        Genres {
            detector,
            guesses: (0..pages).map(|_| OnceLock::new()).collect(),
        }
    }

    /// The genre of a page; `None` if there is no such page.
    pub fn of(&self, web: &dyn Web, page: PageId) -> Option<GenreGuess> {
        let guess = self.guesses.get(page.0 as usize)?;
        if guess.get().is_none() {
            // Another thread may have been faster; its result is the same.
            let _ = guess.set(self.detector.detect(&web.page(page)?));
        }
        guess.get().cloned()
    }
}

impl Lab<'_> {
    /// The genres of a trial's web according to one detector, built in or from a file, shared by all crawls.
    pub(crate) fn genres(
        &self,
        trial: &Trial,
        name: &str,
        detector: impl FnOnce() -> Result<GenreDetector, LabError>,
    ) -> Result<Arc<Genres>, LabError> {
        let pages = trial.web.pages();
        let key = (trial.web_name.clone(), pages, name.to_owned());
        let mut known = self
            .genres
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner());
        if let Some(genres) = known.get(&key) {
            return Ok(genres.clone());
        }
        let genres = Arc::new(Genres::new(detector()?, pages));
        known.insert(key, genres.clone());
        Ok(genres)
    }
}

/// A judge that also detects the genre if its own judgement has none.
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

    fn learner(&self) -> Option<std::sync::Arc<dyn scenthound_judge::Judge>> {
        self.judge.learner()
    }
}
