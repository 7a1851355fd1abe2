//! `hound seeds`, and crawls that get their seeds from search engines. The engines are served on loopback and answer as their
//! documentation describes.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod common;

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::sync::{Arc, Mutex};

use common::{Run, command};

const KEY: &str = "BSAhushhushhush0";
const SEARXNG: &str = include_str!("../../seeds/tests/answers/searxng.json");
const BRAVE: &str = include_str!("../../seeds/tests/answers/brave-web.json");
const BRAVE_REFUSED: &str = include_str!("../../seeds/tests/answers/brave-refused.json");
const GOOGLE: &str = include_str!("../../seeds/tests/answers/google.json");
const MARGINALIA: &str = include_str!("../../seeds/tests/answers/marginalia.json");

/// A server that answers each request with these bytes, or keeps the connection open without answering.
struct Served {
    addr: SocketAddr,
    heads: Arc<Mutex<Vec<String>>>,
}

impl Served {
    fn new(answer: impl Fn(&str) -> Option<String> + Send + Sync + 'static) -> Served {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let addr = listener.local_addr().unwrap();
        let heads: Arc<Mutex<Vec<String>>> = Arc::default();
        let (kept, answer) = (Arc::clone(&heads), Arc::new(answer));
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let (kept, answer) = (Arc::clone(&kept), Arc::clone(&answer));
                std::thread::spawn(move || serve(stream, &kept, &*answer));
            }
        });
        Served { addr, heads }
    }

    fn json(text: &'static str) -> Served {
        Served::new(move |_| Some(response(200, "application/json", text)))
    }

    fn engine(&self, name: &str) -> String {
        format!("{name}=http://{}", self.addr)
    }

    fn heads(&self) -> Vec<String> {
        self.heads.lock().unwrap().clone()
    }
}

fn serve(mut stream: TcpStream, kept: &Mutex<Vec<String>>, answer: &dyn Fn(&str) -> Option<String>) {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") && stream.read(&mut byte).is_ok_and(|read| read == 1) {
        head.push(byte[0]);
    }
    let head = String::from_utf8_lossy(&head).into_owned();
    let answer = answer(&head);
    kept.lock().unwrap().push(head);
    match answer {
        Some(text) => drop(stream.write_all(text.as_bytes())),
        // Until the client gives up.
        None => drop(stream.read(&mut byte)),
    }
}

fn response(status: u16, kind: &str, body: &str) -> String {
    format!(
        "HTTP/1.1 {status} X\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    )
}

fn hound(folder: &Path, args: &[&str], keys: &[(&str, &str)]) -> Run {
    let mut command = command(folder, args);
    for name in [
        "BRAVE_API_KEY",
        "GOOGLE_CSE_KEY",
        "GOOGLE_CSE_CX",
        "MARGINALIA_API_KEY",
    ] {
        command.env_remove(name);
    }
    command.envs(keys.iter().copied()).output().unwrap().into()
}

/// Runs a command and returns its exit code, stdout and stderr. Neither output may contain the key.
fn says(args: &[&str], keys: &[(&str, &str)]) -> (i32, String, String) {
    let temp = tempfile::tempdir().unwrap();
    code_and_output(hound(temp.path(), args, keys))
}

fn code_and_output(run: Run) -> (i32, String, String) {
    assert!(!run.both().contains(KEY), "{run:?}");
    (run.code.unwrap(), run.out, run.err)
}

#[test]
fn four_engines_are_asked_with_their_keys_and_their_answers_merged() {
    let (searxng, brave) = (Served::json(SEARXNG), Served::json(BRAVE));
    let (google, marginalia) = (Served::json(GOOGLE), Served::json(MARGINALIA));
    let engines = [
        searxng.engine("searxng"),
        brave.engine("brave"),
        google.engine("google-cse"),
        marginalia.engine("marginalia"),
    ];
    let mut args = vec!["seeds", "grüner tee 茶", "-n", "7"];
    args.extend(engines.iter().flat_map(|engine| ["--engine", engine]));
    let keys = [
        ("BRAVE_API_KEY", KEY),
        ("GOOGLE_CSE_KEY", KEY),
        ("GOOGLE_CSE_CX", "cx:tea"),
    ];
    let (code, out, err) = says(&args, &keys);
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    let urls: Vec<_> = out.lines().collect();
    // Three engines return the first, two the second.
    assert_eq!(
        urls[..2],
        ["https://leaves.example/brewing", "https://uji.example/gardens"]
    );
    assert_eq!(urls.len(), 6);
    assert!(brave.heads()[0].contains(&format!("{KEY}\r\n")));
    assert!(
        marginalia.heads()[0]
            .to_lowercase()
            .contains("api-key: public\r\n")
    );
    assert!(google.heads()[0].contains(&format!("key={KEY}&cx=cx%3Atea&q=gr%C3%BCner+tee+%E8%8C%B6")));
    // No engine is asked more often than the number of seeds requires.
    assert_eq!(searxng.heads().len(), 1);

    args.push("--json");
    let (_, out, _) = says(&args, &keys);
    let first: serde_json::Value = serde_json::from_str(out.lines().next().unwrap()).unwrap();
    assert_eq!(first["by"].as_array().unwrap().len(), 3);
    assert_eq!(first["by"][0]["rank"], 1);
    assert_eq!(first["title"], "How to brew green tea");
}

#[test]
fn one_failing_engine_does_not_stop_the_others_and_is_reported() {
    let good = Served::json(SEARXNG);
    let silent = Served::new(|_| None);
    let html = Served::new(|_| Some(response(200, "text/html", "<!doctype html><title>Search</title>")));
    let args = [
        "seeds",
        "tea",
        "--timeout",
        "300ms",
        "--engine",
        &silent.engine("searxng"),
        "--engine",
        &html.engine("searxng"),
        "--engine",
        "brave",
        "--engine",
        &good.engine("searxng"),
        "-n",
        "3",
    ];
    let (code, out, err) = says(&args, &[]);
    assert_eq!((code, out.lines().count()), (0, 3), "{err}");
    assert!(err.contains("did not answer in time"), "{err}");
    assert!(err.contains("settings.yml"), "{err}");
    assert!(err.contains("brave: no key: BRAVE_API_KEY is not set"), "{err}");
}

#[test]
fn when_all_fail_each_is_named_with_its_remedy_and_nothing_is_crawled() {
    let cases: Vec<(&str, &str, String)> = vec![
        (
            "searxng",
            "a web page instead of JSON",
            response(200, "text/html", "<html>"),
        ),
        (
            "searxng",
            "refuses to answer in JSON (status 403)",
            response(403, "text/html", "<html>"),
        ),
        (
            "searxng",
            "ends too early",
            response(200, "application/json", &SEARXNG[..200]),
        ),
        (
            "searxng",
            "not as documented",
            response(200, "application/json", r#"{"results": 7}"#),
        ),
        (
            "searxng",
            "too large",
            response(200, "application/json", &format!("[{}", "1,".repeat(3 << 20))),
        ),
        (
            "brave",
            "the key was refused (status 422): The provided",
            response(422, "application/json", BRAVE_REFUSED),
        ),
        (
            "brave",
            "the key was refused (status 401)",
            response(401, "text/plain", KEY),
        ),
        (
            "brave",
            "too many requests (status 429)",
            response(429, "application/json", "{}").replace("Connection", "Retry-After: 3600\r\nConnection"),
        ),
        ("brave", "redirects to http://else.test/", {
            let moved = format!("Location: http://else.test/?{KEY}\r\nConnection");
            response(302, "text/html", "").replace("Connection", &moved)
        }),
    ];
    let temp = tempfile::tempdir().unwrap();
    for (name, wanted, answer) in cases {
        let served = Served::new(move |_| Some(answer.clone()));
        let engine = served.engine(name);
        let args = ["crawl", "tea", "-o", "tea", "--engine", &engine];
        let (code, out, err) = code_and_output(hound(temp.path(), &args, &[("BRAVE_API_KEY", KEY)]));
        assert_eq!((code, out.as_str()), (1, ""), "{err}");
        assert!(err.contains(&engine) && err.contains(wanted), "{wanted}: {err}");
        assert!(!temp.path().join("tea").exists());
        assert_eq!(served.heads().len(), 1);
    }
    let (code, _, err) = code_and_output(hound(
        temp.path(),
        &["crawl", "tea", "-o", "tea", "--engine", "brave"],
        &[],
    ));
    assert_eq!(code, 4, "{err}");
    assert!(
        err.contains("set BRAVE_API_KEY in the environment or in a file named by --keys"),
        "{err}"
    );
    assert!(!temp.path().join("tea").exists());
    let (code, _, err) = code_and_output(hound(temp.path(), &["crawl", "tea", "-o", "tea"], &[]));
    assert!(code == 4 && err.contains("--engine"), "{err}");
}

#[test]
fn a_key_file_is_read_with_a_warning_if_others_can_read_it_too() {
    let temp = tempfile::tempdir().unwrap();
    let file = temp.path().join("keys.toml");
    std::fs::write(&file, format!("BRAVE_API_KEY = \"{KEY}\"\n")).unwrap();
    let served = Served::json(BRAVE);
    let engine = served.engine("brave");
    let args = [
        "seeds",
        "tea",
        "--engine",
        &engine,
        "--keys",
        "keys.toml",
        "-n",
        "2",
    ];
    let allow = |mode| {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).unwrap();
    };
    allow(0o644);
    let (code, _, err) = code_and_output(hound(temp.path(), &args, &[]));
    assert!(code == 0 && err.contains("chmod 600"), "{err}");
    allow(0o600);
    let (code, _, err) = code_and_output(hound(temp.path(), &args, &[("BRAVE_API_KEY", "another")]));
    assert_eq!((code, err.as_str()), (0, ""));
    assert!(served.heads()[1].contains(KEY));
    std::fs::write(&file, format!("\n{KEY}\n")).unwrap();
    let (code, _, err) = code_and_output(hound(temp.path(), &args, &[]));
    assert!(code == 4 && err.contains("line 2 is not NAME"), "{err}");
}

/// All files in a folder that contain a text.
fn holding(folder: &Path, text: &str, found: &mut Vec<std::path::PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
        if entry.path().is_dir() {
            holding(&entry.path(), text, found);
        } else if std::fs::read(entry.path())
            .unwrap()
            .windows(text.len())
            .any(|bytes| bytes == text.as_bytes())
        {
            found.push(entry.path());
        }
    }
}

#[test]
fn a_crawl_asks_once_keeps_the_answer_without_the_key_and_resumes_without_asking() {
    let web = Served::new(|_| {
        Some(response(
            200,
            "text/html",
            "<title>Green tea</title><p>green tea</p>",
        ))
    });
    let addr = web.addr;
    let brave = Served::new(move |_| {
        let body = format!(
            r#"{{"query": {{"more_results_available": false}}, "web": {{"results": [{{"url": "http://{addr}/a"}}, {{"url": "http://{addr}/b"}}, {{"url": "http://{addr}/?{KEY}"}}]}}}}"#
        );
        Some(response(200, "application/json", &body))
    });
    let temp = tempfile::tempdir().unwrap();
    let engine = brave.engine("brave");
    let named = format!("http://{addr}/named");
    let base = [
        "crawl",
        "green tea",
        &named,
        "-o",
        "tea",
        "--engine",
        &engine,
        "--allow-net",
        "127.0.0.1",
        "--delay",
        "0s",
        "--ip-delay",
        "0s",
        "--ignore-robots",
        "--sitemaps",
        "off",
    ];
    let (code, out, err) = code_and_output(hound(
        temp.path(),
        &[&base[..], &["--max-pages", "2"]].concat(),
        &[("BRAVE_API_KEY", KEY)],
    ));
    assert_eq!(code, 0, "{out}{err}");
    let folder = temp.path().join("tea");
    let kept: serde_json::Value =
        serde_json::from_slice(&std::fs::read(folder.join("seeds.json")).unwrap()).unwrap();
    assert_eq!(kept["query"], "green tea");
    assert_eq!(kept["seeds"][1]["url"], format!("http://{addr}/b"));
    assert_eq!(kept["seeds"][1]["by"][0]["rank"], 2);
    let mut found = Vec::new();
    holding(&folder, KEY, &mut found);
    assert!(found.is_empty(), "{found:?}");
    assert!(!web.heads().concat().contains(KEY));

    // The same command, without a key, and then the folder's own settings.
    let (code, out, err) = code_and_output(hound(
        temp.path(),
        &[&base[..], &["--max-pages", "3"]].concat(),
        &[],
    ));
    assert!(code == 0 && out.starts_with("3 pages"), "{out}{err}");
    std::fs::remove_file(folder.join("seeds.json")).unwrap();
    let (code, _, err) = code_and_output(hound(temp.path(), &["crawl", "tea/crawl.toml", "-o", "tea"], &[]));
    assert_eq!(code, 0, "{err}");
    assert_eq!(brave.heads().len(), 1);
    let paths: Vec<_> = web
        .heads()
        .iter()
        .map(|head| head.lines().next().unwrap().to_owned())
        .collect();
    for path in ["/named", "/a", "/b"] {
        let asked = format!("GET {path} HTTP/1.1");
        assert_eq!(
            paths.iter().filter(|line| **line == asked).count(),
            1,
            "{paths:?}"
        );
    }

    // The finished crawl can supply the seeds of another.
    let (code, out, err) = code_and_output(hound(
        temp.path(),
        &["seeds", "Tea", "--engine", "collection=tea", "-n", "2"],
        &[],
    ));
    assert_eq!((code, out.lines().count()), (0, 2), "{err}");
    // With another engine it would be another crawl; that engine is not asked.
    let (code, _, err) = code_and_output(hound(
        temp.path(),
        &["crawl", "tea/crawl.toml", "-o", "tea", "--engine", "marginalia"],
        &[],
    ));
    assert!(code == 4 && err.contains("[seeds] engines"), "{err}");
}

#[test]
fn a_private_address_returned_by_an_engine_is_refused() {
    let web = Served::new(|_| Some(response(200, "text/html", "<p>private</p>")));
    let addr = web.addr;
    let searxng = Served::new(move |_| {
        let body = format!(r#"{{"results": [{{"url": "http://{addr}/secret"}}]}}"#);
        Some(response(200, "application/json", &body))
    });
    let engine = searxng.engine("searxng");
    let (code, _, err) = says(
        &[
            "crawl",
            "tea",
            "-o",
            "tea",
            "--engine",
            &engine,
            "--seed-count",
            "10",
            "--max-time",
            "20s",
        ],
        &[],
    );
    assert_eq!(code, 1, "{err}");
    assert!(
        searxng.heads().len() == 1 && web.heads().is_empty(),
        "{:?}",
        web.heads()
    );
}

#[test]
fn a_file_of_seeds_is_read_and_a_missing_folder_is_reported() {
    let temp = tempfile::tempdir().unwrap();
    std::fs::write(temp.path().join("list.txt"), "a.test/x\nhttp://b.test/\n").unwrap();
    let args = [
        "seeds",
        "tea",
        "--engine",
        "file=list.txt",
        "--engine",
        "collection=none",
    ];
    let (code, out, err) = code_and_output(hound(temp.path(), &args, &[]));
    assert_eq!((code, out.as_str()), (0, "https://a.test/x\nhttp://b.test/\n"));
    assert!(err.contains("none does not exist"), "{err}");
    let (code, _, err) = code_and_output(hound(
        temp.path(),
        &["seeds", "tea", "--engine", "file=gone.txt"],
        &[],
    ));
    assert!(code == 4 && err.contains("gone.txt"), "{err}");
    let (code, _, _) = code_and_output(hound(
        temp.path(),
        &["seeds", " ", "--engine", "file=list.txt"],
        &[],
    ));
    assert_eq!(code, 4);
}
