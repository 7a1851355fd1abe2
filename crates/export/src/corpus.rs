//! Text for people and for training: a corpus in compressed parts with a manifest, or a folder of Markdown files.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::page::{ExportedPage, Extras};
use crate::{Export, ExportError, Exported};

/// Bytes of text in a part, before compression.
const PART_BYTES: u64 = 64 << 20;

/// A document of the corpus.
#[derive(Serialize)]
struct Document<'a> {
    id: &'a str,
    url: &'a str,
    title: Option<&'a str>,
    author: Option<&'a str>,
    published: Option<&'a str>,
    language: Option<&'a str>,
    genre: Option<&'a str>,
    relevance: Option<f64>,
    relevant: Option<bool>,
    fetched_at: &'a str,
    license: Option<&'a str>,
    robots: Vec<&'static str>,
    text: &'a str,
}

impl<'a> Document<'a> {
    fn of(page: &'a ExportedPage, text: &'a str) -> Document<'a> {
        let record = &page.page.record;
        Document {
            id: &page.page.id,
            url: &record.url,
            title: record.title.as_deref(),
            author: page.author.as_deref(),
            published: page.published.as_deref(),
            language: record.language.as_deref(),
            genre: record.genre.as_ref().map(|genre| genre.class.as_ref()),
            relevance: record.relevance,
            relevant: record.relevant,
            fetched_at: &record.fetched_at,
            license: page.license.as_deref(),
            robots: page.robots(),
            text,
        }
    }
}

/// A part of the corpus, as the manifest describes it.
#[derive(Serialize)]
struct Part {
    path: String,
    documents: u64,
    bytes: u64,
    sha256: String,
}

#[derive(Serialize)]
struct Manifest<'a> {
    format: &'static str,
    software: &'static str,
    documents: u64,
    text_bytes: u64,
    /// Pages without text, which were left out.
    empty: u64,
    fields: [&'static str; 13],
    parts: &'a [Part],
}

const FIELDS: [&str; 13] = [
    "id",
    "url",
    "title",
    "author",
    "published",
    "language",
    "genre",
    "relevance",
    "relevant",
    "fetched_at",
    "license",
    "robots",
    "text",
];

/// Counts and hashes what is written to a file.
struct Hashed<W> {
    inner: W,
    hasher: Sha256,
    bytes: u64,
}

impl<W: Write> Write for Hashed<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes)?;
        self.hasher.update(bytes.get(..written).unwrap_or_default());
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

struct OpenPart {
    path: String,
    out: GzEncoder<Hashed<BufWriter<File>>>,
    documents: u64,
    text_bytes: u64,
}

impl OpenPart {
    fn begin(folder: &Path, number: usize) -> Result<OpenPart, ExportError> {
        let path = format!("data/part-{number:05}.jsonl.gz");
        let full = folder.join(&path);
        let file = File::create(&full).map_err(|source| ExportError::io("create", &full, source))?;
        let out = Hashed {
            inner: BufWriter::new(file),
            hasher: Sha256::new(),
            bytes: 0,
        };
        Ok(OpenPart {
            path,
            out: GzEncoder::new(out, Compression::default()),
            documents: 0,
            text_bytes: 0,
        })
    }

    fn finish(self) -> Result<Part, ExportError> {
        let mut hashed = self.out.finish().map_err(ExportError::Output)?;
        hashed.flush().map_err(ExportError::Output)?;
        Ok(Part {
            path: self.path,
            documents: self.documents,
            bytes: hashed.bytes,
            sha256: hex(&hashed.hasher.finalize()),
        })
    }
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

pub(crate) fn save_text(export: &Export<'_>, folder: &Path) -> Result<Exported, ExportError> {
    let data = folder.join("data");
    fs::create_dir_all(&data).map_err(|source| ExportError::io("create", &data, source))?;
    let mut parts: Vec<Part> = Vec::new();
    let mut open: Option<OpenPart> = None;
    let (mut documents, mut text_bytes, mut empty) = (0, 0, 0);
    let extras = Extras {
        text: true,
        links: false,
    };
    let exported = export.each_page(extras, |page| {
        let text = page.text.as_deref().unwrap_or_default();
        if text.trim().is_empty() {
            empty += 1;
            return Ok(());
        }
        let mut part = match open.take() {
            Some(part) => part,
            None => OpenPart::begin(folder, parts.len())?,
        };
        serde_json::to_writer(&mut part.out, &Document::of(&page, text))?;
        part.out.write_all(b"\n").map_err(ExportError::Output)?;
        part.documents += 1;
        part.text_bytes += text.len() as u64;
        documents += 1;
        text_bytes += text.len() as u64;
        if part.text_bytes >= PART_BYTES {
            parts.push(part.finish()?);
        } else {
            open = Some(part);
        }
        Ok(())
    })?;
    if let Some(part) = open {
        parts.push(part.finish()?);
    }
    let manifest = Manifest {
        format: "scenthound-text-1",
        software: concat!("scenthound/", env!("CARGO_PKG_VERSION")),
        documents,
        text_bytes,
        empty,
        fields: FIELDS,
        parts: &parts,
    };
    write_file(
        &folder.join("manifest.json"),
        &serde_json::to_vec_pretty(&manifest)?,
    )?;
    let card = card(export, &manifest)?;
    write_file(&folder.join("README.md"), card.as_bytes())?;
    Ok(exported)
}

/// The description of the data set, in the form that model hubs read.
fn card(export: &Export<'_>, manifest: &Manifest<'_>) -> Result<String, ExportError> {
    let settings = export.collection.settings().ok().flatten();
    let name = settings
        .as_ref()
        .map(|settings| settings.topic.name.clone())
        .filter(|name| !name.is_empty())
        .unwrap_or_else(|| "untitled crawl".to_owned());
    let name = serde_json::to_string(&name)?;
    let size = match manifest.documents {
        0..=999 => "n<1K",
        1_000..=9_999 => "1K<n<10K",
        10_000..=99_999 => "10K<n<100K",
        100_000..=999_999 => "100K<n<1M",
        _ => "n>1M",
    };
    Ok(format!(
        "---\npretty_name: {name}\nlicense: other\ntask_categories:\n- text-generation\nsize_categories:\n- {size}\nconfigs:\n- \
         config_name: default\n  data_files: data/*.jsonl.gz\n---\n\n# {}\n\n{} documents, {} bytes of text, from a focused web \
         crawl by {}.\n\n## Content\n\nEach line of `data/*.jsonl.gz` is one page. `text` is its main text: menus, footers and \
         other boilerplate are removed automatically, so some may be left and some text may be missing. Near-duplicates are left \
         out unless they were asked for. `manifest.json` lists the parts with their SHA-256 digests.\n\n| field | meaning \
         |\n|---|---|\n| id | the id of the page, the same in every export |\n| url | where it was fetched |\n| title | its title \
         |\n| author, published | as the page says |\n| language | detected |\n| genre | detected, where the crawl had a detector \
         |\n| relevance, relevant | how the crawl judged it |\n| fetched_at | when, in UTC |\n| license | the URL of the licence \
         the page names with rel=license |\n| robots | what the page asks of robots: noindex, noarchive |\n| text | the main text \
         |\n\n## Licence\n\nThe pages belong to their authors. `license` is set only where a page names one; without it, assume \
         that all rights are reserved. robots.txt was respected unless the crawl was told otherwise. Pages that ask not to be \
         indexed are left out unless they were asked for, and `robots` says so.\n",
        name.trim_matches('"'),
        manifest.documents,
        manifest.text_bytes,
        manifest.software,
    ))
}

fn write_file(path: &Path, bytes: &[u8]) -> Result<(), ExportError> {
    fs::write(path, bytes).map_err(|source| ExportError::io("write to", path, source))
}

/// One Markdown file per page, in folders by the first two digits of the id.
pub(crate) fn save_markdown(export: &Export<'_>, folder: &Path) -> Result<Exported, ExportError> {
    let extras = Extras {
        text: true,
        links: false,
    };
    export.each_page(extras, |page| {
        if page.markdown.trim().is_empty() {
            return Ok(());
        }
        let inside = folder.join(page.page.id.get(..2).unwrap_or("00"));
        fs::create_dir_all(&inside).map_err(|source| ExportError::io("create", &inside, source))?;
        let path = inside.join(format!("{}.md", page.page.id));
        let document = Document::of(&page, "");
        let mut text = String::from("---\n");
        // Strings in JSON are strings in YAML.
        if let serde_json::Value::Object(fields) = serde_json::to_value(&document)? {
            for name in FIELDS.iter().filter(|name| **name != "text") {
                match fields.get(*name) {
                    None | Some(serde_json::Value::Null) => {}
                    Some(value) => text.push_str(&format!("{name}: {value}\n")),
                }
            }
        }
        text.push_str("---\n\n");
        text.push_str(&page.markdown);
        text.push('\n');
        write_file(&path, text.as_bytes())
    })
}
