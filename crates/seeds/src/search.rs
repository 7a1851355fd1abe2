//! Seeds from search engines: what to ask, what an answer says, and how several engines' answers become one list.
//!
//! Everything here is a function of its input. An [`Engine`] makes [`Request`]s and reads answers; an [`Inquiry`] leads one
//! question through the pages of one engine and says when the next request may go out; [`merge`] makes one list of all.
//! Whoever has sockets and a clock carries the requests.
//!
//! Invariant: a key is in a [`Secret`] from the moment it is read. It leaves only in a request, never in a fault, a hit or
//! anything that is printed. Deliberately absent: sockets, clocks, retries without end.

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
    /// How many answers are wanted.
    pub most: usize,
}

impl Question {
    /// The words, and the one that stands for the category.
    fn words(&self) -> String {
        match self.category.word() {
            Some(word) => format!("{} {word}", self.query),
            None => self.query.clone(),
        }
    }
}

/// A page an engine names.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Hit {
    /// Where it is.
    pub url: CanonicalUrl,
    /// What it is called, if the engine says.
    pub title: Option<String>,
}

/// A request for an engine's answer. The URL may hold a key, so it is shown without its query.
#[derive(Clone, PartialEq, Eq)]
pub struct Request {
    /// What to GET.
    pub url: CanonicalUrl,
    /// Header lines to send along.
    pub headers: Vec<(&'static str, Secret)>,
}

impl fmt::Debug for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "<{}{}?…>", self.url.origin(), self.url.path())
    }
}

/// How an engine wants to be asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pace {
    /// Answers a page; at least 1.
    pub page_size: usize,
    /// Pages there are at most.
    pub pages: u32,
    /// The shortest time between two requests.
    pub spacing: Duration,
}

/// What an answer says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AnswerPage {
    /// The pages it names, best first.
    pub hits: Vec<Hit>,
    /// Whether there may be more on the next page.
    pub has_more: bool,
}

/// A search engine: how it is asked, and how its answers are read.
pub trait Engine: Send + Sync {
    /// How it wants to be asked.
    fn pace(&self, question: &Question) -> Pace;

    /// The request for a page of answers, counted from 0.
    fn request(&self, question: &Question, page: u32) -> Result<Request, EngineFault>;

    /// Reads a whole answer with a status of success.
    fn read(&self, question: &Question, answer: &Value) -> Result<AnswerPage, EngineFault>;

    /// What an answer with another status means, where this engine has its own way of saying it. `said` is its message,
    /// safe to show.
    fn refusal(&self, status: u16, answer: &Value, said: Option<&str>) -> Option<EngineFault>;

    /// What to do if it answers with a web page in place of JSON.
    fn remedy_for_html(&self) -> &'static str;

    /// What must never be shown.
    fn secrets(&self) -> Vec<&Secret>;
}

/// A request for a path below a base address.
fn request_at(
    base: &CanonicalUrl,
    path: &str,
    parameters: &[(&str, &str)],
    headers: Vec<(&'static str, Secret)>,
) -> Result<Request, EngineFault> {
    let fault = |_| EngineFault::QueryTooLong;
    let mut url: Url = base.to_url().map_err(fault)?;
    // The base may be a folder of a host, as http://host/searxng.
    let path = format!("{}{path}", base.path().trim_end_matches('/'));
    url.set_path(&path);
    url.query_pairs_mut().clear().extend_pairs(parameters);
    let url = CanonicalUrl::from_url(url).map_err(fault)?;
    let mut all = vec![("accept", Secret::new("application/json"))];
    all.extend(headers);
    Ok(Request { url, headers: all })
}
