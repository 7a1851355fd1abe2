//! A context graph by the names of its pages, in memory and as a file of lines: a layer, a tab, a URL or host.

use std::collections::{BTreeMap, HashMap};
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::Path;

use scenthound_types::{CanonicalUrl, Keyring};
use tempfile::NamedTempFile;

use crate::file::Match;
use crate::hosts::{is_host, shown_name};
use crate::{ContextGraph, ContextSettings, GraphFault, GraphFile};

/// The farthest layer that a file may name.
const MOST_LAYERS: u8 = 20;

/// Something that knows which pages link to a page. Pages are nodes, nodes are numbers.
pub trait LinkIndex {
    /// The node that a URL or host stands for. A text that can be neither is an error.
    fn find(&mut self, text: &str) -> Result<Option<Match>, GraphFault>;

    /// Appends the nodes that link to a node, ascending.
    fn links_to(&mut self, node: u32, out: &mut Vec<u32>) -> Result<(), GraphFault>;

    /// The URL or host of a node, as people write it.
    fn name(&mut self, node: u32) -> Result<String, GraphFault>;
}

impl LinkIndex for GraphFile {
    fn find(&mut self, text: &str) -> Result<Option<Match>, GraphFault> {
        let found = self.find_page(text)?;
        if found.is_none() && self.hosts() == 0 && CanonicalUrl::parse(text).is_err() {
            return Err(GraphFault::NotAUrl {
                text: text.to_owned(),
            });
        }
        Ok(found)
    }

    fn links_to(&mut self, node: u32, out: &mut Vec<u32>) -> Result<(), GraphFault> {
        self.to(node, out)
    }

    fn name(&mut self, node: u32) -> Result<String, GraphFault> {
        let name = GraphFile::name(self, node)?.unwrap_or_default();
        Ok(if is_host(&name) { shown_name(&name) } else { name })
    }
}

/// A target that a list names and a graph does not have.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MissingTarget {
    /// As the list names it.
    pub text: String,
    /// Its line, counted from 1.
    pub line: u64,
}

/// The targets that a list names.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TargetList {
    /// Their nodes, ascending.
    pub nodes: Vec<u32>,
    /// How many the list names.
    pub listed: u64,
    /// Those that the graph does not have.
    pub missing: Vec<MissingTarget>,
}

impl TargetList {
    /// Reads a list of one URL per line and looks each up.
    pub fn read(path: &Path, links: &mut dyn LinkIndex) -> Result<TargetList, GraphFault> {
        let text = std::fs::read_to_string(path).map_err(GraphFault::file(path))?;
        let mut targets = TargetList::default();
        for (line, url) in (1..).zip(text.lines().map(str::trim)) {
            if url.is_empty() || url.starts_with('#') {
                continue;
            }
            targets.listed += 1;
            let found = links.find(url).map_err(|fault| GraphFault::Line {
                path: path.to_owned(),
                line,
                what: format!("{fault}; write one URL per line"),
            })?;
            match found {
                Some(found) => targets.nodes.push(found.node),
                None => targets.missing.push(MissingTarget {
                    text: url.to_owned(),
                    line,
                }),
            }
        }
        targets.nodes.sort_unstable();
        targets.nodes.dedup();
        Ok(targets)
    }
}

/// The pages of each layer by name, targets first.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ContextList {
    layers: Vec<Vec<String>>,
}

impl ContextList {
    /// The layers around nodes.
    pub fn around(
        links: &mut dyn LinkIndex,
        targets: &[u32],
        settings: &ContextSettings,
    ) -> Result<ContextList, GraphFault> {
        let graph = ContextGraph::around_by(targets, settings, |node, out| links.links_to(node, out))?;
        let mut layers = Vec::new();
        for nodes in graph.layers() {
            let names = nodes.iter().map(|node| links.name(*node));
            layers.push(names.collect::<Result<_, _>>()?);
        }
        Ok(ContextList { layers })
    }

    /// Reads a file that [`ContextList::save`] or a user wrote.
    pub fn read(path: &Path) -> Result<ContextList, GraphFault> {
        let file = std::fs::File::open(path).map_err(GraphFault::file(path))?;
        let mut list = ContextList::default();
        for (number, line) in (1..).zip(BufReader::new(file).lines()) {
            let bad = |what: String| GraphFault::Line {
                path: path.to_owned(),
                line: number,
                what,
            };
            let line = line.map_err(|error| bad(error.to_string()))?;
            let line = line.trim_end();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let (layer, name) = line
                .split_once('\t')
                .and_then(|(layer, name)| Some((layer.trim().parse::<u8>().ok()?, name.trim())))
                .filter(|(layer, name)| *layer <= MOST_LAYERS && is_name(name))
                .ok_or_else(|| {
                    bad(format!(
                        "{line:?} is not a page of a layer; write a layer from 0 to {MOST_LAYERS}, a tab and a URL, as hound \
                         graph context -o does"
                    ))
                })?;
            let at = usize::from(layer);
            if list.layers.len() <= at {
                list.layers.resize(at + 1, Vec::new());
            }
            if let Some(names) = list.layers.get_mut(at) {
                names.push(name.to_owned());
            }
        }
        Ok(list)
    }

    /// Writes one line per page. The file appears complete or not at all.
    pub fn save(&self, path: &Path) -> Result<(), GraphFault> {
        let write = || {
            let mut out = BufWriter::new(NamedTempFile::new_in(folder_of(path))?);
            for (layer, names) in self.layers.iter().enumerate() {
                for name in names {
                    writeln!(out, "{layer}\t{name}")?;
                }
            }
            let temp = out.into_inner()?;
            temp.as_file().sync_all()?;
            temp.persist(path)?;
            Ok(())
        };
        write().map_err(GraphFault::file(path))
    }

    /// The names of each layer, targets first.
    pub fn layers(&self) -> &[Vec<String>] {
        &self.layers
    }

    /// The distance of the farthest layer.
    pub fn farthest(&self) -> u8 {
        u8::try_from(self.layers.len().saturating_sub(1)).unwrap_or(u8::MAX)
    }

    /// Drops layers farther away than `farthest`, and thins layers with more than `most` pages evenly, as if at random.
    pub fn keep(&mut self, farthest: Option<u8>, most: Option<usize>) {
        if let Some(farthest) = farthest {
            self.layers.truncate(usize::from(farthest) + 1);
        }
        let keys = Keyring::new(0);
        for names in self.layers.iter_mut().skip(1) {
            if let Some(most) = most
                && names.len() > most
            {
                names.sort_by_cached_key(|name| keys.hash(name));
                names.truncate(most);
                names.sort_unstable();
            }
        }
    }

    /// How many pages there are.
    pub fn pages(&self) -> usize {
        self.layers.iter().map(Vec::len).sum()
    }

    /// Whether any node is a host rather than a page.
    pub fn has_hosts(&self) -> bool {
        self.layers.iter().flatten().any(|name| is_host(name))
    }

    /// For looking up the layer of a page.
    pub fn by_page(&self) -> LayerLookup {
        let mut layer_of = LayerLookup::default();
        for (layer, names) in (0_u8..=u8::MAX).zip(&self.layers) {
            for name in names {
                if is_host(name) {
                    layer_of.hosts.entry(bare(name).to_owned()).or_insert(layer);
                    continue;
                }
                // Recorded webs spell some URLs in their own way.
                if let Ok(url) = CanonicalUrl::parse(name) {
                    layer_of.near.entry(near(&url)).or_insert(layer);
                    layer_of.exact.entry(url).or_insert(layer);
                }
            }
        }
        layer_of
    }
}

/// The folder a file is in.
fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Whether a text is a URL or a host.
fn is_name(text: &str) -> bool {
    let as_url = if text.contains("://") {
        text.to_owned()
    } else {
        format!("http://{text}/")
    };
    CanonicalUrl::parse(&as_url).is_ok()
}

/// The layers of pages by their URLs.
#[derive(Debug, Default)]
pub struct LayerLookup {
    exact: HashMap<CanonicalUrl, u8>,
    /// Without scheme and `www.`: a fetched page may have redirected to its other spelling.
    near: HashMap<String, u8>,
    hosts: BTreeMap<String, u8>,
}

impl LayerLookup {
    /// The layer of a page. A host stands for its first page.
    pub fn page(&self, url: &CanonicalUrl) -> Option<u8> {
        let known = self.exact.get(url).or_else(|| self.near.get(&near(url)));
        known
            .or_else(|| {
                let is_first = url.path_and_query() == "/";
                is_first.then(|| self.host(url)).flatten()
            })
            .copied()
    }

    /// The layer that a link leads to: in a graph of hosts, that of the host.
    pub fn target(&self, url: &CanonicalUrl) -> Option<u8> {
        self.exact.get(url).or_else(|| self.host(url)).copied()
    }

    fn host(&self, url: &CanonicalUrl) -> Option<&u8> {
        self.hosts.get(bare(url.host()))
    }
}

fn bare(host: &str) -> &str {
    host.strip_prefix("www.").unwrap_or(host)
}

fn near(url: &CanonicalUrl) -> String {
    format!("{}{}", bare(url.authority()), url.path_and_query())
}
