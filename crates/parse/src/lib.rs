//! From bytes to a parsed page: text, links, language, counts.
