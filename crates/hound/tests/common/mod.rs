//! Runs the real program in tests, and serves small sites on loopback for it to crawl.
//!
//! Every run gets a folder to work in, a cache inside that folder and a fixed terminal width, so that a test depends
//! neither on the machine nor on the person who runs it.
#![allow(
    dead_code,
    clippy::unwrap_used,
    reason = "each test uses what it needs, and may panic"
)]

pub mod bench_web;
pub mod cluster_web;
pub mod python;

use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Arc;

use scenthound_testweb::{ServeOptions, Serving, SiteResponse, TestSite, serve};
use serde_json::Value;

/// The exit code for input that was refused.
pub const BAD_INPUT: i32 = 4;

/// The result of running the program.
#[derive(Debug)]
pub struct Run {
    /// Standard output.
    pub out: String,
    /// Standard error.
    pub err: String,
    /// The exit code; `None` after a signal.
    pub code: Option<i32>,
}

impl From<Output> for Run {
    fn from(output: Output) -> Run {
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Run {
            out: text(output.stdout),
            err: text(output.stderr),
            code: output.status.code(),
        }
    }
}

impl Run {
    /// Whether the program succeeded.
    pub fn is_good(&self) -> bool {
        self.code == Some(0)
    }

    /// Both streams, one after the other.
    pub fn both(&self) -> String {
        format!("{}{}", self.out, self.err)
    }

    /// Standard output of a run that must have succeeded.
    #[track_caller]
    pub fn good(self) -> String {
        assert!(self.is_good(), "{self:?}");
        self.out
    }

    /// Standard output as JSON, of a run that must have succeeded.
    #[track_caller]
    pub fn json(self) -> Value {
        serde_json::from_str(&self.good()).unwrap()
    }

    /// Standard output as one JSON value per line, of a run that must have succeeded.
    #[track_caller]
    pub fn json_lines(self) -> Vec<Value> {
        json_lines(&self.good())
    }

    /// Standard error of a run that must have been refused as bad input, without any output.
    #[track_caller]
    pub fn refused(self) -> String {
        assert_eq!(self.code, Some(BAD_INPUT), "{self:?}");
        assert!(self.out.is_empty(), "{self:?}");
        self.err
    }
}

/// The program with these arguments, run in `folder`.
pub fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hound"));
    command
        .args(arguments)
        .current_dir(folder)
        .env("COLUMNS", "120")
        .env("SCENTHOUND_CACHE", folder.join("cache"));
    command
}

/// Runs the program in `folder`.
pub fn hound_in(folder: &Path, arguments: &[&str]) -> Run {
    command(folder, arguments).output().unwrap().into()
}

/// Runs the program in an empty folder, which is deleted afterwards.
pub fn hound(arguments: &[&str]) -> Run {
    hound_in(tempfile::tempdir().unwrap().path(), arguments)
}

/// Standard output of a run in `folder` that must succeed.
#[track_caller]
pub fn says(folder: &Path, arguments: &[&str]) -> String {
    hound_in(folder, arguments).good()
}

/// Standard error of a run in `folder` that must be refused as bad input.
#[track_caller]
pub fn refuses(folder: &Path, arguments: &[&str]) -> String {
    hound_in(folder, arguments).refused()
}

/// One JSON value per line.
pub fn json_lines(text: &str) -> Vec<Value> {
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// A path as an argument.
pub fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// A folder for one test, deleted with it.
pub struct Workspace(tempfile::TempDir);

impl Workspace {
    pub fn new() -> Workspace {
        Workspace(tempfile::tempdir().unwrap())
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        command(self.0.path(), arguments)
    }

    pub fn hound(&self, arguments: &[&str]) -> Run {
        hound_in(self.0.path(), arguments)
    }

    #[track_caller]
    pub fn says(&self, arguments: &[&str]) -> String {
        says(self.0.path(), arguments)
    }

    #[track_caller]
    pub fn json(&self, arguments: &[&str]) -> Value {
        self.hound(arguments).json()
    }

    #[track_caller]
    pub fn refuses(&self, arguments: &[&str]) -> String {
        refuses(self.0.path(), arguments)
    }
}

/// A site of one host that answers by path.
struct Paths<F>(F);

impl<F: Fn(&str) -> SiteResponse + Send + Sync> TestSite for Paths<F> {
    fn answer(&self, _host: &str, path: &str) -> SiteResponse {
        (self.0)(path)
    }

    fn hosts(&self) -> Vec<String> {
        vec!["127.0.0.1".to_owned()]
    }
}

/// Serves a site of one host on loopback. Returns the server and the site's URL without the trailing slash.
pub fn serve_paths(answer: impl Fn(&str) -> SiteResponse + Send + Sync + 'static) -> (Serving, String) {
    let serving = serve(Arc::new(Paths(answer)), ServeOptions::default()).unwrap();
    let root = format!("http://127.0.0.1:{}", serving.addr().port());
    (serving, root)
}

/// The paths requested, in order, except robots.txt.
pub fn paths_asked_for(serving: &Serving) -> Vec<String> {
    let requests = serving.requests().into_iter();
    requests
        .map(|request| request.path)
        .filter(|path| path != "/robots.txt")
        .collect()
}

/// Hosts that are IP addresses on loopback, each with its own answers.
struct Addresses<F>(Vec<String>, u16, F);

impl<F: Fn(&str, &str, u16) -> SiteResponse + Send + Sync> TestSite for Addresses<F> {
    fn answer(&self, host: &str, path: &str) -> SiteResponse {
        (self.2)(host, path, self.1)
    }

    fn hosts(&self) -> Vec<String> {
        self.0.clone()
    }
}

/// Serves these addresses on one port. The answer gets the host, the path and the port.
pub fn serve_addresses(
    hosts: &[String],
    answer: impl Fn(&str, &str, u16) -> SiteResponse + Send + Sync + Clone + 'static,
) -> (Serving, u16) {
    // A port that is free on the first address is almost certainly free on the others; if not, try again.
    for _ in 0..20 {
        let port = TcpListener::bind("127.0.0.1:0")
            .unwrap()
            .local_addr()
            .unwrap()
            .port();
        let listen: Vec<SocketAddr> = hosts
            .iter()
            .map(|host| format!("{host}:{port}").parse().unwrap())
            .collect();
        let options = ServeOptions {
            listen,
            ..ServeOptions::default()
        };
        if let Ok(serving) = serve(Arc::new(Addresses(hosts.to_vec(), port, answer.clone())), options) {
            return (serving, port);
        }
    }
    panic!("no port is free on all addresses");
}
