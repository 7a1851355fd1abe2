//! Searching an index.
//!
//! The index finds the pages with the words; the table beside it says which of them were judged as asked.

use std::ops::Bound;
use std::sync::Arc;

use scenthound::{RankSettings, is_genre};
use tantivy::collector::{Count, FilterCollector, TopDocs};
use tantivy::query::{BooleanQuery, BoostQuery, Occur, Query, QueryParser, RangeQuery, TermQuery};
use tantivy::schema::{Field, IndexRecordOption, Value};
use tantivy::snippet::SnippetGenerator;
use tantivy::{TantivyDocument, TantivyError, Term};

use crate::fields::KEY;
use crate::index::{SearchIndex, fault};
use crate::records::key_of_id;
use crate::table::Table;
use crate::{Found, Hit, SearchError};

/// Characters of a snippet.
const SNIPPET_CHARS: usize = 200;

impl SearchIndex {
    /// Searches the pages that the settings choose. All words of the query must occur; `"…"` finds a phrase, `-word`
    /// leaves pages out, and `OR` offers a choice.
    pub fn search(&self, query: &str, pages: &RankSettings, top: usize) -> Result<Found, SearchError> {
        let faulty = |source| fault(&self.path, source);
        let searcher = self.reader.searcher();
        let mut parser = QueryParser::for_index(&self.index, vec![self.fields.title, self.fields.text]);
        parser.set_conjunction_by_default();
        parser.set_field_boost(self.fields.title, 2.0);
        let (words, _) = parser.parse_query_lenient(query);
        let mut all: Vec<(Occur, Box<dyn Query>)> = vec![(Occur::Must, words.box_clone())];
        all.extend(
            self.filters(pages)
                .into_iter()
                // Filters choose pages and must not change their order.
                .map(|(occur, filter)| -> (Occur, Box<dyn Query>) {
                    (occur, Box::new(BoostQuery::new(filter, 0.0)))
                }),
        );
        let whole = BooleanQuery::new(all);
        let collectors = (Count, TopDocs::with_limit(top.max(1)).order_by_score());
        let judged = FilterCollector::new(KEY.to_owned(), judged_as(&self.table, pages), collectors);
        let (total, best) = match searcher.search(&whole, &judged) {
            // The query asks a field for what it cannot do (`id:*`): no page has that.
            Err(TantivyError::SchemaError(_) | TantivyError::InvalidArgument(_)) => {
                return Ok(Found::default());
            }
            found => found.map_err(faulty)?,
        };
        let mut snippets = SnippetGenerator::create(&searcher, &*words, self.fields.text).map_err(faulty)?;
        snippets.set_max_num_chars(SNIPPET_CHARS);
        let mut hits = Vec::new();
        for (score, address) in best.into_iter().take(top) {
            let document: TantivyDocument = searcher.doc(address).map_err(faulty)?;
            let text = |field: Field| {
                let value = document.get_first(field);
                value.and_then(|value| value.as_str()).map(str::to_owned)
            };
            let body = text(self.fields.text).unwrap_or_default();
            let found = snippets.snippet(&body);
            let (snippet, highlights) = if found.is_empty() {
                (body.chars().take(SNIPPET_CHARS).collect(), Vec::new())
            } else {
                (found.fragment().to_owned(), found.highlighted().to_vec())
            };
            let id = text(self.fields.id).unwrap_or_default();
            let row = self.table.rows.get(&key_of_id(&id));
            hits.push(Hit {
                collection: self.collection.clone(),
                id,
                url: text(self.fields.url).unwrap_or_default(),
                title: text(self.fields.title).unwrap_or_default(),
                score,
                relevance: row.and_then(|row| row.relevance),
                relevant: row.is_some_and(|row| row.is_relevant),
                genre: row.and_then(|row| self.table.genre_name(row)).map(str::to_owned),
                language: text(self.fields.language),
                fetched_at: text(self.fields.fetched_at).unwrap_or_default(),
                snippet,
                highlights,
            });
        }
        Ok(Found { total, hits })
    }

    /// What the index itself knows of the pages that the settings choose.
    fn filters(&self, pages: &RankSettings) -> Vec<(Occur, Box<dyn Query>)> {
        let fields = &self.fields;
        let mut filters: Vec<(Occur, Box<dyn Query>)> = Vec::new();
        let term =
            |term: Term| -> Box<dyn Query> { Box::new(TermQuery::new(term, IndexRecordOption::Basic)) };
        let any = |field: Field, values: &[String]| -> Option<(Occur, Box<dyn Query>)> {
            let values = values.iter().map(|value| {
                let value = value.to_ascii_lowercase();
                let value = value.trim_start_matches('.');
                (Occur::Should, term(Term::from_field_text(field, value)))
            });
            let values: Vec<_> = values.collect();
            (!values.is_empty())
                .then(|| -> (Occur, Box<dyn Query>) { (Occur::Must, Box::new(BooleanQuery::new(values))) })
        };
        filters.extend(any(fields.language, &pages.languages));
        filters.extend(any(fields.host, &pages.hosts));
        if !pages.with_hidden {
            filters.push((Occur::Must, term(Term::from_field_bool(fields.hidden, false))));
        }
        if pages.since.is_some() || pages.until.is_some() {
            let time = |time: &str| Term::from_field_text(fields.fetched_at, time);
            let since = pages
                .since
                .as_deref()
                .map_or(Bound::Unbounded, |since| Bound::Included(time(since)));
            // The character after all digits and signs of a time, so that `2024` includes that year.
            let until = pages.until.as_deref();
            let until = until.map_or(Bound::Unbounded, |until| {
                Bound::Excluded(time(&format!("{until}~")))
            });
            filters.push((Occur::Must, Box::new(RangeQuery::new(since, until))));
        }
        filters
    }
}

/// Whether a page was judged as the settings ask. Pages that the table does not have are no longer in the collection.
fn judged_as(
    table: &Arc<Table>,
    pages: &RankSettings,
) -> impl Fn(u64) -> bool + Send + Sync + Clone + 'static {
    let table = Arc::clone(table);
    let is_wanted = |class: &String| pages.genres.iter().any(|wanted| is_genre(class, wanted));
    let genres: Option<Vec<bool>> =
        (!pages.genres.is_empty()).then(|| table.genres.iter().map(is_wanted).collect());
    let relevant_only = pages.relevant_only;
    let with_duplicates = pages.with_duplicates;
    let least = pages.min_relevance;
    move |key| {
        let Some(row) = table.rows.get(&key) else {
            return false;
        };
        let has_genre = || match (&genres, row.genre) {
            (None, _) => true,
            (Some(wanted), Some(genre)) => wanted.get(usize::from(genre)).copied().unwrap_or_default(),
            (Some(_), None) => false,
        };
        (with_duplicates || !row.is_duplicate)
            && (!relevant_only || row.is_relevant)
            && least.is_none_or(|least| row.relevance.unwrap_or_default() >= least)
            && has_genre()
    }
}
