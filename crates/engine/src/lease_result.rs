//! What a driver brings back for a lease.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use scenthound_judge::Lesson;
use scenthound_types::{
    CanonicalUrl, Evidence, Judgement, Keyring, Language, Lease, LinkPlace, LinkTokens, Outcome,
    PageDirectives, PageNote, PageWords, Requisite, SkippedLinks, SnippetScores, Timestamp, Truncation,
    Unread, UrlKey,
};

use crate::access::Access;

/// A link of a processed page that may be followed.
#[derive(Clone, Debug, PartialEq)]
pub struct FoundLink {
    /// Where it leads.
    pub url: CanonicalUrl,
    /// The target's key.
    pub key: UrlKey,
    /// The elements it stands in, as a hash; 0 where unknown.
    pub path: u32,
    /// Scores of the words around it, for strategies that need them.
    pub snippets: Option<SnippetScores>,
    /// Its place among the links of a context graph, for strategies that need it.
    pub place: Option<LinkPlace>,
    /// The words at the link, for strategies that need them.
    pub evidence: Option<Box<Evidence>>,
    /// The words at the link as short hashes, for strategies that take notes.
    pub tokens: Option<Arc<LinkTokens>>,
}

impl FoundLink {
    /// A link known only by its target.
    pub fn plain(url: CanonicalUrl, keyring: Keyring) -> FoundLink {
        FoundLink {
            key: keyring.key(&url),
            url,
            path: 0,
            snippets: None,
            place: None,
            evidence: None,
            tokens: None,
        }
    }
}

/// A page, parsed and judged: what is kept of it once the bytes are dropped.
#[derive(Clone, Debug, PartialEq)]
pub struct ProcessedPage {
    /// Its title.
    pub title: String,
    /// Its language, where it could be detected.
    pub language: Option<Language>,
    /// The judgement, after the rules have been applied.
    pub judgement: Judgement,
    /// Set once a strategy has changed the judgement: the packed metadata record is then out of date.
    pub is_revised: bool,
    /// The links that may be followed, one per target, in document order.
    pub links: Vec<FoundLink>,
    /// The page's words, for strategies that need them.
    pub words: Option<Box<PageWords>>,
    /// The links that may not be followed.
    pub skipped: SkippedLinks,
    /// What the page asks of robots, by its markup and its headers.
    pub directives: PageDirectives,
    /// What the judge may learn from it, if it learns.
    pub lesson: Option<Box<Lesson>>,
    /// The address it says it should be known by.
    pub canonical: Option<CanonicalUrl>,
    /// What it needs to be shown, if the crawl wants that.
    pub requisites: Vec<Requisite>,
    /// For finding near-duplicates.
    pub fingerprint: u64,
    /// How many words it has.
    pub length: u32,
    /// A sample of its words, by which a site that says nothing new is noticed.
    pub sample: Box<[u16]>,
    /// The page it repeats, once the crawl has found out.
    pub duplicate_of: Option<CanonicalUrl>,
    /// Set if its links have the same names as those of the page it repeats.
    pub is_copy: bool,
    /// The encoding it was read in.
    pub encoding: &'static str,
    /// Set if its language is not wanted. The page is then irrelevant, and its links are not followed.
    pub unwanted_language: bool,
    /// Set if it uses the topic's words in another sense. The page is then irrelevant, and its links are not followed.
    pub wrong_sense: bool,
    /// Why nothing could be read, if it is a document without words.
    pub unread: Option<Unread>,
}

impl ProcessedPage {
    /// A page known only by its judgement and its links, all of which may be followed.
    pub fn of_links(judgement: Judgement, links: Vec<FoundLink>) -> ProcessedPage {
        ProcessedPage {
            title: String::new(),
            language: None,
            judgement,
            is_revised: false,
            links,
            words: None,
            lesson: None,
            skipped: SkippedLinks::default(),
            directives: PageDirectives::default(),
            canonical: None,
            requisites: Vec::new(),
            fingerprint: 0,
            length: 0,
            sample: Box::default(),
            duplicate_of: None,
            is_copy: false,
            encoding: "UTF-8",
            unwanted_language: false,
            wrong_sense: false,
            unread: None,
        }
    }

    /// Whether the page is ignored, whatever its judgement was.
    pub fn is_set_aside(&self) -> bool {
        self.unwanted_language || self.wrong_sense
    }

    /// What readers of the records should know about the page.
    pub fn notes(&self) -> Vec<PageNote> {
        let notes = [
            (self.directives.noindex, PageNote::Noindex),
            (self.directives.nofollow, PageNote::Nofollow),
            (self.directives.noarchive, PageNote::Noarchive),
            (self.unwanted_language, PageNote::UnwantedLanguage),
            (self.wrong_sense, PageNote::WrongSense),
            (self.unread == Some(Unread::Encrypted), PageNote::Encrypted),
            (self.unread == Some(Unread::NoText), PageNote::NoText),
        ];
        notes
            .into_iter()
            .filter_map(|(holds, note)| holds.then_some(note))
            .collect()
    }

    /// Restores what [`ProcessedPage::notes`] says.
    pub fn with_notes(mut self, notes: &[PageNote]) -> ProcessedPage {
        for note in notes {
            match note {
                PageNote::Noindex => self.directives.noindex = true,
                PageNote::Nofollow => self.directives.nofollow = true,
                PageNote::Noarchive => self.directives.noarchive = true,
                PageNote::UnwantedLanguage => self.unwanted_language = true,
                PageNote::WrongSense => self.wrong_sense = true,
                PageNote::Encrypted => self.unread = Some(Unread::Encrypted),
                PageNote::NoText => self.unread = Some(Unread::NoText),
            }
        }
        self
    }
}

/// What a sitemap lists.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SitemapFinds {
    /// Pages, in scope.
    pub pages: Vec<FoundLink>,
    /// Further sitemaps.
    pub sitemaps: Vec<CanonicalUrl>,
}

/// What was found in the body.
#[derive(Clone, Debug, PartialEq)]
pub enum Found {
    /// No body, or one that is not read.
    Nothing,
    /// A page.
    Page(Box<ProcessedPage>),
    /// A host's rules, and until when they are valid.
    Rules(Access, Timestamp),
    /// A sitemap.
    Sitemap(SitemapFinds),
    /// A file that a page needs, and the files that it needs itself.
    Requisite(Vec<Requisite>),
}

/// Facts about the response for the records.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ResponseFacts {
    /// Whether a request was made. URLs refused by robots rules or because of their address are settled without one.
    pub asked: bool,
    /// The earliest time to come back, from Retry-After.
    pub retry_after: Option<Timestamp>,
    /// When the request began.
    pub started: Timestamp,
    /// How long it took.
    pub took: Duration,
    /// How much CPU time the response took to process; zero if nobody counted.
    pub work: Duration,
    /// Bytes on the wire.
    pub bytes: u64,
    /// The content type as the server named it.
    pub content_type: Option<String>,
    /// The IP address the request went to.
    pub ip: Option<IpAddr>,
}

impl ResponseFacts {
    /// How long the host should rest because the request took long or the response made much work. Without this, a few hundred
    /// hosts that send their pages just fast enough would hold all requests, and a few dozen with pages made to be hard to read
    /// would keep all cores busy.
    pub(crate) fn strain(&self, outcome: &Outcome) -> Option<Duration> {
        let is_cut = matches!(
            outcome,
            Outcome::Body {
                truncated: Some(Truncation::Time),
                ..
            }
        );
        let for_time = (self.took >= LONG || is_cut).then_some(self.took.max(LONG));
        let for_work = (self.work >= MUCH_WORK).then(|| self.work.saturating_mul(REST_PER_WORK));
        for_time.max(for_work)
    }
}

/// A request that takes this long holds up others.
const LONG: Duration = Duration::from_secs(10);
/// A page that takes this much CPU time holds up others; usual ones take a few milliseconds.
const MUCH_WORK: Duration = Duration::from_millis(100);
/// A host with such pages gets this part of one core, as a divisor.
const REST_PER_WORK: u32 = 50;

/// What a driver brings back for a lease.
#[derive(Clone, Debug)]
pub struct LeaseResult<P> {
    /// The lease it ends.
    pub lease: Lease,
    /// How it ended.
    pub outcome: Outcome,
    /// What was found in the body.
    pub found: Found,
    /// For the records.
    pub facts: ResponseFacts,
    /// What the driver prepared for the recorder.
    pub payload: Option<P>,
}
