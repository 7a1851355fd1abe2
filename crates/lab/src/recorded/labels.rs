//! What people know about the pages of a web: a tab-separated table with a header line and one line per URL.

use std::fs;
use std::path::{Path, PathBuf};

use scenthound_types::CanonicalUrl;

use crate::recorded::RecordedFault;

/// The labels of a web.
#[derive(Debug)]
pub struct Labels {
    path: PathBuf,
    columns: Vec<String>,
    rows: Vec<(Option<CanonicalUrl>, Vec<String>)>,
}

impl Labels {
    /// Reads a file of labels.
    pub fn read(path: &Path) -> Result<Labels, RecordedFault> {
        let text = fs::read_to_string(path).map_err(RecordedFault::file(path))?;
        let fault = |line: usize, what: String| RecordedFault::Content {
            path: path.to_owned(),
            line: Some(line),
            what,
        };
        let mut lines = text.lines();
        let columns: Vec<String> = lines
            .next()
            .unwrap_or_default()
            .split('\t')
            .map(str::to_owned)
            .collect();
        let Some(url_at) = columns.iter().position(|column| column == "url") else {
            return Err(fault(
                1,
                "the first line must name the columns, tab-separated, and one of them must be url".to_owned(),
            ));
        };
        let mut rows = Vec::new();
        for (number, line) in lines.enumerate() {
            if line.is_empty() {
                continue;
            }
            let mut cells: Vec<String> = line.split('\t').map(str::to_owned).collect();
            if cells.len() > columns.len() {
                let what = format!(
                    "{} cells, but the first line names {} columns",
                    cells.len(),
                    columns.len()
                );
                return Err(fault(number + 2, what));
            }
            cells.resize(columns.len(), String::new());
            let url = cells.get(url_at).and_then(|url| CanonicalUrl::parse(url).ok());
            rows.push((url, cells));
        }
        Ok(Labels {
            path: path.to_owned(),
            columns,
            rows,
        })
    }

    /// The columns' names.
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// The value of one column for every URL that can be crawled.
    pub fn column(&self, name: &str) -> Result<impl Iterator<Item = (&CanonicalUrl, &str)>, RecordedFault> {
        let at = self
            .columns
            .iter()
            .position(|column| column == name)
            .ok_or_else(|| RecordedFault::NoLabel {
                path: self.path.clone(),
                name: name.to_owned(),
                known: self.columns.join(", "),
            })?;
        Ok(self
            .rows
            .iter()
            .filter_map(move |(url, cells)| Some((url.as_ref()?, cells.get(at)?.as_str()))))
    }
}
