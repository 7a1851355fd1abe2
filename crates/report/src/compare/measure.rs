//! The measures of a run, and what they mean.

use super::run::RunResult;
use crate::table::{Better, Column, Form};

/// One measure.
#[derive(Clone, Copy)]
pub struct Measure {
    /// Its name in JSON and CSV.
    pub key: &'static str,
    /// Its name in tables.
    pub name: &'static str,
    /// How it is formatted.
    pub form: Form,
    /// Whether higher or lower is better.
    pub better: Better,
    /// Its value in a run; NaN if the run has none.
    pub of: fn(&RunResult) -> f64,
    /// What it means.
    pub meaning: &'static str,
}

impl Measure {
    /// Its column.
    pub fn column(&self) -> Column {
        Column {
            name: self.name.to_owned(),
            form: self.form,
            better: self.better,
        }
    }
}

/// The measure strategies are ranked by.
pub const AUC30: Measure = Measure {
    key: "auc30",
    name: "auc30",
    form: Form::Decimals(3),
    better: Better::Higher,
    of: |run| run.auc30,
    meaning: "mean coverage over the first 30 % of the reachable pages: how early the relevant ones are found",
};
/// The share of all relevant pages that was found.
pub const TARGET_RECALL: Measure = Measure {
    key: "target_recall",
    name: "target recall",
    form: Form::Decimals(3),
    better: Better::Higher,
    of: |run| run.target_recall,
    meaning: "share of all relevant pages of the task that were found, reachable or not",
};
/// How many visits it took to find 90 % of the relevant pages.
pub const VISITS_FOR_90: Measure = Measure {
    key: "visits_for_90",
    name: "90 % after",
    form: Form::Percent(1),
    better: Better::Lower,
    of: |run| run.visits_for_90.unwrap_or(f64::NAN),
    meaning: "visits, as a share of the reachable pages, until 90 % of the relevant ones were found; the mean is over \
              tasks that got there, so it competes only if all of them did",
};

const HARVEST_10: Measure = higher(
    "harvest_10",
    "harvest 10 %",
    Form::Percent(1),
    |run| run.harvest[1],
    "relevant pages among the first 10 % of the visits",
);

const fn higher(
    key: &'static str,
    name: &'static str,
    form: Form,
    of: fn(&RunResult) -> f64,
    meaning: &'static str,
) -> Measure {
    Measure {
        key,
        name,
        form,
        better: Better::Higher,
        of,
        meaning,
    }
}

/// What strategies are about: how soon pages are found.
pub const FINDING: [Measure; 4] = [
    AUC30,
    higher(
        "auc100",
        "auc100",
        Form::Decimals(3),
        |run| run.auc100,
        "the same over all reachable pages",
    ),
    HARVEST_10,
    TARGET_RECALL,
];

/// The same at other points of the crawl.
pub const MOMENTS: [Measure; 3] = [
    higher(
        "harvest_5",
        "harvest 5 %",
        Form::Percent(1),
        |run| run.harvest[0],
        "relevant pages among the first 5 % of the visits",
    ),
    higher(
        "harvest_20",
        "harvest 20 %",
        Form::Percent(1),
        |run| run.harvest[2],
        "relevant pages among the first 20 % of the visits",
    ),
    VISITS_FOR_90,
];

/// How well the judge did, and what the crawl cost.
pub const THE_REST: [Measure; 5] = [
    higher(
        "recall",
        "recall",
        Form::Decimals(3),
        |run| run.recall,
        "share of the reachable relevant pages that were found",
    ),
    higher(
        "precision",
        "precision",
        Form::Decimals(3),
        |run| run.precision,
        "share of the fetched pages judged relevant that are relevant",
    ),
    higher(
        "f1",
        "F1",
        Form::Decimals(3),
        |run| run.f1,
        "the judge's verdicts against the labels, over the fetched pages",
    ),
    Measure {
        key: "virtual_minutes",
        name: "virtual min",
        form: Form::Decimals(1),
        better: Better::Lower,
        of: |run| run.virtual_seconds / 60.0,
        meaning: "how long the crawl would have taken under its delays, in minutes",
    },
    Measure {
        key: "seconds",
        name: "seconds",
        form: Form::Decimals(2),
        better: Better::Neither,
        of: |run| run.seconds,
        meaning: "how long the replay itself took",
    },
];

/// All measures.
pub fn measures() -> impl Iterator<Item = &'static Measure> {
    FINDING.iter().chain(&MOMENTS).chain(&THE_REST)
}

/// Explanations of the measures, one per line.
pub fn legend() -> Vec<String> {
    let mut lines: Vec<String> = measures()
        .map(|measure| format!("{}: {}.", measure.name, measure.meaning))
        .collect();
    lines.push(
        "± is one standard error over tasks; repeats of a task are averaged first. Bold is best in its column. Bounds, in \
         italics, do not compete: upper-bound knows the labels and the whole graph, random takes any waiting link."
            .to_owned(),
    );
    lines.push(
        "Win: tasks on which this one alone has the highest auc30; tie: tasks on which it shares the highest; loss: the rest.".to_owned(),
    );
    lines.push(
        "p: the probability of a lead at least this large if this one were no better (one-tailed paired t-test over \
         tasks). p (Holm): the same, corrected for the number of tests in the table."
            .to_owned(),
    );
    lines
}
