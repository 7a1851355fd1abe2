//! Filters that no page can pass, and what could be asked for instead.
//!
//! A genre, a language or a host that no page of the collection has gives an empty list without a reason, or a list that is
//! shorter than it seems. The records are read only until each value has been seen once, which is early for those that occur;
//! one that does not is worth reading all of them.

use std::collections::BTreeMap;

use scenthound_types::CanonicalUrl;

use super::ranking::{RankSettings, is_genre, is_host};
use super::{Collection, CollectionError};

/// What a filter looks at.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Facet {
    /// The genre that was detected.
    Genre,
    /// The language.
    Language,
    /// The host.
    Host,
}

/// Values of one filter that no page has.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unmatched {
    /// What the filter looks at.
    pub facet: Facet,
    /// The values that were asked for and that no page has.
    pub asked: Vec<String>,
    /// The values there are and their pages, most frequent first.
    pub there: Vec<(String, u64)>,
}

impl Collection {
    /// The genres, languages and hosts among these settings that no page has.
    pub fn unmatched(&self, settings: &RankSettings) -> Result<Vec<Unmatched>, CollectionError> {
        let filters = [
            (Facet::Genre, &settings.genres),
            (Facet::Language, &settings.languages),
            (Facet::Host, &settings.hosts),
        ];
        let mut missing: Vec<(Facet, String)> = Vec::new();
        for (facet, asked) in filters {
            missing.extend(asked.iter().map(|asked| (facet, asked.clone())));
        }
        let mut there: BTreeMap<(Facet, String), u64> = BTreeMap::new();
        if missing.is_empty() {
            return Ok(Vec::new());
        }
        for record in self.pages()? {
            let record = record?;
            if !record.is_judged_page() || record.revisit {
                continue;
            }
            let url = CanonicalUrl::parse(&record.url).ok();
            let genre = record.genre.as_ref().map(|guess| guess.class.to_string());
            let values = [
                (Facet::Genre, genre),
                (Facet::Language, record.language.as_deref().map(str::to_owned)),
                (Facet::Host, url.map(|url| url.host().to_owned())),
            ];
            for (facet, value) in values {
                let Some(value) = value else { continue };
                missing.retain(|(asked_of, asked)| {
                    *asked_of != facet
                        || !match facet {
                            Facet::Genre => is_genre(&value, asked),
                            Facet::Language => value.eq_ignore_ascii_case(asked),
                            Facet::Host => is_host(&value, asked),
                        }
                });
                *there.entry((facet, value)).or_default() += 1;
            }
            if missing.is_empty() {
                return Ok(Vec::new());
            }
        }
        let of = |facet: Facet| {
            let asked: Vec<String> = (missing.iter())
                .filter(|(of, _)| *of == facet)
                .map(|(_, asked)| asked.clone())
                .collect();
            let mut values: Vec<(String, u64)> = (there.iter())
                .filter(|((of, _), _)| *of == facet)
                .map(|((_, value), pages)| (value.clone(), *pages))
                .collect();
            values.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
            (!asked.is_empty()).then_some(Unmatched {
                facet,
                asked,
                there: values,
            })
        };
        Ok([Facet::Genre, Facet::Language, Facet::Host]
            .into_iter()
            .filter_map(of)
            .collect())
    }
}
