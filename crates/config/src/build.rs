//! Builds the parts of a crawl from checked settings: its judge, its strategies and agents, its limits.
//!
//! The command line, the library and the lab all build these parts here, so that a setting means the same everywhere.
//!
//! Deliberately absent: sockets and archives. The library builds what only a live crawl needs.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use scenthound_engine::{
    Agent, AgentRules, Budget, CrawlSettings, LayerModelTrainer, PageSettings, Scope, StopRules, TrapRules,
    assign_seeds,
};
use scenthound_frontier::HostPolicy;
use scenthound_judge::{
    Background, DetectorKind, GenreDetector, HotWords, IdfTable, Judge, JudgeFault, JudgeKind, LayerModel,
    LayerSettings, LeftToStrategy, ModelKind, QueryJudge, Stemmed, TableJudge, TableJudgeSettings, TermJudge,
    TermSets, TermSettings, TopicJudge, TopicSettings as TopicJudgeSettings, TopicWords, TrainedJudge,
    Weights, WithGenre, WithLayers, WrongSense,
};
use scenthound_strategy::{
    Ache, Bandit, BestFirst, BreadthFirst, ContextGraph, Fish, Genre, GenreSettings, Layered, LinkContext,
    LinkGenre, LinkWords, Opic, Otie, OtieSettings, PigError, PigTable, Placing, Queues, Random, Scent,
    ScentSettings, SelfTaught, SelfTaughtSettings, Shark, Siblings, Strategy, StrategyKind, TableSettings,
    TopicTable, Tunnel,
};
use scenthound_types::text::{Stemmer, Stemming, url_words};
use scenthound_types::{CanonicalUrl, Documents, WordListFault};
use thiserror::Error;

use crate::settings::Settings;

/// After a failure a host rests for this many delays, doubled with each further failure in a row…
const BACKOFF_DELAYS: u32 = 5;
/// …and never less than this.
const MIN_BACKOFF: Duration = Duration::from_millis(250);

/// The genres by which seeds are assigned if the settings name none.
const USUAL_KINDS: [&str; 3] = ["news", "blog", "forum"];

/// Why a crawl could not be built from valid settings: mostly files that are missing or of the wrong kind.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum BuildError {
    /// No judge could be built from the topic.
    #[error("could not build a judge from the topic: {0}")]
    Topic(#[source] JudgeFault),
    /// A model or a table of a judge could not be used.
    #[error(transparent)]
    Judge(#[from] JudgeFault),
    /// A file could not be read.
    #[error("could not read {}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The table for the strategy genre is not valid.
    #[error("{}: {source}", path.display())]
    Pig {
        /// The file.
        path: PathBuf,
        /// Why.
        source: PigError,
    },
    /// The table of document frequencies is not valid.
    #[error("{} is not a table of how rare terms are; hound lab background makes one", path.display())]
    NotABackground {
        /// The file.
        path: PathBuf,
    },
    /// The list of link words is not valid.
    #[error(transparent)]
    LinkWords(#[from] WordListFault),
    /// The patterns of the scope are too large in total.
    #[error("the include and exclude patterns together are too large")]
    Scope(#[source] regex::Error),
    /// There is no built-in model of this detector.
    #[error(
        "the genre detector {name} has no built-in model, because nine features do not recognise pages of new sites; train it on \
         pages of your own with hound train genre --detector {name}, and give the model: genre-model=FILE"
    )]
    NoDetector {
        /// The detector.
        name: String,
    },
    /// A strategy that uses layers has no model of them.
    #[error(
        "the strategy {strategy} needs a layer model: write --strategy {strategy}:layers=FILE with a file made by hound \
         train layers, or let the crawl learn one: --strategy {strategy}:learn-after=20"
    )]
    NeedsLayers {
        /// The strategy.
        strategy: StrategyKind,
    },
    /// Layers are learnt from words as they are spelled.
    #[error(
        "the strategy {strategy} compares words as they are spelled; leave stem out of the judge's settings, or choose another \
         strategy"
    )]
    StemsAndLayers {
        /// The strategy.
        strategy: StrategyKind,
    },
    /// The topic judge has a way of its own to fold words.
    #[error(
        "the judge topic folds plurals itself and has no setting stem; leave it out, or choose another judge, such as terms"
    )]
    StemsAndTopic,
    /// The judge table has no table.
    #[error(
        "the judge table needs a table: --strategy table learns one from the seeds; with the strategy {strategy} write \
         --judge table:model=FILE with a file made by hound train relevance --kind table"
    )]
    NeedsTable {
        /// The strategy.
        strategy: StrategyKind,
    },
    /// The judge or strategy belongs to another program.
    #[error(
        "this crawl uses the {what} {name:?} of the program that started it; only that program can continue it"
    )]
    Custom {
        /// `judge` or `strategy`.
        what: &'static str,
        /// Its name.
        name: String,
    },
    /// A trained judge has no model.
    #[error(
        "the judge {judge} needs a model: write --judge {judge}:model=FILE with a file made by hound train relevance \
         --kind {judge}"
    )]
    NeedsModel {
        /// The judge.
        judge: JudgeKind,
    },
    /// The model was trained on other stems than those asked for.
    #[error(
        "{} was trained with stem={found}, which also holds for the crawl; leave stem out, or train with hound train relevance --stem",
        path.display()
    )]
    OtherStems {
        /// The file.
        path: PathBuf,
        /// Whose stems it was trained on.
        found: Stemming,
    },
    /// The model belongs to another judge.
    #[error("{} holds a {found} judge, not a {wanted} judge; write --judge {found}:model={}", path.display(), path.display())]
    WrongModel {
        /// The file.
        path: PathBuf,
        /// The kind of judge it holds.
        found: &'static str,
        /// The kind of judge that was requested.
        wanted: &'static str,
    },
}

fn read(path: &Path) -> Result<String, BuildError> {
    std::fs::read_to_string(path).map_err(|source| BuildError::Unreadable {
        path: path.to_owned(),
        source,
    })
}

/// A built-in genre detector, by name, or one from a model file.
pub fn genre_detector(named: &str) -> Result<GenreDetector, BuildError> {
    match DetectorKind::from_name(named) {
        Some(kind) => GenreDetector::shipped(kind)
            .cloned()
            .ok_or_else(|| BuildError::NoDetector {
                name: named.to_owned(),
            }),
        None => Ok(GenreDetector::load(Path::new(named))?),
    }
}

/// The judge of a crawl.
impl Settings {
    /// The judge that the settings ask for. It detects genres if the settings name any, or if the strategy uses them.
    pub fn judge(&self) -> Result<Arc<dyn Judge>, BuildError> {
        if self.strategy.kind.uses_layers() && self.stemming() != Stemming::None {
            return Err(BuildError::StemsAndLayers {
                strategy: self.strategy.kind,
            });
        }
        let mut judge = self.relevance_judge()?;
        if self.strategy.kind == StrategyKind::Genre || !self.crawl.genres.is_empty() {
            judge = Arc::new(WithGenre {
                judge,
                detector: self.genre_detector()?,
            });
        }
        if self.strategy.kind.uses_layers() && !self.learns_layers() {
            judge = Arc::new(WithLayers {
                judge,
                model: Arc::new(LayerModel::load(self.layer_model()?)?),
                hot: self.hot_words(),
            });
        }
        Ok(judge)
    }

    fn relevance_judge(&self) -> Result<Arc<dyn Judge>, BuildError> {
        if let Some(name) = self.judge.custom.clone() {
            return Err(BuildError::Custom { what: "judge", name });
        }
        if let Some(model) = self.judge.kind.model() {
            return self.trained_judge(model);
        }
        let judge = self.untrained_judge()?;
        Ok(match self.judge.stem {
            Stemming::None => judge,
            stemming => Arc::new(Stemmed {
                judge,
                stemming,
                language: self.topic.language,
            }),
        })
    }

    /// Whose stems words are reduced to: those asked for, or those that the model was trained on.
    fn stemming(&self) -> Stemming {
        match (
            self.judge.stem,
            self.judge.kind.model(),
            self.judge.model.as_deref(),
        ) {
            // A model that cannot be read is reported where the judge is built.
            (Stemming::None, Some(_), Some(path)) => {
                TrainedJudge::load(path).map_or(Stemming::None, |judge| judge.stemming())
            }
            (asked, ..) => asked,
        }
    }

    /// What reduces the words of the topic to stems, if anything does.
    fn stemmer(&self) -> Option<Stemmer> {
        self.stemming().stemmer(self.topic.language)
    }

    fn untrained_judge(&self) -> Result<Arc<dyn Judge>, BuildError> {
        Ok(match self.judge.kind {
            JudgeKind::Topic if self.judge.stem != Stemming::None => return Err(BuildError::StemsAndTopic),
            JudgeKind::Topic => Arc::new(self.topic_judge()?),
            JudgeKind::Query => {
                let judge = QueryJudge::with_stems(
                    self.query(),
                    self.judge.query_match,
                    self.topic.language,
                    self.stemmer(),
                );
                Arc::new(judge.map_err(BuildError::Topic)?.reading(self.judge.text))
            }
            JudgeKind::Table => match self.judge.model.as_deref() {
                Some(path) => Arc::new(TableJudge::load(path, &self.table_judge_settings())?),
                None if self.strategy_judges().is_some() => Arc::new(LeftToStrategy),
                None => {
                    return Err(BuildError::NeedsTable {
                        strategy: self.strategy.kind,
                    });
                }
            },
            _ => Arc::new(TermJudge::new(&self.term_settings()?).map_err(BuildError::Topic)?),
        })
    }

    /// The topic judge before it has seen any page.
    pub fn topic_judge(&self) -> Result<TopicJudge, BuildError> {
        let words = TopicWords {
            query: self.topic_query(),
            genre: self.genre_terms(),
            content: self.terms.content.clone(),
            language: self.topic.language,
        };
        let background = match self.judge.background.as_deref() {
            None => Background::shipped().clone(),
            Some(path) => {
                let bytes = std::fs::read(path).map_err(|source| BuildError::Unreadable {
                    path: path.to_owned(),
                    source,
                })?;
                let table = Background::from_bytes(&bytes).ok_or_else(|| BuildError::NotABackground {
                    path: path.to_owned(),
                })?;
                Arc::new(table)
            }
        };
        let settings = TopicJudgeSettings {
            threshold: self.judge.threshold,
            learns: self.judge.learn,
            background,
            text: self.judge.text,
        };
        TopicJudge::new(&words, settings).map_err(BuildError::Topic)
    }

    /// The query, or what the topic was given as: words on the command line are a query.
    fn topic_query(&self) -> String {
        match &self.topic.query {
            Some(query) => query.clone(),
            None if self.terms.content.contains(&self.topic.name) => self.topic.name.clone(),
            None => String::new(),
        }
    }

    fn trained_judge(&self, model: ModelKind) -> Result<Arc<dyn Judge>, BuildError> {
        let Some(path) = self.judge.model.as_deref() else {
            return Err(BuildError::NeedsModel {
                judge: self.judge.kind,
            });
        };
        let judge = TrainedJudge::load(path)?;
        if judge.kind() != model {
            return Err(BuildError::WrongModel {
                path: path.to_owned(),
                found: judge.kind().name(),
                wanted: model.name(),
            });
        }
        // A judge without a model of stems would compare stems with words.
        if self.judge.stem != Stemming::None && self.judge.stem != judge.stemming() {
            return Err(BuildError::OtherStems {
                path: path.to_owned(),
                found: judge.stemming(),
            });
        }
        Ok(Arc::new(judge.with_threshold(self.judge.threshold)?))
    }

    /// The settings of the term judge.
    pub fn term_settings(&self) -> Result<TermSettings, BuildError> {
        let judge = &self.judge;
        Ok(TermSettings {
            genre: self.genre_terms(),
            content: self.terms.content.clone(),
            url: self.terms.url.clone(),
            exclude: self.terms.exclude.clone(),
            exclude_at: self.terms.min_exclude as usize,
            language: self.topic.language,
            stemmer: self.stemmer(),
            weights: Weights {
                genre: judge.genre_weight,
                content: judge.content_weight,
                text: judge.genre_content_weight,
                url: judge.url_weight,
            },
            combine: judge.combine,
            sets: if judge.joint {
                TermSets::Joint
            } else {
                TermSets::Separate
            },
            threshold: judge.threshold,
            idf: judge.idf.as_deref().map(IdfTable::load).transpose()?,
            text: judge.text,
        })
    }

    /// The user's own genre terms and those of the genres chosen.
    fn genre_terms(&self) -> Vec<String> {
        let named = self.crawl.genres.iter();
        let named = named
            .filter_map(|name| scenthound_judge::genre_terms(name))
            .flatten();
        let own = self.terms.genre.iter().cloned();
        own.chain(named.map(|term| (*term).to_owned())).collect()
    }

    /// How the table judge builds and reads its table.
    pub fn table_judge_settings(&self) -> TableJudgeSettings {
        TableJudgeSettings {
            size: self.strategy.table_size as usize,
            space: self.strategy.table_space,
            threshold: self.judge.threshold,
        }
    }

    /// The genre detector that the settings ask for.
    pub fn genre_detector(&self) -> Result<GenreDetector, BuildError> {
        let detector = match &self.judge.genre_model {
            Some(path) => GenreDetector::load(path)?,
            None => genre_detector(&self.judge.genre_detector)?,
        };
        match &self.judge.genre_words {
            None => Ok(detector),
            Some(path) => Ok(detector.with_words(&path.display().to_string(), &read(path)?)?),
        }
    }

    /// The words of the wrong sense, if the topic has any.
    pub fn wrong_sense(&self) -> Result<Option<Arc<WrongSense>>, BuildError> {
        let terms = &self.terms;
        if terms.exclude.is_empty() {
            return Ok(None);
        }
        let sense = WrongSense::with_stems(
            &terms.exclude,
            terms.min_exclude as usize,
            self.topic.language,
            self.stemmer(),
        );
        Ok(Some(Arc::new(sense.map_err(BuildError::Topic)?)))
    }

    /// The topic as a query for a search engine.
    pub fn query(&self) -> &str {
        self.topic.query.as_deref().unwrap_or(&self.topic.name)
    }

    /// The threshold, if pages are judged by what the strategy has learnt.
    pub fn strategy_judges(&self) -> Option<f64> {
        let is_own = self.judge.kind == JudgeKind::Table
            && self.strategy.kind == StrategyKind::Table
            && self.judge.model.is_none();
        is_own.then_some(self.judge.threshold)
    }

    /// Whether layers are learnt while crawling rather than read from a model.
    pub fn learns_layers(&self) -> bool {
        let strategy = &self.strategy;
        strategy.kind.uses_layers() && strategy.layers.is_none() && strategy.learn_after.is_some()
    }

    fn layer_model(&self) -> Result<&Path, BuildError> {
        self.strategy.layers.as_deref().ok_or(BuildError::NeedsLayers {
            strategy: self.strategy.kind,
        })
    }

    fn hot_words(&self) -> HotWords {
        HotWords::new(self.query(), self.strategy.hot_threshold)
    }
}

/// The strategy of a crawl.
impl Settings {
    /// The strategy that the settings ask for.
    pub fn strategy(&self) -> Result<Box<dyn Strategy>, BuildError> {
        let chosen = &self.strategy;
        if let Some(name) = chosen.custom.clone() {
            return Err(BuildError::Custom {
                what: "strategy",
                name,
            });
        }
        let siblings = |policy: Siblings| -> Box<dyn Strategy> {
            Box::new(Siblings {
                change_threshold: policy.change_threshold.map(|_| chosen.change_threshold),
                parents: chosen.parents,
                merge: chosen.merge,
                ties: chosen.ties,
                ..policy
            })
        };
        Ok(match chosen.kind {
            StrategyKind::BreadthFirst => Box::new(BreadthFirst),
            StrategyKind::Random => Box::new(Random),
            StrategyKind::BestFirst => Box::new(BestFirst),
            StrategyKind::Ps => siblings(Siblings::PS),
            StrategyKind::Fs1 => siblings(Siblings::FS_1),
            StrategyKind::Fs2 => siblings(Siblings::FS_2),
            StrategyKind::Pfs1 => siblings(Siblings::PFS_1),
            StrategyKind::Pfs2 => siblings(Siblings::PFS_2),
            StrategyKind::LinkContext => Box::new(LinkContext {
                page_weight: chosen.page_weight,
            }),
            StrategyKind::Opic => Box::new(Opic::with_revisits(chosen.history_every)),
            StrategyKind::Otie => Box::new(Otie::new(OtieSettings {
                page_weight: chosen.page_weight,
                revision: chosen.revision,
                power: chosen.revision_power,
                revisit_every: chosen.recrawl_every,
                ..OtieSettings::default()
            })),
            StrategyKind::Shark => Box::new(Shark {
                decay: chosen.decay,
                inherited_weight: chosen.inherited_weight,
                anchor_weight: chosen.anchor_weight,
                life: chosen.fish_depth,
            }),
            StrategyKind::Fish => Box::new(Fish {
                life: chosen.fish_depth,
                width: chosen.fish_width,
            }),
            StrategyKind::Genre => Box::new(Genre::new(GenreSettings {
                relevance_weight: chosen.relevance_weight,
                table: self.pig_table()?,
                is_fixed: chosen.pig_fixed,
                threshold: self.judge.threshold,
            })),
            StrategyKind::ContextGraph | StrategyKind::Layered if self.learns_layers() => self.self_taught(),
            StrategyKind::ContextGraph => Box::new(ContextGraph {
                layers: self.layers()?,
                placing: self.placing(),
            }),
            StrategyKind::Layered => Box::new(Layered {
                layers: self.layers()?,
                placing: self.placing(),
            }),
            StrategyKind::Table => Box::new(TopicTable::new(self.table_settings()?)),
            StrategyKind::Ache => Box::new(Ache::new(chosen.ache_batch)),
            StrategyKind::Bandit => Box::new(Bandit::new(chosen.bandit_explore)),
            StrategyKind::Tunnel => Box::new(Tunnel {
                cutoff: chosen.tunnel_cutoff,
            }),
            StrategyKind::Scent => Box::new(Scent::new(ScentSettings {
                explore: chosen.explore,
                ..ScentSettings::default()
            })),
        })
    }

    /// The queues of a strategy that has one per layer; `None` for others, and if its model cannot be read.
    pub fn layer_queues(&self) -> Option<Queues> {
        if !self.strategy.kind.uses_layers() {
            return None;
        }
        let layers = match self.learns_layers() {
            true => SelfTaughtSettings::default().layers,
            false => self.layers().ok()?,
        };
        Some(Queues {
            layers,
            reads_links: self.strategy.kind == StrategyKind::Layered,
        })
    }

    fn self_taught(&self) -> Box<dyn Strategy> {
        let chosen = &self.strategy;
        let usual = SelfTaughtSettings::default();
        let taught = SelfTaughtSettings {
            learn_after: chosen.learn_after.unwrap_or(usual.learn_after),
            from: chosen.learn_from,
            placing: self.placing(),
            reads_links: chosen.kind == StrategyKind::Layered,
            ..usual
        };
        let trainer = LayerModelTrainer {
            settings: LayerSettings {
                layers: taught.layers,
                ..LayerSettings::default()
            },
            hot: self.hot_words(),
        };
        Box::new(SelfTaught::new(taught, Box::new(trainer)))
    }

    /// How often links on pages of each genre lead to relevant pages, as the user specified.
    fn pig_table(&self) -> Result<PigTable, BuildError> {
        let Some(path) = self.strategy.pig.as_deref() else {
            return Ok(PigTable::default());
        };
        PigTable::from_toml(&read(path)?).map_err(|source| BuildError::Pig {
            path: path.to_owned(),
            source,
        })
    }

    /// The words of links to pages of each genre, including the user's own.
    fn link_words(&self) -> Result<LinkWords, BuildError> {
        let mut words = LinkWords::shipped();
        if let Some(path) = &self.strategy.link_words {
            words.add(&path.display().to_string(), &read(path)?)?;
        }
        Ok(words)
    }

    fn table_settings(&self) -> Result<TableSettings, BuildError> {
        let chosen = &self.strategy;
        let words = self.link_words()?.by_stems(self.stemming());
        let genres = self.crawl.genres.iter();
        Ok(TableSettings {
            size: chosen.table_size as usize,
            adds: chosen.table_adds,
            adds_from: chosen.table_adds_from,
            ceiling: chosen.table_ceiling as usize,
            space: chosen.table_space,
            topic_weight: chosen.link_topic_weight,
            genre_weight: chosen.link_genre_weight,
            parents: chosen.table_parents,
            vocabulary: chosen.table_vocabulary as usize,
            rescore_every: u64::from(chosen.table_rescore_every),
            genres: genres.filter_map(|name| words.genre(name)).collect(),
        })
    }

    /// How many layers the model has; without a model, as many as the lab's own graphs have.
    fn layers(&self) -> Result<u8, BuildError> {
        Ok(match &self.strategy.layers {
            Some(path) => LayerModel::load(path)?.layers(),
            None => LayerSettings::default().layers,
        })
    }

    fn placing(&self) -> Placing {
        if self.strategy.replace {
            Placing::Again
        } else {
            Placing::Once
        }
    }

    /// The agents of a crawl from these seeds.
    pub fn agents(&self, seeds: &[CanonicalUrl]) -> Result<Vec<Agent>, BuildError> {
        let wanted = usize::from(self.crawl.agents);
        if wanted == 1 {
            return Ok(vec![Agent::alone(self.strategy()?, seeds)]);
        }
        let words = self.link_words()?;
        let kinds: Vec<LinkGenre> = match self.crawl.genres.as_slice() {
            [] => USUAL_KINDS.iter().filter_map(|name| words.genre(name)).collect(),
            named => named.iter().filter_map(|name| words.genre(name)).collect(),
        };
        assign_seeds(seeds, wanted, self.crawl.assign_seeds, &|seed| {
            kind_of_address(&kinds, seed)
        })
        .into_iter()
        .map(|assignment| {
            Ok(Agent {
                name: assignment.name,
                strategy: self.strategy()?,
                seeds: assignment.seeds,
            })
        })
        .collect()
    }
}

/// The genre that a URL suggests most strongly; "web" if it suggests none.
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

/// The limits of a crawl.
impl Settings {
    /// Which URLs belong to the crawl.
    pub fn scope(&self) -> Result<Scope, BuildError> {
        let spelled = |patterns: &[crate::Pattern]| -> Vec<String> {
            patterns
                .iter()
                .map(|pattern| pattern.0.as_str().to_owned())
                .collect()
        };
        let (include, exclude) = (spelled(&self.crawl.include), spelled(&self.crawl.exclude));
        Scope::new(self.crawl.scope, &self.seeds.urls, &include, &exclude)
            .map(|scope| {
                scope
                    .with_circular_paths(self.crawl.allow_traps)
                    .with_documents(self.documents())
            })
            .map_err(BuildError::Scope)
    }

    /// Whether documents such as PDF files are read.
    pub fn documents(&self) -> Documents {
        if self.crawl.skip_documents {
            Documents::Skip
        } else {
            Documents::Read
        }
    }

    /// How hosts are treated, and how long links may wait.
    pub fn host_policy(&self) -> HostPolicy {
        let crawl = &self.crawl;
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

    /// Which pages and links are used.
    pub fn page_settings(&self) -> Result<PageSettings, BuildError> {
        let crawl = &self.crawl;
        Ok(PageSettings {
            scope: self.scope()?,
            max_depth: crawl.depth,
            max_site_depth: crawl.site_depth,
            width: crawl.width,
            follow_nofollow: crawl.follow_nofollow,
            languages: crawl.lang.clone(),
            wrong_sense: self.wrong_sense()?,
            requisites: crawl.requisites.clone(),
            limits: Default::default(),
        })
    }

    /// The limits and budgets of the crawl as a whole.
    pub fn crawl_settings(&self) -> Result<CrawlSettings, BuildError> {
        let crawl = &self.crawl;
        Ok(CrawlSettings {
            budget: Budget {
                pages: crawl.max_pages,
                time: crawl.max_time,
                bytes: crawl.max_bytes,
            },
            scope: self.scope()?,
            retries: crawl.retries,
            redirects: crawl.redirects,
            robots: !crawl.ignore_robots,
            sitemaps: crawl.sitemaps,
            list_size: match crawl.list_size {
                Some(links) => links as usize,
                // A strategy that cannot be made is reported where it is needed.
                None => self.strategy().map_or(0, |strategy| strategy.needs().list_size),
            },
            agents: AgentRules {
                goal: crawl.goal,
                requests: crawl.agent_requests.map(|most| most as usize),
                redistribute: crawl.redistribute,
            },
            strategy_judges: self.strategy_judges(),
            traps: (!crawl.allow_traps).then_some(TrapRules {
                host_allowance: crawl.host_allowance,
                pattern_allowance: crawl.pattern_allowance,
                host_limit: crawl.host_limit,
                new_hosts_per_page: crawl.new_hosts_per_page,
                new_hosts_per_domain: crawl.new_hosts_per_domain,
            }),
            finds_duplicates: !crawl.follow_duplicates,
            stop: StopRules {
                least_yield: crawl.least_yield,
                enough: crawl.enough,
            },
            requisites: (!crawl.requisites.is_empty()).then_some(crawl.max_requisites),
            patience: self.patience(),
        })
    }

    /// How long a crawl waits when only resting hosts are left: long enough for every rest that politeness requires.
    fn patience(&self) -> Duration {
        let longest = self.crawl.max_delay.max(self.crawl.delay);
        CrawlSettings::default()
            .patience
            .max(longest.saturating_mul(2 * BACKOFF_DELAYS))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_are_assigned_by_the_kind_their_addresses_suggest() {
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
    fn every_genre_that_can_be_named_has_terms_and_link_words() {
        for name in scenthound_types::GENRES {
            let terms = scenthound_judge::genre_terms(name);
            assert!(terms.is_some_and(|terms| terms.len() >= 5), "{name}");
            assert!(LinkWords::shipped().genre(name).is_some(), "{name}");
        }
    }
}
