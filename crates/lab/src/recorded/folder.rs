//! A web on disk: an archive and the files that go with it.

use std::fs;
use std::path::{Path, PathBuf};

use scenthound_types::ArchiveFormat;

use crate::recorded::build::{Progress, build};
use crate::recorded::labels::Labels;
use crate::recorded::task::{Task, read_tasks};
use crate::recorded::web::RecordedWeb;
use crate::recorded::{RecordedFault, cache};

/// A web folder: its archives, labels and tasks. A single archive or a crawl folder is a web without tasks.
#[derive(Clone, Debug)]
pub struct WebFolder {
    /// Its path.
    pub path: PathBuf,
    /// Its name: the last part of the path.
    pub name: String,
    /// Its archives, in the order they are read.
    pub archives: Vec<PathBuf>,
    /// Its tasks.
    pub tasks: Vec<Task>,
}

/// Whether a web came from the cache.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Opened {
    /// It was read from the cache.
    Cached,
    /// It was parsed and written to the cache.
    Built,
    /// It was parsed, but could not be written to the cache.
    NotKept,
}

impl WebFolder {
    /// Opens a folder, an archive or a crawl folder. Reads the tasks, but no pages.
    pub fn open(path: &Path) -> Result<WebFolder, RecordedFault> {
        let tasks_file = path.join("tasks.toml");
        let tasks = if tasks_file.is_file() {
            read_tasks(&tasks_file)?
        } else {
            Vec::new()
        };
        let name = path.file_name().map_or_else(
            || path.display().to_string(),
            |name| name.to_string_lossy().into_owned(),
        );
        Ok(WebFolder {
            path: path.to_owned(),
            name,
            archives: archives_of(path)?,
            tasks,
        })
    }

    /// The task of that name.
    pub fn task(&self, name: &str) -> Result<&Task, RecordedFault> {
        self.tasks
            .iter()
            .find(|task| task.name == name)
            .ok_or_else(|| RecordedFault::NoTask {
                path: self.path.clone(),
                name: name.to_owned(),
                known: match self.tasks.as_slice() {
                    [] => "none (no tasks.toml)".to_owned(),
                    tasks => tasks
                        .iter()
                        .map(|task| task.name.as_str())
                        .collect::<Vec<_>>()
                        .join(", "),
                },
            })
    }

    /// The task of that name in the first of several folders that has it, and its folder.
    pub fn find_task(folders: &[PathBuf], name: &str) -> Result<(WebFolder, Task), RecordedFault> {
        let mut first = None;
        for path in folders {
            let found = WebFolder::open(path).and_then(|folder| Ok((folder.task(name)?.clone(), folder)));
            match found {
                Ok((task, folder)) => return Ok((folder, task)),
                // The error of a folder without the task names the tasks it has.
                Err(fault) => first = first.or(Some(fault)),
            }
        }
        Err(first.unwrap_or_else(|| RecordedFault::NoTask {
            path: PathBuf::new(),
            name: name.to_owned(),
            known: "none (no web folder)".to_owned(),
        }))
    }

    /// The labels, if the folder has any.
    pub fn labels(&self) -> Result<Option<Labels>, RecordedFault> {
        let path = self.path.join("labels.tsv");
        path.is_file().then(|| Labels::read(&path)).transpose()
    }

    /// The web itself, from the cache if possible. If the cache cannot be written, the web is returned all the same.
    pub fn load(
        &self,
        cache_folder: Option<&Path>,
        progress: impl FnMut(Progress),
    ) -> Result<(RecordedWeb, Opened), RecordedFault> {
        let file = cache_folder
            .map(|folder| cache::path_for(&self.archives, folder))
            .transpose()?;
        if let Some(web) = file.as_deref().and_then(cache::load) {
            return Ok((web, Opened::Cached));
        }
        let web = build(&self.archives, progress)?;
        if web.pages() == 0 {
            return Err(RecordedFault::NoPages {
                path: self.path.clone(),
            });
        }
        let is_kept = file.is_some_and(|file| cache::save(&web, &file).is_ok());
        Ok((web, if is_kept { Opened::Built } else { Opened::NotKept }))
    }
}

/// The archives that a path stands for: the file itself, those of the folder, or those of a crawl folder, sorted by name.
pub fn archives_of(path: &Path) -> Result<Vec<PathBuf>, RecordedFault> {
    if path.is_file() {
        return Ok(vec![path.to_owned()]);
    }
    for folder in [path.to_owned(), path.join("archive")] {
        if !folder.is_dir() {
            continue;
        }
        let mut archives = Vec::new();
        for entry in fs::read_dir(&folder).map_err(RecordedFault::file(&folder))? {
            let entry = entry.map_err(RecordedFault::file(&folder))?;
            let name = entry.file_name();
            let name = name.to_string_lossy();
            if name.ends_with(".warc") || ArchiveFormat::of_file(&name).is_some() {
                archives.push(entry.path());
            }
        }
        if !archives.is_empty() {
            archives.sort();
            return Ok(archives);
        }
    }
    fs::metadata(path).map_err(RecordedFault::file(path))?;
    Err(RecordedFault::NoArchive {
        path: path.to_owned(),
    })
}
