//! Languages by their two-letter ISO 639-1 code.

use std::fmt;

/// A language, identified by its two-letter ISO 639-1 code.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Language([u8; 2]);

impl Language {
    /// English.
    pub const ENGLISH: Language = Language(*b"en");

    /// Reads a two-letter code in either case; `None` for anything else.
    pub fn from_code(code: &str) -> Option<Language> {
        match code.as_bytes() {
            &[a, b] if a.is_ascii_alphabetic() && b.is_ascii_alphabetic() => {
                Some(Language([a.to_ascii_lowercase(), b.to_ascii_lowercase()]))
            }
            _ => None,
        }
    }

    /// The two-letter code, lower case.
    pub fn code(&self) -> &str {
        // Only ASCII letters get in, so the fallback is never used.
        std::str::from_utf8(&self.0).unwrap_or("??")
    }
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

impl fmt::Debug for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Language({})", self.code())
    }
}
