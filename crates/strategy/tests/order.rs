//! Small webs that show what each strategy does.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

#[allow(dead_code)]
mod toy;

use proptest::collection::vec;
use proptest::prelude::*;
use scenthound_strategy::{
    BestFirst, Fish, Genre, GenreSettings, LinkContext, Opic, Otie, OtieSettings, PigTable, Shark, Siblings,
    Ties,
};
use toy::{Fate, ToyLink, ToyPage, link, page, visits};

fn words(relevance: f64, links: &[ToyLink]) -> ToyPage {
    ToyPage {
        links: links.to_vec(),
        ..page(relevance, &[])
    }
}

#[test]
fn link_context_follows_the_words_around_a_link_before_the_page_it_is_on() {
    // 1 and 2 are on a good page, 3 on a poor one but among good words.
    let web = [
        words(0.9, &[link(1, 0.0, 0.0), link(2, 0.0, 0.4)]),
        words(0.1, &[]),
        words(0.1, &[link(3, 0.0, 1.0)]),
        words(0.1, &[]),
    ];
    assert_eq!(visits(&web, LinkContext::default(), 0), [0, 2, 3, 1]);
    // With all weight on the page it is best-first.
    let pages_only = LinkContext { page_weight: 1.0 };
    assert_eq!(visits(&web, pages_only, 0), visits(&web, BestFirst, 0));
}

#[test]
fn raising_dull_siblings_leaves_their_random_order_alone() {
    // Every page scores 0.1. Each visit raises the rest of the list to that, which must not sort it by age.
    let web: Vec<ToyPage> = (0..12)
        .map(|at| {
            page(
                0.1,
                if at == 0 {
                    &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]
                } else {
                    &[]
                },
            )
        })
        .collect();
    let random = |policy: Siblings| Siblings {
        ties: Ties::Random,
        ..policy
    };
    let order = visits(&web, random(Siblings::FS_1), 0);
    assert_eq!(order, visits(&web, random(Siblings::FS_2), 0));
    assert!(!order.is_sorted());
    assert_eq!(order, visits(&web, random(Siblings::PFS_1), 0));
}

#[test]
fn probing_remembers_which_lists_were_sampled_when_scores_change() {
    // All score the same. When 2 links to 4 again, 4 is still on a list of which one page was visited, so 7 comes first.
    let web = [
        page(0.3, &[1, 2]),
        page(0.3, &[3, 4, 5]),
        page(0.3, &[4, 7, 8]),
        page(0.3, &[4, 6]),
        page(0.3, &[]),
        page(0.3, &[]),
        page(0.3, &[]),
        page(0.3, &[]),
        page(0.3, &[]),
    ];
    let probe = Siblings {
        ties: Ties::Probe,
        ..Siblings::PFS_1
    };
    assert_eq!(visits(&web, probe, 0), [0, 1, 3, 6, 2, 7, 4, 8, 5]);
}

#[test]
fn otie_sends_cash_to_where_the_topic_is_and_opic_does_not() {
    // Both 1 and 2 are found at once; the words at 2 are better, and what is off topic keeps little to pass on.
    let web = [
        words(0.9, &[link(1, 0.0, 0.1), link(2, 0.0, 0.9)]),
        page(0.0, &[3]),
        page(1.0, &[4, 5, 6]),
        page(0.0, &[]),
        page(0.0, &[]),
        page(0.0, &[]),
        page(0.0, &[]),
    ];
    assert_eq!(visits(&web, Opic::default(), 0), [0, 1, 2, 3, 4, 5, 6]);
    assert_eq!(visits(&web, Otie::default(), 0), [0, 2, 4, 5, 6, 1, 3]);
}

#[test]
fn otie_without_any_similarity_shares_evenly() {
    let web = [
        page(0.0, &[1, 2]),
        page(0.0, &[3]),
        page(0.0, &[]),
        page(0.0, &[]),
    ];
    assert_eq!(visits(&web, Otie::default(), 0), [0, 1, 2, 3]);
    let otie = Otie::default();
    assert_eq!(otie.revise(1.0, 1.0), 1.85);
    assert_eq!(otie.revise(1.0, 0.5), 1.0);
    assert!((otie.revise(1.0, 0.0) - 0.15).abs() < 1e-15);
    let strict = Otie::new(OtieSettings {
        revision: 3.0,
        ..OtieSettings::default()
    });
    assert_eq!(strict.revise(1.0, 0.0), 0.0, "never below nothing");
}

#[test]
fn otie_fetches_the_richest_page_again_when_it_is_time() {
    // All pages link back to 1, which has been fetched. After four visits it passes on what it gathered.
    let web = [
        page(0.5, &[1, 2]),
        page(0.5, &[3]),
        page(0.5, &[1]),
        page(0.5, &[1, 4]),
        page(0.5, &[1]),
    ];
    let otie = |revisit_every| {
        Otie::new(OtieSettings {
            revisit_every,
            ..OtieSettings::default()
        })
    };
    assert_eq!(visits(&web, otie(0), 0), [0, 1, 2, 3, 4]);
    assert_eq!(visits(&web, otie(4), 0), [0, 1, 2, 3, 1, 4]);
    // The same with fetch lists: the second visit is on the next list.
    assert_eq!(visits(&web, otie(4), 2), [0, 1, 2, 3, 1, 4]);
}

#[test]
fn shark_inherits_across_a_dull_page_and_trusts_the_anchor() {
    // 1 says nothing at all, so 3 inherits from 0 what is left; 4, with a promising anchor, goes first.
    let web = [
        words(1.0, &[link(1, 0.0, 0.1), link(2, 0.0, 0.0)]),
        words(0.0, &[link(3, 0.0, 0.0)]),
        words(0.05, &[link(5, 0.0, 0.0), link(4, 0.9, 0.0)]),
        words(0.0, &[]),
        words(0.0, &[]),
        words(0.0, &[]),
    ];
    assert_eq!(visits(&web, Shark::default(), 0), [0, 1, 2, 4, 3, 5]);
}

#[test]
fn fish_die_out_after_several_poor_pages_but_are_not_forgotten() {
    // Two paths of poor pages; the one found on a good page lives on.
    let web = [
        page(1.0, &[1, 2]),
        page(0.0, &[3]),
        page(1.0, &[4]),
        page(0.0, &[5]),
        page(0.0, &[6]),
        page(0.0, &[]),
        page(0.0, &[]),
    ];
    let fish = |life| Fish { life, width: 10 };
    assert_eq!(visits(&web, fish(9), 0), [0, 1, 2, 4, 3, 6, 5]);
    // Only the first link of a poor page counts. Its own link comes next while it lives, otherwise after all others.
    let wide = [
        page(0.0, &[1, 2]),
        page(0.0, &[3]),
        page(0.0, &[]),
        page(0.0, &[]),
    ];
    assert_eq!(visits(&wide, Fish { life: 9, width: 1 }, 0), [0, 1, 3, 2]);
    assert_eq!(visits(&wide, Fish { life: 1, width: 1 }, 0), [0, 1, 2, 3]);
}

fn of_genre(genre: &'static str, relevance: f64, links: &[usize]) -> ToyPage {
    ToyPage {
        genre: Some((genre, 0.9)),
        ..page(relevance, links)
    }
}

#[test]
fn genre_prefers_links_on_pages_of_a_genre_that_links_well() {
    let web = [
        page(0.65, &[1, 2]),
        of_genre("shop", 0.61, &[3]),
        of_genre("blog", 0.6, &[4]),
        page(0.6, &[]),
        page(0.6, &[]),
    ];
    let table = PigTable::from_toml("[relevant]\nblog = 0.9\nshop = 0.1\nall = 0.5").unwrap();
    let given = GenreSettings {
        table,
        is_fixed: true,
        ..GenreSettings::default()
    };
    assert_eq!(visits(&web, BestFirst, 0), [0, 1, 2, 3, 4]);
    assert_eq!(visits(&web, Genre::new(given), 0), [0, 1, 2, 4, 3]);
}

#[test]
fn genre_finds_out_during_the_crawl_which_genre_links_well() {
    // 0 lists ten shops, then ten blogs. Links on shops lead nowhere, those on blogs to good pages. All else is
    // equal, so best-first serves what the shops found by age alone. Having seen some of both, genre leaves the
    // shops' links for last.
    let mut web = vec![page(0.6, &(1..=20).collect::<Vec<_>>())];
    for hub in 1..=20 {
        let genre = if hub <= 10 { "shop" } else { "blog" };
        web.push(of_genre(genre, 0.6, &[20 + 2 * hub - 1, 20 + 2 * hub]));
    }
    for target in 21..=60 {
        web.push(page(if target <= 40 { 0.0 } else { 0.6 }, &[]));
    }
    // A shop's target and a blog's target are fetched before the hubs, so the links to them count at once.
    web[0].links.insert(0, link(21, 0.0, 0.0));
    web[0].links.insert(0, link(41, 0.0, 0.0));
    let order = visits(&web, Genre::default(), 0);
    let place = |number: usize| order.iter().position(|page| *page == number).unwrap();
    let mean = |pages: std::ops::RangeInclusive<usize>| -> f64 {
        let count = pages.clone().count() as f64;
        pages.map(|page| place(page) as f64).sum::<f64>() / count
    };
    assert!(mean(43..=60) < mean(23..=40), "{order:?}");
    let plain = visits(&web, BestFirst, 0);
    let plain_place = |number: usize| plain.iter().position(|page| *page == number).unwrap();
    assert!(plain_place(23) < plain_place(43));
}

/// Any web with this many pages.
fn webs(pages: usize) -> impl proptest::strategy::Strategy<Value = Vec<ToyPage>> {
    let genres = prop_oneof![Just(None), Just(Some(("blog", 0.8))), Just(Some(("shop", 0.6)))];
    let fates = prop_oneof![
        8 => Just(Fate::Read),
        1 => Just(Fate::Fails),
        1 => (0..pages).prop_map(Fate::LeadsTo)
    ];
    let links = vec((0..pages, 0.0..1.0_f32, 0.0..1.0_f32), 0..6);
    let page = (0..=10_u32, genres, fates, links).prop_map(|(tenths, genre, fate, links)| {
        let links = links
            .into_iter()
            .map(|(to, anchor, around)| link(to, anchor, around));
        ToyPage {
            relevance: f64::from(tenths) / 10.0,
            genre,
            fate,
            links: one_per_target(links),
        }
    });
    vec(page, pages)
}

/// As a parser would report them.
fn one_per_target(links: impl Iterator<Item = ToyLink>) -> Vec<ToyLink> {
    let mut kept: Vec<ToyLink> = Vec::new();
    for link in links {
        if kept.iter().all(|known| known.to != link.to) {
            kept.push(link);
        }
    }
    kept
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn genre_without_weight_is_best_first(web in webs(30)) {
        let genre = Genre::new(GenreSettings { relevance_weight: 1.0, ..GenreSettings::default() });
        prop_assert_eq!(visits(&web, genre, 0), visits(&web, BestFirst, 0));
    }

    #[test]
    fn a_list_of_one_is_strict_best_first_for_every_strategy(web in webs(30)) {
        prop_assert_eq!(visits(&web, BestFirst, 1), visits(&web, BestFirst, 0));
        prop_assert_eq!(visits(&web, LinkContext::default(), 1), visits(&web, LinkContext::default(), 0));
        prop_assert_eq!(visits(&web, Shark::default(), 1), visits(&web, Shark::default(), 0));
        prop_assert_eq!(visits(&web, Fish::default(), 1), visits(&web, Fish::default(), 0));
        prop_assert_eq!(visits(&web, Opic::default(), 1), visits(&web, Opic::default(), 0));
        prop_assert_eq!(visits(&web, Otie::default(), 1), visits(&web, Otie::default(), 0));
    }
}
