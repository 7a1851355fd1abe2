//! What to find in a web, and where to start.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use scenthound_types::CanonicalUrl;
use serde::Deserialize;

use crate::recorded::RecordedFault;
use crate::recorded::web::{PageId, RecordedWeb};

/// A task as its folder describes it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Task {
    /// The name it is chosen by.
    pub name: String,
    /// A description for people.
    #[serde(default)]
    pub title: String,
    /// The query one would give a search engine.
    #[serde(default)]
    pub query: String,
    /// Where a crawl begins.
    #[serde(default)]
    pub seeds: Vec<String>,
    /// Words for the kind of page, if the task has any.
    #[serde(default)]
    pub genre: Vec<String>,
    /// Words for the subject, if the task has any.
    #[serde(default)]
    pub content: Vec<String>,
    /// Words of the wrong sense.
    #[serde(default)]
    pub exclude: Vec<String>,
    /// The file that lists the pages to find.
    pub relevant: Option<PathBuf>,
    /// The file that lists pages a user might give as examples.
    pub examples_positive: Option<PathBuf>,
    /// The file that lists pages a user might give as examples of what is not wanted.
    pub examples_negative: Option<PathBuf>,
    /// The file that lists pages that count neither for nor against.
    pub ignore: Option<PathBuf>,
}

impl Task {
    /// The list of pages a user might give as examples.
    pub fn positive_list(&self) -> Result<&Path, RecordedFault> {
        self.examples_positive
            .as_deref()
            .ok_or_else(|| RecordedFault::NoExamples {
                task: self.name.clone(),
                key: "examples-positive",
            })
    }

    /// The list of pages a user might give as examples of what is not wanted.
    pub fn negative_list(&self) -> Result<&Path, RecordedFault> {
        self.examples_negative
            .as_deref()
            .ok_or_else(|| RecordedFault::NoExamples {
                task: self.name.clone(),
                key: "examples-negative",
            })
    }
}

/// A task's pages in a web.
#[derive(Clone, Debug, Default)]
pub struct TaskPages {
    /// The seeds that were recorded.
    pub seeds: Vec<CanonicalUrl>,
    /// The pages to find, without examples and ignored pages.
    pub relevant: BTreeSet<PageId>,
    /// Pages to find that were not recorded.
    pub relevant_missing: usize,
    /// Pages a user might give as examples.
    pub positive: Vec<PageId>,
    /// Pages a user might give as examples of what is not wanted.
    pub negative: Vec<PageId>,
    /// Pages that are crawled but not counted: examples, and those the task ignores.
    pub uncounted: BTreeSet<PageId>,
}

#[derive(Deserialize)]
struct TaskFile {
    #[serde(default)]
    task: Vec<Task>,
}

/// Reads a task file. Paths in it are relative to its folder.
pub(crate) fn read_tasks(path: &Path) -> Result<Vec<Task>, RecordedFault> {
    let text = fs::read_to_string(path).map_err(RecordedFault::file(path))?;
    let file: TaskFile = toml::from_str(&text).map_err(|error| RecordedFault::Content {
        path: path.to_owned(),
        line: error
            .span()
            .and_then(|span| text.get(..span.start))
            .map(|before| before.matches('\n').count() + 1),
        what: error.message().to_owned(),
    })?;
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut tasks = file.task;
    for task in &mut tasks {
        let Task {
            relevant,
            examples_positive,
            examples_negative,
            ignore,
            ..
        } = task;
        for list in [relevant, examples_positive, examples_negative, ignore]
            .into_iter()
            .flatten()
        {
            *list = folder.join(&*list);
        }
    }
    Ok(tasks)
}

impl Task {
    /// Looks up the task's pages in the web. Different spellings of one page are one page.
    pub fn pages(&self, web: &RecordedWeb) -> Result<TaskPages, RecordedFault> {
        let positive = read_list(self.examples_positive.as_deref())?;
        let negative = read_list(self.examples_negative.as_deref())?;
        let ignore = read_list(self.ignore.as_deref())?;
        let in_web = |list: &[String]| -> Vec<PageId> {
            let mut seen = BTreeSet::new();
            list.iter()
                .filter_map(|url| web.page_at(&CanonicalUrl::parse(url).ok()?))
                .filter(|page| seen.insert(*page))
                .collect()
        };
        let (positive, negative) = (in_web(&positive), in_web(&negative));
        let mut pages = TaskPages {
            uncounted: positive
                .iter()
                .chain(&negative)
                .copied()
                .chain(in_web(&ignore))
                .collect(),
            positive,
            negative,
            ..TaskPages::default()
        };
        let mut missing = BTreeSet::new();
        for url in read_list(self.relevant.as_deref())? {
            match CanonicalUrl::parse(&url).ok().and_then(|url| web.page_at(&url)) {
                Some(page) if pages.uncounted.contains(&page) => {}
                Some(page) => {
                    pages.relevant.insert(page);
                }
                None => {
                    missing.insert(url);
                }
            }
        }
        pages.relevant_missing = missing.len();
        pages.seeds = self
            .seeds
            .iter()
            .filter_map(|seed| CanonicalUrl::parse(seed).ok())
            .filter(|seed| web.page_at(seed).is_some())
            .collect();
        if pages.seeds.is_empty() {
            return Err(RecordedFault::NoSeeds {
                task: self.name.clone(),
                seeds: self.seeds.join(", "),
            });
        }
        Ok(pages)
    }
}

/// Reads a list of URLs, one per line. Empty lines and lines that begin with # are skipped.
fn read_list(path: Option<&Path>) -> Result<Vec<String>, RecordedFault> {
    let Some(path) = path else {
        return Ok(Vec::new());
    };
    let text = fs::read_to_string(path).map_err(RecordedFault::file(path))?;
    Ok(text
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .map(str::to_owned)
        .collect())
}
