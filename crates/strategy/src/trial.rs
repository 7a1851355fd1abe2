//! Shows a strategy pages one at a time, for tests.

use scenthound_types::{
    AgentId, CanonicalUrl, Evidence, Judgement, Keyring, Lease, LeaseId, LeaseKind, Outcome, PageReport,
    ParentPage, Parts, Priority, Rank, ReportedLink, Standing, Update, Updates, UrlKey, Verdict,
};

use crate::Strategy;

/// A strategy and what it will be told about the next page.
pub(crate) struct Trial<S> {
    pub(crate) strategy: S,
    /// The rank the next page is leased with.
    pub(crate) taken: Rank,
    /// What is known about the next page.
    pub(crate) evidence: Option<Evidence>,
}

/// A page's URL and key. Pages of one hundred are on one host.
pub(crate) fn url(page: u64) -> (CanonicalUrl, UrlKey) {
    let url = CanonicalUrl::parse(&format!("http://h{}.test/{page}", page / 100)).unwrap();
    let key = Keyring::new(1).key(&url);
    (url, key)
}

/// What a link with this word on that page says.
pub(crate) fn said(parent: u64, word: u64) -> Evidence {
    let mut evidence = Evidence::of_words(vec![word], vec![], vec![]);
    evidence.add_parent(ParentPage {
        key: url(parent).1,
        relevance: 0.0,
    });
    evidence
}

impl<S: Strategy> Trial<S> {
    pub(crate) fn new(strategy: S) -> Trial<S> {
        Trial {
            strategy,
            taken: Rank::default(),
            evidence: None,
        }
    }

    /// Shows a page of this relevance with its links: target, path and word of the anchor. Returns the ranks of the links.
    pub(crate) fn see(&mut self, page: u64, relevance: f64, links: &[(u64, u32, u64)]) -> Vec<Rank> {
        let (address, key) = url(page);
        let lease = Lease {
            id: LeaseId(page),
            agent: AgentId::default(),
            kind: LeaseKind::Page,
            url: address,
            key,
            parent: None,
            parent_url: None,
            depth: 0,
            site_depth: 0,
            seed: false,
            taken: Priority {
                rank: self.taken,
                age: 0,
            },
            attempt: 0,
            redirects: 0,
            revisit: false,
            location: None,
        };
        let judgement = Judgement {
            relevance,
            verdict: if relevance > 0.5 {
                Verdict::Relevant
            } else {
                Verdict::Irrelevant
            },
            genre: None,
            layer: None,
            parts: Parts::default(),
        };
        let links: Vec<ReportedLink> = links
            .iter()
            .map(|(to, path, word)| ReportedLink {
                url: url(*to).0,
                key: url(*to).1,
                standing: Standing::New,
                path: *path,
                snippets: None,
                place: None,
                evidence: Some(Box::new(said(page, *word))),
                tokens: None,
                note: None,
            })
            .collect();
        let evidence = self.evidence.take();
        let report = PageReport {
            lease: &lease,
            outcome: &Outcome::Body {
                status: 200,
                truncated: None,
            },
            judgement: Some(&judgement),
            words: None,
            evidence: evidence.as_ref(),
            note: None,
            links: &links,
            will_retry: false,
        };
        let mut updates = Updates::new();
        self.strategy.observe(&report, &mut updates);
        let rank = |update| match update {
            Update::Offer(offer) => Some(offer.rank),
            _ => None,
        };
        updates.into_iter().filter_map(rank).collect()
    }
}
