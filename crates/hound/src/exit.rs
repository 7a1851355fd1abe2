//! Exit codes, the same as Browsertrix has where it has one.

/// Something went wrong that is not the user's input.
pub const FAILURE: u8 = 1;
/// The settings do not check out; nothing was written.
pub const BAD_SETTINGS: u8 = 4;
/// Interrupted and saved: the same command carries on.
pub const INTERRUPTED: u8 = 11;
/// Interrupted a second time: stopped without waiting. The crawl opens as it was at its last commit.
pub const FORCED: u8 = 13;
/// The byte budget is met.
pub const SIZE: u8 = 14;
/// The time budget is met.
pub const TIME: u8 = 15;
/// The disk is nearly full; everything is saved.
pub const DISK: u8 = 16;
