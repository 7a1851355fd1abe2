//! ODT: `content.xml` holds the text, `meta.xml` what the document says about itself.

use super::Writer;
use super::archive::member;
use super::xml::{self, XmlEvent, attribute};
use crate::block::BlockKind;
use crate::budget::Budget;
use crate::{Document, Limits, facts};

pub(crate) fn read(bytes: &[u8], limits: &Limits) -> Document {
    let budget = Budget::new(limits);
    let mut document = Document::default();
    if let Some(meta) = member(bytes, "meta.xml", &budget) {
        describe(&meta, &mut document);
    }
    let mut writer = Writer::new(limits);
    if let Some(content) = member(bytes, "content.xml", &budget) {
        read_text(&content, &mut writer);
    }
    document.is_truncated = budget.fell_short();
    writer.finish(document)
}

fn describe(meta: &[u8], document: &mut Document) {
    let mut inside = String::new();
    let mut text = String::new();
    xml::read(meta, |event| {
        match event {
            XmlEvent::Start(name, _) => {
                inside = name.to_owned();
                text.clear();
            }
            XmlEvent::Text(piece) => text.push_str(piece),
            XmlEvent::End(name) if name == inside => match name {
                "title" => document.title = facts::title(&text),
                "initial-creator" => document.author = facts::fact(&text),
                "creator" => document.author = document.author.take().or_else(|| facts::fact(&text)),
                "creation-date" => document.date = facts::date(&text),
                "language" => document.language = facts::fact(&text),
                _ => {}
            },
            XmlEvent::End(_) => {}
        }
        true
    });
}

fn read_text(bytes: &[u8], writer: &mut Writer) {
    // Text counts inside paragraphs only; a note inside one is a paragraph of its own.
    let mut paragraphs = 0_u32;
    let mut items = 0_u32;
    // Deleted text, and remarks of readers.
    let mut skipped = 0_u32;
    xml::read(bytes, |event| {
        match event {
            XmlEvent::Start("tracked-changes" | "annotation", _) => skipped += 1,
            XmlEvent::End("tracked-changes" | "annotation") => skipped = skipped.saturating_sub(1),
            _ if skipped > 0 => {}
            XmlEvent::Start(name, tag) => match name {
                "p" | "h" => {
                    if paragraphs > 0 {
                        writer.end_block();
                    }
                    paragraphs += 1;
                    if name == "h" {
                        let level =
                            attribute(tag, "outline-level").and_then(|level| level.parse::<u8>().ok());
                        writer.kind(BlockKind::Heading(level.unwrap_or(1).clamp(1, 6)));
                    } else if attribute(tag, "style-name").as_deref() == Some("Title") {
                        writer.kind(BlockKind::Heading(1));
                    } else if items > 0 {
                        writer.kind(BlockKind::Item);
                    }
                }
                "list-item" => items += 1,
                "s" | "tab" | "line-break" => writer.push(" "),
                "a" => {
                    if let Some(target) = attribute(tag, "href") {
                        writer.start_link(&target);
                    }
                }
                _ => {}
            },
            XmlEvent::End(name) => match name {
                "p" | "h" => {
                    paragraphs = paragraphs.saturating_sub(1);
                    writer.end_block();
                }
                "list-item" => items = items.saturating_sub(1),
                "a" => writer.end_link(),
                _ => {}
            },
            XmlEvent::Text(text) if paragraphs > 0 => writer.push(text),
            XmlEvent::Text(_) => {}
        }
        !writer.is_full()
    });
    writer.is_truncated |= writer.is_full();
}
