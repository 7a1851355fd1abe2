//! What is read from DOCX and ODT files.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may panic")]

mod make;

use make::{docx, zip};
use scenthound_document::{BlockKind, Document, Limits, extract};
use scenthound_types::DocumentKind;

fn read(bytes: &[u8], kind: DocumentKind) -> Document {
    extract(bytes, kind, &Limits::default())
}

/// Each block with its links as `[words](target)`.
fn written(document: &Document) -> Vec<String> {
    let blocks = document.blocks.iter().map(|block| {
        let mut text = block.text.clone();
        for link in block.links.iter().rev() {
            let words = text[link.range.clone()].to_owned();
            text.replace_range(link.range.clone(), &format!("[{words}]({})", link.uri));
        }
        text
    });
    blocks.collect()
}

#[test]
fn docx_paragraphs_headings_and_links_are_read() {
    let body = "<w:p><w:pPr><w:pStyle w:val=\"Heading1\"/></w:pPr><w:r><w:t>Green tea</w:t></w:r></w:p>\
        <w:p><w:r><w:t xml:space=\"preserve\">Tea &amp; </w:t></w:r><w:hyperlink r:id=\"rId4\"><w:r><w:t>cups</w:t></w:r>\
        </w:hyperlink><w:r><w:t>.</w:t></w:r><w:r><w:tab/><w:t>Next</w:t></w:r></w:p>\
        <w:p><w:pPr><w:numPr/></w:pPr><w:r><w:fldChar w:fldCharType=\"begin\"/><w:instrText> HYPERLINK \"http://b.test/\" \
        </w:instrText><w:fldChar w:fldCharType=\"separate\"/><w:t>old link</w:t><w:fldChar w:fldCharType=\"end\"/></w:r></w:p>\
        <mc:AlternateContent><mc:Choice><w:p><w:r><w:t>box</w:t></w:r></w:p></mc:Choice>\
        <mc:Fallback><w:p><w:r><w:t>box</w:t></w:r></w:p></mc:Fallback></mc:AlternateContent>";
    let relations = "<Relationship Id=\"rId4\" Type=\"http://x/relationships/hyperlink\" \
        Target=\"http://a.test/?a=1&amp;b=2\" TargetMode=\"External\"/>";
    let document = read(&docx(body, relations), DocumentKind::Docx);
    assert_eq!(
        written(&document),
        [
            "Green tea",
            "Tea & [cups](http://a.test/?a=1&b=2). Next",
            "[old link](http://b.test/)",
            "box"
        ]
    );
    let kinds: Vec<BlockKind> = document.blocks.iter().map(|block| block.kind).collect();
    assert_eq!(
        kinds[..3],
        [BlockKind::Heading(1), BlockKind::Paragraph, BlockKind::Item]
    );
    assert_eq!(document.title.as_deref(), Some("Tea & cups"));
    assert_eq!(document.author.as_deref(), Some("Ann"));
    assert_eq!(document.date.as_deref(), Some("2024-03-05"));
}

#[test]
fn odt_paragraphs_headings_and_links_are_read() {
    let content = "<office:document-content><office:text>\
        <text:tracked-changes><text:p>deleted</text:p></text:tracked-changes>\
        <text:h text:outline-level=\"2\">Green tea</text:h>\
        <text:p>Tea<text:s/>and <text:a xlink:href=\"http://a.test/\">cups</text:a>, <text:a xlink:href=\"#x\">below</text:a></text:p>\
        <text:list><text:list-item><text:p>one</text:p></text:list-item></text:list></office:text></office:document-content>";
    let meta = "<office:meta><dc:title>Tea</dc:title><meta:initial-creator>Ann</meta:initial-creator>\
        <dc:creator>Bob</dc:creator><meta:creation-date>2024-03-05T00:00:00</meta:creation-date><dc:language>en</dc:language></office:meta>";
    let archive = zip(&[
        ("mimetype", "application/vnd.oasis.opendocument.text"),
        ("content.xml", content),
        ("meta.xml", meta),
    ]);
    assert_eq!(DocumentKind::by_bytes(&archive), Some(DocumentKind::Odt));
    let document = read(&archive, DocumentKind::Odt);
    assert_eq!(
        written(&document),
        ["Green tea", "Tea and [cups](http://a.test/), below", "one"]
    );
    assert_eq!(document.blocks[0].kind, BlockKind::Heading(2));
    assert_eq!(document.blocks[2].kind, BlockKind::Item);
    assert_eq!(document.author.as_deref(), Some("Ann"));
    assert_eq!(document.language.as_deref(), Some("en"));
}

#[test]
fn a_file_that_is_cut_off_gives_what_arrived() {
    let body = "<w:p><w:r><w:t>Green tea</w:t></w:r></w:p>".repeat(50);
    let whole = docx(&body, "");
    let cut = whole
        .windows(17)
        .position(|part| part == b"word/document.xml")
        .unwrap()
        + 150;
    let document = read(&whole[..cut], DocumentKind::Docx);
    assert_eq!(document.blocks[0].text, "Green tea");
}

#[test]
fn nothing_is_read_from_an_archive_of_other_files() {
    let archive = zip(&[("readme.txt", "tea")]);
    for kind in [DocumentKind::Docx, DocumentKind::Odt] {
        assert_eq!(read(&archive, kind), Document::default());
    }
}
