//! Opening webs and their tasks.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use scenthound_config::Settings;

use crate::error::LabError;
use crate::recorded::{Opened, PageId, RecordedWeb, Task, WebFolder};
use crate::session::{Lab, LabEvent};
use crate::synth::{SynthSettings, SynthWeb, preset, preset_names};
use crate::synthetic::Synthetic;
use crate::trial::Trial;

/// The prefix of a synthetic web's name.
const SYNTH: &str = "synth:";
/// Stands for every task of a web.
const ALL: &str = "all";

/// The name of a synthetic web, if the path is of the form `synth:NAME`.
pub fn synthetic_name(path: &Path) -> Option<&str> {
    path.to_str()?.strip_prefix(SYNTH)
}

/// The settings of a synthetic web, from a preset or a file ending in `.toml`.
pub fn synthetic_settings(name: &str) -> Result<SynthSettings, LabError> {
    if name.ends_with(".toml") {
        let text = std::fs::read_to_string(name).map_err(|fault| LabError::SyntheticFile {
            name: name.to_owned(),
            fault,
        })?;
        return SynthSettings::from_toml(&text).map_err(|fault| LabError::SyntheticSettings {
            name: name.to_owned(),
            fault,
        });
    }
    let (base, variant) = name.split_once('@').unwrap_or((name, ""));
    let found = preset(base).and_then(|settings| varied(settings, variant));
    found.ok_or_else(|| LabError::Unknown {
        what: "synthetic web",
        name: name.to_owned(),
        known: format!(
            "{}, each also with a seed, a number of pages and other settings, as in little@7, little@7,200 and \
             little@7,200,anchor-signal=0.3, or a settings file ending in .toml",
            preset_names().join(", ")
        ),
    })
}

/// The web with another seed (`7`) and, if given, another size (`7,5000`), with as many pages per host as before, and other
/// settings by the names they have in a file (`7,5000,anchor-signal=0.3`).
fn varied(mut settings: SynthSettings, variant: &str) -> Option<SynthSettings> {
    if variant.is_empty() {
        return Some(settings);
    }
    let mut parts = variant.split(',');
    settings.seed = parts.next()?.parse().ok()?;
    for part in parts {
        if let Some((name, value)) = part.split_once('=') {
            settings = settings.with(name, value)?;
            continue;
        }
        let pages = part.parse::<u32>().ok()?;
        let hosts = u64::from(settings.hosts) * u64::from(pages) / u64::from(settings.pages.max(1));
        settings.hosts = u32::try_from(hosts.max(1)).ok()?;
        settings.pages = pages;
    }
    settings.check().ok()?;
    Some(settings)
}

/// A synthetic web from a preset or a settings file.
pub fn synthetic(name: &str) -> Result<Synthetic, LabError> {
    Ok(Synthetic::new(SynthWeb::new(synthetic_settings(name)?)?))
}

fn wants_all(tasks: &[String]) -> bool {
    tasks.is_empty() || tasks.iter().any(|task| task == ALL)
}

fn open_synthetic(name: &str, tasks: &[String]) -> Result<Vec<Trial>, LabError> {
    let web = Arc::new(synthetic(name)?);
    let known = web.task_names();
    let takes_all = wants_all(tasks);
    if let Some(unknown) = tasks
        .iter()
        .find(|task| !takes_all && !known.contains(&task.as_str()))
    {
        return Err(LabError::NoTask {
            web: format!("{SYNTH}{name}"),
            task: unknown.clone(),
            known: known.join(", "),
        });
    }
    Ok(web.trials(&format!("{SYNTH}{name}"), |task| {
        takes_all || tasks.iter().any(|known| known == task)
    }))
}

impl Lab<'_> {
    /// Opens a web and the tasks with these names; all of its tasks if no name is given, or `all`.
    pub fn open(&self, path: &Path, tasks: &[String]) -> Result<Vec<Trial>, LabError> {
        if let Some(name) = synthetic_name(path) {
            self.tell(LabEvent::Opening { web: name });
            let trials = open_synthetic(name, tasks);
            self.tell(LabEvent::StepEnded);
            return trials;
        }
        let folder = WebFolder::open(path)?;
        let wanted: Vec<&Task> = if wants_all(tasks) {
            folder.tasks.iter().collect()
        } else {
            tasks
                .iter()
                .map(|name| folder.task(name))
                .collect::<Result<_, _>>()?
        };
        let web = Arc::new(self.load(&folder)?);
        let mut trials = Vec::new();
        for task in wanted {
            let pages = task.pages(&web)?;
            trials.push(Trial::new(folder.name.clone(), web.clone(), task.clone(), pages));
        }
        Ok(trials)
    }

    /// Opens several webs and their tasks. Each task must be in at least one of the webs.
    pub fn open_all(&self, paths: &[PathBuf], tasks: &[String]) -> Result<Vec<Trial>, LabError> {
        let takes_all = tasks.iter().any(|task| task == ALL);
        if let ([path], false) = (paths, takes_all) {
            return self.open(path, tasks);
        }
        let mut trials = Vec::new();
        let mut known = Vec::new();
        for path in paths {
            let open = self.open(path, &[])?;
            known.extend(open.iter().map(|trial| trial.task.name.clone()));
            trials.extend(
                open.into_iter()
                    .filter(|trial| takes_all || tasks.contains(&trial.task.name)),
            );
        }
        if let Some(unknown) = tasks.iter().find(|task| !takes_all && !known.contains(task)) {
            return Err(LabError::NoTaskInWebs {
                task: unknown.clone(),
                known: known.join(", "),
            });
        }
        if trials.is_empty() {
            return Err(LabError::NoTasks);
        }
        Ok(trials)
    }

    /// Reads a recorded web, from the cache if possible.
    pub fn load(&self, folder: &WebFolder) -> Result<RecordedWeb, LabError> {
        self.tell(LabEvent::Opening { web: &folder.name });
        let cache = self.options.cache.as_ref().map(|cache| cache.join("webs"));
        let loaded = folder.load(cache.as_deref(), |progress| {
            self.tell(LabEvent::Reading {
                web: &folder.name,
                pages: progress.pages,
            });
        });
        self.tell(LabEvent::StepEnded);
        let (web, opened) = loaded.map_err(|source| LabError::Unreadable {
            path: folder.path.clone(),
            source,
        })?;
        for warning in web.warnings() {
            self.tell(LabEvent::ArchiveDamaged { warning });
        }
        if opened == Opened::NotKept {
            self.tell(LabEvent::NotCached);
        }
        Ok(web)
    }

    /// A web without tasks, crawled for the user's own topic, with its seeds and terms. The pages to find are those that the
    /// topic's judge calls relevant among all recorded pages. So a run shows how soon a strategy finds them, not how right the
    /// judge is.
    pub fn open_for_topic(&self, path: &Path, topic: &Path) -> Result<Trial, LabError> {
        let settings = self.check(topic_file(topic)?, &[])?;
        let seeds = |_: &RecordedWeb| settings.seeds.urls.iter().map(ToString::to_string).collect();
        self.judged_by_topic(path, &settings, seeds)
    }

    /// The same for a web that is only looked at. The topic needs no seeds then.
    pub fn open_to_look_at(&self, path: &Path, topic: &Path) -> Result<Trial, LabError> {
        let settings = self.check_topic(topic_file(topic)?)?;
        // A task must have a seed; any page will do.
        let any = |web: &RecordedWeb| {
            web.page_url(PageId(0))
                .map(ToString::to_string)
                .into_iter()
                .collect()
        };
        self.judged_by_topic(path, &settings, any)
    }

    fn judged_by_topic(
        &self,
        path: &Path,
        settings: &Settings,
        seeds: impl Fn(&RecordedWeb) -> Vec<String>,
    ) -> Result<Trial, LabError> {
        let judge = settings.judge()?;
        let folder = WebFolder::open(path)?;
        let web = Arc::new(self.load(&folder)?);
        let task = Task {
            name: settings.topic.name.clone(),
            query: settings.topic.query.clone().unwrap_or_default(),
            seeds: seeds(&web),
            genre: settings.terms.genre.clone(),
            content: settings.terms.content.clone(),
            exclude: settings.terms.exclude.clone(),
            ..Task::default()
        };
        let mut pages = task.pages(&web)?;
        for page in (0..web.pages() as u32).map(PageId) {
            if page.0.is_multiple_of(1_000) {
                self.tell(LabEvent::Judging {
                    task: &task.name,
                    judged: page.0.into(),
                    pages: web.pages() as u64,
                });
            }
            if web.page_with(page, judge.reads()).is_some_and(|mut parsed| {
                judge.prepare(&mut parsed);
                judge.judge(&parsed).is_relevant()
            }) {
                pages.relevant.insert(page);
            }
        }
        self.tell(LabEvent::StepEnded);
        Ok(Trial::new(folder.name, web, task, pages))
    }
}

/// The name of a topic file.
fn topic_file(path: &Path) -> Result<&str, LabError> {
    let file = path.to_str().filter(|file| file.ends_with(".toml"));
    file.ok_or_else(|| LabError::NotATopicFile {
        path: path.to_owned(),
    })
}
