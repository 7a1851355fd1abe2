//! A context graph by the names of its pages, in memory and as a file of lines: a layer, a tab, a URL or host.

use std::collections::{BTreeMap, HashMap};
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::Path;

use anyhow::{Context, Result};
use scenthound_graph::{ContextGraph, ContextSettings, is_host};
use scenthound_types::{CanonicalUrl, Keyring};

use super::build::folder_of;
use super::links::LinkSource;
use crate::pages_input::bad_input;
use crate::table::{Align, Table, terminal_width};
use crate::wording::{count, counted, harmless};

/// Layers of any use.
const MOST_LAYERS: u8 = 20;
/// Targets named of those that are nowhere.
const NAMED: usize = 3;

/// The pages of each layer, targets first.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ContextList {
    layers: Vec<Vec<String>>,
}

impl ContextList {
    /// The layers around targets that a file lists.
    pub fn around(links: &mut LinkSource, targets: &Path, reach: &ContextSettings) -> Result<ContextList> {
        let nodes = listed(targets, links)?;
        ContextList::around_nodes(links, &nodes, reach)
    }

    /// The layers around nodes.
    pub fn around_nodes(
        links: &mut LinkSource,
        targets: &[u32],
        reach: &ContextSettings,
    ) -> Result<ContextList> {
        let graph = ContextGraph::around_by(targets, reach, |node, out| links.to(node, out))?;
        let mut layers = Vec::new();
        for nodes in graph.layers() {
            layers.push(
                nodes
                    .iter()
                    .map(|node| links.name(*node))
                    .collect::<Result<_>>()?,
            );
        }
        Ok(ContextList { layers })
    }

    /// Reads what [`ContextList::save`] wrote, or a user.
    pub fn read(path: &Path) -> Result<ContextList> {
        let file =
            std::fs::File::open(path).map_err(|error| bad_input(format!("{}: {error}", path.display())))?;
        let mut list = ContextList::default();
        for (number, line) in (1..).zip(BufReader::new(file).lines()) {
            let line = line.map_err(|error| bad_input(format!("{}:{number}: {error}", path.display())))?;
            let line = line.trim_end();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let (layer, name) = line
                .split_once('\t')
                .and_then(|(layer, name)| Some((layer.trim().parse::<u8>().ok()?, name.trim())))
                .filter(|(layer, name)| *layer <= MOST_LAYERS && is_name(name))
                .ok_or_else(|| {
                    bad_input(format!(
                        "{}:{number}: {:?} is no page of a layer; write a layer from 0 to {MOST_LAYERS}, a tab and a URL, \
                         as hound graph context -o does",
                        path.display(),
                        harmless(line)
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

    /// Writes a line a page; the file is whole or not there.
    pub fn save(&self, path: &Path) -> Result<()> {
        let write = || {
            let mut out = BufWriter::new(tempfile::NamedTempFile::new_in(folder_of(path))?);
            for (layer, names) in self.layers.iter().enumerate() {
                for name in names {
                    writeln!(out, "{layer}\t{name}")?;
                }
            }
            let temp = out.into_inner()?;
            temp.as_file().sync_all()?;
            temp.persist(path)?;
            anyhow::Ok(())
        };
        write().with_context(|| format!("{} cannot be written", path.display()))
    }

    /// The names of each layer, targets first.
    pub fn layers(&self) -> &[Vec<String>] {
        &self.layers
    }

    /// The distance of the farthest layer.
    pub fn farthest(&self) -> u8 {
        u8::try_from(self.layers.len().saturating_sub(1)).unwrap_or(u8::MAX)
    }

    /// Drops layers farther away than this, and pages of layers that hold more than so many: evenly, as if by chance.
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

    /// The sizes of the layers, targets first: 26/71/115/122/196.
    pub fn in_short(&self) -> String {
        let sizes: Vec<String> = self.layers.iter().map(|names| names.len().to_string()).collect();
        sizes.join("/")
    }

    /// The sizes of the layers as a table.
    pub fn write_sizes(&self, out: &mut dyn Write) -> Result<()> {
        let is_of_hosts = self.layers.iter().flatten().any(|name| is_host(name));
        let what = if is_of_hosts { "hosts" } else { "pages" };
        let mut table = Table::new(&[("layer", Align::Right), (what, Align::Right), ("", Align::Left)]);
        for (layer, names) in self.layers.iter().enumerate() {
            let told = match layer {
                0 => "targets".to_owned(),
                _ => format!("{} away", counted(layer as u64, "link")),
            };
            table.row(
                vec![layer.to_string(), count(names.len() as u64), told],
                Vec::new(),
            );
        }
        table.write(out, terminal_width())?;
        Ok(writeln!(out, "in short: {}", self.in_short())?)
    }

    /// For looking up the layer of a page.
    pub fn by_page(&self) -> LayerOf {
        let mut layer_of = LayerOf::default();
        for (layer, names) in (0_u8..=u8::MAX).zip(&self.layers) {
            for name in names {
                if is_host(name) {
                    layer_of.hosts.entry(bare(name).to_owned()).or_insert(layer);
                    continue;
                }
                // Webs spell some URLs their own way.
                if let Ok(url) = CanonicalUrl::parse(name) {
                    layer_of.near.entry(near(&url)).or_insert(layer);
                    layer_of.exact.entry(url).or_insert(layer);
                }
            }
        }
        layer_of
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
pub struct LayerOf {
    exact: HashMap<CanonicalUrl, u8>,
    /// Without scheme and `www.`: a page that was fetched may have led to its other spelling.
    near: HashMap<String, u8>,
    hosts: BTreeMap<String, u8>,
}

impl LayerOf {
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

/// The nodes that a list of targets names, one a line; tells which are nowhere.
fn listed(path: &Path, links: &mut LinkSource) -> Result<Vec<u32>> {
    let text =
        std::fs::read_to_string(path).map_err(|error| bad_input(format!("{}: {error}", path.display())))?;
    let mut nodes = Vec::new();
    let mut missing = Vec::new();
    let mut all = 0_u64;
    for (line, url) in (1..).zip(text.lines().map(str::trim)) {
        if url.is_empty() || url.starts_with('#') {
            continue;
        }
        all += 1;
        let found = links.find(url).map_err(|error| {
            bad_input(format!(
                "{}:{line}: {error}; write one URL a line",
                path.display()
            ))
        })?;
        match found {
            Some(found) => nodes.push(found.node),
            None => missing.push(format!("{} (line {line})", harmless(url))),
        }
    }
    if nodes.is_empty() {
        return Err(bad_input(format!(
            "{}: none of the targets is a page of {}: there is nothing to build a context graph around",
            path.display(),
            links.shown()
        )));
    }
    if !missing.is_empty() {
        let more = missing.len().saturating_sub(NAMED);
        note!(
            "warning: {} of {} targets are not in {}: {}{}",
            missing.len(),
            count(all),
            links.shown(),
            missing.get(..NAMED).unwrap_or(&missing).join(", "),
            if more > 0 {
                format!(" and {more} more")
            } else {
                String::new()
            }
        );
    }
    nodes.sort_unstable();
    nodes.dedup();
    Ok(nodes)
}
