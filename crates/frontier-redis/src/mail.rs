//! Letters from one shard to another: what a page of one shard means for URLs of another.
//!
//! A letter is written in the same commit as the page it follows from, to the outbox of the page's shard, and numbered for each
//! shard it goes to. Delivering it twice changes nothing, because the receiving shard commits the number of the last letter it
//! read together with what the letter changed. It reads them in order of their numbers, and they leave the outbox only then.

use std::collections::BTreeMap;

use crate::keys::{Shard, Table};
use crate::storage::RedisStorage;
use crate::{Link, RedisFault, script};

/// A letter on its way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Letter {
    /// The shard it comes from.
    pub from: u16,
    /// Its number among the letters from that shard to its receiver, from 1.
    pub number: u64,
    /// What it says.
    pub body: Vec<u8>,
}

/// The letters of a shard that were written and not yet read.
#[derive(Debug, Default)]
pub(crate) struct Mail {
    /// By receiver and number, with the commit that wrote them.
    pub outbox: BTreeMap<(u16, u64), (u64, Vec<u8>)>,
    /// The last number delivered to each shard, as far as this process has done it.
    pub delivered: BTreeMap<u16, u64>,
    /// The last number sent to each shard.
    pub sent: BTreeMap<u16, u64>,
    /// The last number read from each shard, and the commit that says so.
    pub read: BTreeMap<u16, (u64, u64)>,
}

impl RedisStorage {
    /// Writes a letter to another shard. It may be delivered once it is committed.
    pub fn send(&mut self, to: u16, body: Vec<u8>) {
        let number = self.mail.sent.entry(to).or_default();
        *number += 1;
        let number = *number;
        let fields = &mut self.pending.fields;
        fields.insert((Table::Sent, name(to)), Some(number.to_string().into_bytes()));
        fields.insert((Table::Outbox, numbered(to, number)), Some(body.clone()));
        self.mail
            .outbox
            .insert((to, number), (self.commits.made() + 1, body));
    }

    /// The committed letters that are to be delivered, by receiver.
    pub fn letters(&self) -> impl Iterator<Item = (u16, Letter)> {
        let from = self.shard.number();
        let is_committed = move |commit: u64| commit <= self.commits.confirmed;
        let letters = self.mail.outbox.iter();
        letters
            .filter(move |((to, number), (commit, _))| {
                let delivered = self.mail.delivered.get(to).copied().unwrap_or_default();
                *number > delivered && is_committed(*commit)
            })
            .map(move |((to, number), (_, body))| {
                let body = body.clone();
                (
                    *to,
                    Letter {
                        from,
                        number: *number,
                        body,
                    },
                )
            })
    }

    /// Notes that the letters to a shard are delivered up to this number.
    pub fn delivered(&mut self, to: u16, number: u64) {
        self.mail.delivered.insert(to, number);
    }

    /// Delivers the letters to a shard once more that are not known to be read.
    pub fn deliver_again(&mut self, to: u16) {
        self.mail.delivered.remove(&to);
    }

    /// Whether no letter waits to be read.
    pub fn has_no_letters(&self) -> bool {
        self.mail.outbox.is_empty()
    }

    /// The shards that letters wait to be read by.
    pub fn receivers(&self) -> Vec<u16> {
        let mut receivers: Vec<u16> = self.mail.outbox.keys().map(|(to, _)| *to).collect();
        receivers.dedup();
        receivers
    }

    /// Drops the letters to a shard up to the number it has read. Returns whether there were any.
    pub fn were_read(&mut self, to: u16, number: u64) -> bool {
        let read: Vec<(u16, u64)> = self
            .mail
            .outbox
            .range((to, 0)..=(to, number))
            .map(|(at, _)| *at)
            .collect();
        for at in &read {
            self.mail.outbox.remove(at);
            self.pending
                .fields
                .insert((Table::Outbox, numbered(at.0, at.1)), None);
        }
        !read.is_empty()
    }

    /// Notes that a letter is read. False if it is not the next from its shard: then it must not be.
    pub fn read(&mut self, letter: &Letter) -> bool {
        let read = self.mail.read.entry(letter.from).or_default();
        let fields = &mut self.pending.fields;
        if letter.number <= read.0 {
            // Delivered once more.
            fields.insert((Table::Inbox, numbered(letter.from, letter.number)), None);
            return false;
        }
        if letter.number != read.0 + 1 {
            return false;
        }
        *read = (letter.number, self.commits.made() + 1);
        fields.insert(
            (Table::Read, name(letter.from)),
            Some(letter.number.to_string().into_bytes()),
        );
        fields.insert((Table::Inbox, numbered(letter.from, letter.number)), None);
        true
    }

    /// The last letter of a shard that was read, if that is committed.
    pub fn has_read(&self, from: u16) -> Option<u64> {
        let (number, commit) = self.mail.read.get(&from)?;
        (*commit <= self.commits.confirmed).then_some(*number)
    }

    /// The letters that were delivered, in the order in which they must be read.
    pub fn inbox(&self) -> Result<Vec<Letter>, RedisFault> {
        let mut command = redis::cmd("HGETALL");
        command.arg(self.shard.table(Table::Inbox));
        let fields: Vec<(String, Vec<u8>)> = self.link.query(&command)?;
        let mut letters = Vec::with_capacity(fields.len());
        for (field, body) in fields {
            let (from, number) =
                parse(&field).ok_or_else(|| self.damaged(&format!("a letter has the number {field:?}")))?;
            letters.push(Letter { from, number, body });
        }
        letters.sort_unstable_by_key(|letter| (letter.from, letter.number));
        Ok(letters)
    }
}

/// Puts letters into a shard's inbox, whoever owns it.
pub fn deliver(link: &Link, to: &Shard, letters: &[Letter]) -> Result<(), RedisFault> {
    let mut command = script::deliver(&[to.table(Table::Read), to.table(Table::Inbox)]);
    for letter in letters {
        command
            .arg(letter.from)
            .arg(letter.number)
            .arg(letter.body.as_slice());
    }
    link.query::<i64>(&command).map(|_| ())
}

/// The number of the last letter that a shard has read from each of these.
pub fn received_by(link: &Link, to: &Shard, from: &[u16]) -> Result<Vec<u64>, RedisFault> {
    let mut command = redis::cmd("HMGET");
    command.arg(to.table(Table::Read));
    for from in from {
        command.arg(name(*from));
    }
    let numbers: Vec<Option<u64>> = link.query(&command)?;
    Ok(numbers.into_iter().map(Option::unwrap_or_default).collect())
}

fn name(shard: u16) -> Vec<u8> {
    shard.to_string().into_bytes()
}

fn numbered(shard: u16, number: u64) -> Vec<u8> {
    format!("{shard}:{number}").into_bytes()
}

/// Reads what [`numbered`] wrote.
pub(crate) fn parse(field: &str) -> Option<(u16, u64)> {
    let (shard, number) = field.split_once(':')?;
    Some((shard.parse().ok()?, number.parse().ok()?))
}
