//! Reads what a crawl has collected: `cargo run -p scenthound --example collection [DIR]`.
//!
//! Without a folder, it first crawls a small web that is served on this machine.
#![allow(clippy::print_stdout, reason = "an example shows what it does")]

use std::path::PathBuf;
use std::sync::Arc;

use scenthound::{CanonicalUrl, Collection, Crawler, RankSettings, Topic};
use scenthound_testweb::{DemoWeb, ServeOptions, TestSite, serve};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let temporary = tempfile::tempdir()?;
    let folder = match std::env::args().nth(1) {
        Some(folder) => PathBuf::from(folder),
        None => {
            let folder = temporary.path().join("tea");
            crawl_demo(&folder)?;
            folder
        }
    };

    let collection = Collection::open(&folder)?;
    let ranking = collection.ranked(&RankSettings::default())?;
    for page in ranking.pages().take(5) {
        let page = page?;
        let relevance = page.record.relevance.unwrap_or_default();
        println!("{:>2}. {relevance:.3} {}", page.rank, page.record.url);
    }
    if let Some(best) = ranking.pages().next() {
        let url = CanonicalUrl::parse(&best?.record.url)?;
        let explanation = collection.explain(&url)?;
        println!("The best page was reached in {} steps:", explanation.path.len());
        for step in &explanation.path {
            println!("    {}", step.url);
        }
    }
    Ok(())
}

fn crawl_demo(folder: &std::path::Path) -> Result<(), Box<dyn std::error::Error>> {
    let site: Arc<dyn TestSite> = Arc::new(DemoWeb::new());
    let web = serve(Arc::clone(&site), ServeOptions::default())?;
    let mut crawler = Crawler::builder()
        .topic(Topic::named("brewing guides").content_terms(["tea", "leaves", "kettle"]))
        .seeds(["http://tea-society.test/"])
        .folder(folder)
        .option("delay", "0s")
        .option("ip-delay", "0s")
        .max_pages(80)
        .build()?;
    crawler.live_settings().fetch.pins = site.hosts().into_iter().map(|host| (host, web.addr())).collect();
    crawler.run()?;
    Ok(())
}
