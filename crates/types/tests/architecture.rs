//! The table of crates in ARCHITECTURE.md says which crate uses which. This test fails when a manifest says otherwise, so a
//! new dependency between our crates is a decision somebody wrote down.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The crates that each crate uses, by the names ARCHITECTURE.md gives them.
type Uses = BTreeMap<String, BTreeSet<String>>;

/// The folder of the project: of this clone, also if another built the test.
fn root() -> PathBuf {
    PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").unwrap()).join("../..")
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// What the manifests say: every dependency of ours that is not for tests only.
fn in_manifests(root: &Path) -> Uses {
    let mut uses = Uses::new();
    for folder in std::fs::read_dir(root.join("crates")).unwrap() {
        let folder = folder.unwrap().path();
        let text = read(&folder.join("Cargo.toml"));
        let name = folder.file_name().unwrap().to_string_lossy().into_owned();
        let used = uses.entry(name).or_default();
        let mut is_dependency = false;
        for line in text.lines() {
            if line.starts_with('[') {
                is_dependency = line == "[dependencies]";
            }
            let ours = line.split(['.', ' ', '=']).next();
            if let Some(ours) = ours.filter(|name| is_dependency && name.starts_with("scenthound")) {
                used.insert(ours.strip_prefix("scenthound-").unwrap_or(ours).to_owned());
            }
        }
    }
    uses
}

/// What the page says: the rows `| [name](…) | owns | uses | must not contain |`.
fn in_table(root: &Path) -> Uses {
    let page = read(&root.join("ARCHITECTURE.md"));
    page.lines()
        .filter_map(|line| {
            let mut cells = line.split('|').map(str::trim).skip(1);
            let name = cells
                .next()?
                .strip_prefix('[')?
                .split_once("](crates/")?
                .0
                .to_owned();
            let used = cells.nth(1)?.split(',').map(|name| name.trim().to_owned());
            Some((name, used.filter(|name| !name.is_empty()).collect()))
        })
        .collect()
}

#[test]
fn crates_use_what_the_architecture_page_says_and_nothing_else() {
    let root = root();
    let (manifests, table) = (in_manifests(&root), in_table(&root));
    let names = |uses: &Uses| uses.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&manifests), names(&table), "every crate has a row");
    for (name, used) in &manifests {
        assert_eq!(Some(used), table.get(name), "what {name} uses");
    }
}

#[test]
fn the_four_that_must_not_see_each_other_do_not() {
    let root = root();
    let apart = ["strategy", "judge", "parse", "frontier"];
    for (name, used) in in_manifests(&root) {
        if apart.contains(&name.as_str()) {
            let seen: Vec<_> = used
                .iter()
                .filter(|used| apart.contains(&used.as_str()))
                .collect();
            assert!(seen.is_empty(), "{name} sees {seen:?}");
        }
    }
}
