//! Lists of terms in files, and how much two of them have in common.

use std::path::{Path, PathBuf};
use std::{fs, io};

use scenthound_config::Settings;
use scenthound_judge::terms::{Overlap, TermsFault};
use scenthound_types::Language;
use scenthound_types::text::{StopList, tokenize};
use thiserror::Error;

use crate::inputs::{ListPlace, meaningful_lines};

/// Why a file of terms cannot be read.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TermFileError {
    /// The topic file has no terms.
    #[error("{} has no genre and no content terms to compare", .0.display())]
    NoTopicTerms(PathBuf),
    /// The list has no terms.
    #[error("{} contains no terms; write one per line", .0.display())]
    Empty(PathBuf),
    /// The list is not text.
    #[error("{} is not UTF-8; save it as UTF-8, one term per line", .0.display())]
    NotUtf8(PathBuf),
    /// A line without words.
    #[error("{place}: {text:?} contains no word; write one term per line, comments after #")]
    NoWord {
        /// The line.
        place: ListPlace,
        /// What it says.
        text: String,
    },
    /// The system refused.
    #[error("{} could not be read", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl TermFileError {
    /// Whether the contents of the file are at fault.
    pub fn is_bad_input(&self) -> bool {
        !matches!(self, TermFileError::Io { .. })
    }
}

/// The terms of a file.
#[derive(Clone, PartialEq, Debug)]
pub struct TermsFile {
    /// All terms.
    pub all: Vec<String>,
    /// The genre and the content terms, if the file is a topic file.
    pub lists: Option<[Vec<String>; 2]>,
    /// The language of the topic, if the file names one.
    pub language: Option<Language>,
}

impl TermsFile {
    /// The terms of a topic; the path is for error messages.
    pub fn of_topic(settings: Settings, path: &Path) -> Result<TermsFile, TermFileError> {
        let lists = [settings.terms.genre, settings.terms.content];
        let all = lists.concat();
        if all.is_empty() {
            return Err(TermFileError::NoTopicTerms(path.to_owned()));
        }
        Ok(TermsFile {
            all,
            lists: Some(lists),
            language: settings.topic.language,
        })
    }

    /// A list of one term per line.
    pub fn read_list(path: &Path) -> Result<TermsFile, TermFileError> {
        let bytes = fs::read(path).map_err(|source| TermFileError::Io {
            path: path.to_owned(),
            source,
        })?;
        let text = String::from_utf8(bytes).map_err(|_| TermFileError::NotUtf8(path.to_owned()))?;
        let mut all = Vec::new();
        for (line, term) in meaningful_lines(&text) {
            if tokenize(term).is_empty() {
                return Err(TermFileError::NoWord {
                    place: ListPlace {
                        path: path.to_owned(),
                        line,
                    },
                    text: term.to_owned(),
                });
            }
            all.push(term.to_owned());
        }
        if all.is_empty() {
            return Err(TermFileError::Empty(path.to_owned()));
        }
        Ok(TermsFile {
            all,
            lists: None,
            language: None,
        })
    }
}

/// What two files of terms have in common.
#[derive(Debug)]
pub struct TermOverlaps {
    /// `genre`, `content` and `all`, as far as both files have such terms.
    pub lists: Vec<(&'static str, Overlap)>,
}

impl TermOverlaps {
    /// Compares two files. Stop words of the languages are left out: those of both files and the one given.
    pub fn of(
        first: &TermsFile,
        second: &TermsFile,
        language: Option<Language>,
    ) -> Result<TermOverlaps, TermsFault> {
        let stop = [language, first.language, second.language]
            .into_iter()
            .flatten()
            .fold(StopList::default(), |stop, language| {
                stop.union(StopList::of(language))
            });
        let mut lists = Vec::new();
        if let (Some(first), Some(second)) = (&first.lists, &second.lists) {
            for (name, (first, second)) in ["genre", "content"].into_iter().zip(first.iter().zip(second)) {
                if !first.is_empty() && !second.is_empty() {
                    lists.push((name, Overlap::of(first, second, &stop)?));
                }
            }
        }
        lists.push(("all", Overlap::of(&first.all, &second.all, &stop)?));
        Ok(TermOverlaps { lists })
    }
}
