//! Where back-links come from: a graph file, a recorded web, or a crawl.

use std::path::{Path, PathBuf};

use anyhow::Result;
use scenthound::graph::TemporaryGraph;
use scenthound::inputs::is_crawl;
use scenthound_graph::{BackLinks, GraphFault, GraphFile, LinkIndex, Match};
use scenthound_lab::back_links;
use scenthound_lab::recorded::{PageId, RecordedWeb, WebFolder};
use scenthound_types::CanonicalUrl;

use super::build::{Waiting, graph_error};
use crate::lab::webs;
use crate::pages_input::bad_input;

/// Where back-links come from, as the user names it.
#[derive(clap::Args, Debug)]
#[group(required = true, multiple = false)]
pub struct LinkArgs {
    /// A graph file, made by hound graph build.
    #[arg(long, value_name = "GRAPH")]
    graph: Option<PathBuf>,
    /// A recorded web: a folder of WARC files, or one of them.
    #[arg(long, value_name = "FOLDER")]
    web: Option<PathBuf>,
    /// A crawl folder; the crawl may be running.
    #[arg(value_name = "DIR")]
    crawl: Option<PathBuf>,
}

impl LinkArgs {
    /// Opens what was named.
    pub fn open(&self) -> Result<LinkSource> {
        match (&self.graph, &self.web, &self.crawl) {
            (Some(path), ..) => LinkSource::of_graph(path),
            (None, Some(path), _) | (None, None, Some(path)) => LinkSource::open(path),
            (None, None, None) => Err(bad_input("name a graph, a web or a crawl")),
        }
    }
}

/// Something that knows who links to a page, and the name it was opened by.
pub struct LinkSource {
    pub shown: String,
    kind: Kind,
}

enum Kind {
    File(Box<GraphFile>),
    Pages(Box<TemporaryGraph>),
    Web(Box<WebLinks>),
}

impl LinkSource {
    /// A graph file.
    pub fn of_graph(path: &Path) -> Result<LinkSource> {
        Ok(LinkSource {
            shown: path.display().to_string(),
            kind: Kind::File(Box::new(GraphFile::open(path).map_err(graph_error)?)),
        })
    }

    /// Whatever the path is.
    pub fn open(path: &Path) -> Result<LinkSource> {
        if path.is_file() && GraphFile::is_graph(path) {
            return LinkSource::of_graph(path);
        }
        if is_crawl(path) {
            return LinkSource::of_pages(&[path.to_owned()]);
        }
        let folder = WebFolder::open(path).map_err(bad_input)?;
        LinkSource::of_web(webs::load(&folder)?, path)
    }

    /// A recorded web that was read already.
    pub fn of_web(web: RecordedWeb, path: &Path) -> Result<LinkSource> {
        let links = back_links(&web).map_err(bad_input)?;
        Ok(LinkSource {
            shown: path.display().to_string(),
            kind: Kind::Web(Box::new(WebLinks { web, links })),
        })
    }

    /// Crawls and archives as they are now.
    pub fn of_pages(paths: &[PathBuf]) -> Result<LinkSource> {
        let mut waiting = Waiting::new();
        let graph =
            TemporaryGraph::build(paths, &mut |notice| waiting.notice(notice)).map_err(graph_error)?;
        waiting.end();
        let shown: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
        Ok(LinkSource {
            shown: shown.join(", "),
            kind: Kind::Pages(Box::new(graph)),
        })
    }

    /// The links.
    pub fn index(&mut self) -> &mut dyn LinkIndex {
        match &mut self.kind {
            Kind::File(graph) => &mut **graph,
            Kind::Pages(graph) => &mut graph.file,
            Kind::Web(web) => &mut **web,
        }
    }

    /// The recorded web, if it is one.
    pub fn into_web(self) -> Option<RecordedWeb> {
        match self.kind {
            Kind::Web(links) => Some(links.web),
            Kind::File(_) | Kind::Pages(_) => None,
        }
    }
}

/// The links of a recorded web. Its pages are the nodes.
struct WebLinks {
    web: RecordedWeb,
    links: BackLinks,
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
