//! A fetched page, parsed.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::text::{Stemmer, Token, add_url_words, url_words_with};
use crate::{CanonicalUrl, Language, PageHints, Text, TokenRange};

/// Where in the markup a link was found.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum LinkSource {
    /// `<a href>`.
    Anchor,
    /// `<area href>` of an image map.
    Area,
    /// `<frame src>` or `<iframe src>`.
    Frame,
    /// `<meta http-equiv=refresh>`, or a Refresh header.
    Refresh,
    /// Any link inside `<noscript>` or `<noframes>`.
    Noscript,
    /// `<link rel>` of a kind worth following: next, prev, alternate (not stylesheets, icons and the like).
    Head,
    /// A sitemap's entry.
    Sitemap,
}

/// What a link says of itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Rel {
    /// `rel` holds nofollow, ugc or sponsored.
    pub nofollow: bool,
}

/// A link of a page. Token ranges point into [`ParsedPage::text`], but for `title`, which points into
/// [`ParsedPage::asides`].
#[derive(Clone, PartialEq, Debug)]
pub struct Link {
    /// Where it leads.
    pub url: CanonicalUrl,
    /// How it was written.
    pub source: LinkSource,
    /// The visible words of the link.
    pub anchor: TokenRange,
    /// The anchor and the words around it, 20 words in all (none added to a longer anchor).
    pub around: TokenRange,
    /// The sentence (or sentences) the link stands in.
    pub sentence: TokenRange,
    /// Words not seen as text: the title attribute and the alternative text of images in the link.
    pub title: TokenRange,
    /// What the link says of itself.
    pub rel: Rel,
    /// The elements it stands in, the innermost five, as a hash. Links of one page with the same path form a list.
    pub path: u32,
    /// The words of further links to the same URL, in document order; only the first few.
    pub more: Vec<LinkWords>,
    /// How many links to the URL the page has.
    pub times: u16,
}

/// The words at one link.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LinkWords {
    /// See [`Link::anchor`].
    pub anchor: TokenRange,
    /// See [`Link::around`].
    pub around: TokenRange,
    /// See [`Link::sentence`].
    pub sentence: TokenRange,
    /// See [`Link::title`].
    pub title: TokenRange,
}

impl Link {
    /// A link without words.
    pub fn bare(url: CanonicalUrl, source: LinkSource) -> Link {
        Link {
            url,
            source,
            anchor: TokenRange::default(),
            around: TokenRange::default(),
            sentence: TokenRange::default(),
            title: TokenRange::default(),
            rel: Rel::default(),
            path: 0,
            more: Vec::new(),
            times: 1,
        }
    }

    /// The words of all links to the URL that are kept, the main one first.
    pub fn all_words(&self) -> impl Iterator<Item = LinkWords> {
        let main = LinkWords {
            anchor: self.anchor.clone(),
            around: self.around.clone(),
            sentence: self.sentence.clone(),
            title: self.title.clone(),
        };
        std::iter::once(main).chain(self.more.iter().cloned())
    }
}

/// What the page asks of robots, by its meta elements or its X-Robots-Tag headers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct PageDirectives {
    /// Not to be kept in a collection.
    pub noindex: bool,
    /// Its links are not to be followed.
    pub nofollow: bool,
    /// Not to be archived.
    pub noarchive: bool,
}

impl PageDirectives {
    /// Adds the directives in a value such as `noindex, nofollow`. Words may be separated by commas, semicolons or any white
    /// space. Directives only add up: nothing takes a `noindex` back.
    pub fn add_words(&mut self, value: &str) {
        for word in value.split(|c: char| matches!(c, ',' | ';') || c.is_whitespace()) {
            let is = |name: &str| word.eq_ignore_ascii_case(name);
            self.noindex |= is("noindex") || is("none");
            self.nofollow |= is("nofollow") || is("none");
            self.noarchive |= is("noarchive") || is("nocache");
        }
    }

    /// Adds the directives of another source, such as the headers to those of the markup.
    pub fn add(&mut self, other: PageDirectives) {
        self.noindex |= other.noindex;
        self.nofollow |= other.nofollow;
        self.noarchive |= other.noarchive;
    }
}

/// Something worth knowing about a page that was read.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PageNote {
    /// The page asks not to be kept in a collection.
    Noindex,
    /// The page asks that its links not be followed.
    Nofollow,
    /// The page asks not to be archived.
    Noarchive,
    /// Its language is not among those wanted. It counts as irrelevant, and its links are not followed.
    UnwantedLanguage,
    /// It uses the topic's words in another sense. It counts as irrelevant, and its links are not followed.
    WrongSense,
    /// It is a document that is encrypted, so nothing of it was read.
    Encrypted,
    /// It is a document without text that can be read: a scan, say, or fonts that show shapes only.
    NoText,
}

impl PageNote {
    /// Whether pages with this note are left out of results.
    pub fn hides(self) -> bool {
        match self {
            PageNote::Noindex | PageNote::UnwantedLanguage | PageNote::WrongSense => true,
            PageNote::Nofollow | PageNote::Noarchive | PageNote::Encrypted | PageNote::NoText => false,
        }
    }
}

/// How many links of a page are not followed, by reason.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct SkippedLinks {
    /// Outside the crawl's scope.
    #[serde(skip_serializing_if = "is_zero", default)]
    pub scope: u32,
    /// To images, archives and other files that are not read, by their ending.
    #[serde(skip_serializing_if = "is_zero", default)]
    pub file_ending: u32,
    /// Marked nofollow, on the link or for the whole page.
    #[serde(skip_serializing_if = "is_zero", default)]
    pub nofollow: u32,
    /// Too many links away from a seed.
    #[serde(skip_serializing_if = "is_zero", default)]
    pub depth: u32,
    /// More links than are followed from one page.
    #[serde(skip_serializing_if = "is_zero", default)]
    pub width: u32,
    /// On a page in an unwanted language.
    #[serde(skip_serializing_if = "is_zero", default)]
    pub unwanted_language: u32,
    /// On a page that uses the topic's words in another sense.
    #[serde(skip_serializing_if = "is_zero", default)]
    pub wrong_sense: u32,
    /// On a page that repeats another.
    #[serde(skip_serializing_if = "is_zero", default)]
    pub duplicate: u32,
    /// To more new hosts than one page or one domain may lead to.
    #[serde(skip_serializing_if = "is_zero", default)]
    pub new_hosts: u32,
    /// To hosts of which more URLs wait than will be fetched.
    #[serde(skip_serializing_if = "is_zero", default)]
    pub full_host: u32,
}

impl SkippedLinks {
    /// All of them.
    pub fn total(&self) -> u32 {
        let by_page = self.unwanted_language + self.wrong_sense + self.duplicate;
        let by_host = self.new_hosts + self.full_host;
        self.scope + self.file_ending + self.nofollow + self.depth + self.width + by_host + by_page
    }
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_zero(count: &u32) -> bool {
    *count == 0
}

/// How many of each telling element the page has.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[allow(missing_docs)]
pub struct TagCounts {
    pub images: u32,
    /// video, embed, object, audio and frames of video players.
    pub media: u32,
    /// audio, which media includes.
    pub audios: u32,
    pub scripts: u32,
    pub forms: u32,
    pub inputs: u32,
    pub tables: u32,
    pub list_items: u32,
    pub headings: u32,
    pub paragraphs: u32,
    pub code_blocks: u32,
    pub articles: u32,
    pub times: u32,
    pub buttons: u32,
    /// code elements, within lines too.
    pub codes: u32,
    /// Terms of definition lists.
    pub definitions: u32,
    pub figures: u32,
    pub navs: u32,
    /// Choices of select elements.
    pub options: u32,
    /// blockquote.
    pub quotes: u32,
    /// Rows of tables.
    pub rows: u32,
    /// All elements.
    pub elements: u32,
}

/// Why nothing could be read of a document.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unread {
    /// It is encrypted.
    Encrypted,
    /// It has no text, or none that says which characters it shows.
    NoText,
}

/// The words of a page without menus, footers and other boilerplate.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct MainWords {
    /// The words, the title's first as a block of their own.
    pub text: Text,
    /// The headings, as runs of the text.
    pub headings: Vec<TokenRange>,
}

/// A fetched page, parsed.
#[derive(Clone, PartialEq, Debug)]
pub struct ParsedPage {
    /// The address it was read from, after redirects.
    pub url: CanonicalUrl,
    /// The title as written, white space folded.
    pub title: String,
    /// The visible words, the title's first as a block of their own.
    pub text: Text,
    /// The headings, as runs of the text.
    pub headings: Vec<TokenRange>,
    /// Words that are not visible text: title attributes and alternative texts of links.
    pub asides: Text,
    /// The language detected; none when the text is too short to tell.
    pub language: Option<Language>,
    /// The links in document order, one per target.
    pub links: Vec<Link>,
    /// Counted elements.
    pub tags: TagCounts,
    /// What the markup says about the kind of page.
    pub hints: PageHints,
    /// Visible characters, white space folded.
    pub visible_chars: u32,
    /// What the page's own markup asks of robots.
    pub directives: PageDirectives,
    /// The address the page says it should be known by.
    pub canonical: Option<CanonicalUrl>,
    /// Similar pages have fingerprints that differ in few bits (a simhash).
    pub fingerprint: u64,
    /// The character encoding the bytes were read in.
    pub encoding: &'static str,
    /// Whether a limit cut the page short.
    pub truncated: bool,
    /// Why nothing could be read, if it is a document without words.
    pub unread: Option<Unread>,
    /// The main text, if it was asked for and is not the whole text.
    pub main: Option<Box<MainWords>>,
    /// What reduced the words of `text` and `asides` to their stems; none if they are as they were read.
    pub stemmer: Option<Stemmer>,
}

impl ParsedPage {
    /// The page as if it held nothing but its main text; none if the main text is not known.
    pub fn of_main_text(&self) -> Option<ParsedPage> {
        let main = self.main.as_deref()?;
        Some(ParsedPage {
            title: self.title.clone(),
            text: main.text.clone(),
            headings: main.headings.clone(),
            language: self.language,
            tags: self.tags,
            hints: self.hints,
            visible_chars: self.visible_chars,
            directives: self.directives,
            canonical: self.canonical.clone(),
            fingerprint: self.fingerprint,
            encoding: self.encoding,
            truncated: self.truncated,
            unread: self.unread,
            ..ParsedPage::blank(self.url.clone())
        })
    }

    /// A page with nothing on it: the start for pages made by hand.
    pub fn blank(url: CanonicalUrl) -> ParsedPage {
        ParsedPage {
            url,
            title: String::new(),
            text: Text::default(),
            headings: Vec::new(),
            asides: Text::default(),
            language: None,
            links: Vec::new(),
            tags: TagCounts::default(),
            hints: PageHints::default(),
            visible_chars: 0,
            directives: PageDirectives::default(),
            canonical: None,
            fingerprint: 0,
            encoding: "UTF-8",
            truncated: false,
            unread: None,
            main: None,
            stemmer: None,
        }
    }

    /// Reduces the page's words to their stems; without a stemmer, brings back the words as they were read.
    pub fn stem(&mut self, stemmer: Option<Stemmer>) {
        if self.stemmer != stemmer {
            self.text.stem(stemmer);
            self.asides.stem(stemmer);
            if let Some(main) = &mut self.main {
                main.text.stem(stemmer);
            }
            self.stemmer = stemmer;
        }
    }

    /// The page with its words as they were read, for models that were not trained on stems.
    pub fn as_read(&self) -> Cow<'_, ParsedPage> {
        if self.stemmer.is_none() {
            return Cow::Borrowed(self);
        }
        let mut page = self.clone();
        page.stem(None);
        Cow::Owned(page)
    }

    /// The words of a URL, or of a part of one, in the form that the page's own words have.
    pub fn url_words(&self, url: &str) -> Vec<Token> {
        url_words_with(url, self.stemmer)
    }

    /// The words of URLs that the page links to.
    pub fn link_url_words(&self) -> LinkUrlWords<'_> {
        LinkUrlWords::new(self.stemmer)
    }
}

/// Finds the words of one URL after another. Most links of a page stay on its site, so the words of an origin are kept until
/// another one comes.
#[derive(Clone, Debug)]
pub struct LinkUrlWords<'p> {
    stemmer: Option<Stemmer>,
    origin: &'p str,
    of_origin: usize,
    words: Vec<Token>,
}

impl<'p> LinkUrlWords<'p> {
    fn new(stemmer: Option<Stemmer>) -> LinkUrlWords<'p> {
        LinkUrlWords {
            stemmer,
            origin: "",
            of_origin: 0,
            words: Vec::new(),
        }
    }

    /// The words of a URL.
    pub fn of(&mut self, url: &'p CanonicalUrl) -> UrlWords<'_> {
        if url.origin() != self.origin {
            self.origin = url.origin();
            self.words.clear();
            add_url_words(self.origin, self.stemmer, &mut self.words);
            self.of_origin = self.words.len();
        }
        // A path begins with a separator, so no word is in both parts.
        self.words.truncate(self.of_origin);
        add_url_words(url.path_and_query(), self.stemmer, &mut self.words);
        UrlWords {
            whole: &self.words,
            after_origin: self.words.get(self.of_origin..).unwrap_or_default(),
        }
    }
}

/// The words of a URL in the form that the words of the page have that links to it.
#[derive(Clone, Copy, Debug, Default)]
pub struct UrlWords<'w> {
    /// All of them.
    pub whole: &'w [Token],
    /// Those of path and query.
    pub after_origin: &'w [Token],
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_a_url_are_those_of_its_origin_and_of_the_rest() {
        let urls = [
            "http://a.test/one/Two_three.html?x=caf%C3%A9",
            "http://a.test/",
            "http://[::1]:8080/%CC%81b",
            "http://a.test:81/one",
        ]
        .map(|url| CanonicalUrl::parse(url).unwrap());
        for stemmer in [None, Stemmer::of(Language::ENGLISH)] {
            let mut words = LinkUrlWords::new(stemmer);
            for url in &urls {
                let found = words.of(url);
                assert_eq!(found.whole, url_words_with(url.as_str(), stemmer), "{url}");
                assert_eq!(
                    found.after_origin,
                    url_words_with(url.path_and_query(), stemmer),
                    "{url}"
                );
            }
        }
    }

    fn read(value: &str) -> [bool; 3] {
        let mut directives = PageDirectives::default();
        directives.add_words(value);
        [directives.noindex, directives.nofollow, directives.noarchive]
    }

    #[test]
    fn directives_may_be_separated_by_any_white_space() {
        for value in [
            "noindex,nofollow",
            "noindex nofollow",
            "NOINDEX\tnofollow",
            "noindex;\nNoFollow",
        ] {
            assert_eq!(read(value), [true, true, false], "{value:?}");
        }
    }

    #[test]
    fn unknown_words_are_ignored() {
        assert_eq!(read("index, follow, max-snippet:-1, noimageindex"), [false; 3]);
        assert_eq!(read("none"), [true, true, false]);
        assert_eq!(read("nocache"), [false, false, true]);
        assert_eq!(read("index, NoArchive"), [false, false, true]);
    }
}
