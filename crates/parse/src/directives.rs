//! What meta elements ask of robots and browsers: robots directives and refreshes.

/// Whether a meta element of this name speaks to us.
pub(crate) fn addresses_us(name: &str) -> bool {
    let name = name.trim();
    name.eq_ignore_ascii_case("robots") || name.eq_ignore_ascii_case("scenthound")
}

/// The address in the `content` of a refresh, such as `5; url='/next'`; none for a plain reload.
pub fn refresh_target(content: &str) -> Option<&str> {
    let rest = content.trim_ascii_start();
    let seconds = rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    if seconds.len() == rest.len() {
        return None;
    }
    let after = seconds.trim_ascii_start();
    // A comma, a semicolon or at least a space must follow the number.
    let after = match after.strip_prefix([',', ';']) {
        Some(after) => after,
        None if after.len() < seconds.len() => after,
        None => return None,
    }
    .trim_ascii_start();
    let address = match after.get(..3) {
        Some(word) if word.eq_ignore_ascii_case("url") => {
            let rest = after.get(3..).unwrap_or_default().trim_ascii_start();
            rest.strip_prefix('=').map_or(after, str::trim_ascii_start)
        }
        _ => after,
    };
    let address = match address.chars().next() {
        Some(quote @ ('"' | '\'')) => address.get(1..)?.split(quote).next()?,
        _ => address,
    };
    (!address.is_empty()).then_some(address)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refresh_names_its_target_in_many_ways() {
        for content in [
            "5; url=/next",
            "0;URL='/next'",
            " 3 ,url = \"/next\"x",
            "0 /next",
            "1.5;/next",
        ] {
            assert_eq!(refresh_target(content), Some("/next"), "{content}");
        }
        for content in ["5", "5;", "url=/next", "", "5x;/next", "5; url="] {
            assert_eq!(refresh_target(content), None, "{content}");
        }
        assert_eq!(refresh_target("0; urlsafe.html"), Some("urlsafe.html"));
    }
}
