//! The fields of the index.

use tantivy::schema::{
    FAST, Field, INDEXED, IndexRecordOption, STORED, STRING, Schema, TextFieldIndexing, TextOptions,
};

/// The name of our tokenizer in the index.
pub(crate) const WORDS: &str = "words-1";

/// The name of the field that finds a page in the table.
pub(crate) const KEY: &str = "key";

/// The fields of a page.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fields {
    pub(crate) id: Field,
    /// The id as a number, which finds the page in the table.
    pub(crate) key: Field,
    pub(crate) url: Field,
    pub(crate) host: Field,
    pub(crate) title: Field,
    pub(crate) text: Field,
    pub(crate) language: Field,
    pub(crate) fetched_at: Field,
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
            key: builder.add_u64_field(KEY, FAST),
            url: builder.add_text_field("url", STORED),
            host: builder.add_text_field("host", STRING),
            title: builder.add_text_field("title", words.clone()),
            text: builder.add_text_field("text", words),
            language: builder.add_text_field("language", STRING | STORED),
            fetched_at: builder.add_text_field("fetched_at", STRING | STORED | FAST),
            hidden: builder.add_bool_field("hidden", INDEXED),
        };
        (builder.build(), fields)
    }
}
