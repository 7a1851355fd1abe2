//! The weight table as a crawl uses it: seeds first, then links scored by what is known about them, and the same
//! after a restart.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

use std::collections::BTreeMap;
use std::f64::consts::LN_2;

use proptest::prelude::*;
use scenthound_strategy::{LinkWords, PageScore, ParentScore, Strategy, TableSettings, TopicTable};
use scenthound_types::{
    AgentId, CanonicalUrl, Evidence, Judgement, Keyring, Lease, LeaseId, LeaseKind, Outcome, PageReport,
    PageWords, ParentPage, Parts, Priority, Rank, ReportedLink, Standing, StateDelta, Token, Update, UrlKey,
    Verdict, WaitingLink,
};

fn url(name: &str) -> CanonicalUrl {
    CanonicalUrl::parse(&format!("http://h.test/{name}")).unwrap()
}

fn key(name: &str) -> UrlKey {
    Keyring::new(1).key(&url(name))
}

fn hashes(words: &str) -> Vec<u64> {
    words
        .split_whitespace()
        .map(|word| Token::of(word).hash())
        .collect()
}

/// A page: its words, and its links as target and anchor.
struct Page {
    name: &'static str,
    words: String,
    links: Vec<(&'static str, &'static str)>,
}

fn page(name: &'static str, words: &str, links: &[(&'static str, &'static str)]) -> Page {
    Page {
        name,
        words: words.to_owned(),
        links: links.to_vec(),
    }
}

/// What a crawl keeps around a strategy: the rank and evidence of waiting links, and the strategy's saved state.
struct Crawl {
    settings: TableSettings,
    strategy: TopicTable,
    evidence: BTreeMap<UrlKey, Evidence>,
    ranks: BTreeMap<UrlKey, Rank>,
    saved: BTreeMap<String, Vec<u8>>,
    epoch: u64,
    are_seeds_done: bool,
}

impl Crawl {
    fn new(settings: TableSettings) -> Crawl {
        Crawl {
            strategy: TopicTable::new(settings.clone()),
            settings,
            evidence: BTreeMap::new(),
            ranks: BTreeMap::new(),
            saved: BTreeMap::new(),
            epoch: 0,
            are_seeds_done: false,
        }
    }

    fn read(&mut self, page: &Page) -> PageScore {
        let words = PageWords::count(
            page.words
                .split_whitespace()
                .map(|word| (Token::of(word).hash(), word)),
        );
        let lease = Lease {
            id: LeaseId(0),
            agent: AgentId(0),
            kind: LeaseKind::Page,
            url: url(page.name),
            key: key(page.name),
            parent: None,
            parent_url: None,
            depth: 0,
            site_depth: 0,
            seed: !self.are_seeds_done,
            taken: Priority::default(),
            attempt: 0,
            redirects: 0,
            revisit: false,
            location: None,
        };
        let judgement = Judgement {
            relevance: 0.5,
            verdict: Verdict::Irrelevant,
            genre: None,
            layer: None,
            parts: Parts::default(),
        };
        let outcome = Outcome::Body {
            status: 200,
            truncated: None,
        };
        let report = |links| PageReport {
            lease: &lease,
            outcome: &outcome,
            judgement: Some(&judgement),
            words: Some(&words),
            note: None,
            links,
            evidence: None,
            will_retry: false,
        };
        let scored = self.strategy.score_page(&report(&[])).unwrap_or_default();
        let links: Vec<ReportedLink> = page
            .links
            .iter()
            .map(|(to, anchor)| {
                let mut evidence = Evidence::of_words(hashes(anchor), Vec::new(), hashes(to));
                evidence.add_parent(ParentPage {
                    key: lease.key,
                    relevance: scored.relevance as f32,
                });
                let known = self.evidence.entry(key(to)).or_default();
                known.gather(&evidence);
                ReportedLink {
                    url: url(to),
                    key: key(to),
                    standing: Standing::New,
                    path: 0,
                    snippets: None,
                    place: None,
                    evidence: Some(Box::new(known.clone())),
                    tokens: None,
                    note: None,
                }
            })
            .collect();
        let mut updates = Vec::new();
        self.strategy.observe(&report(&links), &mut updates);
        for update in updates {
            let Update::Offer(offer) = update else {
                panic!("a table only offers links");
            };
            self.ranks.insert(offer.key, offer.rank);
        }
        self.freshen();
        scored
    }

    fn seeds_done(&mut self) {
        self.are_seeds_done = true;
        self.strategy.seeds_done();
        self.freshen();
    }

    fn freshen(&mut self) {
        if self.strategy.epoch() != self.epoch {
            self.epoch = self.strategy.epoch();
            for (key, rank) in &mut self.ranks {
                let waiting = WaitingLink {
                    key: *key,
                    rank: *rank,
                    parent: None,
                    evidence: &self.evidence[key],
                };
                *rank = self.strategy.rescore(&waiting).unwrap_or(*rank);
            }
        }
        let mut delta = StateDelta::default();
        self.strategy.save_changes(&mut delta);
        self.saved.extend(delta.changes().iter().cloned());
    }

    fn restart(&mut self) {
        let saved: Vec<_> = self.saved.clone().into_iter().collect();
        self.strategy = TopicTable::new(self.settings.clone());
        self.strategy.restore(&saved).unwrap();
    }

    fn score(&self, name: &str) -> f64 {
        self.ranks[&key(name)].score.get()
    }

    /// The score that this strategy gives to a link by what another crawl knows of it.
    fn evidence_score(&self, name: &str, other: &Crawl) -> f64 {
        let waiting = WaitingLink {
            key: key(name),
            rank: other.ranks[&key(name)],
            parent: None,
            evidence: &other.evidence[&key(name)],
        };
        let rank = self.strategy.clone().rescore(&waiting);
        rank.unwrap().score.get()
    }

    /// The same at this moment.
    fn copy(&self) -> Crawl {
        Crawl {
            strategy: self.strategy.clone(),
            settings: self.settings.clone(),
            evidence: self.evidence.clone(),
            ranks: self.ranks.clone(),
            saved: self.saved.clone(),
            ..*self
        }
    }
}

/// Seeds a and b are about tea; c is read after them.
fn tea() -> [Page; 3] {
    [
        page(
            "a",
            "tea tea leaf cup",
            &[("green", "green tea"), ("cars", "fast cars")],
        ),
        page("b", "tea leaf kettle", &[("green", "leaf"), ("b", "home")]),
        page("c", "cars engine tea", &[("cars", "cars"), ("pot", "tea pot")]),
    ]
}

fn settings() -> TableSettings {
    TableSettings {
        size: 3,
        ..TableSettings::default()
    }
}

#[test]
fn links_wait_without_a_score_until_the_seeds_are_read() {
    let [a, b, _] = tea();
    let mut crawl = Crawl::new(settings());
    let seed = crawl.strategy.seed(key("a"), 2);
    let scored = crawl.read(&a);
    assert_eq!((scored.relevance, scored.parts.table), (1.0, None));
    assert_eq!(crawl.score("green"), 0.0);
    assert!(crawl.strategy.table().is_empty());
    assert!(seed > crawl.ranks[&key("green")]);
    crawl.read(&b);
    crawl.seeds_done();
    assert!(crawl.score("green") > crawl.score("cars"));
    assert!(crawl.score("cars") > 0.0);
}

#[test]
fn the_scores_match_those_computed_by_hand() {
    let [a, b, c] = tea();
    let mut crawl = Crawl::new(settings());
    crawl.read(&a);
    crawl.read(&b);
    crawl.seeds_done();
    // N = 2. tea: (1.526589 + 1) · ln 2 = 1.751298; leaf: 2 · ln 2 = 1.386294; cup and kettle: ln 3 = 1.098612.
    // The table holds tea (1), leaf (0.791581) and the one of cup and kettle with the smaller hash (0.627313).
    let table: Vec<(&str, f64)> = crawl
        .strategy
        .table()
        .words()
        .iter()
        .map(|word| (&*word.spelling, word.weight))
        .collect();
    assert_eq!((table[0].0, table[0].1, table[1].0), ("tea", 1.0, "leaf"));
    assert!((table[1].1 - 0.791_581).abs() < 1e-5 && (table[2].1 - 0.627_313).abs() < 1e-5);
    let has_cup = table[2].0 == "cup";
    // |table| = √(1 + 0.626601 + 0.393522) = 1.421310.
    // a: tea 1.526589 · ln 2 = 1.058150, leaf ln 2 = 0.693147, cup ln 3 = 1.098612; |a| = 1.675435.
    // b: tea and leaf 0.693147 each, kettle 1.098612; |b| = 1.472364.
    let third = |has: bool| if has { 1.098_612 * 0.627_313 } else { 0.0 };
    let of_a = (1.058_150 + LN_2 * 0.791_581 + third(has_cup)) / (1.675_435 * 1.421_310);
    let of_b = (LN_2 + LN_2 * 0.791_581 + third(!has_cup)) / (1.472_364 * 1.421_310);
    // Anchors of green: tea and leaf; its URL has no words of the table.
    let green = (1.0 + 0.791_581) / 3.0 + of_a + of_b;
    assert!(
        (crawl.score("green") - green).abs() < 1e-5,
        "{} {green}",
        crawl.score("green")
    );
    assert!((crawl.score("cars") - of_a).abs() < 1e-5);

    // c: N = 3; tea is in all, ln 2; cars and engine are new, ln 4.
    let scored = crawl.read(&c);
    let length = (LN_2.powi(2) + 2.0 * 1.386_294_f64.powi(2)).sqrt();
    let of_c = LN_2 / (length * 1.421_310);
    assert!(
        (scored.relevance - of_c).abs() < 1e-5,
        "{} {of_c}",
        scored.relevance
    );
    assert_eq!(scored.parts.table, Some(scored.relevance));
    assert_eq!(&*scored.parts.terms[0].term, "tea");
    assert!((scored.parts.terms[0].share - scored.relevance).abs() < 1e-12);
    assert!((crawl.score("pot") - (1.0 / 3.0 + of_c)).abs() < 1e-5);
    // Another parent was found, and it counts too.
    assert!((crawl.score("cars") - (of_a + of_c)).abs() < 1e-5);
}

#[test]
fn parents_count_by_their_sum_their_mean_or_the_best() {
    let score = |parents| {
        let [a, b, c] = tea();
        let mut crawl = Crawl::new(TableSettings {
            parents,
            ..settings()
        });
        crawl.read(&a);
        crawl.read(&b);
        crawl.seeds_done();
        crawl.read(&c);
        crawl.score("cars")
    };
    let (sum, mean, max) = (
        score(ParentScore::Sum),
        score(ParentScore::Mean),
        score(ParentScore::Max),
    );
    assert!((mean - sum / 2.0).abs() < 1e-12);
    assert!(mean < max && max < sum);
}

#[test]
fn a_growing_table_takes_in_words_of_similar_pages_and_rescores_what_waits() {
    let mut crawl = Crawl::new(TableSettings {
        size: 2,
        adds: 0.5,
        adds_from: 0.3,
        ceiling: 4,
        ..TableSettings::default()
    });
    crawl.read(&page(
        "a",
        "tea tea leaf",
        &[("oolong", "oolong"), ("cars", "cars")],
    ));
    crawl.seeds_done();
    let before = crawl.score("oolong");
    assert_eq!(before, crawl.score("cars"));
    let epoch = crawl.strategy.epoch();
    crawl.read(&page("far", "cars engine road wheel", &[]));
    assert_eq!((crawl.strategy.table().len(), crawl.strategy.epoch()), (2, epoch));
    crawl.read(&page("near", "tea tea leaf oolong oolong", &[]));
    assert_eq!(
        (crawl.strategy.table().len(), crawl.strategy.epoch()),
        (3, epoch + 1)
    );
    assert_eq!(&*crawl.strategy.table().words()[2].spelling, "oolong");
    assert!(crawl.score("oolong") > crawl.score("cars"));
    for word in ["cup", "pot", "kettle"] {
        crawl.read(&page("more", &format!("tea tea leaf {word} {word}"), &[]));
    }
    assert_eq!(crawl.strategy.table().len(), 4);
}

#[test]
fn genres_raise_links_whose_words_or_parents_speak_of_them() {
    let genres = LinkWords::shipped();
    let run = |wanted: &[&str], genre_weight| {
        let mut crawl = Crawl::new(TableSettings {
            genres: wanted.iter().map(|name| genres.genre(name).unwrap()).collect(),
            genre_weight,
            ..settings()
        });
        crawl.read(&page(
            "a",
            "tea leaf cup",
            &[("x", "news headlines"), ("y", "about us")],
        ));
        crawl.read(&page(
            "b",
            "tea leaf breaking news reporter",
            &[("z", "about us")],
        ));
        crawl.seeds_done();
        ["x", "y", "z"].map(|name| crawl.score(name))
    };
    let [x, y, _] = run(&[], 1.0);
    assert_eq!(x, y);
    let [topic_x, topic_y, topic_z] = run(&["shop", "news"], 0.0);
    assert_eq!((topic_x, topic_y), (x, y));
    let [x, y, z] = run(&["shop", "news"], 1.0);
    assert!(x > y, "the words of x are those of news");
    assert_eq!(y, topic_y, "no words at y are those of news");
    assert!(z > topic_z, "the page with z is about news");
    let [far_x, _, far_z] = run(&["shop", "news"], 10.0);
    assert!((far_x - topic_x - 10.0 * (x - topic_x)).abs() < 1e-9);
    assert!((far_z - topic_z - 10.0 * (z - topic_z)).abs() < 1e-9);
}

#[test]
fn a_waiting_seed_stays_a_seed_when_it_is_linked_to() {
    let mut crawl = Crawl::new(settings());
    crawl.read(&page("a", "tea", &[("b", "b")]));
    // The link was offered with the better of both ranks, and a seed's class is better.
    assert!(crawl.strategy.seed(key("b"), 2) > crawl.ranks[&key("b")]);
    let seed = crawl.strategy.seed(key("b"), 2);
    let waiting = WaitingLink {
        key: key("b"),
        rank: seed,
        parent: None,
        evidence: &Evidence::default(),
    };
    assert_eq!(crawl.strategy.rescore(&waiting), None);
}

#[test]
fn without_seeds_the_table_is_built_from_the_first_page_read() {
    let mut crawl = Crawl::new(settings());
    crawl.seeds_done();
    assert!(crawl.strategy.table().is_empty());
    crawl.read(&page("late", "tea leaf", &[("pot", "tea")]));
    assert_eq!(crawl.strategy.table().len(), 2);
    assert!(crawl.score("pot") > 0.0);
}

#[test]
fn a_page_other_than_a_seed_ends_the_seeds_if_nobody_announces_it() {
    let [a, b, c] = tea();
    let (mut told, mut untold) = (Crawl::new(settings()), Crawl::new(settings()));
    for crawl in [&mut told, &mut untold] {
        crawl.read(&a);
        crawl.read(&b);
    }
    told.seeds_done();
    untold.are_seeds_done = true;
    assert_eq!(told.read(&c), untold.read(&c));
    assert_eq!(told.ranks, untold.ranks);
}

/// A node tells another everything that it has not told yet.
fn tell(from: &mut Crawl, to: &mut [&mut Crawl]) {
    let lasting = from.strategy.lasting_lessons();
    let lessons = from.strategy.lessons();
    for node in to {
        node.strategy.hear_lasting_lessons(&lasting).unwrap();
        if !lessons.is_empty() {
            node.strategy.hear_lessons(&lessons).unwrap();
        }
        node.freshen();
    }
}

fn node(settings: &TableSettings) -> Crawl {
    let mut node = Crawl::new(settings.clone());
    node.strategy.share_lessons();
    node
}

/// The words of a table and their weights, rounded: counts that are added up in another order differ in the last bit.
fn words_of(crawl: &Crawl) -> BTreeMap<String, i64> {
    let words = crawl.strategy.table().words().iter();
    words
        .map(|word| (word.spelling.to_string(), (word.weight * 1e9).round() as i64))
        .collect()
}

#[test]
fn nodes_that_tell_each_other_have_the_table_and_the_counts_of_one_machine() {
    let [a, b, c] = tea();
    let d = page(
        "d",
        "tea kettle engine",
        &[("green", "green tea"), ("pot", "engine")],
    );
    let mut alone = Crawl::new(settings());
    alone.read(&a);
    alone.read(&b);
    alone.seeds_done();
    alone.read(&c);
    let (mut first, mut second, mut empty) = (node(&settings()), node(&settings()), node(&settings()));
    // A node without seeds has no table until it hears of some.
    empty.seeds_done();
    assert!(empty.strategy.table().is_empty());
    first.read(&a);
    first.seeds_done();
    second.read(&b);
    second.seeds_done();
    assert_ne!(words_of(&first), words_of(&alone), "the table of one seed");
    tell(&mut first, &mut [&mut second, &mut empty]);
    tell(&mut second, &mut [&mut first, &mut empty]);
    for node in [&first, &second, &empty] {
        assert_eq!(words_of(node), words_of(&alone));
    }
    // The seed's own score as a parent is the one of the table of all seeds.
    assert!((first.score("cars") - alone.evidence_score("cars", &first)).abs() < 1e-9);
    first.read(&c);
    tell(&mut first, &mut [&mut second, &mut empty]);
    let scored = alone.read(&d);
    for node in [&mut first, &mut second, &mut empty] {
        let here = node.read(&d);
        assert!(
            (here.relevance - scored.relevance).abs() < 1e-9,
            "{here:?} {scored:?}"
        );
    }
    assert!(first.strategy.hear_lessons(b"?").is_err());
    assert!(
        first
            .strategy
            .hear_lasting_lessons(&[("tea".to_owned(), Vec::new())])
            .is_err()
    );
}

#[test]
fn a_node_that_joins_late_or_comes_back_has_the_table_too() {
    let [a, b, _] = tea();
    let (mut first, mut second, mut late) = (node(&settings()), node(&settings()), node(&settings()));
    first.read(&a);
    first.seeds_done();
    let told = first.strategy.lasting_lessons();
    second.read(&b);
    second.seeds_done();
    second.strategy.hear_lasting_lessons(&told).unwrap();
    second.freshen();
    // It was killed before it could tell of its own seed.
    second.restart();
    second.strategy.share_lessons();
    tell(&mut second, &mut [&mut first, &mut late]);
    late.seeds_done();
    for node in [&first, &late] {
        assert_eq!(words_of(node), words_of(&second));
    }
    assert_eq!(words_of(&first)["tea"], 1_000_000_000);
    // Told twice, counted once.
    let read = |node: &mut Crawl| node.read(&page("d", "tea leaf engine", &[])).relevance;
    let before = read(&mut first.copy());
    first.strategy.hear_lasting_lessons(&told).unwrap();
    assert_eq!(read(&mut first), before);
}

#[test]
fn words_that_a_page_of_one_node_adds_are_added_on_all() {
    let growing = TableSettings {
        size: 2,
        adds: 0.5,
        adds_from: 0.3,
        ceiling: 4,
        ..TableSettings::default()
    };
    let (mut first, mut second, mut early) = (node(&growing), node(&growing), node(&growing));
    first.read(&page("a", "tea tea leaf", &[]));
    first.seeds_done();
    second.seeds_done();
    tell(&mut first, &mut [&mut second]);
    first.read(&page("near", "tea tea leaf oolong oolong", &[]));
    // One node hears of the new word before it hears of the seed.
    let (lasting, lessons) = (first.strategy.lasting_lessons(), first.strategy.lessons());
    assert!(lasting.is_empty());
    for node in [&mut second, &mut early] {
        node.strategy.hear_lessons(&lessons).unwrap();
    }
    early.seeds_done();
    first.strategy.share_lessons();
    early
        .strategy
        .hear_lasting_lessons(&first.strategy.lasting_lessons())
        .unwrap();
    for node in [&mut second, &mut early] {
        assert_eq!(words_of(node), words_of(&first));
        assert!(words_of(node).contains_key("oolong"));
        node.freshen();
        let before = words_of(node);
        node.restart();
        assert_eq!(words_of(node), before);
        assert!(
            node.strategy.lessons().is_empty(),
            "what was heard is not told again"
        );
    }
}

#[test]
fn damaged_state_is_refused_with_its_name() {
    let mut table = TopicTable::new(settings());
    let wrong = [("w/zz".to_owned(), vec![1])];
    assert!(table.restore(&wrong).unwrap_err().to_string().contains("w/zz"));
    let wrong = [("t/0".to_owned(), vec![1; 3])];
    assert!(table.restore(&wrong).unwrap_err().to_string().contains("t/0"));
}

proptest! {
    /// A crawl that is killed and resumed after any of its pages, even while seeds are being read, ranks everything
    /// exactly like one that never stopped.
    #[test]
    fn a_resumed_crawl_ranks_like_one_that_never_stopped(
        pages in prop::collection::vec(
            (prop::collection::vec(0_usize..30, 1..20), prop::collection::vec((0_usize..12, 0_usize..30), 0..5), any::<bool>()),
            3..25,
        ),
        seeds in 0_usize..4,
        adds in prop::sample::select(vec![0.0, 0.5]),
    ) {
        const NAMES: [&str; 12] = ["p0", "p1", "p2", "p3", "p4", "p5", "p6", "p7", "p8", "p9", "p10", "news"];
        const WORDS: [&str; 30] = [
            "tea", "leaf", "cup", "pot", "news", "blog", "shop", "car", "road", "sea", "fish", "ship", "star", "moon", "sun",
            "press", "story", "buy", "price", "post", "tag", "one", "two", "six", "ten", "red", "blue", "grey", "cat", "dog",
        ];
        let genres = LinkWords::shipped();
        let settings = TableSettings {
            size: 6,
            adds,
            adds_from: 0.3,
            ceiling: 12,
            vocabulary: 1,
            genres: ["news", "shop"].iter().map(|name| genres.genre(name).unwrap()).collect(),
            ..TableSettings::default()
        };
        let mut whole = Crawl::new(settings.clone());
        let mut torn = Crawl::new(settings);
        for (number, (words, links, is_torn)) in pages.iter().enumerate() {
            if number == seeds {
                whole.seeds_done();
                torn.seeds_done();
            }
            let page = Page {
                name: NAMES[number % NAMES.len()],
                words: words.iter().map(|word| WORDS[*word]).collect::<Vec<_>>().join(" "),
                links: links.iter().map(|(to, anchor)| (NAMES[*to], WORDS[*anchor])).collect(),
            };
            let scored = whole.read(&page);
            prop_assert_eq!(&scored, &torn.read(&page));
            if *is_torn {
                torn.restart();
            }
            prop_assert_eq!(&whole.ranks, &torn.ranks);
            prop_assert_eq!(&whole.saved, &torn.saved);
            prop_assert_eq!(whole.strategy.epoch(), torn.strategy.epoch());
        }
    }
}
