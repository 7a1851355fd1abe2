//! Reads what people ask of a running crawl from the journal in its folder.
//!
//! The owner of the crawl looks at the length of the journal about once a second. That works from any process, and it is the
//! same before the first request of a run: everything asked earlier is in force then, however the last run ended.

use std::sync::Arc;
use std::time::{Duration, Instant};

use scenthound_engine::{CrawlSteering, PageSettings};
use scenthound_frontier::HostSteering;
use scenthound_judge::{Judge, Learner};
use scenthound_store::{Layout, Steering, SteeringReader, TopicSteering};
use scenthound_types::CanonicalUrl;

use crate::LiveError;

/// How often the journal is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(500);

/// What only the owner of the settings can do when people steer a crawl. A crawl with `()` does none of it.
pub trait Steered {
    /// Shows the pages that people marked to the part of the judge that learns.
    fn learn(&self, _learner: &dyn Learner) {}

    /// The judge for what people ask of the topic, and how pages are processed. None if neither has changed since the last call.
    /// The threshold does not count: the crawl applies it by itself.
    fn rebuild(&self, _topic: &TopicSteering) -> Option<(Arc<dyn Judge>, PageSettings)> {
        None
    }

    /// Whether the pages can be judged again in between.
    fn can_rejudge(&self) -> bool {
        false
    }
}

impl Steered for () {}

/// Follows the journal of a crawl.
pub(crate) struct Steerer {
    reader: SteeringReader,
    in_force: Steering,
    /// The last request to stop that an earlier run has seen.
    stopped_before: u64,
    /// The last request to learn that this run has seen. An earlier one may have been killed before what it learnt was saved,
    /// and learning from the same marks twice does no harm, so each run begins with none.
    learnt_before: u64,
    looked: Instant,
}

impl Steerer {
    /// Reads everything that was asked so far.
    pub fn open(layout: &Layout) -> Result<Steerer, LiveError> {
        let mut reader = SteeringReader::new(layout);
        reader.poll()?;
        let in_force = Steering::of(reader.actions());
        Ok(Steerer {
            stopped_before: in_force.stop,
            learnt_before: 0,
            reader,
            in_force,
            looked: Instant::now(),
        })
    }

    /// Whether anything new was asked since the last look. Looks only now and then.
    pub fn has_news(&mut self) -> bool {
        if self.looked.elapsed() < LOOK_EVERY {
            return false;
        }
        self.looked = Instant::now();
        match self.reader.poll() {
            Ok(false) => false,
            Ok(true) => {
                self.in_force = Steering::of(self.reader.actions());
                true
            }
            // A crawl does not fail because somebody wrote nonsense to its journal.
            Err(error) => {
                tracing::warn!("what was asked of the crawl could not be read: {error}");
                false
            }
        }
    }

    /// Whether the crawl makes no requests for now.
    pub fn is_paused(&self) -> bool {
        self.in_force.is_paused
    }

    /// Whether this run was asked to stop.
    pub fn is_stopped(&self) -> bool {
        self.in_force.stop > self.stopped_before
    }

    /// Whether the judge should learn from the marks now. True once for each time it was asked, and once at the start of a run if
    /// it was ever asked.
    pub fn should_learn(&mut self) -> bool {
        let is_new = self.in_force.learn > self.learnt_before;
        self.learnt_before = self.in_force.learn;
        is_new
    }

    /// Whether the pages are to be judged again before anything else.
    pub fn wants_rejudging(&self) -> bool {
        self.in_force.wants_rejudging()
    }

    /// What people ask of the topic.
    pub fn topic(&self) -> &TopicSteering {
        &self.in_force.topic
    }

    /// What is in force for the crawl itself; none if nothing was ever asked.
    pub fn in_force(&self) -> Option<CrawlSteering> {
        let steering = &self.in_force;
        let parsed = |urls: &[String]| -> Vec<CanonicalUrl> {
            urls.iter()
                .filter_map(|url| CanonicalUrl::parse(url).ok())
                .collect()
        };
        (steering.last > 0).then(|| CrawlSteering {
            hosts: HostSteering {
                blocked: steering.blocked.clone(),
                boosted: steering.boosted.clone(),
                delay: steering.delay,
            },
            threshold: steering.topic.threshold,
            seeds: parsed(&steering.seeds),
            dropped_seeds: parsed(&steering.dropped_seeds),
        })
    }
}
