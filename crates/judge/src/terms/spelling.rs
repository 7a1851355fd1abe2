//! Writes a run of tokens so that people can read it and the tokenizer produces the same tokens again.
//!
//! Words are separated by spaces. Overlapping character pairs are joined again: 数据 and 据库 become 数据库. The tokenizer
//! itself decides which is which, so the two cannot disagree.

use scenthound_types::text::{Token, tokenize};

/// A run in readable form, given the spelling of each of its tokens; none if no text produces these tokens again.
pub(crate) fn write_run<'a>(spellings: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let mut written = String::new();
    let mut tokens: Vec<Token> = Vec::new();
    for spelling in spellings {
        tokens.push(Token::of(spelling));
        if let Some(grown) = grow(&written, spelling).filter(|grown| tokenize(grown) == tokens) {
            written = grown;
            continue;
        }
        if !written.is_empty() {
            written.push(' ');
        }
        written.push_str(spelling);
        if tokenize(&written) != tokens {
            return None;
        }
    }
    (!written.is_empty()).then_some(written)
}

/// Appends the second character of a pair if its first one is the last character of the text.
fn grow(written: &str, pair: &str) -> Option<String> {
    let mut characters = pair.chars();
    let first = characters.next()?;
    let second = characters.next()?;
    if characters.next().is_some() || !written.ends_with(first) {
        return None;
    }
    Some(format!("{written}{second}"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use scenthound_types::text::Text;

    use super::*;

    /// The whole text as one run.
    fn again(raw: &str) -> Option<String> {
        let mut text = Text::default();
        text.push(raw);
        write_run((0..text.len()).map(|position| text.spelling(position)))
    }

    #[test]
    fn pairs_grow_back_together_and_words_stay_apart() {
        for (raw, written) in [
            ("Banco de Dados", "banco de dados"),
            ("数据库", "数据库"),
            ("データベース", "データベース"),
            ("数据 课程", "数据 课程"),
            ("SQL数据库", "sql 数据库"),
            ("茶 茶道", "茶 茶道"),
            ("ab bc", "ab bc"),
            ("C++ and don't", "c and don't"),
        ] {
            assert_eq!(again(raw).as_deref(), Some(written), "{raw}");
        }
    }

    proptest! {
        #[test]
        fn what_is_written_tokenizes_to_the_same_tokens(raw in "[a-cA-C'., :_0-9éßΣσя数据库课程データ한국어ไทย\u{301}\u{3099}-]{0,12}|.{0,12}") {
            if let Some(written) = again(&raw) {
                prop_assert_eq!(tokenize(&written), tokenize(&raw));
            }
        }
    }
}
