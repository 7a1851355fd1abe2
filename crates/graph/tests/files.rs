//! Graphs in files match graphs in memory, however much memory they were built in.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write;
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;
use proptest::prelude::*;
use scenthound_graph::{
    BackLinks, BadLines, ContextGraph, ContextSettings, GraphBuilder, GraphFault, GraphFile, GraphSummary,
    TooMany, build, read_edge_list, read_numbered_edges, read_vertices,
};

/// So little memory that a few hundred links make several runs.
const LITTLE: usize = 16 << 10;

fn name(page: u32) -> String {
    format!("http://site{}.test/{}", page % 7, "x".repeat(page as usize % 90))
}

fn made(folder: &Path, memory: usize, links: &[(u32, u32)], redirects: &[(u32, u32)]) -> GraphSummary {
    let mut builder = GraphBuilder::new(folder, memory).unwrap();
    for (source, target) in links {
        builder.link(&name(*source), &name(*target)).unwrap();
    }
    for (from, to) in redirects {
        builder.redirect(&name(*from), &name(*to)).unwrap();
    }
    let path = folder.join("graph");
    builder
        .name_all(&path, &mut |_| {})
        .unwrap()
        .finish(&mut |_| {})
        .unwrap()
}

/// All links of a file, by the names of target and source.
fn links_of(graph: &mut GraphFile) -> BTreeMap<String, BTreeSet<String>> {
    let mut all = BTreeMap::new();
    for target in 0..graph.nodes() as u32 {
        let mut sources = Vec::new();
        graph.to(target, &mut sources).unwrap();
        assert!(sources.is_sorted());
        let names = sources.iter().map(|source| graph.name(*source).unwrap().unwrap());
        let names: BTreeSet<String> = names.collect();
        let target_name = graph.name(target).unwrap().unwrap();
        assert_eq!(graph.find(&target_name).unwrap(), Some(target));
        if !names.is_empty() {
            all.insert(target_name, names);
        }
    }
    all
}

fn expected(links: &[(u32, u32)]) -> BTreeMap<String, BTreeSet<String>> {
    let mut all: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (source, target) in links {
        if name(*source) != name(*target) {
            all.entry(name(*target)).or_default().insert(name(*source));
        }
    }
    all
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 20, ..ProptestConfig::default() })]

    #[test]
    fn a_graph_in_a_file_is_the_graph_in_memory(
        mut links in prop::collection::vec((0_u32..300, 0_u32..300), 0..1500),
        turn in 0_usize..1500,
    ) {
        let folder = tempfile::tempdir().unwrap();
        let summary = made(folder.path(), LITTLE, &links, &[]);
        let path = folder.path().join("graph");
        let mut graph = GraphFile::open(&path).unwrap();
        let all = expected(&links);
        prop_assert_eq!(links_of(&mut graph), all.clone());
        prop_assert_eq!(summary.links, all.values().map(|sources| sources.len() as u64).sum::<u64>());
        prop_assert_eq!(graph.links(), summary.links);
        prop_assert_eq!(fs::metadata(&path).unwrap().len(), summary.bytes);
        for unknown in ["", "http://site0.test", "http://zzz.test/", "http://site1.test/xy"] {
            prop_assert_eq!(graph.find(unknown).unwrap(), None);
        }

        // The file depends neither on the order of the links nor on the memory.
        let bytes = fs::read(&path).unwrap();
        let turn = turn.min(links.len());
        links.rotate_left(turn);
        made(folder.path(), 1 << 20, &links, &[]);
        prop_assert!(fs::read(&path).unwrap() == bytes);

        // The layers around a target match those of the graph in memory.
        let nodes = graph.nodes() as u32;
        if nodes > 0 {
            let mut numbered = Vec::new();
            for (source, target) in &links {
                let mut number = |page: u32| graph.find(&name(page)).unwrap().unwrap();
                numbered.push((number(*source), number(*target)));
            }
            let in_memory = BackLinks::new(nodes, |tell| {
                numbered.iter().for_each(|(source, target)| tell(*source, *target));
                Ok::<_, TooMany>(())
            }).unwrap();
            let settings = ContextSettings { layers: 3, most_per_layer: Some(20) };
            let target = [turn as u32 % nodes];
            let of_file = ContextGraph::around_by(&target, &settings, |page, out| graph.to(page, out)).unwrap();
            prop_assert_eq!(of_file, ContextGraph::around(&in_memory, &target, &settings));
        }
    }

    #[test]
    fn a_changed_byte_is_an_error_wherever_it_is(at in any::<prop::sample::Index>(), by in 1_u8..) {
        let folder = tempfile::tempdir().unwrap();
        let links: Vec<(u32, u32)> = (0..400).map(|n| (n * 7 % 130, n * n % 90)).collect();
        made(folder.path(), LITTLE, &links, &[(200, 3)]);
        let path = folder.path().join("graph");
        prop_assert!(GraphFile::open(&path).is_ok());
        let mut bytes = fs::read(&path).unwrap();
        let at = at.index(bytes.len());
        bytes[at] ^= by;
        fs::write(&path, bytes).unwrap();
        let is_refused = match GraphFile::open(&path) {
            Err(_) => true,
            Ok(mut graph) => (0..graph.nodes() as u32).any(|node| {
                graph.name(node).is_err() || graph.to(node, &mut Vec::new()).is_err()
            }),
        };
        prop_assert!(is_refused, "a change to byte {at} of the file went unnoticed");
    }

    #[test]
    fn reading_a_list_never_panics(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("list");
        fs::write(&path, &bytes).unwrap();
        let mut builder = GraphBuilder::new(folder.path(), LITTLE).unwrap();
        let _ = read_edge_list(&path, &mut builder, BadLines::Skip, &mut |_| {});
        let _ = read_vertices(&path, &mut builder, BadLines::Skip, &mut |_| {});
        let mut graph = builder.name_all(&folder.path().join("graph"), &mut |_| {}).unwrap();
        let _ = read_numbered_edges(&path, &mut graph, BadLines::Skip, &mut |_| {});
        graph.finish(&mut |_| {}).unwrap();
    }
}

#[test]
fn links_to_what_redirects_lead_on_and_pages_with_links_stay_pages() {
    let folder = tempfile::tempdir().unwrap();
    // 1 → 10, which redirects to 11 and on to 12; 2 → 20, which once redirected and is now a page with a link.
    let links = [(1, 10), (2, 20), (20, 1), (12, 10)];
    let redirects = [(10, 11), (11, 12), (20, 21), (30, 31), (31, 30)];
    let summary = made(folder.path(), LITTLE, &links, &redirects);
    let mut graph = GraphFile::open(&folder.path().join("graph")).unwrap();
    assert_eq!(
        links_of(&mut graph),
        expected(&[(1, 12), (2, 20), (20, 1)]),
        "a link from a page to itself through a redirect does not count"
    );
    assert_eq!(summary.redirects, 4);
    let at = |graph: &mut GraphFile, page| graph.find_page(&name(page)).unwrap().unwrap().node;
    assert_eq!(at(&mut graph, 10), at(&mut graph, 12));
    assert_ne!(at(&mut graph, 20), at(&mut graph, 21));
    assert_ne!(at(&mut graph, 30), at(&mut graph, 31), "circles lead nowhere");
}

fn zipped(path: &Path, text: &str) {
    let mut gz = GzEncoder::new(fs::File::create(path).unwrap(), Compression::fast());
    gz.write_all(text.as_bytes()).unwrap();
    gz.finish().unwrap();
}

#[test]
fn a_graph_of_hosts_is_asked_by_url_or_name() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    // Numbers with a gap, in two parts, as such graphs are published; the third column counts hosts.
    zipped(&at("v0.gz"), "0\tcom.example\t3\n1\torg.tea\t1\n");
    zipped(&at("v1.gz"), "70000\torg.tea.green\t1\n");
    zipped(&at("e.gz"), "0\t1\n70000\t1\n1\t70000\n0\t0\n");
    let mut builder = GraphBuilder::new(folder.path(), build::USUAL_MEMORY).unwrap();
    for part in ["v0.gz", "v1.gz"] {
        read_vertices(&at(part), &mut builder, BadLines::Refuse, &mut |_| {}).unwrap();
    }
    let mut graph = builder.name_all(&at("graph"), &mut |_| {}).unwrap();
    let tally = read_numbered_edges(&at("e.gz"), &mut graph, BadLines::Refuse, &mut |_| {}).unwrap();
    assert_eq!((tally.lines, tally.skipped), (4, 0));
    let summary = graph.finish(&mut |_| {}).unwrap();
    assert_eq!((summary.nodes, summary.hosts, summary.links), (3, 3, 3));
    let mut graph = GraphFile::open(&at("graph")).unwrap();
    let tea = graph.find("org.tea").unwrap().unwrap();
    for asked in [
        "http://tea.org/a",
        "https://www.tea.org/",
        "TEA.org",
        "www.tea.org",
        "http://black.tea.org/",
    ] {
        let found = graph.find_page(asked).unwrap().unwrap();
        assert!(found.node == tea && found.is_host, "{asked}");
    }
    assert_eq!(graph.find_page("http://coffee.org/").unwrap(), None);
    let mut sources = Vec::new();
    graph.to(tea, &mut sources).unwrap();
    let names: Vec<String> = sources
        .iter()
        .map(|source| graph.name(*source).unwrap().unwrap())
        .collect();
    assert_eq!(names, ["com.example", "org.tea.green"]);
}

fn told(list: &str, bad: BadLines) -> Result<(u64, u64, Option<String>), String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("list");
    fs::write(&path, list).unwrap();
    let mut builder = GraphBuilder::new(folder.path(), LITTLE).unwrap();
    let within = |text: String| text.replace(&format!("{}/", folder.path().display()), "");
    read_edge_list(&path, &mut builder, bad, &mut |_| {})
        .map(|tally| (tally.lines, tally.skipped, tally.first.map(within)))
        .map_err(|fault: GraphFault| within(fault.to_string()))
}

#[test]
fn a_bad_line_is_named_and_ends_the_reading_or_is_counted() {
    let good = "# made by hand\nhttp://a.test/\thttp://b.test/\ttea\r\n\n";
    assert_eq!(told(good, BadLines::Refuse), Ok((1, 0, None)));
    let cases = [
        ("http://a.test/ http://b.test/\n", "list:4: no tab found"),
        (
            "a.test\thttp://b.test/\n",
            "list:4: the source \"a.test\" is not a URL",
        ),
        ("12\t13\n", "--vertices FILE --edges FILE"),
        ("http://a.test/\tmailto:x\n", "list:4: the target \"mailto:x\""),
    ];
    for (line, said) in cases {
        let list = format!("{good}{line}http://a.test/\thttp://c.test/");
        let fault = told(&list, BadLines::Refuse).unwrap_err();
        assert!(fault.contains(said), "{fault}");
        let (lines, skipped, first) = told(&list, BadLines::Skip).unwrap();
        assert_eq!((lines, skipped), (3, 1));
        assert!(first.unwrap().contains("list:4"));
    }
}

#[test]
fn lines_without_end_take_no_memory_and_the_next_line_counts() {
    let long = "x".repeat(3 << 20);
    let list = format!("http://a.test/\thttp://b.test/\n{long}\nhttp://a.test/\thttp://c.test/\n");
    let (lines, skipped, first) = told(&list, BadLines::Skip).unwrap();
    assert_eq!((lines, skipped), (3, 1));
    assert!(first.unwrap().starts_with("list:2: longer than"));
}

#[test]
fn other_files_and_versions_are_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    made(folder.path(), LITTLE, &[(1, 2)], &[]);
    let path = folder.path().join("graph");
    let whole = fs::read(&path).unwrap();
    let refusal = |bytes: &[u8]| {
        fs::write(&path, bytes).unwrap();
        GraphFile::open(&path).unwrap_err()
    };
    assert!(matches!(
        refusal(b"http://a.test/\t"),
        GraphFault::NotAGraph { .. }
    ));
    assert!(matches!(refusal(b""), GraphFault::NotAGraph { .. }));
    assert!(matches!(
        refusal(&whole[..whole.len() - 1]),
        GraphFault::Damaged { .. }
    ));
    assert!(matches!(refusal(&whole[..30]), GraphFault::Damaged { .. }));
    let mut later = whole.clone();
    later[8] = 9;
    assert!(matches!(refusal(&later), GraphFault::Version { found: 9, .. }));
    assert!(matches!(
        GraphFile::open(folder.path()),
        Err(GraphFault::NotAGraph { .. })
    ));
}
