//! A page as it is exported: its record, and on request its main text and its links.

use scenthound::{CanonicalUrl, RankedPage, main_text_of_response, page_of_response};
use scenthound_parse::MainText;
use scenthound_store::CrawlView;
use scenthound_types::PageNote;
use serde::Serialize;

/// What is added to each page. Reading it from the archive takes most of the time of an export.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Extras {
    /// The main text, and what the page says about its author, date and licence.
    pub text: bool,
    /// The URLs it links to.
    pub links: bool,
}

/// A page as it is exported.
#[derive(Clone, Debug, Serialize)]
pub struct ExportedPage {
    /// The id, the record and the place in the ranking.
    #[serde(flatten)]
    pub page: RankedPage,
    /// The author that the page names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    /// The date that the page names, as `YYYY-MM-DD`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub published: Option<String>,
    /// The licence that the page names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub license: Option<String>,
    /// The main text, if it was requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The main text as Markdown.
    #[serde(skip)]
    pub markdown: String,
    /// The URLs it links to, if they were requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub links: Option<Vec<String>>,
    /// Whether its response could not be read from the archive.
    #[serde(skip)]
    pub is_unreadable: bool,
}

impl ExportedPage {
    pub(crate) fn read(view: &CrawlView, page: RankedPage, extras: Extras) -> ExportedPage {
        let mut exported = ExportedPage {
            page,
            author: None,
            published: None,
            license: None,
            text: None,
            markdown: String::new(),
            links: None,
            is_unreadable: false,
        };
        if (extras.text || extras.links) && exported.read_archive(view, extras).is_none() {
            exported.is_unreadable = true;
        }
        exported
    }

    fn read_archive(&mut self, view: &CrawlView, extras: Extras) -> Option<()> {
        let record = &self.page.record;
        let url = CanonicalUrl::parse(&record.url).ok()?;
        let stored = view.record(record.archive.as_ref()?).ok()?;
        let response = stored.http()?;
        if extras.links {
            let page = page_of_response(&url, &response)?;
            self.links = Some(page.links.iter().map(|link| link.url.to_string()).collect());
        }
        if extras.text {
            let found = main_text_of_response(&url, &response);
            let MainText {
                title: _,
                author,
                published,
                license,
                text,
                markdown,
            } = found;
            (self.author, self.published, self.license) = (author, published, license);
            self.text = Some(text);
            self.markdown = markdown;
        }
        Some(())
    }

    /// What the page asks of robots, as in its meta elements.
    pub(crate) fn robots(&self) -> Vec<&'static str> {
        let notes = [(PageNote::Noindex, "noindex"), (PageNote::Noarchive, "noarchive")];
        let notes = notes.into_iter().filter(|(note, _)| self.page.record.has(*note));
        notes.map(|(_, name)| name).collect()
    }

    /// The host of the page.
    pub(crate) fn host(&self) -> String {
        CanonicalUrl::parse(&self.page.record.url).map_or_else(|_| String::new(), |url| url.host().to_owned())
    }
}
