//! Any bytes can be decoded in any encoding, never beyond the cap, and the same however they arrive.
//!
//! The first byte chooses the encoding, the second how many bytes arrive at a time.
#![no_main]

use libfuzzer_sys::fuzz_target;
use scenthound_fetch::fuzzing::{decode, parts};

const ENCODINGS: [&str; 8] = [
    "gzip",
    "deflate",
    "br",
    "zstd",
    "gzip, br",
    "zstd, deflate",
    "br, gzip, zstd",
    "x-gzip, identity",
];
const CAP: usize = 100_000;

fuzz_target!(|data: &[u8]| {
    if let Some((start, end, chunks)) = parts(data) {
        assert!(start <= end && end + chunks.unwrap_or(0) <= data.len());
    }
    let [choice, step, body @ ..] = data else { return };
    let encoding = ENCODINGS[usize::from(*choice) % ENCODINGS.len()].as_bytes();
    let (at_once, is_whole) = decode(encoding, body, body.len(), CAP);
    assert!(at_once.len() <= CAP);
    let (in_pieces, is_whole_too) = decode(encoding, body, usize::from(*step), CAP);
    assert_eq!(is_whole, is_whole_too);
    if is_whole {
        assert!(at_once == in_pieces);
    }
});
