//! SearXNG: the JSON API of the user's own instance.
//!
//! It has categories: `discussions` is its `social media` and `q&a`, and `blogs` is the web with the word "blog". The
//! number of results per page depends on the engines behind it; at least ten can be expected.

use std::time::Duration;

use scenthound_types::CanonicalUrl;
use serde_json::Value;

use super::fault::EngineFault;
use super::{AnswerPage, Category, Engine, Pace, Question, Request, Secret, json, request_at};

const NEEDS_JSON: &str =
    "allow json under search: formats: in SearXNG's settings.yml, and check that its limiter lets you in";

pub(super) struct SearXng {
    pub(super) base: CanonicalUrl,
}

impl Engine for SearXng {
    fn pace(&self, _: &Question) -> Pace {
        Pace {
            page_size: 10,
            pages: 20,
            spacing: Duration::from_secs(1),
        }
    }

    fn request(&self, question: &Question, page: u32) -> Result<Request, EngineFault> {
        let (category, words) = match question.category {
            Category::Web => ("general", question.query.clone()),
            Category::News => ("news", question.query.clone()),
            Category::Discussions => ("social media,q&a", question.query.clone()),
            Category::Blogs => ("general", question.words()),
        };
        let page = (page + 1).to_string();
        let parameters = [
            ("q", words.as_str()),
            ("format", "json"),
            ("categories", category),
            ("pageno", &page),
        ];
        request_at(&self.base, "/search", &parameters, Vec::new())
    }

    fn read(&self, _: &Question, answer: &Value) -> Result<AnswerPage, EngineFault> {
        let hits = json::hits(answer.get("results"), "url", "results")?;
        Ok(AnswerPage {
            has_more: !hits.is_empty(),
            hits,
        })
    }

    fn refusal(&self, status: u16, _: &Value, _: Option<&str>) -> Option<EngineFault> {
        matches!(status, 401 | 403).then_some(EngineFault::JsonRefused {
            status,
            remedy: NEEDS_JSON,
        })
    }

    fn remedy_for_html(&self) -> &'static str {
        NEEDS_JSON
    }

    fn secrets(&self) -> Vec<&Secret> {
        Vec::new()
    }
}
