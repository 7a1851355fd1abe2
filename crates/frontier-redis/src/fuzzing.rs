//! A way into what is otherwise private, for the programs in `fuzz/`. Nothing else uses it.

use crate::scan::next_url;
use crate::storage::{number, pair, read_entry, read_ids, read_raised, read_url};

/// Reads bytes as each kind of record that a server may hold. Returns how many kinds they could be.
pub fn read_all(bytes: &[u8]) -> usize {
    let (field, value) = bytes.split_at(bytes.len().min(6));
    let mut rest = bytes;
    while let Some((_, url, behind)) = next_url(rest) {
        let _ = read_url(url);
        rest = behind;
    }
    let readable = [
        number(field).is_some(),
        pair(bytes).is_some(),
        read_url(bytes).is_some(),
        read_entry(bytes).is_some(),
        read_raised(field, value).is_some(),
        read_ids(bytes).is_some(),
    ];
    readable.into_iter().filter(|is_readable| *is_readable).count()
}
