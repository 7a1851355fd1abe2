//! Makes untrusted text harmless, and formats numbers for people.
//!
//! Names of webs and tasks come from files that anyone may have written. Wherever they end up (a terminal line, an
//! HTML attribute, an SVG text), they pass through [`plain`] first, so no control character reaches any output.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Shown where there is no number.
pub const NOTHING: &str = "–";

/// Text on one line: runs of whitespace and control characters become one space; bidirectional marks and characters
/// that XML forbids are removed.
pub fn plain(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    let mut blank = false;
    for c in text.chars() {
        if c.is_whitespace() || c.is_control() {
            blank = true;
        } else if !is_unseen(c) {
            if blank && !line.is_empty() {
                line.push(' ');
            }
            blank = false;
            line.push(c);
        }
    }
    line
}

fn is_unseen(c: char) -> bool {
    matches!(
        c,
        '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}'
    )
}

/// [`plain`] text for the inside of an HTML or SVG element or of a quoted attribute.
pub fn escape(text: &str) -> String {
    let line = plain(text);
    let mut escaped = String::with_capacity(line.len() + line.len() / 8);
    for c in line.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            _ => escaped.push(c),
        }
    }
    escaped
}

/// Text cut to this many terminal columns, with `…` where something is missing.
pub fn cut(text: &str, places: usize) -> String {
    if text.width() <= places {
        return text.to_owned();
    }
    let mut kept = String::new();
    let mut taken = 1;
    for c in text.chars() {
        taken += c.width().unwrap_or(0);
        if taken > places {
            break;
        }
        kept.push(c);
    }
    if places > 0 {
        kept.push('…');
    }
    kept
}

/// A number with this many decimals and thousands separators; [`NOTHING`] for NaN.
pub fn fixed(value: f64, decimals: usize) -> String {
    if value.is_nan() {
        return NOTHING.to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "∞" } else { "−∞" }.to_owned();
    }
    if value.abs() >= 1e15 {
        return format!("{value:.2e}");
    }
    let digits = format!("{:.decimals$}", value.abs());
    let (whole, rest) = digits
        .split_once('.')
        .map_or((digits.as_str(), None), |(w, r)| (w, Some(r)));
    let mut shown = String::with_capacity(digits.len() + digits.len() / 3 + 1);
    // A value that rounds to zero is zero, whatever its sign was.
    if value < 0.0 && digits.bytes().any(|digit| matches!(digit, b'1'..=b'9')) {
        shown.push('-');
    }
    shown.push_str(&grouped(whole));
    if let Some(rest) = rest {
        shown.push('.');
        shown.push_str(rest);
    }
    shown
}

/// Digits in groups of three: `1,234,567`.
pub fn grouped(digits: &str) -> String {
    let mut shown = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            shown.push(',');
        }
        shown.push(digit);
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_control_character_and_no_markup_survives() {
        assert_eq!(
            plain("  tea\u{1b}[31m\r\n for\ttwo \u{202e}owt\u{7} "),
            "tea [31m for two owt"
        );
        assert_eq!(
            escape("<b a='1' c=\"2\">&\u{0}"),
            "&lt;b a=&#39;1&#39; c=&quot;2&quot;&gt;&amp;"
        );
        assert_eq!(escape("緑茶 の 本"), "緑茶 の 本");
    }

    #[test]
    fn cutting_counts_wide_characters_twice() {
        assert_eq!(cut("碩士班甄試", 10), "碩士班甄試");
        assert_eq!(cut("碩士班甄試", 9), "碩士班甄…");
        assert_eq!(cut("碩士班甄試", 8), "碩士班…");
        assert_eq!(cut("green tea", 9), "green tea");
        assert_eq!(cut("green tea", 6), "green…");
        assert_eq!(cut("緑茶", 0), "");
        assert_eq!(cut("e\u{301}e\u{301}e\u{301}", 2), "e\u{301}…");
    }

    #[test]
    fn numbers_keep_their_decimals_and_set_thousands_apart() {
        assert_eq!(fixed(1_234_567.891, 1), "1,234,567.9");
        assert_eq!(fixed(-0.000_1, 2), "0.00");
        assert_eq!(fixed(-1_234.5, 2), "-1,234.50");
        assert_eq!(fixed(f64::NAN, 2), NOTHING);
        assert_eq!(fixed(f64::INFINITY, 2), "∞");
        assert_eq!(fixed(f64::MAX, 2), "1.80e308");
    }
}
