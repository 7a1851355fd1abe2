//! Compares many runs: which strategy and judge find the relevant pages soonest, and how certain that is.
//!
//! A *contender* is a strategy with a judge. Repeats of a task are averaged first, so a task counts once however
//! often it was run; means, standard errors and tests are over tasks. The report keeps the order of the runs.
//! *Bounds* (the best possible order, a random one) are drawn and listed but do not compete.
//!
//! Deliberately absent: running, reading, and choosing for the user. A report without runs is a page that says so.

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

/// What a report should show.
#[derive(Clone, PartialEq, Debug)]
pub struct ReportSettings {
    /// The title of the page.
    pub title: String,
    /// Remarks directly below the title, such as that the runs were interrupted.
    pub notes: Vec<String>,
    /// The settings the runs depend on, with their values.
    pub settings: Vec<(String, String)>,
    /// A difference counts as significant if its p-value is below this.
    pub alpha: f64,
    /// What the others are tested against: a strategy, or `strategy · judge`. The default is the first contender.
    pub baseline: Option<String>,
    /// The strategies that are bounds.
    pub bounds: Vec<String>,
    /// The scale of the axis of pages.
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

/// A comparison in all its output formats.
#[derive(Clone, PartialEq, Debug)]
pub struct Report {
    /// One self-contained page.
    pub html: String,
    /// The tables, for a terminal.
    pub text: String,
    /// The tables, in Markdown.
    pub markdown: String,
    /// One line per run.
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

/// The number of the baseline, and a remark if it is not the requested one.
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

/// The start of both pages.
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

/// The page for a terminal.
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
        "Coverage from the first to the last visit (a full block means all relevant pages):".to_owned(),
    ));
    page.push(Block::Lines(figures::sparklines(field)));
    for (table, caption) in significance::tables(field, settings.alpha, baseline, tests) {
        page.push(Block::Table(table, caption));
    }
    page
}

/// The page for a browser.
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
            page.push(Block::Details("Coverage by web".to_owned(), blocks.collect()));
        }
        page.push(Block::Heading("Are the differences significant?".to_owned()));
        for (table, caption) in significance::tables(field, settings.alpha, baseline, tests) {
            page.push(Block::Table(table, caption));
        }
        for (table, caption) in significance::matrices(field, settings.alpha) {
            let summary = "All pairs".to_owned();
            page.push(Block::Details(summary, vec![Block::Table(table, caption)]));
        }
        page.push(Block::Heading("Details".to_owned()));
        let (table, caption) = tables::by_task(field);
        page.push(Block::Details(
            "Results by task".to_owned(),
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
