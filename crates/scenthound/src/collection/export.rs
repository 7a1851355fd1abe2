//! Ranked pages as rows of a spreadsheet. Columns have the names that exports give them.

use scenthound_types::{Parts, Verdict};

use super::{Quadrant, RankedPage};

impl RankedPage {
    /// The names of the columns.
    pub const COLUMNS: [&'static str; 26] = [
        "rank",
        "id",
        "url",
        "title",
        "relevance",
        "relevant",
        "genre",
        "genre_confidence",
        "genre_similarity",
        "content_similarity",
        "url_similarity",
        "language",
        "depth",
        "parent",
        "fetched_at",
        "status",
        "bytes",
        "duplicate_of",
        "archive_file",
        "archive_offset",
        "view",
        "mark",
        "layer",
        "target_posterior",
        "target_similarity",
        "importance",
    ];

    /// The page as a row, one cell per column. What is not known is empty.
    pub fn row(&self) -> [String; 26] {
        fn shown<T: ToString>(value: Option<T>) -> String {
            value.map(|value| value.to_string()).unwrap_or_default()
        }
        let record = &self.record;
        let part = |part: fn(&Parts) -> Option<f64>| shown(record.parts.as_ref().and_then(part));
        let nearness = record.parts.as_ref().and_then(|parts| parts.nearness);
        [
            self.rank.to_string(),
            self.id.clone(),
            record.url.clone(),
            record.title.clone().unwrap_or_default(),
            shown(record.relevance),
            shown(record.relevant),
            shown(record.genre.as_ref().map(|guess| &guess.class)),
            shown(record.genre.as_ref().map(|guess| guess.confidence)),
            part(|parts| parts.genre),
            part(|parts| parts.content),
            part(|parts| parts.url),
            shown(record.language.as_ref()),
            record.depth.to_string(),
            record.parent.clone().unwrap_or_default(),
            record.fetched_at.clone(),
            shown(record.status),
            record.bytes.to_string(),
            self.record.duplicate_of.clone().unwrap_or_default(),
            shown(record.archive.as_ref().map(|position| &position.file)),
            shown(record.archive.as_ref().map(|position| position.offset)),
            shown(self.quadrant.map(Quadrant::name)),
            shown(self.mark.map(|mark| match mark {
                Verdict::Relevant => "relevant",
                Verdict::Irrelevant => "irrelevant",
            })),
            shown(nearness.map(|near| near.layer)),
            shown(nearness.map(|near| near.posterior)),
            shown(nearness.map(|near| near.similarity)),
            shown(self.importance),
        ]
    }
}
