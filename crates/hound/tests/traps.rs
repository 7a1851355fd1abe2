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

/// Hosts without a single good page, each endless in its own way.
fn endless(kind: usize, path: &str, port: u16) -> SiteResponse {
    let (base, _) = path.split_once('?').unwrap_or((path, ""));
    let number = scramble(path) % 1_000_000;
    let text = words(path, 90);
    let two = |a: String, b: String| format!("<a href='{a}'>tea</a> <a href='{b}'>tea</a>");
    match (kind, path) {
        (_, "/robots.txt") if kind == 6 => SiteResponse::text(format!(
            "User-agent: *\nAllow: /\nSitemap: http://127.0.1.{kind}:{port}/map0.xml\n"
        )),
        (_, "/robots.txt") => SiteResponse::missing(),
        (0, _) => shell(
            "Month",
            "No events in this month.",
            &two(
                format!("/m?month={}", number % 9_999),
                format!("/m?month={}", number % 8_888),
            ),
        ),
        (1, _) => shell(
            "Day",
            &format!("Nothing on day {number}."),
            &two(
                format!("/{}/{}/{}", number % 900 + 1100, number % 12, number % 28),
                format!("/d/{number}"),
            ),
        ),
        (2, _) => shell(
            "Shop",
            &words(base, 80),
            &two(
                format!("/item{}?sid={number:x}", number % 9),
                format!("/cart?sid={number:x}"),
            ),
        ),
        (3, _) => shell(
            "Shop",
            &words(base.rsplit('/').next().unwrap_or(""), 80),
            &two(
                format!("/s{number:x}/item{}", number % 9),
                format!("/s{number:x}/cart"),
            ),
        ),
        (4, "/") => {
            let links: String = (0..20_000)
                .map(|n| format!("<a href=/n{n}>tea {n}</a> "))
                .collect();
            shell("Index", "Many numbers.", &links)
        }
        (5, _) => {
            let links: String = (0..300)
                .map(|n| {
                    format!(
                        "<link rel=alternate hreflang=x{n} href='/{n}{}'>",
                        path.len() % 90
                    )
                })
                .collect();
            SiteResponse::html(format!("<title>Tea</title>{links}<p>{text}"))
        }
        (6, map) if map.ends_with(".xml") => {
            let maps: String = (0..50)
                .map(|n| {
                    format!(
                        "<sitemap><loc>http://127.0.1.{kind}:{port}/map{}.xml</loc></sitemap>",
                        number + n
                    )
                })
                .collect();
            SiteResponse::page("application/xml", format!("<sitemapindex>{maps}</sitemapindex>"))
        }
        (7, _) => shell(
            "Folder",
            &text,
            &two(
                format!("{}/{}", base.trim_end_matches('/'), number % 7),
                format!("{}/x{}", base.trim_end_matches('/'), number % 5),
            ),
        ),
        (8, _) => shell(
            "Circle",
            &text,
            &two(
                format!("{}/a/b", base.trim_end_matches('/')),
                format!("{}/b", base.trim_end_matches('/')),
            ),
        ),
        (9, _) => shell(
            "Tag",
            "Nothing has this tag.",
            &two(
                format!("/tag/{}", words(&number.to_string(), 3).trim().replace(' ', "-")),
                format!(
                    "/tag/{}",
                    words(&(number + 1).to_string(), 3).trim().replace(' ', "-")
                ),
            ),
        ),
        (10, _) => shell(
            "Filter",
            "Twelve cups.",
            &two(
                format!("/f?colour={}&size={}&sort=up", number % 50, number % 40),
                format!("/f?size={}&page={}", number % 30, number % 60),
            ),
        ),
        (11, _) => shell(
            "Post",
            &text,
            &two(
                format!("/post/{}", number * 2),
                format!("/post/{}", number * 2 + 1),
            ),
        ),
        (12, _) if path != "/" => SiteResponse::redirect(302, format!("/next/{number}")),
        (13, _) => shell(
            "Leaf",
            &words(base, 100),
            &two(
                format!("/leaf/{}?view=print", number % 4_000),
                format!("/leaf/{}?view=full", number % 4_000),
            ),
        ),
        (14, _) => shell(
            "Nothing here",
            "The page was not found. Try another one.",
            &two(format!("/{number:x}"), format!("/{:x}", number + 1)),
        ),
        _ => shell(
            "Page",
            &text,
            &two(format!("/{number}"), format!("/q{}", number + 1)),
        ),
    }
}

const ENDLESS: usize = 15;

/// Fifteen hosts without end, linked from every page of a good site.
#[test]
fn fifteen_endless_hosts_get_few_requests_each() {
    let hosts: Vec<String> = (0..ENDLESS)
        .map(|n| format!("127.0.1.{n}"))
        .chain(["127.0.0.2".to_owned()])
        .collect();
    let (serving, port) = common::serve_addresses(&hosts, move |host, path, port| {
        if let Some(kind) = host.strip_prefix("127.0.1.") {
            return endless(kind.parse().unwrap(), path, port);
        }
        let number: usize = path.trim_start_matches('/').parse().unwrap_or(0);
        if path == "/robots.txt" {
            return SiteResponse::missing();
        }
        let traps: String = (0..ENDLESS)
            .map(|n| format!("<a href=http://127.0.1.{n}:{port}/>loose leaf tea</a> "))
            .collect();
        let next = if number < 40 {
            format!("<a href=/{}>loose leaf tea</a>", number + 1)
        } else {
            String::new()
        };
        tea(path, &(traps + &next))
    });
    let workspace = Workspace::new();
    // SCENTHOUND_ALLOWANCE=100 measures with the default.
    let allowance = std::env::var("SCENTHOUND_ALLOWANCE").unwrap_or("60".to_owned());
    let seed = format!("http://127.0.0.2:{port}/0");
    crawl(
        &workspace,
        &seed,
        &[
            "--pattern-allowance",
            &allowance,
            "--host-allowance",
            &allowance,
            "--connections-per-host",
            "4",
        ],
    );
    let mut asked: BTreeMap<String, usize> = BTreeMap::new();
    for request in serving.requests() {
        *asked.entry(request.host).or_default() += 1;
    }
    println!("{asked:?}");
    assert_eq!(asked["127.0.0.2"], 1 + 41, "every good page is found");
    let allowance: usize = allowance.parse().unwrap();
    for (host, requests) in asked.iter().filter(|(host, _)| *host != "127.0.0.2") {
        // The allowance, what was under way when it was used up, and the robots.txt.
        assert!(*requests <= allowance + 60, "{host}: {asked:?}");
    }
}

/// A host whose pages all differ, are all about the topic and never end.
#[test]
fn an_endless_site_full_of_the_topics_words_is_left_when_it_says_nothing_new() {
    let (serving, base) = serve_paths(|path| {
        if path == "/robots.txt" {
            return SiteResponse::missing();
        }
        let number = scramble(path) % 1_000_000;
        let links = format!(
            "<a href=/about/{number}>loose leaf tea</a> <a href=/about/{}>loose leaf tea</a>",
            number + 1
        );
        tea(path, &links)
    });
    // On an address of its own: the hosts of seeds get more.
    let (_hub, port) = common::serve_addresses(&["127.0.0.2".to_owned()], move |_, path, _| match path {
        "/robots.txt" => SiteResponse::missing(),
        _ => tea(path, &format!("<a href={base}/>loose leaf tea</a>")),
    });
    let workspace = Workspace::new();
    crawl(
        &workspace,
        &format!("http://127.0.0.2:{port}/"),
        &["--connections-per-host", "8"],
    );
    let asked = serving.requests().len();
    println!("{asked} requests to an endless site full of the topic's words");
    assert!(asked < 700, "{asked}");
    let records = std::fs::read_to_string(workspace.path("crawl/pages/pages.jsonl")).unwrap();
    assert!(records.contains("refused-url-pattern"), "no rule ended it");
}
