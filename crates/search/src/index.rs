//! The index of a collection: opening it and bringing it up to date.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use scenthound::{CanonicalUrl, Collection, PageRecord, main_text_of_response, page_id};
use scenthound_store::CrawlView;
use tantivy::directory::error::LockError;
use tantivy::tokenizer::TextAnalyzer;
use tantivy::{Index, IndexReader, IndexWriter, TantivyDocument, TantivyError, Term};

use crate::SearchError;
use crate::fields::{Fields, WORDS};
use crate::records::{Records, id_of_key, key_of_id};
use crate::table::Table;
use crate::words::Words;

/// Pages between two commits.
const COMMIT_PAGES: usize = 5_000;
/// Pages that are read from the archive together, by all threads.
const BATCH: usize = 128;
/// Memory of the index writer.
const WRITER_BYTES: usize = 64 << 20;

/// The search index of a collection.
pub struct SearchIndex {
    pub(crate) collection: PathBuf,
    pub(crate) path: PathBuf,
    pub(crate) index: Index,
    pub(crate) fields: Fields,
    pub(crate) reader: IndexReader,
    pub(crate) table: Arc<Table>,
    /// How many threads may read pages from the archive.
    pub(crate) threads: usize,
    added: u64,
    /// What was learnt from the records, if they have been read.
    records: Option<Records>,
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
        let Some(table) = Table::read(&path) else {
            return Ok(None);
        };
        let generation = collection.view().layout().generation()?;
        if table.generation != generation || table.rows.is_empty() {
            return Ok(None);
        }
        let index = open_index(&path)?;
        SearchIndex::new(collection, path, index, table, 1).map(Some)
    }

    fn new(
        collection: &Collection,
        path: PathBuf,
        index: Index,
        table: Table,
        threads: usize,
    ) -> Result<SearchIndex, SearchError> {
        let reader = index
            .reader_builder()
            .reload_policy(tantivy::ReloadPolicy::Manual)
            .try_into()
            .map_err(|source| fault(&path, source))?;
        let (_, fields) = Fields::schema();
        Ok(SearchIndex {
            collection: collection.folder().to_owned(),
            path,
            index,
            fields,
            reader,
            table: Arc::new(table),
            threads,
            added: 0,
            records: None,
        })
    }

    /// Like [`SearchIndex::open`], on at most this many threads.
    pub(crate) fn open_with(
        collection: &Collection,
        threads: usize,
        progress: &mut dyn FnMut(u64),
    ) -> Result<SearchIndex, SearchError> {
        let path = collection.folder().join("search");
        let index = open_index(&path)?;
        let table = Table::read(&path).unwrap_or_default();
        let mut opened = SearchIndex::new(collection, path, index, table, threads)?;
        let generation = collection.view().layout().generation()?;
        opened.update(collection, generation, progress)?;
        Ok(opened)
    }

    /// Brings an open index up to date with a crawl that goes on. What was read of the records before is not read again.
    /// Returns false if that is not possible because the records or the judgements have been replaced: it must be opened anew.
    pub(crate) fn follow(&mut self, collection: &Collection) -> Result<bool, SearchError> {
        let generation = collection.view().layout().generation()?;
        let is_same = self.table.generation == generation && records_bytes(collection) >= self.table.bytes;
        if self.records.is_none() || !is_same {
            return Ok(false);
        }
        self.update(collection, generation, &mut |_| {})?;
        Ok(true)
    }

    /// How many pages were added since it was opened.
    pub fn added(&self) -> u64 {
        self.added
    }

    /// The length of the records that it was made from.
    pub(crate) fn bytes(&self) -> u64 {
        self.table.bytes
    }

    fn update(
        &mut self,
        collection: &Collection,
        generation: u32,
        progress: &mut dyn FnMut(u64),
    ) -> Result<(), SearchError> {
        let bytes = records_bytes(collection);
        if self.table.bytes == bytes && self.table.generation == generation {
            return Ok(());
        }
        let faulty = |path: &Path, source| fault(path, source);
        let mut writer: IndexWriter = match self.index.writer_with_num_threads(1, WRITER_BYTES) {
            Ok(writer) => writer,
            // Another process brings it up to date. What is there can be searched.
            Err(TantivyError::LockFailure(..)) => return Ok(()),
            Err(error) => return Err(fault(&self.path, error)),
        };
        let mut records = match self.records.take() {
            Some(records) if records.generation == generation => records,
            _ => Records::new(generation),
        };
        let mut table = Table::clone(&self.table);
        table.generation = generation;
        records.read(collection, &mut table)?;
        // A crawl that was killed may have taken records back.
        for key in table.rows.keys().filter(|key| !records.has(**key)) {
            writer.delete_term(Term::from_field_text(self.fields.id, &id_of_key(*key)));
        }
        let missing = std::mem::take(&mut records.missing);
        let mut since_commit = 0;
        for part in missing.chunks(BATCH) {
            self.add(collection.view(), part, &mut records, &mut writer)?;
            progress(self.added);
            since_commit += part.len();
            if since_commit >= COMMIT_PAGES {
                since_commit = 0;
                writer.commit().map_err(|source| faulty(&self.path, source))?;
                table.rows = records.rows();
                table.bytes = 0;
                table.write(&self.path)?;
            }
        }
        writer.commit().map_err(|source| faulty(&self.path, source))?;
        table.rows = records.rows();
        table.bytes = bytes;
        table.write(&self.path)?;
        share(&self.path);
        self.table = Arc::new(table);
        self.records = Some(records);
        writer
            .wait_merging_threads()
            .map_err(|source| faulty(&self.path, source))?;
        self.reader.reload().map_err(|source| faulty(&self.path, source))
    }

    /// Reads the text of a batch of pages, on all cores, and adds them.
    fn add(
        &mut self,
        view: &CrawlView,
        batch: &[u32],
        records: &mut Records,
        writer: &mut IndexWriter,
    ) -> Result<(), SearchError> {
        let mut reader = view.records_at(records.generation)?;
        let mut pages: Vec<PageRecord> = Vec::with_capacity(batch.len());
        for number in batch {
            if let Some(page) = records.pages.get_mut(*number as usize) {
                page.is_held = true;
                pages.extend(reader.read(page.place)?);
            }
        }
        let threads = std::thread::available_parallelism().map_or(1, usize::from).min(8);
        let threads = threads.min(self.threads).max(1);
        let share = pages.len().div_ceil(threads).max(1);
        let texts: Vec<String> = std::thread::scope(|scope| {
            let workers: Vec<_> = pages
                .chunks(share)
                .map(|part| {
                    scope.spawn(move || -> Vec<String> {
                        let text = |record| text_of(view, record).unwrap_or_default();
                        part.iter().map(text).collect()
                    })
                })
                .collect();
            let parts = workers
                .into_iter()
                .map(|worker| worker.join().unwrap_or_default());
            parts.flatten().collect()
        });
        for (record, text) in pages.iter().zip(texts) {
            let id = page_id(&record.url);
            writer.delete_term(Term::from_field_text(self.fields.id, &id));
            writer
                .add_document(self.document(&id, record, &text))
                .map_err(|source| fault(&self.path, source))?;
            self.added += 1;
        }
        Ok(())
    }

    fn document(&self, id: &str, record: &PageRecord, text: &str) -> TantivyDocument {
        let fields = &self.fields;
        let mut document = TantivyDocument::default();
        document.add_text(fields.id, id);
        document.add_u64(fields.key, key_of_id(id));
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
        document.add_text(fields.text, text);
        if let Some(language) = &record.language {
            document.add_text(fields.language, language);
        }
        document.add_text(fields.fetched_at, &record.fetched_at);
        document.add_bool(fields.hidden, record.hidden);
        document
    }
}

/// Lets whoever may read the table read the whole index: tantivy keeps two of its files to their owner.
fn share(path: &Path) {
    let Ok(table) = fs::metadata(path.join(crate::table::FILE)) else {
        return;
    };
    for name in [".managed.json", "meta.json"] {
        // A file system without permissions is no reason to fail.
        let _ = fs::set_permissions(path.join(name), table.permissions());
    }
}

pub(crate) fn records_bytes(collection: &Collection) -> u64 {
    fs::metadata(collection.view().layout().pages()).map_or(0, |file| file.len())
}

pub(crate) fn fault(path: &Path, source: TantivyError) -> SearchError {
    if let TantivyError::LockFailure(LockError::IoError(error), _) = &source
        && error.kind() == ErrorKind::PermissionDenied
    {
        return SearchError::ReadOnly {
            path: path.to_owned(),
        };
    }
    SearchError::Index {
        path: path.to_owned(),
        source,
    }
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

fn text_of(view: &CrawlView, record: &PageRecord) -> Option<String> {
    let url = CanonicalUrl::parse(&record.url).ok()?;
    let stored = view.record(record.archive.as_ref()?).ok()?;
    let response = stored.http()?;
    Some(main_text_of_response(&url, &response).text)
}
