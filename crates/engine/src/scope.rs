//! Which URLs belong to the crawl at all.

use std::collections::BTreeSet;
use std::fmt;

use regex::RegexSet;
use scenthound_types::named_enum;
use scenthound_types::{CanonicalUrl, Documents, registrable_domain};

use crate::traps::repeats_itself;

named_enum! {
    /// How far from the seeds a crawl may go.
    #[derive(Default)]
    pub enum ScopeKind {
        /// Anywhere.
        #[default]
        Any = "any",
        /// The registrable domains of the seeds.
        Domain = "domain",
        /// The hosts of the seeds.
        Host = "host",
        /// URLs that begin with a seed, up to its last slash.
        Prefix = "prefix",
    }
}

/// Why a URL does not belong to the crawl.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OutOfScope {
    /// Not on the seeds' domains, hosts or paths.
    Elsewhere,
    /// No `include` pattern matches.
    NotIncluded,
    /// An `exclude` pattern matches.
    Excluded,
    /// The path ends like that of an image, an archive or another file that is not read.
    FileEnding,
    /// The path ends like that of a document, and documents are not read.
    Document,
    /// The path goes in circles.
    Circular,
}

impl fmt::Display for OutOfScope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            OutOfScope::Elsewhere => "it is outside the scope set by the seeds",
            OutOfScope::NotIncluded => "no include pattern matches it",
            OutOfScope::Excluded => "an exclude pattern matches it",
            OutOfScope::FileEnding => "its file ending shows that it is not a page",
            OutOfScope::Document => "it is a document, and documents are not read",
            OutOfScope::Circular => "its path goes in circles",
        })
    }
}

/// Endings of files that are never pages. Fetching them would only cost the host a request.
const FILE_ENDINGS: &[&str] = &[
    "7z", "aac", "apk", "avi", "avif", "bin", "bmp", "bz2", "css", "deb", "dmg", "doc", "eot", "epub", "exe",
    "flac", "flv", "gif", "gz", "ico", "iso", "jar", "jpeg", "jpg", "js", "json", "m4a", "m4v", "mid", "mkv",
    "mov", "mp3", "mp4", "mpeg", "mpg", "msi", "odp", "ods", "ogg", "otf", "png", "ppt", "pptx", "ps", "rar",
    "rpm", "svg", "swf", "tar", "tgz", "tif", "tiff", "ttf", "wav", "webm", "webp", "wma", "wmv", "woff",
    "woff2", "xls", "xlsx", "xz", "zip", "zst",
];

/// Endings of documents, which are read unless the user does not want them.
const DOCUMENT_ENDINGS: &[&str] = &["docx", "odt", "pdf"];

/// Which URLs belong to the crawl.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    kind: ScopeKind,
    /// The seeds' domains, hosts or prefixes, depending on the kind.
    allowed: BTreeSet<String>,
    include: Option<RegexSet>,
    exclude: Option<RegexSet>,
    /// Hosts of the seeds.
    seed_hosts: BTreeSet<String>,
    /// Whether URLs with the ending of a non-page file are in scope too.
    any_ending: bool,
    /// Whether paths that go in circles are in scope too.
    any_path: bool,
    /// Whether URLs with the ending of a document are in scope.
    documents: Documents,
}

impl Scope {
    /// The scope around these seeds. Patterns are searched for anywhere in the URL; an empty list restricts nothing.
    pub fn new(
        kind: ScopeKind,
        seeds: &[CanonicalUrl],
        include: &[String],
        exclude: &[String],
    ) -> Result<Scope, regex::Error> {
        let patterns = |list: &[String]| (!list.is_empty()).then(|| RegexSet::new(list)).transpose();
        Ok(Scope {
            kind,
            allowed: seeds
                .iter()
                .filter_map(|seed| anchor(kind, seed))
                .map(str::to_owned)
                .collect(),
            include: patterns(include)?,
            exclude: patterns(exclude)?,
            seed_hosts: seeds.iter().map(|seed| seed.host().to_owned()).collect(),
            any_ending: false,
            any_path: false,
            documents: Documents::Read,
        })
    }

    /// The same scope with or without documents.
    pub fn with_documents(self, documents: Documents) -> Scope {
        Scope { documents, ..self }
    }

    /// The same scope with paths that go in circles.
    pub fn with_circular_paths(self, any_path: bool) -> Scope {
        Scope { any_path, ..self }
    }

    /// Every URL, whatever its path ends in. The lab compares strategies with it.
    pub fn everything() -> Scope {
        Scope {
            any_ending: true,
            any_path: true,
            ..Scope::default()
        }
    }

    /// Whether every URL belongs to it.
    pub fn is_everything(&self) -> bool {
        self.any_ending
            && self.any_path
            && self.kind == ScopeKind::Any
            && self.include.is_none()
            && self.exclude.is_none()
    }

    /// Whether the user named a URL of this host.
    pub fn is_seed_host(&self, host: &str) -> bool {
        self.seed_hosts.contains(host)
    }

    /// Whether a URL belongs to the crawl, and if not, why.
    pub fn check(&self, url: &CanonicalUrl) -> Result<(), OutOfScope> {
        let is_near = match self.kind {
            ScopeKind::Any => true,
            ScopeKind::Domain => self.allowed.contains(registrable_domain(url.host())),
            ScopeKind::Host => self.allowed.contains(without_www(url.host())),
            ScopeKind::Prefix => self.allowed.iter().any(|prefix| address(url).starts_with(prefix)),
        };
        if !is_near {
            return Err(OutOfScope::Elsewhere);
        }
        if self
            .include
            .as_ref()
            .is_some_and(|patterns| !patterns.is_match(url.as_str()))
        {
            return Err(OutOfScope::NotIncluded);
        }
        if self
            .exclude
            .as_ref()
            .is_some_and(|patterns| patterns.is_match(url.as_str()))
        {
            return Err(OutOfScope::Excluded);
        }
        if !self.any_ending {
            match ending(url.path()) {
                Ending::File => return Err(OutOfScope::FileEnding),
                Ending::Document if self.documents == Documents::Skip => return Err(OutOfScope::Document),
                Ending::Document | Ending::Other => {}
            }
        }
        if !self.any_path && repeats_itself(url.path()) {
            return Err(OutOfScope::Circular);
        }
        Ok(())
    }
}

/// `www.` does not make another site: a seed that redirects to or from it would leave its own scope.
fn without_www(host: &str) -> &str {
    host.strip_prefix("www.").unwrap_or(host)
}

/// Host and path, whatever the scheme.
fn address(url: &CanonicalUrl) -> &str {
    let start = url.origin().len() - url.authority().len();
    without_www(url.as_str().get(start..).unwrap_or_default())
}

/// The part of a seed that URLs in scope must share.
fn anchor(kind: ScopeKind, seed: &CanonicalUrl) -> Option<&str> {
    match kind {
        ScopeKind::Any => None,
        ScopeKind::Domain => Some(registrable_domain(seed.host())),
        ScopeKind::Host => Some(without_www(seed.host())),
        ScopeKind::Prefix => {
            let query = seed.path_and_query().len() - seed.path().len();
            let address = address(seed);
            let path = address.get(..address.len() - query)?;
            path.rfind('/').and_then(|slash| path.get(..=slash))
        }
    }
}

/// What the ending of a path says.
enum Ending {
    /// A file that is not read.
    File,
    Document,
    Other,
}

fn ending(path: &str) -> Ending {
    let ending = path.rsplit_once('.').map(|(_, ending)| ending);
    let Some(ending) = ending.filter(|ending| ending.len() <= 5 && !ending.contains('/')) else {
        return Ending::Other;
    };
    let ending = ending.to_ascii_lowercase();
    if FILE_ENDINGS.binary_search(&ending.as_str()).is_ok() {
        Ending::File
    } else if DOCUMENT_ENDINGS.contains(&ending.as_str()) {
        Ending::Document
    } else {
        Ending::Other
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(raw: &str) -> CanonicalUrl {
        CanonicalUrl::parse(raw).unwrap()
    }

    fn check(kind: ScopeKind, include: &[&str], exclude: &[&str], candidate: &str) -> Result<(), OutOfScope> {
        let list = |patterns: &[&str]| patterns.iter().map(|p| p.to_string()).collect::<Vec<_>>();
        let seeds = [url("http://www.tea.co.uk/guides/index.html")];
        Scope::new(kind, &seeds, &list(include), &list(exclude))
            .unwrap()
            .check(&url(candidate))
    }

    #[test]
    fn each_kind_of_scope_draws_its_line() {
        use ScopeKind::*;
        assert_eq!(check(Any, &[], &[], "http://cars.test/"), Ok(()));
        assert_eq!(check(Domain, &[], &[], "https://shop.tea.co.uk/x"), Ok(()));
        assert_eq!(
            check(Domain, &[], &[], "https://cars.co.uk/x"),
            Err(OutOfScope::Elsewhere)
        );
        assert_eq!(check(Host, &[], &[], "http://www.tea.co.uk/x"), Ok(()));
        assert_eq!(check(Host, &[], &[], "https://tea.co.uk/x"), Ok(()));
        assert_eq!(
            check(Host, &[], &[], "http://shop.tea.co.uk/x"),
            Err(OutOfScope::Elsewhere)
        );
        assert_eq!(
            check(Prefix, &[], &[], "http://www.tea.co.uk/guides/green"),
            Ok(())
        );
        assert_eq!(
            check(Prefix, &[], &[], "http://www.tea.co.uk/shop"),
            Err(OutOfScope::Elsewhere)
        );
    }

    #[test]
    fn patterns_and_file_endings_keep_urls_out() {
        let any = ScopeKind::Any;
        assert_eq!(
            check(any, &["/guides/"], &[], "http://a.test/shop/"),
            Err(OutOfScope::NotIncluded)
        );
        assert_eq!(
            check(any, &[], &["[?&]sort="], "http://a.test/?sort=up"),
            Err(OutOfScope::Excluded)
        );
        assert_eq!(
            check(any, &[], &[], "http://a.test/leaf.JPG?x"),
            Err(OutOfScope::FileEnding)
        );
        assert_eq!(
            check(any, &[], &[], "http://a.test/old.doc"),
            Err(OutOfScope::FileEnding)
        );
        assert_eq!(check(any, &[], &[], "http://a.test/v1.2/leaf.html"), Ok(()));
    }

    #[test]
    fn documents_are_in_scope_unless_they_are_skipped() {
        let scope = Scope::new(ScopeKind::Any, &[], &[], &[]).unwrap();
        let without = scope.clone().with_documents(Documents::Skip);
        for leaf in [
            "http://a.test/leaf.PDF",
            "http://a.test/leaf.docx?x=1",
            "http://a.test/leaf.odt",
        ] {
            assert_eq!(scope.check(&url(leaf)), Ok(()));
            assert_eq!(without.check(&url(leaf)), Err(OutOfScope::Document));
        }
    }

    #[test]
    fn file_endings_are_sorted_for_binary_search() {
        assert!(FILE_ENDINGS.is_sorted());
    }
}
