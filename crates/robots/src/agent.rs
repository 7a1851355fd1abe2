//! Product tokens: the names by which robots.txt addresses crawlers.
//!
//! A token consists of letters, hyphens and underscores (RFC 9309, 2.2.1). Deliberately absent: versions and comments
//! of a `User-Agent` header; a robots.txt that names them is read up to the first other character.

/// Whether a robots.txt can address this name exactly.
pub fn is_product_token(name: &str) -> bool {
    !name.is_empty() && token_of(name.as_bytes()).len() == name.len()
}

/// Which crawler a `User-agent` line addresses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Addressee {
    /// Our crawler.
    Us,
    /// Every crawler that is not named elsewhere.
    Everybody,
    /// Another crawler, or none.
    Other,
}

/// Which crawler the value of a `User-agent` line addresses, given our `product_token`.
pub(crate) fn addressee(value: &[u8], product_token: &str) -> Addressee {
    // `*` alone or before a blank; `*bot` is not a name.
    if let Some(rest) = value.strip_prefix(b"*")
        && rest.first().is_none_or(u8::is_ascii_whitespace)
    {
        return Addressee::Everybody;
    }
    let token = token_of(value);
    if !token.is_empty() && token.eq_ignore_ascii_case(product_token.as_bytes()) {
        Addressee::Us
    } else {
        Addressee::Other
    }
}

fn token_of(value: &[u8]) -> &[u8] {
    let end = value
        .iter()
        .position(|byte| !(byte.is_ascii_alphabetic() || matches!(byte, b'-' | b'_')))
        .unwrap_or(value.len());
    value.get(..end).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_speaks_to_us_in_any_case_and_with_any_version() {
        for value in [
            "scenthound",
            "ScentHound",
            "scenthound/2.1",
            "Scenthound the hound",
            "scenthound*",
        ] {
            assert_eq!(
                addressee(value.as_bytes(), "scenthound"),
                Addressee::Us,
                "{value}"
            );
        }
        for value in ["", "scent", "scenthound-news", "scenthounds", "*hound", "/"] {
            assert_eq!(
                addressee(value.as_bytes(), "scenthound"),
                Addressee::Other,
                "{value}"
            );
        }
        for value in ["*", "* # all", "*\tall"] {
            assert_eq!(
                addressee(value.as_bytes(), "scenthound"),
                Addressee::Everybody,
                "{value}"
            );
        }
    }

    #[test]
    fn the_empty_name_is_never_addressed() {
        assert_eq!(addressee(b"", ""), Addressee::Other);
        assert_eq!(addressee(b"/1.0", ""), Addressee::Other);
    }
}
