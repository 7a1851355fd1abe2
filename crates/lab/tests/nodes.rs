//! Several nodes crawl one web in virtual time: what one finds, all find, whoever dies, and the same each time.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use scenthound_engine::Agent;
use scenthound_frontier::HostPolicy;
use scenthound_lab::recorded::PageId;
use scenthound_lab::synth::{SynthWeb, preset};
use scenthound_lab::{
    LabBudget, LabSettings, NodeParts, NodeSettings, Opinion, Outcome, PageJudge, Synthetic, Trial, Web,
};
use scenthound_strategy::{BestFirst, Opic, Scent, ScentSettings, Siblings, Strategy};
use scenthound_types::{Judgement, Parts, Verdict};

type Made = fn() -> Box<dyn Strategy>;

const STRATEGIES: [(&str, Made); 4] = [
    ("best-first", || Box::new(BestFirst)),
    ("fs-2", || Box::new(Siblings::FS_2)),
    ("opic", || Box::<Opic>::default()),
    ("scent", || Box::new(Scent::new(ScentSettings::default()))),
];

fn trial() -> Trial {
    let web = Synthetic::new(SynthWeb::new(preset("little").unwrap()).unwrap());
    Arc::new(web).trials("little", |_| true).remove(0)
}

/// Polite, with six requests in flight in all.
fn polite() -> LabSettings {
    LabSettings {
        workers: 6,
        latency: Duration::from_millis(200),
        policy: HostPolicy {
            delay: Duration::from_secs(1),
            ..HostPolicy::instant()
        },
        ..LabSettings::default()
    }
}

fn crawl(trial: &Trial, made: Made, nodes: usize, cluster: &NodeSettings) -> Outcome {
    let judge = Labels(trial.truth());
    let go_on = &mut |_| ControlFlow::Continue(());
    if nodes == 1 {
        return trial
            .run(&judge, made(), &polite(), LabBudget::All, go_on)
            .unwrap();
    }
    let parts = (0..nodes).map(|_| NodeParts {
        judge: &judge,
        agents: vec![Agent::alone(made(), &trial.pages.seeds)],
    });
    trial
        .run_on_nodes(parts.collect(), &polite(), cluster, LabBudget::All, go_on)
        .unwrap()
}

/// Knows the labels of pages, and nothing of links.
struct Labels(BTreeSet<PageId>);

impl PageJudge for Labels {
    fn opinion(&self, _web: &dyn Web, page: PageId, _snippets: bool) -> Opinion {
        let is_relevant = self.0.contains(&page);
        Opinion {
            judgement: Judgement {
                relevance: f64::from(u8::from(is_relevant)),
                verdict: match is_relevant {
                    true => Verdict::Relevant,
                    false => Verdict::Irrelevant,
                },
                genre: None,
                layer: None,
                parts: Parts::default(),
            },
            snippets: Vec::new(),
            places: Vec::new(),
            lesson: None,
        }
    }
}

#[test]
fn three_nodes_find_what_one_finds_and_the_same_each_time_although_some_die() {
    let trial = trial();
    for (name, made) in STRATEGIES {
        let alone = crawl(&trial, made, 1, &NodeSettings::default());
        let pages = |outcome: &Outcome| outcome.order.iter().copied().collect::<BTreeSet<_>>();
        let quiet = NodeSettings::default();
        let deadly = NodeSettings {
            deaths: vec![alone.order.len() as u64 / 4, alone.order.len() as u64 / 2],
            lease: Duration::from_secs(5),
            ..NodeSettings::default()
        };
        for cluster in [&quiet, &deadly] {
            let together = crawl(&trial, made, 3, cluster);
            assert_eq!(pages(&together), pages(&alone), "{name} {cluster:?}");
            assert_eq!(together.order.len(), alone.order.len(), "{name}: each page once");
            let again = crawl(&trial, made, 3, cluster);
            assert_eq!(together.order, again.order, "{name} {cluster:?}");
        }
    }
}

#[test]
fn what_one_node_finds_reaches_the_others_only_after_the_delay() {
    let trial = trial();
    let slow = NodeSettings {
        message_delay: Duration::from_secs(600),
        ..NodeSettings::default()
    };
    let quick = crawl(&trial, STRATEGIES[0].1, 3, &NodeSettings::default());
    let slow = crawl(&trial, STRATEGIES[0].1, 3, &slow);
    assert_eq!(slow.order.len(), quick.order.len());
    assert!(
        slow.virtual_seconds > quick.virtual_seconds + 600.0,
        "{} {}",
        slow.virtual_seconds,
        quick.virtual_seconds
    );
}
