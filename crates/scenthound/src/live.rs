//! Turns checked settings into what only a live crawl needs: limits for requests, the archive, the disk.

use std::time::Duration;

use scenthound_config::{BuildError, Settings};
use scenthound_fetch::{FetchError, FetchSettings, Fetcher, Limits, Proxy, ProxyFault};
use scenthound_live::LiveSettings;
use scenthound_store::{ArchiveSettings, Compression};
use thiserror::Error;

/// A crawl stops when less than this is free on the disk.
const MIN_FREE_BYTES: u64 = 200 << 20;

/// The window over which the rate of a body is measured.
const SLOW_WINDOW: Duration = Duration::from_secs(10);

/// Why a live crawl could not be built from valid settings.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LiveBuildError {
    /// The judge, the strategy or the scope could not be built.
    #[error(transparent)]
    Parts(#[from] BuildError),
    /// The proxy is not valid.
    #[error("--proxy: {0}")]
    Proxy(#[from] ProxyFault),
    /// The fetcher could not be built, for example because of its certificates.
    #[error(transparent)]
    Fetch(#[from] FetchError),
}

/// How to run a crawl with these settings. Everything that can be wrong with them is found here, before anything is written.
pub fn live_settings(settings: &Settings) -> Result<LiveSettings, LiveBuildError> {
    let crawl = &settings.crawl;
    let mut archive = ArchiveSettings::named(&settings.topic.name, crawl.seed);
    archive.compression = Compression::of(crawl.archive);
    let mut info = |name: &str, value: String| archive.info.push((name.to_owned(), value));
    info("http-header-user-agent", settings.user_agent());
    info(
        "robots",
        if crawl.ignore_robots { "ignore" } else { "classic" }.to_owned(),
    );
    info("description", settings.topic.name.clone());
    if let Some(contact) = &crawl.contact {
        info("operator", contact.clone());
    }
    let fetch = fetch_settings(settings)?;
    Fetcher::new(fetch.clone())?;
    Ok(LiveSettings {
        seed: crawl.seed,
        concurrency: crawl.concurrency as usize,
        ip_delay: crawl.ip_delay,
        min_free_bytes: MIN_FREE_BYTES,
        max_memory: crawl.max_memory,
        threads: 0,
        policy: settings.host_policy(),
        processor: settings.page_settings()?,
        crawl: settings.crawl_settings()?,
        fetch,
        archive,
        stages: None,
    })
}

fn fetch_settings(settings: &Settings) -> Result<FetchSettings, LiveBuildError> {
    let crawl = &settings.crawl;
    let bytes = |size: u64| usize::try_from(size).unwrap_or(usize::MAX);
    let languages: Vec<&str> = crawl.lang.iter().map(|language| language.code()).collect();
    Ok(FetchSettings {
        documents: settings.documents(),
        accept_language: (!languages.is_empty()).then(|| languages.join(", ")),
        limits: Limits {
            connect: crawl.connect_timeout,
            first_byte: crawl.first_byte_timeout,
            whole_response: crawl.body_timeout,
            slow_bytes: bytes(crawl.slowest_rate.saturating_mul(SLOW_WINDOW.as_secs())),
            slow_window: SLOW_WINDOW,
            wire_bytes: bytes(crawl.max_wire_bytes),
            decoded_bytes: bytes(crawl.max_page_bytes),
            ..Limits::default()
        },
        bytes_in_flight: bytes(crawl.bytes_in_flight),
        allowed_nets: crawl.allow_net.clone(),
        resolver: crawl.resolver,
        proxy: crawl
            .proxy
            .as_ref()
            .map(|url| Proxy::parse(url.as_str()))
            .transpose()?,
        ca_files: crawl.ca_file.iter().cloned().collect(),
        ..FetchSettings::new(settings.user_agent())
    })
}
