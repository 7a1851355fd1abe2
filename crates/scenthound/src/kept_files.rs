//! Copies of the models and tables that a crawl's settings name, so that the crawl folder stands alone.
//!
//! They are in `models/`, and `crawl.toml` names them relative to itself: a folder that was moved to another machine resumes
//! there. A copy is never overwritten; another file for the same option gets a name of its own.

use std::io;
use std::path::{Path, PathBuf};

use scenthound_config::Settings;

/// Where the copies are, in the crawl folder.
const FOLDER: &str = "models";

/// The settings that name files, each with the name of its copy.
fn paths(settings: &mut Settings) -> [(&'static str, &mut Option<PathBuf>); 9] {
    let (judge, strategy, crawl) = (&mut settings.judge, &mut settings.strategy, &mut settings.crawl);
    [
        ("model", &mut judge.model),
        ("background", &mut judge.background),
        ("idf", &mut judge.idf),
        ("genre-model", &mut judge.genre_model),
        ("genre-words", &mut judge.genre_words),
        ("pig", &mut strategy.pig),
        ("layers", &mut strategy.layers),
        ("link-words", &mut strategy.link_words),
        ("ca-file", &mut crawl.ca_file),
    ]
}

/// The settings as they are written to `crawl.toml`, after copying the files they name to the folder.
pub(crate) fn keep(settings: &Settings, root: &Path) -> io::Result<String> {
    let mut kept = settings.clone();
    for (name, path) in paths(&mut kept) {
        if let Some(path) = path {
            let copy = copy_to(root, name, path).map_err(|error| {
                io::Error::new(
                    error.kind(),
                    format!("could not copy {}: {error}", path.display()),
                )
            })?;
            *path = Path::new(FOLDER).join(copy);
        }
    }
    Ok(kept.to_toml())
}

/// Copies a file to the folder, unless it is there already. Returns the name of the copy.
fn copy_to(root: &Path, name: &str, path: &Path) -> io::Result<String> {
    let bytes = std::fs::read(path)?;
    let folder = root.join(FOLDER);
    std::fs::create_dir_all(&folder)?;
    let ending = path
        .extension()
        .map(|ending| format!(".{}", ending.to_string_lossy()));
    let ending = ending.unwrap_or_default();
    for number in 1_u32.. {
        let copy = match number {
            1 => format!("{name}{ending}"),
            _ => format!("{name}-{number}{ending}"),
        };
        let to = folder.join(&copy);
        match std::fs::read(&to) {
            Ok(there) if there == bytes => return Ok(copy),
            Ok(_) => continue,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                // A kill while it is written must not leave half a model under its name.
                let part = folder.join(format!("{copy}.part"));
                std::fs::write(&part, &bytes)?;
                std::fs::File::open(&part)?.sync_all()?;
                std::fs::rename(&part, &to)?;
                return Ok(copy);
            }
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::other("too many files"))
}

/// Lets the settings of a resumed crawl name the copies instead of the originals, where they are the same or the originals are
/// gone.
pub(crate) fn adopt(before: &Settings, now: &mut Settings) {
    let mut before = before.clone();
    for ((_, before), (_, now)) in paths(&mut before).into_iter().zip(paths(now)) {
        if let (Some(kept), Some(given)) = (before, now)
            && let Ok(copy) = std::fs::read(&*kept)
        {
            match std::fs::read(&*given) {
                Ok(original) if original != copy => {}
                Err(error) if error.kind() != io::ErrorKind::NotFound => {}
                _ => given.clone_from(kept),
            }
        }
    }
}
