//! Synthetic webs as the lab crawls them: computed page by page. Only where links lead is kept, because every task of a web asks
//! for it again.
//!
//! An endless calendar has no number of pages. In the lab each one ends where it ends when the web is written to a folder, so
//! that both are the same web, link for link.

use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

use crate::recorded::{PageId, Task, TaskPages};
use crate::synth::{SynthLink, SynthPage, SynthTask, SynthWeb};
use scenthound_engine::FoundLink;
use scenthound_judge::PageText;
use scenthound_parse::{Limits, PageInput, parse};
use scenthound_types::{CanonicalUrl, Keyring, ParsedPage};

use crate::trial::Trial;
use crate::web::{Links, Reply, Web};

/// A synthetic web with numbered pages: first the ordinary ones, then those of the calendars.
pub struct Synthetic {
    web: SynthWeb,
    /// The hosts that have a calendar, ascending.
    calendars: Vec<u32>,
    /// The pages that the links of each page lead to, once asked for.
    neighbours: Vec<OnceLock<Box<[PageId]>>>,
}

impl Synthetic {
    /// The web as the lab crawls it.
    pub fn new(web: SynthWeb) -> Synthetic {
        let calendars = (0..web.host_count()).filter(|host| web.has_trap(*host)).collect();
        let mut numbered = Synthetic {
            web,
            calendars,
            neighbours: Vec::new(),
        };
        numbered.neighbours = (0..numbered.pages()).map(|_| OnceLock::new()).collect();
        numbered
    }

    /// The web that is computed.
    pub fn into_web(self) -> SynthWeb {
        self.web
    }

    /// Number of pages of each calendar.
    fn calendar_pages(&self) -> u32 {
        self.web.settings().trap_pages
    }

    /// The number of pages that are not part of a calendar.
    pub fn ordinary_pages(&self) -> u32 {
        self.web.len()
    }

    /// The genre of an ordinary page, by name.
    pub fn genre_of(&self, page: u32) -> Option<&str> {
        (page < self.web.len()).then(|| self.web.genre_name(self.web.genre(page)))
    }

    /// The number of a page's topic; `None` if it has none.
    pub fn topic_of(&self, page: u32) -> Option<u16> {
        (page < self.web.len()).then(|| self.web.topic(page)).flatten()
    }

    /// The names of its tasks.
    pub fn task_names(&self) -> Vec<&str> {
        self.web.tasks().iter().map(|task| task.name.as_str()).collect()
    }

    fn number(&self, page: SynthPage) -> Option<PageId> {
        match page {
            SynthPage::Page(page) => Some(PageId(page)),
            SynthPage::Trap { host, n } if n < self.calendar_pages() => {
                let place = u32::try_from(self.calendars.binary_search(&host).ok()?).ok()?;
                let before = place.checked_mul(self.calendar_pages())?.checked_add(n)?;
                self.web.len().checked_add(before).map(PageId)
            }
            _ => None,
        }
    }

    fn at(&self, page: PageId) -> SynthPage {
        match page.0.checked_sub(self.web.len()) {
            None => SynthPage::Page(page.0),
            Some(beyond) => {
                let each = self.calendar_pages().max(1);
                let place = (beyond / each) as usize;
                SynthPage::Trap {
                    host: self.calendars.get(place).copied().unwrap_or(u32::MAX),
                    n: beyond % each,
                }
            }
        }
    }

    fn targets(&self, page: PageId, out: &mut Vec<SynthLink>) {
        match self.at(page) {
            SynthPage::Page(page) => self.web.links(page, out),
            SynthPage::Trap { host, n } => self.web.trap_links(host, n, out),
            SynthPage::Dead { .. } => {}
        }
    }

    /// The web's tasks as trials.
    pub fn trials(self: &Arc<Synthetic>, name: &str, wanted: impl Fn(&str) -> bool) -> Vec<Trial> {
        let tasks = self.web.tasks().iter().filter(|task| wanted(&task.name));
        tasks
            .map(|task| {
                Trial::new(
                    name.to_owned(),
                    self.clone(),
                    recorded_task(task),
                    self.task_pages(task),
                )
            })
            .collect()
    }

    fn task_pages(&self, task: &SynthTask) -> TaskPages {
        let numbers = |pages: &[u32]| pages.iter().map(|page| PageId(*page)).collect::<Vec<_>>();
        let (positive, negative) = (numbers(&task.positive), numbers(&task.negative));
        let uncounted: BTreeSet<PageId> = positive
            .iter()
            .chain(&negative)
            .copied()
            .chain(numbers(&task.ignored))
            .collect();
        TaskPages {
            seeds: task
                .seeds
                .iter()
                .filter_map(|seed| CanonicalUrl::parse(seed).ok())
                .collect(),
            relevant: (0..self.web.len())
                .filter(|page| self.web.is_target(task, *page))
                .map(PageId)
                .filter(|page| !uncounted.contains(page))
                .collect(),
            relevant_missing: 0,
            positive,
            negative,
            uncounted,
        }
    }
}

fn recorded_task(task: &SynthTask) -> Task {
    Task {
        name: task.name.clone(),
        title: task.title.clone(),
        query: task.query.clone(),
        seeds: task.seeds.clone(),
        genre: task.genre_terms.clone(),
        content: task.content_terms.clone(),
        exclude: task.exclude.clone(),
        ..Task::default()
    }
}

impl Web for Synthetic {
    fn pages(&self) -> usize {
        self.web.len() as usize + self.calendars.len() * self.calendar_pages() as usize
    }

    fn find(&self, url: &CanonicalUrl) -> Reply {
        match self.web.find_url(url.as_str()) {
            Some(SynthPage::Dead { .. }) => Reply::Status(404),
            Some(page) => self.number(page).map_or(Reply::NotRecorded, Reply::Page),
            None => Reply::NotRecorded,
        }
    }

    fn page_with(&self, page: PageId, wanted: PageText) -> Option<ParsedPage> {
        let at = self.at(page);
        let url = CanonicalUrl::parse(&self.web.target_url(at)).ok()?;
        let html = match at {
            SynthPage::Page(page) => self.web.html(page),
            SynthPage::Trap { host, n } => self.web.trap_html(host, n),
            SynthPage::Dead { .. } => return None,
        };
        let input = PageInput {
            url: &url,
            content_type: Some("text/html; charset=utf-8"),
            body: html.as_bytes(),
            truncated: false,
        };
        let limits = Limits {
            main_text: wanted == PageText::Main,
            ..Limits::default()
        };
        Some(parse(&input, &limits))
    }

    fn spelled(&self, page: PageId) -> String {
        self.web.target_url(self.at(page))
    }

    fn links(&self, keyring: Keyring) -> Box<dyn Links + '_> {
        Box::new(SyntheticLinks { web: self, keyring })
    }

    fn neighbours(&self, page: PageId, out: &mut Vec<PageId>) {
        let Some(kept) = self.neighbours.get(page.0 as usize) else {
            return;
        };
        out.extend_from_slice(kept.get_or_init(|| {
            let mut links = Vec::new();
            self.targets(page, &mut links);
            links.iter().filter_map(|link| self.number(link.target)).collect()
        }));
    }
}

struct SyntheticLinks<'w> {
    web: &'w Synthetic,
    keyring: Keyring,
}

impl Links for SyntheticLinks<'_> {
    fn of(&self, page: PageId, out: &mut Vec<FoundLink>) {
        let mut links = Vec::new();
        self.web.targets(page, &mut links);
        let mut spelled = String::new();
        out.extend(links.iter().filter_map(|link| {
            spelled.clear();
            self.web.web.push_target_url(link.target, &mut spelled);
            // Generated URLs are already canonical.
            let url = CanonicalUrl::from_canonical(&spelled).ok()?;
            Some(FoundLink {
                key: self.keyring.key(&url),
                url,
                path: 0,
                snippets: None,
                place: None,
                evidence: None,
                tokens: None,
            })
        }));
    }
}
