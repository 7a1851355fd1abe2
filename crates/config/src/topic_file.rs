//! Reads a topic file: TOML in, the texts of known options with their positions out.
//!
//! Reading continues after a fault, so that one run shows them all. What a broken line contains is guesswork, so a line is
//! blamed for its syntax or for its values, never for both.
//!
//! Deliberately absent: what the texts mean. A number, a boolean and a string all come out as the text written.

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::{Path, PathBuf};

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::fault::{Faults, Location, Spot, Wrong, bare, quoted};
use crate::nearest::nearest;
use crate::option::OptionSpec;
use crate::settings::options;

/// The text of a topic file and where its lines begin.
pub(crate) struct TopicFile {
    pub path: PathBuf,
    text: String,
    line_starts: Vec<usize>,
    broken_lines: BTreeSet<usize>,
}

/// What a topic file says about one option.
pub(crate) struct Entry {
    pub option: &'static OptionSpec,
    /// Set if it was written as a list.
    pub is_list: bool,
    /// The position of the whole value.
    pub span: Range<usize>,
    pub values: Vec<(String, Range<usize>)>,
}

impl TopicFile {
    /// Reads a whole file, and reports syntax errors and unknown names.
    pub(crate) fn read(path: &Path, text: &str, faults: &mut Faults) -> (TopicFile, Vec<Entry>) {
        // A byte order mark is not part of the text, and would shift the columns of the first line.
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut file = TopicFile {
            path: path.to_owned(),
            text: text.to_owned(),
            line_starts: std::iter::once(0)
                .chain(text.match_indices('\n').map(|(at, _)| at + 1))
                .collect(),
            broken_lines: BTreeSet::new(),
        };
        let (root, errors) = DeTable::parse_recoverable(text);
        file.report_syntax(errors, faults);
        file.spread_broken_headers();
        let entries = file.read_sections(root.get_ref(), faults);
        (file, entries)
    }

    /// Whether there are syntax errors, because of which something may seem to be missing.
    pub(crate) fn is_broken(&self) -> bool {
        !self.broken_lines.is_empty()
    }

    /// Reports something wrong at a place, unless the syntax of that line is to blame.
    pub(crate) fn blame(&self, span: Range<usize>, wrong: Wrong, faults: &mut Faults) {
        // The parser fills gaps with values of its own, which have no position.
        let is_made_up = self.is_broken() && span.is_empty();
        if !is_made_up && !self.broken_lines.contains(&self.line_of(span.start)) {
            faults.add(|| self.place(span), wrong);
        }
    }

    fn read_sections(&self, root: &DeTable<'_>, faults: &mut Faults) -> Vec<Entry> {
        let mut entries = Vec::new();
        for (name, value) in root {
            let section = options()
                .map(|option| option.section)
                .find(|known| known == name.get_ref());
            match (section, value.get_ref()) {
                (Some(section), DeValue::Table(table)) => {
                    for (key, value) in table {
                        entries.extend(self.read_entry(section, key.get_ref(), key.span(), value, faults));
                    }
                }
                (Some(_), other) => {
                    let wrong = Wrong::WrongShape {
                        found: kind_of(other),
                        wanted: "a section",
                    };
                    self.blame(name.span(), wrong, faults);
                }
                (None, DeValue::Table(_)) => {
                    let wrong = Wrong::UnknownSection {
                        name: bare(name.get_ref()),
                        right: right_section(name.get_ref()),
                    };
                    self.blame(name.span(), wrong, faults);
                }
                (None, _) => {
                    let wrong = Wrong::OutsideSections {
                        name: bare(name.get_ref()),
                        right: right_key(name.get_ref(), None),
                    };
                    self.blame(name.span(), wrong, faults);
                }
            }
        }
        entries
    }

    fn read_entry(
        &self,
        section: &'static str,
        key: &str,
        key_span: Range<usize>,
        value: &Spanned<DeValue<'_>>,
        faults: &mut Faults,
    ) -> Option<Entry> {
        let Some(option) = options().find(|option| option.section == section && option.key == key) else {
            let wrong = Wrong::UnknownKey {
                section,
                name: bare(key),
                right: right_key(key, Some(section)),
            };
            self.blame(key_span, wrong, faults);
            return None;
        };
        let (is_list, items) = match value.get_ref() {
            DeValue::Array(items) => (true, items.iter().collect()),
            _ => (false, vec![value]),
        };
        let mut values = Vec::with_capacity(items.len());
        for item in items {
            match scalar(item.get_ref()) {
                Some(text) => values.push((text, item.span())),
                None => {
                    let wrong = Wrong::WrongShape {
                        found: kind_of(item.get_ref()),
                        wanted: "a single value",
                    };
                    self.blame(item.span(), wrong, faults);
                }
            }
        }
        Some(Entry {
            option,
            is_list,
            span: value.span(),
            values,
        })
    }

    /// Reports one fault per line, because the parser often reports one mistake several times.
    fn report_syntax(&mut self, errors: Vec<toml::de::Error>, faults: &mut Faults) {
        let mut errors: Vec<(Range<usize>, String)> = errors
            .into_iter()
            .map(|error| (error.span().unwrap_or(0..0), error.message().to_owned()))
            .collect();
        errors.sort_by_key(|(span, _)| span.start);
        for (span, message) in errors {
            if !self.broken_lines.insert(self.line_of(span.start)) {
                continue;
            }
            let right = message
                .starts_with("string values must be quoted")
                .then(|| self.text.get(span.clone()))
                .flatten()
                .map(|culprit| format!("write {}", quoted(culprit)));
            // The parser's list of what it would have accepted is seldom what the user should write.
            let message = match message.split_once(", expected ") {
                Some((what, _)) if right.is_some() => what.to_owned(),
                _ => message,
            };
            faults.add(|| self.place(span), Wrong::Syntax { message, right });
        }
    }

    /// After a broken section header it is unclear which section the lines belong to, so they count as broken too.
    fn spread_broken_headers(&mut self) {
        let mut is_lost = false;
        for (number, line) in self.text.lines().enumerate() {
            if line.trim_start().starts_with('[') {
                is_lost = self.broken_lines.contains(&number);
            }
            if is_lost {
                self.broken_lines.insert(number);
            }
        }
    }

    fn place(&self, span: Range<usize>) -> Location {
        let line = self.line_of(span.start);
        let start = self.line_starts.get(line).copied().unwrap_or(0);
        let end = self.line_starts.get(line + 1).copied().unwrap_or(self.text.len());
        let source = self.text.get(start..end).unwrap_or_default();
        let within = span.start.saturating_sub(start)..span.end.saturating_sub(start);
        Location::File {
            path: self.path.clone(),
            spot: Spot::in_line(line + 1, source, within),
        }
    }

    /// The number of a line, counted from 0.
    fn line_of(&self, at: usize) -> usize {
        self.line_starts
            .partition_point(|start| *start <= at)
            .saturating_sub(1)
    }
}

/// A single value as the text that would be written on the command line.
fn scalar(value: &DeValue<'_>) -> Option<String> {
    Some(match value {
        DeValue::String(text) => text.to_string(),
        DeValue::Integer(number) if number.radix() == 10 => number.as_str().to_owned(),
        DeValue::Integer(number) => match u64::from_str_radix(number.as_str(), number.radix()) {
            Ok(value) => value.to_string(),
            Err(_) => number.to_string(),
        },
        DeValue::Float(number) => number.as_str().to_owned(),
        DeValue::Boolean(on) => on.to_string(),
        DeValue::Datetime(_) | DeValue::Array(_) | DeValue::Table(_) => return None,
    })
}

fn kind_of(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::Table(_) => "a table",
        DeValue::Array(_) => "a list",
        DeValue::Datetime(_) => "a date",
        _ => "a single value",
    }
}

fn right_section(name: &str) -> String {
    let mut sections: Vec<&str> = Vec::new();
    for option in options() {
        if !sections.contains(&option.section) {
            sections.push(option.section);
        }
    }
    match nearest(name, sections.iter().copied()) {
        Some(near) => format!("did you mean [{near}]?"),
        None => format!("the sections are [{}]", sections.join("], [")),
    }
}

/// What to write instead of a key that its section does not have.
fn right_key(key: &str, section: Option<&str>) -> String {
    let tidy = key.to_lowercase().replace('_', "-");
    let here = || options().filter(|option| Some(option.section) == section);
    if let Some(option) = here().find(|option| option.key == tidy) {
        return format!("did you mean {}?", option.key);
    }
    // The right name in the wrong place beats a similar name in the right one.
    if let Some(option) = options().find(|option| option.name == tidy || option.key == tidy) {
        return format!("write {} under [{}]", option.key, option.section);
    }
    if let Some(near) = nearest(key, here().map(|option| option.key)) {
        return format!("did you mean {near}?");
    }
    let elsewhere = nearest(key, options().map(|option| option.key));
    if let Some(option) = elsewhere.and_then(|near| options().find(|option| option.key == near)) {
        return format!("did you mean {} under [{}]?", option.key, option.section);
    }
    match section {
        Some(_) => format!(
            "the keys of this section are {}",
            here().map(|option| option.key).collect::<Vec<_>>().join(", ")
        ),
        None => "put it under one of the sections, such as [crawl]".to_owned(),
    }
}
