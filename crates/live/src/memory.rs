//! Keeps the crawl within its memory: fewer requests when it comes near the limit, and a clean stop when that does not help.
//!
//! What a crawl takes has two parts. The frontier grows with the URLs that are known; requests come and go. If the frontier takes
//! a good part of it, its worst links go to the disk, a batch at each look, until enough is free. Otherwise fewer requests free
//! memory at once if they are what takes it. If they are not, nothing that we could drop would help, and stopping with everything
//! saved is better than being killed.
//!
//! Nothing here reads the clock; the driver calls it about once a second.

use std::path::{Path, PathBuf};

/// From this share of the limit on, fewer requests are made.
const NEAR: f64 = 0.9;
/// Below this share, more are made again.
const FAR: f64 = 0.8;
/// So many looks in a row above the limit with a single request at a time end the crawl.
const LAST_LOOKS: u32 = 10;

/// How much memory the process takes, in bytes; none where the system does not say. Pages of files do not count: the system
/// drops them when it needs the room.
pub(crate) fn in_use() -> Option<u64> {
    let sizes = std::fs::read_to_string("/proc/self/statm").ok()?;
    let mut pages = sizes
        .split(' ')
        .skip(1)
        .map_while(|size| size.parse::<u64>().ok());
    let (resident, of_files) = (pages.next()?, pages.next()?);
    Some(resident.saturating_sub(of_files) * rustix::param::page_size() as u64)
}

/// The most memory a crawl takes if nobody says otherwise: three quarters of what the machine has, or of what the container it
/// runs in may use. None where the system does not say.
pub(crate) fn usual_limit() -> Option<u64> {
    let read = |path: &Path| std::fs::read_to_string(path).ok();
    let machine = read(Path::new("/proc/meminfo")).and_then(|facts| memory_of_machine(&facts));
    let groups = read(Path::new("/proc/self/cgroup")).unwrap_or_default();
    let files = limit_files(&groups);
    let of_groups = files
        .iter()
        .filter_map(|file| read(file)?.trim().parse::<u64>().ok());
    of_groups.chain(machine).min().map(|bytes| bytes / 4 * 3)
}

/// What /proc/meminfo says the machine has.
fn memory_of_machine(facts: &str) -> Option<u64> {
    let total = facts.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kilobytes: u64 = total.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kilobytes.checked_mul(1024)
}

/// The files that may hold a limit of the process, from what /proc/self/cgroup says of its groups. The limit of a group holds
/// for all groups inside it.
fn limit_files(groups: &str) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for line in groups.lines() {
        // hierarchy:controllers:path, without controllers in the unified hierarchy
        let mut parts = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(path)) = (parts.next(), parts.next()) else {
            continue;
        };
        let (root, name) = if controllers.is_empty() {
            ("/sys/fs/cgroup", "memory.max")
        } else if controllers.split(',').any(|controller| controller == "memory") {
            ("/sys/fs/cgroup/memory", "memory.limit_in_bytes")
        } else {
            continue;
        };
        // A container may see its own group as the root of all.
        let group = Path::new(path.trim_start_matches('/'));
        files.extend(
            group
                .ancestors()
                .map(|group| Path::new(root).join(group).join(name)),
        );
    }
    files
}

/// What the memory allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Allowance {
    /// So many requests at a time.
    Requests(usize),
    /// Nothing more.
    Stop,
}

/// Watches the memory of a crawl.
#[derive(Debug)]
pub(crate) struct MemoryWatch {
    limit: u64,
    /// The most requests that are ever made at a time.
    most: usize,
    now: usize,
    looks_above: u32,
}

impl MemoryWatch {
    pub fn new(limit: u64, most: usize) -> MemoryWatch {
        MemoryWatch {
            limit,
            most,
            now: most,
            looks_above: 0,
        }
    }

    /// Whether so much is in use that something should be done about it.
    pub fn is_near(&self, in_use: u64) -> bool {
        in_use as f64 > NEAR * self.limit as f64
    }

    /// How much has to be freed until requests need not be limited.
    pub fn excess(&self, in_use: u64) -> u64 {
        in_use.saturating_sub((FAR * self.limit as f64) as u64)
    }

    /// Something was done about it, which takes a while to show.
    pub fn was_relieved(&mut self) {
        self.looks_above = 0;
    }

    /// Looks at how much is in use.
    pub fn look(&mut self, in_use: u64) -> Allowance {
        let share = in_use as f64 / self.limit as f64;
        if share > NEAR {
            self.now = (self.now / 2).max(1);
        } else if share < FAR {
            self.now = (self.now * 2).min(self.most);
        }
        let is_over = share > 1.0 && self.now == 1;
        self.looks_above = if is_over { self.looks_above + 1 } else { 0 };
        if self.looks_above > LAST_LOOKS {
            Allowance::Stop
        } else {
            Allowance::Requests(self.now)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fewer_requests_are_made_near_the_limit_and_more_again_far_from_it() {
        let mut watch = MemoryWatch::new(1_000, 100);
        let looks = [100, 950, 950, 850, 700, 700].map(|used| watch.look(used));
        assert_eq!(looks, [100, 50, 25, 25, 50, 100].map(Allowance::Requests));
    }

    #[test]
    fn a_crawl_that_stays_above_the_limit_ends() {
        let mut watch = MemoryWatch::new(1_000, 4);
        let looks: Vec<Allowance> = (0..20).map(|_| watch.look(1_200)).collect();
        let requests = looks.iter().take_while(|look| **look != Allowance::Stop);
        assert_eq!(requests.count(), 11);
        // A short excess does not.
        let mut watch = MemoryWatch::new(1_000, 1);
        assert!((0..100).all(|n| watch.look(if n % 10 == 0 { 900 } else { 1_200 }) != Allowance::Stop));
    }

    #[test]
    fn the_system_says_how_much_we_use_and_may_use() {
        assert!(in_use().is_none_or(|bytes| bytes > 0));
        assert!(usual_limit().is_none_or(|bytes| bytes > 1 << 20));
    }

    #[test]
    fn the_memory_of_the_machine_is_read() {
        let facts = "MemTotal:       24099840 kB\nMemFree:         1000 kB\n";
        assert_eq!(memory_of_machine(facts), Some(24_099_840 * 1024));
        assert_eq!(memory_of_machine("MemFree: 1 kB\n"), None);
    }

    #[test]
    fn a_group_is_limited_by_those_around_it() {
        let spelled = |groups: &str| -> Vec<String> {
            let files = limit_files(groups).into_iter();
            files.map(|file| file.display().to_string()).collect()
        };
        assert_eq!(
            spelled("0::/system.slice/crawl.service\n"),
            [
                "/sys/fs/cgroup/system.slice/crawl.service/memory.max",
                "/sys/fs/cgroup/system.slice/memory.max",
                "/sys/fs/cgroup/memory.max",
            ]
        );
        assert_eq!(
            spelled("5:cpu,cpuacct:/a\n4:memory:/box\n"),
            [
                "/sys/fs/cgroup/memory/box/memory.limit_in_bytes",
                "/sys/fs/cgroup/memory/memory.limit_in_bytes",
            ]
        );
        assert_eq!(spelled("nonsense\n"), [""; 0]);
    }
}
