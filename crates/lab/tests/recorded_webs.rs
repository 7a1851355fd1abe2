//! Archives written here and read back as webs.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test may fail loudly"
)]

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use scenthound_lab::recorded::{Opened, RecordedFault, RecordedWeb, Spot, WebFolder, build};
use scenthound_parse::{Limits, PageInput, parse};
use scenthound_types::{CanonicalUrl, ParsedPage};

fn record(url: &str, head: &str, body: &str) -> String {
    let block = format!("HTTP/1.0 {head}\r\n\r\n{body}");
    format!(
        "WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nWARC-Date: 2020-01-01T00:00:00Z\r\n\
         WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-000000000000>\r\nContent-Type: application/http;msgtype=response\r\n\
         Content-Length: {}\r\n\r\n{block}\r\n\r\n",
        block.len()
    )
}

const HTML: &str = "200 OK\r\nContent-Type: text/html; charset=utf-8";

const FRONT: &str = "<title>Fröhliche Tees</title><meta name=robots content=noarchive><p>Alle <a href=/grün>grünen Tees</a> \
     und mehr. Noch <a href='HTTP://Other.example:80/x' rel=nofollow title='ein Bild'><img alt='Kanne'></a>.<p>東京の天気 \
     <a href=/gone>weg</a> <a href=/moved>um</a>";

fn records() -> String {
    [
        record(
            "http://Tea.example",
            "301 Moved\r\nLocation: http://tea.example/",
            "",
        ),
        record("http://tea.example:80/", HTML, FRONT),
        record(
            "http://tea.example/gr%C3%BCn",
            HTML,
            "<p>Sencha <a href=/>heim</a>",
        ),
        record(
            "http://tea.example/moved",
            "302 Found\r\nLocation: /gr%c3%bcn",
            "",
        ),
        record("http://tea.example/gone", "404 Not Found", "no"),
        record("http://tea.example/gone", "404 Not Found", "still no"),
        record(
            "http://tea.example/pot.png",
            "200 OK\r\nContent-Type: image/png",
            "\u{1}\u{2}",
        ),
        record(
            "http://tea.example/robots.txt",
            "200 OK\r\nContent-Type: text/plain",
            "User-agent: *\nDisallow: /x\n",
        ),
        record("ftp://tea.example/file", HTML, "<p>not crawlable"),
    ]
    .concat()
}

fn written(folder: &Path, name: &str, bytes: &[u8]) -> PathBuf {
    let path = folder.join(name);
    fs::write(&path, bytes).unwrap();
    path
}

fn url(spelled: &str) -> CanonicalUrl {
    CanonicalUrl::parse(spelled).unwrap()
}

fn page(web: &RecordedWeb, spelled: &str) -> ParsedPage {
    web.page(web.page_at(&url(spelled)).unwrap()).unwrap()
}

#[test]
fn every_answer_of_an_archive_is_found_under_its_url() {
    let folder = tempfile::tempdir().unwrap();
    let web = build(&[written(folder.path(), "a.warc", records().as_bytes())], |_| ()).unwrap();
    assert_eq!(web.pages(), 2);
    assert!(web.warnings().is_empty());
    let spot = |spelled: &str| web.find(&url(spelled));
    assert!(matches!(spot("http://tea.example/"), Spot::Page(_)));
    assert!(matches!(
        spot("http://tea.example/moved"),
        Spot::Redirect { status: 302, .. }
    ));
    assert_eq!(
        web.page_at(&url("http://tea.example/moved")),
        web.page_at(&url("http://tea.example/grün"))
    );
    assert_eq!(spot("http://tea.example/gone"), Spot::Status(404));
    assert_eq!(spot("http://tea.example/pot.png"), Spot::NoText);
    assert_eq!(spot("http://other.example/x"), Spot::NotRecorded);
    assert_eq!(spot("http://nobody.example/"), Spot::NotRecorded);
    let Spot::Rules(rules) = spot("http://tea.example/robots.txt") else {
        panic!("rules are kept")
    };
    assert_eq!(web.rules(rules), b"User-agent: *\nDisallow: /x\n");
    let front = web.page_at(&url("http://tea.example/")).unwrap();
    assert_eq!(web.page_spelled(front), "http://tea.example:80/");
}

#[test]
fn an_answer_kept_under_another_url_leads_there() {
    let folder = tempfile::tempdir().unwrap();
    let again = "WARC/1.1\r\nWARC-Type: revisit\r\nWARC-Target-URI: http://tea.example/again\r\n\
         WARC-Refers-To-Target-URI: http://tea.example/gr%C3%BCn\r\nWARC-Date: 2020-01-01T00:00:00Z\r\n\
         WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-000000000001>\r\n\
         WARC-Profile: http://netpreserve.org/warc/1.1/revisit/identical-payload-digest\r\nContent-Length: 0\r\n\r\n\r\n\r\n";
    let archive = written(
        folder.path(),
        "a.warc",
        [records().as_str(), again].concat().as_bytes(),
    );
    let web = build(&[archive], |_| ()).unwrap();
    let kept = web.page_at(&url("http://tea.example/grün"));
    assert!(kept.is_some());
    assert_eq!(web.page_at(&url("http://tea.example/again")), kept);
}

#[test]
fn a_page_read_back_is_the_page_parsed() {
    let folder = tempfile::tempdir().unwrap();
    let archive = written(folder.path(), "pages.warc", records().as_bytes());
    let cache = folder.path().join("cache");
    let opened = WebFolder::open(&archive).unwrap();
    let (built, how) = opened.load(Some(&cache), |_| ()).unwrap();
    assert_eq!(how, Opened::Built);
    let (cached, how) = opened.load(Some(&cache), |_| ()).unwrap();
    assert_eq!(how, Opened::Cached);
    let address = url("http://tea.example/");
    let input = PageInput {
        url: &address,
        content_type: Some("text/html; charset=utf-8"),
        body: FRONT.as_bytes(),
        truncated: false,
    };
    let parsed = parse(&input, &Limits::default());
    assert!(parsed.links.len() == 4 && parsed.directives.noarchive && !parsed.asides.is_empty());
    for web in [&built, &cached] {
        let mut read = page(web, "http://tea.example/");
        for (read, parsed) in [(&read.text, &parsed.text), (&read.asides, &parsed.asides)] {
            assert_eq!(read.tokens(), parsed.tokens());
            assert!((0..parsed.len()).all(|at| read.spelling(at) == parsed.spelling(at)));
        }
        // Sentence ends matter only to parsing; everything else is equal.
        read.text = parsed.text.clone();
        read.asides = parsed.asides.clone();
        assert_eq!(read, parsed);
        assert_eq!(
            web.page_spelled(web.page_at(&address).unwrap()),
            "http://tea.example:80/"
        );
    }
}

#[test]
fn a_damaged_cache_is_built_again_and_a_changed_archive_is_another_web() {
    let folder = tempfile::tempdir().unwrap();
    let archive = written(folder.path(), "pages.warc", records().as_bytes());
    let cache = folder.path().join("cache");
    let load = || {
        WebFolder::open(&archive)
            .unwrap()
            .load(Some(&cache), |_| ())
            .unwrap()
    };
    load();
    let file = fs::read_dir(&cache).unwrap().next().unwrap().unwrap().path();
    let whole = fs::read(&file).unwrap();
    for damaged in [&whole[..whole.len() / 2], &[], b"HOUNDWEB"] {
        fs::write(&file, damaged).unwrap();
        assert_eq!(load().1, Opened::Built);
    }
    let mut flipped = whole.clone();
    *flipped.last_mut().unwrap() ^= 1;
    fs::write(&file, flipped).unwrap();
    assert_eq!(load().1, Opened::Built);
    assert_eq!(fs::read(&file).unwrap(), whole);
    fs::write(&archive, record("http://tea.example/", HTML, "<p>less")).unwrap();
    let (web, how) = load();
    assert_eq!((web.pages(), how), (1, Opened::Built));
}

#[test]
fn an_archive_cut_in_the_middle_is_read_up_to_the_cut_with_a_warning() {
    let folder = tempfile::tempdir().unwrap();
    let mut gzip = Vec::new();
    for text in [
        records(),
        record("http://tea.example/last", HTML, &"<p>long ".repeat(2000)),
    ] {
        let mut member = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        member.write_all(text.as_bytes()).unwrap();
        gzip.extend(member.finish().unwrap());
    }
    let cut = &gzip[..gzip.len() - 60];
    let web = build(&[written(folder.path(), "cut.warc.gz", cut)], |_| ()).unwrap();
    assert!(web.pages() >= 2);
    assert!(web.warnings()[0].contains("cut.warc.gz"), "{:?}", web.warnings());
}

#[test]
fn tasks_name_pages_by_any_spelling_and_examples_are_not_counted() {
    let folder = tempfile::tempdir().unwrap();
    written(folder.path(), "pages.warc", records().as_bytes());
    written(
        folder.path(),
        "r.txt",
        b"http://tea.example/moved\nhttp://TEA.example\nftp://tea.example/file\n",
    );
    written(folder.path(), "p.txt", b"# examples\nhttp://tea.example\n\n");
    let tasks = "[[task]]\nname = \"green\"\nseeds = [\"http://Tea.example\"]\nrelevant = \"r.txt\"\nexamples-positive = \"p.txt\"\n\
                 [[task]]\nname = \"nowhere\"\nseeds = [\"http://else.example/\"]\nrelevant = \"r.txt\"\n";
    written(folder.path(), "tasks.toml", tasks.as_bytes());
    let opened = WebFolder::open(folder.path()).unwrap();
    let (web, _) = opened.load(None, |_| ()).unwrap();
    let pages = opened.task("green").unwrap().pages(&web).unwrap();
    assert_eq!(pages.seeds, [url("http://tea.example/")]);
    assert_eq!(pages.relevant.len(), 1);
    assert_eq!(pages.relevant_missing, 1);
    assert_eq!(pages.positive.len(), 1);
    let fault = opened.task("nowhere").unwrap().pages(&web).unwrap_err();
    assert!(matches!(fault, RecordedFault::NoSeeds { .. }), "{fault}");
    let fault = opened.task("red").unwrap_err().to_string();
    assert!(fault.contains("green, nowhere"), "{fault}");
}

#[test]
fn a_folder_that_is_not_a_web_is_refused_with_the_file_and_line() {
    let folder = tempfile::tempdir().unwrap();
    let fault = WebFolder::open(folder.path()).unwrap_err().to_string();
    assert!(fault.contains("no archive found"), "{fault}");
    written(folder.path(), "a.warc", records().as_bytes());
    written(
        folder.path(),
        "tasks.toml",
        b"[[task]]\nname = \"x\"\nseeds = 3\n",
    );
    let fault = WebFolder::open(folder.path()).unwrap_err().to_string();
    assert!(fault.contains("tasks.toml:3"), "{fault}");
    written(folder.path(), "tasks.toml", b"");
    written(folder.path(), "labels.tsv", b"page\tgenre\n");
    let fault = WebFolder::open(folder.path())
        .unwrap()
        .labels()
        .unwrap_err()
        .to_string();
    assert!(fault.contains("labels.tsv:1"), "{fault}");
    written(
        folder.path(),
        "labels.tsv",
        b"url\tgenre\nhttp://tea.example/\tshop\n",
    );
    let labels = WebFolder::open(folder.path()).unwrap().labels().unwrap().unwrap();
    assert_eq!(labels.column("genre").unwrap().next().unwrap().1, "shop");
    let fault = labels.column("topic").err().unwrap().to_string();
    assert!(fault.contains("url, genre"), "{fault}");
}
