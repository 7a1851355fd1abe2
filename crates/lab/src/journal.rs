//! Everything that happened in a crawl, in order, as text.

use std::error::Error;
use std::fmt::Write;

use scenthound_engine::{Recorder, Visit};
use scenthound_types::{AgentId, CanonicalUrl, LeaseKind, Nearness, Rank, Timestamp, Update};

/// A page that was read.
#[derive(Clone, Debug, PartialEq)]
pub struct PageRead {
    /// Its URL.
    pub url: CanonicalUrl,
    /// Its relevance.
    pub relevance: f64,
    /// The judge's verdict.
    pub is_relevant: bool,
    /// How near it is to the targets of a context graph, if the judge has one.
    pub nearness: Option<Nearness>,
    /// When it was read.
    pub at: Timestamp,
    /// The agent that requested it.
    pub agent: AgentId,
    /// The number of its first entry into the queue.
    pub age: u32,
    /// Whether it was fetched only because it had waited longest.
    pub is_explored: bool,
}

/// Records the order of visits and, on request, every update.
#[derive(Clone, Debug, Default)]
pub struct Journal {
    /// Requested pages, in order, without robots.txt, sitemaps and redirects.
    pub visits: Vec<CanonicalUrl>,
    /// Pages read, in order, each once: repeated visits of a page are left out.
    pub pages: Vec<PageRead>,
    /// One line per attempt, followed by one indented line per update.
    pub text: String,
    is_full: bool,
}

impl Journal {
    /// A journal that records everything rather than only the order of visits.
    pub fn full() -> Journal {
        Journal {
            is_full: true,
            ..Journal::default()
        }
    }

    fn write_down(&mut self, visit: &Visit<'_>) -> std::fmt::Result {
        let Visit { lease, outcome, .. } = visit;
        write!(
            self.text,
            "{} {} {} {outcome}",
            visit.now.as_millis(),
            lease.kind.name(),
            lease.url
        )?;
        write!(
            self.text,
            " taken {} age {}",
            show(&lease.taken.rank),
            lease.taken.age
        )?;
        if let Some(page) = visit.page {
            write!(self.text, " relevance {:?}", page.judgement.relevance)?;
        }
        if visit.lease.agent != AgentId::default() {
            write!(self.text, " by agent {}", visit.lease.agent.0 + 1)?;
        }
        self.text
            .push_str(if visit.will_retry { " again\n" } else { "\n" });
        for update in visit.updates {
            match update {
                Update::Offer(offer) => {
                    writeln!(
                        self.text,
                        "  offer {} {} {:?}",
                        offer.url,
                        show(&offer.rank),
                        offer.merge
                    )
                }
                Update::Raise { of, rank, merge } => {
                    writeln!(self.text, "  raise {of:?} {} {merge:?}", show(rank))
                }
                Update::RaiseSiblings {
                    of,
                    parents,
                    rank,
                    merge,
                } => {
                    writeln!(
                        self.text,
                        "  raise siblings of {of:?} {parents:?} {} {merge:?}",
                        show(rank)
                    )
                }
                Update::RetieSiblings { of } => writeln!(self.text, "  retie siblings of {of:?}"),
                Update::Note { of, note } => {
                    writeln!(self.text, "  note about {of:?}, {} bytes", note.len())
                }
                Update::RevisitRichest => writeln!(self.text, "  revisit the richest"),
            }?;
        }
        Ok(())
    }
}

fn show(rank: &Rank) -> String {
    format!("{}/{:?}/{}", rank.class, rank.score.get(), rank.tie)
}

impl Recorder for Journal {
    type Payload = ();

    fn record(
        &mut self,
        visit: &Visit<'_>,
        _payload: Option<()>,
    ) -> Result<(), Box<dyn Error + Send + Sync>> {
        let is_redirect = matches!(visit.outcome, scenthound_types::Outcome::Redirect { .. });
        if visit.lease.kind == LeaseKind::Page && visit.facts.asked && !is_redirect {
            self.visits.push(visit.lease.url.clone());
        }
        if let (Some(page), false) = (visit.page, visit.lease.revisit) {
            self.pages.push(PageRead {
                url: visit.lease.url.clone(),
                relevance: page.judgement.relevance,
                is_relevant: page.judgement.is_relevant(),
                nearness: page.judgement.parts.nearness,
                at: visit.now,
                agent: visit.lease.agent,
                age: visit.lease.taken.age,
                is_explored: visit.is_explored,
            });
        }
        if self.is_full {
            self.write_down(visit)?;
        }
        Ok(())
    }

    fn mark(&mut self) -> Result<Option<Vec<u8>>, Box<dyn Error + Send + Sync>> {
        Ok(None)
    }

    fn sync(&mut self) -> Result<(), Box<dyn Error + Send + Sync>> {
        Ok(())
    }
}
