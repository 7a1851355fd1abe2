//! Nothing a server sends may panic, hang or cost more than its size.

// The lint exception for tests does not cover their shared functions.
#![allow(clippy::unwrap_used)]

use proptest::prelude::*;
use scenthound_parse::{Limits, PageInput, parse};
use scenthound_types::{CanonicalUrl, ParsedPage};

fn read(content_type: Option<&str>, body: &[u8]) -> ParsedPage {
    let url = CanonicalUrl::parse("http://a.test/x/").unwrap();
    let input = PageInput {
        url: &url,
        content_type,
        body,
        truncated: false,
    };
    parse(&input, &Limits::default())
}

/// What must hold for any page, however broken.
fn check(page: &ParsedPage, bytes: usize) -> Result<(), TestCaseError> {
    let length = page.text.len();
    // Decoding at most triples a byte, and a character gives at most one token and one break.
    prop_assert!(length as usize <= 6 * bytes + 2);
    for link in &page.links {
        for range in [&link.anchor, &link.around, &link.sentence] {
            prop_assert!(range.start <= range.end && range.end <= length, "{:?}", link);
        }
        prop_assert!(link.around.start <= link.anchor.start && link.around.end >= link.anchor.end);
        prop_assert!(link.title.start <= link.title.end && link.title.end <= page.asides.len());
        prop_assert!(link.url != page.url);
    }
    Ok(())
}

const PIECES: [&str; 64] = [
    "<a href=/1>",
    "<a href='/2' title=t>",
    "</a>",
    "<a href=",
    "<img alt=x>",
    "<p>",
    "</p>",
    "<div>",
    "</div>",
    "<br>",
    "<table>",
    "<td>",
    "<title>",
    "</title>",
    "<script>",
    "</script>",
    "<style>",
    "</style>",
    "<noscript>",
    "</noscript>",
    "<template>",
    "</template>",
    "<svg>",
    "</svg>",
    "<foreignObject>",
    "</foreignObject>",
    "<math>",
    "</math>",
    "<select>",
    "<option>",
    "</select>",
    "<textarea>",
    "</textarea>",
    "<iframe src=/3>",
    "</iframe>",
    "<frame src=/4>",
    "<noframes>",
    "</noframes>",
    "<area href=/5 alt=z>",
    "<base href=/b/>",
    "<meta http-equiv=refresh content='0;url=/6'>",
    "<meta name=robots content=none>",
    "<link rel=next href=/7>",
    "<link rel=canonical href=//>",
    "<video>",
    "</video>",
    "<plaintext>",
    "<xmp>",
    "</xmp>",
    "<!--",
    "-->",
    "<![CDATA[",
    "]]>",
    "&amp;",
    "&#x1F600;",
    "\0",
    "word ",
    "two words. ",
    "漢字かな",
    "e\u{301}",
    "\u{202e}",
    "\u{b}",
    "<",
    "\"",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1024))]

    #[test]
    fn any_bytes_can_be_read(body in prop::collection::vec(any::<u8>(), 0..400), html in any::<bool>()) {
        let page = read(html.then_some("text/html"), &body);
        check(&page, body.len())?;
    }

    #[test]
    fn any_soup_of_tags_can_be_read(
        pieces in prop::collection::vec(prop::sample::select(&PIECES[..]), 0..40),
        kind in prop::sample::select(&["text/html;charset=utf-8", "application/xhtml+xml", "text/plain"][..]),
    ) {
        let body = pieces.concat();
        let page = read(Some(kind), body.as_bytes());
        check(&page, body.len())?;
    }
}

/// Pages that have brought parsers down: each repeats one piece up to about a megabyte. None may yield more than
/// there is in it; reading them at all within the test's time limit shows that no step is quadratic.
#[test]
fn a_megabyte_of_anything_is_read_once() {
    for piece in [
        "<div>",
        "</div>",
        "<a href=x>",
        "<a href='",
        "<a b=c ",
        "<",
        "</",
        "<!--",
        "<!-",
        "--",
        "&",
        "&a",
        "&#",
        "<script>",
        "</script",
        "<script><!--<script>",
        "<title>",
        "<svg>",
        "<template>",
        "<b><i>",
        "<br>",
        "<p>",
        "\u{301}",
        "漢",
        "か\u{3099}",
        "aaaa",
        ".",
        "_",
        "a.",
        "' ",
        "<a href=/x>w",
        "<img alt=x>",
        "<a href=/x><img alt=y>",
        "<area href=/x alt=z>",
        "<base href=x>",
        "<meta http-equiv=refresh content=0;x>",
        "<link rel=next href=x>",
        "<![CDATA[",
        "<title>x</title>y",
        "<noscript><a href=y>",
        "<select><option>x",
        "\x0b",
        " ",
        "<a href=../../>",
        "<a href=/?",
        "\u{1112}\u{1161}",
        "กำ",
    ] {
        let body = piece.repeat((1 << 20) / piece.len());
        let page = read(Some("text/html; charset=utf-8"), body.as_bytes());
        check(&page, body.len()).unwrap_or_else(|fault| panic!("{piece}: {fault}"));
        assert!(page.links.len() <= Limits::default().links);
    }
}

#[test]
fn ten_thousand_links_in_one_endless_sentence_stay_small() {
    let body: String = (0..10_000)
        .map(|i| format!("word <a href=/{i}>link {i}</a> "))
        .collect();
    let page = read(Some("text/html"), body.as_bytes());
    assert_eq!(page.links.len(), 10_000);
    // The total number of words of all links is bounded by the number of links, not by links times words.
    let told: u64 = page.links.iter().map(|link| link.sentence.len() as u64).sum();
    assert!(told <= 10_000 * (2 * 64 + 2));
}
