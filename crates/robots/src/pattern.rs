//! Whether a pattern matches a path, both in comparable form.
//!
//! The stars split a pattern into pieces. The first piece must begin the path. Each further piece is searched for as
//! early as possible after the one before (an earlier match never spoils a later one), and after a `$` the last piece
//! must end the path. So every octet of the path is passed once, by a substring search that is itself linear: a
//! pattern of ten thousand stars costs no more than one of the same length without. Nothing is ever tried twice,
//! which is what makes backtracking matchers and regular expressions explode.

use memchr::memmem;

/// Whether the pattern matches the path from its start.
pub(crate) fn matches(pattern: &[u8], path: &[u8]) -> bool {
    let (pattern, anchored) = match pattern.strip_suffix(b"$") {
        Some(before) => (before, true),
        None => (pattern, false),
    };
    let mut pieces = pattern.split(|&byte| byte == b'*');
    // `split` returns at least one piece.
    let Some(mut rest) = path.strip_prefix(pieces.next().unwrap_or_default()) else {
        return false;
    };
    let Some(mut piece) = pieces.next() else {
        return !anchored || rest.is_empty();
    };
    for next in pieces {
        let Some(after) = memmem::find(rest, piece).and_then(|at| rest.get(at + piece.len()..)) else {
            return false;
        };
        rest = after;
        piece = next;
    }
    if anchored {
        rest.ends_with(piece)
    } else {
        memmem::find(rest, piece).is_some()
    }
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

    proptest! {
        #[test]
        fn matching_agrees_with_the_definition(pattern in "[ab/*]{0,9}\\$?", path in "[ab/]{0,12}") {
            prop_assert_eq!(
                matches(pattern.as_bytes(), path.as_bytes()),
                matches_by_definition(pattern.as_bytes(), path.as_bytes())
            );
        }
    }
}
