//! Experiment on the terms of layers: are those that tell the layers of a context graph apart words of the topic?
//!
//! Nothing is crawled here. The lists that know nothing are the most frequent terms of the same pages, and random ones.

use std::collections::BTreeMap;

use scenthound_judge::{LayerTrainingSet, layer_words};
use scenthound_report::table::{Cell, Column, Form, Owner, Table};
use scenthound_report::{Experiment, stats};
use scenthound_types::Rng;

use super::measure::Bench;
use crate::error::LabError;
use crate::layers::context_pages;
use crate::recorded::PageId;
use crate::session::LabEvent;
use crate::trial::Trial;

/// As many as the paper lists.
const TERMS: usize = 28;

/// How the lists are chosen, the paper's first.
const WAYS: [&str; 3] = ["χ² over the layers", "most frequent", "random"];

/// The lists of one task, in the order of [`WAYS`].
struct Lists {
    /// The keys of each list.
    keys: [Vec<u64>; WAYS.len()],
    /// The paper's list as it is read.
    spelt: Vec<String>,
}

/// On how many pages a term stands.
#[derive(Clone, Copy, Default)]
struct Found {
    on_topic: u32,
    elsewhere: u32,
}

/// What a list of terms says about the topic, as means over its terms.
struct Figures {
    on_topic: f64,
    elsewhere: f64,
    precision: f64,
}

pub fn best(bench: &Bench<'_>) -> Result<Experiment, LabError> {
    let mut figures: [Vec<Figures>; WAYS.len()] = Default::default();
    let mut shares = Vec::new();
    let mut lists = Vec::new();
    for trial in &bench.trials {
        bench.lab.tell(LabEvent::JudgingFor {
            label: &trial.task.name,
        });
        let of_task = choose(&context_pages(trial)?, bench.conditions.seed);
        // A table would cut the list to the width of a column.
        lists.push(format!(
            "The {TERMS} best terms of {} on {}: {}",
            trial.task.name,
            trial.web_name,
            of_task.spelt.join(" ")
        ));
        let (found, pages) = count(trial, &of_task);
        for (figures, keys) in figures.iter_mut().zip(&of_task.keys) {
            figures.push(figures_of(keys, &found, pages));
        }
        shares.push(f64::from(pages.on_topic) / f64::from((pages.on_topic + pages.elsewhere).max(1)));
    }
    bench.lab.tell(LabEvent::StepEnded);
    let mut table = Table::new(vec![
        Column::words("terms chosen by"),
        Column::new("on-topic pages that have one", Form::Percent(1)).higher(),
        Column::new("other pages that have it", Form::Percent(1)).lower(),
        Column::new("pages with it that are on topic", Form::Percent(1)).higher(),
    ]);
    for (way, figures) in WAYS.iter().zip(&figures) {
        let values = |value: fn(&Figures) -> f64| cell(figures.iter().map(value).collect());
        table.push(
            Owner::Ours,
            vec![
                Cell::from(*way),
                values(|figures| figures.on_topic),
                values(|figures| figures.elsewhere),
                values(|figures| figures.precision),
            ],
        );
    }
    let mut experiment = Experiment::new(
        "The terms that tell layers apart",
        "Are the terms that best tell the layers of a context graph apart words of its topic?",
    )
    .table(
        table,
        "A term's figures are shares of pages; mean over the terms of a list and over the tasks, ± standard error over the tasks. Examples do not count.",
    )
    .note(format!(
        "Of all pages {:.1} % are on topic: a term that says nothing does no better than that.",
        100.0 * stats::mean(&shares)
    ))
    .note("The paper lists bigrams of its two topics and calls many of them very predictive; it gives no figure.")
    .note("The words of synthetic webs are made up. On a recorded web (--web) the lists can be read; hound train layers prints them too.");
    for list in lists {
        experiment = experiment.note(list);
    }
    Ok(experiment)
}

/// The lists of a task.
fn choose(pages: &LayerTrainingSet, seed: u64) -> Lists {
    let best = pages.best_terms(TERMS);
    let mut vocabulary = pages.vocabulary();
    let mut random: Vec<u64> = vocabulary.iter().map(|(key, _)| *key).collect();
    Rng::from_seed(seed).shuffle(&mut random);
    random.truncate(TERMS);
    vocabulary.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
    let frequent = vocabulary.iter().take(TERMS).map(|(key, _)| *key);
    Lists {
        keys: [
            best.iter().map(|term| term.key).collect(),
            frequent.collect(),
            random,
        ],
        spelt: best.iter().map(|term| term.spelling.to_string()).collect(),
    }
}

/// On how many pages of the web each term stands, and how many pages there are.
fn count(trial: &Trial, lists: &Lists) -> (BTreeMap<u64, Found>, Found) {
    let wanted = lists.keys.iter().flatten();
    let mut found: BTreeMap<u64, Found> = wanted.map(|key| (*key, Found::default())).collect();
    let mut pages = Found::default();
    for page in (0..trial.web.pages() as u32).map(PageId) {
        if trial.pages.uncounted.contains(&page) {
            continue;
        }
        let Some(parsed) = trial.web.page(page) else {
            continue;
        };
        let is_on_topic = trial.pages.relevant.contains(&page);
        let mut words: Vec<u64> = layer_words(&parsed)
            .filter(|word| found.contains_key(word))
            .collect();
        words.sort_unstable();
        words.dedup();
        for term in &words {
            if let Some(found) = found.get_mut(term) {
                found.note(is_on_topic);
            }
        }
        pages.note(is_on_topic);
    }
    (found, pages)
}

impl Found {
    fn note(&mut self, is_on_topic: bool) {
        if is_on_topic {
            self.on_topic += 1;
        } else {
            self.elsewhere += 1;
        }
    }
}

fn figures_of(keys: &[u64], found: &BTreeMap<u64, Found>, pages: Found) -> Figures {
    let found: Vec<Found> = keys.iter().filter_map(|key| found.get(key).copied()).collect();
    let share = |part: u32, whole: u32| f64::from(part) / f64::from(whole.max(1));
    let mean = |value: &dyn Fn(&Found) -> f64| stats::mean(&found.iter().map(value).collect::<Vec<f64>>());
    Figures {
        on_topic: mean(&|term| share(term.on_topic, pages.on_topic)),
        elsewhere: mean(&|term| share(term.elsewhere, pages.elsewhere)),
        precision: mean(&|term| share(term.on_topic, term.on_topic + term.elsewhere)),
    }
}

fn cell(values: Vec<f64>) -> Cell {
    let error = stats::standard_error(&values);
    Cell::number(stats::mean(&values), error.is_finite().then_some(error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_of_every_page_says_nothing_and_one_of_the_topic_much() {
        let found = BTreeMap::from([
            (
                1,
                Found {
                    on_topic: 10,
                    elsewhere: 90,
                },
            ),
            (
                2,
                Found {
                    on_topic: 5,
                    elsewhere: 0,
                },
            ),
        ]);
        let pages = Found {
            on_topic: 10,
            elsewhere: 90,
        };
        let of = |keys: &[u64]| {
            let figures = figures_of(keys, &found, pages);
            (figures.on_topic, figures.elsewhere, figures.precision)
        };
        assert_eq!(of(&[1]), (1.0, 1.0, 0.1));
        assert_eq!(of(&[2]), (0.5, 0.0, 1.0));
        assert_eq!(of(&[1, 2]), (0.75, 0.5, 0.55));
    }
}
