//! The cost of parsing a page: a generated one of about 30 KB with 95 links, and real ones if recorded webs are
//! available.
//!
//! `cargo bench -p scenthound-parse`

// Benches may panic.
#![allow(clippy::unwrap_used)]

use std::convert::Infallible;
use std::io::Read;

use divan::counter::BytesCount;
use divan::{Bencher, black_box};
use html5gum::emitters::ForwardingEmitter;
use html5gum::emitters::callback::{CallbackEmitter, CallbackEvent};
use html5gum::{Emitter, Span, Tokenizer};
use scenthound_parse::{Limits, PageInput, parse};
use scenthound_types::{CanonicalUrl, Text};

fn main() {
    divan::main();
}

/// Word lengths as in ordinary text: many short words, few long ones.
const WORDS: [&str; 40] = [
    "the",
    "of",
    "and",
    "a",
    "in",
    "to",
    "is",
    "that",
    "for",
    "with",
    "as",
    "on",
    "by",
    "this",
    "from",
    "page",
    "data",
    "system",
    "course",
    "project",
    "which",
    "students",
    "network",
    "research",
    "computer",
    "algorithm",
    "structures",
    "university",
    "department",
    "information",
    "Professor",
    "Monday",
    "introduction",
    "performance",
    "distributed",
    "implementation",
    "it's",
    "2024",
    "3.5",
    "e-mail",
];

/// A page of about 30 KB with 95 links, of the kind used to compare crawlers.
fn made_page() -> String {
    let mut state = 88_172_645_463_325_252u64;
    let mut next = move |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state as usize % below
    };
    let mut html = String::from(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>A page of ordinary size</title>\n\
         <link rel=\"stylesheet\" href=\"/style.css\">\n<script>var page = { \"a\": 1 };</script>\n</head>\n<body>\n",
    );
    let mut links = 0;
    while html.len() < 29_500 {
        html.push_str("<div class=\"section\" id=\"s\"><h2>");
        html.push_str(WORDS[next(WORDS.len())]);
        html.push_str("</h2>\n<p class=\"text\">");
        for _ in 0..60 {
            let word = WORDS[next(WORDS.len())];
            match next(100) {
                0..=2 if links < 95 => {
                    links += 1;
                    let host = next(25);
                    html.push_str(&match next(3) {
                        0 => format!(
                            "<a href=\"http://host{host}.test/page/{}\">{word} {host}</a> ",
                            next(1000)
                        ),
                        1 => format!(
                            "<a class=\"in\" href=\"/page/{}.html\">more about {word}</a> ",
                            next(1000)
                        ),
                        _ => format!(
                            "<a href=\"../{word}/{}\" title=\"{word}\">{word}</a> ",
                            next(1000)
                        ),
                    });
                }
                3..=4 => html.push_str(&format!("<b>{word}</b> ")),
                5 => html.push_str("&amp; "),
                6..=12 => html.push_str(&format!("{word}. ")),
                _ => html.push_str(&format!("{word} ")),
            }
        }
        html.push_str("</p>\n</div>\n");
    }
    html.push_str("<ul>");
    while links < 95 {
        links += 1;
        html.push_str(&format!("<li><a href=\"/list/{links}\">item {links}</a></li>\n"));
    }
    html.push_str("</ul>\n</body>\n</html>\n");
    html
}

fn read(url: &CanonicalUrl, body: &[u8]) -> scenthound_types::ParsedPage {
    let input = PageInput {
        url,
        content_type: Some("text/html; charset=utf-8"),
        body,
        truncated: false,
    };
    parse(&input, &Limits::default())
}

#[divan::bench]
fn made_page_parsed(bencher: Bencher) {
    let html = made_page();
    let url = CanonicalUrl::parse("http://host1.test/dir/page").unwrap();
    bencher
        .counter(BytesCount::of_str(&html))
        .bench_local(|| read(&url, black_box(html.as_bytes())));
}

/// html5gum's callbacks without its checks for parse errors, which would more than double its time.
struct Quiet<E>(E);

impl<E: Emitter> ForwardingEmitter for Quiet<E> {
    type Token = E::Token;

    fn inner(&mut self) -> &mut impl Emitter<Token = E::Token> {
        &mut self.0
    }

    fn should_emit_errors(&mut self) -> bool {
        false
    }
}

/// Only the step that our scanner replaced: no text, no words, no links.
#[divan::bench]
fn made_page_cut_by_html5gum(bencher: Bencher) {
    let html = made_page();
    bencher.counter(BytesCount::of_str(&html)).bench_local(|| {
        let mut tags = 0usize;
        let mut emitter =
            CallbackEmitter::new(|event: CallbackEvent<'_>, _: Span<()>| -> Option<Infallible> {
                tags += usize::from(matches!(event, CallbackEvent::CloseStartTag { .. }));
                None
            });
        emitter.naively_switch_states(true);
        let Ok(()) = Tokenizer::new_with_emitter(black_box(html.as_str()), Quiet(emitter)).finish();
        tags
    });
}

/// Tokenising only: the generated page's tags are read as text.
#[divan::bench]
fn made_page_as_words(bencher: Bencher) {
    let html = made_page();
    bencher.counter(BytesCount::of_str(&html)).bench_local(|| {
        let mut text = Text::default();
        text.push(black_box(&html));
        text
    });
}

/// The first HTML bodies of a recorded web, with their URLs; none if it is not available.
fn recorded(web: &str) -> Vec<(CanonicalUrl, Vec<u8>)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/webs/");
    let Ok(file) = std::fs::File::open(format!("{folder}{web}/pages.warc.gz")) else {
        return Vec::new();
    };
    let mut bytes = Vec::new();
    flate2::read::MultiGzDecoder::new(file)
        .take(24 << 20)
        .read_to_end(&mut bytes)
        .unwrap();
    let mut pages = Vec::new();
    let mut rest = bytes.as_slice();
    while let Some(start) = find(rest, b"WARC/1.")
        && pages.len() < 300
    {
        rest = &rest[start..];
        let Some(end) = find(rest, b"\r\n\r\n") else { break };
        let head = String::from_utf8_lossy(&rest[..end]).into_owned();
        let field = |name: &str| {
            head.lines()
                .find_map(|line| {
                    line.split_once(": ")
                        .filter(|(n, _)| n.eq_ignore_ascii_case(name))
                })
                .map(|(_, value)| value.trim_matches(['<', '>']).to_owned())
        };
        let length: usize = field("Content-Length").and_then(|n| n.parse().ok()).unwrap_or(0);
        let Some(block) = rest.get(end + 4..end + 4 + length) else {
            break;
        };
        rest = &rest[end + 4 + length..];
        let url = field("WARC-Target-URI").and_then(|url| CanonicalUrl::parse(&url).ok());
        if let (Some(url), Some(body)) = (url, find(block, b"\r\n\r\n"))
            && find(&block[..body], b"text/html").is_some()
            && block.len() > body + 1000
        {
            pages.push((url, block[body + 4..].to_vec()));
        }
    }
    pages
}

fn find(bytes: &[u8], needle: &[u8]) -> Option<usize> {
    memchr::memmem::find(bytes, needle)
}

#[divan::bench(args = ["university", "encyclopedia", "mixed", "genres"], sample_count = 10)]
fn recorded_pages_parsed(bencher: Bencher, web: &str) {
    let pages = recorded(web);
    let bytes: usize = pages.iter().map(|(_, body)| body.len()).sum();
    bencher.counter(BytesCount::new(bytes)).bench_local(|| {
        pages
            .iter()
            .map(|(url, body)| read(url, body).links.len())
            .sum::<usize>()
    });
}
