//! A web in a few lines of text, so that a test can show the web it uses.
//!
//! ```text
//! hub/0:   tea -> dull/1 green/1[the green page]
//! green/1: tea -> hub/0
//! dull/1:  cars
//! hub/robots.txt: /private
//! ```
//!
//! One page per line: `host/path: words -> links`. `hub/0` is `http://hub.test/0`. The words in brackets after a link
//! are its anchor; without them the anchor is empty, so that the link adds no words to its page. A robots.txt lists
//! the paths it forbids. A link to a page without a line is dead. Empty lines and lines that begin with `#` are
//! ignored.

use std::collections::BTreeMap;

use crate::TestwebError;
use crate::site::{SiteResponse, TestSite};

/// A link on a fixture's page.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FixtureLink {
    /// Its target, as `host/path`.
    pub to: String,
    /// Its visible words.
    pub anchor: String,
}

/// A page of a fixture.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FixturePage {
    /// `host/path`, as written in the line.
    pub name: String,
    /// The text.
    pub words: String,
    /// The links, in order.
    pub links: Vec<FixtureLink>,
}

impl FixturePage {
    /// The page as HTML: a paragraph and a list of links.
    pub fn html(&self) -> String {
        let mut html = format!(
            "<!doctype html>\n<html><body>\n<p>{}</p>\n<ul>\n",
            escape(&self.words)
        );
        for link in &self.links {
            let (url, anchor) = (escape(&FixtureWeb::url(&link.to)), escape(&link.anchor));
            html.push_str(&format!("<li><a href=\"{url}\">{anchor}</a></li>\n"));
        }
        html.push_str("</ul>\n</body></html>\n");
        html
    }
}

/// A web made from a few lines of text.
#[derive(Clone, Debug, Default)]
pub struct FixtureWeb {
    /// In the order of their lines.
    pages: Vec<FixturePage>,
    /// From host and path to the position in `pages`.
    places: BTreeMap<(String, String), usize>,
}

impl FixtureWeb {
    /// Parses a web.
    pub fn parse(lines: &str) -> Result<FixtureWeb, TestwebError> {
        let mut web = FixtureWeb::default();
        for (number, line) in lines.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let fault = |what, text: &str| TestwebError::Fixture {
                line: number + 1,
                what,
                text: text.to_owned(),
            };
            let (name, rest) = line
                .split_once(':')
                .ok_or_else(|| fault("no colon after the page's name", line))?;
            let name = name.trim();
            let (host, path) = split(name).ok_or_else(|| fault("the page's name is not host/path", name))?;
            let (words, links) = rest.split_once("->").unwrap_or((rest, ""));
            let page = FixturePage {
                name: name.to_owned(),
                words: words.trim().to_owned(),
                links: read_links(links).map_err(|(what, text)| fault(what, text))?,
            };
            if web.places.insert((host, path), web.pages.len()).is_some() {
                return Err(fault("the page already has a line", name));
            }
            web.pages.push(page);
        }
        Ok(web)
    }

    /// The URL of a page, given its name: `http://hub.test/0` for `hub/0`.
    pub fn url(name: &str) -> String {
        let (host, path) = name.split_once('/').unwrap_or((name, ""));
        format!("http://{host}.test/{path}")
    }

    /// The name of a page, given its URL: `hub/0` for `http://hub.test/0`. None for URLs outside fixtures.
    pub fn name(url: &str) -> Option<String> {
        let (host, path) = url.strip_prefix("http://")?.split_once('/')?;
        Some(format!("{}/{path}", host.strip_suffix(".test")?))
    }

    /// The pages in the order of their lines, including robots.txt.
    pub fn pages(&self) -> &[FixturePage] {
        &self.pages
    }
}

impl TestSite for FixtureWeb {
    fn answer(&self, host: &str, path_and_query: &str) -> SiteResponse {
        let place = self.places.get(&(host.to_owned(), path_and_query.to_owned()));
        match place.and_then(|place| self.pages.get(*place)) {
            Some(page) if path_and_query == "/robots.txt" => {
                let forbidden = page
                    .words
                    .split_whitespace()
                    .map(|path| format!("Disallow: {path}\n"));
                SiteResponse::text(format!("User-agent: *\n{}", forbidden.collect::<String>()))
            }
            Some(page) => SiteResponse::html(page.html()),
            None => SiteResponse::missing(),
        }
    }

    fn hosts(&self) -> Vec<String> {
        let mut hosts: Vec<String> = self.places.keys().map(|(host, _)| host.clone()).collect();
        hosts.dedup();
        hosts
    }
}

/// The host with `.test`, and the path with its slash.
fn split(name: &str) -> Option<(String, String)> {
    let (host, path) = name.split_once('/')?;
    let plain = !host.is_empty()
        && host
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'.');
    (plain && !name.contains(char::is_whitespace))
        .then(|| (format!("{}.test", host.to_ascii_lowercase()), format!("/{path}")))
}

fn read_links(mut rest: &str) -> Result<Vec<FixtureLink>, (&'static str, &str)> {
    let mut links = Vec::new();
    loop {
        rest = rest.trim_start();
        if rest.is_empty() {
            return Ok(links);
        }
        let end = rest
            .find(|c: char| c.is_whitespace() || c == '[')
            .unwrap_or(rest.len());
        let (to, after) = rest.split_at(end);
        if split(to).is_none() {
            return Err(("a link must be host/path or host/path[anchor]", rest));
        }
        let mut anchor = "";
        rest = after;
        if let Some(inside) = after.strip_prefix('[') {
            (anchor, rest) = inside
                .split_once(']')
                .ok_or(("the anchor has no closing bracket", after))?;
        }
        links.push(FixtureLink {
            to: to.to_owned(),
            anchor: anchor.trim().to_owned(),
        });
    }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEA: &str = "
        # A hub, a good page, a dull one.
        hub/0:   tea  -> dull/1 green/1[the <green> page]
        dull/1:  cars
        green/1: tea & cake -> hub/0
        hub/robots.txt: /private /cart
    ";

    #[test]
    fn a_line_becomes_a_page_with_words_and_links() {
        let web = FixtureWeb::parse(TEA).unwrap();
        assert_eq!(web.hosts(), ["dull.test", "green.test", "hub.test"]);
        let page = web.answer("hub.test", "/0");
        let html = String::from_utf8(page.body.to_vec()).unwrap();
        assert!(html.contains("<p>tea</p>"), "{html}");
        assert!(html.contains("<a href=\"http://dull.test/1\"></a>"), "{html}");
        assert!(
            html.contains("<a href=\"http://green.test/1\">the &lt;green> page</a>"),
            "{html}"
        );
        assert_eq!(web.answer("hub.test", "/1").status, 404);
        let names: Vec<&str> = web.pages().iter().map(|page| page.name.as_str()).collect();
        assert_eq!(names, ["hub/0", "dull/1", "green/1", "hub/robots.txt"]);
    }

    #[test]
    fn a_robots_txt_forbids_the_paths_of_its_line() {
        let web = FixtureWeb::parse(TEA).unwrap();
        let robots = web.answer("hub.test", "/robots.txt");
        assert_eq!(
            robots.body,
            "User-agent: *\nDisallow: /private\nDisallow: /cart\n"
        );
        assert_eq!(web.answer("dull.test", "/robots.txt").status, 404);
    }

    #[test]
    fn names_and_urls_convert_to_each_other() {
        assert_eq!(FixtureWeb::url("hub/a/b"), "http://hub.test/a/b");
        assert_eq!(
            FixtureWeb::name("http://hub.test/a/b").as_deref(),
            Some("hub/a/b")
        );
        assert_eq!(FixtureWeb::name("http://example.com/"), None);
    }

    #[test]
    fn a_faulty_line_is_named_by_its_number() {
        for (lines, line, part) in [
            ("hub/0: tea\nhub/1 tea", 2, "no colon"),
            ("hub: tea", 1, "host/path"),
            ("\n\nhub/0: tea -> nowhere", 3, "a link must be"),
            ("hub/0: tea -> hub/1[open", 1, "closing bracket"),
            ("hub/0: tea\nhub/0: more", 2, "already"),
        ] {
            let fault = FixtureWeb::parse(lines).unwrap_err().to_string();
            assert!(
                fault.contains(&format!("line {line}:")) && fault.contains(part),
                "{fault}"
            );
        }
    }
}
