//! What the X-Robots-Tag headers of a page ask of robots.
//!
//! The words themselves are read by [`PageDirectives::add_words`], as those of meta elements are. Deliberately absent: `unavailable_after` and the wishes about
//! snippets and previews, which mean nothing to a crawler that shows neither.

use scenthound_types::PageDirectives;

/// Reads the values of all X-Robots-Tag headers of a page, as `product_token` sees them.
///
/// A value may begin with a name (`otherbot: noindex, nofollow`) and then speaks to that crawler only, up to the next
/// name: servers and proxies join several headers with commas.
pub fn x_robots_tag<'a>(values: impl IntoIterator<Item = &'a str>, product_token: &str) -> PageDirectives {
    let mut wishes = PageDirectives::default();
    for value in values {
        let mut to_us = true;
        for part in value.split(',') {
            let mut wish = part;
            if let Some((name, rest)) = part.split_once(':')
                && is_agent(name.trim())
            {
                let name = name.trim();
                to_us = name == "*" || name.eq_ignore_ascii_case(product_token);
                wish = rest;
            }
            if to_us {
                wishes.add_words(wish);
            }
        }
    }
    wishes
}

/// Whether the words before a colon are a crawler's name, and neither a wish with a value nor part of a date.
fn is_agent(name: &str) -> bool {
    let is_wish = [
        "unavailable_after",
        "max-snippet",
        "max-image-preview",
        "max-video-preview",
    ]
    .iter()
    .any(|wish| name.eq_ignore_ascii_case(wish));
    let is_word = name
        .bytes()
        .all(|b| b.is_ascii_alphanumeric() || b"-_./".contains(&b));
    name == "*" || (!is_wish && is_word && name.starts_with(|c: char| c.is_ascii_alphabetic()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tag(values: &[&str]) -> String {
        shown(x_robots_tag(values.iter().copied(), "scenthound"))
    }

    fn shown(wishes: PageDirectives) -> String {
        let names = [
            (wishes.noindex, "index"),
            (wishes.nofollow, "follow"),
            (wishes.noarchive, "archive"),
        ];
        let set: Vec<_> = names
            .iter()
            .filter(|(set, _)| *set)
            .map(|(_, name)| *name)
            .collect();
        set.join(" ")
    }

    #[test]
    fn wishes_of_all_headers_add_up() {
        assert_eq!(
            tag(&["NoIndex", "index, nofollow , noarchive"]),
            "index follow archive"
        );
        assert_eq!(tag(&["none"]), "index follow");
        assert_eq!(tag(&["noindex\tnofollow"]), "index follow");
        assert_eq!(tag(&["all", "", ",,", "noimageindex"]), "");
    }

    #[test]
    fn a_wish_to_another_crawler_is_not_ours() {
        assert_eq!(tag(&["otherbot: noindex, nofollow"]), "");
        assert_eq!(tag(&["ScentHound: noindex, nofollow"]), "index follow");
        assert_eq!(tag(&["otherbot: noindex, scenthound: nofollow"]), "follow");
        assert_eq!(tag(&["otherbot: noindex", "nofollow"]), "follow");
        assert_eq!(tag(&["otherbot: none, *: noarchive"]), "archive");
    }

    #[test]
    fn a_date_or_a_number_is_no_name() {
        assert_eq!(
            tag(&["unavailable_after: Wed, 25 Jun 2031 15:00:00 PST, noindex"]),
            "index"
        );
        assert_eq!(
            tag(&["unavailable_after: 25-Jun-31 15:00:00, max-snippet: -1, nofollow"]),
            "follow"
        );
    }
}
