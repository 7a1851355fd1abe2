//! Any file can be given as a topic, a list of keys or a model: what is wrong with it is said, and nothing panics.
#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;
use scenthound_config::{Surroundings, check, check_topic};
use scenthound_judge::GenreDetector;
use scenthound_seeds::search::Keys;

fuzz_target!(|data: &[u8]| {
    let read = |_: &Path| Ok(data.to_vec());
    let surroundings = Surroundings {
        folder: Path::new("/"),
        read: &read,
    };
    for checked in [
        check("topic.toml", &[], &surroundings),
        check_topic("topic.toml", &[], &surroundings),
    ] {
        match checked {
            Ok(settings) => {
                let _ = settings.scope();
                let _ = settings.crawl_settings();
            }
            Err(faults) => assert!(!faults.to_string().is_empty()),
        }
    }
    let _ = GenreDetector::from_bytes(data);
    if let Ok(text) = std::str::from_utf8(data) {
        let _ = Keys::parse(text);
    }
});
