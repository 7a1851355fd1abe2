//! Opening webs and their tasks.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result};
use indicatif::{ProgressBar, ProgressStyle};
use scenthound_lab::recorded::{Opened, PageId, Task, WebFolder};
use scenthound_lab::synth::{SynthSettings, SynthWeb, preset, preset_names};
use scenthound_lab::{Synthetic, Trial};

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
pub fn load(folder: &WebFolder) -> Result<scenthound_lab::recorded::RecordedWeb> {
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

/// A web without tasks, crawled for a topic of the user's own: its seeds, its terms. What is to be found is what the topic's judge
/// calls relevant among all recorded pages, so a run says how soon a strategy gets there, not how right the judge is.
pub fn open_for_topic(path: &Path, topic: &Path) -> Result<Trial> {
    let file = topic
        .to_str()
        .ok_or_else(|| bad_input("the topic's file name is not text".to_owned()))?;
    if !file.ends_with(".toml") {
        return Err(bad_input(format!(
            "{file} is no topic file; its name ends in .toml"
        )));
    }
    let settings =
        crate::crawl::check_settings(file, &[])?.map_err(|faults| bad_input(faults.to_string()))?;
    let judge = settings.judge()?;
    let folder = WebFolder::open(path).map_err(|fault| bad_input(fault.to_string()))?;
    let web = Arc::new(load(&folder)?);
    let task = Task {
        name: settings.topic.name.clone(),
        query: settings.topic.query.clone().unwrap_or_default(),
        seeds: settings.seeds.urls.iter().map(ToString::to_string).collect(),
        genre: settings.terms.genre.clone(),
        content: settings.terms.content.clone(),
        exclude: settings.terms.exclude.clone(),
        ..Task::default()
    };
    let mut pages = task.pages(&web).map_err(|fault| bad_input(fault.to_string()))?;
    let bar = spinner("judging every page of the web");
    for page in (0..web.pages() as u32).map(PageId) {
        if web
            .page(page)
            .is_some_and(|parsed| judge.judge(&parsed).is_relevant())
        {
            pages.relevant.insert(page);
        }
        if page.0.is_multiple_of(1_000) {
            bar.tick();
        }
    }
    bar.finish_and_clear();
    Ok(Trial::new(folder.name, web, task, pages))
}
