//! Says so when somebody asks for a kind of page that the detector cannot find, instead of finding nothing.

use scenthound::Collection;
use scenthound_config::Settings;
use scenthound_judge::{GenreDetector, GenreRecognition, KnownGenre, RecognisedBy};

use crate::wording::harmless;

/// What to know before a crawl that names genres.
pub fn of_crawl(settings: &Settings) -> Vec<String> {
    if settings.crawl.genres.is_empty() {
        return Vec::new();
    }
    // A detector that cannot be read is refused where the crawl is prepared.
    let Ok(detector) = settings.genre_detector() else {
        return Vec::new();
    };
    let wanted = settings.crawl.genres.iter();
    wanted.filter_map(|wanted| about(&detector, wanted)).collect()
}

/// Why a collection whose genres were detected has no pages of these, where the detector is the reason.
pub fn of_collection(collection: &Collection, wanted: &[String]) -> Vec<String> {
    let Ok(Some(settings)) = collection.settings() else {
        return Vec::new();
    };
    match settings.genre_detector() {
        Ok(detector) => wanted
            .iter()
            .filter_map(|wanted| about(&detector, wanted))
            .collect(),
        Err(_) => Vec::new(),
    }
}

fn about(detector: &GenreDetector, wanted: &str) -> Option<String> {
    let shown = harmless(wanted);
    match detector.recognition(&wanted.to_ascii_lowercase()) {
        GenreRecognition::Told => None,
        GenreRecognition::Within(class) => Some(format!(
            "{shown} is not told from other pages of its kind: all pages detected as {class} count as {shown}"
        )),
        GenreRecognition::Partly(RecognisedBy::Votes) => None,
        GenreRecognition::Partly(RecognisedBy::Declaration) => Some(format!(
            "only pages that declare it in their markup are detected as {shown}"
        )),
        GenreRecognition::Partly(RecognisedBy::Thumbnails) => Some(format!(
            "only pages made of thumbnails that link to picture files are detected as {shown}; to detect other galleries, train \
             a detector on pages of your own: hound train genre"
        )),
        GenreRecognition::Never => Some(format!(
            "no page will be detected as {shown}; the detector knows {}. Words that such pages use still count. To detect \
             them, train a detector on pages of your own: hound train genre",
            known(detector)
        )),
    }
}

/// The genres a detector knows: `blog (F1 0.77), forum (F1 0.89)`.
fn known(detector: &GenreDetector) -> String {
    let shown = |genre: KnownGenre| match (genre.f1, genre.by) {
        (Some(f1), _) => format!("{} (F1 {f1:.2})", genre.class),
        (None, RecognisedBy::Declaration) => format!("{} (where declared)", genre.class),
        (None, RecognisedBy::Thumbnails) => format!("{} (by thumbnails)", genre.class),
        (None, RecognisedBy::Votes) => harmless(&genre.class),
    };
    detector
        .known()
        .into_iter()
        .map(shown)
        .collect::<Vec<_>>()
        .join(", ")
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use super::*;
    use scenthound_judge::DetectorKind;

    #[test]
    fn a_genre_that_cannot_be_found_is_answered_with_those_that_can() {
        let detector = GenreDetector::shipped(DetectorKind::Rich).unwrap();
        let recipe = about(detector, "recipe").unwrap();
        assert!(
            recipe.starts_with(
                "no page will be detected as recipe; the detector knows article (F1 0.77), blog (F1 "
            ),
            "{recipe}"
        );
        assert!(
            recipe.contains(", video (where declared), image (by thumbnails). ") && !recipe.contains("other"),
            "{recipe}"
        );
        let image = about(detector, "image").unwrap();
        assert!(
            image.starts_with("only pages made of thumbnails that link to picture files"),
            "{image}"
        );
        assert!(
            about(detector, "guide")
                .unwrap()
                .contains("detected as article count as guide")
        );
        assert_eq!(about(detector, "news"), None);
        assert_eq!(about(detector, "forum"), None);
    }
}
