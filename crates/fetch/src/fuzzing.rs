//! Ways into what is otherwise private, for the programs in `fuzz/`. Nothing else uses them.

use crate::decode::Decoder;
use crate::head::Encoding;
use crate::tape::{chunked_len, final_head};
use http::{HeaderMap, HeaderValue, header};

/// Decodes a body in pieces of `step` bytes, as it would arrive. Returns what came out, and whether it was complete.
pub fn decode(content_encoding: &[u8], body: &[u8], step: usize, cap: usize) -> (Vec<u8>, bool) {
    let mut headers = HeaderMap::new();
    if let Ok(value) = HeaderValue::from_bytes(content_encoding) {
        headers.insert(header::CONTENT_ENCODING, value);
    }
    let Encoding::Coded(codings) = Encoding::of(&headers) else {
        return (Vec::new(), false);
    };
    let Ok(mut decoder) = Decoder::new(&codings, cap) else {
        return (Vec::new(), false);
    };
    decoder.pause_at(cap / 2);
    for piece in body.chunks(step.max(1)) {
        let mut left = decoder.push(piece);
        if let Ok(Some(rest)) = left {
            decoder.pause_at(usize::MAX);
            left = decoder.push(rest);
        }
        if left.is_err() {
            return (decoder.into_decoded(), false);
        }
    }
    let is_whole = decoder.is_whole();
    (decoder.into_decoded(), is_whole)
}

/// Finds the parts of a recorded response: where its head begins and ends, and how long its chunks are.
pub fn parts(received: &[u8]) -> Option<(usize, usize, Option<usize>)> {
    let head = final_head(received)?;
    Some((head.start, head.end, chunked_len(received.get(head.end..)?)))
}
