//! Copies of archives in another folder.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::path::Path;
use std::thread::sleep;
use std::time::Duration;

use scenthound_upload::{Destination, Missing, Uploading};

fn write(root: &Path, file: &str, text: &str) {
    let path = root.join(file);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

fn destination(folder: &Path) -> Destination {
    Destination::parse(&format!("file://{}", folder.display())).unwrap()
}

fn read(folder: &Path, file: &str) -> Option<String> {
    std::fs::read_to_string(folder.join(file)).ok()
}

#[test]
fn closed_files_are_copied_at_once_and_the_rest_at_the_end() {
    let (crawl, copies) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (crawl, copies) = (crawl.path(), copies.path());
    let to = copies.join("tea/2026");
    write(crawl, "archive/tea-00000.warc.gz", "first");
    write(crawl, "indexes/tea-00000.cdxj", "index of the first");
    write(crawl, "archive/tea-00001.warc.gz", "grow");
    write(crawl, "archive/tea-00001.warc.gz.cut-at-9", "set aside");
    let uploading = Uploading::start(crawl, destination(&to)).unwrap();
    while read(&to, "indexes/tea-00000.cdxj").is_none() {
        sleep(Duration::from_millis(20));
    }
    assert_eq!(read(&to, "archive/tea-00000.warc.gz").unwrap(), "first");
    assert_eq!(read(&to, "archive/tea-00001.warc.gz"), None, "it is growing");
    write(crawl, "archive/tea-00001.warc.gz", "grown");
    write(crawl, "indexes/tea-00001.cdxj", "index");
    let report = uploading.finish();
    assert_eq!((report.files, report.missing), (4, Vec::new()));
    assert_eq!(read(&to, "archive/tea-00001.warc.gz").unwrap(), "grown");
    assert_eq!(std::fs::read_dir(to.join("archive")).unwrap().count(), 2);
    // What is there is not copied again, unless it has changed since.
    let report = Uploading::start(crawl, destination(&to)).unwrap().finish();
    assert_eq!(report.files, 0);
    write(crawl, "archive/tea-00001.warc.gz", "grown more");
    let report = Uploading::start(crawl, destination(&to)).unwrap().finish();
    assert_eq!((report.files, report.bytes), (1, 10));
    assert_eq!(read(&to, "archive/tea-00001.warc.gz").unwrap(), "grown more");
    // Another place has nothing yet. A line that a crash left incomplete does not count.
    let list = crawl.join("uploads.jsonl");
    let text = std::fs::read_to_string(&list).unwrap();
    std::fs::write(&list, &text[..text.len() - 5]).unwrap();
    let report = Uploading::start(crawl, destination(&to)).unwrap().finish();
    assert_eq!(report.files, 1);
    let elsewhere = copies.join("elsewhere");
    let report = Uploading::start(crawl, destination(&elsewhere)).unwrap().finish();
    assert_eq!(report.files, 4);
}

#[test]
fn what_cannot_be_copied_is_named_and_copied_by_the_next_run() {
    let (crawl, copies) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (crawl, copies) = (crawl.path(), copies.path());
    write(crawl, "archive/tea-00000.warc.gz", "first");
    write(crawl, "indexes/tea-00000.cdxj", "index");
    // A file where the folder of the copies should be.
    write(copies, "archive", "in the way");
    let report = Uploading::start(crawl, destination(copies)).unwrap().finish();
    assert_eq!(report.files, 1);
    let [Missing { file, why }] = report.missing.as_slice() else {
        panic!("{report:?}");
    };
    assert_eq!(file, "archive/tea-00000.warc.gz");
    assert!(!why.is_empty());
    std::fs::remove_file(copies.join("archive")).unwrap();
    let interrupted = Uploading::start(crawl, destination(copies)).unwrap().interrupt();
    assert_eq!((interrupted.files, interrupted.missing.len()), (0, 1));
    let report = Uploading::start(crawl, destination(copies)).unwrap().finish();
    assert_eq!((report.files, report.missing.len()), (1, 0));
    assert_eq!(read(copies, "archive/tea-00000.warc.gz").unwrap(), "first");
}

/// Larger than one part.
#[test]
fn a_large_file_is_copied_in_parts() {
    let (crawl, copies) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (crawl, copies) = (crawl.path(), copies.path());
    let text: String = (0..3_000_000).map(|number| format!("{number:07}")).collect();
    write(crawl, "archive/tea-00000.warc.gz", &text);
    write(crawl, "indexes/tea-00000.cdxj", "index");
    let report = Uploading::start(crawl, destination(copies)).unwrap().finish();
    assert_eq!(report.missing, []);
    assert!(read(copies, "archive/tea-00000.warc.gz").unwrap() == text);
}

#[test]
fn archives_in_zstd_are_copied_with_their_indexes() {
    let (crawl, copies) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (crawl, copies) = (crawl.path(), copies.path());
    write(crawl, "archive/tea-00000.warc.zst", "frames");
    write(crawl, "indexes/tea-00000.cdxj", "index");
    let report = Uploading::start(crawl, destination(copies)).unwrap().finish();
    assert_eq!((report.files, report.missing), (2, Vec::new()));
    assert_eq!(read(copies, "archive/tea-00000.warc.zst").unwrap(), "frames");
    assert_eq!(read(copies, "indexes/tea-00000.cdxj").unwrap(), "index");
}
