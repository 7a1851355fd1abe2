//! Decoding streams. Each decoder stops at a given number of bytes and keeps what it had when the data turns out to be
//! damaged.

use std::io::Read;

use flate2::read::{DeflateDecoder, ZlibDecoder};

/// Decodes data in the Flate format, with or without its header.
pub(crate) fn flate(data: &[u8], room: usize) -> Vec<u8> {
    let mut out = Vec::new();
    // An error leaves what was decoded before it.
    let _ = ZlibDecoder::new(data).take(room as u64).read_to_end(&mut out);
    if out.is_empty() {
        let body = data.get(2..).unwrap_or_default();
        let _ = DeflateDecoder::new(body).take(room as u64).read_to_end(&mut out);
    }
    out
}

/// Decodes raw deflate data, as in zip archives.
pub(crate) fn deflate(data: &[u8], room: usize) -> Vec<u8> {
    let mut out = Vec::new();
    let _ = DeflateDecoder::new(data).take(room as u64).read_to_end(&mut out);
    out
}

/// Decodes LZW with codes of 9 to 12 bits. `early` says that the code length grows one code early, as is usual.
pub(crate) fn lzw(data: &[u8], early: bool, room: usize) -> Vec<u8> {
    const CLEAR: usize = 256;
    const END: usize = 257;
    let mut out: Vec<u8> = Vec::new();
    // Each entry is a range of what was already written.
    let mut table: Vec<(usize, usize)> = Vec::with_capacity(4096);
    let mut previous: Option<(usize, usize)> = None;
    let (mut bits, mut held, mut length) = (0_u32, 0_u32, 9_u32);
    let mut bytes = data.iter();
    while out.len() < room {
        while held < length {
            let Some(byte) = bytes.next() else { return out };
            bits = bits << 8 | u32::from(*byte);
            held += 8;
        }
        held -= length;
        let code = ((bits >> held) & ((1 << length) - 1)) as usize;
        match code {
            CLEAR => {
                table.clear();
                length = 9;
                previous = None;
                continue;
            }
            END => return out,
            _ => {}
        }
        let start = out.len();
        if let Ok(byte) = u8::try_from(code) {
            out.push(byte);
        } else {
            let known = table.get(code - 258).copied();
            let (from, count) = match (known, previous) {
                (Some(entry), _) => entry,
                // The entry being made just now: the previous text and its first byte.
                (None, Some((from, count))) if code - 258 == table.len() => (from, count + 1),
                _ => return out,
            };
            // One at a time, since the copy may overlap what it writes.
            for at in from..from + count {
                let Some(byte) = out.get(at).copied() else {
                    return out;
                };
                out.push(byte);
            }
        }
        if let Some((from, count)) = previous
            && table.len() < 4096 - 258
        {
            table.push((from, count + 1));
        }
        previous = Some((start, out.len() - start));
        let next = table.len() + 258 + usize::from(early) + 1;
        length = match next {
            0..=512 => 9,
            513..=1024 => 10,
            1025..=2048 => 11,
            _ => 12,
        };
    }
    out.truncate(room);
    out
}

/// Decodes ASCII base 85.
pub(crate) fn ascii85(data: &[u8], room: usize) -> Vec<u8> {
    let mut out = Vec::new();
    let mut group = 0_u32;
    let mut count = 0;
    let data = data.strip_prefix(b"<~").unwrap_or(data);
    for byte in data {
        if out.len() >= room {
            break;
        }
        match byte {
            b'~' => break,
            b'z' if count == 0 => out.extend([0; 4]),
            b'!'..=b'u' => {
                group = group.wrapping_mul(85).wrapping_add(u32::from(byte - b'!'));
                count += 1;
                if count == 5 {
                    out.extend(group.to_be_bytes());
                    (group, count) = (0, 0);
                }
            }
            _ => {}
        }
    }
    if count > 1 {
        for _ in count..5 {
            group = group.wrapping_mul(85).wrapping_add(84);
        }
        out.extend(group.to_be_bytes().iter().take(count - 1));
    }
    out.truncate(room);
    out
}

/// Decodes hexadecimal digits.
pub(crate) fn ascii_hex(data: &[u8], room: usize) -> Vec<u8> {
    let end = memchr::memchr(b'>', data).unwrap_or(data.len());
    let mut out = super::object::hex_bytes(data.get(..end).unwrap_or_default()).into_vec();
    out.truncate(room);
    out
}

/// Decodes runs of equal bytes.
pub(crate) fn run_length(data: &[u8], room: usize) -> Vec<u8> {
    let mut out = Vec::new();
    let mut rest = data;
    while let Some((count, after)) = rest.split_first()
        && out.len() < room
    {
        match *count {
            128 => break,
            count if count < 128 => {
                let taken = after.get(..usize::from(count) + 1).unwrap_or(after);
                out.extend(taken);
                rest = after.get(taken.len()..).unwrap_or_default();
            }
            count => {
                let Some((byte, after)) = after.split_first() else {
                    break;
                };
                out.extend(std::iter::repeat_n(*byte, 257 - usize::from(count)));
                rest = after;
            }
        }
    }
    out.truncate(room);
    out
}

/// Takes back the prediction of PNG rows of this many bytes, with this many bytes from one pixel to the next.
pub(crate) fn unpredict(data: &[u8], row: usize, pixel: usize) -> Vec<u8> {
    let (row, pixel) = (row.clamp(1, 1 << 16), pixel.clamp(1, 64));
    let mut out = Vec::with_capacity(data.len());
    let mut above = vec![0_u8; row];
    let mut current = vec![0_u8; row];
    for line in data.chunks(row + 1) {
        let Some((kind, line)) = line.split_first() else {
            break;
        };
        for (at, raw) in line.iter().enumerate() {
            let get = |from: &[u8], at: Option<usize>| at.and_then(|at| from.get(at)).copied().unwrap_or(0);
            let before = at.checked_sub(pixel);
            let (left, up, corner) = (get(&current, before), get(&above, Some(at)), get(&above, before));
            let predicted = match kind {
                1 => left,
                2 => up,
                3 => ((u16::from(left) + u16::from(up)) / 2) as u8,
                4 => paeth(left, up, corner),
                _ => 0,
            };
            if let Some(slot) = current.get_mut(at) {
                *slot = raw.wrapping_add(predicted);
            }
        }
        out.extend(current.iter().take(line.len()));
        std::mem::swap(&mut above, &mut current);
    }
    out
}

fn paeth(left: u8, up: u8, corner: u8) -> u8 {
    let (a, b, c) = (i16::from(left), i16::from(up), i16::from(corner));
    let estimate = a + b - c;
    let (from_a, from_b, from_c) = ((estimate - a).abs(), (estimate - b).abs(), (estimate - c).abs());
    if from_a <= from_b && from_a <= from_c {
        left
    } else if from_b <= from_c {
        up
    } else {
        corner
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_filter_decodes_its_example() {
        assert_eq!(ascii85(b"9jqo^BlbD-~>", 99), b"Man is d");
        assert_eq!(ascii85(b"9jqo^Bl~>", 99), b"Man i");
        assert_eq!(ascii_hex(b"41 42 4>", 99), b"AB@");
        assert_eq!(run_length(&[2, b'a', b'b', b'c', 254, b'x', 128], 99), b"abcxxx");
        let encoded = [0x80, 0x0b, 0x60, 0x50, 0x22, 0x0c, 0x0c, 0x85, 0x01];
        assert_eq!(lzw(&encoded, true, 99), b"-----A---B");
    }

    #[test]
    fn predicted_rows_are_restored() {
        assert_eq!(unpredict(&[2, 1, 2, 3, 2, 1, 1, 1], 3, 1), [1, 2, 3, 2, 3, 4]);
        assert_eq!(unpredict(&[1, 1, 1, 1], 3, 1), [1, 2, 3]);
    }

    #[test]
    fn nothing_grows_beyond_its_room() {
        assert_eq!(run_length(&[129, b'x'].repeat(1000), 50).len(), 50);
        assert_eq!(ascii85(&[b'z'; 1000], 50).len(), 50);
        assert_eq!(lzw(&[0x80, 0x0b, 0x60, 0x50, 0x22], true, 3).len(), 3);
    }
}
