//! Where a page's links lead.
//!
//! Some of a page's links hold the web together (its children in the site's tree, home pages of hosts that are entered from
//! here). The others are free: they are drawn until the page has enough links. Free links go where the settings say: by
//! topical locality, by a table of genres, or by layers.
//!
//! Invariant: every page can be reached from the first page; no page links to itself or twice to the same target.

use std::ops::Range;

use crate::synth::SynthWeb;
use crate::synth::nature::{Nature, PageKind};
use crate::synth::rng::{PageRng, Purpose};
use crate::synth::settings::{Layers, MOST_LINKS, Spread};
use crate::synth::web::{SynthLink, SynthPage};

/// How many times as many links as a plain page a list has, and a hub.
const LIST_FACTOR: f64 = 2.0;
const HUB_FACTOR: f64 = 4.0;

/// How often a draw is repeated until it fits.
const TRIES: u32 = 24;

/// The page whose links are drawn.
struct Source {
    page: u32,
    host: u32,
    local: u32,
    size: u32,
    nature: Nature,
    kind: PageKind,
    /// The genre of a list's items.
    listed: u16,
}

/// What a free link should lead to.
#[derive(Clone, Copy)]
enum Wanted {
    /// This topic; the number of topics means none.
    Topic(u16),
    /// Anything but the first topic.
    Irrelevant,
}

impl SynthWeb {
    /// The links of a page, in document order.
    pub fn links(&self, page: u32, out: &mut Vec<SynthLink>) {
        out.clear();
        let mut rng = PageRng::new(self.settings.seed, Purpose::Links, u64::from(page));
        let host = self.layout.host(page);
        let local = page - self.layout.start(host);
        let kind = self.kind(page);
        let source = Source {
            page,
            host,
            local,
            size: self.layout.size(host),
            nature: self.nature_at(host, local),
            kind,
            listed: if kind == PageKind::List {
                self.draw_genre(&mut rng)
            } else {
                0
            },
        };
        self.push_children(&source, out);
        let structural = out.len() as u32;
        let degree = self.degree(&source, &mut rng).max(structural);
        let dead = rng
            .round(f64::from(degree - structural) * self.settings.dead_links)
            .min(degree - structural);
        match &self.table {
            Some(table) => {
                let (relevant, irrelevant) = table
                    .get(usize::from(source.nature.genre))
                    .copied()
                    .unwrap_or_default();
                let share = if source.nature.topic == Some(0) {
                    relevant
                } else {
                    irrelevant
                };
                self.push_by_table(&source, share, degree - dead, &mut rng, out);
            }
            None => {
                self.push_home(&source, degree - dead, &mut rng, out);
                while (out.len() as u32) < degree - dead {
                    let before = out.len();
                    self.push_free(&source, &mut rng, out);
                    if out.len() == before {
                        break;
                    }
                }
            }
        }
        for _ in 0..dead {
            let n = rng.below(1 << 24);
            push(out, &source, SynthPage::Dead { host, n });
        }
        // A link to the home page comes first, as in a navigation bar. The others are mixed; otherwise the tree's would come first.
        let home = SynthPage::Page(page - local);
        if let Some(at) = out.iter().position(|link| link.target == home) {
            out.swap(0, at);
        }
        let from = usize::from(out.first().is_some_and(|link| link.target == home));
        if let Some(rest) = out.get_mut(from..)
            && !rest.is_empty()
        {
            rest.rotate_left(rng.below(rest.len() as u32) as usize);
        }
    }

    /// The links of a page of an endless calendar.
    pub fn trap_links(&self, host: u32, n: u32, out: &mut Vec<SynthLink>) {
        out.clear();
        out.push(SynthLink {
            target: SynthPage::Page(self.layout.start(host)),
        });
        for step in [1, 7, 30] {
            if let Some(n) = n.checked_add(step) {
                out.push(SynthLink {
                    target: SynthPage::Trap { host, n },
                });
            }
        }
        if n > 0 {
            out.push(SynthLink {
                target: SynthPage::Trap { host, n: n - 1 },
            });
        }
    }

    fn degree(&self, source: &Source, rng: &mut PageRng) -> u32 {
        let settings = &self.settings;
        let fraction = PageRng::new(settings.seed, Purpose::Degree, u64::from(source.page)).fraction();
        let plain = settings.out_degree
            / (1.0 + settings.lists * (LIST_FACTOR - 1.0) + settings.hubs * (HUB_FACTOR - 1.0));
        let mean = match source.kind {
            _ if settings.spread == Spread::Fixed => settings.out_degree,
            PageKind::Plain => plain,
            PageKind::List => plain * LIST_FACTOR,
            PageKind::Hub => plain * HUB_FACTOR,
        };
        let links = match settings.spread {
            Spread::Fixed => mean,
            Spread::Even => mean * (0.5 + fraction),
            Spread::Geometric => -(1.0 - fraction).ln() * mean,
            Spread::Pareto => mean / 2.0 / (1.0 - fraction).sqrt(),
        };
        rng.round(links).clamp(1, MOST_LINKS.min(self.settings.pages / 4))
    }

    /// The links that hold the web together.
    fn push_children(&self, source: &Source, out: &mut Vec<SynthLink>) {
        let start = self.layout.start(source.host);
        match source.nature.layer {
            Some(layer) => self.push_layer_children(source, layer, out),
            None => self.push_tree_children(source, source.size, out),
        }
        for &child in self.layout.child_hosts(source.host) {
            // A host may be entered from any page of its parent, not only from the home page.
            let mut rng = PageRng::new(self.settings.seed, Purpose::Entrance, u64::from(child));
            if rng.below(source.size) == source.local {
                push(out, source, SynthPage::Page(self.layout.start(child)));
            }
        }
        if source.page == start && self.has_trap(source.host) {
            push(
                out,
                source,
                SynthPage::Trap {
                    host: source.host,
                    n: 0,
                },
            );
        }
    }

    /// Children in the tree of the host's first `size` pages.
    fn push_tree_children(&self, source: &Source, size: u32, out: &mut Vec<SynthLink>) {
        let start = self.layout.start(source.host);
        let first = u64::from(source.local) * u64::from(self.branches) + 1;
        let after = (first + u64::from(self.branches)).min(u64::from(size));
        for child in first..after {
            push(out, source, SynthPage::Page(start + child as u32));
        }
    }

    /// The outermost layer is a tree. Each page of an inner layer is linked from a page of the next outer layer, and each page of
    /// an outer layer links to a page of the next inner one.
    fn push_layer_children(&self, source: &Source, layer: u8, out: &mut Vec<SynthLink>) {
        let start = self.layout.start(source.host);
        let block = self.layer_block(source.size, layer);
        if layer == self.outermost() {
            self.push_tree_children(source, block.end, out);
        }
        let Some(inner) = layer.checked_sub(1) else { return };
        let inner = self.layer_block(source.size, inner);
        let own = u64::from(block.end - block.start);
        let inner_size = u64::from(inner.end - inner.start);
        let at = u64::from(source.local - block.start);
        // Inner page j is linked from the outer page floor(j · own / inner size).
        let first = (at * inner_size).div_ceil(own.max(1));
        let after = ((at + 1) * inner_size).div_ceil(own.max(1)).min(inner_size);
        for child in first..after {
            push(out, source, SynthPage::Page(start + inner.start + child as u32));
        }
        if first >= after {
            let child = (at * inner_size / own.max(1)) as u32;
            push(out, source, SynthPage::Page(start + inner.start + child));
        }
    }

    fn push_home(&self, source: &Source, degree: u32, rng: &mut PageRng, out: &mut Vec<SynthLink>) {
        if rng.chance(self.settings.home_links) && (out.len() as u32) < degree {
            push(out, source, SynthPage::Page(source.page - source.local));
        }
    }

    /// Free links so that `share` of all links, up to `degree`, lead to relevant pages.
    fn push_by_table(
        &self,
        source: &Source,
        share: f64,
        degree: u32,
        rng: &mut PageRng,
        out: &mut Vec<SynthLink>,
    ) {
        let is_relevant = |link: &SynthLink| match link.target {
            SynthPage::Page(page) => self.topic(page) == Some(0),
            _ => false,
        };
        let mut relevant = out.iter().filter(|link| is_relevant(link)).count() as u32;
        let mut irrelevant = out.len() as u32 - relevant;
        let wanted = rng.round(f64::from(degree) * share).min(degree);
        let unwanted = degree - wanted;
        if source.local > 0 && rng.chance(self.settings.home_links) {
            let home_relevant = self.topic_at(source.host, 0).0 == Some(0);
            let room = if home_relevant {
                relevant < wanted
            } else {
                irrelevant < unwanted
            };
            if room && push(out, source, SynthPage::Page(source.page - source.local)) {
                relevant += u32::from(home_relevant);
                irrelevant += u32::from(!home_relevant);
            }
        }
        let listed = (source.kind == PageKind::List).then_some(source.listed);
        let at_home = self.layout.topic(source.host) == 0;
        while relevant + irrelevant < degree && (relevant < wanted || irrelevant < unwanted) {
            // Mixed in proportion, so that neither kind comes first.
            let left = f64::from(wanted.saturating_sub(relevant));
            let other = f64::from(unwanted.saturating_sub(irrelevant));
            let before = out.len();
            let good = rng.chance(left / (left + other));
            if good {
                let inside = at_home && rng.chance(self.settings.inside / share.max(self.settings.inside));
                self.push_wanted(source, Wanted::Topic(0), listed, inside, rng, out);
            } else {
                let inside = !at_home && rng.chance(self.settings.inside);
                let own = source.nature.topic.filter(|topic| *topic > 0);
                let wanted = match own {
                    Some(topic) if rng.chance(self.settings.topical_locality) => Wanted::Topic(topic),
                    _ => Wanted::Irrelevant,
                };
                self.push_wanted(source, wanted, None, inside, rng, out);
            }
            match (out.len() > before, good) {
                (false, _) => break,
                (true, true) => relevant += 1,
                (true, false) => irrelevant += 1,
            }
        }
    }

    /// One free link by layers or by topical locality.
    fn push_free(&self, source: &Source, rng: &mut PageRng, out: &mut Vec<SynthLink>) {
        if let Some(layers) = &self.settings.layers {
            match source.nature.layer {
                Some(layer) => return self.push_layered(source, layer, layers, rng, out),
                None if rng.chance(layers.entrances) => {
                    for _ in 0..TRIES {
                        let host = self.layered_host(rng);
                        let block = self.layer_block(self.layout.size(host), self.outermost());
                        let local = self.skewed(block.end, rng);
                        if push(out, source, SynthPage::Page(self.layout.start(host) + local)) {
                            return;
                        }
                    }
                }
                None => {}
            }
        }
        let locality = self.settings.topical_locality;
        let own = source.nature.topic.unwrap_or(self.topics());
        let list = source.kind == PageKind::List && rng.chance(self.settings.list_purity);
        let hub = source.kind == PageKind::Hub;
        let topic = if list || hub || rng.chance(locality) {
            own
        } else {
            self.draw_topic(rng)
        };
        let same = topic == self.layout.topic(source.host);
        let share = self.share(topic);
        let staying = (locality + (1.0 - locality) * share) * self.settings.host_purity;
        let inside =
            same && !hub && rng.chance(self.settings.inside / staying.max(self.settings.inside).max(0.01));
        let listed = list.then_some(source.listed);
        self.push_wanted(source, Wanted::Topic(topic), listed, inside, rng, out);
    }

    /// A free link of a layered page never leads past the next inner layer.
    fn push_layered(
        &self,
        source: &Source,
        layer: u8,
        layers: &Layers,
        rng: &mut PageRng,
        out: &mut Vec<SynthLink>,
    ) {
        let inner = layer.saturating_sub(1);
        for _ in 0..TRIES {
            let inwards = rng.chance(layers.inwards);
            let across = rng.chance(layers.across);
            if !inwards && !across && !rng.chance(self.settings.inside) {
                let outside = self.layout.topic_pages(0).end..self.settings.pages;
                if !outside.is_empty() {
                    let (host, local) = self.pick(&outside, rng);
                    if push(out, source, SynthPage::Page(self.layout.start(host) + local)) {
                        return;
                    }
                    continue;
                }
            }
            let host = if across {
                self.layered_host(rng)
            } else {
                source.host
            };
            let block = self.layer_block(self.layout.size(host), inner);
            let local = if inwards {
                block.start + rng.below(block.end - block.start)
            } else {
                self.skewed(block.end, rng)
            };
            if push(out, source, SynthPage::Page(self.layout.start(host) + local)) {
                return;
            }
        }
    }

    fn layered_host(&self, rng: &mut PageRng) -> u32 {
        let pages = self.layout.topic_pages(0);
        self.layout.host(pages.start + rng.below(pages.end - pages.start))
    }

    /// One link to a wanted page, on this host if `inside` is set and there is one; after enough tries to any page.
    fn push_wanted(
        &self,
        source: &Source,
        wanted: Wanted,
        genre: Option<u16>,
        inside: bool,
        rng: &mut PageRng,
        out: &mut Vec<SynthLink>,
    ) {
        let fits = |host: u32, local: u32, genre: Option<u16>| {
            let topic = self.topic_at(host, local).0;
            let topic_fits = match wanted {
                Wanted::Topic(wanted) => topic.unwrap_or(self.topics()) == wanted,
                Wanted::Irrelevant => topic != Some(0),
            };
            topic_fits && genre.is_none_or(|genre| self.genre_at(host, local) == genre)
        };
        if inside {
            let start = self.layout.start(source.host);
            for _ in 0..TRIES {
                let local = self.skewed(source.size, rng);
                if fits(source.host, local, genre) && push(out, source, SynthPage::Page(start + local)) {
                    return;
                }
            }
        }
        let topical = match wanted {
            Wanted::Topic(topic) => self.layout.topic_pages(topic),
            Wanted::Irrelevant => self.layout.topic_pages(0).end..self.settings.pages,
        };
        // Links from outside may not jump into the layers.
        let first = if self.is_layered() {
            self.layout.topic_pages(0).end
        } else {
            0
        };
        let whole = first..self.settings.pages;
        let mut ranges = [Some(topical.clone()), Some(whole)];
        if let (Wanted::Topic(topic), Some(genre)) = (wanted, genre) {
            ranges = [Some(self.layout.class_pages(topic, genre)), Some(topical)];
        }
        for (attempt, range) in ranges.into_iter().flatten().enumerate() {
            if range.is_empty() {
                continue;
            }
            // Give up the genre before the topic.
            let genre = genre.filter(|_| attempt == 0);
            for _ in 0..TRIES {
                let (host, local) = self.pick(&range, rng);
                if fits(host, local, genre)
                    && push(out, source, SynthPage::Page(self.layout.start(host) + local))
                {
                    return;
                }
            }
        }
    }

    /// A page of a host that has pages in the range: the host is drawn by its size, the page by the skew.
    #[inline]
    pub(crate) fn pick(&self, range: &Range<u32>, rng: &mut PageRng) -> (u32, u32) {
        let page = range.start + rng.below(range.end - range.start);
        let host = self.layout.host(page);
        (host, self.skewed(self.layout.size(host), rng))
    }

    /// A number below `size`, small ones more often.
    #[inline]
    fn skewed(&self, size: u32, rng: &mut PageRng) -> u32 {
        let fraction = rng.fraction();
        let mut product = fraction;
        for _ in 1..self.settings.skew {
            product *= fraction;
        }
        ((product * f64::from(size)) as u32).min(size.saturating_sub(1))
    }
}

/// Adds a link unless it is a duplicate or leads to its own page.
#[inline]
fn push(out: &mut Vec<SynthLink>, source: &Source, target: SynthPage) -> bool {
    if target == SynthPage::Page(source.page) || out.iter().any(|link| link.target == target) {
        return false;
    }
    out.push(SynthLink { target });
    true
}
