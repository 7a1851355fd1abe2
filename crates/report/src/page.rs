//! One self-contained page: headings, paragraphs, tables, charts, collapsible details and settings.
//!
//! A page is a list of blocks, and the same blocks can be shown as HTML, plain text and Markdown. The HTML loads
//! nothing from anywhere (its own policy forbids it), reads well in light mode, in dark mode and on paper, and
//! escapes all text from outside. Its one small script sorts tables on a click; without the script nothing is
//! missing.
//!
//! Deliberately absent: dates, links to other places, and raw markup as a block.

mod html;
mod lines;

use crate::plot::Chart;
use crate::table::Table;

/// One part of a page, from top to bottom.
#[derive(Clone, PartialEq, Debug)]
pub enum Block {
    /// A heading.
    Heading(String),
    /// A part of the page with a heading of its own. A page with several of them begins with a list of them.
    Section(String, Vec<Block>),
    /// A paragraph.
    Paragraph(String),
    /// Remarks, one per line.
    Notes(Vec<String>),
    /// A table and its caption.
    Table(Table, String),
    /// A chart and its caption. Consecutive charts share a row if there is room.
    Figure(Chart, String),
    /// Collapsible blocks, below a summary.
    Details(String, Vec<Block>),
    /// Names and values of settings.
    Settings(Vec<(String, String)>),
    /// Preformatted lines in a fixed-width font.
    Lines(Vec<String>),
}

/// A page.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Page {
    /// Its title and first heading.
    pub title: String,
    /// The blocks.
    pub blocks: Vec<Block>,
}

impl Page {
    /// A page with only a title.
    pub fn new(title: impl Into<String>) -> Page {
        Page {
            title: title.into(),
            blocks: Vec::new(),
        }
    }

    /// Adds a block.
    pub fn push(&mut self, block: Block) -> &mut Page {
        self.blocks.push(block);
        self
    }

    /// The whole page as one HTML document.
    pub fn html(&self) -> String {
        html::document(self)
    }

    /// The page in plain text; charts are left out.
    pub fn text(&self) -> String {
        lines::plain_text(self)
    }

    /// The page in Markdown; charts are left out.
    pub fn markdown(&self) -> String {
        lines::markdown_text(self)
    }
}
