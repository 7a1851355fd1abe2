//! How much two lists of terms have in common.
//!
//! Terms are compared by their normalised words without stop words, as in judging, so "Banco de Dados" equals "banco
//! dados". A term listed twice counts once.

use std::collections::BTreeMap;

use scenthound_types::text::{StopList, Token, tokenize};
use serde::Serialize;

use crate::terms::TermsFault;

/// What two lists of terms have in common.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Overlap {
    /// Terms of the first list.
    #[serde(rename = "a")]
    pub first: usize,
    /// Terms of the second list.
    #[serde(rename = "b")]
    pub second: usize,
    /// The terms in both, as the first list spells them and in its order.
    pub shared: Vec<String>,
    /// 2·shared / (first + second).
    pub dice: f64,
    /// shared / union.
    pub of_union: f64,
    /// The share of the first list's terms that are also in the second.
    #[serde(rename = "of_a")]
    pub of_first: f64,
}

impl Overlap {
    /// Compares two lists, leaving out stop words.
    pub fn of(first: &[String], second: &[String], stop: &StopList) -> Result<Overlap, TermsFault> {
        let (first, second) = (read(first, stop)?, read(second, stop)?);
        let mut shared: Vec<(usize, String)> = first
            .iter()
            .filter(|(words, _)| second.contains_key(*words))
            .map(|(_, (place, spelling))| (*place, (*spelling).to_owned()))
            .collect();
        shared.sort_unstable();
        let (both, sum) = (shared.len(), first.len() + second.len());
        Ok(Overlap {
            first: first.len(),
            second: second.len(),
            shared: shared.into_iter().map(|(_, spelling)| spelling).collect(),
            dice: 2.0 * both as f64 / sum as f64,
            of_union: both as f64 / (sum - both) as f64,
            of_first: both as f64 / first.len() as f64,
        })
    }
}

/// By its words: the position and spelling of each term's first occurrence.
type Read<'a> = BTreeMap<Vec<Token>, (usize, &'a str)>;

fn read<'a>(terms: &'a [String], stop: &StopList) -> Result<Read<'a>, TermsFault> {
    if terms.is_empty() {
        return Err(TermsFault::EmptyList);
    }
    let mut read = Read::new();
    for (place, term) in terms.iter().enumerate() {
        let words = words_that_count(term, stop)?;
        read.entry(words).or_insert((place, term));
    }
    Ok(read)
}

/// The words of a term without stop words; all of them if nothing else is left.
pub(crate) fn words_that_count(term: &str, stop: &StopList) -> Result<Vec<Token>, TermsFault> {
    let words = tokenize(term);
    if words.is_empty() {
        return Err(TermsFault::EmptyTerm {
            term: term.to_owned(),
        });
    }
    let kept: Vec<Token> = words
        .iter()
        .copied()
        .filter(|word| !stop.contains(*word))
        .collect();
    Ok(if kept.is_empty() { words } else { kept })
}

#[cfg(test)]
mod tests {
    use scenthound_types::Language;

    use super::*;

    fn list(terms: &[&str]) -> Vec<String> {
        terms.iter().map(|term| (*term).to_owned()).collect()
    }

    #[test]
    fn the_three_figures_are_dice_union_and_the_share_of_the_first() {
        let overlap = Overlap::of(
            &list(&["SQL", "relational model", "Café", "how to"]),
            &list(&["cafe", "sql", "index", "tree", "btree", "hash"]),
            &StopList::default(),
        )
        .unwrap();
        assert_eq!(overlap.shared, ["SQL", "Café"]);
        assert_eq!((overlap.first, overlap.second), (4, 6));
        assert!((overlap.dice - 0.4).abs() < 1e-12);
        assert!((overlap.of_union - 0.25).abs() < 1e-12);
        assert!((overlap.of_first - 0.5).abs() < 1e-12);
    }

    #[test]
    fn stop_words_make_no_difference_unless_there_is_nothing_else() {
        let english = StopList::of(Language::ENGLISH);
        let overlap = Overlap::of(
            &list(&["algorithms and data structures", "to be"]),
            &list(&["Algorithms, Data Structures", "be", "algorithms data structures"]),
            english,
        )
        .unwrap();
        assert_eq!(overlap.shared, ["algorithms and data structures"]);
        assert_eq!((overlap.first, overlap.second), (2, 2));
    }

    #[test]
    fn empty_lists_and_empty_terms_are_errors() {
        let none = StopList::default();
        let tea = list(&["tea"]);
        assert_eq!(Overlap::of(&[], &tea, &none), Err(TermsFault::EmptyList));
        let fault = Overlap::of(&tea, &list(&["--"]), &none).unwrap_err();
        assert_eq!(fault.to_string(), "the term \"--\" contains no words");
    }
}
