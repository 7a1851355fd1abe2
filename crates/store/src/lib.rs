//! The crawl folder on disk: WARC archive, page records, lock.
//!
//! Worker threads turn each [`Exchange`] into a [`PackedExchange`] (which takes most of the time: digests and
//! compression); one thread owns the [`RecordFiles`] and appends. A [`Mark`] says where both files end. It is committed
//! together with the frontier's state, and opening cuts the files back to it. [`WarcReader`] reads our archives and those
//! of other tools.
//!
//! Deliberately absent: policy (what is kept, when to flush), clocks and randomness. Times and seeds are passed in, so
//! the same crawl writes the same bytes.

mod append;
mod archive;
mod body;
mod compress;
mod copy;
mod digest;
mod error;
mod fault;
mod folder;
mod generation;
mod http;
mod index;
mod mark;
mod marks;
mod members;
mod pack;
mod pages;
mod record_files;
mod snapshot;
mod steering;
mod tail;
mod url_key;
mod warc;

pub use crate::archive::{Archive, ArchiveCut, ArchiveSettings, Position, Unflushed};
pub use crate::body::{Body, BodyFault, decode_body};
pub use crate::compress::Compression;
pub use crate::copy::{ArchiveCopy, CopiedFile, gzip_name};
pub use crate::error::{Error, Result};
pub use crate::fault::Fault;
pub use crate::folder::{CrawlFolder, CrawlView, Layout, replace};
pub use crate::http::HttpResponse;
pub use crate::index::{IndexLine, bring_indexes_up_to_date, index_file, merge_indexes};
pub use crate::mark::{ArchiveMark, Mark};
pub use crate::marks::Marks;
pub use crate::pack::{Exchange, METADATA_URI, PackedExchange, Packer, Protocol, RecordKind};
pub use crate::pages::{
    JudgementRecord, JudgementsFile, PageRecord, PagesFile, PagesReader, RECORD_VERSION, RecordPlace,
    RecordsAt, Via,
};
pub use crate::record_files::{Cut, RecordFiles};
pub use crate::snapshot::Snapshot;
pub use crate::steering::{Action, MarkedPage, Request, Steering, SteeringReader, TermList, TopicSteering};
pub use crate::url_key::url_key;
pub use crate::warc::{ReadLimits, WarcReader, WarcRecord, read_at, read_response};
