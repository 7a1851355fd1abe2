//! Two small webs in Chinese and Japanese, with a different encoding on each host.
//!
//! The Chinese web has three universities (Big5, GB18030, UTF-8) whose graduate schools announce entrance
//! examinations. The Japanese web has three towns with hot springs (Shift_JIS, EUC-JP, ISO-2022-JP). The wanted pages
//! are surrounded by pages of the same sites about other things. Some hosts declare their encoding in the header,
//! others only in the page, and one nowhere.
//!
//! Invariant: the wanted pages are known by construction. Every text can be written in its host's encoding.
//!
//! Deliberately absent: anything fetched or copied. Every sentence was written for these webs.

mod chinese;
mod japanese;

use std::collections::BTreeMap;

use encoding_rs::Encoding;

use crate::site::{SiteResponse, TestSite};

/// A small web in a script without spaces between words.
pub struct ScriptWeb {
    topic: &'static str,
    pages: BTreeMap<String, BTreeMap<String, SiteResponse>>,
    relevant: Vec<String>,
}

impl ScriptWeb {
    /// Universities and their entrance examinations, in Chinese.
    pub fn chinese() -> ScriptWeb {
        ScriptWeb::of(include_str!("scripts/chinese.toml"), chinese::sites())
    }

    /// Towns and their hot springs, in Japanese.
    pub fn japanese() -> ScriptWeb {
        ScriptWeb::of(include_str!("scripts/japanese.toml"), japanese::sites())
    }

    fn of(topic: &'static str, sites: Vec<Site>) -> ScriptWeb {
        let mut web = ScriptWeb {
            topic,
            pages: BTreeMap::new(),
            relevant: Vec::new(),
        };
        for site in sites {
            web.relevant.extend(site.relevant);
            web.pages.insert(site.host.to_owned(), site.pages);
        }
        web
    }

    /// A topic file with its seeds.
    pub fn topic(&self) -> &'static str {
        self.topic
    }

    /// The number of pages.
    pub fn pages(&self) -> usize {
        self.pages.values().map(BTreeMap::len).sum()
    }

    /// The URLs of the wanted pages.
    pub fn relevant(&self) -> &[String] {
        &self.relevant
    }
}

impl TestSite for ScriptWeb {
    fn answer(&self, host: &str, path_and_query: &str) -> SiteResponse {
        let page = self.pages.get(host).and_then(|pages| pages.get(path_and_query));
        page.cloned().unwrap_or_else(SiteResponse::missing)
    }

    fn hosts(&self) -> Vec<String> {
        self.pages.keys().cloned().collect()
    }
}

/// Where the encoding of a page is declared.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Said {
    /// In the header of the answer.
    Header(&'static str),
    /// In the page itself, near its beginning.
    Page,
    /// Nowhere.
    Nowhere,
}

struct Site {
    host: &'static str,
    language: &'static str,
    encoding: &'static Encoding,
    said: Said,
    pages: BTreeMap<String, SiteResponse>,
    relevant: Vec<String>,
}

impl Site {
    fn new(host: &'static str, language: &'static str, encoding: &'static Encoding, said: Said) -> Site {
        Site {
            host,
            language,
            encoding,
            said,
            pages: BTreeMap::new(),
            relevant: Vec::new(),
        }
    }

    /// Adds a page with links (target and words).
    fn page(&mut self, path: &str, title: &str, text: &str, links: &[(String, String)]) {
        let meta = match self.said {
            Said::Page => format!("<meta charset=\"{}\">", self.encoding.name()),
            Said::Header(_) | Said::Nowhere => String::new(),
        };
        let listed: String = links
            .iter()
            .map(|(to, words)| format!("<li><a href=\"{to}\">{words}</a></li>\n"))
            .collect();
        let html = format!(
            "<!doctype html>\n<html lang=\"{}\"><head>{meta}<title>{title}</title></head>\n<body><h1>{title}</h1>\n\
             <p>{text}</p>\n<ul>\n{listed}</ul></body></html>\n",
            self.language
        );
        let (bytes, _, _) = self.encoding.encode(&html);
        let kind = match self.said {
            Said::Header(kind) => kind,
            Said::Page | Said::Nowhere => "text/html",
        };
        self.pages
            .insert(path.to_owned(), SiteResponse::page(kind, bytes.into_owned()));
    }

    /// Adds a wanted page.
    fn wanted(&mut self, path: &str, title: &str, text: &str, links: &[(String, String)]) {
        self.relevant.push(format!("http://{}{path}", self.host));
        self.page(path, title, text, links);
    }
}

fn link(to: impl Into<String>, words: impl Into<String>) -> (String, String) {
    (to.into(), words.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_page_can_be_written_in_its_encoding() {
        for site in chinese::sites().into_iter().chain(japanese::sites()) {
            for (path, answer) in &site.pages {
                let (text, _, had_errors) = site.encoding.decode(&answer.body);
                assert!(!had_errors, "{}{path}", site.host);
                assert!(
                    !text.contains("&#"),
                    "{}{path} has a character that {} lacks",
                    site.host,
                    site.encoding.name()
                );
            }
        }
    }

    #[test]
    fn every_page_wanted_is_there_and_most_pages_are_not_wanted() {
        for web in [ScriptWeb::chinese(), ScriptWeb::japanese()] {
            for relevant in web.relevant() {
                let (host, path) = relevant.trim_start_matches("http://").split_once('/').unwrap();
                assert_eq!(web.answer(host, &format!("/{path}")).status, 200, "{relevant}");
            }
            assert!(web.relevant().len() >= 12 && web.pages() >= 4 * web.relevant().len());
        }
    }
}
