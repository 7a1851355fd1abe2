//! Encodings, checked against the html5lib sniffing cases and the labels of the Encoding Standard.

// The lint exception for tests does not cover their shared functions.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use scenthound_parse::{Limits, PageInput, parse};
use scenthound_testweb::shared_data;
use scenthound_types::CanonicalUrl;

fn suite(name: &str) -> Option<String> {
    let path = shared_data(&format!("suites/charset/{name}"))?;
    Some(std::fs::read_to_string(path).unwrap())
}

fn encoding(content_type: Option<&str>, body: &[u8]) -> &'static str {
    let url = CanonicalUrl::parse("http://a.test/").unwrap();
    let input = PageInput {
        url: &url,
        content_type,
        body,
        truncated: false,
    };
    parse(&input, &Limits::default()).encoding
}

fn from_base64(text: &str) -> Vec<u8> {
    let mut bits = 0u32;
    let mut have = 0;
    let mut bytes = Vec::new();
    for c in text.bytes() {
        let value = match c {
            b'A'..=b'Z' => c - b'A',
            b'a'..=b'z' => c - b'a' + 26,
            b'0'..=b'9' => c - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => continue,
        };
        bits = bits << 6 | u32::from(value);
        have += 6;
        if have >= 8 {
            have -= 8;
            bytes.push((bits >> have) as u8);
        }
    }
    bytes
}

/// Cases in which we differ, each with the reason.
const EXPECTED_FAILURES: [(&str, u64); 0] = [];

#[test]
fn html5lib_sniffing_cases_pass() {
    let Some(cases) = suite("html5lib_sniff.jsonl") else {
        return;
    };
    let mut passed = 0;
    let mut failed = Vec::new();
    for line in cases.lines() {
        let case: serde_json::Value = serde_json::from_str(line).unwrap();
        let expected = case["encoding"].as_str().unwrap();
        let html = match case["html"].as_str() {
            Some(html) => html.as_bytes().to_vec(),
            None => from_base64(case["html_b64"].as_str().unwrap()),
        };
        let expected = encoding_rs::Encoding::for_label(expected.as_bytes()).map_or(expected, |e| e.name());
        let found = encoding(Some("text/html"), &html);
        let name = (case["file"].as_str().unwrap(), case["n"].as_u64().unwrap());
        if found == expected {
            passed += 1;
        } else if !EXPECTED_FAILURES.contains(&name) {
            failed.push((name.0.to_owned(), name.1, expected.to_owned(), found));
        }
    }
    println!("{passed} of {} sniffing cases pass", cases.lines().count());
    assert!(failed.is_empty(), "{failed:#?}");
}

#[test]
fn every_label_of_the_standard_is_known_in_header_and_meta() {
    let Some(labels) = suite("whatwg_encoding_labels.tsv") else {
        return;
    };
    let mut checked = 0;
    for line in labels.lines().skip(1) {
        let (label, name) = line.split_once('\t').unwrap();
        let header = format!("text/html; charset={label}");
        assert!(
            encoding(Some(&header), b"<p>x").eq_ignore_ascii_case(name),
            "{label}"
        );
        let meta = format!("<meta charset='{label}'><p>x");
        // A page that could be read up to its meta element is not UTF-16.
        let in_meta = match name.to_ascii_lowercase().as_str() {
            "utf-16le" | "utf-16be" => "UTF-8",
            "x-user-defined" => "windows-1252",
            _ => name,
        };
        assert!(
            encoding(None, meta.as_bytes()).eq_ignore_ascii_case(in_meta),
            "{label}"
        );
        checked += 1;
    }
    println!("{checked} labels checked");
}
