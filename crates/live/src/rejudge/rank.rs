//! Judges the pages of a crawl again by what its judge has learnt since, and leaves everything else as it is.
//!
//! This is what a crawl does when it ends: the first pages were judged by a judge that knew little, and ranks should agree with
//! what it knows now. The topic is the same, so the queue, the strategy and the links of pages need not be made again, as
//! [`rejudge`](super::rejudge) does: the crawl can go on exactly as if it had never stopped.
//!
//! **Invariant:** the new judgements become current in one step, and only then does the state say that pages are ranked. A run that
//! is cut short in between ranks them once more.

use std::sync::Arc;
use std::thread;

use scenthound_engine::{Agent, CrawlError, PageProcessor, RANKED, Response, Tally, UNRANKED, saved_lessons};
use scenthound_frontier::Frontier;
use scenthound_frontier_durable::save_snapshot;
use scenthound_judge::Judge;
use scenthound_store::{
    CrawlFolder, CrawlView, Error as StoreError, JudgementRecord, JudgementsFile, PageRecord, RECORD_VERSION,
};
use scenthound_types::{CanonicalUrl, Judgement, Keyring, LeaseKind, Outcome, StateDelta, Verdict};

use super::{Rejudged, open_old, read_back, stored};
use crate::LiveError;
use crate::clock::Clock;
use crate::drive::{LiveSettings, StopSwitch, policy_of};

/// The records that are read before their pages are judged, on all cores.
const RECORDS_A_ROUND: usize = 256;

/// Judges every stored page again by what the judge learnt in the crawl. None if it was stopped: the folder is then unchanged.
pub fn rank(
    folder: &CrawlFolder,
    settings: &LiveSettings,
    judge: Arc<dyn Judge>,
    agents: &[Agent],
    settings_text: &str,
    stop: &StopSwitch,
) -> Result<Option<Rejudged>, LiveError> {
    folder.tidy()?;
    let now = Clock::system().now();
    let keyring = Keyring::new(settings.seed);
    let (mut state, _, earlier) = open_old(folder, settings, policy_of(settings, agents), keyring, now)?;
    if let Some(learner) = judge.learner() {
        learner
            .restore(&saved_lessons(&state)?)
            .map_err(CrawlError::from)?;
    }
    let generation = folder.layout().generation()? + 1;
    let ranking = Ranking {
        view: CrawlView::open(folder.layout().root())?,
        processor: PageProcessor::of_judge(judge, keyring, settings.processor.clone()),
        page_bytes: settings.fetch.limits.decoded_bytes,
    };
    let mut file = JudgementsFile::create(&folder.layout().judgements(generation))?;
    let mut done = Rejudged {
        attempts: 0,
        judged: 0,
        became_relevant: 0,
        no_longer_relevant: 0,
        kept: 0,
        skipped: 0,
        generation,
        tally: Tally::default(),
        counts: state.counts(),
    };
    let mut pages = ranking.view.pages()?;
    loop {
        let mut round = Vec::with_capacity(RECORDS_A_ROUND);
        while round.len() < RECORDS_A_ROUND
            && let Some(record) = pages.next()
        {
            done.attempts += 1;
            match record {
                Ok(record) => round.push((pages.line(), record)),
                Err(StoreError::BadLine { .. }) => done.skipped += 1,
                Err(error) => return Err(error.into()),
            }
        }
        if round.is_empty() {
            break;
        }
        if stop.is_on() {
            drop(file);
            folder.tidy()?;
            return Ok(None);
        }
        for ((line, record), ranked) in round.iter().zip(ranking.judge_all(&round)) {
            done.add(*line, record, ranked, &mut file)?;
        }
    }
    file.sync()?;
    done.tally.excluded = earlier.excluded;
    done.tally = earlier.judged_as(&done.tally);
    folder.switch(generation, settings_text)?;
    let mut notes = StateDelta::default();
    notes.put("engine/tally", done.tally.to_bytes());
    notes.put(UNRANKED, RANKED);
    state.commit(&notes)?;
    state.sync()?;
    save_snapshot(&mut state)?;
    Ok(Some(done))
}

impl Rejudged {
    /// Counts an attempt, and writes down the new judgement if it has one.
    fn add(
        &mut self,
        line: u64,
        record: &PageRecord,
        ranked: Ranked,
        file: &mut JudgementsFile,
    ) -> Result<(), LiveError> {
        let judgement = match ranked {
            Ranked::Judged(judgement) => Some(*judgement),
            Ranked::Unreadable => {
                self.kept += 1;
                Some(judgement_of(record))
            }
            Ranked::NoPage => None,
        };
        let is_counted = record.kind == LeaseKind::Page && !record.unasked && !record.revisit;
        if is_counted && record.final_url.is_none() {
            let is_relevant = judgement.as_ref().is_some_and(Judgement::is_relevant);
            self.tally.count_page(
                record.outcome.as_str(),
                judgement.as_ref().map(|judgement| judgement.relevance),
                is_relevant && record.duplicate_of.is_none(),
            );
        }
        let Some(judgement) = judgement else {
            return Ok(());
        };
        let (is_relevant, was_relevant) = (judgement.is_relevant(), record.relevant == Some(true));
        self.judged += 1;
        self.became_relevant += u64::from(is_relevant && !was_relevant);
        self.no_longer_relevant += u64::from(!is_relevant && was_relevant);
        file.append(&JudgementRecord {
            v: RECORD_VERSION,
            line,
            url: record.url.clone(),
            relevance: judgement.relevance,
            relevant: is_relevant,
            genre: judgement.genre,
            parts: Some(judgement.parts),
            notes: record.notes.clone(),
            hidden: record.hidden,
            skipped: record.skipped,
            duplicate_of: record.duplicate_of.clone(),
        })?;
        Ok(())
    }
}

/// What became of one record.
enum Ranked {
    /// The attempt brought no page.
    NoPage,
    /// The page could not be read from the archive.
    Unreadable,
    Judged(Box<Judgement>),
}

struct Ranking {
    view: CrawlView,
    processor: PageProcessor,
    page_bytes: usize,
}

impl Ranking {
    /// Judges the pages of these records, in their order, on all cores.
    fn judge_all(&self, records: &[(u64, PageRecord)]) -> Vec<Ranked> {
        let threads = thread::available_parallelism().map_or(1, usize::from);
        let share = records.len().div_ceil(threads).max(1);
        thread::scope(|scope| {
            let judge = |part| move || self.judge_some(part);
            let threads: Vec<_> = records
                .chunks(share)
                .map(|part| scope.spawn(judge(part)))
                .collect();
            threads
                .into_iter()
                .flat_map(|thread| match thread.join() {
                    Ok(ranked) => ranked,
                    Err(panic) => std::panic::resume_unwind(panic),
                })
                .collect()
        })
    }

    fn judge_some(&self, records: &[(u64, PageRecord)]) -> Vec<Ranked> {
        records.iter().map(|(_, record)| self.judge(record)).collect()
    }

    fn judge(&self, record: &PageRecord) -> Ranked {
        let Some((url, LeaseKind::Page, Outcome::Body { truncated, .. })) = read_back(record) else {
            return Ranked::NoPage;
        };
        match self.judge_stored(&url, record, truncated.is_some()) {
            Some(judgement) => Ranked::Judged(Box::new(judgement)),
            None => Ranked::Unreadable,
        }
    }

    fn judge_stored(&self, url: &CanonicalUrl, record: &PageRecord, is_cut: bool) -> Option<Judgement> {
        let stored = stored(&self.view, record, self.page_bytes)?;
        let response = Response {
            content_type: record.content_type.as_deref(),
            x_robots_tag: &stored.x_robots_tag,
            refresh: stored.refresh.as_deref(),
            body: &stored.body,
        };
        let mut judgement = self.processor.judge_response(url, &response, is_cut);
        // How far a page is from targets is what the strategy has learnt, not the judge.
        if let Some(nearness) = record.parts.as_ref().and_then(|parts| parts.nearness) {
            judgement.layer = Some(nearness.layer);
            judgement.parts.nearness = Some(nearness);
        }
        Some(judgement)
    }
}

/// The judgement that a page has.
pub(super) fn judgement_of(record: &PageRecord) -> Judgement {
    Judgement {
        relevance: record.relevance.unwrap_or_default(),
        verdict: match record.relevant {
            Some(true) => Verdict::Relevant,
            _ => Verdict::Irrelevant,
        },
        genre: record.genre.clone(),
        layer: record
            .parts
            .as_ref()
            .and_then(|parts| parts.nearness)
            .map(|near| near.layer),
        parts: record.parts.clone().unwrap_or_default(),
    }
}
