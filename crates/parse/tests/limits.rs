//! What one page may cost at most, whatever it holds: 64 MB of memory and 200 ms of time.
//!
//! Each page here is as long as a page is read, and repeats what costs most: characters that fold to eighteen others,
//! attributes without number, words, marks, pictures, references, and bytes that are no text at all.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a test may panic, print and measure time"
)]

use std::time::Duration;

use scenthound_parse::{Limits, PageInput, parse};
use scenthound_types::CanonicalUrl;

const BYTES: usize = 8 << 20;
/// Memory beside the body itself.
const MEMORY_KB: u64 = 64 << 10;

/// This text again and again, up to the size of the largest page that is read.
fn flood(before: &str, text: &str) -> Vec<u8> {
    let mut body = before.as_bytes().to_vec();
    while body.len() < BYTES {
        body.extend_from_slice(text.as_bytes());
    }
    body.truncate(BYTES);
    body
}

/// Numbered text, up to the same size.
fn numbered(before: &str, text: impl Fn(usize) -> String) -> Vec<u8> {
    let mut body = before.as_bytes().to_vec();
    for number in 0.. {
        if body.len() >= BYTES {
            break;
        }
        body.extend_from_slice(text(number).as_bytes());
    }
    body.truncate(BYTES);
    body
}

fn floods() -> Vec<(&'static str, Vec<u8>)> {
    vec![
        ("one text node", flood("<p>", "a ")),
        ("one word", flood("<p>", "a")),
        ("one word that grows", flood("<p>", "\u{fdf6}")),
        ("U+FDFA", flood("<p>", "\u{fdfa}")),
        ("combining marks", flood("<p>a", "\u{315}\u{300}\u{5ae}")),
        (
            "Hangul syllables in parts",
            flood("<p>", "\u{1112}\u{1161}\u{11ab}"),
        ),
        ("squared words", flood("<p>", "\u{3300}")),
        ("Chinese", flood("<p>", "茶道")),
        ("Thai", flood("<p>", "ชาเขียว")),
        ("emoji", flood("<p>", "👩‍👩‍👧🏽")),
        ("references", flood("<p>", "&#x3300;")),
        ("bare ampersands", flood("<p>", "&")),
        ("attributes", flood("<a ", "a ")),
        (
            "attributes of many tags",
            flood(
                "",
                "<a href=/x a b c d e f g h i j k l m n o p q r s t u v w x y z>",
            ),
        ),
        ("a title", flood("<title>", "a ")),
        ("a late title", flood("<p>tea<title>late</title>", "tea ")),
        (
            "alternative texts",
            flood("<a href=/x>", "<img alt='a b c d e f'>"),
        ),
        ("one alternative text", flood("<a href=/x><img alt='", "a ")),
        (
            "a description",
            flood("<meta name=description content='", "&amp;"),
        ),
        ("links with a long base", {
            let base = format!("<base href='http://a.test/{}/'>", "b".repeat(1_990));
            numbered(&base, |number| format!("<a href={number}>t</a>"))
        }),
        (
            "long links",
            numbered("", |number| {
                format!("<a href='/{}{number}'>tea</a>", "&#x61;".repeat(300))
            }),
        ),
        ("headings", flood("", "<h1>a</h1>")),
        ("open elements", flood("", "<div>")),
        ("line breaks", flood("<p>", "<br>a")),
        ("not UTF-8", vec![0xff; BYTES]),
        ("zeros", vec![0; BYTES]),
        ("tags that never end", flood("", "<a href=")),
        ("comments", flood("", "<!--")),
        (
            "scripts",
            flood(
                "",
                "<script type=application/ld+json>\"@type\":\"Article\"</script>",
            ),
        ),
        ("prices", flood("<p>", "$1 €")),
        ("sentences", flood("<p>", "a. B! ")),
    ]
}

/// The most memory the process has used since this was last reset, and a reset.
fn peak_kb() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM")).unwrap();
    let kb = line.split_whitespace().nth(1).unwrap().parse().unwrap();
    std::fs::write("/proc/self/clear_refs", "5").unwrap();
    kb
}

/// The time this thread has run.
fn on_cpu() -> Duration {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    Duration::from_nanos(stat.split_whitespace().next().unwrap().parse().unwrap())
}

#[test]
#[cfg(target_os = "linux")]
fn no_page_costs_more_than_its_limits() {
    let url = CanonicalUrl::parse("http://a.test/x/").unwrap();
    let limits = Limits::default();
    let mut too_much = Vec::new();
    // Without optimisation the others would take minutes.
    let content_types = if cfg!(debug_assertions) {
        &["text/html; charset=utf-8"][..]
    } else {
        &[
            "text/html; charset=utf-8",
            "text/plain; charset=utf-8",
            "text/html; charset=utf-16le",
        ][..]
    };
    // Tables that are built once belong to no page.
    parse(
        &PageInput {
            url: &url,
            content_type: None,
            body: "<p>été &amp;".as_bytes(),
            truncated: false,
        },
        &limits,
    );
    for (name, body) in floods() {
        for content_type in content_types {
            let input = PageInput {
                url: &url,
                content_type: Some(content_type),
                body: &body,
                truncated: false,
            };
            peak_kb();
            let before = peak_kb();
            let started = on_cpu();
            let page = parse(&input, &limits);
            let took = on_cpu() - started;
            let peak = peak_kb().saturating_sub(before);
            println!(
                "{name}, {content_type}: {} tokens, {} MB, {took:.0?}",
                page.text.len(),
                peak >> 10
            );
            assert!(
                page.text.len() <= limits.tokens + 1,
                "{name}: {}",
                page.text.len()
            );
            assert!(
                page.asides.len() <= limits.tokens / 4 + 4_096,
                "{name}: {}",
                page.asides.len()
            );
            // The time is that of an optimised build.
            let is_slow = !cfg!(debug_assertions) && took > Duration::from_millis(200);
            if peak > MEMORY_KB || is_slow {
                too_much.push(format!("{name}, {content_type}: {peak} kB, {took:?}"));
            }
        }
    }
    assert!(too_much.is_empty(), "{too_much:#?}");
}
