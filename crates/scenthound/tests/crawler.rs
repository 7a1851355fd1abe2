//! Crawls as an embedding program runs them: built, watched, stopped, resumed, with parts of its own.

#![allow(clippy::unwrap_used, reason = "a failure here is the test's failure")]

use std::path::Path;
use std::sync::Arc;

use scenthound::{
    Collection, Crawler, CrawlerBuilder, CrawlerError, Ended, Event, HostState, Judge, Judgement, Merge,
    Offer, PageReport, ParsedPage, Parts, Rank, Strategy, Token, Topic, Update, Updates, UrlKey, Verdict,
};
use scenthound_testweb::{FixtureWeb, ServeOptions, Serving, TestSite, serve};

/// One page per line: `host/path: words -> links`.
const TEA: &str = "
hub/0:   tea  -> dull/1 green/1
dull/1:  cars -> dull/2
green/1: tea  -> green/2
dull/2:  cars
green/2: tea
";

struct Web {
    site: Arc<dyn TestSite>,
    serving: Serving,
}

impl Web {
    fn start() -> Web {
        let site: Arc<dyn TestSite> = Arc::new(FixtureWeb::parse(TEA).unwrap());
        let serving = serve(Arc::clone(&site), ServeOptions::default()).unwrap();
        Web { site, serving }
    }

    fn build(&self, crawler: CrawlerBuilder, folder: &Path) -> Result<Crawler, CrawlerError> {
        let mut crawler = crawler
            .seeds([FixtureWeb::url("hub/0")])
            .folder(folder)
            .option("delay", "0s")
            .option("ip-delay", "0s")
            .option("concurrency", "1")
            .build()?;
        let hosts = self.site.hosts().into_iter();
        crawler.live_settings().fetch.pins = hosts.map(|host| (host, self.serving.addr())).collect();
        Ok(crawler)
    }
}

/// The pages that a run settles, in order, as `host/path`.
fn visits(crawler: Crawler) -> Vec<String> {
    let mut visits = Vec::new();
    crawler
        .run_with(|event| {
            if let Event::Page(page) = event {
                visits.extend(FixtureWeb::name(&page.url));
            }
        })
        .unwrap();
    visits
}

fn tea() -> CrawlerBuilder {
    Crawler::builder().topic(Topic::words("tea"))
}

#[test]
fn a_crawl_shows_its_pages_and_hosts_and_leaves_a_collection() {
    let (web, folder) = (Web::start(), tempfile::tempdir().unwrap());
    let (mut pages, mut hosts, mut progress) = (0, Vec::new(), 0);
    let summary = web
        .build(tea(), folder.path())
        .unwrap()
        .run_with(|event| match event {
            Event::Page(_) => pages += 1,
            Event::Host { origin, state } => hosts.push((origin.clone(), *state)),
            Event::Progress(_) => progress += 1,
            _ => {}
        })
        .unwrap();
    assert_eq!((pages, summary.tally.pages, summary.tally.relevant), (5, 5, 3));
    let known: Vec<_> = ["hub", "dull", "green"]
        .map(|host| (format!("http://{host}.test"), HostState::RulesKnown))
        .to_vec();
    assert!(known.iter().all(|host| hosts.contains(host)), "{hosts:?}");
    assert!(progress > 0);
    let collection = Collection::open(folder.path()).unwrap();
    assert_eq!(
        collection
            .pages()
            .unwrap()
            .filter(|page| page.as_ref().unwrap().is_page())
            .count(),
        5
    );
}

#[test]
fn a_crawl_that_met_its_budget_resumes_with_a_larger_one_and_repeats_nothing() {
    let (web, folder) = (Web::start(), tempfile::tempdir().unwrap());
    let first = visits(web.build(tea().max_pages(2), folder.path()).unwrap());
    let crawler = web.build(tea().max_pages(10), folder.path()).unwrap();
    assert_eq!(crawler.changes().len(), 1, "{:?}", crawler.changes());
    let mut all = [first, visits(crawler)].concat();
    all.sort();
    assert_eq!(all, ["dull/1", "dull/2", "green/1", "green/2", "hub/0"]);
}

#[test]
fn another_topic_in_the_same_folder_is_refused_until_the_pages_are_judged_again() {
    let (web, folder) = (Web::start(), tempfile::tempdir().unwrap());
    visits(web.build(tea(), folder.path()).unwrap());
    let cars = || Crawler::builder().topic(Topic::words("cars"));
    let refused = web.build(cars(), folder.path()).map(|_| ()).unwrap_err();
    assert!(matches!(refused, CrawlerError::OtherCrawl { .. }), "{refused}");

    let collection = Collection::open(folder.path()).unwrap();
    let rejudged = collection.rejudge(&Topic::words("cars")).unwrap().unwrap();
    assert_eq!((rejudged.tally.relevant, rejudged.no_longer_relevant), (2, 3));
    assert!(web.build(cars(), folder.path()).is_ok());
}

#[test]
fn a_crawl_from_examples_needs_no_words_and_keeps_what_it_was_shown() {
    let (web, folder) = (Web::start(), tempfile::tempdir().unwrap());
    let example = folder.path().join("example.html");
    std::fs::write(&example, "<title>Tea</title><p>tea tea tea</p>").unwrap();
    let crawl = folder.path().join("crawl");
    let like = |names: &[&str]| Crawler::builder().examples(names.iter().map(|name| name.to_string()));
    let name = example.to_str().unwrap();
    let crawler = web.build(like(&[name]).max_pages(2), &crawl).unwrap();
    assert_eq!(crawler.settings().topic.name, "example");
    visits(crawler);

    // The file is gone, but not what it taught.
    std::fs::remove_file(&example).unwrap();
    visits(web.build(like(&[name]), &crawl).unwrap());
    let relevance = |page: &str| {
        let pages = Collection::open(&crawl).unwrap().pages().unwrap();
        let page = FixtureWeb::url(page);
        let record = pages
            .map(|record| record.unwrap())
            .find(|record| record.url == page);
        record.unwrap().relevance.unwrap()
    };
    assert!(relevance("green/2") > relevance("dull/2"));

    // A crawl that has not seen it cannot start without it.
    let other = web.build(like(&[name]), &folder.path().join("other")).unwrap();
    assert!(matches!(other.run(), Err(CrawlerError::Examples(_))));
}

#[test]
fn a_crawl_in_the_background_is_read_as_events_and_stopped_by_its_handle() {
    let (web, folder) = (Web::start(), tempfile::tempdir().unwrap());
    // With a rest of half a minute after the first page, the crawl is still under way when it is stopped.
    let slow = tea().seeds([FixtureWeb::url("hub/0")]).folder(folder.path());
    let mut crawler = slow.option("delay", "30s").build().unwrap();
    let hosts = web.site.hosts().into_iter();
    crawler.live_settings().fetch.pins = hosts.map(|host| (host, web.serving.addr())).collect();
    let mut running = crawler.start();
    assert!(running.next().is_some());
    running.stop_handle().stop();
    let summary = running.join().unwrap();
    assert_eq!(summary.ended, Ended::Interrupted);
}

/// Links in the reverse order of the page.
struct LastFirst(f64);

impl Strategy for LastFirst {
    fn name(&self) -> &'static str {
        "last-first"
    }

    fn seed(&self, _key: UrlKey, _seeds: usize) -> Rank {
        Rank::of_score(1.0)
    }

    fn observe(&mut self, report: &PageReport<'_>, out: &mut Updates) {
        for link in report.links {
            self.0 += 1.0;
            out.push(Update::Offer(Offer {
                url: link.url.clone(),
                key: link.key,
                rank: Rank::of_score(self.0),
                merge: Merge::Keep,
            }));
        }
    }
}

/// Every page is relevant that says "cars".
struct Cars;

impl Judge for Cars {
    fn judge(&self, page: &ParsedPage) -> Judgement {
        let relevance = f64::from(self.snippet(page.text.tokens()));
        let verdict = if relevance > 0.0 {
            Verdict::Relevant
        } else {
            Verdict::Irrelevant
        };
        Judgement {
            relevance,
            verdict,
            genre: None,
            layer: None,
            parts: Parts::default(),
        }
    }

    fn snippet(&self, tokens: &[Token]) -> f32 {
        f32::from(u8::from(tokens.contains(&Token::of("cars"))))
    }
}

#[test]
fn a_programs_own_judge_and_strategy_rule_the_crawl_and_only_that_program_resumes_it() {
    let (web, folder) = (Web::start(), tempfile::tempdir().unwrap());
    let own = || {
        Crawler::builder()
            .topic(Topic::named("cars"))
            .judge("cars", Cars)
            .strategy(LastFirst(0.0))
    };
    let crawler = web.build(own().max_pages(3), folder.path()).unwrap();
    assert_eq!(visits(crawler), ["hub/0", "green/1", "green/2"]);

    let settings = scenthound::earlier_settings(folder.path()).unwrap().unwrap();
    assert_eq!(settings.strategy.custom.as_deref(), Some("last-first"));
    let refused = Crawler::with_settings(settings, folder.path())
        .map(|_| ())
        .unwrap_err();
    assert!(
        refused.to_string().contains("only that program can continue it"),
        "{refused}"
    );

    assert_eq!(
        visits(web.build(own(), folder.path()).unwrap()),
        ["dull/1", "dull/2"]
    );
    let collection = Collection::open(folder.path()).unwrap();
    let relevant = collection
        .pages()
        .unwrap()
        .filter(|page| page.as_ref().unwrap().is_relevant());
    assert_eq!(relevant.count(), 2);
}

#[test]
fn what_is_missing_is_named() {
    let no_topic = Crawler::builder().folder("x").build().map(|_| ()).unwrap_err();
    assert!(matches!(no_topic, CrawlerError::NoTopic));
    let no_folder = tea().build().map(|_| ()).unwrap_err();
    assert!(matches!(no_folder, CrawlerError::NoFolder));
}
