//! The fields of a page record that the dashboard keeps.
//!
//! Most of a record is the reasons of its judgement, which nobody asks for until a page is opened. Passing over them makes
//! large crawls faster to read.

use scenthound::CanonicalUrl;
use scenthound_store::{PageRecord, RECORD_VERSION};
use scenthound_types::{LeaseKind, Nearness, Outcome, OutcomeCode, Truncation};
use serde::Deserialize;

/// A page record, as far as it is kept. The fields mean what they mean in [`PageRecord`].
#[derive(Debug, Deserialize)]
pub(crate) struct BriefRecord {
    #[serde(default)]
    v: u32,
    pub url: String,
    #[serde(default)]
    final_url: Option<String>,
    pub kind: LeaseKind,
    #[serde(default)]
    pub status: Option<u16>,
    pub outcome: OutcomeCode,
    #[serde(default)]
    truncated: Option<Truncation>,
    pub fetched_at: String,
    pub ms: u64,
    pub bytes: u64,
    #[serde(default)]
    pub title: Option<String>,
    #[serde(default)]
    pub language: Option<String>,
    #[serde(default)]
    pub relevance: Option<f64>,
    #[serde(default)]
    relevant: Option<bool>,
    #[serde(default)]
    pub genre: Option<BriefGenre>,
    #[serde(default)]
    parts: Option<BriefParts>,
    #[serde(default)]
    pub hidden: bool,
    pub depth: u16,
    #[serde(default)]
    pub parent: Option<String>,
    #[serde(default)]
    pub seed: bool,
    #[serde(default)]
    pub revisit: bool,
    #[serde(default)]
    pub agent: Option<u8>,
    #[serde(default)]
    pub unasked: bool,
    #[serde(default)]
    pub canonical: Option<String>,
    #[serde(default)]
    pub duplicate_of: Option<String>,
}

/// The genre of a page.
#[derive(Debug, Deserialize)]
pub(crate) struct BriefGenre {
    pub class: String,
}

#[derive(Debug, Deserialize)]
struct BriefParts {
    #[serde(default)]
    nearness: Option<Nearness>,
}

/// A later judgement, as far as it is kept.
#[derive(Debug, Deserialize)]
pub(crate) struct BriefJudgement {
    pub line: u64,
    pub url: String,
    relevance: f64,
    relevant: bool,
    #[serde(default)]
    genre: Option<BriefGenre>,
    #[serde(default)]
    parts: Option<BriefParts>,
    #[serde(default)]
    hidden: bool,
}

impl BriefRecord {
    /// Reads a line of the page records; none if it is not one of ours.
    pub fn read(line: &[u8]) -> Option<BriefRecord> {
        let record: BriefRecord = serde_json::from_slice(line).ok()?;
        (record.v == RECORD_VERSION).then_some(record)
    }

    /// Replaces what a later judgement decides.
    pub fn judge_as(&mut self, judgement: BriefJudgement) {
        self.relevance = Some(judgement.relevance);
        self.relevant = Some(judgement.relevant);
        self.genre = judgement.genre;
        self.parts = judgement.parts;
        self.hidden = judgement.hidden;
    }

    pub fn nearness(&self) -> Option<Nearness> {
        self.parts.as_ref()?.nearness
    }

    /// The rules of [`PageRecord`], applied to a record that has only the fields that decide them.
    fn deciding(&self) -> PageRecord {
        PageRecord {
            kind: self.kind,
            status: self.status,
            outcome: self.outcome,
            truncated: self.truncated,
            relevance: self.relevance,
            relevant: self.relevant,
            revisit: self.revisit,
            unasked: self.unasked,
            duplicate_of: self.duplicate_of.as_ref().map(|_| String::new()),
            ..PageRecord::default()
        }
    }

    pub fn is_ok(&self) -> bool {
        self.outcome.is_ok()
    }

    pub fn is_judged_page(&self) -> bool {
        self.deciding().is_judged_page()
    }

    pub fn is_relevant(&self) -> bool {
        self.relevant == Some(true)
    }

    pub fn is_find(&self) -> bool {
        self.deciding().is_find()
    }

    pub fn counts_as_page(&self) -> bool {
        self.deciding().counts_as_page()
    }

    pub fn outcome(&self) -> Option<Outcome> {
        let to = self
            .final_url
            .as_deref()
            .filter(|_| self.outcome == OutcomeCode::Redirect);
        let to = to.and_then(|to| CanonicalUrl::parse(to).ok());
        Outcome::recorded(self.outcome, self.status, to.as_ref(), self.truncated)
    }
}

#[cfg(test)]
mod tests {
    use scenthound_store::JudgementRecord;

    use super::*;

    fn records() -> Vec<PageRecord> {
        let page = PageRecord {
            url: "http://a.test/\u{e9}".to_owned(),
            status: Some(200),
            relevance: Some(0.75),
            relevant: Some(true),
            title: Some("A \"title\"".to_owned()),
            fingerprint: Some(0x0123_4567_89ab_cdef),
            ..PageRecord::default()
        };
        vec![
            PageRecord {
                duplicate_of: Some("http://a.test/1".to_owned()),
                ..page.clone()
            },
            PageRecord {
                revisit: true,
                ..page.clone()
            },
            PageRecord {
                outcome: OutcomeCode::Redirect,
                status: Some(301),
                final_url: Some("http://a.test/2".to_owned()),
                relevance: None,
                ..page.clone()
            },
            PageRecord {
                kind: LeaseKind::Robots,
                unasked: true,
                ..page.clone()
            },
            page,
        ]
    }

    #[test]
    fn a_brief_record_says_the_same_as_the_whole_one() {
        for record in records() {
            let line = serde_json::to_vec(&record).unwrap_or_default();
            let Some(brief) = BriefRecord::read(&line) else {
                panic!("{record:?} was not read");
            };
            assert_eq!(brief.url, record.url);
            assert_eq!(brief.title, record.title);
            assert_eq!(brief.outcome(), record.outcome(), "{record:?}");
            assert_eq!(brief.is_judged_page(), record.is_judged_page(), "{record:?}");
            assert_eq!(brief.is_find(), record.is_find(), "{record:?}");
            assert_eq!(brief.counts_as_page(), record.counts_as_page(), "{record:?}");
        }
    }

    #[test]
    fn a_line_of_another_version_is_not_read() {
        let record = PageRecord {
            v: RECORD_VERSION + 1,
            ..PageRecord::default()
        };
        let line = serde_json::to_vec(&record).unwrap_or_default();
        assert!(BriefRecord::read(&line).is_none());
    }

    #[test]
    fn a_later_judgement_replaces_the_first() {
        let judgement = JudgementRecord {
            relevance: 0.25,
            hidden: true,
            ..JudgementRecord::default()
        };
        let line = serde_json::to_vec(&judgement).unwrap_or_default();
        let judgement: BriefJudgement = match serde_json::from_slice(&line) {
            Ok(judgement) => judgement,
            Err(error) => panic!("{error}"),
        };
        for record in records() {
            let line = serde_json::to_vec(&record).unwrap_or_default();
            if let Some(mut brief) = BriefRecord::read(&line) {
                brief.judge_as(BriefJudgement {
                    url: record.url,
                    genre: None,
                    parts: None,
                    ..judgement
                });
                assert_eq!((brief.relevance, brief.is_relevant()), (Some(0.25), false));
                assert!(brief.hidden);
            }
        }
    }
}
