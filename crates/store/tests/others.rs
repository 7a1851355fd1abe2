//! Archives written by others: the test files of warcio and JWAT, good and bad, and the recorded webs of the lab.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod exchanges;

use std::fs::{self, File};
use std::io::BufReader;
use std::path::Path;

use proptest::prelude::*;
use scenthound_store::{Error, Fault, ReadLimits, WarcReader, WarcRecord};
use scenthound_testweb::shared_data;

struct Reading {
    records: Vec<WarcRecord>,
    errors: Vec<Error>,
}

impl Reading {
    fn of(path: &Path) -> Reading {
        let mut reading = Reading {
            records: Vec::new(),
            errors: Vec::new(),
        };
        for item in WarcReader::open(path).unwrap() {
            match item {
                Ok(record) => reading.records.push(record),
                Err(error) => reading.errors.push(error),
            }
        }
        reading
    }

    fn is_clean(&self) -> bool {
        self.errors.is_empty() && self.records.iter().all(|record| record.faults.is_empty())
    }

    fn describe(&self) -> String {
        let faults: Vec<&Fault> = self.records.iter().flat_map(|record| &record.faults).collect();
        format!("{} records, {faults:?}, {:?}", self.records.len(), self.errors)
    }
}

/// Files JWAT calls invalid that we read without complaint, with the reason.
const EXPECTED_FAILURES: [(&str, &str); 1] = [(
    "invalid-warcfile-encoding-headers.warc.gz",
    "its URLs hold `=?o?Q?`, which is wrong only to a reader that looks for encoded words of mail there",
)];

#[test]
fn jwat_files_are_good_or_bad_as_their_names_say() {
    let Some(folder) = shared_data("suites/warc/jwat") else {
        return;
    };
    let mut seen = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        let reading = Reading::of(&path);
        println!("{name}: {}", reading.describe());
        if name.starts_with("valid-") {
            assert!(reading.is_clean(), "{name}: {}", reading.describe());
            assert!(!reading.records.is_empty(), "{name}");
        } else if name.starts_with("invalid-") {
            let expected = EXPECTED_FAILURES.iter().any(|(known, _)| *known == name);
            assert_eq!(reading.is_clean(), expected, "{name}: {}", reading.describe());
        }
        seen += 1;
    }
    assert_eq!(seen, 30);
}

#[test]
fn warcio_files_are_read_in_full() {
    let Some(folder) = shared_data("suites/warc/warcio") else {
        return;
    };
    // Name, records, whether something is wrong.
    let expected = [
        ("bad.arc", 0, true),
        ("example-bad-non-chunked.warc.gz", 6, false),
        ("example-bad.warc.gz.bad", 6, false),
        // Its fault is in a payload digest; the reader checks only block digests.
        ("example-digest.warc", 4, false),
        ("example-iana.org-chunked.warc", 3, false),
        ("example-resource.warc.gz", 3, false),
        ("example-space-in-target-uri.warc.gz", 2, false),
        ("example-space-in-url.arc", 0, true),
        ("example-trunc.warc", 4, true),
        ("example-wget-bad-target-uri.warc.gz", 6, false),
        ("example-wrong-chunks.warc.gz", 2, true),
        ("example.arc", 0, true),
        ("example.arc.gz", 0, true),
        ("example.warc", 6, false),
        ("example.warc.gz", 6, false),
        ("post-test.warc.gz", 6, false),
    ];
    let got: Vec<(&str, usize, bool)> = expected
        .iter()
        .map(|(name, _, _)| {
            let reading = Reading::of(&folder.join(name));
            println!("{name}: {}", reading.describe());
            (*name, reading.records.len(), !reading.is_clean())
        })
        .collect();
    assert_eq!(got, expected);

    let wget = Reading::of(&folder.join("example-wget-bad-target-uri.warc.gz"));
    assert_eq!(wget.records[1].target_uri(), Some("http://example.com/"));
    let iana = Reading::of(&folder.join("example-iana.org-chunked.warc"));
    let page = iana.records[1].http().unwrap().body(1 << 20);
    assert!(page.faults.is_empty() && page.bytes.starts_with(b"<!doctype html>"));
    assert!(page.bytes.trim_ascii_end().ends_with(b"</html>"));
}

#[test]
fn a_file_in_a_single_gzip_member_is_read_but_has_no_offsets() {
    let mut packer = scenthound_store::Packer::new(1);
    let mut plain = Vec::new();
    for number in 0..5 {
        let packed = exchanges::pack(&mut packer, number, &exchanges::simple("tea"));
        for (_, part) in packed.parts() {
            let member = &packed.bytes()[part.clone()];
            std::io::copy(&mut flate2::read::GzDecoder::new(member), &mut plain).unwrap();
        }
    }
    let read = |bytes: &[u8]| -> Vec<WarcRecord> {
        WarcReader::new(bytes, Path::new("test"))
            .unwrap()
            .map(Result::unwrap)
            .inspect(|record| assert_eq!(record.faults, []))
            .collect()
    };
    let from_plain = read(&plain);
    assert_eq!(from_plain.len(), 15);
    for record in &from_plain {
        let again = read(&plain[usize::try_from(record.offset.unwrap()).unwrap()..]);
        assert_eq!(again[0].block, record.block);
    }
    let from_one_member = read(&exchanges::gzip(&plain));
    assert_eq!(from_one_member.len(), 15);
    assert_eq!(from_one_member[0].offset, Some(0));
    assert!(from_one_member[1..].iter().all(|record| record.offset.is_none()));
}

#[test]
fn a_block_over_the_limit_is_cut_and_the_next_record_found() {
    let mut packer = scenthound_store::Packer::new(1);
    let mut bytes = Vec::new();
    for number in 0..2 {
        let wire = exchanges::simple(&"tea ".repeat(10_000));
        bytes.extend_from_slice(exchanges::pack(&mut packer, number, &wire).bytes());
    }
    let limits = ReadLimits {
        block: 100,
        ..ReadLimits::default()
    };
    let reader = WarcReader::new(&bytes[..], Path::new("test")).unwrap();
    let records: Vec<WarcRecord> = reader.with_limits(limits).map(Result::unwrap).collect();
    assert_eq!(records.len(), 6);
    assert_eq!(
        (records[3].block.len(), &records[3].faults[..]),
        (100, &[Fault::LongBlock][..])
    );
    assert!(records[3].block_length > 40_000);
    let limits = ReadLimits {
        head: 20,
        ..ReadLimits::default()
    };
    let reader = WarcReader::new(&bytes[..], Path::new("test")).unwrap();
    for item in reader.with_limits(limits) {
        let fault = match item {
            Err(Error::Damaged { fault, .. }) => fault,
            other => panic!("{other:?}"),
        };
        assert_eq!(fault, Fault::LongHead);
    }
}

#[test]
fn a_file_cut_at_any_byte_is_read_up_to_the_cut() {
    let mut packer = scenthound_store::Packer::new(1);
    let mut zipped = Vec::new();
    let mut plain = Vec::new();
    for number in 0..2 {
        let packed = exchanges::pack(&mut packer, number, &exchanges::simple("tea and more tea"));
        zipped.extend_from_slice(packed.bytes());
        for (_, part) in packed.parts() {
            let member = &packed.bytes()[part.clone()];
            std::io::copy(&mut flate2::read::GzDecoder::new(member), &mut plain).unwrap();
        }
    }
    for whole in [zipped, plain] {
        let starts: Vec<usize> = WarcReader::new(&whole[..], Path::new("test"))
            .unwrap()
            .map(|record| usize::try_from(record.unwrap().offset.unwrap()).unwrap())
            .chain([whole.len()])
            .collect();
        for length in 0..whole.len() {
            let mut good = 0;
            let mut faults = 0;
            for item in WarcReader::new(&whole[..length], Path::new("test")).unwrap() {
                match item {
                    Ok(record) if record.faults.is_empty() => good += 1,
                    _ => faults += 1,
                }
            }
            let before = starts.iter().filter(|start| **start <= length).count() - 1;
            let at_end_of_record = starts.contains(&length);
            assert_eq!(good, before, "cut at {length}");
            assert_eq!(faults, usize::from(!at_end_of_record), "cut at {length}");
        }
    }
}

/// Folder and records. The records of university that are not pages are redirects of alternate spellings.
const WEBS: [(&str, usize); 4] = [
    ("university", 9624),
    ("encyclopedia", 5232),
    ("mixed", 6604),
    ("genres", 1497),
];

#[test]
fn the_labs_webs_are_read_to_the_end() {
    for (web, expected) in WEBS {
        let Some(path) = shared_data(&format!("webs/{web}/pages.warc.gz")) else {
            continue;
        };
        let mut records = 0;
        let mut pages = 0;
        for record in WarcReader::new(BufReader::new(File::open(&path).unwrap()), &path).unwrap() {
            let record = record.unwrap();
            assert_eq!(record.faults, [], "{web}: {:?}", record.target_uri());
            assert!(record.offset.is_some());
            records += 1;
            if record.kind() == "response" {
                let http = record.http();
                let http = http.unwrap_or_else(|| panic!("{web}: {:?}", record.target_uri()));
                assert!(
                    http.body(10 << 20).faults.is_empty(),
                    "{web}: {:?}",
                    record.target_uri()
                );
                pages += usize::from(http.status == 200);
            }
        }
        println!("{web}: {records} records, {pages} pages");
        assert_eq!(records, expected, "{web}");
    }
}

fn read_all(bytes: &[u8]) {
    let limits = ReadLimits {
        head: 500,
        block: 1000,
    };
    let mut items = 0;
    for item in WarcReader::new(bytes, Path::new("test"))
        .unwrap()
        .with_limits(limits)
    {
        items += 1;
        assert!(items <= bytes.len() * 50 + 10, "the reader does not end");
        if let Ok(record) = item {
            assert!(record.block.len() <= 1000);
            let _ = record.target_uri();
            if let Some(http) = record.http() {
                assert!(http.body(2000).bytes.len() <= 2000);
            }
        }
    }
}

/// Fragments that mean something to the reader, in any order.
fn scraps() -> impl Strategy<Value = Vec<u8>> {
    const SCRAPS: [&[u8]; 16] = [
        b"WARC/1.0\r\n",
        b"WARC/1.1\n",
        b"WARC-Type: response\r\n",
        b"Content-Length: 25\r\n",
        b"Content-Length: 18446744073709551615\r\n",
        b"Content-Length: -1\r\n",
        b" folded\r\n",
        b"\r\n",
        b"\r\n\r\n",
        b"HTTP/1.1 200 OK\r\n",
        b"Transfer-Encoding: chunked\r\n",
        b"Content-Encoding: gzip, br, deflate, zstd\r\n",
        b"ff\r\n",
        b"0\r\n",
        b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff",
        b"\x00\xff\xfe",
    ];
    let scrap = prop::sample::select(&SCRAPS[..]);
    prop::collection::vec(scrap, 0..60).prop_map(|scraps| scraps.concat())
}

proptest! {
    #[test]
    fn no_bytes_make_the_reader_fail(bytes in prop::collection::vec(any::<u8>(), 0..3000)) {
        read_all(&bytes);
        read_all(&[&b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"[..], &bytes].concat());
        read_all(&exchanges::gzip(&bytes));
    }

    #[test]
    fn no_scraps_make_the_reader_fail(bytes in scraps()) {
        read_all(&bytes);
        read_all(&exchanges::gzip(&bytes));
    }

    #[test]
    fn a_changed_byte_makes_the_reader_complain_or_not_but_never_fail(at in 0_usize..1500, to in any::<u8>()) {
        let packed = exchanges::pack(&mut scenthound_store::Packer::new(1), 1, &exchanges::simple("tea tea tea"));
        let mut bytes = packed.bytes().to_vec();
        let at = at % bytes.len();
        bytes[at] = to;
        read_all(&bytes);
    }

    #[test]
    fn no_response_makes_its_body_fail(head in scraps(), body in prop::collection::vec(any::<u8>(), 0..500)) {
        let block = [&b"HTTP/1.1 200 OK\r\n"[..], &head, b"\r\n\r\n", &body].concat();
        if let Some(http) = scenthound_store::HttpResponse::parse(&block) {
            prop_assert!(http.body(300).bytes.len() <= 300);
        }
    }
}
