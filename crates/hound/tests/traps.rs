//! Sites without end, over real sockets: each gets few requests, and the real pages on them are found.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test may panic and print"
)]

mod common;

use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;

use common::{Workspace, serve_paths};
use scenthound_store::PageRecord;
use scenthound_testweb::{NAMES_NET, Serving, SiteResponse, serve_names};

/// A number that looks random and is the same for the same text.
fn scramble(text: &str) -> u64 {
    let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
    });
    (hash ^ hash >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 8
}

/// Words that differ from page to page.
fn words(of: &str, count: usize) -> String {
    let lexicon = [
        "stone", "river", "window", "market", "engine", "garden", "winter", "paper", "signal", "harbour",
        "copper", "meadow", "lantern", "bridge", "velvet", "orchard", "summit", "thread", "marble", "canyon",
        "feather", "island", "mirror", "pepper", "saddle", "tunnel", "violin", "wagon", "zephyr", "anchor",
        "basket", "candle",
    ];
    let word = |at: usize| lexicon[scramble(&format!("{of} {at}")) as usize % lexicon.len()];
    (0..count).map(|at| format!("{} ", word(at))).collect()
}

/// A page about tea that is like no other.
fn tea(path: &str, links: &str) -> SiteResponse {
    SiteResponse::html(format!(
        "<title>Loose leaf tea {path}</title><h1>Loose leaf tea</h1><p>Brewing loose leaf tea in a kettle: {}. \
         Loose leaf tea, {}.</p>{links}",
        words(path, 60),
        words(&format!("{path} again"), 60)
    ))
}

/// Menu and footer that all pages of a section share.
fn shell(title: &str, text: &str, links: &str) -> SiteResponse {
    SiteResponse::html(format!(
        "<title>{title}</title><ul><li>Home<li>About us<li>Opening hours<li>Directions and parking<li>Newsletter</ul>\
         <h1>{title}</h1><p>{text}</p>{links}<p>All rights reserved. Terms and conditions apply to every visit of these pages. \
         Write to the editors if anything is missing here, and they will answer within a week."
    ))
}

const GUIDES: usize = 12;

/// The home page leads to twelve guides and to every trap.
fn site(path: &str) -> SiteResponse {
    let (base, query) = path.split_once('?').unwrap_or((path, ""));
    let parts: Vec<&str> = base.split('/').skip(1).collect();
    match parts.as_slice() {
        ["robots.txt"] => SiteResponse::missing(),
        [""] => {
            let guides: String = (0..GUIDES)
                .map(|number| {
                    format!(
                        "<a href=/guide-{}>loose leaf tea</a> ",
                        words(&number.to_string(), 1).trim().to_owned() + &"x".repeat(number)
                    )
                })
                .collect();
            let traps = [
                "/calendar?month=1&year=2026",
                "/day/2026/1/1",
                "/shop?sid=a1b2c3d4",
                "/deep/deep/",
                "/d1/",
                "/tags/tea",
                "/forum/post/1",
                "/compare?a=1&b=2",
                "/flood",
                "/print/1?view=full",
            ];
            let traps: String = traps
                .iter()
                .map(|to| format!("<a href='{to}'>loose leaf tea</a> "))
                .collect();
            tea("/", &(guides + &traps))
        }
        [guide] if guide.starts_with("guide-") => tea(path, ""),
        ["calendar"] => {
            let month = scramble(query) % 1_000;
            let links = format!(
                "<a href='/calendar?month={}&year={}'>loose leaf tea next month</a> <a href='/calendar?month={}&year={}'>previous month of tea</a>",
                month + 1,
                month % 50 + 2_000,
                month + 2,
                month % 50 + 1_950
            );
            shell(
                "Tea events",
                &format!("No loose leaf tea events in month {month}."),
                &links,
            )
        }
        ["day", ..] => {
            let day = scramble(base) % 100_000;
            let links = format!(
                "<a href='/day/{}/{}/{}'>tomorrow</a> <a href='/day/{}'>yesterday</a>",
                day % 3_000,
                day % 12,
                day % 28,
                day
            );
            shell(
                "Tea of the day",
                &format!("Nothing is planned for day {day}."),
                &links,
            )
        }
        ["shop"] | ["shop", _] => {
            let sid = scramble(path);
            let item = parts.get(1).copied().unwrap_or("all");
            let links: String = (0..5)
                .map(|other| format!("<a href='/shop/cup{other}?sid={sid:x}'>cup {other}</a> "))
                .collect();
            shell(&format!("Cup {item}"), &words(item, 80), &links)
        }
        ["deep", ..] => shell(
            "Deeper",
            &words(base, 50),
            "<a href='deep/'>deeper</a> <a href='x/'>sideways</a>",
        ),
        [first, ..] if first.starts_with('d') && first[1..].parse::<u32>().is_ok() => shell(
            "Folder",
            &format!("Folder {}.", parts.len()),
            &format!("<a href='{base}d{}/'>next</a>", parts.len()),
        ),
        ["tags", ..] => {
            let next = scramble(base) % 1_000_000;
            let links = format!(
                "<a href='/tags/{}'>tag</a> <a href='/tags/{}'>tag</a>",
                words(&next.to_string(), 4).trim().replace(' ', "-"),
                words(&(next + 1).to_string(), 4).trim().replace(' ', "-")
            );
            shell("Tag", "Nothing has this tag.", &links)
        }
        ["forum", "post", number] => {
            let number: u64 = number.parse().unwrap_or(0) % 1_000_000_007;
            shell(
                "Post",
                &words(base, 120),
                &format!(
                    "<a href=/forum/post/{}>next</a> <a href=/forum/post/{}>more</a>",
                    2 * number,
                    2 * number + 1
                ),
            )
        }
        ["compare"] => {
            let seed = scramble(query) % 10_000;
            shell(
                "Compare",
                "Pick two teas to compare.",
                &format!(
                    "<a href='/compare?a={}&b={}'>compare</a> <a href='/compare?b={}'>compare</a>",
                    seed,
                    seed + 1,
                    seed + 2
                ),
            )
        }
        ["flood"] => {
            let links: String = (0..9_000)
                .map(|number| format!("<a href=/n/{number}>n</a> "))
                .collect();
            shell("Index", "Many numbers.", &links)
        }
        ["n", number] => shell("Number", &words(number, 100), ""),
        ["print", number] => {
            let number: u64 = number.parse().unwrap_or(0) % 1_000_000_007;
            let links = format!(
                "<a href='/print/{number}?view=print'>print</a> <a href='/print/{number}?view=plain'>plain</a> <a href='/print/{}?view=full'>next</a>",
                number + 1
            );
            shell(
                &format!("Leaf {number}"),
                &words(&number.to_string(), 150),
                &links,
            )
        }
        _ => SiteResponse::missing(),
    }
}

/// How many requests each trap got, by the first part of its path.
fn requests(serving: &Serving) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for request in serving.requests() {
        let first = request
            .path
            .split(['/', '?', '-'])
            .nth(1)
            .unwrap_or_default()
            .to_owned();
        let first = if first.starts_with('d') && first[1..].parse::<u32>().is_ok() {
            "d#".to_owned()
        } else {
            first
        };
        *counts.entry(first).or_default() += 1;
    }
    counts
}

fn crawl(workspace: &Workspace, seed: &str, more: &[&str]) {
    let arguments = [
        "crawl",
        "loose leaf tea",
        seed,
        "-o",
        "crawl",
        "--allow-net",
        "127.0.0.0/8",
        "--delay",
        "0s",
        "--ip-delay",
        "0s",
        "--max-time",
        "90s",
        "--contact",
        "test@example.org",
    ];
    let arguments = [&arguments[..], more].concat();
    workspace.hound(&arguments).good();
}

#[test]
fn endless_sites_get_few_requests_and_their_real_pages_are_found() {
    let (serving, base) = serve_paths(site);
    let workspace = Workspace::new();
    crawl(
        &workspace,
        &format!("{base}/"),
        &["--pattern-allowance", "40", "--max-pages", "6000"],
    );
    let asked = requests(&serving);
    println!("{asked:?}");
    let paths: BTreeSet<String> = serving
        .requests()
        .into_iter()
        .map(|request| request.path)
        .collect();
    assert_eq!(
        paths.iter().filter(|path| path.starts_with("/guide-")).count(),
        GUIDES
    );
    // Repetitions end soon; pages that are new but irrelevant at the allowance for patterns on a seed's host.
    for (trap, most) in asked
        .iter()
        .filter(|(trap, _)| !matches!(trap.as_str(), "" | "guide" | "robots.txt"))
    {
        let limit = match trap.as_str() {
            "forum" | "n" | "print" => 220,
            _ => 120,
        };
        assert!(*most <= limit, "{trap}: {asked:?}");
    }
    let records = std::fs::read_to_string(workspace.path("crawl/pages/pages.jsonl")).unwrap();
    let records: Vec<PageRecord> = records
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let refused = |code: &str| records.iter().find(|record| record.outcome.as_str() == code);
    let pattern = refused("refused-url-pattern").unwrap();
    let why = workspace.says(&["explain", "crawl", &pattern.url]);
    assert!(why.contains("--pattern-allowance"), "{why}");
    let parameter = refused("refused-inert-parameter").unwrap();
    let why = workspace.says(&["explain", "crawl", &parameter.url]);
    assert!(why.contains("--allow-traps"), "{why}");
    let why = workspace.says(&["explain", "crawl", &format!("{base}/deep/deep/deep/deep/")]);
    assert!(why.contains("goes in circles"), "{why}");
}

/// A page that links to 3,000 hosts of one domain and to 1,000 other domains.
#[test]
fn no_page_and_no_domain_leads_to_thousands_of_hosts() {
    let (_serving, base) = serve_paths(|path| match path {
        "/" => {
            let hosts =
                (0..3_000).map(|number| format!("<a href=http://h{number}.bait.test/>loose leaf tea</a> "));
            let domains =
                (0..1_000).map(|number| format!("<a href=http://bait{number}.test/>loose leaf tea</a> "));
            tea(path, &hosts.chain(domains).collect::<String>())
        }
        _ => SiteResponse::missing(),
    });
    let names = serve_names(SocketAddr::from(([127, 0, 0, 1], 0))).unwrap();
    let resolver = names.address().to_string();
    let workspace = Workspace::new();
    let more = [
        "--resolver",
        &resolver,
        "--allow-net",
        NAMES_NET,
        "--max-pages",
        "1",
    ];
    crawl(&workspace, &format!("{base}/"), &more);
    let status = workspace.json(&["status", "crawl", "--json"]);
    // The seed's host, 64 of one domain, and the rest of the 256 that one page may lead to.
    assert_eq!(status["hosts"], 1 + 256);
    let records = std::fs::read_to_string(workspace.path("crawl/pages/pages.jsonl")).unwrap();
    assert!(records.contains("\"new_hosts\":3744"), "{records}");
    let why = workspace.says(&["explain", "crawl", "http://h2999.bait.test/"]);
    assert!(why.contains("--new-hosts-per-domain"), "{why}");
}
