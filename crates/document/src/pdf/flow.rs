//! From pieces of text at positions to paragraphs.
//!
//! A PDF places glyphs; it knows no words, lines or paragraphs. Pieces are taken in the order they are drawn, which is
//! nearly always the reading order. A gap on one line is a space, a step down is a new line, and a step larger than
//! those before it is a new paragraph. Words hyphenated at the end of a line are joined.

use crate::block::{Block, BlockKind, is_unspaced};

/// A gap wider than this share of the font's size is a space.
const SPACE: f64 = 0.14;

/// A step of more than this share of the font's size leads to another line.
const LINE: f64 = 0.45;

/// A step of more than this many times the font's size never stays in the paragraph.
const FAR: f64 = 2.6;

/// A step of more than this many times the one before ends the paragraph.
const LARGER: f64 = 1.25;

/// A text this much larger than most of the document is a heading.
const HEADING: f64 = 1.15;

/// Headings are not longer than this, in bytes.
const HEADING_BYTES: usize = 200;

/// A piece of text, placed. Positions are in the direction of writing (`along`) and across it, downwards (`down`).
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Piece {
    /// The direction of writing, of length one.
    pub(crate) direction: (f64, f64),
    pub(crate) along: f64,
    pub(crate) end: f64,
    pub(crate) down: f64,
    pub(crate) size: f64,
}

/// What comes between two pieces.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Between {
    Nothing,
    Space,
    Line,
    Paragraph,
    /// Another column or page: the paragraph goes on if the sentence does.
    Elsewhere,
}

/// A block and the size of its text.
#[derive(Debug, Default)]
struct Sized {
    block: Block,
    /// The sum of sizes over all bytes.
    weight: f64,
    page: usize,
}

impl Sized {
    fn size(&self) -> f64 {
        self.weight / self.block.text.len().max(1) as f64
    }
}

/// Collects pieces into blocks.
#[derive(Debug, Default)]
pub(crate) struct Flow {
    done: Vec<Sized>,
    open: Sized,
    last: Option<Piece>,
    /// The step from line to line in the open paragraph.
    leading: Option<f64>,
    /// Where the last line of the open paragraph begins.
    line_start: usize,
    bytes: usize,
    page: usize,
}

impl Flow {
    /// Bytes of text so far.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// The next page begins.
    pub(crate) fn next_page(&mut self) {
        self.page += 1;
    }

    /// Adds a piece of text, with the link on it, if there is one.
    pub(crate) fn add(&mut self, text: &str, piece: Piece, link: Option<&str>) {
        if text.trim().is_empty() {
            // The space itself may be the only sign of one.
            if let Some(last) = &mut self.last
                && !text.is_empty()
                && last.is_same_line(&piece)
                && (last.end - piece.along).abs() < piece.size
            {
                self.push_space();
            }
            return;
        }
        let first = text.trim_start().chars().next().unwrap_or(' ');
        match self.between(&piece) {
            Between::Nothing => {}
            Between::Space => self.space_before(first),
            Between::Line if is_bullet(first) => self.end_block(),
            Between::Line => {
                self.join_line(first);
                self.line_start = self.open.block.text.len();
            }
            Between::Elsewhere if self.goes_on(first) => {
                self.join_line(first);
                self.line_start = self.open.block.text.len();
            }
            Between::Paragraph | Between::Elsewhere => self.end_block(),
        }
        let block = &mut self.open.block;
        let start = block.text.len();
        for c in text.chars() {
            if c.is_whitespace() {
                if !block.text.is_empty() && !block.text.ends_with(' ') {
                    block.text.push(' ');
                }
            } else if !c.is_control() {
                block.text.push(c);
            }
        }
        let added = block.text.len() - start;
        if let Some(uri) = link {
            let blank = block
                .text
                .get(start..)
                .map_or(0, |new| new.len() - new.trim_start().len());
            block.link_from(start + blank, uri);
        }
        self.bytes += added;
        self.open.weight += piece.size * added as f64;
        self.open.page = self.page;
        self.last = Some(piece);
    }

    fn between(&mut self, piece: &Piece) -> Between {
        let Some(last) = self.last else {
            return Between::Nothing;
        };
        let size = piece.size.max(last.size);
        if self.open.page != self.page && !self.open.block.text.is_empty() {
            self.leading = None;
            return Between::Elsewhere;
        }
        if !last.is_same_direction(piece) {
            return Between::Paragraph;
        }
        let gap = piece.along - last.end;
        if last.is_same_line(piece) {
            return if gap > SPACE * size.min(piece.size * 1.5) {
                Between::Space
            } else if gap < -2.0 * size {
                Between::Line
            } else {
                Between::Nothing
            };
        }
        let step = piece.down - last.down;
        if step < 0.0 {
            return Between::Elsewhere;
        }
        let ratio = piece.size / last.size;
        if step > FAR * size || !(0.8..=1.25).contains(&ratio) {
            return Between::Paragraph;
        }
        match self.leading {
            Some(leading) if step > LARGER * leading => Between::Paragraph,
            // The first line was further away than its followers: it is a paragraph of its own.
            Some(leading) if step * LARGER < leading => {
                self.end_first_line();
                self.leading = Some(step);
                Between::Line
            }
            _ => {
                self.leading = Some(step);
                Between::Line
            }
        }
    }

    /// The paragraph ended before its last line.
    fn end_first_line(&mut self) {
        let at = self.line_start;
        if at == 0 || at >= self.open.block.text.len() {
            return;
        }
        let size = self.open.size();
        let rest = self.open.block.split_off(at);
        self.open.weight = size * self.open.block.text.len() as f64;
        let rest = Sized {
            weight: size * rest.text.len() as f64,
            block: rest,
            page: self.page,
        };
        let first = std::mem::replace(&mut self.open, rest);
        self.keep(first);
        self.line_start = 0;
    }

    /// Whether the sentence goes on with a word that begins like this.
    fn goes_on(&self, first: char) -> bool {
        let last = self.open.block.text.trim_end().chars().next_back();
        first.is_lowercase()
            && last.is_some_and(|last| last.is_lowercase() || matches!(last, ',' | '-' | '\u{ad}'))
    }

    fn push_space(&mut self) {
        let text = &mut self.open.block.text;
        if !text.is_empty() && !text.ends_with(' ') {
            text.push(' ');
        }
    }

    fn space_before(&mut self, first: char) {
        let last = self.open.block.text.chars().next_back();
        if !(is_unspaced(first) && last.is_some_and(is_unspaced)) {
            self.push_space();
        }
    }

    fn join_line(&mut self, first: char) {
        let text = &mut self.open.block.text;
        let mut back = text.trim_end().chars().rev();
        let (last, before) = (back.next(), back.next());
        let is_hyphen = matches!(last, Some('-' | '\u{ad}' | '\u{2010}'));
        if is_hyphen && first.is_lowercase() && before.is_some_and(char::is_alphabetic) {
            let trimmed = text.trim_end().len();
            text.truncate(trimmed);
            text.pop();
            let end = text.len();
            for link in &mut self.open.block.links {
                link.range.end = link.range.end.min(end);
            }
        } else {
            self.space_before(first);
        }
    }

    /// Ends the paragraph.
    pub(crate) fn end_block(&mut self) {
        self.leading = None;
        self.line_start = 0;
        let block = std::mem::take(&mut self.open);
        self.keep(block);
    }

    fn keep(&mut self, mut sized: Sized) {
        let text = &mut sized.block.text;
        let end = text.trim_end().len();
        text.truncate(end);
        for link in &mut sized.block.links {
            link.range.end = link.range.end.min(end);
        }
        sized.block.links.retain(|link| link.range.start < link.range.end);
        if !text.is_empty() {
            self.done.push(sized);
        }
    }

    /// The blocks, with headings marked, and the largest text near the start: what looks like a title.
    pub(crate) fn finish(mut self) -> (Vec<Block>, Option<String>) {
        self.end_block();
        let body = body_size(&self.done);
        let mut heading_sizes: Vec<i64> = Vec::new();
        for sized in &self.done {
            if is_heading(sized, body) {
                heading_sizes.push((sized.size() * 2.0).round() as i64);
            }
        }
        heading_sizes.sort_by(|a, b| b.cmp(a));
        heading_sizes.dedup();
        let mut title: Option<(f64, &str)> = None;
        for sized in self.done.iter().take(20).filter(|sized| sized.page <= 1) {
            let text = sized.block.text.as_str();
            let is_larger = title.is_none_or(|(size, _)| sized.size() > size * 1.05);
            if is_heading(sized, body) && is_larger && text.chars().filter(|c| c.is_alphabetic()).count() > 3
            {
                title = Some((sized.size(), text));
            }
        }
        let title = title.map(|(_, text)| text.to_owned());
        let blocks = self.done.into_iter().map(|sized| {
            let level = is_heading(&sized, body).then(|| {
                let size = (sized.size() * 2.0).round() as i64;
                heading_sizes.iter().take_while(|larger| **larger > size).count()
            });
            let kind = match level {
                Some(level) => BlockKind::Heading(level.min(5) as u8 + 1),
                None if sized.block.text.starts_with(is_bullet) => BlockKind::Item,
                None => BlockKind::Paragraph,
            };
            Block { kind, ..sized.block }
        });
        (blocks.collect(), title)
    }
}

fn is_heading(sized: &Sized, body: f64) -> bool {
    sized.size() >= HEADING * body
        && sized.block.text.len() <= HEADING_BYTES
        && sized.block.text.chars().any(char::is_alphabetic)
}

fn is_bullet(c: char) -> bool {
    matches!(c, '•' | '◦' | '▪' | '■' | '●' | '‣' | '\u{f0b7}')
}

/// The size that most of the text has.
fn body_size(blocks: &[Sized]) -> f64 {
    let mut sizes: Vec<(i64, usize)> = blocks
        .iter()
        .map(|sized| ((sized.size() * 4.0).round() as i64, sized.block.text.len()))
        .collect();
    sizes.sort_unstable();
    let half = sizes.iter().map(|(_, bytes)| bytes).sum::<usize>() / 2;
    let mut seen = 0;
    for (size, bytes) in sizes {
        seen += bytes;
        if seen >= half {
            return size as f64 / 4.0;
        }
    }
    0.0
}

impl Piece {
    fn is_same_direction(&self, other: &Piece) -> bool {
        self.direction.0 * other.direction.0 + self.direction.1 * other.direction.1 > 0.97
    }

    fn is_same_line(&self, other: &Piece) -> bool {
        self.is_same_direction(other) && (self.down - other.down).abs() <= LINE * self.size.max(other.size)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lines of ten points, each with the step down to it.
    fn flow(lines: &[(f64, f64, &str)]) -> Vec<String> {
        let mut flow = Flow::default();
        let mut down = 0.0;
        for (step, size, text) in lines {
            down += step;
            let piece = Piece {
                direction: (1.0, 0.0),
                along: 0.0,
                end: 300.0,
                down,
                size: *size,
            };
            flow.add(text, piece, None);
        }
        flow.finish().0.into_iter().map(|block| block.text).collect()
    }

    #[test]
    fn lines_become_paragraphs_by_their_distances() {
        let blocks = flow(&[
            (0.0, 10.0, "Green tea is"),
            (12.0, 10.0, "brewed at a tem-"),
            (12.0, 10.0, "perature below boiling."),
            (18.0, 10.0, "Black tea is not."),
            (40.0, 10.0, "Far away."),
        ]);
        assert_eq!(
            blocks,
            [
                "Green tea is brewed at a temperature below boiling.",
                "Black tea is not.",
                "Far away."
            ]
        );
    }

    #[test]
    fn a_line_apart_from_its_followers_stands_alone() {
        let blocks = flow(&[(0.0, 10.0, "Heading"), (18.0, 10.0, "One"), (12.0, 10.0, "two")]);
        assert_eq!(blocks, ["Heading", "One two"]);
    }

    #[test]
    fn larger_text_is_a_heading_and_the_title() {
        let mut flow = Flow::default();
        for (down, size, text) in [
            (0.0, 20.0, "Tea"),
            (30.0, 10.0, "A long text about it, and more."),
        ] {
            let piece = Piece {
                direction: (1.0, 0.0),
                along: 0.0,
                end: 100.0,
                down,
                size,
            };
            flow.add(text, piece, None);
        }
        // Three letters are too few for a title.
        let (blocks, title) = flow.finish();
        assert_eq!(
            blocks.first().map(|block| block.kind),
            Some(BlockKind::Heading(1))
        );
        assert_eq!(title, None);
    }
}
