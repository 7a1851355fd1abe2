//! Terms from pages: topic files from examples, suggestions from a crawl, and lists of terms in files.
//!
//! How terms are picked is decided in `scenthound_judge::terms`. Here are the pages they are picked from, and the text of the
//! topic file.

mod files;
mod suggest;

use std::collections::BTreeMap;

use scenthound_config::Settings;
use scenthound_judge::Background;
use scenthound_judge::terms::{
    BackgroundCounts, Candidate, DocumentCounter, GenerateSettings, Generated, RunCounts, TermsFault,
    generate,
};
use scenthound_types::text::Stemming;
use scenthound_types::{Language, ParsedPage, Text};
use unicode_width::UnicodeWidthStr;

pub use self::files::{TermFileError, TermOverlaps, TermsFile};
pub use self::suggest::{GoodPages, SuggestError, SuggestSettings, Suggestions, suggest_terms};

/// Example pages, reduced to what terms are taken from.
#[derive(Debug, Default)]
pub struct ExamplePages {
    pages: Vec<(Text, Option<Language>)>,
}

impl ExamplePages {
    /// Adds a page.
    pub fn add(&mut self, page: ParsedPage) {
        self.pages.push((page.text, page.language));
    }

    /// How many pages there are.
    pub fn count(&self) -> usize {
        self.pages.len()
    }

    fn counts(&self, topic: Option<Language>) -> RunCounts {
        let mut counts = RunCounts::new(topic);
        for (text, language) in &self.pages {
            counts.add(text, *language);
        }
        counts
    }
}

/// A counter of the pages that contain the genre, content and exclude terms of topics, or all words if there are no topics.
pub fn topic_counter(topics: &[Settings]) -> Result<DocumentCounter, TermsFault> {
    if topics.is_empty() {
        return Ok(DocumentCounter::of_words());
    }
    let lists = topics.iter().flat_map(|topic| {
        let terms = &topic.terms;
        [&terms.genre, &terms.content, &terms.exclude]
    });
    let terms: Vec<String> = lists.flatten().cloned().collect();
    let language = topics.iter().find_map(|topic| topic.topic.language);
    Ok(DocumentCounter::of_terms(&terms, language)?.by_stems(topics_stemming(topics).stemmer(language)))
}

/// Whose stems the topics compare; those of the first that names any.
pub fn topics_stemming(topics: &[Settings]) -> Stemming {
    let named = topics.iter().map(|topic| topic.judge.stem);
    named
        .into_iter()
        .find(|stemming| *stemming != Stemming::None)
        .unwrap_or_default()
}

/// The most frequent language. Of two that are equally frequent, the one whose code comes first.
fn usual_language(languages: impl Iterator<Item = Language>) -> Option<Language> {
    let mut votes: BTreeMap<Language, u64> = BTreeMap::new();
    for language in languages {
        *votes.entry(language).or_default() += 1;
    }
    let most = votes.values().copied().max()?;
    votes
        .into_iter()
        .find(|(_, votes)| *votes == most)
        .map(|(language, _)| language)
}

/// Counts example pages for a topic, and then the background they are contrasted with.
#[derive(Debug)]
pub struct TopicGenerator {
    language: Option<Language>,
    genre: RunCounts,
    relevant: RunCounts,
    background: Option<BackgroundCounts>,
    /// Whether the background is the built-in table.
    is_at_large: bool,
}

impl TopicGenerator {
    /// Counts pages of the wanted genre and pages that are relevant. Without a language, that of most pages is used.
    pub fn new(genre: &ExamplePages, relevant: &ExamplePages, language: Option<Language>) -> TopicGenerator {
        let language = language.or_else(|| {
            let pages = genre.pages.iter().chain(&relevant.pages);
            usual_language(pages.filter_map(|(_, language)| *language))
        });
        TopicGenerator {
            language,
            genre: genre.counts(language),
            relevant: relevant.counts(language),
            background: None,
            is_at_large: false,
        }
    }

    /// Contrasts the examples with the web at large, as far as the built-in table knows it.
    pub fn with_web_at_large(mut self) -> TopicGenerator {
        let table = Background::shipped();
        self.background = Some(BackgroundCounts::at_large(&[&self.genre, &self.relevant], table));
        self.is_at_large = true;
        self
    }

    /// Contrasts the examples with a background, whose pages are added next.
    pub fn with_background(mut self) -> TopicGenerator {
        self.background = Some(BackgroundCounts::of(
            &[&self.genre, &self.relevant],
            self.language,
        ));
        self
    }

    /// Adds a page of the background, if there is one.
    pub fn add_background(&mut self, page: &ParsedPage) {
        if let Some(background) = &mut self.background {
            background.add(&page.text, page.language);
        }
    }

    /// Picks the terms.
    pub fn generate(&self, settings: &GenerateSettings) -> Result<GeneratedTopic, TermsFault> {
        Ok(GeneratedTopic {
            language: self.language,
            genre_pages: self.genre.documents(),
            relevant_pages: self.relevant.documents(),
            background_pages: self.background.as_ref().map(BackgroundCounts::documents),
            is_at_large: self.is_at_large,
            terms: generate(&self.genre, &self.relevant, self.background.as_ref(), settings)?,
        })
    }
}

/// Terms picked from example pages.
#[derive(Debug)]
pub struct GeneratedTopic {
    /// The language of the topic.
    pub language: Option<Language>,
    /// Pages of the wanted genre that were counted.
    pub genre_pages: u64,
    /// Relevant pages that were counted.
    pub relevant_pages: u64,
    /// Pages of the background, if there was one.
    pub background_pages: Option<u64>,
    /// Whether the background is the built-in table of the web at large.
    pub is_at_large: bool,
    /// The terms.
    pub terms: Generated,
}

impl GeneratedTopic {
    /// What the terms were taken from, in words.
    pub fn made_from(&self) -> String {
        let mut parts = vec![
            counted(self.genre_pages, "genre page"),
            counted(self.relevant_pages, "relevant page"),
        ];
        parts.extend(self.background_pages.map(|pages| match self.is_at_large {
            true => format!("contrasted with {pages} pages of the web at large"),
            false => counted(pages, "background page"),
        }));
        parts.join(", ")
    }

    /// A topic file in which a comment says how often each term was found.
    pub fn to_toml(&self, name: &str) -> String {
        let mut toml = format!(
            "# Terms taken from {}.\n# Delete what does not fit: a picked half is usually better than the whole.\n\n[topic]\n\
             name = {}\n",
            self.made_from(),
            quoted(name)
        );
        if let Some(language) = self.language {
            toml.push_str(&format!("language = \"{language}\"\n"));
        }
        toml.push_str("\n[terms]\n");
        for (list, terms) in [("genre", &self.terms.genre), ("content", &self.terms.content)] {
            if !terms.is_empty() {
                write_list(&mut toml, list, &[], terms);
            }
        }
        toml.push_str("\n[seeds]\n# urls = [\"https://example.org/\"]\n");
        toml
    }
}

/// A list of a topic file: terms that were there before, then new ones with what speaks for them.
fn write_list(toml: &mut String, list: &str, own: &[String], terms: &[Candidate]) {
    let spelled: Vec<String> = terms.iter().map(|term| quoted(&term.term)).collect();
    let width = spelled.iter().map(|term| term.width()).max().unwrap_or(0);
    toml.push_str(&format!("{list} = [\n"));
    for term in own {
        toml.push_str(&format!("    {},\n", quoted(term)));
    }
    for (term, spelled) in terms.iter().zip(&spelled) {
        let gap = " ".repeat(width - spelled.width());
        let times = match term.count {
            1 => "once".to_owned(),
            times => format!("{times} times"),
        };
        let contrast = term.contrast.map(|contrast| format!(", contrast {contrast:.1}"));
        toml.push_str(&format!(
            "    {spelled},{gap}  # {times} on {}{}\n",
            counted(term.documents, "page"),
            contrast.unwrap_or_default()
        ));
    }
    toml.push_str("]\n");
}

fn counted(number: u64, noun: &str) -> String {
    match number {
        1 => format!("1 {noun}"),
        _ => format!("{number} {noun}s"),
    }
}

/// A TOML string.
fn quoted(text: &str) -> String {
    let mut quoted = "\"".to_owned();
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if c.is_control() => quoted.push_str(&format!("\\u{:04X}", u32::from(c))),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}
