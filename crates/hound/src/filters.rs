//! Options that choose pages of a collection, the same for every command that has them.

use scenthound::{Collection, Facet, RankSettings, Unmatched};

use crate::genre_notes;
use crate::wording::{count, harmless};

/// How many values a note names.
const NAMED: usize = 8;

/// Which pages.
#[derive(clap::Args, Clone, Debug, Default)]
#[command(next_help_heading = "Which pages")]
pub struct Filters {
    /// Only pages that were judged relevant
    #[arg(long, visible_alias = "relevant-only")]
    pub relevant: bool,
    /// Only pages that are at least this relevant
    #[arg(long, value_name = "NUMBER", value_parser = read_relevance)]
    pub min_relevance: Option<f64>,
    /// Only pages detected to be of this genre: blog, news, forum, shop and so on (in crawls that detect genres)
    #[arg(long, value_name = "GENRE", value_delimiter = ',')]
    pub genre: Vec<String>,
    /// Only pages in this language, such as en or ja
    #[arg(long, value_name = "LANGUAGE", value_delimiter = ',')]
    pub lang: Vec<String>,
    /// Only pages of this host and the hosts below it
    #[arg(long, value_name = "HOST", value_delimiter = ',')]
    pub host: Vec<String>,
    /// Only pages fetched at or after this time: 2024, 2024-05, 2024-05-01 or a full time in UTC
    #[arg(long, value_name = "TIME", value_parser = read_time)]
    pub since: Option<String>,
    /// Only pages fetched before the end of this time
    #[arg(long, value_name = "TIME", value_parser = read_time)]
    pub until: Option<String>,
    /// Include near-duplicates, each with the page it repeats
    #[arg(long)]
    pub with_duplicates: bool,
    /// Include pages that asked not to be indexed, are in an unwanted language or use the topic's words in another sense
    #[arg(long)]
    pub with_hidden: bool,
}

impl Filters {
    /// The settings that choose these pages.
    pub fn settings(&self) -> RankSettings {
        RankSettings {
            relevant_only: self.relevant,
            min_relevance: self.min_relevance,
            genres: self.genre.clone(),
            languages: self.lang.clone(),
            hosts: self.host.iter().map(|host| host.to_ascii_lowercase()).collect(),
            since: self.since.clone(),
            until: self.until.clone(),
            with_duplicates: self.with_duplicates,
            with_hidden: self.with_hidden,
            ..RankSettings::default()
        }
    }

    /// Says which genres, languages and hosts no page has, and which there are.
    pub fn note_unmatched(&self, collection: &Collection) -> anyhow::Result<()> {
        for unmatched in collection.unmatched(&self.settings())? {
            let why = match unmatched.facet {
                Facet::Genre if !unmatched.there.is_empty() => {
                    genre_notes::of_collection(collection, &unmatched.asked)
                }
                Facet::Genre | Facet::Language | Facet::Host => Vec::new(),
            };
            note!("note: {}", unmatched_text(&unmatched));
            for why in why {
                note!("note: {why}");
            }
        }
        Ok(())
    }
}

fn unmatched_text(unmatched: &Unmatched) -> String {
    let asked: Vec<String> = (unmatched.asked.iter())
        .map(|asked| format!("{:?}", harmless(asked)))
        .collect();
    let asked = asked.join(" or ");
    let (text, none) = match unmatched.facet {
        Facet::Genre => (
            format!("no page is of the genre {asked}"),
            "this crawl did not detect genres",
        ),
        Facet::Language => (
            format!("no page is in the language {asked}"),
            "no page's language is known",
        ),
        Facet::Host => (format!("no page is of the host {asked}"), "no page has been read"),
    };
    if unmatched.there.is_empty() {
        return format!("{text}; {none}");
    }
    let mut there: Vec<String> = (unmatched.there.iter().take(NAMED))
        .map(|(value, pages)| format!("{} ({})", harmless(value), count(*pages)))
        .collect();
    if let Some(more) = unmatched.there.len().checked_sub(NAMED).filter(|more| *more > 0) {
        there.push(format!("{} more", count(more as u64)));
    }
    format!("{text}; there are {}", there.join(", "))
}

/// A time as records write it, or the beginning of one.
fn read_relevance(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if (0.0..=1.0).contains(&number) => Ok(number),
        _ => Err("a relevance is a number from 0 to 1".to_owned()),
    }
}

fn read_time(text: &str) -> Result<String, String> {
    const SHAPE: &str = "0000-00-00T00:00:00Z";
    let fits = SHAPE.len() >= text.len()
        && text.bytes().zip(SHAPE.bytes()).all(|(byte, shape)| match shape {
            b'0' => byte.is_ascii_digit(),
            shape => byte == shape,
        });
    if fits && matches!(text.len(), 4 | 7 | 10 | 13 | 16 | 19 | 20) {
        // The rest of the earliest time that begins like this.
        let whole = format!(
            "{text}{}",
            "0000-01-01T00:00:00Z".get(text.len()..).unwrap_or_default()
        );
        match whole.parse::<jiff::Timestamp>() {
            Ok(_) => Ok(text.to_owned()),
            Err(_) => Err("there is no such day or time".to_owned()),
        }
    } else {
        Err("write a time such as 2024, 2024-05, 2024-05-01 or 2024-05-01T12:30:00Z".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::{read_relevance, read_time};

    #[test]
    fn only_days_and_times_that_exist_are_taken() {
        for good in [
            "2024",
            "2024-02",
            "2024-02-29",
            "2024-05-01T12",
            "2024-05-01T12:30:00Z",
        ] {
            assert_eq!(read_time(good).as_deref(), Ok(good));
        }
        for bad in [
            "banana",
            "2026-13",
            "2026-02-31",
            "2023-02-29",
            "2026-00",
            "2026-11-17T99:99:99Z",
        ] {
            assert!(read_time(bad).is_err(), "{bad}");
        }
        assert_eq!(read_relevance("0.5"), Ok(0.5));
        for bad in ["2", "-1", "nan", "much"] {
            assert!(read_relevance(bad).is_err(), "{bad}");
        }
    }
}
