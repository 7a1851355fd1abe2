//! The live driver and the lab crawl the same web in the same order: one fetches it over real sockets and stores it in a
//! folder, the other replays it in memory, and no strategy can tell which one it runs in.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::sync::Arc;
use std::time::Duration;

use scenthound_engine::{Agent, Budget, CrawlSettings, PageSettings, SitemapUse, StopReason};
use scenthound_fetch::FetchSettings;
use scenthound_frontier::HostPolicy;
use scenthound_judge::{Judge, TermJudge, TermSettings};
use scenthound_lab::{LabSettings, replay};
use scenthound_live::{Ended, LiveSettings, StopSwitch, crawl};
use scenthound_store::{ArchiveSettings, CrawlFolder, CrawlView};
use scenthound_strategy::{BestFirst, BreadthFirst, Opic, Random, Siblings, Strategy, Ties};
use scenthound_testweb::{DemoWeb, ServeOptions, TestSite, serve};
use scenthound_types::CanonicalUrl;

const PAGES: u64 = 120;

fn judge() -> Arc<dyn Judge> {
    let words = |list: &str| list.split(", ").map(str::to_owned).collect();
    let settings = TermSettings {
        genre: words("guide, how to, step, you will need"),
        content: words("tea, leaves, brew, kettle, loose leaf"),
        ..TermSettings::default()
    };
    Arc::new(TermJudge::new(&settings).unwrap())
}

fn policy() -> HostPolicy {
    HostPolicy {
        robots: true,
        ..HostPolicy::instant()
    }
}

fn page_settings() -> PageSettings {
    PageSettings {
        follow_nofollow: false,
        ..PageSettings::default()
    }
}

fn crawl_settings() -> CrawlSettings {
    CrawlSettings {
        budget: Budget {
            pages: Some(PAGES),
            ..Budget::default()
        },
        sitemaps: SitemapUse::All,
        ..CrawlSettings::default()
    }
}

fn seeds() -> Vec<CanonicalUrl> {
    DemoWeb::SEEDS
        .iter()
        .map(|url| CanonicalUrl::parse(url).unwrap())
        .collect()
}

fn in_the_lab(strategy: Box<dyn Strategy>) -> Vec<String> {
    // The demo's one slow host would only move the lab's clock.
    let settings = LabSettings {
        policy: HostPolicy {
            max_delay: Duration::ZERO,
            ..policy()
        },
        processor: page_settings(),
        crawl: crawl_settings(),
        ..LabSettings::default()
    };
    let run = replay(&DemoWeb::new(), judge(), strategy, &seeds(), &settings).unwrap();
    assert_eq!(run.stopped, Some(StopReason::Pages));
    run.journal.visits.iter().map(CanonicalUrl::to_string).collect()
}

fn live(strategy: Box<dyn Strategy>) -> Vec<String> {
    let site = Arc::new(DemoWeb::new());
    let hosts = site.hosts();
    let serving = serve(site, ServeOptions::default()).unwrap();
    let mut fetch = FetchSettings::new("scenthound-test");
    fetch.pins = hosts.into_iter().map(|host| (host, serving.addr())).collect();
    let settings = LiveSettings {
        seed: 0,
        concurrency: 1,
        ip_delay: Duration::ZERO,
        min_free_bytes: 0,
        max_memory: None,
        threads: 2,
        policy: HostPolicy {
            max_delay: Duration::ZERO,
            ..policy()
        },
        processor: page_settings(),
        crawl: crawl_settings(),
        fetch,
        archive: ArchiveSettings::named("test", 0),
        stages: None,
    };
    let root = tempfile::tempdir().unwrap();
    let folder = CrawlFolder::open_or_create(&root.path().join("crawl")).unwrap();
    let stop = StopSwitch::default();
    let summary = crawl(
        &folder,
        settings,
        judge(),
        vec![Agent::alone(strategy, &seeds())],
        &stop,
        &mut |_| {},
    )
    .unwrap();
    assert_eq!(summary.ended, Ended::Done(StopReason::Pages));
    drop(folder);
    let pages = CrawlView::open(&root.path().join("crawl"))
        .unwrap()
        .pages()
        .unwrap();
    pages
        .map(Result::unwrap)
        .filter(|record| record.counts_as_page())
        .map(|record| record.url)
        .collect()
}

#[test]
fn live_and_lab_visit_the_same_pages_in_the_same_order() {
    let strategies: [fn() -> Box<dyn Strategy>; 6] = [
        || Box::new(BreadthFirst),
        || Box::new(Random),
        || Box::new(BestFirst),
        || Box::new(Siblings::FS_2),
        || {
            Box::new(Siblings {
                ties: Ties::Probe,
                ..Siblings::PFS_2
            })
        },
        || Box::<Opic>::default(),
    ];
    for strategy in strategies {
        let (lab, live) = (in_the_lab(strategy()), live(strategy()));
        let name = strategy().name();
        for (step, (lab, live)) in lab.iter().zip(&live).enumerate() {
            assert_eq!(lab, live, "{name}, visit {step}");
        }
        assert_eq!(lab.len(), live.len(), "{name}");
    }
}
