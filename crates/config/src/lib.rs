//! Raw settings to checked settings, every fault at once.
