//! Any bytes can be parsed as a page, and every range in the parsed page lies within its text.
//!
//! The first byte chooses what the server says the bytes are.
#![no_main]

use libfuzzer_sys::fuzz_target;
use scenthound_parse::{Limits, PageInput, parse};
use scenthound_types::{CanonicalUrl, TokenRange};

const TYPES: &[Option<&str>] = &[
    Some("text/html"),
    None,
    Some("text/html; charset=utf-8"),
    Some("text/html; charset=shift_jis"),
    Some("text/html; charset=windows-1252"),
    Some("text/html; charset=utf-16le"),
    Some("application/xhtml+xml"),
    Some("text/plain"),
    Some("application/xml"),
];

fuzz_target!(|data: &[u8]| {
    let Some((choice, body)) = data.split_first() else {
        return;
    };
    let url = CanonicalUrl::parse("http://a.test/folder/page").expect("a plain URL");
    let input = PageInput {
        url: &url,
        content_type: TYPES[usize::from(*choice) % TYPES.len()],
        body,
        truncated: false,
    };
    let limits = Limits {
        links: 100,
        ..Limits::default()
    };
    let page = parse(&input, &limits);
    let is_inside = |range: &TokenRange, length: u32| range.start <= range.end && range.end <= length;
    assert!(page.links.len() <= limits.links);
    for link in &page.links {
        assert_eq!(CanonicalUrl::parse(link.url.as_str()).as_ref(), Ok(&link.url));
        for range in [&link.anchor, &link.around, &link.sentence] {
            assert!(
                is_inside(range, page.text.len()),
                "{range:?} of {}",
                page.text.len()
            );
        }
        assert!(is_inside(&link.title, page.asides.len()));
    }
    assert_eq!(parse(&input, &limits), page);
});
