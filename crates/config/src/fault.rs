//! What is wrong with settings, where, and what would be right.
//!
//! Faults are data until they are shown as plain text: `file:line:column: what is wrong`, then the line with a marker under
//! the culprit, then `help:` with what would be right. Whatever the input contains, a shown fault is a few short lines
//! without control characters.

use std::fmt;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

use scenthound_types::UrlFault;
use thiserror::Error;

use crate::spec::SpecError;

/// Further faults are only counted: nobody would read them, and a list of a million bad seeds must not fill the memory.
const KEPT: usize = 200;
/// The longest piece of input a message repeats, in characters.
const QUOTED: usize = 60;
/// How much of a source line is shown on each side of the culprit, in characters.
const SHOWN: usize = 70;

/// What is wrong.
#[derive(Debug, Error)]
#[non_exhaustive]
#[allow(missing_docs)] // The messages explain the variants, and the fields are what they print.
pub enum Wrong {
    #[error("could not read {}: {source}", harmless(&path.to_string_lossy()))]
    Unreadable { path: PathBuf, source: io::Error },
    #[error("{message}")]
    Syntax { message: String, right: Option<String> },
    #[error("there is no section [{name}]")]
    UnknownSection { name: String, right: String },
    #[error("{name} is outside any section")]
    OutsideSections { name: String, right: String },
    #[error("[{section}] has no {name}")]
    UnknownKey {
        section: &'static str,
        name: String,
        right: String,
    },
    #[error("there is no such option")]
    UnknownOption { right: String },
    #[error("given more than once")]
    GivenTwice,
    #[error("expected {wanted}, found {found}")]
    WrongShape {
        found: &'static str,
        wanted: &'static str,
    },
    #[error("{given} is not {} {noun}", article(noun))]
    NotA {
        given: String,
        noun: &'static str,
        right: String,
    },
    #[error("{given} is not one of the choices")]
    NotOneOf { given: String, right: String },
    #[error("{given} is out of range")]
    OutOfRange { given: String, right: String },
    #[error("{given} is not a regular expression: {why}")]
    Pattern { given: String, why: String },
    #[error("{given} cannot be crawled: {source}")]
    Url {
        given: String,
        source: UrlFault,
        right: Option<String>,
    },
    #[error("{longer} is longer than the longest wait, max-delay = {most}")]
    DelayOverMost { longer: String, most: String },
    #[error("{given} is even: irrelevant pages would gain as much as relevant ones")]
    EvenPower { given: u64 },
    #[error("the weights of the term lists given add up to 0")]
    NoWeight,
    #[error("there is nowhere to start from")]
    NoSeeds,
    #[error("there is nothing to look for: the topic has no terms")]
    NoTerms,
    #[error(
        "the terms are stop words or signs, which stand on every page, so the list says nothing: {given}"
    )]
    OnlyStopWords { given: String },
    #[error(transparent)]
    Spec(#[from] SpecError),
    #[error("{given} is an address, not a topic")]
    AddressForTopic { given: String },
    #[error("{given} is a file, but not a topic file")]
    FileForTopic { given: String },
    #[error("{given} cannot be crawled: not an absolute URL")]
    LooseWords { given: String, right: String },
    #[error("the judge {judge} does not learn from examples")]
    ExamplesForOther { judge: String },
}

impl Wrong {
    /// What would be right.
    pub fn help(&self) -> Option<String> {
        Some(match self {
            Wrong::NotA { right, .. } => format!("write {right}"),
            Wrong::UnknownSection { right, .. }
            | Wrong::OutsideSections { right, .. }
            | Wrong::UnknownKey { right, .. }
            | Wrong::UnknownOption { right }
            | Wrong::NotOneOf { right, .. }
            | Wrong::OutOfRange { right, .. } => right.clone(),
            Wrong::Syntax { right, .. } | Wrong::Url { right, .. } => return right.clone(),
            Wrong::GivenTwice => "give it once".to_owned(),
            Wrong::DelayOverMost { .. } => "raise max-delay or lower the other one".to_owned(),
            Wrong::EvenPower { given } => format!("write an odd number, such as {}", given.saturating_sub(1)),
            Wrong::NoWeight => "give at least one of them a weight above 0".to_owned(),
            Wrong::NoSeeds => {
                "give seed URLs after the topic, a file of them with --seeds, or a search engine with \
                               --engine, such as searxng=URL or brave; in the topic file these are urls, file and engines \
                               under [seeds]"
                    .to_owned()
            }
            Wrong::NoTerms => {
                "list terms as genre, content or url under [terms] in the topic file, write words in place of a \
                               topic file, or give pages like those you want with --examples"
                    .to_owned()
            }
            Wrong::OnlyStopWords { .. } => {
                "name words of the subject or of the kind of page; if these words are what matters, use the judge terms, \
                 which counts them"
                    .to_owned()
            }
            Wrong::AddressForTopic { given } => {
                format!("first say what to look for, then where to start: hound crawl \"words\" {given}")
            }
            Wrong::FileForTopic { given } => {
                let mut help = format!(
                    "topic files end in .toml; to look for the words in this one: hound crawl \"$(cat '{given}')\""
                );
                if !given.contains(['.', '/']) {
                    help.push_str(&format!("; to look for its name: hound crawl \" {given}\""));
                }
                help
            }
            Wrong::LooseWords { right, .. } => {
                format!(
                    "quote the words to look for: hound crawl {right} URL; a seed begins with https:// or http://"
                )
            }
            Wrong::ExamplesForOther { .. } => {
                "use --judge topic, which is the default with examples; the other judges need a model made by hound train \
                 relevance"
                    .to_owned()
            }
            Wrong::Unreadable { .. }
            | Wrong::Spec(_)
            | Wrong::Pattern { .. }
            | Wrong::WrongShape { .. } => {
                return None;
            }
        })
    }
}

fn article(noun: &str) -> &'static str {
    if noun.starts_with(['a', 'e', 'i', 'o', 'u']) {
        "an"
    } else {
        "a"
    }
}

/// Where a fault is.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Location {
    /// In a file.
    File {
        /// As the user named it.
        path: PathBuf,
        /// Where in it.
        spot: Spot,
    },
    /// In an option of the command line, by its long name.
    Option(String),
    /// In the settings as a whole.
    Settings,
}

/// A place in a text, with the line around it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Spot {
    /// Counted from 1.
    pub line: usize,
    /// Counted from 1, in characters.
    pub column: usize,
    /// The line, or the part of a long one around the culprit, with control characters replaced.
    pub shown: String,
    /// Where in `shown` the culprit begins, in characters.
    pub start: usize,
    /// How many characters of `shown` it has; at least 1.
    pub width: usize,
}

impl Spot {
    /// The spot of a range of bytes in one line. The range may reach beyond the line's end.
    pub(crate) fn in_line(number: usize, line: &str, range: Range<usize>) -> Spot {
        let line = line.trim_end_matches(['\n', '\r']);
        let start = line.floor_char_boundary(range.start);
        let end = line.floor_char_boundary(range.end).max(start);
        let (before, rest) = line.split_at(start);
        let (culprit, after) = rest.split_at(end - start);
        let column = before.chars().count();
        let kept_before = column.min(SHOWN);
        let width = culprit.chars().count().min(SHOWN);
        let shown = before
            .chars()
            .skip(column - kept_before)
            .chain(culprit.chars().take(width))
            .chain(after.chars().take(SHOWN.saturating_sub(width)))
            .collect::<String>();
        Spot {
            line: number,
            column: column + 1,
            shown: harmless(&shown),
            start: kept_before,
            width: width.max(1),
        }
    }
}

/// One thing that is wrong.
#[derive(Debug)]
pub struct Fault {
    /// Where it is.
    pub place: Location,
    /// What it is.
    pub wrong: Wrong,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let help = self.wrong.help();
        match &self.place {
            Location::File { path, spot } => {
                let path = harmless(&path.to_string_lossy());
                writeln!(f, "{path}:{}:{}: {}", spot.line, spot.column, self.wrong)?;
                writeln!(f, "    {}", spot.shown)?;
                write!(f, "    {}{}", " ".repeat(spot.start), "^".repeat(spot.width))?;
                match help {
                    Some(help) => write!(f, "\n    help: {help}"),
                    None => Ok(()),
                }
            }
            place => {
                match place {
                    // Seeds are given on the command line without an option name.
                    Location::Option(name) if name == "seed-urls" => write!(f, "SEED_URL: {}", self.wrong)?,
                    Location::Option(name) => write!(f, "--{}: {}", harmless(name), self.wrong)?,
                    _ => write!(f, "settings: {}", self.wrong)?,
                }
                help.map_or(Ok(()), |help| write!(f, "; {help}"))
            }
        }
    }
}

/// Everything that is wrong with some settings.
#[derive(Debug, Default)]
pub struct Faults {
    kept: Vec<Fault>,
    not_kept: usize,
}

impl Faults {
    /// The faults: those of files in the order of their lines, then those of the command line.
    pub fn iter(&self) -> impl Iterator<Item = &Fault> {
        self.kept.iter()
    }

    /// How many there are, including those that are only counted.
    pub fn count(&self) -> usize {
        self.kept.len() + self.not_kept
    }

    /// Adds one. The place is computed only if the fault is kept, because finding a column takes time.
    pub(crate) fn add(&mut self, place: impl FnOnce() -> Location, wrong: Wrong) {
        if self.kept.len() < KEPT {
            self.kept.push(Fault {
                place: place(),
                wrong,
            });
        } else {
            self.not_kept += 1;
        }
    }

    /// Sorts them into reading order: the topic file before other files, files before the command line.
    pub(crate) fn sort(&mut self, topic_file: Option<&Path>) {
        self.kept.sort_by_key(|fault| {
            let rank = match &fault.place {
                Location::File { path, .. } if Some(path.as_path()) == topic_file => 0,
                Location::File { .. } => 1,
                Location::Option(_) => 2,
                Location::Settings => 3,
            };
            let spot = match &fault.place {
                Location::File { path, spot } => Some((path.clone(), spot.line, spot.column)),
                // The command line keeps the order of the list of options.
                _ => None,
            };
            (rank, spot)
        });
    }
}

impl fmt::Display for Faults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, fault) in self.kept.iter().enumerate() {
            write!(f, "{}{fault}", if index == 0 { "" } else { "\n" })?;
        }
        if self.not_kept > 0 {
            write!(f, "\n… and {} more faults", self.not_kept)?;
        }
        Ok(())
    }
}

impl std::error::Error for Faults {}

/// The input with control characters replaced, which could drive a terminal. Keeps the number of characters.
pub(crate) fn harmless(text: &str) -> String {
    let replaced = text.chars().map(|c| match c {
        '\t' => ' ',
        c if c.is_control() => char::REPLACEMENT_CHARACTER,
        c => c,
    });
    replaced.collect()
}

/// A piece of input in quotes, shortened, without anything that could drive a terminal.
pub(crate) fn quoted(text: &str) -> String {
    match text.char_indices().nth(QUOTED) {
        Some((cut, _)) => format!("{:?}…", text.get(..cut).unwrap_or_default()),
        None => format!("{text:?}"),
    }
}

/// A piece of input, in quotes only where it needs them.
pub(crate) fn bare(text: &str) -> String {
    let is_plain = !text.is_empty() && text.len() <= QUOTED && text.bytes().all(|b| b.is_ascii_graphic());
    if is_plain { text.to_owned() } else { quoted(text) }
}

/// `a, b or c`.
pub(crate) fn either<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let names: Vec<&str> = names.into_iter().collect();
    match names.split_last() {
        Some((last, [])) => (*last).to_owned(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
        None => "nothing".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_line_is_shown_around_the_culprit() {
        let line = format!("{}BAD{}", "é".repeat(500), "z".repeat(500));
        let spot = Spot::in_line(7, &line, 1000..1003);
        assert_eq!((spot.column, spot.start, spot.width), (501, 70, 3));
        assert_eq!(
            spot.shown.chars().skip(spot.start).take(3).collect::<String>(),
            "BAD"
        );
        assert!(spot.shown.chars().count() <= 2 * SHOWN);
    }

    #[test]
    fn nothing_that_drives_a_terminal_is_shown() {
        let spot = Spot::in_line(1, "a\u{1b}[31m\tb", 0..1);
        assert_eq!(spot.shown, "a\u{fffd}[31m b");
        assert_eq!(quoted("\u{1b}[31m"), r#""\u{1b}[31m""#);
    }

    #[test]
    fn a_spot_may_be_beyond_the_text() {
        assert_eq!(Spot::in_line(1, "", 5..9).width, 1);
        assert_eq!(Spot::in_line(1, "é", 1..1).start, 0);
    }
}
