//! The command line of Scenthound: a thin binary over the library crates that do the work.
//!
//! Results go to stdout, progress and notes to stderr. The exit codes are in [`exit`].
#![allow(clippy::disallowed_methods, reason = "the command line may read the clock")]
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "the command line prints for people"
)]

/// Prints a message to stderr. A closed stderr is not a failure.
macro_rules! note {
    ($($text:tt)*) => { $crate::stdout::note(&format!($($text)*)) };
}

/// Prints what went wrong to stderr, also for users who want to read nothing else.
macro_rules! complain {
    ($($text:tt)*) => { $crate::stdout::complain(&format!($($text)*)) };
}

/// Prints a line of results to stdout. A closed stdout is not a failure.
macro_rules! say {
    () => { $crate::stdout::say("") };
    ($($text:tt)*) => { $crate::stdout::say(&format!($($text)*)) };
}

/// Returns an error about the user's input.
macro_rules! refuse {
    ($($text:tt)*) => { return Err($crate::fault::bad_input(format!($($text)*))) };
}

mod agents;
mod archive_to;
mod bench;
mod cluster;
mod crawl;
mod crawl_report;
mod demo;
mod exit;
mod explain;
mod export;
mod fault;
mod filters;
mod freed_memory;
mod genre_notes;
mod graph;
mod judge;
mod kinds;
mod lab;
mod look;
mod manual;
mod mark;
mod pages_input;
mod progress;
mod rejudge;
mod repair;
mod results;
mod search;
mod seeds;
mod serve;
mod snapshot;
mod status;
mod stdout;
mod table;
mod terminal;
mod terms;
mod train;
mod train_genre;
mod train_layers;
mod wording;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue};
use clap::{Arg, ArgAction, Args, Command, FromArgMatches};

use terminal::Verbosity;

/// Pages, links and notes are many small pieces that live briefly; see docs/performance.md for what this allocator saves.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const ABOUT: &str = "A focused web crawler: describe what you are looking for, by topic and genre, and it finds the pages that matter.";

const EXAMPLES: &str = "\
Examples:
  hound demo                                             crawl a small web served on this machine
  hound crawl tea.toml -o tea                            crawl with a topic file; run it again to resume
  hound crawl \"green tea\" https://example.org/ -o tea    crawl with words and a seed
  hound results tea --top 10 --why                       the best pages, and why
  hound search tea \"second flush\" --relevant            full-text search in what was found
  hound export tea --to parquet --text -o tea.parquet    the collection for other tools
  hound explain tea https://example.org/a                why a URL was fetched or not, and how it was judged

With any command, -v shows every request (-vv more), and -q only errors.";

fn command() -> Command {
    Command::new("hound")
        .version(env!("CARGO_PKG_VERSION"))
        .about(ABOUT)
        .after_help(EXAMPLES)
        .subcommand_required(true)
        .arg_required_else_help(true)
        .arg(
            Arg::new("verbose")
                .short('v')
                .long("verbose")
                .global(true)
                .hide(true)
                .action(ArgAction::Count)
                .help("Show every request on stderr; -vv shows more of what happens inside"),
        )
        .arg(
            Arg::new("quiet")
                .short('q')
                .long("quiet")
                .global(true)
                .hide(true)
                .conflicts_with("verbose")
                .action(ArgAction::SetTrue)
                .help("Show errors only on stderr, without progress and notes"),
        )
        .subcommand(crawl::command())
        .subcommand(crawl::resume_command())
        .subcommand(
            status::Args::augment_args(Command::new("status"))
                .about("Show how far a crawl has come: pages, harvest rate, frontier, errors, budgets"),
        )
        .subcommand(
            results::Args::augment_args(Command::new("results"))
                .about("List the best pages of a crawl, with near-duplicates folded"),
        )
        .subcommand(
            search::Args::augment_args(Command::new("search")).about("Search the text of one or more crawls"),
        )
        .subcommand(
            export::Args::augment_args(Command::new("export"))
                .about("Export a crawl: JSON lines, CSV, Parquet, WACZ, text corpus, Markdown, links"),
        )
        .subcommand(
            explain::Args::augment_args(Command::new("explain"))
                .about("Explain how a page was judged, or why a URL was fetched or not"),
        )
        .subcommand(
            serve::Args::augment_args(Command::new("serve"))
                .about("Show crawls in a browser, finished or running: figures, pages, map, steering"),
        )
        .subcommand(
            mark::Args::augment_args(Command::new("mark"))
                .about("Mark pages of a crawl as relevant or irrelevant"),
        )
        .subcommand(rejudge::Args::augment_args(Command::new("rejudge")).about(
            "Judge the pages of a crawl again with another topic, without fetching, and re-score the queue",
        ))
        .subcommand(
            repair::Args::augment_args(Command::new("repair"))
                .about("Rebuild the state of a crawl from its archive and page records"),
        )
        .subcommand(
            snapshot::Args::augment_args(Command::new("snapshot")).about("Copy a crawl, even while it runs"),
        )
        .subcommand(
            judge::Args::augment_args(Command::new("judge")).about(
                "Judge pages you already have by a topic, to tune it in seconds: scores, parts and terms",
            ),
        )
        .subcommand(
            seeds::Args::augment_args(Command::new("seeds"))
                .about("Find URLs to start a crawl from, with search engines or in an earlier crawl"),
        )
        .subcommand(cluster::command())
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
                .about("Serve a small web on this machine, crawl it live and show what was found"),
        )
        .subcommand(lab::command())
        .subcommand(
            manual::CompletionArgs::augment_args(Command::new("completions"))
                .about("Print completions for a shell"),
        )
        .subcommand(
            manual::ManArgs::augment_args(Command::new("man"))
                .about("Print the manual page, or write one for every command"),
        )
        .subcommand(
            bench::Args::augment_args(Command::new("bench"))
                .about("Measure a whole crawl of a web of known size on this machine"),
        )
}

fn main() -> ExitCode {
    let matches = match command().try_get_matches() {
        Ok(matches) => matches,
        Err(error) => {
            // clap returns help and the version as errors too. All others count as bad settings, like those in a topic file.
            let code = if error.use_stderr() { exit::BAD_SETTINGS } else { 0 };
            let is_crawl = std::env::args().nth(1).is_some_and(|command| command == "crawl");
            match error.get(ContextKind::InvalidArg) {
                Some(ContextValue::String(unknown))
                    if is_crawl && let Some(meant) = crawl::meant_by(unknown) =>
                {
                    complain!("hound: {unknown} is not an option; write {meant}");
                }
                _ => {
                    let _ = error.print();
                }
            }
            return ExitCode::from(code);
        }
    };
    // Other commands are over before it would matter.
    if let Some("crawl" | "resume" | "demo" | "bench" | "rejudge") = matches.subcommand_name() {
        let is_limit = |given: OsString| given.to_string_lossy().starts_with("--max-memory");
        freed_memory::keep(std::env::args_os().any(is_limit));
    }
    let level = match (matches.get_flag("quiet"), matches.get_count("verbose")) {
        (true, _) => {
            Verbosity::Quiet.set();
            tracing::Level::ERROR
        }
        (false, 0) => tracing::Level::WARN,
        (false, times) => {
            Verbosity::Verbose.set();
            if times == 1 {
                tracing::Level::INFO
            } else {
                tracing::Level::DEBUG
            }
        }
    };
    tracing_subscriber::fmt()
        .with_writer(std::io::stderr)
        .with_max_level(level)
        .with_target(false)
        .with_ansi(terminal::Stream::Err.has_colour())
        .init();
    let result = match matches.subcommand() {
        Some(("crawl", given)) => crawl::run(given),
        Some(("cluster", given)) => cluster::run(given),
        Some(("resume", given)) => crawl::resume(given),
        Some(("status", given)) => done(parsed(given).and_then(status::run)),
        Some(("results", given)) => done(parsed(given).and_then(results::run)),
        Some(("search", given)) => done(parsed(given).and_then(search::run)),
        Some(("export", given)) => done(parsed(given).and_then(export::run)),
        Some(("completions", given)) => done(parsed(given).and_then(manual::completions)),
        Some(("man", given)) => done(parsed(given).and_then(manual::man)),
        Some(("explain", given)) => done(parsed(given).and_then(explain::run)),
        Some(("serve", given)) => done(parsed(given).and_then(serve::run)),
        Some(("mark", given)) => done(parsed(given).and_then(mark::run)),
        Some(("rejudge", given)) => parsed(given).and_then(rejudge::run),
        Some(("repair", given)) => parsed(given).and_then(repair::run),
        Some(("snapshot", given)) => done(parsed(given).and_then(snapshot::run)),
        Some(("judge", given)) => done(parsed(given).and_then(judge::run)),
        Some(("seeds", given)) => done(parsed(given).and_then(seeds::run)),
        Some(("terms", given)) => done(terms::run(given)),
        Some(("train", given)) => done(train::run(given)),
        Some(("graph", given)) => done(graph::run(given)),
        Some(("strategies", given)) => done(parsed(given).and_then(kinds::strategies)),
        Some(("judges", given)) => done(parsed(given).and_then(kinds::judges)),
        Some(("demo", given)) => parsed(given).and_then(demo::run),
        Some(("lab", given)) => lab::run(given),
        Some(("bench", given)) => done(parsed(given).and_then(bench::run)),
        _ => Ok(ExitCode::from(exit::FAILURE)),
    };
    result.unwrap_or_else(|error| fault::report(&error))
}

fn done(result: anyhow::Result<()>) -> anyhow::Result<ExitCode> {
    result.map(|()| ExitCode::SUCCESS)
}

fn parsed<A: FromArgMatches>(given: &clap::ArgMatches) -> anyhow::Result<A> {
    Ok(A::from_arg_matches(given)?)
}
