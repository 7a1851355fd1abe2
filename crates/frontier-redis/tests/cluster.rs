//! A frontier in a cluster of three Redis servers does the same, whatever the servers go through.

#![allow(clippy::unwrap_used)] // the lint exempts test functions, but not what they call

mod harness;

use std::sync::{Arc, OnceLock};

use harness::{Sharded, fresh_shard, lasting, take_over};
use scenthound_frontier::{Frontier, FrontierError, HostPolicy};
use scenthound_frontier_contract::{Harness, random, restarts, url};
use scenthound_frontier_redis::{Link, RedisFault, Shard, ShardFrontier, deliver, received_by};
use scenthound_testweb::{RedisCluster, RedisServer};
use scenthound_types::{Keyring, Merge, Offer, Rank, StateDelta, Timestamp};

fn cluster() -> &'static RedisCluster {
    static CLUSTER: OnceLock<RedisCluster> = OnceLock::new();
    lasting(&CLUSTER, || RedisCluster::start(3, 0))
}

struct InCluster(Sharded);

impl Harness for InCluster {
    type F = ShardFrontier;
    const SURVIVES: bool = true;
    const CASES: u32 = 8;

    fn fresh(policy: HostPolicy, keyring: Keyring) -> InCluster {
        static LINK: OnceLock<Arc<Link>> = OnceLock::new();
        let link = LINK.get_or_init(|| Arc::new(Link::connect(&cluster().address()).unwrap()));
        InCluster(Sharded::on(link.clone(), policy, keyring))
    }

    fn frontier(&mut self) -> &mut ShardFrontier {
        &mut self.0.frontier
    }

    fn restart(&mut self, now: Timestamp) {
        self.0.restart(now);
    }
}

/// In one test, because starting a cluster takes longer than all of them.
#[test]
fn the_contract_holds_in_a_cluster() {
    restarts::what_was_committed_is_there::<InCluster>();
    restarts::what_was_not_committed_never_was::<InCluster>();
    restarts::raises_and_parents_survive::<InCluster>();
    restarts::what_was_dropped_stays_dropped::<InCluster>();
    restarts::evidence_survives_a_restart::<InCluster>();
    random::a_frontier_does_what_a_plain_list_would::<InCluster>();
}

fn server(arguments: &[&str]) -> RedisServer {
    match RedisServer::start(arguments).unwrap() {
        Some(server) => server,
        None => {
            scenthound_testweb::skip("redis-server is not installed");
            std::process::exit(0);
        }
    }
}

fn keyring() -> Keyring {
    Keyring::new(7)
}

fn seed(name: &str) -> Offer {
    let url = url(name);
    Offer {
        key: keyring().key(&url),
        url,
        rank: Rank::default(),
        merge: Merge::Keep,
    }
}

fn alone(server: &RedisServer) -> (Arc<Link>, Shard, ShardFrontier) {
    let link = Arc::new(Link::connect(&server.address()).unwrap());
    let shard = fresh_shard();
    let frontier = take_over(&link, &shard, &HostPolicy::instant(), keyring(), Timestamp::ZERO);
    (link, shard, frontier)
}

fn fault(error: &FrontierError) -> &RedisFault {
    match error {
        FrontierError::Store(source) => source.downcast_ref().unwrap(),
        other => panic!("{other}"),
    }
}

fn commit(frontier: &mut ShardFrontier, name: &str) -> Result<(), FrontierError> {
    frontier.seed(&[seed(name)], Timestamp::ZERO).unwrap();
    frontier.commit(&StateDelta::default())
}

#[test]
fn whoever_lost_a_shard_cannot_commit_to_it() {
    let server = server(&[]);
    let (link, shard, mut first) = alone(&server);
    commit(&mut first, "a/1").unwrap();
    let mut second = take_over(&link, &shard, &HostPolicy::instant(), keyring(), Timestamp::ZERO);
    let refused = commit(&mut first, "a/2").unwrap_err();
    assert!(matches!(fault(&refused), RedisFault::Fenced { .. }), "{refused}");
    commit(&mut second, "a/3").unwrap();
    let third = take_over(&link, &shard, &HostPolicy::instant(), keyring(), Timestamp::ZERO);
    assert_eq!(third.counts().known, 2, "a/1 and a/3");
}

#[test]
fn commits_that_a_server_lost_or_did_not_answer_are_sent_again() {
    let mut server = server(&[]);
    let (link, shard, mut frontier) = alone(&server);
    commit(&mut frontier, "a/1").unwrap();
    // A server that stops in the middle.
    server.kill();
    let failed = commit(&mut frontier, "a/2").unwrap_err();
    assert!(fault(&failed).is_passing(), "{failed}");
    let failed = commit(&mut frontier, "a/3").unwrap_err();
    assert!(fault(&failed).is_passing(), "{failed}");
    server.restart().unwrap();
    commit(&mut frontier, "a/4").unwrap();
    // A replica that had not got the last two commits.
    let key = format!("test-{}:{{s{}}}:owner", std::process::id(), shard.number());
    let held = server.cli(&["HGET", &key, "commits"]).unwrap();
    let earlier = held.trim().parse::<u64>().unwrap() - 2;
    server
        .cli(&["HSET", &key, "commits", &earlier.to_string()])
        .unwrap();
    commit(&mut frontier, "a/5").unwrap();
    let again = take_over(&link, &shard, &HostPolicy::instant(), keyring(), Timestamp::ZERO);
    assert_eq!(again.counts().known, 5);
}

#[test]
fn a_letter_is_read_once_however_often_it_is_delivered() {
    let server = server(&[]);
    let (link, shard, mut sender) = alone(&server);
    let (_, other, mut receiver) = alone(&server);
    let to = other.number();
    let letters = |frontier: &ShardFrontier| {
        frontier
            .storage()
            .letters()
            .map(|(_, letter)| letter)
            .collect::<Vec<_>>()
    };
    sender.storage_mut().send(to, b"one".to_vec());
    assert_eq!(letters(&sender), [], "not before it is committed");
    sender.storage_mut().send(to, b"two".to_vec());
    sender.commit(&StateDelta::default()).unwrap();
    let written = letters(&sender);
    assert_eq!(written.len(), 2);
    // The second first: it waits for the first.
    deliver(&link, &other, &written[1..]).unwrap();
    let found = receiver.storage().inbox().unwrap();
    assert!(!receiver.storage_mut().read(&found[0]));
    deliver(&link, &other, &written).unwrap();
    let found = receiver.storage().inbox().unwrap();
    let read: Vec<bool> = found
        .iter()
        .map(|letter| receiver.storage_mut().read(letter))
        .collect();
    assert_eq!(read, [true, true]);
    receiver.commit(&StateDelta::default()).unwrap();
    deliver(&link, &other, &written).unwrap();
    assert_eq!(receiver.storage().inbox().unwrap(), []);
    assert_eq!(received_by(&link, &other, &[shard.number()]).unwrap(), [2]);
    // A sender that starts again still has them, until it knows that they were read.
    let mut sender = take_over(&link, &shard, &HostPolicy::instant(), keyring(), Timestamp::ZERO);
    assert_eq!(letters(&sender), written);
    sender.storage_mut().were_read(to, 2);
    sender.commit(&StateDelta::default()).unwrap();
    let sender = take_over(&link, &shard, &HostPolicy::instant(), keyring(), Timestamp::ZERO);
    assert!(sender.storage().has_no_letters());
}

#[test]
fn servers_that_would_lose_something_are_refused() {
    let refusal = |arguments: &[&str]| {
        let server = server(arguments);
        Link::connect(&server.address())
            .and_then(|link| link.check())
            .unwrap_err()
            .to_string()
    };
    let said = refusal(&["--appendonly", "no"]);
    assert!(said.contains("appendonly yes"), "{said}");
    let said = refusal(&["--maxmemory-policy", "allkeys-lru"]);
    assert!(
        said.contains("noeviction") && said.contains("allkeys-lru"),
        "{said}"
    );
    let said = refusal(&["--requirepass", "secret"]);
    assert!(said.contains("password"), "{said}");
    let server = server(&["--requirepass", "secret"]);
    let address = server.address().replace("redis://", "redis://:secret@");
    Link::connect(&address).and_then(|link| link.check()).unwrap();
    let free = std::net::TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    let said = Link::connect(&format!("redis://{free}")).unwrap_err().to_string();
    assert!(said.contains("cannot be reached"), "{said}");
}
