//! Judges trained on a task's example pages, cached so that the same examples are not trained on twice.

use scenthound_judge::{Calibrate, ModelKind, TrainedJudge, TrainingPages, TrainingSettings};
use scenthound_types::text::Stemming;
use scenthound_types::{Keyring, ParsedPage};

use crate::error::LabError;
use crate::recorded::PageId;
use crate::session::{Lab, LabEvent};
use crate::trial::Trial;

/// Number of pages of the web used if a task has no negative examples.
pub(crate) const BACKGROUND_PAGES: usize = 150;

impl Lab<'_> {
    /// A judge of this kind, trained on the task's examples and nothing else.
    pub(crate) fn trained_judge(
        &self,
        trial: &Trial,
        kind: ModelKind,
        calibrate: Calibrate,
        stemming: Stemming,
    ) -> Result<TrainedJudge, LabError> {
        let positive: Vec<ParsedPage> = trial.parsed(&trial.pages.positive).collect();
        let negative = match trial.pages.negative.as_slice() {
            [] => {
                self.tell(LabEvent::NegativesDrawn {
                    task: &trial.task.name,
                    pages: BACKGROUND_PAGES,
                });
                background(trial)
            }
            given => given.to_vec(),
        };
        let negative: Vec<ParsedPage> = trial.parsed(&negative).collect();
        let settings = TrainingSettings {
            calibrate,
            stemming,
            ..TrainingSettings::default()
        };
        self.train(&trial.task.name, kind, &settings, &positive, &negative)
    }

    /// A judge of this kind, trained on these pages. The same pages are not trained on twice.
    pub(crate) fn train(
        &self,
        task: &str,
        kind: ModelKind,
        settings: &TrainingSettings,
        positive: &[ParsedPage],
        negative: &[ParsedPage],
    ) -> Result<TrainedJudge, LabError> {
        let kept = self.options.cache.as_ref().map(|folder| {
            let hash = examples_hash(positive, negative, settings);
            folder
                .join("models")
                .join(format!("{}-{hash:016x}.model", kind.name()))
        });
        if let Some(judge) = kept.as_deref().and_then(|path| TrainedJudge::load(path).ok()) {
            return Ok(judge);
        }
        let pages = TrainingPages {
            positive: &positive.iter().collect::<Vec<_>>(),
            negative: &negative.iter().collect::<Vec<_>>(),
        };
        let judge = TrainedJudge::train(kind, &pages, settings).map_err(|fault| LabError::Judge {
            task: task.to_owned(),
            fault,
        })?;
        // If it cannot be cached, the next run takes longer, nothing else.
        if let Some(path) = kept
            && let Some(folder) = path.parent()
            && std::fs::create_dir_all(folder).is_ok()
        {
            let _ = judge.save(&path);
        }
        Ok(judge)
    }
}

/// The pages in a random order, the same each time.
pub(crate) fn shuffled(trial: &Trial, pages: impl Iterator<Item = PageId>) -> Vec<PageId> {
    let mut drawn: Vec<(u64, PageId)> = pages
        .map(|page| (Keyring::new(0).hash(&trial.web.spelled(page)), page))
        .collect();
    drawn.sort_unstable();
    drawn.into_iter().map(|(_, page)| page).collect()
}

/// Pages drawn at random from the web as negatives, the same each time.
fn background(trial: &Trial) -> Vec<PageId> {
    let all = (0..trial.web.pages() as u32).map(PageId);
    let mut drawn = shuffled(trial, all.filter(|page| !trial.pages.positive.contains(page)));
    drawn.truncate(BACKGROUND_PAGES);
    drawn
}

/// A hash of all the words of the examples and of the training settings.
fn examples_hash(positive: &[ParsedPage], negative: &[ParsedPage], settings: &TrainingSettings) -> u64 {
    let keyring = Keyring::new(0x6d0d_e15e);
    let mut all = format!("{} {TRAINING} {settings:?}", env!("CARGO_PKG_VERSION"));
    for (side, pages) in [("+", positive), ("-", negative)] {
        for page in pages {
            let words: u64 = page
                .text
                .tokens()
                .iter()
                .fold(0, |sum, token| sum.rotate_left(5).wrapping_add(token.hash()));
            all.push_str(&format!("{side}{} {words:x}\n", page.url));
        }
    }
    keyring.hash(&all)
}

/// Increase this whenever training yields a different judge from the same pages.
const TRAINING: u32 = 3;
