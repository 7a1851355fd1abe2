//! Seeds from search engines: what to ask, how to read the answers, and how to merge several engines' answers into
//! one list.
//!
//! Everything here is a function of its input. An [`Engine`] makes [`Request`]s and reads answers. An [`Inquiry`]
//! takes one question through the result pages of one engine and says when the next request may be sent. [`merge`]
//! combines all results into one list. A caller with sockets and a clock sends the requests.
//!
//! Invariant: a key is in a [`Secret`] from the moment it is read. It is only ever sent in a request, and never
//! appears in a fault, a hit or anything that is printed. Deliberately absent: sockets, clocks, endless retries.

mod brave;
mod collection;
mod fault;
mod google_cse;
mod inquiry;
mod json;
mod marginalia;
mod merge;
mod searxng;
mod secret;
mod spec;

use std::fmt;
use std::time::Duration;

use scenthound_types::CanonicalUrl;
use serde_json::Value;
use url::Url;

pub use self::collection::{CollectionPage, CollectionRanking};
pub use self::fault::EngineFault;
pub use self::inquiry::{Inquiry, Next, Reply};
pub use self::merge::{Found, Placing, RankedList, merge};
pub use self::secret::{KeyFileFault, Keys, Secret};
pub use self::spec::EngineSpec;

scenthound_types::named_enum! {
    /// What kind of page is asked for.
    #[derive(Default)]
    pub enum Category {
        /// Any page.
        #[default]
        Web = "web",
        /// News.
        News = "news",
        /// Forums and the like.
        Discussions = "discussions",
        /// Blogs.
        Blogs = "blogs",
    }
}

impl Category {
    /// The word that brings such pages up where an engine has no category for them.
    fn word(self) -> Option<&'static str> {
        match self {
            Category::Web => None,
            Category::News => Some("news"),
            Category::Discussions => Some("forum"),
            Category::Blogs => Some("blog"),
        }
    }
}

/// What is asked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Question {
    /// The words.
    pub query: String,
    /// The kind of page.
    pub category: Category,
    /// The number of results wanted.
    pub most: usize,
}

impl Question {
    /// The words, including the one that stands for the category.
    fn words(&self) -> String {
        match self.category.word() {
            Some(word) => format!("{} {word}", self.query),
            None => self.query.clone(),
        }
    }
}

/// A page named by an engine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Hit {
    /// Its URL.
    pub url: CanonicalUrl,
    /// Its title, if the engine gives one.
    pub title: Option<String>,
}

/// A request to an engine. The URL may contain a key, so it is shown without its query.
#[derive(Clone, PartialEq, Eq)]
pub struct Request {
    /// The URL to GET.
    pub url: CanonicalUrl,
    /// Header lines to send with it.
    pub headers: Vec<(&'static str, Secret)>,
}

impl fmt::Debug for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "<{}{}?…>", self.url.origin(), self.url.path())
    }
}

/// The request rate and page size of an engine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pace {
    /// Results per page; at least 1.
    pub page_size: usize,
    /// The maximum number of pages.
    pub pages: u32,
    /// The shortest time between two requests.
    pub spacing: Duration,
}

/// The content of an answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AnswerPage {
    /// The pages it names, best first.
    pub hits: Vec<Hit>,
    /// Whether there may be more on the next page.
    pub has_more: bool,
}

/// A search engine: how to query it, and how to read its answers.
pub trait Engine: Send + Sync {
    /// The request rate and page size.
    fn pace(&self, question: &Question) -> Pace;

    /// The request for a page of results, counted from 0.
    fn request(&self, question: &Question, page: u32) -> Result<Request, EngineFault>;

    /// Reads a complete answer with a success status.
    fn read(&self, question: &Question, answer: &Value) -> Result<AnswerPage, EngineFault>;

    /// What an answer with any other status means, if this engine has its own way of saying so. `said` is its
    /// message, safe to show.
    fn refusal(&self, status: u16, answer: &Value, said: Option<&str>) -> Option<EngineFault>;

    /// What to do if it answers with a web page instead of JSON.
    fn remedy_for_html(&self) -> &'static str;

    /// The keys that must never be shown.
    fn secrets(&self) -> Vec<&Secret>;
}

/// A request for a path below a base URL.
fn request_at(
    base: &CanonicalUrl,
    path: &str,
    parameters: &[(&str, &str)],
    headers: Vec<(&'static str, Secret)>,
) -> Result<Request, EngineFault> {
    let fault = |_| EngineFault::QueryTooLong;
    let mut url: Url = base.to_url().map_err(fault)?;
    // The base may be a folder on a host, such as http://host/searxng.
    let path = format!("{}{path}", base.path().trim_end_matches('/'));
    url.set_path(&path);
    url.query_pairs_mut().clear().extend_pairs(parameters);
    let url = CanonicalUrl::from_url(url).map_err(fault)?;
    let mut all = vec![("accept", Secret::new("application/json"))];
    all.extend(headers);
    Ok(Request { url, headers: all })
}
