//! Measures how well trained judges separate a task's pages from the rest of its web.
//!
//! `judge_quality FOLDER… [--kind NAME]… [--variant NAME]…` trains each judge on a task's examples and judges all
//! other pages of the web, then the words at every link. It prints means over the tasks of each web: AUC and average
//! precision of pages, F1 and Brier score, and the AUC of anchors and of the 20 words around a link against the
//! target's label.

#![allow(clippy::print_stdout, reason = "a program that prints figures")]

use std::collections::BTreeMap;
use std::error::Error;
use std::path::{Path, PathBuf};

use scenthound_judge::{
    Calibrate, FeatureWeights, HoldOut, Judge, ModelKind, TrainedJudge, TrainingPages, TrainingSettings,
};
use scenthound_lab::recorded::{PageId, RecordedWeb, WebFolder};
use scenthound_learn::{BinaryFigures, Idf, Length, TermFrequency, VectorSettings, auc};
use scenthound_types::ParsedPage;

fn main() -> Result<(), Box<dyn Error>> {
    let mut folders: Vec<PathBuf> = Vec::new();
    let mut kinds = Vec::new();
    let mut variants = Vec::new();
    let mut arguments = std::env::args().skip(1);
    let mut tells_tasks = false;
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--kind" => {
                let name = arguments.next().unwrap_or_default();
                kinds.push(ModelKind::from_name(&name).ok_or(format!("no kind {name}"))?);
            }
            "--variant" => variants.push(arguments.next().unwrap_or_default()),
            "--tasks" => tells_tasks = true,
            folder => folders.push(folder.into()),
        }
    }
    if kinds.is_empty() {
        kinds = ModelKind::ALL.to_vec();
    }
    if variants.is_empty() {
        variants.push("default".to_owned());
    }
    println!(
        "web           kind       variant                 pages: AUC    AP     F1     Brier  links: anchor around both"
    );
    for folder in &folders {
        let folder = WebFolder::open(folder)?;
        let cache = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/webs");
        let (web, _) = folder.load(Some(&cache), |_| {})?;
        let pages: Vec<ParsedPage> = (0..web.pages() as u32)
            .map(|page| web.page(PageId(page)).ok_or("a page is gone"))
            .collect::<Result<_, _>>()?;
        for kind in &kinds {
            for variant in &variants {
                let mut sums = [0.0; 7];
                let mut tasks = 0.0;
                for task in &folder.tasks {
                    let known = task.pages(&web)?;
                    if known.positive.len() < 2 || known.negative.len() < 2 {
                        continue;
                    }
                    let figures = measure(&web, &pages, &known, *kind, &settings(variant)?)?;
                    for (sum, figure) in sums.iter_mut().zip(figures) {
                        *sum += figure;
                    }
                    tasks += 1.0;
                    if tells_tasks {
                        line(&task.name, *kind, variant, figures);
                    }
                }
                line(&folder.name, *kind, variant, sums.map(|sum| sum / tasks));
            }
        }
    }
    Ok(())
}

fn line(name: &str, kind: ModelKind, variant: &str, figures: [f64; 7]) {
    print!("{name:13} {:10} {variant:24}", kind.name());
    for figure in figures {
        print!(" {figure:.3} ");
    }
    println!();
}

fn measure(
    web: &RecordedWeb,
    pages: &[ParsedPage],
    known: &scenthound_lab::recorded::TaskPages,
    kind: ModelKind,
    settings: &TrainingSettings,
) -> Result<[f64; 7], Box<dyn Error>> {
    let of = |ids: &[PageId]| -> Vec<&ParsedPage> {
        ids.iter().filter_map(|id| pages.get(id.0 as usize)).collect()
    };
    let (positive, negative) = (of(&known.positive), of(&known.negative));
    let examples = TrainingPages {
        positive: &positive,
        negative: &negative,
    };
    let judge = TrainedJudge::train(kind, &examples, settings)?;
    let (mut labels, mut relevances, mut verdicts) = (Vec::new(), Vec::new(), Vec::new());
    let mut best: BTreeMap<PageId, (f64, f64, f64)> = BTreeMap::new();
    for (id, page) in (0..).map(PageId).zip(pages) {
        let judgement = judge.judge(page);
        for link in &page.links {
            let Some(target) = web.id(&link.url).and_then(|id| web.resolve(id)) else {
                continue;
            };
            if known.uncounted.contains(&target) || target == id {
                continue;
            }
            let anchor = f64::from(judge.snippet(page.text.run(&link.anchor)));
            let around = f64::from(judge.snippet(page.text.run(&link.around)));
            let both = 0.25 * judgement.relevance + 0.75 * around;
            let held = best.entry(target).or_insert((0.0, 0.0, 0.0));
            *held = (held.0.max(anchor), held.1.max(around), held.2.max(both));
        }
        if !known.uncounted.contains(&id) {
            labels.push(known.relevant.contains(&id));
            relevances.push(judgement.relevance);
            verdicts.push(judgement.is_relevant());
        }
    }
    let figures = BinaryFigures::with_verdicts(&labels, &relevances, &verdicts);
    let targets: Vec<bool> = best
        .keys()
        .map(|target| known.relevant.contains(target))
        .collect();
    let scores = |pick: fn(&(f64, f64, f64)) -> f64| -> Vec<f64> { best.values().map(pick).collect() };
    Ok([
        figures.auc,
        average_precision(&labels, &relevances),
        figures.f1,
        figures.brier,
        auc(&targets, &scores(|best| best.0)),
        auc(&targets, &scores(|best| best.1)),
        auc(&targets, &scores(|best| best.2)),
    ])
}

/// The mean, over the relevant pages, of the share of relevant pages among those ranked at least as high.
fn average_precision(labels: &[bool], scores: &[f64]) -> f64 {
    let mut order: Vec<(f64, bool)> = scores.iter().copied().zip(labels.iter().copied()).collect();
    order.sort_by(|a, b| b.0.total_cmp(&a.0));
    let (mut found, mut sum) = (0.0, 0.0);
    for (rank, (_, label)) in order.iter().enumerate() {
        if *label {
            found += 1.0;
            sum += found / (rank + 1) as f64;
        }
    }
    if found == 0.0 { 0.0 } else { sum / found }
}

/// Settings by name: parts joined by commas, as `url=1,pairs=1,cost=10`.
fn settings(variant: &str) -> Result<TrainingSettings, Box<dyn Error>> {
    let mut settings = TrainingSettings::default();
    let mut reading = FeatureWeights::TITLES_TWICE;
    let mut reads = false;
    for part in variant.split(',') {
        let (name, value) = part.split_once('=').unwrap_or((part, ""));
        let number = || value.parse::<f64>().map_err(|_| format!("{part}: not a number"));
        match name {
            "default" => {}
            "title" => (reading.title, reads) = (number()? as f32, true),
            "anchor" => (reading.anchor, reads) = (number()? as f32, true),
            "url" => (reading.url, reads) = (number()? as f32, true),
            "pairs" => (reading.pairs, reads) = (number()? as f32, true),
            "structure" => (reading.structure, reads) = (number()? as f32, true),
            "cost" => settings.cost = Some(number()?),
            "vocabulary" => settings.vocabulary = Some(number()? as usize),
            "seed" => settings.seed = number()? as u64,
            "raw" => settings.calibrate = Calibrate::Raw,
            "sites" => settings.hold_out = HoldOut::Sites,
            "isotonic" => settings.calibrate = Calibrate::Isotonic,
            "vectors" => {
                settings.vectors = Some(match value {
                    "counts" => VectorSettings::COUNTS,
                    "tfidf" => VectorSettings::TF_IDF,
                    "log" => VectorSettings::LOG_TF_IDF,
                    "presence" => VectorSettings {
                        frequency: TermFrequency::Presence,
                        idf: Idf::Smooth,
                        length: Length::Unit,
                    },
                    "logplain" => VectorSettings {
                        frequency: TermFrequency::Log,
                        idf: Idf::Plain,
                        length: Length::Unit,
                    },
                    "logone" => VectorSettings {
                        frequency: TermFrequency::Log,
                        idf: Idf::One,
                        length: Length::Unit,
                    },
                    "tfidfunit" => VectorSettings {
                        frequency: TermFrequency::Raw,
                        idf: Idf::Plain,
                        length: Length::Unit,
                    },
                    _ => return Err(format!("no vectors {value}").into()),
                });
            }
            _ => return Err(format!("no variant {part}").into()),
        }
    }
    if reads {
        settings.reading = Some(reading);
    }
    Ok(settings)
}
