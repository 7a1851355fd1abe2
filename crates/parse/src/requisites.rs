//! What a page needs to be shown: images, style sheets and scripts.
//!
//! A pass of its own over the markup, for crawls that ask for it, so that others pay nothing. Style sheets are searched for
//! `@import` and `url()` only; everything else in them is skipped.
//!
//! Deliberately absent: frames (they are pages), audio and video (but not the pictures shown in their place), and what scripts
//! would load.

use std::collections::HashSet;

use scenthound_types::{CanonicalUrl, Requisite, RequisiteKind};

use crate::decode::decode;
use crate::entity::decode_value;
use crate::kind::Kind;
use crate::resolve::Resolver;
use crate::scan::{Event, Keep, Raw, Scanner};
use crate::{Limits, PageInput};

/// How many files one page or one style sheet may need. Nearly all need fewer.
const MOST: usize = 300;

/// The files of these kinds that a page needs, each once, in the order they are named.
pub fn requisites_of_page(input: &PageInput<'_>, kinds: &[RequisiteKind], limits: &Limits) -> Vec<Requisite> {
    let body = input.body.get(..limits.body_bytes).unwrap_or(input.body);
    let kind = Kind::of(input.content_type, body);
    if !matches!(kind, Kind::Markup(_)) {
        return Vec::new();
    }
    let decoded = decode(input.content_type, input.url.host(), body, kind);
    let mut found = Found::new(input.url, kinds, limits);
    read_page(&decoded.text, input.url, &mut found);
    found.list
}

/// The files of these kinds that a style sheet needs, each once, in the order they are named.
pub fn requisites_of_style(
    input: &PageInput<'_>,
    kinds: &[RequisiteKind],
    limits: &Limits,
) -> Vec<Requisite> {
    let body = input.body.get(..limits.body_bytes).unwrap_or(input.body);
    let decoded = decode(input.content_type, input.url.host(), body, Kind::Plain);
    let mut found = Found::new(input.url, kinds, limits);
    found.style(&decoded.text);
    found.list
}

/// What was found so far.
struct Found<'a> {
    kinds: &'a [RequisiteKind],
    longest: usize,
    resolver: Resolver,
    seen: HashSet<CanonicalUrl>,
    list: Vec<Requisite>,
}

impl<'a> Found<'a> {
    fn new(url: &CanonicalUrl, kinds: &'a [RequisiteKind], limits: &Limits) -> Found<'a> {
        Found {
            kinds,
            longest: limits.attribute_bytes,
            resolver: Resolver::new(url, None),
            seen: HashSet::new(),
            list: Vec::new(),
        }
    }

    fn add(&mut self, kind: RequisiteKind, href: &str) {
        let href = href.trim_ascii();
        let is_wanted = self.kinds.contains(&kind) && self.list.len() < MOST;
        if !is_wanted || href.is_empty() || href.len() > self.longest || href.starts_with('#') {
            return;
        }
        if let Some(url) = self.resolver.resolve(href)
            && self.seen.insert(url.clone())
        {
            self.list.push(Requisite { url, kind });
        }
    }

    /// An attribute with a URL.
    fn attribute(&mut self, kind: RequisiteKind, value: Option<&str>) {
        if let Some(value) = value {
            self.add(kind, &decode_value(value));
        }
    }

    /// An attribute with several images for screens of several sizes. Which one a browser takes depends on its window, so all are
    /// needed.
    fn candidates(&mut self, value: Option<&str>) {
        let Some(value) = value.filter(|value| value.len() <= 16 * self.longest) else {
            return;
        };
        let value = decode_value(value);
        let mut rest = value.as_ref();
        loop {
            rest = rest.trim_start_matches(|c: char| c.is_ascii_whitespace() || c == ',');
            let end = rest.find(|c: char| c.is_ascii_whitespace()).unwrap_or(rest.len());
            let (url, after) = rest.split_at(end);
            if url.is_empty() {
                return;
            }
            self.add(RequisiteKind::Images, url.trim_end_matches(','));
            rest = if url.ends_with(',') {
                after
            } else {
                after.split_once(',').map_or("", |(_, next)| next)
            };
        }
    }

    fn style(&mut self, css: &str) {
        let mut rest = css;
        // Whether the address that follows is that of another style sheet.
        let mut imports = false;
        while let Some(at) = rest.find(['/', '"', '\'', '@', 'u', 'U', ';', '{']) {
            let here = rest.get(at..).unwrap_or_default();
            let skipped = if let Some(comment) = here.strip_prefix("/*") {
                comment.find("*/").map_or(here.len(), |end| end + 4)
            } else if let Some(quote @ ('"' | '\'')) = here.chars().next() {
                let (text, length) = quoted(here, quote);
                if imports {
                    self.add(RequisiteKind::Styles, &text);
                    imports = false;
                }
                length
            } else if starts_with(here, "@import") {
                imports = true;
                "@import".len()
            } else if starts_with(here, "url(") {
                let (url, length) = address(here);
                let kind = if imports {
                    RequisiteKind::Styles
                } else {
                    kind_in_style(&url)
                };
                imports = false;
                self.add(kind, &url);
                length
            } else {
                imports &= !here.starts_with([';', '{']);
                1
            };
            rest = here.get(skipped.max(1)..).unwrap_or_default();
        }
    }
}

/// Whether a text starts with this word, in any case.
fn starts_with(text: &str, word: &str) -> bool {
    let start = text.as_bytes().get(..word.len());
    start.is_some_and(|start| start.eq_ignore_ascii_case(word.as_bytes()))
}

/// The text in quotes at the start, and how many bytes it takes with its quotes.
fn quoted(text: &str, quote: char) -> (String, usize) {
    let mut out = String::new();
    let mut chars = text.char_indices().skip(1);
    while let Some((at, next)) = chars.next() {
        match next {
            '\\' => out.extend(chars.next().map(|(_, escaped)| escaped)),
            _ if next == quote => return (out, at + 1),
            // A line end ends a broken string, so that one quote too many does not hide the rest.
            '\n' => return (out, at),
            _ => out.push(next),
        }
    }
    (out, text.len())
}

/// The address in the `url(…)` at the start, and how many bytes it takes.
fn address(text: &str) -> (String, usize) {
    let open = "url(".len();
    let inside = text.get(open..).unwrap_or_default();
    let trimmed = inside.trim_ascii_start();
    let start = open + inside.len() - trimmed.len();
    if let Some(quote @ ('"' | '\'')) = trimmed.chars().next() {
        let (url, length) = quoted(trimmed, quote);
        return (url, start + length);
    }
    let end = trimmed.find([')', '\n', ';']).unwrap_or(trimmed.len());
    let url = trimmed.get(..end).unwrap_or_default();
    (url.trim_ascii_end().replace('\\', ""), start + end)
}

/// What an address in a style sheet is for, by its ending.
fn kind_in_style(url: &str) -> RequisiteKind {
    let path = url.split(['?', '#']).next().unwrap_or(url).to_ascii_lowercase();
    let endings = [".css", ".woff2", ".woff", ".ttf", ".otf", ".eot"];
    if endings.iter().any(|ending| path.ends_with(ending)) {
        RequisiteKind::Styles
    } else {
        RequisiteKind::Images
    }
}

/// The kind of file that a link element names, if the page needs it to be shown.
fn kind_of_link(rel: &str, used_as: Option<&str>) -> Option<RequisiteKind> {
    let has = |name: &str| {
        rel.split_ascii_whitespace()
            .any(|word| word.eq_ignore_ascii_case(name))
    };
    let is_used_as = |name: &str| used_as.is_some_and(|used| used.eq_ignore_ascii_case(name));
    if has("stylesheet") {
        (!has("alternate")).then_some(RequisiteKind::Styles)
    } else if has("icon") || has("apple-touch-icon") || has("mask-icon") {
        Some(RequisiteKind::Images)
    } else if has("modulepreload") || has("preload") && is_used_as("script") {
        Some(RequisiteKind::Scripts)
    } else if has("preload") && (is_used_as("style") || is_used_as("font")) {
        Some(RequisiteKind::Styles)
    } else if has("preload") && is_used_as("image") {
        Some(RequisiteKind::Images)
    } else {
        None
    }
}

fn read_page(html: &str, url: &CanonicalUrl, found: &mut Found<'_>) {
    use RequisiteKind::{Images, Scripts};
    let mut scanner = Scanner::new(html, Keep::Everything);
    let mut has_base = false;
    while let Some(event) = scanner.next() {
        let Event::Start { name, closed, .. } = event else {
            continue;
        };
        let lower = name.to_ascii_lowercase();
        let attribute = |name: &str| scanner.attribute(name);
        match lower.as_str() {
            "base" if !has_base => {
                if let Some(href) = attribute("href") {
                    has_base = true;
                    found.resolver = Resolver::new(url, Some(&decode_value(href)));
                }
            }
            "img" => {
                found.attribute(Images, attribute("src"));
                found.candidates(attribute("srcset"));
            }
            "source" => found.candidates(attribute("srcset")),
            "video" => found.attribute(Images, attribute("poster")),
            "input" if attribute("type").is_some_and(|kind| kind.eq_ignore_ascii_case("image")) => {
                found.attribute(Images, attribute("src"));
            }
            "image" | "use" => found.attribute(Images, attribute("href").or(attribute("xlink:href"))),
            "link" => {
                let rel = attribute("rel").unwrap_or_default();
                if let Some(kind) = kind_of_link(rel, attribute("as")) {
                    found.attribute(kind, attribute("href"));
                }
            }
            "script" => found.attribute(Scripts, attribute("src")),
            _ => {}
        }
        found.attribute(Images, attribute("background"));
        if let Some(style) = attribute("style") {
            found.style(&decode_value(style));
        }
        if closed {
            continue;
        }
        match lower.as_str() {
            "script" => {
                scanner.raw_text(name, Raw::Script);
            }
            "style" => {
                let css = scanner.raw_text(name, Raw::Plain);
                found.style(css);
            }
            "textarea" | "title" | "xmp" | "iframe" | "noembed" | "noframes" => {
                scanner.raw_text(name, Raw::Plain);
            }
            "plaintext" => {
                scanner.raw_text(name, Raw::Endless);
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(raw: &str) -> CanonicalUrl {
        CanonicalUrl::parse(raw).unwrap()
    }

    fn listed(found: Vec<Requisite>) -> Vec<String> {
        let line = |found: Requisite| format!("{} {}", found.kind, found.url);
        found.into_iter().map(line).collect()
    }

    fn of_page(html: &str) -> Vec<String> {
        let url = url("http://a.test/tea/");
        let input = PageInput {
            url: &url,
            content_type: Some("text/html"),
            body: html.as_bytes(),
            truncated: false,
        };
        listed(requisites_of_page(&input, RequisiteKind::ALL, &Limits::default()))
    }

    fn of_style(css: &str) -> Vec<String> {
        let url = url("http://a.test/css/main.css");
        let input = PageInput {
            url: &url,
            content_type: Some("text/css"),
            body: css.as_bytes(),
            truncated: false,
        };
        listed(requisites_of_style(
            &input,
            RequisiteKind::ALL,
            &Limits::default(),
        ))
    }

    #[test]
    fn a_page_names_its_images_styles_scripts_and_icons() {
        let page = r##"<base href="/x/">
            <link rel="stylesheet" href="a.css"><link rel="alternate stylesheet" href="other.css">
            <link rel="shortcut icon" href="/i.ico"><link rel=preload as=font href="f.woff2">
            <link rel=canonical href="/no"><script src="s.js?a=1&amp;b=2">"<img src=no.png>"</script>
            <img src=one.png srcset="one.png 1x, two.png 2x,three.png 3x"><img src="data:image/gif;base64,R0">
            <picture><source srcset="wide,comma.webp 1200w"></picture><video src=no.mp4 poster=p.jpg></video>
            <div style="background: url(&quot;bg.png&quot;)"></div><td background=old.gif>
            <svg><image href=v.svg /><use href="#here" /></svg><input type=image src=go.png><input type=text src=no.png>
            <style>@import "more.css"; p { background: url(css.png) }</style>
            <textarea><img src=no.png></textarea><!-- <img src=no.png> --><iframe src=page.html></iframe>
            <img src=one.png>"##;
        assert_eq!(
            of_page(page),
            [
                "styles http://a.test/x/a.css",
                "images http://a.test/i.ico",
                "styles http://a.test/x/f.woff2",
                "scripts http://a.test/x/s.js?a=1&b=2",
                "images http://a.test/x/one.png",
                "images http://a.test/x/two.png",
                "images http://a.test/x/three.png",
                "images http://a.test/x/wide,comma.webp",
                "images http://a.test/x/p.jpg",
                "images http://a.test/x/bg.png",
                "images http://a.test/x/old.gif",
                "images http://a.test/x/v.svg",
                "images http://a.test/x/go.png",
                "styles http://a.test/x/more.css",
                "images http://a.test/x/css.png",
            ]
        );
    }

    #[test]
    fn a_style_sheet_names_others_fonts_and_images() {
        let css = "@charset \"utf-8\"; @import url(one.css) screen; @import 'two.css';
            /* url(no.png) */ a::before { content: \"url(no.png)\"; }
            @font-face { font-family: X; src: url( \"f.woff2?v=1\" ) format('woff2'), url(f.svg#x); }
            b { background: URL(/bg.png), url('a\\'b.png') } c { x: url(data:image/png;base64,AA==) }
            d { quote: 'unclosed
            } e { background: url(last.gif";
        assert_eq!(
            of_style(css),
            [
                "styles http://a.test/css/one.css",
                "styles http://a.test/css/two.css",
                "styles http://a.test/css/f.woff2?v=1",
                "images http://a.test/css/f.svg",
                "images http://a.test/bg.png",
                "images http://a.test/css/a'b.png",
                "images http://a.test/css/last.gif",
            ]
        );
    }

    #[test]
    fn only_the_kinds_asked_for_are_found_and_not_without_end() {
        let page = url("http://a.test/");
        let body: String = (0..10_000)
            .map(|n| format!("<img src={n}.png><script src={n}.js></script>"))
            .collect();
        let input = PageInput {
            url: &page,
            content_type: Some("text/html"),
            body: body.as_bytes(),
            truncated: false,
        };
        let found = requisites_of_page(&input, &[RequisiteKind::Images], &Limits::default());
        assert_eq!(found.len(), MOST);
        assert!(found.iter().all(|found| found.kind == RequisiteKind::Images));
        let pdf = PageInput {
            content_type: Some("application/pdf"),
            ..input
        };
        assert_eq!(
            requisites_of_page(&pdf, RequisiteKind::ALL, &Limits::default()),
            []
        );
    }

    #[test]
    fn hostile_style_sheets_take_linear_time() {
        for piece in ["url(", "@import ", "/*", "'", "\\", "url('", "u", "é\"\\"] {
            let css = piece.repeat(1_000_000 / piece.len());
            assert!(of_style(&css).len() <= MOST, "{piece}");
        }
    }
}
