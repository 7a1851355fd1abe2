//! WACZ: the archive, its index and a list of pages in one ZIP file, for replay tools.
//!
//! Without filters the WARC files are copied as they are. With filters, the exchanges of the chosen pages are copied into a
//! new WARC file, together with the payloads that their revisit records refer to. So are all requisites, because a record names
//! only the first page that needs one.

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};
use std::path::{Path, PathBuf};

use scenthound::RankSettings;
use scenthound_store::{copy_exchange, index_file, merge_indexes};
use scenthound_types::LeaseKind;
use serde::Serialize;
use serde_json::json;
use sha2::{Digest, Sha256};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use crate::corpus::hex;
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
    let chosen_path = temporary.path().join("chosen.warc.gz");
    let is_whole = is_everything(&export.settings.pages);

    let create = |path: &Path| -> Result<BufWriter<File>, ExportError> {
        let file = File::create(path).map_err(|source| ExportError::io("create", path, source))?;
        Ok(BufWriter::new(file))
    };
    let mut pages = create(&pages_path)?;
    let mut chosen = create(&chosen_path)?;
    let mut copied: HashSet<(String, u64)> = HashSet::new();
    let archive = export.collection.view().layout().archive();
    let header = json!({"format": "json-pages-1.0", "id": "pages", "title": "All Pages"});
    writeln!(pages, "{header}").map_err(ExportError::Output)?;
    let exported = export.each_page(export.settings.extras, |page| {
        let record = &page.page.record;
        let line = PageLine {
            id: &page.page.id,
            url: &record.url,
            ts: &record.fetched_at,
            title: record.title.as_deref(),
            text: page.text.as_deref(),
        };
        serde_json::to_writer(&mut pages, &line)?;
        pages.write_all(b"\n").map_err(ExportError::Output)?;
        if !is_whole && let Some(position) = &record.archive {
            copy_exchange(&archive, position, &mut copied, &mut chosen)?;
        }
        Ok(())
    })?;
    if !is_whole {
        for record in export.collection.view().pages()? {
            // An unreadable line was reported when the pages were ranked.
            let Ok(record) = record else { continue };
            if let (LeaseKind::Requisite, Some(position)) = (record.kind, &record.archive) {
                copy_exchange(&archive, position, &mut copied, &mut chosen)?;
            }
        }
    }
    pages.flush().map_err(ExportError::Output)?;
    chosen.flush().map_err(ExportError::Output)?;

    let mut index = create(&index_path)?;
    let files: Vec<(String, PathBuf)> = if is_whole {
        merge_indexes(export.collection.view().layout(), &mut index)?;
        warc_files(&archive)?
    } else {
        let name = "chosen.warc.gz".to_owned();
        for line in index_file(&chosen_path, &name)? {
            writeln!(index, "{line}").map_err(ExportError::Output)?;
        }
        vec![(name, chosen_path)]
    };
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

fn warc_files(archive: &Path) -> Result<Vec<(String, PathBuf)>, ExportError> {
    let fault = |source| ExportError::io("list", archive, source);
    let mut files = Vec::new();
    for entry in std::fs::read_dir(archive).map_err(fault)? {
        let entry = entry.map_err(fault)?;
        if let Some(name) = entry
            .file_name()
            .to_str()
            .filter(|name| name.ends_with(".warc.gz"))
        {
            files.push((name.to_owned(), entry.path()));
        }
    }
    files.sort();
    Ok(files)
}

/// Whether the settings leave no page of the archive out, other than folded and hidden ones.
fn is_everything(pages: &RankSettings) -> bool {
    let open = RankSettings {
        by: pages.by,
        with_duplicates: pages.with_duplicates,
        with_hidden: pages.with_hidden,
        preferred_genres: pages.preferred_genres.clone(),
        genre_threshold: pages.genre_threshold,
        content_threshold: pages.content_threshold,
        ..RankSettings::default()
    };
    *pages == open
}
