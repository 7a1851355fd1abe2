//! A judge of pages whose words are reduced to their stems.
//!
//! The judge behind it was built or trained with the same stems. What it asks for is done once per page, so that the words of
//! links, and whatever a strategy learns from words, are stems too.

use std::sync::Arc;

use scenthound_types::text::{Language, Stemming, Token};
use scenthound_types::{Judgement, LinkPlace, ParsedPage};

use crate::{Judge, Learner, Lesson, PageText, SnippetScorer};

/// A judge that gets pages with their words reduced to stems.
pub struct Stemmed {
    /// Judges how relevant a page is.
    pub judge: Arc<dyn Judge>,
    /// Whose stems.
    pub stemming: Stemming,
    /// The language of pages too short to tell.
    pub language: Option<Language>,
}

impl Judge for Stemmed {
    fn prepare(&self, page: &mut ParsedPage) {
        page.stem(self.stemming.stemmer(page.language.or(self.language)));
    }

    fn reads(&self) -> PageText {
        self.judge.reads()
    }

    fn judge(&self, page: &ParsedPage) -> Judgement {
        self.judge.judge(page)
    }

    fn judge_and_keep(&self, page: &ParsedPage) -> (Judgement, Option<Box<Lesson>>) {
        self.judge.judge_and_keep(page)
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

    fn place(&self, anchor: &[Token]) -> Option<LinkPlace> {
        self.judge.place(anchor)
    }
}
