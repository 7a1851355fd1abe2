//! The kinds of page that people can ask for by name.

/// The genres that can be named, in alphabetical order.
pub const GENRES: &[&str] = &[
    "blog",
    "course",
    "documentation",
    "forum",
    "guide",
    "home",
    "image",
    "job",
    "listing",
    "news",
    "review",
    "service",
    "shop",
    "video",
];
