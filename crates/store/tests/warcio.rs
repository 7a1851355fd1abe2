//! The real warcio reads every record we write and finds every digest correct.
#![allow(clippy::unwrap_used)]

mod exchanges;

use std::path::{Path, PathBuf};
use std::process::Command;

use scenthound_store::{Archive, ArchiveMark, ArchiveSettings, Packer, WarcReader};

/// A Python with warcio: the one named by `SCENTHOUND_WARCIO`, or one set up once under the build folder.
fn python_with_warcio() -> Result<PathBuf, String> {
    if let Some(python) = std::env::var_os("SCENTHOUND_WARCIO") {
        return Ok(PathBuf::from(python));
    }
    let venv = Path::new(env!("CARGO_TARGET_TMPDIR")).join("warcio-venv");
    let python = venv.join("bin").join("python");
    if has_warcio(&python) {
        return Ok(python);
    }
    run(Command::new("python3").arg("-m").arg("venv").arg(&venv))?;
    run(Command::new(&python).args([
        "-m",
        "pip",
        "install",
        "-q",
        "--disable-pip-version-check",
        "--timeout",
        "20",
        "warcio",
    ]))?;
    Ok(python)
}

fn has_warcio(python: &Path) -> bool {
    Command::new(python)
        .args(["-c", "import warcio"])
        .output()
        .is_ok_and(|output| output.status.success())
}

fn run(command: &mut Command) -> Result<String, String> {
    let output = command
        .output()
        .map_err(|error| format!("{command:?}: {error}"))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    if output.status.success() {
        Ok(text)
    } else {
        Err(format!(
            "{command:?}: {text}{}",
            String::from_utf8_lossy(&output.stderr)
        ))
    }
}

fn warcio(python: &Path) -> Command {
    let mut command = Command::new(python);
    command.args(["-c", "from warcio.cli import main; main()"]);
    command
}

#[test]
fn warcio_reads_every_record_and_passes_every_digest() {
    let python = match python_with_warcio() {
        Ok(python) => python,
        Err(reason) => {
            scenthound_testweb::skip(&format!("warcio could not be installed: {reason}"));
            return;
        }
    };
    let folder = tempfile::tempdir().unwrap();
    let settings = ArchiveSettings::named("kinds", 5);
    let (mut archive, _) = Archive::open(folder.path(), settings, ArchiveMark::default()).unwrap();
    let mut packer = Packer::new(5);
    let wires = exchanges::wires();
    assert!(wires.len() >= 30);
    let mut positions = Vec::new();
    for (number, wire) in (0..).zip(&wires) {
        let packed = exchanges::pack(&mut packer, number, wire);
        positions.push(archive.append(&packed).unwrap());
    }
    archive.sync().unwrap();
    let path = folder.path().join("kinds-00000.warc.gz");
    let records = 1 + 3 * wires.len();
    let ours = WarcReader::open(&path).unwrap().map(Result::unwrap);
    assert_eq!(ours.filter(|record| record.faults.is_empty()).count(), records);

    let checked = run(warcio(&python).arg("check").arg("-v").arg(&path)).unwrap();
    let failures: Vec<&str> = checked.lines().filter(|line| line.contains("failed")).collect();
    assert!(failures.is_empty(), "{checked}");
    let passed = checked.matches("digest pass").count();
    // Where a compressed or chunked body ends before the record does, warcio stops reading and does not check.
    let unchecked = checked.matches("digest present but not checked").count();
    assert_eq!((passed, unchecked), (records, 0), "{checked}");

    let fields = "offset,length,warc-type,warc-target-uri,warc-truncated,warc-protocol,http:status";
    let index = run(warcio(&python).args(["index", "-f", fields]).arg(&path)).unwrap();
    let lines: Vec<serde_json::Value> = index
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines.len(), records);
    let responses: Vec<&serde_json::Value> = lines
        .iter()
        .filter(|line| line["warc-type"] == "response")
        .collect();
    for ((wire, position), line) in wires.iter().zip(&positions).zip(responses) {
        assert_eq!(line["offset"], position.offset.to_string(), "{}", wire.what);
        assert_eq!(line["length"], position.length.to_string(), "{}", wire.what);
        let truncated = wire.truncated.map(|truncated| truncated.code());
        assert_eq!(line["warc-truncated"].as_str(), truncated, "{}", wire.what);
        let record = scenthound_store::read_at(&path, position.offset).unwrap();
        let status = record.http().unwrap().status.to_string();
        assert_eq!(line["http:status"], status, "{}", wire.what);
    }
}
