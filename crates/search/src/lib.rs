//! Full-text search in collections.
//!
//! Each collection has an index in `search/`, made from the page records and the archive, while the crawl runs ([`Indexing`]) or
//! later. [`SearchIndex::open`] brings it up to date: new records are added, and after a change of judgements the pages are indexed again from the text that the index
//! holds, without reading the archive.
//!
//! **Invariant:** the index can be made again from the collection at any time, and each commit of it says how far into the
//! records it reaches. A crash therefore loses at most the work since the last commit.
//!
//! Deliberately absent: ranking by anything but the words of the query.

mod error;
mod fields;
mod indexing;
mod words;

use std::collections::{HashMap, HashSet};
use std::fs;
use std::ops::{Bound, Range};
use std::path::{Path, PathBuf};

use scenthound::{
    CanonicalUrl, Collection, FoldedPage, Folding, PageRecord, RankSettings, is_genre, page_id,
};
use scenthound_parse::{Limits, PageInput, main_text};
use scenthound_store::{CrawlView, RecordPlace};
use serde::{Deserialize, Serialize};
use tantivy::collector::{Count, TopDocs};
use tantivy::query::{BooleanQuery, BoostQuery, Occur, Query, QueryParser, RangeQuery, TermQuery};
use tantivy::schema::{Field, IndexRecordOption, Value};
use tantivy::snippet::SnippetGenerator;
use tantivy::tokenizer::TextAnalyzer;
use tantivy::{Index, IndexReader, IndexWriter, TantivyDocument, TantivyError, Term};

pub use crate::error::SearchError;
use crate::fields::{Fields, WORDS};
pub use crate::indexing::Indexing;
use crate::words::Words;

/// Pages between two commits.
const COMMIT_PAGES: usize = 5_000;
/// Pages that are read from the archive together, by all threads.
const BATCH: usize = 128;
/// Memory of the index writer.
const WRITER_BYTES: usize = 64 << 20;
/// Characters of a snippet.
const SNIPPET_CHARS: usize = 200;

/// How far an index reaches. It is stored with each commit.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
struct Reach {
    /// The version of the index's form.
    version: u32,
    /// Lines of the page records.
    lines: u64,
    /// The length of the page records when it was complete; 0 while it is not.
    bytes: u64,
    /// The judgements it was made with.
    generation: u32,
    /// A digest of the last line.
    #[serde(default)]
    last: u64,
}

const VERSION: u32 = 2;

/// A page that was found.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Hit {
    /// The folder of the collection.
    pub collection: PathBuf,
    /// The page's id, as in exports.
    pub id: String,
    /// Its URL.
    pub url: String,
    /// Its title.
    pub title: String,
    /// How well it matches the query.
    pub score: f32,
    /// How relevant the crawl judged it.
    pub relevance: Option<f64>,
    /// Whether it was judged relevant.
    pub relevant: bool,
    /// Its genre.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub genre: Option<String>,
    /// Its language.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// When it was fetched.
    pub fetched_at: String,
    /// The part of the text that matches best.
    pub snippet: String,
    /// The words of the query in the snippet, as byte ranges.
    pub highlights: Vec<Range<usize>>,
}

/// The result of a search.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Found {
    /// How many pages match.
    pub total: usize,
    /// The best ones.
    pub hits: Vec<Hit>,
}

/// The search index of a collection.
pub struct SearchIndex {
    collection: PathBuf,
    path: PathBuf,
    index: Index,
    fields: Fields,
    reader: IndexReader,
    /// How many threads may read pages from the archive.
    threads: usize,
    added: u64,
    /// What was learnt from the records, if they have been read.
    known: Option<Known>,
}

/// The pages of the records as far as they were read, for going on from there.
#[derive(Debug, Default)]
struct Known {
    generation: u32,
    /// The last record.
    last: Option<RecordPlace>,
    /// The numbers of the pages, by the keys of their URLs.
    numbers: HashMap<u64, u32>,
    places: Vec<RecordPlace>,
    folding: Folding,
    /// Pages that the index holds as near-duplicates.
    flagged: HashSet<u32>,
    /// Pages whose groups have changed since the index was last brought up to date.
    touched: Vec<u32>,
}

impl Known {
    /// Takes in a page that was read. None for one that is known and was only visited again.
    fn add(&mut self, place: RecordPlace, record: &PageRecord) -> Option<u32> {
        let key = url_key(&record.url);
        if let Some(number) = self.numbers.get(&key) {
            let place_of = self.places.get_mut(*number as usize)?;
            if record.revisit {
                return None;
            }
            *place_of = place;
            return Some(*number);
        }
        let number = u32::try_from(self.places.len()).ok()?;
        self.numbers.insert(key, number);
        self.places.push(place);
        let repeats = (record.duplicate_of.as_deref().filter(|_| !record.hidden)).map(url_key);
        let repeats = repeats.and_then(|key| self.numbers.get(&key)).copied();
        self.folding.add(
            number,
            FoldedPage {
                key,
                canonical: record.canonical.as_deref().map(url_key),
                repeats,
                is_relevant: record.is_relevant(),
                is_seed: record.seed,
                length: record.url.len(),
            },
        );
        self.touched.extend(repeats.map(|_| number));
        Some(number)
    }

    fn is_copy(&self, number: u32) -> bool {
        self.folding.original(number).is_some()
    }

    /// The index holds everything read so far, as it is now.
    fn settle(&mut self) {
        let mut groups: HashSet<u32> = HashSet::new();
        for number in std::mem::take(&mut self.touched) {
            if groups.insert(number) {
                groups.extend(self.folding.others(number));
            }
        }
        for number in groups {
            match self.is_copy(number) {
                true => self.flagged.insert(number),
                false => self.flagged.remove(&number),
            };
        }
    }

    /// The pages that the index holds under a state that has changed.
    fn changed(&self) -> Vec<u32> {
        let mut seen: HashSet<u32> = HashSet::new();
        for number in &self.touched {
            if seen.insert(*number) {
                seen.extend(self.folding.others(*number));
            }
        }
        let mut changed: Vec<u32> = seen
            .into_iter()
            .filter(|number| self.is_copy(*number) != self.flagged.contains(number))
            .collect();
        changed.sort_unstable();
        changed
    }
}

impl std::fmt::Debug for SearchIndex {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SearchIndex")
            .field("path", &self.path)
            .finish_non_exhaustive()
    }
}

impl SearchIndex {
    /// Opens the index of a collection and brings it up to date. `progress` is called with the number of pages added.
    pub fn open(collection: &Collection, progress: &mut dyn FnMut(u64)) -> Result<SearchIndex, SearchError> {
        SearchIndex::open_with(collection, usize::MAX, progress)
    }

    /// Opens the index of a collection as far as it reaches, without bringing it up to date. None if there is none, or one that
    /// was made with other judgements.
    pub fn open_as_is(collection: &Collection) -> Result<Option<SearchIndex>, SearchError> {
        let path = collection.folder().join("search");
        if !path.join("meta.json").exists() {
            return Ok(None);
        }
        let index = open_index(&path)?;
        let reach = reach_of(&index, &path)?;
        let generation = collection.view().layout().generation()?;
        if reach.version != VERSION || reach.generation != generation || reach.lines == 0 {
            return Ok(None);
        }
        let reader = index
            .reader_builder()
            .reload_policy(tantivy::ReloadPolicy::Manual)
            .try_into()
            .map_err(|source| fault(&path, source))?;
        let (_, fields) = Fields::schema();
        Ok(Some(SearchIndex {
            collection: collection.folder().to_owned(),
            path,
            index,
            fields,
            reader,
            threads: 1,
            added: 0,
            known: None,
        }))
    }

    /// Like [`SearchIndex::open`], on at most this many threads.
    fn open_with(
        collection: &Collection,
        threads: usize,
        progress: &mut dyn FnMut(u64),
    ) -> Result<SearchIndex, SearchError> {
        let path = collection.folder().join("search");
        let view = collection.view();
        let generation = view.layout().generation()?;
        let mut index = open_index(&path)?;
        let reach = reach_of(&index, &path)?;
        let is_stale = reach.version != VERSION || reach.generation != generation;
        let texts = if is_stale || !still_holds(collection, &reach)? {
            Some(begin_again(&mut index, &path)?)
        } else {
            None
        };
        let (_, fields) = Fields::schema();
        let faulty = |source| fault(&path, source);
        let reader = index
            .reader_builder()
            .reload_policy(tantivy::ReloadPolicy::Manual)
            .try_into()
            .map_err(faulty)?;
        let mut opened = SearchIndex {
            collection: collection.folder().to_owned(),
            path: path.clone(),
            index,
            fields,
            reader,
            threads,
            added: 0,
            known: None,
        };
        opened.update(collection, generation, texts.as_ref(), progress)?;
        drop(texts);
        let old = old_path(&path);
        if old.exists() {
            fs::remove_dir_all(&old).map_err(|source| SearchError::Io {
                doing: "delete",
                path: old,
                source,
            })?;
        }
        opened.reader.reload().map_err(faulty)?;
        Ok(opened)
    }

    /// Brings an open index up to date with a crawl that goes on. What was read of the records before is not read again.
    /// Returns false if that is not possible because the records or the judgements have been replaced: it must be opened anew.
    fn follow(&mut self, collection: &Collection) -> Result<bool, SearchError> {
        let generation = collection.view().layout().generation()?;
        let bytes = fs::metadata(collection.view().layout().pages()).map_or(0, |file| file.len());
        let reach = reach_of(&self.index, &self.path)?;
        let is_same = reach.generation == generation && bytes >= reach.bytes;
        if self.known.is_none() || !is_same {
            return Ok(false);
        }
        self.update(collection, generation, None, &mut |_| {})?;
        Ok(true)
    }

    /// How many pages were added on opening.
    pub fn added(&self) -> u64 {
        self.added
    }

    fn update(
        &mut self,
        collection: &Collection,
        generation: u32,
        texts: Option<&Texts>,
        progress: &mut dyn FnMut(u64),
    ) -> Result<(), SearchError> {
        let view = collection.view();
        let reached = reach_of(&self.index, &self.path)?;
        let bytes = fs::metadata(view.layout().pages()).map_or(0, |file| file.len());
        if reached.bytes == bytes && reached.version == VERSION {
            return Ok(());
        }
        let mut writer: IndexWriter = match self.index.writer_with_num_threads(1, WRITER_BYTES) {
            Ok(writer) => writer,
            // Another process brings it up to date. What is there can be searched.
            Err(TantivyError::LockFailure(..)) => return Ok(()),
            Err(error) => return Err(fault(&self.path, error)),
        };
        let mut known = match self.known.take() {
            Some(known) if known.generation == generation => known,
            _ => Known {
                generation,
                ..Known::default()
            },
        };
        let mut batch: Vec<(u32, PageRecord, bool)> = Vec::new();
        let mut since_commit = 0;
        // Not the reader's line at the end, which may count a line that is still being written.
        let mut last_line = reached.lines;
        let mut last = reached.last;
        let mut pages = match known.last {
            Some(last) => collection.pages_after(last)?,
            None => collection.pages()?,
        };
        let reached_lines = if reached.version == VERSION {
            reached.lines
        } else {
            0
        };
        let mut is_settled = known.last.is_some();
        while let Some(record) = pages.next() {
            let record = record?;
            let place = pages.place();
            known.last = Some(place);
            if place.line > reached_lines && !is_settled {
                known.settle();
                is_settled = true;
            }
            last_line = place.line;
            last = digest_of(&record);
            if !record.is_judged_page() {
                continue;
            }
            let Some(number) = known.add(place, &record) else {
                continue;
            };
            if place.line <= reached_lines {
                continue;
            }
            let is_copy = known.is_copy(number);
            batch.push((number, record, is_copy));
            if batch.len() >= BATCH {
                since_commit += batch.len();
                self.add(view, &mut batch, texts, &mut known, &mut writer)?;
                progress(self.added);
            }
            if since_commit >= COMMIT_PAGES && batch.is_empty() {
                since_commit = 0;
                self.refold(collection, texts, &mut known, &mut writer)?;
                let reach = Reach {
                    version: VERSION,
                    lines: last_line,
                    bytes: 0,
                    generation,
                    last,
                };
                self.commit(&mut writer, reach)?;
            }
        }
        self.add(view, &mut batch, texts, &mut known, &mut writer)?;
        self.refold(collection, texts, &mut known, &mut writer)?;
        let reach = Reach {
            version: VERSION,
            lines: last_line,
            bytes,
            generation,
            last,
        };
        self.commit(&mut writer, reach)?;
        self.known = Some(known);
        writer
            .wait_merging_threads()
            .map_err(|source| fault(&self.path, source))
    }

    /// Adds the pages again whose place among their near-duplicates has changed.
    fn refold(
        &mut self,
        collection: &Collection,
        texts: Option<&Texts>,
        known: &mut Known,
        writer: &mut IndexWriter,
    ) -> Result<(), SearchError> {
        let changed = known.changed();
        if !changed.is_empty() {
            let mut records = collection.view().records_at(known.generation)?;
            // The index itself has the texts of pages that were committed.
            self.reader.reload().map_err(|source| fault(&self.path, source))?;
            let own = Texts {
                reader: self.reader.clone(),
                fields: self.fields,
            };
            let mut batch = Vec::new();
            let added = self.added;
            for number in changed {
                let Some(place) = known.places.get(number as usize) else {
                    continue;
                };
                let record = records.read(*place)?;
                let is_copy = known.is_copy(number);
                batch.extend(record.map(|record| (number, record, is_copy)));
            }
            self.add(
                collection.view(),
                &mut batch,
                Some(texts.unwrap_or(&own)),
                known,
                writer,
            )?;
            self.added = added;
        }
        known.settle();
        Ok(())
    }

    fn commit(&self, writer: &mut IndexWriter, reach: Reach) -> Result<(), SearchError> {
        let faulty = |source| fault(&self.path, source);
        let mut commit = writer.prepare_commit().map_err(faulty)?;
        commit.set_payload(&serde_json::to_string(&reach).unwrap_or_default());
        commit.commit().map_err(faulty)?;
        Ok(())
    }

    /// Reads the text of a batch of pages, on all cores, and adds them.
    fn add(
        &mut self,
        view: &CrawlView,
        batch: &mut Vec<(u32, PageRecord, bool)>,
        texts: Option<&Texts>,
        known: &mut Known,
        writer: &mut IndexWriter,
    ) -> Result<(), SearchError> {
        let threads = std::thread::available_parallelism().map_or(1, usize::from).min(8);
        let threads = threads.min(self.threads).max(1);
        let share = batch.len().div_ceil(threads).max(1);
        let bodies: Vec<String> = std::thread::scope(|scope| {
            let workers: Vec<_> = batch
                .chunks(share)
                .map(|part| {
                    scope.spawn(move || -> Vec<String> {
                        let text = |record: &PageRecord| {
                            let stored = texts.and_then(|texts| texts.of(&page_id(&record.url)));
                            stored.or_else(|| text_of(view, record)).unwrap_or_default()
                        };
                        part.iter().map(|(_, record, _)| text(record)).collect()
                    })
                })
                .collect();
            let parts = workers
                .into_iter()
                .map(|worker| worker.join().unwrap_or_default());
            parts.flatten().collect()
        });
        let fields = self.fields;
        for ((number, record, is_duplicate), text) in batch.drain(..).zip(bodies) {
            match is_duplicate {
                true => known.flagged.insert(number),
                false => known.flagged.remove(&number),
            };
            let id = page_id(&record.url);
            writer.delete_term(Term::from_field_text(fields.id, &id));
            let mut document = TantivyDocument::default();
            document.add_text(fields.id, &id);
            document.add_text(fields.url, &record.url);
            if let Ok(url) = CanonicalUrl::parse(&record.url) {
                // Every name above it too, so that a domain finds its hosts.
                let mut name = url.host();
                loop {
                    document.add_text(fields.host, name);
                    match name.split_once('.') {
                        Some((_, above)) if !above.is_empty() => name = above,
                        _ => break,
                    }
                }
            }
            document.add_text(fields.title, record.title.as_deref().unwrap_or_default());
            document.add_text(fields.text, &text);
            if let Some(genre) = &record.genre {
                document.add_text(fields.genre, genre.class.to_ascii_lowercase());
            }
            if let Some(language) = &record.language {
                document.add_text(fields.language, language);
            }
            document.add_text(fields.fetched_at, &record.fetched_at);
            document.add_f64(fields.relevance, record.relevance.unwrap_or_default());
            document.add_bool(fields.relevant, record.is_relevant());
            document.add_bool(fields.duplicate, is_duplicate);
            document.add_bool(fields.hidden, record.hidden);
            writer
                .add_document(document)
                .map_err(|source| fault(&self.path, source))?;
            self.added += 1;
        }
        Ok(())
    }

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
        let (total, best) = match searcher.search(&whole, &collectors) {
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
            hits.push(Hit {
                collection: self.collection.clone(),
                id: text(self.fields.id).unwrap_or_default(),
                url: text(self.fields.url).unwrap_or_default(),
                title: text(self.fields.title).unwrap_or_default(),
                score,
                relevance: document
                    .get_first(self.fields.relevance)
                    .and_then(|value| value.as_f64()),
                relevant: document
                    .get_first(self.fields.relevant)
                    .and_then(|value| value.as_bool())
                    .unwrap_or_default(),
                genre: text(self.fields.genre),
                language: text(self.fields.language),
                fetched_at: text(self.fields.fetched_at).unwrap_or_default(),
                snippet,
                highlights,
            });
        }
        Ok(Found { total, hits })
    }

    /// Pages of these genres. One name may mean several classes, so those that the index holds are compared.
    fn genre_filter(&self, wanted: &[String]) -> Option<(Occur, Box<dyn Query>)> {
        if wanted.is_empty() {
            return None;
        }
        let field = self.fields.genre;
        let mut classes: Vec<String> = Vec::new();
        for segment in self.reader.searcher().segment_readers() {
            let Ok(index) = segment.inverted_index(field) else {
                continue;
            };
            let Ok(mut terms) = index.terms().stream() else {
                continue;
            };
            while terms.advance() {
                classes.extend(std::str::from_utf8(terms.key()).ok().map(str::to_owned));
            }
        }
        classes.retain(|class| wanted.iter().any(|wanted| is_genre(class, wanted)));
        classes.sort_unstable();
        classes.dedup();
        let each = classes
            .into_iter()
            .map(|class| -> (Occur, Box<dyn Query>) {
                let term = Term::from_field_text(field, &class);
                (
                    Occur::Should,
                    Box::new(TermQuery::new(term, IndexRecordOption::Basic)),
                )
            })
            .collect();
        Some((Occur::Must, Box::new(BooleanQuery::new(each))))
    }

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
        filters.extend(self.genre_filter(&pages.genres));
        filters.extend(any(fields.language, &pages.languages));
        filters.extend(any(fields.host, &pages.hosts));
        if pages.relevant_only {
            filters.push((Occur::Must, term(Term::from_field_bool(fields.relevant, true))));
        }
        if !pages.with_duplicates {
            filters.push((Occur::Must, term(Term::from_field_bool(fields.duplicate, false))));
        }
        if !pages.with_hidden {
            filters.push((Occur::Must, term(Term::from_field_bool(fields.hidden, false))));
        }
        if let Some(least) = pages.min_relevance {
            let least = Term::from_field_f64(fields.relevance, least);
            let range = RangeQuery::new(Bound::Included(least), Bound::Unbounded);
            filters.push((Occur::Must, Box::new(range)));
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

/// Searches several collections at once, best pages first.
pub fn search_all(
    indexes: &[SearchIndex],
    query: &str,
    pages: &RankSettings,
    top: usize,
) -> Result<Found, SearchError> {
    let mut all = Found::default();
    for index in indexes {
        let found = index.search(query, pages, top)?;
        all.total += found.total;
        all.hits.extend(found.hits);
    }
    all.hits
        .sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.url.cmp(&b.url)));
    all.hits.truncate(top);
    Ok(all)
}

/// The texts of an index that is being replaced.
struct Texts {
    reader: IndexReader,
    fields: Fields,
}

impl Texts {
    fn of(&self, id: &str) -> Option<String> {
        let searcher = self.reader.searcher();
        let query = TermQuery::new(
            Term::from_field_text(self.fields.id, id),
            IndexRecordOption::Basic,
        );
        let best = searcher
            .search(&query, &TopDocs::with_limit(1).order_by_score())
            .ok()?;
        let document: TantivyDocument = searcher.doc(best.first()?.1).ok()?;
        document
            .get_first(self.fields.text)
            .and_then(|value| value.as_str())
            .map(str::to_owned)
    }
}

fn fault(path: &Path, source: TantivyError) -> SearchError {
    SearchError::Index {
        path: path.to_owned(),
        source,
    }
}

fn old_path(path: &Path) -> PathBuf {
    path.with_file_name("search.old")
}

fn open_index(path: &Path) -> Result<Index, SearchError> {
    fs::create_dir_all(path).map_err(|source| SearchError::Io {
        doing: "create",
        path: path.to_owned(),
        source,
    })?;
    let (schema, _) = Fields::schema();
    let faulty = |source| fault(path, source);
    let directory = tantivy::directory::MmapDirectory::open(path).map_err(|error| faulty(error.into()))?;
    let index = match Index::open_or_create(directory, schema.clone()) {
        // The form of the index has changed, or a crash damaged it. It can be made again.
        Err(TantivyError::SchemaError(_) | TantivyError::DataCorruption(_)) => {
            fs::remove_dir_all(path)
                .and_then(|()| fs::create_dir_all(path))
                .map_err(|source| SearchError::Io {
                    doing: "replace",
                    path: path.to_owned(),
                    source,
                })?;
            Index::create_in_dir(path, schema)
        }
        opened => opened,
    };
    let index = index.map_err(faulty)?;
    index.tokenizers().register(WORDS, TextAnalyzer::from(Words));
    Ok(index)
}

fn reach_of(index: &Index, path: &Path) -> Result<Reach, SearchError> {
    let meta = index.load_metas().map_err(|source| fault(path, source))?;
    let reach = meta
        .payload
        .and_then(|payload| serde_json::from_str(&payload).ok());
    Ok(reach.unwrap_or_default())
}

/// Moves the index aside and begins a new one. Returns the texts of the old one.
fn begin_again(index: &mut Index, path: &Path) -> Result<Texts, SearchError> {
    let old = old_path(path);
    let io = |doing, source| SearchError::Io {
        doing,
        path: old.clone(),
        source,
    };
    // What a crash left behind while the index was being replaced has the more complete texts.
    if !old.exists() {
        fs::rename(path, &old).map_err(|source| io("move the index to", source))?;
    } else {
        fs::remove_dir_all(path).map_err(|source| io("replace the index beside", source))?;
    }
    let source = open_index(&old)?;
    let (_, fields) = Fields::schema();
    let reader = source.reader().map_err(|error| fault(&old, error))?;
    *index = open_index(path)?;
    Ok(Texts { reader, fields })
}

fn text_of(view: &CrawlView, record: &PageRecord) -> Option<String> {
    let url = CanonicalUrl::parse(&record.url).ok()?;
    let stored = view.record(record.archive.as_ref()?).ok()?;
    let response = stored.http()?;
    let body = response.body(Limits::default().body_bytes);
    let found = main_text(&PageInput {
        url: &url,
        content_type: response.header("content-type"),
        body: &body.bytes,
        truncated: !body.faults.is_empty(),
    });
    Some(found.text)
}

/// Whether the records still hold the line that the index ended with. A crawl that was killed may have taken it back.
fn still_holds(collection: &Collection, reach: &Reach) -> Result<bool, SearchError> {
    let bytes = fs::metadata(collection.view().layout().pages()).map_or(0, |file| file.len());
    // Nothing was indexed, or nothing has changed since.
    if reach.lines == 0 || reach.bytes == bytes {
        return Ok(true);
    }
    let mut pages = collection.pages()?;
    while let Some(record) = pages.next() {
        let record = record?;
        if pages.line() == reach.lines {
            return Ok(digest_of(&record) == reach.last);
        }
        if pages.line() > reach.lines {
            break;
        }
    }
    Ok(false)
}

/// Tells the line of one attempt from those of others.
fn digest_of(record: &PageRecord) -> u64 {
    url_key(&format!(
        "{} {} {}",
        record.fetched_at, record.attempt, record.url
    ))
}

/// Identifies a URL in memory.
fn url_key(url: &str) -> u64 {
    u64::from_str_radix(&page_id(url), 16).unwrap_or_default()
}
