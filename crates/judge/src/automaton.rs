//! Finds every run of symbols from a fixed set in one pass, including overlaps.
//!
//! The classic multi-pattern automaton: a state is the longest prefix of any run that the symbols read so far end
//! with. The cost per symbol does not depend on the number of runs.
//!
//! Deliberately absent: text. Symbols are small numbers that the [`Matcher`](crate::matcher::Matcher) assigns to
//! words.

use std::collections::{BTreeMap, VecDeque};

use crate::dictionary::Dictionary;

/// A position in the automaton. At [`State::START`] nothing of any run has been read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct State(u32);

impl State {
    /// Nothing read.
    pub(crate) const START: State = State(0);
}

#[derive(Clone, Debug, Default)]
struct Node {
    /// The longest shorter prefix that this one ends with.
    fallback: u32,
    /// The node to continue from after reporting: the same node, or the nearest fallback from which a run can
    /// continue.
    rest: u32,
    /// The runs that end here, as a range of `ended`.
    ended: std::ops::Range<u32>,
}

/// The automaton of a set of runs.
#[derive(Clone, Debug)]
pub(crate) struct Automaton {
    nodes: Vec<Node>,
    /// The node after START, by symbol.
    first: Vec<u32>,
    /// The node after another node and a symbol.
    next: Dictionary,
    /// The identifiers of runs.
    ended: Vec<u32>,
}

impl Automaton {
    /// An automaton for runs and their identifiers. Empty runs are never found; two equal ones are both found.
    pub(crate) fn new(runs: &[(Vec<u32>, u32)]) -> Automaton {
        let mut children: BTreeMap<(u32, u32), u32> = BTreeMap::new();
        let mut names: Vec<Vec<u32>> = vec![Vec::new()];
        for (run, name) in runs {
            let mut node = 0;
            for &symbol in run {
                node = *children.entry((node, symbol)).or_insert_with(|| {
                    names.push(Vec::new());
                    (names.len() - 1) as u32
                });
            }
            if node != 0 {
                names[node as usize].push(*name);
            }
        }
        let symbols = runs
            .iter()
            .flat_map(|(run, _)| run)
            .max()
            .map_or(0, |max| max + 1);
        let mut automaton = Automaton {
            nodes: vec![Node::default(); names.len()],
            first: (0..symbols)
                .map(|symbol| children.get(&(0, symbol)).copied().unwrap_or(0))
                .collect(),
            next: Dictionary::of(
                &children
                    .iter()
                    .filter(|((node, _), _)| *node != 0)
                    .map(|(&(node, symbol), &child)| (step_key(node, symbol), child))
                    .collect::<Vec<_>>(),
            ),
            ended: Vec::new(),
        };
        automaton.link(&children, &names);
        automaton
    }

    /// Breadth first, so that a node's fallback, which is shorter, is complete before the node itself.
    fn link(&mut self, children: &BTreeMap<(u32, u32), u32>, names: &[Vec<u32>]) {
        let mut waiting = VecDeque::from([0]);
        while let Some(node) = waiting.pop_front() {
            let fallback = self.nodes[node as usize].fallback;
            let inherited = self.nodes[fallback as usize].ended.clone();
            let start = self.ended.len() as u32;
            self.ended.extend(&names[node as usize]);
            if node != 0 {
                self.ended
                    .extend_from_within(inherited.start as usize..inherited.end as usize);
            }
            let end = self.ended.len() as u32;
            let mut has_children = false;
            for (&(_, symbol), &child) in children.range((node, 0)..=(node, u32::MAX)) {
                has_children = true;
                self.nodes[child as usize].fallback = if node == 0 {
                    0
                } else {
                    self.step(State(fallback), symbol).0
                };
                waiting.push_back(child);
            }
            let rest = if has_children || node == 0 {
                node
            } else {
                self.nodes[fallback as usize].rest
            };
            let linked = &mut self.nodes[node as usize];
            linked.ended = start..end;
            linked.rest = rest;
        }
    }

    /// Reads a symbol, reports the runs that end with it, and returns the state to continue from.
    pub(crate) fn read(&self, state: State, symbol: u32, mut found: impl FnMut(u32)) -> State {
        let node = &self.nodes[self.step(state, symbol).0 as usize];
        for &name in &self.ended[node.ended.start as usize..node.ended.end as usize] {
            found(name);
        }
        State(node.rest)
    }

    fn step(&self, state: State, symbol: u32) -> State {
        let mut node = state.0;
        while node != 0 {
            if let Some(next) = self.next.get(step_key(node, symbol)) {
                return State(next);
            }
            node = self.nodes[node as usize].fallback;
        }
        State(self.first.get(symbol as usize).copied().unwrap_or(0))
    }
}

/// Combines node and symbol into a key; one to one, and never 0 because the node is not 0.
fn step_key(node: u32, symbol: u32) -> u64 {
    let mut key = (u64::from(node) << 32) | u64::from(symbol);
    key ^= key >> 32;
    key = key.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    key ^ (key >> 29)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Letters as symbols; the identifier of a run is its position in the list.
    fn found(runs: &[&str], text: &str) -> Vec<u32> {
        let runs: Vec<(Vec<u32>, u32)> = runs
            .iter()
            .enumerate()
            .map(|(name, run)| (run.bytes().map(|b| u32::from(b - b'a')).collect(), name as u32))
            .collect();
        let automaton = Automaton::new(&runs);
        let mut found = Vec::new();
        let mut state = State::START;
        for symbol in text.bytes().map(|b| u32::from(b - b'a')) {
            state = automaton.read(state, symbol, |name| found.push(name));
        }
        found
    }

    #[test]
    fn overlapping_and_nested_runs_are_all_found() {
        assert_eq!(found(&["he", "she", "his", "hers"], "ushers"), [1, 0, 3]);
        assert_eq!(found(&["aa"], "aaaa"), [0, 0, 0]);
        assert_eq!(found(&["a", "ab", "bc", "abcd"], "abcd"), [0, 1, 2, 3]);
    }

    #[test]
    fn a_run_given_twice_is_found_under_both_names() {
        assert_eq!(found(&["ab", "ab", ""], "xab"), [0, 1]);
    }

    #[test]
    fn a_dead_end_falls_back_to_the_run_it_ends_with() {
        assert_eq!(found(&["abx", "bcd"], "abcd"), [1]);
        assert_eq!(found(&["ab", "bc"], "abc"), [0, 1]);
    }
}
