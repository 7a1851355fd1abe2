//! Whatever a Redis server holds or another node writes, reading it ends without a panic.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    scenthound_cluster::fuzzing::read_letter(data);
    scenthound_frontier_redis::fuzzing::read_all(data);
});
