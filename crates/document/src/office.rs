//! Text and links of DOCX and ODT files: archives of XML files.

mod archive;
mod docx;
mod odt;
mod xml;

pub(crate) use docx::read as read_docx;
pub(crate) use odt::read as read_odt;

use crate::Limits;
use crate::block::{Block, BlockKind};
use crate::{Document, facts};

/// Longer addresses are ignored, in bytes.
const MAX_URI: usize = 4096;

/// Collects the paragraphs of a document.
#[derive(Debug)]
struct Writer {
    limits: Limits,
    blocks: Vec<Block>,
    open: Block,
    /// Where the open link begins and leads.
    link: Option<(usize, String)>,
    links: usize,
    bytes: usize,
    is_truncated: bool,
}

impl Writer {
    fn new(limits: &Limits) -> Writer {
        Writer {
            limits: *limits,
            blocks: Vec::new(),
            open: Block::default(),
            link: None,
            links: 0,
            bytes: 0,
            is_truncated: false,
        }
    }

    fn is_full(&self) -> bool {
        self.bytes >= self.limits.text_bytes
    }

    fn push(&mut self, text: &str) {
        if self.is_full() {
            self.is_truncated = true;
            return;
        }
        self.bytes += text.len();
        self.open.text.push_str(text);
    }

    fn kind(&mut self, kind: BlockKind) {
        self.open.kind = kind;
    }

    fn start_link(&mut self, uri: &str) {
        self.end_link();
        let uri = uri.trim();
        // What begins with a hash leads elsewhere in the document.
        let is_link = !uri.is_empty() && uri.len() <= MAX_URI && !uri.starts_with('#');
        if is_link && self.links < self.limits.links {
            self.links += 1;
            self.link = Some((self.open.text.len(), uri.to_owned()));
        } else if is_link {
            self.is_truncated = true;
        }
    }

    fn end_link(&mut self) {
        if let Some((start, uri)) = self.link.take() {
            self.open.link_from(start, &uri);
        }
    }

    /// Ends the paragraph. A link that is still open goes on in the next one.
    fn end_block(&mut self) {
        let continued = self.link.as_ref().map(|(_, uri)| uri.clone());
        self.end_link();
        let mut block = std::mem::take(&mut self.open);
        let end = block.text.trim_end().len();
        block.text.truncate(end);
        for link in &mut block.links {
            link.range.end = link.range.end.min(end);
        }
        block.links.retain(|link| link.range.start < link.range.end);
        if !block.text.trim().is_empty() {
            self.blocks.push(block);
        }
        self.link = continued.map(|uri| (0, uri));
    }

    /// The finished document, with the title of its first heading if it names none.
    fn finish(mut self, mut document: Document) -> Document {
        self.link = None;
        self.end_block();
        let is_heading = |block: &&Block| matches!(block.kind, BlockKind::Heading(_));
        document.title = document
            .title
            .or_else(|| facts::fact(&self.blocks.iter().take(10).find(is_heading)?.text));
        document.blocks = self.blocks;
        document.is_truncated |= self.is_truncated;
        document
    }
}
