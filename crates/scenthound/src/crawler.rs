//! A crawl as a value: build it, run it, stop it, resume it.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use scenthound_cluster::{CrawlLabel, Keyspace, Link};
use scenthound_config::{
    BuildError, Change, Faults, Given, IpNet, Settings, Surroundings, changes, check, check_topic,
};
use scenthound_engine::Agent;
use scenthound_judge::Judge;
use scenthound_live::{ClusterNode, Ended, LiveError, LiveEvent, LiveSettings, StopSwitch, Summary};
use scenthound_store::{CrawlFolder, CrawlView, TopicSteering};
use scenthound_strategy::Strategy;
use scenthound_types::Keyring;
use thiserror::Error;

use crate::event::{Event, Translator};
use crate::examples::{ExampleCounts, add_examples, example_urls};
use crate::gather::{NODE_FILE, gathered_from};
use crate::inputs::{InputError, InputNotice};
use crate::kept_files;
use crate::live::{LiveBuildError, live_settings};
use crate::steering::SteeredTopic;
use crate::topic::Topic;

/// Why a crawl could not be built or run.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CrawlerError {
    /// The builder was given no topic.
    #[error("a crawl needs a topic; call CrawlerBuilder::topic")]
    NoTopic,
    /// The builder was given no folder.
    #[error("a crawl needs a folder for what it finds; call CrawlerBuilder::folder")]
    NoFolder,
    /// The settings are not valid; every fault comes with a remedy.
    #[error("the settings are not valid:\n{0}")]
    Settings(Faults),
    /// The current directory could not be determined.
    #[error("could not determine the current directory")]
    CurrentDirectory(#[source] std::io::Error),
    /// A model or another file that the settings name could not be copied to the crawl folder.
    #[error("the files that the settings name could not be kept in the crawl folder")]
    KeptFiles(#[source] std::io::Error),
    /// The judge, the strategy or the fetcher could not be built.
    #[error(transparent)]
    Build(#[from] LiveBuildError),
    /// The folder holds a crawl with other settings, which this one cannot resume.
    #[error("{} holds a crawl with other settings:\n{}", folder.display(), listed(changes))]
    OtherCrawl {
        /// The folder.
        folder: PathBuf,
        /// The settings that differ but may not.
        changes: Vec<Change>,
    },
    /// The settings of the earlier run could not be read.
    #[error("the settings of the earlier run in {} are not valid:\n{faults}", folder.display())]
    EarlierSettings {
        /// The folder.
        folder: PathBuf,
        /// What is wrong.
        faults: Faults,
    },
    /// There is nowhere to start from: no seeds are given, and no example has a URL.
    #[error(
        "there is nowhere to start from: none of the examples is a URL; give seed URLs or a file of them with --seeds"
    )]
    NoSeeds,
    /// The proxy has a user name and no password: passwords are not kept.
    #[error(
        "the password of the proxy {proxy} is missing, because passwords are not kept in crawl.toml; give --proxy with the \
         password again"
    )]
    ProxyPassword {
        /// The proxy.
        proxy: String,
    },
    /// The examples could not be read.
    #[error(transparent)]
    Examples(#[from] InputError),
    /// The examples have no words.
    #[error("there is nothing to learn from: no words were found in the examples")]
    NoExamples,
    /// The cluster cannot be used.
    #[error(transparent)]
    Cluster(#[from] scenthound_cluster::RedisFault),
    /// The folder belongs to a node of a cluster.
    #[error("{} belongs to a node of a cluster; run it with --cluster", folder.display())]
    NodeFolder {
        /// The folder.
        folder: PathBuf,
    },
    /// The folder holds what several nodes have gathered.
    #[error("{} holds the pages of several nodes, to be read; to go on with the crawl, run the nodes with --cluster, or choose another folder", folder.display())]
    GatheredFolder {
        /// The folder.
        folder: PathBuf,
    },
    /// The folder holds a crawl that was not part of a cluster.
    #[error("{} holds a crawl of one machine, which cannot become a node of a cluster; choose another folder", folder.display())]
    NoNodeFolder {
        /// The folder.
        folder: PathBuf,
    },
    /// The cluster holds a crawl with other settings.
    #[error(
        "the cluster at {address} holds a crawl with other settings:\n{}",
        listed(changes)
    )]
    OtherCluster {
        /// Where the cluster is.
        address: String,
        /// The settings that differ but may not.
        changes: Vec<Change>,
    },
    /// The crawl folder could not be read or written.
    #[error(transparent)]
    Store(#[from] scenthound_store::Error),
    /// The crawl itself failed.
    #[error(transparent)]
    Live(#[from] LiveError),
}

impl From<BuildError> for CrawlerError {
    fn from(error: BuildError) -> CrawlerError {
        CrawlerError::Build(LiveBuildError::Parts(error))
    }
}

fn listed(changes: &[Change]) -> String {
    let lines: Vec<String> = changes.iter().map(|change| format!("  {change}")).collect();
    lines.join("\n")
}

/// Describes a crawl before it is built.
///
/// Everything that the command line can set can be set here. Settings without a method of their own go through
/// [`option`](CrawlerBuilder::option) under their long names.
///
/// ```
/// use scenthound::{Crawler, Topic};
///
/// # let temporary = tempfile::tempdir()?;
/// # let folder = temporary.path().join("tea");
/// let crawler = Crawler::builder()
///     .topic(Topic::words("green tea"))
///     .seeds(["https://example.org/tea/"])
///     .strategy_named("otie:revision=0.5")
///     .option("scope", "domain")
///     .folder(&folder)
///     .build()?;
/// assert_eq!(crawler.settings().strategy.revision, 0.5);
///
/// // Mistakes are found before anything is fetched or written.
/// let wrong = Crawler::builder()
///     .topic(Topic::words("green tea"))
///     .seeds(["example.org"])
///     .folder(&folder)
///     .build();
/// assert!(wrong.is_err_and(|error| error.to_string().contains("not an absolute URL")));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Default)]
pub struct CrawlerBuilder {
    topic: Option<Topic>,
    folder: Option<PathBuf>,
    given: Vec<Given>,
    strategy: Option<Box<dyn Strategy>>,
    judge: Option<Arc<dyn Judge>>,
}

impl CrawlerBuilder {
    /// What to look for.
    #[must_use]
    pub fn topic(mut self, topic: Topic) -> CrawlerBuilder {
        self.topic = Some(topic);
        self
    }

    /// Where to start.
    #[must_use]
    pub fn seeds<U: Into<String>>(mut self, urls: impl IntoIterator<Item = U>) -> CrawlerBuilder {
        let urls = urls.into_iter();
        self.given.extend(urls.map(|url| Given::new("seed-urls", url)));
        self
    }

    /// The folder that holds the crawl. If it holds a crawl already, that crawl is resumed.
    #[must_use]
    pub fn folder(mut self, folder: impl AsRef<Path>) -> CrawlerBuilder {
        self.folder = Some(folder.as_ref().to_owned());
        self
    }

    /// How waiting links are ranked: with a built-in strategy or your own.
    ///
    /// The folder records only that a program chose the strategy, so only a program can resume the crawl, not the command
    /// line. To choose a built-in strategy by name, use [`strategy_named`](CrawlerBuilder::strategy_named).
    #[must_use]
    pub fn strategy(mut self, strategy: impl Strategy + 'static) -> CrawlerBuilder {
        self.given.push(Given::new("custom-strategy", strategy.name()));
        self.strategy = Some(Box::new(strategy));
        self
    }

    /// How waiting links are ranked, by name and settings, as in `otie:revision=0.5`.
    #[must_use]
    pub fn strategy_named(self, spec: impl Into<String>) -> CrawlerBuilder {
        self.option("strategy", spec)
    }

    /// How pages are judged: with a built-in judge or your own. The name is stored in the folder's settings.
    #[must_use]
    pub fn judge(mut self, name: impl Into<String>, judge: impl Judge + 'static) -> CrawlerBuilder {
        self.given.push(Given::new("custom-judge", name));
        self.judge = Some(Arc::new(judge));
        self
    }

    /// How pages are judged, by name and settings, as in `terms:threshold=0.5`.
    #[must_use]
    pub fn judge_named(self, spec: impl Into<String>) -> CrawlerBuilder {
        self.option("judge", spec)
    }

    /// Pages like those you want: URLs, which are fetched once at the start, or the names of files, archives, crawl folders and
    /// lists of these. The judge learns from them and from the pages of the crawl. A topic needs no words then, and a crawl no
    /// seeds if there are URLs among the examples.
    #[must_use]
    pub fn examples<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> CrawlerBuilder {
        let names = names.into_iter();
        self.given.extend(names.map(|name| Given::new("examples", name)));
        self
    }

    /// Stop after this many pages, failed ones included.
    #[must_use]
    pub fn max_pages(self, pages: u64) -> CrawlerBuilder {
        self.option("max-pages", pages.to_string())
    }

    /// Stop after this long, summed over all runs.
    #[must_use]
    pub fn max_time(self, time: Duration) -> CrawlerBuilder {
        self.option("max-time", format!("{}ms", time.as_millis()))
    }

    /// Wait this long between two requests to a host.
    #[must_use]
    pub fn delay(self, delay: Duration) -> CrawlerBuilder {
        self.option("delay", format!("{}ms", delay.as_millis()))
    }

    /// Where site owners can reach you: a web page or an e-mail address.
    #[must_use]
    pub fn contact(self, contact: impl Into<String>) -> CrawlerBuilder {
        self.option("contact", contact)
    }

    /// Allow requests to a private network; all are refused by default.
    #[must_use]
    pub fn allow_net(self, net: IpNet) -> CrawlerBuilder {
        self.option("allow-net", net.to_string())
    }

    /// Any other setting, by its long name on the command line and its value as it would be written there. Switches take
    /// `true`.
    #[must_use]
    pub fn option(mut self, name: impl Into<String>, value: impl Into<String>) -> CrawlerBuilder {
        self.given.push(Given::new(name, value));
        self
    }

    /// Checks everything and builds the crawl. Nothing is fetched or written yet.
    pub fn build(self) -> Result<Crawler, CrawlerError> {
        let has_examples = self.given.iter().any(|given| given.name == "examples");
        let topic = match self.topic {
            None if has_examples => Topic::words(""),
            topic => topic.ok_or(CrawlerError::NoTopic)?,
        };
        let folder = self.folder.ok_or(CrawlerError::NoFolder)?;
        let (words, terms) = topic.as_given();
        let given: Vec<Given> = terms.iter().cloned().chain(self.given).collect();
        let settings = check_settings(&words, &given)?.map_err(CrawlerError::Settings)?;
        Crawler::with_parts(settings, folder, self.strategy, self.judge)
    }
}

/// Checks a topic and its options. Files that they name are read from disk.
pub fn check_settings(topic: &str, given: &[Given]) -> Result<Result<Settings, Faults>, CrawlerError> {
    check_with(topic, given, check)
}

/// Checks a topic that is not used for crawling, so it needs no seeds.
pub fn check_topic_settings(topic: &str, given: &[Given]) -> Result<Result<Settings, Faults>, CrawlerError> {
    check_with(topic, given, check_topic)
}

type CheckFn = fn(&str, &[Given], &Surroundings<'_>) -> Result<Settings, Faults>;

fn check_with(
    topic: &str,
    given: &[Given],
    check: CheckFn,
) -> Result<Result<Settings, Faults>, CrawlerError> {
    let folder = std::env::current_dir().map_err(CrawlerError::CurrentDirectory)?;
    let read = |path: &Path| {
        if path == Path::new("-") {
            let mut bytes = Vec::new();
            std::io::Read::read_to_end(&mut std::io::stdin(), &mut bytes)?;
            Ok(bytes)
        } else {
            std::fs::read(path)
        }
    };
    let surroundings = Surroundings {
        folder: &folder,
        read: &read,
    };
    Ok(check(topic, given, &surroundings))
}

/// The settings an earlier run left in a folder, if there was one.
pub fn earlier_settings(folder: &Path) -> Result<Option<Settings>, CrawlerError> {
    let Ok(view) = CrawlView::open(folder) else {
        return Ok(None);
    };
    let file = view.layout().settings();
    if !file.exists() {
        return Ok(None);
    }
    match check_settings(&file.to_string_lossy(), &[])? {
        Ok(settings) => Ok(Some(settings)),
        Err(faults) => Err(CrawlerError::EarlierSettings {
            folder: folder.to_owned(),
            faults,
        }),
    }
}

/// Lets any thread ask a crawl to save and stop.
#[derive(Clone, Debug, Default)]
pub struct StopHandle(StopSwitch);

impl StopHandle {
    /// Asks the crawl to save and stop. It first finishes the requests under way, which takes a few seconds at most.
    pub fn stop(&self) {
        self.0.stop();
    }

    /// The driver's own switch.
    pub fn switch(&self) -> &StopSwitch {
        &self.0
    }

    /// Whether the crawl was asked to stop.
    pub fn is_stopping(&self) -> bool {
        self.0.is_on()
    }
}

/// A focused crawl, ready to run.
///
/// ```no_run
/// use scenthound::{Crawler, Otie, Topic};
///
/// let summary = Crawler::builder()
///     .topic(Topic::words("green tea"))
///     .seeds(["https://example.org/tea/"])
///     .strategy(Otie::default())
///     .folder("tea")
///     .contact("you@example.org")
///     .max_pages(500)
///     .build()?
///     .run()?;
/// println!("{} relevant pages", summary.tally.relevant);
/// # Ok::<(), scenthound::CrawlerError>(())
/// ```
///
/// Running a crawl in a folder that holds one resumes it: no settled page is fetched twice. A changed topic, judge or
/// strategy is refused, because it would be another crawl.
pub struct Crawler {
    settings: Settings,
    live: LiveSettings,
    judge: Arc<dyn Judge>,
    agents: Vec<Agent>,
    folder: PathBuf,
    changes: Vec<Change>,
    stop: StopHandle,
    has_read_examples: bool,
    /// Whether judge and strategy can be built from the settings alone.
    is_built_in: bool,
    /// What people asked of the topic before, which the judge was built with.
    steered: TopicSteering,
    /// Which of several machines it runs on, if it does.
    node: Option<ClusterNode>,
}

/// A crawl with more pages than this is not judged again at its end without being asked.
const MOST_RANKED: u64 = 20_000;

impl Crawler {
    /// Starts describing a crawl.
    pub fn builder() -> CrawlerBuilder {
        CrawlerBuilder::default()
    }

    /// A crawl with checked settings, in a folder.
    pub fn with_settings(settings: Settings, folder: impl AsRef<Path>) -> Result<Crawler, CrawlerError> {
        Crawler::with_parts(settings, folder.as_ref().to_owned(), None, None)
    }

    fn with_parts(
        mut settings: Settings,
        folder: PathBuf,
        strategy: Option<Box<dyn Strategy>>,
        judge: Option<Arc<dyn Judge>>,
    ) -> Result<Crawler, CrawlerError> {
        let before = earlier_settings(&folder)?;
        if let Some(before) = &before {
            kept_files::adopt(before, &mut settings);
            // Whoever forgets the proxy on the second run must not go out directly.
            if settings.crawl.proxy.is_none() {
                settings.crawl.proxy.clone_from(&before.crawl.proxy);
            }
        }
        if settings.seeds.urls.is_empty()
            && settings.seeds.engines.is_empty()
            && !settings.judge.examples.is_empty()
        {
            // The list of examples may have grown since; the seeds of a crawl stay.
            settings.seeds.urls = match &before {
                Some(before) => before.seeds.urls.clone(),
                None => example_urls(&settings)?,
            };
            if settings.seeds.urls.is_empty() {
                return Err(CrawlerError::NoSeeds);
            }
        }
        if let Some(proxy) = &settings.crawl.proxy
            && !proxy.username().is_empty()
            && proxy.password().is_none()
        {
            return Err(CrawlerError::ProxyPassword {
                proxy: proxy.to_string(),
            });
        }
        let is_built_in = judge.is_none() && strategy.is_none();
        let mut live = live_settings(&settings)?;
        let (judge, steered) = match judge {
            Some(judge) => (judge, TopicSteering::default()),
            None => {
                let steered = match &before {
                    Some(_) => crate::steering::in_force(&CrawlView::open(&folder)?).topic,
                    None => TopicSteering::default(),
                };
                let judging = crate::steering::judging(&settings, &steered);
                live.processor = judging.page_settings()?;
                (judging.judge()?, steered)
            }
        };
        let agents = match strategy {
            Some(strategy) => vec![Agent::alone(strategy, &settings.seeds.urls)],
            None => settings.agents(&settings.seeds.urls)?,
        };
        let changes = match before {
            Some(before) => changes(&before, &settings),
            None => Vec::new(),
        };
        let (allowed, refused): (Vec<Change>, Vec<Change>) =
            changes.into_iter().partition(Change::is_allowed);
        if !refused.is_empty() {
            return Err(CrawlerError::OtherCrawl {
                folder,
                changes: refused,
            });
        }
        Ok(Crawler {
            settings,
            live,
            judge,
            agents,
            folder,
            changes: allowed,
            stop: StopHandle::default(),
            has_read_examples: false,
            is_built_in,
            steered,
            node: None,
        })
    }

    /// Makes it one of several machines that crawl together, over a Redis cluster. The first of them labels the cluster with its
    /// settings and the number of shards; settings of the others that make another crawl are refused.
    pub fn join_cluster(
        &mut self,
        address: &str,
        name: &str,
        machine: &str,
        shards: Option<u16>,
        lease: Option<Duration>,
    ) -> Result<(), CrawlerError> {
        let pages = CrawlView::open(&self.folder).map(|view| view.layout().pages());
        if pages.is_ok_and(|pages| pages.exists()) && !self.folder.join(NODE_FILE).exists() {
            return Err(CrawlerError::NoNodeFolder {
                folder: self.folder.clone(),
            });
        }
        let link = Link::connect(address)?;
        link.check()?;
        let label = CrawlLabel {
            shards: shards.unwrap_or(scenthound_cluster::SHARDS),
            settings: self.settings.to_toml(),
        };
        let keyring = Keyring::new(self.settings.crawl.seed);
        let label = label.agree(&link, &Keyspace::default(), keyring)?;
        let read = |_: &Path| Ok(label.settings.clone().into_bytes());
        let folder = std::env::current_dir().map_err(CrawlerError::CurrentDirectory)?;
        let surroundings = Surroundings {
            folder: &folder,
            read: &read,
        };
        let first = check("cluster.toml", &[], &surroundings).map_err(CrawlerError::Settings)?;
        let changes: Vec<Change> = changes(&first, &self.settings)
            .into_iter()
            .filter(|change| !change.is_allowed())
            .collect();
        if !changes.is_empty() {
            return Err(CrawlerError::OtherCluster {
                address: link.address().to_owned(),
                changes,
            });
        }
        self.node = Some(ClusterNode {
            address: address.to_owned(),
            name: name.to_owned(),
            machine: machine.to_owned(),
            shards: label.shards,
            lease: lease.unwrap_or(scenthound_cluster::LEASE),
        });
        Ok(())
    }

    /// Reads the example pages that the crawl does not know yet and shows them to the judge; URLs are fetched. Running the
    /// crawl does this too, but drops the notices.
    pub fn read_examples(
        &mut self,
        folder: &CrawlFolder,
        notice: &mut dyn FnMut(InputNotice),
    ) -> Result<ExampleCounts, CrawlerError> {
        if self.has_read_examples || self.settings.judge.examples.is_empty() {
            return Ok(ExampleCounts::default());
        }
        let Some(learner) = self.judge.learner() else {
            return Ok(ExampleCounts::default());
        };
        let counts = add_examples(&self.settings, folder.layout(), learner, &self.stop, notice)?;
        self.has_read_examples = true;
        Ok(counts)
    }

    /// The settings it runs with.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// How it is run. Use this to change what has no setting, such as the number of threads.
    pub fn live_settings(&mut self) -> &mut LiveSettings {
        &mut self.live
    }

    /// The settings that differ from an earlier run in the folder. All of these changes are allowed.
    pub fn changes(&self) -> &[Change] {
        &self.changes
    }

    /// How many agents it has: fewer than requested if there are too few seeds.
    pub fn agents(&self) -> usize {
        self.agents.len()
    }

    /// The folder it runs in.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// A handle to stop it from another thread.
    pub fn stop_handle(&self) -> StopHandle {
        self.stop.clone()
    }

    /// Runs until no URL is left, a budget is used up or the crawl is stopped.
    pub fn run(self) -> Result<Summary, CrawlerError> {
        self.run_with(|_| {})
    }

    /// Like [`run`](Crawler::run), but reports every event to a callback. The callback runs on the thread that owns the
    /// crawl, so it should be quick.
    pub fn run_with(self, mut watch: impl FnMut(&Event)) -> Result<Summary, CrawlerError> {
        let mut translator = Translator::default();
        self.drive(&mut |event| translator.translate(event, &mut watch))
    }

    /// Like [`run_with`](Crawler::run_with), but with the driver's own events.
    pub fn drive(self, watch: &mut dyn FnMut(LiveEvent<'_>)) -> Result<Summary, CrawlerError> {
        let folder = CrawlFolder::open_or_create(&self.folder)?;
        self.drive_in(&folder, watch)
    }

    /// Like [`drive`](Crawler::drive), but in a folder that is already open.
    pub fn drive_in(
        mut self,
        folder: &CrawlFolder,
        watch: &mut dyn FnMut(LiveEvent<'_>),
    ) -> Result<Summary, CrawlerError> {
        let view = CrawlView::open(folder.layout().root())?;
        if gathered_from(&view).is_some() {
            return Err(CrawlerError::GatheredFolder {
                folder: self.folder.clone(),
            });
        }
        let node_file = folder.layout().root().join(NODE_FILE);
        match &self.node {
            None if node_file.exists() => {
                return Err(CrawlerError::NodeFolder {
                    folder: self.folder.clone(),
                });
            }
            Some(node) if !node_file.exists() => {
                std::fs::write(&node_file, format!("{}\n", node.name)).map_err(CrawlerError::KeptFiles)?;
            }
            _ => {}
        }
        self.read_examples(folder, &mut |_| {})?;
        let kept =
            kept_files::keep(&self.settings, folder.layout().root()).map_err(CrawlerError::KeptFiles)?;
        folder.write_settings(&kept)?;
        let steered = SteeredTopic::new(&view, &self.settings, self.steered, self.is_built_in);
        let (mut live, mut judge, mut agents) = (self.live, self.judge, self.agents);
        if let Some(node) = &self.node {
            live.archive = live.archive.of_node(&node.name);
        }
        let again = self.is_built_in.then_some(&self.settings);
        let (mut pages_this_run, mut cut) = (0, 0);
        let mut summary = loop {
            let (stop, parts) = (&self.stop.0, (judge, agents));
            let summary = match &self.node {
                Some(node) => drive_node(folder, &live, parts, again, stop, &steered, node, watch)?,
                None => {
                    let (judge, agents) = parts;
                    let live = live.clone();
                    scenthound_live::crawl_steered(folder, live, judge, agents, stop, &steered, watch)?
                }
            };
            pages_this_run += summary.pages_this_run;
            cut += summary.cut;
            if !summary.wants_rejudging || self.stop.is_stopping() {
                break summary;
            }
            watch(LiveEvent::Ranking {
                pages: summary.tally.bodies,
            });
            match steered.rank(folder, &live, &kept, self.node.is_some(), &self.stop.0)? {
                Some(ranked) => watch(LiveEvent::Rejudged(&ranked)),
                None => break summary,
            }
            let judging = steered.judging();
            live.processor = judging.page_settings()?;
            (judge, agents) = (judging.judge()?, self.settings.agents(&self.settings.seeds.urls)?);
        };
        summary.pages_this_run = pages_this_run;
        summary.cut = cut;
        let is_unranked = summary.is_unranked || crate::steering::in_force(&view).is_pending();
        if !is_unranked || !self.is_built_in || matches!(summary.ended, Ended::Disk | Ended::Memory) {
            return Ok(summary);
        }
        let pages = summary.tally.bodies;
        if pages > MOST_RANKED {
            watch(LiveEvent::NotRanked { pages });
            return Ok(summary);
        }
        watch(LiveEvent::Ranking { pages });
        // A crawl that was asked to stop is ranked all the same. Asked once more, the program ends at once, which is safe.
        let stop = match summary.ended {
            Ended::Interrupted => StopSwitch::default(),
            _ => self.stop.0.clone(),
        };
        let ranked = steered.rank(folder, &live, &kept, self.node.is_some(), &stop)?;
        if let Some(ranked) = &ranked {
            summary.tally = ranked.tally.clone();
            // What waits for a node is in Redis.
            if self.node.is_none() {
                summary.counts = ranked.counts;
            }
            summary.is_unranked = false;
        }
        summary.ranked = ranked;
        Ok(summary)
    }

    /// Runs in the background and returns an iterator over the events.
    pub fn start(self) -> RunningCrawl {
        let (sender, events) = std::sync::mpsc::sync_channel(EVENTS_AHEAD);
        let stop = self.stop_handle();
        let thread = std::thread::spawn(move || {
            // The crawl continues even if nobody reads its events.
            self.run_with(|event| {
                let _ = sender.send(event.clone());
            })
        });
        RunningCrawl { events, stop, thread }
    }
}

/// Crawls as a node of a cluster. A node that lost its shards to others joins again with what its folder holds, if its parts can be
/// built again from settings.
#[allow(clippy::too_many_arguments, reason = "everything that a crawl consists of")]
fn drive_node(
    folder: &CrawlFolder,
    live: &LiveSettings,
    parts: (Arc<dyn Judge>, Vec<Agent>),
    again: Option<&Settings>,
    stop: &StopSwitch,
    steered: &SteeredTopic<'_>,
    node: &ClusterNode,
    watch: &mut dyn FnMut(LiveEvent<'_>),
) -> Result<Summary, CrawlerError> {
    let (mut judge, mut agents) = parts;
    let mut failures = 0;
    loop {
        let result = scenthound_live::crawl_in_cluster(
            folder,
            live.clone(),
            judge,
            agents,
            stop,
            steered,
            node,
            watch,
        );
        let (error, settings) = match (result, again) {
            (Err(error), Some(settings)) if !stop.is_on() => (error, settings),
            (result, _) => return Ok(result?),
        };
        match &error {
            error if error.is_passing() && failures > 0 && failures < PATIENCE => {
                failures += 1;
                std::thread::sleep(Duration::from_secs(1));
            }
            error if error.is_lost() => {
                tracing::warn!("{}; joining again", innermost(error));
                failures = 1;
            }
            _ => return Err(error.into()),
        }
        judge = settings.judge()?;
        agents = settings.agents(&settings.seeds.urls)?;
    }
}

/// How many seconds a node that lost its shards waits for Redis.
const PATIENCE: u32 = 600;

/// What is behind an error.
fn innermost(error: &dyn std::error::Error) -> String {
    let mut innermost = error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    innermost.to_string()
}

/// How many events may be unread before the crawl waits for its reader.
const EVENTS_AHEAD: usize = 1_024;

/// A crawl in the background: an iterator over its events.
///
/// The crawl pauses while about a thousand events are unread, and continues when they are read or the iterator is dropped.
pub struct RunningCrawl {
    events: std::sync::mpsc::Receiver<Event>,
    stop: StopHandle,
    thread: std::thread::JoinHandle<Result<Summary, CrawlerError>>,
}

impl RunningCrawl {
    /// A handle to stop it.
    pub fn stop_handle(&self) -> StopHandle {
        self.stop.clone()
    }

    /// Waits for the end. Unread events are dropped.
    pub fn join(self) -> Result<Summary, CrawlerError> {
        drop(self.events);
        match self.thread.join() {
            Ok(result) => result,
            Err(panic) => std::panic::resume_unwind(panic),
        }
    }
}

impl Iterator for RunningCrawl {
    type Item = Event;

    /// The next event; `None` once the crawl has ended.
    fn next(&mut self) -> Option<Event> {
        self.events.recv().ok()
    }
}
