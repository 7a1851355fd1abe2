//! Floods take linear time: twice the input takes about twice the instructions, whatever it repeats.
//!
//! Instructions are counted by valgrind, so that the result does not depend on what else the machine is doing. The program
//! counted is this test itself, told by its environment to read one flood.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test may panic and print"
)]

use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use scenthound_parse::{Limits, Location, PageInput, Sitemap, SitemapLimits, main_text, parse};
use scenthound_robots::Rules;
use scenthound_types::CanonicalUrl;
use scenthound_types::text::tokenize;

const FLOOD: &str = "SCENTHOUND_FLOOD";
const BYTES: usize = 24 << 10;
/// Tables double their size now and then, which makes some sizes dearer than others. Quadratic time would be 4.
const MOST: f64 = 2.7;

/// What one flood repeats, and what reads it.
struct Flood {
    name: &'static str,
    before: &'static str,
    text: &'static str,
    read: fn(&[u8]),
}

const fn page(name: &'static str, before: &'static str, text: &'static str) -> Flood {
    Flood {
        name,
        before,
        text,
        read: read_page,
    }
}

const fn of(name: &'static str, before: &'static str, text: &'static str, read: fn(&[u8])) -> Flood {
    Flood {
        name,
        before,
        text,
        read,
    }
}

const PAGE_FLOODS: &[Flood] = &[
    page("words", "<p>", "tea "),
    page("one word", "<p>", "a"),
    page("U+FDFA", "<p>", "\u{fdfa}"),
    page("combining marks", "<p>a", "\u{315}\u{300}\u{5ae}"),
    page("Chinese", "<p>", "茶道"),
    page("references", "<p>", "&#x3300;"),
    page("bare ampersands", "<p>", "&"),
    page("attributes", "<a ", "a "),
    page("links", "", "<a href=x>tea</a>"),
    page("links in links", "", "<a href=x><a href=y>"),
    page("open elements", "", "<div>"),
    page("open tables", "", "<table><tr><td>"),
    page("formatting that is never closed", "", "<b><i><p>"),
    page("ends of elements that were never open", "", "</b></i></p>"),
    page("selects", "", "<select><option>"),
    page("frames and templates", "", "<template><svg><math>"),
    page("tags that never end", "", "<a href="),
    page("comments that never end", "", "<!--"),
    page("scripts that never end", "", "<script>"),
    page("bases", "", "<base href=a/>"),
    page("sentences", "<p>", "a. B! "),
    page("zeros", "", "\0"),
];

const OTHER_FLOODS: &[Flood] = &[
    of("main text of words", "<p>", "tea ", read_main_text),
    of("main text of open elements", "", "<div><p>a", read_main_text),
    of("main text of links", "", "<li><a href=x>tea</a>", read_main_text),
    of("text", "", "x-y.z@", read_text),
    of(
        "sitemap",
        "<urlset>",
        "<url><loc>http://a.test/1</loc></url>",
        read_sitemap,
    ),
    of("sitemap of open elements", "<urlset>", "<url>", read_sitemap),
    of(
        "sitemap of references",
        "<urlset><url><loc>",
        "&amp;",
        read_sitemap,
    ),
    of(
        "robots rules",
        "User-agent: *\n",
        "Disallow: /a*b*c*d$\n",
        read_robots,
    ),
    of(
        "robots groups",
        "",
        "User-agent: scenthound\nDisallow: /a\n\n",
        read_robots,
    ),
    of("robots stars", "User-agent: *\nDisallow: /", "*a", read_robots),
    of("a URL of segments", "http://a.test/", "a/../", read_url),
    of("a URL of parameters", "http://a.test/?", "a=%41&", read_url),
];

fn read_page(body: &[u8]) {
    let url = CanonicalUrl::parse("http://a.test/x/").unwrap();
    let input = PageInput {
        url: &url,
        content_type: Some("text/html; charset=utf-8"),
        body,
        truncated: false,
    };
    std::hint::black_box(parse(&input, &Limits::default()));
}

fn read_main_text(body: &[u8]) {
    let url = CanonicalUrl::parse("http://a.test/x/").unwrap();
    let input = PageInput {
        url: &url,
        content_type: Some("text/html; charset=utf-8"),
        body,
        truncated: false,
    };
    std::hint::black_box(main_text(&input));
}

fn read_text(body: &[u8]) {
    std::hint::black_box(tokenize(std::str::from_utf8(body).unwrap()));
}

fn read_sitemap(body: &[u8]) {
    let url = CanonicalUrl::parse("http://a.test/sitemap.xml").unwrap();
    let limits = SitemapLimits {
        bytes: 1 << 20,
        entries: 50_000,
        location: Location::Anywhere,
    };
    std::hint::black_box(Sitemap::parse(body, &url, &limits));
}

fn read_robots(body: &[u8]) {
    let rules = Rules::parse(body, "scenthound");
    std::hint::black_box(rules.allows(&format!("/{}", "ab".repeat(body.len() / 32))));
}

fn read_url(body: &[u8]) {
    let _ = std::hint::black_box(CanonicalUrl::parse(std::str::from_utf8(body).unwrap()));
}

impl Flood {
    fn bytes(&self, length: usize) -> Vec<u8> {
        let repeated = length.saturating_sub(self.before.len()) / self.text.len();
        format!("{}{}", self.before, self.text.repeat(repeated)).into_bytes()
    }

    /// The instructions that a process takes to read this flood.
    fn instructions(&self, length: usize) -> f64 {
        let counted = Command::new("valgrind")
            .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
            .arg(std::env::current_exe().unwrap())
            .args(["--exact", "the_flood_of_the_environment_is_read"])
            .env(FLOOD, format!("{length} {}", self.name))
            .output()
            .unwrap();
        let told = String::from_utf8_lossy(&counted.stderr).into_owned();
        assert!(counted.status.success(), "{told}");
        let line = told.lines().find(|line| line.contains("Collected"));
        let count = line.and_then(|line| line.rsplit(' ').next()?.parse().ok());
        count.unwrap_or_else(|| panic!("no count: {told}"))
    }

    /// How many times as many instructions twice as many bytes take. Differences are compared, so that what every process and every
    /// page takes does not count.
    fn growth(&self) -> f64 {
        let [least, middle, most] = [BYTES, 2 * BYTES, 4 * BYTES].map(|length| self.instructions(length));
        let (once, twice) = (middle - least, most - middle);
        let growth = twice / once;
        println!(
            "{}: {:.1} million instructions, {growth:.2} times as many for twice the bytes",
            self.name,
            once / 1e6
        );
        // What is cut off after a while takes next to nothing.
        if twice < 1e6 { 1.0 } else { growth }
    }
}

/// What valgrind runs; without a flood in the environment there is nothing to do.
#[test]
fn the_flood_of_the_environment_is_read() {
    let Ok(wanted) = std::env::var(FLOOD) else { return };
    let (length, name) = wanted.split_once(' ').unwrap();
    let mut floods = PAGE_FLOODS.iter().chain(OTHER_FLOODS);
    let flood = floods.find(|flood| flood.name == name).unwrap();
    (flood.read)(&flood.bytes(length.parse().unwrap()));
}

fn assert_linear(floods: &[Flood]) {
    if Command::new("valgrind").arg("--version").output().is_err() {
        scenthound_testweb::skip("valgrind is not installed");
        return;
    }
    let next = AtomicUsize::new(0);
    let work = || {
        let mut steep = Vec::new();
        while let Some(flood) = floods.get(next.fetch_add(1, Ordering::Relaxed)) {
            let growth = flood.growth();
            if growth > MOST {
                steep.push(format!("{}: {growth:.2}", flood.name));
            }
        }
        steep
    };
    let steep = std::thread::scope(|scope| {
        let other = scope.spawn(work);
        let mut steep = work();
        steep.extend(other.join().unwrap());
        steep
    });
    assert!(steep.is_empty(), "{steep:?}");
}

#[test]
fn pages_of_twice_the_size_take_twice_the_instructions() {
    assert_linear(PAGE_FLOODS);
}

#[test]
fn other_input_of_twice_the_size_takes_twice_the_instructions() {
    assert_linear(OTHER_FLOODS);
}
