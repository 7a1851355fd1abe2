//! Which page belongs to which host, and what each host is about.
//!
//! Pages are numbered host by host; hosts are sorted by main topic, then by main genre. So "some page of a host about
//! topic 3" is a number in a range, and no page needs an entry in any table. Only a few bytes per host are kept.
//!
//! Independently of this order, each host has a random *place*, numbered from 0: the place gives the host its name, and the
//! places form a tree (place `p` is the parent of places `8p + 1` to `8p + 8`) through which every host can be reached from
//! place 0.

use std::collections::BinaryHeap;
use std::ops::Range;

use crate::synth::SynthFault;
use crate::synth::rng::{PageRng, Purpose};
use crate::synth::settings::SynthSettings;

/// Number of children of a place in the tree of hosts.
const HOST_BRANCHES: u32 = 8;

/// Hosts and their pages.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    /// The first page of each host, followed by the number of pages.
    starts: Vec<u32>,
    /// The host of every 2^shift-th page.
    buckets: Vec<u32>,
    shift: u32,
    /// For each host, topic · genres + genre; topic = number of topics for hosts without a topic.
    classes: Vec<u16>,
    /// The place of each host.
    places: Vec<u32>,
    /// The host at each place.
    at: Vec<u32>,
    /// Pages of the hosts of each class.
    class_pages: Vec<Range<u32>>,
    /// Pages of the hosts of each topic.
    topic_pages: Vec<Range<u32>>,
    genres: u16,
}

impl Layout {
    /// Assigns pages to hosts, and hosts to topics and genres.
    pub(crate) fn new(settings: &SynthSettings) -> Result<Layout, SynthFault> {
        let genres = settings.genres.len() as u16;
        let sizes = host_sizes(settings);
        let mut hosts = assign_classes(settings, &sizes)?;
        // Shuffle the hosts within a class; otherwise they would be sorted by size.
        let mut rng = PageRng::new(settings.seed, Purpose::Shuffle, 0);
        let mut keyed: Vec<(u16, u64, u32)> = hosts
            .drain(..)
            .map(|(class, size)| (class, rng.number(), size))
            .collect();
        keyed.sort_unstable();
        let mut starts = Vec::with_capacity(keyed.len() + 1);
        let mut start = 0_u32;
        for (_, _, size) in &keyed {
            starts.push(start);
            start += size;
        }
        starts.push(start);
        let classes: Vec<u16> = keyed.into_iter().map(|(class, _, _)| class).collect();
        let (places, at) = shuffle(settings.seed, &classes);
        let shift = (settings.pages / settings.hosts).max(1).ilog2();
        let mut layout = Layout {
            buckets: buckets(&starts, shift),
            starts,
            shift,
            classes,
            places,
            at,
            class_pages: Vec::new(),
            topic_pages: Vec::new(),
            genres,
        };
        let topics = settings.topic_shares.len() as u16 + 1;
        layout.class_pages = (0..topics * genres)
            .map(|class| layout.pages_of(|other| other >= class, |other| other > class))
            .collect();
        layout.topic_pages = (0..topics)
            .map(|topic| {
                let (first, after) = (topic * genres, (topic + 1) * genres);
                layout.pages_of(|other| other >= first, |other| other >= after)
            })
            .collect();
        Ok(layout)
    }

    fn pages_of(&self, from: impl Fn(u16) -> bool, until: impl Fn(u16) -> bool) -> Range<u32> {
        let first = self.classes.partition_point(|class| !from(*class));
        let after = self.classes.partition_point(|class| !until(*class));
        self.start(first as u32)..self.start(after as u32)
    }

    /// How many hosts there are.
    pub(crate) fn hosts(&self) -> u32 {
        self.classes.len() as u32
    }

    /// The host's first page, which is its home page.
    #[inline]
    pub(crate) fn start(&self, host: u32) -> u32 {
        self.starts.get(host as usize).copied().unwrap_or(0)
    }

    /// How many pages the host has.
    #[inline]
    pub(crate) fn size(&self, host: u32) -> u32 {
        self.start(host + 1).saturating_sub(self.start(host))
    }

    /// The host of a page.
    #[inline]
    pub(crate) fn host(&self, page: u32) -> u32 {
        let bucket = (page >> self.shift) as usize;
        let low = self.buckets.get(bucket).copied().unwrap_or(0) as usize;
        let high = self.buckets.get(bucket + 1).copied().unwrap_or(self.hosts()) as usize;
        let starts = self.starts.get(low..=high).unwrap_or_default();
        // The bucket's first host begins at or before the page, so at least one start qualifies.
        (low + starts.partition_point(|start| *start <= page)).saturating_sub(1) as u32
    }

    /// The host's main topic; the number of topics if it has none.
    #[inline]
    pub(crate) fn topic(&self, host: u32) -> u16 {
        self.class(host) / self.genres
    }

    /// The host's main genre.
    #[inline]
    pub(crate) fn genre(&self, host: u32) -> u16 {
        self.class(host) % self.genres
    }

    #[inline]
    fn class(&self, host: u32) -> u16 {
        self.classes.get(host as usize).copied().unwrap_or(0)
    }

    /// The pages of the hosts about a topic.
    #[inline]
    pub(crate) fn topic_pages(&self, topic: u16) -> Range<u32> {
        self.topic_pages.get(usize::from(topic)).cloned().unwrap_or(0..0)
    }

    /// The pages of the hosts with a topic and a genre.
    #[inline]
    pub(crate) fn class_pages(&self, topic: u16, genre: u16) -> Range<u32> {
        let class = usize::from(topic) * usize::from(self.genres) + usize::from(genre);
        self.class_pages.get(class).cloned().unwrap_or(0..0)
    }

    /// The host's place.
    pub(crate) fn place(&self, host: u32) -> u32 {
        self.places.get(host as usize).copied().unwrap_or(0)
    }

    /// The host at a place.
    pub(crate) fn host_at(&self, place: u32) -> Option<u32> {
        self.at.get(place as usize).copied()
    }

    /// The hosts that are entered through links from this one.
    pub(crate) fn child_hosts(&self, host: u32) -> &[u32] {
        let first = u64::from(self.place(host)) * u64::from(HOST_BRANCHES) + 1;
        let end = (first + u64::from(HOST_BRANCHES)).min(self.at.len() as u64) as usize;
        self.at.get(first as usize..end).unwrap_or_default()
    }

    /// Bytes of memory used.
    pub(crate) fn bytes(&self) -> usize {
        4 * (self.starts.len() + self.buckets.len() + self.places.len() + self.at.len())
            + 2 * self.classes.len()
    }
}

/// Pages per host by Zipf's law, the largest first. Each host has at least one page, and the sum is exactly the number of pages.
fn host_sizes(settings: &SynthSettings) -> Vec<u32> {
    let spare = f64::from(settings.pages - settings.hosts);
    let weight = |rank: u32| f64::from(rank + 1).powf(-settings.host_zipf);
    let whole: f64 = (0..settings.hosts).map(weight).sum();
    let mut given = 0_u32;
    let mut sum = 0.0;
    (0..settings.hosts)
        .map(|rank| {
            // Rounding the running sum rather than each share makes the sizes add up.
            sum += weight(rank) / whole * spare;
            let until = if rank + 1 == settings.hosts {
                settings.pages - settings.hosts
            } else {
                (sum.round() as u32).min(settings.pages - settings.hosts)
            };
            let size = 1 + until.saturating_sub(given);
            given = given.max(until);
            size
        })
        .collect()
}

/// Assigns each host, the largest first, to the class that lacks the most pages.
fn assign_classes(settings: &SynthSettings, sizes: &[u32]) -> Result<Vec<(u16, u32)>, SynthFault> {
    let genres = settings.genres.len();
    let rest = (1.0 - settings.topic_shares.iter().sum::<f64>()).max(0.0);
    let mut shares: Vec<f64> = settings.topic_shares.clone();
    shares.push(rest);
    let mut least_layered = 0;
    if let (Some(layers), Some(first)) = (&settings.layers, shares.first_mut()) {
        // The layers around the first topic's pages are on its hosts and have no topic.
        let whole: f64 = layers.sizes.iter().sum();
        let targets = layers.sizes.first().copied().unwrap_or(1.0);
        let around = *first * (whole / targets - 1.0);
        *first += around;
        least_layered = 2 * layers.sizes.len() as u32;
        let background = shares.last_mut();
        if let Some(background) = background {
            if *background < around {
                return Err(SynthFault::Setting {
                    setting: "layers.sizes",
                    value: format!("{:?}", layers.sizes),
                    right: format!(
                        "the layers take {:.0} % of the pages, but topic-shares leave only {:.0} %",
                        around * 100.0,
                        *background * 100.0
                    ),
                });
            }
            *background -= around;
        }
    }
    let mut lacking = BinaryHeap::new();
    for (topic, share) in shares.iter().enumerate() {
        for (genre, setting) in settings.genres.iter().enumerate() {
            let pages = (share * setting.share * f64::from(settings.pages)).round() as i64;
            if pages > 0 {
                lacking.push((pages, std::cmp::Reverse((topic * genres + genre) as u16)));
            }
        }
    }
    let mut assigned = Vec::with_capacity(sizes.len());
    for &size in sizes {
        // A host too small for all layers cannot get the first topic, and neither can those after it, which are no larger.
        while let Some(&(_, std::cmp::Reverse(class))) = lacking.peek()
            && usize::from(class) < genres
            && size < least_layered
        {
            lacking.pop();
        }
        let Some((pages, class)) = lacking.pop() else {
            return Err(SynthFault::Setting {
                setting: "hosts",
                value: settings.hosts.to_string(),
                right: format!(
                    "use fewer hosts or more pages: all layers must fit on a host, which takes {least_layered} pages"
                ),
            });
        };
        assigned.push((class.0, size));
        lacking.push((pages - i64::from(size), class));
    }
    if least_layered > 0 && !assigned.iter().any(|(class, _)| usize::from(*class) < genres) {
        return Err(SynthFault::Setting {
            setting: "hosts",
            value: settings.hosts.to_string(),
            right: format!("some hosts must have {least_layered} pages or more, so that all layers fit"),
        });
    }
    Ok(assigned)
}

/// A random place for each host. The first place goes to a host of the last class, which has no topic if there is such a class.
fn shuffle(seed: u64, classes: &[u16]) -> (Vec<u32>, Vec<u32>) {
    let mut rng = PageRng::new(seed, Purpose::Shuffle, 1);
    let hosts = classes.len() as u32;
    let mut at: Vec<u32> = (0..hosts).collect();
    for place in (1..hosts).rev() {
        at.swap(place as usize, rng.below(place + 1) as usize);
    }
    if let Some(last) = at.iter().position(|host| *host + 1 == hosts) {
        at.swap(0, last);
    }
    let mut places = vec![0; at.len()];
    for (place, host) in at.iter().enumerate() {
        if let Some(slot) = places.get_mut(*host as usize) {
            *slot = place as u32;
        }
    }
    (places, at)
}

fn buckets(starts: &[u32], shift: u32) -> Vec<u32> {
    let pages = starts.last().copied().unwrap_or(0);
    let mut buckets = Vec::with_capacity((pages >> shift) as usize + 2);
    let mut host = 0_usize;
    for bucket in 0..=(pages >> shift) {
        let first = bucket << shift;
        while starts.get(host + 1).is_some_and(|next| *next <= first) {
            host += 1;
        }
        buckets.push(host as u32);
    }
    buckets
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_page_lies_on_the_host_it_is_counted_for() {
        for (pages, hosts, host_zipf) in [(2_000, 90, 1.2), (500, 500, 0.0), (10_000, 7, 0.5)] {
            let settings = SynthSettings {
                pages,
                hosts,
                host_zipf,
                ..SynthSettings::default()
            };
            let layout = Layout::new(&settings).unwrap();
            assert_eq!(layout.start(hosts), pages);
            for host in 0..hosts {
                let (start, size) = (layout.start(host), layout.size(host));
                assert!(size > 0);
                assert_eq!(layout.host(start), host);
                assert_eq!(layout.host(start + size - 1), host);
                assert_eq!(layout.host_at(layout.place(host)), Some(host));
            }
        }
    }

    #[test]
    fn the_tree_of_hosts_reaches_each_host_once() {
        let layout = Layout::new(&SynthSettings::default()).unwrap();
        let mut reached = vec![layout.host_at(0).unwrap()];
        for place in 0..layout.hosts() {
            let host = layout.host_at(place).unwrap();
            reached.extend(layout.child_hosts(host));
        }
        reached.sort_unstable();
        assert!(reached.iter().copied().eq(0..layout.hosts()));
    }

    #[test]
    fn topics_get_about_their_share_of_the_pages() {
        let settings = SynthSettings::default();
        let layout = Layout::new(&settings).unwrap();
        for topic in 0..4 {
            let pages = layout.topic_pages(topic);
            let share = f64::from(pages.end - pages.start) / f64::from(settings.pages);
            assert!((0.04..0.06).contains(&share), "topic {topic}: {share}");
        }
    }
}
