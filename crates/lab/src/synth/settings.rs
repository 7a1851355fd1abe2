//! The settings of a synthetic web, their defaults and their valid ranges.
//!
//! Invariant: settings that pass [`SynthSettings::check`] describe a web that can be generated, except for layers that do not fit.

use scenthound_types::text::Language;
use serde::{Deserialize, Serialize};

use crate::synth::SynthFault;
use crate::synth::tables::LinkTable;
use crate::synth::words;

/// No page has more links than this.
pub const MOST_LINKS: u32 = 400;

/// How the number of links varies from page to page.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Spread {
    /// The mean on every page.
    Fixed,
    /// Evenly from half to one and a half times the mean.
    Even,
    /// Exponential: many pages with few links, few with many.
    Geometric,
    /// A heavy tail: some pages have ten times the mean.
    Pareto,
}

/// A genre of pages.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct GenreShare {
    /// Its name; blog, news, image, video, course, job, sale, forum, docs and other have their own words.
    pub name: String,
    /// Share of the pages.
    pub share: f64,
}

/// A language of hosts.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct LanguageShare {
    /// en, pt, zh or ja.
    pub code: String,
    /// Share of the hosts.
    pub share: f64,
}

/// Relevant pages behind layers of pages that are not relevant but lead to them.
///
/// The first topic's hosts are built in layers: the home page is in the outermost one, and no link skips a layer on the way
/// inwards, so a page's layer is its distance to the nearest relevant page.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Layers {
    /// Relative sizes, the relevant pages first: `[26, 71, 115, 122, 196]` has four layers around the targets.
    pub sizes: Vec<f64>,
    /// Probability that a free link of a layered page leads one layer inwards.
    pub inwards: f64,
    /// Probability that a free link of a layered page leads to another layered host.
    pub across: f64,
    /// Probability that a free link of any other page leads to a layered host's outermost layer.
    pub entrances: f64,
}

/// Lists of terms that pages use instead of made-up words, for webs on which terms are judged.
///
/// A page uses only some of the terms of its lists, each about equally often. Which ones depends on the page alone. Pages that
/// have only the topic or only the genre of a task may use more terms of their one list than wanted pages use of either: an
/// article about databases covers the subject more widely than a syllabus does.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct TermLists {
    /// The terms of each topic, in the order of the topics.
    pub topics: Vec<Vec<String>>,
    /// The terms of genres; a genre that is not named here keeps its own words.
    pub genres: Vec<GenreTerms>,
    /// Least and largest share of a list's terms on pages that a task wants.
    pub wanted: [f64; 2],
    /// Least and largest share of a list's terms on other pages.
    pub single: [f64; 2],
    /// Probability that a page mentions a single term of another topic, and of another genre; half as often it mentions two.
    pub mentions: f64,
}

/// The terms of a genre.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct GenreTerms {
    /// The genre.
    pub name: String,
    /// Its terms.
    pub terms: Vec<String>,
}

/// What a task wants: pages of a topic, of a genre, or of both.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct TaskSetting {
    /// The task's name; made from topic and genre if missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Number of the topic, from 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub topic: Option<u16>,
    /// Name of the genre.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub genre: Option<String>,
}

/// Where crawls begin.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SeedKind {
    /// At the web's first page, from which every page can be reached, and at other home pages.
    Homes,
    /// At pages of the task's topic.
    OnTopic,
}

/// The settings of a synthetic web.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct SynthSettings {
    /// The random seed; a different seed gives a different web of the same kind.
    pub seed: u64,
    /// Number of pages, not counting endless parts.
    pub pages: u32,
    /// Number of hosts.
    pub hosts: u32,
    /// Exponent of the host sizes: 0 for equal hosts, 1 for a few huge and many tiny ones.
    pub host_zipf: f64,
    /// Mean number of links on a page.
    pub out_degree: f64,
    /// How that number varies.
    pub spread: Spread,
    /// How much links prefer the upper pages of a site: 1 for not at all, 3 for a skewed in-degree.
    pub skew: u8,
    /// Share of the pages for each topic; the rest have no topic.
    pub topic_shares: Vec<f64>,
    /// The genres; shares sum to 1.
    pub genres: Vec<GenreShare>,
    /// Probability that a page has its host's topic.
    pub host_purity: f64,
    /// Probability that a page has its host's genre.
    pub genre_purity: f64,
    /// Probability that a link stays on its page's topic, beyond what is expected by chance.
    pub topical_locality: f64,
    /// Share of the links that stay on their host, as far as locality allows: a link that leaves its host's topic also leaves
    /// the host.
    pub inside: f64,
    /// Share of the pages that list items of one topic and one genre.
    pub lists: f64,
    /// Probability that an item of a list is of the list's topic and genre.
    pub list_purity: f64,
    /// Share of the pages that link to many pages of their topic on other hosts.
    pub hubs: f64,
    /// Probability that a page links to its home page.
    pub home_links: f64,
    /// Links by genre of the source, instead of topical locality.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub link_table: Option<LinkTable>,
    /// Layers around the relevant pages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub layers: Option<Layers>,
    /// Terms that pages use instead of made-up words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub term_lists: Option<TermLists>,
    /// The languages; shares sum to 1.
    pub languages: Vec<LanguageShare>,
    /// Share of the hosts with an endless calendar.
    pub traps: f64,
    /// Number of pages of each calendar that are written to a folder.
    pub trap_pages: u32,
    /// Share of the links that lead nowhere.
    pub dead_links: f64,
    /// Share of the hosts that use https.
    pub https: f64,
    /// Mean number of words on a page.
    pub words: u32,
    /// Share of a topical page's words that come from its topic.
    pub topic_words: f64,
    /// Share of a page's words that come from its genre.
    pub genre_words: f64,
    /// Share of a page's words that come from some other topic.
    pub noise_words: f64,
    /// Whether everyday words are equally frequent, so that besides function words none is frequent on all pages.
    #[serde(default)]
    pub flat_words: bool,
    /// Probability that an anchor and the words around it describe the target.
    pub anchor_signal: f64,
    /// Probability that a page's URL reveals its topic.
    pub url_signal: f64,
    /// The first two topics share their first word, as jaguar the car and jaguar the cat do.
    pub ambiguous: bool,
    /// The tasks; if empty, one for each topic.
    pub tasks: Vec<TaskSetting>,
    /// Only home pages of hosts are to be found. Examples and seeds are any pages of the topic.
    #[serde(default)]
    pub home_targets: bool,
    /// Where crawls begin.
    pub seed_kind: SeedKind,
    /// Number of seeds per task.
    pub seeds: u32,
    /// Number of positive example pages per task; there are twice as many negative ones.
    pub examples: u32,
}

impl Default for SynthSettings {
    fn default() -> SynthSettings {
        let genre = |name: &str, share| GenreShare {
            name: name.to_owned(),
            share,
        };
        SynthSettings {
            seed: 1,
            pages: 20_000,
            hosts: 400,
            host_zipf: 0.8,
            out_degree: 20.0,
            spread: Spread::Geometric,
            skew: 3,
            topic_shares: vec![0.05, 0.05, 0.05, 0.05],
            genres: vec![
                genre("blog", 0.2),
                genre("news", 0.2),
                genre("sale", 0.15),
                genre("forum", 0.15),
                genre("docs", 0.1),
                genre("other", 0.2),
            ],
            host_purity: 0.85,
            genre_purity: 0.8,
            topical_locality: 0.6,
            inside: 0.6,
            lists: 0.08,
            list_purity: 0.9,
            hubs: 0.01,
            home_links: 0.8,
            link_table: None,
            layers: None,
            term_lists: None,
            languages: vec![LanguageShare {
                code: "en".to_owned(),
                share: 1.0,
            }],
            traps: 0.0,
            trap_pages: 50,
            dead_links: 0.03,
            https: 0.0,
            words: 180,
            topic_words: 0.18,
            genre_words: 0.08,
            noise_words: 0.02,
            flat_words: false,
            anchor_signal: 0.6,
            url_signal: 0.3,
            ambiguous: false,
            tasks: Vec::new(),
            home_targets: false,
            seed_kind: SeedKind::Homes,
            seeds: 1,
            examples: 15,
        }
    }
}

impl SynthSettings {
    /// Reads settings from TOML; missing ones get their defaults.
    pub fn from_toml(text: &str) -> Result<SynthSettings, SynthFault> {
        let settings: SynthSettings = toml::from_str(text)?;
        settings.check()?;
        Ok(settings)
    }

    /// The same web with another value of one setting, by its name in a file; `None` if there is no such setting or it cannot
    /// have this value.
    pub fn with(&self, name: &str, value: &str) -> Option<SynthSettings> {
        let mut all = toml::Table::try_from(self).ok()?;
        let mut given: toml::Table = toml::from_str(&format!("value = {value}")).ok()?;
        all.insert(name.to_owned(), given.remove("value")?);
        all.try_into().ok()
    }

    /// Returns the first thing that is wrong.
    pub fn check(&self) -> Result<(), SynthFault> {
        let wrong = |setting: &'static str, value: String, right: String| {
            Err(SynthFault::Setting {
                setting,
                value,
                right,
            })
        };
        let least_hosts = self.topic_shares.len() as u32 + 1;
        if !(20..=1 << 31).contains(&self.pages) {
            return wrong(
                "pages",
                self.pages.to_string(),
                "must be between 20 and 2147483648".to_owned(),
            );
        }
        if self.hosts < least_hosts || self.hosts > self.pages {
            return wrong(
                "hosts",
                self.hosts.to_string(),
                format!(
                    "must be between {least_hosts} (one for each topic and one for the rest) and the number of pages, {}",
                    self.pages
                ),
            );
        }
        if !(0.0..=2.0).contains(&self.host_zipf) {
            return wrong(
                "host-zipf",
                self.host_zipf.to_string(),
                "must be between 0 and 2".to_owned(),
            );
        }
        if !(1.0..=100.0).contains(&self.out_degree) {
            return wrong(
                "out-degree",
                self.out_degree.to_string(),
                "must be between 1 and 100".to_owned(),
            );
        }
        if !(1..=5).contains(&self.skew) {
            return wrong(
                "skew",
                self.skew.to_string(),
                "must be between 1 and 5".to_owned(),
            );
        }
        if !(1..=5_000).contains(&self.words) {
            return wrong(
                "words",
                self.words.to_string(),
                "must be between 1 and 5000".to_owned(),
            );
        }
        self.check_probabilities()?;
        self.check_kinds()?;
        self.check_tasks()
    }

    fn check_probabilities(&self) -> Result<(), SynthFault> {
        let mut all = vec![
            ("host-purity", self.host_purity),
            ("genre-purity", self.genre_purity),
            ("topical-locality", self.topical_locality),
            ("inside", self.inside),
            ("lists", self.lists),
            ("list-purity", self.list_purity),
            ("hubs", self.hubs),
            ("home-links", self.home_links),
            ("traps", self.traps),
            ("dead-links", self.dead_links),
            ("https", self.https),
            ("topic-words", self.topic_words),
            ("genre-words", self.genre_words),
            ("noise-words", self.noise_words),
            ("anchor-signal", self.anchor_signal),
            ("url-signal", self.url_signal),
        ];
        all.extend(self.topic_shares.iter().map(|share| ("topic-shares", *share)));
        all.extend(self.genres.iter().map(|genre| ("genres.share", genre.share)));
        all.extend(
            self.languages
                .iter()
                .map(|language| ("languages.share", language.share)),
        );
        if let Some(table) = &self.link_table {
            all.push(("link-table.all-relevant", table.all_relevant));
            all.push(("link-table.all-irrelevant", table.all_irrelevant));
            for row in &table.rows {
                all.push(("link-table.rows.relevant", row.relevant));
                all.push(("link-table.rows.irrelevant", row.irrelevant));
            }
        }
        if let Some(layers) = &self.layers {
            all.push(("layers.inwards", layers.inwards));
            all.push(("layers.across", layers.across));
            all.push(("layers.entrances", layers.entrances));
        }
        if let Some(lists) = &self.term_lists {
            all.extend(lists.wanted.map(|share| ("term-lists.wanted", share)));
            all.extend(lists.single.map(|share| ("term-lists.single", share)));
            all.push(("term-lists.mentions", lists.mentions));
        }
        for (setting, value) in all {
            if !(0.0..=1.0).contains(&value) {
                return Err(SynthFault::Setting {
                    setting,
                    value: value.to_string(),
                    right: "must be between 0 and 1".to_owned(),
                });
            }
        }
        let sums = [
            (
                "topic-words + genre-words + noise-words",
                self.topic_words + self.genre_words + self.noise_words,
            ),
            ("lists + hubs", self.lists + self.hubs),
        ];
        for (setting, sum) in sums {
            if sum > 1.0 {
                return Err(SynthFault::Setting {
                    setting,
                    value: sum.to_string(),
                    right: "must add up to at most 1".to_owned(),
                });
            }
        }
        Ok(())
    }

    fn check_kinds(&self) -> Result<(), SynthFault> {
        let wrong = |setting: &'static str, value: String, right: &str| {
            Err(SynthFault::Setting {
                setting,
                value,
                right: right.to_owned(),
            })
        };
        let topics: f64 = self.topic_shares.iter().sum();
        if self.topic_shares.is_empty() || self.topic_shares.len() > words::MOST_TOPICS {
            return wrong(
                "topic-shares",
                format!("{} topics", self.topic_shares.len()),
                "must be between 1 and 100 topics",
            );
        }
        if topics > 1.0 + 1e-9 || self.topic_shares.iter().any(|share| *share <= 0.0) {
            return wrong(
                "topic-shares",
                format!("{:?}", self.topic_shares),
                "each must be above 0, and they must add up to at most 1",
            );
        }
        let genres: f64 = self.genres.iter().map(|genre| genre.share).sum();
        if self.genres.is_empty() || self.genres.len() > 30 || (genres - 1.0).abs() > 1e-6 {
            return wrong(
                "genres",
                format!("{} genres with shares summing to {genres}", self.genres.len()),
                "must be between 1 and 30 genres whose shares sum to 1",
            );
        }
        for (place, genre) in self.genres.iter().enumerate() {
            if !is_plain(&genre.name)
                || self
                    .genres
                    .iter()
                    .take(place)
                    .any(|other| other.name == genre.name)
            {
                return wrong(
                    "genres.name",
                    genre.name.clone(),
                    "names must be unique and use only lower-case letters, digits and dashes",
                );
            }
        }
        let languages: f64 = self.languages.iter().map(|language| language.share).sum();
        if self.languages.is_empty() || (languages - 1.0).abs() > 1e-6 {
            return wrong(
                "languages",
                format!("shares summing to {languages}"),
                "must be at least one language, with shares that sum to 1",
            );
        }
        for language in &self.languages {
            if Language::from_code(&language.code)
                .and_then(words::tongue)
                .is_none()
            {
                return wrong(
                    "languages.code",
                    language.code.clone(),
                    "must be one of en, pt, zh, ja",
                );
            }
        }
        if self.ambiguous && self.topic_shares.len() < 2 {
            return wrong("ambiguous", "true".to_owned(), "needs at least two topics");
        }
        if let Some(lists) = &self.term_lists {
            let filled = |list: &Vec<String>| !list.is_empty();
            let fine = lists.topics.len() == self.topic_shares.len()
                && lists.topics.iter().all(filled)
                && lists.genres.iter().all(|genre| filled(&genre.terms));
            if !fine {
                return wrong(
                    "term-lists",
                    format!("{} lists of topics", lists.topics.len()),
                    "must be one list for each topic, and no list may be empty",
                );
            }
        }
        if let Some(layers) = &self.layers {
            if self.link_table.is_some() {
                return wrong(
                    "layers",
                    "set together with link-table".to_owned(),
                    "use only one of the two, since both decide where links lead",
                );
            }
            let fine = (2..=8).contains(&layers.sizes.len())
                && layers.sizes.iter().all(|size| size.is_finite() && *size > 0.0);
            if !fine {
                return wrong(
                    "layers.sizes",
                    format!("{:?}", layers.sizes),
                    "must be between 2 and 8 sizes above 0, starting with that of the relevant pages",
                );
            }
        }
        Ok(())
    }

    fn check_tasks(&self) -> Result<(), SynthFault> {
        for (place, task) in self.tasks.iter().enumerate() {
            if let Some(name) = &task.name {
                let taken = self
                    .tasks
                    .iter()
                    .take(place)
                    .any(|other| other.name.as_ref() == Some(name));
                if taken || !is_plain(name) {
                    return Err(SynthFault::Setting {
                        setting: "tasks.name",
                        value: name.clone(),
                        right: "names must be unique and use only lower-case letters, digits and dashes"
                            .to_owned(),
                    });
                }
            }
            let topic = task
                .topic
                .is_none_or(|topic| usize::from(topic) < self.topic_shares.len());
            let genre = task
                .genre
                .as_ref()
                .is_none_or(|name| self.genres.iter().any(|genre| genre.name == *name));
            if !topic || !genre || (task.topic.is_none() && task.genre.is_none()) {
                return Err(SynthFault::Setting {
                    setting: "tasks",
                    value: format!("topic {:?}, genre {:?}", task.topic, task.genre),
                    right: format!(
                        "must be a topic below {}, one of the genres {}, or both",
                        self.topic_shares.len(),
                        self.genres
                            .iter()
                            .map(|genre| genre.name.as_str())
                            .collect::<Vec<_>>()
                            .join(", ")
                    ),
                });
            }
        }
        if self.seeds == 0 || self.seeds > 100 || self.examples > 1_000 {
            return Err(SynthFault::Setting {
                setting: "seeds, examples",
                value: format!("{}, {}", self.seeds, self.examples),
                right: "must be between 1 and 100 seeds and at most 1000 examples".to_owned(),
            });
        }
        Ok(())
    }
}

/// Names become part of file names and URLs.
fn is_plain(name: &str) -> bool {
    !name.is_empty()
        && name
            .bytes()
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
}
