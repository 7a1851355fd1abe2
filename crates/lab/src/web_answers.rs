//! A web's answers to a crawl, in the engine's terms.

use std::time::Duration;

use scenthound_engine::{
    Examined, Found, FoundLink, LeaseResult, PageSettings, ResponseFacts, Skipped, link_evidence, page_words,
    read_rules,
};
use scenthound_strategy::Needs;
use scenthound_types::{
    Failure, Keyring, Lease, LeaseKind, Link, Outcome, PageDirectives, Refusal, Timestamp,
};

use crate::answer::Answers;
use crate::opinion::PageJudge;
use crate::web::{Links, Reply, Web};

/// A web, a judge of its pages, and the limits of the crawl.
pub(crate) struct WebAnswers<'w> {
    web: &'w dyn Web,
    judge: &'w dyn PageJudge,
    needs: Needs,
    limits: PageSettings,
    keyring: Keyring,
    links: Box<dyn Links + 'w>,
}

impl<'w> WebAnswers<'w> {
    pub(crate) fn new(
        web: &'w dyn Web,
        judge: &'w dyn PageJudge,
        needs: Needs,
        limits: PageSettings,
        keyring: Keyring,
    ) -> WebAnswers<'w> {
        WebAnswers {
            links: web.links(keyring),
            web,
            judge,
            needs,
            limits,
            keyring,
        }
    }

    fn examine(&self, lease: &Lease, page: crate::recorded::PageId) -> Examined {
        let opinion = self.judge.opinion(self.web, page, self.needs.snippets);
        let mut examined = Examined {
            title: String::new(),
            language: None,
            judgement: opinion.judgement,
            links: Vec::new(),
            words: None,
            skipped: Skipped::default(),
            directives: PageDirectives::default(),
            canonical: None,
            fingerprint: 0,
            encoding: "UTF-8",
            foreign: false,
            excluded: false,
        };
        let reads = self.limits.wrong_sense.is_some()
            || self.limits.has_limits()
            || self.needs.words
            || self.needs.evidence;
        let parsed = if reads { self.web.page(page) } else { None };
        if let Some(page) = &parsed {
            examined.excluded = self
                .limits
                .ignore(page, &mut examined.judgement, &mut examined.skipped);
            if examined.excluded {
                return examined;
            }
        }
        if self.needs.words {
            examined.words = parsed.as_ref().map(|page| Box::new(page_words(page)));
        }
        let evidence = |link: &Link| {
            let page = parsed.as_ref().filter(|_| self.needs.evidence)?;
            Some(Box::new(link_evidence(page, link)))
        };
        if self.limits.has_limits() {
            let Some(page) = &parsed else {
                return examined;
            };
            let links = self.limits.sift(
                lease,
                &page.links,
                page.directives.nofollow,
                &mut examined.skipped,
            );
            examined.links = links
                .map(|(at, link)| FoundLink {
                    key: self.keyring.key(&link.url),
                    url: link.url.clone(),
                    snippets: opinion.snippets.get(at).copied(),
                    place: opinion.places.get(at).copied(),
                    evidence: evidence(link),
                })
                .collect();
        } else {
            self.links.of(page, &mut examined.links);
            for (link, scores) in examined.links.iter_mut().zip(opinion.snippets) {
                link.snippets = Some(scores);
            }
            for (link, place) in examined.links.iter_mut().zip(opinion.places) {
                link.place = Some(place);
            }
            let links = parsed.iter().flat_map(|page| &page.links);
            for (found, link) in examined.links.iter_mut().zip(links) {
                found.evidence = evidence(link);
            }
        }
        examined
    }
}

impl Answers for WebAnswers<'_> {
    fn answer(&self, lease: Lease, now: Timestamp, took: Duration) -> LeaseResult<()> {
        let mut found = Found::Nothing;
        let mut body: Vec<u8> = Vec::new();
        let outcome = match self.web.find(&lease.url) {
            Reply::NotRecorded => Outcome::Failed(Failure::NotRecorded),
            Reply::Status(status @ 300..=399) => {
                let _ = status;
                Outcome::Refused(Refusal::RedirectTarget)
            }
            Reply::Status(status) => Outcome::Failed(Failure::Status(status)),
            Reply::NoText => Outcome::Refused(Refusal::ContentType),
            Reply::Redirect { status, to } => Outcome::Redirect { status, to },
            Reply::Page(page) => {
                if lease.kind == LeaseKind::Page {
                    found = Found::Page(Box::new(self.examine(&lease, page)));
                }
                Outcome::Body {
                    status: 200,
                    truncated: None,
                }
            }
            Reply::Rules(rules) => {
                body = rules;
                Outcome::Body {
                    status: 200,
                    truncated: None,
                }
            }
        };
        if lease.kind == LeaseKind::Robots {
            let (access, fresh_until) = read_rules(&outcome, &body, lease.attempt, now);
            found = Found::Rules(access, fresh_until);
        }
        let facts = ResponseFacts {
            // Nobody was there to be asked when the web was recorded: it costs no visit and no rest.
            asked: outcome != Outcome::Failed(Failure::NotRecorded),
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
