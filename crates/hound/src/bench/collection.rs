//! What a collection costs beside its crawl: `hound bench --collection`.
//!
//! Two crawls of the same web in turn. One looks for near-duplicates and fills the search index with the main text of every
//! page, as `hound crawl` does; the other does neither (`--follow-duplicates --skip-index`). Each counts everything that its
//! process spends until its index is complete, judging again at the end included. The order of the two changes from round to
//! round, so that a machine that grows busier weighs on both.

use std::path::Path;

use anyhow::Result;
use clap::ValueEnum;
use scenthound::Crawler;
use scenthound_store::CrawlFolder;

use super::{Args, Server, Spent, disk_use, run_part_with};
use crate::crawl::start_indexing;
use crate::table::{Align, Table};

/// One of the two crawls.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Side {
    /// Without index, main text and near-duplicates.
    Plain,
    /// With all three.
    Collection,
}

/// Crawls, and counts until the index is complete.
pub fn crawl(side: Side, crawler: Crawler, folder: &CrawlFolder) -> Result<Spent> {
    Spent::measure(|| {
        let indexing = match side {
            Side::Plain => None,
            Side::Collection => start_indexing(&crawler, folder.layout().root()),
        };
        let summary = crawler.drive_in(folder, &mut |_| {})?;
        if let Some(indexing) = indexing {
            let indexed = indexing.finish()?;
            // Fewer would make the figures too good.
            anyhow::ensure!(
                indexed >= summary.tally.bodies,
                "{indexed} of {} pages were indexed",
                summary.tally.bodies
            );
        }
        Ok((summary.tally.bodies, summary.counts.known))
    })
}

/// Both crawls of one round.
struct Pair {
    plain: Spent,
    collection: Spent,
    plain_disk: u64,
    collection_disk: u64,
}

impl Pair {
    fn ratio(&self) -> f64 {
        self.collection.cpu_per_thousand() / self.plain.cpu_per_thousand()
    }
}

/// The geometric mean of some ratios, and half the width of the interval that holds the true one in 95 of 100 cases, roughly.
pub(super) fn mean_ratio(ratios: &[f64]) -> (f64, Option<f64>) {
    let number = ratios.len() as f64;
    let mean = ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / number;
    let squares: f64 = ratios.iter().map(|ratio| (ratio.ln() - mean).powi(2)).sum();
    let within = (ratios.len() > 1).then(|| mean.exp() * 2.0 * (squares / (number - 1.0) / number).sqrt());
    (mean.exp(), within)
}

/// Runs all rounds and prints the ratio.
pub fn measure(args: &Args, server: &Server, scratch: &Path) -> Result<()> {
    let run = |side: Side, name: &str, round: usize| -> Result<(Spent, u64)> {
        let folder = scratch.join(format!("{name}-{round}"));
        let spent = run_part_with("crawl", server, &folder, &["--with", name])?;
        let disk = disk_use(&folder);
        // Many rounds would fill a disk.
        std::fs::remove_dir_all(&folder)?;
        note!(
            "round {round}, {}: {:.3} CPU s per 1,000 pages",
            match side {
                Side::Plain => "without",
                Side::Collection => "with",
            },
            spent.cpu_per_thousand()
        );
        Ok((spent, disk))
    };
    let mut pairs = Vec::new();
    for round in 1..=args.rounds.max(1) {
        let plain = || run(Side::Plain, "plain", round);
        let collection = || run(Side::Collection, "collection", round);
        let ((plain, plain_disk), (collection, collection_disk)) = if round % 2 == 1 {
            let plain = plain()?;
            (plain, collection()?)
        } else {
            let collection = collection()?;
            (plain()?, collection)
        };
        pairs.push(Pair {
            plain,
            collection,
            plain_disk,
            collection_disk,
        });
    }
    print(args, &pairs)
}

fn print(args: &Args, pairs: &[Pair]) -> Result<()> {
    let ratios: Vec<f64> = pairs.iter().map(Pair::ratio).collect();
    let (mean, within) = mean_ratio(&ratios);
    if args.json {
        let rounds: Vec<_> = (pairs.iter())
            .map(|pair| serde_json::json!({ "without": pair.plain, "with": pair.collection, "ratio": pair.ratio() }))
            .collect();
        return crate::stdout::json(&serde_json::json!({
            "rounds": rounds, "cpu_ratio": { "mean": mean, "within": within },
        }));
    }
    let mut table = Table::new(&[
        ("round", Align::Right),
        ("crawl", Align::Left),
        ("pages", Align::Right),
        ("pages/s", Align::Right),
        ("CPU s per 1,000 pages", Align::Right),
        ("peak memory", Align::Right),
        ("disk", Align::Right),
        ("ratio", Align::Right),
    ]);
    let mib = |bytes: u64| format!("{:.0} MiB", bytes as f64 / (1 << 20) as f64);
    for (round, pair) in (1..).zip(pairs) {
        let sides = [
            ("without", &pair.plain, pair.plain_disk, String::new()),
            (
                "with",
                &pair.collection,
                pair.collection_disk,
                format!("{:.3}", pair.ratio()),
            ),
        ];
        for (name, spent, disk, ratio) in sides {
            table.row(
                vec![
                    round.to_string(),
                    name.to_owned(),
                    spent.pages.to_string(),
                    format!("{:.0}", spent.pages_per_second()),
                    format!("{:.3}", spent.cpu_per_thousand()),
                    mib(spent.peak_bytes),
                    mib(disk),
                    ratio,
                ],
                Vec::new(),
            );
        }
    }
    crate::stdout::write(|out| Ok(crate::table::show(&table, out)?))?;
    let within = within.map_or(String::new(), |within| format!(" ± {within:.3}"));
    say!("CPU per page with index, main text and duplicates to without: {mean:.3}{within}");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::mean_ratio;

    #[test]
    fn ratios_have_a_mean_and_an_error_from_two_rounds_on() {
        assert_eq!(mean_ratio(&[1.5]), (1.5, None));
        let (mean, within) = mean_ratio(&[2.0, 0.5]);
        assert!((mean - 1.0).abs() < 1e-9, "{mean}");
        assert!(within.is_some_and(|within| within > 0.5), "{within:?}");
        assert_eq!(mean_ratio(&[1.25, 1.25]).1, Some(0.0));
    }
}
