//! How many connections the system's limit on open files allows.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Kept for everything that is not a connection to a host: the state, the archive, look-ups of names, logs.
const RESERVED: u64 = 64;

/// More than this are never needed.
const ENOUGH: u64 = 16_384;

/// How many files were open before we began, inherited or opened by a program that embeds us; 0 where the system does not say.
fn already_open() -> u64 {
    std::fs::read_dir("/proc/self/fd").map_or(0, |open| open.count() as u64)
}

/// What the limit on open files allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Descriptors {
    /// Requests in flight.
    pub concurrency: usize,
    /// Connections kept for the next request.
    pub idle_connections: usize,
}

impl Descriptors {
    /// Raises the limit as far as needed and allowed, and fits the crawl to it.
    pub fn fit(concurrency: usize) -> Descriptors {
        let limit = getrlimit(Resource::Nofile);
        let hard = limit.maximum.unwrap_or(ENOUGH);
        let wanted = hard.min(ENOUGH);
        let mut open = limit.current.unwrap_or(ENOUGH);
        if open < wanted {
            let raised = Rlimit {
                current: Some(wanted),
                maximum: limit.maximum,
            };
            if setrlimit(Resource::Nofile, raised).is_ok() {
                open = wanted;
            }
        }
        Descriptors::within(open.saturating_sub(already_open()), concurrency)
    }

    fn within(open: u64, concurrency: usize) -> Descriptors {
        let usable = usize::try_from(open.saturating_sub(RESERVED)).unwrap_or(usize::MAX);
        // Some stay for connections that are kept, and for hosts whose addresses are tried in turn.
        let concurrency = concurrency.min(usable / 4 * 3).max(1);
        Descriptors {
            concurrency,
            idle_connections: usable.saturating_sub(concurrency),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_and_kept_connections_fit_into_the_limit() {
        let all = Descriptors::within(1_024, 256);
        assert_eq!((all.concurrency, all.idle_connections), (256, 704));
        let few = Descriptors::within(150, 300);
        assert_eq!((few.concurrency, few.idle_connections), (63, 23));
        let none = Descriptors::within(10, 300);
        assert_eq!((none.concurrency, none.idle_connections), (1, 0));
    }
}
