//! What a page declares itself to be, where that can be believed.
//!
//! Sites mark up job offers and videos for search engines and for previews of links. The recorded pages hold too few of them, on
//! too few sites, to learn that from, so it is a rule. Declarations that turned out to mean little are deliberately absent:
//! galleries (all 14 pages that declare one are articles with pictures) and videos by schema.org (articles with a clip).

use scenthound_types::{Hint, PageHints};

/// How sure a declaration is: of 19 pages of the recorded webs and of packages that declare a job or a video 18 are one (the other
/// is news with a video), which makes (18 + 1) / (19 + 2) by the rule of succession.
pub(super) const CONFIDENCE: f64 = 0.90;

/// The classes that pages can declare.
pub(super) const CLASSES: [&str; 2] = ["job", "video"];

/// The class that a page declares.
pub(super) fn declared(hints: &PageHints) -> Option<&'static str> {
    if hints.has(Hint::SchemaJob) && !hints.has(Hint::SchemaList) {
        Some("job")
    } else if hints.has(Hint::GraphVideo) {
        Some("video")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn class(hints: &[Hint]) -> Option<&'static str> {
        let mut noted = PageHints::default();
        hints.iter().for_each(|hint| noted.note(*hint));
        declared(&noted)
    }

    #[test]
    fn jobs_and_videos_are_believed_and_galleries_are_not() {
        assert_eq!(class(&[Hint::SchemaJob, Hint::GraphArticle]), Some("job"));
        assert_eq!(class(&[Hint::GraphVideo]), Some("video"));
        assert_eq!(class(&[Hint::SchemaGallery, Hint::SchemaVideo]), None);
    }

    #[test]
    fn a_list_of_jobs_is_not_a_job() {
        assert_eq!(class(&[Hint::SchemaJob, Hint::SchemaList]), None);
    }
}
