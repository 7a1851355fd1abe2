//! The records of a live crawl: archive and page lines.

use std::borrow::Cow;
use std::error::Error;

use scenthound_engine::{Examined, Recorder, Visit};
use scenthound_store::{PackedExchange, PageRecord};
use scenthound_types::{Language, LeaseKind, Outcome, TermSet};

/// Writes each visit to the archive and to `pages.jsonl`.
pub(crate) struct FolderRecorder {
    pub files: scenthound_store::RecordFiles,
    /// Whether records name the agent: where there is only one, nobody asks.
    pub several_agents: bool,
}

impl Recorder for FolderRecorder {
    type Payload = PackedExchange;

    fn record(
        &mut self,
        visit: &Visit<'_>,
        payload: Option<PackedExchange>,
    ) -> Result<(), Box<dyn Error + Send + Sync>> {
        let archive = payload
            .map(|packed| self.files.append_exchange(&packed))
            .transpose()?;
        self.files.append_page(&PageRecord {
            archive,
            agent: self.several_agents.then_some(visit.lease.agent.0 + 1),
            ..page_record(visit)
        })?;
        Ok(())
    }

    fn mark(&mut self) -> Result<Option<Vec<u8>>, Box<dyn Error + Send + Sync>> {
        Ok(Some(self.files.mark()?.to_bytes().to_vec()))
    }

    fn sync(&mut self) -> Result<(), Box<dyn Error + Send + Sync>> {
        Ok(self.files.sync()?)
    }
}

fn page_record(visit: &Visit<'_>) -> PageRecord {
    let Visit {
        lease,
        outcome,
        examined,
        facts,
        ..
    } = visit;
    let judgement = examined.map(|examined| &examined.judgement);
    PageRecord {
        url: lease.url.to_string(),
        final_url: match outcome {
            Outcome::Redirect { to, .. } => Some(to.to_string()),
            _ => None,
        },
        kind: lease.kind.name().into(),
        status: outcome.status(),
        outcome: outcome.code().into(),
        error: error(visit),
        truncated: match outcome {
            Outcome::Body { truncated, .. } => truncated.map(|cut| cut.code().into()),
            _ => None,
        },
        fetched_at: facts.started.to_rfc3339(),
        ms: u64::try_from(facts.took.as_millis()).unwrap_or(u64::MAX),
        bytes: facts.bytes,
        content_type: facts.content_type.clone(),
        title: examined.map(|examined| examined.title.clone()),
        language: examined
            .and_then(|examined| examined.language)
            .map(|language: Language| Cow::Owned(language.code().to_owned())),
        relevance: judgement.map(|judgement| judgement.relevance),
        relevant: judgement.map(|judgement| judgement.is_relevant()),
        genre: judgement.and_then(|judgement| judgement.genre.clone()),
        parts: judgement.map(|judgement| judgement.parts.clone()),
        depth: lease.depth,
        parent: lease.parent_url.as_ref().map(|url| url.to_string()),
        seed: lease.seed,
        why: why(visit),
        score: (lease.kind != LeaseKind::Robots).then(|| lease.taken.rank.score.get()),
        revisit: lease.revisit,
        excluded: examined.is_some_and(|examined| examined.excluded),
        attempt: lease.attempt,
        unasked: !facts.asked,
        archive: None,
        agent: None,
        duplicate_of: None,
        fingerprint: examined.map(|examined| examined.fingerprint),
        canonical: examined
            .and_then(|examined| examined.canonical.as_ref())
            .map(|url| url.to_string()),
    }
}

/// Why the URL was asked for now.
fn why(visit: &Visit<'_>) -> String {
    let lease = visit.lease;
    let score = lease.taken.rank.score.get();
    let way = match (lease.redirects, lease.seed, &lease.parent_url) {
        (1.., _, _) => "redirected here",
        (_, true, _) => "seed",
        (_, _, Some(_)) => "linked from its parent",
        (_, _, None) if lease.kind == LeaseKind::Page => "listed in a sitemap",
        (_, _, None) => return format!("the host's {}", lease.kind.name()),
    };
    // Cash is often far below a thousandth.
    let score = if score != 0.0 && score.abs() < 0.001 {
        format!("{score:.2e}")
    } else {
        format!("{score:.3}")
    };
    format!("{way}, priority {score} in class {}", lease.taken.rank.class)
}

/// Why a page that speaks of something else was ignored.
fn wrong_sense(examined: &Examined) -> String {
    let words = examined.judgement.parts.terms.iter();
    let words: Vec<&str> = words
        .filter(|hit| hit.set == TermSet::Exclude)
        .map(|hit| &*hit.term)
        .collect();
    let links = match examined.skipped.excluded {
        0 => String::new(),
        1 => ", its link dropped".to_owned(),
        links => format!(", its {links} links dropped"),
    };
    format!("in the wrong sense ({}): ignored{links}", words.join(", "))
}

/// What went wrong, or what follows from the page's own wishes, for people.
fn error(visit: &Visit<'_>) -> Option<String> {
    let mut notes = Vec::new();
    if !matches!(visit.outcome, Outcome::Body { .. } | Outcome::Redirect { .. }) {
        notes.push(visit.outcome.explain());
    }
    if visit.will_retry {
        notes.push("will be tried again".to_owned());
    }
    if let Some(examined) = visit.examined {
        if examined.foreign {
            notes.push("its language is not wanted: not kept, its links not followed".to_owned());
        }
        if examined.excluded {
            notes.push(wrong_sense(examined));
        }
        if examined.directives.noindex {
            notes.push("the page asks not to be indexed (noindex): not shown in results".to_owned());
        }
        if examined.directives.nofollow {
            notes.push("the page asks that its links are not followed (nofollow)".to_owned());
        }
    }
    (!notes.is_empty()).then(|| notes.join("; "))
}
