//! How relevant a page is to the topic, and why.
