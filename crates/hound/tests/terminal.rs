//! What people see on a real terminal: a pseudo-terminal of a known size stands in for the window.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod common;

use std::fs::{File, OpenOptions};
use std::io::Read;
use std::process::Command;

use common::{BAD_INPUT, Run, Workspace, serve_paths, text};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};
use scenthound_testweb::{Serving, SiteResponse};
use unicode_width::UnicodeWidthStr;

/// Everything a program shows on a terminal that is so wide.
fn shown(command: &mut Command, columns: u16) -> String {
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&master).unwrap();
    unlockpt(&master).unwrap();
    let name = ptsname(&master, Vec::new()).unwrap().into_string().unwrap();
    let size = Winsize {
        ws_row: 40,
        ws_col: columns,
        ws_xpixel: 0,
        ws_ypixel: 0,
    };
    tcsetwinsize(&master, size).unwrap();
    let screen = OpenOptions::new().read(true).write(true).open(name).unwrap();
    let mut running = command
        .env("TERM", "xterm-256color")
        .stdout(screen.try_clone().unwrap())
        .stderr(screen)
        .spawn()
        .unwrap();
    // The command holds the screen too, and the end comes when nobody does.
    command
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null());
    let mut all = Vec::new();
    let mut window = File::from(master);
    let mut some = [0; 4096];
    // On Linux, reading from a terminal that nobody holds any longer is an error.
    while let Ok(read @ 1..) = window.read(&mut some) {
        all.extend_from_slice(&some[..read]);
    }
    running.wait().unwrap();
    String::from_utf8(all).unwrap()
}

/// The text without escape sequences.
fn plain(text: &str) -> String {
    regex::Regex::new("\x1b\\[[0-9;?]*[A-Za-z]")
        .unwrap()
        .replace_all(text, "")
        .into_owned()
}

fn widest(text: &str) -> usize {
    let lines = plain(text);
    let lines = lines.lines().map(|line| line.trim_end_matches('\r').width());
    lines.max().unwrap_or_default()
}

/// Pages with titles longer than any terminal is wide.
fn crawl(work: &Workspace, folder: &str, verbosity: &[&str]) -> (Serving, String, Run) {
    let (serving, root) = serve_paths(|path| {
        if path == "/robots.txt" {
            return SiteResponse::missing();
        }
        let long =
            "Everything there is to know about green tea and how it is brewed in the mountains ".repeat(3);
        SiteResponse::html(format!(
            "<title>{long}{path}</title><p>green tea, green tea leaves and more green tea</p><a href=/a>a</a> <a href=/b>b</a>"
        ))
    });
    let seed = format!("{root}/");
    let crawl = [
        "crawl",
        "green tea",
        &seed,
        "-o",
        folder,
        "--allow-net",
        "127.0.0.0/8",
        "--delay",
        "0s",
        "--max-pages",
        "3",
    ];
    let run = work.hound(&[verbosity, &crawl[..]].concat());
    assert!(run.is_good(), "{run:?}");
    (serving, root, run)
}

#[test]
fn tables_fit_the_window_whatever_columns_says() {
    let work = Workspace::new();
    let _serving = crawl(&work, "out", &[]);
    for columns in [80, 132] {
        let mut command = work.command(&["results", "out", "--why"]);
        // What a shell once exported about another window.
        let seen = shown(command.env("COLUMNS", "300"), columns);
        assert!(seen.contains("Everything"), "{seen}");
        assert!(widest(&seen) <= usize::from(columns), "{columns}: {seen}");
        // Titles take the room there is.
        assert!(widest(&seen) > usize::from(columns) - 12, "{columns}: {seen}");
    }
}

#[test]
fn sentences_are_wrapped_between_words() {
    let work = Workspace::new();
    let _serving = crawl(&work, "out", &[]);
    let seen = plain(&shown(
        &mut work.command(&["results", "out", "--genre", "nosuch"]),
        80,
    ));
    assert!(widest(&seen) <= 80, "{seen}");
    let joined: Vec<&str> = seen.split_whitespace().collect();
    let joined = joined.join(" ");
    assert!(joined.contains("this crawl did not detect genres"), "{seen}");
}

#[test]
fn colours_are_for_terminals_whose_owner_does_not_mind() {
    let work = Workspace::new();
    let _serving = crawl(&work, "out", &[]);
    let arguments = ["search", "out", "green tea"];
    let search = || {
        let mut command = work.command(&arguments);
        command.env_remove("NO_COLOR");
        command
    };
    assert!(shown(&mut search(), 80).contains("\x1b[1m"), "a terminal");
    let without = shown(search().env("NO_COLOR", "1"), 80);
    assert!(
        !without.contains('\x1b') && without.contains("*green*"),
        "{without}"
    );
    let piped = work.hound(&arguments).both();
    assert!(!piped.contains('\x1b'), "{piped}");
}

#[test]
fn quiet_says_nothing_but_results_and_verbose_names_every_request() {
    let work = Workspace::new();
    crawl(&work, "out", &[]);
    let quiet = work.hound(&["-q", "results", "out"]);
    assert!(quiet.is_good() && quiet.err.is_empty(), "{quiet:?}");
    assert!(quiet.out.contains("Everything"), "{quiet:?}");
    let (_serving, root, verbose) = crawl(&work, "again", &["-v"]);
    for path in ["robots.txt", "a", "b"] {
        let line = format!("{root}/{path}");
        assert!(
            verbose.err.lines().any(|said| said.ends_with(&line)),
            "{path}: {verbose:?}"
        );
    }
}

/// A crawl that went on without its proxy would show its address to everybody it visits.
#[test]
fn a_crawl_that_needs_a_password_again_says_so_and_asks_nobody() {
    let work = Workspace::new();
    let (serving, root) = serve_paths(|_| SiteResponse::html("<title>tea</title>tea".to_owned()));
    let seed = format!("{root}/");
    // Nothing listens there, so this run reads nothing, and it is not what this test is about.
    work.hound(&[
        "crawl",
        "tea",
        &seed,
        "-o",
        "out",
        "--allow-net",
        "127.0.0.0/8",
        "--delay",
        "0s",
        "--retries",
        "0",
        "--max-time",
        "5s",
        "--proxy",
        "http://me:opensesame@127.0.0.1:9/",
    ]);
    for entry in walk(&work.path("out")) {
        let bytes = std::fs::read(&entry).unwrap();
        let secret = b"opensesame";
        assert!(
            !bytes.windows(secret.len()).any(|some| some == secret),
            "{}",
            text(&entry)
        );
    }
    let resumed = work.hound(&["resume", "out"]);
    assert_eq!(resumed.code, Some(BAD_INPUT), "{resumed:?}");
    assert!(
        resumed.err.contains("password") && resumed.err.contains("--proxy"),
        "{resumed:?}"
    );
    assert_eq!(serving.requests().len(), 0, "{:?}", serving.requests());
}

fn walk(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        match path.is_dir() {
            true => files.extend(walk(&path)),
            false => files.push(path),
        }
    }
    files
}
