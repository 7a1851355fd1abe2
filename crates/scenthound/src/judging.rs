//! Judging pages at hand by a topic, without a crawl.

use std::sync::Arc;

use scenthound_config::{BuildError, Settings};
use scenthound_engine::{PageProcessor, PageSettings};
use scenthound_judge::{GenreDetector, Judge, LabelledPage};
use scenthound_strategy::Needs;
use scenthound_types::{GenreGuess, Keyring, Parts, Verdict};
use serde::Serialize;

use crate::inputs::NamedPage;

/// A page and its judgement.
#[derive(Clone, Debug, Serialize)]
pub struct JudgedPage {
    /// Its URL, or the path of its file.
    pub page: String,
    /// Its title.
    pub title: String,
    /// Its language as a code, if it was detected.
    pub language: Option<String>,
    /// The number of words.
    pub words: usize,
    /// How relevant it is, from 0 to 1.
    pub relevance: f64,
    /// Pages at least this relevant are relevant.
    pub threshold: f64,
    /// What follows.
    pub verdict: Verdict,
    /// The genre found and how sure the detector is.
    pub genre: GenreGuess,
    /// What the relevance is made of.
    pub parts: Parts,
}

/// Judges pages as a crawl with the same settings would.
pub struct TopicJudge {
    judge: Arc<dyn Judge>,
    processor: PageProcessor,
    detector: GenreDetector,
    threshold: f64,
}

impl TopicJudge {
    /// A judge by these settings. Seeds and budgets do not matter.
    pub fn new(settings: &Settings) -> Result<TopicJudge, BuildError> {
        let rules = PageSettings {
            languages: settings.crawl.lang.clone(),
            wrong_sense: settings.wrong_sense()?,
            ..PageSettings::default()
        };
        let judge = settings.judge()?;
        Ok(TopicJudge {
            judge: judge.clone(),
            processor: PageProcessor::new(judge, Needs::default(), Keyring::new(0), rules),
            detector: settings.genre_detector()?,
            threshold: settings.judge.threshold,
        })
    }

    /// Learns from pages like those wanted, if it is a judge that does.
    pub fn learn(&self, examples: &[NamedPage]) {
        if let Some(learner) = self.judge.learner() {
            let pages = examples.iter().map(|named| LabelledPage {
                name: named.name.clone(),
                label: Verdict::Relevant,
                fields: learner.fields(&named.page),
            });
            learner.change_examples(&[], pages.collect());
        }
    }

    /// Judges a page.
    pub fn judge(&self, named: NamedPage) -> JudgedPage {
        let NamedPage { name, page, .. } = named;
        let judgement = self.processor.judge_page(&page);
        let genre = judgement.genre.unwrap_or_else(|| self.detector.detect(&page));
        JudgedPage {
            page: name,
            words: page.text.tokens().iter().filter(|token| token.is_word()).count(),
            title: page.title,
            language: page.language.map(|language| language.to_string()),
            relevance: judgement.relevance,
            threshold: self.threshold,
            verdict: judgement.verdict,
            genre,
            parts: judgement.parts,
        }
    }
}

/// Sorts pages by relevance, the best first; ties by name.
pub fn rank(pages: &mut [JudgedPage]) {
    pages.sort_by(|a, b| {
        let by_relevance = b.relevance.total_cmp(&a.relevance);
        by_relevance.then_with(|| a.page.cmp(&b.page))
    });
}
