//! Full-text search in collections.
