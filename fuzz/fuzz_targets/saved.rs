//! What a crawl folder holds may be damaged: reading it back never panics.
#![no_main]

use libfuzzer_sys::fuzz_target;
use scenthound_robots::Rules;
use scenthound_store::{Mark, PageRecord};
use scenthound_types::{Evidence, PageWords};

fuzz_target!(|data: &[u8]| {
    if let Ok(rules) = Rules::from_bytes(data) {
        let _ = rules.allows("/a/b?c=d");
        assert_eq!(Rules::from_bytes(&rules.to_bytes()).as_ref(), Ok(&rules));
    }
    let _ = Mark::from_bytes(data);
    let _ = Evidence::from_bytes(data);
    let _ = PageWords::from_bytes(data);
    if let Ok(record) = serde_json::from_slice::<PageRecord>(data) {
        let _ = record.outcome();
    }
});
