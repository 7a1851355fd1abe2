//! One request, bounded in every way, answered with data.
