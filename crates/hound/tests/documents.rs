//! A site with a PDF and a DOCX file that are on topic: they are fetched, judged, listed, searched and exported like pages,
//! and the links in them are followed.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may panic")]

mod common;

use common::{Workspace, serve_paths};
use scenthound_testweb::{Serving, SiteResponse};

/// A PDF of one page: a title, two paragraphs, and a link on the words "second flush".
fn pdf() -> Vec<u8> {
    let content = "BT /F1 18 Tf 72 720 Td (Tea report) Tj /F1 10 Tf 0 -40 Td (Green tea and black tea come from one plant.) Tj \
        0 -12 Td (This tea report counts the tea gardens of Assam.) Tj 0 -30 Td (Read about the ) Tj (second flush) Tj ( of tea.) Tj ET";
    let objects = [
        "<< /Type /Catalog /Pages 2 0 R /Lang (en) >>".to_owned(),
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
        "<< /Type /Page /Contents 4 0 R /Resources << /Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Courier >> >> >> \
         /Annots [<< /Subtype /Link /Rect [160 630 240 650] /A << /S /URI /URI (/flush) >> >>] >>"
            .to_owned(),
        format!("<< /Length {} >>\nstream\n{content}\nendstream", content.len()),
        "<< /Title (The tea report) /Author (Ann Assam) /CreationDate (D:20240305) >>".to_owned(),
    ];
    let mut file = "%PDF-1.4\n".to_owned();
    for (number, object) in (1..).zip(&objects) {
        file.push_str(&format!("{number} 0 obj\n{object}\nendobj\n"));
    }
    file.push_str("trailer << /Root 1 0 R /Info 5 0 R >>\n%%EOF\n");
    file.into_bytes()
}

/// A DOCX file, as an archive without compression.
fn docx() -> Vec<u8> {
    let text = "<w:document><w:body><w:p><w:r><w:t>How to store oolong tea, and why tea dislikes light.</w:t></w:r></w:p>\
        <w:p><w:r><w:t>Keep tea in a tin.</w:t></w:r></w:p></w:body></w:document>";
    let core = "<cp:coreProperties><dc:title>Storing tea</dc:title></cp:coreProperties>";
    let mut archive = Vec::new();
    for (name, content) in [
        ("[Content_Types].xml", "<Types/>"),
        ("docProps/core.xml", core),
        ("word/document.xml", text),
    ] {
        archive.extend(b"PK\x03\x04\x14\0\0\0\0\0");
        archive.extend([0; 8]);
        archive.extend((content.len() as u32).to_le_bytes());
        archive.extend((content.len() as u32).to_le_bytes());
        archive.extend((name.len() as u16).to_le_bytes());
        archive.extend([0; 2]);
        archive.extend(name.bytes());
        archive.extend(content.bytes());
    }
    archive
}

fn answer(path: &str) -> SiteResponse {
    match path {
        "/" => SiteResponse::html(
            "<title>Tea</title><p>Green tea and black tea: <a href=/report.pdf>a tea report</a>, <a href=/store>storing tea</a>, \
             <a href=/old.doc>an old tea file</a>, <a href=/photo.jpg>tea</a>.",
        ),
        "/report.pdf" => SiteResponse::page("application/pdf", pdf()),
        // Without a telling type or ending.
        "/store" => SiteResponse::page("application/octet-stream", docx()),
        "/flush" => {
            SiteResponse::html("<title>Second flush</title><p>The second flush of tea is picked in June.")
        }
        _ => SiteResponse::missing(),
    }
}

fn crawl(work: &Workspace, folder: &str, more: &[&str]) -> (Serving, String) {
    let (serving, root) = serve_paths(answer);
    let url = format!("{root}/");
    let mut words = vec![
        "crawl",
        "tea",
        &url,
        "-o",
        folder,
        "--allow-net",
        "127.0.0.0/8",
        "--delay",
        "0s",
    ];
    words.extend(["--contact", "test@example.org", "--max-pages", "20"]);
    words.extend(more);
    let run = work.hound(&words);
    assert!(run.code.is_some_and(|code| !(2..11).contains(&code)), "{run:?}");
    (serving, root)
}

#[test]
fn documents_are_treated_like_pages() {
    let work = Workspace::new();
    let (_serving, root) = crawl(&work, "out", &[]);
    let path = |line: &serde_json::Value| line["url"].as_str().unwrap().replace(&root, "");

    let results = work.hound(&["results", "out", "--format", "jsonl"]).json_lines();
    let mut listed: Vec<String> = results.iter().map(path).collect();
    listed.sort();
    // The page "/flush" is linked from the PDF only.
    assert_eq!(listed, ["/", "/flush", "/report.pdf", "/store"], "{results:#?}");
    let report = results.iter().find(|line| path(line) == "/report.pdf").unwrap();
    assert_eq!(report["title"], "The tea report");

    let records = std::fs::read_to_string(work.path("out/pages/pages.jsonl")).unwrap();
    let records = common::json_lines(&records);
    let of = |wanted: &str| records.iter().find(|line| path(line) == wanted).unwrap();
    assert_eq!(of("/report.pdf")["language"], "en");
    assert_eq!(
        of("/flush")["parent"].as_str().unwrap(),
        format!("{root}/report.pdf")
    );
    assert_eq!(of("/")["skipped"]["file_ending"], 2);

    let hits = work
        .hound(&["search", "--json", "out", "gardens of assam"])
        .json_lines();
    assert_eq!(hits.iter().map(path).collect::<Vec<_>>(), ["/report.pdf"]);
    let hits = work
        .hound(&["search", "--json", "out", "oolong tin"])
        .json_lines();
    assert_eq!(hits.first().map(path).as_deref(), Some("/store"));

    work.says(&["export", "out", "--to", "jsonl", "--text", "-o", "all.jsonl"]);
    let exported = common::json_lines(&std::fs::read_to_string(work.path("all.jsonl")).unwrap());
    let report = exported.iter().find(|line| path(line) == "/report.pdf").unwrap();
    assert_eq!(report["author"], "Ann Assam", "{report:#}");
    assert_eq!(
        report["text"],
        "Tea report\n\nGreen tea and black tea come from one plant. This tea report counts the tea gardens of Assam.\n\n\
         Read about the second flush of tea."
    );

    let why = work.says(&["explain", "out", &format!("{root}/report.pdf")]);
    assert!(why.contains("tea"), "{why}");
    let why = work.says(&["explain", "out", &format!("{root}/old.doc")]);
    assert!(why.contains("PDF, DOCX or ODT"), "{why}");
    // Reading them again gives the same.
    let rejudged = work.hound(&["rejudge", "out", "--topic", "tea"]);
    assert!(rejudged.is_good(), "{rejudged:?}");
    assert_eq!(
        work.hound(&["results", "out", "--format", "jsonl"])
            .json_lines()
            .len(),
        4
    );
}

#[test]
fn documents_are_skipped_on_request() {
    let work = Workspace::new();
    let (_serving, root) = crawl(&work, "out", &["--skip-documents"]);
    let records = std::fs::read_to_string(work.path("out/pages/pages.jsonl")).unwrap();
    let records = common::json_lines(&records);
    let of = |wanted: &str| {
        let url = format!("{root}{wanted}");
        records
            .iter()
            .find(|line| line["url"] == url.as_str() && line["kind"] == "page")
    };
    assert!(of("/report.pdf").is_none());
    assert_eq!(of("/store").unwrap()["outcome"], "refused-content-type");
    assert_eq!(of("/").unwrap()["skipped"]["file_ending"], 3);
    let why = work.says(&["explain", "out", &format!("{root}/report.pdf")]);
    assert!(why.contains("--skip-documents"), "{why}");
}

/// A document of which nothing can be read must not look like a page that is off topic.
#[test]
fn documents_of_which_nothing_is_read_say_so_everywhere() {
    let work = Workspace::new();
    let (_serving, root) = serve_paths(|path| match path {
        "/" => SiteResponse::html(
            "<title>Tea</title><p>Tea: <a href=/encrypted.pdf>secret tea</a>, <a href=/scan.pdf>tea, scanned</a>, \
             <a href=/slides.pptx>tea slides</a>, <a href=/slides>more tea slides</a>.",
        ),
        "/encrypted.pdf" => SiteResponse::page(
            "application/pdf",
            &include_bytes!("../../document/tests/files/encrypted.pdf")[..],
        ),
        "/scan.pdf" => SiteResponse::page(
            "application/pdf",
            &include_bytes!("../../document/tests/files/scan.pdf")[..],
        ),
        "/slides" => SiteResponse::page(
            "application/vnd.openxmlformats-officedocument.presentationml.presentation",
            &b"PK\x03\x04"[..],
        ),
        _ => SiteResponse::missing(),
    });
    let url = format!("{root}/");
    let common = [
        "--allow-net",
        "127.0.0.0/8",
        "--delay",
        "0s",
        "--contact",
        "test@example.org",
    ];
    let run = work.hound(&[&["crawl", "tea", &url, "-o", "out"], &common[..]].concat());
    assert!(run.is_good(), "{run:?}");
    let records = common::json_lines(&std::fs::read_to_string(work.path("out/pages/pages.jsonl")).unwrap());
    let of = |path: &str| {
        records
            .iter()
            .find(|line| line["url"] == format!("{root}{path}"))
            .unwrap()
    };
    assert_eq!(of("/encrypted.pdf")["notes"], serde_json::json!(["encrypted"]));
    assert_eq!(of("/scan.pdf")["notes"], serde_json::json!(["no-text"]));
    assert_eq!(of("/slides")["outcome"], "refused-content-type");
    assert_eq!(of("/")["skipped"]["file_ending"], 1);
    let listed = work.says(&["results", "out"]);
    for words in ["the document is encrypted", "no text that can be read"] {
        assert!(listed.contains(words), "{listed}");
    }
    let explained = |path: &str| work.says(&["explain", "out", &format!("{root}{path}")]);
    assert!(explained("/encrypted.pdf").contains("the document is encrypted"));
    assert!(explained("/scan.pdf").contains("no text that can be read"));
    assert!(explained("/slides").contains("content type is not supported"));
    assert!(explained("/slides.pptx").contains("PDF, DOCX or ODT"));
    // Judging again keeps what is known.
    let rejudged = work.hound(&["rejudge", "out", "--topic", "tea"]);
    assert!(rejudged.is_good(), "{rejudged:?}");
    assert!(explained("/encrypted.pdf").contains("the document is encrypted"));
}
