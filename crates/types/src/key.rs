//! URLs as 64-bit numbers.

use std::fmt;
use std::hash::Hasher;

use serde::{Deserialize, Serialize};
use siphasher::sip::SipHasher13;

use crate::{CanonicalUrl, LeaseKind, registrable_domain};

/// A canonical URL as a number. Two crawls with different seeds give a URL different keys.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct UrlKey(pub u64);

impl UrlKey {
    /// How many bits of a key say which site the URL belongs to, if the keyring puts them there.
    pub const SITE_BITS: u32 = 12;
    /// Where they are. Hash tables look at the lowest and the highest bits, which must differ within a site.
    const SITE_FROM: u32 = 44;

    /// The bits that say which site the URL belongs to; see [`Keyring::by_site`].
    pub fn site(self) -> u16 {
        ((self.0 >> UrlKey::SITE_FROM) & ((1 << UrlKey::SITE_BITS) - 1)) as u16
    }
}

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
    is_by_site: bool,
}

impl Keyring {
    /// The keys of the crawl with this random seed.
    pub fn new(seed: u64) -> Keyring {
        Keyring {
            seed,
            is_by_site: false,
        }
    }

    /// Keys whose [site](UrlKey::site) is the same for all URLs of a registrable domain. What remains are 52 bits to tell the URLs
    /// of a site apart.
    pub fn by_site(self) -> Keyring {
        Keyring {
            is_by_site: true,
            ..self
        }
    }

    /// The key of a URL.
    pub fn key(&self, url: &CanonicalUrl) -> UrlKey {
        self.keyed(self.hash(url.as_str()), url)
    }

    /// A hash as a key, with the bits of the URL's site if there are any.
    fn keyed(&self, hash: u64, url: &CanonicalUrl) -> UrlKey {
        if !self.is_by_site {
            return UrlKey(hash);
        }
        let mask = ((1 << UrlKey::SITE_BITS) - 1) << UrlKey::SITE_FROM;
        let site = self.hash(registrable_domain(url.host()));
        UrlKey(hash & !mask | site & mask)
    }

    /// The key under which a URL is known for one kind of request. A URL may be wanted both as a page and as a requisite of
    /// pages: these are two requests, and neither stands for the other.
    pub fn key_for(&self, kind: LeaseKind, url: &CanonicalUrl) -> UrlKey {
        match kind {
            LeaseKind::Requisite => self.keyed(self.hash(&format!("requisite {url}")), url),
            LeaseKind::Page | LeaseKind::Robots | LeaseKind::Sitemap => self.key(url),
        }
    }

    /// A deterministic stand-in for a random number: the same crawl seed and text always give the same one.
    pub fn hash(&self, text: &str) -> u64 {
        let mut hasher = SipHasher13::new_with_keys(self.seed, 0x5c3e_7a10_0b0d_f00d);
        hasher.write(text.as_bytes());
        hasher.finish()
    }
}
