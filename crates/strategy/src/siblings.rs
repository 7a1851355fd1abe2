//! Genre-aware queueing: a good page raises the links listed next to its own.
//!
//! Pages of one genre tend to be listed together, so when one item of a list turns out good, the rest of the list is
//! worth a look. Which parent's list counts and how ties are broken are settings: with the first parent and
//! first-in-first-out ties, a serial crawl is plain breadth-first, because the items of a list are already adjacent
//! in the queue.

use scenthound_types::named_enum;
use scenthound_types::{Merge, PageReport, Parents, Rank, Standing, Update, Updates, UrlKey};

use crate::{Needs, Strategy, offer_links, random_tie};

/// Who gets a visited page's score.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pull {
    /// Its children: the traditional focused crawler (PS).
    Children,
    /// Its siblings (FS).
    Siblings,
    /// Both (PFS).
    Both,
}

named_enum! {
    /// How equal scores are ordered.
    #[derive(Default)]
    pub enum Ties {
        /// The link found first comes first.
        #[default]
        Fifo = "fifo",
        /// In random order, drawn from the seed of the crawl.
        Random = "random",
        /// First those whose parent has had the fewest children visited: one item of each list, then the lists that paid off.
        Probe = "probe",
    }
}

/// The policies PS, FS-1, FS-2, PFS-1 and PFS-2.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Siblings {
    /// The name it is selected by.
    pub name: &'static str,
    /// Who gets the score.
    pub pull: Pull,
    /// Only scores above this are passed on; none passes all on.
    pub change_threshold: Option<f64>,
    /// Whose children count as siblings.
    pub parents: Parents,
    /// How a passed-on score is combined with the one a URL has.
    pub merge: Merge,
    /// How equal scores are ordered.
    pub ties: Ties,
}

/// The change threshold of the paper.
pub const CHANGE_THRESHOLD: f64 = 0.20;

impl Siblings {
    /// Pages pass their score to their children.
    pub const PS: Siblings = Siblings::policy("ps", Pull::Children, None);
    /// Pages pass their score to their siblings.
    pub const FS_1: Siblings = Siblings::policy("fs-1", Pull::Siblings, None);
    /// Pages above the change threshold pass their score to their siblings: the paper's default.
    pub const FS_2: Siblings = Siblings::policy("fs-2", Pull::Siblings, Some(CHANGE_THRESHOLD));
    /// Pages pass their score to children and siblings.
    pub const PFS_1: Siblings = Siblings::policy("pfs-1", Pull::Both, None);
    /// Pages above the change threshold pass their score to children and siblings.
    pub const PFS_2: Siblings = Siblings::policy("pfs-2", Pull::Both, Some(CHANGE_THRESHOLD));

    const fn policy(name: &'static str, pull: Pull, change_threshold: Option<f64>) -> Siblings {
        Siblings {
            name,
            pull,
            change_threshold,
            parents: Parents::All,
            merge: Merge::Max,
            ties: Ties::Fifo,
        }
    }

    fn tie(&self, key: UrlKey) -> u32 {
        if self.ties == Ties::Random {
            random_tie(key)
        } else {
            0
        }
    }
}

impl Strategy for Siblings {
    fn name(&self) -> &'static str {
        self.name
    }

    fn needs(&self) -> Needs {
        Needs {
            all_parents: self.pull != Pull::Children && self.parents == Parents::All,
            siblings: self.pull != Pull::Children,
            ..Needs::default()
        }
    }

    fn seed(&self, key: UrlKey, _seeds: usize) -> Rank {
        Rank {
            tie: self.tie(key),
            ..Rank::of_score(1.0)
        }
    }

    fn observe(&mut self, report: &PageReport<'_>, out: &mut Updates) {
        let score = report.judgement.map(|judgement| judgement.relevance);
        let passed = score.filter(|score| self.change_threshold.is_none_or(|threshold| *score > threshold));
        let to_children = passed.filter(|_| self.pull != Pull::Siblings);
        let to_siblings = passed.filter(|_| self.pull != Pull::Children && !report.lease.seed);
        if let Some(score) = to_siblings {
            out.push(Update::RaiseSiblings {
                of: report.lease.key,
                parents: self.parents,
                rank: Rank::of_score(score),
                merge: self.merge,
            });
        }
        // A child that is already known keeps its tie, and its score unless this page passes something on.
        offer_links(report, Merge::Keep, out, |key| Rank {
            tie: self.tie(key),
            ..Rank::of_score(to_children.unwrap_or(0.0))
        });
        if let Some(score) = to_children {
            let known = report.links.iter().filter(|link| link.standing != Standing::New);
            out.extend(known.map(|link| Update::Raise {
                of: link.key,
                rank: Rank::of_score(score),
                merge: self.merge,
            }));
        }
        if self.ties == Ties::Probe {
            out.push(Update::RetieSiblings { of: report.lease.key });
        }
    }
}
