//! Documents as markup, so that they are read like pages.
//!
//! A PDF, DOCX or ODT file becomes a small HTML page with its title, its blocks and its links. Words, sentences, anchors
//! and the main text then come from the readers that every page goes through, and nothing after them knows the
//! difference.

use std::borrow::Cow;

use scenthound_document::{Block, BlockKind, Document, extract};
use scenthound_types::{DocumentKind, Unread};

use crate::Limits;
use crate::decode::Decoded;

/// Reads a document and writes it as HTML. Says why if nothing could be read.
pub(crate) fn decode(body: &[u8], kind: DocumentKind, limits: &Limits) -> (Decoded<'static>, Option<Unread>) {
    let document = extract(
        body,
        kind,
        &scenthound_document::Limits {
            text_bytes: limits.text_bytes,
            links: limits.links,
            ..scenthound_document::Limits::default()
        },
    );
    let unread = match &document {
        Document {
            is_encrypted: true, ..
        } => Some(Unread::Encrypted),
        Document { blocks, .. } if blocks.iter().all(|block| block.text.trim().is_empty()) => {
            Some(Unread::NoText)
        }
        _ => None,
    };
    let decoded = Decoded {
        text: Cow::Owned(markup(&document)),
        encoding: encoding_rs::UTF_8.name(),
        is_cut: document.is_truncated,
    };
    (decoded, unread)
}

fn markup(document: &Document) -> String {
    let text: usize = document.blocks.iter().map(|block| block.text.len() + 16).sum();
    let mut out = String::with_capacity(text + 1024);
    out.push_str("<html");
    if let Some(language) = &document.language {
        attribute(&mut out, "lang", language);
    }
    out.push_str("><head><title>");
    escape(&mut out, document.title.as_deref().unwrap_or_default());
    out.push_str("</title>");
    for (name, value) in [("author", &document.author), ("date", &document.date)] {
        if let Some(value) = value {
            out.push_str("<meta");
            attribute(&mut out, "name", name);
            attribute(&mut out, "content", value);
            out.push('>');
        }
    }
    out.push_str("</head><body><main>\n");
    let mut in_list = false;
    for block in &document.blocks {
        let is_item = block.kind == BlockKind::Item;
        if is_item != in_list {
            out.push_str(if is_item { "<ul>\n" } else { "</ul>\n" });
            in_list = is_item;
        }
        write_block(&mut out, block);
    }
    if in_list {
        out.push_str("</ul>\n");
    }
    for uri in &document.bare_links {
        write_link(&mut out, uri, "");
    }
    out.push_str("</main></body></html>\n");
    out
}

fn write_block(out: &mut String, block: &Block) {
    let element = match block.kind {
        BlockKind::Paragraph => "p",
        BlockKind::Item => "li",
        BlockKind::Heading(1) => "h1",
        BlockKind::Heading(2) => "h2",
        BlockKind::Heading(3) => "h3",
        BlockKind::Heading(_) => "h4",
    };
    out.extend(["<", element, ">"]);
    let mut done = 0;
    for link in &block.links {
        let (Some(before), Some(words)) = (
            block.text.get(done..link.range.start),
            block.text.get(link.range.clone()),
        ) else {
            continue;
        };
        escape(out, before);
        write_link(out, &link.uri, words);
        done = link.range.end;
    }
    escape(out, block.text.get(done..).unwrap_or_default());
    out.extend(["</", element, ">\n"]);
}

fn write_link(out: &mut String, uri: &str, words: &str) {
    out.push_str("<a");
    attribute(out, "href", uri);
    out.push('>');
    escape(out, words);
    out.push_str("</a>");
}

fn attribute(out: &mut String, name: &str, value: &str) {
    out.extend([" ", name, "=\""]);
    escape(out, value);
    out.push('"');
}

pub(crate) fn escape(out: &mut String, text: &str) {
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\0' => {}
            c => out.push(c),
        }
    }
}

#[cfg(test)]
mod tests {
    use scenthound_document::LinkSpan;

    use super::*;

    #[test]
    fn a_document_becomes_a_page() {
        let document = Document {
            title: Some("Tea & <cups>".into()),
            author: Some("Ann".into()),
            blocks: vec![
                Block {
                    kind: BlockKind::Heading(1),
                    text: "Tea".into(),
                    links: Vec::new(),
                },
                Block {
                    kind: BlockKind::Paragraph,
                    text: "See the cups here.".into(),
                    links: vec![LinkSpan {
                        uri: "http://a.test/?a=1&b=2".into(),
                        range: 8..12,
                    }],
                },
                Block {
                    kind: BlockKind::Item,
                    text: "one".into(),
                    links: Vec::new(),
                },
            ],
            bare_links: vec!["b.html".into()],
            ..Document::default()
        };
        assert_eq!(
            markup(&document),
            "<html><head><title>Tea &amp; &lt;cups&gt;</title><meta name=\"author\" content=\"Ann\"></head><body><main>\n\
             <h1>Tea</h1>\n\
             <p>See the <a href=\"http://a.test/?a=1&amp;b=2\">cups</a> here.</p>\n\
             <ul>\n<li>one</li>\n</ul>\n\
             <a href=\"b.html\"></a></main></body></html>\n"
        );
    }
}
