//! Where back-links come from: a graph file, a recorded web, or a crawl.

use std::path::{Path, PathBuf};

use anyhow::Result;
use scenthound::graph::TemporaryGraph;
use scenthound::inputs::is_crawl;
use scenthound_graph::{ContextList, ContextSettings, GraphFile, LinkIndex};
use scenthound_lab::WebLinks;
use scenthound_lab::recorded::WebFolder;

use super::around;
use super::build::Waiting;
use crate::lab::webs;

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
    pub fn open(&self) -> Result<Links> {
        match (&self.graph, self.web.as_ref().or(self.crawl.as_ref())) {
            (Some(path), _) => Links::of_graph(path),
            (None, Some(path)) => Links::open(path),
            (None, None) => refuse!("name a graph, a web or a crawl"),
        }
    }
}

/// Back-links, and the name they were opened by.
pub struct Links {
    pub shown: String,
    pub index: Box<dyn LinkIndex>,
}

impl Links {
    fn new(paths: &[PathBuf], index: impl LinkIndex + 'static) -> Links {
        let shown: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
        Links {
            shown: shown.join(", "),
            index: Box::new(index),
        }
    }

    /// A graph file.
    pub fn of_graph(path: &Path) -> Result<Links> {
        Ok(Links::new(&[path.to_owned()], GraphFile::open(path)?))
    }

    /// Whatever the path is.
    fn open(path: &Path) -> Result<Links> {
        if path.is_file() && GraphFile::is_graph(path) {
            return Links::of_graph(path);
        }
        let paths = [path.to_owned()];
        if is_crawl(path) {
            return Links::of_pages(&paths);
        }
        Ok(Links::new(
            &paths,
            WebLinks::new(webs::load(&WebFolder::open(path)?)?)?,
        ))
    }

    /// Crawls and archives as they are now.
    pub fn of_pages(paths: &[PathBuf]) -> Result<Links> {
        let mut waiting = Waiting::new();
        let graph = TemporaryGraph::build(paths, &mut |notice| waiting.notice(notice))?;
        waiting.end();
        Ok(Links::new(paths, graph))
    }

    /// The layers around the targets that a file lists.
    pub fn around(&mut self, targets: &Path, settings: &ContextSettings) -> Result<ContextList> {
        around(&mut *self.index, &self.shown, targets, settings)
    }
}
