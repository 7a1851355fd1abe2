//! The demo web is what it claims to be: reachable, true to its own lists, and the same every time.

#![allow(clippy::unwrap_used)] // a failed step is a failed test

use std::collections::BTreeSet;
use std::io::Read as _;

use scenthound_judge::{Judge, TermJudge, TermSettings};
use scenthound_testweb::{DemoWeb, SiteResponse, TestSite};
use scenthound_types::text::{Language, Text};
use scenthound_types::{CanonicalUrl, ParsedPage};

fn get(web: &DemoWeb, url: &str) -> SiteResponse {
    let url = CanonicalUrl::parse(url).unwrap();
    web.answer(url.host(), url.path_and_query())
}

fn header<'a>(answer: &'a SiteResponse, name: &str) -> Option<&'a str> {
    answer
        .headers
        .iter()
        .find(|(held, _)| *held == name)
        .map(|(_, value)| value.as_ref())
}

/// The body as text: decompressed, and one character per byte unless it is UTF-8.
fn text_of(answer: &SiteResponse) -> String {
    let mut bytes = answer.body.to_vec();
    if bytes.starts_with(&[0x1f, 0x8b]) {
        let mut unpacked = Vec::new();
        flate2::read::GzDecoder::new(&bytes[..])
            .read_to_end(&mut unpacked)
            .unwrap();
        bytes = unpacked;
    }
    String::from_utf8(bytes)
        .unwrap_or_else(|not_utf8| not_utf8.as_bytes().iter().map(|&byte| char::from(byte)).collect())
}

/// Everything a careful reader finds: href and src of any tag, refreshes, locations, sitemap entries.
fn targets(url: &str, answer: &SiteResponse) -> Vec<String> {
    let base = CanonicalUrl::parse(url).unwrap();
    let text = text_of(answer);
    let mut found: Vec<String> = header(answer, "Location")
        .into_iter()
        .map(str::to_owned)
        .collect();
    for attribute in ["href=", "src=", "; url="] {
        for rest in text.split(attribute).skip(1) {
            let end = match rest.chars().next() {
                Some(quote @ ('"' | '\'')) => quote.to_string(),
                _ => "\">".to_owned(),
            };
            let rest = rest.trim_start_matches(['"', '\'']);
            found.push(rest.split(|c| end.contains(c)).next().unwrap().to_owned());
        }
    }
    found.extend(
        text.split("<loc>")
            .skip(1)
            .map(|rest| rest.split('<').next().unwrap().to_owned()),
    );
    found
        .into_iter()
        .map(|raw| {
            raw.replace("&amp;", "&")
                .replace("&#47;", "/")
                .replace("&#x2f;", "/")
        })
        .filter_map(|raw| base.join(&raw).ok())
        .map(|url| url.to_string())
        .collect()
}

/// Every URL that can be found from the seeds and the sitemaps, without entering the endless parts.
fn walk(web: &DemoWeb) -> BTreeSet<String> {
    let mut seen: BTreeSet<String> = DemoWeb::SEEDS.iter().map(|&seed| seed.to_owned()).collect();
    let mut waiting: Vec<String> = seen.iter().cloned().collect();
    while let Some(url) = waiting.pop() {
        let mut found = targets(&url, &get(web, &url));
        let host = CanonicalUrl::parse(&url).unwrap().host().to_owned();
        let robots = text_of(&web.answer(&host, "/robots.txt"));
        found.extend(
            robots
                .lines()
                .filter_map(|line| line.strip_prefix("Sitemap: "))
                .map(str::to_owned),
        );
        for target in found {
            if !DemoWeb::is_trap(&target) && seen.insert(target.clone()) {
                waiting.push(target);
            }
        }
    }
    seen
}

/// Tags become blocks and entities are left alone: enough for pages we wrote ourselves.
fn parse(url: &str, answer: &SiteResponse) -> ParsedPage {
    let html = text_of(answer);
    let mut text = Text::default();
    for piece in html.split('<') {
        let (tag, words) = piece.split_once('>').unwrap_or(("", piece));
        let name = tag.trim_start_matches('/').split(' ').next().unwrap();
        if !matches!(name, "a" | "b") {
            text.push_break();
        }
        text.push(words);
        text.push(" ");
    }
    ParsedPage {
        text,
        language: Some(Language::ENGLISH),
        ..ParsedPage::blank(CanonicalUrl::parse(url).unwrap())
    }
}

/// The strings of a list in the topic file, which has one list per line.
fn listed(key: &str) -> Vec<String> {
    let line = DemoWeb::TOPIC
        .lines()
        .find(|line| line.starts_with(&format!("{key} = [")))
        .unwrap();
    line.split('"').skip(1).step_by(2).map(str::to_owned).collect()
}

fn judge() -> TermJudge {
    TermJudge::new(&TermSettings {
        genre: listed("genre"),
        content: listed("content"),
        exclude: listed("exclude"),
        language: Some(Language::ENGLISH),
        threshold: 0.7,
        ..TermSettings::default()
    })
    .unwrap()
}

#[test]
fn it_is_the_same_every_time() {
    let (one, other) = (DemoWeb::new(), DemoWeb::new());
    assert_eq!(one.relevant(), other.relevant());
    for url in walk(&one) {
        assert_eq!(get(&one, &url), get(&other, &url), "{url}");
    }
}

#[test]
fn it_is_a_few_hundred_pages_on_ten_hosts() {
    let web = DemoWeb::new();
    assert_eq!(web.hosts().len(), 10);
    assert!((300..=450).contains(&web.pages()), "{}", web.pages());
    assert!(
        (50..=100).contains(&web.relevant().len()),
        "{}",
        web.relevant().len()
    );
    assert_eq!(listed("urls"), DemoWeb::SEEDS);
}

#[test]
fn every_relevant_forbidden_and_copied_page_is_linked_from_somewhere() {
    let web = DemoWeb::new();
    let seen = walk(&web);
    let listed: BTreeSet<&String> = web.relevant().iter().collect();
    assert_eq!(listed.len(), web.relevant().len());
    let copies = web.copies().iter().map(|(copy, _)| copy);
    for url in web
        .relevant()
        .iter()
        .chain(web.forbidden())
        .chain(web.unlisted())
        .chain(copies)
    {
        assert!(seen.contains(url), "{url} is found by no link");
    }
    for url in web.relevant().iter().chain(web.unlisted()) {
        assert_eq!(get(&web, url).status, 200, "{url}");
    }
}

#[test]
fn nothing_relevant_is_forbidden() {
    let web = DemoWeb::new();
    for url in web.relevant() {
        assert!(!web.forbidden().contains(url) && !DemoWeb::is_trap(url), "{url}");
    }
}

#[test]
fn some_guides_are_listed_only_in_a_sitemap() {
    let web = DemoWeb::new();
    let unlinked: Vec<&String> = web
        .relevant()
        .iter()
        .filter(|url| url.contains("/unlinked/"))
        .collect();
    assert_eq!(unlinked.len(), 4);
    for url in walk(&web) {
        if !url.contains("/sitemap") {
            assert!(
                !targets(&url, &get(&web, &url))
                    .iter()
                    .any(|target| target.contains("/unlinked/")),
                "{url}"
            );
        }
    }
}

#[test]
fn the_shipped_topic_separates_the_relevant_pages_from_the_others() {
    let web = DemoWeb::new();
    let judge = judge();
    let known: BTreeSet<&str> = web
        .relevant()
        .iter()
        .chain(web.unlisted())
        .chain(web.forbidden())
        .chain(web.copies().iter().map(|(copy, _)| copy))
        .map(String::as_str)
        .collect();
    let mut wrong = Vec::new();
    let (mut least, mut most) = (1.0_f64, 0.0_f64);
    for url in walk(&web) {
        let answer = get(&web, &url);
        if answer.status != 200
            || header(&answer, "Content-Type").is_some_and(|kind| !kind.starts_with("text/html"))
        {
            continue;
        }
        let judgement = judge.judge(&parse(&url, &answer));
        let wanted = web.relevant().contains(&url);
        if wanted {
            least = least.min(judgement.relevance);
        } else if !known.contains(url.as_str()) && !DemoWeb::is_trap(&url) {
            most = most.max(judgement.relevance);
        } else {
            continue;
        }
        if judgement.is_relevant() != wanted {
            wrong.push((url, judgement.relevance));
        }
    }
    println!("least relevant {least:.3}, most irrelevant {most:.3}");
    assert_eq!(wrong, []);
}

#[test]
fn roses_are_kept_out_by_the_exclude_terms() {
    let web = DemoWeb::new();
    let url = "http://garden-club.test/guides/tea-roses-plant.html";
    let judgement = judge().judge(&parse(url, &get(&web, url)));
    assert_eq!(judgement.relevance, 0.0);
    assert!(judgement.parts.genre.unwrap() > 0.8 && judgement.parts.content.unwrap() > 0.0);
}

#[test]
fn the_endless_parts_never_end() {
    let web = DemoWeb::new();
    let mut url = "http://tea-society.test/calendar/day/1".to_owned();
    for _ in 0..500 {
        assert!(DemoWeb::is_trap(&url));
        url = targets(&url, &get(&web, &url))
            .into_iter()
            .find(|next| next.contains("/day/"))
            .unwrap();
    }
    let mut url = "http://cars-weekly.test/archive/".to_owned();
    for _ in 0..50 {
        assert!(DemoWeb::is_trap(&url));
        url = targets(&url, &get(&web, &url))
            .into_iter()
            .find(|next| next.contains("older"))
            .unwrap();
    }
    assert!(!DemoWeb::is_trap("http://tea-society.test/"));
}

#[test]
fn dead_ends_redirects_and_odd_encodings_are_there() {
    let web = DemoWeb::new();
    let status = |url: &str| get(&web, url).status;
    assert_eq!(status("http://tea-society.test/events/last-year.html"), 404);
    assert_eq!(status("http://kettle-lab.test/status/broken"), 500);
    assert_eq!(status("http://kettle-lab.test/gone"), 410);
    let moved = get(&web, "http://brewing-notes.test/yellow-tea");
    assert_eq!(
        (moved.status, header(&moved, "Location")),
        (301, Some("http://kettle-lab.test/guides/yellow.html"))
    );
    let packed = get(&web, "http://tea-society.test/guides/odds/milk.html");
    assert_eq!(header(&packed, "Content-Encoding"), Some("gzip"));
    assert!(text_of(&packed).contains("You will need"));
    let old = get(&web, "http://tea-society.test/guides/odds/orleans.html");
    assert!(old.body.windows(7).any(|word| word == b"Orl\xe9ans") && std::str::from_utf8(&old.body).is_err());
}
