//! The web that `hound demo` crawls: ten small sites about tea and other things.
//!
//! The topic is guides to brewing tea: pages that are guides *and* about tea. They are surrounded by guides about
//! other things (gardens, cars), other kinds of pages about tea (news, shop, forum, museum), and what makes real webs
//! hard: dead ends, redirect loops, an endless calendar, mirrors, forbidden folders, odd links and odd encodings.
//!
//! Invariant: what is relevant, forbidden or a copy is known by construction, not by judging.
//!
//! Deliberately absent: anything fetched or copied. Every sentence was written for this web.

mod beside;
mod elsewhere;
mod guide;
mod layout;
mod site;
mod society;
mod tea;
mod trap;

use std::collections::BTreeMap;

use crate::demo::site::Site;
use crate::site::{SiteResponse, TestSite};

/// The web that `hound demo` crawls.
pub struct DemoWeb {
    pages: BTreeMap<String, BTreeMap<String, SiteResponse>>,
    relevant: Vec<String>,
    copies: Vec<(String, String)>,
    unlisted: Vec<String>,
    forbidden: Vec<String>,
}

impl DemoWeb {
    /// The topic file of the demo, with its seeds.
    pub const TOPIC: &'static str = include_str!("demo/topic.toml");

    /// The seeds in [`DemoWeb::TOPIC`].
    pub const SEEDS: [&'static str; 2] = ["http://city-herald.test/", "http://tea-society.test/"];

    /// Builds all pages.
    pub fn new() -> DemoWeb {
        let sites = [
            society::tea_society(),
            society::kettle_lab(),
            society::matcha_mirror(),
            society::tea_museum(),
            beside::brewing_notes(),
            beside::leaf_forum(),
            beside::teapot_shop(),
            elsewhere::city_herald(),
            elsewhere::garden_club(),
            elsewhere::cars_weekly(),
        ];
        let mut web = DemoWeb {
            pages: BTreeMap::new(),
            relevant: Vec::new(),
            copies: Vec::new(),
            unlisted: Vec::new(),
            forbidden: Vec::new(),
        };
        for site in sites {
            let Site {
                host,
                pages,
                relevant,
                copies,
                unlisted,
                forbidden,
                ..
            } = site;
            web.relevant.extend(relevant);
            web.copies.extend(copies);
            web.unlisted.extend(unlisted);
            web.forbidden.extend(forbidden);
            web.pages.insert(host.to_owned(), pages);
        }
        web
    }

    /// The number of answers with status 200, including robots.txt and sitemaps but not the endless parts.
    pub fn pages(&self) -> usize {
        self.pages
            .values()
            .flat_map(BTreeMap::values)
            .filter(|answer| answer.status == 200)
            .count()
    }

    /// The URLs of all pages that a perfect crawl collects.
    pub fn relevant(&self) -> &[String] {
        &self.relevant
    }

    /// Pages with the same content as another: the copy, then the original.
    pub fn copies(&self) -> &[(String, String)] {
        &self.copies
    }

    /// Relevant pages that ask not to be indexed (noindex).
    pub fn unlisted(&self) -> &[String] {
        &self.unlisted
    }

    /// URLs that are linked to but forbidden by a robots.txt. They have pages, and tempting ones.
    pub fn forbidden(&self) -> &[String] {
        &self.forbidden
    }

    /// Whether a URL belongs to one of the endless parts.
    pub fn is_trap(url: &str) -> bool {
        url.strip_prefix("http://")
            .and_then(|rest| rest.find('/').map(|slash| rest.split_at(slash)))
            .is_some_and(|(host, path)| trap::answer(host, path).is_some())
    }
}

impl Default for DemoWeb {
    fn default() -> DemoWeb {
        DemoWeb::new()
    }
}

impl TestSite for DemoWeb {
    fn answer(&self, host: &str, path_and_query: &str) -> SiteResponse {
        self.pages
            .get(host)
            .and_then(|pages| pages.get(path_and_query))
            .cloned()
            .or_else(|| trap::answer(host, path_and_query))
            .unwrap_or_else(SiteResponse::missing)
    }

    fn hosts(&self) -> Vec<String> {
        self.pages.keys().cloned().collect()
    }
}
