//! `reports/report.html`: what a crawl found, in one page, written when the crawl ends.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Result;
use scenthound::{Collection, Overview};
use scenthound_engine::ScopeKind;
use scenthound_report::page::{Block, Page};
use scenthound_report::plot::{Axis, LineChart, Look, Point, Series};
use scenthound_report::table::{Column, Form, Owner, Table};
use scenthound_store::replace;
use scenthound_types::OutcomeCode;

use crate::wording::{count, counted, found_by, harmless, hidden_by, set_name};

/// With fewer relevant pages than one in this many, the end of a crawl says why.
const FEW: u64 = 50;
/// How many terms of a page are shown.
const TERMS_SHOWN: usize = 6;

/// Writes the report of the crawl in a folder and returns the figures it shows.
pub fn write(folder: &Path, ended: &str) -> Result<Overview> {
    let collection = Collection::open(folder)?;
    let overview = collection.overview()?;
    let name = collection
        .settings()?
        .map(|settings| settings.topic.name)
        .filter(|name| !name.is_empty());
    let page = page(&overview, name.as_deref().unwrap_or("untitled"), ended);
    let path = collection.view().layout().reports().join("report.html");
    replace(&path, page.html().as_bytes())?;
    Ok(overview)
}

/// A warning that the words the crawl went by came from seeds that are not about the topic.
fn off_topic_seeds(overview: &Overview) -> Option<String> {
    let (off, seeds) = (overview.seeds_off_topic, overview.seeds);
    (overview.learnt_from_seeds && off > 0 && 2 * off >= seeds).then(|| {
        let by = match &overview.seeds_compared_with {
            Some(query) => format!("Without most words of the topic ({})", harmless(query)),
            None => "Off topic by the judge".to_owned(),
        };
        format!(
            "{by}: {} of {} read. --strategy table goes by the words of the seeds; seeds that are about the topic lead to better \
             links.",
            count(off),
            counted(seeds, "seed")
        )
    })
}

/// Why a crawl found little, and what to try; empty if it found enough.
pub fn explain(overview: &Overview) -> Vec<String> {
    let mut lines: Vec<String> = off_topic_seeds(overview).into_iter().collect();
    lines.extend(hidden_finds(overview));
    if overview.waiting == Some(0) || 2 * overview.nofollow_seeds > overview.seeds {
        lines.extend(nofollow_seeds(overview));
    }
    if overview.relevant > 0 && overview.relevant * FEW > overview.pages {
        return lines;
    }
    lines.extend(not_asked(overview));
    if overview.pages == 0 {
        return lines;
    }
    let failed = overview.pages - overview.bodies;
    if failed * 4 >= overview.pages {
        lines.push(format!(
            "{} of {} brought no page: {}.",
            count(failed),
            counted(overview.pages, "request"),
            causes(&overview.failures)
        ));
    }
    lines.extend(why_not_kept(overview));
    if let (Some(best), Some(threshold)) = (overview.best, overview.threshold) {
        if 3.0 * best < threshold {
            lines.push(format!(
                "The best score is {best:.3}, far below the threshold of {threshold}: no page that was read is about the topic. \
                 Other seeds or other words help; a lower threshold does not."
            ));
        } else if best < threshold {
            lines.push(format!(
                "The best score is {best:.3}, below the threshold of {threshold}. If the best pages are what you want, lower \
                 the threshold (--judge {}:threshold={:.2}) or show examples of good pages (--examples).",
                overview.judge.unwrap_or_default().name(),
                (best * 0.95 * 100.0).floor() / 100.0
            ));
        } else if overview.relevant > 0 {
            lines.push(format!(
                "The best score is {best:.3} against a threshold of {threshold}, but few pages reach it. More or better seeds \
                 help most; --examples and more specific words come next."
            ));
        }
    }
    if overview.host_count == 1 && overview.pages > 20 {
        lines.push(match has_wider_scope(overview) {
            true => "All pages are of one host. Seeds on other hosts, or a wider --scope, lead further."
                .to_owned(),
            false => "All pages are of one host. Seeds on other hosts lead further.".to_owned(),
        });
    }
    if overview.waiting == Some(0) {
        let limits = [
            (has_wider_scope(overview), "a wider --scope"),
            (overview.has_depth_limit, "a larger --depth"),
            (overview.has_site_depth_limit, "a larger --site-depth"),
        ];
        let limits = limits
            .into_iter()
            .filter_map(|(is_set, raise)| is_set.then_some(raise));
        let remedies: Vec<&str> = std::iter::once("More seeds").chain(limits).collect();
        lines.push(format!(
            "No link is left to follow. {} would let it go on.",
            remedies.join(" or ")
        ));
    }
    lines
}

/// Whether the crawl could have gone further from its seeds than it was allowed to.
fn has_wider_scope(overview: &Overview) -> bool {
    overview.scope != Some(ScopeKind::Any)
}

/// How many relevant pages are missing among the results, and why.
fn hidden_finds(overview: &Overview) -> Option<String> {
    let hidden: u64 = overview.hidden_relevant_by.values().sum();
    (hidden > 0).then(|| {
        format!(
            "Of {}, hound results leaves out {} ({}); --with-hidden shows {}.",
            counted(overview.relevant, "relevant page"),
            count(hidden),
            hidden_by(&overview.hidden_relevant_by),
            if hidden == 1 { "it" } else { "them" }
        )
    })
}

/// That seeds led nowhere because they ask for it.
fn nofollow_seeds(overview: &Overview) -> Option<String> {
    (overview.nofollow_seeds > 0).then(|| {
        let whose = match (overview.nofollow_seeds, overview.seeds) {
            (1, 1) => "The seed asks that its links not be followed".to_owned(),
            (seeds, all) => format!(
                "{} of {} ask that their links not be followed",
                count(seeds),
                counted(all, "seed")
            ),
        };
        format!(
            "{whose} (nofollow), so {} left out; --follow-nofollow follows them.",
            match overview.nofollow_links {
                1 => "1 link was".to_owned(),
                links => format!("{} links were", count(links)),
            }
        )
    })
}

/// The three most frequent causes.
fn causes(counts: &BTreeMap<String, u64>) -> String {
    let mut causes: Vec<(&String, &u64)> = counts.iter().collect();
    causes.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    let causes = causes.iter().take(3);
    let causes: Vec<String> = causes
        .map(|(cause, number)| format!("{} {}", count(**number), cause))
        .collect();
    causes.join(", ")
}

/// Why pages were not even requested, if that is most of them.
fn not_asked(overview: &Overview) -> Vec<String> {
    let mut lines = Vec::new();
    let unasked: u64 = overview.unasked.values().sum();
    if unasked > 0 && unasked >= overview.pages {
        let by_robots = overview
            .unasked
            .get(OutcomeCode::RefusedRobots.as_str())
            .copied()
            .unwrap_or_default();
        let advice = match 2 * by_robots >= unasked {
            true => " Their hosts' robots.txt disallows them; seeds on other hosts may be open to crawlers.",
            false => " hound explain DIR URL says more about one of them.",
        };
        lines.push(format!(
            "{} known but not requested: {}.{advice}",
            match unasked {
                1 => "1 URL is".to_owned(),
                _ => format!("{} URLs are", count(unasked)),
            },
            causes(&overview.unasked)
        ));
    }
    if overview.bodies == 0 && !overview.unreached_hosts.is_empty() {
        let hosts: u64 = overview.unreached_hosts.values().sum();
        lines.push(format!(
            "{} did not answer, even for robots.txt: {}. Check the addresses of the seeds and the network.",
            counted(hosts, "host"),
            causes(&overview.unreached_hosts)
        ));
    }
    lines
}

/// Why pages that were read do not count, if that is many of them.
fn why_not_kept(overview: &Overview) -> Vec<String> {
    let read = overview.bodies;
    let is_much = |number: u64| number > 0 && 4 * number >= read;
    let of = |number: u64| format!("{} of {} read", count(number), counted(read, "page"));
    let mut lines = Vec::new();
    if is_much(overview.unwanted_language) {
        let mut languages: Vec<(&String, &(u64, u64))> = overview.languages.iter().collect();
        languages.sort_by_key(|(_, (pages, _))| std::cmp::Reverse(*pages));
        let languages: Vec<String> = languages
            .iter()
            .take(3)
            .map(|(language, (pages, _))| format!("{} {}", count(*pages), harmless(language)))
            .collect();
        lines.push(format!(
            "{} are not in a wanted language ({}). --lang says which are wanted.",
            of(overview.unwanted_language),
            languages.join(", ")
        ));
    }
    if is_much(overview.wrong_sense) {
        lines.push(format!(
            "{} use the topic's words in another sense, by the exclude terms.",
            of(overview.wrong_sense)
        ));
    }
    if is_much(overview.near_duplicates) {
        lines.push(format!(
            "{} repeat others and do not count again.",
            of(overview.near_duplicates)
        ));
    }
    if is_much(overview.wordless) {
        lines.push(format!(
            "{} have no words. Pages that only scripts fill cannot be read.",
            of(overview.wordless)
        ));
    }
    lines
}

fn page(overview: &Overview, name: &str, ended: &str) -> Page {
    let mut page = Page::new(format!("Crawl: {}", harmless(name)));
    let share = 100.0 * overview.relevant as f64 / overview.pages.max(1) as f64;
    page.push(Block::Paragraph(format!(
        "{} fetched, {} relevant ({share:.1} %), from {}; {ended}.",
        counted(overview.pages, "page"),
        count(overview.relevant),
        counted(overview.host_count, "host"),
    )));
    let lines = explain(overview);
    if !lines.is_empty() {
        page.push(Block::Notes(lines));
    }
    let mut facts = vec![
        ("pages read".to_owned(), count(overview.bodies)),
        ("near-duplicates".to_owned(), count(overview.near_duplicates)),
        (
            "left out (noindex, language, wrong sense)".to_owned(),
            count(overview.hidden),
        ),
    ];
    facts.extend(
        overview
            .waiting
            .map(|waiting| ("URLs left in the frontier".to_owned(), count(waiting))),
    );
    facts.extend(
        overview
            .best
            .map(|best| ("best score".to_owned(), format!("{best:.3}"))),
    );
    facts.extend(
        overview
            .threshold
            .map(|threshold| ("threshold".to_owned(), threshold.to_string())),
    );
    page.push(Block::Settings(facts));
    if overview.curve.len() > 1 {
        page.push(Block::Figure(curve(overview).into(), curve_caption(overview)));
    }
    best_pages(&mut page, overview);
    hosts(&mut page, overview);
    for (title, table) in [("Genres", &overview.genres), ("Languages", &overview.languages)] {
        if table.is_empty() {
            continue;
        }
        let mut shown = Table::new(vec![
            Column::words(title),
            Column::new("pages read", Form::Count),
            Column::new("relevant", Form::Count),
        ]);
        for (name, (pages, relevant)) in table {
            let cells = vec![harmless(name).into(), (*pages).into(), (*relevant).into()];
            shown.push(Owner::Ours, cells);
        }
        page.push(Block::Heading(title.to_owned()));
        page.push(Block::Table(shown, String::new()));
    }
    if !overview.failures.is_empty() {
        let mut shown = Table::new(vec![Column::words("cause"), Column::new("requests", Form::Count)]);
        for (cause, number) in &overview.failures {
            shown.push(Owner::Ours, vec![cause.as_str().into(), (*number).into()]);
        }
        page.push(Block::Heading("Requests that brought no page".to_owned()));
        page.push(Block::Table(shown, "By HTTP status or outcome.".to_owned()));
    }
    sample(&mut page, overview);
    page
}

fn curve_caption(overview: &Overview) -> String {
    let mut caption =
        "A straight line means a steady harvest; where it flattens, relevant pages ran out.".to_owned();
    if let Some(known) = &overview.breadth_first {
        let found = known.found_in(overview.pages);
        let all = |number: f64| count(number.round() as u64);
        caption.push_str(&format!(
            " Breadth-first would have found at most about {} (95 %: {} to {}). This is an upper limit: it is read from the {} \
             that this crawl fetched in the order of breadth-first too, because one link in a few is taken for having waited \
             longest. These links come from pages that were chosen because they were good, and those with the lowest scores \
             are missing; in tests breadth-first really found between a third and five sixths of the limit.",
            all(found.value),
            all(found.low),
            all(found.high),
            counted(known.pages(), "page"),
        ));
    }
    caption
}

fn curve(overview: &Overview) -> LineChart {
    let points = overview.curve.iter().map(|(pages, relevant)| Point {
        x: *pages as f64,
        y: *relevant as f64,
        error: None,
    });
    let expected = overview.breadth_first.as_ref().map(|known| Series {
        name: "breadth-first, upper limit".to_owned(),
        look: Look::Bound(0),
        points: (0..=20_u64)
            .map(|step| {
                let pages = overview.pages * step / 20;
                let found = known.found_in(pages);
                Point {
                    x: pages as f64,
                    y: found.value,
                    error: Some((found.high - found.low) / 2.0 / 1.96),
                }
            })
            .collect(),
    });
    LineChart {
        title: "Harvest".to_owned(),
        description: "Relevant pages found, by pages fetched.".to_owned(),
        x: Axis::new("pages fetched").from(0.0),
        y: Axis::new("relevant pages").from(0.0),
        series: std::iter::once(Series {
            name: "this crawl".to_owned(),
            look: Look::Contender(0),
            points: points.collect(),
        })
        .chain(expected)
        .collect(),
        ..LineChart::default()
    }
}

fn best_pages(page: &mut Page, overview: &Overview) {
    if overview.best_pages.is_empty() {
        return;
    }
    let mut shown = Table::new(vec![
        Column::new("score", Form::Decimals(3)),
        Column::words("title"),
        Column::words("URL"),
        Column::words("why"),
    ]);
    for best in &overview.best_pages {
        let record = &best.record;
        let terms = record.parts.as_ref().map(|parts| {
            let terms = parts.terms.iter().take(TERMS_SHOWN);
            let terms: Vec<String> = terms
                .map(|hit| format!("{} ({})", harmless(&hit.term), set_name(hit.set, parts)))
                .collect();
            terms.join(", ")
        });
        let way = found_by(record.kind, record.via, record.class, record.score);
        let why = match terms.filter(|terms| !terms.is_empty()) {
            Some(terms) => format!("{terms}; depth {}, {way}", record.depth),
            None => format!("depth {}, {way}", record.depth),
        };
        let cells = vec![
            record.relevance.unwrap_or_default().into(),
            harmless(record.title.as_deref().unwrap_or_default()).into(),
            harmless(&record.url).into(),
            why.into(),
        ];
        shown.push(Owner::Ours, cells);
    }
    page.push(Block::Heading("The best pages".to_owned()));
    page.push(Block::Table(shown, String::new()));
}

fn hosts(page: &mut Page, overview: &Overview) {
    let mut shown = Table::new(vec![
        Column::words("host"),
        Column::new("pages", Form::Count),
        Column::new("relevant", Form::Count),
        Column::new("failed", Form::Count),
    ]);
    for host in &overview.hosts {
        let cells = vec![
            harmless(&host.host).into(),
            host.pages.into(),
            host.relevant.into(),
            host.failed.into(),
        ];
        shown.push(Owner::Ours, cells);
    }
    page.push(Block::Heading("Hosts that gave most".to_owned()));
    let shown_hosts = overview.hosts.len() as u64;
    let caption = match overview.host_count > shown_hosts {
        true => format!(
            "{} of {}.",
            count(shown_hosts),
            counted(overview.host_count, "host")
        ),
        false => String::new(),
    };
    page.push(Block::Table(shown, caption));
}

fn sample(page: &mut Page, overview: &Overview) {
    if overview.sample.is_empty() {
        return;
    }
    let mut shown = Table::new(vec![
        Column::new("score", Form::Decimals(3)),
        Column::words("judged"),
        Column::words("title"),
        Column::words("URL"),
    ]);
    for record in &overview.sample {
        let verdict = if record.is_relevant() {
            "relevant"
        } else {
            "irrelevant"
        };
        let cells = vec![
            record.relevance.unwrap_or_default().into(),
            verdict.into(),
            harmless(record.title.as_deref().unwrap_or_default()).into(),
            harmless(&record.url).into(),
        ];
        shown.push(Owner::Ours, cells);
    }
    page.push(Block::Heading("A random sample".to_owned()));
    page.push(Block::Table(
        shown,
        "Judged pages chosen at random. Check some by eye: if many verdicts are wrong, mark them with hound mark and run hound \
         rejudge --learn."
            .to_owned(),
    ));
}

#[cfg(test)]
mod tests {
    use scenthound::JudgeKind;
    use scenthound_engine::{BreadthFirst, FoundAt};

    use super::*;

    #[test]
    fn a_table_learnt_from_seeds_that_are_off_topic_is_worth_a_warning() {
        let of = |learnt_from_seeds, seeds, seeds_off_topic| {
            off_topic_seeds(&Overview {
                learnt_from_seeds,
                seeds,
                seeds_off_topic,
                ..Overview::default()
            })
        };
        let warning = of(true, 4, 2).unwrap();
        assert!(
            warning.starts_with("Off topic by the judge: 2 of 4 seeds"),
            "{warning}"
        );
        // A table that judges pages itself calls every seed relevant, so they are compared with the topic's words.
        let warning = off_topic_seeds(&Overview {
            learnt_from_seeds: true,
            seeds: 3,
            seeds_off_topic: 3,
            seeds_compared_with: Some("jaguar coupe".to_owned()),
            ..Overview::default()
        });
        let warning = warning.unwrap();
        assert!(
            warning.starts_with("Without most words of the topic (jaguar coupe): 3 of 3 seeds"),
            "{warning}"
        );
        assert_eq!(
            (of(true, 4, 1), of(false, 4, 4), of(true, 0, 0)),
            (None, None, None)
        );
    }

    #[test]
    fn advice_names_the_judge_and_only_limits_that_are_set() {
        let little = Overview {
            pages: 30,
            bodies: 30,
            host_count: 1,
            waiting: Some(0),
            judge: Some(JudgeKind::Terms),
            best: Some(0.4),
            threshold: Some(0.45),
            scope: Some(ScopeKind::Any),
            ..Overview::default()
        };
        let said = explain(&little).join("\n");
        assert!(said.contains("(--judge terms:threshold=0.38)"), "{said}");
        assert!(said.contains("Seeds on other hosts lead further."), "{said}");
        assert!(said.contains("More seeds would let it go on."), "{said}");
        let limited = Overview {
            scope: Some(ScopeKind::Host),
            has_depth_limit: true,
            ..little
        };
        let said = explain(&limited).join("\n");
        assert!(
            said.contains("Seeds on other hosts, or a wider --scope, lead further."),
            "{said}"
        );
        assert!(
            said.contains("More seeds or a wider --scope or a larger --depth would let it go on."),
            "{said}"
        );
    }

    #[test]
    fn what_breadth_first_would_have_found_is_called_an_upper_limit() {
        // Every tenth link is relevant, and every fourth was fetched because it had waited longest.
        let pages = (0..100).map(|age| FoundAt {
            age,
            is_relevant: age % 10 == 0,
            is_explored: age % 4 == 3,
        });
        let overview = Overview {
            pages: 200,
            relevant: 80,
            curve: vec![(100, 40), (200, 80)],
            breadth_first: BreadthFirst::of(pages),
            ..Overview::default()
        };
        let chart = curve(&overview);
        let limit = chart
            .series
            .last()
            .map(|series| (series.name.as_str(), series.points.last().map(|point| point.y)));
        assert_eq!(limit, Some(("breadth-first, upper limit", Some(20.0))));
        let caption = curve_caption(&overview);
        assert!(caption.contains("at most about 20 "), "{caption}");
        // Without visits to the oldest links nothing is claimed.
        let silent = Overview {
            breadth_first: None,
            ..overview
        };
        assert_eq!(curve(&silent).series.len(), 1);
        assert!(!curve_caption(&silent).contains("readth-first"));
    }
}
