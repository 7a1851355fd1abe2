//! From checked settings to the parts of a crawl.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use scenthound_config::{
    Deal, LearnFrom as LearnFromName, QueryMatch as QueryMatchName, Scope as ScopeName, Settings, Sitemaps,
    TableParents, TableSpace, Ties as TiesName,
};
use scenthound_engine::{
    Agent, AgentRules, Budget, CrawlSettings, LayerModelTrainer, PageSettings, Scope, ScopeKind,
    SeedAssignment, SitemapUse, assign_seeds,
};
use scenthound_fetch::{FetchSettings, Limits, Proxy};
use scenthound_frontier::HostPolicy;
use scenthound_judge::{
    DetectorKind, GenreDetector, HotWords, IdfTable, Judge, LayerModel, LayerSettings, LeftToStrategy,
    ModelKind, QueryJudge, QueryMatch, TableJudge, TableJudgeSettings, TermJudge, TermSets, TermSettings,
    TrainedJudge, Weights, WithGenre, WithLayers, WrongSense,
};
use scenthound_learn::Space;
use scenthound_live::LiveSettings;
use scenthound_store::ArchiveSettings;
use scenthound_strategy::{
    BestFirst, BreadthFirst, ContextGraph, Fish, Genre, GenreSettings, Layered, LearnFrom, LinkContext,
    LinkGenre, LinkWords, Opic, Otie, OtieSettings, ParentScore, PigTable, Placing, Random, SelfTaught,
    SelfTaughtSettings, Shark, Siblings, Strategy, TableSettings, Ties, TopicTable,
};
use scenthound_types::CanonicalUrl;
use scenthound_types::text::url_words;

/// The strategies that can be chosen by name.
pub const STRATEGIES: &[&str] = &[
    "breadth-first",
    "random",
    "best-first",
    "ps",
    "fs-1",
    "fs-2",
    "pfs-1",
    "pfs-2",
    "link-context",
    "opic",
    "otie",
    "shark",
    "fish",
    "genre",
    "context-graph",
    "layered",
    "table",
];

/// The judges that can be chosen by name.
pub const JUDGES: &[&str] = &[
    "terms",
    "bayes",
    "svm",
    "svm-rbf",
    "network",
    "logistic",
    "committee",
    "query",
    "table",
];

/// A crawl stops before the disk is fuller than this.
const MIN_FREE_BYTES: u64 = 200 << 20;

/// After a failure a host rests this many delays, doubled with each failure in a row…
const BACKOFF_DELAYS: u32 = 5;
/// …and never less than this.
const MIN_BACKOFF: Duration = Duration::from_millis(250);

/// The window over which a body's rate is measured.
const SLOW_WINDOW: Duration = Duration::from_secs(10);

/// The judge that a crawl's settings ask for. It tells genres where somebody wants to know them.
pub fn judge(settings: &Settings) -> Result<Arc<dyn Judge>> {
    let mut judge = judge_of_relevance(settings)?;
    if settings.strategy.kind == "genre" || !settings.crawl.genres.is_empty() {
        judge = Arc::new(WithGenre {
            judge,
            detector: detector_of(settings)?,
        });
    }
    if is_in_layers(&settings.strategy.kind) && !teaches_itself(settings) {
        judge = Arc::new(with_layers(judge, settings)?);
    }
    Ok(judge)
}

/// The judge with the model of layers that the settings name, and the topic's query for hot links.
fn with_layers(judge: Arc<dyn Judge>, settings: &Settings) -> Result<WithLayers> {
    let Some(path) = settings.strategy.layers.as_deref() else {
        bail!(
            "the strategy {} needs a model of layers: --layers FILE, or layers = \"FILE\" under [strategy]; make one with \
             hound train layers, or let the crawl teach itself with --learn-after 20",
            settings.strategy.kind
        );
    };
    let query = settings.topic.query.as_deref().unwrap_or(&settings.topic.name);
    Ok(WithLayers {
        judge,
        model: Arc::new(LayerModel::load(path)?),
        hot: HotWords::new(query, settings.strategy.hot_threshold),
    })
}

/// The detector that a crawl's settings ask for.
pub fn detector_of(settings: &Settings) -> Result<GenreDetector> {
    let judge = &settings.judge;
    let detector = match &judge.genre_model {
        Some(path) => GenreDetector::load(path)?,
        None => genre_detector(&judge.genre_detector)?,
    };
    match &judge.genre_words {
        None => Ok(detector),
        Some(path) => {
            let list = std::fs::read_to_string(path)
                .with_context(|| format!("{} cannot be read", path.display()))?;
            Ok(detector.with_words(&path.display().to_string(), &list)?)
        }
    }
}

/// A detector that comes with the program, by name, or that of a model file.
pub fn genre_detector(named: &str) -> Result<GenreDetector> {
    match DetectorKind::from_name(named) {
        Some(kind) => GenreDetector::shipped(kind)
            .cloned()
            .with_context(|| format!("this program was built without the detector {named}")),
        None => Ok(GenreDetector::load(Path::new(named))?),
    }
}

fn judge_of_relevance(settings: &Settings) -> Result<Arc<dyn Judge>> {
    match settings.judge.kind.as_str() {
        "query" => return query_judge(settings),
        "table" => return table_judge(settings),
        _ => {}
    }
    if let Some(kind) = ModelKind::from_name(&settings.judge.kind) {
        return trained_judge(kind, settings);
    }
    let idf = settings.judge.idf.as_deref().map(IdfTable::load).transpose()?;
    let judge = &settings.judge;
    let terms = TermSettings {
        genre: genre_terms(settings),
        content: settings.terms.content.clone(),
        url: settings.terms.url.clone(),
        exclude: settings.terms.exclude.clone(),
        exclude_at: settings.terms.min_exclude as usize,
        language: settings.topic.language,
        weights: Weights {
            genre: judge.genre_weight,
            content: judge.content_weight,
            text: judge.genre_content_weight,
            url: judge.url_weight,
        },
        sets: if judge.joint {
            TermSets::Joint
        } else {
            TermSets::Separate
        },
        threshold: judge.threshold,
        idf,
    };
    Ok(Arc::new(
        TermJudge::new(&terms).context("the terms of the topic make no judge")?,
    ))
}

fn query_judge(settings: &Settings) -> Result<Arc<dyn Judge>> {
    let query = settings.topic.query.as_deref().unwrap_or(&settings.topic.name);
    let wanted = match settings.judge.query_match {
        QueryMatchName::All => QueryMatch::All,
        QueryMatchName::Phrase => QueryMatch::Phrase,
        QueryMatchName::Any => QueryMatch::Any,
    };
    let judge = QueryJudge::new(query, wanted, settings.topic.language);
    Ok(Arc::new(judge.context("the query of the topic makes no judge")?))
}

/// A table from a file, or the strategy's own.
fn table_judge(settings: &Settings) -> Result<Arc<dyn Judge>> {
    match settings.judge.model.as_deref() {
        Some(path) => Ok(Arc::new(TableJudge::load(path, &table_judge_settings(settings))?)),
        None if strategy_judges(settings).is_some() => Ok(Arc::new(LeftToStrategy)),
        None => bail!(
            "the judge table needs a table: with --strategy table it is that of the crawl; for the strategy {} give --model \
             FILE, or model = \"FILE\" under [judge]; make one with hound train relevance --kind table",
            settings.strategy.kind
        ),
    }
}

/// How the judge table makes and reads its table.
pub fn table_judge_settings(settings: &Settings) -> TableJudgeSettings {
    TableJudgeSettings {
        size: settings.strategy.table_size as usize,
        space: table_space(settings),
        threshold: settings.judge.threshold,
    }
}

fn table_space(settings: &Settings) -> Space {
    match settings.strategy.table_space {
        TableSpace::Union => Space::Union,
        TableSpace::Table => Space::Table,
    }
}

/// The threshold, where pages are judged by what the strategy has learnt.
pub fn strategy_judges(settings: &Settings) -> Option<f64> {
    let is_own =
        settings.judge.kind == "table" && settings.strategy.kind == "table" && settings.judge.model.is_none();
    is_own.then_some(settings.judge.threshold)
}

/// The words of the wrong sense, where the topic has any.
pub fn wrong_sense(settings: &Settings) -> Result<Option<Arc<WrongSense>>> {
    let terms = &settings.terms;
    if terms.exclude.is_empty() {
        return Ok(None);
    }
    let sense = WrongSense::new(
        &terms.exclude,
        terms.min_exclude as usize,
        settings.topic.language,
    );
    Ok(Some(Arc::new(sense.context(
        "the exclude terms of the topic cannot be looked for",
    )?)))
}

fn trained_judge(kind: ModelKind, settings: &Settings) -> Result<Arc<dyn Judge>> {
    let Some(path) = settings.judge.model.as_deref() else {
        bail!(
            "the judge {name} needs a model: --model FILE, or model = \"FILE\" under [judge]; make one with hound train \
             relevance --kind {name}",
            name = kind.name()
        );
    };
    let judge = TrainedJudge::load(path)?;
    if judge.kind() != kind {
        bail!(
            "{}: holds a {} judge, not a {} one; write --judge {}",
            path.display(),
            judge.kind().name(),
            kind.name(),
            judge.kind().name()
        );
    }
    Ok(Arc::new(judge.with_threshold(settings.judge.threshold)?))
}

/// The user's own genre terms and those of the genres named.
fn genre_terms(settings: &Settings) -> Vec<String> {
    let named = settings
        .crawl
        .genres
        .iter()
        .filter_map(|name| scenthound_judge::genre_terms(name))
        .flatten();
    settings
        .terms
        .genre
        .iter()
        .cloned()
        .chain(named.map(|term| (*term).to_owned()))
        .collect()
}

pub fn strategy(settings: &Settings) -> Result<Box<dyn Strategy>> {
    let chosen = &settings.strategy;
    let siblings = |policy: Siblings| -> Box<dyn Strategy> {
        Box::new(Siblings {
            change_threshold: policy.change_threshold.map(|_| chosen.change_threshold),
            parents: chosen.parents,
            merge: chosen.merge,
            ties: match chosen.ties {
                TiesName::Fifo => Ties::Fifo,
                TiesName::Random => Ties::Random,
                TiesName::Probe => Ties::Probe,
            },
            ..policy
        })
    };
    Ok(match chosen.kind.as_str() {
        "breadth-first" => Box::new(BreadthFirst),
        "random" => Box::new(Random),
        "best-first" => Box::new(BestFirst),
        "link-context" => Box::new(LinkContext {
            page_weight: chosen.page_weight,
        }),
        "opic" => Box::new(Opic),
        "otie" => Box::new(Otie::new(OtieSettings {
            page_weight: chosen.page_weight,
            revision: chosen.revision,
            power: chosen.revision_power,
            revisit_every: chosen.recrawl_every,
            ..OtieSettings::default()
        })),
        "shark" => Box::new(Shark {
            decay: chosen.decay,
            inherited_weight: chosen.inherited_weight,
            anchor_weight: chosen.anchor_weight,
            life: chosen.fish_depth,
        }),
        "fish" => Box::new(Fish {
            life: chosen.fish_depth,
            width: chosen.fish_width,
        }),
        "genre" => Box::new(Genre::new(GenreSettings {
            relevance_weight: chosen.relevance_weight,
            table: chosen
                .pig
                .as_deref()
                .map(pig_table)
                .transpose()?
                .unwrap_or_default(),
            is_fixed: chosen.pig_fixed,
            threshold: settings.judge.threshold,
        })),
        "context-graph" | "layered" if teaches_itself(settings) => self_taught(settings),
        "context-graph" => Box::new(ContextGraph {
            layers: layers(settings)?,
            placing: placing(settings),
        }),
        "layered" => Box::new(Layered {
            layers: layers(settings)?,
            placing: placing(settings),
        }),
        "table" => Box::new(TopicTable::new(table_settings(settings)?)),
        "ps" => siblings(Siblings::PS),
        "fs-1" => siblings(Siblings::FS_1),
        "fs-2" => siblings(Siblings::FS_2),
        "pfs-1" => siblings(Siblings::PFS_1),
        "pfs-2" => siblings(Siblings::PFS_2),
        other => bail!("there is no strategy {other:?}"),
    })
}

/// Whether layers are learnt while crawling rather than read from a model.
pub fn teaches_itself(settings: &Settings) -> bool {
    is_in_layers(&settings.strategy.kind)
        && settings.strategy.layers.is_none()
        && settings.strategy.learn_after.is_some()
}

fn self_taught(settings: &Settings) -> Box<dyn Strategy> {
    let chosen = &settings.strategy;
    let usual = SelfTaughtSettings::default();
    let taught = SelfTaughtSettings {
        learn_after: chosen.learn_after.unwrap_or(usual.learn_after),
        from: match chosen.learn_from {
            LearnFromName::BestFirst => LearnFrom::BestFirst,
            LearnFromName::BreadthFirst => LearnFrom::BreadthFirst,
        },
        placing: placing(settings),
        reads_links: chosen.kind == "layered",
        ..usual
    };
    let query = settings.topic.query.as_deref().unwrap_or(&settings.topic.name);
    let trainer = LayerModelTrainer {
        settings: LayerSettings {
            layers: taught.layers,
            ..LayerSettings::default()
        },
        hot: HotWords::new(query, chosen.hot_threshold),
    };
    Box::new(SelfTaught::new(taught, Box::new(trainer)))
}

/// The words of links to pages of each kind, the user's own among them.
fn link_words(settings: &Settings) -> Result<LinkWords> {
    let mut words = LinkWords::shipped();
    if let Some(path) = &settings.strategy.link_words {
        let list =
            std::fs::read_to_string(path).with_context(|| format!("{} cannot be read", path.display()))?;
        words.add(&path.display().to_string(), &list)?;
    }
    Ok(words)
}

fn table_settings(settings: &Settings) -> Result<TableSettings> {
    let chosen = &settings.strategy;
    let words = link_words(settings)?;
    let genres = settings.crawl.genres.iter();
    Ok(TableSettings {
        size: chosen.table_size as usize,
        adds: chosen.table_adds,
        adds_from: chosen.table_adds_from,
        ceiling: chosen.table_ceiling as usize,
        space: table_space(settings),
        topic_weight: chosen.link_topic_weight,
        genre_weight: chosen.link_genre_weight,
        parents: match chosen.table_parents {
            TableParents::Sum => ParentScore::Sum,
            TableParents::Mean => ParentScore::Mean,
            TableParents::Max => ParentScore::Max,
        },
        vocabulary: chosen.table_vocabulary as usize,
        genres: genres.filter_map(|name| words.genre(name)).collect(),
    })
}

/// How many layers the model has; those of the lab's own graphs where no model is named.
fn layers(settings: &Settings) -> Result<u8> {
    Ok(match &settings.strategy.layers {
        Some(path) => LayerModel::load(path)?.layers(),
        None => LayerSettings::default().layers,
    })
}

fn placing(settings: &Settings) -> Placing {
    if settings.strategy.replace {
        Placing::Again
    } else {
        Placing::Once
    }
}

/// Whether a strategy goes by layers of a context graph.
pub fn is_in_layers(strategy: &str) -> bool {
    matches!(strategy, "context-graph" | "layered")
}

/// The table of where links on pages of each genre lead.
fn pig_table(path: &Path) -> Result<PigTable> {
    let text = std::fs::read_to_string(path).with_context(|| format!("{} cannot be read", path.display()))?;
    PigTable::from_toml(&text).with_context(|| path.display().to_string())
}

pub fn scope(settings: &Settings) -> Result<Scope> {
    let kind = match settings.crawl.scope {
        ScopeName::Any => ScopeKind::Any,
        ScopeName::Domain => ScopeKind::Domain,
        ScopeName::Host => ScopeKind::Host,
        ScopeName::Prefix => ScopeKind::Prefix,
    };
    let spelled = |patterns: &[scenthound_config::Pattern]| -> Vec<String> {
        patterns
            .iter()
            .map(|pattern| pattern.0.as_str().to_owned())
            .collect()
    };
    let (include, exclude) = (spelled(&settings.crawl.include), spelled(&settings.crawl.exclude));
    Scope::new(kind, &settings.seeds.urls, &include, &exclude)
        .context("the include and exclude patterns are too large together")
}

/// What holds for each agent.
pub fn agent_rules(settings: &Settings) -> AgentRules {
    let crawl = &settings.crawl;
    AgentRules {
        goal: crawl.goal,
        requests: crawl.agent_requests.map(|most| most as usize),
        redistribute: crawl.redistribute,
    }
}

/// The agents of a crawl, each with its seeds.
pub fn agents(settings: &Settings) -> Result<Vec<Agent>> {
    agents_from(settings, &settings.seeds.urls)
}

/// The agents of a crawl that begins at these seeds.
pub fn agents_from(settings: &Settings, seeds: &[CanonicalUrl]) -> Result<Vec<Agent>> {
    let wanted = usize::from(settings.crawl.agents);
    if wanted == 1 {
        return Ok(vec![Agent::alone(strategy(settings)?, seeds)]);
    }
    let dealing = match settings.crawl.deal {
        Deal::Even => SeedAssignment::Even,
        Deal::Host => SeedAssignment::ByHost,
        Deal::Genre => SeedAssignment::ByGenre,
    };
    let words = link_words(settings)?;
    let kinds: Vec<LinkGenre> = match settings.crawl.genres.as_slice() {
        [] => USUAL_KINDS.iter().filter_map(|name| words.genre(name)).collect(),
        named => named.iter().filter_map(|name| words.genre(name)).collect(),
    };
    assign_seeds(seeds, wanted, dealing, &|seed| kind_of_address(&kinds, seed))
        .into_iter()
        .map(|assignment| {
            Ok(Agent {
                name: assignment.name,
                strategy: strategy(settings)?,
                seeds: assignment.seeds,
            })
        })
        .collect()
}

/// Kinds of pages that seeds are dealt out by where nobody names any.
const USUAL_KINDS: [&str; 3] = ["news", "blog", "forum"];

/// The kind of page that an address speaks of most; "web" where it speaks of none.
fn kind_of_address(kinds: &[LinkGenre], url: &CanonicalUrl) -> String {
    let words: Vec<u64> = url_words(url.as_str()).iter().map(|token| token.hash()).collect();
    let mut best = ("web", 0.0);
    for kind in kinds {
        let share = kind.share_of(&words);
        if share > best.1 {
            best = (&kind.name, share);
        }
    }
    best.0.to_owned()
}

pub fn policy(settings: &Settings) -> HostPolicy {
    let crawl = &settings.crawl;
    HostPolicy {
        delay: crawl.delay,
        max_delay: crawl.max_delay,
        backoff: (crawl.delay * BACKOFF_DELAYS).max(MIN_BACKOFF),
        connections_per_host: crawl.connections_per_host,
        max_pages_per_host: crawl.max_pages_per_host,
        robots: !crawl.ignore_robots,
        agents: crawl.agents,
        expire_after: crawl.expire_after,
        expire_after_pages: crawl.expire_after_pages,
        max_waiting: crawl.max_waiting,
        ..HostPolicy::default()
    }
}

/// How long a crawl waits with nothing but resting hosts left: long enough for every rest that is part of its manners.
fn patience(crawl: &scenthound_config::CrawlSettings) -> Duration {
    let longest = crawl
        .max_delay
        .max(crawl.delay)
        .saturating_mul(2 * BACKOFF_DELAYS);
    CrawlSettings::default().patience.max(longest)
}

fn fetch(settings: &Settings) -> Result<FetchSettings> {
    let crawl = &settings.crawl;
    let bytes = |size: u64| usize::try_from(size).unwrap_or(usize::MAX);
    let languages: Vec<_> = crawl
        .lang
        .iter()
        .map(|language| language.code().to_owned())
        .collect();
    Ok(FetchSettings {
        accept_language: (!languages.is_empty()).then(|| languages.join(", ")),
        limits: Limits {
            connect: crawl.connect_timeout,
            first_byte: crawl.first_byte_timeout,
            whole_body: crawl.body_timeout,
            slow_bytes: bytes(crawl.slowest_rate.saturating_mul(SLOW_WINDOW.as_secs())),
            slow_window: SLOW_WINDOW,
            wire_bytes: bytes(crawl.max_wire_bytes),
            decoded_bytes: bytes(crawl.max_page_bytes),
            ..Limits::default()
        },
        allowed_nets: crawl.allow_net.clone(),
        resolver: crawl.resolver,
        proxy: crawl
            .proxy
            .as_ref()
            .map(|url| Proxy::parse(url.as_str()))
            .transpose()
            .context("--proxy")?,
        ca_files: crawl.ca_file.iter().cloned().collect(),
        ..FetchSettings::new(settings.user_agent())
    })
}

pub fn live(settings: &Settings) -> Result<LiveSettings> {
    let crawl = &settings.crawl;
    let scope = scope(settings)?;
    let mut archive = ArchiveSettings::named(&settings.topic.name, crawl.seed);
    archive
        .info
        .push(("http-header-user-agent".to_owned(), settings.user_agent()));
    archive.info.push((
        "robots".to_owned(),
        if crawl.ignore_robots { "ignore" } else { "classic" }.to_owned(),
    ));
    archive
        .info
        .push(("description".to_owned(), settings.topic.name.clone()));
    if let Some(contact) = &crawl.contact {
        archive.info.push(("operator".to_owned(), contact.clone()));
    }
    Ok(LiveSettings {
        seed: crawl.seed,
        concurrency: crawl.concurrency as usize,
        ip_delay: crawl.ip_delay,
        min_free_bytes: MIN_FREE_BYTES,
        threads: 0,
        policy: policy(settings),
        processor: PageSettings {
            scope: scope.clone(),
            max_depth: crawl.depth,
            width: crawl.width,
            follow_nofollow: crawl.follow_nofollow,
            languages: crawl.lang.clone(),
            wrong_sense: wrong_sense(settings)?,
            limits: Default::default(),
        },
        crawl: CrawlSettings {
            budget: Budget {
                pages: crawl.max_pages,
                time: crawl.max_time,
                bytes: crawl.max_bytes,
            },
            scope,
            retries: crawl.retries,
            redirects: crawl.redirects,
            robots: !crawl.ignore_robots,
            sitemaps: match crawl.sitemaps {
                Sitemaps::Off => SitemapUse::Off,
                Sitemaps::Seeds => SitemapUse::Seeds,
                Sitemaps::All => SitemapUse::All,
            },
            list_size: crawl.list_size as usize,
            agents: agent_rules(settings),
            strategy_judges: strategy_judges(settings),
            patience: patience(crawl),
        },
        fetch: fetch(settings)?,
        archive,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_are_dealt_by_the_kind_their_addresses_speak_of() {
        let kinds: Vec<LinkGenre> = USUAL_KINDS
            .iter()
            .filter_map(|name| LinkWords::shipped().genre(name))
            .collect();
        assert_eq!(kinds.len(), USUAL_KINDS.len());
        let kind = |url: &str| kind_of_address(&kinds, &CanonicalUrl::parse(url).unwrap());
        assert_eq!(kind("https://example.org/news/2026/tea"), "news");
        assert_eq!(kind("https://blog.example.org/tea"), "blog");
        assert_eq!(kind("https://example.org/forum/thread/5"), "forum");
        assert_eq!(kind("https://example.org/tea"), "web");
    }

    #[test]
    fn every_genre_that_can_be_named_has_its_terms() {
        let genre = scenthound_config::options().find(|option| option.name == "genre");
        let scenthound_config::Kind::Choice(names) = genre.map(|option| &option.kind).unwrap() else {
            panic!("genres are chosen by name");
        };
        for name in *names {
            assert!(
                scenthound_judge::genre_terms(name).is_some_and(|terms| terms.len() >= 5),
                "{name}"
            );
            assert!(
                scenthound_strategy::LinkWords::shipped().genre(name).is_some(),
                "{name}"
            );
        }
    }
}
