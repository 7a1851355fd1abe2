//! Compresses by igzip, which is part of ISA-L, if the system has that library.
//!
//! igzip at level 1 takes about half the time of the fastest compressor that builds everywhere, but building it needs an
//! assembler and autotools. So it is not built: `libisal.so.2`, which Linux distributions package, is loaded while the program
//! runs, from the folders of the system and from nowhere else. Without it, [`Igzip::load`] returns nothing, and the caller
//! compresses in another way.
//!
//! **Invariant:** a library is used only after it has compressed a few samples that another library turned back into the same
//! bytes, and only if it kept within the memory it was given. Nothing else about it is believed.
//!
//! This is the only crate with `unsafe` code, and [`library`] the only module.
//!
//! Deliberately absent: decompression, streams that are compressed in pieces, and other levels.

mod library;

use std::sync::OnceLock;

use library::{Library, Stream};

/// Why a library that was found is not used, or nothing was compressed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Refused;

/// A compressor with its memory. Each thread keeps its own.
pub struct Igzip {
    library: &'static Library,
    stream: Stream,
}

impl std::fmt::Debug for Igzip {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Igzip").finish_non_exhaustive()
    }
}

impl Igzip {
    /// A compressor; none if the system has no such library or it did not pass the test.
    pub fn load() -> Option<Igzip> {
        // The library is looked for and tested once; it stays loaded.
        static LIBRARY: OnceLock<Option<Library>> = OnceLock::new();
        let library = LIBRARY.get_or_init(|| Library::find().filter(passes)).as_ref()?;
        Some(Igzip {
            library,
            stream: Stream::new(),
        })
    }

    /// Appends `plain` to `out` as one gzip member. If that fails, `out` is as it was.
    pub fn gzip(&mut self, plain: &[u8], out: &mut Vec<u8>) -> Result<(), Refused> {
        self.library.gzip(&mut self.stream, plain, out)
    }
}

/// Whether a library compresses every sample to something that libdeflate turns back into it, to the same bytes each time,
/// without touching memory behind its own.
fn passes(library: &Library) -> bool {
    let mut stream = Stream::new();
    let mut decompressor = libdeflater::Decompressor::new();
    let mut passed = |sample: &[u8]| {
        // Something that is there already, which must stay.
        let mut first = b"before".to_vec();
        let mut second = b"before".to_vec();
        let packed = library.gzip(&mut stream, sample, &mut first);
        let repeated = library.gzip(&mut stream, sample, &mut second);
        if packed.is_err() || repeated.is_err() || first != second {
            return false;
        }
        let Some(member) = first.strip_prefix(b"before") else {
            return false;
        };
        // One byte more than needed shows what is too long.
        let mut back = vec![0; sample.len() + 1];
        let length = decompressor.gzip_decompress(member, &mut back);
        length == Ok(sample.len()) && back.get(..sample.len()) == Some(sample)
    };
    samples().iter().all(|sample| passed(sample)) && stream.is_intact()
}

/// Nothing, a letter, text that repeats, noise, and a long mixture of both.
fn samples() -> [Vec<u8>; 5] {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_le_bytes()
    };
    let words: [&[u8]; 4] = [b"<p>tea ", b"</p>\n", b"green leaves, ", b"<a href=\"/"];
    let mut text = Vec::new();
    while text.len() < 10_000 {
        let [choice, ..] = next();
        text.extend_from_slice(words[usize::from(choice & 3)]);
        text.push(b'a' + choice % 26);
    }
    let mut noise = Vec::new();
    while noise.len() < 5_000 {
        noise.extend_from_slice(&next());
    }
    let mut mixture = Vec::new();
    for _ in 0..15 {
        mixture.extend_from_slice(&text);
        mixture.extend_from_slice(&noise);
    }
    [Vec::new(), b"x".to_vec(), text, noise, mixture]
}
