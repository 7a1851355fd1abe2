//! The scripts that Redis runs, each atomic on one shard.

use redis::Cmd;

use crate::keys::Shard;
use crate::{Link, RedisFault};

/// Gives a shard to a node, if its owner is the one the node saw.
const CLAIM: &str = "
local token = redis.call('HGET', KEYS[1], 'token') or '0'
if token ~= ARGV[1] then return -1 end
token = redis.call('HINCRBY', KEYS[1], 'token', 1)
redis.call('HSET', KEYS[1], 'node', ARGV[2])
return token
";

/// Lets go of a shard.
const RELEASE: &str = "
if redis.call('HGET', KEYS[1], 'token') ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], 'node', '')
return 1
";

/// Applies a commit, unless the shard has another owner, it was applied before, or one before it is missing.
const COMMIT: &str = "
if redis.call('HGET', KEYS[1], 'token') ~= ARGV[1] then return 'fenced' end
local done = tonumber(redis.call('HGET', KEYS[1], 'commits') or '0')
local number = tonumber(ARGV[2])
if done >= number then return 'ok' end
if done + 1 ~= number then return tostring(done) end
local at = 3
while at <= #ARGV do
  local what, key = ARGV[at], KEYS[tonumber(ARGV[at + 1])]
  if what == 'R' then
    redis.call('SETRANGE', key, ARGV[at + 2], ARGV[at + 3])
    at = at + 4
  elseif what == 'H' then
    redis.call('HSET', key, ARGV[at + 2], ARGV[at + 3])
    at = at + 4
  elseif what == 'A' then
    redis.call('APPEND', key, ARGV[at + 2])
    at = at + 3
  else
    redis.call('HDEL', key, ARGV[at + 2])
    at = at + 3
  end
end
redis.call('HSET', KEYS[1], 'commits', ARGV[2])
return 'ok'
";

/// Puts letters into a shard's inbox that it has not read yet.
const DELIVER: &str = "
for at = 1, #ARGV, 3 do
  local read = tonumber(redis.call('HGET', KEYS[1], ARGV[at]) or '0')
  if tonumber(ARGV[at + 1]) > read then
    redis.call('HSET', KEYS[2], ARGV[at] .. ':' .. ARGV[at + 1], ARGV[at + 2])
  end
end
return 1
";

/// The right to commit to a shard, until somebody else claims it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Claim(pub(crate) u64);

/// Who owns a shard.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Owner {
    /// The node; none if it is free.
    pub node: Option<String>,
    token: u64,
}

/// The owner of a shard.
pub fn owner(link: &Link, shard: &Shard) -> Result<Owner, RedisFault> {
    let mut command = redis::cmd("HMGET");
    command.arg(shard.owner()).arg("node").arg("token");
    let (node, token): (Option<String>, Option<u64>) = link.query(&command)?;
    Ok(Owner {
        node: node.filter(|node| !node.is_empty()),
        token: token.unwrap_or_default(),
    })
}

/// Claims a shard for a node. None if it has another owner by now than the one the caller saw.
pub fn claim(link: &Link, shard: &Shard, seen: &Owner, node: &str) -> Result<Option<Claim>, RedisFault> {
    let mut command = eval(CLAIM, &[shard.owner()]);
    command.arg(seen.token).arg(node);
    let token: i64 = link.query(&command)?;
    Ok(u64::try_from(token).ok().map(Claim))
}

/// Lets go of a shard that was claimed. Nothing happens if somebody else has claimed it since.
pub fn release(link: &Link, shard: &Shard, claim: Claim) -> Result<(), RedisFault> {
    let mut command = eval(RELEASE, &[shard.owner()]);
    command.arg(claim.0);
    link.query::<i64>(&command).map(|_| ())
}

pub(crate) fn commit(keys: &[String]) -> Cmd {
    eval(COMMIT, keys)
}

pub(crate) fn deliver(keys: &[String]) -> Cmd {
    eval(DELIVER, keys)
}

/// A script that works on one key. Arguments are to follow.
pub fn script_on(script: &str, key: &str) -> Cmd {
    eval(script, &[key.to_owned()])
}

fn eval(script: &str, keys: &[String]) -> Cmd {
    let mut command = redis::cmd("EVAL");
    command.arg(script).arg(keys.len());
    for key in keys {
        command.arg(key);
    }
    command
}
