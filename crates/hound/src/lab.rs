//! `hound lab`: compares strategies, judges and settings on recorded and synthetic webs, without using the network.

mod background;
mod compare;
mod conditions;
pub mod console;
mod experiment;
mod judges;
mod learn_pig;
mod learn_scent;
mod replay;
mod serve;
mod stops;
mod synth;
mod top;
mod tune;
pub mod webs;
mod word_vectors;

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::{ArgMatches, Args, Command};

use crate::{done, exit, parsed};

const EXAMPLES: &str = "\
Examples:
  hound lab replay --web webs/university --task os-courses --strategy fs-2
  hound lab replay --web webs/university --task os-courses --strategy fs-2:ties=probe --judge truth --json
  hound lab replay --web my-crawl/archive/a.warc.gz --topic tea.toml --strategy best-first

A web is a folder with an archive and tasks.toml, a WARC file, a crawl folder, or synth:NAME.
Settings follow the name of the strategy or judge: otie:revision=0.5:list-size=20, terms:joint=true.";

const COMPARE_EXAMPLES: &str = "\
Examples:
  hound lab compare --web webs/university --strategies breadth-first,best-first,fs-2 -o report.html
  hound lab compare --web webs/a --web webs/b --strategies otie,opic --judges terms,truth --budget 30%
  hound lab compare --web synth:paper1-60k --strategies ps,fs-1,fs-2:merge=set --csv > runs.csv

The first Ctrl-C stops the crawls and reports the finished ones.";

const TUNE_EXAMPLES: &str = "\
Examples:
  hound lab tune --web webs/mixed --strategy genre --try relevance-weight=0:1:0.05
  hound lab tune --web webs/encyclopedia --strategy otie --try revision=0.25,0.5,0.85,1 --try revision-power=1,3,5
  hound lab tune --web webs/university --strategy fs-2 --try change-threshold=0:0.5:0.05 --objective auc100";

const SYNTH_EXAMPLES: &str = "\
Examples:
  hound lab synth                                   list the presets
  hound lab synth speed-200k -o speed               a folder with archive, labels and tasks
  hound lab synth paper1-60k --settings > my.toml   edit the settings, then: hound lab synth my.toml -o mine
  hound lab replay --web synth:paper1-60k --task topic-0 --strategy fs-2      crawl it without writing it";

const EXPERIMENT_EXAMPLES: &str = "\
Examples:
  hound lab experiment                                        list the experiments
  hound lab experiment paper1-policies -o policies.html       on a synthetic web of the paper's size
  hound lab experiment paper1-policies --web webs/university --tasks os-courses,databases-courses
  hound lab experiment paper3-time --web webs/encyclopedia --budget 5000 --delay 2s --workers 30";

const JUDGES_EXAMPLES: &str = "\
Examples:
  hound lab judges --web webs/university -o judges.html
  hound lab judges --web webs/university --judges logistic,bayes --from 3,10,all,all+negatives --by-task
  hound lab judges --web webs/encyclopedia --judges terms,query --from query --seen breadth-first:1000 --json

A judge is measured from each source that it can use: terms from words, trained judges from
examples.";

const LEARN_SCENT_EXAMPLES: &str = "Examples:
  hound lab learn-scent --web webs/university --web webs/encyclopedia --judges logistic,truth
  hound lab learn-scent --web synth:little -o crates/strategy/src/scent/prior.txt";
const LEARN_PIG_EXAMPLES: &str = "\
Examples:
  hound lab learn-pig --web webs/mixed --task rust,databases -o pig.toml
  hound lab learn-pig --web webs/mixed --judge truth --json
  hound lab replay --web webs/mixed --task linux --strategy genre:pig=pig.toml:pig-fixed=true";

const BACKGROUND_EXAMPLES: &str = "\
Examples:
  hound lab background --web webs/mixed --web webs/genres -o rare.bin
  hound crawl \"green tea\" https://a.example/ --judge topic:background=rare.bin -o out

The table holds numbers only: hashes of terms, and in how many pages each occurs.";

const WORD_VECTORS_EXAMPLES: &str = "\
Examples:
  hound lab word-vectors vectors.txt -o crates/learn/src/word_vectors.bin

The table is built into the program; docs/decisions/word-vectors.md says how the vectors are made.";

const STOPS_EXAMPLES: &str = "\
Examples:
  hound lab stops --web webs/university --least-yield 0.02 --enough 0.9
  hound lab stops --web webs/mixed --web webs/encyclopedia --strategy best-first --json";

const TOP_EXAMPLES: &str = "\
Examples:
  hound lab top --web webs/encyclopedia
  hound lab top --web webs/encyclopedia --tasks railway-transport --show 20
  hound lab top --web webs/university --strategy best-first --judge terms --json";

const SERVE_EXAMPLES: &str = "\
Examples:
  hound lab serve webs/university
      prints the flags to use, for example
      --proxy http://127.0.0.1:38001 --ca-file /tmp/hound-lab.pem --resolver 127.0.0.1:41002 --allow-net 198.18.0.0/15
  hound crawl topic.toml -o out THOSE FLAGS
  hound lab serve synth:little --latency 50ms --failures 0.05";

pub fn command() -> Command {
    Command::new("lab")
        .about("Compare strategies, judges and settings on recorded and synthetic webs")
        .after_help(EXAMPLES)
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(
            replay::Args::augment_args(Command::new("replay"))
                .about("Crawl a recorded or synthetic web in virtual time and score the result")
                .after_help(EXAMPLES),
        )
        .subcommand(
            compare::Args::augment_args(Command::new("compare"))
                .about("Compare strategies and judges on many tasks: a table, t-tests, and a page with plots")
                .after_help(COMPARE_EXAMPLES),
        )
        .subcommand(
            tune::Args::augment_args(Command::new("tune"))
                .about("Find the best settings, scored on tasks that were not used to choose them")
                .after_help(TUNE_EXAMPLES),
        )
        .subcommand(
            synth::Args::augment_args(Command::new("synth"))
                .about("Generate a synthetic web with given topics, genres, links and words")
                .after_help(SYNTH_EXAMPLES),
        )
        .subcommand(
            experiment::Args::augment_args(Command::new("experiment"))
                .about("Repeat the experiments of the papers and show the results beside theirs")
                .after_help(EXPERIMENT_EXAMPLES),
        )
        .subcommand(
            judges::Args::augment_args(Command::new("judges"))
                .about("Compare judges on all pages of labelled webs, without crawling: learning curves, calibration")
                .after_help(JUDGES_EXAMPLES),
        )
        .subcommand(
            learn_pig::Args::augment_args(Command::new("learn-pig"))
                .about("Learn the table for the strategy genre: where links lead, by relevance and genre of their page")
                .after_help(LEARN_PIG_EXAMPLES),
        )
        .subcommand(
            background::Args::augment_args(Command::new("background"))
                .about("Count how many pages contain each term: how rare terms are, for the judge topic")
                .after_help(BACKGROUND_EXAMPLES),
        )
        .subcommand(
            learn_scent::Args::augment_args(Command::new("learn-scent"))
                .about("Learn the weights that the strategy scent starts with, and test them on webs left out")
                .after_help(LEARN_SCENT_EXAMPLES),
        )
        .subcommand(
            word_vectors::Args::augment_args(Command::new("word-vectors"))
                .about("Make the table of what words mean, for the judge topic and the strategy scent")
                .after_help(WORD_VECTORS_EXAMPLES),
        )
        .subcommand(
            stops::Args::augment_args(Command::new("stops"))
                .about("Show how often a crawl that stops by itself would have been right, and what breadth-first finds")
                .after_help(STOPS_EXAMPLES),
        )
        .subcommand(
            top::Args::augment_args(Command::new("top"))
                .about("Show how many of the best results of a short crawl from words and one seed are right")
                .after_help(TOP_EXAMPLES),
        )
        .subcommand(
            serve::Args::augment_args(Command::new("serve"))
                .about("Serve a recorded or synthetic web on loopback, behind a proxy, for the live crawler")
                .after_help(SERVE_EXAMPLES),
        )
}

pub fn run(matches: &ArgMatches) -> Result<ExitCode> {
    match matches.subcommand() {
        Some(("replay", given)) => done(parsed(given).and_then(replay::run)),
        Some(("compare", given)) => parsed(given).and_then(compare::run),
        Some(("tune", given)) => done(parsed(given).and_then(tune::run)),
        Some(("experiment", given)) => done(parsed(given).and_then(experiment::run)),
        Some(("judges", given)) => done(parsed(given).and_then(judges::run)),
        Some(("learn-pig", given)) => done(parsed(given).and_then(learn_pig::run)),
        Some(("background", given)) => done(parsed(given).and_then(background::run)),
        Some(("learn-scent", given)) => done(parsed(given).and_then(learn_scent::run)),
        Some(("word-vectors", given)) => done(parsed(given).and_then(word_vectors::run)),
        Some(("stops", given)) => done(parsed(given).and_then(stops::run)),
        Some(("top", given)) => done(parsed(given).and_then(top::run)),
        Some(("serve", given)) => done(parsed(given).and_then(serve::run)),
        Some(("synth", given)) => done(parsed(given).and_then(synth::run)),
        _ => Ok(ExitCode::from(exit::FAILURE)),
    }
}

/// Writes a report to a file and reports the path.
fn write_page(path: &Path, html: &str) -> Result<()> {
    // A comparison may have taken an hour: a folder that is missing must not cost its result.
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).with_context(|| format!("could not create {}", folder.display()))?;
    }
    std::fs::write(path, html).with_context(|| format!("could not write {}", path.display()))?;
    note!("report written to {}", path.display());
    Ok(())
}
