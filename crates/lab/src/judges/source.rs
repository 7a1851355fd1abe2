//! What a judge is made from: words, examples, or both.

use std::fmt;
use std::str::FromStr;

use crate::error::LabError;
use crate::recorded::PageId;
use crate::trained::shuffled;
use crate::trial::Trial;

/// How many of a task's positive examples.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Examples {
    /// None.
    #[default]
    None,
    /// This many, or all if the task has fewer; drawn at random, the same each time. A larger number includes a smaller one.
    Some(usize),
    /// All.
    All,
}

/// Which parts of a task a judge is made from: `query`, `terms`, `3`, `all`, `all+negatives`, `query+10`…
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SourceSpec {
    /// The task's query, as words.
    pub query: bool,
    /// The task's genre and content terms.
    pub terms: bool,
    /// Positive examples.
    pub examples: Examples,
    /// The task's negative examples.
    pub negatives: bool,
}

impl SourceSpec {
    /// Query, terms, and 1, 3, 10 and all positive examples.
    pub fn usual() -> Vec<SourceSpec> {
        let of_examples = [
            Examples::Some(1),
            Examples::Some(3),
            Examples::Some(10),
            Examples::All,
        ];
        let words = [
            SourceSpec {
                query: true,
                ..SourceSpec::default()
            },
            SourceSpec {
                terms: true,
                ..SourceSpec::default()
            },
        ];
        let examples = of_examples.map(|examples| SourceSpec {
            examples,
            ..SourceSpec::default()
        });
        words.into_iter().chain(examples).collect()
    }

    /// The same source without examples: what a learning curve is of.
    pub(crate) fn curve(self) -> SourceSpec {
        SourceSpec {
            examples: Examples::None,
            ..self
        }
    }
}

impl fmt::Display for SourceSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = Vec::new();
        if self.query {
            parts.push("query".to_owned());
        }
        if self.terms {
            parts.push("terms".to_owned());
        }
        match self.examples {
            Examples::None => {}
            Examples::Some(count) => parts.push(count.to_string()),
            Examples::All => parts.push("all".to_owned()),
        }
        if self.negatives {
            parts.push("negatives".to_owned());
        }
        f.write_str(&parts.join("+"))
    }
}

impl FromStr for SourceSpec {
    type Err = LabError;

    fn from_str(text: &str) -> Result<SourceSpec, LabError> {
        let mut spec = SourceSpec::default();
        for part in text.split('+') {
            match part.trim() {
                "query" => spec.query = true,
                "terms" => spec.terms = true,
                "all" => spec.examples = Examples::All,
                "negatives" => spec.negatives = true,
                number => match number.parse() {
                    Ok(count) if count > 0 => spec.examples = Examples::Some(count),
                    _ => {
                        return Err(LabError::Unknown {
                            what: "source",
                            name: text.to_owned(),
                            known: "query, terms, a number of examples, all, negatives, and sums such as query+10"
                                .to_owned(),
                        });
                    }
                },
            }
        }
        Ok(spec)
    }
}

/// What a judge is made from, on one task.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Source {
    /// The query.
    pub query: Option<String>,
    /// Terms for the kind of page.
    pub genre: Vec<String>,
    /// Terms for the subject.
    pub content: Vec<String>,
    /// Pages of the kind wanted.
    pub positive: Vec<PageId>,
    /// Pages that are not.
    pub negative: Vec<PageId>,
}

impl Source {
    /// The parts of a task that a spec names; none if the task lacks one of them.
    pub fn of(trial: &Trial, spec: &SourceSpec) -> Option<Source> {
        let task = &trial.task;
        let mut source = Source::default();
        if spec.query {
            source.query = Some(task.query.clone()).filter(|query| !query.is_empty());
            source.query.as_ref()?;
        }
        if spec.terms {
            (source.genre, source.content) = (task.genre.clone(), task.content.clone());
            source.has_terms().then_some(())?;
        }
        let most = match spec.examples {
            Examples::None => 0,
            Examples::Some(count) => count,
            Examples::All => usize::MAX,
        };
        if most > 0 {
            source.positive = shuffled(trial, trial.pages.positive.iter().copied());
            source.positive.truncate(most);
            (!source.positive.is_empty()).then_some(())?;
        }
        if spec.negatives {
            source.negative = trial.pages.negative.clone();
            (!source.negative.is_empty()).then_some(())?;
        }
        Some(source)
    }

    /// Whether there are terms.
    pub fn has_terms(&self) -> bool {
        !self.genre.is_empty() || !self.content.is_empty()
    }
}

/// The unlabelled pages that a judge may learn from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Seen {
    /// All pages of the web.
    #[default]
    All,
    /// The first pages of a breadth-first crawl from the task's seeds.
    BreadthFirst(usize),
}

impl fmt::Display for Seen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Seen::All => f.write_str("all"),
            Seen::BreadthFirst(most) => write!(f, "breadth-first:{most}"),
        }
    }
}

impl FromStr for Seen {
    type Err = LabError;

    fn from_str(text: &str) -> Result<Seen, LabError> {
        let number = text.strip_prefix("breadth-first:").map(str::parse);
        match (text, number) {
            ("all", _) => Ok(Seen::All),
            (_, Some(Ok(most))) if most > 0 => Ok(Seen::BreadthFirst(most)),
            _ => Err(LabError::Unknown {
                what: "set of pages",
                name: text.to_owned(),
                known: "all, breadth-first:1000".to_owned(),
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_are_read_and_shown_the_same_way() {
        for text in ["query", "terms", "3", "all", "all+negatives", "query+terms+10"] {
            assert_eq!(text.parse::<SourceSpec>().unwrap().to_string(), text);
        }
        for wrong in ["", "0", "none", "query+"] {
            assert!(wrong.parse::<SourceSpec>().is_err(), "{wrong}");
        }
        let usual: Vec<String> = SourceSpec::usual().iter().map(ToString::to_string).collect();
        assert_eq!(usual, ["query", "terms", "1", "3", "10", "all"]);
        assert_eq!(
            "breadth-first:1000".parse::<Seen>().unwrap().to_string(),
            "breadth-first:1000"
        );
        assert!("breadth-first".parse::<Seen>().is_err());
    }
}
