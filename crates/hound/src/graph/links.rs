//! Back-links by any of the ways they can be had: a graph file, a recorded web, a crawl.

use std::path::{Path, PathBuf};

use anyhow::Result;
use scenthound_graph::{BackLinks, BadLines, GraphBuilder, GraphFile, Match, build, is_host, shown_name};
use scenthound_lab::back_links;
use scenthound_lab::recorded::{PageId, RecordedWeb, WebFolder};
use scenthound_types::CanonicalUrl;
use tempfile::TempDir;

use super::build::Waiting;
use super::sources::{Source, is_crawl, told};
use crate::lab::webs;
use crate::pages_input::bad_input;

/// Where back-links come from, as the user says it.
#[derive(clap::Args, Debug)]
#[group(required = true, multiple = false)]
pub struct LinkArgs {
    /// A graph file, made by hound graph build.
    #[arg(long, value_name = "GRAPH")]
    graph: Option<PathBuf>,
    /// A recorded web: a folder of WARC files, or one of them.
    #[arg(long, value_name = "FOLDER")]
    web: Option<PathBuf>,
    /// A crawl folder, also of a crawl that is running.
    #[arg(value_name = "DIR")]
    crawl: Option<PathBuf>,
}

impl LinkArgs {
    /// Opens what was named.
    pub fn open(&self) -> Result<LinkSource> {
        match (&self.graph, &self.web, &self.crawl) {
            (Some(path), ..) => LinkSource::of_graph(path),
            (None, Some(path), _) | (None, None, Some(path)) => LinkSource::open(path),
            (None, None, None) => Err(bad_input("name a graph, a web or a crawl".to_owned())),
        }
    }
}

/// Something that knows who links to a page.
pub struct LinkSource {
    shown: String,
    kind: Kind,
    /// Holds the folder of a graph that is there for a moment.
    _folder: Option<TempDir>,
}

enum Kind {
    File(Box<GraphFile>),
    Web(Box<RecordedWeb>, BackLinks),
}

impl LinkSource {
    /// A graph file.
    pub fn of_graph(path: &Path) -> Result<LinkSource> {
        Ok(LinkSource {
            shown: path.display().to_string(),
            kind: Kind::File(Box::new(GraphFile::open(path).map_err(told)?)),
            _folder: None,
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
        let folder = WebFolder::open(path).map_err(|fault| bad_input(fault.to_string()))?;
        LinkSource::of_web(webs::load(&folder)?, path)
    }

    /// A recorded web that was read already.
    pub fn of_web(web: RecordedWeb, path: &Path) -> Result<LinkSource> {
        let links = back_links(&web).map_err(bad_input)?;
        Ok(LinkSource {
            shown: path.display().to_string(),
            kind: Kind::Web(Box::new(web), links),
            _folder: None,
        })
    }

    /// Crawls and archives as they are now, in a graph that lasts as long as the command.
    pub fn of_pages(paths: &[PathBuf]) -> Result<LinkSource> {
        let folder = tempfile::tempdir()?;
        let mut waiting = Waiting::new();
        let mut builder = GraphBuilder::new(folder.path(), build::USUAL_MEMORY).map_err(told)?;
        for path in paths {
            for source in Source::of(path)? {
                source.gather(&mut builder, BadLines::Refuse, &mut |text| waiting.tell(text))?;
            }
        }
        let file = folder.path().join("graph");
        let graph = builder
            .name_all(&file, &mut |stage| waiting.stage(stage))
            .and_then(|graph| graph.finish(&mut |stage| waiting.stage(stage)))
            .and_then(|_| GraphFile::open(&file))
            .map_err(told)?;
        waiting.end();
        let shown: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
        Ok(LinkSource {
            shown: shown.join(", "),
            kind: Kind::File(Box::new(graph)),
            _folder: Some(folder),
        })
    }

    /// What it was opened by.
    pub fn shown(&self) -> &str {
        &self.shown
    }

    /// The recorded web, where it is one.
    pub fn into_web(self) -> Option<RecordedWeb> {
        match self.kind {
            Kind::File(..) => None,
            Kind::Web(web, _) => Some(*web),
        }
    }

    /// The node that a URL stands for.
    pub fn find(&mut self, text: &str) -> Result<Option<Match>> {
        match &mut self.kind {
            Kind::File(graph) => {
                let found = graph.find_page(text).map_err(told)?;
                if found.is_none() && graph.hosts() == 0 && CanonicalUrl::parse(text).is_err() {
                    return Err(no_url(text));
                }
                Ok(found)
            }
            Kind::Web(web, _) => {
                let url = CanonicalUrl::parse(text).map_err(|_| no_url(text))?;
                Ok(web.page_at(&url).map(|page| Match {
                    node: page.0,
                    is_host: false,
                }))
            }
        }
    }

    /// Adds the nodes that link to a node, ascending.
    pub fn to(&mut self, node: u32, out: &mut Vec<u32>) -> Result<()> {
        match &mut self.kind {
            Kind::File(graph) => graph.to(node, out).map_err(told),
            Kind::Web(_, links) => {
                out.extend_from_slice(links.to(node));
                Ok(())
            }
        }
    }

    /// The URL or host of a node, as people read it.
    pub fn name(&mut self, node: u32) -> Result<String> {
        match &mut self.kind {
            Kind::File(graph) => {
                let name = graph.name(node).map_err(told)?.unwrap_or_default();
                Ok(if is_host(&name) { shown_name(&name) } else { name })
            }
            Kind::Web(web, _) => Ok(web.page_spelled(PageId(node)).to_owned()),
        }
    }
}

fn no_url(text: &str) -> anyhow::Error {
    bad_input(format!(
        "{text:?} is no URL; write a whole one such as https://example.org/a"
    ))
}
