//! A page as an HTML document.

use unicode_width::UnicodeWidthStr;

use super::lines::without_control;
use super::{Block, Page};
use crate::plot::COLOURS;
use crate::table::{Content, Form, Owner, Table, Written};
use crate::writing::escape;

const STYLE: &str = include_str!("style.css");
const SORT: &str = include_str!("sort.js");
/// The series' colours on a dark background: the same hues, lighter.
const DARK: [&str; 8] = [
    "#4aa8e8", "#ff8a3d", "#2fc79a", "#e59cc4", "#f2b632", "#9ad6ff", "#c9c95a", "#b0b0b0",
];

/// Text of at most this many columns is not wrapped.
const SHORT: usize = 28;

pub fn document(page: &Page) -> String {
    let title = escape(&page.title);
    let mut html = String::from("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
    html.push_str(
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; \
         script-src 'unsafe-inline'\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n",
    );
    html.push_str(&format!(
        "<title>{title}</title>\n<style>\n{}{STYLE}</style>\n</head>\n",
        colours()
    ));
    html.push_str(&format!("<body>\n<main>\n<h1>{title}</h1>\n"));
    add_contents(&mut html, &page.blocks);
    add(&mut html, &page.blocks, 2);
    html.push_str(&format!("</main>\n<script>\n{SORT}</script>\n</body>\n</html>\n"));
    html
}

/// A list of the page's sections, if there are several.
fn add_contents(html: &mut String, blocks: &[Block]) {
    let sections: Vec<(usize, &str)> = blocks
        .iter()
        .enumerate()
        .filter_map(|(at, block)| match block {
            Block::Section(words, _) => Some((at, words.as_str())),
            _ => None,
        })
        .collect();
    if sections.len() < 2 {
        return;
    }
    html.push_str("<nav aria-label=\"Contents\">\n<ul>\n");
    for (at, words) in sections {
        html.push_str(&format!("<li><a href=\"#s{at}\">{}</a></li>\n", escape(words)));
    }
    html.push_str("</ul>\n</nav>\n");
}

/// The variables of both themes, and the chart classes that use them.
fn colours() -> String {
    let variables = |colours: &[&str]| -> String {
        let each = colours.iter().enumerate();
        each.map(|(at, colour)| format!("--c{at}:{colour};")).collect()
    };
    let light = variables(&COLOURS);
    let dark = variables(&DARK);
    let classes: String = (0..COLOURS.len())
        .map(|at| format!(".c{at}{{stroke:var(--c{at});fill:var(--c{at})}}"))
        .collect();
    // Paper is white, whatever the screen is.
    format!(":root{{{light}}}\n@media screen and (prefers-color-scheme:dark){{:root{{{dark}}}}}\n{classes}\n")
}

fn add(html: &mut String, blocks: &[Block], level: usize) {
    let mut in_figures = false;
    for (at, block) in blocks.iter().enumerate() {
        let figure = matches!(block, Block::Figure(..));
        if figure != in_figures {
            html.push_str(if figure {
                "<div class=\"figures\">\n"
            } else {
                "</div>\n"
            });
            in_figures = figure;
        }
        add_block(html, block, at, level);
    }
    if in_figures {
        html.push_str("</div>\n");
    }
}

fn add_block(html: &mut String, block: &Block, at: usize, level: usize) {
    match block {
        Block::Section(words, blocks) => {
            let heading = level.min(6);
            html.push_str(&format!(
                "<section id=\"s{at}\">\n<h{heading}>{}</h{heading}>\n",
                escape(words)
            ));
            add(html, blocks, level + 1);
            html.push_str("</section>\n");
        }
        Block::Heading(words) => {
            let level = level.min(6);
            html.push_str(&format!("<h{level}>{}</h{level}>\n", escape(words)));
        }
        Block::Paragraph(words) => html.push_str(&format!("<p>{}</p>\n", escape(words))),
        Block::Notes(notes) => {
            html.push_str("<ul>\n");
            for note in notes {
                html.push_str(&format!("<li>{}</li>\n", escape(note)));
            }
            html.push_str("</ul>\n");
        }
        Block::Table(table, caption) => add_table(html, table, caption),
        Block::Figure(chart, caption) => {
            html.push_str(&format!(
                "<figure>{}<figcaption>{}</figcaption></figure>\n",
                chart.svg(),
                escape(caption)
            ));
        }
        Block::Details(summary, blocks) => {
            html.push_str(&format!("<details>\n<summary>{}</summary>\n", escape(summary)));
            add(html, blocks, level + 1);
            html.push_str("</details>\n");
        }
        Block::Settings(settings) => {
            html.push_str("<dl>\n");
            for (name, value) in settings {
                html.push_str(&format!("<dt>{}</dt><dd>{}</dd>\n", escape(name), escape(value)));
            }
            html.push_str("</dl>\n");
        }
        Block::Lines(lines) => {
            html.push_str("<pre>");
            for line in lines {
                // Spaces matter in these lines, so they are escaped word by word.
                let words: Vec<String> = without_control(line).split(' ').map(escape).collect();
                html.push_str(&words.join(" "));
                html.push('\n');
            }
            html.push_str("</pre>\n");
        }
    }
}

fn add_table(html: &mut String, table: &Table, caption: &str) {
    // The caption is outside the scrolling part, so that a narrow screen shows all of it.
    html.push_str("<figure class=\"table\">");
    if !caption.is_empty() {
        html.push_str(&format!("<figcaption>{}</figcaption>", escape(caption)));
    }
    html.push_str("<div class=\"wide\"><table>\n");
    html.push_str("<thead><tr>");
    for column in &table.columns {
        html.push_str(&format!(
            "<th scope=\"col\"{}>{}</th>",
            aside(column.form),
            escape(&column.name)
        ));
    }
    html.push_str("</tr></thead>\n");
    let written = table.written();
    let errors: Vec<String> = (0..table.columns.len())
        .map(|at| {
            let errors = written
                .iter()
                .filter_map(|row| row.get(at))
                .map(|cell| &cell.error);
            errors
                .max_by_key(|error| error.chars().count())
                .cloned()
                .unwrap_or_default()
        })
        .collect();
    // A row and the paper's figures below it form one body, so that sorting keeps them together.
    let mut open = false;
    for (row, cells) in table.rows.iter().zip(&written) {
        if row.owner != Owner::Paper || !open {
            html.push_str(if open { "</tbody>\n<tbody>" } else { "<tbody>" });
            open = true;
        }
        html.push_str(match row.owner {
            Owner::Ours => "<tr>",
            Owner::Bound => "<tr class=\"bound-row\">",
            Owner::Paper => "<tr class=\"paper-row\">",
        });
        for (at, ((cell, column), errors)) in cells.iter().zip(&table.columns).zip(&errors).enumerate() {
            let value = match row.cells.get(at).map(|cell| &cell.content) {
                Some(Content::Number(value, _)) if value.is_finite() => format!(" data-v=\"{value}\""),
                _ => String::new(),
            };
            html.push_str(&format!(
                "<td{}{value}>{}</td>",
                aside_cell(column.form, &cell.main),
                inside(cell, errors)
            ));
        }
        html.push_str("</tr>");
    }
    html.push_str(if open {
        "</tbody>\n</table></div></figure>\n"
    } else {
        "</table></div></figure>\n"
    });
}

fn aside(form: Form) -> &'static str {
    if form == Form::Words { "" } else { " class=\"n\"" }
}

/// Short text stays on one line: a name broken at its hyphen is hard to read.
fn aside_cell(form: Form, words: &str) -> &'static str {
    match form {
        Form::Words if words.width() <= SHORT => " class=\"w\"",
        form => aside(form),
    }
}

fn inside(cell: &Written, widest_error: &str) -> String {
    let (mut main, unit) = (escape(&cell.main), cell.unit);
    if cell.strong {
        main = format!("<b>{main}</b>");
    }
    if !cell.error.is_empty() {
        format!("{main}<span class=\"e\"> ± {}</span>{unit}", escape(&cell.error))
    } else if !widest_error.is_empty() && !cell.main.is_empty() {
        // An invisible error keeps the number aligned with those that have one.
        let unseen = escape(widest_error);
        format!("{main}{unit}<span class=\"e unseen\" aria-hidden=\"true\"> ± {unseen}</span>")
    } else {
        format!("{main}{unit}")
    }
}
