//! A judge's results for the pages of a web, and how to compute them only once.
//!
//! A judgement depends only on the page and the topic, so strategies compared under one judge share its work:
//! [`CachedJudge`] keeps the numbers of each page after the first crawl that visits it.

use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

use crate::recorded::PageId;
use scenthound_engine::{LinkScorer, link_place};
use scenthound_judge::{Judge, Lesson};
use scenthound_types::{Judgement, LinkPlace, ParsedPage, Parts, SnippetScores, Verdict};

use crate::web::Web;

/// A judge's results for a page and for the words at its links.
#[derive(Clone, Debug)]
pub struct Opinion {
    /// The judgement of the page.
    pub judgement: Judgement,
    /// The scores of each link, in document order; empty unless requested.
    pub snippets: Vec<SnippetScores>,
    /// The place of each link according to its words; empty unless the judge has a context graph.
    pub places: Vec<LinkPlace>,
    /// What the judge may learn from the page, if it learns.
    pub lesson: Option<Box<Lesson>>,
}

/// Judges pages by number.
pub trait PageJudge: Send + Sync {
    /// Judges a page and, if requested, its links.
    fn opinion(&self, web: &dyn Web, page: PageId, snippets: bool) -> Opinion;

    /// Judges only the links of a page.
    fn snippets(&self, web: &dyn Web, page: PageId) -> Vec<SnippetScores> {
        self.opinion(web, page, true).snippets
    }

    /// The judge behind it, if that learns from the pages of a crawl.
    fn learner(&self) -> Option<Arc<dyn Judge>> {
        None
    }
}

/// A judge that reads the page each time.
pub struct DirectJudge(pub Arc<dyn Judge>);

impl PageJudge for DirectJudge {
    fn opinion(&self, web: &dyn Web, page: PageId, snippets: bool) -> Opinion {
        let Some(page) = web.page_with(page, self.0.reads()) else {
            return Opinion {
                judgement: verdict(0.0, false),
                snippets: Vec::new(),
                places: Vec::new(),
                lesson: None,
            };
        };
        let judge = self.0.as_ref();
        let (judgement, lesson) = judge.judge_and_keep(&page);
        Opinion {
            judgement,
            lesson,
            snippets: if snippets {
                link_scores(judge, &page)
            } else {
                Vec::new()
            },
            // If the first link has no place, the judge has no context graph.
            places: page
                .links
                .iter()
                .map_while(|link| link_place(judge, &page, link))
                .collect(),
        }
    }

    fn snippets(&self, web: &dyn Web, page: PageId) -> Vec<SnippetScores> {
        let page = web.page_of_tokens(page, self.0.reads());
        page.map_or_else(Vec::new, |page| link_scores(self.0.as_ref(), &page))
    }

    fn learner(&self) -> Option<Arc<dyn Judge>> {
        self.0.learner().is_some().then(|| self.0.clone())
    }
}

fn link_scores(judge: &dyn Judge, page: &ParsedPage) -> Vec<SnippetScores> {
    let scorer = LinkScorer::new(judge);
    let mut urls = page.link_url_words();
    let scores = page.links.iter();
    scores
        .map(|link| scorer.score(page, link, urls.of(&link.url)))
        .collect()
}

/// A judge that knows the labels: relevance 1 for the wanted pages, 0 for all others. For the words at links it asks another
/// judge, because a link's words are all that anyone can know about an unseen page.
pub struct Truth {
    /// The wanted pages.
    pub relevant: BTreeSet<PageId>,
    /// The judge of links.
    pub of_links: Arc<dyn PageJudge>,
}

impl PageJudge for Truth {
    fn opinion(&self, web: &dyn Web, page: PageId, snippets: bool) -> Opinion {
        let is_relevant = self.relevant.contains(&page);
        Opinion {
            judgement: verdict(f64::from(u8::from(is_relevant)), is_relevant),
            snippets: if snippets {
                self.of_links.snippets(web, page)
            } else {
                Vec::new()
            },
            places: Vec::new(),
            lesson: None,
        }
    }
}

fn verdict(relevance: f64, is_relevant: bool) -> Judgement {
    Judgement {
        relevance,
        verdict: if is_relevant {
            Verdict::Relevant
        } else {
            Verdict::Irrelevant
        },
        genre: None,
        layer: None,
        parts: Parts::default(),
    }
}

/// A judge that judges each page once. The parts of a relevance are not kept.
pub struct CachedJudge {
    judge: Arc<dyn PageJudge>,
    judgements: Vec<OnceLock<Judgement>>,
    snippets: Vec<OnceLock<Box<[SnippetScores]>>>,
    places: Vec<OnceLock<Box<[LinkPlace]>>>,
}

impl CachedJudge {
    /// Caches the results of this judge for a web with this many pages.
    pub fn new(judge: Arc<dyn PageJudge>, pages: usize) -> CachedJudge {
        CachedJudge {
            judge,
            judgements: (0..pages).map(|_| OnceLock::new()).collect(),
            snippets: (0..pages).map(|_| OnceLock::new()).collect(),
            places: (0..pages).map(|_| OnceLock::new()).collect(),
        }
    }
}

impl PageJudge for CachedJudge {
    fn learner(&self) -> Option<Arc<dyn Judge>> {
        self.judge.learner()
    }

    fn opinion(&self, web: &dyn Web, page: PageId, snippets: bool) -> Opinion {
        let at = page.0 as usize;
        if self.judge.learner().is_some() {
            return self.judge.opinion(web, page, snippets);
        }
        let (Some(judged), Some(scored)) = (self.judgements.get(at), self.snippets.get(at)) else {
            return self.judge.opinion(web, page, snippets);
        };
        if judged.get().is_none() || snippets && scored.get().is_none() {
            let opinion = self.judge.opinion(web, page, snippets);
            // Another thread may have been faster; its result is the same.
            let _ = judged.set(Judgement {
                parts: Parts::default(),
                ..opinion.judgement
            });
            if snippets {
                let _ = scored.set(opinion.snippets.into());
            }
            if !opinion.places.is_empty()
                && let Some(places) = self.places.get(at)
            {
                let _ = places.set(opinion.places.into());
            }
        }
        Opinion {
            judgement: judged.get().cloned().unwrap_or_else(|| verdict(0.0, false)),
            snippets: match scored.get() {
                Some(scores) if snippets => scores.to_vec(),
                _ => Vec::new(),
            },
            places: self
                .places
                .get(at)
                .and_then(OnceLock::get)
                .map_or_else(Vec::new, |places| places.to_vec()),
            lesson: None,
        }
    }
}
