//! What happens to a test whose data is missing.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::process::Command;

use scenthound_testweb::shared_data;

const MISSING: &str = "SCENTHOUND_TEST_MISSING_DATA";

/// Not a test of its own: the test that the one below runs in another process.
#[test]
fn other_process() {
    if std::env::var_os(MISSING).is_some() {
        assert_eq!(shared_data("no/such/data"), None);
    }
}

#[test]
fn a_test_without_its_data_is_skipped_with_a_word_and_fails_in_ci() {
    for (ci, passes) in [(None, true), (Some("false"), true), (Some("true"), false)] {
        let mut other = Command::new(std::env::current_exe().unwrap());
        other
            .args(["--exact", "other_process", "--nocapture"])
            .env(MISSING, "1")
            .env_remove("CI")
            .envs(ci.map(|ci| ("CI", ci)));
        let output = other.output().unwrap();
        assert_eq!(output.status.success(), passes, "CI={ci:?}: {output:?}");
        let said = String::from_utf8(output.stdout).unwrap();
        assert_eq!(said.contains("skipped: "), passes, "CI={ci:?}: {said}");
        if passes {
            assert!(said.contains("no/such/data does not exist"), "{said}");
        }
    }
}
