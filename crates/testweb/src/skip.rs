//! For tests that need what not every machine has: recorded webs and test suites beside the project, or a tool.

use std::path::{Path, PathBuf};

/// Says that a test is skipped, because this is missing.
///
/// Panics where the environment variable `CI` is `true`. Everything a test needs should be there, and a test that
/// checks nothing must not pass.
#[track_caller]
#[allow(
    clippy::print_stdout,
    reason = "tests call this, and a skipped test should say so"
)]
pub fn skip(missing: &str) {
    assert!(
        std::env::var_os("CI").is_none_or(|ci| ci != "true"),
        "skipping is not allowed in CI: {missing}"
    );
    println!("skipped: {missing}");
}

/// A file or folder of `shared`, the data folder beside the project. If it is missing, the test should return: it is
/// skipped.
#[track_caller]
pub fn shared_data(path: &str) -> Option<PathBuf> {
    let shared = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared"));
    let path = shared.join(path);
    if path.exists() {
        return Some(path);
    }
    skip(&format!("{} does not exist", path.display()));
    None
}
