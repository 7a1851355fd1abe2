//! Whether seeds have the words of the topic, for crawls whose judge cannot tell: a table that is built from the seeds calls all of
//! them relevant.

use scenthound_config::Settings;
use scenthound_judge::{Judge, QueryJudge, QueryMatch};
use scenthound_store::{CrawlView, PageRecord};
use scenthound_types::CanonicalUrl;

use crate::page_of_response;

/// A page with a smaller share of the query's words is not about the topic, unless it has other terms of it.
const LEAST_SHARE: f64 = 0.5;

/// Compares seeds with the topic's own words.
pub(super) struct SeedWords<'a> {
    view: &'a CrawlView,
    query: QueryJudge,
    terms: Option<QueryJudge>,
}

impl SeedWords<'_> {
    /// None if the judge compares pages with the topic itself, or if the topic has no words.
    pub(super) fn new<'a>(settings: &Settings, view: &'a CrawlView) -> Option<SeedWords<'a>> {
        settings.strategy_judges()?;
        let language = settings.topic.language;
        let query = settings.query();
        let terms: Vec<&str> = (settings.terms.content.iter())
            .map(String::as_str)
            .filter(|term| *term != query)
            .collect();
        Some(SeedWords {
            view,
            query: QueryJudge::new(query, QueryMatch::All, language).ok()?,
            terms: QueryJudge::new(&terms.join(" "), QueryMatch::Any, language).ok(),
        })
    }

    /// Whether a seed lacks the topic's words; none if it could not be read from the archive.
    pub(super) fn is_off_topic(&self, record: &PageRecord) -> Option<bool> {
        let stored = self.view.record(record.archive.as_ref()?).ok()?;
        let url = CanonicalUrl::parse(&record.url).ok()?;
        let page = page_of_response(&url, &stored.http()?)?;
        let has_terms = |terms: &QueryJudge| terms.judge(&page).is_relevant();
        let share = self.query.judge(&page).relevance;
        Some(share < LEAST_SHARE && !self.terms.as_ref().is_some_and(has_terms))
    }
}
