//! Queues by how far the source page of a link is from a target.
//!
//! The judge predicts the layer of a page: 0…N, or N + 1 for none. [`ContextGraph`] serves the links of nearer pages
//! first, in the order they were found. [`Layered`] also reads the links themselves: links with the words of the
//! query come first and, within a queue, links whose words lead nearer to a target.
//!
//! Seeds come before every queue: they have no source page to tell how far they are, and the layers say nothing about
//! a web of which nothing has been read. In a queue of their own at the end, all but the first would starve.
//!
//! No state is kept here: queues are classes of the frontier, so a resumed crawl continues where it stopped.

use scenthound_types::{LinkPlace, Merge, PageReport, Rank, Score, Updates, UrlKey};
use serde::Serialize;

use crate::{Needs, Strategy, offer_each, offer_links};

/// What happens to a URL that is found again while it waits.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Placing {
    /// It stays where it is.
    #[default]
    Once,
    /// It moves up if the new position is better.
    Again,
}

impl Placing {
    pub(crate) fn merge(self) -> Merge {
        match self {
            Placing::Once => Merge::Keep,
            Placing::Again => Merge::Max,
        }
    }
}

/// The layer of the report's page; the one beyond the last if there is no prediction.
fn layer_of(report: &PageReport<'_>, layers: u8) -> u16 {
    let told = report.judgement.and_then(|judgement| judgement.layer);
    told.map_or(beyond(layers), |layer| u16::from(layer).min(beyond(layers)))
}

fn beyond(layers: u8) -> u16 {
    u16::from(layers) + 1
}

/// The class of seeds: before every queue.
pub(crate) const SEEDS: u16 = 0;

/// The class of a link in a queue, by the layer its words lead to. Queues are served one after the other, and within each
/// the links by layer.
pub(crate) fn class_of(layers: u8, queue: u16, link_layer: u16) -> u16 {
    let beyond = beyond(layers);
    SEEDS + 1 + queue.min(beyond) * (beyond + 1) + link_layer.min(beyond)
}

/// The class of links that were found before anything was learnt: behind every queue, and in none of them.
pub(crate) fn unlearnt_class(layers: u8) -> u16 {
    class_of(layers, beyond(layers), beyond(layers)) + 1
}

/// The rank of a link that a crawl looks around with: behind the seeds, which have no negative scores, and before every queue.
pub(crate) fn looking_around() -> Rank {
    Rank {
        class: SEEDS,
        ..Rank::of_score(-1.0)
    }
}

/// Where a link waits, read back from its class and score.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Queue {
    /// Before all others: it is a seed.
    Seeds,
    /// Behind the seeds: drawn at random, because the crawl had found no target for a while.
    LookingAround,
    /// In the queue of a layer.
    Layer {
        /// The layer of the page it is on, 0 also for hot links; none if the page is in no layer.
        queue: Option<u16>,
        /// The layer its words lead to; none if they lead to none, and if words are not read.
        link_layer: Option<u16>,
    },
    /// Behind all others: no layers had been learnt yet.
    Unlearnt,
}

/// The queues of a strategy that has one per layer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Queues {
    /// N, the distance of the farthest layer.
    pub layers: u8,
    /// Whether the links' own words count.
    pub reads_links: bool,
}

impl Queues {
    /// The queue that a class and a score stand for.
    pub fn of_rank(self, class: u16, score: f64) -> Queue {
        let known = |layer: u16| (layer < beyond(self.layers)).then_some(layer);
        let wide = beyond(self.layers) + 1;
        match class.checked_sub(SEEDS + 1) {
            None if score < 0.0 => Queue::LookingAround,
            None => Queue::Seeds,
            Some(_) if class >= unlearnt_class(self.layers) => Queue::Unlearnt,
            Some(place) => Queue::Layer {
                queue: known(place / wide),
                link_layer: known(place % wide).filter(|_| self.reads_links),
            },
        }
    }
}

/// The plain context-graph crawler: a queue for each layer, first in, first out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ContextGraph {
    /// N, the distance of the farthest layer.
    pub layers: u8,
    /// What happens to a URL that is found again.
    pub placing: Placing,
}

/// A rank of nothing but a class.
fn of_class(class: u16) -> Rank {
    Rank {
        class,
        ..Rank::of_score(0.0)
    }
}

impl Strategy for ContextGraph {
    fn name(&self) -> &'static str {
        "context-graph"
    }

    fn needs(&self) -> Needs {
        Needs {
            redirects: self.placing.merge(),
            ..Needs::default()
        }
    }

    fn seed(&self, _key: UrlKey, _seeds: usize) -> Rank {
        of_class(SEEDS)
    }

    fn observe(&mut self, report: &PageReport<'_>, out: &mut Updates) {
        let queue = layer_of(report, self.layers);
        let rank = of_class(class_of(self.layers, queue, beyond(self.layers)));
        offer_links(report, self.placing.merge(), out, |_| rank);
    }
}

/// Queues by layer, hot links first, ordered within a queue by what the links' own words predict.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Layered {
    /// N, the distance of the farthest layer.
    pub layers: u8,
    /// What happens to a URL that is found again.
    pub placing: Placing,
}

impl Layered {
    /// The rank of a link in queue `queue`: by the layer its words lead to, then by similarity.
    fn rank(&self, queue: u16, place: LinkPlace) -> Rank {
        Rank {
            class: class_of(self.layers, queue, place.layer.into()),
            score: Score::new(f64::from(place.similarity)),
            tie: 0,
        }
    }

    /// A link without words of its own, such as a sitemap entry.
    fn unread(&self) -> LinkPlace {
        LinkPlace {
            is_hot: false,
            layer: self.layers.saturating_add(1),
            similarity: 0.0,
        }
    }
}

impl Strategy for Layered {
    fn name(&self) -> &'static str {
        "layered"
    }

    fn needs(&self) -> Needs {
        Needs {
            places: true,
            redirects: self.placing.merge(),
            ..Needs::default()
        }
    }

    fn seed(&self, _key: UrlKey, _seeds: usize) -> Rank {
        of_class(SEEDS)
    }

    fn observe(&mut self, report: &PageReport<'_>, out: &mut Updates) {
        let layer = layer_of(report, self.layers);
        offer_each(report, self.placing.merge(), out, |_, link| {
            let place = link.place.unwrap_or_else(|| self.unread());
            self.rank(if place.is_hot { 0 } else { layer }, place)
        });
    }
}

#[cfg(test)]
mod tests {
    use scenthound_types::{
        AgentId, CanonicalUrl, Judgement, Keyring, Lease, LeaseId, LeaseKind, Outcome, Parts, Priority,
        ReportedLink, Standing, Update, Verdict,
    };

    use super::*;

    /// The ranks a strategy gives to the links of a page in a layer.
    fn ranks(
        strategy: &mut dyn Strategy,
        layer: Option<u8>,
        places: &[Option<LinkPlace>],
    ) -> Vec<(Rank, Merge)> {
        let url = CanonicalUrl::parse("http://web.test/").unwrap();
        let key = Keyring::new(1).key(&url);
        let lease = Lease {
            id: LeaseId(1),
            agent: AgentId::default(),
            kind: LeaseKind::Page,
            url: url.clone(),
            key,
            parent: None,
            parent_url: None,
            depth: 0,
            site_depth: 0,
            seed: true,
            taken: Priority::default(),
            attempt: 0,
            redirects: 0,
            revisit: false,
            location: None,
        };
        let judgement = Judgement {
            relevance: 0.0,
            verdict: Verdict::Irrelevant,
            genre: None,
            layer,
            parts: Parts::default(),
        };
        let links: Vec<ReportedLink> = places
            .iter()
            .map(|place| ReportedLink {
                url: url.clone(),
                key,
                standing: Standing::New,
                path: 0,
                snippets: None,
                place: *place,
                evidence: None,
                tokens: None,
                note: None,
            })
            .collect();
        let report = PageReport {
            lease: &lease,
            outcome: &Outcome::Body {
                status: 200,
                truncated: None,
            },
            judgement: Some(&judgement),
            links: &links,
            words: None,
            evidence: None,
            note: None,
            will_retry: false,
        };
        let mut updates = Updates::new();
        strategy.observe(&report, &mut updates);
        updates
            .into_iter()
            .filter_map(|update| match update {
                Update::Offer(offer) => Some((offer.rank, offer.merge)),
                _ => None,
            })
            .collect()
    }

    fn place(is_hot: bool, layer: u8, similarity: f32) -> Option<LinkPlace> {
        Some(LinkPlace {
            is_hot,
            layer,
            similarity,
        })
    }

    #[test]
    fn hot_links_come_first_then_those_of_near_pages_by_where_their_words_lead() {
        let mut layered = Layered {
            layers: 4,
            placing: Placing::Once,
        };
        let hot = ranks(&mut layered, Some(5), &[place(true, 5, 0.0)]);
        let near = ranks(
            &mut layered,
            Some(1),
            &[
                place(false, 0, 0.1),
                place(false, 2, 0.9),
                place(false, 2, 0.3),
                None,
            ],
        );
        let far = ranks(&mut layered, Some(2), &[place(false, 0, 1.0)]);
        let order: Vec<Rank> = [hot, near, far]
            .concat()
            .into_iter()
            .map(|(rank, _)| rank)
            .collect();
        assert!(order.windows(2).all(|pair| pair[0] > pair[1]), "{order:?}");
        assert!(order.iter().all(|rank| *rank < layered.seed(UrlKey(0), 1)));
        let known = Queues {
            layers: 4,
            reads_links: true,
        };
        let queues = order
            .iter()
            .map(|rank| known.of_rank(rank.class, rank.score.get()));
        let of = |queue, link_layer| Queue::Layer {
            queue: Some(queue),
            link_layer,
        };
        assert_eq!(
            queues.collect::<Vec<_>>(),
            [
                of(0, None),
                of(1, Some(0)),
                of(1, Some(2)),
                of(1, Some(2)),
                of(1, None),
                of(2, Some(0))
            ]
        );
        let of_rank = |rank: Rank| known.of_rank(rank.class, rank.score.get());
        assert_eq!(of_rank(layered.seed(UrlKey(0), 1)), Queue::Seeds);
        assert_eq!(of_rank(looking_around()), Queue::LookingAround);
    }

    #[test]
    fn the_plain_crawler_looks_at_the_page_alone() {
        let mut plain = ContextGraph {
            layers: 4,
            placing: Placing::Once,
        };
        let links = ranks(&mut plain, Some(3), &[place(true, 0, 1.0), place(false, 5, 0.0)]);
        assert_eq!(links[0], links[1]);
        assert_eq!(links[0].1, Merge::Keep);
        let known = Queues {
            layers: 4,
            reads_links: false,
        };
        let queue = |told| known.of_rank(ranks(&mut plain, told, &[None])[0].0.class, 0.0);
        let of = |queue| Queue::Layer {
            queue,
            link_layer: None,
        };
        // A page without a layer, or with an impossible one, is beyond all.
        assert_eq!(
            [Some(3), None, Some(200)].map(queue),
            [of(Some(3)), of(None), of(None)]
        );
        assert!(plain.seed(UrlKey(0), 1) > links[0].0);
    }

    #[test]
    fn a_url_found_again_moves_only_if_asked_for() {
        let mut again = Layered {
            layers: 4,
            placing: Placing::Again,
        };
        assert_eq!(ranks(&mut again, Some(0), &[None])[0].1, Merge::Max);
        assert_eq!(again.needs().redirects, Merge::Max);
    }
}
