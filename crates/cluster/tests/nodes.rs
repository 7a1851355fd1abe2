//! Several nodes in one process, over a real Redis server: nothing is lost or doubled, whoever dies.
#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test may panic, and leases end in real time"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use scenthound_cluster::{ClusterFrontier, Idle, Keyspace, Link, MOST_BYTES, Membership, Status, is_lost};
use scenthound_frontier::{End, Frontier, FrontierError, HostEffect, HostPolicy, Next, Recall, Settled};
use scenthound_testweb::{RedisServer, skip};
use scenthound_types::{
    AgentId, CanonicalUrl, Keyring, Lease, LeaseKind, Merge, Offer, Parents, Rank, StateDelta, Timestamp,
    Update, UrlKey,
};

const SITES: u64 = 23;
const PAGES: u64 = 9;
const SHARDS: u16 = 16;
const LEASE: Duration = Duration::from_secs(2);

fn now() -> Timestamp {
    Timestamp::ZERO + SystemTime::now().duration_since(UNIX_EPOCH).unwrap()
}

fn keyring() -> Keyring {
    Keyring::new(3).by_site()
}

fn page(site: u64, page: u64) -> CanonicalUrl {
    CanonicalUrl::parse(&format!("http://site{}.test/{}", site % SITES, page % PAGES)).unwrap()
}

/// Where a page leads: on, and to two other sites.
fn links(url: &CanonicalUrl) -> Vec<CanonicalUrl> {
    let site: u64 = url.host()[4..].trim_end_matches(".test").parse().unwrap();
    let number: u64 = url.path()[1..].parse().unwrap();
    vec![
        page(site, number + 1),
        page(2 * site + 1, 0),
        page(3 * site + number, number + 2),
    ]
}

struct Node {
    frontier: ClusterFrontier,
    _folder: tempfile::TempDir,
    out: Vec<Lease>,
}

impl Node {
    fn join(server: &RedisServer, name: &str) -> Node {
        Node::join_with(server, name, HostPolicy::instant())
    }

    fn join_with(server: &RedisServer, name: &str, policy: HostPolicy) -> Node {
        static RUNS: AtomicU32 = AtomicU32::new(0);
        let run = RUNS.fetch_add(1, Ordering::Relaxed);
        let folder = tempfile::tempdir().unwrap();
        let local =
            scenthound_frontier_durable::open(&folder.path().join("state"), policy.clone(), keyring(), now())
                .unwrap();
        let member = Membership {
            node: name.to_owned(),
            run: run.to_string(),
            home: format!("here:{name}"),
            shards: SHARDS,
            lease: LEASE,
            pages: None,
        };
        let link = Link::connect(&server.address()).unwrap();
        let mut frontier =
            ClusterFrontier::join(local, link, Keyspace::default(), member, policy, keyring(), now())
                .unwrap();
        let url = page(0, 0);
        let seed = Offer {
            key: keyring().key(&url),
            url,
            rank: Rank::of_score(1.0),
            merge: Merge::Keep,
        };
        frontier.seed(&[seed], now()).unwrap();
        Node {
            frontier,
            _folder: folder,
            out: Vec::new(),
        }
    }

    /// One round. Returns the URLs that were fetched, and why the crawl is over if it is.
    fn round(&mut self) -> Result<(Vec<String>, Option<Idle>), FrontierError> {
        let next = self.frontier.take_many(4, now())?;
        let is_idle = next == Next::Done && self.out.is_empty();
        if let Next::Fetch(leases) = next {
            self.out.extend(leases);
        }
        let mut fetched = Vec::new();
        for lease in std::mem::take(&mut self.out) {
            let cash = lease.taken.rank.score.get();
            let found = links(&lease.url);
            let share = cash / found.len() as f64;
            let updates: Vec<Update> = found
                .into_iter()
                .map(|url| {
                    Update::Offer(Offer {
                        key: keyring().key(&url),
                        url,
                        rank: Rank::of_score(share),
                        merge: Merge::Add,
                    })
                })
                .collect();
            let settled = Settled {
                lease: &lease,
                end: End::Fetched { relevance: 1.0 },
                host_effect: HostEffect::Asked,
                updates: &updates,
                links: &[],
                rules: None,
                sitemaps: &[],
                requisites: &[],
            };
            self.frontier.settle(settled, now())?;
            fetched.push(lease.url.to_string());
        }
        self.frontier.commit(&StateDelta::default())?;
        let status = Status {
            idle: is_idle.then_some(Idle::Exhausted),
            ..Status::default()
        };
        let orders = self.frontier.attend(&status, now())?;
        Ok((fetched, orders.done))
    }
}

#[test]
fn cash_is_kept_and_every_page_is_fetched_although_nodes_die() {
    let Some(mut server) = RedisServer::start(&[]).unwrap() else {
        return skip("redis-server is not installed");
    };
    let mut nodes: BTreeMap<&str, Node> = BTreeMap::new();
    for name in ["a", "b", "c"] {
        nodes.insert(name, Node::join(&server, name));
    }
    let mut times: BTreeMap<String, usize> = BTreeMap::new();
    let mut deaths = 0;
    let mut rounds = 0_u64;
    loop {
        rounds += 1;
        let mut done = BTreeSet::new();
        for name in ["a", "b", "c"] {
            let Some(node) = nodes.get_mut(name) else { continue };
            match node.round() {
                Ok((fetched, over)) => {
                    for url in fetched {
                        *times.entry(url).or_default() += 1;
                    }
                    done.extend(over);
                }
                Err(error) if is_lost(&error) => {
                    nodes.insert(name, Node::join(&server, name));
                    deaths += 1;
                }
                Err(error) => panic!("{error:?}"),
            }
        }
        if !done.is_empty() {
            break;
        }
        let fetched: usize = times.values().sum();
        // Deaths at three moments, and a server that goes away and comes back.
        match deaths {
            0 if fetched > 20 => {
                nodes.remove("b");
                deaths += 1;
            }
            1 if fetched > 60 => {
                nodes.insert("a", Node::join(&server, "a"));
                deaths += 1;
            }
            2 if fetched > 90 => {
                server.kill();
                server.restart().unwrap();
                nodes.insert("b", Node::join(&server, "b"));
                deaths += 1;
            }
            _ => {}
        }
        assert!(
            rounds < 1_000_000,
            "it does not end: {fetched} fetched, {deaths} deaths"
        );
    }
    assert!(deaths >= 3);
    let expected = SITES * PAGES;
    assert_eq!(times.len() as u64, expected, "every page");
    let most = times.values().max().unwrap();
    assert!(*most <= 1 + deaths, "{most} times with {deaths} deaths");
    let cash: f64 = nodes.values().map(|node| node.frontier.cash()).sum();
    assert!((cash - 1.0).abs() < 1e-9, "{cash}");
    let owned: usize = nodes.values().map(|node| node.frontier.shards()).sum();
    assert_eq!(owned, usize::from(SHARDS));
}

#[test]
fn nodes_know_how_many_of_them_ask_an_address() {
    let Some(server) = RedisServer::start(&[]).unwrap() else {
        return skip("redis-server is not installed");
    };
    let [a, b] = ["a", "b"].map(|name| Node::join(&server, name).frontier);
    let [shared, alone]: [std::net::IpAddr; 2] = ["192.0.2.1", "2001:db8::2"].map(|ip| ip.parse().unwrap());
    assert_eq!(
        a.share_addresses(&[shared, alone]).unwrap(),
        [(shared, 1), (alone, 1)]
    );
    assert_eq!(b.share_addresses(&[shared]).unwrap(), [(shared, 2)]);
    assert_eq!(
        a.share_addresses(&[shared, alone]).unwrap(),
        [(shared, 2), (alone, 1)]
    );
}

#[test]
fn the_last_lessons_are_kept_up_to_a_number_of_bytes() {
    let Some(server) = RedisServer::start(&[]).unwrap() else {
        return skip("redis-server is not installed");
    };
    let a = Node::join(&server, "a");
    let large = vec![7; MOST_BYTES as usize / 5];
    for number in 0..12 {
        assert!(a.frontier.tell_lesson(number, &large).unwrap());
    }
    let mut late = Node::join(&server, "late");
    let heard = late.frontier.hear_lessons().unwrap();
    let who: Vec<u8> = heard.iter().map(|(pupil, _)| *pupil).collect();
    assert_eq!(who, [7, 8, 9, 10, 11], "the oldest are dropped");
    // One that is larger than all the room is the only one.
    let huge = vec![8; MOST_BYTES as usize + 1];
    assert!(a.frontier.tell_lesson(50, &huge).unwrap());
    assert!(a.frontier.tell_lesson(51, b"small").unwrap());
    let heard = late.frontier.hear_lessons().unwrap();
    assert_eq!(heard, [(51, b"small".to_vec())]);
    let counted = server.cli(&["GET", "{scenthound:lessons}:bytes"]).unwrap();
    assert_eq!(counted.trim(), "5");
}

#[test]
fn a_lasting_lesson_reaches_whoever_joins_later_and_is_kept_once() {
    let Some(server) = RedisServer::start(&[]).unwrap() else {
        return skip("redis-server is not installed");
    };
    let mut a = Node::join(&server, "a");
    let mut b = Node::join(&server, "b");
    assert!(a.frontier.tell_lasting_lesson(0, "seed 1", b"green").unwrap());
    assert!(a.frontier.tell_lasting_lesson(3, "seed 1", b"white").unwrap());
    let all = [
        (0, "seed 1".to_owned(), b"green".to_vec()),
        (3, "seed 1".to_owned(), b"white".to_vec()),
    ];
    assert_eq!(b.frontier.hear_lasting_lessons().unwrap(), all);
    assert_eq!(b.frontier.hear_lasting_lessons().unwrap(), [], "nothing new");
    // Whoever is not sure whether it was told tells it again.
    assert!(b.frontier.tell_lasting_lesson(0, "seed 1", b"green").unwrap());
    assert_eq!(b.frontier.hear_lasting_lessons().unwrap(), []);
    assert_eq!(a.frontier.hear_lasting_lessons().unwrap(), all);
    let mut late = Node::join(&server, "late");
    assert_eq!(late.frontier.hear_lasting_lessons().unwrap(), all);
}

#[test]
fn a_lesson_is_heard_once_by_every_other_node_also_after_a_restart() {
    let Some(server) = RedisServer::start(&[]).unwrap() else {
        return skip("redis-server is not installed");
    };
    let mut a = Node::join(&server, "a");
    let mut b = Node::join(&server, "b");
    assert!(a.frontier.tell_lesson(0, b"green").unwrap());
    assert!(a.frontier.tell_lesson(255, b"\x00\xff").unwrap());
    assert!(b.frontier.tell_lesson(0, b"black").unwrap());
    let heard = b.frontier.hear_lessons().unwrap();
    assert_eq!(heard, [(0, b"green".to_vec()), (255, b"\x00\xff".to_vec())]);
    assert_eq!(a.frontier.hear_lessons().unwrap(), [(0, b"black".to_vec())]);
    assert_eq!(b.frontier.hear_lessons().unwrap(), []);
    // What b has heard is committed with what it has learnt from it, and goes on from there.
    b.frontier.commit(&StateDelta::default()).unwrap();
    assert!(a.frontier.tell_lesson(0, b"white").unwrap());
    let kept = b.frontier.notes("cluster/lessons").unwrap();
    assert_eq!(kept.len(), 1);
    assert_eq!(b.frontier.hear_lessons().unwrap(), [(0, b"white".to_vec())]);
    // A node that comes later hears what was said before.
    let mut late = Node::join(&server, "late");
    assert_eq!(late.frontier.hear_lessons().unwrap().len(), 4);
}

/// A hub lists a page on every site. One of these is fetched and raises its siblings, which are in every shard, by adding to their
/// scores: a raise that is lost or made twice shows. Its node dies at once, with the letters committed and not delivered.
#[test]
fn siblings_in_shards_of_other_nodes_are_raised_once_although_a_node_dies() {
    let Some(server) = RedisServer::start(&[]).unwrap() else {
        return skip("redis-server is not installed");
    };
    let policy = HostPolicy {
        siblings: true,
        all_parents: true,
        ..HostPolicy::instant()
    };
    let join = |name: &str| Node::join_with(&server, name, policy.clone());
    let mut nodes: BTreeMap<&str, Node> = ["a", "b"].map(|name| (name, join(name))).into();
    let settle = |node: &mut Node, updates: &[Update], links: &[UrlKey]| {
        let Next::Fetch(leases) = node.frontier.take_many(1, now()).unwrap() else {
            return None;
        };
        let settled = Settled {
            lease: &leases[0],
            end: End::Fetched { relevance: 1.0 },
            host_effect: HostEffect::Asked,
            updates,
            links,
            rules: None,
            sitemaps: &[],
            requisites: &[],
        };
        node.frontier.settle(settled, now()).unwrap();
        Some(leases[0].key)
    };
    let attend = |nodes: &mut BTreeMap<&str, Node>| {
        for node in nodes.values_mut() {
            node.frontier.commit(&StateDelta::default()).unwrap();
            node.frontier.attend(&Status::default(), now()).unwrap();
        }
        std::thread::sleep(Duration::from_millis(10));
    };
    while nodes
        .values()
        .any(|node| node.frontier.shards() != usize::from(SHARDS) / 2)
    {
        attend(&mut nodes);
    }
    let children: Vec<CanonicalUrl> = (1..SITES).map(|site| page(site, 0)).collect();
    let keys: Vec<UrlKey> = children.iter().map(|url| keyring().key(url)).collect();
    let offers = children.iter().map(|url| {
        Update::Offer(Offer {
            key: keyring().key(url),
            url: url.clone(),
            rank: Rank::of_score(0.5),
            merge: Merge::Keep,
        })
    });
    let offers: Vec<Update> = offers.collect();
    let fetched = nodes.values_mut().filter_map(|node| settle(node, &offers, &keys));
    assert_eq!(fetched.count(), 1, "one of them has the seed");
    let scores = |nodes: &BTreeMap<&str, Node>| -> BTreeMap<UrlKey, f64> {
        let of = |key: &UrlKey| {
            let mut all = nodes.values();
            let waits = all.find_map(|node| node.frontier.waits_for(AgentId::default(), *key))?;
            Some((*key, waits.rank.score.get()))
        };
        keys.iter().filter_map(of).collect()
    };
    while scores(&nodes).len() < keys.len() {
        attend(&mut nodes);
    }
    // Whoever did not have the hub: its letter goes to the hub's home and comes back.
    let hub = keyring().key(&page(0, 0));
    let is_home = |node: &Node| node.frontier.look_up(&page(0, 0)).unwrap().is_some();
    let name = *nodes.iter().find(|(_, node)| !is_home(node)).unwrap().0;
    let of = *keys
        .iter()
        .find(|key| {
            let waits = nodes[name].frontier.waits_for(AgentId::default(), **key);
            waits.is_some() && **key != hub
        })
        .unwrap();
    let recalled = Recall {
        agent: AgentId::default(),
        kind: LeaseKind::Page,
        url: &children[keys.iter().position(|key| *key == of).unwrap()],
        key: of,
        parent: None,
        depth: 1,
    };
    let node = nodes.get_mut(name).unwrap();
    let lease = node.frontier.recall(&recalled, now()).unwrap().unwrap();
    let raise = Update::RaiseSiblings {
        of,
        parents: Parents::All,
        rank: Rank::of_score(0.25),
        merge: Merge::Add,
    };
    let settled = Settled {
        lease: &lease,
        end: End::Fetched { relevance: 1.0 },
        host_effect: HostEffect::Asked,
        updates: &[raise],
        links: &[],
        rules: None,
        sitemaps: &[],
        requisites: &[],
    };
    node.frontier.settle(settled, now()).unwrap();
    node.frontier.commit(&StateDelta::default()).unwrap();
    nodes.remove(name);
    let expected: BTreeMap<UrlKey, f64> = keys
        .iter()
        .filter(|key| **key != of)
        .map(|key| (*key, 0.75))
        .collect();
    // The other node takes the shards over; then all letters are delivered many times over.
    let until = now() + LEASE * 10;
    while scores(&nodes) != expected {
        assert!(now() < until, "{:?}", scores(&nodes));
        attend(&mut nodes);
    }
    let until = now() + LEASE * 4;
    while now() < until {
        attend(&mut nodes);
        assert_eq!(scores(&nodes), expected, "nothing arrives twice");
    }
}

/// The clock of the last owner of a shard is behind, so what it noted of its hosts' rests is long past for the next one. That one
/// reads its clock, then the last owner asks a host, and then the shard is claimed: a rest that is counted from the time that was
/// read ends too soon.
#[test]
fn hosts_of_a_shard_rest_from_when_it_was_claimed() {
    let Some(server) = RedisServer::start(&[]).unwrap() else {
        return skip("redis-server is not installed");
    };
    let delay = Duration::from_secs(1);
    let policy = HostPolicy {
        delay,
        ..HostPolicy::instant()
    };
    let mut a = Node::join_with(&server, "a", policy.clone());
    while a.frontier.shards() < usize::from(SHARDS) {
        a.frontier.attend(&Status::default(), now()).unwrap();
    }
    let behind = now() + delay;
    std::thread::sleep(3 * delay);
    let mut b = Node::join_with(&server, "b", policy);
    let read = now() + Duration::from_millis(100);
    let asked = read + Duration::from_millis(700);
    let Next::Fetch(leases) = a.frontier.take_many(1, behind).unwrap() else {
        panic!("the seed waits");
    };
    let settled = Settled {
        lease: &leases[0],
        end: End::Retry,
        host_effect: HostEffect::Asked,
        updates: &[],
        links: &[],
        rules: None,
        sitemaps: &[],
        requisites: &[],
    };
    a.frontier.settle(settled, behind).unwrap();
    a.frontier.commit(&StateDelta::default()).unwrap();
    a.frontier.leave().unwrap();
    let mut at = read;
    while b.frontier.shards() < usize::from(SHARDS) {
        b.frontier.attend(&Status::default(), at).unwrap();
        at = asked + Duration::from_millis(1);
    }
    for after in [10, 400, 990] {
        let next = b
            .frontier
            .take_many(1, asked + Duration::from_millis(after))
            .unwrap();
        assert!(matches!(next, Next::WaitUntil(_)), "{after} ms after: {next:?}");
    }
    let next = b
        .frontier
        .take_many(1, asked + delay + Duration::from_millis(2))
        .unwrap();
    assert!(matches!(next, Next::Fetch(_)), "{next:?}");
}
