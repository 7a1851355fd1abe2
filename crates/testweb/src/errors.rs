//! Which requests fail on purpose, and how.
//!
//! Invariant: failures depend only on the URL, so that a crawl over sockets and a replay without them see the same
//! failures, in any order of requests.

use crate::TestwebError;
use crate::site::SiteRequest;

/// What happens to a failing request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Trouble {
    /// It is answered with this status.
    Status(u16),
    /// The connection is closed without an answer.
    HangUp,
}

/// Shares of URLs that always fail. A robots.txt never does, because a failing one closes its host.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Errors {
    /// The share of URLs answered with status 500.
    pub failures: f64,
    /// The share of URLs whose connection is closed without an answer.
    pub hang_ups: f64,
    /// The random seed; another seed selects other URLs.
    pub seed: u64,
}

impl Errors {
    /// Checks that the shares are valid.
    pub fn check(&self) -> Result<(), TestwebError> {
        let both = self.failures + self.hang_ups;
        for (what, value) in [
            ("failures", self.failures),
            ("hang-ups", self.hang_ups),
            ("failures + hang-ups", both),
        ] {
            if !(0.0..=1.0).contains(&value) {
                return Err(TestwebError::Share { what, value });
            }
        }
        Ok(())
    }

    /// What happens to requests for this page.
    pub fn befalls(&self, asked: &SiteRequest<'_>) -> Option<Trouble> {
        if self.failures + self.hang_ups <= 0.0 || asked.path_and_query == "/robots.txt" {
            return None;
        }
        let mut hash = 0xcbf2_9ce4_8422_2325_u64 ^ self.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        for byte in asked.url().bytes() {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
        // Short URLs hardly change the upper bits of such a hash.
        hash = (hash ^ (hash >> 31)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        hash ^= hash >> 29;
        let fraction = (hash >> 11) as f64 / (1_u64 << 53) as f64;
        if fraction < self.failures {
            Some(Trouble::Status(500))
        } else if fraction < self.failures + self.hang_ups {
            Some(Trouble::HangUp)
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::site::Scheme;

    fn asked(path: &str) -> SiteRequest<'_> {
        SiteRequest {
            scheme: Scheme::Http,
            host: "hub.test",
            port: None,
            path_and_query: path,
        }
    }

    #[test]
    fn about_the_given_share_of_urls_fails_and_always_the_same_ones() {
        let errors = Errors {
            failures: 0.2,
            hang_ups: 0.1,
            seed: 1,
        };
        let (mut failures, mut hang_ups) = (0, 0);
        for n in 0..4_000 {
            let path = format!("/{n}");
            let trouble = errors.befalls(&asked(&path));
            assert_eq!(trouble, errors.befalls(&asked(&path)));
            failures += u32::from(trouble == Some(Trouble::Status(500)));
            hang_ups += u32::from(trouble == Some(Trouble::HangUp));
        }
        assert!((700..900).contains(&failures), "{failures}");
        assert!((330..470).contains(&hang_ups), "{hang_ups}");
    }

    #[test]
    fn a_robots_txt_never_fails_and_no_errors_fail_nothing() {
        let all = Errors {
            failures: 1.0,
            ..Errors::default()
        };
        assert_eq!(all.befalls(&asked("/robots.txt")), None);
        assert_eq!(all.befalls(&asked("/")), Some(Trouble::Status(500)));
        assert_eq!(Errors::default().befalls(&asked("/")), None);
    }

    #[test]
    fn invalid_shares_are_refused() {
        for (failures, hang_ups) in [(1.5, 0.0), (0.0, -0.1), (0.6, 0.6), (f64::NAN, 0.0)] {
            let errors = Errors {
                failures,
                hang_ups,
                seed: 0,
            };
            assert!(errors.check().is_err(), "{errors:?}");
        }
    }
}
