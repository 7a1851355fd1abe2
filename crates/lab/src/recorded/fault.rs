//! Why a recorded web could not be opened.

use std::path::PathBuf;

use thiserror::Error;

/// What is wrong with a web folder or its files.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RecordedFault {
    /// A file could not be read or written.
    #[error("{path}: {source}")]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// An archive could not be opened.
    #[error(transparent)]
    Archive(#[from] scenthound_store::Error),
    /// There is no archive.
    #[error(
        "{path}: no archive found; a web is a WARC file (.warc, .warc.gz or .warc.zst), a folder with pages.warc.gz, or a crawl folder"
    )]
    NoArchive {
        /// The path that was searched.
        path: PathBuf,
    },
    /// The archives contain no page.
    #[error("{path}: the archive contains no readable pages")]
    NoPages {
        /// The web.
        path: PathBuf,
    },
    /// A file has invalid contents.
    #[error("{path}{}: {what}", line.map(|line| format!(":{line}")).unwrap_or_default())]
    Content {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1.
        line: Option<usize>,
        /// What is wrong, and what would be right.
        what: String,
    },
    /// There is no task of that name.
    #[error("{path}: there is no task {name:?}; known tasks: {known}")]
    NoTask {
        /// The folder.
        path: PathBuf,
        /// The name asked for.
        name: String,
        /// The tasks that exist.
        known: String,
    },
    /// There is no label column of that name.
    #[error("{path}: there is no label column {name:?}; known columns: {known}")]
    NoLabel {
        /// The file of labels.
        path: PathBuf,
        /// The name asked for.
        name: String,
        /// The columns that exist.
        known: String,
    },
    /// A web without labels.
    #[error("{path} has no labels.tsv; list the pages and their classes instead", path = path.display())]
    NoLabels {
        /// The web.
        path: PathBuf,
    },
    /// A task without example pages.
    #[error("the task {task} has no {key}")]
    NoExamples {
        /// The task.
        task: String,
        /// What its folder calls the list of examples.
        key: &'static str,
    },
    /// None of a task's seeds is in the web.
    #[error("task {task}: none of its seeds was recorded ({seeds}); choose seeds that are in the archive")]
    NoSeeds {
        /// The task.
        task: String,
        /// Its seeds.
        seeds: String,
    },
}

impl RecordedFault {
    pub(crate) fn file(path: &std::path::Path) -> impl FnOnce(std::io::Error) -> RecordedFault + use<> {
        let path = path.to_owned();
        move |source| RecordedFault::File { path, source }
    }
}
