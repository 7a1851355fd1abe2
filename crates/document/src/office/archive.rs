//! Files in a zip archive, by name.
//!
//! The directory at the end of the archive is not used. Each file has a header of its own, and that is searched for,
//! so an archive that is cut off gives what arrived. Nothing is held per file, however many the archive claims to have.

use memchr::memmem;

use crate::budget::Budget;
use crate::pdf::deflate;

const HEAD: &[u8] = b"PK\x03\x04";

/// Bytes of a header before the name.
const HEAD_BYTES: usize = 30;

/// The file with this name, decompressed as far as there is room. None if it is missing, encrypted or in a format other
/// than the two that documents use.
pub(super) fn member(bytes: &[u8], name: &str, budget: &Budget) -> Option<Vec<u8>> {
    let finder = memmem::Finder::new(HEAD);
    for at in finder.find_iter(bytes) {
        let head = bytes.get(at..at + HEAD_BYTES)?;
        let short = |at: usize| {
            let pair = head.get(at..at + 2)?;
            Some(u16::from_le_bytes(pair.try_into().ok()?))
        };
        let (flags, method) = (short(6)?, short(8)?);
        let (name_bytes, extra_bytes) = (usize::from(short(26)?), usize::from(short(28)?));
        let start = at + HEAD_BYTES;
        if bytes.get(start..start + name_bytes) != Some(name.as_bytes()) {
            continue;
        }
        let data = bytes.get(start + name_bytes + extra_bytes..)?;
        let is_encrypted = flags & 1 != 0;
        let room = budget.stream_room();
        let size = u32::from_le_bytes(head.get(18..22)?.try_into().ok()?) as usize;
        let content = match method {
            _ if is_encrypted => return None,
            0 => data.get(..size.min(room))?.to_vec(),
            8 => deflate(data, room),
            _ => return None,
        };
        if content.len() >= room {
            budget.fall_short();
        }
        budget.charge(content.len());
        return Some(content);
    }
    None
}
