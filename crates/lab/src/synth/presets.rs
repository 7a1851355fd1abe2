//! Named webs, one for each paper's experiment.
//!
//! Sizes are the papers'. Shares are chosen so that the task looks as hard as theirs. They mirror the shape of an
//! experiment, not the web of its day.

use crate::synth::settings::{
    GenreShare, GenreTerms, LanguageShare, Layers, SeedKind, Spread, SynthSettings, TaskSetting, TermLists,
};
use crate::synth::table2;
use crate::synth::tables::{BASEBALL, FixedTable, GAMING};

const NAMES: [&str; 15] = [
    "little",
    "paper1-60k",
    "paper1-200k",
    "paper1-300k",
    "paper2-baseball",
    "paper2-gaming",
    "paper1-terms",
    "paper3",
    "paper3-homes",
    "paper4",
    "paper4-ambiguous",
    "paper4-genre",
    "paper5-small",
    "paper5-large",
    "speed-200k",
];

/// The names of all presets.
pub fn preset_names() -> &'static [&'static str] {
    &NAMES
}

/// A preset by its name.
pub fn preset(name: &str) -> Option<SynthSettings> {
    Some(match name {
        "little" => little(),
        "paper1-60k" => genre_and_topic(60_000),
        "paper1-200k" => genre_and_topic(200_000),
        "paper1-300k" => genre_and_topic(300_000),
        "paper2-baseball" => by_table(&BASEBALL, 42_000),
        "paper2-gaming" => by_table(&GAMING, 48_000),
        "paper1-terms" => listed_terms(),
        "paper3" => thirty_topics(),
        "paper3-homes" => thirty_topics_of_homes(),
        "paper4" => several_topics(),
        "paper4-ambiguous" => two_meanings(),
        "paper4-genre" => topics_by_genre(),
        "paper5-small" => small_layers(),
        "paper5-large" => large_layers(),
        "speed-200k" => speed(),
        _ => return None,
    })
}

fn genres(shares: &[(&str, f64)]) -> Vec<GenreShare> {
    shares
        .iter()
        .map(|(name, share)| GenreShare {
            name: (*name).to_owned(),
            share: *share,
        })
        .collect()
}

fn only(code: &str) -> Vec<LanguageShare> {
    vec![LanguageShare {
        code: code.to_owned(),
        share: 1.0,
    }]
}

/// For tests: three hundred pages with a bit of everything except the settings that decide where links lead.
fn little() -> SynthSettings {
    SynthSettings {
        pages: 300,
        hosts: 12,
        out_degree: 10.0,
        topic_shares: vec![0.2, 0.2],
        genres: genres(&[("blog", 0.4), ("news", 0.3), ("other", 0.3)]),
        traps: 0.4,
        trap_pages: 10,
        words: 80,
        examples: 5,
        ..SynthSettings::default()
    }
}

/// Paper 1: a genre and a subject; about a hundred relevant pages among tens of thousands, most of them listed together.
fn genre_and_topic(pages: u32) -> SynthSettings {
    let task = |name: &str, topic, genre: &str| TaskSetting {
        name: Some(name.to_owned()),
        topic: Some(topic),
        genre: Some(genre.to_owned()),
    };
    SynthSettings {
        pages,
        hosts: pages / 150,
        out_degree: 18.0,
        topic_shares: vec![0.02; 5],
        genres: genres(&[
            ("course", 0.1),
            ("job", 0.08),
            ("sale", 0.12),
            ("news", 0.2),
            ("blog", 0.15),
            ("docs", 0.1),
            ("other", 0.25),
        ]),
        host_purity: 0.6,
        genre_purity: 0.5,
        topical_locality: 0.3,
        inside: 0.75,
        lists: 0.08,
        tasks: vec![
            task("data-structures", 0, "course"),
            task("databases", 1, "course"),
            task("information-retrieval", 2, "course"),
            task("jobs", 3, "job"),
            task("sales", 4, "sale"),
        ],
        seeds: 5,
        examples: 30,
        ..SynthSettings::default()
    }
}

/// Paper 2: links depend on the genre of their page.
fn by_table(table: &FixedTable, pages: u32) -> SynthSettings {
    SynthSettings {
        pages,
        hosts: pages / 40,
        out_degree: 20.0,
        topic_shares: vec![0.3],
        genres: genres(&[
            ("blog", 0.3),
            ("image", 0.1),
            ("news", 0.25),
            ("video", 0.1),
            ("other", 0.25),
        ]),
        host_purity: 0.9,
        lists: 0.0,
        hubs: 0.0,
        link_table: Some(table.to_table()),
        languages: only("ja"),
        seeds: 7,
        examples: 100,
        ..SynthSettings::default()
    }
}

/// Paper 3: thirty topics of a directory, ten seeds each, and far more pages than the 20,000 that are fetched.
fn thirty_topics() -> SynthSettings {
    SynthSettings {
        pages: 150_000,
        hosts: 3_000,
        out_degree: 22.0,
        spread: Spread::Pareto,
        topic_shares: vec![0.02; 30],
        genres: genres(&[("other", 0.6), ("news", 0.2), ("blog", 0.2)]),
        topical_locality: 0.45,
        seed_kind: SeedKind::OnTopic,
        seeds: 10,
        examples: 75,
        ..SynthSettings::default()
    }
}

/// The same, where the targets are the home pages of sites, as most URLs of a directory are, and few links describe their
/// targets. The more links do, the better link-context does: it is ahead of OTIE where 60 % do, and level with it at 20 %.
fn thirty_topics_of_homes() -> SynthSettings {
    SynthSettings {
        hosts: 12_000,
        host_zipf: 0.4,
        anchor_signal: 0.15,
        home_targets: true,
        ..thirty_topics()
    }
}

/// Paper 1 with the terms of its Table 2, under its conditions: pages of the genre on other subjects, and pages of the subject of
/// other genres, cover their one list of terms more widely than wanted pages cover either, and mention single terms of the other.
/// Links do not describe their targets, so that a page's terms are its own.
fn listed_terms() -> SynthSettings {
    let owned = |list: &[&str]| list.iter().map(|term| (*term).to_owned()).collect();
    let genre = |name: &str, list: &[&str]| GenreTerms {
        name: name.to_owned(),
        terms: owned(list),
    };
    SynthSettings {
        term_lists: Some(TermLists {
            topics: [
                table2::DATA_STRUCTURES,
                table2::DATABASES,
                table2::RETRIEVAL,
                table2::COMPUTING,
                table2::EQUIPMENT,
            ]
            .map(owned)
            .to_vec(),
            genres: vec![
                genre("course", table2::SYLLABI),
                genre("job", table2::JOBS),
                genre("sale", table2::SALES),
            ],
            wanted: [0.5, 0.8],
            single: [0.7, 1.0],
            mentions: 0.7,
        }),
        topic_words: 0.25,
        genre_words: 0.15,
        // Where the most frequent words of pages are looked for, those of no meaning must be function words, as on real pages.
        flat_words: true,
        anchor_signal: 0.0,
        ..genre_and_topic(60_000)
    }
}

/// Paper 4: six topics on many hosts with many genres.
fn several_topics() -> SynthSettings {
    SynthSettings {
        pages: 30_000,
        hosts: 900,
        topic_shares: vec![0.04; 6],
        genres: genres(&[("news", 0.3), ("forum", 0.2), ("blog", 0.3), ("other", 0.2)]),
        topical_locality: 0.5,
        ..SynthSettings::default()
    }
}

/// The same web, where tasks want a genre on a topic.
fn topics_by_genre() -> SynthSettings {
    let kinds = ["news", "forum", "blog"];
    let wanted = (0..2).flat_map(|topic| {
        kinds.map(|genre| TaskSetting {
            topic: Some(topic),
            genre: Some(genre.to_owned()),
            ..TaskSetting::default()
        })
    });
    SynthSettings {
        tasks: wanted.collect(),
        ..several_topics()
    }
}

/// Paper 4: one word with two meanings, of which the other is the more frequent.
fn two_meanings() -> SynthSettings {
    SynthSettings {
        pages: 30_000,
        hosts: 900,
        topic_shares: vec![0.04, 0.08, 0.05, 0.05],
        genres: genres(&[("news", 0.3), ("forum", 0.2), ("blog", 0.3), ("other", 0.2)]),
        topical_locality: 0.5,
        ambiguous: true,
        tasks: vec![
            TaskSetting {
                name: Some("first-meaning".to_owned()),
                topic: Some(0),
                genre: None,
            },
            TaskSetting {
                name: Some("second-meaning".to_owned()),
                topic: Some(1),
                genre: None,
            },
        ],
        seeds: 5,
        ..SynthSettings::default()
    }
}

/// Paper 5, the small, loose topic: few relevant pages, on hosts that must each be found separately.
fn small_layers() -> SynthSettings {
    SynthSettings {
        pages: 20_000,
        hosts: 600,
        host_zipf: 0.4,
        out_degree: 12.0,
        topic_shares: vec![0.01, 0.05, 0.05],
        genres: genres(&[("other", 0.5), ("news", 0.3), ("forum", 0.2)]),
        layers: Some(Layers {
            sizes: vec![26.0, 71.0, 115.0, 122.0, 196.0],
            inwards: 0.15,
            across: 0.01,
            entrances: 0.004,
        }),
        languages: only("zh"),
        // The targets behind the layers, and the two topics that are there as distractions, which have no layers.
        tasks: (0..3)
            .map(|topic| TaskSetting {
                topic: Some(topic),
                ..TaskSetting::default()
            })
            .collect(),
        ..SynthSettings::default()
    }
}

/// Paper 5, the large, dense topic: many relevant pages on hosts that link to each other.
fn large_layers() -> SynthSettings {
    SynthSettings {
        pages: 60_000,
        hosts: 900,
        host_zipf: 0.6,
        out_degree: 18.0,
        topic_shares: vec![0.006, 0.05, 0.05],
        layers: Some(Layers {
            sizes: vec![9.0, 104.0, 193.0, 299.0, 552.0],
            inwards: 0.25,
            across: 0.3,
            entrances: 0.03,
        }),
        ..small_layers()
    }
}

/// For measuring replays: exactly 25 links on nearly every page, few words.
fn speed() -> SynthSettings {
    SynthSettings {
        pages: 200_000,
        hosts: 2_000,
        out_degree: 25.0,
        spread: Spread::Fixed,
        dead_links: 0.0,
        words: 60,
        ..SynthSettings::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaming_is_the_larger_topic_of_paper_2() {
        let pages = |name: &str| preset(name).unwrap().pages;
        assert_eq!(
            (pages("paper2-baseball"), pages("paper2-gaming")),
            (42_000, 48_000)
        );
    }

    #[test]
    fn every_preset_passes_its_checks_and_survives_toml() {
        for name in preset_names() {
            let settings = preset(name).unwrap();
            settings.check().unwrap_or_else(|fault| panic!("{name}: {fault}"));
            let written = toml::to_string(&settings).unwrap();
            assert_eq!(SynthSettings::from_toml(&written).unwrap(), settings, "{name}");
        }
        assert!(preset("nothing").is_none());
    }
}
