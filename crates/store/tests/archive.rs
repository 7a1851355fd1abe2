//! How the archive survives crashes: cut anywhere, it opens at the committed mark or says what is missing.
#![allow(clippy::unwrap_used)]

mod exchanges;

use std::fs;
use std::path::Path;

use scenthound_store::{
    Archive, ArchiveMark, ArchiveSettings, CrawlFolder, CrawlView, Error, Mark, PackedExchange, Packer,
    PageRecord, Position, RecordFiles, WarcReader, read_at,
};

fn settings() -> ArchiveSettings {
    ArchiveSettings::named("tea", 1)
}

fn packed(number: u64) -> PackedExchange {
    let wire = exchanges::simple(&format!("tea number {number}"));
    exchanges::pack(&mut Packer::new(1), number, &wire)
}

fn open(folder: &Path, mark: ArchiveMark) -> Archive {
    Archive::open(folder, settings(), mark).unwrap().0
}

/// The bodies of the responses in a file, which must be free of faults.
fn bodies(path: &Path) -> Vec<String> {
    WarcReader::open(path)
        .unwrap()
        .map(Result::unwrap)
        .inspect(|record| assert_eq!(record.faults, []))
        .filter_map(|record| {
            let http = record.http()?;
            Some(String::from_utf8(http.body(1000).bytes).unwrap())
        })
        .collect()
}

#[test]
fn an_archive_cut_at_any_byte_opens_at_its_mark_or_can_be_repaired() {
    let temp = tempfile::tempdir().unwrap();
    let folder = temp.path();
    let mut archive = open(folder, ArchiveMark::default());
    let mut marks = vec![archive.mark().unwrap()];
    for number in 0..3 {
        archive.append(&packed(number)).unwrap();
        marks.push(archive.mark().unwrap());
    }
    drop(archive);
    let path = folder.join("tea-00000.warc.gz");
    let whole = fs::read(&path).unwrap();
    assert_eq!(whole.len() as u64, marks[3].length);
    let ends: Vec<u64> = {
        let mut reader = WarcReader::open(&path).unwrap();
        let mut starts: Vec<u64> = reader
            .by_ref()
            .map(|record| record.unwrap().offset.unwrap())
            .collect();
        starts.push(whole.len() as u64);
        starts
    };
    assert_eq!(ends.len(), 1 + 9 + 1);
    let next = packed(9);

    for length in 0..=whole.len() {
        let cut_file = &whole[..length];
        for (committed, mark) in marks.iter().enumerate() {
            // A new file each time: many file systems wait for the disk when a non-empty file is truncated and rewritten.
            // What was set aside would slow down every listing of the folder.
            for entry in fs::read_dir(folder).unwrap() {
                fs::remove_file(entry.unwrap().path()).unwrap();
            }
            fs::write(&path, cut_file).unwrap();
            let opened = Archive::open(folder, settings(), *mark);
            if (length as u64) < mark.length {
                let Err(Error::Short { committed, found, .. }) = opened else {
                    panic!("{opened:?}");
                };
                assert_eq!((committed, found), (mark.length, length as u64));
                let repaired = Archive::repaired_mark(folder, &settings(), *mark).unwrap();
                let last_whole = ends.iter().rfind(|end| **end <= length as u64).unwrap();
                assert_eq!(repaired.length, *last_whole, "cut at {length}");
                let mut archive = open(folder, repaired);
                archive.append(&next).unwrap();
                archive.mark().unwrap();
                assert_eq!(bodies(&path).last().unwrap(), "tea number 9");
            } else {
                let (mut archive, cut) = opened.unwrap();
                assert_eq!(cut.bytes, length as u64 - mark.length);
                assert_eq!(archive.mark().unwrap(), *mark);
                archive.append(&next).unwrap();
                archive.mark().unwrap();
                assert_eq!(bodies(&path).len(), committed + 1);
            }
        }
    }
}

#[test]
fn an_interrupted_archive_ends_up_with_the_bytes_of_an_uninterrupted_one() {
    let temp = tempfile::tempdir().unwrap();
    let (calm, rough) = (temp.path().join("calm"), temp.path().join("rough"));
    fs::create_dir(&calm).unwrap();
    fs::create_dir(&rough).unwrap();
    let mut archive = open(&calm, ArchiveMark::default());
    let mut mark = ArchiveMark::default();
    for number in 0..5 {
        archive.append(&packed(number)).unwrap();
        let mut restarted = open(&rough, mark);
        restarted.append(&packed(number)).unwrap();
        mark = restarted.mark().unwrap();
        restarted.append(&packed(100 + number)).unwrap();
        restarted.sync().unwrap();
    }
    archive.sync().unwrap();
    drop(open(&rough, mark));
    let name = "tea-00000.warc.gz";
    assert_eq!(
        fs::read(rough.join(name)).unwrap(),
        fs::read(calm.join(name)).unwrap()
    );
}

#[test]
fn files_are_rolled_and_those_after_the_mark_set_aside() {
    let temp = tempfile::tempdir().unwrap();
    let folder = temp.path();
    let mut small = settings();
    small.roll_at = 4000;
    let (mut archive, _) = Archive::open(folder, small.clone(), ArchiveMark::default()).unwrap();
    let mut placed: Vec<(Position, ArchiveMark)> = Vec::new();
    for number in 0..12 {
        let position = archive.append(&packed(number)).unwrap();
        placed.push((position, archive.mark().unwrap()));
    }
    drop(archive);
    let files = || fs::read_dir(folder).unwrap().count();
    let before = files();
    assert!(before >= 3, "{before} files");
    for (number, (position, _)) in placed.iter().enumerate() {
        let path = folder.join(&*position.file);
        assert!(fs::metadata(&path).unwrap().len() <= 4000);
        let record = read_at(&path, position.offset).unwrap();
        let body = record.http().unwrap().body(100).bytes;
        assert_eq!(body, format!("tea number {number}").into_bytes());
        assert_eq!(record.offset, Some(position.offset));
    }
    for number in 0..before {
        let path = folder.join(format!("tea-{number:05}.warc.gz"));
        let first = WarcReader::open(&path).unwrap().next().unwrap().unwrap();
        assert_eq!(first.kind(), "warcinfo");
        assert_eq!(first.field("WARC-Filename"), path.file_name().unwrap().to_str());
    }
    // Back to the second exchange: only the first file is left, and what others put there stays.
    fs::write(folder.join("tea-notes.txt"), "mine").unwrap();
    fs::write(folder.join("other-00007.warc.gz"), "theirs").unwrap();
    let (_, cut) = Archive::open(folder, small.clone(), placed[1].1).unwrap();
    assert_eq!(cut.files.len(), before - 1);
    assert_eq!(
        files(),
        before + 3,
        "the rest of the first file has a file of its own"
    );
    assert!(folder.join("tea-00001.warc.gz.cut-at-0").exists() && !folder.join("tea-00001.warc.gz").exists());
    assert_eq!(bodies(&folder.join("tea-00000.warc.gz")).len(), 2);
}

#[test]
fn an_archive_whose_state_was_lost_is_not_thrown_away() {
    let temp = tempfile::tempdir().unwrap();
    let mut cautious = settings();
    cautious.most_cut = 100;
    let mut archive = open(temp.path(), ArchiveMark::default());
    archive.append(&packed(1)).unwrap();
    archive.sync().unwrap();
    let before = fs::read(temp.path().join("tea-00000.warc.gz")).unwrap();
    let refused = Archive::open(temp.path(), cautious, ArchiveMark::default());
    assert!(matches!(refused, Err(Error::TooMuchToCut { .. })), "{refused:?}");
    assert_eq!(fs::read(temp.path().join("tea-00000.warc.gz")).unwrap(), before);
}

#[test]
fn a_page_is_in_the_archive_and_the_page_records_or_in_neither() {
    let temp = tempfile::tempdir().unwrap();
    let record = |number: u64, archive: Position| PageRecord {
        url: format!("http://a.test/{number}"),
        archive: Some(archive),
        ..PageRecord::default()
    };
    let mut committed = Mark::default();
    for round in 0..4 {
        let folder = CrawlFolder::open_or_create(temp.path()).unwrap();
        let (mut files, cut) = RecordFiles::open(&folder, settings(), committed).unwrap();
        assert_eq!(cut.is_nothing(), round == 0);
        for (number, commit) in [(round, true), (round + 50, false)] {
            let position = files.append_exchange(&packed(number)).unwrap();
            files.append_page(&record(number, position)).unwrap();
            let mark = files.mark().unwrap();
            if commit {
                committed = Mark::from_bytes(&mark.to_bytes()).unwrap();
            }
        }
        files.sync().unwrap();
    }
    let folder = CrawlFolder::open(temp.path()).unwrap();
    drop(RecordFiles::open(&folder, settings(), committed).unwrap());
    // The view needs no lock: the folder is still held.
    let view = CrawlView::open(temp.path()).unwrap();
    let pages: Vec<PageRecord> = view.pages().unwrap().map(Result::unwrap).collect();
    assert_eq!(pages.len(), 4);
    for (number, page) in pages.iter().enumerate() {
        let response = view.record(page.archive.as_ref().unwrap()).unwrap();
        let body = response.http().unwrap().body(100).bytes;
        assert_eq!(body, format!("tea number {number}").into_bytes());
    }
    let path = folder.layout().pages();
    let half = fs::metadata(&path).unwrap().len() / 2;
    fs::File::options()
        .write(true)
        .open(&path)
        .unwrap()
        .set_len(half)
        .unwrap();
    let short = RecordFiles::open(&folder, settings(), committed).unwrap_err();
    assert!(
        short.to_string().contains("a repair loses the last records"),
        "{short}"
    );
    let repaired = RecordFiles::repaired_mark(&folder, &settings(), committed).unwrap();
    assert_eq!(repaired.archive, committed.archive);
    assert!(repaired.pages <= half);
    assert!(RecordFiles::open(&folder, settings(), repaired).is_ok());
}
