//! Lists of words in sections, as people write them.
//!
//! A line `[shop]` begins a section, each line below it is a word or phrase, and `#` begins a comment.

use thiserror::Error;

use crate::text::{Token, tokenize};

/// What is wrong with a list of words.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{list}:{line}: {what}")]
pub struct WordListFault {
    /// The list.
    pub list: String,
    /// The line, from 1.
    pub line: usize,
    /// What is wrong with it, and how to fix it.
    pub what: String,
}

/// A line of a list of words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum WordListLine<'a> {
    /// The name of a section.
    Section(&'a str),
    /// A word or phrase of the last section, with its tokens. There is at least one.
    Words(&'a str, Vec<Token>),
}

/// Reads a list; `name` is how messages refer to it. `take` gets every line and may say what is wrong with it.
pub fn read_word_list(
    name: &str,
    text: &str,
    mut take: impl FnMut(WordListLine<'_>) -> Result<(), String>,
) -> Result<(), WordListFault> {
    let mut has_section = false;
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.split('#').next().unwrap_or_default().trim();
        let taken = match line.strip_prefix('[') {
            _ if line.is_empty() => continue,
            Some(section) => {
                has_section = true;
                take(WordListLine::Section(section.trim_end_matches(']').trim()))
            }
            None if !has_section => Err(format!(
                "{line:?} comes before any section; start with a line such as [blog]"
            )),
            None => match tokenize(line) {
                tokens if tokens.is_empty() => Err(format!("{line:?} contains no words")),
                tokens => take(WordListLine::Words(line, tokens)),
            },
        };
        taken.map_err(|what| WordListFault {
            list: name.to_owned(),
            line: number,
            what,
        })?;
    }
    Ok(())
}
