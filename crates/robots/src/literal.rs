//! Finds the rule without stars that decides about a path, among any number of them.
//!
//! The patterns are sorted. Those that are prefixes of the path are the path's predecessor in that order, or a prefix
//! of it, and each pattern knows the longest other pattern that is its prefix. So one binary search and one walk along
//! prefixes find the longest. Patterns that end in `$` have a list of their own, where the path itself is looked up.

/// The rules without stars, by the place each has in the order of precedence.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Literals {
    /// Sorted by pattern; of two equal patterns, only the first in precedence.
    open: Box<[Literal]>,
    /// Those that end in `$`, likewise.
    closed: Box<[u32]>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Literal {
    place: u32,
    /// Where in the sorted list its longest prefix is, plus one; 0 for none.
    prefix: u32,
}

impl Literals {
    /// Sorts the rules at these places, which must be in order of precedence.
    pub(crate) fn new<'a>(places: Vec<u32>, pattern: impl Fn(u32) -> &'a [u8]) -> Literals {
        let sorted = |mut places: Vec<u32>| {
            places.sort_by(|&a, &b| body(pattern(a)).cmp(body(pattern(b))).then(a.cmp(&b)));
            places.dedup_by(|later, first| pattern(*later) == pattern(*first));
            places
        };
        let (closed, open): (Vec<u32>, Vec<u32>) = places
            .into_iter()
            .partition(|&place| pattern(place).ends_with(b"$"));
        let mut literals: Vec<Literal> = Vec::with_capacity(open.len());
        for place in sorted(open) {
            let mut prefix = u32::try_from(literals.len()).unwrap_or(0);
            while let Some(literal) = at(&literals, prefix) {
                if pattern(place).starts_with(pattern(literal.place)) {
                    break;
                }
                prefix = literal.prefix;
            }
            literals.push(Literal { place, prefix });
        }
        Literals {
            open: literals.into(),
            closed: sorted(closed).into(),
        }
    }

    /// The place of the first rule in precedence that matches the path.
    pub(crate) fn first_match<'a>(&self, path: &[u8], pattern: impl Fn(u32) -> &'a [u8]) -> Option<u32> {
        // It is longer than any open pattern that matches, so it comes first.
        let found = self
            .closed
            .binary_search_by(|&place| body(pattern(place)).cmp(path));
        if let Some(&place) = found.ok().and_then(|found| self.closed.get(found)) {
            return Some(place);
        }
        let after = self
            .open
            .partition_point(|literal| pattern(literal.place) <= path);
        let mut candidate = u32::try_from(after).unwrap_or(0);
        while let Some(literal) = at(&self.open, candidate) {
            if path.starts_with(pattern(literal.place)) {
                return Some(literal.place);
            }
            candidate = literal.prefix;
        }
        None
    }
}

/// A pattern without its final `$`.
fn body(pattern: &[u8]) -> &[u8] {
    pattern.strip_suffix(b"$").unwrap_or(pattern)
}

/// The literal that a reference means.
fn at(literals: &[Literal], reference: u32) -> Option<&Literal> {
    literals.get((reference as usize).checked_sub(1)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_first_match_is_what_trying_all_in_turn_finds(
            mut patterns in proptest::collection::vec("/[ab!]{0,4}\\$?", 0..12),
            path in "/[ab!]{0,6}",
        ) {
            patterns.sort_by_key(|pattern| std::cmp::Reverse(pattern.len()));
            let pattern = |place: u32| patterns[place as usize].as_bytes();
            let literals = Literals::new((0..patterns.len() as u32).collect(), pattern);
            let slow = patterns.iter().position(|pattern| match pattern.strip_suffix('$') {
                Some(whole) => path == whole,
                None => path.starts_with(pattern.as_str()),
            });
            prop_assert_eq!(literals.first_match(path.as_bytes(), pattern), slow.map(|place| place as u32));
        }
    }
}
