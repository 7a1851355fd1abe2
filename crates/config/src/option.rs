//! What is known about one option: a row of the list that everything else is made from.

use crate::kind::Kind;

/// How many values an option takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    /// Exactly one; there is a default.
    One,
    /// One or none.
    Maybe,
    /// Any number: repeated on the command line, written as a list in a file.
    Many,
}

/// What happens to a crawl that is resumed with another value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OnResume {
    /// It continues with the new value.
    Allowed,
    /// It continues; what was found before stays as the old value left it.
    AllowedFromHere,
    /// The pages already judged would have to be judged again.
    NeedsRejudging,
    /// It would be another crawl.
    NeedsNewFolder,
}

/// One option of a crawl.
#[derive(Debug)]
#[non_exhaustive]
pub struct OptionSpec {
    /// The long name on the command line, without dashes. Unique.
    pub name: &'static str,
    /// Its section in the topic file.
    pub section: &'static str,
    /// Its key in that section.
    pub key: &'static str,
    /// What its values look like.
    pub kind: Kind,
    /// How many values it takes.
    pub shape: Shape,
    /// The default value, in the form it would be written.
    pub default: Option<&'static str>,
    /// What happens to a resumed crawl when it changes.
    pub on_resume: OnResume,
    pub(crate) doc: &'static [&'static str],
}

impl OptionSpec {
    /// What it does, in a sentence or two.
    pub fn help(&self) -> String {
        self.doc
            .iter()
            .map(|line| line.trim())
            .collect::<Vec<_>>()
            .join(" ")
    }

    /// The one-letter name on the command line, for the few that have one.
    pub fn short(&self) -> Option<char> {
        match self.name {
            "seeds" => Some('s'),
            "depth" => Some('d'),
            "concurrency" => Some('c'),
            _ => None,
        }
    }

    /// Whether values on the command line add to those in the topic file instead of replacing them. Seeds and examples do:
    /// naming one more page should not discard the list in the file.
    pub fn adds_up(&self) -> bool {
        matches!(self.name, "seeds" | "seed-urls" | "examples")
    }
}
