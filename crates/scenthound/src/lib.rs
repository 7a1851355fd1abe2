//! A focused web crawler to embed in other programs.

mod crawl_records;
pub mod fetch_now;
pub mod graph;
pub mod inputs;
mod live;
pub mod seeds;
mod stored_page;
pub mod terms;
pub mod train;

pub use crawl_records::BadRecords;
pub use live::{LiveBuildError, live_settings};
pub use stored_page::page_of_response;
