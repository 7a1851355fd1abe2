//! Light stemming: a plural and its singular are one term.
//!
//! Only endings of plurals are cut, and only from words in Latin letters. Stronger stemmers merge words that mean
//! different things ("university", "universe") and found fewer of the right pages. What is left need not be a word: both
//! sides of a comparison are cut the same way.

use std::borrow::Cow;

use scenthound_types::text::{Text, Token};

/// The term that a word of a text stands for, as a number. Two of a million terms may share one; nothing here depends on it.
#[inline]
pub(super) fn term_id(text: &Text, position: u32, token: Token) -> u32 {
    // Most words are their own stems, and need not be looked at.
    if text.last_byte(position) != Some(b's') {
        return id_of(token);
    }
    let spelling = text.spelling(position);
    match stem(spelling) {
        Cow::Borrowed(same) if same.len() == spelling.len() => id_of(token),
        stem => id_of(Token::of(&stem)),
    }
}

pub(super) fn id_of(token: Token) -> u32 {
    (token.hash() >> 32) as u32
}

/// A word without the ending of its plural.
#[inline]
pub fn stem(word: &str) -> Cow<'_, str> {
    // As bytes: this is asked of every term of every page, and asking for a character calls a function that compares memory.
    match word.as_bytes() {
        [.., b's'] => singular(word),
        _ => Cow::Borrowed(word),
    }
}

/// The stem of a word that ends in s.
fn singular(word: &str) -> Cow<'_, str> {
    let Some(rest) = word.get(..word.len() - 1) else {
        return Cow::Borrowed(word);
    };
    if word.len() < 4 || !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return Cow::Borrowed(word);
    }
    if let Some(start) = word.strip_suffix("ies").filter(|start| start.len() > 1) {
        return Cow::Owned(format!("{start}y"));
    }
    if ["sses", "ches", "shes", "xes", "zes"]
        .iter()
        .any(|end| word.ends_with(end))
    {
        return Cow::Borrowed(word.get(..word.len() - 2).unwrap_or(word));
    }
    // The news are not several new.
    if rest.ends_with(['s', 'u', 'i']) || word == "news" {
        return Cow::Borrowed(word);
    }
    Cow::Borrowed(rest)
}

/// The spellings that have this stem, for text of which only tokens are known.
pub(super) fn spellings_of(stem: &str) -> Vec<String> {
    let mut all = vec![stem.to_owned()];
    if stem.len() >= 2 && stem.bytes().all(|byte| byte.is_ascii_lowercase()) {
        all.push(format!("{stem}s"));
        all.push(format!("{stem}es"));
        if let Some(start) = stem.strip_suffix('y') {
            all.push(format!("{start}ies"));
        }
        all.retain(|spelling| self::stem(spelling) == stem);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plurals_lose_their_ending_and_nothing_else_does() {
        for (word, expected) in [
            ("courses", "course"),
            ("countries", "country"),
            ("classes", "class"),
            ("churches", "church"),
            ("class", "class"),
            ("virus", "virus"),
            ("analysis", "analysis"),
            ("gas", "gas"),
            ("news", "news"),
            ("bus", "bus"),
            ("ties", "tie"),
            ("日本", "日本"),
            ("c3s", "c3s"),
        ] {
            assert_eq!(stem(word), expected, "{word}");
        }
    }

    #[test]
    fn spellings_lead_back_to_their_stem() {
        assert_eq!(spellings_of("course"), ["course", "courses"]);
        assert_eq!(spellings_of("class"), ["class", "classes"]);
        assert_eq!(spellings_of("country"), ["country", "countrys", "countries"]);
        assert_eq!(spellings_of("日本"), ["日本"]);
    }
}
