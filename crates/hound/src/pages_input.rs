//! Pages as a user names them: files, folders of files, archives, crawl folders, URLs, and lists.
//!
//! Everything is named first and read afterwards, so a slip in the last name costs no reading of the others. Of several
//! pages with one URL the first is taken. What cannot be read of an archive is told and passed over.
//!
//! A URL is looked up in the archives named for it; where none is named, it is fetched ([`crate::fetch_now`]).

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result};
use scenthound_parse::{Limits, PageInput, parse};
use scenthound_store::{CrawlView, Error as StoreError, HttpResponse, Position, WarcReader, WarcRecord};
use scenthound_types::{CanonicalUrl, ParsedPage, Readable, media_type};

use crate::fetch_now::{self, Fetching};
use crate::stdout::note;
use crate::wording::{counted, harmless};
use crate::{exit, look};

/// Missing URLs named, at most.
const NAMED: usize = 3;
/// Lines of a text looked at to tell whether it is a list.
const LOOKED_AT: usize = 100;

/// What the user gave cannot be meant; the message says what can.
#[derive(Debug)]
pub struct BadInput(pub String);

impl fmt::Display for BadInput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for BadInput {}

/// An error about what the user gave.
pub fn bad_input(message: impl fmt::Display) -> anyhow::Error {
    BadInput(message.to_string()).into()
}

/// The exit code of a command: bad input is told and has its own.
pub fn end(result: Result<()>) -> Result<ExitCode> {
    match result {
        Ok(()) => Ok(ExitCode::SUCCESS),
        Err(error) if error.is::<BadInput>() => {
            note(&format!("hound: {error}"));
            Ok(ExitCode::from(exit::BAD_SETTINGS))
        }
        Err(error) => Err(error),
    }
}

/// Which pages of a crawl folder are meant by its name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Taken {
    /// Those judged relevant.
    Relevant,
    /// All that were read.
    All,
}

/// How names are understood.
#[derive(Clone, Copy, Debug)]
pub struct Naming<'a> {
    /// Archives and crawl folders that hold the URLs.
    pub web: &'a [PathBuf],
    /// The option that names them.
    pub web_option: &'a str,
    /// Lists of the only URLs to take from archives and crawl folders.
    pub only: &'a [PathBuf],
    /// What a crawl folder stands for.
    pub taken: Taken,
    /// How URLs are fetched that no archive is named for; none if they are not.
    pub fetching: Option<&'a Fetching>,
}

/// A page that was named.
#[derive(Debug)]
pub struct NamedPage {
    /// Its URL, or the path of its file.
    pub name: String,
    /// What it holds.
    pub page: ParsedPage,
}

/// A URL that was asked for.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// The URL.
    pub url: CanonicalUrl,
    /// The file and line that ask for it; none for the command line.
    pub place: Option<String>,
}

/// A URL of the command line; says what is wrong otherwise.
pub fn read_wanted(text: &str) -> Result<Wanted, String> {
    Ok(Wanted {
        url: read_url(text)?,
        place: None,
    })
}

#[derive(Debug)]
enum Source {
    File(PathBuf),
    Warc(PathBuf),
    Crawl(PathBuf),
    LookUp { web: Vec<PathBuf>, wanted: Vec<Wanted> },
    Live { fetching: Fetching, wanted: Vec<Wanted> },
}

/// Pages that were named and not read yet.
#[derive(Debug)]
pub struct Inputs {
    sources: Vec<Source>,
    taken: Taken,
}

impl Inputs {
    /// Understands names.
    pub fn read(given: &[String], naming: &Naming<'_>) -> Result<Inputs> {
        let mut only = Vec::new();
        for list in naming.only {
            only.extend(read_urls(list)?);
        }
        let mut reading = Reading {
            naming,
            only,
            sources: Vec::new(),
            urls: Vec::new(),
        };
        for name in given {
            reading.name(name)?;
        }
        let Reading {
            mut sources, urls, ..
        } = reading;
        if let Some(first) = urls.first() {
            if let Some(fetching) = naming.fetching.filter(|_| naming.web.is_empty()) {
                sources.push(Source::Live {
                    fetching: fetching.clone(),
                    wanted: urls,
                });
                return Ok(Inputs {
                    sources,
                    taken: naming.taken,
                });
            }
            if naming.web.is_empty() {
                let place = first.place.as_ref().map(|place| format!("{place}: "));
                return Err(bad_input(format!(
                    "{}{} is not fetched here; name the archive or crawl folder that holds it with {} FILE.warc.gz, or \
                     crawl it first with hound crawl",
                    place.unwrap_or_default(),
                    first.url,
                    naming.web_option
                )));
            }
            sources.push(Source::LookUp {
                web: naming.web.to_vec(),
                wanted: urls,
            });
        }
        Ok(Inputs {
            sources,
            taken: naming.taken,
        })
    }

    /// Reads and shows every page; tells how many there were.
    pub fn each(&self, mut visit: impl FnMut(NamedPage)) -> Result<u64> {
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
                Source::Warc(path) => each_response(path, |url, record| {
                    if let Some(page) = record.http().and_then(|response| html(&url, &response)) {
                        show(named(page));
                    }
                    Flow::Onward
                })?,
                Source::Crawl(folder) => {
                    let view = look::open(folder)?;
                    for (url, kept) in kept_pages(&view)? {
                        if self.taken == Taken::All || kept.is_relevant {
                            let record = view.record(&kept.position)?;
                            let page = record.http().and_then(|response| any_text(&url, &response));
                            page.map(named).into_iter().for_each(&mut show);
                        }
                    }
                }
                Source::Live { fetching, wanted } => live(fetching, wanted)?.into_iter().for_each(&mut show),
                Source::LookUp { web, wanted } => look_up(web, wanted)?.into_iter().for_each(&mut show),
            }
        }
        Ok(pages)
    }
}

/// Names being understood.
struct Reading<'a> {
    naming: &'a Naming<'a>,
    only: Vec<Wanted>,
    sources: Vec<Source>,
    urls: Vec<Wanted>,
}

impl Reading<'_> {
    fn name(&mut self, given: &str) -> Result<()> {
        if is_url(given) {
            let url = read_url(given).map_err(bad_input)?;
            self.urls.push(Wanted { url, place: None });
            return Ok(());
        }
        let path = Path::new(given);
        if !path.exists()
            && let Some((archive, list)) = given.rsplit_once('#')
            && (is_warc(Path::new(archive)) || Path::new(archive).is_dir())
        {
            must_exist(Path::new(archive))?;
            self.sources.push(Source::LookUp {
                web: vec![archive.into()],
                wanted: read_urls(Path::new(list))?,
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
    fn path(&mut self, path: &Path) -> Result<()> {
        if path.is_dir() {
            if path.join("crawl.lock").is_file() {
                self.archive(path, Source::Crawl);
                return Ok(());
            }
            let files = files_under(path)?;
            if files.is_empty() {
                return Err(bad_input(format!(
                    "{} holds no .html, .htm, .xhtml, .txt, .warc or .warc.gz files and is no crawl folder",
                    path.display()
                )));
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
        self.sources.push(if self.naming.only.is_empty() {
            whole(path)
        } else {
            Source::LookUp {
                web: vec![path],
                wanted: self.only.clone(),
            }
        });
    }

    /// One URL or path a line. Lists in lists are taken as texts, so that none can name itself.
    fn list(&mut self, text: &str, list: &Path) -> Result<()> {
        for (number, line) in meaningful_lines(text) {
            let place = format!("{}:{number}", list.display());
            if is_url(line) {
                let url = read_url(line).map_err(|wrong| bad_input(format!("{place}: {wrong}")))?;
                self.urls.push(Wanted {
                    url,
                    place: Some(place),
                });
            } else if let Some(path) = beside(list, line) {
                self.path(&path)?;
            } else {
                return Err(bad_input(format!(
                    "{place}: {} is neither a URL nor a file; write one whole URL or one path a line, comments \
                     after #",
                    harmless(line)
                )));
            }
        }
        Ok(())
    }
}

fn must_exist(path: &Path) -> Result<()> {
    if path.exists() {
        return Ok(());
    }
    let shown = harmless(&path.to_string_lossy());
    let remedy = match CanonicalUrl::parse(&format!("https://{shown}")) {
        Ok(_) if shown.starts_with("www.") => format!("for a URL write http://{shown} or https://{shown}"),
        _ => "name an HTML or text file, a folder of them, a .warc.gz, a crawl folder, or a list of URLs or paths"
            .to_owned(),
    };
    Err(bad_input(format!("{shown} does not exist; {remedy}")))
}

/// The URLs of a list, with their lines.
pub fn read_urls(list: &Path) -> Result<Vec<Wanted>> {
    must_exist(list)?;
    let bytes = read_some(list)?;
    let mut urls = Vec::new();
    for (number, line) in meaningful_lines(&String::from_utf8_lossy(&bytes)) {
        let place = format!("{}:{number}", list.display());
        let url = read_url(line).map_err(|wrong| bad_input(format!("{place}: {wrong}")))?;
        urls.push(Wanted {
            url,
            place: Some(place),
        });
    }
    if urls.is_empty() {
        return Err(bad_input(format!(
            "{} names no URL; write one a line",
            list.display()
        )));
    }
    Ok(urls)
}

fn read_url(text: &str) -> Result<CanonicalUrl, String> {
    CanonicalUrl::parse(text).map_err(|fault| {
        format!(
            "{} cannot be looked up: {fault}; write a whole http or https URL",
            harmless(text)
        )
    })
}

/// The lines that say something, counted from 1.
fn meaningful_lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    text.lines()
        .map(str::trim)
        .enumerate()
        .filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
        .map(|(at, line)| (at + 1, line))
}

/// Whether most of the first lines are URLs or paths: then a line that is neither is a slip. A text for people is not so.
fn looks_like_a_list(text: &str, path: &Path) -> bool {
    let (mut lines, mut named) = (0, 0);
    for (_, line) in meaningful_lines(text).take(LOOKED_AT) {
        lines += 1;
        named += usize::from(is_url(line) && !line.contains(' ') || beside(path, line).is_some());
    }
    lines > 0 && 2 * named >= lines
}

/// A path as a list means it: seen from the list's folder, or from here.
fn beside(list: &Path, line: &str) -> Option<PathBuf> {
    // Dots and slashes alone name folders, but are more often drawn than meant.
    if !line.contains(char::is_alphanumeric) {
        return None;
    }
    let near = list.parent().unwrap_or(Path::new("")).join(line);
    [near, PathBuf::from(line)].into_iter().find(|path| path.exists())
}

fn is_url(text: &str) -> bool {
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

/// Whether a file's name is that of an archive.
pub fn is_warc(path: &Path) -> bool {
    ends_in(path, &[".warc", ".warc.gz"]) && !path.is_dir()
}

fn is_html(path: &Path) -> bool {
    ends_in(path, &[".html", ".htm", ".xhtml", ".xht", ".shtml"])
}

/// The pages and archives of a folder and the folders in it, sorted. Links to folders are not followed.
fn files_under(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let list = || format!("{} cannot be listed", folder.display());
        for entry in fs::read_dir(&folder).with_context(list)? {
            let entry = entry.with_context(list)?;
            let path = entry.path();
            if entry.file_type().with_context(list)?.is_dir() {
                folders.push(path);
            } else if is_html(&path) || is_warc(&path) || ends_in(&path, &[".txt"]) {
                files.push(path);
            }
        }
    }
    files.sort_unstable();
    Ok(files)
}

/// As much of a file as is ever read of a page, and a byte more where there is more.
fn read_some(path: &Path) -> Result<Vec<u8>> {
    let most = Limits::default().body_bytes as u64 + 1;
    let mut bytes = Vec::new();
    File::open(path)
        .and_then(|file| file.take(most).read_to_end(&mut bytes))
        .with_context(|| format!("{} cannot be read", path.display()))?;
    Ok(bytes)
}

fn read_file(path: &Path) -> Result<NamedPage> {
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
        page: parse(&input, &Limits::default()),
    })
}

/// A file's path as a URL of a host that cannot exist: URL terms then speak of the path.
fn file_url(path: &Path) -> Result<CanonicalUrl> {
    let whole = fs::canonicalize(path).with_context(|| format!("{} cannot be found", path.display()))?;
    let mut url = "http://file.invalid/".to_owned();
    for c in whole.to_string_lossy().trim_start_matches('/').chars() {
        match c {
            '%' | '?' | '#' | '\\' => url.push_str(&format!("%{:02X}", u32::from(c))),
            c => url.push(c),
        }
    }
    CanonicalUrl::parse(&url).map_err(|fault| bad_input(format!("{}: {fault}", path.display())))
}

fn named(page: ParsedPage) -> NamedPage {
    NamedPage {
        name: page.url.to_string(),
        page,
    }
}

/// Whether an archive is to be read on.
pub enum Flow {
    /// Yes.
    Onward,
    /// No more is needed of it.
    Enough,
}

/// Shows the responses of an archive.
pub fn each_response(path: &Path, mut visit: impl FnMut(CanonicalUrl, &WarcRecord) -> Flow) -> Result<()> {
    let mut is_told = false;
    for record in WarcReader::open(path)? {
        let record = match record {
            Ok(record) => record,
            Err(error @ StoreError::Io { .. }) => return Err(error.into()),
            Err(error) => {
                if !is_told {
                    note(&format!("warning: {error}"));
                }
                is_told = true;
                continue;
            }
        };
        if !record.kind().eq_ignore_ascii_case("response") {
            continue;
        }
        let url = record.target_uri().and_then(|uri| CanonicalUrl::parse(uri).ok());
        if let Some(url) = url
            && let Flow::Enough = visit(url, &record)
        {
            break;
        }
    }
    Ok(())
}

/// A good response that calls itself HTML, or nothing.
fn html(url: &CanonicalUrl, response: &HttpResponse<'_>) -> Option<ParsedPage> {
    let kind = response.header("content-type").and_then(media_type);
    let is_html = kind.is_none_or(|kind| {
        kind.eq_ignore_ascii_case("text/html") || kind.eq_ignore_ascii_case("application/xhtml+xml")
    });
    is_html.then(|| any_text(url, response)).flatten()
}

/// A good response of a type that is read.
pub fn any_text(url: &CanonicalUrl, response: &HttpResponse<'_>) -> Option<ParsedPage> {
    if response.status != 200 {
        return None;
    }
    let limits = Limits::default();
    let content_type = response.header("content-type");
    let body = response.body(limits.body_bytes);
    if !Readable::is_page(content_type, &body.bytes) {
        return None;
    }
    let input = PageInput {
        url,
        content_type,
        body: &body.bytes,
        truncated: !body.faults.is_empty(),
    };
    Some(parse(&input, &limits))
}

/// A page of a crawl folder.
struct Kept {
    position: Position,
    is_relevant: bool,
}

/// The judged pages of a crawl by the URL they were read from, as last fetched.
fn kept_pages(view: &CrawlView) -> Result<BTreeMap<CanonicalUrl, Kept>> {
    let mut pages = BTreeMap::new();
    look::each_record(view, |_, record| {
        if !look::is_judged_page(&record) {
            return;
        }
        let url = record.final_url.as_deref().unwrap_or(&record.url);
        if let (Ok(url), Some(position)) = (CanonicalUrl::parse(url), record.archive) {
            let is_relevant = record.relevant == Some(true);
            pages.insert(
                url,
                Kept {
                    position,
                    is_relevant,
                },
            );
        }
    })?;
    Ok(pages)
}

/// Finds URLs in archives and crawl folders, in the order asked for; tells which are missing.
fn look_up(web: &[PathBuf], wanted: &[Wanted]) -> Result<Vec<NamedPage>> {
    let mut missing: HashSet<&CanonicalUrl> = wanted.iter().map(|wanted| &wanted.url).collect();
    let mut found: HashMap<CanonicalUrl, ParsedPage> = HashMap::new();
    for path in archives(web)? {
        if missing.is_empty() {
            break;
        }
        if path.is_dir() {
            let view = look::open(&path)?;
            for (url, kept) in kept_pages(&view)? {
                if missing.contains(&url)
                    && let Some(page) = view
                        .record(&kept.position)?
                        .http()
                        .and_then(|response| any_text(&url, &response))
                {
                    missing.remove(&url);
                    found.insert(url, page);
                }
            }
            continue;
        }
        each_response(&path, |url, record| {
            if missing.contains(&url)
                && let Some(page) = record.http().and_then(|response| any_text(&url, &response))
            {
                missing.remove(&url);
                found.insert(url, page);
            }
            if missing.is_empty() {
                Flow::Enough
            } else {
                Flow::Onward
            }
        })?;
    }
    tell_missing(web, wanted, &missing)?;
    Ok(wanted
        .iter()
        .filter_map(|wanted| found.remove(&wanted.url))
        .map(named)
        .collect())
}

/// Fetches URLs; tells which could not be had.
fn live(fetching: &Fetching, wanted: &[Wanted]) -> Result<Vec<NamedPage>> {
    let urls: Vec<CanonicalUrl> = wanted.iter().map(|wanted| wanted.url.clone()).collect();
    let haul = fetch_now::fetch(&urls, fetching)?;
    let mut pages = Vec::new();
    let mut lost = Vec::new();
    for Wanted { url, place } in wanted {
        let place = place
            .as_ref()
            .map(|place| format!(" ({place})"))
            .unwrap_or_default();
        match haul.page(url) {
            Ok(record) => {
                let from = CanonicalUrl::parse(&record.url).ok();
                let stored = record
                    .archive
                    .as_ref()
                    .map(|position| haul.view().record(position));
                let page = from
                    .zip(stored.transpose()?)
                    .and_then(|(from, stored)| stored.http().and_then(|response| any_text(&from, &response)));
                match page {
                    Some(page) => pages.push(named(page)),
                    None => lost.push(format!("{url}{place}: it is no page with status 200")),
                }
            }
            Err(why) => lost.push(format!("{url}{place}: {}", harmless(&why))),
        }
    }
    if pages.is_empty() {
        return Err(anyhow::anyhow!(
            "no page could be fetched:\n  {}",
            lost.join("\n  ")
        ));
    }
    for lost in lost {
        note(&format!("warning: not fetched: {lost}"));
    }
    Ok(pages)
}

fn tell_missing(web: &[PathBuf], wanted: &[Wanted], missing: &HashSet<&CanonicalUrl>) -> Result<()> {
    let lost: Vec<String> = wanted
        .iter()
        .filter(|wanted| missing.contains(&wanted.url))
        .map(|wanted| match &wanted.place {
            Some(place) => format!("{} ({place})", wanted.url),
            None => wanted.url.to_string(),
        })
        .collect();
    if lost.is_empty() {
        return Ok(());
    }
    let web: Vec<String> = web.iter().map(|path| path.display().to_string()).collect();
    let named = lost.get(..NAMED).unwrap_or(&lost).join(", ");
    let more = lost.len().saturating_sub(NAMED);
    let message = format!(
        "{} not in {}, or not as a page that was read: {named}{}",
        counted(lost.len() as u64, "URL"),
        web.join(", "),
        if more > 0 {
            format!(" and {more} more")
        } else {
            String::new()
        }
    );
    if lost.len() == wanted.len() {
        return Err(bad_input(message));
    }
    note(&format!("warning: {message}"));
    Ok(())
}

/// WARC files and crawl folders; of any other folder the WARC files in it.
fn archives(web: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let mut archives = Vec::new();
    for path in web {
        must_exist(path)?;
        if path.is_dir() && !path.join("crawl.lock").is_file() {
            let inside = files_under(path)?;
            let before = archives.len();
            archives.extend(inside.into_iter().filter(|file| is_warc(file)));
            if archives.len() == before {
                return Err(bad_input(format!(
                    "{} is no crawl folder and holds no WARC files",
                    path.display()
                )));
            }
        } else if path.is_dir() || is_warc(path) {
            archives.push(path.clone());
        } else {
            return Err(bad_input(format!(
                "{} is no archive; name a .warc or .warc.gz file or a crawl folder",
                path.display()
            )));
        }
    }
    Ok(archives)
}
