//! What is known about one option: the row of the list that everything else is made from.

use crate::kind::Kind;

/// How many values an option takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    /// Exactly one; there is a default.
    One,
    /// One or none.
    Maybe,
    /// Any number; given again on the command line, written as a list in a file.
    Many,
}

/// What becomes of a crawl that is resumed with another value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OnResume {
    /// It carries on with the new value.
    Allowed,
    /// It carries on; what was found before stays as the old value left it.
    AllowedFromHere,
    /// The pages already judged would have to be judged anew.
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
    /// The section of the topic file it stands in.
    pub section: &'static str,
    /// Its key in that section.
    pub key: &'static str,
    /// What its values look like.
    pub kind: Kind,
    /// How many values it takes.
    pub shape: Shape,
    /// The value it has when none is given, as it would be written.
    pub default: Option<&'static str>,
    /// What becomes of a resumed crawl when it changes.
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

    /// Whether the values of topic file and command line add up, rather than the latter replacing the former.
    /// So for seeds: naming one more page to start from should not silence the list in the file.
    pub fn adds_up(&self) -> bool {
        matches!(self.name, "seeds" | "seed-urls")
    }
}
