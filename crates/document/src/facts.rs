//! Titles, names and dates as documents state them.

/// Bytes of a title, a name and the like.
const MAX_FACT: usize = 300;

/// Endings of the file names that programs use as titles.
const FILE_ENDINGS: [&str; 14] = [
    ".doc", ".docx", ".dvi", ".fm", ".indd", ".odt", ".pdf", ".ppt", ".pptx", ".ps", ".qxd", ".rtf", ".tex",
    ".xls",
];

/// A statement on one line, without control characters and shortened. None if nothing is left.
pub(crate) fn fact(raw: &str) -> Option<String> {
    let mut fact = String::new();
    for word in raw.split(|c: char| c.is_whitespace() || c.is_control()) {
        if word.is_empty() {
            continue;
        }
        if !fact.is_empty() {
            fact.push(' ');
        }
        fact.push_str(word);
        if fact.len() > MAX_FACT {
            break;
        }
    }
    fact.truncate(fact.floor_char_boundary(MAX_FACT));
    (!fact.is_empty()).then_some(fact)
}

/// A stated title, unless a program made it up: the name of a file, or "untitled".
pub(crate) fn title(raw: &str) -> Option<String> {
    let title = fact(raw)?;
    let lower = title.to_lowercase();
    let made_up = [
        "untitled",
        "microsoft word - ",
        "microsoft powerpoint - ",
        "slide 1",
    ]
    .iter()
    .any(|start| lower.starts_with(start))
        || FILE_ENDINGS.iter().any(|ending| lower.ends_with(ending))
        || !title.chars().any(char::is_alphabetic);
    (!made_up).then_some(title)
}

/// The day in a date such as `D:20240131120000Z` or `2024-01-31T12:00:00`, as `YYYY-MM-DD`.
pub(crate) fn date(raw: &str) -> Option<String> {
    let digits: String = raw
        .chars()
        .take(20)
        .take_while(|c| *c != 'T')
        .filter(char::is_ascii_digit)
        .take(8)
        .collect();
    let number = |at: std::ops::Range<usize>| digits.get(at)?.parse::<u32>().ok();
    let (year, month, day) = (number(0..4)?, number(4..6)?, number(6..8)?);
    let is_real = (1900..=2200).contains(&year) && (1..=12).contains(&month) && (1..=31).contains(&day);
    is_real.then(|| format!("{year:04}-{month:02}-{day:02}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_made_up_by_programs_are_not_titles() {
        assert_eq!(title("  Green\n tea\0 "), Some("Green tea".into()));
        assert_eq!(title("Microsoft Word - tea_final2.doc"), None);
        assert_eq!(title("main.dvi"), None);
        assert_eq!(title("Untitled document"), None);
        assert_eq!(title("--"), None);
    }

    #[test]
    fn dates_of_both_forms_are_read() {
        assert_eq!(date("D:20240131120000+01'00'").as_deref(), Some("2024-01-31"));
        assert_eq!(date("2024-01-31T12:00:00Z").as_deref(), Some("2024-01-31"));
        assert_eq!(date("D:2024"), None);
        assert_eq!(date("20241399"), None);
    }
}
