//! Builds graph files from any number of links in any order, in bounded memory.
//!
//! Links arrive by the names of their ends. They are collected until the names or the links fill their share of
//! memory. Then the names are sorted, each link is written by the positions of its names in that order, and both go
//! to a scratch file as one *run*. At the end the names of all runs are merged, which gives each name its number in
//! the graph. The links of each run are renumbered (a sorted run stays sorted, because both orders are those of the
//! names) and merged.
//!
//! So hashing happens only within a run, where names are compared in full: two pages are never mistaken for one.
//!
//! Graphs whose nodes already have numbers ([`GraphBuilder::vertex`], [`NamedGraph::numbered_link`]) need four more
//! bytes per node, and URLs that redirect need a few more each.

use std::collections::BTreeMap;
use std::path::Path;

use crate::GraphFault;
use crate::file::{Header, follow};
use crate::merge::merge;
use crate::names::{LONGEST_NAME, Names, put_name, take_name};
use crate::scratch::{Extent, Part, Scratch};
use crate::write::GraphWriter;

/// Approximate memory used while building, by default.
pub const USUAL_MEMORY: usize = 512 << 20;
/// With less, there would be too many short runs.
const LEAST_MEMORY: usize = 16 << 10;
/// What a name takes besides its bytes: its end, its place in the table, and two places in the sort order.
const BESIDE_NAME: usize = 40;
/// Given node numbers are kept in pages of this size, so that gaps cost little.
const PAGE: usize = 1024;

/// What is being done, for progress display.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stage {
    /// Merging the names of all runs.
    Names {
        /// Names merged.
        done: u64,
        /// Names in total, counting a name once for each run it is in.
        all: u64,
    },
    /// Merging the links of all runs.
    Links {
        /// Links merged.
        done: u64,
        /// Links in total, counting a link once for each run it is in.
        all: u64,
    },
}

/// What a graph file holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GraphSummary {
    /// Pages and hosts.
    pub nodes: u64,
    /// Nodes that are hosts.
    pub hosts: u64,
    /// Distinct links, without those from a page to itself.
    pub links: u64,
    /// URLs that redirect.
    pub redirects: u64,
    /// Bytes of the file.
    pub bytes: u64,
}

/// A graph being collected.
pub struct GraphBuilder {
    scratch: Scratch,
    memory: usize,
    names: Names,
    /// Target and source, by their numbers in this run.
    links: Vec<u64>,
    redirects: Vec<(u32, u32)>,
    /// A given number, and the name's number in this run.
    vertices: Vec<u64>,
    runs: Vec<Run>,
    /// The most recent source: links come source by source.
    last: Option<(Box<str>, u32)>,
}

/// What filling the memory once left in the scratch file.
struct Run {
    names: Extent,
    count: u32,
    links: Extent,
    redirects: Vec<(u32, u32)>,
    vertices: Extent,
    /// Where its names' numbers in the graph are stored.
    numbers: Extent,
}

fn pair(high: u32, low: u32) -> u64 {
    u64::from(high) << 32 | u64::from(low)
}

fn halves(pair: u64) -> (u32, u32) {
    ((pair >> 32) as u32, pair as u32)
}

impl GraphBuilder {
    /// Collects in about this much memory and in an unnamed file in `folder`.
    pub fn new(folder: &Path, memory: usize) -> Result<GraphBuilder, GraphFault> {
        Ok(GraphBuilder {
            scratch: Scratch::new(folder)?,
            memory: memory.max(LEAST_MEMORY),
            names: Names::default(),
            links: Vec::new(),
            redirects: Vec::new(),
            vertices: Vec::new(),
            runs: Vec::new(),
            last: None,
        })
    }

    /// Adds a link from one page to another.
    pub fn link(&mut self, source: &str, target: &str) -> Result<(), GraphFault> {
        check_names(&[source, target])?;
        self.make_room()?;
        let from = match &self.last {
            Some((name, number)) if **name == *source => *number,
            _ => {
                let number = self.names.number(source.as_bytes());
                self.last = Some((source.into(), number));
                number
            }
        };
        let to = self.names.number(target.as_bytes());
        if from != to {
            self.links.push(pair(to, from));
        }
        Ok(())
    }

    /// Adds a redirect: links to the first URL lead to the second. A URL that is also a page with links stays a page.
    pub fn redirect(&mut self, from: &str, to: &str) -> Result<(), GraphFault> {
        check_names(&[from, to])?;
        self.make_room()?;
        let from = self.names.number(from.as_bytes());
        let to = self.names.number(to.as_bytes());
        if from != to {
            self.redirects.push((from, to));
        }
        Ok(())
    }

    /// Adds a node with a given number, by which later links refer to it.
    pub fn vertex(&mut self, number: u32, name: &str) -> Result<(), GraphFault> {
        check_names(&[name])?;
        self.make_room()?;
        let own = self.names.number(name.as_bytes());
        self.vertices.push(pair(number, own));
        Ok(())
    }

    /// Half of the memory is for names and a quarter for links; sorting and writing take the rest.
    fn make_room(&mut self) -> Result<(), GraphFault> {
        let names =
            self.names.size() + 2 * LONGEST_NAME.min(self.memory / 16) + BESIDE_NAME * self.names.len();
        let links = 8 * (self.links.len() + self.redirects.len() + self.vertices.len());
        // Positions of names have 32 bits, however much memory there is.
        let is_full = names >= self.memory / 2 || links >= self.memory / 4;
        if is_full || self.names.size() >= (u32::MAX / 2) as usize {
            self.end_run()?;
        }
        Ok(())
    }

    fn end_run(&mut self) -> Result<(), GraphFault> {
        self.last = None;
        let order = self.names.in_order();
        let mut ranks = vec![0_u32; order.len()];
        for (rank, number) in (0..).zip(&order) {
            if let Some(place) = ranks.get_mut(*number as usize) {
                *place = rank;
            }
        }
        let names = self.write_names(&order)?;
        drop(order);
        let rank = |number: u32| ranks.get(number as usize).copied().unwrap_or_default();
        for link in &mut self.links {
            let (target, source) = halves(*link);
            *link = pair(rank(target), rank(source));
        }
        sort_once(&mut self.links);
        for vertex in &mut self.vertices {
            let (number, own) = halves(*vertex);
            *vertex = pair(number, rank(own));
        }
        let redirects = self.redirects.drain(..).map(|(from, to)| (rank(from), rank(to)));
        self.runs.push(Run {
            names,
            count: ranks.len() as u32,
            links: self.scratch.append_numbers(&self.links)?,
            redirects: redirects.collect(),
            vertices: self.scratch.append_numbers(&self.vertices)?,
            numbers: Extent::default(),
        });
        self.links.clear();
        self.vertices.clear();
        self.names.clear();
        Ok(())
    }

    fn write_names(&mut self, order: &[u32]) -> Result<Extent, GraphFault> {
        let mut whole = self.scratch.reserve(0);
        let (mut bytes, mut before) = (Vec::new(), Vec::new());
        for number in order {
            put_name(&mut bytes, &mut before, self.names.name(*number));
            if bytes.len() > 1 << 20 {
                whole.end = self.scratch.append(&bytes)?.end;
                bytes.clear();
            }
        }
        whole.end = self.scratch.append(&bytes)?.end;
        Ok(whole)
    }

    /// Once all names are known: numbers them and starts the graph file.
    pub fn name_all(
        mut self,
        output: &Path,
        progress: &mut dyn FnMut(Stage),
    ) -> Result<NamedGraph, GraphFault> {
        if self.names.len() > 0 {
            self.end_run()?;
        }
        let GraphBuilder {
            mut scratch,
            memory,
            mut runs,
            links,
            names,
            ..
        } = self;
        drop((links, names));
        let mut writer = GraphWriter::new(output)?;
        number_names(&mut scratch, &mut runs, memory, &mut writer, progress)?;
        writer.end_names()?;
        let mut numbered = Numbered::default();
        let mut redirects: BTreeMap<u32, u32> = BTreeMap::new();
        for run in &runs {
            if run.redirects.is_empty() && run.vertices.start == run.vertices.end {
                continue;
            }
            let numbers = scratch.small_numbers(run.numbers)?;
            let global = |own: u32| numbers.get(own as usize).copied().unwrap_or_default();
            for (from, to) in &run.redirects {
                // If one URL has several targets, the choice does not depend on which came first.
                let to = global(*to);
                let known = redirects.entry(global(*from)).or_insert(to);
                *known = to.min(*known);
            }
            for vertex in scratch.numbers(run.vertices)? {
                let (number, own) = halves(vertex);
                numbered.set(number, global(own));
            }
        }
        Ok(NamedGraph {
            scratch,
            memory,
            runs,
            writer,
            numbered,
            redirects,
            links: Vec::new(),
            more: Vec::new(),
        })
    }
}

fn check_names(names: &[&str]) -> Result<(), GraphFault> {
    match names.iter().find(|name| name.len() > LONGEST_NAME) {
        Some(name) => Err(GraphFault::LongName { bytes: name.len() }),
        None => Ok(()),
    }
}

fn sort_once(links: &mut Vec<u64>) {
    links.sort_unstable();
    links.dedup();
}

/// Merges the names of all runs into the file, and records for each run which numbers its names got.
fn number_names(
    scratch: &mut Scratch,
    runs: &mut [Run],
    memory: usize,
    writer: &mut GraphWriter,
    progress: &mut dyn FnMut(Stage),
) -> Result<(), GraphFault> {
    let room = share(memory, runs.len());
    for run in runs.iter_mut() {
        run.numbers = scratch.reserve(4 * u64::from(run.count));
    }
    let all: u64 = runs.iter().map(|run| u64::from(run.count)).sum();
    let mut parts: Vec<Part> = runs.iter().map(|run| Part::new(run.names, room)).collect();
    // What was recorded for each run but not written yet, and where it goes.
    let mut noted: Vec<(Vec<u8>, u64)> = runs.iter().map(|run| (Vec::new(), run.numbers.start)).collect();
    let (mut last, mut nodes, mut done) = (Vec::new(), 0_u32, 0_u64);
    let scratch = std::cell::RefCell::new(scratch);
    merge(
        runs.len(),
        |run, name: &mut Vec<u8>| {
            let Some(part) = parts.get_mut(run) else {
                return Ok(false);
            };
            let scratch = scratch.borrow();
            if !part.has(LONGEST_NAME + 20, &scratch)? {
                return Ok(false);
            }
            let mut rest = part.bytes();
            let before = rest.len();
            let is_name = take_name(&mut rest, name).is_some();
            let taken = before - rest.len();
            part.pass(taken);
            Ok(is_name)
        },
        |name, run| {
            if nodes == 0 || *name != last {
                writer.name(name)?;
                nodes += 1;
                last.clone_from(name);
            }
            if let Some((bytes, at)) = noted.get_mut(run) {
                bytes.extend_from_slice(&(nodes - 1).to_le_bytes());
                if bytes.len() >= room {
                    scratch.borrow_mut().write(*at, bytes)?;
                    *at += bytes.len() as u64;
                    bytes.clear();
                }
            }
            done += 1;
            if done.is_multiple_of(1 << 20) {
                progress(Stage::Names { done, all });
            }
            Ok(())
        },
    )?;
    for (bytes, at) in noted {
        scratch.borrow_mut().write(at, &bytes)?;
    }
    Ok(())
}

/// The memory for each of several runs read at the same time.
fn share(memory: usize, runs: usize) -> usize {
    (memory / 4 / runs.max(1)).clamp(8 << 10, 4 << 20)
}

/// The numbers of nodes in the graph, by their given numbers.
#[derive(Default)]
struct Numbered {
    pages: Vec<Option<Box<[u32; PAGE]>>>,
}

impl Numbered {
    /// For a node that was never added. No graph has enough nodes to use this number.
    const NONE: u32 = u32::MAX;

    fn set(&mut self, given: u32, node: u32) {
        let (page, at) = (given as usize / PAGE, given as usize % PAGE);
        if self.pages.len() <= page {
            self.pages.resize_with(page + 1, || None);
        }
        if let Some(page) = self.pages.get_mut(page) {
            let page = page.get_or_insert_with(|| Box::new([Numbered::NONE; PAGE]));
            if let Some(place) = page.get_mut(at) {
                *place = node;
            }
        }
    }

    fn get(&self, given: u32) -> Option<u32> {
        let page = self.pages.get(given as usize / PAGE)?.as_ref()?;
        page.get(given as usize % PAGE)
            .copied()
            .filter(|node| *node != Numbered::NONE)
    }
}

/// A graph whose file already holds the names but not yet the links.
pub struct NamedGraph {
    scratch: Scratch,
    memory: usize,
    runs: Vec<Run>,
    writer: GraphWriter,
    numbered: Numbered,
    redirects: BTreeMap<u32, u32>,
    /// Links added by given numbers, converted to the graph's numbers.
    links: Vec<u64>,
    /// Where those already written are.
    more: Vec<Extent>,
}

impl NamedGraph {
    /// Adds a link between two nodes by their given numbers. The inner error is a number that no vertex has.
    pub fn numbered_link(&mut self, source: u32, target: u32) -> Result<Result<(), u32>, GraphFault> {
        let Some(from) = self.numbered.get(source) else {
            return Ok(Err(source));
        };
        let Some(to) = self.numbered.get(target) else {
            return Ok(Err(target));
        };
        if from != to {
            self.links.push(pair(to, from));
        }
        if 8 * self.links.len() >= self.memory / 2 {
            self.end_links()?;
        }
        Ok(Ok(()))
    }

    fn end_links(&mut self) -> Result<(), GraphFault> {
        sort_once(&mut self.links);
        self.more.push(self.scratch.append_numbers(&self.links)?);
        self.links.clear();
        Ok(())
    }

    /// Writes the links and moves the file into place.
    pub fn finish(mut self, progress: &mut dyn FnMut(Stage)) -> Result<GraphSummary, GraphFault> {
        if !self.links.is_empty() {
            self.end_links()?;
        }
        self.links = Vec::new();
        self.numbered = Numbered::default();
        let NamedGraph {
            mut scratch,
            memory,
            runs,
            mut writer,
            mut redirects,
            more: mut extents,
            ..
        } = self;
        keep_pages(&scratch, &runs, &mut redirects)?;
        for run in &runs {
            extents.push(renumber(&mut scratch, run, &redirects)?);
        }
        let aliases: Vec<(u32, u32)> = redirects.into_iter().collect();
        let room = share(memory, extents.len());
        let all: u64 = extents.iter().map(|extent| (extent.end - extent.start) / 8).sum();
        let mut parts: Vec<Part> = extents.iter().map(|extent| Part::new(*extent, room)).collect();
        let (mut last, mut done) = (None, 0_u64);
        merge(
            parts.len(),
            |run, link: &mut u64| {
                let Some(part) = parts.get_mut(run) else {
                    return Ok(false);
                };
                let is_there = part.has(8, &scratch)?;
                *link = part.number();
                Ok(is_there)
            },
            |link, _| {
                done += 1;
                if done.is_multiple_of(1 << 20) {
                    progress(Stage::Links { done, all });
                }
                if last == Some(*link) {
                    return Ok(());
                }
                last = Some(*link);
                let (target, source) = halves(*link);
                writer.link(source, target)
            },
        )?;
        let Header {
            nodes,
            hosts,
            links,
            aliases: redirects,
            length,
            ..
        } = writer.finish(&aliases)?;
        Ok(GraphSummary {
            nodes,
            hosts,
            links,
            redirects,
            bytes: length,
        })
    }
}

/// A URL that has links of its own is a page, whatever it returned at another time.
fn keep_pages(scratch: &Scratch, runs: &[Run], redirects: &mut BTreeMap<u32, u32>) -> Result<(), GraphFault> {
    if redirects.is_empty() {
        return Ok(());
    }
    for run in runs {
        let numbers = scratch.small_numbers(run.numbers)?;
        for link in scratch.numbers(run.links)? {
            let (_, own) = halves(link);
            if let Some(source) = numbers.get(own as usize) {
                redirects.remove(source);
            }
        }
    }
    Ok(())
}

/// Renumbers the links of a run in place; links to a redirect lead to its target.
fn renumber(scratch: &mut Scratch, run: &Run, redirects: &BTreeMap<u32, u32>) -> Result<Extent, GraphFault> {
    let numbers = scratch.small_numbers(run.numbers)?;
    let global = |own: u32| numbers.get(own as usize).copied().unwrap_or_default();
    let mut links = scratch.numbers(run.links)?;
    for link in &mut links {
        let (target, source) = halves(*link);
        *link = pair(global(target), global(source));
    }
    if !redirects.is_empty() {
        for link in &mut links {
            let (target, source) = halves(*link);
            *link = pair(follow(target, |node| redirects.get(&node).copied()), source);
        }
        links.retain(|link| {
            let (target, source) = halves(*link);
            target != source
        });
        sort_once(&mut links);
    }
    scratch.write_numbers(run.links.start, &links)?;
    Ok(Extent {
        start: run.links.start,
        end: run.links.start + 8 * links.len() as u64,
    })
}
