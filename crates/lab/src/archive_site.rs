//! An archive as a test site: each request is answered with the recorded response, read from the file on demand.
//!
//! The parsed web used for replays holds no bytes, so serving reads the records again. Chunking and compression are
//! removed; otherwise the body is as the server sent it.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;

use scenthound_store::{WarcReader, WarcRecord, read_at};
use scenthound_testweb::{Scheme, SiteRequest, SiteResponse, TestSite};
use scenthound_types::CanonicalUrl;

use crate::recorded::response::{Precedence, Recorded};

/// Longer bodies are truncated.
const MAX_BODY: usize = 64 << 20;

/// Where a record is.
enum StoredAt {
    InFile {
        archive: usize,
        offset: u64,
    },
    /// The record is inside a compressed block that cannot be read from the middle, so it is kept in memory.
    Kept(Box<WarcRecord>),
}

/// An archive as a test site.
pub struct ArchiveSite {
    archives: Vec<PathBuf>,
    places: HashMap<CanonicalUrl, (Precedence, StoredAt)>,
    hosts: BTreeSet<String>,
}

impl ArchiveSite {
    /// Scans the archives and notes where each response is. Damaged parts are skipped.
    pub fn open(archives: &[PathBuf]) -> Result<ArchiveSite, scenthound_store::Error> {
        let mut site = ArchiveSite {
            archives: archives.to_vec(),
            places: HashMap::new(),
            hosts: BTreeSet::new(),
        };
        for (archive, path) in archives.iter().enumerate() {
            for record in WarcReader::open(path)?.flatten() {
                site.take(archive, record);
            }
        }
        Ok(site)
    }

    /// Notes where a response is, unless one with at least its precedence is known.
    fn take(&mut self, archive: usize, record: WarcRecord) {
        let Some(url) = record.target_uri().and_then(|uri| CanonicalUrl::parse(uri).ok()) else {
            return;
        };
        if !record.kind().eq_ignore_ascii_case("response") {
            return;
        }
        let Some(http) = record.http() else {
            return;
        };
        let Some(precedence) = Recorded::of(&url, &http).map(|recorded| recorded.precedence()) else {
            return;
        };
        if self
            .places
            .get(&url)
            .is_some_and(|(known, _)| *known >= precedence)
        {
            return;
        }
        let place = match record.offset {
            Some(offset) => StoredAt::InFile { archive, offset },
            None => StoredAt::Kept(Box::new(record)),
        };
        self.hosts.insert(url.host().to_owned());
        self.places.insert(url, (precedence, place));
    }

    fn find(&self, url: &CanonicalUrl) -> Option<SiteResponse> {
        match &self.places.get(url)?.1 {
            StoredAt::Kept(record) => answer(record),
            StoredAt::InFile { archive, offset } => {
                answer(&read_at(self.archives.get(*archive)?, *offset).ok()?)
            }
        }
    }
}

fn answer(record: &WarcRecord) -> Option<SiteResponse> {
    let http = record.http()?;
    let mut headers = Vec::new();
    for name in ["Content-Type", "Location", "X-Robots-Tag", "Retry-After"] {
        headers.extend(
            http.headers_named(name)
                .map(|value| (name, Cow::Owned(value.to_owned()))),
        );
    }
    Some(SiteResponse {
        status: http.status,
        headers,
        body: http.body(MAX_BODY).bytes.into(),
    })
}

impl TestSite for ArchiveSite {
    fn answer(&self, host: &str, path_and_query: &str) -> SiteResponse {
        self.answer_at(&SiteRequest {
            scheme: Scheme::Http,
            host,
            port: None,
            path_and_query,
        })
    }

    fn answer_at(&self, asked: &SiteRequest<'_>) -> SiteResponse {
        CanonicalUrl::parse(&asked.url())
            .ok()
            .and_then(|url| self.find(&url))
            .unwrap_or_else(SiteResponse::not_recorded)
    }

    fn hosts(&self) -> Vec<String> {
        self.hosts.iter().cloned().collect()
    }
}
