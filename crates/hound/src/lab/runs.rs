//! One crawl of a trial: from specs to a scored result.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use scenthound_config::{Given, Settings};
use scenthound_engine::{AgentRules, CrawlSettings, PageSettings, Scope, SeedAssignment};
use scenthound_frontier::HostPolicy;
use scenthound_judge::{Judge, JudgeKind, ModelKind, TableJudge};
use scenthound_lab::{DirectJudge, LabBudget, LabSettings, Outcome, PageJudge, Trial, Truth};
use scenthound_strategy::Strategy;
use scenthound_types::ParsedPage;

use super::genres::{Genres, WithGenres};
use super::layers::{InLayers, Layers};
use super::trained;
use crate::crawl;
use crate::pages_input::bad_input;
use scenthound_config::Spec;

/// The clock and the limits of a lab crawl.
#[derive(Clone, Debug, clap::Args)]
pub struct Conditions {
    /// Stop after this many pages that count, or this share of the reachable ones (30%).
    #[arg(long, value_name = "N|SHARE%", value_parser = read_budget)]
    pub budget: Option<LabBudget>,
    /// Virtual time between two requests to a host.
    #[arg(long, value_name = "TIME", default_value = "0s", value_parser = read_time)]
    pub delay: Duration,
    /// Requests out at a time.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub workers: u32,
    /// Virtual time an answer takes.
    #[arg(long, value_name = "TIME", default_value = "0s", value_parser = read_time)]
    pub latency: Duration,
    /// Draw this many of the best links at once and visit all before looking again [default: as the strategy likes].
    #[arg(long, value_name = "N")]
    pub list_size: Option<u32>,
    /// Follow links at most this far from a seed.
    #[arg(long, value_name = "N")]
    pub depth: Option<u16>,
    /// Follow at most this many links of a page.
    #[arg(long, value_name = "N")]
    pub width: Option<u32>,
    /// Fetch at most this many pages of a host.
    #[arg(long, value_name = "N")]
    pub max_pages_per_host: Option<u32>,
    /// Heed links and pages marked nofollow.
    #[arg(long)]
    pub nofollow: bool,
    /// Ask for robots.txt first, where one was recorded, and heed it.
    #[arg(long)]
    pub robots: bool,
    /// How many agents crawl, each from its own seeds, with a strategy and a stack of its own.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=16))]
    pub agents: u8,
    /// Which agent begins at which seed.
    #[arg(long, value_name = "even|host|genre", default_value = "even", value_parser = read_assignment)]
    pub assign_seeds: SeedAssignment,
    /// An agent stops when it has found this many pages that the judge calls relevant.
    #[arg(long, value_name = "N")]
    pub goal: Option<u64>,
    /// How many requests an agent may have out at once.
    #[arg(long, value_name = "N")]
    pub agent_requests: Option<u32>,
    /// Forget links that have waited longer than this.
    #[arg(long, value_name = "TIME", value_parser = read_time)]
    pub expire_after: Option<Duration>,
    /// Forget links that have waited while this many pages were fetched.
    #[arg(long, value_name = "N")]
    pub expire_after_pages: Option<u64>,
    /// Keep at most about this many links waiting; the worst are forgotten.
    #[arg(long, value_name = "N")]
    pub max_waiting: Option<u64>,
    /// The number all chance is drawn from.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
}

fn read_assignment(text: &str) -> Result<SeedAssignment, String> {
    SeedAssignment::from_name(text).ok_or_else(|| {
        format!(
            "{text:?} is not a way to assign seeds; write one of {}",
            SeedAssignment::NAMES.join(", ")
        )
    })
}

fn read_budget(text: &str) -> Result<LabBudget, String> {
    let wrong = || format!("{text:?} is no budget; write a number of pages (5000) or a share (30%)");
    match text.strip_suffix('%') {
        Some(share) => match share.trim().parse::<f64>() {
            Ok(share) if share > 0.0 && share <= 100.0 => Ok(LabBudget::Share(share / 100.0)),
            _ => Err(wrong()),
        },
        None => match text.parse() {
            Ok(pages) if pages > 0 => Ok(LabBudget::Pages(pages)),
            _ => Err(wrong()),
        },
    }
}

pub fn read_time(text: &str) -> Result<Duration, String> {
    scenthound_config::read_time(text).ok_or_else(|| format!("{text:?} is no time; write 500ms, 2s or 1m"))
}

impl Conditions {
    /// The settings of the lab, for a strategy with these needs.
    pub fn lab_settings(
        &self,
        strategy: &dyn Strategy,
        chosen: &Settings,
        is_list_chosen: bool,
    ) -> LabSettings {
        let list_size = match self.list_size {
            Some(size) => size as usize,
            None if is_list_chosen => chosen.crawl.list_size as usize,
            None => strategy.needs().list_size,
        };
        LabSettings {
            seed: self.seed,
            workers: self.workers as usize,
            latency: self.latency,
            policy: HostPolicy {
                delay: self.delay,
                max_pages_per_host: self.max_pages_per_host,
                robots: self.robots,
                expire_after: self.expire_after,
                expire_after_pages: self.expire_after_pages,
                max_waiting: self.max_waiting,
                ..HostPolicy::instant()
            },
            processor: PageSettings {
                scope: Scope::everything(),
                max_depth: self.depth,
                width: self.width,
                follow_nofollow: !self.nofollow,
                ..PageSettings::default()
            },
            crawl: CrawlSettings {
                scope: Scope::everything(),
                robots: self.robots,
                list_size,
                agents: AgentRules {
                    goal: self.goal,
                    requests: self.agent_requests.map(|most| most as usize),
                    redistribute: false,
                },
                ..CrawlSettings::default()
            },
            full_journal: false,
        }
    }

    /// The budget; all there is unless something else was asked for.
    pub fn budget(&self) -> LabBudget {
        self.budget.unwrap_or(LabBudget::All)
    }
}

/// The settings that a strategy and a judge have on a trial.
pub fn settings(trial: &Trial, strategy: Option<&Spec>, judge: Option<&Spec>) -> Result<Settings> {
    let terms = trial.terms().ok();
    let mut given = vec![Given::new("topic-name", trial.task.name.clone())];
    given.extend(
        trial
            .pages
            .seeds
            .iter()
            .map(|seed| Given::new("seed-urls", seed.as_str())),
    );
    if let Some(terms) = terms {
        given.extend(
            terms
                .genre
                .into_iter()
                .map(|term| Given::new("genre-terms", term)),
        );
        given.extend(
            terms
                .content
                .into_iter()
                .map(|term| Given::new("content-terms", term)),
        );
    }
    // Words of the wrong sense hold under every judge, for tasks without terms too.
    given.extend(
        trial
            .task
            .exclude
            .iter()
            .map(|term| Given::new("exclude-terms", term.clone())),
    );
    let options = || {
        strategy
            .into_iter()
            .chain(judge)
            .flat_map(|spec| spec.settings.iter().cloned())
    };
    // Its default threshold is another than that of the other judges.
    if let Some(table) = judge.filter(|judge| judge.name == "table") {
        given.push(Given::new("judge", table.name.clone()));
    }
    if let Some(strategy) = strategy {
        given.push(Given::new("strategy", strategy.name.clone()));
    }
    given.extend(options());
    let words = match trial.task.query.as_str() {
        "" => trial.task.name.as_str(),
        query => query,
    };
    crawl::check_settings(words, &given)?.map_err(|faults| bad_input(faults.to_string()))
}

/// A judge by its name, and what tables call it.
pub struct NamedJudge {
    pub label: String,
    pub judge: Arc<dyn PageJudge>,
}

/// The judge a trial has unless another is asked for.
pub fn default_judge(trial: &Trial) -> JudgeKind {
    if trial.has_terms() {
        JudgeKind::Terms
    } else {
        JudgeKind::Logistic
    }
}

/// The same settings under another name.
fn renamed(spec: &Spec, name: &str) -> Spec {
    Spec {
        name: name.to_owned(),
        settings: spec.settings.clone(),
    }
}

/// Makes the judge of a trial.
pub fn judge(trial: &Trial, spec: Option<&Spec>) -> Result<NamedJudge> {
    let usual = Spec::named(default_judge(trial).name());
    let named = spec
        .filter(|spec| spec.name == "default")
        .map(|spec| renamed(spec, &usual.name));
    let spec = named.as_ref().or(spec).unwrap_or(&usual);
    spec.check_judge().map_err(|wrong| bad_input(wrong.to_string()))?;
    if spec.name == "truth" {
        // Its settings are those of the judge that is asked about links.
        let links = renamed(spec, &usual.name);
        return Ok(NamedJudge {
            label: format!("truth+{}", links),
            judge: Arc::new(Truth {
                relevant: trial.truth(),
                of_links: Arc::new(DirectJudge(page_judge(trial, &links)?)),
            }),
        });
    }
    Ok(NamedJudge {
        label: spec.to_string(),
        judge: Arc::new(DirectJudge(page_judge(trial, spec)?)),
    })
}

/// The judges there are, besides `truth` and `default`.
fn judge_names() -> Vec<&'static str> {
    ["terms", "query", "table"]
        .into_iter()
        .chain(ModelKind::ALL.into_iter().map(ModelKind::name))
        .collect()
}

fn page_judge(trial: &Trial, spec: &Spec) -> Result<Arc<dyn Judge>> {
    if spec.name == "terms" {
        trial.terms().map_err(|fault| bad_input(fault.to_string()))?;
        return Ok(settings(trial, None, Some(spec))?.judge()?);
    }
    if spec.name == "query" {
        let mut settings = settings(trial, None, Some(spec))?;
        settings.judge.kind = JudgeKind::Query;
        settings.topic.query = Some(trial.task.query.clone()).filter(|query| !query.is_empty());
        return Ok(settings.judge()?);
    }
    if spec.name == "table" {
        let settings = settings(trial, None, Some(spec))?;
        let examples: Vec<ParsedPage> = trial.parsed(&trial.pages.positive).collect();
        let judge = TableJudge::learn(&examples, &settings.table_judge_settings())
            .map_err(|fault| bad_input(format!("task {}: {fault}", trial.task.name)))?;
        return Ok(Arc::new(judge));
    }
    let Some(kind) = ModelKind::from_name(&spec.name) else {
        return Err(bad_input(format!(
            "there is no judge {:?}; there are: {}, truth",
            spec.name,
            judge_names().join(", ")
        )));
    };
    let judge = trained::judge(trial, kind)?;
    let judge = match spec.setting("threshold").map(str::parse) {
        Some(Ok(threshold)) => judge
            .with_threshold(threshold)
            .map_err(|fault| bad_input(fault.to_string()))?,
        Some(Err(_)) => return Err(bad_input("a threshold is a number from 0 to 1".to_owned())),
        None => judge,
    };
    Ok(Arc::new(judge))
}

/// Makes a strategy by its name and settings.
pub fn strategy(trial: &Trial, spec: &Spec, judge: Option<&Spec>) -> Result<(Box<dyn Strategy>, Settings)> {
    spec.check_strategy()
        .map_err(|wrong| bad_input(wrong.to_string()))?;
    let settings = settings(trial, Some(spec), judge)?;
    Ok((settings.strategy()?, settings))
}

/// Crawls a trial and scores it; says how long that took.
pub fn run(
    trial: &Trial,
    spec: &Spec,
    judge_spec: Option<&Spec>,
    judge: &dyn PageJudge,
    conditions: &Conditions,
    watch: &mut dyn FnMut(u64) -> ControlFlow<()>,
) -> Result<(Outcome, f64)> {
    let (strategy, settings) = strategy(trial, spec, judge_spec)?;
    let mut lab = conditions.lab_settings(strategy.as_ref(), &settings, spec.setting("list-size").is_some());
    lab.processor.wrong_sense = settings.wrong_sense()?;
    if spec.name == "table" && judge_spec.is_some_and(|judge| judge.name == "table") {
        lab.crawl.strategy_judges = Some(settings.judge.threshold);
    }
    let with_genres;
    let in_layers;
    let judge: &dyn PageJudge = if spec.name == "genre" {
        let named = match &settings.judge.genre_model {
            Some(path) => path.display().to_string(),
            None => settings.judge.genre_detector.clone(),
        };
        let genres = Genres::shared(trial, &named, || Ok(settings.genre_detector()?))?;
        with_genres = WithGenres { judge, genres };
        &with_genres
    } else if settings.strategy.kind.uses_layers() && !settings.learns_layers() {
        in_layers = InLayers {
            judge,
            layers: Layers::shared(trial, &settings)?,
        };
        &in_layers
    } else {
        judge
    };
    let begun = Instant::now();
    let mut settings = settings;
    (settings.crawl.agents, settings.crawl.assign_seeds) = (conditions.agents, conditions.assign_seeds);
    let agents = settings.agents(&trial.pages.seeds)?;
    let outcome = trial
        .run_with(judge, agents, &lab, conditions.budget(), watch)
        .with_context(|| format!("the crawl of {} with {} failed", trial.task.name, spec))?;
    Ok((outcome, begun.elapsed().as_secs_f64()))
}
