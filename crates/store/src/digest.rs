//! Digests and record ids, in the spelling WARC files use.

use sha1::{Digest, Sha1};

/// SHA-1 in base 32 with its label, as WARC tools write and check it.
pub(crate) fn labelled(bytes: &[u8]) -> String {
    format!("sha1:{}", base32(&Sha1::digest(bytes)))
}

/// RFC 4648 without padding; twenty bytes need none.
pub(crate) fn base32(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    let mut text = String::with_capacity(bytes.len() * 8 / 5 + 1);
    let mut held = 0_u32;
    let mut bits = 0;
    for byte in bytes {
        held = (held << 8) | u32::from(*byte);
        bits += 8;
        while bits >= 5 {
            bits -= 5;
            text.push(char::from(ALPHABET[(held >> bits) as usize & 31]));
        }
    }
    if bits > 0 {
        text.push(char::from(ALPHABET[(held << (5 - bits)) as usize & 31]));
    }
    text
}

fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut text = String::with_capacity(2 * bytes.len() + 4);
    for byte in bytes {
        text.push(char::from(DIGITS[usize::from(byte >> 4)]));
        text.push(char::from(DIGITS[usize::from(byte & 15)]));
    }
    text
}

/// Whether a digest field names this SHA-1, in base 32 or hexadecimal; none for other algorithms and encodings.
pub(crate) fn matches(field: &str, digest: &[u8]) -> Option<bool> {
    let (algorithm, value) = field.split_once(':')?;
    if !matches!(algorithm.to_ascii_lowercase().as_str(), "sha1" | "sha-1") {
        return None;
    }
    let value = value.trim();
    // The standard leaves the encoding open; the length shows which one it is.
    let hex = || {
        digest
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect::<String>()
    };
    match value.trim_end_matches('=').len() {
        40 => Some(hex().eq_ignore_ascii_case(value)),
        32 => Some(base32(digest).eq_ignore_ascii_case(value)),
        _ => None,
    }
}

/// A record id made by hashing, not at random, so that a repeated crawl writes the same archive.
pub(crate) fn record_id(parts: &[&[u8]]) -> String {
    let mut hasher = Sha1::new();
    for part in parts {
        // With the length, ("a", "bc") and ("ab", "c") hash differently.
        hasher.update((part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    let mut hex = hex(hasher.finalize().get(..16).unwrap_or_default());
    // Version 8 (custom) and the common variant, at their positions in a UUID.
    hex.replace_range(12..13, "8");
    hex.replace_range(16..17, "a");
    for dash in [20, 16, 12, 8] {
        hex.insert(dash, '-');
    }
    format!("<urn:uuid:{hex}>")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digest_of_nothing_is_the_one_every_archive_knows() {
        assert_eq!(labelled(b""), "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ");
        let digest = Sha1::digest(b"");
        assert_eq!(
            matches("sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ", &digest),
            Some(true)
        );
        assert_eq!(
            matches("SHA1:da39a3ee5e6b4b0d3255bfef95601890afd80709", &digest),
            Some(true)
        );
        assert_eq!(
            matches("sha1:1112H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ", &digest),
            Some(false)
        );
        assert_eq!(matches("md5:x", &digest), None);
        assert_eq!(base32(b"foobar"), "MZXW6YTBOI");
    }

    #[test]
    fn a_record_id_is_a_uuid_determined_by_its_parts() {
        let id = record_id(&[b"a", b"bc"]);
        assert_eq!(id, record_id(&[b"a", b"bc"]));
        assert_ne!(id, record_id(&[b"ab", b"c"]));
        assert_eq!(
            (id.len(), &id[..10], &id[id.len() - 1..]),
            (47, "<urn:uuid:", ">")
        );
        let dashes: Vec<usize> = id.match_indices('-').map(|(at, _)| at - 10).collect();
        assert_eq!(dashes, [8, 13, 18, 23]);
    }
}
