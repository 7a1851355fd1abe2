//! What the lab crawls: parsed pages, by number.
//!
//! Crawling by links alone must not touch any words, so links and pages are fetched separately.

use crate::recorded::{PageId, RecordedWeb, Spot};
use std::sync::{Arc, OnceLock};

use scenthound_engine::{FoundLink, link_tokens};
use scenthound_judge::PageText;
use scenthound_types::{CanonicalUrl, Keyring, LinkTokens, ParsedPage, UrlKey};

/// What a URL returns.
#[derive(Clone, Debug, PartialEq)]
pub enum Reply {
    /// It was not requested when the web was recorded.
    NotRecorded,
    /// A page, by number.
    Page(PageId),
    /// A redirect.
    Redirect {
        /// The HTTP status.
        status: u16,
        /// The target.
        to: CanonicalUrl,
    },
    /// A status without a page.
    Status(u16),
    /// A body that is not text.
    NoText,
    /// A robots.txt, as the server sent it.
    Rules(Vec<u8>),
}

/// The words at a link, and where on its page it stands.
#[derive(Clone, Debug)]
pub struct LinkText {
    /// See [`Link::path`].
    pub path: u32,
    /// The words, as a crawl is told them.
    pub tokens: Arc<LinkTokens>,
}

impl LinkText {
    fn of_page(page: &ParsedPage) -> Arc<[LinkText]> {
        let mut urls = page.link_url_words();
        let links = page.links.iter();
        links
            .map(|link| LinkText {
                path: link.path,
                tokens: Arc::new(link_tokens(page, link, urls.of(&link.url))),
            })
            .collect()
    }
}

/// The texts of links by page, each read from its page once.
#[derive(Default)]
pub(crate) struct LinkTexts(OnceLock<Vec<OnceLock<Arc<[LinkText]>>>>);

/// A web whose pages are already parsed.
pub trait Web: Send + Sync {
    /// How many pages it has; they are numbered from 0.
    fn pages(&self) -> usize;

    /// What a URL returns.
    fn find(&self, url: &CanonicalUrl) -> Reply;

    /// A page, parsed.
    fn page(&self, page: PageId) -> Option<ParsedPage> {
        self.page_with(page, PageText::Page)
    }

    /// A page, parsed, with its main text if that is wanted.
    fn page_with(&self, page: PageId, wanted: PageText) -> Option<ParsedPage>;

    /// The same, for those who read no spellings. They may be missing.
    fn page_of_tokens(&self, page: PageId, wanted: PageText) -> Option<ParsedPage> {
        self.page_with(page, wanted)
    }

    /// A page's URL as the web itself spells it.
    fn spelled(&self, page: PageId) -> String;

    /// The links of pages, with the keys that a crawl knows them by.
    fn links(&self, keyring: Keyring) -> Box<dyn Links + '_>;

    /// The words and the path of each link of a page, in the order of [`Links::of`].
    fn link_texts(&self, page: PageId) -> Arc<[LinkText]> {
        self.page(page)
            .map_or_else(Arc::default, |page| LinkText::of_page(&page))
    }

    /// The page a URL leads to, through at most ten redirects.
    fn page_at(&self, url: &CanonicalUrl) -> Option<PageId> {
        let mut url = url.clone();
        for _ in 0..=10 {
            match self.find(&url) {
                Reply::Page(page) => return Some(page),
                Reply::Redirect { to, .. } => url = to,
                _ => return None,
            }
        }
        None
    }

    /// The pages a page's links lead to, through redirects.
    fn neighbours(&self, page: PageId, out: &mut Vec<PageId>);
}

/// The links of pages, with one crawl's keys.
pub trait Links: Send + Sync {
    /// Adds the page's links in document order, one per target.
    fn of(&self, page: PageId, out: &mut Vec<FoundLink>);
}

impl Web for RecordedWeb {
    fn pages(&self) -> usize {
        RecordedWeb::pages(self)
    }

    fn find(&self, url: &CanonicalUrl) -> Reply {
        match RecordedWeb::find(self, url) {
            Spot::NotRecorded => Reply::NotRecorded,
            Spot::Page(page) => Reply::Page(page),
            Spot::Redirect { status, to } => match self.url(to) {
                Some(to) => Reply::Redirect {
                    status,
                    to: to.clone(),
                },
                None => Reply::NotRecorded,
            },
            Spot::Status(status) => Reply::Status(status),
            Spot::NoText => Reply::NoText,
            Spot::Rules(number) => Reply::Rules(self.rules(number).to_vec()),
        }
    }

    fn page_with(&self, page: PageId, wanted: PageText) -> Option<ParsedPage> {
        RecordedWeb::page_with(self, page, wanted)
    }

    fn page_of_tokens(&self, page: PageId, wanted: PageText) -> Option<ParsedPage> {
        RecordedWeb::page_of_tokens(self, page, wanted)
    }

    fn spelled(&self, page: PageId) -> String {
        self.page_spelled(page).to_owned()
    }

    fn links(&self, keyring: Keyring) -> Box<dyn Links + '_> {
        Box::new(RecordedLinks {
            web: self,
            keys: self.all_urls().iter().map(|url| keyring.key(url)).collect(),
        })
    }

    fn link_texts(&self, page: PageId) -> Arc<[LinkText]> {
        let read = || {
            let parsed = RecordedWeb::page_of_tokens(self, page, PageText::Page);
            parsed.map_or_else(Arc::default, |page| LinkText::of_page(&page))
        };
        let pages = || (0..RecordedWeb::pages(self)).map(|_| OnceLock::new()).collect();
        match self.texts.0.get_or_init(pages).get(page.0 as usize) {
            Some(kept) => Arc::clone(kept.get_or_init(read)),
            None => read(),
        }
    }

    fn neighbours(&self, page: PageId, out: &mut Vec<PageId>) {
        out.extend(
            self.targets(page)
                .iter()
                .filter_map(|target| self.resolve(*target)),
        );
    }
}

struct RecordedLinks<'w> {
    web: &'w RecordedWeb,
    /// By URL number: hashing each URL once is cheaper than once per link.
    keys: Vec<UrlKey>,
}

impl Links for RecordedLinks<'_> {
    fn of(&self, page: PageId, out: &mut Vec<FoundLink>) {
        out.extend(self.web.targets(page).iter().filter_map(|target| {
            Some(FoundLink {
                url: self.web.url(*target)?.clone(),
                key: *self.keys.get(target.0 as usize)?,
                path: 0,
                snippets: None,
                place: None,
                evidence: None,
                tokens: None,
            })
        }));
    }
}
