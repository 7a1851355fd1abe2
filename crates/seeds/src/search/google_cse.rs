//! Google's Programmable Search Engine, through its JSON API.
//!
//! It has no categories: `news`, `discussions` and `blogs` ask for pages that contain one of a few words besides the
//! query (`orTerms`). At most a hundred results, ten per page.

use std::time::Duration;

use scenthound_types::CanonicalUrl;
use serde_json::Value;

use super::fault::EngineFault;
use super::{AnswerPage, Category, Engine, Pace, Question, Request, Secret, json, request_at};

pub(super) const BASE: &str = "https://www.googleapis.com/";
pub(super) const KEY: &str = "GOOGLE_CSE_KEY";
pub(super) const CX: &str = "GOOGLE_CSE_CX";
pub(super) const KEYS_AT: &str = "https://developers.google.com/custom-search/v1/introduction";

pub(super) struct GoogleCse {
    pub(super) base: CanonicalUrl,
    pub(super) key: Secret,
    pub(super) cx: Secret,
}

impl Engine for GoogleCse {
    fn pace(&self, question: &Question) -> Pace {
        Pace {
            page_size: question.most.clamp(1, 10),
            pages: 10,
            spacing: Duration::from_secs(1),
        }
    }

    fn request(&self, question: &Question, page: u32) -> Result<Request, EngineFault> {
        let size = self.pace(question).page_size;
        let (num, start) = (size.to_string(), (1 + page as usize * size).to_string());
        let mut parameters = vec![
            ("key", self.key.reveal()),
            ("cx", self.cx.reveal()),
            ("q", question.query.as_str()),
            ("num", &num),
            ("start", &start),
        ];
        parameters.extend(match question.category {
            Category::Web => None,
            Category::News => Some(("orTerms", "news")),
            Category::Discussions => Some(("orTerms", "forum discussion thread")),
            Category::Blogs => Some(("orTerms", "blog")),
        });
        request_at(&self.base, "/customsearch/v1", &parameters, Vec::new())
    }

    fn read(&self, _: &Question, answer: &Value) -> Result<AnswerPage, EngineFault> {
        let queries = answer.get("queries");
        // If nothing was found, the items are left out.
        let hits = match answer.get("items") {
            None if queries.is_some_and(Value::is_object) => Vec::new(),
            items => json::hits(items, "link", "items")?,
        };
        Ok(AnswerPage {
            has_more: queries.is_some_and(|queries| queries.get("nextPage").is_some()),
            hits,
        })
    }

    fn refusal(&self, status: u16, answer: &Value, said: Option<&str>) -> Option<EngineFault> {
        let error = answer.get("error");
        let reasons = |list: &str| -> Vec<&str> {
            let list = error.and_then(|error| error.get(list)).and_then(Value::as_array);
            let reasons = list.into_iter().flatten();
            reasons
                .filter_map(|item| item.get("reason").and_then(Value::as_str))
                .collect()
        };
        let reasons = [reasons("errors"), reasons("details")].concat();
        let is = |names: &[&str]| reasons.iter().any(|reason| names.contains(reason));
        let saying = said.map(str::to_owned);
        if is(&["dailyLimitExceeded", "quotaExceeded"])
            || (status == 429 && said.is_some_and(|said| said.contains("per day")))
        {
            return Some(EngineFault::QuotaUsedUp { said: saying });
        }
        if is(&[
            "rateLimitExceeded",
            "userRateLimitExceeded",
            "RATE_LIMIT_EXCEEDED",
        ]) {
            return Some(EngineFault::Busy {
                status,
                retry_after: None,
                said: saying,
            });
        }
        let is_key = matches!(status, 401 | 403)
            || is(&["keyInvalid", "API_KEY_INVALID"])
            || (status == 400 && said.is_some_and(|said| said.contains("API key")));
        is_key.then_some(EngineFault::KeyRefused {
            status,
            said: saying,
            at: KEYS_AT,
        })
    }

    fn remedy_for_html(&self) -> &'static str {
        "check the URL; the default is www.googleapis.com"
    }

    fn secrets(&self) -> Vec<&Secret> {
        vec![&self.key, &self.cx]
    }
}
