//! The pages of recorded webs, to make a bench web of.

use std::collections::HashSet;
use std::path::PathBuf;

use anyhow::{Context, Result};
use scenthound_lab::recorded::archives_of;
use scenthound_store::WarcReader;
use scenthound_types::text::Token;

/// Longer pages are left out: a bench of a few of them would measure nothing else.
const LONGEST: usize = 1 << 20;
/// Shorter ones too: they are error messages.
const SHORTEST: usize = 200;

/// At most this many different HTML pages from archives, crawl folders or recorded webs.
pub fn pages(webs: &[PathBuf], most: usize) -> Result<Vec<String>> {
    let mut pages = Vec::new();
    let mut known = HashSet::new();
    for web in webs {
        for archive in archives_of(web)? {
            for record in WarcReader::open(&archive)?.flatten() {
                if pages.len() >= most {
                    return Ok(pages);
                }
                let Some(page) = record.http().and_then(|http| {
                    let is_html = http.status == 200
                        && http
                            .header("content-type")
                            .is_some_and(|kind| kind.to_ascii_lowercase().contains("html"));
                    is_html.then(|| http.body(LONGEST + 1))
                }) else {
                    continue;
                };
                let page = String::from_utf8_lossy(&page.bytes).into_owned();
                if (SHORTEST..=LONGEST).contains(&page.len()) && known.insert(Token::of(&page)) {
                    pages.push(page);
                }
            }
        }
    }
    (!pages.is_empty())
        .then_some(pages)
        .context("there are no HTML pages in these webs")
}
