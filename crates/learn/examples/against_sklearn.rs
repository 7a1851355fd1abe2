//! Trains on the files that `checks/sklearn_check.py` writes and prints its scores, so that both can be compared.
//!
//! `against_sklearn FOLDER` reads `FOLDER/train.svm` and `FOLDER/test.svm` (svmlight: `±1 place:value …`, counting places
//! from 1) and, for the forest, `FOLDER/train.tsv` and `FOLDER/test.tsv` (class, then numbers). It writes the scores of
//! the test rows to `FOLDER/ours-NAME.txt`, one number per line. `against_sklearn FOLDER speed` prints timings
//! instead.

#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a benchmark that measures and prints times"
)]

use std::error::Error;
use std::fmt::Write as _;
use std::path::Path;
use std::time::Instant;

use scenthound_learn::{
    Balance, BayesSettings, FeatureTable, Folds, ForestSettings, Isotonic, KernelBayes, LogisticSettings,
    Loss, Platt, RandomForest, RbfSettings, RbfSvm, SparseRows, SparseVector, SvmSettings, auc, brier,
    chi_square, fit_bayes, fit_logistic, fit_svm, information_gain,
};

type Fallible<T> = Result<T, Box<dyn Error>>;

fn main() -> Fallible<()> {
    let arguments: Vec<String> = std::env::args().collect();
    let folder = Path::new(arguments.get(1).ok_or("which folder?")?);
    let (rows, labels) = read_svmlight(&folder.join("train.svm"))?;
    if arguments.get(2).is_some_and(|word| word == "speed") {
        return speed(&rows, &labels);
    }
    let (test, truth) = read_svmlight(&folder.join("test.svm"))?;
    let keep = |name: &str, numbers: Vec<f64>| -> Fallible<()> {
        let mut lines = String::new();
        for number in numbers {
            writeln!(lines, "{number:.9}")?;
        }
        Ok(std::fs::write(folder.join(format!("ours-{name}.txt")), lines)?)
    };

    let bayes = fit_bayes(&rows, &labels, &BayesSettings::default())?;
    keep("bayes", test.rows().map(|row| bayes.score(row)).collect())?;
    let exact = SvmSettings {
        tolerance: 1e-6,
        most_rounds: 100_000,
        ..SvmSettings::default()
    };
    let svm = fit_svm(&rows, &labels, &exact)?;
    keep("svm", test.rows().map(|row| svm.score(row)).collect())?;
    let hinge = SvmSettings {
        loss: Loss::Hinge,
        balance: Balance::Classes,
        ..exact
    };
    let svm = fit_svm(&rows, &labels, &hinge)?;
    let svm_scores: Vec<f64> = test.rows().map(|row| svm.score(row)).collect();
    keep("svm-hinge", svm_scores.clone())?;
    for (name, balance, cost) in [
        ("logistic", Balance::AsGiven, 1.0),
        ("logistic-balanced", Balance::Classes, 30.0),
    ] {
        let settings = LogisticSettings {
            balance,
            cost,
            tolerance: 1e-9,
            ..LogisticSettings::default()
        };
        let model = fit_logistic(&rows, &labels, &settings)?;
        keep(name, test.rows().map(|row| model.score(row)).collect())?;
    }
    let settings = RbfSettings {
        cost: 3.0,
        tolerance: 1e-5,
        ..RbfSettings::default()
    };
    let rbf = RbfSvm::fit(&rows, &labels, &settings)?;
    keep("rbf", test.rows().map(|row| rbf.score(row)).collect())?;
    let kernel = KernelBayes::fit(&rows, &labels)?;
    keep("kernel-bayes", test.rows().map(|row| kernel.score(row)).collect())?;
    keep("chi-square", chi_square(&rows, &labels)?)?;
    keep("information-gain", information_gain(&rows, &labels)?)?;
    let platt = Platt::fit(&svm_scores, &truth)?;
    let platt_scores: Vec<f64> = svm_scores.iter().map(|score| platt.probability(*score)).collect();
    keep(
        "figures",
        vec![auc(&truth, &svm_scores), brier(&truth, &platt_scores)],
    )?;
    keep("platt", platt_scores)?;
    let isotonic = Isotonic::fit(&svm_scores, &truth)?;
    keep(
        "isotonic",
        svm_scores
            .iter()
            .map(|score| isotonic.probability(*score))
            .collect(),
    )?;
    let folds = Folds::of_labels(&labels, 5, 1)?;
    let held_out = folds.held_out(|train, held| -> Fallible<Vec<f64>> {
        let wanted: Vec<bool> = train.iter().filter_map(|at| labels.get(*at).copied()).collect();
        let model = fit_svm(&rows.pick(train), &wanted, &SvmSettings::default())?;
        Ok(held.iter().map(|at| model.score(rows.row(*at))).collect())
    })?;
    keep("folds", vec![auc(&labels, &held_out)])?;

    let (table, classes) = read_table(&folder.join("train.tsv"))?;
    let (test, _) = read_table(&folder.join("test.tsv"))?;
    let count = classes.iter().max().map_or(0, |most| most + 1);
    let forest = RandomForest::fit(&table, &classes, count, &ForestSettings::default())?;
    let answers = (0..test.len()).map(|at| f64::from(forest.predict(test.row(at)).0));
    keep("forest", answers.collect())
}

fn speed(rows: &SparseRows, labels: &[bool]) -> Fallible<()> {
    let began = Instant::now();
    let bayes = fit_bayes(rows, labels, &BayesSettings::default())?;
    println!("bayes {:.4} {:.3}", began.elapsed().as_secs_f64(), bayes.bias());
    let began = Instant::now();
    let svm = fit_svm(rows, labels, &SvmSettings::default())?;
    println!("svm {:.4} {:.3}", began.elapsed().as_secs_f64(), svm.bias());
    let began = Instant::now();
    let logistic = fit_logistic(rows, labels, &LogisticSettings::default())?;
    println!(
        "logistic {:.4} {:.3}",
        began.elapsed().as_secs_f64(),
        logistic.bias()
    );
    Ok(())
}

fn read_svmlight(path: &Path) -> Fallible<(SparseRows, Vec<bool>)> {
    let mut rows = SparseRows::new(0);
    let mut labels = Vec::new();
    for line in std::fs::read_to_string(path)?.lines() {
        let mut words = line.split_whitespace();
        labels.push(words.next().ok_or("an empty line")?.parse::<f32>()? > 0.0);
        let mut entries = Vec::new();
        for word in words {
            let (place, value) = word.split_once(':').ok_or("place:value")?;
            entries.push((
                place
                    .parse::<u32>()?
                    .checked_sub(1)
                    .ok_or("places count from 1")?,
                value.parse()?,
            ));
        }
        rows.push(SparseVector::new(entries).row());
    }
    Ok((rows, labels))
}

fn read_table(path: &Path) -> Fallible<(FeatureTable, Vec<u32>)> {
    let mut table: Option<FeatureTable> = None;
    let mut classes = Vec::new();
    for line in std::fs::read_to_string(path)?.lines() {
        let mut words = line.split_whitespace();
        classes.push(words.next().ok_or("an empty line")?.parse()?);
        let numbers = words.map(str::parse).collect::<Result<Vec<f32>, _>>()?;
        table
            .get_or_insert_with(|| FeatureTable::new(numbers.len()))
            .push(&numbers)?;
    }
    Ok((table.ok_or("an empty file")?, classes))
}
