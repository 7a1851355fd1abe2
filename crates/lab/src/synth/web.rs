//! A web that is computed, not stored.

use scenthound_testweb::{Scheme, SiteRequest, SiteResponse, TestSite};
use scenthound_types::text::Language;

use crate::synth::SynthFault;
use crate::synth::address::Naming;
use crate::synth::layout::Layout;
use crate::synth::nature::Shares;
use crate::synth::settings::SynthSettings;
use crate::synth::tasks::SynthTask;
use crate::synth::text::Draws;
use crate::synth::words::{Tongue, Words, tongue};

/// What can be at a URL of a synthetic web.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum SynthPage {
    /// A page, by its number.
    Page(u32),
    /// A page of an endless calendar: never relevant, never counted.
    Trap {
        /// The host's number.
        host: u32,
        /// Its number, counted from 0, without end.
        n: u32,
    },
    /// Nothing; the link is dead.
    Dead {
        /// The host's number.
        host: u32,
        /// Distinguishes the dead links of a host.
        n: u32,
    },
}

/// A link of a page.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SynthLink {
    /// Where it leads.
    pub target: SynthPage,
}

/// A web that is computed, not stored.
pub struct SynthWeb {
    pub(crate) settings: SynthSettings,
    pub(crate) layout: Layout,
    pub(crate) naming: Naming,
    pub(crate) topic_draws: Shares,
    pub(crate) genre_draws: Shares,
    pub(crate) language_draws: Shares,
    /// For each genre, the share of relevant links on relevant and on irrelevant pages.
    pub(crate) table: Option<Vec<(f64, f64)>>,
    /// Where each layer begins, as a share of a host's pages, the outermost first; empty without layers.
    pub(crate) layer_starts: Vec<f64>,
    /// Number of children of a page in its site's tree.
    pub(crate) branches: u32,
    /// The words of each language, in the order of the settings.
    pub(crate) words: Vec<Words>,
    /// English words for URLs.
    pub(crate) slugs: Words,
    pub(crate) draws: Draws,
    pub(crate) tasks: Vec<SynthTask>,
}

impl SynthWeb {
    /// A web with these settings.
    pub fn new(settings: SynthSettings) -> Result<SynthWeb, SynthFault> {
        settings.check()?;
        let layout = Layout::new(&settings)?;
        let languages: Vec<(Language, Tongue)> = settings
            .languages
            .iter()
            .filter_map(|share| Language::from_code(&share.code))
            .filter_map(|language| Some((language, tongue(language)?)))
            .collect();
        let mut layer_starts = Vec::new();
        if let Some(layers) = &settings.layers {
            let whole: f64 = layers.sizes.iter().sum();
            let mut sum = 0.0;
            for size in layers.sizes.iter().rev() {
                layer_starts.push(sum / whole);
                sum += size;
            }
        }
        let mut web = SynthWeb {
            naming: Naming::new(settings.hosts),
            topic_draws: Shares::new(settings.topic_shares.iter().copied()),
            genre_draws: Shares::new(settings.genres.iter().map(|genre| genre.share)),
            language_draws: Shares::new(settings.languages.iter().map(|language| language.share)),
            table: settings.link_table.as_ref().map(|table| {
                let rows = settings.genres.iter().map(|genre| table.of(&genre.name));
                rows.collect()
            }),
            layer_starts,
            branches: ((settings.out_degree / 2.0) as u32).clamp(2, 8),
            words: languages
                .iter()
                .map(|(language, tongue)| Words::new(&settings, *language, *tongue))
                .collect(),
            // Terms of several words do not belong into URLs.
            slugs: Words::new(
                &SynthSettings {
                    term_lists: None,
                    ..settings.clone()
                },
                Language::ENGLISH,
                Tongue::English,
            ),
            draws: Draws::new(settings.flat_words),
            tasks: Vec::new(),
            layout,
            settings,
        };
        web.tasks = web.make_tasks();
        Ok(web)
    }

    /// The settings it was generated with.
    pub fn settings(&self) -> &SynthSettings {
        &self.settings
    }

    /// Number of pages; they are numbered from 0. Endless parts are not counted.
    pub fn len(&self) -> u32 {
        self.settings.pages
    }

    /// Whether there are no pages, which is never the case.
    pub fn is_empty(&self) -> bool {
        self.settings.pages == 0
    }

    /// The page from which every page can be reached.
    pub fn first_page(&self) -> u32 {
        self.layout.host_at(0).map_or(0, |host| self.layout.start(host))
    }

    /// The number of the host that a page is on.
    pub fn host_of(&self, target: SynthPage) -> u32 {
        match target {
            SynthPage::Page(page) => self.layout.host(page),
            SynthPage::Trap { host, .. } | SynthPage::Dead { host, .. } => host,
        }
    }

    /// How many hosts there are.
    pub fn host_count(&self) -> u32 {
        self.layout.hosts()
    }

    /// The URL of a link's target.
    pub fn link_url(&self, link: &SynthLink) -> String {
        self.target_url(link.target)
    }

    /// The name of a genre by its number.
    pub fn genre_name(&self, genre: u16) -> &str {
        self.settings
            .genres
            .get(usize::from(genre))
            .map_or("", |genre| genre.name.as_str())
    }

    /// The name of a topic by its number: its most frequent word.
    pub fn topic_name(&self, topic: u16) -> &str {
        // The first two topics may share their first word, so a topic is named after its second.
        self.slugs
            .topics
            .get(usize::from(topic))
            .and_then(|words| words.get(1))
            .map_or("", String::as_str)
    }

    /// Bytes of memory that grow with the web: those for hosts.
    pub fn table_bytes(&self) -> usize {
        self.layout.bytes()
    }

    /// The share of pages with a topic; the number of topics stands for none.
    pub(crate) fn share(&self, topic: u16) -> f64 {
        match self.settings.topic_shares.get(usize::from(topic)) {
            Some(share) => *share,
            None => (1.0 - self.settings.topic_shares.iter().sum::<f64>()).max(0.0),
        }
    }
}

impl TestSite for SynthWeb {
    fn answer(&self, host: &str, path_and_query: &str) -> SiteResponse {
        match self.find(host, path_and_query) {
            Some(SynthPage::Page(page)) => SiteResponse::html(self.html(page)),
            Some(SynthPage::Trap { host, n }) => SiteResponse::html(self.trap_html(host, n)),
            None if path_and_query == "/robots.txt" && self.find(host, "/").is_some() => {
                SiteResponse::text("User-agent: *\nAllow: /\n")
            }
            Some(SynthPage::Dead { .. }) | None => SiteResponse::missing(),
        }
    }

    /// A host uses either http or https, on the default port.
    fn answer_at(&self, asked: &SiteRequest<'_>) -> SiteResponse {
        let host = self.find(asked.host, "/").map(|home| self.host_of(home));
        let spoken = host.map(|host| match self.is_https(host) {
            true => Scheme::Https,
            false => Scheme::Http,
        });
        if asked.port.is_some() || spoken != Some(asked.scheme) {
            return SiteResponse::not_recorded();
        }
        self.answer(asked.host, asked.path_and_query)
    }

    fn hosts(&self) -> Vec<String> {
        (0..self.layout.hosts())
            .map(|host| self.host_name(host))
            .collect()
    }
}
