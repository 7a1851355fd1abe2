//! Link graphs from crawl folders, archives and edge lists.
//!
//! The links of pages are taken as parsed, whatever URL they lead to; redirects count as such. What cannot be read of an
//! archive is skipped and reported as a [`GraphNotice`]. A bad line of a list is an error, or skipped and counted.

use std::fs;
use std::path::{Path, PathBuf};

use scenthound_graph::{
    BadLines, GraphBuilder, GraphFault, GraphFile, GraphSummary, LinkIndex, ListTally, Match, Stage, build,
    read_edge_list, read_numbered_edges, read_vertices,
};
use scenthound_store::{CrawlView, Error as StoreError, HttpResponse};
use scenthound_types::CanonicalUrl;
use tempfile::TempDir;
use thiserror::Error;

use crate::collection::each_record;
use crate::inputs::{InputError, archives, is_crawl, is_warc};
use crate::stored_page::{Flow, each_response, page_of_response};
use crate::{CollectionError, UnreadableLines};

/// Pages between two reports of progress.
const PAGES_PER_NOTICE: u64 = 100;

/// Why a graph cannot be built.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum GraphError {
    /// A file or folder does not exist.
    #[error("{} does not exist; name a crawl folder, a folder of WARC files, a WARC file or an edge list", .0.display())]
    NotFound(PathBuf),
    /// The source is a graph.
    #[error("{} is a link graph already; name what it was built from", .0.display())]
    IsAGraph(PathBuf),
    /// A folder of parts without files.
    #[error("{} contains no files", .0.display())]
    NoFiles(PathBuf),
    /// A folder of archives.
    #[error(transparent)]
    Input(Box<InputError>),
    /// A list or the graph itself.
    #[error(transparent)]
    Graph(#[from] GraphFault),
    /// A crawl folder or an archive.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The records of a crawl.
    #[error(transparent)]
    Collection(#[from] CollectionError),
}

impl From<InputError> for GraphError {
    fn from(error: InputError) -> GraphError {
        GraphError::Input(Box::new(error))
    }
}

impl GraphError {
    /// Whether the files that were named are at fault, rather than the system.
    pub fn is_bad_input(&self) -> bool {
        match self {
            GraphError::Input(error) => error.is_bad_input(),
            GraphError::Graph(fault) => fault.is_bad_input(),
            GraphError::Store(_) | GraphError::Collection(_) => false,
            _ => true,
        }
    }
}

/// Progress and warnings while a graph is built.
#[derive(Debug)]
#[non_exhaustive]
pub enum GraphNotice<'a> {
    /// Pages read of a source so far.
    Pages(&'a Path, u64),
    /// Lines read of a source so far.
    Lines(&'a Path, u64),
    /// Names or links are being sorted.
    Sorting(Stage),
    /// Bad lines were skipped.
    BadLines {
        /// How many.
        skipped: u64,
        /// What is wrong with the first.
        first: &'a str,
    },
    /// Pages of a crawl could not be read from its archive, so their links are missing.
    LostPages(&'a Path, u64),
    /// An archive is damaged in places; the first fault.
    Damaged(StoreError),
    /// Some lines of a crawl's records could not be read.
    UnreadableLines(UnreadableLines),
}

/// What was read of all sources.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SourceCounts {
    /// Pages whose links were read.
    pub pages: u64,
    /// Lines of lists.
    pub lines: u64,
    /// Lines among them that were bad and skipped.
    pub skipped: u64,
}

/// A graph that was built.
#[derive(Clone, Debug)]
pub struct BuiltGraph {
    /// What was read.
    pub read: SourceCounts,
    /// What it became.
    pub summary: GraphSummary,
}

/// How a graph is built.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GraphBuildSettings {
    /// Memory to work in, in bytes, about. Less makes it slower; the graph is the same.
    pub memory: usize,
    /// What happens to bad lines.
    pub bad_lines: BadLines,
}

impl Default for GraphBuildSettings {
    fn default() -> GraphBuildSettings {
        GraphBuildSettings {
            memory: build::USUAL_MEMORY,
            bad_lines: BadLines::Refuse,
        }
    }
}

#[derive(Debug)]
enum Source {
    Crawl(PathBuf),
    Archive(PathBuf),
    Edges(PathBuf),
}

/// What a graph is built from. Every name is understood before anything is read, so a typo in the last one costs nothing.
#[derive(Debug, Default)]
pub struct GraphSources {
    sources: Vec<Source>,
    vertices: Vec<PathBuf>,
    edges: Vec<PathBuf>,
}

impl GraphSources {
    /// Understands names of crawl folders, folders of archives, archives and edge lists.
    pub fn parse(paths: &[PathBuf]) -> Result<GraphSources, GraphError> {
        let mut sources = Vec::new();
        for path in paths {
            if is_crawl(path) {
                sources.push(Source::Crawl(path.clone()));
            } else if path.is_dir() {
                let inside = archives(std::slice::from_ref(path))?;
                sources.extend(inside.into_iter().map(Source::Archive));
            } else if !path.exists() {
                return Err(GraphError::NotFound(path.clone()));
            } else if GraphFile::is_graph(path) {
                return Err(GraphError::IsAGraph(path.clone()));
            } else if is_warc(path) {
                sources.push(Source::Archive(path.clone()));
            } else {
                sources.push(Source::Edges(path.clone()));
            }
        }
        Ok(GraphSources {
            sources,
            ..GraphSources::default()
        })
    }

    /// Adds the vertices and edges of Common Crawl's host or domain graph: files, or folders of them.
    pub fn with_numbered(
        mut self,
        vertices: &[PathBuf],
        edges: &[PathBuf],
    ) -> Result<GraphSources, GraphError> {
        self.vertices = parts(vertices)?;
        self.edges = parts(edges)?;
        Ok(self)
    }

    /// Builds the graph file `output`.
    pub fn build(
        &self,
        output: &Path,
        settings: &GraphBuildSettings,
        notice: &mut dyn FnMut(GraphNotice<'_>),
    ) -> Result<BuiltGraph, GraphError> {
        let folder = match output.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        let bad = settings.bad_lines;
        let mut read = SourceCounts::default();
        let mut builder = GraphBuilder::new(folder, settings.memory)?;
        for source in &self.sources {
            match source {
                Source::Crawl(folder) => gather_crawl(folder, &mut builder, &mut read, notice)?,
                Source::Archive(path) => gather_archive(path, &mut builder, &mut read, notice)?,
                Source::Edges(path) => {
                    let tally = read_edge_list(path, &mut builder, bad, &mut |lines| {
                        notice(GraphNotice::Lines(path, lines));
                    })?;
                    add(&mut read, &tally, notice);
                }
            }
        }
        for path in &self.vertices {
            let tally = read_vertices(path, &mut builder, bad, &mut |lines| {
                notice(GraphNotice::Lines(path, lines));
            })?;
            add(&mut read, &tally, notice);
        }
        let mut graph = builder.name_all(output, &mut |stage| notice(GraphNotice::Sorting(stage)))?;
        for path in &self.edges {
            let tally = read_numbered_edges(path, &mut graph, bad, &mut |lines| {
                notice(GraphNotice::Lines(path, lines));
            })?;
            add(&mut read, &tally, notice);
        }
        let summary = graph.finish(&mut |stage| notice(GraphNotice::Sorting(stage)))?;
        Ok(BuiltGraph { read, summary })
    }
}

fn add(read: &mut SourceCounts, tally: &ListTally, notice: &mut dyn FnMut(GraphNotice<'_>)) {
    read.lines += tally.lines;
    read.skipped += tally.skipped;
    if let Some(first) = &tally.first {
        notice(GraphNotice::BadLines {
            skipped: tally.skipped,
            first,
        });
    }
}

/// A graph of crawls and archives as they are now. Its file goes with this value.
#[derive(Debug)]
pub struct TemporaryGraph {
    /// The graph.
    pub file: GraphFile,
    _folder: TempDir,
}

impl TemporaryGraph {
    /// Builds a graph in a temporary folder.
    pub fn build(
        paths: &[PathBuf],
        notice: &mut dyn FnMut(GraphNotice<'_>),
    ) -> Result<TemporaryGraph, GraphError> {
        let sources = GraphSources::parse(paths)?;
        let folder = tempfile::tempdir().map_err(|source| GraphFault::File {
            path: std::env::temp_dir(),
            source,
        })?;
        let path = folder.path().join("graph");
        sources.build(&path, &GraphBuildSettings::default(), notice)?;
        Ok(TemporaryGraph {
            file: GraphFile::open(&path)?,
            _folder: folder,
        })
    }
}

impl LinkIndex for TemporaryGraph {
    fn find(&mut self, text: &str) -> Result<Option<Match>, GraphFault> {
        LinkIndex::find(&mut self.file, text)
    }

    fn links_to(&mut self, node: u32, out: &mut Vec<u32>) -> Result<(), GraphFault> {
        self.file.links_to(node, out)
    }

    fn name(&mut self, node: u32) -> Result<String, GraphFault> {
        LinkIndex::name(&mut self.file, node)
    }
}

/// The files that names stand for: themselves, or those of a folder in order.
fn parts(names: &[PathBuf]) -> Result<Vec<PathBuf>, GraphError> {
    let mut files = Vec::new();
    for path in names {
        if !path.is_dir() {
            if !path.exists() {
                return Err(GraphError::NotFound(path.clone()));
            }
            files.push(path.clone());
            continue;
        }
        let mut inside = Vec::new();
        for entry in fs::read_dir(path).map_err(InputError::io(path))? {
            let entry = entry.map_err(InputError::io(path))?;
            if entry.file_type().map_err(InputError::io(path))?.is_file() {
                inside.push(entry.path());
            }
        }
        if inside.is_empty() {
            return Err(GraphError::NoFiles(path.clone()));
        }
        inside.sort_unstable();
        files.extend(inside);
    }
    Ok(files)
}

/// Counts a page and reports progress now and then.
fn count_page(path: &Path, pages: &mut u64, notice: &mut dyn FnMut(GraphNotice<'_>)) {
    *pages += 1;
    if pages.is_multiple_of(PAGES_PER_NOTICE) {
        notice(GraphNotice::Pages(path, *pages));
    }
}

/// Adds the links of a page or the target of a redirect. Returns whether it was a page.
fn gather_response(
    url: &CanonicalUrl,
    http: &HttpResponse<'_>,
    builder: &mut GraphBuilder,
) -> Result<bool, GraphFault> {
    if matches!(http.status, 301 | 302 | 303 | 307 | 308) {
        if let Some(to) = http.header("location").and_then(|to| url.join(to).ok()) {
            builder.redirect(url.as_str(), to.as_str())?;
        }
        return Ok(false);
    }
    let Some(page) = page_of_response(url, http) else {
        return Ok(false);
    };
    for link in &page.links {
        builder.link(url.as_str(), link.url.as_str())?;
    }
    Ok(true)
}

fn gather_archive(
    path: &Path,
    builder: &mut GraphBuilder,
    read: &mut SourceCounts,
    notice: &mut dyn FnMut(GraphNotice<'_>),
) -> Result<(), GraphError> {
    let mut failed = None;
    let mut pages = 0;
    let damage = each_response(path, |url, record| {
        let Some(http) = record.http() else {
            return Flow::Continue;
        };
        match gather_response(&url, &http, builder) {
            Ok(true) => count_page(path, &mut pages, notice),
            Ok(false) => {}
            Err(fault) => {
                failed = Some(fault);
                return Flow::Stop;
            }
        }
        Flow::Continue
    })?;
    read.pages += pages;
    damage.map(GraphNotice::Damaged).into_iter().for_each(notice);
    Ok(failed.map_or(Ok(()), Err)?)
}

/// The pages of a crawl as far as they are recorded. Another process may be adding to them.
fn gather_crawl(
    folder: &Path,
    builder: &mut GraphBuilder,
    read: &mut SourceCounts,
    notice: &mut dyn FnMut(GraphNotice<'_>),
) -> Result<(), GraphError> {
    let view = CrawlView::open(folder)?;
    let mut failed = None;
    let (mut pages, mut lost) = (0, 0);
    let bad = each_record(&view, |_, record| {
        let has_links = record.is_ok() || record.redirect().is_some();
        if failed.is_some() || !record.is_page() || !has_links {
            return;
        }
        let place = record.archive.as_ref();
        let Some(stored) = place.and_then(|position| view.record(position).ok()) else {
            lost += 1;
            return;
        };
        let url = CanonicalUrl::parse(&record.url).ok();
        if let Some((url, http)) = url.zip(stored.http()) {
            match gather_response(&url, &http, builder) {
                Ok(true) => count_page(folder, &mut pages, notice),
                Ok(false) => {}
                Err(fault) => failed = Some(fault),
            }
        }
    })?;
    read.pages += pages;
    if lost > 0 {
        notice(GraphNotice::LostPages(folder, lost));
    }
    bad.map(GraphNotice::UnreadableLines).into_iter().for_each(notice);
    Ok(failed.map_or(Ok(()), Err)?)
}
