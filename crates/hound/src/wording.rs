//! Numbers, times and strangers' text as people read them.
//!
//! Text from the web passes through [`harmless`] before it reaches a terminal: a title must not move the cursor,
//! change the colours or turn the line around.

use std::time::Duration;

/// A count with its thousands set apart: `1,234,567`.
pub fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// A count and what is counted: `1 page`, `1,234 pages`.
pub fn counted(number: u64, noun: &str) -> String {
    match number {
        1 => format!("1 {noun}"),
        _ => format!("{} {noun}s", count(number)),
    }
}

/// An amount of bytes to three digits: `34.5 MB`.
pub fn bytes(amount: u64) -> String {
    const UNITS: [(&str, f64); 4] = [("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("KB", 1e3)];
    let exact = amount as f64;
    // Three digits of 999.95 KB would be four.
    match UNITS.iter().find(|(_, size)| exact >= size * 0.9995) {
        Some((unit, size)) => {
            let value = exact / size;
            let decimals = match value {
                v if v < 9.995 => 2,
                v if v < 99.95 => 1,
                _ => 0,
            };
            format!("{value:.decimals$} {unit}")
        }
        None => format!("{amount} B"),
    }
}

/// A length of time in its two largest units: `2 h 13 min`.
pub fn time(length: Duration) -> String {
    let seconds = length.as_secs();
    let (minutes, hours, days) = (seconds / 60, seconds / 3_600, seconds / 86_400);
    if days > 0 {
        format!("{days} d {} h", hours % 24)
    } else if hours > 0 {
        format!("{hours} h {} min", minutes % 60)
    } else if minutes > 0 {
        format!("{minutes} min {} s", seconds % 60)
    } else if seconds >= 10 {
        format!("{seconds} s")
    } else {
        format!("{:.1} s", length.as_millis() as f64 / 1000.0)
    }
}

/// Text in one line, without anything that commands a terminal or reorders what stands beside it.
pub fn harmless(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for word in text.split(|c: char| c.is_whitespace() || c.is_control()) {
        let start = line.len();
        line.extend(word.chars().filter(|c| !is_unseen(*c)));
        if line.len() > start && start > 0 {
            line.insert(start, ' ');
        }
    }
    line
}

/// Marks of writing direction, and other characters without a shape of their own that make texts look alike.
fn is_unseen(c: char) -> bool {
    matches!(c, '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_as_people_write_them() {
        assert_eq!(
            [0, 999, 1_000, 1_234_567].map(count),
            ["0", "999", "1,000", "1,234,567"]
        );
        assert_eq!(
            [0, 1, 2_000].map(|n| counted(n, "page")),
            ["0 pages", "1 page", "2,000 pages"]
        );
        let sizes = [0, 999, 999_950, 1_234, 34_567_000, 5_000_000_000_000];
        assert_eq!(
            sizes.map(bytes),
            ["0 B", "999 B", "1.00 MB", "1.23 KB", "34.6 MB", "5.00 TB"]
        );
        let lengths = [1_500, 59_000, 61_000, 7_980_000, 90_000_000].map(Duration::from_millis);
        assert_eq!(
            lengths.map(time),
            ["1.5 s", "59 s", "1 min 1 s", "2 h 13 min", "1 d 1 h"]
        );
    }

    #[test]
    fn a_title_cannot_command_the_terminal() {
        assert_eq!(
            harmless("  Tea\u{1b}[31m\r\n for\ttwo \u{202e}owt\u{7}"),
            "Tea [31m for two owt"
        );
        assert_eq!(harmless("\u{200b} \n"), "");
        assert_eq!(harmless("緑茶 の 本"), "緑茶 の 本");
    }
}
