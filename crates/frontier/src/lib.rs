//! Which URL may be fetched next, and when.
