//! What the terminal can show: how wide it is, whether it has colours, and how much the user wants to read.
//!
//! Lines for people are wrapped at spaces, so that no word is broken at the edge of the window. What is longer than a line,
//! such as a URL, is left to the terminal, which lets it be copied as a whole. Nothing is changed where the output goes to a
//! file or another program.

use std::io::{self, IsTerminal};
use std::sync::atomic::{AtomicU8, Ordering};

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// The width of a line where neither the terminal nor `COLUMNS` says so.
const DEFAULT_WIDTH: usize = 100;
/// The column of the second part of a line such as `State      running`. Words after it are wrapped below it.
const LABEL: usize = 14;

/// A stream that may be a terminal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stream {
    /// Results.
    Out,
    /// Progress and messages.
    Err,
}

impl Stream {
    /// Whether somebody looks at it.
    pub fn is_terminal(self) -> bool {
        match self {
            Stream::Out => io::stdout().is_terminal(),
            Stream::Err => io::stderr().is_terminal(),
        }
    }

    /// The number of characters per line: of the terminal, or from `COLUMNS`.
    pub fn width(self) -> usize {
        let size = match self {
            Stream::Out => rustix::termios::tcgetwinsize(io::stdout()),
            Stream::Err => rustix::termios::tcgetwinsize(io::stderr()),
        };
        let real = size
            .ok()
            .map(|size| usize::from(size.ws_col))
            .filter(|_| self.is_terminal());
        let named = || std::env::var("COLUMNS").ok()?.trim().parse().ok();
        let is_likely = |columns: &usize| (20..=1_000).contains(columns);
        real.filter(is_likely)
            .or_else(|| named().filter(is_likely))
            .unwrap_or(DEFAULT_WIDTH)
    }

    /// Whether to use colours: it is a terminal that has them, and the user does not mind.
    pub fn has_colour(self) -> bool {
        let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        let is_dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        self.is_terminal() && !is_set("NO_COLOR") && !is_dumb
    }

    /// A text in a style, where the stream has colours.
    pub fn styled(self, style: Style, text: &str) -> String {
        match self.has_colour() {
            true => format!("\x1b[{}m{text}\x1b[0m", style.code()),
            false => text.to_owned(),
        }
    }
}

/// How a text stands out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Style {
    /// Headings and what was searched for.
    Bold,
    /// What went wrong.
    Red,
}

impl Style {
    fn code(self) -> &'static str {
        match self {
            Style::Bold => "1",
            Style::Red => "1;31",
        }
    }
}

/// How much the user wants to read.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Verbosity {
    /// Errors only.
    Quiet = 0,
    /// Progress and notes.
    Usual = 1,
    /// Every request as well.
    Verbose = 2,
}

static VERBOSITY: AtomicU8 = AtomicU8::new(Verbosity::Usual as u8);

impl Verbosity {
    /// Sets it for the whole program.
    pub fn set(self) {
        VERBOSITY.store(self as u8, Ordering::Relaxed);
    }

    /// What the user asked for.
    pub fn get() -> Verbosity {
        match VERBOSITY.load(Ordering::Relaxed) {
            0 => Verbosity::Quiet,
            1 => Verbosity::Usual,
            _ => Verbosity::Verbose,
        }
    }
}

/// Breaks long lines of a text at spaces.
pub fn wrap(text: &str, width: usize) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    for line in text.split_inclusive('\n') {
        let (line, end) = match line.strip_suffix('\n') {
            Some(line) => (line, "\n"),
            None => (line, ""),
        };
        wrap_line(line, width, &mut out);
        out.push_str(end);
    }
    out
}

fn wrap_line(line: &str, width: usize, out: &mut String) {
    if seen_width(line) <= width || is_data(line) {
        out.push_str(line);
        return;
    }
    let hang = " ".repeat(hanging(line).min(width / 2));
    let mut used = 0;
    let mut rest = line;
    let mut is_first = true;
    while !rest.is_empty() {
        // Spaces belong to the word after them, so that columns stay where they are.
        let spaces = rest.len() - rest.trim_start_matches(' ').len();
        let end = rest
            .get(spaces..)
            .and_then(|words| words.find(' '))
            .map_or(rest.len(), |at| spaces + at);
        let (piece, after) = rest.split_at(end);
        let word = piece.trim_start_matches(' ');
        if !is_first && used + seen_width(piece) > width && used > hang.len() {
            out.push('\n');
            out.push_str(&hang);
            out.push_str(word);
            used = hang.len() + seen_width(word);
        } else {
            out.push_str(piece);
            used += seen_width(piece);
        }
        is_first = false;
        rest = after;
    }
}

/// Lines for programs are left alone, wherever they are shown.
fn is_data(line: &str) -> bool {
    line.starts_with(['{', '[', '"', '<'])
}

/// Where the lines after the first begin: below the text, or below what follows a label.
fn hanging(line: &str) -> usize {
    let indent = line.len() - line.trim_start_matches(' ').len();
    let words = line.get(indent..).unwrap_or_default();
    let label = words.find("  ").map(|end| {
        let gap = words.get(end..).unwrap_or_default();
        indent + end + gap.len() - gap.trim_start_matches(' ').len()
    });
    label.filter(|column| *column <= LABEL).unwrap_or(indent)
}

/// The width of a text as it is seen: without the codes of colours.
fn seen_width(text: &str) -> usize {
    if !text.contains('\x1b') {
        return text.width();
    }
    let mut width = 0;
    let mut in_code = false;
    for c in text.chars() {
        match c {
            '\x1b' => in_code = true,
            'm' if in_code => in_code = false,
            _ if in_code => {}
            c => width += c.width().unwrap_or(0),
        }
    }
    width
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_broken_at_spaces_and_continue_below_their_text() {
        assert_eq!(wrap("one two three four", 9), "one two\nthree\nfour");
        assert_eq!(wrap("  - one two three", 11), "  - one two\n  three");
        assert_eq!(
            wrap("State      ended: nothing is left to fetch", 30),
            "State      ended: nothing is\n           left to fetch"
        );
        assert_eq!(wrap("short\n\nlines\n", 20), "short\n\nlines\n");
    }

    #[test]
    fn what_cannot_be_broken_is_left_whole() {
        let url = "http://a.test/a-very-long-address-that-does-not-fit";
        assert_eq!(wrap(url, 20), url);
        assert_eq!(wrap(&format!("see {url} now"), 20), format!("see\n{url}\nnow"));
        let json = format!("{{\"a\": \"{}\"}}", "b ".repeat(40));
        assert_eq!(wrap(&json, 20), json);
        assert_eq!(wrap("緑茶 緑茶 緑茶", 9), "緑茶 緑茶\n緑茶");
        assert_eq!(
            wrap("\x1b[1mone\x1b[0m two three", 7),
            "\x1b[1mone\x1b[0m two\nthree"
        );
    }
}
