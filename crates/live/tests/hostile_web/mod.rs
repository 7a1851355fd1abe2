//! Webs made of a function, served on many loopback addresses, and crawls of them with the settings of a real crawl.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "test support"
)]
#![allow(dead_code, reason = "each test file uses its part")]

use std::collections::HashMap;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use scenthound_engine::{Agent, Budget, CrawlSettings, PageSettings};
use scenthound_fetch::FetchSettings;
use scenthound_frontier::HostPolicy;
use scenthound_judge::{Judge, TermJudge, TermSettings};
use scenthound_live::{LiveSettings, StopSwitch, Summary, crawl};
use scenthound_store::{ArchiveSettings, CrawlFolder, CrawlView, PageRecord};
use scenthound_strategy::BreadthFirst;
use scenthound_testweb::{Request, ServeOptions, Serving, SiteResponse, TestSite, serve};
use scenthound_types::CanonicalUrl;

/// A web made of a function from host and path to the answer.
pub struct Site<F>(pub F);

impl<F: Fn(&str, &str) -> SiteResponse + Send + Sync> TestSite for Site<F> {
    fn answer(&self, host: &str, path_and_query: &str) -> SiteResponse {
        self.0(host, path_and_query)
    }

    fn hosts(&self) -> Vec<String> {
        Vec::new()
    }
}

pub fn serve_all(site: impl Fn(&str, &str) -> SiteResponse + Send + Sync + 'static) -> Serving {
    serve_late(Duration::ZERO, site)
}

/// Serves a web that takes this long to answer.
pub fn serve_late(
    latency: Duration,
    site: impl Fn(&str, &str) -> SiteResponse + Send + Sync + 'static,
) -> Serving {
    let options = ServeOptions {
        listen: vec![SocketAddr::from(([0, 0, 0, 0], 0))],
        latency,
        ..ServeOptions::default()
    };
    serve(Arc::new(Site(site)), options).unwrap()
}

/// The n-th loopback address.
pub fn address(n: usize) -> Ipv4Addr {
    Ipv4Addr::from(0x7f01_0000 + u32::try_from(n).unwrap())
}

/// A page with links.
pub fn links(to: impl IntoIterator<Item = String>) -> SiteResponse {
    let list: String = to
        .into_iter()
        .map(|to| format!("<a href=\"{to}\">tea</a>\n"))
        .collect();
    SiteResponse::html(format!("<title>tea</title><p>tea</p>{list}"))
}

pub fn judge() -> Arc<dyn Judge> {
    let settings = TermSettings {
        content: vec!["tea".to_owned()],
        ..TermSettings::default()
    };
    Arc::new(TermJudge::new(&settings).unwrap())
}

/// The settings of a real crawl that ends after this long.
pub fn settings(pins: HashMap<String, SocketAddr>, time: Duration) -> LiveSettings {
    let mut fetch = FetchSettings::new("scenthound-test");
    fetch.limits.first_byte = Duration::from_secs(20);
    fetch.pins = pins;
    LiveSettings {
        seed: 0,
        concurrency: 16,
        ip_delay: Duration::from_millis(250),
        min_free_bytes: 0,
        max_memory: None,
        threads: 2,
        policy: HostPolicy::default(),
        processor: PageSettings::default(),
        crawl: CrawlSettings {
            budget: Budget {
                time: Some(time),
                ..Budget::default()
            },
            ..CrawlSettings::default()
        },
        fetch,
        archive: ArchiveSettings::named("test", 0),
        stages: None,
    }
}

/// A finished crawl.
pub struct Crawled {
    pub summary: Summary,
    pub records: Vec<PageRecord>,
}

pub fn run(settings: LiveSettings, seeds: &[&str]) -> Crawled {
    let root = tempfile::tempdir().unwrap();
    let folder = CrawlFolder::open_or_create(&root.path().join("crawl")).unwrap();
    let seeds: Vec<CanonicalUrl> = seeds
        .iter()
        .map(|url| CanonicalUrl::parse(url).unwrap())
        .collect();
    let agents = vec![Agent::alone(Box::new(BreadthFirst), &seeds)];
    let summary = crawl(
        &folder,
        settings,
        judge(),
        agents,
        &StopSwitch::default(),
        &mut |_| {},
    )
    .unwrap();
    drop(folder);
    let pages = CrawlView::open(&root.path().join("crawl"))
        .unwrap()
        .pages()
        .unwrap();
    Crawled {
        summary,
        records: pages.map(Result::unwrap).collect(),
    }
}

/// The shortest time between the end of one request and the start of the next, and how many were in flight at a time.
pub fn spacing(requests: &[Request]) -> (Duration, usize) {
    let mut closest = Duration::MAX;
    let mut most = 0;
    for (n, request) in requests.iter().enumerate() {
        let open = requests[..n]
            .iter()
            .filter(|earlier| earlier.finished.is_none_or(|end| end > request.started));
        most = most.max(1 + open.count());
        if n > 0 {
            closest = closest.min(request.started.duration_since(requests[n - 1].started));
        }
    }
    (closest, most)
}
