//! Virtual-time crawls of recorded, written or synthetic webs.
