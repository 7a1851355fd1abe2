//! Genres from the command line: detectors trained from lists, what they detect in a crawl, and pages in unwanted languages.
//! All webs are generated here and served on loopback.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod common;

use std::path::Path;

use common::{hound_in, refuses, says, serve_paths};
use scenthound_testweb::SiteResponse;

const FILLER: [&str; 8] = [
    "river", "window", "morning", "paper", "garden", "station", "letter", "mountain",
];

/// A page of a kind. Kinds differ by one word only, and pages of a kind differ in length and order.
fn body(kind_word: &str, number: usize) -> String {
    let filler: Vec<&str> = (0..30 + number % 7)
        .map(|n| FILLER[(n * (number + 3)) % FILLER.len()])
        .collect();
    let kind_words = format!("{kind_word} ").repeat(4 + number % 3);
    format!("<p>tea and {} {kind_words} {}</p>", number, filler.join(" "))
}

const EACH: usize = 12;

/// `/blog/N`, `/plain/N`, and `/diary/N`, which are blogs in a language that no word list covers.
fn kinds(path: &str) -> SiteResponse {
    let mut parts = path.trim_start_matches('/').splitn(2, '/');
    let (kind, number) = (parts.next().unwrap_or_default(), parts.next());
    let word = match kind {
        "" => {
            let links: String = ["blog", "plain", "diary"]
                .iter()
                .flat_map(|kind| (0..EACH).map(move |n| format!("<a href=/{kind}/{n}>x</a> ")))
                .collect();
            return SiteResponse::html(format!("<title>Hub</title><p>tea</p>{links}"));
        }
        "blog" => "weblog",
        "plain" => "kettle",
        "diary" => "zurnalik",
        _ => return SiteResponse::missing(),
    };
    let Some(number) = number.and_then(|number| number.parse().ok()) else {
        return SiteResponse::missing();
    };
    SiteResponse::html(format!(
        "<title>Page {kind} {number}</title>{}",
        body(word, number)
    ))
}

/// Writes `pages/`, files of two kinds, and `list.tsv`, which labels them.
fn labelled(folder: &Path) {
    std::fs::create_dir(folder.join("pages")).unwrap();
    let mut list = "# page <tab> class\n".to_owned();
    for (class, word) in [("blog", "blog"), ("other", "teapot")] {
        for number in 0..20 {
            let name = format!("pages/{class}{number}.html");
            let html = format!("<title>Page {number}</title>{}", body(word, number));
            std::fs::write(folder.join(&name), html).unwrap();
            list.push_str(&format!("{name}\t{class}\n"));
        }
    }
    std::fs::write(folder.join("list.tsv"), list).unwrap();
}

const TRAIN: [&str; 9] = [
    "train",
    "genre",
    "--detector",
    "genre-9",
    "--pages",
    "list.tsv",
    "-o",
    "my.model",
    "--json",
];

fn topic(folder: &Path, base: &str) {
    let text = format!(
        "[topic]\nname = \"tea\"\n[terms]\ncontent = [\"tea\"]\n[seeds]\nurls = [\"{base}/\"]\n\
         [crawl]\ndelay = \"1ms\"\nip-delay = \"0s\"\nallow-net = [\"127.0.0.0/8\"]\n"
    );
    std::fs::write(folder.join("tea.toml"), text).unwrap();
}

/// The kinds in the URLs of the results (`blog` for `/blog/3`), in order.
fn kinds_shown(folder: &Path, more: &[&str]) -> Vec<String> {
    let always = ["results", "c", "--all", "--with-duplicates", "--format", "jsonl"];
    hound_in(folder, &[&always, more].concat())
        .json_lines()
        .iter()
        .map(|record| {
            let url = record["url"].as_str().unwrap();
            url.split('/').nth(3).unwrap().to_owned()
        })
        .collect()
}

fn count(kinds: &[String], kind: &str) -> usize {
    kinds.iter().filter(|shown| *shown == kind).count()
}

#[test]
fn a_detector_trained_from_a_list_of_files_chooses_and_orders_results() {
    let temp = tempfile::tempdir().unwrap();
    let root = temp.path();
    labelled(root);
    let result = hound_in(root, &TRAIN).json();
    assert_eq!(result["pages"], 40);
    assert!(result["accuracy"].as_f64().unwrap() > 0.95, "{result}");
    assert_eq!(
        result["confusion"]["classes"],
        serde_json::json!(["blog", "other"])
    );
    let first = std::fs::read(root.join("my.model")).unwrap();
    let again = refuses(root, &TRAIN);
    assert!(again.contains("--force"), "{again}");
    says(root, &[&TRAIN[..], &["--force"]].concat());
    assert_eq!(std::fs::read(root.join("my.model")).unwrap(), first);

    let (_serving, base) = serve_paths(kinds);
    topic(root, &base);
    says(
        root,
        &[
            "crawl",
            "tea.toml",
            "--genre",
            "blog",
            "--judge",
            "terms:genre-model=my.model",
            "-o",
            "c",
        ],
    );
    let all = kinds_shown(root, &[]);
    assert_eq!(
        (count(&all, "blog"), count(&all, "plain"), all.len()),
        (EACH, EACH, 3 * EACH + 1)
    );
    assert_eq!(kinds_shown(root, &["--genre", "blog"]), vec!["blog"; EACH]);
    let others = kinds_shown(root, &["--genre", "other"]);
    assert_eq!(
        (count(&others, "blog"), others.len()),
        (0, 2 * EACH + 1),
        "{others:?}"
    );
    let both = kinds_shown(root, &["--genre", "blog", "--genre", "other"]);
    assert_eq!(both.len(), all.len());

    // Each kind comes first when it is preferred, so the order is no accident.
    let blogs_first = kinds_shown(root, &["--prefer-genre", "blog"]);
    assert_eq!(blogs_first[..EACH], vec!["blog"; EACH]);
    let others_first = kinds_shown(root, &["--prefer-genre", "other"]);
    assert_eq!(others_first[2 * EACH + 1..], vec!["blog"; EACH]);
    assert_eq!(others_first.len(), all.len(), "preferring leaves nothing out");
}

#[test]
fn custom_genre_words_count_like_the_built_in_ones() {
    let temp = tempfile::tempdir().unwrap();
    let root = temp.path();
    labelled(root);
    says(root, &TRAIN);
    std::fs::write(root.join("words.txt"), "[blog]\n*zurnalik* # a diary\n").unwrap();
    std::fs::write(root.join("wrong.txt"), "[blog]\nweblog\n[dairy]\nzurnalik\n").unwrap();
    let (_serving, base) = serve_paths(kinds);
    topic(root, &base);
    let crawl = |words: &str| {
        let judge = format!("terms:genre-model=my.model{words}");
        let always = [
            "crawl", "tea.toml", "--genre", "blog", "--judge", &judge, "-o", "c",
        ];
        let _ = std::fs::remove_dir_all(root.join("c"));
        says(root, &always);
        let blogs = kinds_shown(root, &["--genre", "blog"]);
        (count(&blogs, "blog"), count(&blogs, "diary"), blogs.len())
    };
    assert_eq!(crawl(""), (EACH, 0, EACH));
    assert_eq!(crawl(":genre-words=words.txt"), (EACH, EACH, 2 * EACH));

    // The same from the topic file.
    let text = std::fs::read_to_string(root.join("tea.toml")).unwrap();
    std::fs::write(
        root.join("tea.toml"),
        format!("{text}[judge]\ngenre-words = \"words.txt\"\n"),
    )
    .unwrap();
    assert_eq!(crawl(""), (EACH, EACH, 2 * EACH));

    let wrong = refuses(
        root,
        &[
            "crawl",
            "tea.toml",
            "--genre",
            "blog",
            "--judge",
            "terms:genre-words=wrong.txt",
            "-o",
            "d",
        ],
    );
    assert!(
        wrong.contains("wrong.txt:3") && wrong.contains("[dairy]"),
        "{wrong}"
    );
}

#[test]
fn listed_pages_that_no_web_holds_are_fetched() {
    let temp = tempfile::tempdir().unwrap();
    let root = temp.path();
    let (serving, base) = serve_paths(kinds);
    let list: String = [("blog", "blog"), ("plain", "other")]
        .iter()
        .flat_map(|(kind, class)| {
            let base = &base;
            (0..EACH).map(move |n| format!("{base}/{kind}/{n}\t{class}\n"))
        })
        .collect();
    std::fs::write(root.join("list.tsv"), list).unwrap();
    let fetched = ["--allow-net", "127.0.0.0/8", "--delay", "1ms"];
    let result = hound_in(root, &[&TRAIN[..], &fetched].concat()).json();
    assert_eq!(
        (&result["pages"], &result["model"]),
        (&24.into(), &"my.model".into())
    );
    assert_eq!(serving.count("127.0.0.1", "/blog/3"), 1);
}

#[test]
fn a_bad_list_is_refused_with_its_line() {
    let temp = tempfile::tempdir().unwrap();
    let root = temp.path();
    labelled(root);
    let refusal = |list: &str| {
        std::fs::write(root.join("list.tsv"), list).unwrap();
        refuses(root, &TRAIN)
    };
    let message = refusal("pages/blog0.html\tblog\npages/blog1.html blog\n");
    assert!(
        message.contains("list.tsv:2") && message.contains("a tab"),
        "{message}"
    );
    let message = refusal("pages/blog0.html\tblog\n\npages/nowhere.html\tblog\n");
    assert!(
        message.contains("list.tsv:3") && message.contains("nowhere.html"),
        "{message}"
    );
    let message = refusal("pages/blog0.html\tblog\npages/blog1.html\tblog\n");
    assert!(message.contains("fewer than two classes"), "{message}");
    assert!(!root.join("my.model").exists());
    let message = refuses(root, &["train", "genre", "-o", "my.model"]);
    assert!(message.contains("--web"), "{message}");
}

#[test]
fn a_model_that_is_damaged_or_of_another_kind_is_refused() {
    let temp = tempfile::tempdir().unwrap();
    let root = temp.path();
    labelled(root);
    says(root, &TRAIN);
    let (serving, base) = serve_paths(kinds);
    topic(root, &base);
    let sound = std::fs::read(root.join("my.model")).unwrap();
    let refusal = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut bytes = sound.clone();
        change(&mut bytes);
        std::fs::write(root.join("other.model"), bytes).unwrap();
        let message = refuses(
            root,
            &[
                "crawl",
                "tea.toml",
                "--genre",
                "blog",
                "--judge",
                "terms:genre-model=other.model",
                "-o",
                "c",
            ],
        );
        assert!(message.contains("other.model"), "{message}");
        message
    };
    let message = refusal(&|bytes| *bytes.last_mut().unwrap() ^= 1);
    assert!(message.contains("damaged"), "{message}");
    let message = refusal(&|bytes| bytes.truncate(bytes.len() / 2));
    assert!(message.contains("truncated"), "{message}");
    let message = refusal(&|bytes| *bytes = b"hello".to_vec());
    assert!(message.contains("not a model file"), "{message}");
    // The version of the kind follows the magic bytes, the version of the layout, and the kind with its length.
    let version = b"SCENTMOD".len() + 2 + 1 + b"genre".len();
    let message = refusal(&|bytes| bytes[version] += 1);
    assert!(
        message.contains("version 2") && message.contains("train the model again"),
        "{message}"
    );
    assert_eq!(serving.served(), 0, "a refused crawl sends no requests");
}

const ENGLISH: &str = "The history of tea in the mountains is long, and the people who grow it have many stories about the weather, \
     the harvest and the road to the city. They tell them to everyone who asks. ";
const GERMAN: &str = "Die Geschichte des Tees in den Bergen ist lang, und die Menschen, die ihn anbauen, erzählen viele Geschichten \
     über das Wetter, die Ernte und den Weg in die Stadt. Sie erzählen sie jedem, der fragt. ";

/// `/` links to a page in English and to one in German, which links to another in German.
fn languages(path: &str) -> SiteResponse {
    let page = |text: &str, links: &str| {
        let text = text.repeat(3);
        SiteResponse::html(format!(
            "<meta charset=utf-8><title>{path}</title><p>{text} tea</p>{links}"
        ))
    };
    match path {
        "/" => page(ENGLISH, "<a href=/de/1>x</a> <a href=/en/1>x</a>"),
        "/en/1" => page(ENGLISH, "<a href=/de/1>x</a> <a href=/en/2>x</a>"),
        "/en/2" => page(ENGLISH, "<a href=/de/1>x</a>"),
        "/de/1" => page(GERMAN, "<a href=/de/2>x</a>"),
        "/de/2" => page(GERMAN, ""),
        _ => SiteResponse::missing(),
    }
}

#[test]
fn pages_in_other_languages_are_fetched_once_not_followed_and_explained() {
    let temp = tempfile::tempdir().unwrap();
    let root = temp.path();
    let (serving, base) = serve_paths(languages);
    topic(root, &base);
    let asked = |path: &str| serving.count("127.0.0.1", path);
    let crawl = ["crawl", "tea.toml", "--lang", "en", "-o", "c"];
    says(root, &crawl);
    assert_eq!(
        ["/", "/en/1", "/en/2", "/de/1", "/de/2"].map(asked),
        [1, 1, 1, 1, 0]
    );
    let why = says(root, &["explain", "c", &format!("{base}/de/1")]);
    assert!(
        why.contains("set aside") && why.contains("its language is not wanted"),
        "{why}"
    );
    assert!(!kinds_shown(root, &[]).contains(&"de".to_owned()));

    // The resumed crawl leaves it alone.
    says(root, &crawl);
    assert_eq!(asked("/de/1"), 1);

    // Only the language kept it out.
    std::fs::remove_dir_all(root.join("c")).unwrap();
    says(
        root,
        &["crawl", "tea.toml", "--lang", "en", "--lang", "de", "-o", "c"],
    );
    assert_eq!(["/de/1", "/de/2"].map(asked), [2, 1]);
    assert_eq!(count(&kinds_shown(root, &[]), "de"), 2);
}

/// The links of a JSON table of P_IG, over both kinds of pages.
fn links_counted(table: &serde_json::Value) -> f64 {
    let rows = table["rows"].as_array().unwrap();
    let all = rows.iter().filter(|row| row["genre"] == "all");
    all.map(|row| row["links"].as_f64().unwrap()).sum()
}

#[test]
fn where_links_lead_is_learnt_from_ones_own_crawl_and_used_by_the_next() {
    let temp = tempfile::tempdir().unwrap();
    let root = temp.path();
    let (_serving, base) = serve_paths(kinds);
    topic(root, &base);
    says(root, &["crawl", "tea.toml", "--strategy", "genre", "-o", "c"]);
    let learnt = ["lab", "learn-pig", "--learnt", "c", "-o", "pig.toml", "--json"];
    let learnt = hound_in(root, &learnt).json();
    assert_eq!(learnt["tasks"][0], "learnt during the crawl");
    // Only the hub has links. Of its targets, those that repeat each other are not learnt from again.
    let links = 3.0 * EACH as f64;
    assert!((1.0..=links).contains(&links_counted(&learnt)), "{learnt}");
    // A topic to compare pages with needs no seeds.
    let text = std::fs::read_to_string(root.join("tea.toml")).unwrap();
    let without: Vec<&str> = text.lines().filter(|line| !line.starts_with("urls")).collect();
    std::fs::write(root.join("words.toml"), without.join("\n")).unwrap();
    let counted = [
        "lab",
        "learn-pig",
        "--web",
        "c",
        "--topic",
        "words.toml",
        "--json",
    ];
    let counted = hound_in(root, &counted).json();
    assert_eq!(links_counted(&counted), links, "{counted}");
    let next = "genre:pig=pig.toml:pig-fixed=true";
    says(root, &["crawl", "tea.toml", "--strategy", next, "-o", "d"]);
    let plain = ["crawl", "tea.toml", "--strategy", "best-first", "-o", "e"];
    says(root, &plain);
    let refused = refuses(root, &["lab", "learn-pig", "--learnt", "e"]);
    assert!(refused.contains("has learnt no table"), "{refused}");
}

#[test]
fn judge_shows_the_genre_and_there_is_no_built_in_detector_with_nine_features() {
    let temp = tempfile::tempdir().unwrap();
    let root = temp.path();
    std::fs::write(root.join("page.html"), "<title>Tea</title><p>tea</p>").unwrap();
    let shown = says(root, &["judge", "--topic", "tea", "page.html"]);
    assert!(
        shown.contains("kind of page: ") && shown.contains("% sure"),
        "{shown}"
    );
    let judged = hound_in(root, &["judge", "--topic", "tea", "page.html", "--json"]).json();
    assert!(judged["genre"]["confidence"].as_f64().unwrap() > 0.0, "{judged}");
    let topic =
        "[topic]\nname = \"tea\"\n[terms]\ncontent = [\"tea\"]\n[judge]\ngenre-detector = \"genre-9\"\n";
    std::fs::write(root.join("nine.toml"), topic).unwrap();
    let refused = refuses(root, &["judge", "--topic", "nine.toml", "page.html"]);
    assert!(
        refused.contains("hound train genre --detector genre-9"),
        "{refused}"
    );
}

#[test]
fn thumbnails_that_link_to_pictures_and_little_else_make_a_gallery() {
    let temp = tempfile::tempdir().unwrap();
    let root = temp.path();
    let shown = |name: &str, link: fn(u32) -> String, words: &str| {
        let links: String = (0..8).map(link).collect();
        let page = format!("<title>Tea gardens</title><p>{words}</p><a href=/>home</a>{links}");
        std::fs::write(root.join(name), page).unwrap();
        says(root, &["judge", "--topic", "tea", name])
    };
    let thumbnail = |n| format!("<a href=/big/{n}.JPG><img src=/small/{n}.jpg alt=Tea></a>");
    let is_gallery = |text: &str| text.contains("kind of page: image, 81 % sure");
    let gallery = shown("gallery.html", thumbnail, "Click to enlarge.");
    assert!(is_gallery(&gallery), "{gallery}");
    let article = shown(
        "article.html",
        thumbnail,
        &"The leaves are picked by hand. ".repeat(60),
    );
    assert!(!is_gallery(&article), "{article}");
    let list = shown(
        "list.html",
        |n| format!("<a href=/scan/{n}.gif>Lecture {n}</a>"),
        "",
    );
    assert!(!is_gallery(&list), "{list}");
    let products = shown(
        "products.html",
        |n| format!("<a href=/tea/{n}><img src=/small/{n}.jpg></a>"),
        "",
    );
    assert!(!is_gallery(&products), "{products}");
}

#[test]
fn a_crawl_for_a_genre_that_is_not_detected_as_such_says_so() {
    let temp = tempfile::tempdir().unwrap();
    let root = temp.path();
    let (_serving, base) = serve_paths(kinds);
    topic(root, &base);
    let crawled = |genre: &str, folder: &str| {
        let output = hound_in(root, &["crawl", "tea.toml", "--genre", genre, "-o", folder]);
        output.err
    };
    let image = crawled("image", "i");
    assert!(
        image
            .contains("note: only pages made of thumbnails that link to picture files are detected as image"),
        "{image}"
    );
    let guide = crawled("guide", "g");
    assert!(
        guide.contains("all pages detected as article count as guide"),
        "{guide}"
    );
    for (genre, folder) in [("blog", "b"), ("news", "n")] {
        let told = crawled(genre, folder);
        assert!(!told.contains("detected as"), "{told}");
    }
}
