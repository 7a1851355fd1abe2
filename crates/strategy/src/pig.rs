//! P_IG: the share of links on pages of a given relevance and genre that lead to relevant pages.
//!
//! A table holds counts, so that it can be given, learnt from a recorded crawl, or counted further during a crawl.
//! Any genre is allowed; one without its own row uses the row "all".
//!
//! The file format is TOML: under `[relevant]` and `[irrelevant]`, the source page's verdict, there is one entry per
//! genre, either `blog = { links = 500, relevant = 446 }` or just the share, `blog = 0.892`.

use std::collections::BTreeMap;

use scenthound_types::Verdict;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// The row for all genres together.
const ALL: &str = "all";
/// The initial shares: the means of the paper's two topics.
const FROM_RELEVANT: f64 = 0.7025;
const FROM_IRRELEVANT: f64 = 0.0225;
/// How many links the assumed share counts for: the initial share against all genres, and all genres against each
/// genre.
const ASSUMED: f64 = 10.0;
/// How many links a share given without counts stands for.
const BARE: f64 = 100.0;

/// How many links were seen, and how many of them led to relevant pages. Fractions if they were assumed.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Leads {
    /// All links.
    pub links: f64,
    /// Those to relevant pages.
    pub relevant: f64,
}

impl Leads {
    fn is_sound(&self) -> bool {
        self.links.is_finite() && self.relevant >= 0.0 && self.relevant <= self.links
    }

    fn add(&mut self, is_relevant: bool) {
        self.links += 1.0;
        self.relevant += f64::from(u8::from(is_relevant));
    }

    /// The share, smoothed with an assumed share that counts for this many links.
    fn share(&self, assumed: f64, links: f64) -> f64 {
        (self.relevant + assumed * links) / (self.links + links)
    }
}

/// What matters about the page a link is on.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct LinkClass {
    /// Whether the page is relevant.
    pub is_relevant: bool,
    /// Its genre, if a detector ran.
    pub genre: Option<Box<str>>,
}

impl LinkClass {
    /// The class of the links on a page with this verdict and genre.
    pub fn new(verdict: Verdict, genre: Option<&str>) -> LinkClass {
        LinkClass {
            is_relevant: verdict == Verdict::Relevant,
            genre: genre.map(Box::from),
        }
    }
}

/// Why a text is not a table.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PigError {
    /// It is not valid TOML for such a table.
    #[error("not a P_IG table: {0}")]
    Unreadable(#[from] toml::de::Error),
    /// The numbers of a row are not a valid share.
    #[error(
        "the row {genre} of [{section}] is invalid: write a share from 0 to 1, or counts with 0 ≤ relevant ≤ links"
    )]
    NoShare {
        /// `relevant` or `irrelevant`.
        section: &'static str,
        /// The row.
        genre: String,
    },
}

/// A row as written.
#[derive(Deserialize)]
#[serde(untagged)]
enum Row {
    Share(f64),
    Counts(Leads),
}

type Rows = BTreeMap<String, Leads>;

/// The counts by relevance and genre of the source page.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct PigTable {
    relevant: Rows,
    irrelevant: Rows,
}

impl PigTable {
    /// The name under which the strategy `genre` saves its table.
    pub const SAVED_AS: &str = "genre/pig";

    /// An empty table.
    pub fn new() -> PigTable {
        PigTable::default()
    }

    /// Counts a link from a page of this class.
    pub fn count(&mut self, source: &LinkClass, is_relevant: bool) {
        let rows = if source.is_relevant {
            &mut self.relevant
        } else {
            &mut self.irrelevant
        };
        rows.entry(ALL.to_owned()).or_default().add(is_relevant);
        if let Some(genre) = source.genre.as_deref().filter(|genre| *genre != ALL) {
            rows.entry(genre.to_owned()).or_default().add(is_relevant);
        }
    }

    fn rows(&self, is_relevant: bool) -> (&Rows, f64) {
        if is_relevant {
            (&self.relevant, FROM_RELEVANT)
        } else {
            (&self.irrelevant, FROM_IRRELEVANT)
        }
    }

    /// P_IG exactly as in the table. A genre without a row uses the row of all genres, and without that the initial
    /// share.
    pub fn given(&self, source: &LinkClass) -> f64 {
        let (rows, usual) = self.rows(source.is_relevant);
        let own = source.genre.as_deref().and_then(|genre| rows.get(genre));
        let known = own.or_else(|| rows.get(ALL)).filter(|leads| leads.links > 0.0);
        known.map_or(usual, |leads| leads.relevant / leads.links)
    }

    /// P_IG as estimated from the counts. A genre with few links is smoothed towards all genres, and all genres with
    /// few links towards the initial share.
    pub fn estimate(&self, source: &LinkClass) -> f64 {
        let (rows, usual) = self.rows(source.is_relevant);
        let all = rows.get(ALL).copied().unwrap_or_default().share(usual, ASSUMED);
        let own = source.genre.as_deref().filter(|genre| *genre != ALL);
        own.and_then(|genre| rows.get(genre))
            .map_or(all, |leads| leads.share(all, ASSUMED))
    }

    /// Every row: the class of the source pages (no genre for all together) and its counts.
    pub fn iter(&self) -> impl Iterator<Item = (LinkClass, Leads)> {
        let of = |rows: &'_ Rows, is_relevant| -> Vec<(LinkClass, Leads)> {
            rows.iter()
                .map(|(genre, leads)| {
                    let genre = (genre != ALL).then(|| genre.as_str().into());
                    (LinkClass { is_relevant, genre }, *leads)
                })
                .collect()
        };
        of(&self.relevant, true)
            .into_iter()
            .chain(of(&self.irrelevant, false))
    }

    /// Reads a table. If the row of all genres is missing, it is the sum of the others.
    pub fn from_toml(text: &str) -> Result<PigTable, PigError> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Written {
            #[serde(default)]
            relevant: BTreeMap<String, Row>,
            #[serde(default)]
            irrelevant: BTreeMap<String, Row>,
        }
        let read = |section: &'static str, rows: BTreeMap<String, Row>| -> Result<Rows, PigError> {
            let mut sum = Leads::default();
            let mut read = Rows::new();
            for (genre, row) in rows {
                let leads = match row {
                    Row::Share(share) => Leads {
                        links: BARE,
                        relevant: share * BARE,
                    },
                    Row::Counts(leads) => leads,
                };
                if !leads.is_sound() {
                    return Err(PigError::NoShare { section, genre });
                }
                sum.links += leads.links;
                sum.relevant += leads.relevant;
                read.insert(genre, leads);
            }
            if !read.is_empty() {
                read.entry(ALL.to_owned()).or_insert(sum);
            }
            Ok(read)
        };
        let written: Written = toml::from_str(text)?;
        Ok(PigTable {
            relevant: read("relevant", written.relevant)?,
            irrelevant: read("irrelevant", written.irrelevant)?,
        })
    }

    /// Writes the table in a form that can be read back.
    pub fn to_toml(&self) -> String {
        let mut text =
            "# How many links on relevant and on irrelevant pages of each genre lead to relevant pages.\n"
                .to_owned();
        for (section, rows) in [("relevant", &self.relevant), ("irrelevant", &self.irrelevant)] {
            text.push_str(&format!("\n[{section}]\n"));
            for (genre, leads) in rows {
                let genre = toml::Value::from(genre.as_str());
                text.push_str(&format!(
                    "{genre} = {{ links = {:?}, relevant = {:?} }}\n",
                    leads.links, leads.relevant
                ));
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn class(is_relevant: bool, genre: Option<&str>) -> LinkClass {
        LinkClass {
            is_relevant,
            genre: genre.map(Box::from),
        }
    }

    #[test]
    fn a_table_is_read_back_as_it_was_written() {
        let mut table = PigTable::from_toml(
            "[relevant]\nblog = 0.892\n\"odd \\\" name\" = { links = 3, relevant = 0.1 }",
        )
        .unwrap();
        table.count(&class(false, Some("news")), true);
        table.count(&class(false, None), false);
        assert_eq!(PigTable::from_toml(&table.to_toml()).unwrap(), table);
        assert_eq!(table.iter().count(), 5);
    }

    #[test]
    fn an_unseen_genre_uses_all_and_an_empty_table_the_initial_shares() {
        let table = PigTable::from_toml("[relevant]\nall = 0.6\nblog = 0.9\n").unwrap();
        assert!((table.given(&class(true, Some("blog"))) - 0.9).abs() < 1e-12);
        assert!((table.given(&class(true, Some("shop"))) - 0.6).abs() < 1e-12);
        assert!((table.given(&class(true, None)) - 0.6).abs() < 1e-12);
        assert_eq!(table.given(&class(false, None)), FROM_IRRELEVANT);
        assert_eq!(
            PigTable::new().estimate(&class(true, Some("blog"))),
            FROM_RELEVANT
        );
    }

    #[test]
    fn counts_move_the_estimate_from_what_was_assumed_to_what_was_seen() {
        let mut table = PigTable::new();
        let blog = class(true, Some("blog"));
        let shop = class(true, Some("shop"));
        for n in 0..1000 {
            table.count(&blog, true);
            table.count(&shop, n % 10 == 0);
        }
        assert!(table.estimate(&blog) > 0.99);
        assert!((table.estimate(&shop) - 0.1).abs() < 0.01);
        assert!((table.estimate(&class(true, Some("new"))) - 0.55).abs() < 0.01);
        assert_eq!(table.estimate(&class(false, Some("blog"))), FROM_IRRELEVANT);
    }

    #[test]
    fn an_invalid_share_names_its_row() {
        for bad in [
            "blog = 1.5",
            "blog = { links = 2, relevant = 3 }",
            "blog = nan",
            "blog = -0.1",
        ] {
            let fault = PigTable::from_toml(&format!("[relevant]\n{bad}")).unwrap_err();
            assert!(
                fault.to_string().contains("the row blog of [relevant]"),
                "{fault}"
            );
        }
        let fault = PigTable::from_toml("[relevant]\nblog = 0.5\n[other]\nx = 1").unwrap_err();
        assert!(fault.to_string().contains("line 3"), "{fault}");
    }
}
