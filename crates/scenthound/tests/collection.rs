//! Reads collections from crawl folders that the tests write by hand.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use scenthound::{
    CanonicalUrl, Collection, CollectionError, CrawlState, FiguresFrom, OutsideScope, PageRecord, Quadrant,
    QueueUnknown, RankBy, RankSettings, UrlStanding, Verdict, Warning, WhyNotRead,
};
use scenthound_store::{ArchiveSettings, CrawlFolder, Mark, RecordFiles, Via};
use scenthound_strategy::Queue;
use scenthound_types::{OutcomeCode, PageNote, Parts};
use tempfile::TempDir;

const SETTINGS: &str = r#"
[topic]
name = "green tea"
[terms]
genre = ["guide"]
content = ["tea"]
[seeds]
urls = ["http://hub.test/"]
[judge]
threshold = 0.5
[crawl]
exclude = ["[?&]sort="]
"#;

fn folder(records: &[PageRecord]) -> TempDir {
    let temp = tempfile::tempdir().unwrap();
    let folder = CrawlFolder::open_or_create(temp.path()).unwrap();
    folder.write_settings(SETTINGS).unwrap();
    let (mut files, _) =
        RecordFiles::open(&folder, ArchiveSettings::named("tea", 0), Mark::default()).unwrap();
    for record in records {
        files.append_page(record).unwrap();
    }
    files.mark().unwrap();
    temp
}

fn page(path: &str, genre: f64, content: f64) -> PageRecord {
    let relevance = (genre + content) / 2.0;
    PageRecord {
        url: format!("http://hub.test/{path}"),
        status: Some(200),
        relevance: Some(relevance),
        relevant: Some(relevance >= 0.5),
        parts: Some(Parts {
            genre: Some(genre),
            content: Some(content),
            ..Parts::default()
        }),
        depth: 1,
        parent: Some("http://hub.test/".to_owned()),
        class: Some(0),
        score: Some(0.9),
        ..PageRecord::default()
    }
}

fn hub() -> PageRecord {
    PageRecord {
        depth: 0,
        parent: None,
        seed: true,
        via: Via::Seed,
        ..page("", 0.8, 0.8)
    }
}

fn no_page(path: &str, outcome: OutcomeCode) -> PageRecord {
    PageRecord {
        status: None,
        outcome,
        relevance: None,
        relevant: None,
        parts: None,
        ..page(path, 0.0, 0.0)
    }
}

fn redirect(path: &str, to: &str) -> PageRecord {
    PageRecord {
        final_url: Some(format!("http://hub.test/{to}")),
        ..no_page(path, OutcomeCode::Redirect)
    }
}

fn url(path: &str) -> CanonicalUrl {
    CanonicalUrl::parse(&format!("http://hub.test/{path}")).unwrap()
}

fn ranked(collection: &Collection, settings: &RankSettings) -> Vec<String> {
    let ranking = collection.ranked(settings).unwrap();
    let pages = ranking.pages().map(|page| page.unwrap().record.url);
    pages
        .map(|url| url.trim_start_matches("http://hub.test/").to_owned())
        .collect()
}

#[test]
fn pages_are_ranked_once_each_without_hidden_pages_and_near_duplicates() {
    let temp = folder(&[
        hub(),
        page("green", 0.6, 0.6),
        PageRecord {
            duplicate_of: Some("http://hub.test/green".to_owned()),
            ..page("green2", 0.6, 0.62)
        },
        PageRecord {
            notes: vec![PageNote::Noindex],
            hidden: true,
            ..page("hidden", 1.0, 1.0)
        },
        page("shop", 0.1, 0.9),
        page("garden", 0.9, 0.0),
        page("shop", 0.1, 0.7),
        no_page("down", OutcomeCode::FailedConnect),
    ]);
    let collection = Collection::open(temp.path()).unwrap();
    let all = RankSettings::default();
    assert_eq!(ranked(&collection, &all), ["", "green", "garden", "shop"]);

    let ranking = collection.ranked(&all).unwrap();
    let counts = ranking.counts();
    assert_eq!((counts.judged, counts.relevant, counts.hidden), (6, 3, 1));
    assert_eq!((counts.hidden_relevant, counts.chosen_relevant), (1, 2));
    assert_eq!(counts.near_duplicates, 1);
    assert_eq!(counts.quadrants[&Quadrant::ContentOnly], 1);
    assert_eq!(ranking.by(), RankBy::Relevance);
    assert_eq!(ranking.read(1..2).unwrap()[0].near_duplicates, 1);
    assert!(ranking.read(9..20).unwrap().is_empty());

    let genre_only = RankSettings {
        quadrants: vec![Quadrant::GenreOnly],
        ..RankSettings::default()
    };
    assert_eq!(ranked(&collection, &genre_only), ["garden"]);
    let relevant_copies = RankSettings {
        relevant_only: true,
        with_duplicates: true,
        ..RankSettings::default()
    };
    assert_eq!(ranked(&collection, &relevant_copies), ["", "green2", "green"]);
    let by_layer = RankSettings {
        by: Some(RankBy::Layer),
        ..RankSettings::default()
    };
    assert!(matches!(
        collection.ranked(&by_layer),
        Err(CollectionError::NoLayers)
    ));
    let by_importance = RankSettings {
        by: Some(RankBy::Importance),
        ..RankSettings::default()
    };
    assert!(matches!(
        collection.ranked(&by_importance),
        Err(CollectionError::NoCash)
    ));
}

/// `green` is visited twice: its history, .2 + .3, is more than `shop` had at its one visit.
#[test]
fn importance_is_the_cash_of_all_visits() {
    let with_cash = |path: &str, score| PageRecord {
        score: Some(score),
        ..page(path, 0.1, 0.1)
    };
    let temp = folder(&[
        with_cash("", 0.1),
        with_cash("green", 0.2),
        with_cash("shop", 0.4),
        PageRecord {
            revisit: true,
            ..with_cash("green", 0.3)
        },
    ]);
    let opic = format!("{SETTINGS}\n[strategy]\nkind = \"opic\"\n");
    CrawlFolder::open_or_create(temp.path())
        .unwrap()
        .write_settings(&opic)
        .unwrap();
    let collection = Collection::open(temp.path()).unwrap();
    let by_importance = RankSettings {
        by: Some(RankBy::Importance),
        ..RankSettings::default()
    };
    assert_eq!(ranked(&collection, &by_importance), ["green", "shop", ""]);
    // The folder has no frontier, so what pages hold is not known.
    let ranking = collection.ranked(&by_importance).unwrap();
    assert!(matches!(ranking.warnings(), [Warning::HeldCash(_)]));
    let importance = ranking.read(0..1).unwrap()[0].importance.unwrap();
    assert!((importance - 0.5 / 2.0).abs() < 1e-12, "{importance}");
}

/// Links found before layers were learnt wait behind the last queue, not in it.
#[test]
fn a_link_that_was_found_before_layers_were_learnt_is_in_no_queue() {
    let taken_from = |path: &str, class| PageRecord {
        class: Some(class),
        score: Some(0.5),
        parent: Some(url("").to_string()),
        ..page(path, 0.1, 0.1)
    };
    let temp = folder(&[
        hub(),
        taken_from("early", 37),
        taken_from("other", 36),
        taken_from("near", 9),
    ]);
    let layered = format!("{SETTINGS}\n[strategy]\nkind = \"layered\"\nlearn-after = 20\n");
    CrawlFolder::open_or_create(temp.path())
        .unwrap()
        .write_settings(&layered)
        .unwrap();
    let collection = Collection::open(temp.path()).unwrap();
    let queue = |path: &str| {
        let explanation = collection.explain(&url(path)).unwrap();
        explanation.path.last().unwrap().layer_queue.unwrap()
    };
    let layer = |queue, link_layer| Queue::Layer { queue, link_layer };
    assert_eq!(
        ["early", "other", "near"].map(queue),
        [Queue::Unlearnt, layer(None, None), layer(Some(1), Some(2))]
    );
}

#[test]
fn a_page_is_explained_by_its_attempts_and_the_path_from_the_seed() {
    let temp = folder(&[
        hub(),
        PageRecord {
            will_retry: true,
            ..no_page("green", OutcomeCode::FailedConnect)
        },
        page("green", 0.6, 0.6),
        redirect("old", "green"),
    ]);
    let collection = Collection::open(temp.path()).unwrap();
    let explanation = collection.explain(&url("green")).unwrap();
    assert_eq!(explanation.standing, UrlStanding::Fetched);
    assert_eq!(explanation.attempts.len(), 2);
    assert_eq!(explanation.page().unwrap().relevance, Some(0.6));
    assert_eq!(explanation.redirected_from, ["http://hub.test/old"]);
    let path: Vec<(&str, Via)> = explanation
        .path
        .iter()
        .map(|step| (step.url.as_str(), step.via))
        .collect();
    assert_eq!(
        path,
        [
            ("http://hub.test/", Via::Seed),
            ("http://hub.test/green", Via::Link)
        ]
    );
}

#[test]
fn a_url_that_was_not_fetched_is_explained_as_far_as_it_is_known() {
    let temp = folder(&[hub(), page("green", 0.6, 0.6)]);
    let collection = Collection::open(temp.path()).unwrap();
    let explanation = collection.explain(&url("green/")).unwrap();
    assert_eq!(explanation.standing, UrlStanding::NotFetched);
    assert_eq!(explanation.similar[0].url, "http://hub.test/green");
    assert!(matches!(
        explanation.queue_unknown,
        Some(QueueUnknown::Unreadable { .. })
    ));

    let explanation = collection.explain(&url("green?sort=up")).unwrap();
    assert_eq!(explanation.standing, UrlStanding::OutOfScope);
    let rule = OutsideScope::Excluded {
        pattern: Some("[?&]sort=".to_owned()),
    };
    assert_eq!(explanation.out_of_scope, Some(rule));

    let crawling = CrawlFolder::open(temp.path()).unwrap();
    let explanation = collection.explain(&url("new")).unwrap();
    let pid = std::process::id();
    assert_eq!(explanation.queue_unknown, Some(QueueUnknown::Crawling { pid }));
    drop(crawling);
}

#[test]
fn marks_follow_redirects_and_nothing_is_marked_if_one_url_was_not_read() {
    let temp = folder(&[
        hub(),
        page("green", 0.6, 0.6),
        redirect("old", "green"),
        redirect("gone", "nowhere"),
        no_page("down", OutcomeCode::FailedConnect),
    ]);
    let collection = Collection::open(temp.path()).unwrap();
    let urls = ["", "gone", "down", "new"].map(url);
    let Err(CollectionError::NotRead(not_read)) = collection.mark(&urls, Verdict::Relevant) else {
        panic!("pages that were not read were marked")
    };
    let places: Vec<usize> = not_read.iter().map(|url| url.index).collect();
    assert_eq!(places, [1, 2, 3]);
    assert_eq!(
        not_read[0].why,
        WhyNotRead::RedirectsTo("http://hub.test/nowhere".to_owned())
    );
    assert!(
        matches!(&not_read[1].why, WhyNotRead::Tried(last) if last.outcome == OutcomeCode::FailedConnect)
    );
    assert_eq!(not_read[2].why, WhyNotRead::NotFetched);
    assert!(collection.marks().unwrap().is_empty());

    let marked = collection.mark(&["old", "green"].map(url), Verdict::Irrelevant);
    assert_eq!(marked.unwrap(), ["http://hub.test/green"]);
    let ranking = collection.ranked(&RankSettings::default()).unwrap();
    assert_eq!(ranking.read(1..2).unwrap()[0].mark, Some(Verdict::Irrelevant));
    assert_eq!(collection.status().unwrap().marks.irrelevant, 1);
    collection.unmark(&[url("green")]).unwrap();
    assert!(collection.marks().unwrap().is_empty());
}

#[test]
fn the_figures_of_a_killed_crawl_are_counted_from_its_records() {
    let temp = folder(&[
        hub(),
        page("shop", 0.1, 0.3),
        no_page("down", OutcomeCode::FailedConnect),
        redirect("old", ""),
        PageRecord {
            unasked: true,
            ..no_page("private", OutcomeCode::RefusedRobots)
        },
    ]);
    let status = Collection::open(temp.path()).unwrap().status().unwrap();
    assert_eq!(status.state, CrawlState::Killed);
    assert_eq!(status.figures_from, FiguresFrom::RecordsOnly);
    let figures = &status.figures;
    assert_eq!((figures.pages, figures.bodies, figures.relevant), (3, 2, 1));
    assert_eq!(figures.errors, 1);
    assert_eq!(figures.outcomes["refused-robots"], 1);
    assert_eq!(figures.curve, [(1, 1), (2, 1), (3, 1)]);
    assert!(status.can_resume);
}

#[test]
fn lines_that_are_not_records_and_bad_settings_are_warnings() {
    let temp = folder(&[hub()]);
    let path = temp.path().join("pages/pages.jsonl");
    let text = std::fs::read_to_string(&path).unwrap();
    let bad = "{\"v\":2,\"url\":1}\n";
    std::fs::write(&path, format!("{bad}{text}{bad}")).unwrap();
    std::fs::write(temp.path().join("crawl.toml"), "[judge]\nthreshold = 7\n").unwrap();
    let collection = Collection::open(temp.path()).unwrap();
    assert!(matches!(
        collection.settings(),
        Err(CollectionError::Settings { .. })
    ));

    let mut pages = collection.pages().unwrap();
    assert_eq!(pages.by_ref().map(Result::unwrap).count(), 1);
    let unreadable = pages.unreadable().unwrap();
    assert_eq!((unreadable.first, unreadable.count), (1, 2));

    let warnings = collection.explain(&url("")).unwrap().warnings;
    assert!(
        matches!(
            &warnings[..],
            [Warning::Settings(_), Warning::UnreadableLines(lines)] if lines == unreadable
        ),
        "{warnings:?}"
    );
}

#[test]
fn a_folder_without_a_crawl_is_refused() {
    let temp = tempfile::tempdir().unwrap();
    let open = |path: &std::path::Path| Collection::open(path).unwrap_err();
    assert!(matches!(open(temp.path()), CollectionError::NoCrawl(_)));
    assert!(matches!(
        open(&temp.path().join("none")),
        CollectionError::Missing(_)
    ));
    let file = temp.path().join("file");
    std::fs::write(&file, "").unwrap();
    assert!(matches!(open(&file), CollectionError::NotAFolder(_)));
}
