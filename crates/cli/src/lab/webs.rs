//! Opening webs and their tasks.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result};
use indicatif::{ProgressBar, ProgressStyle};
use scenthound_lab::{Synthetic, Trial};
use scenthound_recorded::{Opened, WebFolder};
use scenthound_synth::{SynthSettings, SynthWeb, preset, preset_names};

use crate::pages_input::bad_input;

/// Where parsed webs are kept: `SCENTHOUND_CACHE`, or the user's cache folder.
pub fn cache_folder() -> Option<PathBuf> {
    let from = |name: &str| {
        std::env::var_os(name)
            .filter(|value| !value.is_empty())
            .map(PathBuf::from)
    };
    from("SCENTHOUND_CACHE")
        .or_else(|| Some(from("XDG_CACHE_HOME")?.join("scenthound")))
        .or_else(|| Some(from("HOME")?.join(".cache").join("scenthound")))
        .map(|folder| folder.join("webs"))
}

/// A bar on stderr, silent where nobody watches.
pub fn spinner(message: &str) -> ProgressBar {
    let bar = ProgressBar::new_spinner();
    if let Ok(style) = ProgressStyle::with_template("{spinner} {msg}") {
        bar.set_style(style);
    }
    bar.set_message(message.to_owned());
    bar
}

/// How synthetic webs are named.
pub const SYNTH: &str = "synth:";

/// The settings of a synthetic web, by the name of a preset or a file.
pub fn synthetic_settings(name: &str) -> Result<SynthSettings> {
    if name.ends_with(".toml") {
        let text = std::fs::read_to_string(name).map_err(|error| bad_input(format!("{name}: {error}")))?;
        return SynthSettings::from_toml(&text).map_err(|fault| bad_input(format!("{name}: {fault}")));
    }
    preset(name).ok_or_else(|| {
        bad_input(format!(
            "there is no synthetic web {name:?}; there are: {}, or a file of settings ending in .toml",
            preset_names().join(", ")
        ))
    })
}

/// A synthetic web by the name of a preset or a file of settings.
pub fn synthetic(name: &str) -> Result<Synthetic> {
    let web = SynthWeb::new(synthetic_settings(name)?).map_err(|fault| bad_input(fault.to_string()))?;
    Ok(Synthetic(web))
}

fn open_synthetic(name: &str, tasks: &[String]) -> Result<Vec<Trial>> {
    let web = Arc::new(synthetic(name)?);
    let known: Vec<&str> = web.0.tasks().iter().map(|task| task.name.as_str()).collect();
    let takes_all = tasks.is_empty() || tasks.iter().any(|task| task == "all");
    if let Some(unknown) = tasks
        .iter()
        .find(|task| !takes_all && !known.contains(&task.as_str()))
    {
        return Err(bad_input(format!(
            "synth:{name} has no task {unknown:?}; there are: {}",
            known.join(", ")
        )));
    }
    Ok(web.trials(&format!("{SYNTH}{name}"), |task| {
        takes_all || tasks.iter().any(|known| known == task)
    }))
}

/// Opens a web and the tasks of these names, or all of them.
pub fn open(path: &Path, tasks: &[String]) -> Result<Vec<Trial>> {
    if let Some(name) = path.to_str().and_then(|path| path.strip_prefix(SYNTH)) {
        return open_synthetic(name, tasks);
    }
    let folder = WebFolder::open(path).map_err(|fault| bad_input(fault.to_string()))?;
    let wanted: Vec<_> = if tasks.is_empty() || tasks.iter().any(|task| task == "all") {
        folder.tasks.iter().collect()
    } else {
        tasks
            .iter()
            .map(|name| folder.task(name))
            .collect::<std::result::Result<_, _>>()
            .map_err(|fault| bad_input(fault.to_string()))?
    };
    let web = Arc::new(load(&folder)?);
    let mut trials = Vec::new();
    for task in wanted {
        let pages = task.pages(&web).map_err(|fault| bad_input(fault.to_string()))?;
        trials.push(Trial::new(folder.name.clone(), web.clone(), task.clone(), pages));
    }
    Ok(trials)
}

/// Reads a recorded web, from the cache where it is there; says what was wrong with it.
pub fn load(folder: &WebFolder) -> Result<scenthound_recorded::RecordedWeb> {
    let bar = spinner(&format!("opening {}", folder.name));
    let cache = cache_folder();
    let (web, opened) = folder
        .load(cache.as_deref(), |progress| {
            bar.set_message(format!("reading {}: {} pages", folder.name, progress.pages));
            bar.tick();
        })
        .with_context(|| format!("{} cannot be read", folder.path.display()))?;
    bar.finish_and_clear();
    for warning in web.warnings() {
        note!("warning: {warning}");
    }
    if opened == Opened::NotKept {
        note!("note: the parsed web could not be kept; the next run will read the archive again");
    }
    Ok(web)
}
