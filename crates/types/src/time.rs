//! Points in time, passed in by the drivers.

use std::fmt;
use std::ops::Add;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// A point in time, in milliseconds since 1970 (live) or since the start of the run (lab).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Timestamp(u64);

impl Timestamp {
    /// The beginning of time.
    pub const ZERO: Timestamp = Timestamp(0);
    /// Later than any other.
    pub const NEVER: Timestamp = Timestamp(u64::MAX);

    /// From milliseconds.
    pub const fn from_millis(millis: u64) -> Timestamp {
        Timestamp(millis)
    }

    /// As milliseconds.
    pub const fn as_millis(self) -> u64 {
        self.0
    }

    /// The time elapsed since `earlier`; zero if `earlier` is later.
    pub fn since(self, earlier: Timestamp) -> Duration {
        Duration::from_millis(self.0.saturating_sub(earlier.0))
    }

    /// The point in time this much before; [`Timestamp::NEVER`] stays where it is.
    pub fn earlier(self, by: Duration) -> Timestamp {
        match self {
            Timestamp::NEVER => self,
            Timestamp(millis) => {
                Timestamp(millis.saturating_sub(u64::try_from(by.as_millis()).unwrap_or(u64::MAX)))
            }
        }
    }

    /// The time in UTC to the second, as WARC/1.1 and our records write it.
    pub fn to_rfc3339(self) -> String {
        let seconds = i64::try_from(self.0 / 1000).unwrap_or(i64::MAX);
        jiff::Timestamp::from_second(seconds)
            .unwrap_or(jiff::Timestamp::MAX)
            .to_string()
    }
}

impl Add<Duration> for Timestamp {
    type Output = Timestamp;

    /// Saturates, so that an absurd delay from a robots.txt cannot wrap around into the past.
    fn add(self, wait: Duration) -> Timestamp {
        Timestamp(
            self.0
                .saturating_add(u64::try_from(wait.as_millis()).unwrap_or(u64::MAX)),
        )
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_rfc3339())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_timestamp_prints_as_utc_to_the_second() {
        assert_eq!(
            Timestamp::from_millis(1_700_000_000_999).to_rfc3339(),
            "2023-11-14T22:13:20Z"
        );
    }

    #[test]
    fn adding_forever_stays_in_the_future() {
        assert_eq!(Timestamp::from_millis(5) + Duration::MAX, Timestamp::NEVER);
    }
}
