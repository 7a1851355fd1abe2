//! The one place that calls into a library of the system.
//!
//! The functions and the beginning of the structure they work on are as `igzip_lib.h` of ISA-L 2 declares them; that part has been
//! the same since 2.20, and the library's soname stands for it. What follows in the structure belongs to the library alone: it
//! is only given more room than version 2.30 needs.
#![expect(
    unsafe_code,
    reason = "a library that is loaded at run time cannot be called without it"
)]

use std::ffi::{c_int, c_void};
use std::mem::offset_of;
use std::path::Path;
use std::ptr;

use crate::Refused;

/// Where Linux distributions install libraries: Debian and Ubuntu, Fedora and SUSE, Arch. The soname says which interface it has.
/// Naming whole paths keeps out what the search path of libraries may be set to.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
const PLACES: &[&str] = &[
    "/usr/lib/x86_64-linux-gnu/libisal.so.2",
    "/lib/x86_64-linux-gnu/libisal.so.2",
    "/usr/lib64/libisal.so.2",
    "/lib64/libisal.so.2",
    "/usr/lib/libisal.so.2",
];
/// The layout below was checked, and the speed measured, only there.
#[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
const PLACES: &[&str] = &[];

const LEVEL: u32 = 1;
/// What the header calls `IGZIP_GZIP`: with a head and a checksum.
const GZIP: u16 = 1;
const NO_FLUSH: u16 = 0;

/// The part of `struct isal_zstream` that callers fill in.
#[repr(C)]
struct Head {
    next_in: *const u8,
    avail_in: u32,
    total_in: u32,
    next_out: *mut u8,
    avail_out: u32,
    total_out: u32,
    hufftables: *const c_void,
    level: u32,
    level_buf_size: u32,
    level_buf: *mut u8,
    end_of_stream: u16,
    flush: u16,
    gzip_flag: u16,
    hist_bits: u16,
}

#[cfg(target_pointer_width = "64")]
const _: () = {
    assert!(size_of::<Head>() == 64);
    assert!(offset_of!(Head, next_out) == 16);
    assert!(offset_of!(Head, hufftables) == 32);
    assert!(offset_of!(Head, level_buf) == 48);
    assert!(offset_of!(Head, hist_bits) == 62);
};

/// Bytes of the library's own state in version 2.30.
const STATE: usize = 82_320;
/// More room than any version has needed, whose end must stay as it was.
const SPARE: usize = 48 << 10;
const PAINT: u8 = 0xa5;

/// `struct isal_zstream`, with room to spare. The library wants its tables aligned to cache lines.
#[repr(C, align(64))]
struct Memory {
    head: Head,
    state: [u8; STATE],
    spare: [u8; SPARE],
}

/// Bytes of the buffer that level 1 works in: what the header calls `ISAL_DEF_LVL1_SMALL` of version 2.30, for blocks of at
/// most 16,384 symbols. A larger one made no page smaller by more than a thousandth and is slower, because it does not stay in the
/// cache.
const LEVEL_BUFFER: usize = 4 * 1024 + 2 * 8 * 1024 + 4 * 16 * 1024;

/// The memory of one compressor.
pub(crate) struct Stream {
    memory: Box<Memory>,
    level_buffer: Box<[u64]>,
}

// SAFETY: all pointers in it are null between two calls, so nothing is tied to the thread that made it.
unsafe impl Send for Stream {}

impl Stream {
    pub(crate) fn new() -> Stream {
        let head = Head {
            next_in: ptr::null(),
            avail_in: 0,
            total_in: 0,
            next_out: ptr::null_mut(),
            avail_out: 0,
            total_out: 0,
            hufftables: ptr::null(),
            level: 0,
            level_buf_size: 0,
            level_buf: ptr::null_mut(),
            end_of_stream: 0,
            flush: NO_FLUSH,
            gzip_flag: 0,
            hist_bits: 0,
        };
        Stream {
            memory: Box::new(Memory {
                head,
                state: [0; STATE],
                spare: [PAINT; SPARE],
            }),
            level_buffer: vec![0; LEVEL_BUFFER / size_of::<u64>() + GUARD].into_boxed_slice(),
        }
    }

    /// Whether nothing was written behind what version 2.30 uses. A library that needs more is not the one declared here.
    pub(crate) fn is_intact(&self) -> bool {
        self.memory.spare.iter().all(|byte| *byte == PAINT)
            && self.level_buffer.iter().rev().take(GUARD).all(|word| *word == 0)
    }
}

/// Words behind the level's buffer that must stay zero.
const GUARD: usize = 512;

type Init = unsafe extern "C" fn(*mut Memory);
type Deflate = unsafe extern "C" fn(*mut Memory) -> c_int;

/// The functions of a library that stays loaded.
pub(crate) struct Library {
    init: Init,
    deflate: Deflate,
    /// Keeps the code of both in memory.
    _library: Option<libloading::Library>,
}

impl Library {
    /// The library of the system, untested.
    pub(crate) fn find() -> Option<Library> {
        let place = PLACES.iter().find(|place| Path::new(place).is_file())?;
        // SAFETY: loading runs the library's constructors. It is the system's own ISA-L, named by its whole path in a folder that
        // only the system's administrator can write to; its constructors only find out what the processor can do.
        let library = unsafe { libloading::Library::new(*place) }.ok()?;
        // SAFETY: this is how the header declares the function, with a pointer to the structure that `Memory` begins with.
        let init = *unsafe { library.get::<Init>(b"isal_deflate_stateless_init\0") }.ok()?;
        // SAFETY: as above.
        let deflate = *unsafe { library.get::<Deflate>(b"isal_deflate_stateless\0") }.ok()?;
        Some(Library {
            init,
            deflate,
            _library: Some(library),
        })
    }

    /// Appends `plain` to `out` as one gzip member, or leaves `out` as it was.
    pub(crate) fn gzip(&self, stream: &mut Stream, plain: &[u8], out: &mut Vec<u8>) -> Result<(), Refused> {
        // What does not compress is stored in blocks of 65,535 bytes with five bytes each, between a head of ten bytes and eight
        // at the end. A quarter of a kilobyte more is for the little that blocks can grow by before that is noticed.
        let most = plain.len() + plain.len() / 65_535 * 5 + 256;
        let (Ok(avail_in), Ok(avail_out)) = (u32::try_from(plain.len()), u32::try_from(most)) else {
            return Err(Refused);
        };
        let before = out.len();
        out.reserve(most);
        let memory: *mut Memory = &raw mut *stream.memory;
        // SAFETY: `memory` is a whole `struct isal_zstream`, valid for writing, and nobody else has it.
        unsafe { (self.init)(memory) };
        let head = &mut stream.memory.head;
        head.next_in = plain.as_ptr();
        head.avail_in = avail_in;
        head.next_out = out.spare_capacity_mut().as_mut_ptr().cast();
        head.avail_out = avail_out;
        head.end_of_stream = 1;
        head.flush = NO_FLUSH;
        head.gzip_flag = GZIP;
        head.level = LEVEL;
        head.level_buf = stream.level_buffer.as_mut_ptr().cast();
        head.level_buf_size = LEVEL_BUFFER as u32;
        let memory: *mut Memory = &raw mut *stream.memory;
        // SAFETY: as above; what its pointers point to is valid for the lengths beside them for the time of the call: `plain` is
        // borrowed, `out` has room for `most` bytes more, and the level's buffer belongs to the stream. The library writes to the
        // latter two and only reads `plain`.
        let status = unsafe { (self.deflate)(memory) };
        let head = &mut stream.memory.head;
        head.next_in = ptr::null();
        head.next_out = ptr::null_mut();
        head.level_buf = ptr::null_mut();
        let written = head.total_out as usize;
        if status != 0 || head.avail_in != 0 || written > most {
            return Err(Refused);
        }
        // SAFETY: there is room for `most` bytes, and the library has written this many of them, one after the other.
        unsafe { out.set_len(before + written) };
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    unsafe extern "C" fn init(_: *mut Memory) {}

    /// Says that all went well, and has written nothing.
    unsafe extern "C" fn lie(memory: *mut Memory) -> c_int {
        // SAFETY: it is called with a whole stream.
        unsafe { (*memory).head.avail_in = 0 };
        0
    }

    /// Says that it wrote more than there was room for.
    unsafe extern "C" fn boast(memory: *mut Memory) -> c_int {
        // SAFETY: as above.
        let head = unsafe { &mut (*memory).head };
        head.avail_in = 0;
        head.total_out = u32::MAX;
        0
    }

    unsafe extern "C" fn fail(_: *mut Memory) -> c_int {
        -1
    }

    fn library(deflate: Deflate) -> Library {
        Library {
            init,
            deflate,
            _library: None,
        }
    }

    #[test]
    fn a_library_that_does_not_do_what_it_says_is_not_used() {
        for deflate in [lie as Deflate, boast, fail] {
            assert!(!crate::passes(&library(deflate)));
        }
    }

    #[test]
    fn what_fails_leaves_the_output_as_it_was() {
        for deflate in [boast as Deflate, fail] {
            let mut out = b"before".to_vec();
            let packed = library(deflate).gzip(&mut Stream::new(), b"tea", &mut out);
            assert_eq!((packed, &out[..]), (Err(Refused), &b"before"[..]));
        }
    }

    #[test]
    fn writing_behind_the_memory_of_the_library_is_noticed() {
        let mut stream = Stream::new();
        assert!(stream.is_intact());
        stream.memory.spare[0] = 1;
        assert!(!stream.is_intact());
        let mut stream = Stream::new();
        stream.level_buffer[LEVEL_BUFFER / 8] = 1;
        assert!(!stream.is_intact());
    }
}
