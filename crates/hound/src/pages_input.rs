//! Pages as the user names them on the command line, and what to say when they are wrong.

use std::fmt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Result, anyhow};
use scenthound::StopHandle;
use scenthound::fetch_now::NotFetched;
use scenthound::inputs::{
    CrawlPages, FetchInputs, InputError, InputNotice, InputSettings, NamedPage, PageInputs, UnfetchedUrl,
};
use scenthound_config::Given;

pub use scenthound::inputs::WantedUrl as Wanted;

use crate::judge::NO_SEED;
use crate::stdout::note;
use crate::wording::{counted, harmless, remarks};
use crate::{crawl, exit};

/// The user's input is wrong; the message says how to correct it.
#[derive(Debug)]
pub struct BadInput(pub String);

impl fmt::Display for BadInput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for BadInput {}

/// An error about the user's input.
pub fn bad_input(message: impl fmt::Display) -> anyhow::Error {
    BadInput(message.to_string()).into()
}

/// The exit code of a command. Bad input is printed and has its own code.
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
        let mut given = vec![Given::new("seed-urls", NO_SEED)];
        given.extend(self.allow_net.iter().map(|net| Given::new("allow-net", net)));
        for (name, value) in [
            ("contact", &self.contact),
            ("delay", &self.delay),
            ("resolver", &self.resolver),
        ] {
            given.extend(value.iter().map(|value| Given::new(name, value)));
        }
        Ok(FetchInputs {
            settings: crawl::check_settings("page", &given)?.map_err(bad_input)?,
            stop: StopHandle::default(),
        })
    }
}

/// Where the pages of a command may come from.
#[derive(Clone, Copy, Debug)]
pub struct Naming<'a> {
    /// Archives and crawl folders that hold the URLs.
    pub web: &'a [PathBuf],
    /// The option that names them.
    pub web_option: &'a str,
    /// Lists of the only URLs to take from archives and crawl folders.
    pub only: &'a [PathBuf],
    /// What a crawl folder stands for.
    pub crawls: CrawlPages,
    /// How URLs are fetched that no archive is named for; none if they are not.
    pub fetching: Option<&'a Fetching>,
}

/// Pages that were named and are not read yet.
pub struct Inputs {
    pages: PageInputs,
    stop: StopHandle,
}

impl Inputs {
    /// Understands names.
    pub fn read(names: &[String], naming: &Naming<'_>) -> Result<Inputs> {
        let fetch = naming.fetching.map(Fetching::settings).transpose()?;
        let settings = InputSettings {
            web: naming.web,
            only: naming.only,
            crawls: naming.crawls,
            fetch: fetch.as_ref(),
        };
        let pages = PageInputs::parse(names, &settings).map_err(|error| match error {
            InputError::NowhereToLook(wanted) => {
                let place = wanted.place.map(|place| format!("{place}: ")).unwrap_or_default();
                bad_input(format!(
                    "{place}{} is not fetched here; name the archive or crawl folder that contains it with {} FILE.warc.gz, \
                     or crawl it first with hound crawl",
                    wanted.url, naming.web_option
                ))
            }
            error => input_error(error),
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
        pages.map_err(input_error)
    }
}

/// Prints what a user should know about inputs.
pub fn print_notice(notice: InputNotice) {
    match notice {
        InputNotice::Fetching(pages) => note!("fetching {}", counted(pages as u64, "page")),
        InputNotice::NotFetched(url) => note!("warning: not fetched: {}", unfetched(&url)),
        InputNotice::Missing(missing) => note!("warning: {missing}"),
        InputNotice::Damaged(error) => note!("warning: {error}"),
        InputNotice::UnreadableLines(lines) => note!("warning: {lines}"),
        _ => {}
    }
}

/// Bad input, or a failure that is not the user's doing.
pub fn input_error(error: InputError) -> anyhow::Error {
    match error {
        InputError::NoneFetched(urls) => {
            let lines: Vec<String> = urls.iter().map(unfetched).collect();
            anyhow!("no page could be fetched:\n  {}", lines.join("\n  "))
        }
        error if error.is_bad_input() => bad_input(error),
        error => error.into(),
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

/// A URL of the command line.
pub fn read_wanted(text: &str) -> Result<Wanted, InputError> {
    Wanted::parse(text)
}

/// The URLs of a list, with their lines.
pub fn read_urls(list: &Path) -> Result<Vec<Wanted>> {
    scenthound::inputs::read_url_list(list).map_err(input_error)
}
