//! The names of keys.
//!
//! Everything of a shard has the hash tag `{sN}`, so that a cluster keeps it on one server and one script may change all of it.

/// What the names of all keys of a crawl begin with. Several crawls may share a server if they use different names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Keyspace(String);

impl Default for Keyspace {
    fn default() -> Keyspace {
        Keyspace("scenthound".to_owned())
    }
}

impl Keyspace {
    /// Keys that begin with this name.
    pub fn named(name: &str) -> Keyspace {
        Keyspace(name.to_owned())
    }

    /// A key of the crawl itself.
    pub fn key(&self, name: &str) -> String {
        format!("{}:{name}", self.0)
    }

    /// One of its shards.
    pub fn shard(&self, number: u16) -> Shard {
        Shard {
            prefix: format!("{}:{{s{number}}}", self.0),
            number,
        }
    }
}

/// One shard of a crawl.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shard {
    prefix: String,
    number: u16,
}

impl Shard {
    /// Its number.
    pub fn number(&self) -> u16 {
        self.number
    }

    /// Who owns it, and how far its commits have come.
    pub(crate) fn owner(&self) -> String {
        format!("{}:owner", self.prefix)
    }

    pub(crate) fn table(&self, table: Table) -> String {
        format!("{}:{}", self.prefix, table.name())
    }

    /// A part of the entries: those whose numbers begin with these sixteen bits.
    pub(crate) fn entries(&self, part: u32) -> String {
        format!("{}:entries:{part}", self.prefix)
    }

    /// A part of the URLs.
    pub(crate) fn urls(&self, part: u32) -> String {
        format!("{}:urls:{part}", self.prefix)
    }
}

/// What is kept as a hash of fields.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Table {
    /// Number of the URL → what is known of the link.
    Evidence,
    /// Number of the host → record.
    Hosts,
    /// Number of the host → rules.
    Rules,
    /// Number of the page → numbers of the URLs it links to.
    Children,
    /// Number of the URL, number of the page → nothing.
    Parents,
    /// Number of the page, kind of parents and agent → the highest raise.
    Raised,
    /// Name → value.
    Notes,
    /// Shard and sequence → letter that is to be delivered.
    Outbox,
    /// Shard → the last sequence sent to it.
    Sent,
    /// Shard and sequence → letter that was delivered and not yet read.
    Inbox,
    /// Shard → the last sequence read from it.
    Read,
}

impl Table {
    fn name(self) -> &'static str {
        match self {
            Table::Evidence => "evidence",
            Table::Hosts => "hosts",
            Table::Rules => "rules",
            Table::Children => "children",
            Table::Parents => "parents",
            Table::Raised => "raised",
            Table::Notes => "notes",
            Table::Outbox => "outbox",
            Table::Sent => "sent",
            Table::Inbox => "inbox",
            Table::Read => "read",
        }
    }
}
