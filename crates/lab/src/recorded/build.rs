//! Builds a web from archives: reads and parses every response and puts it into the compact form.
//!
//! Archives are read in order and pages are added in that order, so the same archives always give the same web,
//! however many threads parse.

use std::path::{Path, PathBuf};
use std::thread;

use scenthound_engine::PRODUCT_TOKEN;
use scenthound_parse::{Limits, PageInput, parse};
use scenthound_robots::x_robots_tag;
use scenthound_store::{WarcReader, WarcRecord};
use scenthound_types::{CanonicalUrl, Documents, PageDirectives, ParsedPage, Readable};

use crate::recorded::RecordedFault;
use crate::recorded::response::{Precedence, Recorded, is_robots_txt};
use crate::recorded::web::{RecordedWeb, Spot, UrlId};

/// How far reading has got.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Progress {
    /// Records read.
    pub records: u64,
    /// Pages added.
    pub pages: u64,
}

/// Longer bodies are truncated, as in the live crawler.
const MAX_BODY: usize = 8 << 20;
/// Pages are parsed in batches of about this many bytes.
const BATCH_BYTES: usize = 32 << 20;

/// Builds a web from archives.
pub fn build(archives: &[PathBuf], mut progress: impl FnMut(Progress)) -> Result<RecordedWeb, RecordedFault> {
    let mut builder = Builder::default();
    let mut records = 0_u64;
    for path in archives {
        let mut faults = 0_u64;
        for record in WarcReader::open(path)? {
            match record {
                Ok(record) => {
                    records += 1;
                    if record.faults.iter().any(|fault| fault.loses_bytes()) {
                        builder.warn_once(
                            path,
                            &record
                                .faults
                                .iter()
                                .map(ToString::to_string)
                                .collect::<Vec<_>>()
                                .join(", "),
                        );
                    }
                    builder.take(&record);
                    if records.is_multiple_of(500) {
                        progress(Progress {
                            records,
                            pages: builder.web.pages() as u64,
                        });
                    }
                }
                Err(error) => {
                    faults += 1;
                    builder.warn_once(path, &error.to_string());
                }
            }
        }
        if faults > 1 {
            builder.web.warnings.push(format!(
                "{}: {faults} damaged parts could not be read",
                path.display()
            ));
        }
    }
    let web = builder.finish();
    progress(Progress {
        records,
        pages: web.pages() as u64,
    });
    Ok(web)
}

struct RawPage {
    url: CanonicalUrl,
    spelled: String,
    content_type: Option<String>,
    /// The X-Robots-Tag directives of its headers.
    directives: PageDirectives,
    body: Vec<u8>,
    truncated: bool,
}

#[derive(Default)]
struct Builder {
    web: RecordedWeb,
    batch: Vec<RawPage>,
    batch_bytes: usize,
    warned: Vec<PathBuf>,
}

impl Builder {
    /// Damage tends to come in clusters; one warning per file shows where to look.
    fn warn_once(&mut self, path: &Path, what: &str) {
        if !self.warned.iter().any(|known| known == path) {
            self.warned.push(path.to_owned());
            self.web.warnings.push(format!(
                "{}: {what}; the readable parts before and after are used",
                path.display()
            ));
        }
    }

    fn take(&mut self, record: &WarcRecord) {
        let Some(spelled) = record.target_uri() else {
            return;
        };
        let Ok(url) = CanonicalUrl::parse(spelled) else {
            return;
        };
        if record.kind().eq_ignore_ascii_case("resource") {
            self.take_body(RawPage {
                url,
                spelled: spelled.to_owned(),
                content_type: record.field("Content-Type").map(str::to_owned),
                directives: PageDirectives::default(),
                body: record.block.clone(),
                truncated: false,
            });
            return;
        }
        if record.kind().eq_ignore_ascii_case("revisit") {
            self.take_revisit(&url, record);
            return;
        }
        if !record.kind().eq_ignore_ascii_case("response") {
            return;
        }
        let Some(http) = record.http() else {
            return;
        };
        let status = http.status;
        match Recorded::of(&url, &http) {
            None => {
                self.web.intern(&url);
            }
            Some(Recorded::Redirect(to)) => {
                let (from, to) = (self.web.intern(&url), self.web.intern(&to));
                self.answer(from, Spot::Redirect { status, to });
            }
            Some(Recorded::Body) => {
                let body = http.body(MAX_BODY);
                self.take_body(RawPage {
                    spelled: spelled.to_owned(),
                    content_type: http.header("content-type").map(str::to_owned),
                    directives: x_robots_tag(http.headers_named("x-robots-tag"), PRODUCT_TOKEN),
                    truncated: record.faults.iter().any(|fault| fault.loses_bytes())
                        || !body.faults.is_empty(),
                    body: body.bytes,
                    url,
                });
            }
            Some(Recorded::NoText) => {
                let from = self.web.intern(&url);
                self.answer(from, Spot::NoText);
            }
            Some(Recorded::Status) => {
                let from = self.web.intern(&url);
                self.answer(from, Spot::Status(status));
            }
        }
    }

    /// A response identical to one stored under another URL: it becomes a redirect there.
    fn take_revisit(&mut self, url: &CanonicalUrl, record: &WarcRecord) {
        let kept = record
            .field("WARC-Refers-To-Target-URI")
            .and_then(|uri| CanonicalUrl::parse(uri.trim_matches(['<', '>'])).ok());
        if let Some(kept) = kept
            && kept != *url
        {
            let (from, to) = (self.web.intern(url), self.web.intern(&kept));
            self.answer(from, Spot::Redirect { status: 301, to });
        }
    }

    fn take_body(&mut self, page: RawPage) {
        if is_robots_txt(&page.url) {
            let id = self.web.intern(&page.url);
            let number = self.web.rules.len() as u32;
            self.web.rules.push(page.body);
            self.answer(id, Spot::Rules(number));
        } else if Readable::is_page(page.content_type.as_deref(), &page.body, Documents::Read) {
            self.batch_bytes += page.body.len();
            self.batch.push(page);
            if self.batch_bytes > BATCH_BYTES {
                self.parse_batch();
            }
        } else {
            let id = self.web.intern(&page.url);
            self.answer(id, Spot::NoText);
        }
    }

    /// Keeps the response with the higher precedence.
    fn answer(&mut self, url: UrlId, spot: Spot) {
        let precedence = |spot: Spot| match spot {
            Spot::NotRecorded => Precedence::Nothing,
            Spot::Status(_) | Spot::NoText => Precedence::Failure,
            Spot::Redirect { .. } => Precedence::Redirect,
            Spot::Page(_) | Spot::Rules(_) => Precedence::Page,
        };
        if precedence(spot) > precedence(self.web.spot(url)) {
            self.web.set_spot(url, spot);
        }
    }

    fn parse_batch(&mut self) {
        let batch = std::mem::take(&mut self.batch);
        self.batch_bytes = 0;
        for (raw, page) in batch.iter().zip(parse_all(&batch)) {
            let id = self.web.intern(&raw.url);
            if matches!(self.web.spot(id), Spot::Page(_)) {
                continue;
            }
            self.web.add_page(&page);
            if raw.spelled != raw.url.as_str() {
                self.web.spelled.insert(id.0, raw.spelled.clone());
            }
        }
    }

    fn finish(mut self) -> RecordedWeb {
        self.parse_batch();
        self.web
    }
}

/// Parses on all cores; the pages come back in order.
fn parse_all(batch: &[RawPage]) -> Vec<ParsedPage> {
    let read = |raw: &RawPage| {
        let input = PageInput {
            url: &raw.url,
            content_type: raw.content_type.as_deref(),
            body: &raw.body,
            truncated: raw.truncated,
        };
        let limits = Limits {
            main_text: true,
            ..Limits::default()
        };
        let mut page = parse(&input, &limits);
        page.directives.add(raw.directives);
        page
    };
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let share = batch.len().div_ceil(cores).max(1);
    thread::scope(|scope| {
        let parts: Vec<_> = batch
            .chunks(share)
            .map(|part| scope.spawn(move || part.iter().map(read).collect::<Vec<_>>()))
            .collect();
        parts
            .into_iter()
            .flat_map(|part| {
                part.join()
                    .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            })
            .collect()
    })
}
