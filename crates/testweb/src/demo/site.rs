//! One site under construction: its pages, and the facts about them.

use std::collections::BTreeMap;

use crate::demo::layout;
use crate::site::SiteResponse;

/// A site with its pages by path.
pub(super) struct Site {
    pub(super) host: &'static str,
    name: &'static str,
    navigation: &'static [(&'static str, &'static str)],
    pub(super) pages: BTreeMap<String, SiteResponse>,
    pub(super) relevant: Vec<String>,
    pub(super) copies: Vec<(String, String)>,
    pub(super) unlisted: Vec<String>,
    pub(super) forbidden: Vec<String>,
}

impl Site {
    pub(super) fn new(
        host: &'static str,
        name: &'static str,
        navigation: &'static [(&'static str, &'static str)],
    ) -> Site {
        Site {
            host,
            name,
            navigation,
            pages: BTreeMap::new(),
            relevant: Vec::new(),
            copies: Vec::new(),
            unlisted: Vec::new(),
            forbidden: Vec::new(),
        }
    }

    /// The URL of a path on this site.
    pub(super) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.host)
    }

    /// The page as text, for pages that are sent in an unusual way.
    pub(super) fn html(&self, title: &str, head: &str, body: &str) -> String {
        layout::page(self.name, self.navigation, title, head, body)
    }

    /// Adds an ordinary page.
    pub(super) fn page(&mut self, path: &str, title: &str, body: &str) {
        let html = self.html(title, "", body);
        self.put(path, SiteResponse::html(html));
    }

    /// Adds a relevant page.
    pub(super) fn wanted(&mut self, path: &str, title: &str, body: &str) {
        self.page(path, title, body);
        self.relevant.push(self.url(path));
    }

    /// Adds a page that is relevant but forbidden by a robots.txt.
    pub(super) fn tempting(&mut self, path: &str, title: &str, body: &str) {
        self.page(path, title, body);
        self.forbidden.push(self.url(path));
    }

    /// Adds any answer.
    pub(super) fn put(&mut self, path: &str, answer: SiteResponse) {
        self.pages.insert(path.to_owned(), answer);
    }
}
