//! Decodes Content-Encoding as the bytes arrive, with a cap on the output.
//!
//! Each coding turns one bounded piece of input into one bounded piece of output at a time. So a decompression bomb
//! stops at the cap whatever its full size, and memory is limited to the codings' windows. What was decoded before
//! any damage is kept.

use brotli_decompressor::{BrotliDecompressStream, BrotliResult, BrotliState, StandardAlloc};
use flate2::{Decompress, FlushDecompress, Status};
use zstd::stream::raw::{DParameter, InBuffer, Operation, OutBuffer};

/// More layers of coding than this are an attack, not a page.
pub(crate) const MAX_CODINGS: usize = 3;

/// The output of one step of one coding.
const PIECE: usize = 32 * 1024;

/// A gzip body may consist of several members. Each costs a new window, so the number of empty ones is limited.
const MAX_MEMBERS: usize = 256;

/// RFC 9659: at most 8 MiB of window for zstd over HTTP.
const ZSTD_WINDOW_LOG: u32 = 23;

/// One way a body can be encoded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Coding {
    Gzip,
    Deflate,
    Brotli,
    Zstd,
}

impl Coding {
    /// Reads one token of a Content-Encoding header.
    pub(crate) fn parse(token: &str) -> Option<Coding> {
        match token.to_ascii_lowercase().as_str() {
            "gzip" | "x-gzip" => Some(Coding::Gzip),
            "deflate" => Some(Coding::Deflate),
            "br" => Some(Coding::Brotli),
            "zstd" => Some(Coding::Zstd),
            _ => None,
        }
    }
}

/// Why decoding stopped early.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Stop {
    /// The cap was reached and there was more.
    Full,
    /// The bytes are not valid for the coding.
    Damaged,
}

/// Decodes one body.
pub(crate) struct Decoder {
    stages: Vec<Stage>,
    decoded: Vec<u8>,
    cap: usize,
    /// Where to pause.
    pause: usize,
    fed: bool,
}

impl Decoder {
    /// For a body to which these codings were applied in this order.
    pub(crate) fn new(applied: &[Coding], cap: usize) -> Result<Decoder, Stop> {
        let mut stages = Vec::with_capacity(applied.len());
        for coding in applied.iter().rev() {
            stages.push(Stage::new(*coding)?);
        }
        Ok(Decoder {
            stages,
            decoded: Vec::new(),
            cap,
            pause: usize::MAX,
            fed: false,
        })
    }

    /// Sets how long the output may become before [`Decoder::push`] pauses. A body with several codings does not pause.
    pub(crate) fn pause_at(&mut self, bytes: usize) {
        self.pause = bytes;
    }

    /// How many codings were applied.
    pub(crate) fn codings(&self) -> usize {
        self.stages.len()
    }

    /// Takes the next bytes of the body. Returns those that are left over, if it pauses.
    pub(crate) fn push<'b>(&mut self, encoded: &'b [u8]) -> Result<Option<&'b [u8]>, Stop> {
        self.fed |= !encoded.is_empty();
        let (decoded, cap) = (&mut self.decoded, self.cap);
        if let ([stage], true) = (&mut *self.stages, self.pause < usize::MAX) {
            let mut input = encoded;
            loop {
                if decoded.len() > self.pause {
                    return Ok(Some(input));
                }
                let (consumed, produced) = stage.step(input)?;
                input = input.get(consumed..).unwrap_or_default();
                take(decoded, cap, stage.piece.get(..produced).unwrap_or_default())?;
                if stage.ended || (consumed == 0 && produced == 0) {
                    return Ok(None);
                }
            }
        }
        run(&mut self.stages, encoded, &mut |piece| take(decoded, cap, piece))?;
        Ok(None)
    }

    /// The output so far.
    pub(crate) fn so_far(&self) -> &[u8] {
        &self.decoded
    }

    /// Whether every coding has reached its end. An empty body needs none.
    pub(crate) fn is_whole(&self) -> bool {
        !self.fed || self.stages.iter().all(Stage::is_whole)
    }

    /// The output.
    pub(crate) fn into_decoded(self) -> Vec<u8> {
        self.decoded
    }
}

/// Appends to the output, up to the cap.
fn take(decoded: &mut Vec<u8>, cap: usize, piece: &[u8]) -> Result<(), Stop> {
    let room = cap.saturating_sub(decoded.len());
    decoded.extend_from_slice(piece.get(..room).unwrap_or(piece));
    if piece.len() > room {
        Err(Stop::Full)
    } else {
        Ok(())
    }
}

/// Runs the input through the first stage and each piece of its output through the rest.
fn run(
    stages: &mut [Stage],
    mut input: &[u8],
    sink: &mut dyn FnMut(&[u8]) -> Result<(), Stop>,
) -> Result<(), Stop> {
    let Some((stage, rest)) = stages.split_first_mut() else {
        return sink(input);
    };
    loop {
        let (consumed, produced) = stage.step(input)?;
        input = input.get(consumed..).unwrap_or_default();
        if produced > 0 {
            run(rest, stage.piece.get(..produced).unwrap_or_default(), sink)?;
        }
        if stage.ended || (consumed == 0 && produced == 0) {
            return Ok(());
        }
    }
}

/// One active coding.
struct Stage {
    engine: Engine,
    piece: Box<[u8]>,
    /// Set at the coding's own end. What follows is ignored, as browsers do.
    ended: bool,
}

enum Engine {
    Gzip {
        inflate: Decompress,
        members: usize,
        /// Between two members: the bytes that may be the magic number of the next.
        between: Option<Vec<u8>>,
    },
    /// `deflate` means zlib, but some servers send raw deflate. The first two bytes tell which.
    DeflateUnknown {
        start: Vec<u8>,
    },
    Deflate {
        inflate: Decompress,
    },
    Brotli(Box<Brotli>),
    Zstd {
        decoder: zstd::stream::raw::Decoder<'static>,
        /// Between two frames.
        between: bool,
    },
}

type Brotli = BrotliState<StandardAlloc, StandardAlloc, StandardAlloc>;

impl Stage {
    fn new(coding: Coding) -> Result<Stage, Stop> {
        let engine = match coding {
            Coding::Gzip => Engine::Gzip {
                inflate: Decompress::new_gzip(15),
                members: 1,
                between: None,
            },
            Coding::Deflate => Engine::DeflateUnknown { start: Vec::new() },
            // Strict: otherwise a stream may ask for a window of a gigabyte.
            Coding::Brotli => Engine::Brotli(Box::new(BrotliState::new_strict(
                StandardAlloc::default(),
                StandardAlloc::default(),
                StandardAlloc::default(),
            ))),
            Coding::Zstd => {
                let mut decoder = zstd::stream::raw::Decoder::new().map_err(|_| Stop::Damaged)?;
                decoder
                    .set_parameter(DParameter::WindowLogMax(ZSTD_WINDOW_LOG))
                    .map_err(|_| Stop::Damaged)?;
                Engine::Zstd {
                    decoder,
                    between: false,
                }
            }
        };
        Ok(Stage {
            engine,
            piece: vec![0; PIECE].into_boxed_slice(),
            ended: false,
        })
    }

    /// Whether the body may end here.
    fn is_whole(&self) -> bool {
        self.ended
            || match &self.engine {
                Engine::Gzip { between, .. } => between.is_some(),
                Engine::Zstd { between, .. } => *between,
                Engine::DeflateUnknown { .. } | Engine::Deflate { .. } | Engine::Brotli(_) => false,
            }
    }

    /// Turns some of the input into at most one piece. Returns how much was consumed and how much was produced.
    fn step(&mut self, input: &[u8]) -> Result<(usize, usize), Stop> {
        if self.ended {
            return Ok((input.len(), 0));
        }
        let piece = &mut self.piece;
        match &mut self.engine {
            Engine::Gzip {
                inflate,
                members,
                between,
            } => {
                if let Some(start) = between {
                    return Ok(match next_member(start, input) {
                        Member::Undecided => (input.len(), 0),
                        Member::None => {
                            self.ended = true;
                            (input.len(), 0)
                        }
                        Member::Next { taken } => {
                            *members += 1;
                            if *members > MAX_MEMBERS {
                                return Err(Stop::Damaged);
                            }
                            *inflate = Decompress::new_gzip(15);
                            let start = std::mem::take(start);
                            *between = None;
                            // The magic number itself; it produces no output.
                            inflate_piece(inflate, &start, piece)?;
                            (taken, 0)
                        }
                    });
                }
                let (consumed, produced, ended) = inflate_piece(inflate, input, piece)?;
                if ended {
                    *between = Some(Vec::new());
                }
                Ok((consumed, produced))
            }
            Engine::DeflateUnknown { start } => {
                let wanted = 2_usize.saturating_sub(start.len()).min(input.len());
                start.extend_from_slice(input.get(..wanted).unwrap_or_default());
                let &[first, second] = start.as_slice() else {
                    return Ok((wanted, 0));
                };
                let zlib = first & 0x0f == 8 && u16::from_be_bytes([first, second]).is_multiple_of(31);
                let mut inflate = Decompress::new(zlib);
                let (_, produced, ended) = inflate_piece(&mut inflate, &[first, second], piece)?;
                self.ended = ended;
                self.engine = Engine::Deflate { inflate };
                Ok((wanted, produced))
            }
            Engine::Deflate { inflate } => {
                let (consumed, produced, ended) = inflate_piece(inflate, input, piece)?;
                self.ended = ended;
                Ok((consumed, produced))
            }
            Engine::Brotli(state) => {
                let (mut left, mut consumed) = (input.len(), 0);
                let (mut room, mut produced, mut total) = (piece.len(), 0, 0);
                let result = BrotliDecompressStream(
                    &mut left,
                    &mut consumed,
                    input,
                    &mut room,
                    &mut produced,
                    piece,
                    &mut total,
                    state,
                );
                match result {
                    BrotliResult::ResultSuccess => self.ended = true,
                    BrotliResult::ResultFailure => return Err(Stop::Damaged),
                    BrotliResult::NeedsMoreInput | BrotliResult::NeedsMoreOutput => {}
                }
                Ok((consumed, produced))
            }
            Engine::Zstd { decoder, between } => {
                if input.is_empty() && *between {
                    return Ok((0, 0));
                }
                let mut from = InBuffer::around(input);
                let mut to = OutBuffer::around(&mut piece[..]);
                let Ok(hint) = decoder.run(&mut from, &mut to) else {
                    // Garbage after a complete frame does no harm.
                    self.ended = *between;
                    return if *between {
                        Ok((input.len(), 0))
                    } else {
                        Err(Stop::Damaged)
                    };
                };
                let (consumed, produced) = (from.pos(), to.pos());
                if hint == 0 {
                    *between = true;
                    decoder.reinit().map_err(|_| Stop::Damaged)?;
                } else if consumed > 0 {
                    *between = false;
                }
                Ok((consumed, produced))
            }
        }
    }
}

enum Member {
    Undecided,
    None,
    Next { taken: usize },
}

/// Whether another gzip member follows the one that ended; `start` collects its first two bytes over several inputs.
fn next_member(start: &mut Vec<u8>, input: &[u8]) -> Member {
    let taken = 2_usize.saturating_sub(start.len()).min(input.len());
    start.extend_from_slice(input.get(..taken).unwrap_or_default());
    match start.as_slice() {
        [] | [0x1f] => Member::Undecided,
        [0x1f, 0x8b] => Member::Next { taken },
        _ => Member::None,
    }
}

fn inflate_piece(
    inflate: &mut Decompress,
    input: &[u8],
    piece: &mut [u8],
) -> Result<(usize, usize, bool), Stop> {
    let (before_in, before_out) = (inflate.total_in(), inflate.total_out());
    let status = inflate
        .decompress(input, piece, FlushDecompress::None)
        .map_err(|_| Stop::Damaged)?;
    let consumed = usize::try_from(inflate.total_in() - before_in).unwrap_or(usize::MAX);
    let produced = usize::try_from(inflate.total_out() - before_out).unwrap_or(usize::MAX);
    Ok((consumed, produced, status == Status::StreamEnd))
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};

    use super::*;

    const TEXT: &str = "The crab sat in the sand and the sand sat in the crab. ";

    fn gzip(plain: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(plain).unwrap();
        encoder.finish().unwrap()
    }

    fn brotli(plain: &[u8]) -> Vec<u8> {
        let mut encoded = Vec::new();
        let mut encoder = brotli::CompressorWriter::new(&mut encoded, 4096, 5, 20);
        encoder.write_all(plain).unwrap();
        drop(encoder);
        encoded
    }

    fn encode(coding: Coding, plain: &[u8]) -> Vec<u8> {
        match coding {
            Coding::Gzip => gzip(plain),
            Coding::Deflate => {
                let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
                encoder.write_all(plain).unwrap();
                encoder.finish().unwrap()
            }
            Coding::Brotli => brotli(plain),
            Coding::Zstd => zstd::encode_all(plain, 3).unwrap(),
        }
    }

    /// Feeds the body a few bytes at a time, as a slow network does.
    fn decode(applied: &[Coding], body: &[u8], step: usize, cap: usize) -> (Vec<u8>, Result<bool, Stop>) {
        let mut decoder = Decoder::new(applied, cap).unwrap();
        for piece in body.chunks(step) {
            if let Err(stop) = decoder.push(piece) {
                return (decoder.into_decoded(), Err(stop));
            }
        }
        let whole = decoder.is_whole();
        (decoder.into_decoded(), Ok(whole))
    }

    const ALL: [Coding; 4] = [Coding::Gzip, Coding::Deflate, Coding::Brotli, Coding::Zstd];

    #[test]
    fn every_coding_gives_back_what_went_in_however_it_arrives() {
        let plain = TEXT.repeat(3000).into_bytes();
        for coding in ALL {
            let body = encode(coding, &plain);
            for step in [1, 7, 4096, body.len()] {
                assert_eq!(
                    decode(&[coding], &body, step, usize::MAX),
                    (plain.clone(), Ok(true)),
                    "{coding:?} in steps of {step}"
                );
            }
        }
    }

    #[test]
    fn stacked_codings_are_undone_last_first() {
        let plain = TEXT.repeat(500).into_bytes();
        for outer in ALL {
            let body = encode(outer, &encode(Coding::Gzip, &plain));
            assert_eq!(
                decode(&[Coding::Gzip, outer], &body, 100, usize::MAX),
                (plain.clone(), Ok(true)),
                "gzip, then {outer:?}"
            );
        }
    }

    #[test]
    fn deflate_may_be_bare() {
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(TEXT.as_bytes()).unwrap();
        let body = encoder.finish().unwrap();
        for step in [1, 2, 1000] {
            let decoded = decode(&[Coding::Deflate], &body, step, usize::MAX);
            assert_eq!(decoded, (TEXT.as_bytes().to_vec(), Ok(true)));
        }
    }

    #[test]
    fn gzip_files_in_a_row_are_one_body_and_rubbish_after_the_last_is_ignored() {
        let mut body = gzip(b"one ");
        body.extend(gzip(b"two"));
        body.extend(b"rubbish");
        for step in [1, 3, 1000] {
            assert_eq!(
                decode(&[Coding::Gzip], &body, step, usize::MAX),
                (b"one two".to_vec(), Ok(true))
            );
        }
    }

    #[test]
    fn zstd_frames_in_a_row_are_one_body() {
        let mut body = encode(Coding::Zstd, b"one ");
        body.extend(encode(Coding::Zstd, b"two"));
        assert_eq!(
            decode(&[Coding::Zstd], &body, 1000, usize::MAX),
            (b"one two".to_vec(), Ok(true))
        );
    }

    #[test]
    fn a_bomb_stops_at_the_cap() {
        let cap = 1_000_000;
        for coding in ALL {
            let zeros = vec![0; 64 << 20];
            let bomb = encode(coding, &zeros);
            let twice = encode(Coding::Gzip, &bomb);
            let (decoded, end) = decode(&[coding], &bomb, 16_384, cap);
            assert_eq!((decoded.len(), end), (cap, Err(Stop::Full)), "{coding:?}");
            let (decoded, end) = decode(&[coding, Coding::Gzip], &twice, 16_384, cap);
            assert_eq!((decoded.len(), end), (cap, Err(Stop::Full)), "{coding:?} in gzip");
        }
    }

    #[test]
    fn a_body_of_exactly_the_cap_is_whole() {
        let body = gzip(&[b'x'; 1000]);
        assert_eq!(decode(&[Coding::Gzip], &body, 10, 1000).1, Ok(true));
        assert_eq!(decode(&[Coding::Gzip], &body, 10, 999).1, Err(Stop::Full));
    }

    #[test]
    fn what_came_before_the_damage_is_kept() {
        let plain: Vec<u8> = (0..200_000_u32)
            .flat_map(|n| n.wrapping_mul(2_654_435_761).to_le_bytes())
            .collect();
        for coding in ALL {
            let body = encode(coding, &plain);
            let half = &body[..body.len() / 2];
            let (decoded, end) = decode(&[coding], half, 10_000, usize::MAX);
            assert_eq!(end, Ok(false), "{coding:?}");
            assert!(!decoded.is_empty() && plain.starts_with(&decoded), "{coding:?}");
        }
        assert_eq!(
            decode(&[Coding::Gzip], b"<html>not gzip at all</html>", 100, usize::MAX),
            (Vec::new(), Err(Stop::Damaged))
        );
    }

    #[test]
    fn endless_empty_gzip_files_have_an_end() {
        let body = gzip(b"").repeat(MAX_MEMBERS + 1);
        assert_eq!(decode(&[Coding::Gzip], &body, 1000, 1000).1, Err(Stop::Damaged));
    }

    #[test]
    fn a_zstd_window_over_the_limit_is_refused() {
        let mut encoder = zstd::Encoder::new(Vec::new(), 3).unwrap();
        encoder.window_log(27).unwrap();
        encoder.write_all(&TEXT.repeat(100).into_bytes()).unwrap();
        let body = encoder.finish().unwrap();
        assert_eq!(
            decode(&[Coding::Zstd], &body, 1000, usize::MAX).1,
            Err(Stop::Damaged)
        );
    }

    proptest::proptest! {
        #[test]
        fn no_bytes_make_it_panic_or_pass_the_cap(
            bytes in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..400),
            step in 1_usize..50,
        ) {
            for coding in ALL {
                for start in [&[][..], &gzip(b"abc")[..10], &brotli(TEXT.as_bytes())[..8]] {
                    let body = [start, &bytes].concat();
                    let (decoded, _) = decode(&[coding, Coding::Gzip, coding], &body, step, 5000);
                    proptest::prop_assert!(decoded.len() <= 5000);
                    let (decoded, _) = decode(&[coding], &body, step, 5000);
                    proptest::prop_assert!(decoded.len() <= 5000);
                }
            }
        }
    }
}
