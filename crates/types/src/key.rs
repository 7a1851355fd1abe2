//! URLs as 64-bit numbers.

use std::fmt;
use std::hash::Hasher;

use serde::{Deserialize, Serialize};
use siphasher::sip::SipHasher13;

use crate::CanonicalUrl;

/// A canonical URL as a number. Two crawls with different seeds give a URL different keys.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct UrlKey(pub u64);

impl fmt::Debug for UrlKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "UrlKey({:016x})", self.0)
    }
}

/// Makes the keys of one crawl.
///
/// The hash is keyed, so that nobody can craft a page whose links collide with URLs we want.
#[derive(Clone, Copy, Debug)]
pub struct Keyring {
    seed: u64,
}

impl Keyring {
    /// The keys of the crawl with this random seed.
    pub fn new(seed: u64) -> Keyring {
        Keyring { seed }
    }

    /// The key of a URL.
    pub fn key(&self, url: &CanonicalUrl) -> UrlKey {
        UrlKey(self.hash(url.as_str()))
    }

    /// A deterministic stand-in for a random number: the same crawl seed and text always give the same one.
    pub fn hash(&self, text: &str) -> u64 {
        let mut hasher = SipHasher13::new_with_keys(self.seed, 0x5c3e_7a10_0b0d_f00d);
        hasher.write(text.as_bytes());
        hasher.finish()
    }
}
