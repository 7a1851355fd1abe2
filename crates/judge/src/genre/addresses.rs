//! What the URLs on a page, and its own URL, say about the kind of page.

use std::sync::LazyLock;

use scenthound_types::CanonicalUrl;

use super::substrings::{State, Substrings};

/// Kinds of URLs.
pub(crate) const KINDS: [&str; 17] = [
    "tag",
    "archive",
    "post",
    "news",
    "shop",
    "forum",
    "documentation",
    "account",
    "service",
    "course",
    "job",
    "media",
    "social",
    "feed",
    "file",
    "picture",
    "player",
];

/// Parts of URLs and the kinds they indicate.
const PARTS: [&[&str]; KINDS.len()] = [
    &[
        "/tag/",
        "/tags/",
        "/category/",
        "/categories/",
        "/label/",
        "/labels/",
    ],
    &["/archive", "/page/", "?page=", "&page=", "/20", "/19"],
    &["/blog", "blog.", "/post/", "/posts/", "/p/", "/author/"],
    &["/news", "news.", "/article", "/story", "/press"],
    &[
        "/product",
        "/shop",
        "/cart",
        "/collection",
        "/checkout",
        "/store",
        "/basket",
        "/item",
        "shop.",
        "store.",
        "/buy",
        "/dp/",
        "/wishlist",
    ],
    &[
        "forum",
        "/thread",
        "/topic",
        "viewtopic",
        "showthread",
        "/discussion",
        "/member",
        "/u/",
        "/user",
        "/question",
        "/comments/",
        "/r/",
        "community",
        "/t/",
    ],
    &[
        "/doc",
        "docs.",
        "/manual",
        "/reference",
        "/api",
        "/guide",
        "/tutorial",
        "/wiki",
        "/help",
        "/learn",
    ],
    &[
        "/login",
        "/signin",
        "/sign-in",
        "/register",
        "/account",
        "/signup",
        "/sign-up",
    ],
    &[
        "/service",
        "/pricing",
        "/contact",
        "/about",
        "/solution",
        "/book",
        "/appointment",
        "/demo",
        "/quote",
        "/customers",
    ],
    &[
        "/course",
        "/lecture",
        "syllabus",
        "/assignment",
        "/homework",
        "/hw",
        "/lab",
        "/schedule",
        "/slides",
    ],
    &["/job", "/career", "/vacanc", "/positions"],
    &[
        "/photo",
        "/galler",
        "/image",
        "/video",
        "/watch",
        "/album",
        "youtube.com/watch",
        "youtu.be/",
    ],
    &[
        "facebook.com",
        "twitter.com",
        "instagram.com",
        "linkedin.com",
        "//x.com",
        "youtube.com",
        "pinterest.com",
        "t.me/",
    ],
    &["/feed", "/rss", ".rss", "atom.xml", "rss.xml", "index.xml"],
    &[".pdf", ".zip", ".ppt", ".doc", ".ipynb", ".gz", ".ps"],
    &[".jpg", ".jpeg", ".png", ".gif", ".webp"],
    &[
        "youtube.com/embed",
        "player.vimeo",
        "/embed/",
        "vimeo.com/",
        "dailymotion.com/",
    ],
];

static AUTOMATON: LazyLock<Substrings> = LazyLock::new(|| {
    Substrings::new(
        PARTS
            .iter()
            .zip(0_u8..)
            .flat_map(|(parts, kind)| parts.iter().map(move |part| (*part, kind))),
    )
});

/// Where a URL starts to be informative; the scheme is not.
const FROM: usize = 6;
/// The rest of an endless URL adds nothing to its beginning.
const TO: usize = 200;

/// Finds the kinds of one URL after another. Most share their host with the previous one, so the host is read once.
#[derive(Default)]
pub(crate) struct Reader<'a> {
    origin: &'a str,
    /// The state after the origin.
    state: State,
    bits: u32,
}

impl<'a> Reader<'a> {
    /// The kinds a URL indicates, as bits in the order of [`KINDS`].
    pub(crate) fn kinds(&mut self, url: &'a CanonicalUrl) -> u32 {
        let automaton = &*AUTOMATON;
        let bytes = url.as_str().as_bytes();
        let end = bytes.len().min(TO);
        let origin = url.origin();
        let between = origin.len().min(end);
        if origin != self.origin {
            let mut bits = 0;
            let head = bytes.get(FROM..between).unwrap_or_default();
            self.state = automaton.each_after(State::default(), head, |kind| bits |= 1 << kind);
            self.bits = bits;
            self.origin = origin;
        }
        let mut bits = self.bits;
        let tail = bytes.get(between..end).unwrap_or_default();
        automaton.each_after(self.state, tail, |kind| bits |= 1 << kind);
        bits
    }
}

/// The shape of a page's own URL.
#[derive(Clone, Copy, Default)]
pub(crate) struct Shape {
    pub(crate) depth: u32,
    pub(crate) path_bytes: u32,
    pub(crate) parameters: u32,
    /// Hyphens and underscores in the last part: the words of a title.
    pub(crate) slug_words: u32,
    pub(crate) digits: u32,
    /// The length of the longest run of digits in the last part: numbers of threads and products.
    pub(crate) number: u32,
    pub(crate) has_date: bool,
    pub(crate) has_file_ending: bool,
    pub(crate) is_folder: bool,
    pub(crate) labels_of_host: u32,
}

impl Shape {
    pub(crate) fn of(url: &CanonicalUrl) -> Shape {
        let path = url.path();
        let last = path.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
        let count = |text: &str, is: fn(u8) -> bool| text.bytes().filter(|byte| is(*byte)).count() as u32;
        let query = url.path_and_query().split_once('?').map(|(_, query)| query);
        let mut number = 0;
        let mut run = 0;
        for byte in last.bytes() {
            run = if byte.is_ascii_digit() { run + 1 } else { 0 };
            number = number.max(run);
        }
        Shape {
            depth: path.split('/').filter(|part| !part.is_empty()).count() as u32,
            path_bytes: path.len() as u32,
            parameters: query.map_or(0, |query| query.split('&').count() as u32),
            slug_words: count(last, |byte| matches!(byte, b'-' | b'_' | b'+')),
            digits: count(path, |byte| byte.is_ascii_digit()),
            number,
            has_date: has_date(path),
            has_file_ending: last.contains('.'),
            is_folder: path.ends_with('/'),
            labels_of_host: count(url.host(), |byte| byte == b'.'),
        }
    }
}

/// Whether a path contains `/2024/05` or `2024-05`.
fn has_date(path: &str) -> bool {
    path.as_bytes().windows(7).any(|window| {
        let [a, b, c, d, between, e, f] = window else {
            return false;
        };
        matches!((a, b), (b'1', b'9') | (b'2', b'0'))
            && [c, d, e, f].iter().all(|byte| byte.is_ascii_digit())
            && matches!(between, b'/' | b'-')
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed step is a failed test")]

    use super::*;

    #[test]
    fn the_shape_of_a_url_is_counted() {
        let url = CanonicalUrl::parse("https://blog.example.org/2024/05/my-first-post.html?a=1&b=2").unwrap();
        let shape = Shape::of(&url);
        assert!(shape.has_date && shape.has_file_ending && !shape.is_folder);
        assert_eq!((shape.depth, shape.parameters, shape.slug_words), (3, 2, 2));
        assert!(!has_date("/20245/1") && !has_date("/t/2024"));
    }

    #[test]
    fn a_url_indicates_kinds() {
        let told = |bits: u32| -> Vec<&str> {
            (0..)
                .zip(KINDS)
                .filter(|(n, _)| bits & (1 << n) != 0)
                .map(|(_, kind)| kind)
                .collect()
        };
        // The same host twice, another host, and a part that extends across the end of the host.
        let urls = [
            "https://example.org/blog/tag/tea",
            "https://example.org/cart",
            "http://blog.example.org/x",
            "https://x.com",
            "https://youtu.be/x",
        ]
        .map(|url| CanonicalUrl::parse(url).unwrap());
        let mut reader = Reader::default();
        let kinds = urls.each_ref().map(|url| told(reader.kinds(url)));
        assert_eq!(kinds[0], ["tag", "post"]);
        assert_eq!(kinds[1], ["shop"]);
        assert_eq!(kinds[2], ["post"]);
        assert_eq!(kinds[3], ["social"]);
        assert_eq!(kinds[4], ["media"]);
    }
}
