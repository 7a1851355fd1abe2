//! The columns of tables: the same names, order and types in CSV and Parquet.

use scenthound_types::Verdict;

use crate::page::{ExportedPage, Extras};

/// A value of a cell; `None` where it is not known.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Cell {
    Text(Option<String>),
    Number(Option<f64>),
    Whole(Option<i64>),
    Flag(Option<bool>),
    /// Milliseconds since 1970.
    Time(Option<i64>),
    List(Vec<String>),
}

/// The type of a column.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ColumnType {
    Text,
    Number,
    Whole,
    Flag,
    Time,
    List,
}

/// A column: its name, its type and how to get its value.
pub(crate) struct Column {
    pub(crate) name: &'static str,
    pub(crate) kind: ColumnType,
    pub(crate) get: fn(&ExportedPage) -> Cell,
}

const fn column(name: &'static str, kind: ColumnType, get: fn(&ExportedPage) -> Cell) -> Column {
    Column { name, kind, get }
}

fn text(value: &str) -> Cell {
    Cell::Text(Some(value.to_owned()))
}

fn whole(value: impl TryInto<i64>) -> Cell {
    Cell::Whole(value.try_into().ok())
}

static COLUMNS: [Column; 31] = [
    column("id", ColumnType::Text, |page| text(&page.page.id)),
    column("url", ColumnType::Text, |page| text(&page.page.record.url)),
    column("host", ColumnType::Text, |page| text(&page.host())),
    column("title", ColumnType::Text, |page| {
        Cell::Text(page.page.record.title.clone())
    }),
    column("rank", ColumnType::Whole, |page| whole(page.page.rank)),
    column("relevance", ColumnType::Number, |page| {
        Cell::Number(page.page.record.relevance)
    }),
    column("relevant", ColumnType::Flag, |page| {
        Cell::Flag(page.page.record.relevant)
    }),
    column("genre", ColumnType::Text, |page| {
        Cell::Text(
            page.page
                .record
                .genre
                .as_ref()
                .map(|genre| genre.class.to_string()),
        )
    }),
    column("genre_confidence", ColumnType::Number, |page| {
        Cell::Number(page.page.record.genre.as_ref().map(|genre| genre.confidence))
    }),
    column("genre_similarity", ColumnType::Number, |page| {
        Cell::Number(page.page.record.parts.as_ref().and_then(|parts| parts.genre))
    }),
    column("content_similarity", ColumnType::Number, |page| {
        Cell::Number(page.page.record.parts.as_ref().and_then(|parts| parts.content))
    }),
    column("view", ColumnType::Text, |page| {
        Cell::Text(page.page.quadrant.map(|quadrant| quadrant.name().to_owned()))
    }),
    column("mark", ColumnType::Text, |page| {
        Cell::Text(page.page.mark.map(|mark| {
            match mark {
                Verdict::Relevant => "relevant",
                Verdict::Irrelevant => "irrelevant",
            }
            .to_owned()
        }))
    }),
    column("language", ColumnType::Text, |page| {
        Cell::Text(page.page.record.language.as_deref().map(str::to_owned))
    }),
    column("duplicate_of", ColumnType::Text, |page| {
        Cell::Text(page.page.record.duplicate_of.clone())
    }),
    column("fetched_at", ColumnType::Time, |page| {
        Cell::Time(millis(&page.page.record.fetched_at))
    }),
    column("status", ColumnType::Whole, |page| {
        Cell::Whole(page.page.record.status.map(i64::from))
    }),
    column("content_type", ColumnType::Text, |page| {
        Cell::Text(page.page.record.content_type.clone())
    }),
    column("bytes", ColumnType::Whole, |page| whole(page.page.record.bytes)),
    column("depth", ColumnType::Whole, |page| whole(page.page.record.depth)),
    column("parent", ColumnType::Text, |page| {
        Cell::Text(page.page.record.parent.clone())
    }),
    column("canonical", ColumnType::Text, |page| {
        Cell::Text(page.page.record.canonical.clone())
    }),
    column("robots", ColumnType::Text, |page| {
        Cell::Text(Some(page.robots().join(", ")).filter(|robots| !robots.is_empty()))
    }),
    column("archive_file", ColumnType::Text, |page| {
        let archive = page.page.record.archive.as_ref();
        Cell::Text(archive.map(|position| position.file.to_string()))
    }),
    column("archive_offset", ColumnType::Whole, |page| {
        let archive = page.page.record.archive.as_ref();
        Cell::Whole(archive.and_then(|position| i64::try_from(position.offset).ok()))
    }),
    column("fingerprint", ColumnType::Text, |page| {
        Cell::Text(page.page.record.fingerprint.map(|bits| format!("{bits:016x}")))
    }),
    column("author", ColumnType::Text, |page| Cell::Text(page.author.clone())),
    column("published", ColumnType::Text, |page| {
        Cell::Text(page.published.clone())
    }),
    column("license", ColumnType::Text, |page| {
        Cell::Text(page.license.clone())
    }),
    column("text", ColumnType::Text, |page| Cell::Text(page.text.clone())),
    column("links", ColumnType::List, |page| {
        Cell::List(page.links.clone().unwrap_or_default())
    }),
];

/// The columns of a table with these extras.
pub(crate) fn columns(extras: Extras) -> Vec<&'static Column> {
    let of_text = ["author", "published", "license", "text"];
    COLUMNS
        .iter()
        .filter(|column| extras.text || !of_text.contains(&column.name))
        .filter(|column| extras.links || column.name != "links")
        .collect()
}

/// A time such as `2026-11-16T20:13:56Z` in milliseconds since 1970.
fn millis(time: &str) -> Option<i64> {
    let number = |range: std::ops::Range<usize>| time.get(range)?.parse::<i64>().ok();
    let (year, month, day) = (number(0..4)?, number(5..7)?, number(8..10)?);
    let (hour, minute, second) = (number(11..13)?, number(14..16)?, number(17..19)?);
    // Days since 1970, counting years from March so that leap days come last.
    let shifted = if month <= 2 { year - 1 } else { year };
    let era = shifted.div_euclid(400);
    let year_of_era = shifted.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    let days = era * 146_097 + day_of_era - 719_468;
    Some(((days * 24 + hour) * 60 + minute) * 60_000 + second * 1000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_counted_from_1970() {
        assert_eq!(millis("1970-01-01T00:00:00Z"), Some(0));
        assert_eq!(millis("2023-11-14T22:13:20Z"), Some(1_700_000_000_000));
        assert_eq!(millis("2024-02-29T00:00:00Z"), Some(1_709_164_800_000));
        assert_eq!(millis("yesterday"), None);
    }
}
