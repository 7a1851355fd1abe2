//! Which IP addresses several nodes ask.
//!
//! Many sites can share an address, and their shards may belong to different nodes. A node that asks an address says so every few
//! seconds and learns how many others do. Each of them then leaves it alone that many times longer, so that all of them together
//! ask it no more often than one machine would. Nobody waits for this: it is said for an address, not for a request.

use std::net::IpAddr;

use scenthound_frontier::FrontierError;
use scenthound_frontier_redis::{RedisFault, script_on};

use crate::frontier::ClusterFrontier;

/// How many seconds a node counts as asking an address after it has said so.
const COUNTS_FOR: u32 = 30;

/// Says that a node asks an address, and counts those that do. The server's own clock is the only one that all nodes share.
const SHARE: &str = "
local now = tonumber(redis.call('TIME')[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - tonumber(ARGV[2]))
redis.call('ZADD', KEYS[1], now, ARGV[1])
redis.call('EXPIRE', KEYS[1], ARGV[2])
return redis.call('ZCARD', KEYS[1])
";

impl ClusterFrontier {
    /// Says that this node asks these addresses. Returns how many nodes ask each, itself included; nothing of those that Redis did
    /// not answer for.
    pub fn share_addresses(&self, addresses: &[IpAddr]) -> Result<Vec<(IpAddr, u32)>, FrontierError> {
        let mut shared = Vec::with_capacity(addresses.len());
        for address in addresses {
            let mut asked = script_on(SHARE, &self.space.key(&format!("ip:{address}")));
            asked.arg(&self.member.node).arg(COUNTS_FOR);
            match self.link.query(&asked) {
                Ok(nodes) => shared.push((*address, nodes)),
                Err(fault) if RedisFault::is_passing(&fault) => break,
                Err(fault) => return Err(fault.into()),
            }
        }
        Ok(shared)
    }
}
