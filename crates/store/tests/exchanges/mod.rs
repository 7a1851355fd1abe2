//! Exchanges of every kind found on the web, for tests that write archives.
#![allow(dead_code, clippy::unwrap_used)]

use std::io::Write;

use scenthound_store::{Exchange, PackedExchange, Packer, Protocol};
use scenthound_types::{CanonicalUrl, Timestamp, Truncation};

/// A response as received, with a short name for what is special about it.
pub struct Wire {
    pub what: &'static str,
    pub response: Vec<u8>,
    pub protocol: Protocol,
    pub truncated: Option<Truncation>,
}

pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn chunked(bytes: &[u8], size: usize) -> Vec<u8> {
    let mut wire = Vec::new();
    for chunk in bytes.chunks(size) {
        write!(wire, "{:x}\r\n", chunk.len()).unwrap();
        wire.extend_from_slice(chunk);
        wire.extend_from_slice(b"\r\n");
    }
    wire.extend_from_slice(b"0\r\n\r\n");
    wire
}

pub fn page(words: usize) -> Vec<u8> {
    let mut page = b"<!doctype html><title>Tea</title>".to_vec();
    for word in 0..words {
        writeln!(page, "<p>word {} of tea</p>", word * 7919 % 1000).unwrap();
    }
    page
}

fn response(head: &str, body: &[u8]) -> Vec<u8> {
    [head.replace('\n', "\r\n").as_bytes(), b"\r\n\r\n", body].concat()
}

/// One of each kind.
pub fn wires() -> Vec<Wire> {
    let page = page(300);
    let zipped = gzip(&page);
    let mut brotli = Vec::new();
    brotli::CompressorWriter::new(&mut brotli, 4096, 5, 20)
        .write_all(&page)
        .unwrap();
    let zstd = zstd::encode_all(&page[..], 3).unwrap();
    let mut zlib = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
    zlib.write_all(&page).unwrap();
    let zlib = zlib.finish().unwrap();
    let long = self::page(40_000);
    let noise: Vec<u8> = (0..50_000_u32)
        .map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8)
        .collect();

    let ok = "HTTP/1.1 200 OK\nContent-Type: text/html";
    let with = |fields: &str| format!("{ok}\n{fields}");
    let te = "Transfer-Encoding: chunked";
    let mut wires: Vec<(&'static str, Vec<u8>)> = vec![
        ("plain", response(ok, &page)),
        (
            "plain with length",
            response(&with(&format!("Content-Length: {}", page.len())), &page),
        ),
        ("empty body", response(&with("Content-Length: 0"), b"")),
        ("one byte", response(ok, b"x")),
        ("chunked", response(&with(te), &chunked(&page, 1000))),
        ("one-byte chunks", response(&with(te), &chunked(&page[..300], 1))),
        ("chunked and empty", response(&with(te), b"0\r\n\r\n")),
        (
            "chunk extensions",
            response(&with(te), b"3;name=value\r\ntea\r\n0\r\n\r\n"),
        ),
        (
            "trailers",
            response(&with(te), b"3\r\ntea\r\n0\r\nExpires: never\r\n\r\n"),
        ),
        ("not chunked at all", response(&with(te), b"<html>tea</html>")),
        (
            "chunks that break",
            response(&with(te), b"3\r\ntea\r\nzz\r\nmore"),
        ),
        ("gzip", response(&with("Content-Encoding: gzip"), &zipped)),
        (
            "gzip, odd case",
            response(&with("CONTENT-ENCODING: GZip"), &zipped),
        ),
        (
            "gzip and chunked",
            response(
                &with(&format!("Content-Encoding: gzip\n{te}")),
                &chunked(&zipped, 100),
            ),
        ),
        (
            "gzip that is not",
            response(&with("Content-Encoding: gzip"), &page),
        ),
        ("deflate", response(&with("Content-Encoding: deflate"), &zlib)),
        ("brotli", response(&with("Content-Encoding: br"), &brotli)),
        ("zstd", response(&with("Content-Encoding: zstd"), &zstd)),
        ("long", response(ok, &long)),
        ("long and chunked", response(&with(te), &chunked(&long, 4096))),
        (
            "long gzip",
            response(&with("Content-Encoding: gzip"), &gzip(&long)),
        ),
        (
            "incompressible",
            response("HTTP/1.1 200 OK\nContent-Type: image/png", &noise),
        ),
        (
            "redirect",
            response(
                "HTTP/1.1 301 Moved Permanently\nLocation: /there\nContent-Length: 0",
                b"",
            ),
        ),
        (
            "not found",
            response("HTTP/1.1 404 Not Found\nContent-Length: 4", b"gone"),
        ),
        ("no content", response("HTTP/1.1 204 No Content", b"")),
        (
            "server error",
            response("HTTP/1.0 503 Service Unavailable\nRetry-After: 5", b"later"),
        ),
        (
            "line feeds only",
            b"HTTP/1.0 200 OK\nContent-Type: text/html\n\n<p>tea\n\n".to_vec(),
        ),
        ("no reason", response("HTTP/1.1 200", b"tea")),
        ("folded header", response(&with("X-Long: a\n  b\n\tc"), b"tea")),
        (
            "Latin-1 header",
            [&b"HTTP/1.1 200 OK\r\nX-Name: caf\xe9\r\n\r\n"[..], &page].concat(),
        ),
        ("line without colon", response(&with("nonsense"), b"tea")),
        ("body of line ends", response(ok, b"\r\n\r\n\r\n")),
        (
            "body like a record",
            response(ok, b"WARC/1.0\r\nWARC-Type: response\r\n\r\n"),
        ),
        (
            "early hints",
            [
                response("HTTP/1.1 103 Early Hints\nLink: </a>", b""),
                response(ok, &page),
            ]
            .concat(),
        ),
    ]
    .into_iter()
    .collect();
    let cut = [
        (
            "cut in the body",
            response(&with("Content-Length: 100000"), &page),
            Truncation::Length,
        ),
        (
            "cut in a chunk",
            response(&with(te), b"ffff\r\ntea and"),
            Truncation::Disconnect,
        ),
        (
            "cut between chunks",
            response(&with(te), b"3\r\ntea\r\n"),
            Truncation::Time,
        ),
        (
            "cut gzip",
            response(&with("Content-Encoding: gzip"), &zipped[..zipped.len() / 2]),
            Truncation::Time,
        ),
        (
            "cut in the head",
            b"HTTP/1.1 200 OK\r\nContent-Ty".to_vec(),
            Truncation::Disconnect,
        ),
        (
            "cut right after the head",
            response(&with("Content-Length: 9"), b""),
            Truncation::Disconnect,
        ),
    ];
    let h2 = [
        (
            "HTTP/2",
            response("HTTP/1.1 200 OK\ncontent-type: text/html", &page),
        ),
        (
            "HTTP/2 gzip",
            response("HTTP/1.1 200 OK\ncontent-encoding: gzip", &zipped),
        ),
        (
            "HTTP/2 not found",
            response("HTTP/1.1 404 Not Found\ncontent-length: 4", b"gone"),
        ),
    ];
    wires
        .drain(..)
        .map(|(what, response)| (what, response, Protocol::Http1, None))
        .chain(cut.map(|(what, response, cut)| (what, response, Protocol::Http1, Some(cut))))
        .chain(h2.map(|(what, response)| (what, response, Protocol::Http2, None)))
        .map(|(what, response, protocol, truncated)| Wire {
            what,
            response,
            protocol,
            truncated,
        })
        .collect()
}

/// Packs a response as the exchange of this number.
pub fn pack(packer: &mut Packer, number: u64, wire: &Wire) -> PackedExchange {
    let url = CanonicalUrl::parse(&format!("https://a{}.test/page/{number}?q=%C3%A9", number % 3)).unwrap();
    let request = format!(
        "GET {} HTTP/1.1\r\nHost: {}\r\nUser-Agent: scenthound\r\n\r\n",
        url.path_and_query(),
        url.authority()
    );
    let metadata = format!("{{\"what\":\"{}\",\"relevance\":0.5}}", wire.what);
    let ip = if number.is_multiple_of(2) {
        "192.0.2.7"
    } else {
        "2001:db8::1"
    };
    packer
        .pack(&Exchange {
            sequence: number,
            url: &url,
            ip: Some(ip.parse().unwrap()),
            date: Timestamp::from_millis(1_700_000_000_000 + number * 1000),
            protocol: wire.protocol,
            request: request.as_bytes(),
            response: &wire.response,
            truncated: wire.truncated,
            metadata: metadata.as_bytes(),
        })
        .unwrap()
}

/// An ordinary response with this body.
pub fn simple(body: &str) -> Wire {
    Wire {
        what: "simple",
        response: response("HTTP/1.1 200 OK\nContent-Type: text/plain", body.as_bytes()),
        protocol: Protocol::Http1,
        truncated: None,
    }
}
