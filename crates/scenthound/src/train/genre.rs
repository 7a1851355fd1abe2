//! Labelled pages for detectors of genres: lists of pages with their classes, and what labels are to be called.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use scenthound_judge::DetectorKind;
use scenthound_types::{CanonicalUrl, registrable_domain};
use thiserror::Error;

use crate::inputs::{ListPlace, NamedPage};

/// Why a file of labels or classes cannot be read.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LabelFileError {
    /// The system refused.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A line of a class map.
    #[error(
        "{place}: {text:?} is not a web, a label and a class, such as: mixed docs documentation; a beginning of URLs may follow"
    )]
    BadClass {
        /// The line.
        place: ListPlace,
        /// What it says.
        text: String,
    },
    /// A line of a list.
    #[error("{0}: write a URL, a tab and a class, such as: https://example.org/<tab>blog")]
    BadLabel(ListPlace),
    /// The page of a line.
    #[error("{place}: {name:?} is neither a URL nor a file")]
    NeitherUrlNorFile {
        /// The line.
        place: ListPlace,
        /// The page's name.
        name: String,
    },
}

fn read_text(path: &Path) -> Result<String, LabelFileError> {
    std::fs::read_to_string(path).map_err(|source| LabelFileError::Io {
        path: path.to_owned(),
        source,
    })
}

/// The class that a label of a web stands for.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ClassMap {
    lines: Vec<ClassLine>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct ClassLine {
    web: String,
    label: String,
    class: String,
    /// How the URLs begin that it applies to; empty for all.
    urls: String,
}

impl ClassMap {
    /// Reads lines of a web, a label and a class: `*` fits any web or label, and the class `-` leaves pages out. A fourth word
    /// limits a line to URLs that begin with it, for labels that apply to whole sites.
    pub fn read(path: &Path) -> Result<ClassMap, LabelFileError> {
        let mut lines = Vec::new();
        for (number, line) in (1..).zip(read_text(path)?.lines()) {
            let line = line.split('#').next().unwrap_or_default();
            let cells: Vec<&str> = line.split_whitespace().collect();
            match cells.as_slice() {
                [] => {}
                [web, label, class, urls @ ..] if urls.len() <= 1 => lines.push(ClassLine {
                    web: (*web).to_owned(),
                    label: (*label).to_owned(),
                    class: (*class).to_owned(),
                    urls: urls.concat(),
                }),
                _ => {
                    return Err(LabelFileError::BadClass {
                        place: ListPlace {
                            path: path.to_owned(),
                            line: number,
                        },
                        text: line.to_owned(),
                    });
                }
            }
        }
        Ok(ClassMap { lines })
    }

    /// The class of the first line that fits; none if the page is left out.
    pub fn class(&self, web: &str, label: &str, url: &str) -> Option<&str> {
        let fits = |pattern: &str, name: &str| pattern == "*" || pattern == name;
        self.lines
            .iter()
            .find(|line| fits(&line.web, web) && fits(&line.label, label) && url.starts_with(&line.urls))
            .map(|line| line.class.as_str())
            .filter(|class| *class != "-")
    }
}

/// A page of a list, and its class.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LabelledLine {
    /// Where it is listed.
    pub place: ListPlace,
    /// Its URL or file.
    pub name: String,
    /// Its class.
    pub class: String,
}

/// A list of pages with their classes.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LabelledList {
    /// The lines with content.
    pub lines: Vec<LabelledLine>,
}

impl LabelledList {
    /// Reads lines of a URL or file, a tab and a class.
    pub fn read(path: &Path) -> Result<LabelledList, LabelFileError> {
        let mut lines = Vec::new();
        for (number, line) in (1..).zip(read_text(path)?.lines()) {
            if line.trim().is_empty() || line.starts_with('#') {
                continue;
            }
            let place = ListPlace {
                path: path.to_owned(),
                line: number,
            };
            match line.split_once('\t') {
                Some((name, class)) if !name.trim().is_empty() && !class.trim().is_empty() => {
                    lines.push(LabelledLine {
                        place,
                        name: name.trim().to_owned(),
                        class: class.trim().to_owned(),
                    });
                }
                _ => return Err(LabelFileError::BadLabel(place)),
            }
        }
        Ok(LabelledList { lines })
    }

    /// The lines as URLs with classes, if no line names a file.
    pub fn urls(self) -> Result<Vec<(CanonicalUrl, String)>, LabelFileError> {
        let line = |line: LabelledLine| match CanonicalUrl::parse(&line.name) {
            Ok(url) => Ok((url, line.class)),
            Err(_) => Err(LabelFileError::BadLabel(line.place)),
        };
        self.lines.into_iter().map(line).collect()
    }

    /// The names of the pages of each class: URLs, and files relative to the list or to the current folder.
    pub fn by_class(self, map: Option<&ClassMap>) -> Result<BTreeMap<String, Vec<String>>, LabelFileError> {
        let mut by_class: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for LabelledLine { place, name, class } in self.lines {
            let class = match map {
                Some(map) => map.class("", &class, &name).map(str::to_owned),
                None => Some(class),
            };
            let Some(class) = class else { continue };
            let near = place.path.parent().unwrap_or(Path::new("")).join(&name);
            let name = match near.is_file() {
                true => near.display().to_string(),
                false => name,
            };
            if !Path::new(&name).is_file() && CanonicalUrl::parse(&name).is_err() {
                return Err(LabelFileError::NeitherUrlNorFile { place, name });
            }
            by_class.entry(class).or_default().push(name);
        }
        Ok(by_class)
    }
}

/// The group that a page stays in when folds are made: the domain of a URL, the folder of a file.
pub fn group_of(named: &NamedPage) -> String {
    let path = Path::new(&named.name);
    match path.parent().filter(|_| path.is_file()) {
        Some(folder) => folder.display().to_string(),
        None => registrable_domain(named.page.url.host()).to_owned(),
    }
}

/// The least number of pages in a leaf, and whether classes are balanced, where nothing else is said. Those of the nine numbers
/// are the paper's; those of the many were chosen on the web `mixed`, by sites (see docs/genres.md).
pub fn usual_forest(kind: DetectorKind) -> (u32, bool) {
    match kind {
        DetectorKind::Nine => (1, false),
        DetectorKind::Rich => (3, true),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_with_a_beginning_of_urls_applies_to_those_only() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("classes");
        let text = "
            # A site about jobs, most of whose pages are not jobs.
            mixed jobs job   https://a.example/jobs/
            mixed jobs -     https://a.example/jobs
            mixed jobs other
        ";
        std::fs::write(&path, text).unwrap();
        let map = ClassMap::read(&path).unwrap();
        let class = |url: &str| map.class("mixed", "jobs", url);
        assert_eq!(class("https://a.example/jobs/7"), Some("job"));
        assert_eq!(class("https://a.example/jobs"), None);
        assert_eq!(class("https://a.example/about"), Some("other"));
        assert_eq!(map.class("genres", "jobs", "https://a.example/jobs/7"), None);
    }

    #[test]
    fn a_line_of_five_words_is_refused() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("classes");
        std::fs::write(&path, "mixed jobs job https://a.example/ https://b.example/").unwrap();
        assert!(matches!(
            ClassMap::read(&path),
            Err(LabelFileError::BadClass { .. })
        ));
    }
}
