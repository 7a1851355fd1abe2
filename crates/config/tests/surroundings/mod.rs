//! A little file system in memory to check settings in.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use scenthound_config::{Faults, Given, Settings, Surroundings, check};

pub const STRATEGIES: &[&str] = &[
    "breadth-first",
    "random",
    "best-first",
    "ps",
    "fs-1",
    "fs-2",
    "pfs-1",
    "pfs-2",
    "opic",
];

/// Checks with these files (by absolute path, the current folder being `/here`) and options (`name=value`).
pub fn check_with(files: &[(&str, &str)], topic: &str, options: &[&str]) -> Result<Settings, Faults> {
    let files: BTreeMap<&str, &str> = files.iter().copied().collect();
    let read = |path: &Path| {
        let found = path.to_str().and_then(|path| files.get(path));
        let missing = || io::Error::new(io::ErrorKind::NotFound, "no such file");
        found.map(|text| text.as_bytes().to_vec()).ok_or_else(missing)
    };
    let given: Vec<Given> = options
        .iter()
        .map(|option| option.split_once('=').unwrap_or((option, "true")))
        .map(|(name, value)| Given::new(name, value))
        .collect();
    let surroundings = Surroundings {
        folder: Path::new("/here"),
        read: &read,
    };
    check(topic, &given, &surroundings)
}

/// Checks one topic file, `/here/t.toml`.
pub fn check_text(text: &str, options: &[&str]) -> Result<Settings, Faults> {
    check_with(&[("/here/t.toml", text)], "t.toml", options)
}
