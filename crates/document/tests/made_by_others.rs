//! Files that other programs made are read as they should be. `files/make.py` makes them.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may panic")]

use scenthound_document::{BlockKind, Document, Limits, extract};
use scenthound_types::DocumentKind;

const FILES: [(&str, DocumentKind, &[u8]); 4] = [
    (
        "python-docx",
        DocumentKind::Docx,
        include_bytes!("files/python-docx.docx"),
    ),
    ("odfpy", DocumentKind::Odt, include_bytes!("files/odfpy.odt")),
    (
        "reportlab",
        DocumentKind::Pdf,
        include_bytes!("files/reportlab.pdf"),
    ),
    ("fpdf2", DocumentKind::Pdf, include_bytes!("files/fpdf2.pdf")),
];

fn read(bytes: &[u8], kind: DocumentKind) -> Document {
    extract(bytes, kind, &Limits::default())
}

#[test]
fn text_headings_links_lists_and_tables_are_read() {
    for (name, kind, bytes) in FILES {
        let document = read(bytes, kind);
        assert_eq!(document.title.as_deref(), Some("Storing tea"), "{name}");
        let first = &document.blocks[0];
        assert_eq!(first.text, "How to store tea", "{name}");
        assert!(matches!(first.kind, BlockKind::Heading(_)), "{name}");
        let text: Vec<&str> = document.blocks.iter().map(|block| block.text.as_str()).collect();
        let text = text.join("\n");
        for words in [
            "Green tea is made from leaves that have not withered.",
            "Steep the leaves for two minutes in water of eighty degrees.",
            "a tin keeps out the light",
            "oolong",
            "ninety degrees",
        ] {
            assert!(text.contains(words), "{name}: {words} in {text}");
        }
        let linked: Vec<(&str, &str)> = document
            .blocks
            .iter()
            .flat_map(|block| {
                // A rectangle may reach into the full stop after it.
                let words = |link: &scenthound_document::LinkSpan| {
                    block.text[link.range.clone()].trim_end_matches('.')
                };
                block
                    .links
                    .iter()
                    .map(move |link| (words(link), link.uri.as_str()))
            })
            .collect();
        assert_eq!(
            linked,
            [("second flush", "http://tea.example/flush")],
            "{name}: {text}"
        );
        assert!(!document.is_truncated && !document.is_encrypted, "{name}");
    }
}

#[test]
fn an_encrypted_file_says_so_and_a_picture_has_no_text() {
    let encrypted = read(include_bytes!("files/encrypted.pdf"), DocumentKind::Pdf);
    assert!(
        encrypted.is_encrypted && encrypted.blocks.is_empty(),
        "{encrypted:?}"
    );
    let scan = read(include_bytes!("files/scan.pdf"), DocumentKind::Pdf);
    assert!(!scan.is_encrypted && scan.blocks.is_empty(), "{scan:?}");
}
