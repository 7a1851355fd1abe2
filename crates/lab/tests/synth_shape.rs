//! Synthetic webs have the properties that their settings ask for.

#![allow(clippy::unwrap_used, reason = "tests of our own webs")]

use std::collections::{BTreeMap, VecDeque};

use scenthound_lab::synth::tables::{BASEBALL, FixedTable, GAMING};
use scenthound_lab::synth::{Spread, SynthPage, SynthSettings, SynthWeb, preset, preset_names};
use scenthound_parse::{Limits, PageInput, parse};
use scenthound_testweb::TestSite;
use scenthound_types::CanonicalUrl;

fn web(name: &str) -> SynthWeb {
    SynthWeb::new(preset(name).unwrap()).unwrap()
}

/// Pages that links lead to.
fn targets(web: &SynthWeb, page: u32) -> Vec<u32> {
    let mut links = Vec::new();
    web.links(page, &mut links);
    links
        .iter()
        .filter_map(|link| match link.target {
            SynthPage::Page(page) => Some(page),
            _ => None,
        })
        .collect()
}

fn reached(web: &SynthWeb, seeds: &[u32]) -> usize {
    let mut known = vec![false; web.len() as usize];
    let mut queue: VecDeque<u32> = seeds.iter().copied().collect();
    for seed in seeds {
        known[*seed as usize] = true;
    }
    while let Some(page) = queue.pop_front() {
        for target in targets(web, page) {
            if !std::mem::replace(&mut known[target as usize], true) {
                queue.push_back(target);
            }
        }
    }
    known.iter().filter(|known| **known).count()
}

#[test]
fn links_are_those_of_the_html_in_the_same_order() {
    let everything = SynthSettings {
        languages: ["en", "pt", "zh", "ja"]
            .map(|code| scenthound_lab::synth::LanguageShare {
                code: code.to_owned(),
                share: 0.25,
            })
            .to_vec(),
        https: 0.5,
        dead_links: 0.1,
        ..preset("little").unwrap()
    };
    for settings in [
        everything,
        preset("paper5-small").unwrap(),
        preset("paper2-gaming").unwrap(),
    ] {
        let web = SynthWeb::new(settings).unwrap();
        for page in (0..web.len()).step_by(web.len() as usize / 300 + 1) {
            let mut links = Vec::new();
            web.links(page, &mut links);
            let expected: Vec<String> = links.iter().map(|link| web.link_url(link)).collect();
            let url = CanonicalUrl::parse(&web.url(page)).unwrap();
            let html = web.html(page);
            let parsed = parse(
                &PageInput {
                    url: &url,
                    content_type: Some("text/html; charset=utf-8"),
                    body: html.as_bytes(),
                    truncated: false,
                },
                &Limits::default(),
            );
            let found: Vec<&str> = parsed.links.iter().map(|link| link.url.as_str()).collect();
            assert_eq!(found, expected, "{html}");
            assert_eq!(parsed.title, web.title(page));
            let blocks = web.blocks(page);
            let in_blocks: Vec<_> = blocks
                .iter()
                .flat_map(|block| &block.links)
                .map(|link| link.link)
                .collect();
            assert_eq!(in_blocks, links);
        }
    }
}

#[test]
fn urls_are_canonical_and_lead_back_to_their_pages() {
    let web = web("little");
    for page in 0..web.len() {
        let url = web.url(page);
        assert_eq!(CanonicalUrl::parse(&url).unwrap().as_str(), url);
        assert_eq!(web.find_url(&url), Some(SynthPage::Page(page)), "{url}");
    }
    let mut urls: Vec<String> = (0..web.len()).map(|page| web.url(page)).collect();
    urls.sort();
    urls.dedup();
    assert_eq!(urls.len(), 300);
    let host = web.host_name(0);
    for path in [
        "/nothing",
        "/page/x-1.html",
        "/page/x-99999999999.html",
        "",
        "/-.html",
        "/é-1.html",
        "/calendar/-1",
    ] {
        assert_eq!(web.find(&host, path), None, "{path}");
    }
    assert_eq!(web.find("example.com", "/"), None);
}

#[test]
fn it_answers_as_a_test_site() {
    let web = web("little");
    let host = web.host_name(3);
    assert_eq!(web.hosts().len(), 12);
    assert_eq!(web.answer(&host, "/").status, 200);
    assert_eq!(web.answer(&host, "/robots.txt").status, 200);
    assert_eq!(web.answer(&host, "/gone/5.html").status, 404);
    assert_eq!(web.answer("elsewhere.test", "/robots.txt").status, 404);
}

#[test]
fn calendars_go_on_forever_and_are_entered_from_home() {
    let web = web("little");
    let mut links = Vec::new();
    let trap = (0..web.len())
        .find_map(|page| {
            web.links(page, &mut links);
            links.iter().find_map(|link| match link.target {
                SynthPage::Trap { host, n } => Some((host, n)),
                _ => None,
            })
        })
        .unwrap();
    let url = web.target_url(SynthPage::Trap {
        host: trap.0,
        n: 4_000_000,
    });
    assert!(matches!(
        web.find_url(&url),
        Some(SynthPage::Trap { n: 4_000_000, .. })
    ));
    for n in [0, 5, u32::MAX] {
        web.trap_links(trap.0, n, &mut links);
        let html = web.trap_html(trap.0, n);
        assert_eq!(html.matches("<a href").count(), links.len());
        assert!(
            n == u32::MAX
                || links.iter().any(|link| link.target
                    == SynthPage::Trap {
                        host: trap.0,
                        n: n + 1
                    })
        );
    }
}

#[test]
fn the_same_seed_makes_the_same_web_and_another_seed_another() {
    let digest = |seed| {
        let settings = SynthSettings {
            seed,
            ..preset("little").unwrap()
        };
        let web = SynthWeb::new(settings).unwrap();
        (0..web.len())
            .map(|page| web.url(page) + &web.html(page))
            .collect::<String>()
    };
    assert_eq!(digest(1), digest(1));
    assert_ne!(digest(1), digest(2));
}

#[test]
fn every_page_of_every_preset_can_be_reached() {
    for name in preset_names() {
        if name.ends_with("200k") || name.ends_with("300k") {
            // These have the settings of a smaller preset, except for the size.
            continue;
        }
        let web = web(name);
        assert_eq!(reached(&web, &[web.first_page()]), web.len() as usize, "{name}");
        let task = &web.tasks()[0];
        if !task.seed_pages.contains(&web.first_page()) {
            let share = reached(&web, &task.seed_pages) as f64 / f64::from(web.len());
            assert!(share >= 0.95, "{name} {}: {share}", task.name);
        }
    }
}

#[test]
fn pages_have_about_as_many_links_as_asked_for() {
    for spread in [Spread::Fixed, Spread::Even, Spread::Geometric, Spread::Pareto] {
        let settings = SynthSettings {
            spread,
            out_degree: 15.0,
            lists: 0.0,
            hubs: 0.0,
            ..SynthSettings::default()
        };
        let web = SynthWeb::new(settings).unwrap();
        let mut links = Vec::new();
        let mut counts = Vec::new();
        for page in 0..web.len() {
            web.links(page, &mut links);
            counts.push(links.len());
        }
        let mean = counts.iter().sum::<usize>() as f64 / counts.len() as f64;
        assert!((13.5..17.0).contains(&mean), "{spread:?}: {mean}");
        let most = counts.iter().max().unwrap();
        assert_eq!(spread == Spread::Pareto, *most > 300, "{spread:?}: {most}");
    }
    let web = web("speed-200k");
    let mut links = Vec::new();
    let exact = (0..2_000)
        .filter(|page| {
            web.links(page * 100, &mut links);
            links.len() == 25
        })
        .count();
    assert!(exact > 1_980, "{exact}");
}

#[test]
fn in_degrees_are_skewed() {
    let web = SynthWeb::new(SynthSettings::default()).unwrap();
    let mut degrees = vec![0_u32; web.len() as usize];
    for page in 0..web.len() {
        for target in targets(&web, page) {
            degrees[target as usize] += 1;
        }
    }
    degrees.sort_unstable();
    let all: u32 = degrees.iter().sum();
    let richest: u32 = degrees.iter().rev().take(degrees.len() / 100).sum();
    let share = f64::from(richest) / f64::from(all);
    assert!(
        share > 0.08,
        "the most-linked hundredth of the pages has {share} of the links"
    );
}

#[test]
fn topics_genres_and_locality_are_as_set() {
    let settings = SynthSettings {
        inside: 0.4,
        lists: 0.0,
        hubs: 0.0,
        ..SynthSettings::default()
    };
    let web = SynthWeb::new(settings.clone()).unwrap();
    let mut topical = 0;
    let mut genres: BTreeMap<u16, u32> = BTreeMap::new();
    let (mut on_topic, mut off_topic, mut inside) = (0_u32, 0_u32, 0_u32);
    for page in 0..web.len() {
        *genres.entry(web.genre(page)).or_default() += 1;
        let host = web.host_of(SynthPage::Page(page));
        if let Some(topic) = web.topic(page) {
            topical += 1;
            for target in targets(&web, page) {
                if web.topic(target) == Some(topic) {
                    on_topic += 1
                } else {
                    off_topic += 1
                }
                inside += u32::from(web.host_of(SynthPage::Page(target)) == host);
            }
        }
    }
    let share = f64::from(topical) / f64::from(web.len());
    assert!((0.18..0.22).contains(&share), "{share}");
    for (genre, setting) in settings.genres.iter().enumerate() {
        let share = f64::from(genres[&(genre as u16)]) / f64::from(web.len());
        assert!((share - setting.share).abs() < 0.03, "{}: {share}", setting.name);
    }
    let links = f64::from(on_topic + off_topic);
    let locality = f64::from(on_topic) / links;
    assert!((0.55..0.70).contains(&locality), "{locality}");
    let inside = f64::from(inside) / links;
    assert!((0.33..0.47).contains(&inside), "{inside}");
}

#[test]
fn links_keep_to_the_table_of_genres() {
    for (name, table) in [("paper2-baseball", BASEBALL), ("paper2-gaming", GAMING)] {
        let web = web(name);
        let FixedTable { rows, .. } = table;
        for (genre, relevant, irrelevant) in rows {
            let number = web
                .settings()
                .genres
                .iter()
                .position(|g| g.name == genre)
                .unwrap();
            let mut counts = [[0_u32; 2]; 2];
            for page in 0..web.len() {
                if usize::from(web.genre(page)) == number {
                    let source = usize::from(web.topic(page) == Some(0));
                    for target in targets(&web, page) {
                        counts[source][usize::from(web.topic(target) == Some(0))] += 1;
                    }
                }
            }
            let share = |[off, on]: [u32; 2]| f64::from(on) / f64::from(off + on);
            let (of_relevant, of_irrelevant) = (share(counts[1]), share(counts[0]));
            assert!(
                (of_relevant - relevant).abs() < 0.03,
                "{name} {genre}: {of_relevant} for {relevant}"
            );
            assert!(
                (of_irrelevant - irrelevant).abs() < 0.015,
                "{name} {genre}: {of_irrelevant} for {irrelevant}"
            );
        }
    }
}

#[test]
fn a_layer_is_the_distance_to_the_nearest_relevant_page() {
    for name in ["paper5-small", "paper5-large"] {
        let web = web(name);
        let mut parents: Vec<Vec<u32>> = vec![Vec::new(); web.len() as usize];
        for page in 0..web.len() {
            for target in targets(&web, page) {
                parents[target as usize].push(page);
            }
        }
        let mut distance = vec![u32::MAX; web.len() as usize];
        let mut queue = VecDeque::new();
        for page in (0..web.len()).filter(|page| web.is_relevant(&web.tasks()[0], *page)) {
            distance[page as usize] = 0;
            queue.push_back(page);
        }
        assert!(queue.len() > 50, "{name}: {}", queue.len());
        while let Some(page) = queue.pop_front() {
            for &parent in &parents[page as usize] {
                if distance[parent as usize] == u32::MAX {
                    distance[parent as usize] = distance[page as usize] + 1;
                    queue.push_back(parent);
                }
            }
        }
        let mut sizes = [0_u32; 5];
        for page in 0..web.len() {
            match web.layer(page) {
                Some(layer) => {
                    assert_eq!(distance[page as usize], u32::from(layer), "{name} {page}");
                    sizes[usize::from(layer)] += 1;
                }
                None => assert!(distance[page as usize] > 4, "{name} {page}"),
            }
        }
        assert!(sizes.is_sorted(), "{name}: {sizes:?}");
    }
}

#[test]
fn lists_hold_pages_that_are_relevant_together() {
    use scenthound_lab::synth::PageKind;
    let web = web("paper1-60k");
    let (mut together, mut pairs) = (0_u32, 0_u32);
    let (mut plain_together, mut plain_pairs) = (0_u32, 0_u32);
    for page in 0..web.len() {
        let of = targets(&web, page);
        for pair in of.windows(2) {
            let alike = web.topic(pair[0]) == web.topic(pair[1]) && web.genre(pair[0]) == web.genre(pair[1]);
            if web.kind(page) == PageKind::List {
                pairs += 1;
                together += u32::from(alike);
            } else {
                plain_pairs += 1;
                plain_together += u32::from(alike);
            }
        }
    }
    let (lists, plain) = (
        f64::from(together) / f64::from(pairs),
        f64::from(plain_together) / f64::from(plain_pairs),
    );
    assert!(
        lists > 0.5 && lists > 1.8 * plain,
        "{lists} on lists, {plain} elsewhere"
    );
}

#[test]
fn invalid_settings_are_refused_with_the_remedy() {
    for (toml, part) in [
        ("pages = 5", "between 20 and"),
        ("hosts = 2", "one for each topic"),
        ("out-degree = 0.0", "between 1 and 100"),
        ("inside = 1.5", "between 0 and 1"),
        ("topic-shares = [0.7, 0.7]", "add up to at most 1"),
        ("[[genres]]\nname = \"blog\"\nshare = 0.5", "sum to 1"),
        ("[[languages]]\ncode = \"xx\"\nshare = 1.0", "en, pt, zh, ja"),
        ("[[tasks]]\ntopic = 9", "a topic below 4"),
        (
            "[[tasks]]\nname = \"../up\"\ntopic = 1",
            "letters, digits and dashes",
        ),
        ("lists = 0.9\nhubs = 0.9", "add up to at most 1"),
        ("pagse = 5", "pagse"),
        ("inside = nan", "between 0 and 1"),
    ] {
        let fault = SynthSettings::from_toml(toml).unwrap_err();
        let mut text = fault.to_string();
        if let Some(source) = std::error::Error::source(&fault) {
            text += &source.to_string();
        }
        assert!(text.contains(part), "{toml}: {text}");
    }
}

#[test]
fn ten_million_pages_are_no_problem() {
    let settings = SynthSettings {
        pages: 10_000_000,
        hosts: 100_000,
        ..SynthSettings::default()
    };
    let web = SynthWeb::new(settings).unwrap();
    assert!(web.table_bytes() < 10_000_000, "{}", web.table_bytes());
    let mut links = Vec::new();
    for page in [0, 1, 4_999_999, 9_999_999] {
        web.links(page, &mut links);
        assert!(!links.is_empty());
        assert_eq!(web.find_url(&web.url(page)), Some(SynthPage::Page(page)));
    }
}
