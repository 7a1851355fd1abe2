//! Archives of real crawls are copied to a folder and to a server that speaks as much of S3 as it takes.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod common;

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::sleep;
use std::time::Duration;

use common::cluster_web::{Field, Sites};

/// The files in a folder with this ending.
fn files(folder: &Path, ending: &str) -> BTreeMap<String, Vec<u8>> {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    let paths = entries.map(|entry| entry.unwrap().path());
    paths
        .filter(|path| path.to_str().unwrap().ends_with(ending))
        .map(|path| {
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            (name, std::fs::read(path).unwrap())
        })
        .collect()
}

fn names(files: &BTreeMap<String, Vec<u8>>) -> Vec<&str> {
    files.keys().map(String::as_str).collect()
}

fn web(delay: Duration) -> Field {
    Field::serve(Sites { sites: 12, pages: 20 }, delay, Duration::ZERO)
}

fn arguments<'a>(crawl: &'a [String], to: &'a str) -> Vec<&'a str> {
    let crawl = crawl.iter().map(String::as_str);
    crawl
        .chain(["--archive-to", to, "--archive-size", "20KB"])
        .collect()
}

#[test]
fn rolled_archives_are_in_the_folder_in_the_end_although_the_crawl_was_killed() {
    let field = web(Duration::from_millis(150));
    let copies = field.workspace.path("copies");
    let to = format!("file://{}", copies.display());
    let crawl = field.arguments("tea");
    let arguments = arguments(&crawl, &to);
    let mut process = field
        .workspace
        .command(&arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    // Closed files are copied while the crawl runs.
    while files(&copies.join("indexes"), ".cdxj").is_empty() {
        assert!(process.try_wait().unwrap().is_none(), "it ended before");
        sleep(Duration::from_millis(10));
    }
    process.kill().unwrap();
    process.wait().unwrap();
    let run = field.workspace.hound(&arguments);
    assert!(run.err.contains("copied to file://"), "{run:?}");
    run.good();
    for (folder, ending) in [("archive", ".warc.gz"), ("indexes", ".cdxj")] {
        let local = files(&field.workspace.path("tea").join(folder), ending);
        let copied = files(&copies.join(folder), "");
        assert!(local.len() > 2, "{:?}", names(&local));
        assert_eq!(names(&copied), names(&local), "{folder}");
        assert!(copied == local, "every copy is the file: {folder}");
    }
    // All is there. Opening a crawl writes the index of its last file again, which may be copied once more.
    let again = field.workspace.hound(&arguments);
    assert!(!again.err.contains("archive files copied"), "{again:?}");
}

#[test]
fn a_place_that_is_none_is_refused_before_anything_is_written() {
    let field = web(Duration::ZERO);
    let crawl = field.arguments("tea");
    let said = field.workspace.refuses(&arguments(&crawl, "bucket/prefix"));
    assert!(said.contains("s3://BUCKET/PREFIX"), "{said}");
    assert!(!field.workspace.path("tea").exists());
}

#[test]
fn archives_go_to_s3_through_faults_and_what_is_missing_is_named() {
    let server = Storage::start();
    let field = web(Duration::ZERO);
    let crawl = field.arguments("tea");
    let arguments = arguments(&crawl, "s3://bucket/crawls/tea");
    let run = || -> common::Run {
        let mut command = field.workspace.command(&arguments);
        command
            .env("AWS_ACCESS_KEY_ID", "somebody")
            .env("AWS_SECRET_ACCESS_KEY", "secret")
            .env("AWS_REGION", "us-east-1")
            .env("AWS_ENDPOINT", format!("http://127.0.0.1:{}", server.port))
            .env("AWS_ALLOW_HTTP", "true");
        command.output().unwrap().into()
    };
    // Refused: the crawl ends well all the same.
    server.shared.is_closed.store(true, Ordering::Relaxed);
    let first = run();
    assert!(
        first.err.contains("not copied to s3://bucket/crawls/tea") && first.err.contains("tea-00000.warc.gz"),
        "{first:?}"
    );
    assert!(!first.both().contains("secret"), "{first:?}");
    first.good();
    assert!(server.shared.objects.lock().unwrap().is_empty());
    // Every third request fails and is made again.
    server.shared.is_closed.store(false, Ordering::Relaxed);
    let second = run();
    assert!(!second.err.contains("not copied"), "{second:?}");
    second.good();
    assert!(server.shared.faults.load(Ordering::Relaxed) > 0);
    let objects = server.shared.objects.lock().unwrap().clone();
    let mut expected = BTreeMap::new();
    for (folder, ending) in [("archive", ".warc.gz"), ("indexes", ".cdxj")] {
        for (name, bytes) in files(&field.workspace.path("tea").join(folder), ending) {
            expected.insert(format!("/bucket/crawls/tea/{folder}/{name}"), bytes);
        }
    }
    assert!(expected.len() > 4);
    assert_eq!(names(&objects), names(&expected));
    assert!(objects == expected, "every object is the file");
}

/// Keeps what is put into it.
struct Storage {
    port: u16,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    objects: Mutex<BTreeMap<String, Vec<u8>>>,
    requests: AtomicUsize,
    faults: AtomicUsize,
    is_closed: AtomicBool,
}

impl Storage {
    fn start() -> Storage {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let shared = Arc::new(Shared::default());
        let kept = Arc::clone(&shared);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let kept = Arc::clone(&kept);
                std::thread::spawn(move || answer(&stream.unwrap(), &kept));
            }
        });
        Storage { port, shared }
    }
}

fn answer(stream: &TcpStream, kept: &Shared) {
    let mut lines = BufReader::new(stream);
    let mut head = Vec::new();
    loop {
        let mut line = String::new();
        if lines.read_line(&mut line).unwrap_or(0) == 0 {
            return;
        }
        if line.trim().is_empty() {
            break;
        }
        head.push(line.trim().to_owned());
    }
    let header = |name: &str| {
        let mut fields = head.iter().filter_map(|line| line.split_once(": "));
        let field = fields.find(|(field, _)| field.eq_ignore_ascii_case(name));
        field.map_or("", |(_, value)| value).to_owned()
    };
    let length: usize = header("content-length").parse().unwrap_or(0);
    let mut body = vec![0; length];
    lines.read_exact(&mut body).unwrap();
    let (method, path) = head[0].rsplit_once(' ').unwrap().0.split_once(' ').unwrap();
    let number = kept.requests.fetch_add(1, Ordering::Relaxed);
    let is_signed = header("authorization").starts_with("AWS4-HMAC-SHA256 Credential=somebody/");
    let status = if kept.is_closed.load(Ordering::Relaxed) || !is_signed {
        "403 Forbidden"
    } else if number % 3 == 1 {
        kept.faults.fetch_add(1, Ordering::Relaxed);
        "503 Slow Down"
    } else if method == "PUT" {
        kept.objects.lock().unwrap().insert(path.to_owned(), body);
        "200 OK"
    } else {
        "501 Not Implemented"
    };
    let mut stream = stream;
    let _ = write!(
        stream,
        "HTTP/1.1 {status}\r\nETag: \"1\"\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
    );
}
