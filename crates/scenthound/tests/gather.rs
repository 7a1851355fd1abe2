//! The folders of several nodes, read as one.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use scenthound::{Collection, read_as_one};
use scenthound_store::CrawlFolder;

/// A node's folder with records that look like those of a crawl: `seconds url`.
fn node(above: &Path, name: &str, records: &[(u32, &str)]) -> PathBuf {
    let folder = above.join(format!("node-{name}"));
    let crawl = CrawlFolder::open_or_create(&folder).unwrap();
    fs::write(folder.join("node.txt"), name).unwrap();
    let file = crawl.layout().archive().join("tea-00000.warc.gz");
    fs::write(file, name).unwrap();
    drop(crawl);
    record(&folder, records);
    folder
}

fn record(node: &Path, records: &[(u32, &str)]) {
    let pages = node.join("pages/pages.jsonl");
    let mut file = fs::OpenOptions::new()
        .create(true)
        .append(true)
        .open(pages)
        .unwrap();
    for (second, url) in records {
        let record = scenthound::PageRecord {
            url: (*url).to_owned(),
            fetched_at: format!("2026-01-01T00:00:{second:02}.000Z"),
            relevance: Some(0.5),
            relevant: Some(true),
            archive: Some(scenthound_store::Position {
                file: "tea-00000.warc.gz".into(),
                offset: 0,
                length: 1,
            }),
            ..scenthound::PageRecord::default()
        };
        writeln!(file, "{}", serde_json::to_string(&record).unwrap()).unwrap();
    }
}

/// The URLs of a collection, each with what its archive file holds.
fn pages(collection: &Collection) -> Vec<(String, String)> {
    let archive = collection.view().layout().archive();
    collection
        .pages()
        .unwrap()
        .map(|page| {
            let page = page.unwrap();
            let file = archive.join(&*page.archive.unwrap().file);
            (page.url, fs::read_to_string(file).unwrap())
        })
        .collect()
}

fn read(named: &[PathBuf]) -> Collection {
    let folders = read_as_one(named).unwrap();
    assert_eq!(folders.len(), 1, "{folders:?}");
    Collection::open(&folders[0]).unwrap()
}

fn expect(collection: &Collection, expected: &[(&str, &str)]) {
    let expected: Vec<(String, String)> = expected
        .iter()
        .map(|(url, node)| ((*url).to_owned(), (*node).to_owned()))
        .collect();
    assert_eq!(pages(collection), expected);
}

const ONE: &str = "http://tea.example/1";
const TWO: &str = "http://tea.example/2";
const THREE: &str = "http://tea.example/3";
const FOUR: &str = "http://tea.example/4";

#[test]
fn nodes_are_one_collection_with_each_page_once_and_grow_with_their_records() {
    let temp = tempfile::tempdir().unwrap();
    let above = temp.path().to_owned();
    let a = node(&above, "a", &[(1, ONE), (3, TWO)]);
    let b = node(&above, "b", &[(2, THREE), (4, TWO)]);
    // Node b died before it could commit the second page, or a did: it is in the records of both.
    let expected = [(ONE, "a"), (THREE, "b"), (TWO, "a")];
    expect(&read(std::slice::from_ref(&above)), &expected);
    expect(&read(&[a.clone(), b.clone()]), &expected);
    // One folder alone is what it says.
    expect(&read(std::slice::from_ref(&b)), &[(THREE, "b"), (TWO, "b")]);

    record(&a, &[(5, FOUR)]);
    let torn = b.join("pages/pages.jsonl");
    let before = fs::read(&torn).unwrap();
    fs::write(&torn, [&before[..], b"{\"url\": \"http://tea.exa"].concat()).unwrap();
    let grown = [(ONE, "a"), (THREE, "b"), (TWO, "a"), (FOUR, "a")];
    expect(&read(std::slice::from_ref(&above)), &grown);
    let c = node(&above, "c", &[(6, FOUR), (7, "http://tea.example/5")]);
    let all = read(std::slice::from_ref(&above));
    assert_eq!(pages(&all).len(), 5);
    assert_eq!(all.nodes().unwrap().len(), 3);
    assert_eq!(all.status().unwrap().figures.pages, 5);

    // The folder is moved as a whole, and nothing is read twice.
    let moved = tempfile::tempdir().unwrap();
    let moved = moved.path().join("moved");
    fs::rename(&above, &moved).unwrap();
    assert_eq!(pages(&read(std::slice::from_ref(&moved))).len(), 5);
    assert!(!c.exists());
}

#[test]
fn records_that_a_killed_node_takes_back_are_forgotten() {
    let temp = tempfile::tempdir().unwrap();
    let above = temp.path().to_owned();
    let a = node(&above, "a", &[(1, ONE)]);
    let committed = fs::read(a.join("pages/pages.jsonl")).unwrap();
    record(&a, &[(3, TWO)]);
    node(&above, "b", &[(2, THREE)]);
    expect(
        &read(std::slice::from_ref(&above)),
        &[(ONE, "a"), (THREE, "b"), (TWO, "a")],
    );
    fs::write(a.join("pages/pages.jsonl"), &committed).unwrap();
    record(&a, &[(5, FOUR), (6, TWO)]);
    let expected = [(ONE, "a"), (THREE, "b"), (FOUR, "a"), (TWO, "a")];
    expect(&read(std::slice::from_ref(&above)), &expected);
}
