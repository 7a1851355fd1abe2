//! Google's two suites and a folder of real files, read from beside the checkout.
//!
//! Rows on which we differ from the suite are listed with the reason; docs/decisions/robots-contradictions.md
//! explains in full. A listed row that starts to pass also fails the test, so the lists stay accurate.
#![allow(clippy::unwrap_used, clippy::print_stdout)] // a test file whose helpers are not marked as tests

use std::path::PathBuf;
use std::time::Duration;

use scenthound_robots::{Directive, RobotsTxt, Rules, is_product_token, path_of};
use scenthound_testweb::shared_data;
use serde_json::Value;

/// `(the suite's test, path, whether the suite allows it)`, grouped by the reason why we say the opposite.
#[rustfmt::skip]
const EXPECTED_FAILURES: &[(&str, &str, bool)] = &[
    // RFC 9309 2.2.2: `%62%61%7A` and `baz` are the same path.
    ("ID_Encoding", "/foo/bar/baz", false),
    ("non-ascii-paths", "/foo/bar/baz", false),
    // Raw characters outside ASCII are escaped here rather than by the caller. Each occurs twice in its suite.
    ("ID_Encoding", "/foo/bar/ツ", false),
    ("non-ascii-paths", "/foo/bar/ツ", false),
    // A rule for `/index.html` applies to that page, not to its folder.
    ("GoogleOnly_IndexHTMLisDirectory", "/allowed-slash/", true),
    ("index-page", "/allowed-slash/", true),
    // RFC 9309 2.2.2: robots.txt itself is always allowed.
    ("327748", "/robots.txt", false),
    ("369883", "/robots.txt", false),
    ("860237", "/robots.txt", false),
];

fn suite(name: &str) -> Option<PathBuf> {
    shared_data(&format!("suites/robots/{name}"))
}

fn rows(name: &str) -> Option<Vec<Value>> {
    let text = std::fs::read_to_string(suite(name)?).unwrap();
    Some(
        text.lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect(),
    )
}

fn file(name: &str) -> Option<Vec<u8>> {
    let path = suite(&format!("files/{name}"))?;
    Some(std::fs::read(path).unwrap())
}

fn text<'a>(row: &'a Value, field: &str) -> &'a str {
    row[field].as_str().unwrap()
}

fn body(row: &Value) -> Vec<u8> {
    match row.get("robots") {
        Some(robots) => robots.as_str().unwrap().as_bytes().to_vec(),
        None => decode_base64(text(row, "robots_b64")),
    }
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

/// Runs a suite of (robots, agent, url, allowed) rows. Returns how many passed, and fails if that differs from the
/// lists.
fn check_allowed(name: &str) -> Option<(usize, usize)> {
    let rows = rows(name)?;
    let mut surprises = Vec::new();
    let mut passed = 0;
    for row in &rows {
        let (url, allowed) = (text(row, "url"), row["allowed"].as_bool().unwrap());
        let path = path_of(url);
        let says = Rules::parse(&body(row), text(row, "agent")).allows(&path);
        let expected = EXPECTED_FAILURES.contains(&(text(row, "test"), &path, allowed));
        passed += usize::from(says == allowed);
        if (says == allowed) == expected {
            surprises.push(row.to_string().chars().take(600).collect::<String>());
        }
    }
    println!("{name}: {passed} of {} passed", rows.len());
    assert!(
        surprises.is_empty(),
        "{} surprises:\n{}",
        surprises.len(),
        surprises.join("\n")
    );
    Some((passed, rows.len()))
}

#[test]
fn googles_parser_suite_passes_but_for_the_contradictions() {
    if let Some(counts) = check_allowed("google_robotstxt_allow.jsonl") {
        assert_eq!(counts, (141, 145));
    }
}

#[test]
fn googles_specification_suite_passes_but_for_the_contradictions() {
    if let Some(counts) = check_allowed("google_spec_test.jsonl") {
        assert_eq!(counts, (392, 400));
    }
}

#[test]
fn product_tokens_are_distinguished_from_other_names() {
    for row in rows("google_robotstxt_agent_tokens.jsonl").unwrap_or_default() {
        let agent = text(&row, "agent");
        assert_eq!(
            is_product_token(agent),
            row["valid_product_token"].as_bool().unwrap(),
            "{agent:?}"
        );
    }
}

#[test]
fn the_path_of_a_url_is_found_in_any_spelling() {
    for row in rows("google_robotstxt_path_of_url.jsonl").unwrap_or_default() {
        assert_eq!(path_of(text(&row, "in")), text(&row, "out"), "{row}");
    }
}

#[test]
fn patterns_are_escaped_like_googles() {
    for row in rows("google_robotstxt_escape_pattern.jsonl").unwrap_or_default() {
        let rules = Rules::parse(
            format!("User-agent: *\nAllow: /{}", text(&row, "in")).as_bytes(),
            "a",
        );
        let pattern = rules.iter().next().unwrap().pattern.to_owned();
        assert_eq!(pattern, format!("/{}", text(&row, "out")), "{row}");
    }
}

#[test]
fn lines_are_counted_like_googles() {
    for row in rows("google_robotstxt_directive_counts.jsonl").unwrap_or_default() {
        let body = body(&row);
        let robots = RobotsTxt::new(&body);
        let unknown = robots
            .lines()
            .filter(|line| matches!(line.directive, Directive::Unknown(_)))
            .count();
        let last = robots.lines().last().unwrap().number;
        assert_eq!(row["valid_directives"], robots.lines().count() - unknown, "{row}");
        assert!(
            row.get("unknown_directives")
                .is_none_or(|count| *count == unknown),
            "{row}"
        );
        assert!(
            row.get("last_line_seen").is_none_or(|number| *number == last),
            "{row}"
        );
    }
}

#[test]
fn sitemap_lines_are_found_in_any_group() {
    for row in rows("google_robotstxt_sitemaps.jsonl").unwrap_or_default() {
        let rules = Rules::parse(&body(&row), "foo");
        assert_eq!(row["sitemaps"], Value::from(rules.sitemaps()), "{row}");
    }
}

/// `(file, agent, allowed paths, disallowed paths, crawl-delay in seconds, sitemaps)`.
type FileFacts = (
    &'static str,
    &'static str,
    &'static [&'static str],
    &'static [&'static str],
    Option<u64>,
    &'static [&'static str],
);

#[rustfmt::skip]
const FILES: &[FileFacts] = &[
    ("astore.amazon.com-robots.txt", "hound", &["/x"], &[], Some(5), &[]),
    ("crawl-delay-group-merging.txt", "mybot", &["/"], &["/private/"], Some(10), &[]),
    // A token ends before a digit, so `bot1` to `bot4` all mean this one.
    ("directive-typos-robots.txt", "bot", &["/desallow/"],
        &["/dissalow/", "/useragent/", "/useg-agent/", "/useragent-no-colon/"], None, &[]),
    ("dos-line-endings.txt", "hound", &["/x"], &[], Some(1), &[]),
    ("extension-robots.txt", "mybot", &["/x", "/secret/"], &["/private/"], None, &["/sitemap.xml"]),
    ("extensions-group-merging.txt", "mybot", &["/x"], &["/private/"], None, &[]),
    ("extensions-group-merging.txt", "hound", &["/llms.txt"], &["/x"], None, &[]),
    ("format-errors-robots.txt", "hound", &["/x"], &[], None, &["/sitemap.xml"]),
    ("malformed-path.txt", "hound", &["/wiki/Wikipedia_talk"],
        &["/wiki/Wikipedia_talk:Mediation_Committee/", "/wiki/Wikipedia_talk%3Mediation_Committee/",
          "/wiki/Wikipedia_talk%253Mediation_Committee/"], None, &[]),
    ("many-user-agents.txt", "wget", &[], &["/x"], None, &[]),
    ("merge-rules.txt", "wget", &["/ckh/bar", "/foo/bar", "/x"], &["/tmp/bar"], None, &[]),
    ("merge-rules.txt", "hound", &["/ckh/bar", "/x"], &["/tmp/bar", "/foo/bar"], None, &[]),
    ("precedence-of-rules.txt", "wget", &["/foo", "/index.html"], &["/", "/x"], None, &[]),
    ("precedence-of-rules.txt", "testy", &["/foo/bar", "/x"], &["/foo", "/foo/baz"], None, &[]),
    ("relative-sitemap-robots.txt", "hound", &["/x"], &["/cache/", "/files/"], None, &["/sitemap.xml"]),
    ("rfc9309-example-longest-match-robots.txt", "foobot", &["/example/page/"],
        &["/example/page/disallowed.gif"], None, &[]),
    ("rfc9309-example-rule-group-merging.txt", "ExampleBot", &["/x"], &["/foo", "/bar", "/baz"], None, &[]),
    ("rfc9309-example-simple-robots.txt", "foobot", &["/example/page.html", "/example/allowed.gif"],
        &["/example/x", "/x"], None, &[]),
    ("rfc9309-example-simple-robots.txt", "hound", &["/publications/x", "/a.gif?x"],
        &["/a.gif", "/example/x"], None, &[]),
    ("rfc9309-example-simple-robots.txt", "quxbot", &["/example/page.html", "/x"], &[], None, &[]),
    ("robots-with-utf8-bom.txt", "hound", &["/x"], &["/login.aspx", "/a/output/print"], None,
        &["http://www.newsweek.com/sitemap_index.xml"]),
    ("robots-with-utf16be-bom.txt", "hound", &["/x"], &["/login.aspx", "/a/output/print"], None,
        &["http://www.newsweek.com/sitemap_index.xml"]),
    ("robots-with-utf16le-bom.txt", "hound", &["/x"], &["/login.aspx", "/a/output/print"], None,
        &["http://www.newsweek.com/sitemap_index.xml"]),
    ("sitemap-robots-dedup.txt", "hound", &["/x"], &[], None, &["http://example.org/sitemap.xml"]),
    ("sitemap-robots.txt", "hound", &["/x"], &[], None,
        &["http://domain.com/sitemap.xml", "http://domain.com/dir/MixedCased-sitemap.xml"]),
    ("twitter.com-robots.txt", "Slurp", &["/x"], &["/x?y", "/me/with_friends"], Some(1), &[]),
    ("www.flot.com-robots.txt", "hound", &["/x"], &["/bitrix/x"], None, &["http://flot.com/sitemap_index.xml"]),
];

#[test]
fn real_files_mean_what_they_say() {
    for (name, agent, allowed, disallowed, delay, sitemaps) in FILES {
        let Some(body) = file(name) else { return };
        let rules = Rules::parse(&body, agent);
        for path in *allowed {
            assert!(
                rules.allows(path),
                "{name}: {agent} may fetch {path}, but {:?}",
                rules.which(path)
            );
        }
        for path in *disallowed {
            assert!(!rules.allows(path), "{name}: {agent} must not fetch {path}");
        }
        assert_eq!(
            rules.crawl_delay(),
            delay.map(Duration::from_secs),
            "{name}: {agent}"
        );
        assert_eq!(rules.sitemaps(), *sitemaps, "{name}");
        assert_eq!(Rules::from_bytes(&rules.to_bytes()), Ok(rules), "{name}");
    }
}

#[test]
fn a_real_file_with_wildcards_and_eight_sitemaps_is_understood() {
    let Some(body) = file("wildcards.txt") else { return };
    let rules = Rules::parse(&body, "hound");
    assert_eq!(rules.sitemaps().len(), 8);
    assert_eq!(rules.which("/gp/cart/view.html").unwrap().pattern, "/gp/cart");
}
