//! Sites that try to stop the crawl or to lead it astray, over real sockets, and the pages that must be found beside them.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a test may panic, print and measure time"
)]

mod common;

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

use common::{Run, command, serve_addresses};
use scenthound_testweb::{Serving, SiteResponse};

/// Serves these last numbers of 127.0.0.x on one port. The answer gets the host, the path and the port.
fn serve_hosts(
    hosts: &[u8],
    answer: impl Fn(&str, &str, u16) -> SiteResponse + Send + Sync + Clone + 'static,
) -> (Serving, u16) {
    let names: Vec<String> = hosts.iter().map(|host| format!("127.0.0.{host}")).collect();
    serve_addresses(&names, answer)
}

/// Crawls from these seeds.
fn crawl(folder: &Path, seeds: &[&str], options: &[&str]) -> Run {
    let always = [
        "crawl",
        "tea kettle",
        "--allow-net",
        "127.0.0.0/8",
        "-o",
        "crawl",
        "--ip-delay",
        "0s",
        "--contact",
        "test@example.org",
    ];
    let output = command(folder, &[&always[..], seeds, options].concat())
        .output()
        .unwrap();
    output.into()
}

/// How many pages each host was asked for.
fn pages_asked(serving: &Serving) -> BTreeMap<String, usize> {
    let mut asked = BTreeMap::new();
    for request in serving.requests() {
        if request.path != "/robots.txt" {
            *asked.entry(request.host).or_default() += 1;
        }
    }
    asked
}

/// A page that links to a chain of further pages on its host.
fn chain(path: &str) -> SiteResponse {
    let number: usize = path.trim_start_matches('/').parse().unwrap_or(0);
    SiteResponse::html(format!(
        "<title>Tea {number}</title><p>Tea in a kettle, cup {number}. <a href=/{}>more tea</a> <a href=/{}>tea</a>",
        2 * number + 1,
        2 * number + 2
    ))
}

/// The host 127.0.0.3 forbids all its 3,000 links by rules that are slow to compare; 127.0.0.2 is an ordinary site.
#[test]
fn costly_robots_rules_hold_up_neither_other_hosts_nor_the_clock() {
    let (serving, port) = serve_hosts(&[2, 3], |host, path, _| match (host, path) {
        ("127.0.0.2", "/robots.txt") => SiteResponse::missing(),
        ("127.0.0.3", "/robots.txt") => {
            let mut rules = String::from("User-agent: *\n");
            for number in 0..626 {
                rules.push_str(&format!("Disallow: /x{}*{number}z$\n", "*a".repeat(380)));
            }
            rules.push_str("Disallow: /x\n");
            SiteResponse::text(rules)
        }
        ("127.0.0.3", "/") => {
            let links: String = (0..3_000)
                .map(|number| format!("<a href='/x{}{number}'>tea kettle</a> ", "az1".repeat(500)))
                .collect();
            SiteResponse::html(format!("<title>Tea kettle</title><p>Tea kettle.{links}"))
        }
        _ => chain(path),
    });
    let folder = tempfile::tempdir().unwrap();
    let (good, bad) = (
        format!("http://127.0.0.2:{port}/0"),
        format!("http://127.0.0.3:{port}/"),
    );
    let started = Instant::now();
    let run = crawl(
        folder.path(),
        &[&good, &bad],
        &["--max-time", "6s", "--delay", "20ms"],
    );
    let took = started.elapsed();
    let healthy = pages_asked(&serving)["127.0.0.2"];
    println!("{healthy} healthy pages in {took:?}");
    assert_eq!(run.code, Some(15), "{run:?}");
    // Wide limits, for slow machines: at a load of 18 on two cores it was 8 pages in 31 s. A step of 1,000 costly refusals would
    // take a minute in a debug build, and nothing else would happen meanwhile.
    assert!(took.as_secs() < 90, "stopped after {took:?}");
    assert!(healthy >= 4, "{healthy} pages of the ordinary site");
}

/// 127.0.0.2 may be asked, 127.0.0.3 may not. Everything that a page, a header, a redirect, a robots.txt or a sitemap of the first
/// can say leads to the second, in every spelling.
#[test]
fn no_way_and_no_spelling_leads_to_a_private_address() {
    const SPELLINGS: [&str; 8] = [
        "127.0.0.3",
        "127.3",
        "2130706435",
        "0x7f000003",
        "0177.0.0.3",
        "0x7f.0.0.3",
        "[::ffff:127.0.0.3]",
        "%31%32%37.0.0.3",
    ];
    let spied = |way: &'static str, port: u16| {
        SPELLINGS.map(move |host| {
            format!(
                "http://{host}:{port}/{way}/{}",
                host.trim_matches(['[', ']']).replace([':', '%'], "-")
            )
        })
    };
    let (serving, port) = serve_hosts(&[2, 3], move |host, path, port| {
        if host != "127.0.0.2" {
            return SiteResponse::html("<p>secret tea kettle");
        }
        let each = |way: &'static str, markup: &dyn Fn(&str) -> String| -> String {
            spied(way, port).iter().map(|url| markup(url)).collect()
        };
        match path {
            "/robots.txt" => SiteResponse::text(format!(
                "User-agent: *\nAllow: /\nSitemap: http://127.0.0.3:{port}/robots-sitemap\nSitemap: /sitemap.xml\n"
            )),
            "/sitemap.xml" => SiteResponse::page(
                "application/xml",
                format!(
                    "<urlset>{}</urlset>",
                    each("sitemap", &|url| format!("<url><loc>{url}</loc></url>"))
                ),
            ),
            "/" => {
                let redirects: String = (0..SPELLINGS.len())
                    .flat_map(|n| {
                        ["redirect", "refresh", "meta", "base"]
                            .map(|way| format!("<a href=/{way}/{n}>tea</a> "))
                    })
                    .collect();
                SiteResponse::html(format!(
                    "<title>Tea kettle</title>{}{}<p>Tea kettle. {}{}{}{redirects}",
                    each("canonical", &|url| format!("<link rel=canonical href='{url}'>")),
                    each("alternate", &|url| format!(
                        "<link rel=alternate hreflang=en href='{url}'>"
                    )),
                    each("link", &|url| format!("<a href='{url}'>tea kettle</a> ")),
                    each("frame", &|url| format!("<iframe src='{url}'></iframe>")),
                    each("area", &|url| format!("<map><area href='{url}'></map>")),
                ))
            }
            _ => {
                let mut parts = path.trim_start_matches('/').split('/');
                let (way, number) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
                let number: usize = number.parse().unwrap_or(0);
                match way {
                    "redirect" => SiteResponse::redirect(302, spied("redirect", port)[number].clone()),
                    "refresh" => SiteResponse::html("<p>tea")
                        .with("refresh", format!("0; url={}", spied("refresh", port)[number])),
                    "meta" => SiteResponse::html(format!(
                        "<meta http-equiv=refresh content='0; url={}'><p>tea",
                        spied("meta", port)[number]
                    )),
                    "base" => SiteResponse::html(format!(
                        "<base href='{}/'><p><a href=tea>tea</a>",
                        spied("base", port)[number]
                    )),
                    _ => SiteResponse::missing(),
                }
            }
        }
    });
    let folder = tempfile::tempdir().unwrap();
    let seed = format!("http://127.0.0.2:{port}/");
    let output = command(
        folder.path(),
        &[
            "crawl",
            "tea kettle",
            &seed,
            "--allow-net",
            "127.0.0.2/32",
            "-o",
            "crawl",
            "--ip-delay",
            "0s",
            "--delay",
            "0s",
            "--retries",
            "0",
            "--sitemaps",
            "all",
            "--max-time",
            "60s",
            "--contact",
            "test@example.org",
        ],
    )
    .output()
    .unwrap();
    let run = Run::from(output);
    assert_eq!(run.code, Some(0), "{run:?}");
    let asked: Vec<_> = serving
        .requests()
        .into_iter()
        .filter(|request| request.host != "127.0.0.2")
        .collect();
    assert!(asked.is_empty(), "{asked:?}");
    // Each way was tried, and refused at the address. Sitemaps list pages of their own site only.
    let records = std::fs::read_to_string(folder.path().join("crawl/pages/pages.jsonl")).unwrap();
    for way in ["redirect", "refresh", "meta", "base", "link", "frame", "area"] {
        let wanted = format!("127.0.0.3:{port}/{way}/");
        let is_refused = |line: &str| line.contains(&wanted) && line.contains("refused-address");
        assert!(records.lines().any(is_refused), "{way}: {records}");
    }
}
