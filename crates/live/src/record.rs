//! The records of a live crawl: archive and page lines.

use std::borrow::Cow;
use std::error::Error;

use scenthound_engine::{ProcessedPage, Recorder, Visit};
use scenthound_frontier::Flush;
use scenthound_store::{PackedExchange, PageRecord, RECORD_VERSION, Via};
use scenthound_types::{
    AgentId, Judgement, Language, Lease, LeaseKind, Outcome, OutcomeCode, PageNote, SkippedLinks,
};
use serde::Serialize;

use crate::request_log::RequestLog;

/// An exchange as a worker packed it, before the crawl has settled the visit.
pub(crate) struct PackedVisit {
    pub exchange: PackedExchange,
    /// The outcome its metadata record names.
    pub outcome: OutcomeCode,
}

/// What the crawler itself adds to an exchange's records.
#[derive(Serialize)]
struct Metadata<'a> {
    kind: LeaseKind,
    outcome: OutcomeCode,
    depth: u16,
    #[serde(skip_serializing_if = "Option::is_none")]
    parent: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    judgement: Option<&'a Judgement>,
}

/// The content of the metadata record.
pub(crate) fn metadata(lease: &Lease, outcome: &Outcome, page: Option<&ProcessedPage>) -> Vec<u8> {
    let metadata = serde_json::to_vec(&Metadata {
        kind: lease.kind,
        outcome: outcome.code(),
        depth: lease.depth,
        parent: lease.parent_url.as_ref().map(|url| url.as_str()),
        judgement: page.map(|page| &page.judgement),
    });
    // Writing numbers and text to memory cannot fail.
    metadata.unwrap_or_default()
}

/// Writes each visit to the archive and to `pages.jsonl`.
pub(crate) struct FolderRecorder {
    pub files: scenthound_store::RecordFiles,
    /// Whether records name the agent; a crawl with a single agent leaves it out.
    pub several_agents: bool,
    /// The stack of requisites, which is no agent's.
    pub requisites: Option<AgentId>,
    /// The log of requests.
    pub log: RequestLog,
    /// Records the driver has not yet collected.
    pub settled: Vec<PageRecord>,
}

impl Recorder for FolderRecorder {
    type Payload = PackedVisit;

    fn record(
        &mut self,
        visit: &Visit<'_>,
        payload: Option<PackedVisit>,
    ) -> Result<(), Box<dyn Error + Send + Sync>> {
        let mut archive = None;
        if let Some(mut packed) = payload {
            // Workers pack what they know. Since then the crawl may have refused a redirect, or the strategy may have
            // changed the judgement. Both are rare, so packing again costs the owner's thread little.
            let is_revised = visit.page.is_some_and(|page| page.is_revised);
            if is_revised || packed.outcome != visit.outcome.code() {
                let metadata = metadata(visit.lease, visit.outcome, visit.page);
                self.files.revise_metadata(&mut packed.exchange, &metadata)?;
            }
            archive = Some(self.files.append_exchange(&packed.exchange)?);
        }
        let record = PageRecord {
            archive,
            agent: Some(visit.lease.agent)
                .filter(|agent| self.several_agents && self.requisites != Some(*agent))
                .map(|agent| agent.0 + 1),
            ..page_record(visit)
        };
        self.files.append_page(&record)?;
        self.log.add(&record);
        self.settled.push(record);
        Ok(())
    }

    fn mark(&mut self) -> Result<Option<Vec<u8>>, Box<dyn Error + Send + Sync>> {
        Ok(Some(self.files.mark()?.to_bytes().to_vec()))
    }

    fn sync(&mut self) -> Result<(), Box<dyn Error + Send + Sync>> {
        self.log.flush();
        Ok(self.files.sync()?)
    }

    fn flush_later(&mut self) -> Result<Flush, Box<dyn Error + Send + Sync>> {
        let unflushed = self.files.unflushed()?;
        Ok(Box::new(move || Ok(unflushed.flush()?)))
    }
}

/// Whether results leave out a page with these notes.
pub(crate) fn is_hidden(notes: &[PageNote]) -> bool {
    notes.iter().any(|note| note.hides())
}

/// The links of a page that are not followed, if there are any.
pub(crate) fn skipped(page: &ProcessedPage) -> Option<SkippedLinks> {
    Some(page.skipped).filter(|skipped| skipped.total() > 0)
}

fn page_record(visit: &Visit<'_>) -> PageRecord {
    let Visit {
        lease,
        outcome,
        page,
        facts,
        ..
    } = visit;
    let judgement = page.map(|page| &page.judgement);
    let notes = page.map(ProcessedPage::notes).unwrap_or_default();
    let rank = (lease.kind != LeaseKind::Robots).then_some(lease.taken.rank);
    PageRecord {
        v: RECORD_VERSION,
        url: lease.url.to_string(),
        final_url: match outcome {
            Outcome::Redirect { to, .. } => Some(to.to_string()),
            _ => None,
        },
        kind: lease.kind,
        status: outcome.status(),
        outcome: outcome.code(),
        truncated: match outcome {
            Outcome::Body { truncated, .. } => *truncated,
            _ => None,
        },
        will_retry: visit.will_retry,
        fetched_at: facts.started.to_rfc3339(),
        ms: u64::try_from(facts.took.as_millis()).unwrap_or(u64::MAX),
        bytes: facts.bytes,
        content_type: facts.content_type.clone(),
        title: page.map(|page| page.title.clone()),
        language: page
            .and_then(|page| page.language)
            .map(|language: Language| Cow::Owned(language.code().to_owned())),
        relevance: judgement.map(|judgement| judgement.relevance),
        relevant: judgement.map(|judgement| judgement.is_relevant()),
        genre: judgement.and_then(|judgement| judgement.genre.clone()),
        parts: judgement.map(|judgement| judgement.parts.clone()),
        hidden: is_hidden(&notes),
        notes,
        skipped: page.and_then(skipped),
        depth: lease.depth,
        parent: lease.parent_url.as_ref().map(|url| url.to_string()),
        seed: lease.seed,
        via: via(lease),
        class: rank.map(|rank| rank.class),
        score: rank.map(|rank| rank.score.get()),
        score_parts: visit.score_parts.to_vec(),
        revisit: lease.revisit,
        age: rank.map(|_| lease.taken.age),
        explored: visit.is_explored,
        attempt: lease.attempt,
        unasked: !facts.asked,
        archive: None,
        agent: None,
        fingerprint: page.map(|page| page.fingerprint),
        canonical: page
            .and_then(|page| page.canonical.as_ref())
            .map(|url| url.to_string()),
        duplicate_of: page
            .and_then(|page| page.duplicate_of.as_ref())
            .map(|url| url.to_string()),
    }
}

/// How the URL was found.
fn via(lease: &Lease) -> Via {
    match (lease.redirects, lease.seed, &lease.parent_url) {
        (1.., _, _) => Via::Redirect,
        (_, true, _) => Via::Seed,
        _ if lease.kind == LeaseKind::Requisite => Via::Requisite,
        (_, _, Some(_)) => Via::Link,
        (_, _, None) if lease.kind == LeaseKind::Page => Via::Sitemap,
        (_, _, None) => Via::Host,
    }
}
