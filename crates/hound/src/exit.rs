//! Exit codes. Where Browsertrix has a code for the same event, it is the same.

/// Something failed, and not because of the user's input.
pub const FAILURE: u8 = 1;
/// The settings are invalid; nothing was written.
pub const BAD_SETTINGS: u8 = 4;
/// Interrupted and saved: the same command resumes the crawl.
pub const INTERRUPTED: u8 = 11;
/// Interrupted a second time: stopped without waiting. The crawl resumes from its last commit.
pub const FORCED: u8 = 13;
/// The byte budget is used up.
pub const SIZE: u8 = 14;
/// The time budget is used up.
pub const TIME: u8 = 15;
/// The disk is nearly full; everything is saved.
pub const DISK: u8 = 16;
/// The memory the crawl may take does not suffice; everything is saved.
pub const MEMORY: u8 = 17;
