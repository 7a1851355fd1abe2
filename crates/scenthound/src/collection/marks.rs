//! The user's own verdicts on pages.
//!
//! If a URL redirects, the page it leads to is marked. Either all URLs are marked or none, so that a mistake in a long list
//! is noticed.

use std::collections::{HashMap, HashSet};

use scenthound_store::{Marks, PageRecord};
use scenthound_types::{CanonicalUrl, Verdict};

use super::pages::each_record;
use super::{Collection, CollectionError, url_hash};

/// At most this many redirects are followed from a URL to its page.
const MAX_REDIRECTS: usize = 20;

/// A URL that cannot be marked because its page was not read.
#[derive(Clone, PartialEq, Debug)]
pub struct NotRead {
    /// Its place among the URLs to mark, from 0.
    pub index: usize,
    /// The URL.
    pub url: CanonicalUrl,
    /// Why it cannot be marked.
    pub why: WhyNotRead,
}

/// Why the page of a URL was not read.
#[derive(Clone, PartialEq, Debug)]
pub enum WhyNotRead {
    /// The crawl has not tried it.
    NotFetched,
    /// The crawl tried but got no page. This is the last attempt.
    Tried(Box<PageRecord>),
    /// It redirects to this URL, which was not read.
    RedirectsTo(String),
}

impl Collection {
    /// The user's own verdicts, by URL.
    pub fn marks(&self) -> Result<Marks, CollectionError> {
        Ok(self.view.marks()?)
    }

    /// Marks pages and returns the URL of each marked page once. If any URL is not a page that was read, nothing is
    /// marked and [`CollectionError::NotRead`] says why.
    pub fn mark(&self, urls: &[CanonicalUrl], mark: Verdict) -> Result<Vec<String>, CollectionError> {
        let pages = self.find_pages(urls)?;
        self.view.change_marks(|marks| {
            marks.extend(pages.iter().map(|page| (page.clone(), mark)));
        })?;
        Ok(pages)
    }

    /// Removes the marks of pages, under the same conditions as [`Collection::mark`].
    pub fn unmark(&self, urls: &[CanonicalUrl]) -> Result<Vec<String>, CollectionError> {
        let pages = self.find_pages(urls)?;
        self.view
            .change_marks(|marks| marks.retain(|url, _| !pages.contains(url)))?;
        Ok(pages)
    }

    /// The pages that the URLs lead to, each once.
    fn find_pages(&self, urls: &[CanonicalUrl]) -> Result<Vec<String>, CollectionError> {
        let mut redirects: HashMap<u64, String> = HashMap::new();
        let mut read: HashSet<u64> = HashSet::new();
        let mut tried: HashMap<u64, Option<Box<PageRecord>>> =
            urls.iter().map(|url| (url_hash(url.as_str()), None)).collect();
        each_record(&self.view, |_, record| {
            if !record.is_page() {
                return;
            }
            let hash = url_hash(&record.url);
            if record.is_judged_page() {
                read.insert(hash);
            } else if let Some(to) = record.redirect() {
                redirects.insert(hash, to.to_owned());
            } else if let Some(last) = tried.get_mut(&hash) {
                *last = Some(Box::new(record));
            }
        })?;
        let mut pages: Vec<String> = Vec::new();
        let mut not_read = Vec::new();
        for (index, url) in urls.iter().enumerate() {
            let mut at = url.as_str();
            for _ in 0..MAX_REDIRECTS {
                match redirects.get(&url_hash(at)) {
                    Some(to) if !read.contains(&url_hash(at)) => at = to,
                    _ => break,
                }
            }
            if read.contains(&url_hash(at)) {
                if !pages.iter().any(|page| page == at) {
                    pages.push(at.to_owned());
                }
                continue;
            }
            let last = tried.get(&url_hash(url.as_str())).cloned().flatten();
            let why = match (at == url.as_str(), last) {
                (false, _) => WhyNotRead::RedirectsTo(at.to_owned()),
                (true, Some(last)) => WhyNotRead::Tried(last),
                (true, None) => WhyNotRead::NotFetched,
            };
            not_read.push(NotRead {
                index,
                url: url.clone(),
                why,
            });
        }
        if not_read.is_empty() {
            Ok(pages)
        } else {
            Err(CollectionError::NotRead(not_read))
        }
    }
}
