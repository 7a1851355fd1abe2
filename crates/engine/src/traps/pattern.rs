//! The pattern of a URL: what is left of it when numbers, identifiers and the values of parameters are taken out.

use scenthound_types::CanonicalUrl;

/// A piece of a path with digits that is at least this long is an identifier.
const IDENTIFIER: usize = 6;
/// A path that has one segment this often goes in circles.
const MOST_REPEATS: usize = 3;
/// A path with more segments than this goes in circles, or nobody will miss it.
const MOST_SEGMENTS: usize = 24;

/// What a URL has in common with others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    pub pattern: String,
    /// Whether the pattern is the folder of the URL, which has neither numbers nor parameters. The pages of a folder are of many
    /// kinds, so little follows from it.
    pub is_folder: bool,
}

/// The pattern that a URL shares with others.
pub(super) fn pattern(url: &CanonicalUrl) -> Shape {
    let mut out = String::with_capacity(url.path_and_query().len());
    let mut is_general = false;
    let mut last = String::new();
    for segment in url.path().split('/').skip(1) {
        let (shape, is_numbered) = shape(segment);
        is_general |= is_numbered;
        // Any depth of /2031/05/17 or /d1/d2/d3 is one pattern.
        if is_numbered && shape == last {
            continue;
        }
        out.push('/');
        out.push_str(&shape);
        last = shape;
    }
    let mut names: Vec<String> = parameters(url).into_iter().map(|name| shape(name).0).collect();
    if !names.is_empty() {
        is_general = true;
        names.sort_unstable();
        names.dedup();
        out.push('?');
        out.push_str(&names.join("&"));
    }
    if is_general {
        return Shape {
            pattern: out,
            is_folder: false,
        };
    }
    let path = url.path();
    let folder = path.rfind('/').and_then(|slash| path.get(..=slash));
    Shape {
        pattern: folder.unwrap_or(path).to_owned(),
        is_folder: true,
    }
}

/// A segment with its numbers and identifiers taken out, and whether it had any.
fn shape(segment: &str) -> (String, bool) {
    let mut out = String::with_capacity(segment.len());
    let mut is_numbered = false;
    let is_separator = |c: char| matches!(c, '-' | '_' | '.' | ';' | '=' | ',' | '~' | ':');
    for piece in segment.split_inclusive(is_separator) {
        let word = piece.trim_end_matches(is_separator);
        if !word.bytes().any(|byte| byte.is_ascii_digit()) {
            out.push_str(piece);
            continue;
        }
        is_numbered = true;
        if word.len() >= IDENTIFIER && !word.bytes().all(|byte| byte.is_ascii_digit()) {
            out.push('*');
        } else {
            let mut in_number = false;
            for c in word.chars() {
                let is_digit = c.is_ascii_digit();
                if !is_digit {
                    out.push(c);
                } else if !in_number {
                    out.push('#');
                }
                in_number = is_digit;
            }
        }
        out.push_str(piece.get(word.len()..).unwrap_or_default());
    }
    (out, is_numbered)
}

fn query(url: &CanonicalUrl) -> Option<&str> {
    url.path_and_query().get(url.path().len() + 1..)
}

/// The names of a URL's parameters, in order; at most eight.
pub(super) fn parameters(url: &CanonicalUrl) -> Vec<&str> {
    let pairs = query(url).into_iter().flat_map(|query| query.split('&'));
    let names = pairs.map(|pair| pair.split('=').next().unwrap_or_default());
    names.filter(|name| !name.is_empty()).take(8).collect()
}

/// Path and query without the parameters that `is_dropped` names; none if it has none of them.
pub(super) fn without(url: &CanonicalUrl, is_dropped: impl Fn(&str) -> bool) -> Option<String> {
    let query = query(url)?;
    let keeps = |pair: &&str| !is_dropped(pair.split('=').next().unwrap_or_default());
    let kept: Vec<&str> = query.split('&').filter(keeps).collect();
    if kept.len() == query.split('&').count() {
        return None;
    }
    let mut out = url.path().to_owned();
    if !kept.is_empty() {
        out.push('?');
        out.push_str(&kept.join("&"));
    }
    Some(out)
}

/// Whether a path goes in circles, as relative links on a site that answers to every path do.
pub fn repeats_itself(path: &str) -> bool {
    // As bytes, which are split with far fewer steps: this is asked of every link.
    let segments = path.as_bytes().split(|byte| *byte == b'/');
    let segments: Vec<&[u8]> = segments.filter(|segment| !segment.is_empty()).collect();
    if segments.len() > MOST_SEGMENTS {
        return true;
    }
    segments.iter().enumerate().any(|(at, segment)| {
        let is_number = segment.iter().all(u8::is_ascii_digit);
        let again = segments.iter().skip(at).filter(|other| other == &segment).count();
        !is_number && again >= MOST_REPEATS
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(path: &str) -> Option<String> {
        let shape = pattern(&CanonicalUrl::parse(&format!("http://a.test{path}")).unwrap());
        (!shape.is_folder).then_some(shape.pattern)
    }

    #[test]
    fn numbers_identifiers_and_values_are_taken_out_and_words_stay() {
        assert_eq!(of("/wiki/Green_tea"), None);
        assert_eq!(of("/product/123").as_deref(), Some("/product/#"));
        assert_eq!(of("/calendar/2031/05/17"), of("/calendar/1999/1"));
        assert_eq!(of("/calendar?month=5&year=2031"), of("/calendar?year=1&month=12"));
        assert_eq!(of("/d1/d2/d3/d4"), of("/d9"));
        assert_eq!(of("/s/8f3ac1b2/tea").as_deref(), Some("/s/*/tea"));
        assert_eq!(of("/tea;jsessionid=8F3AC1").as_deref(), Some("/tea;jsessionid=*"));
        assert_ne!(of("/2024/05/how-to-brew"), of("/2024/05/how-to-steep"));
        assert_ne!(of("/a?x=1"), of("/b?x=1"));
    }

    #[test]
    fn parameters_can_be_left_out() {
        let url = CanonicalUrl::parse("http://a.test/tea?sid=9&id=4&sid=7").unwrap();
        assert_eq!(parameters(&url), ["sid", "id", "sid"]);
        assert_eq!(without(&url, |name| name == "sid").as_deref(), Some("/tea?id=4"));
        assert_eq!(without(&url, |name| name == "utm"), None);
        let alone = CanonicalUrl::parse("http://a.test/tea?sid=9").unwrap();
        assert_eq!(without(&alone, |name| name == "sid").as_deref(), Some("/tea"));
        let none = CanonicalUrl::parse("http://a.test/tea").unwrap();
        assert_eq!(without(&none, |_| true), None);
    }

    #[test]
    fn paths_that_go_in_circles_are_noticed() {
        assert!(repeats_itself("/a/b/a/b/a/b"));
        assert!(repeats_itself(&"/x".repeat(30)));
        assert!(!repeats_itself("/2011/11/11/11"));
        assert!(!repeats_itself("/docs/en/docs/intro"));
        assert!(!repeats_itself("/"));
    }
}
