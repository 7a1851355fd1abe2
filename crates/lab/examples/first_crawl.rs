//! A complete crawl in the lab: a web of eight lines, a judge that looks for tea, best-first, and no network.
//!
//! Run it with `cargo run -p scenthound-lab --example first_crawl`.
#![allow(clippy::print_stdout, reason = "an example shows what it does")]

use std::error::Error;
use std::sync::Arc;

use scenthound_judge::{TermJudge, TermSettings};
use scenthound_lab::{LabSettings, replay};
use scenthound_strategy::BestFirst;
use scenthound_testweb::FixtureWeb;
use scenthound_types::CanonicalUrl;

/// One page per line: `host/path: words -> links`.
const TEA: &str = "
hub/:         tea and cars     -> dull/engines green/sencha
dull/engines: cars and engines -> dull/wheels dull/brakes
dull/wheels:  cars and wheels
dull/brakes:  cars and brakes
green/sencha: green tea        -> green/matcha green/cups
green/matcha: matcha tea       -> green/whisks
green/cups:   cups for tea
green/whisks: whisks
";

fn main() -> Result<(), Box<dyn Error>> {
    let web = FixtureWeb::parse(TEA)?;
    let judge = TermJudge::new(&TermSettings {
        content: vec!["tea".to_owned()],
        ..TermSettings::default()
    })?;
    let seeds = [CanonicalUrl::parse("http://hub.test/")?];
    let settings = LabSettings {
        full_journal: true,
        ..LabSettings::default()
    };

    let run = replay(&web, Arc::new(judge), Box::new(BestFirst), &seeds, &settings)?;

    println!("Pages in the order best-first visits them:");
    for (number, url) in (1..).zip(&run.journal.visits) {
        println!(
            "{number:>3}. {}",
            FixtureWeb::name(url.as_str()).unwrap_or_default()
        );
    }
    println!(
        "\n{} of {} pages are about tea.",
        run.tally.relevant, run.tally.pages
    );
    println!(
        "A link is offered with the relevance of the page it is on. So the wheels and the brakes, which are linked only"
    );
    println!(
        "from a page without tea, come last, although they were found early. The journal, update by update:\n"
    );
    print!("{}", run.journal.text);
    Ok(())
}
