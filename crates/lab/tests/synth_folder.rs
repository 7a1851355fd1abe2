//! A synthetic web written as a folder.

#![allow(clippy::unwrap_used, reason = "tests of our own files")]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use scenthound_lab::synth::{SeedKind, SynthFault, SynthSettings, SynthWeb, preset, write_folder};
use scenthound_store::WarcReader;

fn little() -> SynthWeb {
    let settings = SynthSettings {
        seed_kind: SeedKind::OnTopic,
        seeds: 3,
        ..preset("little").unwrap()
    };
    SynthWeb::new(settings).unwrap()
}

fn lines(path: &Path) -> Vec<String> {
    fs::read_to_string(path)
        .unwrap()
        .lines()
        .map(str::to_owned)
        .collect()
}

#[test]
fn a_folder_holds_every_page_its_labels_and_its_tasks() {
    let folder = tempfile::tempdir().unwrap();
    let web = little();
    let mut reported = 0;
    write_folder(&web, folder.path(), &mut |pages| reported = pages).unwrap();
    assert_eq!(reported, 300);

    let mut recorded = BTreeSet::new();
    for record in WarcReader::open(&folder.path().join("pages.warc.gz")).unwrap() {
        let record = record.unwrap();
        let url = record.target_uri().unwrap().to_owned();
        let dead = url.contains("/gone/");
        assert_eq!(record.http().unwrap().status == 404, dead, "{url}");
        recorded.insert(url);
    }
    assert!((0..web.len()).all(|page| recorded.contains(&web.url(page))));
    for part in ["/calendar/", "/gone/"] {
        assert!(recorded.iter().any(|url| url.contains(part)), "{part}");
    }

    let labels = lines(&folder.path().join("labels.tsv"));
    assert_eq!(labels[0], "url\ttopic\tgenre\tlang\tlayer\ttitle");
    assert_eq!(labels.len(), 301);
    assert!(labels.iter().all(|line| line.split('\t').count() == 6));

    let tasks: toml::Table = fs::read_to_string(folder.path().join("tasks.toml"))
        .unwrap()
        .parse()
        .unwrap();
    let tasks = tasks["task"].as_array().unwrap();
    assert_eq!(tasks.len(), 2);
    for (entry, task) in tasks.iter().zip(web.tasks()) {
        assert_eq!(entry["name"].as_str(), Some(task.name.as_str()));
        let list = |key: &str| lines(&folder.path().join(entry[key].as_str().unwrap()));
        let relevant = list("relevant");
        let counted = (0..web.len()).filter(|page| web.is_relevant(task, *page) && !task.is_aside(*page));
        assert_eq!(relevant, counted.map(|page| web.url(page)).collect::<Vec<_>>());
        assert!(relevant.len() > 20);
        assert_eq!(list("examples-positive").len(), 5);
        assert_eq!(list("examples-negative").len(), 10);
        assert_eq!(list("ignore"), task.seeds);
        assert!(entry["content"].as_array().unwrap().len() >= 10);
    }
    let settings = fs::read_to_string(folder.path().join("synth.toml")).unwrap();
    assert_eq!(SynthSettings::from_toml(&settings).unwrap(), *web.settings());
}

#[test]
fn the_same_web_gives_the_same_bytes() {
    let (first, second) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    for folder in [&first, &second] {
        write_folder(&little(), folder.path(), &mut |_| ()).unwrap();
    }
    for file in ["pages.warc.gz", "labels.tsv", "tasks.toml"] {
        let read = |folder: &Path| fs::read(folder.join(file)).unwrap();
        assert_eq!(read(first.path()), read(second.path()), "{file}");
    }
}

#[test]
fn a_folder_with_something_in_it_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("mine.txt"), "mine").unwrap();
    let fault = write_folder(&little(), folder.path(), &mut |_| ()).unwrap_err();
    assert!(matches!(fault, SynthFault::NotEmpty { .. }), "{fault}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}
