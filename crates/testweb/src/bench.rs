//! The web of the benchmark: tens of thousands of pages of realistic size on a few dozen hosts, generated on request.
//!
//! A page is assembled from prose that is generated once at the start, so that serving it costs little more than
//! copying. Its URL, its choice of prose and its links follow from its number. Instead, the web can be made of real pages,
//! whose links are replaced by its own.
//!
//! Invariant: every page can be reached from page 0 of host 0. On each host page `n` links to pages `10n + 1` to
//! `10n + 10`, and page 0 of host `h` to page 0 of hosts `h + 1` and `2h + 1`; the other links are scattered.

mod real;

use std::fmt::Write as _;
use std::io::Read;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use crate::TestwebError;
use crate::rng::PageRng;
use crate::server::{ServeOptions, Serving, serve};
use crate::site::{SiteResponse, TestSite};
use real::RealPage;

/// The most common words of English prose, so that a page is recognised as English.
const COMMON: &str = "the of and to a in that it is was for with as on be at by this had not are but from or have an \
    they which one you were all her she there would their we him been has when who will no more if out so what up \
    said its about than into them can only other time new some could these two may first then do any like my now \
    over such our man me even most made after also did many off before must well back through years much where your \
    way down should because long each just state people those too mr how little good site make very year still see \
    own work men day get here between both life being under three never know same last another while us might great \
    go come since against right came take used himself few house american use place during high without again home \
    around small however found part school";

/// Words a topic could ask for, at middle ranks.
const TOPICAL: &str = "guide method kettle tea brew leaves garden recipe course syllabus lecture harbour winter river \
    engine bridge market window museum station letter doctor concert football library mountain island kitchen bread \
    salt pepper butter flour oven plate table chair paper pencil colour painting theatre cinema camera picture";

const BEGINNINGS: [&str; 24] = [
    "al", "be", "car", "den", "el", "for", "gran", "hal", "in", "jas", "ken", "lor", "mar", "nor", "or",
    "pel", "quin", "ros", "sal", "tor", "un", "ver", "wes", "yar",
];
const MIDDLES: [&str; 14] = [
    "a", "i", "o", "ber", "den", "fi", "gra", "len", "mi", "nar", "ro", "si", "tan", "vi",
];
const ENDINGS: [&str; 16] = [
    "age", "al", "ant", "ded", "ern", "ful", "ing", "ion", "ish", "ism", "ity", "ment", "ness", "or", "ous",
    "ure",
];

/// The number of different words.
const VOCABULARY: usize = 6_000;
/// The number of different half paragraphs, headings and anchors.
const HALVES: usize = 1_024;
const ANCHORS: usize = 2_048;

/// Links on every page to the host's first sections, like a navigation bar.
const NAVIGATION: usize = 12;
/// Of the others, every eighth leads to another host.
const ABROAD: usize = 8;

/// How hosts are named.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Naming {
    /// `h0.bench.test`, `h1.bench.test`…, to be mapped to the server's address.
    Names,
    /// `h0-bench.test`, `h1-bench.test`…: each a site of its own, where a crawl divides the web by sites.
    Sites,
    /// `127.0.0.1:port`, `127.0.0.2:port`…, for clients that cannot map names.
    Addresses {
        /// The port, the same for all of them.
        port: u16,
    },
}

/// The dimensions of the benchmark web.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BenchSize {
    /// The number of hosts.
    pub hosts: usize,
    /// The total number of pages.
    pub pages: usize,
    /// The approximate size of a page, in bytes.
    pub bytes: usize,
    /// The number of links on a page.
    pub links: usize,
}

impl Default for BenchSize {
    fn default() -> BenchSize {
        BenchSize {
            hosts: 25,
            pages: 25_000,
            bytes: 30_000,
            links: 95,
        }
    }
}

/// The web of the benchmark.
pub struct BenchWeb {
    size: BenchSize,
    naming: Naming,
    /// Text of half a paragraph, without markup.
    halves: Vec<String>,
    anchors: Vec<String>,
    /// The pages, if they are not made up.
    real: Vec<RealPage>,
}

impl BenchWeb {
    /// A web of real pages in HTML, one for each of these, on this many hosts.
    pub fn of_pages(pages: impl IntoIterator<Item = String>, hosts: usize, naming: Naming) -> BenchWeb {
        let real: Vec<RealPage> = pages.into_iter().map(RealPage::new).collect();
        let size = BenchSize {
            hosts,
            pages: real.len(),
            bytes: 0,
            links: 0,
        };
        BenchWeb {
            real,
            ..BenchWeb::new(size, naming)
        }
    }

    /// A web of this size. There is at least one host and one page.
    pub fn new(size: BenchSize, naming: Naming) -> BenchWeb {
        let size = BenchSize {
            // Addresses of one network; names there are without end.
            hosts: match naming {
                Naming::Addresses { .. } => size.hosts.clamp(1, 250),
                Naming::Names | Naming::Sites => size.hosts.max(1),
            },
            pages: size.pages.max(1),
            ..size
        };
        let words = vocabulary();
        let mut rng = PageRng::named("prose");
        BenchWeb {
            size,
            naming,
            halves: (0..HALVES).map(|_| prose(&words, 45, &mut rng)).collect(),
            anchors: (0..ANCHORS)
                .map(|_| {
                    let length = 2 + rng.below(4);
                    let rare: Vec<&str> = (0..length).map(|_| frequent(&words[60..], &mut rng)).collect();
                    rare.join(" ")
                })
                .collect(),
            real: Vec::new(),
        }
    }

    /// The number of pages to find.
    pub fn pages(&self) -> usize {
        self.size.pages
    }

    /// The URL from which every page can be reached.
    pub fn seed(&self) -> String {
        self.url(0)
    }

    /// The URLs of all pages.
    pub fn urls(&self) -> impl Iterator<Item = String> + '_ {
        (0..self.size.pages).map(|page| self.url(page))
    }

    /// The name or address of a host, with its port if it has one.
    pub fn authority(&self, host: usize) -> String {
        match self.naming {
            Naming::Names => format!("h{host}.bench.test"),
            Naming::Sites => format!("h{host}-bench.test"),
            Naming::Addresses { port } => format!("{}:{port}", address(host)),
        }
    }

    /// Page `n` is page `n / hosts` of host `n % hosts`.
    fn url(&self, page: usize) -> String {
        let mut url = format!("http://{}", self.authority(page % self.size.hosts));
        self.push_path(page / self.size.hosts, &mut url);
        url
    }

    /// Each section has a hundred pages.
    fn push_path(&self, place: usize, path: &mut String) {
        // Writing to a string cannot fail.
        let _ = match place {
            0 => write!(path, "/"),
            _ => write!(path, "/section-{}/article-{place}.html", place / 100),
        };
    }

    fn place_of(&self, path: &str) -> Option<usize> {
        if path == "/" {
            return Some(0);
        }
        let (section, article) = path.strip_prefix("/section-")?.split_once("/article-")?;
        let place: usize = article.strip_suffix(".html")?.parse().ok()?;
        (place > 0 && section.parse() == Ok(place / 100)).then_some(place)
    }

    /// The number of a host, from its name or address.
    fn host_of(&self, host: &str) -> Option<usize> {
        let number = |ending: &str| host.strip_prefix('h')?.strip_suffix(ending)?.parse().ok();
        let number = match self.naming {
            Naming::Names => number(".bench.test")?,
            Naming::Sites => number("-bench.test")?,
            Naming::Addresses { .. } => {
                usize::from(host.parse::<Ipv4Addr>().ok()?.octets()[3]).checked_sub(1)?
            }
        };
        (number < self.size.hosts).then_some(number)
    }

    fn pages_of(&self, host: usize) -> usize {
        (self.size.pages + self.size.hosts - 1 - host) / self.size.hosts
    }

    /// The targets of a page's links, in order, all of them pages that exist.
    fn targets(&self, host: usize, place: usize, rng: &mut PageRng) -> Vec<(usize, usize)> {
        let here = self.pages_of(host);
        let mut targets: Vec<(usize, usize)> =
            (0..NAVIGATION).map(|n| (host, (n * 100) % here.max(1))).collect();
        self.push_children(host, place, &mut targets);
        self.push_scattered(host, place, self.size.links, rng, &mut targets);
        targets
    }

    /// The pages that only this page is sure to link to.
    fn push_children(&self, host: usize, place: usize, targets: &mut Vec<(usize, usize)>) {
        let here = self.pages_of(host);
        targets.extend(
            (10 * place + 1..=10 * place + 10)
                .filter(|child| *child < here)
                .map(|child| (host, child)),
        );
        if place == 0 {
            let next = [host + 1, 2 * host + 1]
                .into_iter()
                .filter(|next| self.pages_of_known(*next) > 0);
            targets.extend(next.map(|next| (next, 0)));
        }
    }

    /// Adds targets until there are this many.
    fn push_scattered(
        &self,
        host: usize,
        place: usize,
        links: usize,
        rng: &mut PageRng,
        targets: &mut Vec<(usize, usize)>,
    ) {
        while targets.len() < links {
            let target_host = if targets.len().is_multiple_of(ABROAD) {
                rng.below(self.size.hosts)
            } else {
                host
            };
            match self.pages_of(target_host) {
                0 => targets.push((host, place)),
                pages => targets.push((target_host, rng.below(pages))),
            }
        }
    }

    fn real_page(&self, host: usize, place: usize, page: &RealPage) -> String {
        let mut rng = PageRng::numbered((place * self.size.hosts + host) as u64);
        let mut targets = Vec::new();
        self.push_children(host, place, &mut targets);
        self.push_scattered(host, place, page.links(), &mut rng, &mut targets);
        let targets: Vec<String> = targets
            .into_iter()
            .map(|target| self.href(host, target))
            .collect();
        page.with(&targets)
    }

    fn pages_of_known(&self, host: usize) -> usize {
        if host < self.size.hosts {
            self.pages_of(host)
        } else {
            0
        }
    }

    fn page(&self, host: usize, place: usize) -> String {
        if let Some(page) = self.real.get(place * self.size.hosts + host) {
            return self.real_page(host, place, page);
        }
        let mut rng = PageRng::numbered((place * self.size.hosts + host) as u64);
        let targets = self.targets(host, place, &mut rng);
        let title = self.anchor(&mut rng);
        let mut html = String::with_capacity(self.size.bytes + 2_048);
        let _ = write!(
            html,
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>{title} {place}</title>\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <link rel=\"stylesheet\" href=\"/site.css\">\n</head>\n<body>\n<header><a class=\"skip\" href=\"#main\">\
             Skip to content</a></header>\n<nav class=\"bar\"><ul>\n"
        );
        let (navigation, others) = targets.split_at(NAVIGATION.min(targets.len()));
        for (n, target) in navigation.iter().enumerate() {
            html.push_str("<li class=\"item\">");
            self.push_link(
                host,
                *target,
                self.anchors.get(n).map_or("", String::as_str),
                &mut html,
            );
            html.push_str("</li>\n");
        }
        let _ = write!(html, "</ul></nav>\n<main id=\"main\">\n<h1>{title}</h1>\n");

        // Half of the links are inside paragraphs, the others in lists between them.
        let (inline, listed) = others.split_at(others.len() / 2);
        let mut listed = listed.chunks(8);
        for (n, target) in inline.iter().enumerate() {
            if n % 6 == 0 {
                let _ = writeln!(html, "<h2>{}</h2>", self.anchor(&mut rng));
            }
            html.push_str("<p>");
            html.push_str(self.half(&mut rng));
            html.push(' ');
            self.push_link(host, *target, self.anchor(&mut rng), &mut html);
            html.push(' ');
            html.push_str(self.half(&mut rng));
            html.push_str("</p>\n");
            if n % 7 == 3 {
                self.push_list(host, listed.next().unwrap_or_default(), &mut rng, &mut html);
            }
        }
        for rest in listed {
            self.push_list(host, rest, &mut rng, &mut html);
        }
        while html.len() + 400 < self.size.bytes {
            let _ = writeln!(html, "<p class=\"more\">{}</p>", self.half(&mut rng));
        }
        html.push_str(
            "</main>\n<footer><p>Written by a machine, for machines.</p></footer>\n</body>\n</html>\n",
        );
        html
    }

    fn anchor(&self, rng: &mut PageRng) -> &str {
        &self.anchors[rng.below(self.anchors.len())]
    }

    fn half(&self, rng: &mut PageRng) -> &str {
        &self.halves[rng.below(self.halves.len())]
    }

    fn push_list(&self, host: usize, targets: &[(usize, usize)], rng: &mut PageRng, html: &mut String) {
        if targets.is_empty() {
            return;
        }
        html.push_str("<ul class=\"related\">\n");
        for target in targets {
            html.push_str("<li>");
            self.push_link(host, *target, self.anchor(rng), html);
            html.push_str("</li>\n");
        }
        html.push_str("</ul>\n");
    }

    /// Links within the host omit its name, as on most sites.
    fn href(&self, from: usize, (host, place): (usize, usize)) -> String {
        let mut href = String::new();
        if host != from {
            href.push_str("http://");
            href.push_str(&self.authority(host));
        }
        self.push_path(place, &mut href);
        href
    }

    fn push_link(&self, from: usize, target: (usize, usize), anchor: &str, html: &mut String) {
        html.push_str("<a href=\"");
        html.push_str(&self.href(from, target));
        html.push_str("\">");
        html.push_str(anchor);
        html.push_str("</a>");
    }
}

impl TestSite for BenchWeb {
    fn answer(&self, host: &str, path_and_query: &str) -> SiteResponse {
        let found = self.host_of(host).zip(self.place_of(path_and_query));
        match found {
            Some((host, place)) if place < self.pages_of(host) => SiteResponse::html(self.page(host, place)),
            _ => SiteResponse::missing(),
        }
    }

    fn hosts(&self) -> Vec<String> {
        (0..self.size.hosts)
            .map(|host| match self.naming {
                Naming::Names | Naming::Sites => self.authority(host),
                Naming::Addresses { .. } => address(host).to_string(),
            })
            .collect()
    }
}

/// Serves the web on each of the addresses until `until` ends (for example a parent's pipe). `ready` receives the
/// server once it answers.
pub fn main_loop(
    web: BenchWeb,
    listen: Vec<SocketAddr>,
    ready: impl FnOnce(&Serving),
    mut until: impl Read,
) -> Result<(), TestwebError> {
    let options = ServeOptions {
        listen,
        log: false,
        ..ServeOptions::default()
    };
    let serving = serve(Arc::new(web), options)?;
    ready(&serving);
    let mut ignored = [0; 256];
    while matches!(until.read(&mut ignored), Ok(read) if read > 0) {}
    serving.stop();
    Ok(())
}

fn address(host: usize) -> Ipv4Addr {
    Ipv4Addr::new(127, 0, 0, u8::try_from(host + 1).unwrap_or(u8::MAX))
}

/// Common words first, then topical ones, then made-up ones; each once.
fn vocabulary() -> Vec<String> {
    let mut words: Vec<String> = COMMON
        .split_whitespace()
        .chain(TOPICAL.split_whitespace())
        .map(str::to_owned)
        .collect();
    let mut rng = PageRng::named("vocabulary");
    while words.len() < VOCABULARY {
        let mut word = (*rng.pick(&BEGINNINGS)).to_owned();
        for _ in 0..rng.below(3) {
            word.push_str(rng.pick(&MIDDLES));
        }
        word.push_str(rng.pick(&ENDINGS));
        words.push(word);
    }
    words
}

/// A random word; the n-th of the list is about 1/n as frequent as the first.
fn frequent<'a>(words: &'a [String], rng: &mut PageRng) -> &'a str {
    let rank = (words.len() as f64).powf(rng.fraction()) as usize;
    words.get(rank.saturating_sub(1)).map_or("", String::as_str)
}

/// Sentences of six to twenty words.
fn prose(words: &[String], length: usize, rng: &mut PageRng) -> String {
    let mut text = String::new();
    let mut left = 0;
    for _ in 0..length {
        let word = frequent(words, rng);
        if left == 0 {
            if !text.is_empty() {
                text.push_str(". ");
            }
            left = 6 + rng.below(15);
            text.push_str(word.get(..1).unwrap_or_default().to_ascii_uppercase().as_str());
            text.push_str(word.get(1..).unwrap_or_default());
        } else {
            text.push_str(if rng.below(14) == 0 { ", " } else { " " });
            text.push_str(word);
        }
        left -= 1;
    }
    text.push('.');
    text
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// The double-quoted targets of all links on a page, except those within it, in order.
    fn hrefs(html: &str) -> Vec<&str> {
        html.split("<a ")
            .skip(1)
            .filter_map(|tag| tag.split_once("href=\"")?.1.split_once('"'))
            .map(|(href, _)| href)
            .filter(|href| !href.starts_with('#'))
            .collect()
    }

    fn body(web: &BenchWeb, url: &str) -> String {
        let (host, path) = url.strip_prefix("http://").unwrap().split_once('/').unwrap();
        let host = host.split(':').next().unwrap();
        let answer = web.answer(host, &format!("/{path}"));
        assert_eq!(answer.status, 200, "{url}");
        String::from_utf8(answer.body.to_vec()).unwrap()
    }

    fn reachable(web: &BenchWeb) -> BTreeSet<String> {
        let mut seen = BTreeSet::from([web.seed()]);
        let mut waiting = vec![web.seed()];
        while let Some(url) = waiting.pop() {
            let origin_end = url.match_indices('/').nth(2).unwrap().0;
            for href in hrefs(&body(web, &url)) {
                let target = match href.strip_prefix('/') {
                    Some(path) => format!("{}/{path}", &url[..origin_end]),
                    None => href.to_owned(),
                };
                if seen.insert(target.clone()) {
                    waiting.push(target);
                }
            }
        }
        seen
    }

    #[test]
    fn every_page_is_reachable_and_no_link_is_dead() {
        for (hosts, pages) in [(1, 1), (7, 300), (25, 1_003), (5, 3)] {
            for naming in [Naming::Names, Naming::Addresses { port: 8080 }] {
                let size = BenchSize {
                    hosts,
                    pages,
                    bytes: 2_000,
                    links: 40,
                };
                let web = BenchWeb::new(size, naming);
                assert_eq!(reachable(&web), web.urls().collect(), "{size:?}");
            }
        }
    }

    #[test]
    fn a_page_has_the_size_and_the_links_asked_for() {
        let web = BenchWeb::new(BenchSize::default(), Naming::Names);
        let mut sizes = 0;
        for page in (0..25_000).step_by(997) {
            let html = body(&web, &web.url(page));
            assert_eq!(hrefs(&html).len(), 95);
            let abroad = hrefs(&html)
                .iter()
                .filter(|href| href.starts_with("http:"))
                .count();
            assert!((5..20).contains(&abroad), "{abroad}");
            sizes += html.len();
        }
        let mean = sizes / (0..25_000).step_by(997).count();
        assert!((27_000..33_000).contains(&mean), "{mean}");
    }

    #[test]
    fn a_page_is_the_same_every_time_and_no_other_url_answers() {
        let web = BenchWeb::new(BenchSize::default(), Naming::Names);
        let again = BenchWeb::new(BenchSize::default(), Naming::Names);
        let path = "/section-4/article-412.html";
        assert_eq!(
            web.answer("h3.bench.test", path),
            again.answer("h3.bench.test", path)
        );
        assert_ne!(
            web.answer("h3.bench.test", path).body,
            web.answer("h4.bench.test", path).body
        );
        for (host, path) in [
            ("h25.bench.test", "/"),
            ("other.test", "/"),
            ("h3.bench.test", "/section-5/article-412.html"),
            ("h3.bench.test", "/section-10/article-1000.html"),
            ("h3.bench.test", "/robots.txt"),
        ] {
            assert_eq!(web.answer(host, path).status, 404, "{host}{path}");
        }
    }
}
