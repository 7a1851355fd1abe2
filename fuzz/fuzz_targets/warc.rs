//! Any bytes can be read as a WARC file: damage is reported, and reading continues or ends.
#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;
use scenthound_store::{ReadLimits, WarcReader};

const LIMITS: ReadLimits = ReadLimits {
    head: 4 << 10,
    block: 64 << 10,
};

fuzz_target!(|data: &[u8]| {
    let Ok(reader) = WarcReader::new(data, Path::new("fuzz.warc.gz")) else {
        return;
    };
    // A record has at least its version line, so there cannot be more of them than bytes, once unpacked.
    for record in reader.with_limits(LIMITS).take(10_000) {
        let Ok(record) = record else { break };
        assert!(record.block.len() <= LIMITS.block);
        if let Some(offset) = record.offset {
            assert!(offset <= data.len() as u64);
        }
        let _ = (record.kind(), record.target_uri());
        if let Some(response) = record.http() {
            let _ = response.body(LIMITS.block);
        }
    }
});
