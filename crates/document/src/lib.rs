//! Reads documents that are not web pages: PDF, DOCX and ODT. The result is their title, their text in blocks, and their
//! links.
//!
//! [`extract`] never fails and never panics. A damaged, encrypted or hostile file gives whatever could be read, often
//! nothing. Work and memory are bounded by [`Limits`], whatever the file claims about itself: every decoded byte and
//! every parsed byte is charged to a budget, and reading stops when the budget is spent. Nothing recurses deeper than
//! a constant.
//!
//! Deliberately absent: layout, images, fonts that only show shapes (scanned pages have no text), passwords, and the
//! binary formats of Office before 2007.

mod block;
mod budget;
mod facts;
mod office;
mod pdf;

use scenthound_types::DocumentKind;

pub use crate::block::{Block, BlockKind, LinkSpan};

/// How much of a document is read. Whatever lies beyond a limit is ignored, and the document is marked as truncated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Bytes of one stream after decompression.
    pub stream_bytes: usize,
    /// Bytes of all streams after decompression, and also bytes that are parsed, counted each time.
    pub work_bytes: usize,
    /// Bytes of text.
    pub text_bytes: usize,
    /// Links, counted wherever they occur.
    pub links: usize,
    /// Pages of a PDF.
    pub pages: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            stream_bytes: 8 << 20,
            work_bytes: 24 << 20,
            text_bytes: 5 << 19,
            links: 10_000,
            pages: 5_000,
        }
    }
}

/// What was read from a document.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Document {
    /// The title it gives itself or, in a PDF without one, its largest line at the start.
    pub title: Option<String>,
    /// Who wrote it, as it says.
    pub author: Option<String>,
    /// When it was created, as `YYYY-MM-DD`.
    pub date: Option<String>,
    /// The language it declares, such as `en-GB`.
    pub language: Option<String>,
    /// The text in reading order.
    pub blocks: Vec<Block>,
    /// Targets of links that cover no text.
    pub bare_links: Vec<String>,
    /// Whether it is encrypted. Such a document is not read.
    pub is_encrypted: bool,
    /// Whether a limit was reached.
    pub is_truncated: bool,
}

/// Reads a document of this kind.
pub fn extract(bytes: &[u8], kind: DocumentKind, limits: &Limits) -> Document {
    match kind {
        DocumentKind::Pdf => pdf::read(bytes, limits),
        DocumentKind::Docx => office::read_docx(bytes, limits),
        DocumentKind::Odt => office::read_odt(bytes, limits),
    }
}
