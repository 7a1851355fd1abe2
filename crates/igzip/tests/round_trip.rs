//! What igzip compresses, two other libraries turn back into the same bytes.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::io::Read;

use scenthound_igzip::Igzip;

fn igzip() -> Option<Igzip> {
    let igzip = Igzip::load();
    if igzip.is_none() {
        scenthound_testweb::skip("libisal.so.2 is not installed");
    }
    igzip
}

/// Bytes that look random, the same each time.
struct Noise(u64);

impl Noise {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, limit: u64) -> usize {
        usize::try_from((self.next() >> 11) % limit).unwrap()
    }

    fn bytes(&mut self, length: usize) -> Vec<u8> {
        (0..length).map(|_| self.next().to_le_bytes()[3]).collect()
    }

    /// Text, markup, runs of one byte, copies of what came before, and noise, in turn.
    fn page(&mut self, length: usize) -> Vec<u8> {
        let mut page = Vec::new();
        while page.len() < length {
            match self.below(6) {
                0 => page.extend_from_slice(b"<p class=\"text\">first flush of the year</p>\n"),
                1 => page.extend_from_slice(format!("<a href=\"/{}\">", self.next()).as_bytes()),
                2 => {
                    let (byte, length) = (self.next().to_le_bytes()[0], self.below(600));
                    page.resize(page.len() + length, byte);
                }
                3 => {
                    let length = self.below(300);
                    let noise = self.bytes(length);
                    page.extend_from_slice(&noise);
                }
                _ if page.is_empty() => page.push(b'x'),
                _ => {
                    let from = self.below(page.len() as u64);
                    let length = self.below(2_000).min(page.len() - from);
                    page.extend_from_within(from..from + length);
                }
            }
        }
        page.truncate(length);
        page
    }
}

/// Compresses behind what is there already, and reads the member by both libraries.
fn assert_comes_back(igzip: &mut Igzip, plain: &[u8], what: &str) -> usize {
    let mut out = b"before".to_vec();
    igzip.gzip(plain, &mut out).unwrap();
    let member = out.strip_prefix(b"before").unwrap();
    let mut back = vec![0; plain.len() + 1];
    let length = libdeflater::Decompressor::new()
        .gzip_decompress(member, &mut back)
        .unwrap_or_else(|error| panic!("{what}: {error:?}"));
    assert!(
        back[..length] == *plain,
        "{what}: libdeflate reads something else"
    );
    back.clear();
    // A decoder for one member, behind which nothing may be left.
    let mut rest = member;
    flate2::bufread::GzDecoder::new(&mut rest)
        .read_to_end(&mut back)
        .unwrap();
    assert!(back == plain, "{what}: zlib-rs reads something else");
    assert!(rest.is_empty(), "{what}: one member");
    member.len()
}

#[test]
fn empty_and_tiny_inputs_come_back() {
    let Some(mut igzip) = igzip() else { return };
    let mut noise = Noise(1);
    for length in 0..300 {
        assert_comes_back(&mut igzip, &noise.bytes(length), &format!("noise of {length}"));
        assert_comes_back(&mut igzip, &noise.page(length), &format!("page of {length}"));
        assert_comes_back(&mut igzip, &vec![b'a'; length], &format!("run of {length}"));
    }
}

#[test]
fn random_pages_of_all_sizes_come_back_in_any_order() {
    let Some(mut igzip) = igzip() else { return };
    let mut noise = Noise(2);
    for number in 0..600 {
        let most = [100, 3_000, 40_000, 300_000][number % 4];
        let length = noise.below(most);
        let page = noise.page(length);
        assert_comes_back(&mut igzip, &page, &format!("page {number} of {length}"));
    }
}

#[test]
fn lengths_around_the_limits_of_blocks_and_windows_come_back() {
    let Some(mut igzip) = igzip() else { return };
    let mut noise = Noise(3);
    for limit in [16_384, 32_768, 65_535, 65_536, 131_070] {
        for length in limit - 3..=limit + 3 {
            assert_comes_back(&mut igzip, &noise.bytes(length), &format!("noise of {length}"));
            assert_comes_back(&mut igzip, &noise.page(length), &format!("page of {length}"));
        }
    }
}

#[test]
fn megabytes_come_back_and_noise_grows_by_next_to_nothing() {
    let Some(mut igzip) = igzip() else { return };
    let mut noise = Noise(4);
    assert_comes_back(&mut igzip, &noise.page(9_000_000), "a huge page");
    assert!(assert_comes_back(&mut igzip, &vec![0; 9_000_000], "zeros") < 100_000);
    let bytes = noise.bytes(5_000_000);
    let packed = assert_comes_back(&mut igzip, &bytes, "noise");
    assert!(packed < bytes.len() + bytes.len() / 1_000 + 64, "{packed}");
}

#[test]
fn the_same_input_gives_the_same_bytes_whatever_came_before() {
    let Some(mut igzip) = igzip() else { return };
    let mut noise = Noise(5);
    let pages: Vec<Vec<u8>> = (0..20).map(|number| noise.page(5_000 * number)).collect();
    let mut pack = |page: &[u8]| {
        let mut out = Vec::new();
        igzip.gzip(page, &mut out).unwrap();
        out
    };
    let first: Vec<Vec<u8>> = pages.iter().map(|page| pack(page)).collect();
    for (page, before) in pages.iter().zip(&first).rev() {
        assert_eq!(&pack(page), before);
        let mut fresh = Vec::new();
        Igzip::load().unwrap().gzip(page, &mut fresh).unwrap();
        assert_eq!(&fresh, before);
    }
}

#[test]
fn a_compressor_can_move_to_another_thread_and_several_work_at_once() {
    let Some(first) = igzip() else { return };
    let others = std::iter::repeat_with(|| Igzip::load().unwrap()).take(3);
    let compressors: Vec<Igzip> = std::iter::once(first).chain(others).collect();
    std::thread::scope(|scope| {
        for (number, mut igzip) in (100..).zip(compressors) {
            scope.spawn(move || {
                let mut noise = Noise(number);
                for _ in 0..50 {
                    let page = noise.page(20_000);
                    assert_comes_back(&mut igzip, &page, "a page of one of four threads");
                }
            });
        }
    });
}
