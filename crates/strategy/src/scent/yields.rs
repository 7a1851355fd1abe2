//! How many of the pages visited so far were relevant: by host, directory, template, page and list; and how many
//! pages of a template led to a relevant one.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::LazyLock;

use super::note::{Note, Parent, Places, Reader, log_odds};

/// The most places counted. Beyond that, those with the fewest visits are forgotten.
const MOST: usize = 400_000;
/// How many are left then. If it were as many as may be, every few visits would pass over all of them to forget a handful.
const KEPT: usize = MOST / 2;
/// How many visits the guess from the larger place counts for: on a host, and anywhere smaller.
const HOST_PRIOR: f64 = 4.0;
const PRIOR: f64 = 2.0;
/// The most visited pages whose templates are remembered. Beyond that all are forgotten.
const MOST_PAGES: usize = 200_000;
/// Pages that are less relevant than this together are all irrelevant.
const FRUITLESS: f32 = 0.5;
/// The relevance from which on a page was worth finding.
const RELEVANT: f64 = 0.5;
/// Most pages of a crawl may lead to relevant ones, but never all: what is above their share is divided by the rest.
const MOST_LEAD: f64 = 0.9;
/// Pages of a template that led to a relevant one are counted under the template with this added.
const LEADS_SALT: u32 = 0x51ed_270b;

/// Visits to pages of one place, or to pages that one place links to.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(super) struct Yield {
    /// The sum of their relevance.
    pub sum: f32,
    /// How many there were.
    pub visits: f32,
    /// How many in a row, up to the last, brought nothing.
    pub dry: f32,
}

impl Yield {
    fn add(&mut self, relevance: f64) {
        self.sum += relevance as f32;
        self.visits += 1.0;
        self.dry = if relevance >= RELEVANT {
            0.0
        } else {
            self.dry + 1.0
        };
    }

    fn smoothed(&self, prior: f64, weight: f64) -> f64 {
        (f64::from(self.sum) + weight * prior) / (f64::from(self.visits) + weight)
    }
}

/// ln(1 + count). Counts are whole numbers, mostly small, and scoring a link takes several.
pub(super) fn log_of(count: f32) -> f64 {
    static SMALL: LazyLock<[f64; 256]> =
        LazyLock::new(|| std::array::from_fn(|count| (count as f64).ln_1p()));
    let small = count as usize;
    match SMALL.get(small) {
        Some(known) if small as f32 == count => *known,
        _ => f64::from(count).ln_1p(),
    }
}

/// Places are hashes already; this only spreads their bits.
#[derive(Clone, Copy, Default)]
struct AsIs(u64);

impl Hasher for AsIs {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, _bytes: &[u8]) {}

    fn write_u32(&mut self, number: u32) {
        self.0 = u64::from(number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}

/// Counts by place.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct Yields {
    places: HashMap<u32, Yield, BuildHasherDefault<AsIs>>,
    all: Yield,
    /// Visited pages.
    pages: HashMap<u32, Visited, BuildHasherDefault<AsIs>>,
    /// How many of them led to a relevant page.
    led: u32,
}

/// A visited page.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Visited {
    template: u32,
    /// Whether a relevant page was first found on it.
    has_led: bool,
}

/// Smoothed yields around a URL, as log-odds above the yield of the whole crawl.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(super) struct Around {
    pub host: f64,
    pub directory: f64,
    pub template: f64,
    /// Of the most relevant parent.
    pub page: f64,
    pub list: f64,
    /// The best of any parent.
    pub best_page: f64,
    pub best_list: f64,
    /// Logarithms of the number of visits in a row that brought nothing.
    pub dry_host: f64,
    pub dry_template: f64,
    /// Logarithms of the number of visits.
    pub host_visits: f64,
    pub directory_visits: f64,
    pub template_visits: f64,
}

impl Yields {
    pub fn of(&self, place: u32) -> Yield {
        self.places.get(&place).copied().unwrap_or_default()
    }

    /// The yield of the whole crawl.
    pub fn global(&self) -> f64 {
        ((f64::from(self.all.sum) + 0.5) / (f64::from(self.all.visits) + 10.0)).min(0.5)
    }

    /// How many visits brought something and how many did not.
    pub fn good_and_bad(&self) -> (f64, f64) {
        let good = f64::from(self.all.sum);
        (good, f64::from(self.all.visits) - good)
    }

    /// How many visits the yields around a URL are based on, by the name of the part.
    pub fn visits(&self, note: &Note) -> Vec<(&'static str, f64)> {
        let of = |place: u32| f64::from(self.of(place).visits);
        let most = |place: fn(&Parent) -> u32| {
            note.parents
                .iter()
                .map(|parent| of(place(parent)))
                .fold(0.0, f64::max)
        };
        let first = note.parents.iter().max_by_key(|parent| parent.relevance);
        vec![
            ("host", of(note.places.host)),
            ("directory", of(note.places.directory)),
            ("template", of(note.places.template)),
            ("page", first.map_or(0.0, |parent| of(parent.page))),
            ("list", first.map_or(0.0, |parent| of(parent.list))),
            ("best-page", most(|parent| parent.page)),
            ("best-list", most(|parent| parent.list)),
        ]
    }

    /// Appends the counts to some bytes.
    pub fn save(&self, out: &mut Vec<u8>) {
        let mut places: Vec<(u32, Yield)> = self
            .places
            .iter()
            .map(|(place, counts)| (*place, *counts))
            .collect();
        // Hash maps have no order of their own.
        places.sort_unstable_by_key(|(place, _)| *place);
        out.extend((places.len() as u32).to_le_bytes());
        for (place, counts) in std::iter::once((0, self.all)).chain(places) {
            out.extend(place.to_le_bytes());
            for number in [counts.sum, counts.visits, counts.dry] {
                out.extend(number.to_le_bytes());
            }
        }
        let mut pages: Vec<(u32, Visited)> = self
            .pages
            .iter()
            .map(|(page, visited)| (*page, *visited))
            .collect();
        pages.sort_unstable_by_key(|(page, _)| *page);
        out.extend(self.led.to_le_bytes());
        out.extend((pages.len() as u32).to_le_bytes());
        for (page, Visited { template, has_led }) in pages {
            out.extend(page.to_le_bytes());
            out.extend(template.to_le_bytes());
            out.push(has_led.into());
        }
    }

    /// Reads what [`Yields::save`] wrote.
    pub fn restore(reader: &mut Reader<'_>) -> Option<Yields> {
        let count = reader.four()?;
        let mut entry = || {
            let place = reader.four()?;
            let counts = Yield {
                sum: reader.small_float()?,
                visits: reader.small_float()?,
                dry: reader.small_float()?,
            };
            Some((place, counts))
        };
        let (_, all) = entry()?;
        let places = (0..count).map(|_| entry()).collect::<Option<_>>()?;
        let (led, count) = (reader.four()?, reader.four()?);
        let mut page = || {
            let page = reader.four()?;
            let visited = Visited {
                template: reader.four()?,
                has_led: reader.one()? == 1,
            };
            Some((page, visited))
        };
        let pages = (0..count).map(|_| page()).collect::<Option<_>>()?;
        Some(Yields {
            places,
            all,
            pages,
            led,
        })
    }

    fn count(&mut self, place: u32, relevance: f64) {
        self.places.entry(place).or_default().add(relevance);
    }

    /// How much more often than others pages of a template led to a relevant page, from 0 to 1. Without any visits it is 0, and
    /// on a site whose pages are all of one template it says nothing about any of them.
    ///
    /// Pages are counted, not links: an archive that leads to two good posts is worth fetching however many others it lists.
    pub fn leads(&self, template: u32) -> f64 {
        let base = (f64::from(self.led) + 0.5) / (f64::from(self.all.visits) + 10.0);
        let base = base.min(MOST_LEAD);
        let led = f64::from(self.of(template ^ LEADS_SALT).sum);
        let share = (led + PRIOR * base) / (f64::from(self.of(template).visits) + PRIOR);
        ((share - base) / (1.0 - base)).max(0.0)
    }

    /// The logarithm of the number of visits to pages of the URL's template, if none was relevant or led to a relevant page
    /// and the URL is only linked from such pages: the next day of a calendar.
    pub fn chain(&self, note: &Note) -> f64 {
        let template = note.places.template;
        let of = |parent: &Parent| self.pages.get(&parent.page).map(|visited| visited.template);
        let is_own = |parent: &Parent| of(parent) == Some(template);
        if note.parents.is_empty() || !note.parents.iter().all(is_own) {
            return 0.0;
        }
        let (own, leads) = (self.of(template), self.of(template ^ LEADS_SALT));
        if own.sum + leads.sum < FRUITLESS {
            f64::from(own.visits).ln_1p()
        } else {
            0.0
        }
    }

    /// Counts a visit to a page, given by its short key.
    pub fn visit(&mut self, page: u32, note: &Note, relevance: f64) {
        self.all.add(relevance);
        let Places {
            host,
            section,
            directory,
            template,
        } = note.places;
        for place in [host, directory, template] {
            self.count(place, relevance);
        }
        if section != directory {
            self.count(section, relevance);
        }
        for parent in note.parents.iter() {
            self.count(parent.page, relevance);
            self.count(parent.list, relevance);
        }
        if let Some(first) = note.parents.first().filter(|_| relevance >= RELEVANT) {
            self.lead(first.page);
        }
        if self.pages.len() >= MOST_PAGES {
            self.pages.clear();
        }
        let visited = Visited {
            template,
            has_led: false,
        };
        self.pages.insert(page, visited);
        self.keep_within_bounds();
    }

    /// Counts a page that led to a relevant one, once.
    fn lead(&mut self, page: u32) {
        let Some(visited) = self.pages.get_mut(&page).filter(|visited| !visited.has_led) else {
            return;
        };
        visited.has_led = true;
        let template = visited.template;
        self.led += 1;
        self.count(template ^ LEADS_SALT, 1.0);
    }

    fn keep_within_bounds(&mut self) {
        if self.places.len() <= MOST {
            return;
        }
        let mut least = 2.0;
        while self.places.len() > KEPT {
            self.places.retain(|_, counts| counts.visits >= least);
            least *= 2.0;
        }
    }

    /// The yields around a URL.
    pub fn around(&self, note: &Note) -> Around {
        let base = self.global();
        let zero = log_odds(base);
        // A place without visits has the share of the one around it, and a logarithm costs more than all the rest.
        let mut last = (base, 0.0);
        let mut above = |share: f64| {
            if share == base {
                return 0.0;
            }
            if share != last.0 {
                last = (share, (log_odds(share) - zero).clamp(-5.0, 5.0));
            }
            last.1
        };
        let of_host = self.of(note.places.host);
        let host = of_host.smoothed(base, HOST_PRIOR);
        let of_directory = self.of(note.places.directory);
        let section = match note.places.section {
            same if same == note.places.directory => host,
            section => self.of(section).smoothed(host, PRIOR),
        };
        let directory = of_directory.smoothed(section, PRIOR);
        let of_template = self.of(note.places.template);
        let template = of_template.smoothed(directory, PRIOR);
        let mut around = Around {
            host: above(host),
            directory: above(directory),
            template: above(template),
            dry_host: log_of(of_host.dry),
            dry_template: log_of(of_template.dry),
            host_visits: log_of(of_host.visits),
            directory_visits: log_of(of_directory.visits),
            template_visits: log_of(of_template.visits),
            ..Around::default()
        };
        let mut most_relevant = None;
        for parent in note.parents.iter() {
            let page = self.of(parent.page).smoothed(base, PRIOR);
            let list = above(self.of(parent.list).smoothed(page, PRIOR));
            let page = above(page);
            if most_relevant.is_none_or(|most| parent.relevance > most) {
                most_relevant = Some(parent.relevance);
                (around.page, around.list) = (page, list);
                if note.parents.len() == 1 {
                    (around.best_page, around.best_list) = (page, list);
                }
            }
            around.best_page = around.best_page.max(page);
            around.best_list = around.best_list.max(list);
        }
        around
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scent::note::Sighting;

    fn note(template: u32, parent: Option<u32>) -> Note {
        let mut note = Note {
            places: Places {
                template,
                ..Places::default()
            },
            ..Note::default()
        };
        if let Some(page) = parent {
            note.add(&Sighting {
                parent: Parent {
                    page,
                    list: page + 1,
                    relevance: 0,
                },
                relevance: 0.0,
                inherited: 0.0,
                list_size: 1.0,
                page_size: 1.0,
                list_mean: 0.0,
                scores: None,
                tokens: None,
            });
        }
        note
    }

    /// An archive whose pages are irrelevant themselves: January (page 10) links to two posts, which are relevant.
    fn archive() -> Yields {
        const MONTHS: u32 = 70;
        const POSTS: u32 = 80;
        let mut yields = Yields::default();
        yields.visit(10, &note(MONTHS, None), 0.0);
        for post in [20, 21] {
            yields.visit(post, &note(POSTS, Some(10)), 0.9);
        }
        assert!(yields.leads(MONTHS) > 0.3, "{}", yields.leads(MONTHS));
        assert!(yields.leads(POSTS) < 1e-9);
        yields
    }

    #[test]
    fn a_template_is_known_by_where_its_pages_lead() {
        archive();
    }

    #[test]
    fn posts_that_are_not_relevant_do_not_speak_against_their_archive() {
        let mut yields = archive();
        let before = yields.leads(70);
        for post in 22..30 {
            yields.visit(post, &note(80, Some(10)), 0.0);
        }
        assert!(yields.leads(70) > before - 0.05, "{before} {}", yields.leads(70));
        // A month that leads nowhere does.
        yields.visit(11, &note(70, None), 0.0);
        assert!(yields.leads(70) < before - 0.05);
    }

    #[test]
    fn where_all_pages_share_a_template_it_is_no_hub() {
        let mut yields = Yields::default();
        for page in 1..200 {
            let relevance = f64::from(u8::from(page % 4 == 0));
            yields.visit(page, &note(70, Some(page - 1)), relevance);
        }
        assert!(yields.leads(70) < 0.05, "{}", yields.leads(70));
    }

    #[test]
    fn a_link_from_one_fruitless_page_to_the_next_is_a_chain() {
        const DAYS: u32 = 90;
        let mut yields = archive();
        yields.visit(30, &note(DAYS, Some(10)), 0.1);
        assert!(yields.chain(&note(DAYS, Some(30))) > 0.6, "from day to day");
        assert!(yields.chain(&note(DAYS, Some(10))) < 1e-9, "from another page");
        assert!(
            yields.chain(&note(70, Some(10))) < 1e-9,
            "months lead to good posts"
        );
        yields.visit(31, &note(DAYS, Some(30)), 0.9);
        assert!(yields.chain(&note(DAYS, Some(30))) < 1e-9, "a day was relevant");
    }

    #[test]
    fn where_pages_lead_is_saved() {
        let yields = archive();
        let mut bytes = Vec::new();
        yields.save(&mut bytes);
        assert_eq!(Yields::restore(&mut Reader(&bytes)), Some(yields));
    }
}
