//! `hound graph` and `hound train layers` from the command line: edge lists, Common Crawl's format, finished and running crawls.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod common;

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use common::bench_web::Web;
use common::{hound_in, refuses, says};
use flate2::Compression;
use flate2::write::GzEncoder;
use scenthound_store::{CrawlView, PageRecord};

/// Two targets and the links that lead to them.
const LINKS: &str = "\
# source and target
http://far.test/\thttp://hub.test/
http://hub.test/\thttp://green.test/tea
http://hub.test/\thttp://black.test/tea
http://other.test/\thttp://black.test/tea\tan anchor
http://green.test/tea\thttp://far.test/
http://HUB.test:80/#top\thttp://green.test/tea
";

fn zipped(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let mut gz = GzEncoder::new(fs::File::create(path).unwrap(), Compression::fast());
    gz.write_all(text.as_bytes()).unwrap();
    gz.finish().unwrap();
}

fn files_in(folder: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(folder).unwrap();
    entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect()
}

#[test]
fn an_edge_list_becomes_a_graph_with_back_links_and_layers() {
    let temp = tempfile::tempdir().unwrap();
    let folder = temp.path();
    fs::write(folder.join("links.tsv"), LINKS).unwrap();
    zipped(&folder.join("links.tsv.gz"), LINKS);
    let summary = says(folder, &["graph", "build", "links.tsv", "-o", "plain.graph"]);
    assert!(
        summary.contains("6 lines") && summary.contains("5 URLs"),
        "{summary}"
    );
    assert!(summary.contains("links    5"), "{summary}");
    // The same links twice, compressed and with the files in another order, give the same graph.
    says(
        folder,
        &[
            "graph",
            "build",
            "links.tsv.gz",
            "links.tsv",
            "-o",
            "both.graph",
            "--memory",
            "1",
        ],
    );
    assert_eq!(
        fs::read(folder.join("plain.graph")).unwrap(),
        fs::read(folder.join("both.graph")).unwrap()
    );
    assert!(refuses(folder, &["graph", "build", "links.tsv", "-o", "both.graph"]).contains("--force"));

    let asked = [
        "graph",
        "backlinks",
        "http://black.test/tea#x",
        "--graph",
        "both.graph",
    ];
    assert_eq!(says(folder, &asked), "http://hub.test/\nhttp://other.test/\n");
    let json = hound_in(folder, &[&asked[..], &["--json", "--most", "1"]].concat()).json();
    assert_eq!(json["count"], 2);
    assert_eq!(json["found"], "http://black.test/tea");
    assert_eq!(json["backlinks"], serde_json::json!(["http://hub.test/"]));
    assert_eq!(
        says(
            folder,
            &[
                "graph",
                "backlinks",
                "http://other.test/",
                "--graph",
                "both.graph"
            ]
        ),
        ""
    );
    let nowhere = refuses(
        folder,
        &[
            "graph",
            "backlinks",
            "http://nowhere.test/",
            "--graph",
            "both.graph",
        ],
    );
    assert!(
        nowhere.contains("http://nowhere.test/ is not in both.graph"),
        "{nowhere}"
    );
    let no_url = refuses(
        folder,
        &["graph", "backlinks", "black.test", "--graph", "both.graph"],
    );
    assert!(no_url.contains("https://example.org/a"), "{no_url}");

    fs::write(
        folder.join("targets.txt"),
        "# tea\nhttp://green.test/tea\nhttp://black.test/tea\nhttp://red.test/\n",
    )
    .unwrap();
    let context = hound_in(
        folder,
        &[
            "graph",
            "context",
            "--targets",
            "targets.txt",
            "--layers",
            "3",
            "--graph",
            "both.graph",
            "-o",
            "c.tsv",
        ],
    );
    let expected = "
layer  pages
    0      2  targets
    1      2  1 link away
    2      1  2 links away
    3      0  3 links away
in short: 2/2/1/0
";
    assert_eq!(format!("\n{}", context.out), expected);
    let noted = context.err;
    assert!(
        noted.contains("1 of 3 targets") && noted.contains("http://red.test/ (line 4)"),
        "{noted}"
    );
    assert_eq!(
        fs::read_to_string(folder.join("c.tsv")).unwrap(),
        "0\thttp://black.test/tea\n0\thttp://green.test/tea\n1\thttp://hub.test/\n1\thttp://other.test/\n2\thttp://far.test/\n"
    );
    let few = says(
        folder,
        &[
            "graph",
            "context",
            "--targets",
            "targets.txt",
            "--graph",
            "both.graph",
            "--most-per-layer",
            "1",
        ],
    );
    assert!(few.contains("in short: 2/1/"), "{few}");
}

#[test]
fn common_crawls_format_is_read_in_parts_and_queried_by_url() {
    let temp = tempfile::tempdir().unwrap();
    let folder = temp.path();
    zipped(&folder.join("v/part-0.txt.gz"), "0\tcom.shop\t1\n1\torg.tea\t4\n");
    zipped(
        &folder.join("v/part-1.txt.gz"),
        "2\torg.tea.blog\t1\n3\tuk.co.leaf\t2\n",
    );
    zipped(&folder.join("e/part-0.txt.gz"), "0\t1\n2\t1\n");
    zipped(&folder.join("e/part-1.txt.gz"), "3\t0\n3\t2\n");
    let summary = says(
        folder,
        &[
            "graph",
            "build",
            "--vertices",
            "v",
            "--edges",
            "e",
            "-o",
            "cc.graph",
        ],
    );
    assert!(
        summary.contains("nodes    4 hosts") && summary.contains("links    4"),
        "{summary}"
    );
    for asked in ["https://www.tea.org/some/page", "tea.org", "http://shop.tea.org/"] {
        let sources = says(folder, &["graph", "backlinks", asked, "--graph", "cc.graph"]);
        assert_eq!(sources, "shop.com\nblog.tea.org\n", "{asked}");
    }
    fs::write(folder.join("targets.txt"), "https://www.tea.org/some/page\n").unwrap();
    let context = says(
        folder,
        &[
            "graph",
            "context",
            "--targets",
            "targets.txt",
            "--graph",
            "cc.graph",
            "-o",
            "c.tsv",
        ],
    );
    assert!(
        context.contains("hosts") && context.contains("in short: 1/2/1/0/0"),
        "{context}"
    );
    assert_eq!(
        fs::read_to_string(folder.join("c.tsv")).unwrap(),
        "0\ttea.org\n1\tshop.com\n1\tblog.tea.org\n2\tleaf.co.uk\n"
    );

    zipped(&folder.join("more.gz"), "0\t9\n");
    let arguments = [
        "graph",
        "build",
        "--vertices",
        "v",
        "--edges",
        "e",
        "more.gz",
        "-o",
        "b.graph",
    ];
    let said = refuses(folder, &arguments);
    assert!(said.contains("more.gz:1: no vertex has the number 9"), "{said}");
    assert!(!folder.join("b.graph").exists());
    // Hosts and URLs can be combined in one graph.
    fs::write(folder.join("links.tsv"), LINKS).unwrap();
    let both = says(
        folder,
        &[
            "graph",
            "build",
            "links.tsv",
            "--vertices",
            "v",
            "--edges",
            "e",
            "-o",
            "b.graph",
        ],
    );
    assert!(
        both.contains("nodes    5 URLs, 4 hosts") && both.contains("links    9"),
        "{both}"
    );
}

#[test]
fn a_bad_line_is_named_and_nothing_is_left_behind() {
    let temp = tempfile::tempdir().unwrap();
    let folder = temp.path();
    let list = format!("{LINKS}not a link\nhttp://a.test/\tftp://b.test/\n");
    fs::write(folder.join("links.tsv"), &list).unwrap();
    let before = files_in(folder);
    let said = refuses(folder, &["graph", "build", "links.tsv", "-o", "web.graph"]);
    assert!(
        said.contains("links.tsv:8: no tab found; write source<TAB>target"),
        "{said}"
    );
    assert_eq!(files_in(folder), before);
    let output = hound_in(
        folder,
        &["graph", "build", "links.tsv", "-o", "web.graph", "--skip-bad"],
    );
    assert!(output.is_good());
    assert!(output.out.contains("8 lines, 2 of them skipped"), "{output:?}");
    let noted = output.err;
    assert!(
        noted.contains("2 bad lines skipped, the first: links.tsv:8"),
        "{noted}"
    );

    zipped(&folder.join("cut.gz"), &LINKS.repeat(500));
    let whole = fs::read(folder.join("cut.gz")).unwrap();
    fs::write(folder.join("cut.gz"), &whole[..whole.len() / 2]).unwrap();
    let output = hound_in(folder, &["graph", "build", "cut.gz", "-o", "cut.graph"]);
    assert!(!output.is_good() && output.err.contains("cut.gz"), "{output:?}");
    assert!(!folder.join("cut.graph").exists());
    let said = refuses(folder, &["graph", "build", "nowhere", "-o", "x.graph"]);
    assert!(said.contains("nowhere does not exist"), "{said}");
}

#[test]
fn damaged_and_foreign_files_are_refused() {
    let temp = tempfile::tempdir().unwrap();
    let folder = temp.path();
    fs::write(folder.join("links.tsv"), LINKS).unwrap();
    says(folder, &["graph", "build", "links.tsv", "-o", "web.graph"]);
    let path = folder.join("web.graph");
    let whole = fs::read(&path).unwrap();
    let ask = || {
        refuses(
            folder,
            &[
                "graph",
                "backlinks",
                "http://green.test/tea",
                "--graph",
                "web.graph",
            ],
        )
    };
    let mut bytes = whole.clone();
    bytes[100] ^= 1;
    fs::write(&path, &bytes).unwrap();
    assert!(ask().contains("web.graph is damaged"), "{}", ask());
    fs::write(&path, &whole[..whole.len() - 3]).unwrap();
    assert!(ask().contains("web.graph is damaged"), "{}", ask());
    let mut bytes = whole.clone();
    bytes[8] = 7;
    fs::write(&path, &bytes).unwrap();
    assert!(
        ask().contains("version 7") && ask().contains("build it again"),
        "{}",
        ask()
    );
    fs::write(&path, LINKS).unwrap();
    assert!(
        ask().contains("is not a link graph; make one with hound graph build"),
        "{}",
        ask()
    );
    fs::write(&path, whole).unwrap();
    let said = refuses(folder, &["graph", "build", "web.graph", "-o", "b.graph"]);
    assert!(said.contains("a link graph already"), "{said}");
}

/// The pages read so far; none if the folder does not exist yet.
fn pages_read(folder: &Path) -> Vec<PageRecord> {
    let Ok(reader) = CrawlView::open(&folder.join("crawl")).and_then(|view| view.pages()) else {
        return Vec::new();
    };
    reader
        .filter_map(Result::ok)
        .filter(|record| record.is_page() && record.is_ok())
        .collect()
}

#[test]
fn a_crawl_gives_back_links_and_trains_layers() {
    let temp = tempfile::tempdir().unwrap();
    let folder = temp.path();
    let web = Web::start();
    let options = ["--strategy", "breadth-first", "--max-pages", "80"];
    let mut crawl = web.crawl(&folder.join("crawl"), &options);
    assert_ne!(crawl.wait().unwrap().code(), Some(1));
    let pages = pages_read(folder);
    assert!(pages.len() >= 50, "{} pages", pages.len());
    let summary = says(folder, &["graph", "build", "crawl", "-o", "crawl.graph"]);
    assert!(summary.contains(&format!("{} pages", pages.len())), "{summary}");
    // However you ask, a page's parent is among the pages that link to it.
    for record in pages.iter().filter(|record| record.parent.is_some()).step_by(10) {
        let by_graph = says(
            folder,
            &["graph", "backlinks", &record.url, "--graph", "crawl.graph"],
        );
        let sources: BTreeSet<&str> = by_graph.lines().collect();
        assert!(sources.contains(record.parent.as_deref().unwrap()), "{by_graph}");
        let by_crawl = says(folder, &["graph", "backlinks", &record.url, "crawl"]);
        assert_eq!(by_crawl, by_graph);
        let archive = says(
            folder,
            &["graph", "backlinks", &record.url, "--web", "crawl/archive"],
        );
        let of_web: BTreeSet<&str> = archive.lines().collect();
        assert_eq!(of_web, sources);
    }

    let targets: Vec<&str> = pages
        .iter()
        .skip(20)
        .step_by(7)
        .map(|page| page.url.as_str())
        .collect();
    fs::write(folder.join("targets.txt"), targets.join("\n")).unwrap();
    let context = ["graph", "context", "--targets", "targets.txt", "--layers", "2"];
    let by_graph = says(
        folder,
        &[&context[..], &["--graph", "crawl.graph", "-o", "c.tsv"]].concat(),
    );
    assert_eq!(says(folder, &[&context[..], &["crawl"]].concat()), by_graph);
    let short = by_graph
        .lines()
        .last()
        .unwrap()
        .strip_prefix("in short: ")
        .unwrap();
    let of_list = says(
        folder,
        &[
            "train", "layers", "--graph", "c.tsv", "--pages", "crawl", "-o", "a.layers", "--folds", "2",
        ],
    );
    for part in [
        format!("context graph: {short}").as_str(),
        &format!("pages with words: {short}"),
        "the best by χ²:",
        "  layer 2: ",
        "on held-out pages, in 2 folds",
        "s of training on ",
        "µs to find the layer of a page",
    ] {
        assert!(of_list.contains(part), "{part:?} is missing in\n{of_list}");
    }
    let model = |name: &str| fs::read(folder.join(name)).unwrap();
    let layers = [
        "--targets",
        "targets.txt",
        "--layers",
        "2",
        "--pages",
        "crawl",
        "-o",
    ];
    says(
        folder,
        &[
            &["train", "layers", "--graph", "crawl.graph"],
            &layers[..],
            &["b.layers"],
        ]
        .concat(),
    );
    says(
        folder,
        &[&["train", "layers"], &layers[..], &["c.layers"]].concat(),
    );
    assert!(model("a.layers") == model("b.layers"));
    // A crawl also knows the pages that lie in no layer and learns from them; which ones there are depends on what came first.
    let inside: usize = short.split('/').map(|size| size.parse::<usize>().unwrap()).sum();
    if inside == pages.len() {
        assert!(model("b.layers") == model("c.layers"));
    }
    // Fetched pages give the same words.
    says(
        folder,
        &[
            "train",
            "layers",
            "--graph",
            "c.tsv",
            "--fetch",
            "--allow-net",
            "127.0.0.0/8",
            "--delay",
            "0s",
            "--contact",
            "test@example.org",
            "-o",
            "d.layers",
        ],
    );
    let sizes = |name: &str| {
        scenthound_judge::LayerModel::load(&folder.join(name))
            .unwrap()
            .sizes()
            .to_vec()
    };
    assert_eq!(sizes("d.layers"), sizes("a.layers"));

    let said = refuses(folder, &["train", "layers", "--graph", "c.tsv", "-o", "e.layers"]);
    assert!(said.contains("--pages DIR|WARC"), "{said}");
    let said = refuses(folder, &["train", "layers", "--pages", "crawl", "-o", "e.layers"]);
    assert!(said.contains("--targets FILE"), "{said}");
    fs::write(
        folder.join("bad.tsv"),
        "0\thttp://a.test/\nzero\thttp://b.test/\n",
    )
    .unwrap();
    let said = refuses(
        folder,
        &[
            "train", "layers", "--graph", "bad.tsv", "--pages", "crawl", "-o", "e.layers",
        ],
    );
    assert!(said.contains("bad.tsv:2: "), "{said}");
}

#[test]
fn a_running_crawl_gives_the_back_links_read_so_far() {
    let temp = tempfile::tempdir().unwrap();
    let folder = temp.path();
    let web = Web::start();
    let mut crawl = web.crawl(&folder.join("crawl"), &["--strategy", "breadth-first"]);
    let pages = loop {
        let pages = pages_read(folder);
        let is_linked = |page: &PageRecord| page.parent.is_some();
        if pages.iter().any(is_linked) {
            break pages;
        }
        assert!(
            crawl.try_wait().unwrap().is_none(),
            "the crawl ended before it read two pages"
        );
        std::thread::sleep(Duration::from_millis(20));
    };
    // However slow this machine is, the crawl is still running while we query it.
    let halted = Command::new("kill")
        .args(["-STOP", &crawl.id().to_string()])
        .status();
    assert!(halted.unwrap().success());
    let linked = pages.iter().find(|page| page.parent.is_some()).unwrap();
    let sources = says(folder, &["graph", "backlinks", &linked.url, "crawl"]);
    assert!(crawl.try_wait().unwrap().is_none(), "the crawl has ended");
    crawl.kill().unwrap();
    crawl.wait().unwrap();
    assert!(
        sources
            .lines()
            .any(|source| Some(source) == linked.parent.as_deref()),
        "{sources}"
    );
}
