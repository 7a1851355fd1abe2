//! The index beside the archive, and revisit records for payloads that are stored already.
#![allow(clippy::unwrap_used)]

mod exchanges;

use std::fs;
use std::path::Path;

use scenthound_store::{
    ArchiveCopy, ArchiveSettings, Compression, CopiedFile, CrawlFolder, CrawlView, Mark, Packer, PageRecord,
    Position, RecordFiles, WarcReader, bring_indexes_up_to_date, gzip_name, merge_indexes, read_at,
    read_response,
};

fn settings() -> ArchiveSettings {
    let mut settings = ArchiveSettings::named("tea", 1);
    settings.roll_at = 3000;
    settings
}

fn append(files: &mut RecordFiles, number: u64, body: &str) -> Position {
    let packed = exchanges::pack(&mut Packer::new(1), number, &exchanges::simple(body));
    files.append_exchange(&packed).unwrap()
}

fn merged(folder: &CrawlFolder) -> Vec<String> {
    let mut out = Vec::new();
    merge_indexes(folder.layout(), &mut out).unwrap();
    String::from_utf8(out)
        .unwrap()
        .lines()
        .map(str::to_owned)
        .collect()
}

/// The kinds of all records of an archive, in order.
fn kinds(archive: &Path) -> Vec<String> {
    let mut files: Vec<_> = fs::read_dir(archive)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    let records = files
        .iter()
        .flat_map(|file| WarcReader::open(file).unwrap().map(Result::unwrap));
    records
        .inspect(|record| assert_eq!(record.faults, []))
        .map(|record| record.kind().to_owned())
        .collect()
}

#[test]
fn a_repeated_payload_is_a_revisit_that_reads_like_the_response() {
    let temp = tempfile::tempdir().unwrap();
    let folder = CrawlFolder::open_or_create(temp.path()).unwrap();
    let (mut files, _) = RecordFiles::open(&folder, settings(), Mark::default()).unwrap();
    let first = append(&mut files, 1, "green tea");
    let mark = files.mark().unwrap();
    drop(files);
    // Payloads are remembered over a restart.
    let (mut files, _) = RecordFiles::open(&folder, settings(), mark).unwrap();
    let other = append(&mut files, 2, "black tea");
    let same = append(&mut files, 3, "green tea");
    files.mark().unwrap();
    drop(files);
    let archive = folder.layout().archive();
    let kinds = kinds(&archive);
    let count = |kind: &str| kinds.iter().filter(|found| *found == kind).count();
    assert_eq!((count("response"), count("revisit")), (2, 1), "{kinds:?}");

    let view = CrawlView::open(temp.path()).unwrap();
    for (position, body) in [(&first, "green tea"), (&other, "black tea"), (&same, "green tea")] {
        let record = view.record(position).unwrap();
        assert_eq!(record.kind(), "response");
        assert_eq!(record.http().unwrap().body(100).bytes, body.as_bytes());
    }
    let revisit = scenthound_store::read_at(&archive.join(&*same.file), same.offset).unwrap();
    assert_eq!(revisit.kind(), "revisit");
    let source = scenthound_store::read_at(&archive.join(&*first.file), first.offset).unwrap();
    assert_eq!(revisit.field("WARC-Refers-To"), source.field("WARC-Record-ID"));
    assert_eq!(revisit.field("WARC-Refers-To-Target-URI"), source.target_uri());
    assert_eq!(revisit.field("WARC-Refers-To-Date"), source.field("WARC-Date"));
    let lines = merged(&folder);
    assert_eq!(lines.len(), 3);
    assert_eq!(
        lines.iter().filter(|line| line.contains("warc/revisit")).count(),
        1
    );
}

/// The archives of several nodes get the nodes' names when they are put into one folder.
/// Reading again what was written after the last flush took every revisit for damage, and cut off all records from there on.
#[test]
fn a_revisit_after_the_last_flush_is_intact_until_its_payload_is_damaged() {
    let temp = tempfile::tempdir().unwrap();
    let folder = CrawlFolder::open_or_create(temp.path()).unwrap();
    let (mut files, _) = RecordFiles::open(&folder, settings(), Mark::default()).unwrap();
    let mut positions = Vec::new();
    let mut ends = Vec::new();
    for (number, body) in [(1, "green tea"), (2, "green tea"), (3, "black tea")] {
        let position = append(&mut files, number, body);
        let record = PageRecord {
            url: format!("https://a{}.test/page/{number}?q=%C3%A9", number % 3),
            archive: Some(position.clone()),
            ..PageRecord::default()
        };
        files.append_page(&record).unwrap();
        positions.push(position);
        ends.push(files.mark().unwrap());
    }
    drop(files);
    assert!(kinds(&folder.layout().archive()).contains(&"revisit".to_owned()));
    let intact = |flushed: Mark| RecordFiles::intact_mark(&folder, flushed, ends[2]).unwrap();
    assert_eq!(intact(ends[0]), ends[2]);
    // Zeros in the middle of the payload that the revisit refers to.
    let path = folder.layout().archive().join(&*positions[0].file);
    let mut bytes = fs::read(&path).unwrap();
    let middle = (positions[0].offset + positions[0].length / 2) as usize;
    bytes[middle..middle + 20].fill(0);
    fs::write(&path, &bytes).unwrap();
    assert_eq!(intact(ends[0]).pages, ends[0].pages);
}

#[test]
fn a_revisit_in_an_archive_that_was_renamed_finds_its_payload() {
    let temp = tempfile::tempdir().unwrap();
    let folder = CrawlFolder::open_or_create(temp.path()).unwrap();
    let (mut files, _) = RecordFiles::open(&folder, settings(), Mark::default()).unwrap();
    append(&mut files, 1, "green tea");
    let same = append(&mut files, 2, "green tea");
    files.mark().unwrap();
    drop(files);
    let archive = folder.layout().archive();
    let name = format!("node-b-{}", same.file);
    std::fs::rename(archive.join(&*same.file), archive.join(&name)).unwrap();
    // Another node's archive has the name that the revisit knows.
    std::fs::write(archive.join(&*same.file), "no archive at all").unwrap();
    let moved = Position {
        file: name.as_str().into(),
        ..same
    };
    let view = CrawlView::open(temp.path()).unwrap();
    let record = view.record(&moved).unwrap();
    assert_eq!(record.http().unwrap().body(100).bytes, b"green tea");
    let mut copy = CopiedFile::new("copy.warc.gz", Vec::new());
    ArchiveCopy::default()
        .exchange(&archive, &moved, &mut copy)
        .unwrap();
    let copy = copy.into_inner();
    let copied = WarcReader::new(&copy[..], Path::new("copy")).unwrap();
    let kinds: Vec<String> = copied.map(|record| record.unwrap().kind().to_owned()).collect();
    assert!(
        kinds.starts_with(&["response".to_owned(), "revisit".to_owned()]),
        "{kinds:?}"
    );
}

#[test]
fn the_index_is_sorted_and_survives_the_loss_of_anything_but_the_archive() {
    let temp = tempfile::tempdir().unwrap();
    let folder = CrawlFolder::open_or_create(temp.path()).unwrap();
    let (mut files, _) = RecordFiles::open(&folder, settings(), Mark::default()).unwrap();
    for number in 0..20 {
        append(&mut files, number, &format!("tea {}", (number * 7) % 13));
    }
    let mark = files.mark().unwrap();
    // Written, but never committed.
    for number in 20..30 {
        append(&mut files, number, &format!("lost {number}"));
    }
    files.mark().unwrap();
    drop(files);
    let (files, cut) = RecordFiles::open(&folder, settings(), mark).unwrap();
    assert!(!cut.is_nothing());
    drop(files);
    let indexes = folder.layout().indexes();
    let logged = merged(&folder);
    assert_eq!(logged.len(), 20);
    assert!(logged.is_sorted());
    assert!(logged.iter().all(|line| !line.contains("lost")));
    bring_indexes_up_to_date(folder.layout()).unwrap();
    assert_eq!(merged(&folder), logged);

    // From the archive alone.
    fs::remove_dir_all(&indexes).unwrap();
    assert_eq!(merged(&folder), logged);
    bring_indexes_up_to_date(folder.layout()).unwrap();
    let files: Vec<String> = fs::read_dir(folder.layout().archive())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.ends_with(".warc.gz"))
        .collect();
    assert!(files.len() > 2, "{files:?}");
    let mut sorted = Vec::new();
    for file in files {
        let index = indexes.join(file.replace(".warc.gz", ".cdxj"));
        let text = fs::read_to_string(index).unwrap();
        assert!(text.lines().is_sorted());
        sorted.extend(text.lines().map(str::to_owned));
    }
    sorted.sort();
    assert_eq!(sorted, logged);

    // A log cut anywhere is completed.
    let (files, _) = RecordFiles::open(&folder, settings(), mark).unwrap();
    drop(files);
    let log = fs::read_dir(&indexes)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .find(|path| path.extension().is_some_and(|extension| extension == "log"))
        .unwrap();
    let whole = fs::read(&log).unwrap();
    for length in [0, 1, whole.len() / 2, whole.len() - 1] {
        fs::write(&log, &whole[..length]).unwrap();
        let (files, _) = RecordFiles::open(&folder, settings(), mark).unwrap();
        drop(files);
        assert_eq!(merged(&folder), logged, "log cut at {length}");
    }
}

#[test]
fn a_zstd_archive_becomes_a_gzip_archive_whose_revisits_find_their_payloads() {
    let temp = tempfile::tempdir().unwrap();
    let folder = CrawlFolder::open_or_create(temp.path()).unwrap();
    let mut zstd = settings();
    zstd.compression = Compression::Zstd;
    let (mut files, _) = RecordFiles::open(&folder, zstd, Mark::default()).unwrap();
    let mut packer = Packer::with(1, Compression::Zstd);
    let bodies: Vec<String> = (0..12).map(|number| format!("tea {}", number % 5)).collect();
    for (number, body) in (0..).zip(&bodies) {
        let packed = exchanges::pack(&mut packer, number, &exchanges::simple(body));
        files.append_exchange(&packed).unwrap();
    }
    files.mark().unwrap();
    drop(files);
    let entries = fs::read_dir(folder.layout().archive()).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert!(names.len() > 1 && names[0] == "tea-00000.warc.zst", "{names:?}");
    let made = temp.path().join("made");
    fs::create_dir(&made).unwrap();
    let mut copy = ArchiveCopy::default();
    for name in &names {
        let gzip = gzip_name(name);
        let mut to = CopiedFile::new(&gzip, fs::File::create(made.join(&gzip)).unwrap());
        copy.file(&folder.layout().archive().join(name), &mut to).unwrap();
    }
    let mut found = Vec::new();
    let mut revisits = 0;
    for name in &names {
        let path = made.join(gzip_name(name));
        for record in WarcReader::open(&path).unwrap().map(Result::unwrap) {
            assert_eq!(record.faults, []);
            revisits += usize::from(record.kind() == "revisit");
            let at = record.offset.unwrap();
            let record = read_response(&path, read_at(&path, at).unwrap()).unwrap();
            if let Some(http) = record.http() {
                found.push(String::from_utf8(http.body(100).bytes).unwrap());
            }
        }
    }
    assert_eq!((found, revisits), (bodies, 7));
}
