//! A page as HTML.
//!
//! Pages of some genres look the part: galleries have pictures, video pages players, blogs dates, shops prices. All of that
//! is markup; the visible words are those of the blocks.

use std::fmt::Write as _;

use crate::synth::SynthWeb;
use crate::synth::rng::{PageRng, Purpose};
use crate::synth::text::{BlockKind, SynthBlock};
use crate::synth::web::SynthPage;

impl SynthWeb {
    /// A page as HTML.
    pub fn html(&self, page: u32) -> String {
        let mut links = Vec::new();
        self.links(page, &mut links);
        let blocks = self.blocks_of(page, &links);
        let title = blocks
            .iter()
            .find(|block| block.kind == BlockKind::Heading)
            .map_or("", |block| block.text.as_str());
        let host = self.layout.host(page);
        let mut html = String::with_capacity(1_024 + 200 * blocks.len());
        self.push_head(host, title, &mut html);
        let mut listing = false;
        for block in &blocks {
            let item = block.kind == BlockKind::Item;
            if item != listing {
                html.push_str(if item { "<ul>\n" } else { "</ul>\n" });
                listing = item;
            }
            let (open, close) = match block.kind {
                BlockKind::Heading => ("<h1>", "</h1>\n"),
                BlockKind::Navigation => ("<nav>", "</nav>\n"),
                BlockKind::Paragraph => ("<p>", "</p>\n"),
                BlockKind::Item => ("<li>", "</li>\n"),
            };
            html.push_str(open);
            self.push_block(host, block, &mut html);
            html.push_str(close);
            if block.kind == BlockKind::Heading {
                self.push_media(page, &mut html);
            }
        }
        if listing {
            html.push_str("</ul>\n");
        }
        html.push_str("</body>\n</html>\n");
        html
    }

    /// A page of an endless calendar as HTML.
    pub fn trap_html(&self, host: u32, n: u32) -> String {
        let words = self.words_of(host);
        let mut links = Vec::new();
        self.trap_links(host, n, &mut links);
        let mut html = String::with_capacity(1_024);
        self.push_head(host, &format!("{} {n}", words.tongue.calendar()), &mut html);
        for link in links {
            let anchor = match link.target {
                SynthPage::Trap { n, .. } => format!("{} {n}", words.tongue.calendar()),
                _ => words.tongue.home().to_owned(),
            };
            html.push_str("<p><a href=\"");
            self.push_href(host, link.target, &mut html);
            html.push_str("\">");
            push_text(&anchor, &mut html);
            html.push_str("</a></p>\n");
        }
        html.push_str("</body>\n</html>\n");
        html
    }

    fn push_head(&self, host: u32, title: &str, html: &mut String) {
        html.push_str("<!DOCTYPE html>\n<html lang=\"");
        html.push_str(self.words_of(host).language.code());
        html.push_str("\">\n<head>\n<meta charset=\"utf-8\">\n<title>");
        push_text(title, html);
        html.push_str("</title>\n</head>\n<body>\n");
    }

    fn push_block(&self, host: u32, block: &SynthBlock, html: &mut String) {
        let mut at = 0;
        for link in &block.links {
            push_text(block.text.get(at..link.anchor.start).unwrap_or_default(), html);
            html.push_str("<a href=\"");
            self.push_href(host, link.link.target, html);
            html.push_str("\">");
            push_text(block.text.get(link.anchor.clone()).unwrap_or_default(), html);
            html.push_str("</a>");
            at = link.anchor.end;
        }
        push_text(block.text.get(at..).unwrap_or_default().trim_end(), html);
    }

    /// A path for the same host, an absolute URL otherwise.
    fn push_href(&self, host: u32, target: SynthPage, html: &mut String) {
        match target {
            SynthPage::Page(page) if self.layout.host(page) == host => {
                self.push_path(host, page - self.layout.start(host), html);
            }
            _ => self.push_target_url(target, html),
        }
    }

    fn push_media(&self, page: u32, html: &mut String) {
        let mut rng = PageRng::new(self.settings.seed, Purpose::Kind, !u64::from(page));
        // Writing to a string cannot fail.
        let _ = match self.genre_name(self.genre(page)) {
            "image" => {
                for n in 0..6 + rng.below(20) {
                    let _ = write!(html, "<img src=\"/media/{page}-{n}.jpg\" alt=\"\">");
                }
                writeln!(html)
            }
            "video" => writeln!(html, "<video src=\"/media/{page}.webm\" controls></video>"),
            "blog" | "news" => writeln!(
                html,
                "<time datetime=\"2020-{:02}-{:02}\"></time>",
                1 + rng.below(12),
                1 + rng.below(28)
            ),
            "sale" => writeln!(
                html,
                "<form action=\"/cart\"><input type=\"hidden\" name=\"item\"></form>"
            ),
            "docs" => writeln!(html, "<pre><code></code></pre>"),
            _ => Ok(()),
        };
    }
}

/// Our own words contain no markup, but they are escaped anyway, so that a new list cannot break a page.
fn push_text(text: &str, html: &mut String) {
    for c in text.chars() {
        match c {
            '&' => html.push_str("&amp;"),
            '<' => html.push_str("&lt;"),
            '"' => html.push_str("&quot;"),
            c => html.push(c),
        }
    }
}
