//! How informative a term is, from a background collection.
//!
//! On disk: `{"documents": 1000, "terms": {"tea": 12, "oolong tea": 3}}`, with each term counted once per document.
//! Deliberately absent: building such a table from pages.

use std::collections::BTreeMap;
use std::path::Path;

use scenthound_types::text::{Token, tokenize};
use serde::{Deserialize, Serialize};

use crate::JudgeFault;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    documents: u64,
    terms: BTreeMap<String, u64>,
}

/// In how many documents of a collection each term occurs.
#[derive(Clone, PartialEq, Debug)]
pub struct IdfTable {
    documents: u64,
    spelled: BTreeMap<String, u64>,
    /// By normalised words, so that the table's spelling may differ from the topic's.
    counts: BTreeMap<Vec<Token>, u64>,
}

impl IdfTable {
    /// A table over this many documents. When a term has two spellings, the larger count is used.
    pub fn new(documents: u64, terms: BTreeMap<String, u64>) -> Result<IdfTable, JudgeFault> {
        if documents == 0 {
            return Err(JudgeFault::IdfEmpty);
        }
        let mut counts = BTreeMap::new();
        for (term, &count) in &terms {
            if count > documents {
                return Err(JudgeFault::IdfCount {
                    documents,
                    term: term.clone(),
                    count,
                });
            }
            let held = counts.entry(tokenize(term)).or_insert(0);
            *held = count.max(*held);
        }
        Ok(IdfTable {
            documents,
            spelled: terms,
            counts,
        })
    }

    /// Reads a table from a JSON file.
    pub fn load(path: &Path) -> Result<IdfTable, JudgeFault> {
        let json = std::fs::read(path).map_err(|source| JudgeFault::IdfFile {
            path: path.into(),
            source,
        })?;
        let stored: Stored = serde_json::from_slice(&json).map_err(|source| JudgeFault::IdfFormat {
            path: path.into(),
            source,
        })?;
        IdfTable::new(stored.documents, stored.terms)
    }

    /// Writes the table as a JSON file.
    pub fn save(&self, path: &Path) -> Result<(), JudgeFault> {
        let stored = Stored {
            documents: self.documents,
            terms: self.spelled.clone(),
        };
        let json = serde_json::to_vec_pretty(&stored).map_err(|source| JudgeFault::IdfFormat {
            path: path.into(),
            source,
        })?;
        std::fs::write(path, json).map_err(|source| JudgeFault::IdfFile {
            path: path.into(),
            source,
        })
    }

    /// ln(N/n). A term that does not occur in the collection counts as occurring once, so that the value stays
    /// finite.
    pub fn idf(&self, term: &str) -> f64 {
        let seen = self.counts.get(&tokenize(term)).copied().unwrap_or(0).max(1);
        (self.documents as f64 / seen as f64).ln()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(documents: u64, terms: &[(&str, u64)]) -> Result<IdfTable, JudgeFault> {
        let terms = terms
            .iter()
            .map(|(term, count)| ((*term).to_owned(), *count))
            .collect();
        IdfTable::new(documents, terms)
    }

    #[test]
    fn idf_is_the_logarithm_of_documents_per_document_with_the_term() {
        let table = table(100, &[("Green Tea", 10), ("the", 100)]).unwrap();
        assert!((table.idf("green tea") - 10_f64.ln()).abs() < 1e-12);
        assert_eq!(table.idf("the"), 0.0);
        assert!((table.idf("never seen") - 100_f64.ln()).abs() < 1e-12);
    }

    #[test]
    fn a_table_is_the_same_after_saving_and_loading() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("idf.json");
        let table = table(100, &[("green tea", 10), ("thé", 3)]).unwrap();
        table.save(&path).unwrap();
        assert_eq!(IdfTable::load(&path).unwrap(), table);
    }

    #[test]
    fn a_faulty_table_is_refused_with_its_path() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("idf.json");
        let missing = IdfTable::load(&path).unwrap_err();
        assert!(missing.to_string().contains("idf.json"), "{missing}");
        std::fs::write(&path, "{\"documents\": 3}").unwrap();
        assert!(matches!(IdfTable::load(&path), Err(JudgeFault::IdfFormat { .. })));
        assert!(matches!(
            table(3, &[("tea", 4)]),
            Err(JudgeFault::IdfCount { .. })
        ));
        assert!(matches!(table(0, &[]), Err(JudgeFault::IdfEmpty)));
    }
}
