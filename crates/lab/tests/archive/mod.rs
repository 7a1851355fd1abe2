//! Little hand-written archives, as webs with one task.
#![allow(dead_code, reason = "each test file uses only part of it")]

use std::fs;
use std::path::Path;
use std::sync::Arc;

use scenthound_judge::{Judge, TermJudge, TermSettings};
use scenthound_lab::recorded::WebFolder;
use scenthound_lab::{DirectJudge, PageJudge, Trial};

/// What a URL returned.
pub enum Recorded<'a> {
    /// A page with these words and links.
    Page(&'a str, &'a [&'a str]),
    /// The same, marked with a robots directive, each link marked nofollow.
    NoFollow(&'a str, &'a [&'a str]),
    /// A redirect.
    Moved(&'a str),
    /// A status and nothing else.
    Status(u16),
    /// A plain text, such as a robots.txt.
    Plain(&'a str),
}

fn record(url: &str, recorded: &Recorded<'_>) -> String {
    let html = |words: &str, links: &[&str], rel: &str| {
        let links: String = links
            .iter()
            .map(|link| format!("<p><a{rel} href=\"{link}\">on</a>"))
            .collect();
        format!("HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n<p>{words}{links}")
    };
    let block = match recorded {
        Recorded::Page(words, links) => html(words, links, ""),
        Recorded::NoFollow(words, links) => html(words, links, " rel=nofollow"),
        Recorded::Moved(to) => format!("HTTP/1.1 301 Moved\r\nLocation: {to}\r\n\r\n"),
        Recorded::Status(status) => format!("HTTP/1.1 {status} Status\r\n\r\n"),
        Recorded::Plain(text) => format!("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n{text}"),
    };
    format!(
        "WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nWARC-Date: 2020-01-01T00:00:00Z\r\n\
         WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-000000000000>\r\n\
         Content-Type: application/http;msgtype=response\r\nContent-Length: {}\r\n\r\n{block}\r\n\r\n",
        block.len()
    )
}

/// The pages a task names.
#[derive(Default)]
pub struct Lists<'a> {
    pub seeds: &'a [&'a str],
    pub relevant: &'a [&'a str],
    pub positive: &'a [&'a str],
    pub negative: &'a [&'a str],
    pub ignore: &'a [&'a str],
}

/// Writes a web folder with one task, called `tea`.
pub fn write(folder: &Path, web: &[(&str, Recorded<'_>)], lists: &Lists<'_>) {
    let records: String = web.iter().map(|(url, recorded)| record(url, recorded)).collect();
    fs::write(folder.join("pages.warc"), records).unwrap();
    let named = [
        ("relevant", lists.relevant),
        ("examples-positive", lists.positive),
        ("examples-negative", lists.negative),
        ("ignore", lists.ignore),
    ];
    let mut task = format!(
        "[[task]]\nname = \"tea\"\ncontent = [\"tea\"]\nseeds = {:?}\n",
        lists.seeds
    );
    for (name, list) in named {
        fs::write(folder.join(name), list.join("\n")).unwrap();
        task.push_str(&format!("{name} = \"{name}\"\n"));
    }
    fs::write(folder.join("tasks.toml"), task).unwrap();
}

/// The trials of a web folder, parsed without a cache.
pub fn trials(folder: &Path) -> Vec<Trial> {
    let folder = WebFolder::open(folder).unwrap();
    let (web, _) = folder.load(None, |_| ()).unwrap();
    let web = Arc::new(web);
    folder
        .tasks
        .iter()
        .map(|task| {
            let pages = task.pages(&web).unwrap();
            Trial::new(folder.name.clone(), web.clone(), task.clone(), pages)
        })
        .collect()
}

/// A web and its one task.
pub fn trial(web: &[(&str, Recorded<'_>)], lists: &Lists<'_>) -> Trial {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), web, lists);
    trials(folder.path()).remove(0)
}

/// A judge with the task's own terms.
pub fn terms(trial: &Trial) -> Arc<dyn Judge> {
    trial.term_judge(&trial.terms().unwrap()).unwrap()
}

/// The same, reading each page every time.
pub fn reading(trial: &Trial) -> Arc<dyn PageJudge> {
    Arc::new(DirectJudge(terms(trial)))
}

/// A judge that looks for one word.
pub fn by_word(word: &str) -> Arc<dyn PageJudge> {
    let settings = TermSettings {
        content: vec![word.to_owned()],
        ..TermSettings::default()
    };
    Arc::new(DirectJudge(Arc::new(TermJudge::new(&settings).unwrap())))
}
