//! What the compressors of the archive cost on recorded pages, and whether all of them come back.
//!
//! `cargo run --release -p scenthound-store --example compressors -- [--pages N] ARCHIVE…` takes the first N pages of each archive
//! (400 unless told), compresses every one as a record by each compressor in turn, eight times, and prints the CPU time of the
//! thread in the fastest round. What igzip wrote is unpacked by libdeflate and compared.
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "an example that prints")]

use std::path::Path;
use std::time::Duration;

use scenthound_igzip::Igzip;
use scenthound_store::WarcReader;

const ROUNDS: usize = 8;
/// A metadata record is about this long.
const SMALL: usize = 690;

fn main() {
    let mut args: Vec<String> = std::env::args().skip(1).collect();
    let mut most = 400;
    if args.first().is_some_and(|arg| arg == "--pages") {
        most = args[1].parse().unwrap();
        args.drain(..2);
    }
    let mut pages: Vec<Vec<u8>> = Vec::new();
    for archive in &args {
        let records = WarcReader::open(Path::new(archive)).unwrap().flatten();
        let html = records.filter(|record| record.http().is_some_and(|http| http.status == 200));
        pages.extend(html.map(|record| record.block).take(most));
    }
    let records: Vec<Vec<u8>> = pages
        .iter()
        .map(|page| page[..page.len().min(SMALL)].to_vec())
        .collect();
    println!(
        "{} pages of {} bytes",
        pages.len(),
        bytes(&pages) / pages.len().max(1)
    );

    let mut gzip = libdeflater::Compressor::new(libdeflater::CompressionLvl::new(1).unwrap());
    let mut libdeflate = |plain: &[u8], out: &mut Vec<u8>| {
        out.resize(gzip.gzip_compress_bound(plain.len()), 0);
        let length = gzip.gzip_compress(plain, out).unwrap();
        out.truncate(length);
    };
    let mut frames = zstd::bulk::Compressor::new(1).unwrap();
    frames.include_checksum(true).unwrap();
    let mut zstd = |plain: &[u8], out: &mut Vec<u8>| {
        out.resize(zstd::zstd_safe::compress_bound(plain.len()), 0);
        let length = frames.compress_to_buffer(plain, &mut out[..]).unwrap();
        out.truncate(length);
    };
    for (what, inputs) in [("pages", &pages), ("their first bytes", &records)] {
        measure(what, "libdeflate 1", inputs, &mut libdeflate);
        if let Some(mut igzip) = Igzip::load() {
            measure(what, "igzip 1", inputs, &mut |plain, out| {
                out.clear();
                igzip.gzip(plain, out).unwrap();
            });
        }
        measure(what, "zstd 1", inputs, &mut zstd);
    }
    if let Some(mut igzip) = Igzip::load() {
        let mut decompressor = libdeflater::Decompressor::new();
        for page in pages.iter().chain(&records) {
            let (mut packed, mut back) = (Vec::new(), vec![0; page.len() + 1]);
            igzip.gzip(page, &mut packed).unwrap();
            let length = decompressor.gzip_decompress(&packed, &mut back).unwrap();
            assert!(back[..length] == page[..], "a page did not come back");
        }
        println!("all came back from igzip");
    }
}

fn bytes(pages: &[Vec<u8>]) -> usize {
    pages.iter().map(Vec::len).sum()
}

fn measure(what: &str, name: &str, inputs: &[Vec<u8>], compress: &mut dyn FnMut(&[u8], &mut Vec<u8>)) {
    let mut out = Vec::new();
    let mut fastest = Duration::MAX;
    let mut length = 0;
    for _ in 0..ROUNDS {
        length = 0;
        let started = cpu_time();
        for input in inputs {
            compress(input, &mut out);
            length += out.len();
        }
        fastest = fastest.min(cpu_time().saturating_sub(started));
    }
    println!(
        "{what}, {name}: {:.1} µs, {:.1} %",
        fastest.as_secs_f64() * 1e6 / inputs.len().max(1) as f64,
        100.0 * length as f64 / bytes(inputs).max(1) as f64
    );
}

/// CPU time of this thread.
fn cpu_time() -> Duration {
    let spent = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(spent.tv_sec.unsigned_abs(), u32::try_from(spent.tv_nsec).unwrap())
}
