//! What a graph is built from: crawl folders, archives and edge lists, by their names.
//!
//! Of pages the links are taken as they were parsed, to whatever URL they lead, and of redirects where they lead to. What
//! cannot be read of an archive is told and passed over; a line of a list that is none is an error, or counted.

use std::path::{Path, PathBuf};

use anyhow::Result;
use scenthound_graph::{BadLines, GraphBuilder, GraphFault, GraphFile, read_edge_list};
use scenthound_lab::recorded::archives_of;
use scenthound_store::HttpResponse;
use scenthound_types::CanonicalUrl;

use crate::look;
use crate::pages_input::{Flow, any_text, bad_input, each_response, is_warc};
use crate::wording::counted;

/// Something that tells of links.
#[derive(Debug)]
pub enum Source {
    /// The folder of a crawl.
    Crawl(PathBuf),
    /// A WARC file.
    Archive(PathBuf),
    /// Lines of two URLs.
    Edges(PathBuf),
}

/// What was taken of sources.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Taken {
    /// Pages whose links were read.
    pub pages: u64,
    /// Lines of lists.
    pub lines: u64,
    /// Lines that are no links.
    pub skipped: u64,
}

impl Source {
    /// What a name stands for.
    pub fn of(path: &Path) -> Result<Vec<Source>> {
        if is_crawl(path) {
            return Ok(vec![Source::Crawl(path.to_owned())]);
        }
        if path.is_dir() {
            let archives = archives_of(path).map_err(|fault| bad_input(fault.to_string()))?;
            return Ok(archives.into_iter().map(Source::Archive).collect());
        }
        if !path.exists() {
            return Err(bad_input(format!(
                "{} does not exist; name a crawl folder, a web folder, a WARC file or an edge list",
                path.display()
            )));
        }
        if GraphFile::is_graph(path) {
            return Err(bad_input(format!(
                "{} is a link graph already; name what it was built from",
                path.display()
            )));
        }
        Ok(vec![if is_warc(path) {
            Source::Archive(path.to_owned())
        } else {
            Source::Edges(path.to_owned())
        }])
    }

    fn path(&self) -> &Path {
        match self {
            Source::Crawl(path) | Source::Archive(path) | Source::Edges(path) => path,
        }
    }

    /// Tells a graph of all links.
    pub fn gather(
        &self,
        builder: &mut GraphBuilder,
        bad: BadLines,
        tell: &mut dyn FnMut(String),
    ) -> Result<Taken> {
        let shown = self.path().display().to_string();
        let mut pages = 0;
        let mut page_read = |pages: &mut u64| {
            *pages += 1;
            if pages.is_multiple_of(100) {
                tell(format!("reading {shown}: {}", counted(*pages, "page")));
            }
        };
        match self {
            Source::Crawl(folder) => gather_crawl(folder, builder, &mut || page_read(&mut pages))?,
            Source::Archive(path) => {
                let mut failed = None;
                each_response(path, |url, record| {
                    let done = record
                        .http()
                        .map_or(Ok(false), |http| gather_response(&url, &http, builder));
                    match done {
                        Ok(is_page) => {
                            if is_page {
                                page_read(&mut pages);
                            }
                            Flow::Onward
                        }
                        Err(fault) => {
                            failed = Some(fault);
                            Flow::Enough
                        }
                    }
                })?;
                failed.map_or(Ok(()), Err).map_err(told)?;
            }
            Source::Edges(path) => {
                let tally = read_edge_list(path, builder, bad, &mut |lines| {
                    tell(format!("reading {shown}: {}", counted(lines, "line")));
                })
                .map_err(told)?;
                if let Some(first) = &tally.first {
                    note!(
                        "warning: {} passed over, the first: {first}",
                        counted(tally.skipped, "bad line")
                    );
                }
                return Ok(Taken {
                    lines: tally.lines,
                    skipped: tally.skipped,
                    ..Taken::default()
                });
            }
        }
        Ok(Taken {
            pages,
            ..Taken::default()
        })
    }
}

/// Whether a path is the folder of a crawl.
pub fn is_crawl(path: &Path) -> bool {
    path.join("crawl.lock").is_file()
}

/// Bad input, or a failure that is not the user's doing.
pub fn told(fault: GraphFault) -> anyhow::Error {
    match &fault {
        GraphFault::File { source, .. } if source.kind() != std::io::ErrorKind::NotFound => fault.into(),
        _ => bad_input(fault.to_string()),
    }
}

/// The links of a page or the target of a redirect; tells whether it was a page.
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
    let Some(page) = any_text(url, http) else {
        return Ok(false);
    };
    for link in &page.links {
        builder.link(url.as_str(), link.url.as_str())?;
    }
    Ok(true)
}

/// The pages of a crawl as far as they are recorded; another process may be adding to them.
fn gather_crawl(folder: &Path, builder: &mut GraphBuilder, page_read: &mut dyn FnMut()) -> Result<()> {
    let view = look::open(folder).map_err(|error| bad_input(format!("{error:#}")))?;
    let mut failed = None;
    let mut lost = 0_u64;
    look::each_record(&view, |_, record| {
        let tells_links = record.is_ok() || record.redirect().is_some();
        if failed.is_some() || !record.is_page() || !tells_links {
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
                Ok(true) => page_read(),
                Ok(false) => {}
                Err(fault) => failed = Some(fault),
            }
        }
    })?;
    if lost > 0 {
        note!(
            "warning: {} of {} cannot be read back and tell no links",
            counted(lost, "page"),
            folder.display()
        );
    }
    failed.map_or(Ok(()), Err).map_err(told)
}
