//! Runs the tools that other people use to read what we write. They are Python programs.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A Python that has this module: the one named by `SCENTHOUND_PYTHON`. Without it the test should return: it is skipped.
#[track_caller]
pub fn python_with(module: &str) -> Option<PathBuf> {
    let python = std::env::var_os("SCENTHOUND_PYTHON").map(PathBuf::from);
    let has_module = |python: &PathBuf| {
        Command::new(python)
            .args(["-c", &format!("import {module}")])
            .output()
            .is_ok_and(|output| output.status.success())
    };
    let found = python.filter(has_module);
    if found.is_none() {
        scenthound_testweb::skip(&format!(
            "SCENTHOUND_PYTHON names no Python with {module}; ./test sets it up"
        ));
    }
    found
}

/// Runs a script with this input, and returns its output.
#[track_caller]
pub fn run_script(python: &Path, script: &str, arguments: &[&str], input: &str) -> String {
    let mut child = Command::new(python)
        .arg("-c")
        .arg(script)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_owned();
    let writer = std::thread::spawn(move || {
        let _ = stdin.write_all(input.as_bytes());
    });
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    String::from_utf8(output.stdout).unwrap()
}

/// A Chromium: the one named by `SCENTHOUND_CHROMIUM`, or one in the usual places.
#[allow(dead_code, reason = "not every test that uses this module needs a browser")]
pub fn chromium() -> Option<PathBuf> {
    let named = std::env::var_os("SCENTHOUND_CHROMIUM").map(PathBuf::from);
    let usual = [
        "/usr/bin/chromium",
        "/usr/bin/chromium-browser",
        "/usr/bin/google-chrome",
    ];
    let found = named
        .into_iter()
        .chain(usual.map(PathBuf::from))
        .find(|path| path.exists());
    if found.is_none() {
        scenthound_testweb::skip("there is no Chromium; ./test installs it");
    }
    found
}
