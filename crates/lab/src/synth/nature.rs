//! What a page is: topic, genre, layer, language, kind. Each follows from the page's number.
//!
//! Invariant: pages that hold a site together (those with children in its tree) have their host's topic. So pages with another
//! topic are at the edges, and the tree hardly distorts the link shares of the settings.

use std::ops::Range;

use scenthound_types::text::Language;

use crate::synth::SynthWeb;
use crate::synth::rng::{PageRng, Purpose};

/// What a page is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Nature {
    pub(crate) topic: Option<u16>,
    pub(crate) genre: u16,
    /// The page's layer; `None` outside the layers and in webs without layers.
    pub(crate) layer: Option<u8>,
}

/// What a page's links are like.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PageKind {
    /// Nothing special.
    Plain,
    /// Links to items of one topic and one genre.
    List,
    /// Links to many pages of the topic on other hosts.
    Hub,
}

/// Cumulative shares to draw from.
#[derive(Clone, Debug)]
pub(crate) struct Shares(Vec<f64>);

impl Shares {
    pub(crate) fn new(shares: impl IntoIterator<Item = f64>) -> Shares {
        let mut sum = 0.0;
        Shares(
            shares
                .into_iter()
                .map(|share| {
                    sum += share;
                    sum
                })
                .collect(),
        )
    }

    /// The index of the share that a fraction falls into; the number of shares if it falls into none.
    #[inline]
    pub(crate) fn draw(&self, fraction: f64) -> u16 {
        self.0.partition_point(|sum| *sum <= fraction) as u16
    }
}

impl SynthWeb {
    /// The topic of a page; `None` if it has none.
    pub fn topic(&self, page: u32) -> Option<u16> {
        self.nature(page).topic
    }

    /// The number of a page's genre in the settings.
    pub fn genre(&self, page: u32) -> u16 {
        self.nature(page).genre
    }

    /// The number of links from a page to the nearest relevant one; `None` for pages beyond the layers and in webs without
    /// layers.
    pub fn layer(&self, page: u32) -> Option<u8> {
        self.nature(page).layer
    }

    /// The language of a page: its host's.
    pub fn language(&self, page: u32) -> Language {
        self.words_of(self.layout.host(page)).language
    }

    /// What a page's links are like.
    pub fn kind(&self, page: u32) -> PageKind {
        let SynthWeb { settings, .. } = self;
        let fraction = PageRng::new(settings.seed, Purpose::Kind, u64::from(page)).fraction();
        if fraction < settings.lists {
            PageKind::List
        } else if fraction < settings.lists + settings.hubs {
            PageKind::Hub
        } else {
            PageKind::Plain
        }
    }

    pub(crate) fn nature(&self, page: u32) -> Nature {
        let host = self.layout.host(page);
        self.nature_at(host, page - self.layout.start(host))
    }

    #[inline]
    pub(crate) fn nature_at(&self, host: u32, local: u32) -> Nature {
        let (topic, layer) = self.topic_at(host, local);
        Nature {
            topic,
            genre: self.genre_at(host, local),
            layer,
        }
    }

    #[inline]
    pub(crate) fn topic_at(&self, host: u32, local: u32) -> (Option<u16>, Option<u8>) {
        let main = self.layout.topic(host);
        let size = self.layout.size(host);
        if main == 0 && self.is_layered() {
            let layer = self.layer_at(size, local);
            return ((layer == 0).then_some(0), Some(layer));
        }
        let mut topic = main;
        if u64::from(local) * u64::from(self.branches) + 1 >= u64::from(size) {
            let page = self.layout.start(host) + local;
            let mut rng = PageRng::new(self.settings.seed, Purpose::Topic, u64::from(page));
            if !rng.chance(self.settings.host_purity) {
                topic = self.draw_topic(&mut rng);
            }
        }
        (self.named_topic(topic), None)
    }

    #[inline]
    pub(crate) fn genre_at(&self, host: u32, local: u32) -> u16 {
        let page = self.layout.start(host) + local;
        let mut rng = PageRng::new(self.settings.seed, Purpose::Genre, u64::from(page));
        if rng.chance(self.settings.genre_purity) {
            self.layout.genre(host)
        } else {
            self.draw_genre(&mut rng)
        }
    }

    /// A topic drawn by the shares; the number of topics means none. The first topic of a layered web is never drawn.
    pub(crate) fn draw_topic(&self, rng: &mut PageRng) -> u16 {
        let topic = self.topic_draws.draw(rng.fraction());
        if topic == 0 && self.is_layered() {
            return self.topics();
        }
        topic
    }

    pub(crate) fn draw_genre(&self, rng: &mut PageRng) -> u16 {
        let last = self.settings.genres.len() as u16 - 1;
        self.genre_draws.draw(rng.fraction()).min(last)
    }

    /// How many topics there are.
    pub fn topics(&self) -> u16 {
        self.settings.topic_shares.len() as u16
    }

    #[inline]
    fn named_topic(&self, topic: u16) -> Option<u16> {
        (topic < self.topics()).then_some(topic)
    }

    #[inline]
    pub(crate) fn is_layered(&self) -> bool {
        !self.layer_starts.is_empty()
    }

    /// The number of the outermost layer.
    pub(crate) fn outermost(&self) -> u8 {
        (self.layer_starts.len() as u8).saturating_sub(1)
    }

    fn layer_at(&self, size: u32, local: u32) -> u8 {
        let mut layer = self.outermost();
        while layer > 0 && self.layer_block(size, layer).end <= local {
            layer -= 1;
        }
        layer
    }

    /// The pages of a layer on a layered host of this size. The outermost layer comes first; no layer is empty.
    pub(crate) fn layer_block(&self, size: u32, layer: u8) -> Range<u32> {
        let layers = self.layer_starts.len() as u32;
        let spare = f64::from(size.saturating_sub(layers));
        let start = |order: u32| match self.layer_starts.get(order as usize) {
            Some(share) => order + (share * spare) as u32,
            None => size,
        };
        let order = layers.saturating_sub(1 + u32::from(layer));
        start(order)..start(order + 1)
    }

    /// Whether a host has an endless calendar.
    pub(crate) fn has_trap(&self, host: u32) -> bool {
        let share = self.settings.traps;
        share > 0.0 && PageRng::new(self.settings.seed, Purpose::Trap, u64::from(host)).chance(share)
    }
}
