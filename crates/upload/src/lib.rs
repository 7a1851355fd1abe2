//! Copies of a crawl's archives in object storage: S3, Google Cloud Storage or a folder.
//!
//! A thread of its own looks at the crawl folder now and then and copies every WARC file that is closed, with its index, to
//! `PREFIX/archive/` and `PREFIX/indexes/`. When the crawl ends it copies the rest. Nothing waits for it: a copy that fails is
//! tried again later, and what could not be copied is named at the end. Which files are there already is kept in
//! `uploads.jsonl` in the crawl folder, so that the next run, also after a crash, copies only what is missing.
//!
//! **Invariant:** a file is in the list only if all of it was stored as it is now. A file that has changed since, because a
//! crash took back its end, is copied again.
//!
//! Deliberately absent: deleting anything. Results, searches and exports read the archive in the crawl folder.

mod destination;
mod error;
mod http_client;
mod list;
mod uploading;

pub use destination::Destination;
pub use error::UploadError;
pub use uploading::{Missing, UploadReport, Uploading};
