//! A web's responses to a crawl, in the engine's terms.
//!
//! The pages are already parsed and their judgements may be cached, so only the rules of the page processor remain to be
//! applied. Unless a rule looks at the page, none of its words are read.

use std::time::Duration;

use scenthound_engine::{
    Found, LeaseResult, LinkOpinion, PageRules, ProcessedPage, ResponseFacts, find_rules,
};
use scenthound_types::{Failure, Keyring, Lease, LeaseKind, Outcome, Refusal, Timestamp};

use crate::answer::Answers;
use crate::opinion::PageJudge;
use crate::recorded::PageId;
use crate::web::{Links, Reply, Web};

/// A web, a judge of its pages, and the rules of the crawl.
pub(crate) struct WebAnswers<'w> {
    web: &'w dyn Web,
    judge: &'w dyn PageJudge,
    rules: PageRules,
    links: Box<dyn Links + 'w>,
}

impl<'w> WebAnswers<'w> {
    pub(crate) fn new(
        web: &'w dyn Web,
        judge: &'w dyn PageJudge,
        rules: PageRules,
        keyring: Keyring,
    ) -> WebAnswers<'w> {
        WebAnswers {
            links: web.links(keyring),
            web,
            judge,
            rules,
        }
    }

    fn process(&self, lease: &Lease, page: PageId) -> ProcessedPage {
        let mut opinion = self.judge.opinion(self.web, page, self.rules.needs().snippets);
        let lesson = opinion.lesson.take();
        let of_link = |at: usize| LinkOpinion {
            snippets: opinion.snippets.get(at).copied(),
            place: opinion.places.get(at).copied(),
        };
        let parsed = if self.rules.need_page() {
            self.web.page(page)
        } else {
            None
        };
        if let Some(parsed) = parsed {
            let judgement = opinion.judgement.clone();
            let processed = self
                .rules
                .apply(lease, parsed, judgement, |at, _, _, _| of_link(at));
            return ProcessedPage { lesson, ..processed };
        }
        let mut links = Vec::new();
        self.links.of(page, &mut links);
        for (at, link) in links.iter_mut().enumerate() {
            let opinion = of_link(at);
            (link.snippets, link.place) = (opinion.snippets, opinion.place);
        }
        if self.rules.needs().notes {
            for (link, text) in links.iter_mut().zip(self.web.link_texts(page).iter()) {
                link.path = text.path;
                link.tokens = Some(std::sync::Arc::clone(&text.tokens));
            }
        }
        ProcessedPage {
            lesson,
            ..ProcessedPage::of_links(opinion.judgement, links)
        }
    }

    /// The outcome of a request, and the body if it is a robots.txt.
    fn outcome(&self, reply: Reply) -> (Outcome, Vec<u8>) {
        let body = |rules| {
            let outcome = Outcome::Body {
                status: 200,
                truncated: None,
            };
            (outcome, rules)
        };
        match reply {
            Reply::Page(_) => body(Vec::new()),
            Reply::Rules(rules) => body(rules),
            Reply::Redirect { status, to } => (Outcome::Redirect { status, to }, Vec::new()),
            Reply::NotRecorded => (Outcome::Failed(Failure::NotRecorded), Vec::new()),
            Reply::Status(300..=399) => (Outcome::Refused(Refusal::RedirectTarget), Vec::new()),
            Reply::Status(status) => (Outcome::Failed(Failure::Status(status)), Vec::new()),
            Reply::NoText => (Outcome::Refused(Refusal::ContentType), Vec::new()),
        }
    }
}

impl Answers for WebAnswers<'_> {
    fn answer(&self, lease: Lease, now: Timestamp, took: Duration) -> LeaseResult<()> {
        let reply = self.web.find(lease.target());
        let page = match &reply {
            Reply::Page(page) => Some(*page),
            _ => None,
        };
        let (outcome, rules) = self.outcome(reply);
        // No request would have been made for a URL that was not recorded, so it costs no visit and no rest.
        let asked = outcome != Outcome::Failed(Failure::NotRecorded);
        let found = match (lease.kind, page) {
            (LeaseKind::Robots, _) => find_rules(&lease, &outcome, &rules, now),
            (LeaseKind::Page, Some(page)) => Found::Page(Box::new(self.process(&lease, page))),
            // A recorded web keeps neither sitemaps nor requisites.
            (LeaseKind::Page | LeaseKind::Sitemap | LeaseKind::Requisite, _) => Found::Nothing,
        };
        let facts = ResponseFacts {
            asked,
            started: Timestamp::from_millis(now.as_millis().saturating_sub(took.as_millis() as u64)),
            took,
            ..ResponseFacts::default()
        };
        LeaseResult {
            lease,
            outcome,
            found,
            facts,
            payload: Some(()),
        }
    }
}
