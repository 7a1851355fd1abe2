//! WARC: the archive as `.warc.gz` files with their indexes, in the layout of a pywb collection.
//!
//! Without filters every file of the archive becomes one file of the export: those that are `.warc.gz` already are copied, others
//! are compressed anew. With filters, the exchanges of the chosen pages are copied into one new file, together with the payloads
//! that their revisit records refer to. So are all requisites, because a record names only the first page that needs one.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use scenthound::RankSettings;
use scenthound_store::{ArchiveCopy, CopiedFile, gzip_name, index_file};
use scenthound_types::{ArchiveFormat, LeaseKind};

use crate::{Export, ExportError, Exported, ExportedPage, Extras};

/// The name of the file that chosen exchanges are copied into.
const CHOSEN: &str = "chosen.warc.gz";

pub(crate) fn save(export: &Export<'_>, folder: &Path) -> Result<Exported, ExportError> {
    let (archive, indexes) = (folder.join("archive"), folder.join("indexes"));
    for part in [&archive, &indexes] {
        fs::create_dir(part).map_err(|source| ExportError::io("create", part, source))?;
    }
    let (exported, files) = gzip_files(export, &archive, Extras::default(), |_| Ok(()))?;
    for (name, path) in files {
        let copy = archive.join(&name);
        if path != copy {
            fs::copy(&path, &copy).map_err(|source| ExportError::io("copy", &path, source))?;
        }
        let index = indexes.join(format!(
            "{}.cdxj",
            name.trim_end_matches(ArchiveFormat::Gz.ending())
        ));
        let mut out = create(&index)?;
        for line in index_file(&copy, &name)? {
            writeln!(out, "{line}").map_err(ExportError::Output)?;
        }
        out.flush().map_err(ExportError::Output)?;
    }
    Ok(exported)
}

/// The files of an archive that other tools read, by name.
pub(crate) type Files = Vec<(String, PathBuf)>;

/// The `.warc.gz` files of an export, in order. Those that the archive does not hold in this form are written into `folder`.
/// Shows each page that is exported.
pub(crate) fn gzip_files(
    export: &Export<'_>,
    folder: &Path,
    extras: Extras,
    mut visit: impl FnMut(&ExportedPage) -> Result<(), ExportError>,
) -> Result<(Exported, Files), ExportError> {
    let archive = export.collection.view().layout().archive();
    let mut copy = ArchiveCopy::default();
    if is_everything(&export.settings.pages) {
        let exported = export.each_page(extras, |page| visit(&page))?;
        let mut files = Vec::new();
        for (name, path) in warc_files(&archive)? {
            let gzip = gzip_name(&name);
            if gzip == name {
                files.push((name, path));
                continue;
            }
            let new = folder.join(&gzip);
            let mut to = CopiedFile::new(&gzip, create(&new)?);
            copy.file(&path, &mut to)?;
            to.into_inner().flush().map_err(ExportError::Output)?;
            files.push((gzip, new));
        }
        return Ok((exported, files));
    }
    let path = folder.join(CHOSEN);
    let mut chosen = CopiedFile::new(CHOSEN, create(&path)?);
    let exported = export.each_page(extras, |page| {
        visit(&page)?;
        if let Some(position) = &page.page.record.archive {
            copy.exchange(&archive, position, &mut chosen)?;
        }
        Ok(())
    })?;
    for record in export.collection.view().pages()? {
        // An unreadable line was reported when the pages were ranked.
        let Ok(record) = record else { continue };
        if let (LeaseKind::Requisite, Some(position)) = (record.kind, &record.archive) {
            copy.exchange(&archive, position, &mut chosen)?;
        }
    }
    chosen.into_inner().flush().map_err(ExportError::Output)?;
    Ok((exported, vec![(CHOSEN.to_owned(), path)]))
}

pub(crate) fn create(path: &Path) -> Result<BufWriter<File>, ExportError> {
    let file = File::create(path).map_err(|source| ExportError::io("create", path, source))?;
    Ok(BufWriter::new(file))
}

fn warc_files(archive: &Path) -> Result<Files, ExportError> {
    let fault = |source| ExportError::io("list", archive, source);
    let mut files = Vec::new();
    for entry in fs::read_dir(archive).map_err(fault)? {
        let entry = entry.map_err(fault)?;
        if let Some(name) = entry.file_name().to_str()
            && ArchiveFormat::of_file(name).is_some()
        {
            files.push((name.to_owned(), entry.path()));
        }
    }
    files.sort();
    Ok(files)
}

/// Whether the settings leave no page of the archive out, other than folded and hidden ones.
pub(crate) fn is_everything(pages: &RankSettings) -> bool {
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
