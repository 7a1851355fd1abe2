//! Keys for search engines: where they come from, and how they are kept out of sight.
//!
//! A key file is TOML with one `NAME = "key"` per line. The names are those of the environment variables.
//!
//! Invariant: no fault of this module repeats the contents of the file, not even the faulty line: it may be the key.

use std::collections::BTreeMap;
use std::fmt;

use thiserror::Error;

/// A text that is sent but never shown.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Wraps a text.
    pub fn new(text: impl Into<String>) -> Secret {
        Secret(text.into())
    }

    /// The text, for sending.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// Whether a text contains it, either as it is or percent-encoded.
    pub(super) fn is_in(&self, text: &str) -> bool {
        // Shorter texts are not keys, and may occur in any text.
        self.0.len() >= SHORTEST && self.spellings().iter().any(|spelling| text.contains(spelling))
    }

    /// The text with every occurrence blanked.
    pub(super) fn blank_in(&self, text: &str) -> String {
        if self.0.len() < SHORTEST {
            return text.to_owned();
        }
        self.spellings()
            .iter()
            .fold(text.to_owned(), |text, spelling| text.replace(spelling, "[key]"))
    }

    fn spellings(&self) -> [String; 2] {
        let escaped = url::form_urlencoded::byte_serialize(self.0.as_bytes()).collect();
        [self.0.clone(), escaped]
    }
}

/// The shortest text that counts as a key.
const SHORTEST: usize = 4;

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[key]")
    }
}

/// Keys by the names of their environment variables.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Keys(BTreeMap<&'static str, Secret>);

impl Keys {
    /// The known names.
    pub const NAMES: [&'static str; 4] = [
        "BRAVE_API_KEY",
        "GOOGLE_CSE_KEY",
        "GOOGLE_CSE_CX",
        "MARGINALIA_API_KEY",
    ];

    /// Collects the keys from a lookup, such as environment variables. Empty values are ignored.
    pub fn from_lookup(lookup: impl Fn(&str) -> Option<String>) -> Keys {
        let found = Keys::NAMES.into_iter().filter_map(|name| {
            let key = lookup(name)?;
            let key = key.trim();
            (!key.is_empty()).then(|| (name, Secret::new(key)))
        });
        Keys(found.collect())
    }

    /// Reads a key file.
    pub fn parse(text: &str) -> Result<Keys, KeyFileFault> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let table: toml::Table = text.parse().map_err(|error: toml::de::Error| {
            let before = error.span().and_then(|span| text.get(..span.start));
            KeyFileFault::Syntax {
                line: before.unwrap_or_default().matches('\n').count() + 1,
            }
        })?;
        let mut keys = Keys::default();
        for (number, (name, value)) in table.iter().enumerate() {
            let known = Keys::NAMES.into_iter().find(|known| known == name);
            let name = known.ok_or(KeyFileFault::Name { number: number + 1 })?;
            match value.as_str().map(str::trim) {
                Some(key) if !key.is_empty() => keys.0.insert(name, Secret::new(key)),
                _ => return Err(KeyFileFault::Value { name }),
            };
        }
        Ok(keys)
    }

    /// These keys, completed with the others.
    #[must_use]
    pub fn or(mut self, others: Keys) -> Keys {
        for (name, key) in others.0 {
            self.0.entry(name).or_insert(key);
        }
        self
    }

    /// The key with this name.
    pub fn get(&self, name: &str) -> Option<&Secret> {
        self.0.get(name)
    }
}

/// What is wrong with a key file. Nothing from the file is repeated.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum KeyFileFault {
    /// It is not valid TOML.
    #[error("line {line} is not NAME = \"key\"")]
    Syntax {
        /// Counted from 1.
        line: usize,
    },
    /// An unknown name.
    #[error("entry {number} has an unknown name; the names are {}", Keys::NAMES.join(", "))]
    Name {
        /// The number of the entry, in the order of names, counted from 1.
        number: usize,
    },
    /// A value that is not a string, or is empty.
    #[error("{name} is not a quoted string, or is empty")]
    Value {
        /// The name.
        name: &'static str,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_not_shown_by_debug_nor_by_any_fault() {
        let keys = Keys::parse("BRAVE_API_KEY = \"hush-hush\"").unwrap();
        assert!(!format!("{keys:?}").contains("hush"));
        assert_eq!(keys.get("BRAVE_API_KEY").map(Secret::reveal), Some("hush-hush"));
        for text in [
            "hush-hush",
            "\n\nBRAVE_API_KEY = hush-hush",
            "BRAVE_API_KEY = [\"hush-hush\"]",
            "hush-hush = \"x\"",
            "BRAVE_API_KEY = \"hush-hush",
            "BRAVE_API_KEY = \"\"",
        ] {
            let fault = Keys::parse(text).unwrap_err();
            assert!(!format!("{fault} {fault:?}").contains("hush"), "{fault}");
        }
        assert_eq!(
            Keys::parse("\n\nBRAVE_API_KEY = hush").unwrap_err(),
            KeyFileFault::Syntax { line: 3 }
        );
    }

    #[test]
    fn the_first_keys_win_and_the_others_fill_the_gaps() {
        let file = Keys::parse("BRAVE_API_KEY = \"one\"").unwrap();
        let around = Keys::from_lookup(|name| match name {
            "BRAVE_API_KEY" => Some("two".to_owned()),
            "GOOGLE_CSE_CX" => Some(" three ".to_owned()),
            "GOOGLE_CSE_KEY" => Some(" ".to_owned()),
            _ => None,
        });
        let keys = file.or(around);
        let all = Keys::NAMES.map(|name| keys.get(name).map(Secret::reveal));
        assert_eq!(all, [Some("one"), None, Some("three"), None]);
    }

    #[test]
    fn a_key_is_blanked_in_either_spelling() {
        let key = Secret::new("a+b/c=");
        let text = "no a+b/c= here, nor ?key=a%2Bb%2Fc%3D";
        assert!(key.is_in(text));
        assert_eq!(key.blank_in(text), "no [key] here, nor ?key=[key]");
        assert!(!Secret::new("a").is_in("a word"));
    }
}
