//! A frontier in one Redis server passes the contract suite for all frontiers, and keeps what it committed.

#![allow(clippy::unwrap_used)] // the lint exempts test functions, but not what they call

mod harness;

use std::sync::{Arc, OnceLock};

use harness::{Sharded, lasting};
use scenthound_frontier::HostPolicy;
use scenthound_frontier_contract::{Harness, frontier_contract, restart_contract};
use scenthound_frontier_redis::{Link, ShardFrontier};
use scenthound_testweb::RedisServer;
use scenthound_types::{Keyring, Timestamp};

fn link() -> Arc<Link> {
    static SERVER: OnceLock<RedisServer> = OnceLock::new();
    static LINK: OnceLock<Arc<Link>> = OnceLock::new();
    let server = lasting(&SERVER, || RedisServer::start(&[]));
    let link = LINK.get_or_init(|| Arc::new(Link::connect(&server.address()).unwrap()));
    link.clone()
}

struct InRedis(Sharded);

impl Harness for InRedis {
    type F = ShardFrontier;
    const SURVIVES: bool = true;
    const CASES: u32 = 24;

    fn fresh(policy: HostPolicy, keyring: Keyring) -> InRedis {
        InRedis(Sharded::on(link(), policy, keyring))
    }

    fn frontier(&mut self) -> &mut ShardFrontier {
        &mut self.0.frontier
    }

    fn restart(&mut self, now: Timestamp) {
        self.0.restart(now);
    }
}

frontier_contract!(InRedis);
restart_contract!(InRedis);
