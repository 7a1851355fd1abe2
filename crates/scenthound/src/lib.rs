//! A focused web crawler to embed in other programs.

mod crawl_records;
pub mod fetch_now;
pub mod inputs;
mod live;
pub mod seeds;
mod stored_page;

pub use crawl_records::BadRecords;
pub use live::{LiveBuildError, live_settings};
pub use stored_page::page_of_response;
