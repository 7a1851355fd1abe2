//! Merges link occurrences into one link per target, with the words of the others beside it.
//!
//! Deliberately absent: any selection. Every link that can be fetched is kept.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use scenthound_types::{CanonicalUrl, Link, LinkWords, Rel, Text, TokenRange};

use crate::read::ScannedPage;
use crate::resolve::Resolver;

/// The number of words of a link and around it, in total.
const AROUND: u32 = 20;

/// The most further links to one URL whose words are kept.
const MOST_MORE: usize = 7;

/// The links of a page in document order.
pub(crate) fn gather(reading: &ScannedPage<'_>, resolver: &mut Resolver, page: &CanonicalUrl) -> Vec<Link> {
    let mut links: Vec<Link> = Vec::with_capacity(reading.places.len());
    // Only looked up, never iterated, so its random seed (which a hostile page cannot guess) does not affect any
    // output.
    let mut known: HashMap<CanonicalUrl, usize> = HashMap::with_capacity(reading.places.len());
    for place in &reading.places {
        let Some(url) = resolver.resolve(&place.href) else {
            continue;
        };
        if url == *page {
            continue;
        }
        let anchor = trim(&reading.text, &place.anchor);
        match known.entry(url) {
            Entry::Vacant(vacant) => {
                let url = vacant.key().clone();
                vacant.insert(links.len());
                links.push(Link {
                    url,
                    source: place.source,
                    around: TokenRange::default(),
                    sentence: TokenRange::default(),
                    anchor,
                    title: place.title.clone(),
                    rel: Rel {
                        nofollow: place.nofollow,
                    },
                    path: place.path,
                    more: Vec::new(),
                    times: 1,
                });
            }
            Entry::Occupied(occupied) => {
                if let Some(first) = links.get_mut(*occupied.get()) {
                    first.rel.nofollow &= place.nofollow;
                    first.times = first.times.saturating_add(1);
                    if first.anchor.is_empty() {
                        if !anchor.is_empty() {
                            first.anchor = anchor;
                            first.path = place.path;
                        }
                        if first.title.is_empty() {
                            first.title = place.title.clone();
                        }
                    } else if first.more.len() < MOST_MORE && !(anchor.is_empty() && place.title.is_empty()) {
                        first.more.push(LinkWords {
                            anchor,
                            title: place.title.clone(),
                            ..LinkWords::default()
                        });
                    }
                }
            }
        }
    }
    for link in &mut links {
        (link.around, link.sentence) = surroundings(&reading.text, &link.anchor);
        for more in &mut link.more {
            // Without an anchor there is only the title: the place of an image says nothing reliable.
            if !more.anchor.is_empty() {
                (more.around, more.sentence) = surroundings(&reading.text, &more.anchor);
            }
        }
    }
    links
}

/// The words around a link, and the sentences it stands in.
fn surroundings(text: &Text, anchor: &TokenRange) -> (TokenRange, TokenRange) {
    let words = text.run(anchor).iter().filter(|token| token.is_word()).count();
    let missing = AROUND.saturating_sub(u32::try_from(words).unwrap_or(u32::MAX));
    (text.widen(anchor, missing), text.sentence_around(anchor))
}

/// The run without the breaks at its ends, which occur if a link spans whole blocks.
fn trim(text: &Text, run: &TokenRange) -> TokenRange {
    let tokens = text.run(run);
    let ahead = tokens.iter().take_while(|token| !token.is_word()).count() as u32;
    let behind = tokens.iter().rev().take_while(|token| !token.is_word()).count() as u32;
    let start = run.start + ahead;
    start..run.end.saturating_sub(behind).max(start)
}
