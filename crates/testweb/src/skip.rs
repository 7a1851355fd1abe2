//! For tests that need what not every machine has: recorded webs and test suites beside the project, or a tool.

use std::path::PathBuf;

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

/// The folder of the package whose test is running. It is asked for now and not when the test was built: several clones may share
/// one target folder, and then a test that another clone built would look for its files there.
pub fn package_folder() -> PathBuf {
    std::env::var_os("CARGO_MANIFEST_DIR").map_or_else(|| ".".into(), PathBuf::from)
}

/// A file or folder of `shared`, the data folder beside the project. If it is missing, the test should return: it is
/// skipped.
#[track_caller]
pub fn shared_data(path: &str) -> Option<PathBuf> {
    let path = package_folder().join("../../../shared").join(path);
    if path.exists() {
        return Some(path);
    }
    skip(&format!("{} does not exist", path.display()));
    None
}
