//! Pages as the user names them on the command line, and the file a command writes.

use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow};
use scenthound::StopHandle;
use scenthound::fetch_now::NotFetched;
use scenthound::inputs::{
    CrawlPages, FetchInputs, InputError, InputNotice, InputSettings, NamedPage, PageInputs, UnfetchedUrl,
};
use scenthound_config::{Given, Settings};

use crate::crawl;
use crate::fault::bad_input;
use crate::wording::{counted, harmless, remarks};

/// The file a command writes.
#[derive(clap::Args, Debug)]
pub struct NewFile {
    /// The file to write.
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
    /// Overwrite an existing file.
    #[arg(long)]
    force: bool,
}

impl NewFile {
    /// Refuses an existing file, unless it may be overwritten.
    pub fn check(&self) -> Result<()> {
        check_new(&self.output, self.force)
    }
}

/// Refuses an existing file, unless it may be overwritten.
pub fn check_new(path: &Path, force: bool) -> Result<()> {
    if path.exists() && !force {
        let path = path.display();
        refuse!("{path} already exists; name another file, or overwrite it with --force");
    }
    Ok(())
}

/// Checks a topic that is not crawled, so it needs no seeds.
pub fn topic_settings(topic: &str, given: &[Given]) -> Result<Settings> {
    Ok(scenthound::check_topic_settings(topic, given)??)
}

/// How pages named by URL are fetched.
#[derive(clap::Args, Clone, Debug, Default)]
pub struct Fetching {
    /// Private networks that may be reached when URLs are fetched; all others are refused.
    #[arg(long, value_name = "NET")]
    pub allow_net: Vec<String>,
    /// Where site owners can reach you; sent with every request.
    #[arg(long, value_name = "CONTACT")]
    pub contact: Option<String>,
    /// Wait this long between two requests to a host [default: 1s].
    #[arg(long, value_name = "TIME")]
    pub delay: Option<String>,
    /// The DNS server to use instead of the system's.
    #[arg(long, value_name = "ADDR")]
    pub resolver: Option<String>,
}

impl Fetching {
    fn settings(&self) -> Result<FetchInputs> {
        let mut given: Vec<Given> = (self.allow_net.iter())
            .map(|net| Given::new("allow-net", net))
            .collect();
        let options = [
            ("contact", &self.contact),
            ("delay", &self.delay),
            ("resolver", &self.resolver),
        ];
        given.extend((options.iter()).filter_map(|(name, value)| Some(Given::new(*name, value.as_ref()?))));
        Ok(FetchInputs {
            settings: topic_settings("page", &given)?,
            stop: StopHandle::default(),
        })
    }
}

/// Where the pages of a command may come from.
#[derive(Clone, Copy, Debug)]
pub struct Naming<'a> {
    /// Archives and crawl folders that hold the URLs.
    pub web: &'a [PathBuf],
    /// Lists of the only URLs to take from archives and crawl folders.
    pub only: &'a [PathBuf],
    /// What a crawl folder stands for.
    pub crawls: CrawlPages,
    /// How to fetch URLs that no archive is named for, or else the option that names the archives.
    pub fetching: Result<&'a Fetching, &'static str>,
}

impl<'a> Naming<'a> {
    /// Takes all pages of crawl folders. Fetches URLs, or refuses them and names an option.
    pub fn new(fetching: Result<&'a Fetching, &'static str>) -> Naming<'a> {
        Naming {
            web: &[],
            only: &[],
            crawls: CrawlPages::All,
            fetching,
        }
    }
}

/// Pages that were named but not read yet.
pub struct Inputs {
    pages: PageInputs,
    stop: StopHandle,
}

impl Inputs {
    /// Finds out what names stand for.
    pub fn read(names: &[String], naming: &Naming<'_>) -> Result<Inputs> {
        let fetch = naming.fetching.ok().map(Fetching::settings).transpose()?;
        let settings = InputSettings {
            web: naming.web,
            only: naming.only,
            crawls: naming.crawls,
            fetch: fetch.as_ref(),
        };
        let pages = PageInputs::parse(names, &settings).map_err(|error| match (error, naming.fetching) {
            (InputError::NowhereToLook(wanted), Err(option)) => {
                let place = wanted.place.map(|place| format!("{place}: ")).unwrap_or_default();
                bad_input(format!(
                    "{place}{} is not fetched here; name the archive or crawl folder that contains it with {option} \
                     FILE.warc.gz, or crawl it first with hound crawl",
                    wanted.url
                ))
            }
            (error, _) => error.into(),
        })?;
        Ok(Inputs {
            pages,
            stop: fetch.map(|fetch| fetch.stop).unwrap_or_default(),
        })
    }

    /// Reads and visits every page, with warnings on stderr. Returns how many there were.
    pub fn each(&self, visit: impl FnMut(NamedPage)) -> Result<u64> {
        let mut signals = Ok(());
        let pages = self.pages.each(visit, &mut |notice| {
            if let InputNotice::Fetching(_) = notice {
                signals = crawl::listen_for_signals(self.stop.clone());
            }
            print_notice(notice);
        });
        signals?;
        pages.map_err(none_fetched)
    }
}

/// The error, with the reasons in words if no page could be fetched.
pub fn none_fetched(error: InputError) -> anyhow::Error {
    match error {
        InputError::NoneFetched(urls) => {
            let lines: Vec<String> = urls.iter().map(unfetched).collect();
            anyhow!("no page could be fetched:\n  {}", lines.join("\n  "))
        }
        error => error.into(),
    }
}

/// Prints what a user should know about inputs.
pub fn print_notice(notice: InputNotice) {
    match notice {
        InputNotice::Fetching(pages) => note!("fetching {}", counted(pages as u64, "page")),
        InputNotice::NotFetched(url) => complain!("warning: not fetched: {}", unfetched(&url)),
        InputNotice::Missing(missing) => complain!("warning: {missing}"),
        InputNotice::Damaged(error) => complain!("warning: {error}"),
        InputNotice::UnreadableLines(lines) => complain!("warning: {lines}"),
        _ => {}
    }
}

/// A URL and why it was not fetched.
fn unfetched(url: &UnfetchedUrl) -> String {
    let why = match &url.why {
        NotFetched::Failed(record) => remarks(record).unwrap_or_else(|| record.outcome.to_string()),
        why => why.to_string(),
    };
    format!("{}: {}", url.wanted, harmless(&why))
}
