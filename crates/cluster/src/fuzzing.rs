//! A way into what is otherwise private, for the programs in `fuzz/`. Nothing else uses it.

/// Reads bytes as a letter from another node.
pub fn read_letter(body: &[u8]) -> bool {
    crate::letter::read(0, body).is_ok()
}
