//! How long a host is left alone.

use std::time::Duration;

use scenthound_types::{AgentId, Timestamp};

use crate::host::Host;

/// What a settled lease means for its host's rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostEffect {
    /// A request was made and answered; the usual rest follows.
    Asked,
    /// A request was made and answered, but it took long or made much work. The host rests at least this long, and has to
    /// prove itself again.
    Costly(Duration),
    /// A request was made and the host is in trouble. The rest grows with each consecutive failure.
    Failed,
    /// The host said when to come back (Retry-After).
    Later(Timestamp),
    /// No request was made; the host needs no rest.
    Untouched,
}

/// How many requests may be in flight to hosts that are not proven.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnprovenLimits {
    /// To all of them together.
    pub total: usize,
    /// To those of one registrable domain, and to those that one page links to.
    pub per_group: usize,
}

impl UnprovenLimits {
    /// Half of the requests for all of them, and a quarter of that for each group.
    pub fn of(concurrency: usize) -> UnprovenLimits {
        let total = concurrency.div_ceil(2);
        UnprovenLimits {
            total,
            per_group: total.div_ceil(4),
        }
    }
}

/// The frontier's limits and its politeness settings.
#[derive(Clone, Debug, PartialEq)]
pub struct HostPolicy {
    /// How much better a URL must be than the best one that may be fetched now, for the frontier to wait for its host instead.
    /// None to fetch whatever may be fetched.
    pub hold_back: Option<f64>,
    /// When the oldest URL is asked for: those with a lower score are passed over. None to pass over nothing.
    pub oldest_from: Option<f64>,
    /// Rest between the end of a request and the next request to the same host.
    pub delay: Duration,
    /// The longest crawl-delay we honour; longer ones are cut to this.
    pub max_delay: Duration,
    /// Rest after the first failure (or `delay`, if longer). Doubles with each consecutive failure.
    pub backoff: Duration,
    /// The longest rest after failures. A host that rests this long counts as given up for now.
    pub max_backoff: Duration,
    /// The longest Retry-After we wait for.
    pub max_retry_after: Duration,
    /// Concurrent requests to one host.
    pub connections_per_host: u16,
    /// Page requests to one host in total.
    pub max_pages_per_host: Option<u32>,
    /// How many requests may be in flight to hosts that have not answered with a page, or have failed since. None for no
    /// limit.
    pub unproven: Option<UnprovenLimits>,
    /// Whether to request a host's robots.txt first.
    pub robots: bool,
    /// Whether to keep every fetched page's full child list, for strategies that raise by all parents.
    pub all_parents: bool,
    /// Whether siblings are raised. Frontiers that share a crawl then keep track of which of them hold children of a page.
    pub siblings: bool,
    /// Whether the rank of a link follows from the note on it, so that it is enough to write it now and then when further pages
    /// replace it. After a crash such links are scored again.
    pub ranks_follow_notes: bool,
    /// How many parents to keep per URL when `all_parents` is on.
    pub max_parents: u8,
    /// How many agents there are, each with its own stack. Later agents, up to sixteen in all, get a stack when they
    /// first appear.
    pub agents: u8,
    /// The stack of what pages need to be shown, which no agent uses: what is leased from it is a requisite.
    pub requisites: Option<AgentId>,
    /// A URL that has waited longer than this is dropped; it may be offered again. Seeds stay.
    pub expire_after: Option<Duration>,
    /// A URL that has waited while more than this many page requests were settled is dropped; it may be offered
    /// again. Seeds stay.
    pub expire_after_pages: Option<u64>,
    /// How many URLs may wait in all stacks together, not counting seeds. When the limit is exceeded by a tenth, the
    /// worst are dropped.
    pub max_waiting: Option<u64>,
}

impl Default for HostPolicy {
    fn default() -> HostPolicy {
        HostPolicy {
            hold_back: None,
            oldest_from: None,
            delay: Duration::from_secs(1),
            max_delay: Duration::from_secs(60),
            backoff: Duration::from_secs(10),
            max_backoff: Duration::from_secs(30 * 60),
            max_retry_after: Duration::from_secs(24 * 3600),
            connections_per_host: 1,
            max_pages_per_host: None,
            unproven: None,
            robots: true,
            all_parents: false,
            siblings: false,
            ranks_follow_notes: false,
            max_parents: 64,
            agents: 1,
            requisites: None,
            expire_after: None,
            expire_after_pages: None,
            max_waiting: None,
        }
    }
}

impl HostPolicy {
    /// No waiting and no robots.txt: the lab's default.
    pub fn instant() -> HostPolicy {
        HostPolicy {
            delay: Duration::ZERO,
            backoff: Duration::ZERO,
            robots: false,
            ..HostPolicy::default()
        }
    }

    /// The rest a host gets between two requests.
    pub(crate) fn usual_rest(&self, host: &Host) -> Duration {
        let asked = Duration::from_millis(host.crawl_delay_ms.into()).min(self.max_delay);
        self.delay.max(asked)
    }

    /// When the host may be asked again. `host.failures` must be up to date.
    pub(crate) fn rest_until(
        &self,
        host: &Host,
        host_effect: HostEffect,
        now: Timestamp,
        jitter: u64,
    ) -> Timestamp {
        let usual = self.usual_rest(host);
        match host_effect {
            HostEffect::Untouched => host.rest_until,
            HostEffect::Asked => now + usual,
            HostEffect::Costly(rest) => now + rest.min(self.max_backoff).max(usual),
            HostEffect::Failed => {
                let doublings = u32::from(host.failures.saturating_sub(1)).min(20);
                let rest = self
                    .backoff
                    .saturating_mul(1 << doublings)
                    .min(self.max_backoff)
                    .max(usual);
                // Add up to a quarter, so that hosts that failed together do not come back together.
                now + rest + rest.mul_f64((jitter % 1024) as f64 / 4096.0)
            }
            HostEffect::Later(until) => {
                until.clamp(now + usual, (now + self.max_retry_after).max(now + usual))
            }
        }
    }
}
