//! What a recorded web cannot be made from.

use std::path::PathBuf;

use thiserror::Error;

/// What is wrong with a web folder or its files.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RecordedFault {
    /// A file cannot be read or written.
    #[error("{path}: {source}")]
    File {
        /// Which.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// An archive cannot be opened.
    #[error(transparent)]
    Archive(#[from] scenthound_store::Error),
    /// There is nothing to crawl.
    #[error(
        "{path}: no archive here; a web is a WARC file (.warc or .warc.gz), a folder with pages.warc.gz, or a crawl folder"
    )]
    NoArchive {
        /// Where one was looked for.
        path: PathBuf,
    },
    /// The archives hold no page.
    #[error("{path}: the archive holds no page that could be read")]
    NoPages {
        /// The web.
        path: PathBuf,
    },
    /// A file does not hold what it should.
    #[error("{path}{}: {what}", line.map(|line| format!(":{line}")).unwrap_or_default())]
    Content {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1.
        line: Option<usize>,
        /// What is wrong, and what would be right.
        what: String,
    },
    /// No task of that name.
    #[error("{path}: there is no task {name:?}; there are: {known}")]
    NoTask {
        /// The folder.
        path: PathBuf,
        /// What was asked for.
        name: String,
        /// What there is.
        known: String,
    },
    /// No label of that name.
    #[error("{path}: there is no label {name:?}; there are: {known}")]
    NoLabel {
        /// The file of labels.
        path: PathBuf,
        /// What was asked for.
        name: String,
        /// What there is.
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
    #[error("task {task}: none of its seeds was recorded ({seeds}); name seeds that the archive holds")]
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
