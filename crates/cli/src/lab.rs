//! `hound lab`: strategies, judges and settings compared on recorded and synthetic webs, without touching the web.

mod replay;
mod runs;
mod spec;
mod webs;

use std::process::ExitCode;

use anyhow::Result;
use clap::{ArgMatches, Args, Command, FromArgMatches};

use crate::exit;
use crate::pages_input::end;

const EXAMPLES: &str = "\
Examples:
  hound lab replay --web webs/university --task os-courses --strategy fs-2
  hound lab replay --web webs/university --task os-courses --strategy fs-2:ties=probe --judge truth --json
  hound lab replay --web my-crawl/archive/a.warc.gz --topic tea.toml --strategy best-first

A web is a folder with an archive and tasks.toml, a WARC file, a crawl folder, or synth:NAME.
Settings follow a strategy's or a judge's name: otie:revision=0.5:list-size=20, terms:joint=true.";

pub fn command() -> Command {
    Command::new("lab")
        .about("Compare strategies, judges and settings on recorded and synthetic webs")
        .after_help(EXAMPLES)
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(
            replay::Args::augment_args(Command::new("replay"))
                .about("Crawl a recorded web again, in virtual time, and score what was found")
                .after_help(EXAMPLES),
        )
}

pub fn run(matches: &ArgMatches) -> Result<ExitCode> {
    match matches.subcommand() {
        Some(("replay", given)) => end(replay::Args::from_arg_matches(given)
            .map_err(Into::into)
            .and_then(replay::run)),
        _ => Ok(ExitCode::from(exit::FAILURE)),
    }
}
