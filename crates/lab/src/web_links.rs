//! A recorded web as an index of links: its pages are the nodes.

use scenthound_graph::{BackLinks, GraphFault, LinkIndex, Match, TooMany};
use scenthound_types::CanonicalUrl;

use crate::layers::back_links;
use crate::recorded::{PageId, RecordedWeb};

/// A recorded web that knows which of its pages link to a page.
pub struct WebLinks {
    /// The web.
    pub web: RecordedWeb,
    links: BackLinks,
}

impl WebLinks {
    /// Finds the links of all pages.
    pub fn new(web: RecordedWeb) -> Result<WebLinks, TooMany> {
        let links = back_links(&web)?;
        Ok(WebLinks { web, links })
    }
}

impl LinkIndex for WebLinks {
    fn find(&mut self, text: &str) -> Result<Option<Match>, GraphFault> {
        let url = CanonicalUrl::parse(text).map_err(|_| GraphFault::NotAUrl {
            text: text.to_owned(),
        })?;
        Ok(self.web.page_at(&url).map(|page| Match {
            node: page.0,
            is_host: false,
        }))
    }

    fn links_to(&mut self, node: u32, out: &mut Vec<u32>) -> Result<(), GraphFault> {
        out.extend_from_slice(self.links.to(node));
        Ok(())
    }

    fn name(&mut self, node: u32) -> Result<String, GraphFault> {
        Ok(self.web.page_spelled(PageId(node)).to_owned())
    }
}
