//! Galleries, told by what they are made of: small pictures that link to large ones, and little else.
//!
//! The recorded webs have hardly any galleries to learn from, and what pages declare does not help, so this is a rule. It finds
//! pages whose thumbnails link to picture files. Galleries that show large pictures without links, or whose thumbnails link to
//! pages, are deliberately absent: such pages look like articles and lists.

use scenthound_types::ParsedPage;

/// How sure the rule is: it finds 14 pages on the recorded webs, and 12 of them are galleries, which makes (12 + 1) / (14 + 2) by
/// the rule of succession.
pub(super) const CONFIDENCE: f64 = 0.81;

/// The class of galleries.
pub(super) const CLASS: &str = "image";

/// The fewest thumbnails.
const LEAST: usize = 6;
/// The most words for each of them.
const WORDS_EACH: usize = 30;
/// The endings of picture files.
const PICTURES: [&str; 7] = ["jpg", "jpeg", "png", "gif", "webp", "avif", "tif"];

/// Whether two thirds of a page's links are thumbnails that lead to their pictures, and it has few words.
pub(super) fn is_gallery(page: &ParsedPage) -> bool {
    // A link without words of its own to a picture is a smaller picture, or an empty element.
    let is_thumbnail = |path: &str| {
        let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
        PICTURES
            .iter()
            .any(|picture| picture.eq_ignore_ascii_case(ending))
    };
    let links = page.links.iter();
    let thumbnails = links
        .filter(|link| link.anchor.is_empty() && is_thumbnail(link.url.path()))
        .count();
    thumbnails >= LEAST
        && 3 * thumbnails >= 2 * page.links.len()
        && page.text.tokens().iter().filter(|token| token.is_word()).count() <= WORDS_EACH * thumbnails
}
