//! Documents made by hand.
#![allow(dead_code, reason = "each test program uses a part of it")]

use std::io::Write;

use flate2::Compression;
use flate2::write::{DeflateEncoder, ZlibEncoder};

/// A PDF file of numbered objects. The first is the catalog, and the trailer has these further entries.
pub fn pdf(objects: &[(u32, Vec<u8>)], trailer: &str) -> Vec<u8> {
    let mut file = b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n".to_vec();
    for (number, object) in objects {
        file.extend(format!("{number} 0 obj\n").bytes());
        file.extend(object);
        file.extend(b"\nendobj\n");
    }
    file.extend(format!("trailer\n<< /Root 1 0 R {trailer} >>\n%%EOF\n").bytes());
    file
}

/// A stream object with these entries besides its length.
pub fn stream(entries: &str, data: &[u8]) -> Vec<u8> {
    let mut object = format!("<< {entries} /Length {} >>\nstream\n", data.len()).into_bytes();
    object.extend(data);
    object.extend(b"\nendstream");
    object
}

pub fn zlib(data: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(data).unwrap();
    encoder.finish().unwrap()
}

/// A PDF of one page with this content and these fonts; further objects have numbers from 10 on.
pub fn one_page(content: &[u8], fonts: &str, page: &str, more: &[(u32, Vec<u8>)]) -> Vec<u8> {
    let mut objects = vec![
        (1, b"<< /Type /Catalog /Pages 2 0 R >>".to_vec()),
        (2, b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_vec()),
        (
            3,
            format!(
                "<< /Type /Page /Parent 2 0 R /Contents 4 0 R /Resources << /Font << {fonts} >> >> {page} >>"
            )
            .into_bytes(),
        ),
        (4, stream("", content)),
    ];
    objects.extend_from_slice(more);
    pdf(&objects, "")
}

pub const HELVETICA: &str = "/F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>";

/// A zip archive of these files.
pub fn zip(files: &[(&str, &str)]) -> Vec<u8> {
    let mut archive = Vec::new();
    for (name, content) in files {
        let (method, data) = if *name == "mimetype" {
            (0_u16, content.as_bytes().to_vec())
        } else {
            let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
            encoder.write_all(content.as_bytes()).unwrap();
            (8, encoder.finish().unwrap())
        };
        archive.extend(b"PK\x03\x04\x14\0\0\0");
        archive.extend(method.to_le_bytes());
        archive.extend([0; 8]);
        archive.extend((data.len() as u32).to_le_bytes());
        archive.extend((content.len() as u32).to_le_bytes());
        archive.extend((name.len() as u16).to_le_bytes());
        archive.extend([0; 2]);
        archive.extend(name.bytes());
        archive.extend(data);
    }
    archive
}

/// A DOCX file with this body and these relations.
pub fn docx(body: &str, relations: &str) -> Vec<u8> {
    zip(&[
        ("[Content_Types].xml", "<Types/>"),
        (
            "docProps/core.xml",
            "<cp:coreProperties><dc:title>Tea &amp; cups</dc:title><dc:creator>Ann</dc:creator>\
             <dcterms:created>2024-03-05T10:00:00Z</dcterms:created></cp:coreProperties>",
        ),
        (
            "word/document.xml",
            &format!("<w:document><w:body>{body}</w:body></w:document>"),
        ),
        (
            "word/_rels/document.xml.rels",
            &format!("<Relationships>{relations}</Relationships>"),
        ),
    ])
}
