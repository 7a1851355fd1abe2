//! The Brave Search API, with its web and news endpoints.
//!
//! `discussions` puts the forum threads that come with web answers before the web pages; `blogs` is the web with the
//! word "blog". The offset counts pages, up to 9.

use std::time::Duration;

use scenthound_types::CanonicalUrl;
use serde_json::Value;

use super::fault::EngineFault;
use super::{AnswerPage, Category, Engine, Pace, Question, Request, Secret, json, request_at};

pub(super) const BASE: &str = "https://api.search.brave.com/";
pub(super) const KEY: &str = "BRAVE_API_KEY";
pub(super) const KEYS_AT: &str = "https://brave.com/search/api/";

pub(super) struct Brave {
    pub(super) base: CanonicalUrl,
    pub(super) key: Secret,
}

impl Engine for Brave {
    fn pace(&self, question: &Question) -> Pace {
        let most = if question.category == Category::News {
            50
        } else {
            20
        };
        Pace {
            page_size: question.most.clamp(1, most),
            pages: 10,
            // The smallest plan allows one request per second.
            spacing: Duration::from_millis(1_100),
        }
    }

    fn request(&self, question: &Question, page: u32) -> Result<Request, EngineFault> {
        let count = self.pace(question).page_size.to_string();
        let offset = page.to_string();
        let (path, words, filter) = match question.category {
            Category::Web => ("/res/v1/web/search", question.query.clone(), Some("web")),
            Category::News => ("/res/v1/news/search", question.query.clone(), None),
            Category::Discussions => ("/res/v1/web/search", question.words(), Some("discussions,web")),
            Category::Blogs => ("/res/v1/web/search", question.words(), Some("web")),
        };
        let mut parameters = vec![("q", words.as_str()), ("count", &count), ("offset", &offset)];
        parameters.extend(filter.map(|filter| ("result_filter", filter)));
        let headers = vec![("x-subscription-token", self.key.clone())];
        request_at(&self.base, path, &parameters, headers)
    }

    fn read(&self, question: &Question, answer: &Value) -> Result<AnswerPage, EngineFault> {
        // If nothing was found, this part is left out altogether.
        let part = |name: &str, wanted| match answer.get(name) {
            None | Some(Value::Null) if answer.get("query").is_some_and(Value::is_object) => Ok(Vec::new()),
            part => json::hits(part.and_then(|part| part.get("results")), "url", wanted),
        };
        let hits = match question.category {
            Category::News => json::hits(answer.get("results"), "url", "results")?,
            Category::Discussions => {
                let mut hits = part("discussions", "discussions.results")?;
                hits.extend(part("web", "web.results")?);
                hits
            }
            Category::Web | Category::Blogs => part("web", "web.results")?,
        };
        let more = answer
            .get("query")
            .and_then(|query| query.get("more_results_available"));
        Ok(AnswerPage {
            has_more: more.and_then(Value::as_bool).unwrap_or(!hits.is_empty()),
            hits,
        })
    }

    fn refusal(&self, status: u16, answer: &Value, said: Option<&str>) -> Option<EngineFault> {
        let code = answer
            .get("error")
            .and_then(|error| error.get("code"))
            .and_then(Value::as_str);
        let said = said.map(str::to_owned);
        match (status, code.unwrap_or_default()) {
            (402, _) | (_, "QUOTA_LIMITED" | "USAGE_LIMIT_EXCEEDED") => {
                Some(EngineFault::QuotaUsedUp { said })
            }
            (401 | 403, _) | (_, "SUBSCRIPTION_TOKEN_INVALID" | "SUBSCRIPTION_NOT_FOUND") => {
                Some(EngineFault::KeyRefused {
                    status,
                    said,
                    at: KEYS_AT,
                })
            }
            _ => None,
        }
    }

    fn remedy_for_html(&self) -> &'static str {
        "check the URL; the default is api.search.brave.com"
    }

    fn secrets(&self) -> Vec<&Secret> {
        vec![&self.key]
    }
}
