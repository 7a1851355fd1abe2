//! Little webs that show what each strategy does, and that the seed alone decides.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test may panic and print"
)]

use std::sync::Arc;
use std::time::Duration;

use scenthound_engine::{Budget, CrawlSettings, PageSettings, Scope, ScopeKind, SitemapUse, StopReason};
use scenthound_frontier::HostPolicy;
use scenthound_judge::{Judge, TermJudge, TermSettings};
use scenthound_lab::{LabSettings, Run, replay};
use scenthound_strategy::{BestFirst, BreadthFirst, Opic, Random, Siblings, Strategy, Ties};
use scenthound_testweb::{FixtureWeb, SiteResponse, TestSite};
use scenthound_types::{CanonicalUrl, Merge, Parents};

fn judge(term: &str) -> Arc<dyn Judge> {
    let settings = TermSettings {
        content: vec![term.to_owned()],
        ..TermSettings::default()
    };
    Arc::new(TermJudge::new(&settings).unwrap())
}

fn run(web: &str, strategy: impl Strategy + 'static, settings: &LabSettings) -> Run {
    let site = FixtureWeb::parse(web).unwrap();
    let seed = site
        .pages()
        .iter()
        .find(|page| !page.name.ends_with("robots.txt"))
        .unwrap();
    let seed = CanonicalUrl::parse(&FixtureWeb::url(&seed.name)).unwrap();
    replay(&site, judge("tea"), Box::new(strategy), &[seed], settings).unwrap()
}

fn order(run: &Run) -> Vec<String> {
    run.journal
        .visits
        .iter()
        .map(|url| FixtureWeb::name(url.as_str()).unwrap())
        .collect()
}

fn visits(web: &str, strategy: impl Strategy + 'static) -> Vec<String> {
    order(&run(web, strategy, &LabSettings::default()))
}

/// One page per line: `url: words -> links`.
const TEA: &str = "
hub/0:   tea  -> dull/1 green/1
dull/1:  cars -> dull/2
green/1: tea  -> green/2
dull/2:  cars
green/2: tea
";

#[test]
fn best_first_leaves_the_dull_page_for_last() {
    assert_eq!(
        visits(TEA, BestFirst),
        ["hub/0", "dull/1", "green/1", "green/2", "dull/2"]
    );
}

#[test]
fn breadth_first_goes_by_order_of_discovery() {
    assert_eq!(
        visits(TEA, BreadthFirst),
        ["hub/0", "dull/1", "green/1", "dull/2", "green/2"]
    );
}

#[test]
fn random_depends_on_the_seed_and_on_nothing_else() {
    let wide: String = std::iter::once("hub/0: x ->".to_owned())
        .chain((1..30).map(|i| format!(" p/{i}")))
        .chain((1..30).map(|i| format!("\np/{i}: x")))
        .collect();
    let with_seed = |seed| {
        order(&run(
            &wide,
            Random,
            &LabSettings {
                seed,
                ..LabSettings::default()
            },
        ))
    };
    assert_eq!(with_seed(1), with_seed(1));
    assert_ne!(with_seed(1), with_seed(2));
}

/// Two lists, found one after the other: the first is irrelevant, the second pays off. `more` links to an item of the second
/// list too, so that with all parents a hit raises its links as well.
const LISTS: &str = "
hub/0:  x    -> list/a list/b list/more
list/a: x    -> a/1 a/2 a/3
list/b: x    -> b/1 b/2 b/3
list/more: x -> b/1 c/1
a/1: cars
a/2: cars
a/3: cars
b/1: tea
b/2: tea
b/3: tea
c/1: tea
";

#[test]
fn first_parent_and_fifo_ties_are_breadth_first_in_disguise() {
    // The trap: the children of one page are already next to each other in the queue, so raising them changes nothing.
    let fs2 = Siblings {
        parents: Parents::First,
        ..Siblings::FS_2
    };
    assert_eq!(visits(LISTS, fs2), visits(LISTS, BreadthFirst));
}

#[test]
fn all_parents_and_probing_do_not_fall_into_the_trap() {
    let breadth = visits(LISTS, BreadthFirst);
    // b/1 is also on list/more, so c/1 is raised past the rest of list/b's discoveries… after b/2 and b/3, which are older.
    let reversed = LISTS.replace("list/a list/b list/more", "list/more list/a list/b");
    assert_ne!(visits(&reversed, Siblings::FS_2), visits(&reversed, BreadthFirst));
    let probe = Siblings {
        parents: Parents::First,
        ties: Ties::Probe,
        ..Siblings::FS_2
    };
    let probed = visits(LISTS, probe);
    assert_ne!(probed, breadth);
    let place = |order: &[String], name: &str| order.iter().position(|page| page == name).unwrap();
    // One item of the first list shows that the list is irrelevant; the second list comes before the rest of the first.
    assert!(place(&probed, "b/3") < place(&probed, "a/2"), "{probed:?}");
}

#[test]
fn a_seed_raises_no_siblings_but_its_children_get_its_score() {
    let web = "
s/0: tea -> x/1
x/1: cars -> s/0 y/1
y/1: cars
";
    let run = run(
        web,
        Siblings::PFS_2,
        &LabSettings {
            full_journal: true,
            ..LabSettings::default()
        },
    );
    assert!(
        !run.journal.text.contains("raise siblings"),
        "{}",
        run.journal.text
    );
    assert!(
        run.journal.text.contains("offer http://x.test/1 0/1.0/0 Keep"),
        "{}",
        run.journal.text
    );
}

#[test]
fn opic_follows_the_cash() {
    // rich is linked from two pages and overtakes poor, which was found first.
    let web = "
hub/0: x -> poor/1 a/1 b/1
a/1: x -> rich/1
b/1: x -> rich/1
poor/1: x -> poor/2 poor/3
poor/2: x
poor/3: x
rich/1: x
";
    assert_eq!(
        visits(web, Opic::default()),
        ["hub/0", "poor/1", "a/1", "b/1", "rich/1", "poor/2", "poor/3"]
    );
}

#[test]
fn setting_lets_a_dull_sibling_wipe_out_a_good_one_and_max_does_not() {
    let web = "
hub/0: x -> list/a list/b
list/a: x -> good/1 dull/1 late/1
list/b: x -> other/1
good/1: tea
dull/1: cars
late/1: x
other/1: x
";
    let journal = |merge| {
        let strategy = Siblings {
            parents: Parents::First,
            merge,
            ..Siblings::FS_1
        };
        run(
            web,
            strategy,
            &LabSettings {
                full_journal: true,
                ..LabSettings::default()
            },
        )
        .journal
        .text
    };
    assert!(journal(Merge::Max).contains("page http://late.test/1 ok (200) taken 0/1.0/0"));
    assert!(journal(Merge::Replace).contains("page http://late.test/1 ok (200) taken 0/0.0/0"));
}

fn polite() -> LabSettings {
    LabSettings {
        workers: 4,
        latency: Duration::from_millis(200),
        policy: HostPolicy {
            delay: Duration::from_secs(1),
            ..HostPolicy::default()
        },
        full_journal: true,
        ..LabSettings::default()
    }
}

#[test]
fn the_same_seed_web_and_settings_give_the_same_journal_byte_for_byte() {
    for strategy in [Siblings::FS_2, Siblings::PFS_1] {
        let first = run(LISTS, strategy, &polite());
        let second = run(LISTS, strategy, &polite());
        assert!(!first.journal.text.is_empty());
        assert_eq!(first.journal.text, second.journal.text);
        assert_eq!(first.tally, second.tally);
    }
}

#[test]
fn virtual_time_counts_the_rests_that_a_live_crawl_would_keep() {
    // One host, robots.txt and three pages: three rests of 1 s between four requests of 0.2 s.
    let web = "
h/0: tea -> h/1 h/2
h/1: tea
h/2: tea
";
    let run = run(web, BreadthFirst, &polite());
    assert_eq!(run.tally.pages, 3);
    assert_eq!(run.virtual_time, Duration::from_millis(3 * 1_000 + 4 * 200));
}

#[test]
fn robots_rules_are_asked_for_first_and_obeyed() {
    let web = "
h/0: tea -> h/private/1 h/2
h/private/1: tea
h/2: tea
h/robots.txt: /private
";
    let run = run(web, BestFirst, &polite());
    assert_eq!(order(&run), ["h/0", "h/2"]);
    assert!(
        run.journal
            .text
            .contains("page http://h.test/private/1 refused-robots")
    );
    assert!(
        run.journal
            .text
            .starts_with("200 robots http://h.test/robots.txt ok (200)")
    );
    assert_eq!(run.tally.pages, 2);
}

#[test]
fn budgets_scope_depth_and_width_hold() {
    let settings = LabSettings {
        crawl: CrawlSettings {
            budget: Budget {
                pages: Some(2),
                ..Budget::default()
            },
            ..CrawlSettings::default()
        },
        ..LabSettings::default()
    };
    let limited = run(TEA, BestFirst, &settings);
    assert_eq!(
        (order(&limited).len(), limited.stopped),
        (2, Some(StopReason::Pages))
    );

    let processor = |processor| LabSettings {
        processor,
        ..LabSettings::default()
    };
    let seed = CanonicalUrl::parse("http://hub.test/0").unwrap();
    let scope = Scope::new(ScopeKind::Any, &[seed], &[], &["dull".to_owned()]).unwrap();
    let settings = processor(PageSettings {
        scope,
        ..PageSettings::default()
    });
    assert_eq!(
        order(&run(TEA, BestFirst, &settings)),
        ["hub/0", "green/1", "green/2"]
    );
    let settings = processor(PageSettings {
        max_depth: Some(1),
        ..PageSettings::default()
    });
    assert_eq!(
        order(&run(TEA, BestFirst, &settings)),
        ["hub/0", "dull/1", "green/1"]
    );
    let settings = processor(PageSettings {
        width: Some(1),
        ..PageSettings::default()
    });
    assert_eq!(
        order(&run(TEA, BestFirst, &settings)),
        ["hub/0", "dull/1", "dull/2"]
    );
}

#[test]
fn a_drawn_list_is_finished_before_the_next_is_drawn() {
    // With a list of three, dull/2 (found on a page of the second list) must wait although nothing better is waiting.
    let settings = LabSettings {
        crawl: CrawlSettings {
            list_size: 3,
            sitemaps: SitemapUse::Off,
            ..CrawlSettings::default()
        },
        ..LabSettings::default()
    };
    assert_eq!(
        order(&run(TEA, BestFirst, &settings)),
        ["hub/0", "dull/1", "green/1", "green/2", "dull/2"]
    );
    let strict = LabSettings::default();
    let web = "
hub/0: tea -> a/1 b/1
a/1: tea -> a/2
b/1: cars
a/2: tea
";
    let list = LabSettings {
        crawl: CrawlSettings {
            list_size: 2,
            ..CrawlSettings::default()
        },
        ..LabSettings::default()
    };
    assert_eq!(
        order(&run(web, BestFirst, &strict)),
        ["hub/0", "a/1", "b/1", "a/2"]
    );
    assert_eq!(order(&run(web, BestFirst, &list)), ["hub/0", "a/1", "b/1", "a/2"]);
}

#[test]
fn dead_links_are_failures_and_the_crawl_goes_on() {
    let web = "
h/0: tea -> h/missing h/1
h/1: tea
";
    let run = run(web, BestFirst, &LabSettings::default());
    assert_eq!(run.tally.outcomes.get("failed-status-4xx"), Some(&1));
    assert_eq!(run.tally.bodies, 2);
    assert_eq!(run.stopped, Some(StopReason::Exhausted));
}

/// A site where some hosts misbehave in a fixed way.
struct Moody(FixtureWeb);

impl TestSite for Moody {
    fn answer(&self, host: &str, path: &str) -> SiteResponse {
        match (host, path) {
            ("closed.test", "/robots.txt") => SiteResponse::fault(503),
            ("later.test", "/1") => SiteResponse::fault(503).with("Retry-After", "3600"),
            ("maps.test", "/robots.txt") => SiteResponse::text("Sitemap: /map-0.xml\nDisallow: /secret"),
            // An index that lists two more indexes, forever, one of them on another site; and one page.
            ("maps.test", path) if path.starts_with("/map-") => SiteResponse::page(
                "application/xml",
                format!(
                    "<sitemapindex><sitemap><loc>http://maps.test{path}0</loc></sitemap>\
                     <sitemap><loc>http://maps.test{path}1</loc></sitemap>\
                     <sitemap><loc>http://elsewhere.test/map.xml</loc></sitemap></sitemapindex>"
                ),
            ),
            _ => self.0.answer(host, path),
        }
    }

    fn hosts(&self) -> Vec<String> {
        self.0.hosts()
    }
}

fn moody(web: &str, settings: &LabSettings) -> Run {
    let site = Moody(FixtureWeb::parse(web).unwrap());
    let seed = CanonicalUrl::parse("http://hub.test/0").unwrap();
    replay(&site, judge("tea"), Box::new(BreadthFirst), &[seed], settings).unwrap()
}

#[test]
fn a_host_whose_rules_are_unreachable_keeps_its_urls_and_is_left_alone() {
    let run = moody(
        "hub/0: tea -> closed/1 closed/2 open/1\nclosed/1: tea\nclosed/2: tea\nopen/1: tea",
        &polite(),
    );
    assert_eq!(order(&run), ["hub/0", "open/1"]);
    assert_eq!(run.stopped, Some(StopReason::OnlyRestingHosts));
    assert_eq!(run.waiting, 2, "given up for now, not for good");
}

#[test]
fn one_host_that_asks_for_an_hour_does_not_end_a_crawl_by_lists() {
    let settings = LabSettings {
        crawl: CrawlSettings {
            list_size: 3,
            ..CrawlSettings::default()
        },
        ..polite()
    };
    let web = "hub/0: tea -> later/1 later/2 a/1 b/1\nlater/1: tea\nlater/2: tea\na/1: tea -> a/2\nb/1: tea\na/2: tea";
    let run = moody(web, &settings);
    let mut seen = order(&run);
    seen.sort();
    assert_eq!(seen, ["a/1", "a/2", "b/1", "hub/0", "later/1"]);
    assert_eq!(run.waiting, 2, "later/1 again, and later/2");
}

#[test]
fn sitemaps_that_never_end_are_not_followed_forever_nor_off_their_site() {
    let settings = LabSettings {
        crawl: CrawlSettings {
            sitemaps: SitemapUse::All,
            ..CrawlSettings::default()
        },
        ..polite()
    };
    let run = moody("hub/0: tea -> maps/1\nmaps/1: tea", &settings);
    assert_eq!(order(&run), ["hub/0", "maps/1"]);
    let sitemaps = run
        .journal
        .text
        .lines()
        .filter(|line| line.contains(" sitemap http"))
        .count();
    assert_eq!(sitemaps, 1 + 2 + 4, "{}", run.journal.text);
    assert!(!run.journal.text.contains("elsewhere.test"));
}
