//! A live crawl of a synthetic web behind the proxy: half of its hosts use https, all names are resolved by our own name
//! server, and nothing leaves the machine.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::{BTreeSet, VecDeque};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use scenthound_engine::{Agent, Budget, CrawlSettings, PageSettings, StopReason};
use scenthound_fetch::{FetchSettings, Proxy};
use scenthound_frontier::HostPolicy;
use scenthound_judge::{Judge, TermJudge, TermSettings};
use scenthound_lab::synth::{SynthPage, SynthSettings, SynthWeb, preset};
use scenthound_live::{Ended, LiveSettings, StopSwitch, crawl};
use scenthound_store::{ArchiveSettings, CrawlFolder, CrawlView};
use scenthound_strategy::BreadthFirst;
use scenthound_testweb::{NAMES_NET, ProxyOptions, Scheme, serve_names, serve_proxy};
use scenthound_types::CanonicalUrl;

const PAGES: usize = 250;

fn web() -> SynthWeb {
    let settings = SynthSettings {
        https: 0.5,
        ..preset("little").unwrap()
    };
    SynthWeb::new(settings).unwrap()
}

/// The URLs in the order they are found, including dead ones and calendars.
fn breadth_first(web: &SynthWeb) -> Vec<String> {
    let first = SynthPage::Page(web.first_page());
    let mut known = BTreeSet::from([first]);
    let mut queue = VecDeque::from([first]);
    let mut order = Vec::new();
    let mut links = Vec::new();
    while let Some(target) = queue.pop_front() {
        order.push(web.target_url(target));
        match target {
            SynthPage::Page(page) => web.links(page, &mut links),
            SynthPage::Trap { host, n } => web.trap_links(host, n, &mut links),
            SynthPage::Dead { .. } => links.clear(),
        }
        queue.extend(
            links
                .iter()
                .map(|link| link.target)
                .filter(|target| known.insert(*target)),
        );
        if order.len() == PAGES {
            break;
        }
    }
    order
}

#[test]
fn a_live_crawl_through_the_proxy_visits_the_web_in_its_order() {
    let site = Arc::new(web());
    let loopback = SocketAddr::from(([127, 0, 0, 1], 0));
    let proxy = serve_proxy(Arc::clone(&site) as _, ProxyOptions::default()).unwrap();
    let names = serve_names(loopback).unwrap();
    let root = tempfile::tempdir().unwrap();
    let ca_file = root.path().join("ca.pem");
    std::fs::write(&ca_file, proxy.ca_pem()).unwrap();
    let mut fetch = FetchSettings::new("scenthound-test");
    fetch.proxy = Some(Proxy::parse(&format!("http://{}", proxy.address())).unwrap());
    fetch.resolver = Some(names.address());
    fetch.ca_files = vec![ca_file];
    fetch.allowed_nets = vec![NAMES_NET.parse().unwrap()];

    let task = &site.tasks()[0];
    let judge: Arc<dyn Judge> = Arc::new(
        TermJudge::new(&TermSettings {
            content: task.content_terms.clone(),
            ..TermSettings::default()
        })
        .unwrap(),
    );
    let settings = LiveSettings {
        seed: 0,
        concurrency: 1,
        ip_delay: Duration::ZERO,
        min_free_bytes: 0,
        max_memory: None,
        threads: 2,
        policy: HostPolicy {
            robots: true,
            ..HostPolicy::instant()
        },
        processor: PageSettings::default(),
        crawl: CrawlSettings {
            budget: Budget {
                pages: Some(PAGES as u64),
                ..Budget::default()
            },
            ..CrawlSettings::default()
        },
        fetch,
        archive: ArchiveSettings::named("test", 0),
        stages: None,
    };
    let seeds: Vec<CanonicalUrl> = task
        .seeds
        .iter()
        .map(|url| CanonicalUrl::parse(url).unwrap())
        .collect();
    let folder = CrawlFolder::open_or_create(&root.path().join("crawl")).unwrap();
    let stop = StopSwitch::default();
    let summary = crawl(
        &folder,
        settings,
        judge,
        vec![Agent::alone(Box::new(BreadthFirst), &seeds)],
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
    let records: Vec<_> = pages
        .map(Result::unwrap)
        .filter(|record| record.is_page())
        .collect();
    let visited: Vec<String> = records.iter().map(|record| record.url.clone()).collect();
    assert_eq!(visited, breadth_first(&site));
    for record in &records {
        let dead = record.url.contains("/gone/");
        assert_eq!(record.is_ok(), !dead, "{}: {}", record.url, record.outcome);
    }
    let schemes: Vec<Scheme> = proxy
        .requests()
        .into_iter()
        .map(|request| request.scheme)
        .collect();
    assert!(schemes.contains(&Scheme::Http) && schemes.contains(&Scheme::Https));
}
