//! CPU time by stage of the work on a page, for whoever asks where it goes.
//!
//! A stage's time is that of the thread it ran on, so waiting does not count. Reading that clock costs a fraction of a
//! microsecond, and only crawls that are asked to count read it. What no stage claims is requests, the runtime and the threads
//! of the store.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use scenthound_types::named_enum;

named_enum! {
    /// A stage of the work on a page.
    pub enum Stage {
        /// From bytes to words and links.
        Parse = "parse",
        /// The judgement, and the words at links.
        Judge = "judge",
        /// From the exchange to archive records: digests and compression.
        Pack = "pack",
        /// Choosing what to request next.
        Next = "next",
        /// Strategy, frontier and page records.
        Settle = "settle",
        /// Handing what was settled to the store.
        Commit = "commit",
    }
}

/// CPU time by stage, counted by all threads of a crawl.
#[derive(Debug, Default)]
pub struct StageTimes([AtomicU64; Stage::ALL.len()]);

impl StageTimes {
    /// The time of each stage so far.
    pub fn all(&self) -> impl Iterator<Item = (Stage, Duration)> {
        let times = self
            .0
            .iter()
            .map(|time| Duration::from_nanos(time.load(Ordering::Relaxed)));
        Stage::ALL.iter().copied().zip(times)
    }

    fn add(&self, stage: Stage, nanoseconds: u64) {
        let counted = Stage::ALL.iter().zip(&self.0).find(|(known, _)| **known == stage);
        if let Some((_, time)) = counted {
            time.fetch_add(nanoseconds, Ordering::Relaxed);
        }
    }
}

/// Divides the CPU time of a thread among stages. It must not leave its thread.
pub(crate) struct StageWatch<'t> {
    times: Option<&'t StageTimes>,
    last: std::cell::Cell<u64>,
}

impl<'t> StageWatch<'t> {
    /// Starts counting, if anybody wants to know.
    pub fn start(times: Option<&'t StageTimes>) -> StageWatch<'t> {
        StageWatch {
            times,
            last: std::cell::Cell::new(if times.is_some() { thread_time() } else { 0 }),
        }
    }

    /// Counts the time since the last call for this stage.
    pub fn end(&self, stage: Stage) {
        if let Some(times) = self.times {
            let now = thread_time();
            times.add(stage, now.saturating_sub(self.last.replace(now)));
        }
    }
}

/// CPU time of this thread in nanoseconds.
pub(crate) fn thread_time() -> u64 {
    let spent = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    spent.tv_sec.unsigned_abs() * 1_000_000_000 + spent.tv_nsec.unsigned_abs()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_stage_counts_its_own_time_and_nobody_counts_unasked() {
        let times = StageTimes::default();
        let watch = StageWatch::start(Some(&times));
        let spin = (0..2_000_000_u64).fold(1_u64, |sum, n| std::hint::black_box(sum ^ n));
        watch.end(Stage::Parse);
        watch.end(Stage::Pack);
        assert!(spin > 0);
        let all: Vec<(Stage, Duration)> = times.all().collect();
        let of = |wanted: Stage| all.iter().find(|(stage, _)| *stage == wanted).unwrap().1;
        assert!(of(Stage::Parse) > of(Stage::Pack));
        assert_eq!(of(Stage::Commit), Duration::ZERO);
        StageWatch::start(None).end(Stage::Commit);
        assert_eq!(of(Stage::Commit), Duration::ZERO);
    }
}
