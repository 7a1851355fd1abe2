//! Sitemaps: the pages a host would like to have visited.
//!
//! Reads what hosts offer as a sitemap: `urlset` and `sitemapindex` of sitemaps.org, RSS, Atom and plain lists, each
//! also compressed with gzip. There are no errors, only less: an entry that is no URL, or lies where this sitemap has
//! no say, is left out, and a file that breaks off is read up to there.
//!
//! Invariant: time and memory are linear in the bytes given and in [`SitemapLimits::bytes`]; no entity is expanded
//! but the five of XML and characters by number. Deliberately absent: fetching the sitemaps of an index, reading
//! `priority` and `changefreq` (owners set them at random), and telling repeats (the frontier knows every URL).

mod entries;
mod gzip;
mod xml;

use scenthound_types::{CanonicalUrl, registrable_domain};

use crate::sitemap::entries::Entries;

/// A sitemap, read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sitemap {
    /// What the file turned out to be.
    pub kind: SitemapKind,
    /// The pages it lists, in order.
    pub pages: Vec<SitemapEntry>,
    /// The sitemaps it lists, in order. These may lie anywhere: asking for one costs one request, and what it lists is
    /// judged by its own place.
    pub sitemaps: Vec<CanonicalUrl>,
    /// Whether there was more: a limit was met, or the file is damaged.
    pub truncated: bool,
}

/// A page of a sitemap.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SitemapEntry {
    /// The page.
    pub url: CanonicalUrl,
    /// When it last changed, as written: mostly a W3C date, an RFC 2822 date in RSS.
    pub lastmod: Option<String>,
}

/// What a file offered as a sitemap is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SitemapKind {
    /// A `urlset`.
    Pages,
    /// A `sitemapindex`.
    Index,
    /// RSS, of any version.
    Rss,
    /// Atom.
    Atom,
    /// A URL a line.
    Text,
    /// None of these; often an error page sent as success.
    Unknown,
}

/// How much is read, and what is believed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SitemapLimits {
    /// Bytes after decompression.
    pub bytes: usize,
    /// Entries looked at, used or not; in a plain list, lines that are not blank.
    pub entries: usize,
    /// Where pages may lie.
    pub location: Location,
}

impl Default for SitemapLimits {
    /// The sizes of sitemaps.org (50 MB, 50,000 entries) and pages of the same site.
    fn default() -> SitemapLimits {
        SitemapLimits {
            bytes: 50 * 1024 * 1024,
            entries: 50_000,
            location: Location::Site,
        }
    }
}

/// Where the pages of a sitemap may lie, seen from the sitemap.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Location {
    /// As sitemaps.org has it: same scheme, host and port, and under the sitemap's folder.
    Folder,
    /// Under the same registrable domain. Many sites list their https pages in an http sitemap, or those of `www.`
    /// and `blog.` in one; nobody should be able to fill a crawl with another site's URLs.
    Site,
    /// Anywhere.
    Anywhere,
}

impl Location {
    /// Whether a sitemap at `sitemap` may list `page`.
    pub fn admits(self, sitemap: &CanonicalUrl, page: &CanonicalUrl) -> bool {
        match self {
            Location::Folder => {
                let path = sitemap.path();
                let folder = path
                    .rfind('/')
                    .and_then(|slash| path.get(..=slash))
                    .unwrap_or("/");
                page.origin() == sitemap.origin() && page.path_and_query().starts_with(folder)
            }
            Location::Site => registrable_domain(page.host()) == registrable_domain(sitemap.host()),
            Location::Anywhere => true,
        }
    }
}

impl Sitemap {
    /// Reads the body that came from `url`. The kind is told by the bytes: servers name the wrong type too often.
    pub fn parse(body: &[u8], url: &CanonicalUrl, limits: &SitemapLimits) -> Sitemap {
        let unpacked = gzip::unpack(body, limits.bytes);
        let text = String::from_utf8_lossy(&unpacked.bytes);
        let text = text.trim_start_matches(|c: char| c == '\u{feff}' || c.is_whitespace());
        let mut entries = Entries::new(url, limits);
        let (kind, whole) = if text.starts_with('<') {
            xml::read(text, &mut entries)
        } else {
            (read_lines(text, &mut entries), true)
        };
        Sitemap {
            kind,
            truncated: unpacked.cut || !whole || entries.overflowed,
            pages: entries.pages,
            sitemaps: entries.sitemaps,
        }
    }
}

/// A plain list: a URL a line, anything else skipped.
fn read_lines(text: &str, entries: &mut Entries<'_>) -> SitemapKind {
    let mut kind = SitemapKind::Unknown;
    for line in text.lines() {
        // Relative paths are not taken from here: too many other files have lines that begin with a slash.
        if line.trim().is_empty() || line.starts_with('/') {
            continue;
        }
        if entries.add_page(line, None) {
            kind = SitemapKind::Text;
        }
        if entries.overflowed {
            break;
        }
    }
    kind
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> CanonicalUrl {
        CanonicalUrl::parse(text).unwrap()
    }

    fn parse(body: &[u8]) -> Sitemap {
        Sitemap::parse(
            body,
            &url("https://a.test/sitemap.xml"),
            &SitemapLimits::default(),
        )
    }

    fn pages(sitemap: &Sitemap) -> Vec<&str> {
        sitemap.pages.iter().map(|page| page.url.as_str()).collect()
    }

    #[test]
    fn pages_of_the_same_site_are_believed_by_default() {
        let text = b"https://a.test/1\nhttp://www.a.test:81/2\nhttps://b.test/3\n/4\na.test/5\nnonsense\n";
        let sitemap = parse(text);
        assert_eq!(sitemap.kind, SitemapKind::Text);
        assert_eq!(
            pages(&sitemap),
            ["https://a.test/1", "http://www.a.test:81/2", "https://a.test/5"]
        );
    }

    #[test]
    fn limits_on_entries_and_bytes_are_marked() {
        let body: String = (0..10).map(|n| format!("https://a.test/{n}\n")).collect();
        let with = |entries, bytes| {
            let limits = SitemapLimits {
                entries,
                bytes,
                ..SitemapLimits::default()
            };
            let sitemap = Sitemap::parse(body.as_bytes(), &url("https://a.test/s.txt"), &limits);
            (sitemap.pages.len(), sitemap.truncated)
        };
        assert_eq!(with(100, 10_000), (10, false));
        assert_eq!(with(10, 10_000), (10, false));
        assert_eq!(with(3, 10_000), (3, true));
        assert_eq!(with(0, 10_000), (0, true));
        assert_eq!(with(100, 2 * "https://a.test/0\n".len()), (2, true));
    }

    #[test]
    fn a_list_of_other_sites_pages_ends_at_the_limit_too() {
        let body = "https://b.test/\n".repeat(60_000) + "https://a.test/";
        let sitemap = parse(body.as_bytes());
        assert_eq!((sitemap.pages.len(), sitemap.truncated), (0, true));
    }

    #[test]
    fn a_page_of_markup_is_no_sitemap() {
        let sitemap = parse(
            b"<!DOCTYPE html><html><body><a href='https://a.test/'>home</a><link>https://a.test/</link>",
        );
        assert_eq!((sitemap.kind, sitemap.pages.len()), (SitemapKind::Unknown, 0));
    }

    #[test]
    fn entities_are_not_expanded() {
        let bomb = r#"<?xml version="1.0"?><!DOCTYPE urlset [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">
            <!ENTITY file SYSTEM "file:///etc/passwd">]>
            <urlset><url><loc>https://a.test/&b;</loc></url><url><loc>&file;</loc></url>
            <url><loc>https://a.test/?x=1&amp;y=&#x32;&z=3&unknown=4</loc></url></urlset>"#;
        let sitemap = parse(bomb.as_bytes());
        assert_eq!(
            pages(&sitemap),
            ["https://a.test/&b;", "https://a.test/?x=1&y=2&z=3&unknown=4"]
        );
    }

    #[test]
    fn extensions_list_no_pages() {
        let body = r#"<urlset xmlns:image="i"><url><image:image><image:loc>https://a.test/i.png</image:loc></image:image>
            <loc>https://a.test/1</loc><image><loc>https://a.test/j.png</loc></image><lastmod> 2026-01-02 </lastmod></url>
            <url><loc>/2</loc></url></urlset>"#;
        let sitemap = parse(body.as_bytes());
        assert_eq!(pages(&sitemap), ["https://a.test/1", "https://a.test/2"]);
        assert_eq!(sitemap.pages[0].lastmod.as_deref(), Some("2026-01-02"));
        assert_eq!(sitemap.pages[1].lastmod, None);
    }

    #[test]
    fn a_feed_gives_its_items_with_their_dates() {
        let rss = "<rss><channel><link>https://a.test/</link><item><description><br>x</description>
            <link>https://a.test/1</link><atom:link href='https://a.test/no'/><pubDate>Sun, 06 Sep 2009</pubDate></item>
            <item><guid>https://a.test/2</guid></item></channel></rss>";
        let sitemap = parse(rss.as_bytes());
        assert_eq!(pages(&sitemap), ["https://a.test/1", "https://a.test/2"]);
        assert_eq!(sitemap.pages[0].lastmod.as_deref(), Some("Sun, 06 Sep 2009"));
        let atom = "<feed><link href='https://a.test/'/><entry><link rel='edit' href='https://a.test/no'/>
            <link rel='alternate' href='https://a.test/?a=1&amp;b=2'/><published>2025</published><updated>2026</updated>
            </entry></feed>";
        let sitemap = parse(atom.as_bytes());
        assert_eq!(pages(&sitemap), ["https://a.test/?a=1&b=2"]);
        assert_eq!(sitemap.pages[0].lastmod.as_deref(), Some("2026"));
    }

    #[test]
    fn what_was_read_before_a_fault_is_kept() {
        let cut =
            parse(b"<urlset><url><loc>https://a.test/1</loc></url><url><loc>https://a.test/2</loc><last");
        assert_eq!(
            (pages(&cut), cut.truncated),
            (vec!["https://a.test/1", "https://a.test/2"], true)
        );
        // The rest of this address is missing: better none than a wrong one.
        let cut = parse(b"<urlset><url><loc>https://a.test/1</loc></url><url><loc>https://a.test/2");
        assert_eq!((pages(&cut), cut.truncated), (vec!["https://a.test/1"], true));
    }
}
