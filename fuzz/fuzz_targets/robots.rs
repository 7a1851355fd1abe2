//! Robots rules give the same answers after they are saved and restored, and no file breaks parsing or matching.
//!
//! The first line is a path to ask about, the rest a robots.txt.
#![no_main]

use libfuzzer_sys::fuzz_target;
use scenthound_robots::Rules;

fuzz_target!(|data: &[u8]| {
    let (path, body) = match data.iter().position(|byte| *byte == b'\n') {
        Some(end) => (&data[..end], &data[end + 1..]),
        None => (data, data),
    };
    let path = format!("/{}", String::from_utf8_lossy(path));
    let rules = Rules::parse(body, "scenthound");
    let saved = Rules::from_bytes(&rules.to_bytes()).expect("our own bytes are readable");
    assert_eq!(saved, rules);
    assert_eq!(saved.allows(&path), rules.allows(&path));
    assert_eq!(saved.which(&path), rules.which(&path));
    assert!(rules.allows("/robots.txt"));
    // Bytes of somebody else, read as saved rules.
    if let Ok(found) = Rules::from_bytes(data) {
        found.allows(&path);
    }
});
