//! A bandit over groups of links: which kind of place on a site do links to relevant pages stand in?
//!
//! Links found on one host inside the same elements form a group. A group is worth
//!
//! ```text
//! mean reward + α · √(ln t / draws)
//! ```
//!
//! where a draw is a visited page that a link of the group first led to, its reward is 1 if the page is relevant and 0 if
//! not, and t counts all draws. The next page comes from the group worth most; within the group, every link is as likely as
//! any other.
//!
//! Strategies do not choose at the moment a URL is leased: they give scores, and the frontier leases the best. So each link
//! gets the value that its group would have when its turn comes. A hash of its key, a number u from 0 to 1, gives its place
//! in a random order of the group's links: its turn comes after u · links draws. Its score is the group's value with that
//! many draws, or with the draws made so far if they are more, and with the mean reward as it is now. Taking the best score
//! again and again then gives the same order as drawing groups, as long as the means do not change. They do, and therefore
//! waiting links are scored again every few pages.
//!
//! A link's group is stored in its tie, which comes back with its lease and when it is scored again.
//!
//! Invariant: there are at most [`GROUPS`] groups. Beyond that, groups share their counts.

use std::collections::{BTreeMap, BTreeSet};

use scenthound_types::{
    Merge, PageReport, Rank, ReportedLink, Rng, Score, Standing, StateDelta, Updates, UrlKey, WaitingLink,
};

use crate::{Needs, Rescoring, RestoreError, Strategy, offer_each, random_tie};

/// The most groups.
const GROUPS: u32 = 1 << 17;
/// The group of seeds: they are not links, and nothing is learnt from them.
const SEEDS: u32 = u32::MAX;
/// Waiting links are scored again after this many pages.
const PAGES_PER_EPOCH: u64 = 10;
/// The name under which the number of draws is saved.
const DRAWS: &str = "draws";
/// What comes before a group's number in the name under which it is saved.
const GROUP: &str = "group ";

/// What is known about a group.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Group {
    /// Links found.
    links: u32,
    /// Pages visited.
    draws: u32,
    /// Relevant ones among them.
    rewards: u32,
}

impl Group {
    fn add(&mut self, more: Group) {
        self.links = self.links.saturating_add(more.links);
        self.draws = self.draws.saturating_add(more.draws);
        self.rewards = self.rewards.saturating_add(more.rewards);
    }

    fn to_bytes(self) -> Vec<u8> {
        [self.links, self.draws, self.rewards]
            .iter()
            .flat_map(|number| number.to_le_bytes())
            .collect()
    }

    fn from_bytes(bytes: &[u8]) -> Option<Group> {
        let mut numbers = bytes.chunks_exact(4).map(|four| {
            let four: [u8; 4] = four.try_into().ok()?;
            Some(u32::from_le_bytes(four))
        });
        let mut next = || numbers.next().flatten();
        let group = Group {
            links: next()?,
            draws: next()?,
            rewards: next()?,
        };
        (bytes.len() == 12).then_some(group)
    }
}

/// Groups of links by where they stand, drawn by an upper confidence bound.
#[derive(Clone, Debug)]
pub struct Bandit {
    /// α: how much uncertainty counts.
    explore: f64,
    groups: BTreeMap<u32, Group>,
    draws: u64,
    epoch: u64,
    unsaved: BTreeSet<u32>,
    /// What other nodes of the crawl have not been told yet; none where there are no others.
    told: Option<BTreeMap<u32, Group>>,
}

impl Default for Bandit {
    fn default() -> Bandit {
        Bandit::new(2.0 * std::f64::consts::SQRT_2)
    }
}

impl Bandit {
    /// The strategy with this α.
    pub fn new(explore: f64) -> Bandit {
        Bandit {
            explore,
            groups: BTreeMap::new(),
            draws: 0,
            epoch: 0,
            unsaved: BTreeSet::new(),
            told: None,
        }
    }

    /// Adds to what is known about a group.
    fn add(&mut self, number: u32, more: Group) {
        self.groups.entry(number).or_default().add(more);
        self.draws = self.draws.saturating_add(more.draws.into());
        self.unsaved.insert(number);
    }

    /// Adds what this node has seen itself.
    fn see(&mut self, number: u32, more: Group) {
        self.add(number, more);
        if let Some(told) = &mut self.told {
            told.entry(number).or_default().add(more);
        }
    }

    /// The rank of a link in a group.
    fn rank(&self, number: u32, key: UrlKey) -> Rank {
        let group = self.groups.get(&number).copied().unwrap_or_default();
        let place = f64::from(random_tie(key)) / f64::from(u32::MAX) * f64::from(group.links);
        let draws = f64::from(group.draws).max(place);
        let mean = f64::from(group.rewards) / f64::from(group.draws.max(1));
        let time = (self.draws as f64 + 2.0).ln();
        Rank {
            class: 0,
            // One draw is added, so that a group without draws is worth much but not everything.
            score: Score::new(mean + self.explore * (time / (1.0 + draws)).sqrt()),
            tie: number,
        }
    }
}

/// The group of a link on a page of this host.
fn group_of(host: &str, link: &ReportedLink) -> u32 {
    let bytes = host.bytes().chain(link.path.to_le_bytes());
    let hash = bytes.fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    (Rng::mix(hash) % u64::from(GROUPS)) as u32
}

impl Strategy for Bandit {
    fn name(&self) -> &'static str {
        "bandit"
    }

    fn needs(&self) -> Needs {
        Needs {
            paths: true,
            rescoring: Rescoring {
                pages: PAGES_PER_EPOCH,
                ..Rescoring::default()
            },
            ..Needs::default()
        }
    }

    fn seed(&self, _key: UrlKey, _seeds: usize) -> Rank {
        Rank {
            // No group is ever worth this much.
            score: Score::new(1e6),
            tie: SEEDS,
            ..Rank::default()
        }
    }

    fn observe(&mut self, report: &PageReport<'_>, out: &mut Updates) {
        let drawn = report.lease.taken.rank.tie;
        if let Some(judgement) = report.judgement
            && drawn < GROUPS
            && !report.lease.revisit
        {
            let draw = Group {
                links: 0,
                draws: 1,
                rewards: judgement.is_relevant().into(),
            };
            self.see(drawn, draw);
            self.epoch += 1;
        }
        let host = report.lease.url.host().to_owned();
        for link in report.links.iter().filter(|link| link.standing == Standing::New) {
            let found = Group {
                links: 1,
                ..Group::default()
            };
            self.see(group_of(&host, link), found);
        }
        // A URL belongs to the group of the first link to it.
        offer_each(report, Merge::Keep, out, |_, link| {
            self.rank(group_of(&host, link), link.key)
        });
    }

    fn epoch(&self) -> u64 {
        self.epoch
    }

    fn rescore(&mut self, waiting: &WaitingLink<'_>) -> Option<Rank> {
        let number = waiting.rank.tie;
        (number < GROUPS).then(|| self.rank(number, waiting.key))
    }

    fn save_changes(&mut self, out: &mut StateDelta) {
        if self.unsaved.is_empty() {
            return;
        }
        out.put(DRAWS, self.draws.to_le_bytes());
        for number in std::mem::take(&mut self.unsaved) {
            let group = self.groups.get(&number).copied().unwrap_or_default();
            out.put(format!("{GROUP}{number}"), group.to_bytes());
        }
    }

    fn restore(&mut self, saved: &[(String, Vec<u8>)]) -> Result<(), RestoreError> {
        let damaged = |name: &str| RestoreError::Damaged {
            strategy: "bandit",
            what: format!("{name} cannot be read"),
        };
        for (name, value) in saved {
            if name == DRAWS {
                let bytes: [u8; 8] = value.as_slice().try_into().map_err(|_| damaged(name))?;
                self.draws = u64::from_le_bytes(bytes);
            } else if let Some(number) = name.strip_prefix(GROUP) {
                let number: u32 = number.parse().map_err(|_| damaged(name))?;
                let group = Group::from_bytes(value).ok_or_else(|| damaged(name))?;
                self.groups.insert(number, group);
            }
        }
        // What waits was scored by what had been learnt at the time.
        self.epoch += 1;
        Ok(())
    }

    fn share_lessons(&mut self) {
        self.told.get_or_insert_default();
    }

    fn lessons(&mut self) -> Vec<u8> {
        let told = self.told.as_mut().map(std::mem::take).unwrap_or_default();
        let lesson =
            |(number, group): (u32, Group)| [number.to_le_bytes().to_vec(), group.to_bytes()].concat();
        told.into_iter().flat_map(lesson).collect()
    }

    fn hear_lessons(&mut self, lessons: &[u8]) -> Result<(), RestoreError> {
        let damaged = || RestoreError::Damaged {
            strategy: "bandit",
            what: "the lessons of another node cannot be read".to_owned(),
        };
        let mut rest = lessons;
        while !rest.is_empty() {
            let (number, after) = rest.split_first_chunk::<4>().ok_or_else(damaged)?;
            let (group, after) = after.split_first_chunk::<12>().ok_or_else(damaged)?;
            let number = u32::from_le_bytes(*number);
            let more = Group::from_bytes(group).filter(|_| number < GROUPS);
            self.add(number, more.ok_or_else(damaged)?);
            rest = after;
        }
        if !lessons.is_empty() {
            self.epoch += 1;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trial::{Trial, url};

    const MENU: u32 = 1;
    const LIST: u32 = 2;

    #[test]
    fn links_of_one_host_and_path_are_a_group() {
        let mut trial = Trial::new(Bandit::default());
        let ranks = trial.see(1, 0.0, &[(10, MENU, 0), (11, MENU, 0), (12, LIST, 0)]);
        assert_eq!(ranks[0].tie, ranks[1].tie);
        assert_ne!(ranks[0].tie, ranks[2].tie);
        let same_host = trial.see(2, 0.0, &[(13, MENU, 0)]);
        let other_host = trial.see(200, 0.0, &[(14, MENU, 0)]);
        assert_eq!(ranks[0].tie, same_host[0].tie);
        assert_ne!(ranks[0].tie, other_host[0].tie);
    }

    /// A site whose menu has led nowhere and whose list has led to relevant pages, three times each.
    fn learnt() -> (Trial<Bandit>, Rank, Rank) {
        let mut trial = Trial::new(Bandit::default());
        trial.taken = trial.strategy.seed(url(1).1, 1);
        let ranks = trial.see(1, 0.0, &[(10, MENU, 0), (12, LIST, 0)]);
        let (menu, list) = (ranks[0], ranks[1]);
        for page in 20..23 {
            trial.taken = menu;
            trial.see(page, 0.0, &[]);
            trial.taken = list;
            trial.see(page + 10, 1.0, &[]);
        }
        (trial, menu, list)
    }

    fn again(trial: &mut Trial<Bandit>, rank: Rank) -> f64 {
        let evidence = Default::default();
        let waiting = WaitingLink {
            key: UrlKey(7),
            rank,
            parent: None,
            evidence: &evidence,
        };
        trial.strategy.rescore(&waiting).unwrap().score.get()
    }

    #[test]
    fn groups_that_were_rewarded_come_first_and_new_groups_before_them() {
        let (mut trial, menu, list) = learnt();
        let (menu, list) = (again(&mut trial, menu), again(&mut trial, list));
        assert!((list - menu - 1.0).abs() < 1e-9, "the mean reward");
        // t = 6, three draws: α √(ln 8 / 4).
        assert!((menu - 8.0_f64.sqrt() * (8.0_f64.ln() / 4.0).sqrt()).abs() < 1e-9);
        let fresh = trial.see(300, 0.0, &[(301, MENU, 0)]);
        assert!(fresh[0].score.get() > list);
    }

    #[test]
    fn the_links_of_a_group_wait_for_their_turns() {
        let mut trial = Trial::new(Bandit::default());
        let links: Vec<(u64, u32, u64)> = (0..50).map(|page| (page + 10, LIST, 0)).collect();
        let mut ranks = trial.see(1, 0.0, &links);
        ranks.sort();
        // Their values fall as if they were drawn one after the other.
        let (last, first) = (ranks[0].score.get(), ranks[49].score.get());
        assert!(first > 1.5 * last);
        assert!(ranks.windows(2).all(|pair| pair[0].score < pair[1].score));
    }

    #[test]
    fn seeds_and_their_reading_teach_nothing() {
        let mut trial = Trial::new(Bandit::default());
        trial.taken = trial.strategy.seed(url(1).1, 1);
        trial.see(1, 1.0, &[]);
        assert_eq!(trial.strategy.epoch(), 0);
        let evidence = Default::default();
        let waiting = WaitingLink {
            key: UrlKey(7),
            rank: trial.taken,
            parent: None,
            evidence: &evidence,
        };
        assert_eq!(trial.strategy.rescore(&waiting), None);
    }

    #[test]
    fn nodes_that_tell_each_other_know_what_one_machine_knows() {
        let (mut alone, menu, list) = learnt();
        let mut nodes = [(); 2].map(|()| Trial::new(Bandit::default()));
        nodes.iter_mut().for_each(|node| node.strategy.share_lessons());
        nodes[0].taken = nodes[0].strategy.seed(url(1).1, 1);
        nodes[0].see(1, 0.0, &[(10, MENU, 0), (12, LIST, 0)]);
        for page in 20..23 {
            let node = &mut nodes[page as usize % 2];
            node.taken = menu;
            node.see(page, 0.0, &[]);
            node.taken = list;
            node.see(page + 10, 1.0, &[]);
        }
        let [first, second] = nodes.each_mut().map(|node| node.strategy.lessons());
        nodes[0].strategy.hear_lessons(&second).unwrap();
        nodes[1].strategy.hear_lessons(&first).unwrap();
        for node in &mut nodes {
            assert_eq!(again(node, list), again(&mut alone, list));
            assert_eq!(again(node, menu), again(&mut alone, menu));
            assert!(
                node.strategy.lessons().is_empty(),
                "what was heard is not told again"
            );
            assert!(node.strategy.hear_lessons(&first[..5]).is_err());
        }
    }

    #[test]
    fn what_was_learnt_survives() {
        let (mut trial, _, list) = learnt();
        let mut saved = StateDelta::default();
        trial.strategy.save_changes(&mut saved);
        let mut again_saved = StateDelta::default();
        trial.strategy.save_changes(&mut again_saved);
        assert!(again_saved.is_empty());
        let mut restored = Trial::new(Bandit::default());
        restored.strategy.restore(saved.changes()).unwrap();
        assert_eq!(again(&mut restored, list), again(&mut trial, list));
        let damaged = [("group 5".to_owned(), vec![1, 2])];
        assert!(Bandit::default().restore(&damaged).is_err());
    }
}
