//! A recorded web in memory: what each URL returns, and every page's words and links in few bytes.
//!
//! Words are numbers in one vocabulary, stored as variable-length integers, so a page costs about two bytes per word. The
//! targets of all links are in one flat array: crawling by links alone never touches a word.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use scenthound_judge::PageText;
use scenthound_types::{
    CanonicalUrl, Keyring, Language, Link, LinkSource, LinkWords, MainWords, PageDirectives, PageHints,
    ParsedPage, Rel, TagCounts, Text, Token, TokenRange,
};

use crate::recorded::encode::{Bytes, put, put_str};
use crate::web::LinkTexts;

/// Number of a URL that was recorded or linked to, in the order of first mention.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct UrlId(pub u32);

/// Number of a page, in the order recorded.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct PageId(pub u32);

/// What a URL returns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Spot {
    /// It was not requested when the web was recorded.
    NotRecorded,
    /// A page.
    Page(PageId),
    /// A redirect.
    Redirect {
        /// The HTTP status.
        status: u16,
        /// The target.
        to: UrlId,
    },
    /// A status that is neither a page nor a redirect, or a redirect without a valid target.
    Status(u16),
    /// A body that is not text.
    NoText,
    /// A robots.txt, kept as the server sent it.
    Rules(u32),
}

/// The keys are already hashes, so they are used as they are.
#[derive(Clone, Copy, Default)]
pub(crate) struct AsIs(u64);

impl Hasher for AsIs {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, _bytes: &[u8]) {}

    fn write_u64(&mut self, number: u64) {
        self.0 = number;
    }
}

pub(crate) type ByHash<V> = HashMap<u64, V, BuildHasherDefault<AsIs>>;

/// The seed of the keys by which URLs are looked up here; any fixed number will do.
pub(crate) const KEYS: u64 = 0x5ce7_4b01;

/// A recorded web.
#[derive(Default)]
pub struct RecordedWeb {
    pub(crate) urls: Vec<CanonicalUrl>,
    pub(crate) by_url: ByHash<u32>,
    pub(crate) spots: Vec<Spot>,
    /// How the archive spells the URL, if that differs from the canonical spelling.
    pub(crate) spelled: HashMap<u32, String>,
    /// The URL of each page.
    pub(crate) page_urls: Vec<UrlId>,
    /// Where each page's bytes begin, and at the end where the last page's bytes end.
    pub(crate) page_starts: Vec<u64>,
    pub(crate) bytes: Vec<u8>,
    /// Where each page's targets begin, and at the end where the last page's targets end.
    pub(crate) link_starts: Vec<u32>,
    pub(crate) targets: Vec<UrlId>,
    pub(crate) words: Vocabulary,
    pub(crate) rules: Vec<Vec<u8>>,
    /// What is wrong with the archive, in sentences.
    pub(crate) warnings: Vec<String>,
    pub(crate) texts: LinkTexts,
}

/// Every word of the web, once. Number 0 is the break between blocks.
pub(crate) struct Vocabulary {
    pub(crate) tokens: Vec<Token>,
    pub(crate) ends: Vec<u32>,
    pub(crate) spellings: String,
    numbers: ByHash<u32>,
}

impl Default for Vocabulary {
    fn default() -> Vocabulary {
        Vocabulary {
            tokens: vec![Token::BREAK],
            ends: vec![0],
            spellings: String::new(),
            numbers: ByHash::default(),
        }
    }
}

impl Vocabulary {
    fn number(&mut self, token: Token, spelling: &str) -> u32 {
        if !token.is_word() {
            return 0;
        }
        let next = self.tokens.len() as u32;
        let number = *self.numbers.entry(token.hash()).or_insert(next);
        if number == next {
            self.tokens.push(token);
            self.spellings.push_str(spelling);
            self.ends.push(self.spellings.len() as u32);
        }
        number
    }

    /// A vocabulary from the cache; no more words can be added.
    pub(crate) fn from_spellings(ends: Vec<u32>, spellings: String) -> Vocabulary {
        let mut start = 0;
        let tokens = ends
            .iter()
            .map(|end| {
                let spelling = spellings.get(start..*end as usize).unwrap_or_default();
                start = *end as usize;
                if spelling.is_empty() {
                    Token::BREAK
                } else {
                    Token::of(spelling)
                }
            })
            .collect();
        Vocabulary {
            tokens,
            ends,
            spellings,
            numbers: ByHash::default(),
        }
    }

    fn spelling(&self, number: u32) -> &str {
        let end = self.ends.get(number as usize).copied().unwrap_or(0) as usize;
        let start = (number as usize)
            .checked_sub(1)
            .and_then(|before| self.ends.get(before))
            .copied();
        self.spellings
            .get(start.unwrap_or(0) as usize..end)
            .unwrap_or_default()
    }

    fn put_text(&mut self, text: &Text, out: &mut Vec<u8>) {
        put(out, text.len().into());
        for (position, token) in text.tokens().iter().enumerate() {
            let number = self.number(*token, text.spelling(position as u32));
            put(out, number.into());
        }
    }

    fn read_text(&self, bytes: &mut Bytes<'_>, words: Words) -> Text {
        let length = bytes.number() as usize;
        let mut text = Text::with_capacity(length.min(1 << 20) * 6);
        for _ in 0..length {
            if bytes.is_empty() {
                break;
            }
            let number = bytes.small();
            match self.tokens.get(number as usize) {
                Some(token) if token.is_word() => {
                    let spelling = match words {
                        Words::Spelled => self.spelling(number),
                        Words::Tokens => "",
                    };
                    text.push_word(*token, spelling);
                }
                _ => text.push_break(),
            }
        }
        text
    }
}

/// How much of words is read.
#[derive(Clone, Copy)]
enum Words {
    Spelled,
    /// Only their numbers. The words at links are compared by these, and reading the spellings takes most of the time.
    Tokens,
}

const SOURCES: [LinkSource; 7] = [
    LinkSource::Anchor,
    LinkSource::Area,
    LinkSource::Frame,
    LinkSource::Refresh,
    LinkSource::Noscript,
    LinkSource::Head,
    LinkSource::Sitemap,
];

impl RecordedWeb {
    /// How many pages were recorded.
    pub fn pages(&self) -> usize {
        self.page_urls.len()
    }

    /// How many URLs were recorded or linked to.
    pub fn urls(&self) -> usize {
        self.urls.len()
    }

    /// Number of links on all pages.
    pub fn links_in_all(&self) -> usize {
        self.targets.len()
    }

    /// What is wrong with the archive, in sentences.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// The number of a URL, if it was ever mentioned.
    pub fn id(&self, url: &CanonicalUrl) -> Option<UrlId> {
        self.by_url
            .get(&Keyring::new(KEYS).key(url).0)
            .copied()
            .map(UrlId)
    }

    /// All URLs, by number.
    pub fn all_urls(&self) -> &[CanonicalUrl] {
        &self.urls
    }

    /// A URL by its number.
    pub fn url(&self, id: UrlId) -> Option<&CanonicalUrl> {
        self.urls.get(id.0 as usize)
    }

    /// What a URL returns, by its number.
    pub fn spot(&self, id: UrlId) -> Spot {
        self.spots
            .get(id.0 as usize)
            .copied()
            .unwrap_or(Spot::NotRecorded)
    }

    /// What a URL returns.
    pub fn find(&self, url: &CanonicalUrl) -> Spot {
        self.id(url).map_or(Spot::NotRecorded, |id| self.spot(id))
    }

    /// The page a URL leads to, through redirects.
    pub fn page_at(&self, url: &CanonicalUrl) -> Option<PageId> {
        self.resolve(self.id(url)?)
    }

    /// The page a URL leads to, through at most ten redirects.
    pub fn resolve(&self, mut id: UrlId) -> Option<PageId> {
        for _ in 0..=10 {
            match self.spot(id) {
                Spot::Page(page) => return Some(page),
                Spot::Redirect { to, .. } => id = to,
                _ => return None,
            }
        }
        None
    }

    /// The URL of a page.
    pub fn page_url(&self, page: PageId) -> Option<&CanonicalUrl> {
        self.url(self.page_url_id(page)?)
    }

    /// The number of a page's URL.
    pub fn page_url_id(&self, page: PageId) -> Option<UrlId> {
        self.page_urls.get(page.0 as usize).copied()
    }

    /// The URL of a page as the archive spells it.
    pub fn page_spelled(&self, page: PageId) -> &str {
        let Some(id) = self.page_url_id(page) else {
            return "";
        };
        match self.spelled.get(&id.0) {
            Some(spelled) => spelled,
            None => self.url(id).map_or("", |url| url.as_str()),
        }
    }

    /// The targets of a page's links, in document order, one per target.
    pub fn targets(&self, page: PageId) -> &[UrlId] {
        let at = page.0 as usize;
        let bounds = self.link_starts.get(at).zip(self.link_starts.get(at + 1));
        bounds
            .and_then(|(start, end)| self.targets.get(*start as usize..*end as usize))
            .unwrap_or_default()
    }

    /// A robots.txt as the server sent it.
    pub fn rules(&self, number: u32) -> &[u8] {
        self.rules.get(number as usize).map_or(&[], Vec::as_slice)
    }

    /// The page as it was parsed, without its main text.
    pub fn page(&self, page: PageId) -> Option<ParsedPage> {
        self.page_with(page, PageText::Page)
    }

    /// The page as it was parsed, with its main text if that is wanted.
    pub fn page_with(&self, page: PageId, wanted: PageText) -> Option<ParsedPage> {
        self.read_page(page, wanted, Words::Spelled)
    }

    /// The same without the spellings of its words.
    pub(crate) fn page_of_tokens(&self, page: PageId, wanted: PageText) -> Option<ParsedPage> {
        self.read_page(page, wanted, Words::Tokens)
    }

    fn read_page(&self, page: PageId, wanted: PageText, words: Words) -> Option<ParsedPage> {
        let at = page.0 as usize;
        let (start, end) = (*self.page_starts.get(at)?, *self.page_starts.get(at + 1)?);
        let mut bytes = Bytes::new(self.bytes.get(start as usize..end as usize)?);
        let bytes = &mut bytes;
        let title = bytes.text().to_owned();
        let language = Language::from_code(bytes.text());
        let encoding = encoding_rs::Encoding::for_label(bytes.text().as_bytes())
            .unwrap_or(encoding_rs::UTF_8)
            .name();
        let flags = bytes.byte();
        let flag = |bit: u8| flags & (1 << bit) != 0;
        let directives = PageDirectives {
            noindex: flag(0),
            nofollow: flag(1),
            noarchive: flag(2),
        };
        let truncated = flag(3);
        let visible_chars = bytes.small();
        let fingerprint = bytes.number();
        let canonical = match bytes.text() {
            "" => None,
            spelled => CanonicalUrl::from_canonical(spelled).ok(),
        };
        let tags = read_tags(bytes);
        let hints = PageHints::from_bits(bytes.number(), bytes.small(), bytes.small());
        let headings = read_runs(bytes);
        let links = self.read_links(page, bytes);
        let text = self.words.read_text(bytes, words);
        let asides = self.words.read_text(bytes, words);
        let has_main = wanted == PageText::Main && bytes.byte() == 1;
        let main = has_main.then(|| {
            let headings = read_runs(bytes);
            let text = self.words.read_text(bytes, words);
            Box::new(MainWords { text, headings })
        });
        Some(ParsedPage {
            url: self.page_url(page)?.clone(),
            title,
            text,
            headings,
            asides,
            language,
            links,
            tags,
            hints,
            visible_chars,
            directives,
            canonical,
            fingerprint,
            encoding,
            truncated,
            unread: None,
            main,
            stemmer: None,
        })
    }

    fn read_links(&self, page: PageId, bytes: &mut Bytes<'_>) -> Vec<Link> {
        let targets = self.targets(page);
        let mut links = Vec::with_capacity(targets.len());
        for target in targets {
            let how = bytes.byte();
            let mut run = || read_run(bytes);
            let (anchor, around, sentence, title) = (run(), run(), run(), run());
            let path = bytes.small();
            let times = bytes.small().min(u16::MAX.into()) as u16;
            let more = (0..bytes.byte())
                .map(|_| LinkWords {
                    anchor: read_run(bytes),
                    around: read_run(bytes),
                    sentence: read_run(bytes),
                    title: read_run(bytes),
                })
                .collect();
            let Some(url) = self.url(*target) else {
                continue;
            };
            links.push(Link {
                url: url.clone(),
                source: SOURCES
                    .get(usize::from(how >> 1))
                    .copied()
                    .unwrap_or(LinkSource::Anchor),
                anchor,
                around,
                sentence,
                title,
                rel: Rel {
                    nofollow: how & 1 != 0,
                },
                path,
                more,
                times,
            });
        }
        links
    }

    /// The number of a URL, existing or new.
    pub(crate) fn intern(&mut self, url: &CanonicalUrl) -> UrlId {
        let next = self.urls.len() as u32;
        let id = *self.by_url.entry(Keyring::new(KEYS).key(url).0).or_insert(next);
        if id == next {
            self.urls.push(url.clone());
            self.spots.push(Spot::NotRecorded);
        }
        UrlId(id)
    }

    /// Adds a page; the caller has checked that its URL has none yet.
    pub(crate) fn add_page(&mut self, page: &ParsedPage) -> PageId {
        if self.page_starts.is_empty() {
            self.page_starts.push(0);
            self.link_starts.push(0);
        }
        let number = PageId(self.page_urls.len() as u32);
        let url = self.intern(&page.url);
        self.page_urls.push(url);
        self.set_spot(url, Spot::Page(number));
        for link in &page.links {
            let target = self.intern(&link.url);
            self.targets.push(target);
        }
        self.link_starts.push(self.targets.len() as u32);
        let mut out = std::mem::take(&mut self.bytes);
        put_str(&mut out, &page.title);
        put_str(
            &mut out,
            page.language.as_ref().map_or("", |language| language.code()),
        );
        put_str(&mut out, page.encoding);
        let bits = [
            page.directives.noindex,
            page.directives.nofollow,
            page.directives.noarchive,
            page.truncated,
        ];
        out.push(
            bits.iter()
                .enumerate()
                .map(|(bit, on)| u8::from(*on) << bit)
                .sum(),
        );
        put(&mut out, page.visible_chars.into());
        put(&mut out, page.fingerprint);
        put_str(&mut out, page.canonical.as_ref().map_or("", |url| url.as_str()));
        put_tags(&page.tags, &mut out);
        put(&mut out, page.hints.bits());
        put(&mut out, page.hints.prices.into());
        put(&mut out, page.hints.feeds.into());
        put(&mut out, page.headings.len() as u64);
        for run in &page.headings {
            put_run(run, &mut out);
        }
        for link in &page.links {
            let source = SOURCES
                .iter()
                .position(|source| *source == link.source)
                .unwrap_or(0) as u8;
            out.push(source << 1 | u8::from(link.rel.nofollow));
            for run in [&link.anchor, &link.around, &link.sentence, &link.title] {
                put_run(run, &mut out);
            }
            put(&mut out, link.path.into());
            put(&mut out, link.times.into());
            let more = link
                .more
                .get(..link.more.len().min(u8::MAX.into()))
                .unwrap_or_default();
            out.push(more.len() as u8);
            for words in more {
                for run in [&words.anchor, &words.around, &words.sentence, &words.title] {
                    put_run(run, &mut out);
                }
            }
        }
        self.words.put_text(&page.text, &mut out);
        self.words.put_text(&page.asides, &mut out);
        // Last, because it is seldom read.
        out.push(page.main.is_some().into());
        if let Some(main) = page.main.as_deref() {
            put(&mut out, main.headings.len() as u64);
            for run in &main.headings {
                put_run(run, &mut out);
            }
            self.words.put_text(&main.text, &mut out);
        }
        self.page_starts.push(out.len() as u64);
        self.bytes = out;
        number
    }

    pub(crate) fn set_spot(&mut self, url: UrlId, spot: Spot) {
        if let Some(known) = self.spots.get_mut(url.0 as usize) {
            *known = spot;
        }
    }
}

fn put_run(run: &TokenRange, out: &mut Vec<u8>) {
    put(out, run.start.into());
    put(out, run.end.saturating_sub(run.start).into());
}

fn read_run(bytes: &mut Bytes<'_>) -> TokenRange {
    let start = bytes.small();
    start..start.saturating_add(bytes.small())
}

fn read_runs(bytes: &mut Bytes<'_>) -> Vec<TokenRange> {
    let count = bytes.number() as usize;
    let mut runs = Vec::with_capacity(count.min(1 << 10));
    for _ in 0..count {
        if bytes.is_empty() {
            break;
        }
        runs.push(read_run(bytes));
    }
    runs
}

macro_rules! tags {
    ($($tag:ident)+) => {
        fn put_tags(tags: &TagCounts, out: &mut Vec<u8>) {
            // Destructured in full, so that a new field cannot be forgotten.
            let TagCounts { $($tag),+ } = *tags;
            $( put(out, $tag.into()); )+
        }

        fn read_tags(bytes: &mut Bytes<'_>) -> TagCounts {
            TagCounts { $( $tag: bytes.small() ),+ }
        }
    };
}

tags! {
    images media audios scripts forms inputs tables list_items headings paragraphs code_blocks articles times
    buttons codes definitions figures navs options quotes rows elements
}
