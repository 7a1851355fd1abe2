//! Blocks of text with the links in them, and the builder that both families of formats share.

use std::ops::Range;

/// What a block of text is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum BlockKind {
    /// A paragraph.
    #[default]
    Paragraph,
    /// A heading, from level 1 to 6.
    Heading(u8),
    /// An item of a list.
    Item,
}

/// A link on some words of a block.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LinkSpan {
    /// Where it leads, as written.
    pub uri: String,
    /// The bytes of [`Block::text`] that it covers.
    pub range: Range<usize>,
}

/// A block of text.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Block {
    /// What it is.
    pub kind: BlockKind,
    /// Its text, on one line unless the document breaks it.
    pub text: String,
    /// Its links, in order and without overlaps.
    pub links: Vec<LinkSpan>,
}

impl Block {
    /// Adds a link on the last bytes of the text, from here on. A second part of the same link extends the first.
    pub(crate) fn link_from(&mut self, start: usize, uri: &str) {
        let end = self.text.len();
        match self.links.last_mut() {
            Some(last) if last.uri == uri && self.text.get(last.range.end..start).is_some_and(is_blank) => {
                last.range.end = end;
            }
            _ if start < end => self.links.push(LinkSpan {
                uri: uri.to_owned(),
                range: start..end,
            }),
            _ => {}
        }
    }

    /// Moves everything from this byte on into a block of its own.
    pub(crate) fn split_off(&mut self, at: usize) -> Block {
        if !self.text.is_char_boundary(at) {
            return Block::default();
        }
        let text = self.text.split_off(at);
        let kept = self.links.partition_point(|link| link.range.start < at);
        let mut links = self.links.split_off(kept);
        for link in &mut links {
            link.range = link.range.start - at..link.range.end.saturating_sub(at);
        }
        if let Some(last) = self.links.last_mut()
            && last.range.end > at
        {
            let rest = LinkSpan {
                uri: last.uri.clone(),
                range: 0..last.range.end - at,
            };
            last.range.end = at;
            links.insert(0, rest);
        }
        let trimmed = self.text.trim_end().len();
        self.text.truncate(trimmed);
        for link in &mut self.links {
            link.range.end = link.range.end.min(trimmed);
        }
        Block {
            kind: self.kind,
            text,
            links,
        }
    }
}

fn is_blank(text: &str) -> bool {
    text.chars().all(char::is_whitespace)
}

/// Whether characters of this script are written without spaces between words.
pub(crate) fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{2e80}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{ff00}'..='\u{ffef}' | '\u{20000}'..='\u{3ffff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_one_link_become_one_link() {
        let mut block = Block {
            text: "green".into(),
            ..Block::default()
        };
        block.link_from(0, "a");
        block.text.push_str(" tea");
        block.link_from(6, "a");
        block.text.push_str(" x");
        block.link_from(10, "b");
        let ranges: Vec<_> = block.links.iter().map(|link| link.range.clone()).collect();
        assert_eq!(ranges, [0..9, 10..11]);
    }

    #[test]
    fn a_split_takes_its_links_along() {
        let mut block = Block {
            text: "one two three".into(),
            ..Block::default()
        };
        block.links.push(LinkSpan {
            uri: "a".into(),
            range: 4..13,
        });
        let rest = block.split_off(8);
        assert_eq!((block.text.as_str(), rest.text.as_str()), ("one two", "three"));
        assert_eq!(block.links.first().map(|l| l.range.clone()), Some(4..7));
        assert_eq!(rest.links.first().map(|l| l.range.clone()), Some(0..5));
    }
}
