//! Letters between shards: writing, delivering and reading them.

use std::collections::{BTreeMap, HashMap};

use scenthound_frontier::{Frontier, FrontierError, ShardMap};
use scenthound_frontier_redis::{Letter, deliver, received_by};
use scenthound_types::{AgentId, Evidence, Merge, Offer, Rank, Timestamp, Update, UrlKey};

use crate::fault::ClusterFault;
use crate::frontier::ClusterFrontier;
use crate::letter::{self, Item};

/// Offers of a generation that are remembered.
const GENERATION: usize = 200_000;

/// The best rank with which each URL was offered to another shard lately. What changes nothing there is not offered again.
#[derive(Debug, Default)]
pub(crate) struct Sent {
    young: HashMap<(AgentId, UrlKey), Rank>,
    old: HashMap<(AgentId, UrlKey), Rank>,
}

impl Sent {
    /// Whether an offer says more than those before.
    pub fn is_news(&mut self, agent: AgentId, offer: &Offer) -> bool {
        let key = (agent, offer.key);
        let known = self.young.get(&key).or_else(|| self.old.get(&key)).copied();
        let is_news = match (known, offer.merge) {
            (None, _) | (_, Merge::Add | Merge::Replace) => true,
            (Some(_), Merge::Keep) => false,
            (Some(known), Merge::Max) => offer.rank > known,
        };
        if is_news {
            if self.young.len() >= GENERATION {
                self.old = std::mem::take(&mut self.young);
            }
            let best = known.map_or(offer.rank, |known| known.max(offer.rank));
            self.young.insert(key, best);
        }
        is_news
    }
}

impl ClusterFrontier {
    /// Puts what was said since the last commit into letters, which become durable with it.
    pub(crate) fn write_letters(&mut self) {
        for ((from, to), items) in std::mem::take(&mut self.outgoing) {
            if let Some(owned) = self.owned.get_mut(&from) {
                owned.is_dirty = true;
                owned.frontier.storage_mut().send(to, letter::write(&items));
                self.duty.activity += 1;
            }
        }
    }

    /// Delivers the letters that are committed: directly to shards of this node, otherwise to the inbox in Redis.
    pub(crate) fn deliver(&mut self, now: Timestamp) -> Result<(), FrontierError> {
        let mut by_receiver: BTreeMap<u16, Vec<Letter>> = BTreeMap::new();
        for owned in self.owned.values() {
            for (to, letter) in owned.frontier.storage().letters() {
                by_receiver.entry(to).or_default().push(letter);
            }
        }
        for (to, letters) in by_receiver {
            if self.owned.contains_key(&to) {
                for letter in letters {
                    self.read(to, &letter, now)?;
                    self.mark_delivered(to, &letter);
                }
            } else {
                deliver(&self.link, &self.space.shard(to), &letters)?;
                for letter in &letters {
                    self.mark_delivered(to, letter);
                }
            }
        }
        Ok(())
    }

    fn mark_delivered(&mut self, to: u16, letter: &Letter) {
        if let Some(sender) = self.owned.get_mut(&letter.from) {
            sender.frontier.storage_mut().delivered(to, letter.number);
        }
    }

    /// Reads a letter, if it is the next from its shard.
    fn read(&mut self, to: u16, letter: &Letter, now: Timestamp) -> Result<(), FrontierError> {
        let Some(owned) = self.owned.get_mut(&to) else {
            return Ok(());
        };
        let frontier = owned.change();
        if !frontier.storage_mut().read(letter) {
            return Ok(());
        }
        self.duty.activity += 1;
        let shards = self.member.shards;
        let map = ShardMap {
            here: to,
            shard_of: &|key| letter::shard_of(key, shards),
        };
        let damaged = || ClusterFault::Letter { from: letter.from };
        let mut strangers = (0, 0);
        let mut tell = Vec::new();
        for item in letter::read(letter.from, &letter.body)? {
            match item {
                Item::Offer(offer) => {
                    let foreign = offer.into_foreign(self.keyring).ok_or_else(damaged)?;
                    let (pages, hosts) = frontier.receive(foreign, now)?;
                    strangers = (strangers.0 + pages, strangers.1 + hosts);
                }
                Item::Raise {
                    agent,
                    of,
                    rank,
                    merge,
                } => {
                    let update = Update::Raise {
                        of: UrlKey(of),
                        rank: rank.into(),
                        merge,
                    };
                    frontier.receive_update(AgentId(agent), &update, now)?;
                }
                Item::Note { agent, of, note } => {
                    let update = Update::Note {
                        of: UrlKey(of),
                        note: note.into(),
                    };
                    frontier.receive_update(AgentId(agent), &update, now)?;
                }
                Item::Evidence { agent, of, evidence } => {
                    let (agent, of) = (AgentId(agent), UrlKey(of));
                    let mut evidence = Evidence::from_bytes(&evidence).ok_or_else(damaged)?;
                    // Here it is known what the sender could not know.
                    if let Some(mut known) = frontier.evidence(agent, of)? {
                        known.gather(&evidence);
                        evidence = known;
                    }
                    frontier.keep_evidence(agent, of, &evidence)?;
                }
                item @ (Item::Children { .. } | Item::ChildrenAbroad { .. } | Item::RaiseChildren { .. }) => {
                    let news = item.into_kin_news().ok_or_else(damaged)?;
                    let heard = frontier.hear_kin(news, letter.from, map, now)?;
                    strangers = (strangers.0 + heard.strangers.0, strangers.1 + heard.strangers.1);
                    tell.extend(heard.tell);
                }
            }
        }
        if let Some(owned) = self.owned.get_mut(&to) {
            owned.strangers = (owned.strangers.0 + strangers.0, owned.strangers.1 + strangers.1);
        }
        // These letters are committed together with the news that this one was read.
        for (shard, news) in tell {
            self.write(to, shard, news.into());
        }
        Ok(())
    }

    /// Reads the inboxes of some shards, the next ones each time.
    pub(crate) fn read_inboxes(&mut self, most: usize, now: Timestamp) -> Result<(), FrontierError> {
        let next = self.duty.next_inbox;
        let after = self.owned.range(next..).chain(self.owned.range(..next));
        let numbers: Vec<u16> = after.map(|(number, _)| *number).take(most).collect();
        for number in numbers {
            let Some(owned) = self.owned.get(&number) else {
                continue;
            };
            let letters = owned.frontier.storage().inbox()?;
            for letter in letters {
                self.read(number, &letter, now)?;
            }
            self.duty.next_inbox = number + 1;
            self.duty.inboxes_read += 1;
        }
        Ok(())
    }

    /// Drops letters that their receivers have read. With `again`, delivers the others once more.
    pub(crate) fn drop_read_letters(&mut self, again: bool) -> Result<(), FrontierError> {
        let mut senders: BTreeMap<u16, Vec<u16>> = BTreeMap::new();
        for (from, owned) in &self.owned {
            for to in owned.frontier.storage().receivers() {
                senders.entry(to).or_default().push(*from);
            }
        }
        for (to, from) in senders {
            let read = match self.owned.get(&to) {
                Some(receiver) => {
                    let storage = receiver.frontier.storage();
                    from.iter()
                        .map(|from| storage.has_read(*from).unwrap_or_default())
                        .collect()
                }
                None => received_by(&self.link, &self.space.shard(to), &from)?,
            };
            for (from, read) in from.into_iter().zip(read) {
                if let Some(owned) = self.owned.get_mut(&from) {
                    let storage = owned.frontier.storage_mut();
                    if storage.were_read(to, read) {
                        owned.is_dirty = true;
                    }
                    if again {
                        owned.frontier.storage_mut().deliver_again(to);
                    }
                }
            }
        }
        Ok(())
    }
}
