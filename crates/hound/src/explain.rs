//! `hound explain`: why a page was judged so, how the crawl came to it, and why a URL was not fetched.
//!
//! What happened is read from the page records, which can be read at any time. What may still happen (the queue, the
//! host's rest) is in the frontier, which only a stopped crawl shows; then the answer says so.
//!
//! The story is put together first and written afterwards, as text or as JSON, so that both tell the same.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io::Write;
use std::path::PathBuf;

use anyhow::anyhow;
use scenthound_config::{Pattern, Settings};
use scenthound_engine::{Access, OutOfScope, PRODUCT_TOKEN, Scope};
use scenthound_frontier::{Frontier, State, UrlFacts};
use scenthound_frontier_durable::DurableFrontier;
use scenthound_robots::Rules;
use scenthound_store::{CrawlView, PageRecord, Position, Via};
use scenthound_types::{
    CanonicalUrl, Keyring, LeaseKind, OutcomeCode, Reason, TermHit, TermSet, Timestamp, UrlFault, Verdict,
};
use serde::Serialize;

use crate::cash::CashStory;
use crate::look;
use crate::mark::mark_name;
use crate::results::set_name;
use crate::stdout;
use crate::twins::are_twins;
use crate::wording::{bytes, count, counted, found_by, harmless, remarks, time};

/// Near-duplicates, sources of redirects and similar URLs named, at most.
const NAMED: usize = 10;
/// Pages of a path told, from the seed on; longer ones are cut in the middle.
const STEPS_TOLD: usize = 30;
/// A robots.txt is read up to here, as when it was fetched.
const ROBOTS_BYTES: usize = 500 << 10;

/// Why a page was judged so, or why a URL was not fetched.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  hound explain tea https://example.org/oolong   terms, verdict, the path from the seed, all attempts
  hound explain tea https://example.org/missing  waiting, refused, out of scope, or never seen
  hound explain tea URL --json                   for scripts

While a crawl runs, what its queue holds cannot be told; stop it (Ctrl-C saves) and ask again.")]
pub struct Args {
    /// The folder of the crawl.
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    /// The address to explain.
    #[arg(value_name = "URL")]
    pub url: String,
    /// Answer in JSON.
    #[arg(long)]
    pub json: bool,
}

/// Answers `hound explain`.
pub fn run(args: Args) -> anyhow::Result<()> {
    let view = look::open(&args.folder)?;
    let url = read_url(&args.url)?;
    let story = Story::of(&view, &url, look::now())?;
    stdout::write(|out| {
        if args.json {
            serde_json::to_writer_pretty(&mut *out, &story)?;
            writeln!(out)?;
            return Ok(());
        }
        story.write(out)
    })
}

fn read_url(given: &str) -> anyhow::Result<CanonicalUrl> {
    let shown = harmless(given);
    CanonicalUrl::parse(given).map_err(|fault| match fault {
        UrlFault::Unreadable if CanonicalUrl::parse(&format!("https://{given}")).is_ok() => {
            anyhow!("{shown} is no whole URL; write https://{shown} or http://{shown}")
        }
        fault => anyhow!("{shown} cannot have been crawled: {fault}; name a page by its http or https URL"),
    })
}

/// Where a URL stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Standing {
    /// Read and judged.
    Fetched,
    /// It led elsewhere.
    Redirected,
    /// We declined.
    Refused,
    /// It went wrong, for good.
    Failed,
    /// It went wrong and is tried again.
    Retrying,
    /// In line.
    Waiting,
    /// Not of this crawl.
    OutOfScope,
    /// Never met.
    NeverSeen,
    /// Not fetched so far; the rest is in the frontier.
    NotFetched,
}

/// A page on the way from the seed.
#[derive(Clone, Debug, Serialize)]
struct Step {
    url: String,
    depth: u16,
    relevance: Option<f64>,
    outcome: OutcomeCode,
    kind: LeaseKind,
    via: Via,
    class: Option<u16>,
    score: Option<f64>,
}

/// What the queue holds of a URL.
#[derive(Clone, Debug, Serialize)]
struct Queue {
    class: u16,
    score: f64,
    tie: u32,
    age: u32,
    reason: Reason,
    depth: u16,
    parent: Option<String>,
    /// How many wait in all.
    waiting: u64,
    host_rests_until: Option<String>,
    host_failures: u16,
    host_pages: u32,
    /// Set if the host was asked for as many pages as allowed.
    host_is_full: bool,
}

/// What the host's robots.txt says about the URL.
#[derive(Clone, PartialEq, Debug, Serialize)]
struct RobotsWord {
    allowed: bool,
    /// The deciding line, if there is one.
    rule: Option<String>,
    /// Set if the file could not be had.
    unreachable: bool,
}

/// A URL that differs little from the one asked for, and is known.
#[derive(Clone, PartialEq, Debug, Serialize)]
struct Similar {
    url: String,
    fetched: bool,
}

/// Everything known about a URL.
#[derive(Debug, Serialize)]
struct Story {
    url: String,
    standing: Standing,
    threshold: Option<f64>,
    /// Whether the strategy's own table judged.
    #[serde(skip)]
    is_own_table: bool,
    /// What the user thinks of the page.
    mark: Option<Verdict>,
    /// From the seed to the page itself.
    path: Vec<Step>,
    queue: Option<Queue>,
    /// Where its cash came from, under a strategy that knows cash.
    #[serde(skip_serializing_if = "Option::is_none")]
    cash: Option<CashStory>,
    /// Why there is nothing about the queue, if it matters.
    queue_unknown: Option<String>,
    robots: Option<RobotsWord>,
    robots_ignored: bool,
    out_of_scope: Option<String>,
    redirected_from: Vec<String>,
    near_duplicates: BTreeSet<String>,
    near_duplicates_in_all: usize,
    similar: Vec<Similar>,
    attempts: Vec<PageRecord>,
}

/// What the records tell, after one reading.
#[derive(Default)]
struct Records {
    attempts: Vec<PageRecord>,
    redirected_from: Vec<String>,
    /// Where the host's robots.txt lies in the archive, as last fetched.
    robots: Option<Position>,
    /// By hash of the URL: the line of the record that counts, and the hash of its parent.
    pages: HashMap<u64, (u64, Option<u64>)>,
}

/// Hashes of URLs; of this process only.
const HASHES: u64 = 0;

fn hash(url: &str) -> u64 {
    Keyring::new(HASHES).hash(url)
}

impl Records {
    fn read(view: &CrawlView, url: &CanonicalUrl) -> anyhow::Result<Records> {
        let mut records = Records::default();
        let robots_txt = url.robots_txt();
        look::each_record(view, |line, record| {
            if record.kind == LeaseKind::Robots {
                if record.url == robots_txt.as_str() && record.is_ok() {
                    records.robots = record.archive.clone();
                }
                // Nothing is reached by way of it, but it can be asked about.
                if record.url == url.as_str() {
                    records.attempts.push(record);
                }
                return;
            }
            if record.redirect() == Some(url.as_str())
                && records.redirected_from.len() < NAMED
                && !records.redirected_from.contains(&record.url)
            {
                records.redirected_from.push(record.url.clone());
            }
            let key = hash(&record.url);
            if record.is_judged_page() || !records.pages.contains_key(&key) {
                records
                    .pages
                    .insert(key, (line, record.parent.as_deref().map(hash)));
            }
            if record.url == url.as_str() {
                records.attempts.push(record);
            }
        })?;
        Ok(records)
    }

    /// Lines of the pages from the seed to this one, and whether the path was followed to its end.
    fn path_to(&self, mut key: u64) -> Vec<u64> {
        let mut lines = Vec::new();
        let mut met = BTreeSet::new();
        while let Some((line, parent)) = self.pages.get(&key).filter(|_| met.insert(key)) {
            lines.push(*line);
            let Some(parent) = parent else { break };
            key = *parent;
        }
        lines.reverse();
        lines
    }
}

impl Story {
    fn of(view: &CrawlView, url: &CanonicalUrl, now: Timestamp) -> anyhow::Result<Story> {
        let settings = match look::settings(view) {
            Ok(settings) => settings,
            Err(error) => {
                stdout::note(&format!("warning: {error:#}"));
                None
            }
        };
        let records = Records::read(view, url)?;
        let frontier = match &settings {
            Some(settings) => look::frontier(view, settings, now),
            None => Err(anyhow!("the crawl has no settings that can be read")),
        };
        let (frontier, queue_unknown) = match frontier {
            Ok(frontier) => (Some(frontier), None),
            Err(error) => (None, Some(format!("{error:#}"))),
        };
        let facts = frontier
            .as_ref()
            .map(|frontier| frontier.look_up(url))
            .transpose()?
            .flatten();
        let robots = match &frontier {
            Some(frontier) => frontier
                .rules(url)?
                .map(|bytes| robots_word(&Access::from_bytes(&bytes), url)),
            None => archived_robots(view, records.robots.as_ref(), url),
        };
        let out_of_scope = settings
            .as_ref()
            .map(|s| out_of_scope(s, url))
            .transpose()?
            .flatten();
        let standing = standing(
            &records.attempts,
            facts.as_ref(),
            out_of_scope.is_some(),
            frontier.is_some(),
        );

        let parent = facts.as_ref().and_then(|facts| facts.parent_url.as_ref());
        let lines = match (records.attempts.is_empty(), parent) {
            (true, Some(parent)) => records.path_to(hash(parent.as_str())),
            _ => records.path_to(hash(url.as_str())),
        };
        let second = SecondReading::read(
            view,
            url,
            &lines,
            records.attempts.iter().rfind(|record| record.is_judged_page()),
        )?;
        // Once the frontier counts in a finer unit, what was recorded before and after does not add up.
        let is_one_unit = frontier.as_ref().is_none_or(|frontier| frontier.unit() == 0);
        let cash = match settings.as_ref().filter(|_| is_one_unit) {
            Some(settings) => CashStory::of(view, settings, url).unwrap_or_else(|error| {
                stdout::note(&format!(
                    "warning: where its cash came from cannot be told: {error:#}"
                ));
                None
            }),
            None => None,
        };
        let is_unmet = matches!(
            standing,
            Standing::NeverSeen | Standing::NotFetched | Standing::OutOfScope
        );
        Ok(Story {
            url: url.to_string(),
            standing,
            // A query is contained or not; no threshold decides.
            threshold: settings
                .as_ref()
                .filter(|settings| settings.judge.kind != scenthound_judge::JudgeKind::Query)
                .map(|settings| settings.judge.threshold),
            is_own_table: settings
                .as_ref()
                .is_some_and(|settings| settings.strategy_judges().is_some()),
            mark: view.marks()?.get(url.as_str()).copied(),
            path: second.path,
            queue: facts
                .filter(|facts| matches!(facts.state, State::Waiting | State::Drawn | State::Leased))
                .map(|facts| queue(&facts, frontier.as_ref(), settings.as_ref(), now)),
            cash,
            queue_unknown,
            robots,
            robots_ignored: settings
                .as_ref()
                .is_some_and(|settings| settings.crawl.ignore_robots),
            out_of_scope,
            redirected_from: records.redirected_from,
            near_duplicates: second.near_duplicates,
            near_duplicates_in_all: second.near_duplicates_in_all,
            similar: if is_unmet {
                similar(url, &records.pages, frontier.as_ref())?
            } else {
                Vec::new()
            },
            attempts: records.attempts,
        })
    }
}

fn standing(
    attempts: &[PageRecord],
    facts: Option<&UrlFacts>,
    is_out_of_scope: bool,
    has_frontier: bool,
) -> Standing {
    let is_in_line =
        facts.is_some_and(|facts| matches!(facts.state, State::Waiting | State::Drawn | State::Leased));
    if attempts.iter().any(PageRecord::is_judged_page) {
        return Standing::Fetched;
    }
    if let Some(last) = attempts.last() {
        return match last.outcome {
            _ if is_in_line => Standing::Retrying,
            OutcomeCode::Redirect => Standing::Redirected,
            code if code.is_ok() => Standing::Fetched,
            code if code.is_refused() => Standing::Refused,
            _ if !has_frontier && last.will_retry => Standing::Retrying,
            _ => Standing::Failed,
        };
    }
    match facts.map(|facts| facts.state) {
        Some(State::Waiting | State::Drawn | State::Leased) => Standing::Waiting,
        // Settled, but without a record: then it can only have been a redirect's target or the like.
        Some(State::Fetched) => Standing::Fetched,
        Some(State::Gone) => Standing::Failed,
        None if is_out_of_scope => Standing::OutOfScope,
        None if has_frontier => Standing::NeverSeen,
        None => Standing::NotFetched,
    }
}

/// What needs to know lines or a fingerprint beforehand.
#[derive(Default)]
struct SecondReading {
    path: Vec<Step>,
    near_duplicates: BTreeSet<String>,
    near_duplicates_in_all: usize,
}

impl SecondReading {
    fn read(
        view: &CrawlView,
        url: &CanonicalUrl,
        lines: &[u64],
        page: Option<&PageRecord>,
    ) -> anyhow::Result<SecondReading> {
        let mut second = SecondReading::default();
        let ours =
            page.and_then(|page| Some((page.fingerprint.filter(|print| *print != 0)?, page.relevance?)));
        if lines.is_empty() && ours.is_none() {
            return Ok(second);
        }
        let mut steps: HashMap<u64, Option<Step>> = lines.iter().map(|line| (*line, None)).collect();
        let mut twins = BTreeSet::new();
        look::each_record(view, |line, record| {
            if let (Some(ours), Some(print), Some(relevance)) = (ours, record.fingerprint, record.relevance)
                && record.url != url.as_str()
                && are_twins(ours, (print, relevance))
                && twins.insert(hash(&record.url))
                && second.near_duplicates.len() < NAMED
            {
                second.near_duplicates.insert(record.url.clone());
            }
            if let Some(step) = steps.get_mut(&line) {
                *step = Some(Step {
                    url: record.url,
                    depth: record.depth,
                    relevance: record.relevance,
                    outcome: record.outcome,
                    kind: record.kind,
                    via: record.via,
                    class: record.class,
                    score: record.score,
                });
            }
        })?;
        second.near_duplicates_in_all = twins.len();
        second.path = lines.iter().filter_map(|line| steps.remove(line)?).collect();
        Ok(second)
    }
}

fn queue(
    facts: &UrlFacts,
    frontier: Option<&DurableFrontier>,
    settings: Option<&Settings>,
    now: Timestamp,
) -> Queue {
    let most = settings.and_then(|settings| settings.crawl.max_pages_per_host);
    Queue {
        class: facts.priority.rank.class,
        score: facts.priority.rank.score.get(),
        tie: facts.priority.rank.tie,
        age: facts.priority.age,
        reason: facts.reason,
        depth: facts.depth,
        parent: facts.parent_url.as_ref().map(|url| url.to_string()),
        waiting: frontier.map_or(0, |frontier| frontier.counts().waiting),
        host_rests_until: (facts.host_rests_until > now).then(|| facts.host_rests_until.to_rfc3339()),
        host_failures: facts.host_failures,
        host_pages: facts.host_pages,
        host_is_full: most.is_some_and(|most| facts.host_pages >= most),
    }
}

fn robots_word(access: &Access, url: &CanonicalUrl) -> RobotsWord {
    match access {
        Access::Unreachable | Access::NoHost => RobotsWord {
            allowed: false,
            rule: None,
            unreachable: true,
        },
        Access::Rules(rules) => RobotsWord {
            allowed: rules.allows(url.path_and_query()),
            rule: rules.which(url.path_and_query()).map(|rule| rule.to_string()),
            unreachable: false,
        },
    }
}

/// What the robots.txt in the archive says, for when the frontier cannot be asked.
fn archived_robots(view: &CrawlView, position: Option<&Position>, url: &CanonicalUrl) -> Option<RobotsWord> {
    // Records of a running crawl may be named before they are in the file; then there is nothing to tell.
    let record = view.record(position?).ok()?;
    let body = record.http()?.body(ROBOTS_BYTES);
    let rules = Rules::parse(&body.bytes, PRODUCT_TOKEN);
    Some(robots_word(&Access::Rules(rules), url))
}

/// Why the URL is not of this crawl, if it is not.
fn out_of_scope(settings: &Settings, url: &CanonicalUrl) -> anyhow::Result<Option<String>> {
    let kind = settings.crawl.scope;
    let crawl = &settings.crawl;
    let spelled = |patterns: &[Pattern]| -> Vec<String> {
        patterns
            .iter()
            .map(|pattern| pattern.0.as_str().to_owned())
            .collect()
    };
    let (include, exclude) = (spelled(&crawl.include), spelled(&crawl.exclude));
    let scope = Scope::new(kind, &settings.seeds.urls, &include, &exclude)?;
    let Err(why) = scope.check(url) else {
        return Ok(None);
    };
    // Seeds are fetched wherever they are.
    if settings.seeds.urls.contains(url) {
        return Ok(None);
    }
    let option = match why {
        OutOfScope::Elsewhere => format!(" (scope = {})", crawl.scope.name()),
        OutOfScope::NotIncluded => format!(" (include = {})", include.join(" or ")),
        OutOfScope::Excluded => {
            let matching = crawl
                .exclude
                .iter()
                .find(|pattern| pattern.0.is_match(url.as_str()));
            matching
                .map(|pattern| format!(" (exclude = {})", pattern.0))
                .unwrap_or_default()
        }
        OutOfScope::FileEnding => String::new(),
    };
    Ok(Some(format!("{why}{option}")))
}

/// Known URLs that differ from this one only as people and links often do: slash, scheme, www, query.
fn similar(
    url: &CanonicalUrl,
    pages: &HashMap<u64, (u64, Option<u64>)>,
    frontier: Option<&DurableFrontier>,
) -> anyhow::Result<Vec<Similar>> {
    let mut known = Vec::new();
    for variant in variants(url) {
        let fetched = pages.contains_key(&hash(variant.as_str()));
        let is_known = fetched
            || match frontier {
                Some(frontier) => frontier.look_up(&variant)?.is_some(),
                None => false,
            };
        if is_known && known.len() < NAMED {
            known.push(Similar {
                url: variant.to_string(),
                fetched,
            });
        }
    }
    Ok(known)
}

fn variants(url: &CanonicalUrl) -> Vec<CanonicalUrl> {
    let other_scheme = if url.is_https() { "http" } else { "https" };
    let scheme = if url.is_https() { "https" } else { "http" };
    let authority = url.authority();
    let other_authority = match authority.strip_prefix("www.") {
        Some(bare) => bare.to_owned(),
        None => format!("www.{authority}"),
    };
    let path = url.path_and_query();
    let mut paths = vec![path.to_owned()];
    match url.path() {
        whole if whole != path => paths.push(whole.to_owned()),
        "/" => {}
        whole => paths.push(match whole.strip_suffix('/') {
            Some(bare) => bare.to_owned(),
            None => format!("{whole}/"),
        }),
    }
    let mut variants = Vec::new();
    for scheme in [scheme, other_scheme] {
        for authority in [authority, &other_authority] {
            for path in &paths {
                if let Ok(variant) = CanonicalUrl::parse(&format!("{scheme}://{authority}{path}"))
                    && variant != *url
                    && !variants.contains(&variant)
                {
                    variants.push(variant);
                }
            }
        }
    }
    variants
}

impl Story {
    fn write(&self, out: &mut dyn Write) -> anyhow::Result<()> {
        let page = self.attempts.iter().rfind(|record| record.is_judged_page());
        writeln!(out, "{}", harmless(&self.url))?;
        if let Some(title) = page.and_then(|page| page.title.as_deref()).map(harmless)
            && !title.is_empty()
        {
            writeln!(out, "{title}")?;
        }
        writeln!(out, "\n{}", self.answer(page))?;
        if let Some(mark) = self.mark {
            writeln!(out, "You marked it {} (hound mark).", mark_name(mark))?;
        }
        if let Some(page) = page {
            write_judgement(page, self.is_own_table, out)?;
        }
        if let Some(queue) = &self.queue {
            write_queue(queue, out)?;
        }
        if let Some(cash) = &self.cash {
            cash.write(out)?;
        }
        self.write_manners(out)?;
        self.write_path(out)?;
        if !self.attempts.is_empty() {
            writeln!(out, "\nAttempts")?;
            for record in &self.attempts {
                writeln!(out, "  {}", attempt_text(record))?;
            }
        }
        for from in &self.redirected_from {
            writeln!(out, "\nRedirected here from {}", harmless(from))?;
        }
        if let Some(print) = page.and_then(|page| page.fingerprint) {
            writeln!(out, "\nFingerprint {print:016x}, {}", self.twins_text())?;
            for twin in &self.near_duplicates {
                writeln!(out, "  {}", harmless(twin))?;
            }
        }
        if !self.similar.is_empty() {
            writeln!(out, "\nDid you mean")?;
            for similar in &self.similar {
                let met = if similar.fetched { "fetched" } else { "waiting" };
                writeln!(out, "  {} ({met})", harmless(&similar.url))?;
            }
        }
        Ok(())
    }

    /// The short answer.
    fn answer(&self, page: Option<&PageRecord>) -> String {
        let last_note = self.attempts.last().and_then(remarks).as_deref().map(harmless);
        let because = last_note.map(|note| format!(": {note}")).unwrap_or_default();
        match self.standing {
            Standing::Fetched => match page {
                Some(page) => verdict_text(page, self.threshold),
                None => "Fetched.".to_owned(),
            },
            Standing::Redirected => {
                let to = self.attempts.last().and_then(|record| record.final_url.as_deref());
                format!("Not a page: it redirects to {}", harmless(to.unwrap_or("another URL")))
            }
            Standing::Refused => format!("Not fetched{because}"),
            Standing::Failed => format!("Could not be fetched{because}"),
            Standing::Retrying => format!("Not fetched yet, to be tried again{because}"),
            Standing::Waiting => "Not fetched yet: it waits in the queue.".to_owned(),
            Standing::OutOfScope => {
                format!("Not of this crawl: {}", self.out_of_scope.as_deref().unwrap_or_default())
            }
            Standing::NeverSeen => "Never seen: no page that was read has a link to it that may be followed.\n\
                 Links that are marked nofollow, too deep (--depth) or beyond the limit of a page (--width) are not \
                 kept."
                .to_owned(),
            Standing::NotFetched => {
                let why = self.queue_unknown.as_deref().unwrap_or_default();
                format!("Not fetched so far. Whether it waits in the queue cannot be told: {why}.\n\
                 Stop the crawl (Ctrl-C saves) and ask again.")
            }
        }
    }

    fn write_manners(&self, out: &mut dyn Write) -> anyhow::Result<()> {
        if self.standing == Standing::Fetched {
            return Ok(());
        }
        if let Some(why) = self
            .out_of_scope
            .as_deref()
            .filter(|_| self.standing != Standing::OutOfScope)
        {
            writeln!(out, "Scope      {why}")?;
        }
        match &self.robots {
            _ if self.robots_ignored => writeln!(out, "Robots     not heeded (--ignore-robots)")?,
            Some(RobotsWord {
                unreachable: true, ..
            }) => {
                writeln!(
                    out,
                    "Robots     the host's robots.txt could not be had, so nothing of it is fetched for now"
                )?;
            }
            Some(RobotsWord {
                allowed,
                rule: Some(rule),
                ..
            }) => {
                let verb = if *allowed { "allowed" } else { "forbidden" };
                writeln!(
                    out,
                    "Robots     {verb} by the host's robots.txt: {}",
                    harmless(rule)
                )?;
            }
            Some(RobotsWord { rule: None, .. }) => {
                writeln!(out, "Robots     no line of the host's robots.txt speaks of it")?;
            }
            None => {}
        }
        Ok(())
    }

    fn write_path(&self, out: &mut dyn Write) -> anyhow::Result<()> {
        if self.path.is_empty() {
            return Ok(());
        }
        writeln!(out, "\nThe way there")?;
        let skipped = self.path.len().saturating_sub(STEPS_TOLD);
        for (at, step) in self.path.iter().enumerate() {
            if skipped > 0 && at == STEPS_TOLD / 2 {
                writeln!(out, "      … {} …", counted(skipped as u64, "page"))?;
            }
            if (STEPS_TOLD / 2..STEPS_TOLD / 2 + skipped).contains(&at) {
                continue;
            }
            let relevance = match step.relevance {
                Some(relevance) => format!("{relevance:.3}"),
                None => step.outcome.to_string(),
            };
            writeln!(out, "  {relevance:>5}  {}", harmless(&step.url))?;
            let found = found_by(step.kind, step.via, step.class, step.score);
            writeln!(out, "         {found}")?;
        }
        if self.attempts.is_empty() {
            writeln!(out, "      …  {}", harmless(&self.url))?;
        }
        Ok(())
    }

    fn twins_text(&self) -> String {
        match self.near_duplicates_in_all {
            0 => "no near-duplicates".to_owned(),
            all if all > self.near_duplicates.len() => {
                format!("{} near-duplicates, among them", count(all as u64))
            }
            all => format!("{}:", counted(all as u64, "near-duplicate")),
        }
    }
}

fn verdict_text(page: &PageRecord, threshold: Option<f64>) -> String {
    let relevance = page.relevance.unwrap_or_default();
    let is_relevant = page.is_relevant();
    let verdict = if is_relevant { "relevant" } else { "not relevant" };
    let mut text = format!("Fetched and judged {verdict}: {relevance:.3}");
    if let Some(threshold) = threshold {
        text.push_str(&match relevance >= threshold {
            true if is_relevant => format!(", at least the threshold {threshold}"),
            true => {
                format!(", although over the threshold {threshold}: see the exclude terms or the note below")
            }
            false => format!(", below the threshold {threshold}"),
        });
    }
    if page.hidden {
        text.push_str("\nNot shown in results: the note at its attempt says why.");
    }
    text
}

fn write_judgement(page: &PageRecord, is_own_table: bool, out: &mut dyn Write) -> anyhow::Result<()> {
    let Some(parts) = &page.parts else {
        return Ok(());
    };
    let mut sets: BTreeMap<TermSet, (Option<f64>, Vec<&TermHit>)> = BTreeMap::new();
    let similarities = [
        (TermSet::Genre, parts.genre),
        (TermSet::Content, parts.content),
        (TermSet::Url, parts.url),
        (TermSet::Table, parts.table),
    ];
    for (set, similarity) in similarities {
        if similarity.is_some() {
            sets.entry(set).or_default().0 = similarity;
        }
    }
    for hit in &parts.terms {
        sets.entry(hit.set).or_default().1.push(hit);
    }
    if is_own_table && parts.table.is_none() && page.relevance == Some(1.0) {
        writeln!(
            out,
            "  table     1.000  a seed, read before the table stood: it counts fully"
        )?;
    }
    for (set, (similarity, hits)) in &sets {
        let similarity = similarity.map(|value| format!("{value:.3}")).unwrap_or_default();
        let none = if hits.is_empty() {
            "  none of its terms"
        } else {
            ""
        };
        writeln!(out, "  {:<9}{similarity:>5}{none}", set_name(*set))?;
        for hit in hits {
            writeln!(
                out,
                "           {:.3}  {} ×{}",
                hit.share,
                harmless(&hit.term),
                count(hit.count.into())
            )?;
        }
    }
    if let Some(near) = parts.nearness {
        writeln!(
            out,
            "  layer    {:>5}  likely a target itself: {:.3}; similarity to the targets: {:.3}",
            near.layer, near.posterior, near.similarity
        )?;
    }
    if let Some(genre) = &page.genre {
        writeln!(
            out,
            "  kind of page: {} ({:.2})",
            harmless(&genre.class),
            genre.confidence
        )?;
    }
    Ok(())
}

fn write_queue(queue: &Queue, out: &mut dyn Write) -> anyhow::Result<()> {
    let Queue {
        class,
        score,
        tie,
        age,
        ..
    } = queue;
    let place = format!(
        "class {class}, score {score:.3}, tie {tie}, number {}",
        count(u64::from(*age))
    );
    writeln!(
        out,
        "Priority   {place}; {} in the queue",
        counted(queue.waiting, "URL")
    )?;
    let reason = match queue.reason {
        Reason::Seed => "named as a seed",
        Reason::Link => "linked from",
        Reason::Redirect => "a redirect leads to it, found on",
        Reason::Sitemap => "listed in a sitemap,",
        Reason::SitemapLine => "named as a sitemap by its host's robots.txt",
    };
    let parent = queue.parent.as_deref().map(harmless).unwrap_or_default();
    writeln!(
        out,
        "Found      {}, depth {}",
        format!("{reason} {parent}").trim_end(),
        queue.depth
    )?;
    let mut host = counted(queue.host_pages.into(), "page") + " asked for";
    if queue.host_is_full {
        host.push_str(", which is the limit (--max-pages-per-host)");
    }
    if queue.host_failures > 0 {
        host.push_str(&format!(
            ", {} in a row",
            counted(queue.host_failures.into(), "failure")
        ));
    }
    if let Some(until) = &queue.host_rests_until {
        host.push_str(&format!(", resting until {until}"));
    }
    Ok(writeln!(out, "Host       {host}")?)
}

fn attempt_text(record: &PageRecord) -> String {
    let status = record
        .status
        .map(|status| format!(" ({status})"))
        .unwrap_or_default();
    let mut text = format!("{}  {}{status}", harmless(&record.fetched_at), record.outcome);
    if let Some(to) = record.redirect() {
        text.push_str(&format!(", redirects to {}", harmless(to)));
    }
    if let Some(cut) = &record.truncated {
        text.push_str(&format!(", cut short by {}", cut.code()));
    }
    if let Some(note) = remarks(record) {
        text.push_str(&format!(", {}", harmless(&note)));
    }
    if record.bytes > 0 {
        let took = time(std::time::Duration::from_millis(record.ms));
        text.push_str(&format!("; {} in {took}", bytes(record.bytes)));
    }
    if let Some(position) = &record.archive {
        text.push_str(&format!(
            "; archive/{} at byte {}",
            harmless(&position.file),
            position.offset
        ));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spelled(url: &str) -> Vec<String> {
        variants(&CanonicalUrl::parse(url).unwrap())
            .iter()
            .map(|url| url.to_string())
            .collect()
    }

    #[test]
    fn near_misses_differ_in_slash_scheme_www_or_query() {
        assert_eq!(
            spelled("http://a.test/tea"),
            [
                "http://a.test/tea/",
                "http://www.a.test/tea",
                "http://www.a.test/tea/",
                "https://a.test/tea",
                "https://a.test/tea/",
                "https://www.a.test/tea",
                "https://www.a.test/tea/",
            ]
        );
        assert!(spelled("https://www.a.test/tea?from=mail").contains(&"https://a.test/tea".to_owned()));
        assert_eq!(spelled("https://a.test/").len(), 3);
    }

    #[test]
    fn an_address_without_scheme_gets_the_remedy() {
        let message = |given: &str| read_url(given).unwrap_err().to_string();
        assert_eq!(
            message("a.test/tea"),
            "a.test/tea is no whole URL; write https://a.test/tea or http://a.test/tea"
        );
        assert!(
            message("mailto:a@b.test").contains("only http and https"),
            "{}",
            message("mailto:a@b.test")
        );
        assert!(read_url("http://A.test/x/../tea").is_ok());
    }

    #[test]
    fn parents_that_go_round_in_a_circle_end() {
        let mut records = Records::default();
        records.pages.insert(1, (10, Some(2)));
        records.pages.insert(2, (20, Some(1)));
        assert_eq!(records.path_to(1), [20, 10]);
        assert!(records.path_to(3).is_empty());
    }
}
