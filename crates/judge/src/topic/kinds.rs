//! Words that name a kind of page, and the terms that pages of that kind use.
//!
//! The lists say what anyone who has seen a few such pages would expect to read there. They come in addition to the named
//! genres, which have lists of their own. English only for now.

use super::votes;
use super::words::Term;
use crate::genres::genre_terms;

/// Names of genres in queries, besides the genre's own name.
const GENRE_NAMES: &[(&str, &[&str])] = &[
    ("blog", &["weblog"]),
    ("course", &["syllabus"]),
    ("documentation", &["doc", "manual"]),
    ("forum", &[]),
    ("guide", &["tutorial", "howto"]),
    ("home", &["homepage"]),
    ("image", &["photo", "gallery"]),
    ("job", &["vacancy"]),
    ("news", &[]),
    ("review", &[]),
    ("shop", &[]),
    ("video", &[]),
];

/// Other kinds of page.
const KINDS: &[(&[&str], &[&str])] = &[
    (
        &["faculty", "professor", "lecturer"],
        &[
            "professor",
            "research interests",
            "publications",
            "teaching",
            "department",
            "phd",
            "office",
            "email",
            "fax",
            "curriculum vitae",
            "selected papers",
            "students",
        ],
    ),
    (
        &["student"],
        &[
            "student",
            "graduate",
            "undergraduate",
            "resume",
            "advisor",
            "hobbies",
            "friends",
            "my home page",
            "links",
            "favorite",
        ],
    ),
    (
        &["staff"],
        &[
            "staff",
            "office",
            "phone",
            "email",
            "administrator",
            "support",
            "systems",
            "hours",
        ],
    ),
    (
        &["project"],
        &[
            "project",
            "research",
            "members",
            "group",
            "publications",
            "papers",
            "software",
            "overview",
            "goals",
            "people",
            "sponsored",
        ],
    ),
    (
        &["department"],
        &[
            "department",
            "faculty",
            "graduate program",
            "undergraduate",
            "admissions",
            "degree",
            "research",
            "courses",
            "staff",
        ],
    ),
    (
        &["organisation", "organization", "association", "charity"],
        &[
            "about us",
            "contact us",
            "members",
            "membership",
            "mission",
            "board",
            "donate",
            "annual report",
            "nonprofit",
            "volunteer",
            "committee",
            "our work",
        ],
    ),
    (
        &["company"],
        &[
            "about us",
            "contact us",
            "products",
            "services",
            "customers",
            "careers",
            "solutions",
            "privacy policy",
        ],
    ),
    (
        &["recipe"],
        &[
            "ingredients",
            "preparation",
            "oven",
            "minutes",
            "serve",
            "tablespoon",
            "teaspoon",
            "cups",
            "bake",
            "stir",
        ],
    ),
    (
        &["conference", "workshop"],
        &[
            "conference",
            "registration",
            "venue",
            "speakers",
            "program",
            "schedule",
            "deadline",
            "call for papers",
            "submission",
            "keynote",
        ],
    ),
];

/// The genre that a word names.
fn genre_of(word: &str) -> Option<&'static str> {
    let named = GENRE_NAMES
        .iter()
        .find(|(name, others)| *name == word || others.contains(&word));
    named.map(|(name, _)| *name)
}

/// The classes of the genre detector that a word names. None for kinds that are only a part of a class.
pub(super) fn classes_of(word: &str) -> Vec<usize> {
    match genre_of(word) {
        None | Some("guide" | "review") => Vec::new(),
        Some(genre) => votes::classes_of(genre),
    }
}

/// The terms that speak for the kind of page a word names.
fn signs_of(word: &str) -> Option<&'static [&'static str]> {
    genre_of(word).and_then(genre_terms).or_else(|| {
        let kind = KINDS.iter().find(|(names, _)| names.contains(&word));
        kind.map(|(_, signs)| *signs)
    })
}

/// The words of a query that name kinds of page, with their terms, and the words that do not.
pub(super) fn named_in(query: &[Term]) -> (Vec<(Term, &'static [&'static str])>, Vec<Term>) {
    let mut named = Vec::new();
    let mut rest: Vec<Term> = Vec::new();
    for term in query {
        match signs_of(&term.spelling) {
            Some(signs) => named.push((term.clone(), signs)),
            None => rest.push(term.clone()),
        }
    }
    // In "faculty home page" the word page says nothing of its own.
    if !named.is_empty() {
        rest.retain(|term| !matches!(term.spelling.as_ref(), "page" | "site" | "website"));
    }
    (named, rest)
}

#[cfg(test)]
mod tests {
    use super::super::words::{Ideas, TopicWords};

    fn ideas(query: &str) -> Vec<(String, bool)> {
        let words = TopicWords {
            query: query.to_owned(),
            ..TopicWords::default()
        };
        let ideas = Ideas::new(&words).query;
        ideas
            .iter()
            .map(|idea| (idea.term.spelling.to_string(), !idea.signs.is_empty()))
            .collect()
    }

    #[test]
    fn words_that_name_kinds_of_page_are_told_from_words_that_name_subjects() {
        let told = |word: &str, is_kind: bool| (word.to_owned(), is_kind);
        assert_eq!(
            ideas("operating systems course"),
            [
                told("operating", false),
                told("system", false),
                told("course", true)
            ]
        );
        assert_eq!(
            ideas("faculty home page"),
            [told("faculty", true), told("home", true)]
        );
        assert_eq!(
            ideas("food and agriculture"),
            [told("food", false), told("agriculture", false)]
        );
        assert_eq!(ideas("page"), [told("page", false)]);
    }
}
