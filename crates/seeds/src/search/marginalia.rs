//! Marginalia Search, an index of the small and non-commercial web.
//!
//! It needs no personal key: `public` is shared by everybody without one, and is often busy. This API has no
//! categories, so the word for the category is added to the query.

use std::time::Duration;

use scenthound_types::CanonicalUrl;
use serde_json::Value;

use super::fault::EngineFault;
use super::{AnswerPage, Engine, Pace, Question, Request, Secret, json, request_at};

pub(super) const BASE: &str = "https://api2.marginalia-search.com/";
pub(super) const KEY: &str = "MARGINALIA_API_KEY";
const KEYS_AT: &str = "https://about.marginalia-search.com/article/api/";
/// The key shared by everybody without one.
const SHARED_KEY: &str = "public";

pub(super) struct Marginalia {
    pub(super) base: CanonicalUrl,
    pub(super) key: Option<Secret>,
}

impl Engine for Marginalia {
    fn pace(&self, question: &Question) -> Pace {
        Pace {
            page_size: question.most.clamp(1, 100),
            pages: 10,
            spacing: Duration::from_secs(1),
        }
    }

    fn request(&self, question: &Question, page: u32) -> Result<Request, EngineFault> {
        let count = self.pace(question).page_size.to_string();
        let (words, page) = (question.words(), (page + 1).to_string());
        let parameters = [("query", words.as_str()), ("count", &count), ("page", &page)];
        let key = self.key.clone().unwrap_or_else(|| Secret::new(SHARED_KEY));
        request_at(&self.base, "/search", &parameters, vec![("api-key", key)])
    }

    fn read(&self, _: &Question, answer: &Value) -> Result<AnswerPage, EngineFault> {
        let hits = json::hits(answer.get("results"), "url", "results")?;
        let number = |name: &str| answer.get(name).and_then(Value::as_u64);
        let is_last = matches!((number("page"), number("pages")), (Some(page), Some(pages)) if page >= pages);
        Ok(AnswerPage {
            has_more: !hits.is_empty() && !is_last,
            hits,
        })
    }

    fn refusal(&self, status: u16, _: &Value, said: Option<&str>) -> Option<EngineFault> {
        matches!(status, 401 | 403).then(|| EngineFault::KeyRefused {
            status,
            said: said.map(str::to_owned),
            at: KEYS_AT,
        })
    }

    fn remedy_for_html(&self) -> &'static str {
        "check the URL; the default is api2.marginalia-search.com"
    }

    fn secrets(&self) -> Vec<&Secret> {
        self.key.iter().collect()
    }
}
