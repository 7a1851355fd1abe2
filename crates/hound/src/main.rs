//! The command line of Scenthound: a thin binary over the crates that do the work.
//!
//! Results go to stdout, progress and notes to stderr. Exit codes are those of [`exit`].
#![allow(clippy::disallowed_methods, reason = "the command line may read the clock")]
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "the command line speaks to people"
)]

/// A line for people, on stderr. Nobody listening is no failure.
macro_rules! note {
    ($($text:tt)*) => { $crate::stdout::note(&format!($($text)*)) };
}

/// A line of results, on stdout. Nobody reading is no failure.
macro_rules! say {
    () => { $crate::stdout::say("") };
    ($($text:tt)*) => { $crate::stdout::say(&format!($($text)*)) };
}

mod agents;
mod bench;
mod crawl;
mod dashboard;
mod demo;
mod exit;
mod explain;
mod graph;
mod judge;
mod kinds;
mod lab;
mod look;
mod mark;
mod pages_input;
mod progress;
mod rejudge;
mod results;
mod seeds;
mod status;
mod stdout;
mod table;
mod terms;
mod train;
mod train_genre;
mod train_layers;
mod wording;

use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue};
use clap::{Args, Command, FromArgMatches};

const ABOUT: &str = "A focused web crawler: you say what you look for, by topic and by genre, and it brings back the pages that matter.";

const EXAMPLES: &str = "\
Examples:
  hound demo                                             a little web on this machine, crawled and shown
  hound crawl tea.toml -o tea                            a crawl by a topic file; run it again to resume
  hound crawl \"green tea\" https://example.org/ -o tea    a crawl by words and a seed
  hound results tea --top 10 --why                       the best pages, and why
  hound explain tea https://example.org/a                why a page was (not) fetched, and how it was judged";

fn command() -> Command {
    Command::new("hound")
        .version(env!("CARGO_PKG_VERSION"))
        .about(ABOUT)
        .after_help(EXAMPLES)
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(crawl::command())
        .subcommand(
            status::Args::augment_args(Command::new("status"))
                .about("Where a crawl stands: pages, harvest, frontier, errors, budgets"),
        )
        .subcommand(
            results::Args::augment_args(Command::new("results"))
                .about("The best pages of a crawl, ranked, near-duplicates folded"),
        )
        .subcommand(
            explain::Args::augment_args(Command::new("explain"))
                .about("Why a page was judged so, or why a URL was (not) fetched"),
        )
        .subcommand(
            mark::Args::augment_args(Command::new("mark"))
                .about("Say which pages of a crawl are what you look for, and which are not"),
        )
        .subcommand(rejudge::Args::augment_args(Command::new("rejudge")).about(
            "Judge the pages of a crawl again under another topic, without fetching; re-score what waits",
        ))
        .subcommand(
            judge::Args::augment_args(Command::new("judge"))
                .about("What a topic makes of pages at hand: scores, parts and terms, to tune it in seconds"),
        )
        .subcommand(
            seeds::Args::augment_args(Command::new("seeds"))
                .about("URLs to start a crawl from, by search engine or from an earlier crawl"),
        )
        .subcommand(terms::command())
        .subcommand(train::command())
        .subcommand(graph::command())
        .subcommand(
            kinds::Args::augment_args(Command::new("strategies"))
                .about("List the strategies, each with its settings"),
        )
        .subcommand(
            kinds::Args::augment_args(Command::new("judges"))
                .about("List the judges, each with its settings"),
        )
        .subcommand(
            demo::Args::augment_args(Command::new("demo"))
                .about("Serve a little web on this machine, crawl it live, and show what was found"),
        )
        .subcommand(lab::command())
        .subcommand(bench::command())
}

fn main() -> ExitCode {
    tracing_subscriber::fmt()
        .with_writer(std::io::stderr)
        .with_max_level(tracing::Level::WARN)
        .with_target(false)
        .init();
    let matches = match command().try_get_matches() {
        Ok(matches) => matches,
        Err(told) => {
            // Help and the version are what was asked for; anything else is a bad setting like those of a topic file.
            let code = if told.use_stderr() { exit::BAD_SETTINGS } else { 0 };
            let _ = told.print();
            if let Some(ContextValue::String(unknown)) = told.get(ContextKind::InvalidArg)
                && let Some(meant) = crawl::meant_by(unknown)
            {
                note!("  tip: write {meant}; hound strategies and hound judges list all settings");
            }
            return ExitCode::from(code);
        }
    };
    let done = |result: anyhow::Result<()>| result.map(|()| ExitCode::SUCCESS);
    let result = match matches.subcommand() {
        Some(("crawl", given)) => crawl::run(given),
        Some(("status", given)) => done(parsed(given).and_then(status::run)),
        Some(("results", given)) => done(parsed(given).and_then(results::run)),
        Some(("explain", given)) => done(parsed(given).and_then(explain::run)),
        Some(("mark", given)) => parsed(given).and_then(mark::run),
        Some(("rejudge", given)) => parsed(given).and_then(rejudge::run),
        Some(("judge", given)) => parsed(given).and_then(judge::run),
        Some(("seeds", given)) => parsed(given).and_then(seeds::run),
        Some(("terms", given)) => terms::run(given),
        Some(("train", given)) => train::run(given),
        Some(("graph", given)) => graph::run(given),
        Some(("strategies", given)) => {
            pages_input::end(parsed(given).and_then(|args: kinds::Args| kinds::strategies(&args)))
        }
        Some(("judges", given)) => {
            pages_input::end(parsed(given).and_then(|args: kinds::Args| kinds::judges(&args)))
        }
        Some(("demo", given)) => parsed(given).and_then(demo::run),
        Some(("lab", given)) => lab::run(given),
        Some(("bench", given)) => done(bench::run(given)),
        _ => Ok(ExitCode::from(exit::FAILURE)),
    };
    result.unwrap_or_else(|error| {
        note!("hound: {error:#}");
        ExitCode::from(exit::FAILURE)
    })
}

fn parsed<A: FromArgMatches>(given: &clap::ArgMatches) -> anyhow::Result<A> {
    Ok(A::from_arg_matches(given)?)
}
