//! No bytes make reading fail, and none make it expensive: 64 MB of memory and 300 ms for 8 MB of input.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a test may panic, print and measure time"
)]

mod make;

use std::time::Duration;

use make::{HELVETICA, docx, one_page, pdf, stream, zip, zlib};
use proptest::prelude::*;
use scenthound_document::{Document, Limits, extract};
use scenthound_types::DocumentKind;

const BYTES: usize = 8 << 20;
const MEMORY_KB: u64 = 64 << 10;

fn flood(before: &[u8], text: &[u8]) -> Vec<u8> {
    let mut bytes = before.to_vec();
    while bytes.len() < BYTES {
        bytes.extend(text);
    }
    bytes.truncate(BYTES);
    bytes
}

fn numbered(before: &str, text: impl Fn(usize) -> String) -> Vec<u8> {
    let mut bytes = before.as_bytes().to_vec();
    for number in 1.. {
        if bytes.len() >= BYTES {
            break;
        }
        bytes.extend(text(number).bytes());
    }
    bytes
}

/// Text that is shown very often by a page of forms: each form shows the next one many times.
fn nested_forms() -> Vec<u8> {
    let mut objects = vec![
        (1, b"<< /Type /Catalog /Pages 2 0 R >>".to_vec()),
        (2, b"<< /Type /Pages /Kids [3 0 R] >>".to_vec()),
        (
            3,
            b"<< /Type /Page /Contents 4 0 R /Resources << /XObject << /X 10 0 R >> >> >>".to_vec(),
        ),
        (4, stream("", &b"/X Do ".repeat(1000))),
    ];
    for number in 10..20 {
        let entries = format!(
            "/Subtype /Form /Resources << /XObject << /X {} 0 R >> >>",
            number + 1
        );
        objects.push((number, stream(&entries, &b"/X Do ".repeat(1000))));
    }
    pdf(&objects, "")
}

fn twice(data: &[u8]) -> Vec<u8> {
    zlib(&zlib(data))
}

/// What repeats itself most in the fewest bytes.
fn floods() -> Vec<(&'static str, DocumentKind, Vec<u8>)> {
    let pdf_kind = DocumentKind::Pdf;
    let bomb = vec![b' '; 64 << 20];
    let words = b"BT /F1 10 Tf (tea ) Tj ET ".repeat(2 << 20);
    let root = "trailer << /Root 1 0 R >>\n1 0 obj << /Type /Catalog /Pages 2 0 R >> endobj\n";
    let many_fonts = numbered(root, |number| {
        format!(
            "{0} 0 obj << /Type /Font /Subtype /Type1 /Encoding << /Differences [1 /A] >> >> endobj\n",
            number + 9
        )
    });
    let mut fonts_used = many_fonts;
    let list: String = (10..50_000)
        .map(|number| format!("/F{number} {number} 0 R "))
        .collect();
    let uses: String = (10..50_000)
        .map(|number| format!("/F{number} 1 Tf (a) Tj "))
        .collect();
    fonts_used.extend(
        format!("2 0 obj << /Kids [3 0 R] >> endobj 3 0 obj << /Contents 4 0 R /Resources << /Font << {list} >> >> >> endobj 4 0 obj ")
            .bytes(),
    );
    fonts_used.extend(stream("", uses.as_bytes()));
    let map: String = (0..60_000).map(|code| format!("<{code:04x}><0041>")).collect();
    let map = format!("beginbfchar {map} endbfchar");
    vec![
        ("spaces", pdf_kind, flood(b"%PDF-1.7\n", b" ")),
        ("objects", pdf_kind, flood(root.as_bytes(), b"1 0 obj ")),
        (
            "open arrays",
            pdf_kind,
            flood(format!("{root}2 0 obj ").as_bytes(), b"["),
        ),
        (
            "open dictionaries",
            pdf_kind,
            flood(format!("{root}2 0 obj ").as_bytes(), b"<</A"),
        ),
        (
            "one array",
            pdf_kind,
            flood(format!("{root}2 0 obj <</Kids [").as_bytes(), b"1 "),
        ),
        (
            "one array of references",
            pdf_kind,
            flood(format!("{root}2 0 obj <</Kids [").as_bytes(), b"2 0 R "),
        ),
        (
            "a deep tree of pages",
            pdf_kind,
            numbered(root, |n| {
                format!("{} 0 obj<</Kids[{} 0 R {} 0 R]>>\n", n + 1, n + 2, n + 2)
            }),
        ),
        (
            "pages without end",
            pdf_kind,
            numbered(root, |n| {
                format!("{} 0 obj<</Type/Page/Contents {} 0 R>>\n", n + 2, n + 3)
            }),
        ),
        (
            "streams without end",
            pdf_kind,
            numbered(root, |n| format!("{n} 0 obj<</Length 9>>stream\n")),
        ),
        (
            "object streams",
            pdf_kind,
            numbered(root, |n| {
                format!(
                    "{n} 0 obj<</Type/ObjStm/N 99/First 9/Length 20>>stream\n1 0 2 0 3 0 4 0 5 0 \nendstream\n"
                )
            }),
        ),
        (
            "roots",
            pdf_kind,
            flood(b"", b"trailer<</Root 1 0 R/Info 1 0 R>>"),
        ),
        ("fonts", pdf_kind, fonts_used),
        ("nested forms", pdf_kind, nested_forms()),
        (
            "a bomb",
            pdf_kind,
            pdf(
                &[
                    (1, b"<< /Type /Catalog /Pages 2 0 R >>".to_vec()),
                    (2, b"<< /Kids [3 0 R] >>".to_vec()),
                    (3, b"<< /Type /Page /Contents 4 0 R >>".to_vec()),
                    (4, stream("/Filter [/FlateDecode /FlateDecode]", &twice(&bomb))),
                ],
                "",
            ),
        ),
        ("a bomb on every page", pdf_kind, {
            let kids = "3 0 R 5 0 R 6 0 R 7 0 R 8 0 R ".repeat(100);
            let mut objects = vec![
                (1, b"<< /Type /Catalog /Pages 2 0 R >>".to_vec()),
                (
                    2,
                    format!("<< /Kids [{kids}] /Resources << /Font << {HELVETICA} >> >> >>").into_bytes(),
                ),
                (4, stream("/Filter /FlateDecode", &zlib(&words))),
            ];
            for number in [3, 5, 6, 7, 8] {
                objects.push((
                    number,
                    b"<< /Type /Page /Contents [4 0 R 4 0 R 4 0 R 4 0 R] >>".to_vec(),
                ));
            }
            pdf(&objects, "")
        }),
        (
            "an object stream as a bomb",
            pdf_kind,
            pdf(
                &[(
                    9,
                    stream(
                        "/Type /ObjStm /N 999999 /First 67108864 /Filter /FlateDecode",
                        &zlib(&b"1 0 ".repeat(16 << 20)),
                    ),
                )],
                "",
            ),
        ),
        ("maps", pdf_kind, {
            let mut more = vec![(9, stream("/Filter /FlateDecode", &zlib(map.as_bytes())))];
            let mut fonts = String::new();
            let mut content = String::new();
            for number in 10..500 {
                fonts.push_str(&format!("/F{number} {number} 0 R "));
                content.push_str(&format!("/F{number} 1 Tf (a) Tj "));
                more.push((
                    number,
                    b"<< /Type /Font /Subtype /Type0 /Encoding /Identity-H /ToUnicode 9 0 R >>".to_vec(),
                ));
            }
            one_page(content.as_bytes(), &fonts, "", &more)
        }),
        (
            "shown text",
            pdf_kind,
            one_page(&flood(b"BT /F1 10 Tf ", b"(a)Tj "), HELVETICA, "", &[]),
        ),
        (
            "moved text",
            pdf_kind,
            one_page(&flood(b"BT /F1 10 Tf ", b"(a)'9 9 Td "), HELVETICA, "", &[]),
        ),
        (
            "one string",
            pdf_kind,
            one_page(&flood(b"BT /F1 10 Tf (", b"a"), HELVETICA, "", &[]),
        ),
        (
            "saved states",
            pdf_kind,
            one_page(&flood(b"", b"q "), HELVETICA, "", &[]),
        ),
        (
            "links",
            pdf_kind,
            one_page(
                &b"BT /F1 10 Tf (a a a a a a a a) Tj ET ".repeat(100_000),
                HELVETICA,
                &format!(
                    "/Annots [{}]",
                    "<</Subtype/Link/A<</URI(http://a.test/)>>/Rect[1 1 2 2]>>".repeat(10_000)
                ),
                &[],
            ),
        ),
        ("a bomb in an archive", DocumentKind::Docx, {
            docx(&"<w:p><w:r><w:t>tea</w:t></w:r></w:p>".repeat(2 << 20), "")
        }),
        (
            "empty paragraphs",
            DocumentKind::Docx,
            docx(&"<w:p/>".repeat(4 << 20), ""),
        ),
        (
            "one element",
            DocumentKind::Docx,
            docx(&format!("<w:p {}>", "w:a=\"\" ".repeat(1 << 20)), ""),
        ),
        (
            "open elements",
            DocumentKind::Docx,
            docx(&"<w:p>".repeat(2 << 20), ""),
        ),
        ("links in a document", DocumentKind::Odt, {
            let links = "<text:p><text:a xlink:href=\"x\">y</text:a></text:p>".repeat(1 << 20);
            zip(&[
                ("mimetype", "application/vnd.oasis.opendocument.text"),
                ("content.xml", &links),
            ])
        }),
        (
            "heads of files",
            DocumentKind::Docx,
            flood(b"", b"PK\x03\x04\x14\0\0\0\x08\0"),
        ),
    ]
}

/// The most memory the process has used since this was last reset, and a reset.
fn peak_kb() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM")).unwrap();
    let kb = line.split_whitespace().nth(1).unwrap().parse().unwrap();
    std::fs::write("/proc/self/clear_refs", "5").unwrap();
    kb
}

/// The time this thread has run.
fn on_cpu() -> Duration {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    Duration::from_nanos(stat.split_whitespace().next().unwrap().parse().unwrap())
}

fn check(document: &Document) {
    for block in &document.blocks {
        assert!(!block.text.trim().is_empty());
        let mut end = 0;
        for link in &block.links {
            assert!(link.range.start >= end && link.range.start < link.range.end);
            assert!(block.text.get(link.range.clone()).is_some());
            end = link.range.end;
        }
    }
}

/// The variable that tells a child which file to read.
const FLOOD: &str = "SCENTHOUND_TEST_FLOOD";

/// Each file is read in a process of its own: memory that the making of it has left behind would hide what reading takes.
#[test]
#[cfg(target_os = "linux")]
fn no_document_costs_more_than_its_limits() {
    if let Ok(flood) = std::env::var(FLOOD) {
        return measure(&flood);
    }
    let path = std::env::temp_dir().join(format!("scenthound-flood-{}", std::process::id()));
    let mut too_much = Vec::new();
    for (name, kind, bytes) in floods() {
        std::fs::write(&path, bytes).unwrap();
        let output = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "no_document_costs_more_than_its_limits", "--nocapture"])
            .env(FLOOD, format!("{kind:?} {}", path.display()))
            .output()
            .unwrap();
        let said = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success(), "{name}: {said}");
        let measured: Vec<u64> = said
            .lines()
            .find_map(|line| line.strip_prefix("measured "))
            .unwrap_or_else(|| panic!("{name}: {said}"))
            .split(' ')
            .map(|number| number.parse().unwrap())
            .collect();
        let [text, peak, took] = measured[..] else {
            panic!("{name}: {said}");
        };
        println!("{name}: {text} bytes of text, {} MB, {took} ms", peak >> 10);
        // The time is that of an optimised build.
        if peak > MEMORY_KB || !cfg!(debug_assertions) && took > 300 {
            too_much.push(format!("{name}: {peak} kB, {took} ms"));
        }
    }
    std::fs::remove_file(path).unwrap();
    assert!(too_much.is_empty(), "{too_much:#?}");
}

/// Reads one file, and prints the bytes of its text, the memory in kilobytes and the time in milliseconds.
fn measure(flood: &str) {
    let (kind, path) = flood.split_once(' ').unwrap();
    let kinds = [DocumentKind::Pdf, DocumentKind::Docx, DocumentKind::Odt];
    let kind = kinds
        .into_iter()
        .find(|known| format!("{known:?}") == kind)
        .unwrap();
    let bytes = std::fs::read(path).unwrap();
    peak_kb();
    let before = peak_kb();
    let started = on_cpu();
    let document = extract(&bytes, kind, &Limits::default());
    let took = on_cpu() - started;
    let peak = peak_kb().saturating_sub(before);
    check(&document);
    let text: usize = document.blocks.iter().map(|block| block.text.len()).sum();
    println!("\nmeasured {text} {peak} {}", took.as_millis());
}

/// Bytes that look like parts of a PDF file.
fn pieces() -> impl Strategy<Value = Vec<u8>> {
    let known = prop::sample::select(vec![
        &b"1 0 obj "[..],
        b"2 0 obj ",
        b"3 0 obj ",
        b"endobj ",
        b"<< ",
        b">> ",
        b"[ ",
        b"] ",
        b"/Type ",
        b"/Catalog ",
        b"/Pages ",
        b"/Page ",
        b"/Kids ",
        b"/Contents ",
        b"/Font ",
        b"/Resources ",
        b"/ObjStm ",
        b"/N 3 ",
        b"/First 5 ",
        b"/Length ",
        b"/Filter ",
        b"/FlateDecode ",
        b"/LZWDecode ",
        b"/ASCII85Decode ",
        b"/DecodeParms ",
        b"/Predictor 12 ",
        b"/Columns 4 ",
        b"stream\n",
        b"endstream ",
        b"trailer ",
        b"/Root 1 0 R ",
        b"1 0 R ",
        b"2 0 R ",
        b"3 0 R ",
        b"0 ",
        b"-1 ",
        b"99999999999 ",
        b"(tea) ",
        b"<00410042> ",
        b"BT ",
        b"/F1 10 Tf ",
        b"Tj ",
        b"TJ ",
        b"Td ",
        b"' ",
        b"Do ",
        b"BI ID ",
        b"/Annots ",
        b"/Subtype /Link ",
        b"/A << /URI (x) >> ",
        b"/Rect [0 0 9 9] ",
        b"/ToUnicode ",
        b"beginbfchar ",
        b"endbfrange ",
        b"/W [1 [2] 3 4 5] ",
        b"/Encrypt ",
        b"/Differences [1 /A] ",
        b"(",
        b"<",
        b"\\",
        b"%",
    ]);
    prop::collection::vec(known, 0..200).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn any_bytes_can_be_read(bytes in prop::collection::vec(any::<u8>(), 0..2000)) {
        for kind in [DocumentKind::Pdf, DocumentKind::Docx, DocumentKind::Odt] {
            check(&extract(&bytes, kind, &Limits::default()));
        }
    }

    #[test]
    fn any_pieces_of_a_pdf_can_be_read(bytes in pieces()) {
        check(&extract(&bytes, DocumentKind::Pdf, &Limits::default()));
    }

    #[test]
    fn any_content_can_be_shown(content in pieces()) {
        let page = "/Annots [<</Subtype/Link/A<</URI(x)>>/Rect[-9 -9 99 99]>>]";
        check(&extract(&one_page(&content, HELVETICA, page, &[]), DocumentKind::Pdf, &Limits::default()));
    }

    #[test]
    fn a_document_with_damage_can_be_read(at in 0_usize..700, byte: u8, cut in 0_usize..900) {
        let mut file = one_page(b"BT /F1 10 Tf (tea) Tj 0 -20 Td (more) Tj ET", HELVETICA, "", &[]);
        if let Some(slot) = file.get_mut(at) {
            *slot = byte;
        }
        file.truncate(cut);
        check(&extract(&file, DocumentKind::Pdf, &Limits::default()));
        let mut file = docx("<w:p><w:r><w:t>tea</w:t></w:r></w:p>", "");
        if let Some(slot) = file.get_mut(at) {
            *slot = byte;
        }
        file.truncate(cut);
        check(&extract(&file, DocumentKind::Docx, &Limits::default()));
    }
}
