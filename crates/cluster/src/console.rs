//! What people ask of a whole cluster, and see of it.

use scenthound_frontier_redis::{CrawlLabel, Keyspace, Link, RedisFault};

use crate::members::{Board, Overview};

/// A cluster seen from outside.
#[derive(Debug)]
pub struct Console {
    link: Link,
    space: Keyspace,
}

impl Console {
    /// Connects to a cluster.
    pub fn connect(address: &str) -> Result<Console, RedisFault> {
        Ok(Console {
            link: Link::connect(address)?,
            space: Keyspace::default(),
        })
    }

    /// The crawl that the cluster holds, if it holds one.
    pub fn label(&self) -> Result<Option<CrawlLabel>, RedisFault> {
        CrawlLabel::find(&self.link, &self.space)
    }

    /// What its nodes say.
    pub fn overview(&self) -> Result<Overview, RedisFault> {
        self.board().overview()
    }

    /// Asks a node to give all its shards to others. It keeps running.
    pub fn drain(&self, node: &str) -> Result<(), RedisFault> {
        self.board().set(&format!("drain:{node}"), "1")
    }

    /// Lets drained nodes own shards again.
    pub fn rebalance(&self) -> Result<(), RedisFault> {
        for node in self.overview()?.drained {
            self.board().clear(&format!("drain:{node}"))?;
        }
        Ok(())
    }

    /// Asks all nodes to save and stop.
    pub fn stop(&self) -> Result<(), RedisFault> {
        self.board().set("stop", "1")
    }

    fn board(&self) -> Board<'_> {
        Board {
            link: &self.link,
            space: &self.space,
        }
    }
}
