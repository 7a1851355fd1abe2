//! Experiments on agents and their word tables.
//!
//! Crawls begin at search results, as in the paper: the task's own seeds and the first ten pages that a search of the
//! web itself finds for the task's query. Precision is the paper's: the share of pages that contain the query. The share by the
//! labels is shown beside it.

mod crawls;
mod search;

use std::collections::BTreeSet;
use std::time::Duration;

use scenthound_engine::SeedAssignment;
use scenthound_report::plot::{Axis, LineChart, Look, Point, Series, Spread};
use scenthound_report::table::{Cell, Column, Form, Owner, Table};
use scenthound_report::{Experiment, stats};
use scenthound_types::CanonicalUrl;

use self::crawls::{Crawled, Entry, Genres, KINDS, crawl, kind_of, mean};
use super::measure::Bench;
use crate::conditions::Conditions;
use crate::error::LabError;
use crate::recorded::PageId;
use crate::trial::Trial;
use crate::web::Web;

/// Number of search results that a crawl begins at.
const ANSWERS: usize = 10;

/// The bench's trials as in the paper: starting at search results, with no sense of a word excluded.
fn searched(bench: &Bench<'_>) -> Vec<Trial> {
    let mut trials = search::seeded(&bench.trials, ANSWERS);
    for trial in &mut trials {
        trial.task.exclude.clear();
    }
    trials
}

fn begun(experiment: Experiment) -> Experiment {
    experiment.setting(
        "seeds",
        format!("the task's own, and the first {ANSWERS} results of searching the web for the query"),
    )
}

/// Crawls that know nothing, to be shown beside all others.
fn ignorant(conditions: &Conditions) -> [Entry; 2] {
    ["breadth-first", "random"].map(|name| Entry {
        strategy: name.to_owned(),
        ..Entry::table(name, "", conditions)
    })
}

fn within(bench: &Bench<'_>, pages: u64) -> Conditions {
    Conditions {
        budget: bench.conditions.budget.or(Some(bench.pages(pages))),
        ..bench.conditions.clone()
    }
}

fn precision_columns() -> Vec<Column> {
    vec![
        Column::new("precision (query)", Form::Percent(1)).higher(),
        Column::new("precision (labels)", Form::Percent(1)).higher(),
    ]
}

fn precision_cells(crawls: &[Crawled]) -> Vec<Cell> {
    vec![mean(crawls, Crawled::precision), mean(crawls, Crawled::harvest)]
}

fn row(table: &mut Table, label: &str, cells: Vec<Cell>) {
    table.push(Owner::Ours, [vec![Cell::from(label)], cells].concat());
}

/// A line of means over tasks.
fn line<'c>(
    name: &str,
    place: usize,
    points: impl Iterator<Item = (f64, &'c [Crawled])>,
    value: impl Fn(&Crawled) -> f64,
) -> Series {
    let point = |(x, crawls): (f64, &[Crawled])| {
        let values: Vec<f64> = crawls.iter().map(&value).collect();
        Point {
            x,
            y: stats::mean(&values),
            error: Some(stats::standard_error(&values)).filter(|error| error.is_finite()),
        }
    };
    Series {
        name: name.to_owned(),
        look: Look::Contender(place),
        points: points.map(point).collect(),
    }
}

fn chart(title: &str, across: &str, up: &str, series: Vec<Series>) -> LineChart {
    let axis = |title: &str| Axis {
        title: title.to_owned(),
        ..Axis::default()
    };
    LineChart {
        title: title.to_owned(),
        x: axis(across),
        y: axis(up),
        spread: Spread::Bars,
        series,
        ..LineChart::default()
    }
}

/// Mean of a count that grows with the visits, one line per entry.
fn growing(
    title: &str,
    up: &str,
    visits: usize,
    entries: &[Entry],
    crawls: &[Vec<Crawled>],
    value: impl Fn(&Crawled, usize) -> f64,
) -> LineChart {
    let steps: Vec<usize> = (1..=20).map(|step| (visits * step).div_ceil(20).max(1)).collect();
    let series = entries
        .iter()
        .zip(crawls)
        .enumerate()
        .map(|(place, (entry, crawls))| {
            let points = steps.iter().map(|visits| {
                let values: Vec<f64> = crawls.iter().map(|crawled| value(crawled, *visits)).collect();
                Point {
                    x: *visits as f64,
                    y: stats::mean(&values),
                    error: None,
                }
            });
            Series {
                name: entry.label.clone(),
                look: Look::Contender(place),
                points: points.collect(),
            }
        });
    chart(title, "visited pages", up, series.collect())
}

/// The most visits any crawl made.
fn most_visits(crawls: &[Vec<Crawled>]) -> usize {
    let all = crawls.iter().flatten();
    all.map(|crawled| crawled.visits.len()).max().unwrap_or(0)
}

pub fn concurrency(bench: &Bench<'_>) -> Result<Experiment, LabError> {
    let trials = searched(bench);
    let given = within(bench, 150);
    let latency = if given.latency.is_zero() {
        Duration::from_millis(1_500)
    } else {
        given.latency
    };
    let delays = if given.delay.is_zero() {
        vec![Duration::ZERO, Duration::from_secs(1)]
    } else {
        vec![given.delay]
    };
    const REQUESTS: std::ops::RangeInclusive<u32> = 1..=12;
    let mut entries = Vec::new();
    for delay in &delays {
        for requests in REQUESTS {
            let conditions = Conditions {
                latency,
                delay: *delay,
                agent_requests: Some(requests),
                workers: given.workers.max(requests),
                ..given.clone()
            };
            entries.push(Entry::table(requests.to_string(), "", &conditions));
        }
    }
    let timed = entries.len();
    for delay in &delays {
        entries.extend(ignorant(&Conditions {
            latency,
            delay: *delay,
            agent_requests: Some(*REQUESTS.end()),
            workers: given.workers.max(*REQUESTS.end()),
            ..given.clone()
        }));
    }
    let mut crawls = crawl(bench, &trials, &entries)?;
    let unguided = crawls.split_off(timed);
    let by_delay: Vec<&[Vec<Crawled>]> = crawls.chunks(REQUESTS.count()).collect();
    let mut columns = vec![Column::words("requests out")];
    for delay in &delays {
        let delay = delay.as_secs_f64();
        columns.extend([
            Column::new(format!("seconds, delay {delay} s"), Form::Decimals(0)).lower(),
            Column::new("precision (query)", Form::Percent(1)),
            Column::new("precision (labels)", Form::Percent(1)),
        ]);
    }
    let mut table = Table::new(columns);
    for (place, requests) in REQUESTS.enumerate() {
        let cells = by_delay.iter().filter_map(|by_requests| {
            let crawls = by_requests.get(place)?;
            let time = mean(crawls, |crawled| crawled.virtual_seconds);
            Some([vec![time], precision_cells(crawls)].concat())
        });
        let cells = cells.collect::<Vec<_>>().concat();
        row(&mut table, &requests.to_string(), cells);
    }
    for (place, name) in ["breadth-first", "random"].into_iter().enumerate() {
        let each = unguided.chunks(2).filter_map(|of_delay| of_delay.get(place));
        let cells = each.map(|crawls| {
            let time = mean(crawls, |crawled| crawled.virtual_seconds);
            [vec![time], precision_cells(crawls)].concat()
        });
        let cells = cells.collect::<Vec<_>>().concat();
        row(&mut table, &format!("{name}, {}", REQUESTS.end()), cells);
    }
    let lines = |value: fn(&Crawled) -> f64| -> Vec<Series> {
        let each = delays.iter().zip(&by_delay).enumerate();
        each.map(|(place, (delay, by_requests))| {
            let points = REQUESTS.map(f64::from).zip(by_requests.iter().map(Vec::as_slice));
            line(&format!("delay {} s", delay.as_secs_f64()), place, points, value)
        })
        .collect()
    };
    Ok(begun(Experiment::new(
        "Requests in flight",
        "How much sooner does an agent finish if it may request several pages at once, and does it choose worse because it has not yet seen the responses?",
    ))
    .table(table, "Virtual time; mean over the tasks, ± standard error.")
    .figure(
        chart("Time by requests in flight", "requests in flight", "virtual seconds", lines(|crawled| crawled.virtual_seconds)),
        "Mean over the tasks ± one standard error.",
    )
    .figure(
        chart("Precision by requests in flight", "requests in flight", "pages with the query, share", lines(Crawled::precision)),
        "Mean over the tasks ± one standard error.",
    )
    .note("The paper: 150 pages take 3 to 4 minutes with one request and about 30 seconds with twelve; precision stays the same.")
    .note("Every response takes the same time here, chosen so that one request at a time takes about as long as in the paper. Each host gets one request at a time and then rests for the delay.")
    .setting("latency", format!("{} s", latency.as_secs_f64()))
    .setting("budget", given.budget_in_words()))
}

pub fn agents(bench: &Bench<'_>) -> Result<Experiment, LabError> {
    let trials = searched(bench);
    let one = within(bench, 1_000);
    let assigned = |assign_seeds| Conditions {
        agents: one.agents.max(3),
        assign_seeds,
        ..one.clone()
    };
    let alone = Conditions {
        agents: 1,
        ..one.clone()
    };
    let many = one.agents.max(3);
    let entries = vec![
        Entry::table("one agent, all seeds", "", &alone),
        Entry::table(
            format!("{many} agents, seeds assigned evenly"),
            "",
            &assigned(SeedAssignment::Even),
        ),
        Entry::table(
            format!("{many} agents, seeds assigned by host"),
            "",
            &assigned(SeedAssignment::ByHost),
        ),
    ];
    let entries: Vec<Entry> = entries.into_iter().chain(ignorant(&alone)).collect();
    let crawls = crawl(bench, &trials, &entries)?;
    let mut table = Table::new(
        [
            vec![Column::words("agents")],
            precision_columns(),
            vec![
                Column::new("auc30", Form::Decimals(3)).higher(),
                Column::new("hosts", Form::Decimals(1)).higher(),
                Column::new("domains", Form::Decimals(1)).higher(),
                Column::new("entropy", Form::Decimals(2)).higher(),
                Column::new("hosts with the query", Form::Decimals(1)).higher(),
                Column::new("domains with the query", Form::Decimals(1)).higher(),
                Column::new("entropy with the query", Form::Decimals(2)).higher(),
            ],
        ]
        .concat(),
    );
    for (entry, crawls) in entries.iter().zip(&crawls) {
        let all = |crawled: &Crawled| crawled.places(|_| true);
        let good = |crawled: &Crawled| crawled.places(|visit| visit.has_query);
        let spread = vec![
            mean(crawls, |crawled| crawled.auc30),
            mean(crawls, |crawled| all(crawled).hosts),
            mean(crawls, |crawled| all(crawled).domains),
            mean(crawls, |crawled| all(crawled).entropy),
            mean(crawls, |crawled| good(crawled).hosts),
            mean(crawls, |crawled| good(crawled).domains),
            mean(crawls, |crawled| good(crawled).entropy),
        ];
        row(
            &mut table,
            &entry.label,
            [precision_cells(crawls), spread].concat(),
        );
    }
    let visits = most_visits(&crawls);
    let mut experiment = begun(Experiment::new(
        "Three agents against one",
        "With the same number of pages, do agents with their own seeds, tables and queues reach more hosts, and at what price?",
    ))
    .table(
        table,
        "Mean over the tasks, ± standard error. Entropy is over hosts, in bits.",
    )
    .table(
        by_agent(&entries, &crawls),
        "Per agent: the pages it requested that count, those with the query, and their hosts.",
    )
    .figure(
        growing("Pages with the query", "pages with the query", visits, &entries, &crawls, |crawled, visits| {
            crawled.among_first(visits, |visit| visit.has_query)
        }),
        "Mean over the tasks.",
    );
    if let Some((alone, others)) = crawls.split_first() {
        for (entry, theirs) in entries.iter().skip(1).zip(others) {
            for (what, value) in [
                (
                    "precision (query)",
                    (|crawled| crawled.precision()) as fn(&Crawled) -> f64,
                ),
                ("hosts", |crawled| crawled.places(|_| true).hosts),
                ("hosts with the query", |crawled| {
                    crawled.places(|visit| visit.has_query).hosts
                }),
            ] {
                let pairs: Vec<(f64, f64)> = theirs
                    .iter()
                    .zip(alone)
                    .map(|(theirs, alone)| (value(theirs), value(alone)))
                    .collect();
                if let Some(test) = stats::paired_t_test(&pairs) {
                    experiment = experiment.note(format!(
                        "{} against one on {what}: mean difference {:+.3}, t = {:.2}, one-tailed p = {:.3}, {} tasks.",
                        entry.label,
                        test.difference,
                        test.t,
                        test.p,
                        pairs.len()
                    ));
                }
            }
        }
    }
    Ok(experiment
        .note("The paper: agents from different seeds explore different parts of the web, so there is more diversity, but one agent with all the seeds has the higher precision.")
        .setting("budget", one.budget_in_words()))
}

/// Pages crawled, and results of the engine that they are compared with: as many of the one as of the other, as in the paper.
const RESULTS: u64 = 500;
/// How often a crawl is compared with the results on its way.
const STEPS: usize = 10;

/// What a crawl has found so far, compared with the results of an engine.
struct Beyond {
    /// Pages with the query.
    pages: f64,
    /// Those of them that the engine does not show.
    new_pages: f64,
    /// Hosts with such pages that the engine shows too.
    common: f64,
    /// Those of them with a page that the engine does not show.
    deeper: f64,
    /// Hosts with the query that the engine does not show.
    new_hosts: f64,
}

impl Beyond {
    /// The first visits of a crawl against the first results.
    fn of(crawled: &Crawled, visits: usize, web: &dyn Web, results: &[CanonicalUrl]) -> Beyond {
        let shown: BTreeSet<PageId> = results.iter().filter_map(|url| web.page_at(url)).collect();
        let hosts: BTreeSet<&str> = results.iter().map(CanonicalUrl::host).collect();
        let visited = crawled.visits.iter().take(visits);
        let found: Vec<_> = visited.filter(|visit| visit.has_query).collect();
        let is_new = |visit: &&&crawls::Visited| !shown.contains(&visit.page);
        let reached: BTreeSet<&str> = found.iter().map(|visit| host_name(&visit.host)).collect();
        let common = reached.intersection(&hosts).count();
        let new: Vec<_> = found.iter().filter(is_new).collect();
        let deeper: BTreeSet<&str> = new.iter().map(|visit| host_name(&visit.host)).collect();
        Beyond {
            pages: found.len() as f64,
            new_pages: new.len() as f64,
            common: common as f64,
            deeper: deeper.intersection(&hosts).count() as f64,
            new_hosts: (reached.len() - common) as f64,
        }
    }

    fn share(part: f64, whole: f64) -> f64 {
        part / whole.max(1.0)
    }
}

/// Mean and standard error.
fn cell_of(values: &[f64]) -> Cell {
    let error = stats::standard_error(values);
    Cell::number(stats::mean(values), error.is_finite().then_some(error))
}

/// Experiment B: what does a crawl find that the engine it began at does not show?
pub fn beyond(bench: &Bench<'_>) -> Result<Experiment, LabError> {
    let trials = searched(bench);
    let conditions = within(bench, RESULTS);
    let most = if bench.is_quick { RESULTS / 10 } else { RESULTS } as usize;
    // The engine's results follow the seeds that a task has of its own.
    let answers: Vec<Vec<CanonicalUrl>> = search::seeded(&bench.trials, most)
        .into_iter()
        .zip(&bench.trials)
        .map(|(answered, own)| {
            let seeds = answered.pages.seeds.into_iter();
            seeds.filter(|url| !own.pages.seeds.contains(url)).collect()
        })
        .collect();
    let with_query: Vec<f64> = bench
        .trials
        .iter()
        .map(|trial| search::pages_with_query(trial) as f64)
        .collect();
    let entries: Vec<Entry> = [Entry::table("table", "", &conditions)]
        .into_iter()
        .chain(ignorant(&conditions))
        .collect();
    let crawls = crawl(bench, &trials, &entries)?;
    let compare = |crawls: &[Crawled], visits: usize, results: usize| -> Vec<Beyond> {
        let each = crawls.iter().zip(&bench.trials).zip(&answers);
        each.map(|((crawled, trial), answers)| {
            let shown = answers.get(..results).unwrap_or(answers);
            Beyond::of(crawled, visits, trial.web.as_ref(), shown)
        })
        .collect()
    };
    let mean_of =
        |all: &[Beyond], value: fn(&Beyond) -> f64| cell_of(&all.iter().map(value).collect::<Vec<_>>());
    let mut table = Table::new(vec![
        Column::words("strategy"),
        Column::new("precision (query)", Form::Percent(1)).higher(),
        Column::new("pages with the query", Form::Decimals(1)).higher(),
        Column::new("not among the results", Form::Percent(1)).higher(),
        Column::new("common hosts", Form::Decimals(1)),
        Column::new("explored deeper", Form::Percent(1)).higher(),
        Column::new("new hosts with the query", Form::Decimals(1)).higher(),
    ]);
    for (entry, crawls) in entries.iter().zip(&crawls) {
        let all = compare(crawls, usize::MAX, most);
        row(
            &mut table,
            &entry.label,
            vec![
                mean(crawls, Crawled::precision),
                mean_of(&all, |beyond| beyond.pages),
                mean_of(&all, |beyond| Beyond::share(beyond.new_pages, beyond.pages)),
                mean_of(&all, |beyond| beyond.common),
                mean_of(&all, |beyond| Beyond::share(beyond.deeper, beyond.common)),
                mean_of(&all, |beyond| beyond.new_hosts),
            ],
        );
    }
    table.push(
        Owner::Paper,
        [
            vec![Cell::from("paper: one query, Google of 2011")],
            vec![Cell::empty(); 4],
            vec![Cell::number(0.3, None), Cell::empty()],
        ]
        .concat(),
    );
    // Of an engine that shows all there is, nothing is left to find.
    let mut by_results = Table::new(vec![
        Column::words("results shown"),
        Column::new("of all pages with the query", Form::Percent(1)),
        Column::new("common hosts", Form::Decimals(1)),
        Column::new("explored deeper", Form::Percent(1)),
        Column::new("pages not among the results", Form::Percent(1)),
    ]);
    let guided = crawls.first().map(Vec::as_slice).unwrap_or_default();
    for part in [10, 4, 2, 1] {
        let results = (most / part).max(1);
        let all = compare(guided, usize::MAX, results);
        let shares: Vec<f64> = with_query
            .iter()
            .map(|pages| (results as f64 / pages.max(1.0)).min(1.0))
            .collect();
        row(
            &mut by_results,
            &results.to_string(),
            vec![
                cell_of(&shares),
                mean_of(&all, |beyond| beyond.common),
                mean_of(&all, |beyond| Beyond::share(beyond.deeper, beyond.common)),
                mean_of(&all, |beyond| Beyond::share(beyond.new_pages, beyond.pages)),
            ],
        );
    }
    let steps: Vec<usize> = (1..=STEPS).map(|step| most * step / STEPS).collect();
    let lines = |value: fn(&Beyond) -> f64| -> Vec<Series> {
        let each = entries.iter().zip(&crawls).enumerate();
        each.map(|(place, (entry, crawls))| Series {
            name: entry.label.clone(),
            look: Look::Contender(place),
            points: steps
                .iter()
                .map(|visits| {
                    let values: Vec<f64> = compare(crawls, *visits, most).iter().map(value).collect();
                    Point {
                        x: *visits as f64,
                        y: stats::mean(&values),
                        error: Some(stats::standard_error(&values)).filter(|error| error.is_finite()),
                    }
                })
                .collect(),
        })
        .collect()
    };
    Ok(begun(Experiment::new(
        "Beyond the search engine",
        "A crawl begins at the first results of a search engine. After as many pages as the engine has results: what did it find that they do not show?",
    ))
    .table(
        table,
        "Common hosts have pages with the query in the crawl and among the results; explored deeper: those on which the crawl found a page with the query that is not among the results. Mean over the tasks, ± standard error.",
    )
    .table(
        by_results,
        "The crawl by table against fewer results of the same engine.",
    )
    .figure(
        chart("Common hosts explored deeper", "visited pages", "share of the common hosts", lines(|beyond| Beyond::share(beyond.deeper, beyond.common))),
        "In ten steps, as the paper's Fig. 4. Mean over the tasks ± one standard error.",
    )
    .figure(
        chart("Pages that the engine does not show", "visited pages", "share of the pages with the query", lines(|beyond| Beyond::share(beyond.new_pages, beyond.pages))),
        "Mean over the tasks ± one standard error.",
    )
    .note("The paper: 500 pages crawled against Google's first 500; about 30 % of the domains found in both are explored deeper. Those 500 were a vanishing part of the pages with the query.")
    .note("Our engine ranks all reachable pages of the web by BM25, at most two per host before any third. An engine that shows all pages with the query leaves nothing to explore.")
    .setting("results", most.to_string())
    .setting("budget", conditions.budget_in_words()))
}

/// The host of an origin.
fn host_name(origin: &str) -> &str {
    origin.split_once("://").map_or(origin, |(_, host)| host)
}

fn by_agent(entries: &[Entry], crawls: &[Vec<Crawled>]) -> Table {
    let mut table = Table::new(vec![
        Column::words("agents"),
        Column::words("agent"),
        Column::new("pages", Form::Decimals(1)),
        Column::new("with the query", Form::Decimals(1)),
        Column::new("hosts", Form::Decimals(1)),
    ]);
    for (entry, crawls) in entries.iter().zip(crawls) {
        for agent in 0..entry.conditions.agents {
            let is_its = |agent_of: scenthound_types::AgentId| agent_of.0 == agent;
            let count = |crawled: &Crawled, has_query: bool| {
                crawled.among_first(usize::MAX, |visit| {
                    is_its(visit.agent) && (visit.has_query || !has_query)
                })
            };
            table.push(
                Owner::Ours,
                vec![
                    Cell::from(entry.label.as_str()),
                    Cell::from((agent + 1).to_string()),
                    mean(crawls, |crawled| count(crawled, false)),
                    mean(crawls, |crawled| count(crawled, true)),
                    mean(crawls, |crawled| {
                        crawled.places(|visit| is_its(visit.agent)).hosts
                    }),
                ],
            );
        }
    }
    table
}

pub fn table(bench: &Bench<'_>) -> Result<Experiment, LabError> {
    let trials = searched(bench);
    let conditions = within(bench, 1_000);
    // Without words every link scores 0, and the oldest comes first.
    let mut entries = vec![Entry::table("0", ":link-topic-weight=0", &conditions)];
    const SIZES: [u32; 6] = [10, 50, 100, 200, 500, 1_000];
    for size in SIZES {
        entries.push(Entry::table(
            size.to_string(),
            &format!(":table-size={size}"),
            &conditions,
        ));
    }
    const SHARES: [u32; 4] = [0, 20, 50, 80];
    let lines = [
        ("0.6, all the page's words", "union", 0.6),
        ("0.8, all the page's words", "union", 0.8),
        ("0.6, the table's words", "table", 0.6),
        ("0.8, the table's words", "table", 0.8),
    ];
    for (from, space, threshold) in lines {
        for share in SHARES {
            entries.push(Entry::table(
                format!("adds {share} % from {from}"),
                &format!(
                    ":table-size=100:table-adds={}:table-adds-from={threshold}:table-space={space}",
                    f64::from(share) / 100.0
                ),
                &conditions,
            ));
        }
    }
    // The paper scores waiting links again whenever the table grows.
    for (label, every) in [
        ("adds 50 % from 0.6, links scored again at once", 1),
        ("adds 50 % from 0.6, links scored again every 100 pages", 100),
    ] {
        entries.push(Entry::table(
            label,
            &format!(":table-size=100:table-adds=0.5:table-space=table:table-rescore-every={every}"),
            &conditions,
        ));
    }
    entries.extend(ignorant(&conditions));
    let crawls = crawl(bench, &trials, &entries)?;
    let columns = |head: &str| {
        Table::new(
            [
                vec![Column::words(head)],
                precision_columns(),
                vec![
                    Column::new("auc30", Form::Decimals(3)).higher(),
                    Column::new("words at the end", Form::Decimals(0)),
                ],
            ]
            .concat(),
        )
    };
    let (mut fixed, mut grown) = (columns("words"), columns("starts with 100"));
    let statics = SIZES.len() + 1;
    for (place, (entry, crawls)) in entries.iter().zip(&crawls).enumerate() {
        let words = if place == 0 || place + 2 >= entries.len() {
            Cell::number(0.0, None)
        } else {
            mean(crawls, |crawled| crawled.table_words)
        };
        let cells = [
            precision_cells(crawls),
            vec![mean(crawls, |crawled| crawled.auc30), words],
        ];
        let is_ignorant = place + 2 >= entries.len();
        let table = if place < statics || is_ignorant {
            &mut fixed
        } else {
            &mut grown
        };
        row(table, &entry.label, cells.concat());
    }
    let sizes = [0].into_iter().chain(SIZES).map(f64::from);
    let static_line = line(
        "static",
        0,
        sizes.zip(crawls.iter().map(Vec::as_slice)),
        |crawled| crawled.auc30,
    );
    let rest = crawls.get(statics..).unwrap_or_default();
    let grown_lines =
        lines
            .iter()
            .zip(rest.chunks(SHARES.len()))
            .enumerate()
            .map(|(place, ((name, ..), by_share))| {
                let points = SHARES
                    .map(f64::from)
                    .into_iter()
                    .zip(by_share.iter().map(Vec::as_slice));
                line(name, place, points, |crawled| crawled.auc30)
            });
    Ok(begun(Experiment::new(
        "The word table",
        "How many words of the seeds should the table have, and should similar pages add theirs?",
    ))
    .table(fixed, "A fixed table. Mean over the tasks, ± standard error.")
    .table(
        grown,
        "A page that is at least this similar to the table adds its heaviest words, as a percentage of 100, until the table has 1,000. Similarity is over all the page's words, or over those in the table.",
    )
    .figure(
        chart("A fixed table", "words", "auc30", vec![static_line]),
        "Mean over the tasks ± one standard error.",
    )
    .figure(
        chart("A growing table", "adds, % of 100 words", "auc30", grown_lines.collect()),
        "Mean over the tasks ± one standard error.",
    )
    .note("The paper: 50 words are best for a fixed table, 10 are not enough; a growing table starts at 100 and adds 50 % from a similarity of 0.6 or 0.8.")
    .note("With 0 words every link has the same score and the crawl is breadth-first. If the budget is less than 30 % of the reachable pages, auc30 carries the last value forward.")
    .setting("budget", conditions.budget_in_words()))
}

pub fn genre(bench: &Bench<'_>) -> Result<Experiment, LabError> {
    let trials = searched(bench);
    let conditions = within(bench, 1_000);
    let weighted = |label: &str, topic: f64, genre: f64| Entry {
        genres: Genres::OfTask,
        ..Entry::table(
            label,
            &format!(":link-topic-weight={topic}:link-genre-weight={genre}"),
            &conditions,
        )
    };
    let alone = |kind| Entry {
        genres: Genres::One(kind),
        ..Entry::table(
            format!("{kind} alone"),
            ":link-topic-weight=0:link-genre-weight=1",
            &conditions,
        )
    };
    const SUM: usize = 2;
    const HALVES: usize = 3;
    let mut entries = vec![
        Entry::table("table alone", "", &conditions),
        weighted("genre alone", 0.0, 1.0),
        weighted("sum (1, 1)", 1.0, 1.0),
        weighted("mean 0.5, 0.5", 0.5, 0.5),
        weighted("mean 0.8, 0.2", 0.8, 0.2),
        weighted("mean 0.2, 0.8", 0.2, 0.8),
    ];
    entries.extend(ignorant(&conditions));
    let mixes = entries.len();
    entries.extend(KINDS.map(alone));
    let crawls = crawl(bench, &trials, &entries)?;
    let mut table = Table::new(
        [
            vec![Column::words("score of a link")],
            precision_columns(),
            vec![Column::new("auc30", Form::Decimals(3)).higher()],
        ]
        .concat(),
    );
    for (entry, crawls) in entries.iter().zip(&crawls).take(mixes) {
        let cells = [
            precision_cells(crawls),
            vec![mean(crawls, |crawled| crawled.auc30)],
        ];
        row(&mut table, &entry.label, cells.concat());
    }
    let mut experiment = begun(Experiment::new(
        "Genres and the word table",
        "Should a link be scored by the words of the topic, by those of the wanted genre, or by both?",
    ))
    .table(
        table,
        "The genre is the task's own; any of news, forum and blog if it has none. Mean over the tasks, ± standard error.",
    );
    if let Some(crossed) = crossed(&trials, &entries, &crawls, mixes) {
        experiment = experiment.table(
            crossed,
            "Precision (labels) with the words of each genre alone, on the tasks of each genre.",
        );
    }
    let visits = most_visits(&crawls);
    experiment = experiment.figure(
        growing(
            "Relevant pages",
            "relevant pages by the labels",
            visits,
            entries.get(..mixes).unwrap_or_default(),
            &crawls,
            |crawled, visits| crawled.among_first(visits, |visit| visit.is_relevant),
        ),
        "Mean over the tasks.",
    );
    let same = match (crawls.get(SUM), crawls.get(HALVES)) {
        (Some(sum), Some(halves)) => sum
            .iter()
            .zip(halves)
            .filter(|(sum, halves)| sum.visits == halves.visits)
            .count(),
        _ => 0,
    };
    Ok(experiment
        .note(format!(
            "0.5 and 0.5 is half the sum, so it should visit the same pages in the same order, and did on {same} of {} tasks.",
            trials.len()
        ))
        .note("The paper: the sum is best and 0.5, 0.5 worst, which the weights cannot explain.")
        .setting("budget", conditions.budget_in_words()))
}

/// Each genre alone, on the tasks of each genre; `None` if no task is about one.
fn crossed(trials: &[Trial], entries: &[Entry], crawls: &[Vec<Crawled>], from: usize) -> Option<Table> {
    let kinds: Vec<&str> = KINDS
        .into_iter()
        .filter(|kind| trials.iter().any(|trial| kind_of(trial) == Some(*kind)))
        .collect();
    if kinds.is_empty() {
        return None;
    }
    let columns = kinds
        .iter()
        .map(|kind| Column::new(format!("{kind} tasks"), Form::Percent(1)).higher());
    let mut table = Table::new(
        std::iter::once(Column::words("words of"))
            .chain(columns)
            .collect(),
    );
    for (entry, crawls) in entries.iter().zip(crawls).skip(from) {
        let cells = kinds.iter().map(|kind| {
            let of_kind = trials.iter().zip(crawls);
            let of_kind = of_kind.filter(|(trial, _)| kind_of(trial) == Some(*kind));
            let of_kind: Vec<Crawled> = of_kind.map(|(_, crawled)| crawled.clone()).collect();
            mean(&of_kind, Crawled::harvest)
        });
        row(&mut table, &entry.label, cells.collect());
    }
    Some(table)
}

pub fn disambiguation(bench: &Bench<'_>) -> Result<Experiment, LabError> {
    if let Some(trial) = bench.trials.iter().find(|trial| trial.task.exclude.is_empty()) {
        return Err(LabError::NoWrongSense {
            task: trial.task.name.clone(),
            web: trial.web_name.clone(),
        });
    }
    let conditions = within(bench, 1_000);
    // A search engine does not know which sense is meant, so its results contain both.
    let exclusive = search::seeded(&bench.trials, ANSWERS);
    let inclusive = searched(bench);
    let without: Vec<Entry> = [Entry::table("none", "", &conditions)]
        .into_iter()
        .chain(ignorant(&conditions))
        .collect();
    let with: Vec<Entry> = (1..=3)
        .map(|least| Entry {
            judge: format!("query:min-exclude={least}"),
            ..Entry::table(format!("{least} or more"), "", &conditions)
        })
        .collect();
    let mut crawls = crawl(bench, &inclusive, &without)?;
    crawls.extend(crawl(bench, &exclusive, &with)?);
    let entries: Vec<Entry> = without.into_iter().chain(with).collect();
    let first = most_visits(&crawls);
    let mut table = Table::new(vec![
        Column::words("wrong words to ignore a page"),
        Column::new("visited", Form::Decimals(0)),
        Column::new("relevant", Form::Decimals(1)).higher(),
        Column::new("irrelevant", Form::Decimals(1)).lower(),
        Column::new("irrelevant and kept", Form::Decimals(1)).lower(),
        Column::new("ignored", Form::Decimals(1)),
        Column::new("relevant but ignored", Form::Decimals(1)).lower(),
        Column::new("relevant among the kept", Form::Percent(1)).higher(),
    ]);
    for (entry, crawls) in entries.iter().zip(&crawls) {
        let count = |passes: fn(&crawls::Visited) -> bool| {
            mean(crawls, move |crawled| crawled.among_first(first, passes))
        };
        let kept = |crawled: &Crawled| {
            let good = crawled.among_first(first, |visit| visit.is_relevant && !visit.is_ignored);
            good / crawled.among_first(first, |visit| !visit.is_ignored).max(1.0)
        };
        let cells = vec![
            count(|_| true),
            count(|visit| visit.is_relevant),
            count(|visit| !visit.is_relevant),
            count(|visit| !visit.is_relevant && !visit.is_ignored),
            count(|visit| visit.is_ignored),
            count(|visit| visit.is_relevant && visit.is_ignored),
            mean(crawls, kept),
        ];
        row(&mut table, &entry.label, cells);
    }
    let mut by_task = Table::new(
        std::iter::once(Column::words("wrong words to ignore a page"))
            .chain(
                bench
                    .trials
                    .iter()
                    .map(|trial| Column::new(trial.task.name.clone(), Form::Count).lower()),
            )
            .collect(),
    );
    for (entry, crawls) in entries.iter().zip(&crawls) {
        let kept = crawls.iter().map(|crawled| {
            Cell::from(crawled.among_first(first, |visit| !visit.is_relevant && !visit.is_ignored))
        });
        row(&mut by_task, &entry.label, kept.collect());
    }
    let figure = growing(
        "Irrelevant pages kept",
        "irrelevant pages kept",
        first,
        &entries,
        &crawls,
        |crawled, visits| crawled.among_first(visits, |visit| !visit.is_relevant && !visit.is_ignored),
    );
    let words: Vec<String> = bench
        .trials
        .iter()
        .map(|trial| {
            format!(
                "{}: {:?}, not {}",
                trial.task.name,
                trial.task.query,
                trial.task.exclude.join(", ")
            )
        })
        .collect();
    Ok(begun(Experiment::new(
        "A word in two senses",
        "Pages with words of the wrong sense are ignored, and so are their links. How many irrelevant pages does that avoid?",
    ))
    .table(
        table,
        &format!("Among the first {} visited; relevance is by the labels. Mean over the tasks, ± standard error.", conditions.budget_in_words()),
    )
    .table(by_task, "Irrelevant pages kept, by task.")
    .figure(figure, "Mean over the tasks.")
    .note("The paper: with disambiguation the number of irrelevant pages in 1,000 drops sharply. It ignores a page for one word.")
    .setting("words", words.join("; "))
    .setting("budget", conditions.budget_in_words()))
}
