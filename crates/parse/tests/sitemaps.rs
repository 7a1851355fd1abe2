//! The crawler-commons suite, read where it lies next to the checkout, and sitemaps made to do harm.
#![allow(clippy::unwrap_used, clippy::print_stdout)] // a test file: its readers of rows are not marked as tests

use std::path::PathBuf;

use proptest::prelude::*;
use scenthound_parse::{Location, Sitemap, SitemapKind, SitemapLimits};
use scenthound_types::CanonicalUrl;
use serde_json::Value;

/// Tests of the suite where we do otherwise, what we find instead, and why.
const EXPECTED_FAILURES: &[(&str, usize, &str)] = &[
    (
        "testSitemapXXE",
        1,
        "a document type is skipped, not an error; its entities are never expanded",
    ),
    (
        "testSitemapWithWrongNamespace",
        2,
        "namespaces are not checked: too many files have them wrong",
    ),
    (
        "testSitemapParserBrokenXml",
        0,
        "tags need not match; its one page lies on another host",
    ),
];

fn suite(name: &str) -> PathBuf {
    PathBuf::from(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../../shared/suites/sitemaps"
    ))
    .join(name)
}

fn rows(name: &str) -> Vec<Value> {
    let path = suite(name);
    let Ok(text) = std::fs::read_to_string(&path) else {
        println!("skipped: {} is not there", path.display());
        return Vec::new();
    };
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn url(text: &str) -> CanonicalUrl {
    CanonicalUrl::parse(text).unwrap()
}

fn text<'a>(row: &'a Value, field: &str) -> &'a str {
    row[field].as_str().unwrap()
}

fn decode_base64(text: &str) -> Vec<u8> {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let (mut bits, mut held, mut out) = (0_u32, 0, Vec::new());
    for digit in text.bytes().filter(|&byte| byte != b'=') {
        bits = (bits << 6) | DIGITS.iter().position(|&known| known == digit).unwrap() as u32;
        held += 6;
        if held >= 8 {
            held -= 8;
            out.push((bits >> held) as u8);
        }
    }
    out
}

fn passes(row: &Value, sitemap: &Sitemap) -> bool {
    if row["expect_error"] == true {
        return sitemap.kind == SitemapKind::Unknown;
    }
    let found = if sitemap.kind == SitemapKind::Index {
        sitemap.sitemaps.len()
    } else {
        sitemap.pages.len()
    };
    let urls: Vec<Value> = sitemap
        .pages
        .iter()
        .map(|page| page.url.as_str().into())
        .collect();
    row.get("is_index")
        .is_none_or(|is| *is == (sitemap.kind == SitemapKind::Index))
        && row.get("count").is_none_or(|count| *count == found)
        && row
            .get("urls")
            .is_none_or(|expected| *expected == Value::from(urls.clone()))
}

#[test]
fn the_parser_suite_passes_but_for_what_is_listed() {
    let rows = rows("crawler_commons_parse.jsonl");
    let mut surprises = Vec::new();
    let mut failed = Vec::new();
    for row in &rows {
        let body = match row.get("body") {
            Some(body) => body.as_str().unwrap().as_bytes().to_vec(),
            None => decode_base64(text(row, "body_b64")),
        };
        let location = if row["strict_location"] == true {
            Location::Folder
        } else {
            Location::Anywhere
        };
        let limits = SitemapLimits {
            location,
            ..SitemapLimits::default()
        };
        let sitemap = Sitemap::parse(&body, &url(text(row, "sitemap_url")), &limits);
        if passes(row, &sitemap) {
            continue;
        }
        failed.push((text(row, "test").to_owned(), sitemap.pages.len()));
        let expected = EXPECTED_FAILURES.iter().any(|(test, found, _)| {
            *test == text(row, "test") && *found == sitemap.pages.len() && row["expect_error"] == true
        });
        if !expected {
            surprises.push(format!("{row}\n  -> {sitemap:?}"));
        }
    }
    println!("{} of {} passed", rows.len() - failed.len(), rows.len());
    assert!(surprises.is_empty(), "{}", surprises.join("\n"));
    if !rows.is_empty() {
        assert_eq!(
            (failed.len(), rows.len()),
            (EXPECTED_FAILURES.len(), 45),
            "{failed:?}"
        );
    }
}

#[test]
fn the_location_rule_is_that_of_the_protocol() {
    for row in rows("crawler_commons_location_rule.jsonl") {
        let (sitemap, page) = (url(text(&row, "sitemap_url")), url(text(&row, "url")));
        assert_eq!(row["valid"], Location::Folder.admits(&sitemap, &page), "{row}");
    }
}

#[test]
fn real_files_list_what_they_say() {
    use SitemapKind::{Atom, Index, Pages, Rss, Text, Unknown};
    let expected = [
        ("atom.xml", Atom, 1),
        ("do-not-visit.txt", Text, 1),
        ("feed.rss", Rss, 4),
        ("hebdenbridgetimes-articles-sitemap.xml", Pages, 74),
        ("pagemaps-sitemap.xml", Pages, 2),
        ("shinpaideshou-news-sitemap.xml", Pages, 3),
        ("sitemap-images.xml", Pages, 1),
        ("sitemap-links.xml", Pages, 3),
        ("sitemap-mobile.xml", Pages, 3),
        ("sitemap-news.xml", Pages, 2),
        ("sitemap-videos-tvshow.xml", Pages, 1),
        ("sitemap-videos.xml", Pages, 3),
        ("sitemap-with-bom.txt", Text, 2),
        ("sitemap.badns.xml", Pages, 2),
        ("sitemap.index.xml", Index, 15),
        ("sitemap.ns.xml", Pages, 2),
        ("sitemap.txt", Text, 2),
        ("sitemap.txt.gz", Text, 5),
        ("xmlRss_pubDate.xml", Rss, 7),
        ("xmlSitemap.gz", Pages, 5),
    ];
    let limits = SitemapLimits {
        location: Location::Anywhere,
        ..SitemapLimits::default()
    };
    let mut wrong = Vec::new();
    for (name, kind, count) in expected {
        let Ok(body) = std::fs::read(suite("files").join(name)) else {
            println!("skipped: {name} is not there");
            return;
        };
        let sitemap = Sitemap::parse(&body, &url("http://www.example.com/"), &limits);
        let found = (
            sitemap.kind,
            sitemap.pages.len() + sitemap.sitemaps.len(),
            sitemap.truncated,
        );
        if found != (kind, count, false) || kind == Unknown {
            wrong.push((name, found));
        }
    }
    assert!(wrong.is_empty(), "{wrong:?}");
}

/// Each is some megabytes; a reader with a stack, an expansion or a repeated search would not come back.
#[test]
fn sitemaps_made_to_do_harm_are_harmless() {
    let n = 300_000;
    let bombs = [
        format!("<urlset>{}", "<url>".repeat(n)),
        format!("<urlset><url><loc>{}", "<a>".repeat(n)),
        format!(
            "<urlset><url><loc>https://a.test/{}</loc></url></urlset>",
            "&".repeat(n)
        ),
        format!(
            "<urlset><url><loc>https://a.test/{}</loc></url></urlset>",
            "&a;".repeat(n)
        ),
        format!("<urlset>{}", "<!--".repeat(n)),
        format!("<urlset>{}", "<![CDATA[".repeat(n)),
        format!("<feed><entry><link {}/></entry></feed>", "rel='x' ".repeat(n)),
        format!("<!DOCTYPE a [{}", "<!ENTITY a '".repeat(n)),
        format!("<urlset>{}", "</url>".repeat(n)),
        "<".repeat(n),
        "https://a.test/".repeat(n),
    ];
    for bomb in bombs {
        let sitemap = Sitemap::parse(
            bomb.as_bytes(),
            &url("https://a.test/s.xml"),
            &SitemapLimits::default(),
        );
        let start: String = bomb.chars().take(40).collect();
        assert!(
            sitemap.pages.is_empty() && sitemap.sitemaps.is_empty(),
            "{start}: {:?}",
            sitemap.pages
        );
    }
}

#[rustfmt::skip]
const PIECES: &[&str] = &[
    "<urlset>", "<sitemapindex>", "<rss>", "<feed>", "<url>", "</url>", "<loc>", "</loc>", "<sitemap>", "<item>",
    "</item>", "<entry>", "<link href='https://a.test/x'/>", "<link>", "</link>", "https://a.test/y", "<![CDATA[",
    "]]>", "<!--", "-->", "&amp;", "&", "<lastmod>", "</lastmod>", "2026", "<x:loc>", "/z", "\u{feff}",
];

/// Bytes that look enough like a sitemap to get past the first element.
fn nearly_sitemap() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        9 => proptest::sample::select(PIECES).prop_map(|piece| piece.as_bytes().to_vec()),
        1 => proptest::collection::vec(any::<u8>(), 0..5),
    ];
    let root = proptest::sample::select(vec!["<urlset>", "<sitemapindex>", "<rss>", "<feed>", ""]);
    (root, proptest::collection::vec(piece, 0..30))
        .prop_map(|(root, pieces)| [root.as_bytes(), &pieces.concat()].concat())
}

proptest! {
    #[test]
    fn any_bytes_can_be_read_within_the_limits(
        body in prop_oneof![4 => nearly_sitemap(), 1 => proptest::collection::vec(any::<u8>(), 0..200)],
        packed in any::<bool>(),
    ) {
        let body = if packed { [&[0x1F, 0x8B, 8, 0][..], &body].concat() } else { body };
        let here = url("https://a.test/s.xml");
        let limits = SitemapLimits { bytes: 400, entries: 3, location: Location::Site };
        let sitemap = Sitemap::parse(&body, &here, &limits);
        prop_assert!(sitemap.pages.len() + sitemap.sitemaps.len() <= 3);
        prop_assert!(sitemap.pages.iter().all(|page| page.url.host() == "a.test"));
    }
}
