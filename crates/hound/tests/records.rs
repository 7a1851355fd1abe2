//! The records of a varied crawl: every line matches the published schema, the archive's metadata agree with the records, and
//! rejudging replaces everything a judgement decides. Real processes on a small web on loopback.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may panic")]

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use scenthound_store::{CrawlView, PageRecord, Via, WarcReader};
use scenthound_testweb::{ServeOptions, Serving, SiteResponse, TestSite, serve};
use scenthound_types::{LeaseKind, OutcomeCode, PageNote, Truncation};
use serde_json::Value;

/// A site with one page of every kind that a crawl can encounter.
struct Varied;

fn page(title: &str, words: &str, links: &[&str]) -> SiteResponse {
    // The words of a link count as words of the page, so the links use neutral ones.
    let links: String = links
        .iter()
        .map(|to| format!("<p><a href={to}>more</a></p>"))
        .collect();
    SiteResponse::html(format!("<title>{title}</title><p>{words}</p>{links}"))
}

impl TestSite for Varied {
    fn answer(&self, _host: &str, path: &str) -> SiteResponse {
        match path {
            "/robots.txt" => SiteResponse::text("User-agent: *\nDisallow: /private\nSitemap: /map.xml\n"),
            "/map.xml" => {
                let entry = "<url><loc>/listed</loc></url>";
                SiteResponse::page("application/xml", format!("<urlset>{entry}</urlset>"))
            }
            "/" => page(
                "Tea",
                "green tea and black tea",
                &[
                    "/private",
                    "/missing",
                    "/broken",
                    "/moved",
                    "/away",
                    "/circle/0",
                    "/mail",
                    "/tabbed",
                    "/header",
                    "/deutsch",
                    "/jungle",
                    "/long",
                    "/image",
                    "/plain",
                    "http://192.0.2.1/elsewhere",
                ],
            ),
            "/second" => page("Kettles", "tea needs a kettle", &["/plain", "/only-second"]),
            "/broken" => SiteResponse::fault(503),
            "/moved" => SiteResponse::redirect(301, "/plain"),
            "/away" => SiteResponse::redirect(302, "http://192.0.2.1/away"),
            "/circle/0" => SiteResponse::redirect(302, "/circle/1"),
            "/circle/1" => SiteResponse::redirect(302, "/circle/2"),
            "/circle/2" => SiteResponse::redirect(302, "/circle/3"),
            "/mail" => SiteResponse::redirect(302, "mailto:tea@example.org"),
            "/tabbed" => SiteResponse::html(
                "<title>Tabbed</title><meta name=robots content=\"noindex\tnofollow\"><p>tea <a href=/hidden>hidden</a>",
            ),
            "/header" => page("Header", "tea by header", &[]).with("X-Robots-Tag", "noindex, noarchive"),
            "/deutsch" => page(
                "Tee",
                "Der grüne Tee wird in vielen Ländern getrunken, und nicht nur am Nachmittag, wenn die Gäste kommen und \
                 sich an den Tisch setzen, weil es draußen regnet.",
                &["/nicht-gefolgt"],
            ),
            "/jungle" => page("Jungle", "tea in the jungle", &["/deeper-jungle"]),
            "/long" => page("Long", &"tea and more tea ".repeat(8_000), &[]),
            "/image" => SiteResponse::page("image/png", &b"\x89PNG"[..]),
            "/plain" | "/listed" | "/only-second" => page("Plain", "plain black tea", &[]),
            _ => SiteResponse::missing(),
        }
    }

    fn hosts(&self) -> Vec<String> {
        vec!["127.0.0.1".to_owned()]
    }
}

fn says(folder: &Path, words: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_hound"))
        .args(words)
        .current_dir(folder)
        .output()
        .unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{words:?}: {error}");
    String::from_utf8(output.stdout).unwrap()
}

/// Serves the web and writes a topic file for it, with seeds, politeness settings and these tables.
fn topic(root: &Path, name: &str, more: &str) -> (Serving, String) {
    let serving = serve(Arc::new(Varied), ServeOptions::default()).unwrap();
    let base = format!("http://127.0.0.1:{}", serving.addr().port());
    write_topic(root, name, &base, more);
    (serving, base)
}

fn write_topic(root: &Path, name: &str, base: &str, more: &str) {
    let text = format!(
        "[topic]\nname = \"tea\"\n[seeds]\nurls = [\"{base}/\", \"{base}/second\"]\n[crawl]\nscope = \"host\"\nlang = [\"en\"]\n\
         delay = \"1ms\"\nip-delay = \"0s\"\nmax-delay = \"20ms\"\nretries = 1\nredirects = 2\nmax-page-bytes = \"60KB\"\n\
         sitemaps = \"all\"\nallow-net = [\"127.0.0.0/8\"]\ncontact = \"test@example.org\"\n{more}"
    );
    std::fs::write(root.join(name), text).unwrap();
}

const TERMS: &str = "agents = 2\n[terms]\ncontent = [\"tea\", \"black tea\"]\nexclude = [\"jungle\"]\n";

fn lines(path: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(path).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn records(folder: &Path) -> Vec<PageRecord> {
    let pages = CrawlView::open(folder).unwrap().pages().unwrap();
    pages.map(Result::unwrap).collect()
}

fn found<'r>(records: &'r [PageRecord], path: &str) -> &'r PageRecord {
    let found = records.iter().rfind(|record| record.url.ends_with(path));
    found.unwrap_or_else(|| panic!("no record of {path}"))
}

/// Checks a value against the part of JSON Schema that ours uses; any other keyword fails the test.
fn check(schema: &Value, rule: &Value, value: &Value, at: &str) {
    for (keyword, wanted) in rule.as_object().unwrap() {
        let holds = match keyword.as_str() {
            "$schema" | "title" | "description" | "$defs" => true,
            "$ref" => {
                let target = wanted.as_str().unwrap().strip_prefix('#').unwrap();
                check(schema, schema.pointer(target).unwrap(), value, at);
                true
            }
            "const" => value == wanted,
            "enum" => wanted.as_array().unwrap().contains(value),
            "type" => match wanted.as_str().unwrap() {
                "object" => value.is_object(),
                "array" => value.is_array(),
                "string" => value.is_string(),
                "boolean" => value.is_boolean(),
                "number" => value.is_number(),
                "integer" => value.is_u64() || value.is_i64(),
                other => panic!("{at}: unknown type {other}"),
            },
            "minimum" => value.as_f64().unwrap() >= wanted.as_f64().unwrap(),
            "maximum" => value.as_f64().unwrap() <= wanted.as_f64().unwrap(),
            "minItems" => value.as_array().unwrap().len() as u64 >= wanted.as_u64().unwrap(),
            "pattern" => regex::Regex::new(wanted.as_str().unwrap())
                .unwrap()
                .is_match(value.as_str().unwrap()),
            "items" => {
                for (number, item) in value.as_array().unwrap().iter().enumerate() {
                    check(schema, wanted, item, &format!("{at}[{number}]"));
                }
                true
            }
            "required" => {
                let names = wanted.as_array().unwrap();
                names
                    .iter()
                    .all(|name| value.get(name.as_str().unwrap()).is_some())
            }
            "additionalProperties" => {
                let known = &rule["properties"];
                let fields = value.as_object().unwrap();
                fields.keys().all(|name| known.get(name).is_some())
            }
            "properties" => {
                for (name, rule) in wanted.as_object().unwrap() {
                    if let Some(field) = value.get(name) {
                        check(schema, rule, field, &format!("{at}.{name}"));
                    }
                }
                true
            }
            other => panic!("{at}: unknown keyword {other}"),
        };
        assert!(holds, "{at}: {keyword} {wanted} does not hold for {value}");
    }
}

fn docs(name: &str) -> String {
    std::fs::read_to_string(scenthound_testweb::package_folder().join("../../docs").join(name)).unwrap()
}

fn schema() -> Value {
    serde_json::from_str(&docs("records.schema.json")).unwrap()
}

#[test]
fn every_line_of_a_varied_crawl_matches_the_schema() {
    let temp = tempfile::tempdir().unwrap();
    let root = temp.path();
    let (_serving, base) = topic(root, "tea.toml", TERMS);
    says(root, &["crawl", "tea.toml", "-o", "out"]);
    let schema = schema();
    let folder = root.join("out");
    for (number, line) in (1..).zip(lines(&folder.join("pages/pages.jsonl"))) {
        check(&schema, &schema, &line, &format!("line {number}"));
    }

    // The crawl was as varied as intended.
    let crawl = records(&folder);
    let outcome = |path: &str| found(&crawl, path).outcome;
    assert_eq!(outcome("/private"), OutcomeCode::RefusedRobots);
    assert_eq!(outcome("/missing"), OutcomeCode::FailedStatus4xx);
    assert_eq!(outcome("/broken"), OutcomeCode::FailedStatus5xx);
    assert_eq!(outcome("/moved"), OutcomeCode::Redirect);
    assert_eq!(outcome("/away"), OutcomeCode::RefusedScope);
    assert_eq!(outcome("/circle/2"), OutcomeCode::RefusedTooManyRedirects);
    assert_eq!(outcome("/mail"), OutcomeCode::RefusedRedirectTarget);
    assert_eq!(outcome("/image"), OutcomeCode::RefusedContentType);
    assert_eq!(outcome("/long"), OutcomeCode::OkTruncated);
    assert_eq!(found(&crawl, "/long").truncated, Some(Truncation::Length));
    assert!(found(&crawl, "/private").unasked);
    assert!(
        crawl
            .iter()
            .any(|record| record.will_retry && record.url.ends_with("/broken"))
    );
    assert!(!found(&crawl, "/broken").will_retry && found(&crawl, "/broken").attempt == 1);
    assert_eq!(found(&crawl, "/circle/1").via, Via::Redirect);
    assert_eq!(found(&crawl, "/listed").via, Via::Sitemap);
    assert_eq!(found(&crawl, "/map.xml").kind, LeaseKind::Sitemap);
    assert_eq!(found(&crawl, "/robots.txt").via, Via::Host);
    let agents: BTreeSet<Option<u8>> = crawl.iter().map(|record| record.agent).collect();
    assert!(
        agents.contains(&Some(1)) && agents.contains(&Some(2)),
        "{agents:?}"
    );

    let tabbed = found(&crawl, "/tabbed");
    assert_eq!(tabbed.notes, [PageNote::Noindex, PageNote::Nofollow]);
    assert!(tabbed.hidden && tabbed.skipped.unwrap().nofollow == 1);
    assert!(!crawl.iter().any(|record| record.url.ends_with("/hidden")));
    let header = found(&crawl, "/header");
    assert_eq!(header.notes, [PageNote::Noindex, PageNote::Noarchive]);
    let german = found(&crawl, "/deutsch");
    assert_eq!(german.notes, [PageNote::UnwantedLanguage]);
    assert!(german.hidden && german.skipped.unwrap().unwanted_language == 1);
    let jungle = found(&crawl, "/jungle");
    assert!(jungle.has(PageNote::WrongSense) && jungle.hidden && !jungle.is_relevant());
    assert_eq!(jungle.skipped.unwrap().wrong_sense, 1);
    assert_eq!(found(&crawl, &format!("{base}/")).skipped.unwrap().scope, 1);

    // Hidden pages are not in the results.
    let results = says(root, &["results", "out", "--all", "--format", "jsonl"]);
    for path in ["/tabbed", "/header", "/deutsch", "/jungle"] {
        assert!(!results.contains(&format!("{base}{path}\"")), "{path}: {results}");
    }

    // The archive agrees, including redirects that the crawl refused after the worker had packed them.
    assert_archive_agrees(&folder);

    // With a topic without exclude words, no page is in the wrong sense any more.
    write_topic(
        root,
        "wider.toml",
        &base,
        "agents = 2\n[terms]\ncontent = [\"tea\", \"jungle\"]\n",
    );
    says(root, &["rejudge", "out", "--topic", "wider.toml"]);
    for (number, line) in (1..).zip(lines(&folder.join("pages/judgements-1.jsonl"))) {
        check(
            &schema,
            &schema["$defs"]["judgement"],
            &line,
            &format!("judgement {number}"),
        );
    }
    let again = records(&folder);
    let jungle = found(&again, "/jungle");
    assert!(jungle.is_relevant() && jungle.notes.is_empty() && !jungle.hidden && jungle.skipped.is_none());
    assert!(found(&again, "/tabbed").hidden);
    let story = says(root, &["explain", "out", &format!("{base}/jungle")]);
    assert!(
        story.contains("judged relevant") && !story.contains("wrong sense"),
        "{story}"
    );
}

/// Checks that the archive's metadata and the page records agree about each exchange.
fn assert_archive_agrees(folder: &Path) -> usize {
    let mut archived = Vec::new();
    let mut files: Vec<_> = std::fs::read_dir(folder.join("archive"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    for file in files {
        for record in WarcReader::open(&file).unwrap().map(Result::unwrap) {
            if record.kind() == "metadata" {
                let metadata: Value = serde_json::from_slice(&record.block).unwrap();
                archived.push(metadata);
            }
        }
    }
    let recorded: Vec<PageRecord> = records(folder)
        .into_iter()
        .filter(|record| record.archive.is_some())
        .collect();
    assert_eq!(archived.len(), recorded.len());
    for (metadata, record) in archived.iter().zip(&recorded) {
        let url = &record.url;
        assert_eq!(metadata["kind"], record.kind.name(), "{url}");
        assert_eq!(metadata["outcome"], record.outcome.as_str(), "{url}");
        let judgement = &metadata["judgement"];
        assert_eq!(judgement["relevance"].as_f64(), record.relevance, "{url}");
        assert_eq!(judgement["verdict"] == "relevant", record.is_relevant(), "{url}");
        let parts = serde_json::to_value(&record.parts).unwrap();
        assert_eq!(judgement["parts"], parts, "{url}");
    }
    recorded.len()
}

#[test]
fn the_archive_holds_the_judgement_of_a_strategy_that_judges() {
    let temp = tempfile::tempdir().unwrap();
    let root = temp.path();
    let more = "[judge]\nkind = \"table\"\nthreshold = 0.2\n[strategy]\nkind = \"table\"\ntable-size = 10\n";
    let (_serving, _) = topic(root, "tea.toml", more);
    says(root, &["crawl", "tea.toml", "-o", "out"]);
    let folder = root.join("out");
    assert!(assert_archive_agrees(&folder) > 10);
    let relevant = records(&folder)
        .iter()
        .filter(|record| record.is_relevant())
        .count();
    assert!(relevant > 2, "{relevant}");
}

#[test]
fn every_code_and_field_is_documented() {
    let schema = schema();
    let codes: Vec<&str> = OutcomeCode::ALL.iter().map(|code| code.as_str()).collect();
    assert_eq!(schema["$defs"]["outcome"]["enum"], serde_json::json!(codes));
    let text = docs("records.md");
    let fields = schema["properties"].as_object().unwrap().keys();
    let notes = schema["$defs"]["notes"]["items"]["enum"].as_array().unwrap();
    let notes = notes.iter().map(|note| note.as_str().unwrap());
    for name in fields.map(String::as_str).chain(notes).chain(codes) {
        assert!(
            text.contains(&format!("`{name}`")),
            "{name} is missing from records.md"
        );
    }
}
