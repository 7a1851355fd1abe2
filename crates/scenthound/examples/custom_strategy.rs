//! A judge and a strategy of your own: `cargo run -p scenthound --example custom_strategy`.
//!
//! It crawls a small web that is served on this machine, so it needs no network.
#![allow(clippy::print_stdout, reason = "an example shows what it does")]

use std::sync::Arc;

use scenthound::{
    Crawler, Judge, Judgement, Merge, Offer, PageReport, ParsedPage, Parts, Rank, Strategy, Token, Topic,
    Update, Updates, UrlKey, Verdict,
};
use scenthound_testweb::{FixtureWeb, ServeOptions, TestSite, serve};

/// One page per line: `host/path: words -> links`.
const WEB: &str = "
hub/0:    start here        -> long/1 short/2
long/1:   tea tea tea       -> long/a-very-long-address-indeed short/3
short/2:  tea               -> short/4
short/3:  coffee
short/4:  tea and biscuits
long/a-very-long-address-indeed: nothing
";

/// Short URLs first: they are often the pages people link to on purpose.
struct ShortestFirst;

impl Strategy for ShortestFirst {
    fn name(&self) -> &'static str {
        "shortest-first"
    }

    fn seed(&self, _key: UrlKey, _seeds: usize) -> Rank {
        Rank::of_score(1.0)
    }

    fn observe(&mut self, report: &PageReport<'_>, out: &mut Updates) {
        for link in report.links {
            out.push(Update::Offer(Offer {
                url: link.url.clone(),
                key: link.key,
                rank: Rank::of_score(1.0 / link.url.as_str().len() as f64),
                merge: Merge::Keep,
            }));
        }
    }
}

/// A page is relevant if it mentions "tea" at all.
struct MentionsTea;

impl Judge for MentionsTea {
    fn judge(&self, page: &ParsedPage) -> Judgement {
        let relevance = f64::from(self.snippet(page.text.tokens()));
        Judgement {
            relevance,
            verdict: if relevance > 0.0 {
                Verdict::Relevant
            } else {
                Verdict::Irrelevant
            },
            genre: None,
            layer: None,
            parts: Parts::default(),
        }
    }

    fn snippet(&self, tokens: &[Token]) -> f32 {
        f32::from(u8::from(tokens.contains(&Token::of("tea"))))
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let site: Arc<dyn TestSite> = Arc::new(FixtureWeb::parse(WEB)?);
    let web = serve(Arc::clone(&site), ServeOptions::default())?;
    let folder = tempfile::tempdir()?;
    let mut crawler = Crawler::builder()
        .topic(Topic::named("tea"))
        .seeds([FixtureWeb::url("hub/0")])
        .judge("mentions-tea", MentionsTea)
        .strategy(ShortestFirst)
        .folder(folder.path())
        .option("delay", "0s")
        .option("ip-delay", "0s")
        .option("concurrency", "1")
        .build()?;
    // Host names of the small web resolve to the server on this machine.
    crawler.live_settings().fetch.pins = site.hosts().into_iter().map(|host| (host, web.addr())).collect();
    for event in crawler.start() {
        if let scenthound::Event::Page(page) = event {
            println!("{} {}", page.relevance.unwrap_or_default(), page.url);
        }
    }
    Ok(())
}
