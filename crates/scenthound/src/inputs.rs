//! Pages as a user names them: files, folders of files, archives, crawl folders, URLs, and lists of these.
//!
//! [`PageInputs::parse`] understands all names before anything is read, so a typo in the last name costs nothing. If several
//! pages have one URL, the first is taken. What cannot be read of an archive is skipped and reported as an [`InputNotice`].
//!
//! A URL is looked up in the archives given for it. If none are given, it is fetched ([`crate::fetch_now`]).

mod lists;
mod lookup;

use std::collections::HashSet;
use std::fmt;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::StopHandle;
use scenthound_config::Settings;
use scenthound_parse::{Limits, PageInput, parse};
use scenthound_store::{CrawlView, Error as StoreError};
use scenthound_types::{CanonicalUrl, ParsedPage, UrlFault};
use thiserror::Error;

pub(crate) use self::lists::meaningful_lines;
pub use self::lists::read_url_list;
use self::lists::{beside, looks_like_a_list};
pub(crate) use self::lookup::archives;
use crate::fetch_now::{FetchNowError, NotFetched};
use crate::stored_page::{Flow, each_response, html_of_response, page_of_response};
use crate::{CollectionError, UnreadableLines};

/// Missing URLs that a message names.
const NAMED: usize = 3;

/// Which pages the name of a crawl folder stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum CrawlPages {
    /// The pages judged relevant.
    #[default]
    Relevant,
    /// All pages that were read.
    All,
}

/// How URLs are fetched that no archive is given for.
#[derive(Clone, Debug)]
pub struct FetchInputs {
    /// How requests are made. Topic, seeds and budgets do not matter.
    pub settings: Settings,
    /// Stops the fetching early.
    pub stop: StopHandle,
}

/// How names are understood.
#[derive(Clone, Copy, Debug, Default)]
pub struct InputSettings<'a> {
    /// Archives and crawl folders that hold the URLs.
    pub web: &'a [PathBuf],
    /// Lists of the only URLs to take from archives and crawl folders.
    pub only: &'a [PathBuf],
    /// What a crawl folder stands for.
    pub crawls: CrawlPages,
    /// How URLs are fetched if `web` is empty. Without it they are an error.
    pub fetch: Option<&'a FetchInputs>,
}

/// A page that was named.
#[derive(Debug)]
pub struct NamedPage {
    /// Its URL, or the path of its file.
    pub name: String,
    /// The URL that led to it, if it was fetched. It differs from the page's own after a redirect.
    pub asked: Option<CanonicalUrl>,
    /// The page.
    pub page: ParsedPage,
}

/// A line of a list.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ListPlace {
    /// The list.
    pub path: PathBuf,
    /// Counted from 1.
    pub line: usize,
}

impl fmt::Display for ListPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.path.display(), self.line)
    }
}

/// A URL that was asked for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WantedUrl {
    /// The URL.
    pub url: CanonicalUrl,
    /// The line that asks for it; none if it was given directly.
    pub place: Option<ListPlace>,
}

impl WantedUrl {
    /// A URL given directly.
    pub fn parse(text: &str) -> Result<WantedUrl, InputError> {
        WantedUrl::at(text, None)
    }

    fn at(text: &str, place: Option<ListPlace>) -> Result<WantedUrl, InputError> {
        match CanonicalUrl::parse(text) {
            Ok(url) => Ok(WantedUrl { url, place }),
            Err(source) => Err(InputError::NotAUrl {
                place,
                text: text.to_owned(),
                source,
            }),
        }
    }
}

impl fmt::Display for WantedUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.place {
            Some(place) => write!(f, "{} ({place})", self.url),
            None => write!(f, "{}", self.url),
        }
    }
}

/// URLs that are in none of the places searched.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MissingUrls {
    /// The archives and crawl folders that were searched.
    pub searched: Vec<PathBuf>,
    /// The URLs, in the order they were asked for.
    pub missing: Vec<WantedUrl>,
}

impl fmt::Display for MissingUrls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let searched: Vec<String> = self
            .searched
            .iter()
            .map(|path| path.display().to_string())
            .collect();
        let named: Vec<String> = self.missing.iter().take(NAMED).map(ToString::to_string).collect();
        write!(
            f,
            "{} {} not in {}, or not as {}: {}",
            self.missing.len(),
            if self.missing.len() == 1 {
                "URL is"
            } else {
                "URLs are"
            },
            searched.join(", "),
            if self.missing.len() == 1 {
                "a readable page"
            } else {
                "readable pages"
            },
            named.join(", ")
        )?;
        match self.missing.len().saturating_sub(NAMED) {
            0 => Ok(()),
            more => write!(f, " and {more} more"),
        }
    }
}

/// A URL that was not fetched, and why.
#[derive(Clone, Debug)]
pub struct UnfetchedUrl {
    /// The URL.
    pub wanted: WantedUrl,
    /// What happened.
    pub why: NotFetched,
}

impl fmt::Display for UnfetchedUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.wanted, self.why)
    }
}

/// Something a user should know while inputs are read. None of it stops the reading.
#[derive(Debug)]
#[non_exhaustive]
pub enum InputNotice {
    /// This many pages are about to be fetched.
    Fetching(usize),
    /// A URL could not be fetched.
    NotFetched(UnfetchedUrl),
    /// Some URLs were not found.
    Missing(MissingUrls),
    /// An archive is damaged in places; the first fault.
    Damaged(StoreError),
    /// Some lines of a crawl's records could not be read.
    UnreadableLines(UnreadableLines),
}

/// Why inputs cannot be understood or read.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum InputError {
    /// A text that should be a URL is not.
    #[error("{}{text:?} is not an absolute http or https URL: {source}", prefix(place))]
    NotAUrl {
        /// Where it is, if in a list.
        place: Option<ListPlace>,
        /// The text.
        text: String,
        /// What is wrong with it.
        source: UrlFault,
    },
    /// A file or folder does not exist.
    #[error("{} does not exist; {}", .0.display(), remedy(.0))]
    NotFound(PathBuf),
    /// A folder without anything to read.
    #[error("{} contains no .html, .htm, .xhtml, .txt, .warc, .warc.gz or .warc.zst files and is not a crawl folder", .0.display())]
    NoPages(PathBuf),
    /// A line of a list.
    #[error(
        "{place}: {text:?} is neither a URL nor a file; write one absolute URL or one path per line, comments after #"
    )]
    NeitherUrlNorFile {
        /// The line.
        place: ListPlace,
        /// What it says.
        text: String,
    },
    /// A list without URLs.
    #[error("{} contains no URLs; write one per line", .0.display())]
    EmptyList(PathBuf),
    /// A file that should be an archive.
    #[error("{} is not an archive; name a .warc, .warc.gz or .warc.zst file or a crawl folder", .0.display())]
    NotAnArchive(PathBuf),
    /// A folder that should have archives.
    #[error("{} is not a crawl folder and contains no WARC files", .0.display())]
    NoArchives(PathBuf),
    /// A URL was given, but no archive to look it up in, and fetching is off.
    #[error("{0} is not fetched here; name the archive or crawl folder that contains it, or crawl it first")]
    NowhereToLook(WantedUrl),
    /// None of the URLs were found.
    #[error("{0}")]
    NoneFound(MissingUrls),
    /// None of the URLs could be fetched.
    #[error("no page could be fetched:{}", lines(.0))]
    NoneFetched(Vec<UnfetchedUrl>),
    /// The path of a file that cannot be written as a URL.
    #[error("{}: {source}", path.display())]
    FileUrl {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        source: UrlFault,
    },
    /// The system refused to read a file or list a folder.
    #[error("{} could not be read", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// An archive or a crawl folder.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The records of a crawl.
    #[error(transparent)]
    Collection(Box<CollectionError>),
    /// Fetching.
    #[error(transparent)]
    Fetch(Box<FetchNowError>),
}

impl From<FetchNowError> for InputError {
    fn from(error: FetchNowError) -> InputError {
        InputError::Fetch(Box::new(error))
    }
}

impl From<CollectionError> for InputError {
    fn from(error: CollectionError) -> InputError {
        InputError::Collection(Box::new(error))
    }
}

impl InputError {
    /// Whether what the user named is at fault, rather than the disk or the web.
    pub fn is_bad_input(&self) -> bool {
        match self {
            InputError::NoneFetched(_)
            | InputError::Io { .. }
            | InputError::Store(_)
            | InputError::Collection(_) => false,
            InputError::Fetch(error) => error.is_bad_input(),
            _ => true,
        }
    }

    /// Whether reading was stopped by the user.
    pub fn is_interruption(&self) -> bool {
        matches!(self, InputError::Fetch(error) if matches!(**error, FetchNowError::Interrupted))
    }

    pub(crate) fn io(path: &Path) -> impl Fn(io::Error) -> InputError {
        move |source| InputError::Io {
            path: path.to_owned(),
            source,
        }
    }
}

fn prefix(place: &Option<ListPlace>) -> String {
    place
        .as_ref()
        .map(|place| format!("{place}: "))
        .unwrap_or_default()
}

fn lines(unfetched: &[UnfetchedUrl]) -> String {
    unfetched.iter().map(|url| format!("\n  {url}")).collect()
}

fn remedy(path: &Path) -> String {
    let shown = path.to_string_lossy();
    let is_url = CanonicalUrl::parse(&format!("https://{shown}")).is_ok();
    match is_url && shown.starts_with("www.") {
        true => format!("for a URL write http://{shown} or https://{shown}"),
        false => "name an HTML or text file, a folder of them, a .warc.gz file, a crawl folder, or a list of URLs or paths"
            .to_owned(),
    }
}

/// Where pages come from.
#[derive(Debug)]
enum Source {
    File(PathBuf),
    Warc(PathBuf),
    Crawl(PathBuf),
    LookUp {
        web: Vec<PathBuf>,
        wanted: Vec<WantedUrl>,
    },
    Fetch {
        how: Box<FetchInputs>,
        wanted: Vec<WantedUrl>,
    },
}

/// Pages that were named and are not read yet.
#[derive(Debug)]
pub struct PageInputs {
    sources: Vec<Source>,
    crawls: CrawlPages,
}

impl PageInputs {
    /// Understands names.
    pub fn parse(names: &[String], settings: &InputSettings<'_>) -> Result<PageInputs, InputError> {
        let mut only = Vec::new();
        for list in settings.only {
            only.extend(read_url_list(list)?);
        }
        let mut names_read = Names {
            settings,
            only,
            sources: Vec::new(),
            urls: Vec::new(),
        };
        for name in names {
            names_read.name(name)?;
        }
        let Names {
            mut sources, urls, ..
        } = names_read;
        if let Some(first) = urls.first() {
            sources.push(match settings.fetch {
                _ if !settings.web.is_empty() => Source::LookUp {
                    web: settings.web.to_vec(),
                    wanted: urls,
                },
                Some(how) => Source::Fetch {
                    how: Box::new(how.clone()),
                    wanted: urls,
                },
                None => return Err(InputError::NowhereToLook(first.clone())),
            });
        }
        Ok(PageInputs {
            sources,
            crawls: settings.crawls,
        })
    }

    /// Leaves out files and URLs by name. Pages of archives and crawl folders stay: their names are in the archives.
    pub(crate) fn leave_out(&mut self, is_known: impl Fn(&str) -> bool) {
        self.sources.retain_mut(|source| match source {
            Source::File(path) => !is_known(&path.display().to_string()),
            Source::Fetch { wanted, .. } => {
                wanted.retain(|wanted| !is_known(wanted.url.as_str()));
                !wanted.is_empty()
            }
            Source::Warc(_) | Source::Crawl(_) | Source::LookUp { .. } => true,
        });
    }

    /// The URLs that were named, and those of the pages in archives and crawl folders. Nothing is fetched.
    pub(crate) fn urls(&self, notice: &mut dyn FnMut(InputNotice)) -> Result<Vec<CanonicalUrl>, InputError> {
        let mut urls = Vec::new();
        for source in &self.sources {
            match source {
                Source::File(_) => {}
                Source::Fetch { wanted, .. } | Source::LookUp { wanted, .. } => {
                    urls.extend(wanted.iter().map(|wanted| wanted.url.clone()));
                }
                Source::Warc(path) => {
                    each_response(path, |url, record| {
                        if record
                            .http()
                            .and_then(|http| html_of_response(&url, &http))
                            .is_some()
                        {
                            urls.push(url);
                        }
                        Flow::Continue
                    })?;
                }
                Source::Crawl(folder) => {
                    let kept = lookup::kept_pages(&CrawlView::open(folder)?, notice)?;
                    let wanted = kept
                        .into_iter()
                        .filter(|(_, kept)| self.crawls == CrawlPages::All || kept.is_relevant);
                    urls.extend(wanted.map(|(url, _)| url));
                }
            }
        }
        let mut known = HashSet::new();
        urls.retain(|url| known.insert(url.clone()));
        Ok(urls)
    }

    /// Reads and visits every page. Returns how many there were.
    pub fn each(
        &self,
        mut visit: impl FnMut(NamedPage),
        notice: &mut dyn FnMut(InputNotice),
    ) -> Result<u64, InputError> {
        let mut known: HashSet<CanonicalUrl> = HashSet::new();
        let mut pages = 0;
        let mut show = |named: NamedPage| {
            if known.insert(named.page.url.clone()) {
                pages += 1;
                visit(named);
            }
        };
        for source in &self.sources {
            match source {
                Source::File(path) => show(read_file(path)?),
                Source::Warc(path) => {
                    let damage = each_response(path, |url, record| {
                        if let Some(page) = record.http().and_then(|http| html_of_response(&url, &http)) {
                            show(named(page));
                        }
                        Flow::Continue
                    })?;
                    damage
                        .map(InputNotice::Damaged)
                        .into_iter()
                        .for_each(&mut *notice);
                }
                Source::Crawl(folder) => {
                    let view = CrawlView::open(folder)?;
                    for (url, kept) in lookup::kept_pages(&view, notice)? {
                        if self.crawls == CrawlPages::All || kept.is_relevant {
                            let record = view.record(&kept.position)?;
                            let page = record.http().and_then(|http| page_of_response(&url, &http));
                            page.map(named).into_iter().for_each(&mut show);
                        }
                    }
                }
                Source::Fetch { how, wanted } => {
                    lookup::fetch(how, wanted, notice)?
                        .into_iter()
                        .for_each(&mut show);
                }
                Source::LookUp { web, wanted } => {
                    lookup::look_up(web, wanted, notice)?
                        .into_iter()
                        .for_each(&mut show);
                }
            }
        }
        Ok(pages)
    }
}

/// Names being understood.
struct Names<'a> {
    settings: &'a InputSettings<'a>,
    only: Vec<WantedUrl>,
    sources: Vec<Source>,
    urls: Vec<WantedUrl>,
}

impl Names<'_> {
    fn name(&mut self, name: &str) -> Result<(), InputError> {
        if is_url(name) {
            self.urls.push(WantedUrl::parse(name)?);
            return Ok(());
        }
        let path = Path::new(name);
        if !path.exists()
            && let Some((archive, list)) = name.rsplit_once('#')
            && (is_warc(Path::new(archive)) || Path::new(archive).is_dir())
        {
            must_exist(Path::new(archive))?;
            self.sources.push(Source::LookUp {
                web: vec![archive.into()],
                wanted: read_url_list(Path::new(list))?,
            });
            return Ok(());
        }
        must_exist(path)?;
        if path.is_file() && !is_warc(path) && !is_html(path) {
            let text = read_some(path)?;
            if let Ok(text) = std::str::from_utf8(&text)
                && looks_like_a_list(text, path)
            {
                return self.list(text, path);
            }
        }
        self.path(path)
    }

    /// A file, an archive or a folder.
    fn path(&mut self, path: &Path) -> Result<(), InputError> {
        if path.is_dir() {
            if is_crawl(path) {
                self.archive(path, Source::Crawl);
                return Ok(());
            }
            let files = files_under(path)?;
            if files.is_empty() {
                return Err(InputError::NoPages(path.to_owned()));
            }
            for file in files {
                self.file(&file);
            }
        } else {
            self.file(path);
        }
        Ok(())
    }

    fn file(&mut self, path: &Path) {
        if is_warc(path) {
            self.archive(path, Source::Warc);
        } else {
            self.sources.push(Source::File(path.to_owned()));
        }
    }

    fn archive(&mut self, path: &Path, whole: fn(PathBuf) -> Source) {
        let path = path.to_owned();
        self.sources.push(if self.settings.only.is_empty() {
            whole(path)
        } else {
            Source::LookUp {
                web: vec![path],
                wanted: self.only.clone(),
            }
        });
    }

    /// One URL or path per line. Lists in lists are read as texts, so that no list can name itself.
    fn list(&mut self, text: &str, list: &Path) -> Result<(), InputError> {
        for (line, entry) in meaningful_lines(text) {
            let place = ListPlace {
                path: list.to_owned(),
                line,
            };
            if is_url(entry) {
                self.urls.push(WantedUrl::at(entry, Some(place))?);
            } else if let Some(path) = beside(list, entry) {
                self.path(&path)?;
            } else if entry.contains("://") {
                // Lists of pages from elsewhere have such lines; the others are worth reading all the same.
                tracing::warn!("{place}: {entry} is left out, because only http and https can be read");
            } else {
                return Err(InputError::NeitherUrlNorFile {
                    place,
                    text: entry.to_owned(),
                });
            }
        }
        Ok(())
    }
}

fn must_exist(path: &Path) -> Result<(), InputError> {
    match path.exists() {
        true => Ok(()),
        false => Err(InputError::NotFound(path.to_owned())),
    }
}

pub(crate) fn is_url(text: &str) -> bool {
    let scheme = |scheme: &str| {
        text.get(..scheme.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(scheme))
    };
    scheme("http://") || scheme("https://")
}

fn ends_in(path: &Path, endings: &[&str]) -> bool {
    let name = path
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .to_lowercase();
    endings.iter().any(|ending| name.ends_with(ending))
}

/// Whether a path is the folder of a crawl.
pub fn is_crawl(path: &Path) -> bool {
    path.join("crawl.lock").is_file()
}

/// Whether a file has the name of an archive.
pub(crate) fn is_warc(path: &Path) -> bool {
    ends_in(path, &[".warc", ".warc.gz", ".warc.zst"]) && !path.is_dir()
}

fn is_html(path: &Path) -> bool {
    ends_in(path, &[".html", ".htm", ".xhtml", ".xht", ".shtml"])
}

/// The pages and archives of a folder and the folders in it, sorted. Links to folders are not followed.
fn files_under(folder: &Path) -> Result<Vec<PathBuf>, InputError> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).map_err(InputError::io(&folder))? {
            let entry = entry.map_err(InputError::io(&folder))?;
            let path = entry.path();
            if entry.file_type().map_err(InputError::io(&path))?.is_dir() {
                folders.push(path);
            } else if is_html(&path) || is_warc(&path) || ends_in(&path, &[".txt"]) {
                files.push(path);
            }
        }
    }
    files.sort_unstable();
    Ok(files)
}

/// As much of a file as is ever read of a page, and one more byte if there is more.
fn read_some(path: &Path) -> Result<Vec<u8>, InputError> {
    let most = Limits::default().body_bytes as u64 + 1;
    let mut bytes = Vec::new();
    File::open(path)
        .and_then(|file| file.take(most).read_to_end(&mut bytes))
        .map_err(InputError::io(path))?;
    Ok(bytes)
}

fn read_file(path: &Path) -> Result<NamedPage, InputError> {
    let body = read_some(path)?;
    let content_type = if is_html(path) {
        Some("text/html")
    } else if ends_in(path, &[".txt"]) {
        Some("text/plain")
    } else {
        None
    };
    let input = PageInput {
        url: &file_url(path)?,
        content_type,
        body: &body,
        truncated: false,
    };
    Ok(NamedPage {
        name: path.display().to_string(),
        asked: None,
        page: parse(
            &input,
            &Limits {
                // For judges that want it; these are few pages.
                main_text: true,
                ..Limits::default()
            },
        ),
    })
}

/// A file's path as a URL of a host that cannot exist, so that URL terms match the path.
fn file_url(path: &Path) -> Result<CanonicalUrl, InputError> {
    let whole = fs::canonicalize(path).map_err(InputError::io(path))?;
    let mut url = "http://file.invalid/".to_owned();
    for c in whole.to_string_lossy().trim_start_matches('/').chars() {
        match c {
            '%' | '?' | '#' | '\\' => url.push_str(&format!("%{:02X}", u32::from(c))),
            c => url.push(c),
        }
    }
    CanonicalUrl::parse(&url).map_err(|source| InputError::FileUrl {
        path: path.to_owned(),
        source,
    })
}

fn named(page: ParsedPage) -> NamedPage {
    NamedPage {
        name: page.url.to_string(),
        asked: None,
        page,
    }
}
