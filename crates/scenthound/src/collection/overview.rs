//! A collection at a glance: what a report about a crawl shows.

use std::collections::{BTreeMap, HashMap};

use scenthound_engine::{BreadthFirst, FoundAt, ScopeKind};
use scenthound_judge::JudgeKind;
use scenthound_store::PageRecord;
use scenthound_strategy::StrategyKind;
use scenthound_types::{CanonicalUrl, LeaseKind, Outcome, PageNote};

use super::seed_words::SeedWords;
use super::{Collection, CollectionError, RankSettings, RankedPage, StatusFile, page_id};

/// Hosts that are listed.
const HOSTS: usize = 15;
/// Pages in the list of the best and in the sample.
const PAGES: usize = 20;
/// Points of the harvest curve.
const POINTS: usize = 200;

/// Figures of one host.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct HostFigures {
    /// The host.
    pub host: String,
    /// Pages attempted.
    pub pages: u64,
    /// Pages judged relevant.
    pub relevant: u64,
    /// Attempts that brought no page.
    pub failed: u64,
}

/// A collection at a glance.
#[derive(Clone, Debug, Default)]
pub struct Overview {
    /// Page attempts.
    pub pages: u64,
    /// Pages read.
    pub bodies: u64,
    /// Pages judged relevant.
    pub relevant: u64,
    /// Attempts that brought no page, by cause: the HTTP status or the outcome code.
    pub failures: BTreeMap<String, u64>,
    /// Pages that were not requested at all, because of robots.txt or their address or because their host is out of reach, by
    /// outcome code.
    pub unasked: BTreeMap<String, u64>,
    /// Hosts whose robots.txt could not be fetched because they could not be reached, by outcome code.
    pub unreached_hosts: BTreeMap<String, u64>,
    /// Pages read that are in an unwanted language.
    pub unwanted_language: u64,
    /// Pages read that use the topic's words in another sense.
    pub wrong_sense: u64,
    /// Pages read that have no words.
    pub wordless: u64,
    /// The judge.
    pub judge: Option<JudgeKind>,
    /// How far from the seeds the crawl might go.
    pub scope: Option<ScopeKind>,
    /// Whether a number of links from the seeds ends it (`--depth`).
    pub has_depth_limit: bool,
    /// Whether a number of links within a site ends it (`--site-depth`).
    pub has_site_depth_limit: bool,
    /// The threshold of the judge.
    pub threshold: Option<f64>,
    /// The best score.
    pub best: Option<f64>,
    /// The hosts with the most relevant pages.
    pub hosts: Vec<HostFigures>,
    /// How many hosts there are.
    pub host_count: u64,
    /// Pages read by genre, and relevant pages among them.
    pub genres: BTreeMap<String, (u64, u64)>,
    /// Pages read by language, and relevant pages among them.
    pub languages: BTreeMap<String, (u64, u64)>,
    /// Pages attempted, and relevant pages among them, in the order of the crawl.
    pub curve: Vec<(u64, u64)>,
    /// The best pages.
    pub best_pages: Vec<RankedPage>,
    /// Judged pages chosen at random, always the same ones for the same crawl.
    pub sample: Vec<PageRecord>,
    /// URLs that wait in the frontier; `None` if the crawl did not write it down.
    pub waiting: Option<u64>,
    /// What breadth-first would have found, as far as the crawl can tell.
    pub breadth_first: Option<BreadthFirst>,
    /// Pages that repeat others.
    pub near_duplicates: u64,
    /// Pages left out of results.
    pub hidden: u64,
    /// The relevant pages among them, by the note that hides them.
    pub hidden_relevant_by: BTreeMap<PageNote, u64>,
    /// Whether the strategy learnt its words from the seeds.
    pub learnt_from_seeds: bool,
    /// Seeds that were read.
    pub seeds: u64,
    /// Seeds that ask that their links not be followed, as was done.
    pub nofollow_seeds: u64,
    /// How many links of theirs were not followed for that reason.
    pub nofollow_links: u64,
    /// Seeds that were read and judged irrelevant. If the strategy is the judge: those that lack the topic's own words, since it
    /// calls all seeds relevant.
    pub seeds_off_topic: u64,
    /// The query, if the strategy is the judge and seeds were compared with the topic's own words.
    pub seeds_compared_with: Option<String>,
}

impl Collection {
    /// Reads the whole collection once for its figures.
    pub fn overview(&self) -> Result<Overview, CollectionError> {
        let settings = self.settings()?;
        let seed_words = settings
            .as_ref()
            .and_then(|settings| SeedWords::new(settings, &self.view));
        let mut overview = Overview {
            seeds_compared_with: (seed_words.as_ref().zip(settings.as_ref()))
                .map(|(_, settings)| settings.query().to_owned()),
            learnt_from_seeds: settings
                .as_ref()
                .is_some_and(|settings| settings.strategy.kind == StrategyKind::Table),
            judge: settings.as_ref().map(|settings| settings.judge.kind),
            scope: settings.as_ref().map(|settings| settings.crawl.scope),
            has_depth_limit: settings
                .as_ref()
                .is_some_and(|settings| settings.crawl.depth.is_some()),
            has_site_depth_limit: settings
                .as_ref()
                .is_some_and(|settings| settings.crawl.site_depth.is_some()),
            threshold: settings.map(|settings| settings.judge.threshold),
            waiting: StatusFile::read(self.view.layout())?.map(|status| status.waiting),
            ..Overview::default()
        };
        let mut hosts: HashMap<String, HostFigures> = HashMap::new();
        let mut sample: Vec<(String, PageRecord)> = Vec::new();
        let mut found_at = Vec::new();
        let mut stride = 1;
        for record in self.pages()? {
            let record = record?;
            if record.is_page() && record.unasked {
                *overview.unasked.entry(record.outcome.to_string()).or_default() += 1;
            }
            if record.kind == LeaseKind::Robots && !record.will_retry && is_out_of_reach(&record) {
                *overview
                    .unreached_hosts
                    .entry(record.outcome.to_string())
                    .or_default() += 1;
            }
            if !record.counts_as_page() {
                continue;
            }
            let is_relevant = record.is_find();
            found_at.extend(record.age.map(|age| FoundAt {
                age,
                is_relevant,
                is_explored: record.explored,
            }));
            overview.pages += 1;
            overview.relevant += u64::from(is_relevant);
            if overview.pages.is_multiple_of(stride) {
                overview.curve.push((overview.pages, overview.relevant));
            }
            if overview.curve.len() > 2 * POINTS {
                stride *= 2;
                overview.curve.retain(|(pages, _)| pages.is_multiple_of(stride));
            }
            let host = CanonicalUrl::parse(&record.url)
                .map_or_else(|_| record.url.clone(), |url| url.host().to_owned());
            let figures = hosts.entry(host).or_default();
            figures.pages += 1;
            figures.relevant += u64::from(is_relevant);
            if !record.is_ok() {
                figures.failed += 1;
                let cause = match record.status {
                    Some(status) if status >= 400 => status.to_string(),
                    _ => record.outcome.as_str().to_owned(),
                };
                *overview.failures.entry(cause).or_default() += 1;
                continue;
            }
            overview.bodies += 1;
            overview.unwanted_language += u64::from(record.has(PageNote::UnwantedLanguage));
            overview.wrong_sense += u64::from(record.has(PageNote::WrongSense));
            overview.wordless += u64::from(record.fingerprint.is_none_or(|print| print == 0));
            if record.seed {
                overview.seeds += 1;
                let unfollowed = record.skipped.map_or(0, |skipped| skipped.nofollow);
                if record.has(PageNote::Nofollow) && unfollowed > 0 {
                    overview.nofollow_seeds += 1;
                    overview.nofollow_links += u64::from(unfollowed);
                }
                let is_off_topic = match &seed_words {
                    Some(words) => words.is_off_topic(&record).unwrap_or_default(),
                    None => !record.is_relevant(),
                };
                overview.seeds_off_topic += u64::from(is_off_topic);
            }
            let mut count = |table: fn(&mut Overview) -> &mut BTreeMap<String, (u64, u64)>, name: String| {
                let counts = table(&mut overview).entry(name).or_default();
                counts.0 += 1;
                counts.1 += u64::from(is_relevant);
            };
            if let Some(genre) = &record.genre {
                count(|overview| &mut overview.genres, genre.class.to_string());
            }
            let language = record.language.as_deref().unwrap_or("unknown").to_owned();
            count(|overview| &mut overview.languages, language);
            if let Some(relevance) = record.relevance.filter(|_| !record.hidden) {
                overview.best = Some(overview.best.map_or(relevance, |best| best.max(relevance)));
                // The smallest ids are a random choice, because an id is a hash.
                let id = page_id(&record.url);
                if sample.len() < PAGES || sample.last().is_some_and(|(last, _)| id < *last) {
                    let at = sample.partition_point(|(other, _)| *other < id);
                    if sample.get(at).is_none_or(|(other, _)| *other != id) {
                        sample.insert(at, (id, record));
                        sample.truncate(PAGES);
                    }
                }
            }
        }
        overview.breadth_first = BreadthFirst::of(found_at.into_iter());
        let end = (overview.pages, overview.relevant);
        if overview.curve.last() != Some(&end) {
            overview.curve.push(end);
        }
        overview.host_count = hosts.len() as u64;
        overview.hosts = hosts
            .into_iter()
            .map(|(host, figures)| HostFigures { host, ..figures })
            .collect();
        overview.hosts.sort_by(|a, b| {
            (b.relevant, b.pages)
                .cmp(&(a.relevant, a.pages))
                .then_with(|| a.host.cmp(&b.host))
        });
        overview.hosts.truncate(HOSTS);
        overview.sample = sample.into_iter().map(|(_, record)| record).collect();
        let ranking = self.ranked(&RankSettings::default())?;
        overview.near_duplicates = ranking.counts().near_duplicates;
        overview.hidden = ranking.counts().hidden;
        overview
            .hidden_relevant_by
            .clone_from(&ranking.counts().hidden_relevant_by);
        overview.best_pages = ranking.read(0..PAGES)?;
        Ok(overview)
    }
}

/// Whether an attempt failed because its host did not answer.
fn is_out_of_reach(record: &PageRecord) -> bool {
    matches!(record.outcome(), Some(Outcome::Failed(failure)) if failure.is_hosts_fault())
}
