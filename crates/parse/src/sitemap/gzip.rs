//! Unpacking gzip under a cap.
//!
//! Told by its first bytes, not by names or types. Damaged data gives what came before the damage.

use std::borrow::Cow;
use std::io::Read;

use flate2::read::MultiGzDecoder;

/// A body, unpacked if it was packed.
pub(super) struct Unpacked<'a> {
    pub(super) bytes: Cow<'a, [u8]>,
    /// Whether something is missing.
    pub(super) cut: bool,
}

/// At most `cap` bytes of the body, unpacked.
pub(super) fn unpack(body: &[u8], cap: usize) -> Unpacked<'_> {
    if !body.starts_with(&[0x1F, 0x8B]) {
        let kept = body.get(..cap).unwrap_or(body);
        return Unpacked {
            bytes: Cow::Borrowed(kept),
            cut: kept.len() < body.len(),
        };
    }
    let mut bytes = Vec::new();
    // One byte more than may be kept tells whether there was more.
    let one_more = u64::try_from(cap).unwrap_or(u64::MAX).saturating_add(1);
    let broken = MultiGzDecoder::new(body)
        .take(one_more)
        .read_to_end(&mut bytes)
        .is_err();
    let cut = broken || bytes.len() > cap;
    bytes.truncate(cap);
    Unpacked {
        bytes: Cow::Owned(bytes),
        cut,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write as _;

    fn packed(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn a_bomb_stops_at_the_cap() {
        let bomb = packed(&vec![b'x'; 20_000_000]);
        let unpacked = unpack(&bomb, 1_000);
        assert_eq!((unpacked.bytes.len(), unpacked.cut), (1_000, true));
        assert!(unpacked.bytes.iter().all(|&byte| byte == b'x'));
    }

    #[test]
    fn exactly_the_cap_is_not_cut() {
        let body = packed(b"12345");
        assert!(!unpack(&body, 5).cut && unpack(&body, 4).cut);
        assert!(!unpack(b"12345", 5).cut && unpack(b"12345", 4).cut);
    }

    #[test]
    fn what_came_before_the_damage_is_kept() {
        let text: Vec<u8> = (0..50_000_u32)
            .flat_map(|n| n.wrapping_mul(2_654_435_761).to_le_bytes())
            .collect();
        let whole = packed(&text);
        let unpacked = unpack(&whole[..whole.len() / 2], usize::MAX);
        assert!(unpacked.cut && !unpacked.bytes.is_empty() && text.starts_with(&unpacked.bytes));
    }

    #[test]
    fn several_members_are_one_file() {
        let body = [packed(b"a"), packed(b"b")].concat();
        assert_eq!(unpack(&body, 10).bytes.as_ref(), b"ab");
    }
}
