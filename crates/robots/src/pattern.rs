//! Whether a pattern matches a path, both in comparable form.
//!
//! The stars split a pattern into pieces. The first piece must begin the path. Each further piece is searched for as
//! early as possible after the one before (an earlier match never spoils a later one), and after a `$` the last piece
//! must end the path. So every octet of the path is passed once, by a substring search that is itself linear: a
//! pattern of ten thousand stars costs no more than one of the same length without. Nothing is ever tried twice,
//! which is what makes backtracking matchers and regular expressions explode.

use memchr::memmem;

/// How much comparing may still be done for one path, in octets passed plus a fixed charge for each search.
///
/// One pattern is linear, but a file holds thousands, and a hostile site chooses both the patterns and the paths.
pub(crate) struct Work {
    left: usize,
}

/// What one search costs beside the octets it passes.
const SEARCH: usize = 16;

impl Work {
    /// Enough for five hundred searches through a long path. It is used up in a fraction of a millisecond.
    pub(crate) const PER_PATH: Work = Work { left: 128 * 1024 };

    /// Takes the cost of a search from what is left. Once it is used up, no search is made any more.
    fn spend(&mut self, octets: usize) {
        self.left = self.left.saturating_sub(octets + SEARCH);
    }
}

/// Comparing was given up because it cost too much.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct WorkSpent;

/// Whether the pattern matches the path from its start.
pub(crate) fn matches(pattern: &[u8], path: &[u8], work: &mut Work) -> Result<bool, WorkSpent> {
    let (pattern, anchored) = match pattern.strip_suffix(b"$") {
        Some(before) => (before, true),
        None => (pattern, false),
    };
    let mut pieces = pattern.split(|&byte| byte == b'*');
    // `split` returns at least one piece.
    let Some(mut rest) = path.strip_prefix(pieces.next().unwrap_or_default()) else {
        return Ok(false);
    };
    let Some(mut piece) = pieces.next() else {
        return Ok(!anchored || rest.is_empty());
    };
    for next in pieces {
        match find(rest, piece, work)? {
            Some(after) => rest = after,
            None => return Ok(false),
        }
        piece = next;
    }
    if anchored {
        Ok(rest.ends_with(piece))
    } else {
        Ok(find(rest, piece, work)?.is_some())
    }
}

/// What follows the first occurrence of the piece.
fn find<'a>(rest: &'a [u8], piece: &[u8], work: &mut Work) -> Result<Option<&'a [u8]>, WorkSpent> {
    if work.left == 0 {
        return Err(WorkSpent);
    }
    let after = memmem::find(rest, piece).and_then(|at| rest.get(at + piece.len()..));
    let passed = rest.len() - after.map_or(0, <[u8]>::len);
    work.spend(passed + piece.len());
    Ok(after)
}

/// The pairs of neighbouring octets in a text, as a set of 128 bits that may contain more than was put in.
///
/// A path can match a pattern only if it holds all pairs of the pattern's pieces. This rules out nearly all patterns of
/// an ordinary file without a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Pairs(u128);

impl Pairs {
    /// The pairs of a path.
    pub(crate) fn of_path(path: &[u8]) -> Pairs {
        Pairs(path.array_windows().fold(0, |set, pair| set | bit(*pair)))
    }

    /// The pairs that any path matched by this pattern holds.
    pub(crate) fn of_pattern(pattern: &[u8]) -> Pairs {
        let pattern = pattern.strip_suffix(b"$").unwrap_or(pattern);
        let pieces = pattern.split(|&byte| byte == b'*');
        Pairs(pieces.fold(0, |set, piece| set | Pairs::of_path(piece).0))
    }

    /// Whether all of these are in the other set.
    pub(crate) fn are_in(self, other: Pairs) -> bool {
        self.0 & !other.0 == 0
    }
}

fn bit([first, second]: [u8; 2]) -> u128 {
    let mixed = u32::from(first)
        .wrapping_mul(0x9E37)
        .wrapping_add(u32::from(second).wrapping_mul(0x85EB));
    1 << ((mixed ^ (mixed >> 7)) & 127)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The definition taken literally: slow and plain.
    fn matches_by_definition(pattern: &[u8], path: &[u8]) -> bool {
        match (pattern, path) {
            ([], _) | ([b'$'], []) => true,
            ([b'$'], _) => false,
            ([b'*', rest @ ..], _) => {
                (0..=path.len()).any(|skipped| matches_by_definition(rest, &path[skipped..]))
            }
            ([first, rest @ ..], [head, tail @ ..]) => first == head && matches_by_definition(rest, tail),
            (_, []) => false,
        }
    }

    #[test]
    fn stars_and_the_end_sign_mean_what_the_rfc_says() {
        let hits = [
            ("/", "/x"),
            ("/fish", "/fishheads"),
            ("/fish*", "/fish"),
            ("/*.php", "/a.php?x"),
            ("/*.php$", "/a.php/b.php"),
            ("*.gif$", "/a.gif"),
            ("/a*b*c", "/a-b-b-c-c"),
            ("/$", "/"),
            ("/a*$", "/abc"),
        ];
        for (pattern, path) in hits {
            assert!(matches(pattern.as_bytes(), path.as_bytes()), "{pattern} {path}");
        }
        let misses = [
            ("/fish", "/Fish"),
            ("/*.php$", "/a.php5"),
            ("/$", "/a"),
            ("/a*b$", "/ab-"),
            ("/ab*b$", "/ab"),
            ("/a*b*c", "/a-c-b"),
        ];
        for (pattern, path) in misses {
            assert!(!matches(pattern.as_bytes(), path.as_bytes()), "{pattern} {path}");
        }
    }

    fn matches(pattern: &[u8], path: &[u8]) -> bool {
        let mut work = Work::PER_PATH;
        super::matches(pattern, path, &mut work).unwrap()
    }

    proptest! {
        #[test]
        fn a_path_that_matches_holds_the_pairs_of_the_pattern(pattern in "[ab/*]{0,9}\\$?", path in "[ab/]{0,12}") {
            let has_pairs = Pairs::of_pattern(pattern.as_bytes()).are_in(Pairs::of_path(path.as_bytes()));
            prop_assert!(has_pairs || !matches(pattern.as_bytes(), path.as_bytes()));
        }

        #[test]
        fn matching_agrees_with_the_definition(pattern in "[ab/*]{0,9}\\$?", path in "[ab/]{0,12}") {
            prop_assert_eq!(
                matches(pattern.as_bytes(), path.as_bytes()),
                matches_by_definition(pattern.as_bytes(), path.as_bytes())
            );
        }
    }
}
