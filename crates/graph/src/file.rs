//! A graph in a file: names in order, and for each the numbers of the nodes that link to it.
//!
//! ```text
//! header    magic, version, counts, where things are, a checksum
//! names     in blocks of 64, each name as its difference from the one before; a checksum per block
//! links     in blocks of 64 targets: the length of each list, then the lists, as differences; a checksum per block
//! index     where each block of names and of links begins; nodes that redirect, and their targets
//! ```
//!
//! A node's number is its position in the order of names, so the pages of a site have neighbouring numbers and
//! differences are small. Opening reads the header and the index (a quarter of a byte per node); everything else is
//! read on demand.
//!
//! Invariant: everything read is first checked against its checksum. Deliberately absent: changing a file.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use scenthound_types::CanonicalUrl;
use xxhash_rust::xxh3::xxh3_64;

use crate::hosts::{host_nodes, is_host_name};
use crate::names::take_name;
use crate::write::unzigzag;
use crate::{GraphFault, node_name, varint};

/// The first bytes of every graph file.
const MAGIC: [u8; 8] = *b"hndgraph";
/// Version of the file format.
pub(crate) const VERSION: u32 = 1;
/// Nodes per block.
pub(crate) const BLOCK: u32 = 64;
pub(crate) const HEADER_BYTES: usize = 88;
/// Bytes of a checksum.
const SUM: usize = 8;
/// The most redirects followed in a row.
const MOST_REDIRECTS: usize = 10;

/// The counts of a graph and where its parts are.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Header {
    pub(crate) nodes: u64,
    pub(crate) hosts: u64,
    pub(crate) links: u64,
    pub(crate) aliases: u64,
    pub(crate) links_at: u64,
    pub(crate) index_at: u64,
    pub(crate) index_sum: u64,
    pub(crate) length: u64,
}

impl Header {
    fn numbers(&self) -> [u64; 8] {
        [
            self.nodes,
            self.hosts,
            self.links,
            self.aliases,
            self.links_at,
            self.index_at,
            self.index_sum,
            self.length,
        ]
    }

    pub(crate) fn to_bytes(self) -> [u8; HEADER_BYTES] {
        let mut bytes = Vec::with_capacity(HEADER_BYTES);
        bytes.extend_from_slice(&MAGIC);
        bytes.extend_from_slice(&VERSION.to_le_bytes());
        bytes.extend_from_slice(&BLOCK.to_le_bytes());
        for number in self.numbers() {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        let sum = xxh3_64(&bytes);
        bytes.extend_from_slice(&sum.to_le_bytes());
        let mut whole = [0; HEADER_BYTES];
        for (to, from) in whole.iter_mut().zip(bytes) {
            *to = from;
        }
        whole
    }
}

/// Where the names and the links of a block begin.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct BlockStart {
    pub(crate) names: u64,
    pub(crate) links: u64,
}

/// How a URL was found in a graph.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Match {
    /// The node that stands for it, after redirects.
    pub node: u32,
    /// Whether the node is the URL's host or domain, not the page itself.
    pub is_host: bool,
}

/// A graph file, opened for reading.
#[derive(Debug)]
pub struct GraphFile {
    file: File,
    path: PathBuf,
    header: Header,
    places: Vec<BlockStart>,
    aliases: Vec<(u32, u32)>,
    /// The names of the most recently read block.
    block: Option<(usize, Vec<Vec<u8>>)>,
}

impl GraphFile {
    /// Whether a file begins as a graph file does.
    pub fn is_graph(path: &Path) -> bool {
        let mut start = [0; MAGIC.len()];
        File::open(path).is_ok_and(|mut file| file.read_exact(&mut start).is_ok()) && start == MAGIC
    }

    /// Opens a graph file. Reads and checks everything but names and links.
    pub fn open(path: &Path) -> Result<GraphFile, GraphFault> {
        let fault = GraphFault::file(path);
        let damaged = |what| GraphFault::Damaged {
            path: path.to_owned(),
            what,
        };
        let not_a_graph = || GraphFault::NotAGraph {
            path: path.to_owned(),
        };
        let mut file = File::open(path).map_err(&fault)?;
        let about = file.metadata().map_err(&fault)?;
        if !about.is_file() {
            return Err(not_a_graph());
        }
        let mut start = Vec::with_capacity(HEADER_BYTES);
        (&mut file)
            .take(HEADER_BYTES as u64)
            .read_to_end(&mut start)
            .map_err(&fault)?;
        let rest = start.strip_prefix(&MAGIC).ok_or_else(not_a_graph)?;
        let found = rest
            .first_chunk()
            .map(|version| u32::from_le_bytes(*version))
            .ok_or_else(|| damaged("its header is cut off"))?;
        if found != VERSION {
            return Err(GraphFault::Version {
                path: path.to_owned(),
                found,
            });
        }
        let header = read_header(&start).ok_or_else(|| damaged("its header fails its checksum"))?;
        if header.length != about.len() {
            return Err(damaged("its length is wrong"));
        }
        // A wrong length passes the header's checksum only by intent. Even then the file's size bounds the memory
        // used.
        let blocks = header.nodes.div_ceil(u64::from(BLOCK));
        let expected = blocks
            .checked_mul(16)
            .and_then(|bytes| bytes.checked_add(header.aliases.checked_mul(8)?));
        if header.nodes > u64::from(u32::MAX) || expected != header.length.checked_sub(header.index_at) {
            return Err(damaged("its counts do not match its length"));
        }
        let mut index = Vec::new();
        file.seek(SeekFrom::Start(header.index_at))
            .and_then(|_| file.read_to_end(&mut index))
            .map_err(&fault)?;
        if xxh3_64(&index) != header.index_sum {
            return Err(damaged("its index fails its checksum"));
        }
        let (places, aliases) = index.split_at((16 * blocks as usize).min(index.len()));
        let places: Vec<BlockStart> = places
            .as_chunks::<8>()
            .0
            .as_chunks::<2>()
            .0
            .iter()
            .map(|[names, links]| BlockStart {
                names: u64::from_le_bytes(*names),
                links: u64::from_le_bytes(*links),
            })
            .collect();
        let aliases = aliases
            .as_chunks::<4>()
            .0
            .as_chunks::<2>()
            .0
            .iter()
            .map(|[from, to]| (u32::from_le_bytes(*from), u32::from_le_bytes(*to)))
            .collect();
        let are_in_order = places
            .windows(2)
            .all(|two| matches!(two, [a, b] if a.names < b.names && a.links < b.links));
        if !are_in_order {
            return Err(damaged("its blocks are out of order"));
        }
        Ok(GraphFile {
            file,
            path: path.to_owned(),
            header,
            places,
            aliases,
            block: None,
        })
    }

    /// How many pages and hosts there are.
    pub fn nodes(&self) -> u64 {
        self.header.nodes
    }

    /// How many of the nodes are hosts, not pages.
    pub fn hosts(&self) -> u64 {
        self.header.hosts
    }

    /// How many links there are.
    pub fn links(&self) -> u64 {
        self.header.links
    }

    /// How many URLs redirect to another.
    pub fn redirects(&self) -> u64 {
        self.header.aliases
    }

    fn damaged(&self, what: &'static str) -> GraphFault {
        GraphFault::Damaged {
            path: self.path.clone(),
            what,
        }
    }

    /// Reads a block and checks it.
    fn read(&mut self, start: u64, end: u64) -> Result<Vec<u8>, GraphFault> {
        let length = end
            .checked_sub(start)
            .filter(|length| *length >= SUM as u64 && end <= self.header.length)
            .ok_or_else(|| self.damaged("a block lies outside the file"))?;
        let mut bytes = vec![0; length as usize];
        self.file
            .seek(SeekFrom::Start(start))
            .and_then(|_| self.file.read_exact(&mut bytes))
            .map_err(GraphFault::file(&self.path))?;
        let (payload, sum) = bytes.split_at(bytes.len() - SUM);
        if sum != xxh3_64(payload).to_le_bytes() {
            return Err(self.damaged("a block fails its checksum"));
        }
        bytes.truncate(bytes.len() - SUM);
        Ok(bytes)
    }

    /// The names of a block, in order.
    fn names(&mut self, block: usize) -> Result<&[Vec<u8>], GraphFault> {
        if self.block.as_ref().is_none_or(|(known, _)| *known != block) {
            let start = self.places.get(block).map_or(0, |place| place.names);
            let end = self
                .places
                .get(block + 1)
                .map_or(self.header.links_at, |place| place.names);
            let bytes = self.read(start, end)?;
            let mut rest = bytes.as_slice();
            let mut names: Vec<Vec<u8>> = Vec::with_capacity(BLOCK as usize);
            let mut name = Vec::new();
            while !rest.is_empty() {
                take_name(&mut rest, &mut name).ok_or_else(|| self.damaged("a block of names is invalid"))?;
                names.push(name.clone());
            }
            self.block = Some((block, names));
        }
        Ok(self.block.as_ref().map_or(&[], |(_, names)| names.as_slice()))
    }

    /// The name of a node; `None` if there is no such node.
    pub fn name(&mut self, node: u32) -> Result<Option<String>, GraphFault> {
        if u64::from(node) >= self.header.nodes {
            return Ok(None);
        }
        let name = self
            .names((node / BLOCK) as usize)?
            .get((node % BLOCK) as usize)
            .cloned();
        let name = name.ok_or_else(|| self.damaged("a block of names is too short"))?;
        match String::from_utf8(name) {
            Ok(name) => Ok(Some(name)),
            Err(_) => Err(self.damaged("a name is not text")),
        }
    }

    /// The node with this name.
    pub fn find(&mut self, name: &str) -> Result<Option<u32>, GraphFault> {
        let wanted = name.as_bytes();
        // The last block that begins at or before the name.
        let (mut low, mut high) = (0, self.places.len());
        while low < high {
            let middle = low.midpoint(high);
            let begins_after = self
                .names(middle)?
                .first()
                .is_none_or(|first| first.as_slice() > wanted);
            if begins_after {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        let Some(block) = low.checked_sub(1) else {
            return Ok(None);
        };
        let found = self
            .names(block)?
            .binary_search_by(|known| known.as_slice().cmp(wanted));
        Ok(found.ok().map(|at| block as u32 * BLOCK + at as u32))
    }

    /// The node for what a user typed: a URL or, in a graph of hosts, a host name or a URL on that host.
    pub fn find_page(&mut self, text: &str) -> Result<Option<Match>, GraphFault> {
        let text = text.trim();
        let page = |node, is_host| Some(Match { node, is_host });
        let Ok(url) = CanonicalUrl::parse(text) else {
            let host = text.to_ascii_lowercase();
            if self.header.hosts == 0 || !is_host_name(&host) {
                return Ok(None);
            }
            let bare = host.strip_prefix("www.").map(str::to_owned);
            for name in [Some(host), bare].into_iter().flatten() {
                if let Some(node) = self.find(&node_name(&name))? {
                    return Ok(page(node, true));
                }
            }
            return Ok(None);
        };
        if let Some(node) = self.find(url.as_str())? {
            return Ok(page(self.resolve(node), false));
        }
        if self.header.hosts > 0 {
            for name in host_nodes(&url) {
                if let Some(node) = self.find(&name)? {
                    return Ok(page(node, true));
                }
            }
        }
        Ok(None)
    }

    /// The node a node redirects to, or the node itself.
    pub fn resolve(&self, node: u32) -> u32 {
        follow(node, |node| {
            let at = self.aliases.binary_search_by_key(&node, |(from, _)| *from).ok()?;
            self.aliases.get(at).map(|(_, to)| *to)
        })
    }

    /// Adds the nodes that link to a node, in ascending order.
    pub fn to(&mut self, target: u32, out: &mut Vec<u32>) -> Result<(), GraphFault> {
        if u64::from(target) >= self.header.nodes {
            return Ok(());
        }
        let block = (target / BLOCK) as usize;
        let start = self.places.get(block).map_or(0, |place| place.links);
        let end = self
            .places
            .get(block + 1)
            .map_or(self.header.index_at, |place| place.links);
        let bytes = self.read(start, end)?;
        read_list(&bytes, target, self.header.nodes, out)
            .ok_or_else(|| self.damaged("a block of links is invalid"))
    }
}

/// Follows redirects up to the limit; a node in a circle stands for itself.
pub(crate) fn follow(start: u32, next: impl Fn(u32) -> Option<u32>) -> u32 {
    let mut at = start;
    for _ in 0..MOST_REDIRECTS {
        match next(at) {
            Some(to) => at = to,
            None => return at,
        }
    }
    start
}

fn read_header(bytes: &[u8]) -> Option<Header> {
    let (body, sum) = bytes.split_at_checked(HEADER_BYTES - SUM)?;
    if sum != xxh3_64(body).to_le_bytes() {
        return None;
    }
    let (numbers, _) = body.get(16..)?.as_chunks::<8>();
    let number = |at: usize| numbers.get(at).map(|number| u64::from_le_bytes(*number));
    Some(Header {
        nodes: number(0)?,
        hosts: number(1)?,
        links: number(2)?,
        aliases: number(3)?,
        links_at: number(4)?,
        index_at: number(5)?,
        index_sum: number(6)?,
        length: number(7)?,
    })
}

/// Reads the list of a target from its block.
fn read_list(block: &[u8], target: u32, nodes: u64, out: &mut Vec<u32>) -> Option<()> {
    let mut rest = block;
    let (mut skipped, mut length) = (0_usize, 0);
    for at in 0..BLOCK {
        let bytes = usize::try_from(varint::take(&mut rest)?).ok()?;
        match at.cmp(&(target % BLOCK)) {
            std::cmp::Ordering::Less => skipped = skipped.checked_add(bytes)?,
            std::cmp::Ordering::Equal => length = bytes,
            std::cmp::Ordering::Greater => {}
        }
    }
    let mut list = rest.get(skipped..skipped.checked_add(length)?)?;
    let mut before: Option<u64> = None;
    while !list.is_empty() {
        let told = varint::take(&mut list)?;
        let source = match before {
            Some(before) => before.checked_add(told)?.checked_add(1)?,
            None => u64::try_from(i64::from(target).checked_add(unzigzag(told))?).ok()?,
        };
        if source >= nodes {
            return None;
        }
        out.push(source as u32);
        before = Some(source);
    }
    Some(())
}
