//! The folder a store lives in: created completely or not at all, and labelled with what is in it.
//!
//! The label is a separate file rather than a record in the store, so that it can be read even when the store cannot.

use std::fs;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use scenthound_types::Keyring;

use crate::DurableError;
use crate::storage::FjallStorage;

const LABEL: &str = "FRONTIER";
const FORMAT: &str = "scenthound frontier 1";

pub(crate) fn fault(path: &Path) -> impl FnOnce(std::io::Error) -> DurableError {
    let path = path.to_owned();
    move |source| DurableError::Files { path, source }
}

/// Distinguishes the keys of one seed from those of another without revealing the seed.
fn fingerprint(keyring: Keyring) -> String {
    format!("keys {:016x}", keyring.hash(FORMAT))
}

/// Whether the folder holds a store we can read. A missing or empty folder holds none; anything else is an error.
pub(crate) fn holds_store(folder: &Path, keyring: Keyring) -> Result<bool, DurableError> {
    let path = folder.join(LABEL);
    let label = match fs::read_to_string(&path) {
        Ok(label) => label,
        Err(error) if error.kind() == ErrorKind::NotFound => {
            return match fs::read_dir(folder).map(|mut files| files.next().is_none()) {
                Ok(true) => Ok(false),
                Ok(false) => Err(DurableError::Foreign {
                    folder: folder.to_owned(),
                }),
                Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
                Err(error) => Err(fault(folder)(error)),
            };
        }
        Err(error) => return Err(fault(&path)(error)),
    };
    let mut lines = label.lines();
    let found = lines.next().unwrap_or_default();
    if found != FORMAT {
        return Err(DurableError::Format {
            folder: folder.to_owned(),
            found: found.chars().take(60).collect(),
            expected: FORMAT,
        });
    }
    if lines.next() != Some(fingerprint(keyring).as_str()) {
        return Err(DurableError::OtherSeed {
            folder: folder.to_owned(),
        });
    }
    Ok(true)
}

/// Creates an empty store beside its final place and renames it. The store consists of many files, and a process
/// killed between two of them would leave something that cannot be opened.
pub(crate) fn create(folder: &Path, keyring: Keyring) -> Result<(), DurableError> {
    let unfinished = beside(folder);
    match fs::remove_dir_all(&unfinished) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(fault(&unfinished)(error)),
        _ => {}
    }
    fs::create_dir_all(&unfinished).map_err(fault(&unfinished))?;
    drop(FjallStorage::open(&unfinished)?);
    let path = unfinished.join(LABEL);
    let label = format!("{FORMAT}\n{}\n", fingerprint(keyring));
    fs::File::create_new(&path)
        .and_then(|mut file| {
            file.write_all(label.as_bytes())?;
            file.sync_all()
        })
        .map_err(fault(&path))?;
    sync_tree(&unfinished).map_err(fault(&unfinished))?;
    fs::rename(&unfinished, folder).map_err(fault(folder))?;
    // The rename is recorded in the parent folder. Without this sync a power failure could undo it after pages were
    // committed.
    match folder.parent().filter(|above| !above.as_os_str().is_empty()) {
        Some(above) => fs::File::open(above).and_then(|file| file.sync_all()),
        None => fs::File::open(".").and_then(|file| file.sync_all()),
    }
    .map_err(fault(folder))
}

/// Flushes a folder with everything in it. The store flushes its files, but not the names of all of them, and the rest relies on
/// them from the first commit on.
fn sync_tree(folder: &Path) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            sync_tree(&entry.path())?;
        } else {
            fs::File::open(entry.path())?.sync_all()?;
        }
    }
    fs::File::open(folder)?.sync_all()
}

fn beside(folder: &Path) -> PathBuf {
    let mut name = folder.file_name().unwrap_or_default().to_owned();
    name.push(".unfinished");
    folder.with_file_name(name)
}
