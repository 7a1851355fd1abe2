//! What the addresses on a page, and its own, say about the kind of page.

use std::sync::LazyLock;

use scenthound_types::CanonicalUrl;

use super::substrings::Substrings;

/// Kinds of addresses.
pub(crate) const KINDS: [&str; 15] = [
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
];

/// Parts of addresses and the kinds they speak for.
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
];

static AUTOMATON: LazyLock<Substrings> = LazyLock::new(|| {
    Substrings::new(
        PARTS
            .iter()
            .zip(0_u8..)
            .flat_map(|(parts, kind)| parts.iter().map(move |part| (*part, kind))),
    )
});

/// The kinds an address speaks for, as bits in the order of [`KINDS`].
pub(crate) fn kinds(address: &str) -> u32 {
    let mut bits = 0;
    // The scheme says nothing, and an address that goes on for ever no more than its beginning.
    let bytes = address.as_bytes();
    AUTOMATON.each(bytes.get(6..bytes.len().min(200)).unwrap_or_default(), |kind| {
        bits |= 1 << kind
    });
    bits
}

/// What the shape of a page's own address tells.
#[derive(Clone, Copy, Default)]
pub(crate) struct Shape {
    pub(crate) depth: u32,
    pub(crate) path_bytes: u32,
    pub(crate) parameters: u32,
    /// Hyphens and underscores of the last part: words of a title.
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

/// Whether a path holds `/2024/05` or `2024-05`.
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
    #![allow(clippy::unwrap_used, reason = "tests may stop at the first surprise")]

    use super::*;

    #[test]
    fn the_shape_of_an_address_is_counted() {
        let url = CanonicalUrl::parse("https://blog.example.org/2024/05/my-first-post.html?a=1&b=2").unwrap();
        let shape = Shape::of(&url);
        assert!(shape.has_date && shape.has_file_ending && !shape.is_folder);
        assert_eq!((shape.depth, shape.parameters, shape.slug_words), (3, 2, 2));
        assert!(!has_date("/20245/1") && !has_date("/t/2024"));
    }

    #[test]
    fn an_address_speaks_for_kinds() {
        let bits = kinds("https://example.org/blog/tag/tea");
        let told: Vec<&str> = KINDS
            .iter()
            .enumerate()
            .filter(|(n, _)| bits & (1 << n) != 0)
            .map(|(_, k)| *k)
            .collect();
        assert_eq!(told, ["tag", "post"]);
        assert_eq!(kinds("x"), 0);
    }
}
