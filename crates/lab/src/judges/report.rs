//! The figures of judges as tables, learning curves and a page.

use scenthound_report::Experiment;
use scenthound_report::page::Block;
use scenthound_report::plot::{Axis, Guide, LineChart, Look, Point, Scale, Series, Spread};
use scenthound_report::stats::Summary;
use scenthound_report::table::{Cell, Column, Form, Owner, Table};

use super::source::{Examples, SourceSpec};
use super::{JudgeFigures, JudgesRow, JudgesSettings};

/// The figures of all judges.
#[derive(Clone, PartialEq, Debug)]
pub struct JudgesReport {
    /// One row per judge, source and task.
    pub rows: Vec<JudgesRow>,
    /// Which judges could not be made, and why.
    pub notes: Vec<String>,
    /// What was measured.
    pub settings: JudgesSettings,
}

/// The rows of one judge from one source.
struct Group<'r> {
    judge: &'r str,
    source: SourceSpec,
    rows: Vec<&'r JudgesRow>,
}

impl Group<'_> {
    fn summary(&self, figure: impl Fn(&JudgeFigures) -> f64) -> Summary {
        let values: Vec<f64> = self.rows.iter().map(|row| figure(&row.figures)).collect();
        Summary::of(&values)
    }

    fn cell(&self, figure: impl Fn(&JudgeFigures) -> f64) -> Cell {
        let summary = self.summary(figure);
        Cell::number(summary.mean, summary.error)
    }

    /// The mean number of examples.
    fn examples(&self) -> f64 {
        let values: Vec<f64> = self.rows.iter().map(|row| row.examples as f64).collect();
        Summary::of(&values).mean
    }
}

impl JudgesReport {
    fn groups(&self) -> Vec<Group<'_>> {
        let mut groups: Vec<Group<'_>> = Vec::new();
        for row in &self.rows {
            match groups
                .iter_mut()
                .find(|group| group.judge == row.judge && group.source == row.source)
            {
                Some(group) => group.rows.push(row),
                None => groups.push(Group {
                    judge: &row.judge,
                    source: row.source,
                    rows: vec![row],
                }),
            }
        }
        // In the order asked for: a source that the first task lacks would come late otherwise.
        groups.sort_by_key(|group| {
            let judges = self.settings.judges.iter();
            let sources = self.settings.sources.iter();
            (
                judges.clone().position(|spec| spec.to_string() == group.judge),
                sources.clone().position(|source| *source == group.source),
            )
        });
        groups
    }

    /// Means over the tasks, ± standard error.
    pub fn means(&self) -> Table {
        let mut table = Table::new([vec![Column::words("judge"), Column::words("from")], figures()].concat());
        // Where it stands, it says over how many tasks the means are.
        table.columns.insert(2, Column::new("tasks", Form::Count));
        let groups = self.groups();
        let most = groups.iter().map(|group| group.rows.len()).max().unwrap_or(0);
        for group in &groups {
            let mut cells = vec![
                Cell::from(group.judge),
                Cell::from(group.source.to_string()),
                Cell::from(group.rows.len()),
            ];
            cells.extend([
                group.cell(|figures| figures.average_precision),
                group.cell(|figures| figures.f1),
                group.cell(|figures| figures.best_f1),
                group.cell(|figures| figures.f1_ratio),
                group.cell(|figures| figures.calibration_error),
            ]);
            cells.extend([
                Cell::number(group.summary(|figures| figures.called as f64).mean, None),
                Cell::number(group.summary(|figures| figures.relevant as f64).mean, None),
            ]);
            // A mean over fewer tasks is not better than one over all of them because it is higher.
            if group.rows.len() < most {
                cells = cells.into_iter().map(Cell::apart).collect();
            }
            table.push(Owner::Ours, cells);
        }
        table
    }

    /// The figures of every task.
    pub fn by_task(&self) -> Table {
        let names = ["web", "task", "judge", "from"].map(Column::words);
        let examples = Column::new("examples", Form::Count);
        let mut table = Table::new([names.to_vec(), vec![examples], figures()].concat());
        for row in &self.rows {
            let figures = &row.figures;
            let cells = vec![
                Cell::from(row.web.as_str()),
                Cell::from(row.task.as_str()),
                Cell::from(row.judge.as_str()),
                Cell::from(row.source.to_string()),
                Cell::from(row.examples),
                Cell::from(figures.average_precision),
                Cell::from(figures.f1),
                Cell::from(figures.best_f1),
                Cell::from(figures.f1_ratio),
                Cell::from(figures.calibration_error),
                Cell::from(figures.called),
                Cell::from(figures.relevant),
            ];
            table.push(Owner::Ours, cells.into_iter().map(Cell::apart).collect());
        }
        table
    }

    /// Average precision by number of examples; a level line for each judge made from words alone.
    fn curves(&self) -> LineChart {
        let groups = self.groups();
        let mut chart = LineChart {
            title: "Learning curves".to_owned(),
            description: "Mean average precision of each judge by the number of positive examples".to_owned(),
            x: Axis {
                scale: Scale::Log,
                ..Axis::new("positive examples (mean over the tasks)")
            },
            y: Axis::new("mean average precision").from(0.0).to(1.0),
            spread: Spread::Bars,
            ..LineChart::default()
        };
        let mut lines: Vec<(String, SourceSpec, Series)> = Vec::new();
        for group in &groups {
            let precision = group.summary(|figures| figures.average_precision);
            if group.source.examples == Examples::None {
                let name = format!("{} from {}", group.judge, group.source);
                chart.guides.push(Guide::Level(precision.mean, name));
                continue;
            }
            let kind = group.source.curve();
            let known = lines
                .iter()
                .position(|(judge, of, _)| judge == group.judge && *of == kind);
            let at = known.unwrap_or_else(|| {
                let with = kind.to_string();
                let name = match with.as_str() {
                    "" => group.judge.to_owned(),
                    with => format!("{} with {with}", group.judge),
                };
                let series = Series {
                    name,
                    look: Look::Contender(lines.len()),
                    points: Vec::new(),
                };
                lines.push((group.judge.to_owned(), kind, series));
                lines.len() - 1
            });
            if let Some((_, _, series)) = lines.get_mut(at) {
                series.points.push(Point {
                    x: group.examples(),
                    y: precision.mean,
                    error: precision.error,
                });
            }
        }
        for (_, _, series) in &mut lines {
            series.points.sort_by(|a, b| a.x.total_cmp(&b.x));
        }
        chart.series = lines.into_iter().map(|(_, _, series)| series).collect();
        chart
    }

    /// The report as a page, with a table per task in details.
    pub fn experiment(&self) -> Experiment {
        let mut experiment = Experiment::new(
            "Judges compared",
            "How well do the judgements of all pages of a web agree with the labels? Nothing is crawled. Examples and pages \
             that a task ignores are left out.",
        )
        .table(self.means(), "Means over the tasks, ± standard error");
        let curves = self.curves();
        if !curves.series.is_empty() {
            experiment = experiment.figure(
                curves,
                "Average precision by number of examples. Level lines: judges made from words alone",
            );
        }
        experiment = experiment
            .details(
                "Every task",
                vec![Block::Table(self.by_task(), "The figures of every task".to_owned())],
            )
            .note(
                "AP: average precision over all pages, ranked by relevance; pages of equal relevance share the last of their \
                 ranks. F1: of the judge's own verdicts. Best F1: of any threshold.",
            )
            .note(
                "ECE, the expected calibration error: pages are ranked by relevance and divided into fifteen bins of equal \
                 size; the difference between mean relevance and share of relevant pages, averaged over the bins.",
            );
        for note in &self.notes {
            experiment = experiment.note(note.clone());
        }
        experiment.setting("seen", self.settings.seen.to_string())
    }

    /// Everything as JSON: the means, every task, notes and settings.
    pub fn json(&self) -> serde_json::Value {
        let every_task = Experiment::new("", "").table(self.by_task(), "").json();
        let mut told = self.experiment().json();
        if let (Some(told), Some(tables)) = (told.as_object_mut(), every_task.get("tables")) {
            let means = told.remove("tables");
            let first = |tables: &serde_json::Value| tables.get(0).cloned().unwrap_or_default();
            told.insert("means".to_owned(), means.as_ref().map(first).unwrap_or_default());
            told.insert("tasks".to_owned(), first(tables));
        }
        told
    }
}

fn figures() -> Vec<Column> {
    vec![
        Column::new("AP", Form::Decimals(3)).higher(),
        Column::new("F1", Form::Decimals(3)).higher(),
        Column::new("best F1", Form::Decimals(3)).higher(),
        Column::new("ratio", Form::Decimals(3)).higher(),
        Column::new("ECE", Form::Decimals(4)).lower(),
        Column::new("called", Form::Count),
        Column::new("relevant", Form::Count),
    ]
}
