//! The elements around a place of the page, without a tree.
//!
//! Only block elements count, and only the innermost few are known exactly. End tags that were left out are guessed as
//! browsers do for the common cases; where markup is so broken that the guess fails, links that look alike still get the
//! same path, which is all that a path is for.

use crate::element::Element;

/// How many of the innermost elements make up a path.
const PATH: usize = 5;
/// How many open elements are remembered. Deeper nesting forgets the outermost.
const OPEN: usize = 64;

/// The block elements that have been opened and not closed.
#[derive(Debug, Default)]
pub(crate) struct OpenElements {
    open: Vec<Element>,
}

impl OpenElements {
    pub(crate) fn open(&mut self, element: Element) {
        use Element::*;
        // Elements without content of their own, and those whose contents are no part of the page's body.
        if matches!(element, Hr | Head | Html) {
            return;
        }
        let ends: &[Element] = match element {
            Li => &[Li],
            Dt | Dd => &[Dt, Dd],
            Td | Th => &[Td, Th],
            Tr => &[Td, Th, Tr],
            Tbody | Thead | Tfoot => &[Td, Th, Tr, Tbody, Thead, Tfoot],
            _ => &[],
        };
        // Any block ends a paragraph.
        while self
            .open
            .last()
            .is_some_and(|last| *last == P || ends.contains(last))
        {
            self.open.pop();
        }
        if self.open.len() >= OPEN {
            self.open.remove(0);
        }
        self.open.push(element);
    }

    pub(crate) fn close(&mut self, element: Element) {
        if let Some(at) = self.open.iter().rposition(|open| *open == element) {
            self.open.truncate(at);
        }
    }

    /// The innermost elements as a hash; 0 outside of all.
    pub(crate) fn path(&self) -> u32 {
        let innermost = self.open.iter().rev().take(PATH);
        innermost.fold(0, |hash: u32, element| {
            (hash ^ (*element as u32 + 1)).wrapping_mul(0x0100_0193)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Element::*;

    fn path(events: &[(bool, Element)]) -> u32 {
        let mut inside = OpenElements::default();
        for (is_start, element) in events {
            if *is_start {
                inside.open(*element);
            } else {
                inside.close(*element);
            }
        }
        inside.path()
    }

    #[test]
    fn items_of_one_list_share_a_path_whether_they_are_closed_or_not() {
        let first = path(&[(true, Body), (true, Ul), (true, Li)]);
        let closed = path(&[(true, Body), (true, Ul), (true, Li), (false, Li), (true, Li)]);
        let unclosed = path(&[(true, Body), (true, Ul), (true, Li), (true, P), (true, Li)]);
        assert_eq!(first, closed);
        assert_eq!(first, unclosed);
        assert_ne!(first, path(&[(true, Body), (true, Ol), (true, Li)]));
    }

    #[test]
    fn rows_of_a_table_share_a_path() {
        let first = path(&[(true, Table), (true, Tr), (true, Td)]);
        let later = path(&[
            (true, Table),
            (true, Tr),
            (true, Td),
            (true, Tr),
            (true, Td),
            (true, Td),
        ]);
        assert_eq!(first, later);
    }

    #[test]
    fn deep_nesting_is_bounded_and_only_the_innermost_count() {
        let mut inside = OpenElements::default();
        (0..100_000).for_each(|_| inside.open(Div));
        assert_eq!(inside.open.len(), OPEN);
        let deep = inside.path();
        assert_eq!(deep, path(&[(true, Div); 5]));
        inside.close(Ul);
        assert_eq!(inside.path(), deep, "an end tag without a start changes nothing");
    }
}
