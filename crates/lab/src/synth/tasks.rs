//! The tasks of a synthetic web, with terms, seeds and examples.
//!
//! Example pages, and seeds that are themselves relevant, count neither for nor against a crawl; they are few.

use crate::synth::SynthWeb;
use crate::synth::rng::{PageRng, Purpose};
use crate::synth::settings::{SeedKind, TaskSetting};

/// Number of content terms per language.
const CONTENT_TERMS: usize = 12;
/// Number of draws before an example or a seed is given up.
const TRIES: u32 = 20_000;

/// A task: which pages are wanted.
#[derive(Clone, PartialEq, Debug)]
pub struct SynthTask {
    /// Its name, for files and commands.
    pub name: String,
    /// Its title, for people.
    pub title: String,
    /// A few words to search for.
    pub query: String,
    /// Terms of the wanted genre; empty if any genre will do.
    pub genre_terms: Vec<String>,
    /// Terms of the wanted topic; empty if any topic will do.
    pub content_terms: Vec<String>,
    /// Words of the other meaning, if the query has two.
    pub exclude: Vec<String>,
    /// Number of the wanted topic.
    pub topic: Option<u16>,
    /// Number of the wanted genre.
    pub genre: Option<u16>,
    /// Where a crawl begins, as pages.
    pub seed_pages: Vec<u32>,
    /// Where a crawl begins, as URLs.
    pub seeds: Vec<String>,
    /// Relevant pages a user might know; not counted.
    pub positive: Vec<u32>,
    /// Irrelevant pages a user might know; not counted.
    pub negative: Vec<u32>,
    /// Seeds that are relevant; not counted.
    pub ignored: Vec<u32>,
}

impl SynthTask {
    /// Whether a page counts neither for nor against a crawl.
    pub fn is_aside(&self, page: u32) -> bool {
        [&self.positive, &self.negative, &self.ignored]
            .iter()
            .any(|pages| pages.contains(&page))
    }
}

impl SynthWeb {
    /// The tasks of this web.
    pub fn tasks(&self) -> &[SynthTask] {
        &self.tasks
    }

    /// Whether a page is what a task wants; this includes examples.
    pub fn is_relevant(&self, task: &SynthTask, page: u32) -> bool {
        self.fits(task.topic, task.genre, page)
    }

    /// Whether a page is to be found: it is relevant and, if only home pages are wanted, a home page.
    pub fn is_target(&self, task: &SynthTask, page: u32) -> bool {
        let is_wanted = !self.settings.home_targets || self.layout.start(self.layout.host(page)) == page;
        is_wanted && self.is_relevant(task, page)
    }

    fn fits(&self, topic: Option<u16>, genre: Option<u16>, page: u32) -> bool {
        let nature = self.nature(page);
        topic.is_none_or(|topic| nature.topic == Some(topic))
            && genre.is_none_or(|genre| nature.genre == genre)
    }

    pub(crate) fn make_tasks(&self) -> Vec<SynthTask> {
        let each_topic: Vec<TaskSetting> = (0..self.topics())
            .map(|topic| TaskSetting {
                topic: Some(topic),
                ..TaskSetting::default()
            })
            .collect();
        // In a web with layers only the first topic is a target; the others are there as distractions.
        let kept = if self.is_layered() { 1 } else { each_topic.len() };
        let settings = if self.settings.tasks.is_empty() {
            each_topic.get(..kept).unwrap_or_default()
        } else {
            &self.settings.tasks
        };
        settings
            .iter()
            .enumerate()
            .map(|(number, setting)| self.make_task(number as u64, setting))
            .collect()
    }

    fn make_task(&self, number: u64, setting: &TaskSetting) -> SynthTask {
        let genre = setting.genre.as_ref().and_then(|name| {
            let at = self
                .settings
                .genres
                .iter()
                .position(|genre| genre.name == *name)?;
            u16::try_from(at).ok()
        });
        let topic = setting.topic;
        let topic_name = topic.map_or("", |topic| self.topic_name(topic));
        let genre_name = genre.map_or("", |genre| self.genre_name(genre));
        let joined = [topic_name, genre_name].map(str::to_owned);
        let joined: Vec<String> = joined.into_iter().filter(|name| !name.is_empty()).collect();
        let content_terms = topic.map_or_else(Vec::new, |topic| self.topic_terms(topic));
        let mut query: Vec<&str> = content_terms.iter().take(2).map(String::as_str).collect();
        let ambiguous = self.settings.ambiguous && topic.is_some_and(|topic| topic < 2);
        if ambiguous {
            query.truncate(1);
        }
        if genre.is_some() {
            query.push(genre_name);
        }
        let mut task = SynthTask {
            name: setting.name.clone().unwrap_or_else(|| joined.join("-")),
            title: match (topic, genre) {
                (Some(_), Some(_)) => format!("Pages of the genre {genre_name} about {topic_name}"),
                (None, Some(_)) => format!("Pages of the genre {genre_name}"),
                _ => format!("Pages about {topic_name}"),
            },
            query: query.join(" "),
            genre_terms: genre.map_or_else(Vec::new, |genre| self.genre_terms(genre)),
            exclude: if ambiguous {
                let other = topic.map_or(0, |topic| 1 - topic);
                self.topic_terms(other).into_iter().skip(1).collect()
            } else {
                Vec::new()
            },
            content_terms,
            topic,
            genre,
            seed_pages: Vec::new(),
            seeds: Vec::new(),
            positive: Vec::new(),
            negative: Vec::new(),
            ignored: Vec::new(),
        };
        self.choose_seeds(number, &mut task);
        self.choose_examples(number, &mut task);
        task
    }

    /// The most frequent words of a topic, language by language.
    fn topic_terms(&self, topic: u16) -> Vec<String> {
        let mut terms: Vec<String> = Vec::new();
        let most = match self.settings.term_lists {
            Some(_) => usize::MAX,
            None => CONTENT_TERMS,
        };
        for words in &self.words {
            let list = words.topics.get(usize::from(topic)).into_iter().flatten();
            terms.extend(list.take(most).cloned());
        }
        terms
    }

    fn genre_terms(&self, genre: u16) -> Vec<String> {
        let lists = self
            .words
            .iter()
            .filter_map(|words| words.genres.get(usize::from(genre)));
        lists.flatten().cloned().collect()
    }

    fn choose_seeds(&self, number: u64, task: &mut SynthTask) {
        let mut rng = PageRng::new(self.settings.seed, Purpose::Seeds, number);
        let wanted = self.settings.seeds as usize;
        match self.settings.seed_kind {
            SeedKind::Homes => task.seed_pages.push(self.first_page()),
            SeedKind::OnTopic => {
                for _ in 0..TRIES {
                    if task.seed_pages.len() >= wanted {
                        break;
                    }
                    let page = self.draw_near(task, &mut rng);
                    if self.is_relevant(task, page) && !task.seed_pages.contains(&page) {
                        task.seed_pages.push(page);
                    }
                }
            }
        }
        for _ in 0..TRIES {
            if task.seed_pages.len() >= wanted.min(self.layout.hosts() as usize) {
                break;
            }
            let home = self.layout.start(rng.below(self.layout.hosts()));
            if !task.seed_pages.contains(&home) && !self.is_relevant(task, home) {
                task.seed_pages.push(home);
            }
        }
        task.seeds = task.seed_pages.iter().map(|page| self.url(*page)).collect();
        task.ignored = task
            .seed_pages
            .iter()
            .copied()
            .filter(|page| self.is_relevant(task, *page))
            .collect();
    }

    fn choose_examples(&self, number: u64, task: &mut SynthTask) {
        let mut rng = PageRng::new(self.settings.seed, Purpose::Examples, number);
        let mut share = 1.0;
        if let Some(topic) = task.topic {
            share *= self.share(topic);
        }
        if let Some(genre) = task
            .genre
            .and_then(|genre| self.settings.genres.get(usize::from(genre)))
        {
            share *= genre.share;
        }
        // If few pages are relevant, the examples must leave some to find.
        let relevant = (f64::from(self.settings.pages) * share) as u32;
        let positives = self.settings.examples.min(relevant / 4) as usize;
        let negatives = 2 * self.settings.examples.min(self.settings.pages / 20) as usize;
        for turn in 0..TRIES {
            if task.positive.len() >= positives && task.negative.len() >= negatives {
                break;
            }
            // Every other draw comes from the neighbourhood: near misses make the most useful examples.
            let page = if turn % 2 == 0 {
                self.draw_near(task, &mut rng)
            } else {
                rng.below(self.settings.pages)
            };
            if task.is_aside(page) || task.seed_pages.contains(&page) {
                continue;
            }
            let (list, wanted) = if self.is_relevant(task, page) {
                (&mut task.positive, positives)
            } else {
                (&mut task.negative, negatives)
            };
            if list.len() < wanted {
                list.push(page);
            }
        }
        task.positive.sort_unstable();
        task.negative.sort_unstable();
    }

    /// A page of a host with the wanted topic; any page if any topic will do.
    fn draw_near(&self, task: &SynthTask, rng: &mut PageRng) -> u32 {
        let range = match (task.topic, task.genre) {
            (Some(topic), Some(genre)) if rng.chance(0.5) => self.layout.class_pages(topic, genre),
            (Some(topic), _) => self.layout.topic_pages(topic),
            _ => 0..self.settings.pages,
        };
        if range.is_empty() {
            return rng.below(self.settings.pages);
        }
        range.start + rng.below(range.end - range.start)
    }
}
