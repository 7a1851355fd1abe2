//! The words of a URL.

use scenthound_text::{Text, Token};

/// Percent-decoded (UTF-8), normalised like text, split at every character that is no letter or digit.
pub(crate) fn url_words(url: &str) -> Vec<Token> {
    let mut bytes = Vec::with_capacity(url.len());
    let mut rest = url.as_bytes();
    while let [first, tail @ ..] = rest {
        let escaped = match (first, tail) {
            (b'%', [high, low, ..]) => hex(*high).zip(hex(*low)).map(|(high, low)| high * 16 + low),
            _ => None,
        };
        bytes.push(escaped.unwrap_or(*first));
        rest = if escaped.is_some() {
            tail.get(2..).unwrap_or_default()
        } else {
            tail
        };
    }
    let decoded = String::from_utf8_lossy(&bytes);
    let mut text = Text::default();
    for word in decoded.split(|c: char| !c.is_alphanumeric()) {
        text.push(word);
    }
    text.tokens().to_vec()
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit)
        .to_digit(16)
        .and_then(|value| u8::try_from(value).ok())
}

#[cfg(test)]
mod tests {
    use scenthound_text::tokenize;

    use super::*;

    #[test]
    fn a_url_is_split_at_everything_but_letters_and_digits() {
        let words = url_words("http://uni.test/cs_101/Caf%C3%A9-menu.html?lang=pt%");
        assert_eq!(words, tokenize("http uni test cs 101 cafe menu html lang pt"));
    }
}
