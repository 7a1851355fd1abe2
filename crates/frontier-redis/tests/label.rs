//! A cluster holds one crawl.

#![allow(clippy::unwrap_used)]

use scenthound_frontier_redis::{CrawlLabel, Keyspace, Link};
use scenthound_testweb::{RedisServer, skip};
use scenthound_types::Keyring;

#[test]
fn the_first_node_labels_the_cluster_and_others_read_the_label() {
    let Some(server) = RedisServer::start(&[]).unwrap() else {
        return skip("redis-server is not installed");
    };
    let link = Link::connect(&server.address()).unwrap();
    let space = Keyspace::default();
    assert_eq!(CrawlLabel::find(&link, &space).unwrap(), None);
    let label = |settings: &str| CrawlLabel {
        shards: 64,
        settings: settings.to_owned(),
    };
    let first = label("first").agree(&link, &space, Keyring::new(1)).unwrap();
    assert_eq!(first, label("first"));
    let second = label("second").agree(&link, &space, Keyring::new(1)).unwrap();
    assert_eq!(second, label("first"));
    assert_eq!(CrawlLabel::find(&link, &space).unwrap(), Some(label("first")));
    let said = label("other")
        .agree(&link, &space, Keyring::new(2))
        .unwrap_err()
        .to_string();
    assert!(said.contains("another crawl"), "{said}");
    server
        .cli(&["HSET", "scenthound:crawl", "format", "scenthound cluster 0"])
        .unwrap();
    let said = CrawlLabel::find(&link, &space).unwrap_err().to_string();
    assert!(said.contains("cluster 0") && said.contains("cluster 1"), "{said}");
}
