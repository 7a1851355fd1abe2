//! The fields of the index.

use tantivy::schema::{
    FAST, Field, INDEXED, IndexRecordOption, STORED, STRING, Schema, TextFieldIndexing, TextOptions,
};

/// The name of our tokenizer in the index.
pub(crate) const WORDS: &str = "words-1";

/// The fields of a page.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fields {
    pub(crate) id: Field,
    pub(crate) url: Field,
    pub(crate) host: Field,
    pub(crate) title: Field,
    pub(crate) text: Field,
    pub(crate) genre: Field,
    pub(crate) language: Field,
    pub(crate) fetched_at: Field,
    pub(crate) relevance: Field,
    pub(crate) relevant: Field,
    pub(crate) duplicate: Field,
    pub(crate) hidden: Field,
}

impl Fields {
    pub(crate) fn schema() -> (Schema, Fields) {
        let mut builder = Schema::builder();
        let words = TextOptions::default().set_stored().set_indexing_options(
            TextFieldIndexing::default()
                .set_tokenizer(WORDS)
                .set_index_option(IndexRecordOption::WithFreqsAndPositions),
        );
        let fields = Fields {
            id: builder.add_text_field("id", STRING | STORED),
            url: builder.add_text_field("url", STORED),
            host: builder.add_text_field("host", STRING),
            title: builder.add_text_field("title", words.clone()),
            text: builder.add_text_field("text", words),
            genre: builder.add_text_field("genre", STRING | STORED),
            language: builder.add_text_field("language", STRING | STORED),
            fetched_at: builder.add_text_field("fetched_at", STRING | STORED | FAST),
            relevance: builder.add_f64_field("relevance", INDEXED | STORED | FAST),
            relevant: builder.add_bool_field("relevant", INDEXED | STORED),
            duplicate: builder.add_bool_field("duplicate", INDEXED | STORED),
            hidden: builder.add_bool_field("hidden", INDEXED | STORED),
        };
        (builder.build(), fields)
    }
}
