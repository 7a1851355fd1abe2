//! What is read from PDF files of many kinds, each made by hand.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may panic")]

mod make;

use make::{HELVETICA, one_page, pdf, stream, zlib};
use scenthound_document::{BlockKind, Document, Limits, extract};
use scenthound_types::DocumentKind;

fn read(bytes: &[u8]) -> Document {
    extract(bytes, DocumentKind::Pdf, &Limits::default())
}

fn texts(document: &Document) -> Vec<&str> {
    document.blocks.iter().map(|block| block.text.as_str()).collect()
}

#[test]
fn lines_and_paragraphs_are_put_together() {
    let content = b"BT /F1 10 Tf 72 700 Td (Green tea is brewed) Tj 0 -12 Td (below the boil-) Tj 0 -12 Td
        [(ing) -300 (p) 20 (oint.)] TJ 0 -24 Td (Black tea \\(or red\\)) Tj 12 TL T* (is not.) Tj (!) ' ET";
    let document = read(&one_page(content, HELVETICA, "", &[]));
    assert_eq!(
        texts(&document),
        [
            "Green tea is brewed below the boiling point.",
            "Black tea (or red) is not. !"
        ]
    );
    assert!(!document.is_truncated);
}

#[test]
fn every_filter_and_chain_of_filters_is_decoded() {
    let content = b"BT /F1 10 Tf (tea) Tj ET";
    let hex: String = content.iter().map(|byte| format!("{byte:02x}")).collect();
    let mut runs = vec![(content.len() - 1) as u8];
    runs.extend(content);
    runs.push(128);
    let filtered = [
        ("/FlateDecode", zlib(content)),
        ("/ASCIIHexDecode", format!("{hex}>").into_bytes()),
        ("/RunLengthDecode", runs),
        ("[/FlateDecode /ASCIIHexDecode]", zlib(hex.as_bytes())),
        ("[/Fl]", zlib(content)),
    ];
    for (filter, data) in filtered {
        let mut objects = vec![
            (1, b"<< /Type /Catalog /Pages 2 0 R >>".to_vec()),
            (2, b"<< /Type /Pages /Kids [3 0 R] >>".to_vec()),
            (
                3,
                format!("<< /Type /Page /Contents 4 0 R /Resources << /Font << {HELVETICA} >> >> >>")
                    .into_bytes(),
            ),
        ];
        objects.push((4, stream(&format!("/Filter {filter}"), &data)));
        assert_eq!(texts(&read(&pdf(&objects, ""))), ["tea"], "{filter}");
    }
}

/// Everything but the content is in a compressed object stream, as most files are today.
fn with_object_stream() -> Vec<u8> {
    let inside = [
        "<< /Type /Catalog /Pages 2 0 R /Lang (en-GB) >>".to_owned(),
        "<< /Type /Pages /Kids [3 0 R] /Resources << /Font << /F1 8 0 R >> >> >>".to_owned(),
        "<< /Type /Page /Contents [4 0 R 4 0 R] >>".to_owned(),
        "<< /Type /Font /Subtype /TrueType /BaseFont /Arial /Encoding /WinAnsiEncoding >>".to_owned(),
    ];
    let numbers = [1, 2, 3, 8];
    let mut head = String::new();
    let mut body = String::new();
    for (number, object) in numbers.iter().zip(&inside) {
        head.push_str(&format!("{number} {} ", body.len()));
        body.push_str(object);
        body.push(' ');
    }
    let data = zlib(format!("{head}{body}").as_bytes());
    let entries = format!("/Type /ObjStm /N 4 /First {} /Filter /FlateDecode", head.len());
    let objects = [
        (4, stream("", b"BT /F1 12 Tf 1 0 0 1 50 700 Tm (caf\xe9) Tj ET")),
        (7, stream(&entries, &data)),
    ];
    let mut file = pdf(&objects, "");
    // Such files have a stream instead of a trailer.
    let at = file.windows(7).rposition(|part| part == b"trailer").unwrap();
    file.truncate(at);
    file.extend(b"9 0 obj << /Type /XRef /Root 1 0 R /Size 10 /Length 2 >>\nstream\nxx\nendstream endobj\n");
    file
}

#[test]
fn objects_in_streams_are_found() {
    let document = read(&with_object_stream());
    assert_eq!(texts(&document), ["cafécafé"]);
    assert_eq!(document.language.as_deref(), Some("en-GB"));
}

#[test]
fn a_composite_font_is_read_by_its_map() {
    let map = b"begincmap 1 begincodespacerange <0000> <FFFF> endcodespacerange
        3 beginbfchar <0001> <8336> <0002> <9053> <0003> <D83C DF75> endbfchar endcmap";
    let font = "/F1 << /Type /Font /Subtype /Type0 /BaseFont /X /Encoding /Identity-H /ToUnicode 10 0 R \
        /DescendantFonts [<< /Type /Font /Subtype /CIDFontType2 /DW 1000 /W [1 [500 500] 3 9 700] >>] >>";
    let file = one_page(
        b"BT /F1 12 Tf <00010002> Tj 30 0 Td <0003> Tj ET",
        font,
        "",
        &[(10, stream("/Filter /FlateDecode", &zlib(map)))],
    );
    assert_eq!(texts(&read(&file)), ["茶道 🍵"]);
}

#[test]
fn encodings_with_differences_name_their_glyphs() {
    let font = "/F1 << /Type /Font /Subtype /Type1 /BaseFont /ABCDEF+CMR10 \
        /Encoding << /Differences [1 /T /eacute 11 /ff /fi /afii10017] >> >>";
    let file = one_page(
        b"BT /F1 12 Tf (\\001\\002 o\\013er \\014nd \\015) Tj ET",
        font,
        "",
        &[],
    );
    assert_eq!(texts(&read(&file)), ["Té offer find А"]);
}

#[test]
fn encodings_of_east_asia_are_read_without_a_map() {
    let font = "/F1 << /Type /Font /Subtype /Type0 /BaseFont /X /Encoding /90ms-RKSJ-H \
        /DescendantFonts [<< /Type /Font /Subtype /CIDFontType0 >>] >>";
    let file = one_page(b"BT /F1 12 Tf <9283> Tj ET", font, "", &[]);
    assert_eq!(texts(&read(&file)), ["茶"]);
}

#[test]
fn links_take_the_words_they_cover() {
    let page = "/Annots [
        << /Type /Annot /Subtype /Link /Rect [100 695 160 712] /A << /S /URI /URI (http://a.test/green) >> >>
        << /Type /Annot /Subtype /Link /Rect [100 10 160 20] /A << /S /URI /URI (b.html) >> >>
        << /Type /Annot /Subtype /Link /Rect [0 0 9 9] /Dest [3 0 R /Fit] >> ]";
    let font = "/F1 << /Type /Font /Subtype /Type1 /BaseFont /Courier >>";
    // Each letter is six points wide: the link covers the letters from the fifth to the fourteenth.
    let content = b"BT /F1 10 Tf 72 700 Td (Our green tea and black tea) Tj ET";
    let document = read(&one_page(content, font, page, &[]));
    let block = &document.blocks[0];
    assert_eq!(block.links.len(), 1, "{document:?}");
    assert_eq!(block.links[0].uri, "http://a.test/green");
    assert_eq!(&block.text[block.links[0].range.clone()], "green tea");
    assert_eq!(document.bare_links, ["b.html"]);
}

#[test]
fn forms_are_shown_where_they_are_used() {
    let page = "/Resources << /XObject << /X1 10 0 R >> /Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Arial >> >> >>";
    let form = stream(
        "/Type /XObject /Subtype /Form /Matrix [1 0 0 1 0 -40]",
        b"BT /F1 10 Tf 0 700 Td (inside) Tj ET /X1 Do",
    );
    let objects = [
        (1, b"<< /Type /Catalog /Pages 2 0 R >>".to_vec()),
        (2, b"<< /Type /Pages /Kids [3 0 R 2 0 R] >>".to_vec()),
        (
            3,
            format!("<< /Type /Page /Contents 4 0 R {page} >>").into_bytes(),
        ),
        (4, stream("", b"BT /F1 10 Tf 0 700 Td (before) Tj ET /X1 Do")),
        (10, form),
    ];
    let document = read(&pdf(&objects, ""));
    // The form contains itself, which ends after a few rounds.
    assert_eq!(texts(&document)[..2], ["before", "inside"]);
    assert!(document.blocks.len() < 10);
}

#[test]
fn the_file_describes_itself() {
    let mut objects = vec![
        (1, b"<< /Type /Catalog /Pages 2 0 R >>".to_vec()),
        (2, b"<< /Type /Pages /Kids [] >>".to_vec()),
    ];
    objects.push((
        5,
        b"<< /Title <FEFF005400e9> /Author (Ann \\(A.\\)) /CreationDate (D:20240305101500Z) >>".to_vec(),
    ));
    let document = read(&pdf(&objects, "/Info 5 0 R"));
    assert_eq!(document.title.as_deref(), Some("Té"));
    assert_eq!(document.author.as_deref(), Some("Ann (A.)"));
    assert_eq!(document.date.as_deref(), Some("2024-03-05"));
}

#[test]
fn the_largest_line_is_the_title_if_none_is_stated() {
    let content = b"BT /F1 20 Tf 72 700 Td (All about tea) Tj /F1 10 Tf 0 -40 Td
        (A text that is much longer than the heading above it.) Tj ET";
    let document = read(&one_page(content, HELVETICA, "", &[]));
    assert_eq!(document.title.as_deref(), Some("All about tea"));
    assert_eq!(document.blocks[0].kind, BlockKind::Heading(1));
    assert_eq!(document.blocks[1].kind, BlockKind::Paragraph);
}

#[test]
fn an_encrypted_file_is_recognised() {
    let document = read(&pdf(&[(1, b"<< /Type /Catalog >>".to_vec())], "/Encrypt 8 0 R"));
    assert!(document.is_encrypted);
    assert!(document.blocks.is_empty());
}

#[test]
fn a_file_that_is_cut_off_gives_the_pages_that_arrived() {
    let file = one_page(b"BT /F1 10 Tf (tea) Tj ET", HELVETICA, "", &[]);
    // Without the trailer, the catalog and the tree of pages.
    let page = file.windows(7).position(|part| part == b"3 0 obj").unwrap();
    let end = file.windows(7).rposition(|part| part == b"trailer").unwrap();
    assert_eq!(texts(&read(&file[page..end])), ["tea"]);
    // In the middle of the content.
    let middle = file.windows(6).position(|part| part == b") Tj E").unwrap();
    assert_eq!(texts(&read(&file[..middle + 4])), ["tea"]);
}

#[test]
fn an_update_replaces_what_came_before() {
    let mut file = one_page(b"BT /F1 10 Tf (old) Tj ET", HELVETICA, "", &[]);
    file.extend(b"4 0 obj\n");
    file.extend(stream("", b"BT /F1 10 Tf (new) Tj ET"));
    file.extend(b"\nendobj\ntrailer << /Root 1 0 R >>\n");
    assert_eq!(texts(&read(&file)), ["new"]);
}

#[test]
fn images_within_the_content_are_skipped() {
    let content = b"BI /W 2 /H 2 ID (unclosed \xff EI BT /F1 10 Tf (tea) Tj ET";
    assert_eq!(texts(&read(&one_page(content, HELVETICA, "", &[]))), ["tea"]);
}
