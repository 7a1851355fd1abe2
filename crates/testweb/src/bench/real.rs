//! Real pages with the links of the benchmark web.
//!
//! A page keeps its markup and its words, but the targets of its links are replaced, so that every link leads to a page of the
//! web and every page is found. Attributes that would make a client ask for images, styles and frames are renamed, because the
//! web has none. A page with too few links of its own gets the missing ones at its end.
//!
//! Deliberately absent: a parser. What looks like a tag in a script or a comment is treated as one, which does no harm.

use std::ops::Range;

/// The attributes, beside the targets of links, that lead somewhere.
const LEADING: [&str; 8] = [
    "href",
    "src",
    "srcset",
    "action",
    "background",
    "data",
    "poster",
    "http-equiv",
];

/// A page, and where the targets of its links are in it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct RealPage {
    html: String,
    targets: Vec<Range<usize>>,
}

impl RealPage {
    pub(super) fn new(html: String) -> RealPage {
        let mut bytes = html.into_bytes();
        let mut targets = Vec::new();
        let mut at = 0;
        while let Some(start) = find(&bytes, at, b'<') {
            let end = find(&bytes, start, b'>').unwrap_or(bytes.len());
            let is_anchor = matches!(bytes.get(start + 1..start + 3), Some([b'a' | b'A', after]) if after.is_ascii_whitespace());
            if bytes.get(start + 1).is_some_and(u8::is_ascii_alphabetic) {
                read_tag(&mut bytes, start..end, is_anchor, &mut targets);
            }
            at = end;
        }
        RealPage {
            // Only ASCII letters were changed, so it is still UTF-8.
            html: String::from_utf8(bytes).unwrap_or_default(),
            targets,
        }
    }

    /// How many links it has.
    pub(super) fn links(&self) -> usize {
        self.targets.len()
    }

    /// The page with these targets. Those for which it has no links come at its end.
    pub(super) fn with(&self, targets: &[String]) -> String {
        let mut html = String::with_capacity(self.html.len() + 40 * targets.len());
        let mut copied = 0;
        let mut given = targets.iter();
        for (place, target) in self.targets.iter().zip(given.by_ref()) {
            html.push_str(self.html.get(copied..place.start).unwrap_or_default());
            html.push_str(target);
            copied = place.end;
        }
        html.push_str(self.html.get(copied..).unwrap_or_default());
        for target in given {
            html.push_str("<p><a href=\"");
            html.push_str(target);
            html.push_str("\">more</a></p>\n");
        }
        html
    }
}

fn find(bytes: &[u8], from: usize, byte: u8) -> Option<usize> {
    let rest = bytes.get(from..)?;
    rest.iter().position(|other| *other == byte).map(|at| from + at)
}

/// Notes the target of a link and renames the other attributes that lead somewhere.
fn read_tag(bytes: &mut [u8], tag: Range<usize>, is_anchor: bool, targets: &mut Vec<Range<usize>>) {
    let mut has_target = false;
    let mut at = tag.start;
    while let Some(equals) = find(bytes, at, b'=').filter(|equals| *equals < tag.end) {
        at = equals + 1;
        let name = name_before(bytes, equals, tag.start);
        let spelled = bytes.get(name.clone()).unwrap_or_default();
        let is_leading = LEADING
            .iter()
            .any(|leading| spelled.eq_ignore_ascii_case(leading.as_bytes()));
        if !is_leading {
            continue;
        }
        if is_anchor && !has_target && spelled.eq_ignore_ascii_case(b"href") {
            let value = value_after(bytes, at, tag.end);
            at = value.end;
            has_target = true;
            targets.push(value);
        } else if let Some(first) = bytes.get_mut(name.start) {
            *first = b'x';
        }
    }
}

fn name_before(bytes: &[u8], equals: usize, floor: usize) -> Range<usize> {
    let is_space = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_whitespace);
    let is_name = |at: usize| {
        bytes
            .get(at)
            .is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'-')
    };
    let mut end = equals;
    while end > floor && is_space(end - 1) {
        end -= 1;
    }
    let mut start = end;
    while start > floor && is_name(start - 1) {
        start -= 1;
    }
    start..end
}

fn value_after(bytes: &[u8], from: usize, end: usize) -> Range<usize> {
    let mut start = from;
    while start < end && bytes.get(start).is_some_and(u8::is_ascii_whitespace) {
        start += 1;
    }
    match bytes.get(start) {
        Some(quote @ (b'"' | b'\'')) if start < end => {
            let close = find(bytes, start + 1, *quote).unwrap_or(end);
            start + 1..close.clamp(start + 1, end.max(start + 1))
        }
        _ => {
            let length = bytes.get(start..end).unwrap_or_default();
            let length = length
                .iter()
                .position(u8::is_ascii_whitespace)
                .unwrap_or(length.len());
            start..start + length
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(html: &str, targets: &[&str]) -> String {
        let targets: Vec<String> = targets.iter().map(|target| (*target).to_owned()).collect();
        RealPage::new(html.to_owned()).with(&targets)
    }

    #[test]
    fn links_get_new_targets_and_nothing_else_leads_anywhere() {
        let html = "<base href=/x/><A class=b HREF = 'old?a=b'>één</a><img src=\"i.png\"><a name=n href=q>two</a> a < b = c";
        assert_eq!(RealPage::new(html.to_owned()).links(), 2);
        assert_eq!(
            with(html, &["/1", "/2"]),
            "<base xref=/x/><A class=b HREF = '/1'>één</a><img xrc=\"i.png\"><a name=n href=/2>two</a> a < b = c"
        );
    }

    #[test]
    fn missing_links_come_at_the_end_and_others_keep_their_targets() {
        assert_eq!(with("<p>tea", &["/1"]), "<p>tea<p><a href=\"/1\">more</a></p>\n");
        assert_eq!(with("<a href=\"/x\">a</a>", &[]), "<a href=\"/x\">a</a>");
    }
}
