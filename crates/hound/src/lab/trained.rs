//! Judges trained on a task's example pages, kept so that the same examples are not learnt from twice.

use anyhow::Result;
use scenthound_judge::{ModelKind, TrainedJudge, TrainingPages, TrainingSettings};
use scenthound_lab::Trial;
use scenthound_lab::recorded::PageId;
use scenthound_types::{Keyring, ParsedPage};

use super::webs;
use crate::pages_input::bad_input;

/// Pages of the web that stand in where a task gives no negative examples.
const BACKGROUND_PAGES: usize = 150;

/// The judge of a kind, trained on the task's examples and on nothing else.
pub fn judge(trial: &Trial, kind: ModelKind) -> Result<TrainedJudge> {
    let positive: Vec<ParsedPage> = trial.parsed(&trial.pages.positive).collect();
    let negative = match trial.pages.negative.as_slice() {
        [] => background(trial),
        given => given.to_vec(),
    };
    let negative: Vec<ParsedPage> = trial.parsed(&negative).collect();
    let settings = TrainingSettings::default();
    let kept = webs::cache_folder().map(|folder| {
        let name = format!(
            "{}-{:016x}.model",
            kind.name(),
            examples_hash(&positive, &negative, &settings)
        );
        folder.with_file_name("models").join(name)
    });
    if let Some(judge) = kept.as_deref().and_then(|path| TrainedJudge::load(path).ok()) {
        return Ok(judge);
    }
    let pages = TrainingPages {
        positive: &positive.iter().collect::<Vec<_>>(),
        negative: &negative.iter().collect::<Vec<_>>(),
    };
    let judge = TrainedJudge::train(kind, &pages, &settings)
        .map_err(|fault| bad_input(format!("task {}: {fault}", trial.task.name)))?;
    // Not being able to keep it costs the next run some time and nothing else.
    if let Some(path) = kept
        && let Some(folder) = path.parent()
        && std::fs::create_dir_all(folder).is_ok()
    {
        let _ = judge.save(&path);
    }
    Ok(judge)
}

/// Pages drawn from the web, the same each time.
fn background(trial: &Trial) -> Vec<PageId> {
    let mut drawn: Vec<(u64, PageId)> = (0..trial.web.pages() as u32)
        .map(PageId)
        .filter(|page| !trial.pages.positive.contains(page))
        .map(|page| (Keyring::new(0).hash(&trial.web.spelled(page)), page))
        .collect();
    drawn.sort_unstable();
    note!(
        "task {} gives no negative examples: {BACKGROUND_PAGES} pages drawn from the web stand in",
        trial.task.name
    );
    drawn
        .into_iter()
        .take(BACKGROUND_PAGES)
        .map(|(_, page)| page)
        .collect()
}

/// Tells one set of examples from another, by all their words and by how they are learnt from.
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

/// Raised whenever training makes another judge of the same pages.
const TRAINING: u32 = 2;
