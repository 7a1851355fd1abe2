//! `hound terms` and `hound judge` from the command line, on pages, archives and crawl folders made here.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod common;

use std::fs;
use std::path::Path;

use common::{refuses, says};
use scenthound_store::{
    ArchiveSettings, CrawlFolder, Exchange, Mark, Packer, PageRecord, Protocol, RecordFiles,
};
use scenthound_testweb::shared_data;
use scenthound_types::{CanonicalUrl, Timestamp};
use tempfile::TempDir;

/// The name and the paragraphs of each page.
const PAGES: &[(&str, &[&str])] = &[
    ("syllabus", &["Syllabus of the course", "The instructor", "exam"]),
    (
        "seminar",
        &["Course syllabus", "The instructor", "exam of the course"],
    ),
    (
        "databases",
        &[
            "Syllabus",
            "the relational model",
            "SQL and the relational model",
            "course",
        ],
    ),
    ("shop", &["Buy a relational couch", "the best price"]),
];

const EXAMPLES: &[&str] = &[
    "--genre-terms",
    "4",
    "--content-terms",
    "3",
    "--language",
    "en",
    "--drop-inner",
];

fn html(paragraphs: &[&str]) -> String {
    let body: String = paragraphs.iter().map(|text| format!("<p>{text}</p>")).collect();
    format!("<html><head><meta charset=utf-8></head><body>{body}</body></html>")
}

fn url(name: &str) -> String {
    format!("http://site.test/{name}")
}

fn response(page: &str) -> String {
    format!(
        "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {}\r\n\r\n{page}",
        page.len()
    )
}

/// A folder with each page as a file, all of them as a WARC, and lists of URLs.
fn site() -> TempDir {
    let temp = tempfile::tempdir().unwrap();
    let root = temp.path();
    fs::create_dir(root.join("genre")).unwrap();
    let mut warc = String::new();
    for (name, paragraphs) in PAGES {
        let page = html(paragraphs);
        let folder = if ["syllabus", "seminar"].contains(name) {
            root.join("genre")
        } else {
            root.to_owned()
        };
        fs::write(folder.join(format!("{name}.html")), &page).unwrap();
        let block = response(&page);
        warc.push_str(&format!(
            "WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: {}\r\nContent-Type: application/http;msgtype=response\r\n\
             Content-Length: {}\r\n\r\n{block}\r\n\r\n",
            url(name),
            block.len()
        ));
    }
    fs::write(root.join("all.warc"), warc).unwrap();
    let genre = format!(
        "# pages of the genre\n{}\n\n{}\n",
        url("syllabus"),
        url("seminar")
    );
    fs::write(root.join("genre.txt"), genre).unwrap();
    fs::write(root.join("relevant.txt"), url("databases")).unwrap();
    temp
}

/// The same pages as a crawl folder, in which only the page on databases is relevant.
fn crawl_in(root: &Path) {
    let folder = CrawlFolder::open_or_create(root).unwrap();
    let (mut files, _) =
        RecordFiles::open(&folder, ArchiveSettings::named("crawl", 0), Mark::default()).unwrap();
    let mut packer = Packer::new(0);
    for (sequence, (name, paragraphs)) in (0..).zip(PAGES) {
        let url = CanonicalUrl::parse(&url(name)).unwrap();
        let packed = packer
            .pack(&Exchange {
                sequence,
                url: &url,
                ip: None,
                date: Timestamp::ZERO,
                protocol: Protocol::Http1,
                request: b"",
                response: response(&html(paragraphs)).as_bytes(),
                truncated: None,
                metadata: b"",
            })
            .unwrap();
        let is_relevant = *name == "databases";
        let record = PageRecord {
            url: url.to_string(),
            status: Some(200),
            relevance: Some(if is_relevant { 0.9 } else { 0.1 }),
            relevant: Some(is_relevant),
            archive: Some(files.append_exchange(&packed).unwrap()),
            ..PageRecord::default()
        };
        files.append_page(&record).unwrap();
    }
    files.mark().unwrap();
}

fn generate(folder: &Path, words: &[&str]) -> String {
    says(folder, &[&["terms", "generate"], EXAMPLES, words].concat())
}

#[test]
fn a_topic_is_generated_with_its_counts() {
    let site = site();
    let topic = generate(
        site.path(),
        &[
            "--genre-pages",
            "genre",
            "--relevant-pages",
            "databases.html",
            "--name",
            "databases",
        ],
    );
    let expected = r#"
# Terms taken from 2 genre pages, 1 relevant page
# Delete what does not fit: a picked half is usually better than the whole.

[topic]
name = "databases"
language = "en"

[terms]
genre = [
    "exam",        # 2 times on 2 pages
    "syllabus",    # 2 times on 2 pages
    "instructor",  # 2 times on 2 pages
    "course",      # 3 times on 2 pages
]
content = [
    "relational model",      # 2 times on 1 page
    "sql relational model",  # once on 1 page
]

[seeds]
# urls = ["https://example.org/"]
"#;
    assert!(
        topic.contains("contrasted with") && topic.contains("contrast "),
        "{topic}"
    );
    let without_figures: Vec<&str> = topic
        .lines()
        .map(|line| line.split(", contrast").next().unwrap_or(line))
        .collect();
    assert_eq!(without_figures.join("\n").trim(), expected.trim());
}

#[test]
fn the_same_pages_give_the_same_terms_however_they_are_named() {
    let site = site();
    let root = site.path();
    crawl_in(&root.join("crawl"));
    fs::write(
        root.join("mixed.txt"),
        format!("genre/syllabus.html\n{}\n", url("seminar")),
    )
    .unwrap();
    let from_files = generate(
        root,
        &["--genre-pages", "genre", "--relevant-pages", "databases.html"],
    );
    let ways: &[&[&str]] = &[
        &[
            "--genre-pages",
            "genre/seminar.html",
            "genre/syllabus.html",
            "--relevant-pages",
            "crawl",
        ],
        &[
            "--genre-pages",
            "all.warc#genre.txt",
            "--relevant-pages",
            "all.warc#relevant.txt",
        ],
        &[
            "--genre-pages",
            "genre.txt",
            "--relevant-pages",
            "relevant.txt",
            "--web",
            "all.warc",
        ],
        &[
            "--genre-pages",
            "mixed.txt",
            "--relevant-pages",
            "http://site.test/databases",
            "--web",
            "crawl",
        ],
    ];
    for way in ways {
        assert_eq!(generate(root, way), from_files, "{way:?}");
    }
    let only = [
        "--genre-pages",
        "all.warc",
        "--only",
        "genre.txt",
        "--content-terms",
        "0",
    ];
    let listed = [
        "--genre-pages",
        "genre.txt",
        "--web",
        "all.warc",
        "--content-terms",
        "0",
    ];
    let asked = |words: &[&str]| says(root, &[&["terms", "generate"], words].concat());
    assert_eq!(asked(&only), asked(&listed));
}

#[test]
fn a_generated_topic_judges_pages_and_a_background_removes_common_words() {
    let site = site();
    let root = site.path();
    let words = [
        "--genre-pages",
        "genre",
        "--relevant-pages",
        "databases.html",
        "--background",
        "all.warc",
        "--least-pages",
        "1",
        "-o",
        "topic.toml",
    ];
    assert_eq!(generate(root, &words), "");
    let topic = fs::read_to_string(root.join("topic.toml")).unwrap();
    assert!(
        topic.contains("contrast") && topic.contains("\"relational model\""),
        "{topic}"
    );
    let message = refuses(root, &[&["terms", "generate"], EXAMPLES, &words].concat());
    assert!(
        message.contains("topic.toml already exists") && message.contains("--force"),
        "{message}"
    );

    let judged = says(
        root,
        &["judge", "--topic", "topic.toml", "databases.html", "--json"],
    );
    let judged: serde_json::Value = serde_json::from_str(&judged).unwrap();
    assert_eq!(judged["verdict"], "relevant", "{judged}");
    let ranking = says(root, &["judge", "--topic", "topic.toml", "--from", "all.warc"]);
    // The header, four pages, the summary.
    let last = ranking.lines().nth(4).unwrap();
    assert!(
        last.contains("irrelevant") && last.ends_with("http://site.test/shop"),
        "{ranking}"
    );
    assert!(ranking.contains("4 pages judged, 1 relevant."), "{ranking}");
}

#[test]
fn judging_shows_every_part_and_the_terms_not_found() {
    let site = site();
    let root = site.path();
    crawl_in(&root.join("crawl"));
    let topic = "[topic]\nlanguage = \"en\"\n[terms]\ngenre = [\"syllabus\", \"credits\"]\ncontent = [\"relational model\"]\n[judge]\nkind = \"terms\"\n";
    fs::write(root.join("topic.toml"), topic).unwrap();
    let expected = "\
http://site.test/databases
  relevant: 0.854, threshold 0.45 (10 words, language en)
KIND
  genre 0.707, content 1.000
   share  count  list     term
   1.000      2  content  relational model
   0.707      1  genre    syllabus
  no genre: credits
";
    let words = [
        "judge",
        "--topic",
        "topic.toml",
        "--from",
        "crawl",
        "http://site.test/databases",
    ];
    let shown = says(root, &words);
    // Which kind it is changes with every model.
    let kind = shown
        .lines()
        .find(|line| line.starts_with("  kind of page: "))
        .unwrap();
    assert!(kind.ends_with(" % sure"), "{shown}");
    assert_eq!(shown, expected.replace("KIND", kind));
    let strict = says(root, &[&words[..], &["--threshold", "0.9"]].concat());
    assert!(strict.contains("irrelevant: 0.854, threshold 0.9"), "{strict}");
}

#[test]
fn overlap_gives_three_figures_for_topics_and_for_lists() {
    let temp = tempfile::tempdir().unwrap();
    let root = temp.path();
    fs::write(root.join("a.txt"), "# mine\nSQL\nrelational model\nCafé\nindex\n").unwrap();
    fs::write(root.join("b.txt"), "sql\ncafe\n\ntree\nbtree\nhash\nheap\n").unwrap();
    assert_eq!(
        says(root, &["terms", "overlap", "a.txt", "b.txt"]),
        "all: Dice 40.0 %, of the union 25.0 %, of A's own 50.0 % (2 shared, A has 4, B has 6)\n  SQL, Café\n"
    );
    let topic = |genre: &str, content: &str| {
        format!("[topic]\nlanguage = \"pt\"\n[terms]\ngenre = [{genre}]\ncontent = [{content}]\n")
    };
    fs::write(
        root.join("a.toml"),
        topic("\"ementa\"", "\"banco de dados\", \"sql\""),
    )
    .unwrap();
    fs::write(
        root.join("b.toml"),
        topic("\"curso\"", "\"Banco Dados\", \"sql\""),
    )
    .unwrap();
    let json = says(root, &["terms", "overlap", "a.toml", "b.toml", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["genre"]["dice"], 0.0);
    assert_eq!(json["content"]["dice"], 1.0);
    assert_eq!(json["content"]["shared"][0], "banco de dados");
    assert_eq!((&json["all"]["a"], &json["all"]["b"]), (&3.into(), &3.into()));
}

#[test]
fn the_judge_accepts_a_generated_idf_table() {
    let site = site();
    let root = site.path();
    let topic = "[topic]\nlanguage = \"en\"\n[terms]\ncontent = [\"relational model\", \"syllabus\"]\n[judge]\nidf = \"idf.json\"\n";
    fs::write(root.join("topic.toml"), topic).unwrap();
    let make = |more: &[&str]| {
        let words = ["terms", "idf", "--from", "all.warc", "-o", "idf.json"];
        says(root, &[&words, more].concat());
        let table: serde_json::Value =
            serde_json::from_slice(&fs::read(root.join("idf.json")).unwrap()).unwrap();
        assert_eq!(table["documents"], 4);
        table["terms"].clone()
    };
    let words = make(&[]);
    assert_eq!((&words["syllabus"], &words["relational"]), (&3.into(), &2.into()));
    assert!(words["couch"].is_null(), "words of a single page are left out");
    let terms = make(&["--terms", "topic.toml"]);
    assert_eq!(terms, serde_json::json!({"relational model": 1, "syllabus": 3}));
    let judged = says(
        root,
        &["judge", "--topic", "topic.toml", "databases.html", "--json"],
    );
    let judged: serde_json::Value = serde_json::from_str(&judged).unwrap();
    let share = |at: usize| judged["parts"]["terms"][at]["share"].as_f64().unwrap();
    assert!(share(0) > 4.0 * share(1), "the rare term weighs more: {judged}");
}

#[test]
fn mistakes_are_reported_with_their_position_and_a_remedy() {
    let site = site();
    let root = site.path();
    fs::write(root.join("bad.txt"), "http://site.test/a\n\nno such page\n").unwrap();
    fs::write(root.join("lost.txt"), "http://site.test/lost\n").unwrap();
    fs::write(root.join("typo.txt"), "gone.html\ndatabases.html\n").unwrap();
    fs::create_dir(root.join("empty")).unwrap();
    let generate = |words: &[&str]| {
        let all = [
            &["terms", "generate", "--genre-terms", "0", "--relevant-pages"],
            words,
        ]
        .concat();
        refuses(root, &all)
    };
    for (words, parts) in [
        (
            &["bad.txt", "--web", "all.warc"][..],
            &["bad.txt:3", "one path per line"][..],
        ),
        (
            &["lost.txt", "--web", "all.warc"],
            &["1 URL is not in all.warc", "lost.txt:1"],
        ),
        (&["nowhere.html"], &["nowhere.html does not exist"]),
        (&["www.site.test/a"], &["http://www.site.test/a"]),
        (&["typo.txt"], &["typo.txt:1", "gone.html"]),
        (&["empty"], &["contains no .html"]),
        (&["databases.html", "-o", "topic.txt"], &["end in .toml"]),
        (
            &["databases.html", "--only", "empty.txt"],
            &["empty.txt does not exist"],
        ),
    ] {
        let message = generate(words);
        for part in parts {
            assert!(message.contains(part), "{words:?}: {message}");
        }
    }
    fs::write(root.join("junk.warc.gz"), b"\x1f\x8b\x08 no gzip, no archive").unwrap();
    let message = generate(&["junk.warc.gz"]);
    assert!(
        message.contains("warning:") && message.contains("no relevant pages"),
        "{message}"
    );
    let message = refuses(root, &["terms", "generate", "--relevant-pages", "databases.html"]);
    assert!(
        message.contains("--genre-pages") && message.contains("--genre-terms 0"),
        "{message}"
    );
    let message = refuses(
        root,
        &[
            "terms",
            "idf",
            "--from",
            "http://site.test/databases",
            "-o",
            "idf.json",
        ],
    );
    assert!(
        message.contains("is not fetched here") && message.contains("--from"),
        "{message}"
    );
    let message = refuses(root, &["judge", "--topic", "tea"]);
    assert!(message.contains("--from"), "{message}");
    let message = refuses(root, &["judge", "--topic", "nowhere.toml", "databases.html"]);
    assert!(message.contains("nowhere.toml"), "{message}");
    fs::write(root.join("dashes.txt"), "tea\n--\n").unwrap();
    let message = refuses(root, &["terms", "overlap", "dashes.txt", "dashes.txt"]);
    assert!(message.contains("dashes.txt:2"), "{message}");
}

#[test]
fn chinese_and_japanese_examples_give_terms_that_judge_them() {
    let temp = tempfile::tempdir().unwrap();
    let root = temp.path();
    for (name, text, term) in [
        ("zh", ["数据库课程", "数据库", "我们的数据库"], "数据库"),
        ("ja", ["データ構造", "データの講義", "データ"], "データ"),
    ] {
        let page = format!("{name}.html");
        let topic = format!("{name}.toml");
        fs::write(root.join(&page), html(&text)).unwrap();
        let words = [
            "terms",
            "generate",
            "--genre-terms",
            "0",
            "--content-terms",
            "1",
            "--drop-inner",
            "--relevant-pages",
            &page,
            "--language",
            name,
            "-o",
            &topic,
        ];
        says(root, &words);
        let written = fs::read_to_string(root.join(&topic)).unwrap();
        assert!(written.contains(&format!("\"{term}\",  # 3 times")), "{written}");
        fs::write(
            root.join(&topic),
            format!("{written}\n[judge]\nkind = \"terms\"\n"),
        )
        .unwrap();
        let judged = says(root, &["judge", "--topic", &topic, &page]);
        assert!(judged.contains("relevant: 1.000"), "{judged}");
    }
}

#[test]
fn course_pages_of_a_real_web_give_the_terms_of_their_genre() {
    let Some(web) = shared_data("webs/university") else {
        return;
    };
    let temp = tempfile::tempdir().unwrap();
    let path = |name: &str| web.join(name).to_string_lossy().into_owned();
    let topic = says(
        temp.path(),
        &[
            "terms",
            "generate",
            "--genre-pages",
            &path("qrels/course-pages.positive.txt"),
            "--relevant-pages",
            &path("qrels/databases-courses.positive.txt"),
            "--web",
            &path("pages.warc.gz"),
            "--plain",
        ],
    );
    let (genre, content) = topic.split_once("content = [").unwrap();
    for term in ["course", "homework", "office hours", "exam"] {
        assert!(genre.contains(&format!("\"{term}\",")), "{topic}");
    }
    assert!(content.contains("\"database\","), "{topic}");
}

#[test]
fn judge_says_that_words_need_all_and_a_list_needs_some() {
    let temp = tempfile::tempdir().unwrap();
    let root = temp.path();
    let page = "<title>Engines</title><p>An engine, an engine and an engine again.</p>";
    std::fs::write(root.join("page.html"), page).unwrap();
    let list = "[terms]\ncontent = [\"engine\", \"gearbox\", \"turbo\"]\n";
    std::fs::write(root.join("list.toml"), list).unwrap();
    let as_words = says(root, &["judge", "--topic", "engine gearbox turbo", "page.html"]);
    assert!(
        as_words.contains("(words: a page must show them all)"),
        "{as_words}"
    );
    let as_list = says(root, &["judge", "--topic", "list.toml", "page.html"]);
    assert!(
        as_list.contains("(a list: some of its terms are enough)"),
        "{as_list}"
    );
}
