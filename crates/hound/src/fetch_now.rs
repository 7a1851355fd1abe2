//! Pages named by URL, fetched for real: a crawl of these URLs alone, in a folder that is thrown away.
//!
//! So everything a crawl minds is minded here too: robots rules, rests between requests, the address guard, limits of size
//! and time, redirects. Links are not followed.

use std::collections::HashMap;
use std::path::Path;

use anyhow::{Context, Result, anyhow};
use scenthound_config::Given;
use scenthound_live::{Ended, StopSwitch};
use scenthound_store::{CrawlFolder, CrawlView, PageRecord};
use scenthound_types::{CanonicalUrl, LeaseKind};
use tempfile::TempDir;

use crate::pages_input::bad_input;
use crate::wording::{counted, remarks};
use crate::{crawl, look};

/// Redirects followed from a URL to its page.
const MOST_REDIRECTS: usize = 20;

/// How pages are fetched that are named by URL.
#[derive(clap::Args, Clone, Debug, Default)]
pub struct Fetching {
    /// Private networks that may be reached for URLs that are fetched; all are refused unless named.
    #[arg(long, value_name = "NET")]
    pub allow_net: Vec<String>,
    /// Where site owners can reach you, told to the sites that are asked.
    #[arg(long, value_name = "CONTACT")]
    pub contact: Option<String>,
    /// Wait this long between two requests to a host [default: 1s].
    #[arg(long, value_name = "TIME")]
    pub delay: Option<String>,
    /// The DNS server to ask, in place of the system's.
    #[arg(long, value_name = "ADDR")]
    pub resolver: Option<String>,
}

/// What came of fetching some URLs.
pub struct Haul {
    view: CrawlView,
    by_url: HashMap<String, PageRecord>,
    robots: HashMap<String, PageRecord>,
    /// Holds the folder until the pages were read.
    _folder: TempDir,
}

impl Haul {
    /// The crawl they were fetched by.
    pub fn view(&self) -> &CrawlView {
        &self.view
    }

    /// The record of the page a URL led to, or what went wrong.
    pub fn page(&self, url: &CanonicalUrl) -> Result<&PageRecord, String> {
        let mut at = url.as_str();
        for _ in 0..MOST_REDIRECTS {
            match self.by_url.get(at) {
                Some(record) if record.is_judged_page() => return Ok(record),
                Some(PageRecord {
                    final_url: Some(to), ..
                }) => at = to,
                Some(record) => {
                    return Err(remarks(record).unwrap_or_else(|| record.outcome.to_string()));
                }
                None => break,
            }
        }
        // Nothing is asked of a host whose rules cannot be had; what is wrong with the host is what went wrong.
        let host = self.robots.get(url.robots_txt().as_str());
        let why = host.and_then(remarks);
        Err(why.unwrap_or_else(|| "its host could not be asked".to_owned()))
    }
}

/// Fetches URLs, each once.
pub fn fetch(urls: &[CanonicalUrl], fetching: &Fetching) -> Result<Haul> {
    let mut given: Vec<Given> = urls
        .iter()
        .map(|url| Given::new("seed-urls", url.as_str()))
        .collect();
    given.extend([
        Given::new("depth", "0"),
        Given::new("sitemaps", "off"),
        Given::new("retries", "1"),
        Given::new("max-time", "10m"),
    ]);
    given.extend(fetching.allow_net.iter().map(|net| Given::new("allow-net", net)));
    for (name, value) in [
        ("contact", &fetching.contact),
        ("delay", &fetching.delay),
        ("resolver", &fetching.resolver),
    ] {
        given.extend(value.iter().map(|value| Given::new(name, value)));
    }
    let settings = crawl::check_settings("page", &given)?.map_err(|faults| bad_input(faults.to_string()))?;
    note!("fetching {}", counted(urls.len() as u64, "page"));
    let temp = tempfile::tempdir().context("no folder for the pages can be made")?;
    let folder = CrawlFolder::open_or_create(&temp.path().join("pages"))?;
    let stop = StopSwitch::default();
    crawl::listen_for_signals(stop.clone())?;
    let summary = scenthound_live::crawl(
        &folder,
        scenthound::live_settings(&settings).map_err(|error| bad_input(error.to_string()))?,
        settings.judge()?,
        settings.agents(&settings.seeds.urls)?,
        &stop,
        &mut |_| {},
    )?;
    if summary.ended == Ended::Interrupted {
        return Err(anyhow!("interrupted"));
    }
    haul(folder.layout().root(), temp)
}

fn haul(root: &Path, temp: TempDir) -> Result<Haul> {
    let view = CrawlView::open(root)?;
    let mut by_url: HashMap<String, PageRecord> = HashMap::new();
    let mut robots = HashMap::new();
    look::each_record(&view, |_, record| {
        let place = match record.kind {
            LeaseKind::Robots => &mut robots,
            LeaseKind::Page | LeaseKind::Sitemap => &mut by_url,
        };
        place.insert(record.url.clone(), record);
    })?;
    Ok(Haul {
        view,
        by_url,
        robots,
        _folder: temp,
    })
}
