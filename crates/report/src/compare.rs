//! Many runs compared: which strategy and judge find the relevant pages soonest, and how sure that is.
//!
//! A *contender* is a strategy with a judge. Repeats of a task are averaged first, so a task counts once however often it
//! was run; means, standard errors and tests are over tasks. What comes first in the runs comes first in the report.
//! *Bounds* (the best possible order, a random one) are drawn and listed but do not compete.
//!
//! Deliberately absent: running, reading, and choosing for the user. A report of no runs is a page that says so.

mod export;
mod field;
mod figures;
mod measure;
mod run;
mod significance;
mod tables;

pub use field::{Contender, UnknownBaseline, contenders, find_baseline};
pub use run::RunResult;

use field::Field;

use crate::page::{Block, Page};
use crate::plot::Scale;

/// What a report is asked to show.
#[derive(Clone, PartialEq, Debug)]
pub struct ReportSettings {
    /// The title of the page.
    pub title: String,
    /// Remarks that stand right below the title, as that the runs were interrupted.
    pub notes: Vec<String>,
    /// The names and values of what the runs depend on.
    pub settings: Vec<(String, String)>,
    /// A difference counts as shown where chance would show it less often than this.
    pub alpha: f64,
    /// Against whom the others are tested: a strategy, or `strategy · judge`. Without one, the first contender.
    pub baseline: Option<String>,
    /// The strategies that are bounds.
    pub bounds: Vec<String>,
    /// How the axis of pages is divided.
    pub pages: Scale,
}

impl Default for ReportSettings {
    fn default() -> ReportSettings {
        ReportSettings {
            title: "Strategies compared".to_owned(),
            notes: Vec::new(),
            settings: Vec::new(),
            alpha: 0.05,
            baseline: None,
            bounds: vec!["upper-bound".to_owned(), "random".to_owned()],
            pages: Scale::Linear,
        }
    }
}

/// A comparison in every form it is wanted in.
#[derive(Clone, PartialEq, Debug)]
pub struct Report {
    /// One self-contained page.
    pub html: String,
    /// The tables for a terminal.
    pub text: String,
    /// The tables for a page in Markdown.
    pub markdown: String,
    /// One line a run.
    pub csv: String,
    /// Everything: summary, tests, and all runs with their hits.
    pub json: serde_json::Value,
}

/// Compares runs.
pub fn report(runs: &[RunResult], settings: &ReportSettings) -> Report {
    let field = Field::of(runs, &settings.bounds);
    let (baseline, complaint) = choose_baseline(&field, settings);
    let tests = significance::against_baseline(&field, baseline);
    let short = short_page(&field, settings, &complaint, baseline, &tests);
    Report {
        html: long_page(&field, settings, &complaint, baseline, &tests).html(),
        text: short.text(),
        markdown: short.markdown(),
        csv: export::csv(runs),
        json: export::json(&field, runs, settings, baseline, &tests),
    }
}

/// The baseline's number, and what to say if it is not the one asked for.
fn choose_baseline(field: &Field<'_>, settings: &ReportSettings) -> (Option<usize>, Option<String>) {
    let first = field.first();
    match &settings.baseline {
        None => (first, None),
        Some(name) => match field.find(name) {
            Ok(found) => (Some(found), None),
            Err(unknown) => (first, Some(format!("{unknown}; the first is used instead"))),
        },
    }
}

/// What both pages begin with.
fn opening(field: &Field<'_>, settings: &ReportSettings, complaint: &Option<String>) -> Page {
    let mut page = Page::new(settings.title.as_str());
    if field.runs() == 0 {
        page.push(Block::Paragraph("There are no runs to compare.".to_owned()));
    } else {
        page.push(Block::Paragraph(field.sentence()));
    }
    let notes: Vec<String> = settings
        .notes
        .iter()
        .chain(complaint)
        .cloned()
        .chain(field.gaps())
        .collect();
    if !notes.is_empty() {
        page.push(Block::Notes(notes));
    }
    page
}

/// The page of a terminal.
fn short_page(
    field: &Field<'_>,
    settings: &ReportSettings,
    complaint: &Option<String>,
    baseline: Option<usize>,
    tests: &[significance::Test],
) -> Page {
    let mut page = opening(field, settings, complaint);
    if field.runs() == 0 {
        return page;
    }
    for (table, caption) in tables::summaries(field) {
        page.push(Block::Table(table, caption));
    }
    page.push(Block::Paragraph(
        "Coverage from the first to the last visit, full blocks being all relevant pages:".to_owned(),
    ));
    page.push(Block::Lines(figures::sparklines(field)));
    for (table, caption) in significance::tables(field, settings.alpha, baseline, tests) {
        page.push(Block::Table(table, caption));
    }
    page
}

/// The page of a browser.
fn long_page(
    field: &Field<'_>,
    settings: &ReportSettings,
    complaint: &Option<String>,
    baseline: Option<usize>,
    tests: &[significance::Test],
) -> Page {
    let mut page = opening(field, settings, complaint);
    if field.runs() > 0 {
        page.push(Block::Heading("Results".to_owned()));
        for (table, caption) in tables::summaries(field) {
            page.push(Block::Table(table, caption));
        }
        page.push(Block::Heading("Curves".to_owned()));
        for (chart, caption) in figures::all(field, baseline, settings.pages) {
            page.push(Block::Figure(chart, caption));
        }
        let by_web = figures::coverage_by_web(field, baseline);
        if !by_web.is_empty() {
            let blocks = by_web
                .into_iter()
                .map(|(chart, caption)| Block::Figure(chart, caption));
            page.push(Block::Details("Coverage web by web".to_owned(), blocks.collect()));
        }
        page.push(Block::Heading("Is the difference more than chance?".to_owned()));
        for (table, caption) in significance::tables(field, settings.alpha, baseline, tests) {
            page.push(Block::Table(table, caption));
        }
        for (table, caption) in significance::matrices(field, settings.alpha) {
            let summary = "Everyone against everyone".to_owned();
            page.push(Block::Details(summary, vec![Block::Table(table, caption)]));
        }
        page.push(Block::Heading("Details".to_owned()));
        let (table, caption) = tables::by_task(field);
        page.push(Block::Details(
            "Task by task".to_owned(),
            vec![Block::Table(table, caption)],
        ));
        let (table, caption) = tables::all_runs(field);
        page.push(Block::Details(
            "All runs".to_owned(),
            vec![Block::Table(table, caption)],
        ));
    }
    if !settings.settings.is_empty() {
        page.push(Block::Heading("Settings".to_owned()));
        page.push(Block::Settings(settings.settings.clone()));
    }
    page.push(Block::Details(
        "How to read this".to_owned(),
        vec![Block::Notes(measure::legend())],
    ));
    page
}
