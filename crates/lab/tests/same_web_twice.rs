//! A synthetic web is crawled while it is computed, and again after it was written to a folder and read back: the crawls are
//! identical. Also what must hold for any crawl: the same seed gives the same crawl, and knowing more never finds less.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod archive;

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use archive::{reading, trials};
use scenthound_engine::{Agent, LayerModelTrainer, SeedAssignment, assign_seeds};
use scenthound_judge::{HotWords, LayerSettings};
use scenthound_lab::recorded::PageId;
use scenthound_lab::synth::{SynthSettings, SynthWeb, preset, write_folder};
use scenthound_lab::{
    CachedJudge, Lab, LabBudget, LabOptions, LabSettings, Outcome, PageJudge, Synthetic, Trial, Truth, Web,
};
use scenthound_strategy::{
    BestFirst, BreadthFirst, LinkContext, Opic, Otie, OtieSettings, Random, Scent, ScentSettings, SelfTaught,
    SelfTaughtSettings, Siblings, Strategy, TableSettings, TopicTable,
};
use scenthound_types::{CanonicalUrl, Parents};

type Made = fn() -> Box<dyn Strategy>;

const STRATEGIES: [(&str, Made); 10] = [
    ("breadth-first", || Box::new(BreadthFirst)),
    ("random", || Box::new(Random)),
    ("best-first", || Box::new(BestFirst)),
    ("fs-2", || Box::new(Siblings::FS_2)),
    ("pfs-1", || Box::new(Siblings::PFS_1)),
    ("opic", || Box::<Opic>::default()),
    ("otie", || Box::new(Otie::new(OtieSettings::default()))),
    ("link-context", || Box::new(LinkContext::default())),
    ("table", || Box::new(growing_table())),
    ("self-taught", || Box::new(self_taught())),
];

/// Adds words often, so that waiting links are rescored many times.
fn growing_table() -> TopicTable {
    TopicTable::new(TableSettings {
        adds: 0.2,
        adds_from: 0.05,
        ..TableSettings::default()
    })
}

/// Learns early and often.
fn self_taught() -> SelfTaught {
    let settings = SelfTaughtSettings {
        learn_after: 3,
        ..SelfTaughtSettings::default()
    };
    let trainer = LayerModelTrainer {
        settings: LayerSettings::default(),
        hot: HotWords::new("kapaben", 0.2),
    };
    SelfTaught::new(settings, Box::new(trainer))
}

/// A bit of everything: https, dead links and calendars.
fn little() -> SynthWeb {
    let settings = SynthSettings {
        https: 0.5,
        ..preset("little").unwrap()
    };
    SynthWeb::new(settings).unwrap()
}

/// The same web, computed and recorded.
fn twice() -> (Vec<Trial>, Vec<Trial>) {
    let folder = tempfile::tempdir().unwrap();
    write_folder(&little(), folder.path(), &mut |_| ()).unwrap();
    let computed = Arc::new(Synthetic::new(little())).trials("little", |_| true);
    (computed, trials(folder.path()))
}

fn crawl(
    trial: &Trial,
    judge: &dyn PageJudge,
    strategy: Box<dyn Strategy>,
    settings: &LabSettings,
) -> Outcome {
    trial
        .run(judge, strategy, settings, LabBudget::All, &mut |_| {
            ControlFlow::Continue(())
        })
        .unwrap()
}

fn full(seed: u64) -> LabSettings {
    LabSettings {
        seed,
        full_journal: true,
        ..LabSettings::default()
    }
}

fn order(trial: &Trial, outcome: &Outcome) -> Vec<String> {
    outcome
        .order
        .iter()
        .map(|page| trial.web.spelled(*page))
        .collect()
}

#[test]
fn a_written_web_is_crawled_exactly_like_the_computed_one() {
    let (computed, recorded) = twice();
    assert_eq!((computed.len(), recorded.len()), (2, 2));
    for (computed, recorded) in computed.iter().zip(&recorded) {
        assert_eq!(computed.targets.reachable, recorded.targets.reachable);
        assert_eq!(computed.targets.relevant_total, recorded.targets.relevant_total);
        for (name, strategy) in STRATEGIES {
            let [one, other] = [computed, recorded]
                .map(|trial| (trial, crawl(trial, reading(trial).as_ref(), strategy(), &full(0))));
            assert_eq!(order(one.0, &one.1), order(other.0, &other.1), "{name}");
            assert_eq!(one.1.score, other.1.score, "{name}");
            assert_eq!(one.1.verdicts, other.1.verdicts, "{name}");
            assert_eq!(one.1.not_recorded, other.1.not_recorded, "{name}");
            assert!(one.1.score.found > 10 && one.1.verdicts.f1 > 0.3, "{name}");
        }
        let ways = [computed, recorded].map(|trial| {
            let (score, pages) = trial.upper_bound();
            let urls: Vec<String> = pages.iter().map(|page| trial.web.spelled(*page)).collect();
            (score, urls)
        });
        assert_eq!(ways[0], ways[1]);
    }
}

#[test]
fn the_same_seed_gives_the_same_journal_byte_for_byte_and_another_one_another_random_crawl() {
    let (_, recorded) = twice();
    let trial = &recorded[0];
    let judge = reading(trial);
    for (name, strategy) in STRATEGIES {
        let journal = |seed| crawl(trial, judge.as_ref(), strategy(), &full(seed)).journal;
        let first = journal(7);
        assert!(first.lines().count() > 1_000, "{name}");
        assert!(first == journal(7), "{name}");
        if name == "random" {
            assert!(first != journal(8));
        }
    }
}

#[test]
fn several_agents_visit_each_page_once_and_the_same_way_each_time() {
    let (_, recorded) = twice();
    let trial = &recorded[0];
    let judge = reading(trial);
    let example = trial.web.spelled(*trial.pages.positive.first().unwrap());
    let seeds = [&trial.pages.seeds[..], &[CanonicalUrl::parse(&example).unwrap()]].concat();
    for (name, strategy) in STRATEGIES {
        let crawl = || {
            let assignments = assign_seeds(&seeds, 2, SeedAssignment::Even, &|_| String::new());
            let agents = assignments.into_iter().map(|assignment| Agent {
                name: assignment.name,
                strategy: strategy(),
                seeds: assignment.seeds,
            });
            let settings = LabSettings {
                workers: 4,
                latency: std::time::Duration::from_millis(100),
                ..full(3)
            };
            trial
                .run_with(
                    judge.as_ref(),
                    agents.collect(),
                    &settings,
                    LabBudget::All,
                    &mut |_| ControlFlow::Continue(()),
                )
                .unwrap()
        };
        let (one, other) = (crawl(), crawl());
        assert!(one.journal == other.journal, "{name}");
        let pages: std::collections::BTreeSet<_> = one.order.iter().collect();
        assert_eq!(pages.len(), one.order.len(), "{name}: each page once");
        assert_eq!(one.score.fetched, trial.targets.reachable, "{name}: every page");
        let by_second = one.visited_by.iter().filter(|agent| agent.0 == 1).count();
        assert!(
            by_second > 10 && by_second + 10 < one.order.len(),
            "{name}: {by_second}"
        );
        assert_eq!(
            one.agents.iter().map(|agent| agent.waiting).sum::<u64>(),
            0,
            "{name}"
        );
    }
}

#[test]
fn nothing_beats_the_upper_bound_by_more_than_its_greed_costs() {
    let (_, recorded) = twice();
    for trial in &recorded {
        let (bound, pages) = trial.upper_bound();
        assert_eq!(bound.fetched, trial.targets.reachable);
        assert_eq!(pages.len(), bound.fetched + trial.targets.uncounted.len());
        assert_eq!(bound.recall, 1.0);
        for (name, strategy) in STRATEGIES {
            let score = crawl(
                trial,
                reading(trial).as_ref(),
                strategy(),
                &LabSettings::default(),
            )
            .score;
            assert!(
                bound.auc30 >= score.auc30 && bound.auc100 >= score.auc100,
                "{name}"
            );
        }
    }
}

#[test]
fn the_judge_that_knows_the_labels_is_always_right() {
    let (computed, recorded) = twice();
    for trial in computed.iter().chain(&recorded) {
        let judge = Truth {
            relevant: trial.truth(),
            of_links: reading(trial),
        };
        for (name, strategy) in STRATEGIES {
            let outcome = crawl(trial, &judge, strategy(), &LabSettings::default());
            assert_eq!(outcome.verdicts.f1, 1.0, "{name}");
            assert_eq!(outcome.verdicts.precision, 1.0, "{name}");
        }
    }
}

#[test]
fn parents_scores_by_all_parents_and_the_largest_are_best_first() {
    let (_, recorded) = twice();
    for trial in &recorded {
        let judge = reading(trial);
        let run = |strategy| crawl(trial, judge.as_ref(), strategy, &LabSettings::default());
        let (ps, best) = (run(Box::new(Siblings::PS)), run(Box::new(BestFirst)));
        assert_eq!(ps.order, best.order);
        assert_ne!(best.order, run(Box::new(BreadthFirst)).order);
    }
}

#[test]
fn siblings_by_first_parent_and_age_are_breadth_first_where_nothing_redirects() {
    let (_, recorded) = twice();
    let first = Siblings {
        parents: Parents::First,
        ..Siblings::FS_2
    };
    for trial in &recorded {
        let judge = reading(trial);
        let run = |strategy| crawl(trial, judge.as_ref(), strategy, &LabSettings::default());
        let breadth = run(Box::new(BreadthFirst)).order;
        assert_eq!(run(Box::new(first)).order, breadth);
        assert_ne!(run(Box::new(Siblings::FS_2)).order, breadth);
    }
}

#[test]
fn a_cached_judge_judges_as_it_did_before() {
    let (_, recorded) = twice();
    let trial = &recorded[0];
    let plain = reading(trial);
    let remembered = CachedJudge::new(plain.clone(), trial.web.pages());
    // Two passes: one fills the cache, one reads it. Strategies that need no words at links come first and last.
    for (name, strategy) in STRATEGIES.into_iter().chain(STRATEGIES.into_iter().rev()) {
        let own = crawl(trial, plain.as_ref(), strategy(), &full(3));
        let shared = crawl(trial, &remembered, strategy(), &full(3));
        assert!(own.journal == shared.journal, "{name}");
        assert_eq!(own.score, shared.score, "{name}");
        assert_eq!(own.f1_by_threshold, shared.f1_by_threshold, "{name}");
    }
}

#[test]
fn scent_with_a_judge_that_learns_repeats_a_crawl_byte_for_byte() {
    let lab = Lab::new(LabOptions::default());
    let trials = lab.open(Path::new("synth:little"), &[]).unwrap();
    let trial = &trials[0];
    for judge in ["topic", "topic:examples=task"] {
        // A judge that has learnt is another judge, so each crawl gets its own.
        let repeat = |seed: u64| {
            let named = lab.judge(trial, &judge.parse().unwrap()).unwrap();
            let scent = Box::new(Scent::new(ScentSettings::default()));
            let outcome = trial
                .run(
                    named.judge.as_ref(),
                    scent,
                    &full(seed),
                    LabBudget::Pages(80),
                    &mut |_| ControlFlow::Continue(()),
                )
                .unwrap();
            let journal = outcome.journal.clone();
            (journal, order(trial, &outcome), outcome.f1_by_threshold)
        };
        let first = repeat(3);
        assert!(first.1.len() >= 80, "{judge}: {} pages", first.1.len());
        assert!(first == repeat(3), "{judge}");
    }
}

/// It used to be the topic judge, which is the judge of a crawl that names none.
#[test]
fn the_term_judge_of_a_task_judges_by_its_terms() {
    let (trials, _) = twice();
    let trial = &trials[0];
    let lab = Lab::new(LabOptions::default());
    let expected = trial.term_judge(&trial.terms().unwrap()).unwrap();
    for spec in ["terms", "default", "terms:stem=none"] {
        let judge = lab.judge(trial, &spec.parse().unwrap()).unwrap().judge;
        for page in (0..trial.web.pages() as u32).step_by(7).map(PageId) {
            let parsed = trial.web.page(page).unwrap();
            let opinion = judge.opinion(trial.web.as_ref(), page, false);
            assert_eq!(
                opinion.judgement.relevance,
                expected.judge(&parsed).relevance,
                "{spec}: {}",
                parsed.url
            );
        }
    }
}

/// A table of where links lead, or anything else that counts all links, would otherwise differ between the two.
#[test]
fn a_web_has_the_same_pages_and_links_computed_and_recorded() {
    let (computed, recorded) = twice();
    let links = |trial: &Trial| -> Vec<(String, Vec<String>)> {
        let web = trial.web.as_ref();
        let mut all: Vec<_> = (0..web.pages() as u32)
            .map(PageId)
            .map(|page| {
                let mut to = Vec::new();
                web.neighbours(page, &mut to);
                let mut to: Vec<String> = to.into_iter().map(|other| web.spelled(other)).collect();
                to.sort();
                to.dedup();
                (web.spelled(page), to)
            })
            .collect();
        all.sort();
        all
    };
    let (one, other) = (links(&computed[0]), links(&recorded[0]));
    assert!(
        one.iter().any(|(url, _)| url.contains("calendar")),
        "there are calendars"
    );
    assert_eq!(one.len(), other.len());
    assert_eq!(one, other);
}

#[test]
fn only_hosts_with_a_calendar_have_calendar_pages() {
    let settings = |traps| SynthSettings {
        traps,
        ..preset("little").unwrap()
    };
    let pages = |traps| Synthetic::new(SynthWeb::new(settings(traps)).unwrap()).pages();
    assert_eq!(pages(0.0), 300);
    assert_eq!(pages(1.0), 300 + 12 * settings(1.0).trap_pages as usize);
    // Each page says who it is: numbers and pages agree.
    let web = Synthetic::new(SynthWeb::new(settings(0.4)).unwrap());
    assert!(web.pages() > 300 && web.pages() < pages(1.0));
    for page in (0..web.pages() as u32).map(PageId) {
        let url = CanonicalUrl::parse(&web.spelled(page)).unwrap();
        assert_eq!(web.page_at(&url), Some(page), "{url}");
    }
}
