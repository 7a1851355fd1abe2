//! A page as plain text and as Markdown.

use super::{Block, Page};
use crate::text::{markdown, markdown_text as escaped, tabular};
use crate::writing::plain;

pub fn plain_text(page: &Page) -> String {
    let title = plain(&page.title);
    let mut text = format!("{title}\n");
    add_plain(&mut text, &page.blocks);
    text
}

fn add_plain(text: &mut String, blocks: &[Block]) {
    for block in blocks {
        match block {
            Block::Heading(words) => text.push_str(&format!("\n{}\n", plain(words))),
            Block::Section(words, blocks) => {
                text.push_str(&format!("\n{}\n", plain(words)));
                add_plain(text, blocks);
            }
            Block::Paragraph(words) => text.push_str(&format!("\n{}\n", plain(words))),
            Block::Notes(notes) => {
                text.push('\n');
                for note in notes {
                    text.push_str(&format!("- {}\n", plain(note)));
                }
            }
            Block::Table(table, caption) => {
                text.push_str(&format!("\n{}\n\n{}", plain(caption), tabular(table)));
            }
            Block::Figure(..) => {}
            Block::Details(summary, blocks) => {
                text.push_str(&format!("\n{}\n", plain(summary)));
                add_plain(text, blocks);
            }
            Block::Settings(settings) => {
                text.push('\n');
                for (name, value) in settings {
                    text.push_str(&format!("{} = {}\n", plain(name), plain(value)));
                }
            }
            Block::Lines(lines) => {
                text.push('\n');
                for line in lines {
                    text.push_str(&format!("{}\n", without_control(line)));
                }
            }
        }
    }
}

pub fn markdown_text(page: &Page) -> String {
    let mut text = format!("# {}\n", escaped(&page.title));
    add_markdown(&mut text, &page.blocks, 2);
    text
}

fn add_markdown(text: &mut String, blocks: &[Block], level: usize) {
    let signs = "#".repeat(level.min(6));
    for block in blocks {
        match block {
            Block::Heading(words) => text.push_str(&format!("\n{signs} {}\n", escaped(words))),
            Block::Section(words, blocks) => {
                text.push_str(&format!("\n{signs} {}\n", escaped(words)));
                add_markdown(text, blocks, level + 1);
            }
            Block::Paragraph(words) => text.push_str(&format!("\n{}\n", escaped(words))),
            Block::Notes(notes) => {
                text.push('\n');
                for note in notes {
                    text.push_str(&format!("- {}\n", escaped(note)));
                }
            }
            Block::Table(table, caption) => {
                text.push_str(&format!("\n{}\n\n{}", escaped(caption), markdown(table)));
            }
            Block::Figure(..) => {}
            Block::Details(summary, blocks) => {
                text.push_str(&format!("\n{signs} {}\n", escaped(summary)));
                add_markdown(text, blocks, level + 1);
            }
            Block::Settings(settings) => {
                text.push('\n');
                for (name, value) in settings {
                    text.push_str(&format!("- {} = {}\n", escaped(name), escaped(value)));
                }
            }
            Block::Lines(lines) => {
                text.push('\n');
                for line in lines {
                    text.push_str(&format!("    {}\n", without_control(line)));
                }
            }
        }
    }
}

/// Keeps the spaces of a line, which [`plain`] would collapse.
pub fn without_control(line: &str) -> String {
    line.chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect()
}
