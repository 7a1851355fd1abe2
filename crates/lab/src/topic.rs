//! From a task to the judge that guides a crawl.
//!
//! A task that has terms is judged by them. For a task that has only examples, terms are generated from the positive examples in
//! contrast to the negative ones, or a judge is trained on both.

use std::sync::Arc;

use crate::recorded::PageId;
use scenthound_judge::terms::{BackgroundCounts, GenerateSettings, RunCounts, TermsFault, generate};
use scenthound_judge::{Judge, JudgeFault, PageText, TermJudge, TermSettings};
use scenthound_types::ParsedPage;
use thiserror::Error;

use crate::trial::Trial;

/// Number of terms generated for a task that has none.
const GENERATED_TERMS: usize = 20;

/// Why no judge can be built for a task.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TopicFault {
    /// The task has neither terms nor examples.
    #[error(
        "task {task} has neither terms (genre, content) nor positive examples, so no judge can be built; add one or the other"
    )]
    Nothing {
        /// The task.
        task: String,
    },
    /// No judge can be built from the terms.
    #[error("the terms of task {task}: {source}")]
    Terms {
        /// The task.
        task: String,
        /// Why.
        source: JudgeFault,
    },
    /// No terms could be generated.
    #[error("could not generate terms for task {task}: {source}")]
    Generate {
        /// The task.
        task: String,
        /// Why.
        source: TermsFault,
    },
}

impl Trial {
    /// Whether the task itself has terms.
    pub fn has_terms(&self) -> bool {
        !self.task.genre.is_empty() || !self.task.content.is_empty()
    }

    /// The task's terms, its own or generated ones, as settings that a caller may change further.
    pub fn terms(&self) -> Result<TermSettings, TopicFault> {
        let mut terms = TermSettings {
            genre: self.task.genre.clone(),
            content: self.task.content.clone(),
            exclude: self.task.exclude.clone(),
            ..TermSettings::default()
        };
        if !self.has_terms() {
            terms.content = self.generated_terms()?;
        }
        Ok(terms)
    }

    /// Content terms from the positive examples, in contrast to the negative ones.
    fn generated_terms(&self) -> Result<Vec<String>, TopicFault> {
        let task = || self.task.name.clone();
        if self.pages.positive.is_empty() {
            return Err(TopicFault::Nothing { task: task() });
        }
        let mut relevant = RunCounts::new(None);
        for page in self.parsed(&self.pages.positive) {
            relevant.add(&page.text, page.language);
        }
        let background = (!self.pages.negative.is_empty()).then(|| {
            let mut background = BackgroundCounts::of(&[&relevant], None);
            for page in self.parsed(&self.pages.negative) {
                background.add(&page.text, page.language);
            }
            background
        });
        let settings = GenerateSettings {
            genre_terms: 0,
            content_terms: GENERATED_TERMS,
            ..GenerateSettings::default()
        };
        let generated = generate(&RunCounts::new(None), &relevant, background.as_ref(), &settings)
            .map_err(|source| TopicFault::Generate { task: task(), source })?;
        Ok(generated
            .content
            .into_iter()
            .map(|candidate| candidate.term)
            .collect())
    }

    /// The pages, parsed.
    pub fn parsed<'a>(&'a self, pages: &'a [PageId]) -> impl Iterator<Item = ParsedPage> + 'a {
        // Whoever learns from them may want the main text.
        let read = |page: &PageId| self.web.page_with(*page, PageText::Main);
        pages.iter().filter_map(read)
    }

    /// The term judge with these settings.
    pub fn term_judge(&self, terms: &TermSettings) -> Result<Arc<dyn Judge>, TopicFault> {
        let judge = TermJudge::new(terms).map_err(|source| TopicFault::Terms {
            task: self.task.name.clone(),
            source,
        })?;
        Ok(Arc::new(judge))
    }
}
