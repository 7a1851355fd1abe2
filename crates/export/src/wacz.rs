//! WACZ: the archive, its index and a list of pages in one ZIP file, for replay tools.
//!
//! The WARC files are those of [`warc`](crate::warc): replay tools read no other than `.warc.gz`.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, Write};
use std::path::Path;

use scenthound_store::{index_file, merge_indexes};
use serde::Serialize;
use serde_json::json;
use sha2::{Digest, Sha256};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use crate::corpus::hex;
use crate::warc::{create, gzip_files};
use crate::{Export, ExportError, Exported};

#[derive(Serialize)]
struct Resource {
    name: String,
    path: String,
    hash: String,
    bytes: u64,
}

#[derive(Serialize)]
struct PageLine<'a> {
    id: &'a str,
    url: &'a str,
    ts: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<&'a str>,
}

pub(crate) fn save(export: &Export<'_>, path: &Path) -> Result<Exported, ExportError> {
    let temporary = tempfile::tempdir_in(
        path.parent()
            .filter(|parent| !parent.as_os_str().is_empty())
            .unwrap_or(Path::new(".")),
    )
    .map_err(|source| ExportError::io("create a temporary folder beside", path, source))?;
    let pages_path = temporary.path().join("pages.jsonl");
    let index_path = temporary.path().join("index.cdxj");

    let mut pages = create(&pages_path)?;
    let header = json!({"format": "json-pages-1.0", "id": "pages", "title": "All Pages"});
    writeln!(pages, "{header}").map_err(ExportError::Output)?;
    let (exported, files) = gzip_files(export, temporary.path(), export.settings.extras, |page| {
        let record = &page.page.record;
        let line = PageLine {
            id: &page.page.id,
            url: &record.url,
            ts: &record.fetched_at,
            title: record.title.as_deref(),
            text: page.text.as_deref(),
        };
        serde_json::to_writer(&mut pages, &line)?;
        pages.write_all(b"\n").map_err(ExportError::Output)
    })?;
    pages.flush().map_err(ExportError::Output)?;

    let mut index = create(&index_path)?;
    let is_as_it_is = files.iter().all(|(_, file)| !file.starts_with(temporary.path()));
    if is_as_it_is {
        merge_indexes(export.collection.view().layout(), &mut index)?;
    } else {
        let mut lines = Vec::new();
        for (name, file) in &files {
            lines.extend(index_file(file, name)?);
        }
        lines.sort_unstable();
        for line in lines {
            writeln!(index, "{line}").map_err(ExportError::Output)?;
        }
    }
    index.flush().map_err(ExportError::Output)?;

    let file = File::create(path).map_err(|source| ExportError::io("create", path, source))?;
    let mut zip = ZipWriter::new(file);
    let mut resources = Vec::new();
    for (name, file) in files {
        resources.push(add(&mut zip, &format!("archive/{name}"), &file)?);
    }
    resources.push(add(&mut zip, "indexes/index.cdxj", &index_path)?);
    resources.push(add(&mut zip, "pages/pages.jsonl", &pages_path)?);
    let settings = export.collection.settings().ok().flatten();
    let mut package = json!({
        "profile": "data-package",
        "wacz_version": "1.1.1",
        "software": concat!("scenthound/", env!("CARGO_PKG_VERSION")),
        "resources": resources,
    });
    if let (Some(settings), Some(fields)) = (settings, package.as_object_mut()) {
        fields.insert("title".to_owned(), json!(settings.topic.name));
    }
    let package = serde_json::to_vec_pretty(&package)?;
    let digest = json!({
        "path": "datapackage.json",
        "hash": format!("sha256:{}", hex(&Sha256::digest(&package))),
    });
    for (name, bytes) in [
        ("datapackage.json", package),
        ("datapackage-digest.json", serde_json::to_vec_pretty(&digest)?),
    ] {
        zip.start_file(name, options())?;
        zip.write_all(&bytes).map_err(ExportError::Output)?;
    }
    zip.finish()?;
    Ok(exported)
}

/// Replay tools read records in place, so nothing is compressed a second time.
fn options() -> SimpleFileOptions {
    SimpleFileOptions::default()
        .compression_method(CompressionMethod::Stored)
        .large_file(true)
}

fn add<W: Write + Seek>(zip: &mut ZipWriter<W>, name: &str, path: &Path) -> Result<Resource, ExportError> {
    zip.start_file(name, options())?;
    let fault = |source| ExportError::io("read", path, source);
    let mut file = BufReader::new(File::open(path).map_err(fault)?);
    let mut hasher = Sha256::new();
    let mut bytes = 0;
    let mut piece = vec![0; 256 << 10];
    loop {
        let read = match file.read(&mut piece) {
            Ok(0) => break,
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(fault(error)),
        };
        let piece = piece.get(..read).unwrap_or_default();
        hasher.update(piece);
        bytes += read as u64;
        zip.write_all(piece).map_err(ExportError::Output)?;
    }
    Ok(Resource {
        name: name.rsplit('/').next().unwrap_or(name).to_owned(),
        path: name.to_owned(),
        hash: format!("sha256:{}", hex(&hasher.finalize())),
        bytes,
    })
}
