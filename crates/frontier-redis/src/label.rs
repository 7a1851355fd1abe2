//! What a cluster says about the crawl it holds.

use scenthound_types::Keyring;

use crate::{Keyspace, Link, RedisFault};

const FORMAT: &str = "scenthound cluster 1";

/// Writes the label if there is none, and returns the one that is there.
const LABEL: &str = "
if redis.call('EXISTS', KEYS[1]) == 0 then
  redis.call('HSET', KEYS[1], 'format', ARGV[1], 'keys', ARGV[2], 'shards', ARGV[3], 'settings', ARGV[4])
end
return redis.call('HMGET', KEYS[1], 'format', 'keys', 'shards', 'settings')
";

/// What a cluster says about the crawl it holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CrawlLabel {
    /// How many shards its hosts are spread over.
    pub shards: u16,
    /// The settings of the node that started it.
    pub settings: String,
}

impl CrawlLabel {
    fn key(space: &Keyspace) -> String {
        space.key("crawl")
    }

    /// The label of the crawl in a cluster, if there is one. Says nothing about whose keys it has.
    pub fn find(link: &Link, space: &Keyspace) -> Result<Option<CrawlLabel>, RedisFault> {
        let mut command = redis::cmd("HMGET");
        command.arg(CrawlLabel::key(space));
        command.arg("format").arg("keys").arg("shards").arg("settings");
        let (format, _, shards, settings): Fields = link.query(&command)?;
        match format {
            None => Ok(None),
            Some(format) => CrawlLabel::read(link, format, shards, settings).map(Some),
        }
    }

    /// Labels a cluster with this crawl, or reads the label of the node that came first. Refuses a crawl with other keys.
    pub fn agree(self, link: &Link, space: &Keyspace, keyring: Keyring) -> Result<CrawlLabel, RedisFault> {
        let fingerprint = format!("{:016x}", keyring.hash(FORMAT));
        let mut command = redis::cmd("EVAL");
        command.arg(LABEL).arg(1).arg(CrawlLabel::key(space));
        command
            .arg(FORMAT)
            .arg(&fingerprint)
            .arg(self.shards)
            .arg(self.settings);
        let (format, keys, shards, settings): Fields = link.query(&command)?;
        let label = CrawlLabel::read(link, format.unwrap_or_default(), shards, settings)?;
        if keys.as_deref() != Some(fingerprint.as_str()) {
            return Err(RedisFault::OtherCrawl {
                address: link.address().to_owned(),
                what: "it was started with another --seed".to_owned(),
            });
        }
        Ok(label)
    }

    fn read(
        link: &Link,
        format: String,
        shards: Option<u16>,
        settings: Option<String>,
    ) -> Result<CrawlLabel, RedisFault> {
        if format != FORMAT {
            return Err(RedisFault::Format {
                address: link.address().to_owned(),
                found: format.chars().take(60).collect(),
                expected: FORMAT,
            });
        }
        Ok(CrawlLabel {
            shards: shards.unwrap_or_default(),
            settings: settings.unwrap_or_default(),
        })
    }
}

type Fields = (Option<String>, Option<String>, Option<u16>, Option<String>);
