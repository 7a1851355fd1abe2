//! Lets the allocator keep memory that was freed for longer before the system gets it back.
//!
//! mimalloc gives freed memory back after a second. A crawl frees and needs again as much as it holds every few seconds, and
//! the system clears each page before it hands it out: one part in eleven of a crawl's CPU time (docs/performance.md).
//!
//! The allocator reads its options before `main`, and only from the environment, so the program starts itself again in its own
//! place with the option set. Whoever sets the option themselves is left alone, and so is a crawl that is told how much memory
//! to take: what it frees to stay below that must be seen to be free.

/// How long freed memory is kept, in milliseconds.
const OPTION: (&str, &str) = ("MIMALLOC_PURGE_DELAY", "10000");

/// Starts this program again with the option, unless it has been. If that is impossible, it goes on without.
pub fn keep(has_memory_limit: bool) {
    let (name, value) = OPTION;
    if has_memory_limit || std::env::var_os(name).is_some() {
        return;
    }
    #[cfg(unix)]
    if let Ok(program) = std::env::current_exe() {
        use std::os::unix::process::CommandExt;
        let mut given = std::env::args_os();
        let mut again = std::process::Command::new(program);
        again.arg0(given.next().unwrap_or_else(|| "hound".into()));
        // This returns only if it has failed.
        let _ = again.args(given).env(name, value).exec();
    }
}
