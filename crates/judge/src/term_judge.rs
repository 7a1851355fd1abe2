//! Judges pages by the user's terms: what kind of page it is (genre), what it is about (content), and what its URL
//! says.
//!
//! ```text
//! text  = (GW · genre + CW · content) / (GW + CW)
//! page  = (GCW · text + UW · url) / (GCW + UW)         relevant ⇔ page ≥ threshold
//! ```
//!
//! Each similarity is a cosine (see [`similarity`](crate::similarity)). A set that is not given is left out along
//! with its weight. Exclude terms override everything.
//!
//! A term matches the word as spelled, ignoring accents and capitals; with a stemmer, any word with the same stem.
//! Deliberately absent: training.

use std::sync::Arc;

use scenthound_types::text::{Token, tokenize_with, url_words_with};
use scenthound_types::{Judgement, ParsedPage, Parts, TermHit, TermSet, Verdict};

use crate::settings::{Combine, TermSets, TermSettings, Weights};
use crate::similarity::{Similarity, mean};
use crate::term_counts::{PageTermCounts, SnippetTermCounts, TermCounts};
use crate::vocabulary::{Term, Vocabulary};
use crate::{IdfTable, Judge, JudgeFault, PageText};

/// Judges pages by genre, content and URL terms.
pub struct TermJudge {
    /// Genre, content and exclude terms.
    text: Vocabulary,
    url: Vocabulary,
    norms: Norms,
    weights: Weights,
    combine: Combine,
    threshold: f64,
    exclude_at: usize,
    reads: PageText,
}

/// √Σ idf² of each set; none for a set that is not given.
struct Norms {
    genre: Option<f64>,
    content: Option<f64>,
    url: Option<f64>,
}

impl TermJudge {
    /// A judge for the topic that the settings describe.
    pub fn new(settings: &TermSettings) -> Result<TermJudge, JudgeFault> {
        settings.check()?;
        let idf = settings.idf.as_ref();
        let genre_set = match settings.sets {
            TermSets::Separate => TermSet::Genre,
            TermSets::Joint => TermSet::Content,
        };
        let stemmer = settings.stemmer;
        let in_text = |term: &str| tokenize_with(term, stemmer);
        let in_url = |term: &str| url_words_with(term, stemmer);
        let mut text = Vec::new();
        read_terms(&settings.genre, genre_set, idf, in_text, &mut text)?;
        read_terms(&settings.content, TermSet::Content, idf, in_text, &mut text)?;
        read_terms(&settings.exclude, TermSet::Exclude, idf, in_text, &mut text)?;
        let mut url = Vec::new();
        read_terms(&settings.url, TermSet::Url, idf, in_url, &mut url)?;
        let text = Vocabulary::new(text, settings.language);
        let url = Vocabulary::new(url, settings.language);
        let judge = TermJudge {
            norms: Norms {
                genre: norm(&text, TermSet::Genre),
                content: norm(&text, TermSet::Content),
                url: norm(&url, TermSet::Url),
            },
            text,
            url,
            weights: settings.weights,
            combine: settings.combine,
            threshold: settings.threshold,
            exclude_at: settings.exclude_at,
            reads: settings.text,
        };
        match judge.mean_of(judge.norms.genre, judge.norms.content, judge.norms.url) {
            Some(_) => Ok(judge),
            None => Err(JudgeFault::NoWeight),
        }
    }

    /// The similarity of a page.
    fn combined(&self, genre: Option<f64>, content: Option<f64>, url: Option<f64>) -> Option<f64> {
        match (self.combine, genre, content) {
            (Combine::Min, Some(genre), Some(content)) => {
                let text = Some(genre.min(content));
                mean([(self.weights.text, text), (self.weights.url, url)])
            }
            _ => self.mean_of(genre, content, url),
        }
    }

    fn mean_of(&self, genre: Option<f64>, content: Option<f64>, url: Option<f64>) -> Option<f64> {
        let text = mean([(self.weights.genre, genre), (self.weights.content, content)]);
        mean([(self.weights.text, text), (self.weights.url, url)])
    }

    /// Whether the text contains enough words of the wrong sense.
    fn excludes(&self, counts: &[(u32, u32)]) -> bool {
        let wrong = counts
            .iter()
            .filter(|(place, _)| {
                self.text
                    .term(*place)
                    .is_some_and(|term| term.set == TermSet::Exclude)
            })
            .count();
        wrong >= self.exclude_at
    }

    fn few_words(&self, words: &[Token], url: Option<f64>) -> f32 {
        let mut counts = SnippetTermCounts::new();
        self.text.count(words, None, &mut counts);
        if self.excludes(counts.counts()) {
            return 0.0;
        }
        let value = |set, norm: Option<f64>| {
            norm.map(|norm| similarity(&self.text, counts.counts(), set, norm).value)
        };
        let genre = value(TermSet::Genre, self.norms.genre);
        let content = value(TermSet::Content, self.norms.content);
        // A few words seldom have terms of both sets, so the lower similarity would say nothing about them.
        self.mean_of(genre, content, url).unwrap_or(0.0) as f32
    }
}

impl Judge for TermJudge {
    fn reads(&self) -> PageText {
        self.reads
    }

    fn judge(&self, page: &ParsedPage) -> Judgement {
        let page = &*self.reads.of(page);
        let mut in_text = PageTermCounts::new(self.text.terms().len());
        self.text.count(page.text.tokens(), page.language, &mut in_text);
        let mut in_url = SnippetTermCounts::new();
        if self.norms.url.is_some() {
            let words = page.url_words(page.url.as_str());
            self.url.count(&words, page.language, &mut in_url);
        }

        let mut terms = Vec::with_capacity(in_text.counts().len() + in_url.counts().len());
        let mut compare = |vocabulary: &Vocabulary, counts: &[(u32, u32)], set, norm: Option<f64>| {
            let similarity = norm.map(|norm| similarity(vocabulary, counts, set, norm));
            terms.extend(found(vocabulary, counts, set).map(|(term, count)| TermHit {
                set,
                term: term.spelling.clone(),
                count,
                share: similarity.map_or(0.0, |similarity| similarity.share(count, term.idf)),
            }));
            similarity.map(|similarity| similarity.value)
        };
        let genre = compare(&self.text, in_text.counts(), TermSet::Genre, self.norms.genre);
        let content = compare(&self.text, in_text.counts(), TermSet::Content, self.norms.content);
        let url = compare(&self.url, in_url.counts(), TermSet::Url, self.norms.url);
        compare(&self.text, in_text.counts(), TermSet::Exclude, None);
        // A stable sort: equal shares stay in the order genre, content, URL, then in the order they were first found.
        terms.sort_by(|a, b| b.share.total_cmp(&a.share));

        let similarity = self.combined(genre, content, url).unwrap_or(0.0);
        let (relevance, verdict) = if self.excludes(in_text.counts()) {
            (0.0, Verdict::Irrelevant)
        } else if similarity >= self.threshold {
            (similarity, Verdict::Relevant)
        } else {
            (similarity, Verdict::Irrelevant)
        };
        Judgement {
            relevance,
            verdict,
            genre: None,
            layer: None,
            parts: Parts {
                genre,
                content,
                url,
                terms,
                ..Parts::default()
            },
        }
    }

    /// The similarity to genre and content terms.
    fn snippet(&self, tokens: &[Token]) -> f32 {
        self.few_words(tokens, None)
    }

    /// The URL's words are compared with the genre and content terms like a text, and also with the URL terms.
    fn url_snippet(&self, words: &[Token]) -> f32 {
        let url = self.norms.url.map(|norm| {
            let mut counts = SnippetTermCounts::new();
            self.url.count(words, None, &mut counts);
            similarity(&self.url, counts.counts(), TermSet::Url, norm).value
        });
        self.few_words(words, url)
    }
}

/// Reads one list of the topic. A term that is listed twice counts once.
fn read_terms(
    spellings: &[String],
    set: TermSet,
    idf: Option<&IdfTable>,
    words: impl Fn(&str) -> Vec<Token>,
    terms: &mut Vec<Term>,
) -> Result<(), JudgeFault> {
    for spelling in spellings {
        let tokens = words(spelling);
        if tokens.is_empty() {
            return Err(JudgeFault::EmptyTerm {
                term: spelling.clone(),
            });
        }
        if terms.iter().any(|held| held.set == set && held.tokens == tokens) {
            continue;
        }
        terms.push(Term {
            set,
            spelling: Arc::from(spelling.as_str()),
            tokens,
            idf: idf.map_or(1.0, |table| table.idf(spelling)),
        });
    }
    Ok(())
}

fn norm(vocabulary: &Vocabulary, set: TermSet) -> Option<f64> {
    let mut of_set = vocabulary
        .terms()
        .iter()
        .filter(|term| term.set == set)
        .peekable();
    of_set.peek()?;
    Some(of_set.map(|term| term.idf * term.idf).sum::<f64>().sqrt())
}

/// The terms of a set that were found, and how often.
fn found<'a>(
    vocabulary: &'a Vocabulary,
    counts: &'a [(u32, u32)],
    set: TermSet,
) -> impl Iterator<Item = (&'a Term, u32)> + Clone {
    counts
        .iter()
        .filter_map(move |&(place, count)| Some((vocabulary.term(place)?, count)))
        .filter(move |(term, _)| term.set == set)
}

fn similarity(vocabulary: &Vocabulary, counts: &[(u32, u32)], set: TermSet, norm: f64) -> Similarity {
    Similarity::of(
        found(vocabulary, counts, set).map(|(term, count)| (count, term.idf)),
        norm,
    )
}
