//! DOCX: `word/document.xml` holds the text, and a file beside it the targets of links.

use std::collections::HashMap;

use super::Writer;
use super::archive::member;
use super::xml::{self, XmlEvent, attribute};
use crate::block::BlockKind;
use crate::budget::Budget;
use crate::{Document, Limits, facts};

/// The most targets of links.
const MAX_TARGETS: usize = 20_000;

pub(crate) fn read(bytes: &[u8], limits: &Limits) -> Document {
    let budget = Budget::new(limits);
    let mut document = Document::default();
    if let Some(core) = member(bytes, "docProps/core.xml", &budget) {
        describe(&core, &mut document);
    }
    let targets = match member(bytes, "word/_rels/document.xml.rels", &budget) {
        Some(relations) => targets(&relations),
        None => HashMap::new(),
    };
    let mut writer = Writer::new(limits);
    for part in ["word/document.xml", "word/footnotes.xml", "word/endnotes.xml"] {
        if let Some(text) = member(bytes, part, &budget) {
            read_text(&text, &targets, &mut writer);
        }
    }
    document.is_truncated = budget.fell_short();
    writer.finish(document)
}

fn describe(core: &[u8], document: &mut Document) {
    let mut inside = String::new();
    let mut text = String::new();
    xml::read(core, |event| {
        match event {
            XmlEvent::Start(name, _) => {
                inside = name.to_owned();
                text.clear();
            }
            XmlEvent::Text(piece) => text.push_str(piece),
            XmlEvent::End(name) if name == inside => match name {
                "title" => document.title = facts::title(&text),
                "creator" => document.author = facts::fact(&text),
                "created" => document.date = facts::date(&text),
                "language" => document.language = facts::fact(&text),
                _ => {}
            },
            XmlEvent::End(_) => {}
        }
        true
    });
}

/// Where the links lead, by their ids.
fn targets(relations: &[u8]) -> HashMap<String, String> {
    let mut targets = HashMap::new();
    xml::read(relations, |event| {
        if let XmlEvent::Start("Relationship", tag) = event
            && attribute(tag, "TargetMode").as_deref() == Some("External")
            && attribute(tag, "Type").is_some_and(|kind| kind.ends_with("/hyperlink"))
            && let (Some(id), Some(target)) = (attribute(tag, "Id"), attribute(tag, "Target"))
        {
            targets.insert(id, target);
        }
        targets.len() < MAX_TARGETS
    });
    targets
}

/// How far an old-style link has got: a field with an instruction and a result.
#[derive(Default)]
struct Field {
    instruction: String,
    is_open: bool,
}

fn read_text(bytes: &[u8], targets: &HashMap<String, String>, writer: &mut Writer) {
    let mut in_text = false;
    let mut in_instruction = false;
    // Elements whose content repeats or replaces what is read elsewhere.
    let mut skipped = 0_u32;
    let mut field = Field::default();
    xml::read(bytes, |event| {
        match event {
            XmlEvent::Start("Fallback", _) => skipped += 1,
            XmlEvent::End("Fallback") => skipped = skipped.saturating_sub(1),
            _ if skipped > 0 => {}
            XmlEvent::Start(name, tag) => match name {
                "t" => in_text = true,
                "instrText" => in_instruction = true,
                "tab" | "br" | "cr" => writer.push(" "),
                "noBreakHyphen" => writer.push("-"),
                "pStyle" => {
                    if let Some(kind) = attribute(tag, "val").and_then(|style| heading(&style)) {
                        writer.kind(kind);
                    }
                }
                "numPr" if writer.open.kind == BlockKind::Paragraph => writer.kind(BlockKind::Item),
                "hyperlink" => {
                    if let Some(target) = attribute(tag, "id").and_then(|id| targets.get(&id)) {
                        writer.start_link(target);
                    }
                }
                "fldSimple" => {
                    if let Some(target) = attribute(tag, "instr").as_deref().and_then(field_target) {
                        writer.start_link(target);
                    }
                }
                "fldChar" => match attribute(tag, "fldCharType").as_deref() {
                    Some("begin") => field = Field::default(),
                    Some("separate") => {
                        if let Some(target) = field_target(&field.instruction) {
                            writer.start_link(target);
                            field.is_open = true;
                        }
                    }
                    Some("end") if field.is_open => {
                        field.is_open = false;
                        writer.end_link();
                    }
                    _ => {}
                },
                _ => {}
            },
            XmlEvent::End(name) => match name {
                "t" => in_text = false,
                "instrText" => in_instruction = false,
                "p" => writer.end_block(),
                "hyperlink" | "fldSimple" => writer.end_link(),
                _ => {}
            },
            XmlEvent::Text(text) if in_text => writer.push(text),
            XmlEvent::Text(text) if in_instruction && field.instruction.len() < 8192 => {
                field.instruction.push_str(text);
            }
            XmlEvent::Text(_) => {}
        }
        !writer.is_full()
    });
    writer.is_truncated |= writer.is_full();
    writer.end_block();
}

/// What a style is by its name: `Heading1`, `Title`.
fn heading(style: &str) -> Option<BlockKind> {
    let style = style.to_ascii_lowercase();
    if style == "title" {
        return Some(BlockKind::Heading(1));
    }
    let level = style.strip_prefix("heading")?.trim().parse::<u8>().ok()?;
    Some(BlockKind::Heading(level.clamp(1, 6)))
}

/// The target in ` HYPERLINK "http://…" `.
fn field_target(instruction: &str) -> Option<&str> {
    let rest = instruction.trim_start().strip_prefix("HYPERLINK")?.trim_start();
    // `\l` leads elsewhere in the document.
    let quoted = rest.strip_prefix('"')?;
    quoted.split('"').next()
}
