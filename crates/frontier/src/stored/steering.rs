//! Carries out what people ask of hosts, and shows the queue from outside.
//!
//! A blocked host is treated like one that has reached its limit of pages: its URLs keep waiting, and nothing is lost when it
//! is released. A boosted host is only ordered differently among the ready ones; no rank changes.

use super::*;
use crate::steer::{HostPlace, HostSteering, HostSurvey, Survey};

/// Bins of the scores.
const BINS: usize = 24;

impl<S: Storage> StoredFrontier<S> {
    /// See [`Frontier::steer`].
    pub(super) fn steer_hosts(&mut self, steering: HostSteering, now: Timestamp) {
        let usual = *self.usual_delay.get_or_insert(self.policy.delay);
        self.policy.delay = steering.delay.unwrap_or(usual);
        self.steering = steering;
        for number in 0..self.hosts.len() {
            let id = HostId(number as u32);
            let (is_blocked, is_boosted) = self.steered(&self.hosts[number].origin);
            let host = &mut self.hosts[number];
            if (host.is_blocked, host.is_boosted) != (is_blocked, is_boosted) {
                (host.is_blocked, host.is_boosted) = (is_blocked, is_boosted);
                self.place(id, now);
            }
        }
    }

    /// Whether a host is blocked, and whether it is boosted.
    pub(super) fn steered(&self, origin: &str) -> (bool, bool) {
        let HostSteering { blocked, boosted, .. } = &self.steering;
        (
            HostSteering::names(blocked, origin),
            HostSteering::names(boosted, origin),
        )
    }

    /// See [`Frontier::survey`].
    pub(super) fn look_over(&self, most: usize) -> Survey {
        let mut survey = Survey::default();
        let (mut lowest, mut highest) = (f64::INFINITY, f64::NEG_INFINITY);
        let members = |host: &Host| -> Vec<UrlId> {
            let others = host.others.iter().flat_map(|stack| stack.queue.members());
            host.queue
                .members()
                .iter()
                .chain(others)
                .map(|id| UrlId(*id))
                .collect()
        };
        let mut sizes: Vec<(usize, u32)> = Vec::with_capacity(self.hosts.len());
        for (number, host) in (0_u32..).zip(&self.hosts) {
            let waiting = members(host);
            let place = self.place_of(host, waiting.len());
            *survey.places.entry(place.code()).or_default() += 1;
            sizes.push((waiting.len(), number));
            for id in waiting {
                let entry = &self.entries[id];
                *survey.classes.entry(entry.class()).or_default() += 1;
                if entry.score.is_finite() {
                    (lowest, highest) = (lowest.min(entry.score), highest.max(entry.score));
                }
            }
        }
        if lowest <= highest {
            survey.scores = Some((lowest, highest));
            survey.bins = vec![0; BINS];
            let width = (highest - lowest).max(f64::MIN_POSITIVE);
            for id in self.hosts.iter().flat_map(members) {
                let share = (self.entries[id].score - lowest) / width;
                let bin = (share * BINS as f64) as usize;
                if let Some(bin) = survey.bins.get_mut(bin.min(BINS - 1)) {
                    *bin += 1;
                }
            }
        }
        sizes.sort_unstable_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
        survey.hosts = sizes
            .into_iter()
            .take(most)
            .filter(|(waiting, number)| *waiting > 0 || self.hosts[*number as usize].busy > 0)
            .map(|(waiting, number)| self.survey_host(&self.hosts[number as usize], waiting))
            .collect();
        survey
    }

    fn place_of(&self, host: &Host, waiting: usize) -> HostPlace {
        match host.place {
            HostState::Idle if waiting > 0 && host.is_blocked => HostPlace::Blocked,
            HostState::Idle if waiting > 0 && self.is_full(host) => HostPlace::Full,
            HostState::Idle => HostPlace::Idle,
            HostState::Busy => HostPlace::Busy,
            HostState::Parked => HostPlace::Parked,
            HostState::Resting => HostPlace::Resting,
            HostState::Ready(_) => HostPlace::Ready,
        }
    }

    fn survey_host(&self, host: &Host, waiting: usize) -> HostSurvey {
        let best = host.queue.best().map(|id| self.entries[UrlId(id)].score);
        HostSurvey {
            origin: host.origin.to_string(),
            place: self.place_of(host, waiting),
            waiting: waiting as u64,
            best: best.filter(|score| score.is_finite()),
            rests_until: host.rest_until,
            failures: host.failures,
            pages: host.pages,
            boosted: host.is_boosted,
        }
    }
}
