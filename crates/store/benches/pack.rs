//! How long packing an exchange of 30 KB takes, and which compressor and level to use.
//!
//! `cargo bench -p scenthound-store`. With `SCENTHOUND_HTML=FILE` it uses that file's first 30 KB instead of made-up text.
#![allow(missing_docs, clippy::unwrap_used, clippy::print_stderr)]

use std::io::Write;

use divan::counter::BytesCount;
use divan::{Bencher, black_box};
use scenthound_igzip::Igzip;
use scenthound_store::{Compression, Exchange, Packer, Protocol};
use scenthound_types::{CanonicalUrl, Timestamp};

const SIZE: usize = 30_000;

fn main() {
    divan::main();
}

/// HTML about as compressible as real pages: words of uneven frequency, links, markup that repeats.
fn html() -> Vec<u8> {
    if let Some(file) = std::env::var_os("SCENTHOUND_HTML") {
        let mut real = std::fs::read(file).unwrap();
        real.truncate(SIZE);
        return real;
    }
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = move |below: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) % below
    };
    let mut page = String::from("<!doctype html><html><head><title>A page</title></head><body>\n");
    while page.len() < SIZE {
        page.push_str("<p class=\"text\">");
        for _ in 0..30 {
            // The product of two draws makes small numbers frequent, as frequent words are in a language.
            let word = next(60) * next(60);
            let mut rest = word * 7_919 + 11;
            while rest > 0 {
                page.push(char::from(b'a' + u8::try_from(rest % 26).unwrap()));
                rest /= 26;
            }
            page.push(' ');
        }
        let target = next(100_000);
        page.push_str(&format!(
            "<a href=\"/pages/{target}.html\">page {target}</a></p>\n"
        ));
    }
    page.truncate(SIZE);
    page.into_bytes()
}

fn packing(bencher: Bencher, compression: Compression, head: &str, body: &[u8]) {
    let url = CanonicalUrl::parse("https://www.example.org/a/page/of/some/length.html").unwrap();
    let response = [head.as_bytes(), body].concat();
    let request =
        b"GET /a/page/of/some/length.html HTTP/1.1\r\nHost: www.example.org\r\nAccept: text/html\r\n\
        User-Agent: scenthound/0.1 (+https://example.org/contact)\r\nAccept-Encoding: gzip, br\r\n\r\n";
    let metadata =
        br#"{"relevance":0.31,"verdict":"relevant","parts":{"genre":0.4,"content":0.2,"terms":[]}}"#;
    let exchange = Exchange {
        sequence: 1,
        url: &url,
        ip: Some([192, 0, 2, 1].into()),
        date: Timestamp::from_millis(1_700_000_000_000),
        protocol: Protocol::Http1,
        request,
        response: &response,
        truncated: None,
        metadata,
    };
    let mut packer = Packer::with(1, compression);
    eprintln!(
        "{}: {} -> {} bytes",
        compression.compressor(),
        response.len(),
        packer.pack(&exchange).unwrap().bytes().len()
    );
    bencher.bench_local(|| packer.pack(black_box(&exchange)).unwrap());
}

const HEAD: &str = "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nServer: nginx\r\n";

/// Every way to compress an archive.
const COMPRESSIONS: [Compression; 3] = [Compression::Gzip, Compression::PortableGzip, Compression::Zstd];

#[divan::bench(args = COMPRESSIONS)]
fn pack_a_plain_page(bencher: Bencher, compression: Compression) {
    packing(bencher, compression, &format!("{HEAD}\r\n"), &html());
}

#[divan::bench(args = COMPRESSIONS)]
fn pack_a_gzip_page(bencher: Bencher, compression: Compression) {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::new(6));
    encoder.write_all(&html()).unwrap();
    let body = encoder.finish().unwrap();
    packing(
        bencher,
        compression,
        &format!("{HEAD}Content-Encoding: gzip\r\n\r\n"),
        &body,
    );
}

#[divan::bench(args = [1, 2, 3, 4, 5, 6])]
fn libdeflate(bencher: Bencher, level: i32) {
    let html = html();
    let mut compressor = libdeflater::Compressor::new(libdeflater::CompressionLvl::new(level).unwrap());
    let mut out = vec![0; compressor.gzip_compress_bound(html.len())];
    let size = compressor.gzip_compress(&html, &mut out).unwrap();
    eprintln!("libdeflate {level}: {} -> {size} bytes", html.len());
    bencher
        .counter(BytesCount::new(html.len()))
        .bench_local(|| compressor.gzip_compress(black_box(&html), &mut out).unwrap());
}

/// At the sizes of records, from a request to a page: below which one is igzip slower?
#[divan::bench(args = [700, 1_500, 3_000, 6_000, 30_000])]
fn igzip(bencher: Bencher, bytes: usize) {
    let Some(mut igzip) = Igzip::load() else {
        eprintln!("igzip is not installed");
        return;
    };
    let mut html = html();
    html.truncate(bytes);
    let mut out = Vec::with_capacity(2 * SIZE);
    igzip.gzip(&html, &mut out).unwrap();
    eprintln!("igzip: {bytes} -> {} bytes", out.len());
    bencher.counter(BytesCount::new(bytes)).bench_local(|| {
        out.clear();
        igzip.gzip(black_box(&html), &mut out).unwrap();
    });
}

#[divan::bench(args = [700, 1_500, 3_000, 6_000, 30_000])]
fn libdeflate_1_by_size(bencher: Bencher, bytes: usize) {
    let mut html = html();
    html.truncate(bytes);
    let mut compressor = libdeflater::Compressor::new(libdeflater::CompressionLvl::new(1).unwrap());
    let mut out = vec![0; compressor.gzip_compress_bound(html.len())];
    bencher
        .counter(BytesCount::new(bytes))
        .bench_local(|| compressor.gzip_compress(black_box(&html), &mut out).unwrap());
}

#[divan::bench(args = [1, 2, 3, 4, 5, 6])]
fn zlib_rs(bencher: Bencher, level: u32) {
    let html = html();
    let squeeze = |html: &[u8]| {
        let mut encoder =
            flate2::write::GzEncoder::new(Vec::with_capacity(SIZE), flate2::Compression::new(level));
        encoder.write_all(html).unwrap();
        encoder.finish().unwrap().len()
    };
    eprintln!("zlib-rs {level}: {} -> {} bytes", html.len(), squeeze(&html));
    bencher
        .counter(BytesCount::new(html.len()))
        .bench_local(|| squeeze(black_box(&html)));
}

/// Without the cost of making a compressor each time.
#[divan::bench(args = [1, 2, 3])]
fn zlib_rs_reused(bencher: Bencher, level: u32) {
    let html = html();
    let mut compressor = flate2::Compress::new(flate2::Compression::new(level), false);
    let mut out = vec![0; 2 * SIZE];
    bencher.counter(BytesCount::new(html.len())).bench_local(|| {
        compressor.reset();
        let mut crc = flate2::Crc::new();
        crc.update(black_box(&html));
        compressor
            .compress(&html, &mut out, flate2::FlushCompress::Finish)
            .unwrap();
        crc.sum()
    });
}

/// The cost of a body that is already compressed, on which nothing can be gained.
#[divan::bench(args = [0, 1, 2, 4, 6])]
fn libdeflate_on_a_gzip_body(bencher: Bencher, level: i32) {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::new(6));
    encoder.write_all(&html()).unwrap();
    let body = encoder.finish().unwrap();
    let mut compressor = libdeflater::Compressor::new(libdeflater::CompressionLvl::new(level).unwrap());
    let mut out = vec![0; compressor.gzip_compress_bound(body.len())];
    let size = compressor.gzip_compress(&body, &mut out).unwrap();
    eprintln!("libdeflate {level} on gzip: {} -> {size} bytes", body.len());
    bencher.bench_local(|| compressor.gzip_compress(black_box(&body), &mut out).unwrap());
}

/// A request or metadata record is this small.
#[divan::bench(args = [0, 1, 2])]
fn libdeflate_on_700_bytes(bencher: Bencher, level: i32) {
    let record = html().get(..700).unwrap().to_vec();
    let mut compressor = libdeflater::Compressor::new(libdeflater::CompressionLvl::new(level).unwrap());
    let mut out = vec![0; compressor.gzip_compress_bound(record.len())];
    bencher.bench_local(|| compressor.gzip_compress(black_box(&record), &mut out).unwrap());
}

#[divan::bench]
fn sha1(bencher: Bencher) {
    use sha1::Digest;
    let html = html();
    bencher
        .counter(BytesCount::new(html.len()))
        .bench_local(|| sha1::Sha1::digest(black_box(&html)));
}
