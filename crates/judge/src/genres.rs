//! Genre terms for people who name a kind of page rather than describe it.
//!
//! A named genre is a list of terms like any the user writes, so it is judged, weighed and explained like those. English
//! for now. Deliberately absent: detecting a page's genre from its form; that is a detector's work.

/// The genres that have a list, and their lists.
const LISTS: &[(&str, &[&str])] = &[
    (
        "blog",
        &[
            "blog",
            "posted",
            "comments",
            "archives",
            "about me",
            "categories",
            "tags",
            "subscribe",
            "older posts",
            "read more",
        ],
    ),
    (
        "course",
        &[
            "course",
            "syllabus",
            "instructor",
            "prerequisites",
            "credits",
            "lectures",
            "homework",
            "grading",
            "exam",
            "office hours",
            "textbook",
            "assignments",
        ],
    ),
    (
        "documentation",
        &[
            "documentation",
            "reference",
            "installation",
            "usage",
            "example",
            "parameters",
            "returns",
            "version",
            "api",
            "configuration",
            "table of contents",
        ],
    ),
    (
        "forum",
        &[
            "forum",
            "thread",
            "reply",
            "posts",
            "joined",
            "members",
            "topic",
            "quote",
            "moderator",
            "log in",
            "last post",
        ],
    ),
    (
        "guide",
        &[
            "guide",
            "how to",
            "step",
            "you will need",
            "instructions",
            "method",
            "beginners",
            "tips",
            "tutorial",
        ],
    ),
    (
        "job",
        &[
            "job",
            "vacancy",
            "salary",
            "apply",
            "requirements",
            "responsibilities",
            "experience",
            "qualifications",
            "location",
            "full time",
            "benefits",
            "employer",
        ],
    ),
    (
        "news",
        &[
            "news",
            "reported",
            "said",
            "reporter",
            "editor",
            "breaking",
            "published",
            "headlines",
            "correspondent",
            "updated",
        ],
    ),
    (
        "review",
        &[
            "review",
            "rating",
            "stars",
            "pros",
            "cons",
            "verdict",
            "tested",
            "recommend",
            "conclusion",
            "compared",
        ],
    ),
    (
        "shop",
        &[
            "price",
            "add to cart",
            "buy",
            "shipping",
            "in stock",
            "delivery",
            "checkout",
            "discount",
            "returns",
            "product",
            "customers",
        ],
    ),
];

/// The terms of a named genre, in English; none for a name without a list.
pub fn genre_terms(name: &str) -> Option<&'static [&'static str]> {
    LISTS
        .iter()
        .find(|(known, _)| *known == name)
        .map(|(_, terms)| *terms)
}
