//! How the archive survives crashes: cut anywhere, it opens at the committed mark or says what is missing.
#![allow(clippy::unwrap_used)]

mod exchanges;

use std::fs;
use std::path::Path;

use scenthound_store::{
    Archive, ArchiveMark, ArchiveSettings, Compression, CrawlFolder, CrawlView, Error, Mark, PackedExchange,
    Packer, PageRecord, Position, RecordFiles, WarcReader, read_at,
};

/// One compression of each format.
const FORMATS: [Compression; 2] = [Compression::Gzip, Compression::Zstd];

fn settings() -> ArchiveSettings {
    ArchiveSettings::named("tea", 1)
}

fn settings_of(compression: Compression) -> ArchiveSettings {
    let mut settings = settings();
    settings.compression = compression;
    settings
}

/// The name of a file of the archive.
fn name_of(compression: Compression, number: u32) -> String {
    format!("tea-{number:05}{}", compression.format().ending())
}

fn packed(number: u64) -> PackedExchange {
    packed_by(Compression::Gzip, number)
}

fn packed_by(compression: Compression, number: u64) -> PackedExchange {
    let wire = exchanges::simple(&format!("tea number {number}"));
    exchanges::pack(&mut Packer::with(1, compression), number, &wire)
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
    for compression in FORMATS {
        cut_at_any_byte(compression);
    }
}

fn cut_at_any_byte(compression: Compression) {
    let settings = || settings_of(compression);
    let packed = |number| packed_by(compression, number);
    let open = |folder: &Path, mark| Archive::open(folder, settings(), mark).unwrap().0;
    let temp = tempfile::tempdir().unwrap();
    let folder = temp.path();
    let mut archive = open(folder, ArchiveMark::default());
    let mut marks = vec![archive.mark().unwrap()];
    for number in 0..3 {
        archive.append(&packed(number)).unwrap();
        marks.push(archive.mark().unwrap());
    }
    drop(archive);
    let path = folder.join(name_of(compression, 0));
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
    for compression in FORMATS {
        rolled(compression);
    }
}

fn rolled(compression: Compression) {
    let packed = |number| packed_by(compression, number);
    let temp = tempfile::tempdir().unwrap();
    let folder = temp.path();
    let mut small = settings_of(compression);
    small.roll_at = 4000;
    let (mut archive, _) = Archive::open(folder, small.clone(), ArchiveMark::default()).unwrap();
    let mut placed: Vec<(Position, ArchiveMark)> = Vec::new();
    for number in 0..12 {
        let position = archive.append(&packed(number)).unwrap();
        placed.push((position, archive.mark().unwrap()));
    }
    drop(archive);
    let files = || u32::try_from(fs::read_dir(folder).unwrap().count()).unwrap();
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
        let path = folder.join(name_of(compression, number));
        let first = WarcReader::open(&path).unwrap().next().unwrap().unwrap();
        assert_eq!(first.kind(), "warcinfo");
        assert_eq!(first.field("WARC-Filename"), path.file_name().unwrap().to_str());
    }
    // Back to the second exchange: only the first file is left, and what others put there stays.
    fs::write(folder.join("tea-notes.txt"), "mine").unwrap();
    fs::write(
        folder.join(name_of(compression, 7).replace("tea", "other")),
        "theirs",
    )
    .unwrap();
    let (_, cut) = Archive::open(folder, small.clone(), placed[1].1).unwrap();
    assert_eq!(cut.files.len() as u32, before - 1);
    assert_eq!(
        files(),
        before + 3,
        "the rest of the first file has a file of its own"
    );
    let second = name_of(compression, 1);
    assert!(folder.join(format!("{second}.cut-at-0")).exists() && !folder.join(&second).exists());
    assert_eq!(bodies(&folder.join(name_of(compression, 0))).len(), 2);
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

#[test]
fn an_archive_in_the_other_format_is_refused_and_left_as_it_is() {
    let temp = tempfile::tempdir().unwrap();
    let folder = CrawlFolder::open_or_create(temp.path()).unwrap();
    let (mut files, _) = RecordFiles::open(&folder, settings(), Mark::default()).unwrap();
    files.append_exchange(&packed(1)).unwrap();
    let mark = files.mark().unwrap();
    drop(files);
    let path = folder.layout().archive().join(name_of(Compression::Gzip, 0));
    let before = fs::read(&path).unwrap();
    for mark in [mark, Mark::default()] {
        let refused = RecordFiles::open(&folder, settings_of(Compression::Zstd), mark).unwrap_err();
        assert!(matches!(refused, Error::OtherFormat { .. }), "{refused}");
    }
    assert_eq!(fs::read(&path).unwrap(), before);
    assert_eq!(fs::read_dir(folder.layout().archive()).unwrap().count(), 1);
}

#[test]
fn every_kind_of_exchange_comes_back_from_a_zstd_archive() {
    let temp = tempfile::tempdir().unwrap();
    let settings = settings_of(Compression::Zstd);
    let (mut archive, _) = Archive::open(temp.path(), settings, ArchiveMark::default()).unwrap();
    let mut packer = Packer::with(1, Compression::Zstd);
    let wires = exchanges::wires();
    let mut positions = Vec::new();
    for (number, wire) in (0..).zip(&wires) {
        positions.push(
            archive
                .append(&exchanges::pack(&mut packer, number, wire))
                .unwrap(),
        );
    }
    archive.mark().unwrap();
    let path = temp.path().join(name_of(Compression::Zstd, 0));
    let records: Vec<_> = WarcReader::open(&path).unwrap().map(Result::unwrap).collect();
    assert_eq!(records.len(), 1 + 3 * wires.len());
    assert!(records.iter().all(|record| record.faults.is_empty()));
    for (wire, position) in wires.iter().zip(&positions) {
        let record = read_at(&path, position.offset).unwrap();
        assert_eq!(
            (record.kind(), &record.faults[..]),
            ("response", &[][..]),
            "{}",
            wire.what
        );
        assert!(wire.response.ends_with(&record.block), "{}", wire.what);
    }
    // Damage in the middle of a frame is found by its checksum, and nothing behind it is believed.
    let mut bytes = fs::read(&path).unwrap();
    let middle = usize::try_from(positions[5].offset + positions[5].length / 2).unwrap();
    bytes[middle] ^= 0x55;
    let damaged = WarcReader::new(&bytes[..], &path).unwrap();
    let is_whole = |record: &Result<_, Error>| {
        record
            .as_ref()
            .is_ok_and(|record: &scenthound_store::WarcRecord| record.faults.is_empty())
    };
    assert_eq!(damaged.take_while(is_whole).count(), 1 + 3 * 5);
}

#[test]
fn a_zstd_frame_that_wants_too_much_memory_is_refused() {
    let mut encoder = zstd::stream::write::Encoder::new(Vec::new(), 1).unwrap();
    encoder.window_log(27).unwrap();
    std::io::Write::write_all(&mut encoder, b"WARC/1.1\r\n").unwrap();
    let frame = encoder.finish().unwrap();
    let mut reader = WarcReader::new(&frame[..], Path::new("huge.warc.zst")).unwrap();
    let error = reader.next().unwrap().unwrap_err();
    assert!(error.to_string().contains("zstd data"), "{error}");
    assert!(reader.next().is_none());
}
