//! How long it takes to read a robots.txt and to ask it, friendly and hostile: `cargo bench -p scenthound-robots`.
#![allow(missing_docs)]

use divan::{Bencher, black_box, counter::BytesCount};
use scenthound_robots::Rules;

fn main() {
    divan::main();
}

/// About what a shop has: a few crawlers, some sixty rules, a third of them with stars.
fn shop() -> String {
    let mut body = String::new();
    for agent in ["otherbot", "*", "thirdbot"] {
        body += &format!("User-agent: {agent}\nCrawl-delay: 1\n");
        for n in 0..20 {
            body += &format!(
                "Disallow: /account/{n}/\nDisallow: /*?sort={n}&*page=\nAllow: /public/{n}/*.html$\n"
            );
        }
    }
    body + "Sitemap: https://shop.test/sitemap.xml\n"
}

/// 500 KiB of rules made by `line`, one after the other.
fn full(line: impl Fn(usize) -> String) -> String {
    let mut body = String::from("User-agent: *\n");
    for n in 0.. {
        let line = line(n);
        if body.len() + line.len() > scenthound_robots::MAX_BODY {
            break;
        }
        body += &line;
    }
    body
}

/// Name, body, and a path of 2 KB that makes every rule work.
fn hostile() -> [(&'static str, String, String); 4] {
    let a = "a".repeat(2_000);
    let stars = |n: usize| "*a".repeat(n);
    [
        (
            "one endless line of stars",
            format!("User-agent: *\nDisallow: /{}b", stars(250_000)),
            format!("/{a}"),
        ),
        (
            "as many stars as the path bears",
            full(|n| format!("Disallow: /{}b{n}\n", stars(1_990))),
            format!("/{a}"),
        ),
        (
            "long needles that nearly fit",
            full(|n| format!("Disallow: /*{}b{n}\n", "a".repeat(1_000))),
            format!("/{a}"),
        ),
        (
            "as many short rules as fit",
            full(|n| format!("allow:/*a{n:x}\n")),
            format!("/{a}"),
        ),
    ]
}

#[divan::bench]
fn parse_shop(bencher: Bencher) {
    let body = shop();
    bencher
        .counter(BytesCount::of_str(&body))
        .bench(|| Rules::parse(black_box(body.as_bytes()), "scenthound"));
}

#[divan::bench(args = ["/", "/public/7/a.html", "/catalogue/teapots/green?colour=7&sort=2&page=3"])]
fn ask_shop(bencher: Bencher, path: &str) {
    let rules = Rules::parse(shop().as_bytes(), "scenthound");
    bencher.bench(|| rules.allows(black_box(path)));
}

#[divan::bench]
fn load_shop(bencher: Bencher) {
    let saved = Rules::parse(shop().as_bytes(), "scenthound").to_bytes();
    bencher.bench(|| Rules::from_bytes(black_box(&saved)));
}

#[divan::bench(args = [0, 1, 2, 3])]
fn parse_hostile(bencher: Bencher, which: usize) {
    let (_, body, _) = &hostile()[which];
    bencher
        .counter(BytesCount::of_str(body))
        .bench(|| Rules::parse(black_box(body.as_bytes()), "scenthound"));
}

#[divan::bench(args = [0, 1, 2, 3])]
fn ask_hostile(bencher: Bencher, which: usize) {
    let (_, body, path) = &hostile()[which];
    let rules = Rules::parse(body.as_bytes(), "scenthound");
    bencher.bench(|| rules.allows(black_box(path)));
}
