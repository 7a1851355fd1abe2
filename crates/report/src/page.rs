//! One self-contained page: headings, paragraphs, tables, charts, details to unfold, settings.
//!
//! A page is a list of blocks, and the same blocks can be shown as HTML, as plain text and as Markdown. The HTML loads
//! nothing from anywhere (its own policy forbids it), reads well in light, in dark and on paper, and every word from
//! outside is escaped. The one small script sorts tables by a click; without it nothing is missing.
//!
//! Deliberately absent: dates, links, and raw markup as a block.

mod html;
mod lines;

use crate::plot::Chart;
use crate::table::Table;

/// One part of a page, from top to bottom.
#[derive(Clone, PartialEq, Debug)]
pub enum Block {
    /// A heading.
    Heading(String),
    /// A paragraph.
    Paragraph(String),
    /// Remarks, one a line.
    Notes(Vec<String>),
    /// A table and what it shows.
    Table(Table, String),
    /// A chart and what to see in it. Charts that follow each other share a row where there is room.
    Figure(Chart, String),
    /// Blocks to unfold, below a summary.
    Details(String, Vec<Block>),
    /// Names and values of settings.
    Settings(Vec<(String, String)>),
    /// Lines as they are, in letters of one width.
    Lines(Vec<String>),
}

/// A page.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Page {
    /// Its title and first heading.
    pub title: String,
    /// The rest.
    pub blocks: Vec<Block>,
}

impl Page {
    /// A page with a title only.
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
