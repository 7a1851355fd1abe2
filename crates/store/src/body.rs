//! Decodes recorded bodies: removes chunks and compression, up to a size limit.
//!
//! Many recorded bodies are not what their headers say (decoded by the recorder, cut short, or wrong at the source).
//! A step that does not work at all therefore leaves the bytes as they were, and one that fails midway keeps what it had.

use std::borrow::Cow;
use std::io::{self, Read};

/// What is wrong with a body that is returned nonetheless.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BodyFault {
    /// The body is longer than the limit and was cut.
    Cap,
    /// The chunks are damaged or end early.
    Chunks,
    /// The compressed data is damaged, ends early, or is not compressed as the header says.
    Encoding,
    /// The encoding is unknown.
    UnknownEncoding,
}

/// A body as a browser would see it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Body {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// What was wrong with it; empty for a good body.
    pub faults: Vec<BodyFault>,
}

impl Body {
    pub(crate) fn capped(mut bytes: Vec<u8>, cap: usize, mut faults: Vec<BodyFault>) -> Body {
        if bytes.len() > cap {
            bytes.truncate(cap);
            faults.push(BodyFault::Cap);
        }
        faults.dedup();
        Body { bytes, faults }
    }
}

/// Joins the data of all chunks. Where the chunks stop making sense, the rest is taken as it is.
pub(crate) fn join_chunks(raw: &[u8]) -> (Cow<'_, [u8]>, Option<BodyFault>) {
    let mut joined = Vec::new();
    let mut rest = raw;
    loop {
        let Some((size, after_size)) = chunk_size(rest) else {
            if joined.is_empty() {
                return (Cow::Borrowed(raw), (!raw.is_empty()).then_some(BodyFault::Chunks));
            }
            joined.extend_from_slice(rest);
            return (Cow::Owned(joined), Some(BodyFault::Chunks));
        };
        if size == 0 {
            return (Cow::Owned(joined), None);
        }
        let Some((data, after_data)) = usize::try_from(size)
            .ok()
            .and_then(|size| after_size.split_at_checked(size))
        else {
            joined.extend_from_slice(after_size);
            return (Cow::Owned(joined), Some(BodyFault::Chunks));
        };
        joined.extend_from_slice(data);
        let after_data = after_data.strip_prefix(b"\r").unwrap_or(after_data);
        rest = after_data.strip_prefix(b"\n").unwrap_or(after_data);
        if rest.is_empty() {
            return (Cow::Owned(joined), Some(BodyFault::Chunks));
        }
    }
}

/// The size before a chunk and what follows its line.
fn chunk_size(bytes: &[u8]) -> Option<(u64, &[u8])> {
    // No real size line is longer, even with extensions. Searching further would make garbage take quadratic time.
    let line_end = memchr::memchr(b'\n', bytes.get(..4096).unwrap_or(bytes))?;
    let (line, rest) = bytes.split_at_checked(line_end + 1)?;
    let digits = line.split(|byte| *byte == b';').next()?.trim_ascii();
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    let size = u64::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
    Some((size, rest))
}

/// Decompresses; no bytes if that yields nothing, so the caller keeps what it has.
pub fn decode_body(coding: &str, bytes: &[u8], cap: usize) -> (Option<Vec<u8>>, Option<BodyFault>) {
    if bytes.is_empty() {
        return (None, None);
    }
    let (decoded, fault) = match coding {
        "gzip" | "x-gzip" => drain(flate2::read::MultiGzDecoder::new(bytes), cap),
        "deflate" => {
            // The standard says zlib; half of those who send it mean bare deflate.
            match drain(flate2::read::ZlibDecoder::new(bytes), cap) {
                (decoded, Some(BodyFault::Encoding)) if decoded.is_empty() => {
                    drain(flate2::read::DeflateDecoder::new(bytes), cap)
                }
                zlib => zlib,
            }
        }
        "br" => drain(brotli_decompressor::Decompressor::new(bytes, 4096), cap),
        "zstd" => match zstd::stream::read::Decoder::with_buffer(bytes) {
            Ok(mut decoder) => {
                // The largest window HTTP allows; a larger one would only cost memory. Setting it cannot fail here.
                let _ = decoder.window_log_max(23);
                drain(decoder, cap)
            }
            Err(_) => (Vec::new(), Some(BodyFault::Encoding)),
        },
        _ => return (None, Some(BodyFault::UnknownEncoding)),
    };
    let nothing = decoded.is_empty() && fault.is_some();
    ((!nothing).then_some(decoded), fault)
}

/// Reads to the end, the limit or the first error, and keeps what it got.
fn drain(mut reader: impl Read, cap: usize) -> (Vec<u8>, Option<BodyFault>) {
    let mut decoded = Vec::new();
    let mut piece = [0; 16 * 1024];
    loop {
        match reader.read(&mut piece) {
            Ok(0) => return (decoded, None),
            Ok(n) => {
                decoded.extend_from_slice(piece.get(..n).unwrap_or_default());
                if decoded.len() > cap {
                    decoded.truncate(cap);
                    return (decoded, Some(BodyFault::Cap));
                }
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return (decoded, Some(BodyFault::Encoding)),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;
    use crate::HttpResponse;

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn body_of(headers: &str, body: &[u8], cap: usize) -> Body {
        let wire = [format!("HTTP/1.1 200 OK\r\n{headers}\r\n").as_bytes(), body].concat();
        HttpResponse::parse(&wire).unwrap().body(cap)
    }

    #[test]
    fn chunks_and_every_compression_are_removed() {
        let page = b"<p>tea tea tea tea</p>".repeat(40);
        let zlib = {
            let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
            encoder.write_all(&page).unwrap();
            encoder.finish().unwrap()
        };
        let bare = {
            let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::default());
            encoder.write_all(&page).unwrap();
            encoder.finish().unwrap()
        };
        let brotli = {
            let mut out = Vec::new();
            brotli::CompressorWriter::new(&mut out, 4096, 5, 20)
                .write_all(&page)
                .unwrap();
            out
        };
        let zstd = zstd::encode_all(&page[..], 3).unwrap();
        for (coding, sent) in [
            ("gzip", gzip(&page)),
            ("X-GZip", gzip(&page)),
            ("deflate", zlib),
            ("deflate", bare),
            ("br", brotli),
            ("zstd", zstd),
            ("gzip, gzip", gzip(&gzip(&page))),
            ("identity", page.clone()),
        ] {
            let got = body_of(&format!("Content-Encoding: {coding}\r\n"), &sent, 1 << 20);
            assert_eq!((got.bytes, got.faults), (page.clone(), vec![]), "{coding}");
            let (a, b) = sent.split_at(7);
            let chunked = [
                format!("{:X};ext=1\r\n", a.len()).as_bytes(),
                a,
                format!("\r\n{:04x}\r\n", b.len()).as_bytes(),
                b,
                b"\r\n0\r\nTrailer: x\r\n\r\n",
            ]
            .concat();
            let headers = format!("Content-Encoding: {coding}\r\nTransfer-Encoding: Chunked\r\n");
            let got = body_of(&headers, &chunked, 1 << 20);
            assert_eq!(
                (got.bytes, got.faults),
                (page.clone(), vec![]),
                "chunked {coding}"
            );
        }
    }

    #[test]
    fn a_bomb_stops_at_the_cap() {
        let bomb = gzip(&vec![0; 50_000_000]);
        let got = body_of("Content-Encoding: gzip\r\n", &bomb, 100_000);
        assert_eq!((got.bytes.len(), got.faults), (100_000, vec![BodyFault::Cap]));
        let got = body_of("", &[b'x'; 2000], 1000);
        assert_eq!((got.bytes.len(), got.faults), (1000, vec![BodyFault::Cap]));
    }

    #[test]
    fn a_body_that_is_not_what_its_headers_say_is_kept_as_it_is() {
        let got = body_of("Content-Encoding: gzip\r\n", b"<html>", 100);
        assert_eq!(
            (&got.bytes[..], got.faults),
            (&b"<html>"[..], vec![BodyFault::Encoding])
        );
        let got = body_of("Transfer-Encoding: chunked\r\n", b"<html>\r\n", 100);
        assert_eq!(
            (&got.bytes[..], got.faults),
            (&b"<html>\r\n"[..], vec![BodyFault::Chunks])
        );
        let got = body_of("Content-Encoding: lzma\r\n", b"<html>", 100);
        assert_eq!(got.faults, [BodyFault::UnknownEncoding]);
    }

    #[test]
    fn what_came_before_the_damage_is_kept() {
        let got = body_of("Transfer-Encoding: chunked\r\n", b"5\r\nhello\r\nFF\r\nwor", 100);
        assert_eq!(
            (&got.bytes[..], got.faults),
            (&b"hellowor"[..], vec![BodyFault::Chunks])
        );
        let got = body_of("Transfer-Encoding: chunked\r\n", b"5\r\nhello\r\n", 100);
        assert_eq!(
            (&got.bytes[..], got.faults),
            (&b"hello"[..], vec![BodyFault::Chunks])
        );
        let sent = gzip(&b"words and more words, ".repeat(5000));
        let got = body_of("Content-Encoding: gzip\r\n", &sent[..sent.len() - 20], 1 << 20);
        assert!(got.bytes.starts_with(b"words and more"));
        assert_eq!(got.faults, [BodyFault::Encoding]);
    }

    #[test]
    fn an_absurd_chunk_size_does_no_harm() {
        let got = body_of("Transfer-Encoding: chunked\r\n", b"ffffffffffffffff\r\nabc", 100);
        assert_eq!(
            (&got.bytes[..], got.faults),
            (&b"abc"[..], vec![BodyFault::Chunks])
        );
        let got = body_of("Transfer-Encoding: chunked\r\n", b"10000000000000000\r\nabc", 100);
        assert_eq!(got.faults, [BodyFault::Chunks]);
    }
}
