//! Lists of URLs and paths, one per line.

use std::path::{Path, PathBuf};

use super::{InputError, ListPlace, WantedUrl, is_url, must_exist, read_some};

/// Lines of a text looked at to decide whether it is a list.
const LOOKED_AT: usize = 100;

/// The URLs of a list, with their lines. Empty lines and lines that begin with `#` are skipped.
pub fn read_url_list(list: &Path) -> Result<Vec<WantedUrl>, InputError> {
    must_exist(list)?;
    let bytes = read_some(list)?;
    let mut urls = Vec::new();
    for (line, entry) in meaningful_lines(&String::from_utf8_lossy(&bytes)) {
        let place = ListPlace {
            path: list.to_owned(),
            line,
        };
        urls.push(WantedUrl::at(entry, Some(place))?);
    }
    match urls.is_empty() {
        true => Err(InputError::EmptyList(list.to_owned())),
        false => Ok(urls),
    }
}

/// The lines with content, counted from 1.
pub(crate) fn meaningful_lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    text.lines()
        .map(str::trim)
        .enumerate()
        .filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
        .map(|(at, line)| (at + 1, line))
}

/// Whether most of the first lines are URLs or paths. Then a line that is neither is a mistake. Prose does not look like this.
pub(super) fn looks_like_a_list(text: &str, path: &Path) -> bool {
    let (mut lines, mut named) = (0, 0);
    for (_, line) in meaningful_lines(text).take(LOOKED_AT) {
        lines += 1;
        named += usize::from(is_url(line) && !line.contains(' ') || beside(path, line).is_some());
    }
    lines > 0 && 2 * named >= lines
}

/// A path in a list: relative to the list's folder, or to the current one.
pub(super) fn beside(list: &Path, line: &str) -> Option<PathBuf> {
    // Dots and slashes alone name folders, but are more often drawn than meant.
    if !line.contains(char::is_alphanumeric) {
        return None;
    }
    let near = list.parent().unwrap_or(Path::new("")).join(line);
    [near, PathBuf::from(line)].into_iter().find(|path| path.exists())
}
