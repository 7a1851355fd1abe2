//! A whole crawl in one program: `cargo run -p scenthound --example crawl`.
//!
//! It crawls a small web that is served on this machine, so it needs no network.
#![allow(clippy::print_stdout, reason = "an example shows what it does")]

use std::sync::Arc;

use scenthound::{Crawler, Event, Otie, Topic};
use scenthound_testweb::{DemoWeb, ServeOptions, TestSite, serve};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let site: Arc<dyn TestSite> = Arc::new(DemoWeb::new());
    let web = serve(Arc::clone(&site), ServeOptions::default())?;
    let folder = tempfile::tempdir()?;
    let mut crawler = Crawler::builder()
        .topic(
            Topic::named("brewing guides")
                .genre("guide")
                .content_terms(["tea", "leaves", "kettle"]),
        )
        .seeds(["http://tea-society.test/"])
        .strategy(Otie::default())
        .folder(folder.path())
        .option("delay", "0s")
        .option("ip-delay", "0s")
        .max_pages(60)
        .build()?;
    // Host names of the small web resolve to the server on this machine.
    crawler.live_settings().fetch.pins = site.hosts().into_iter().map(|host| (host, web.addr())).collect();
    let summary = crawler.run_with(|event| match event {
        Event::Page(page) if page.relevant == Some(true) => {
            println!("{:.3} {}", page.relevance.unwrap_or_default(), page.url);
        }
        Event::Host { origin, state } => println!("      {origin}: {state:?}"),
        _ => {}
    })?;
    println!(
        "{} pages, {} relevant",
        summary.tally.pages, summary.tally.relevant
    );
    Ok(())
}
