//! `hound explain`: why a page was judged as it was, how the crawl reached it, and why a URL was not fetched.
//!
//! [`Collection::explain`](scenthound::Collection::explain) finds the facts; here they become sentences, or JSON.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::anyhow;
use scenthound::{
    CanonicalUrl, CashFlow, Explanation, OutsideScope, PageRecord, QueueFacts, QueueUnknown, RobotsAnswer,
    UrlStanding,
};
use scenthound_strategy::Queue;
use scenthound_types::{PageNote, Reason, ScorePart, TermHit, TermSet, UrlFault};

use crate::look::limit_option;
use crate::wording::{bytes, count, counted, found_by, harmless, mark_name, remarks, set_name, time};
use crate::{look, stdout};

/// How many pages of a path are shown; longer paths are cut in the middle.
const STEPS_SHOWN: usize = 30;

/// Why a page was judged as it was, or why a URL was not fetched.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  hound explain tea https://example.org/oolong   terms, verdict, the path from the seed, all attempts
  hound explain tea https://example.org/missing  waiting, refused, out of scope, or never seen
  hound explain tea URL --json                   for scripts

The queue cannot be read while a crawl runs; stop it (Ctrl-C saves) and try again.")]
pub struct Args {
    /// The folder of the crawl
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    /// The URL to explain
    #[arg(value_name = "URL")]
    pub url: String,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Runs `hound explain`.
pub fn run(args: Args) -> anyhow::Result<()> {
    let collection = look::collection(&args.folder)?;
    let url = read_url(&args.url)?;
    let explanation = collection.explain(&url)?;
    look::warn(&explanation.warnings);
    stdout::write(|out| {
        if args.json {
            serde_json::to_writer_pretty(&mut *out, &explanation)?;
            writeln!(out)?;
            return Ok(());
        }
        write_explanation(&explanation, out)
    })
}

fn read_url(given: &str) -> anyhow::Result<CanonicalUrl> {
    let shown = harmless(given);
    CanonicalUrl::parse(given).map_err(|fault| match fault {
        UrlFault::Unreadable if CanonicalUrl::parse(&format!("https://{given}")).is_ok() => {
            anyhow!("{shown} is not an absolute URL; write https://{shown} or http://{shown}")
        }
        fault => anyhow!("{shown} cannot have been crawled: {fault}; give an http or https URL"),
    })
}

fn write_explanation(explanation: &Explanation, out: &mut dyn Write) -> anyhow::Result<()> {
    let page = explanation.page();
    writeln!(out, "{}", harmless(&explanation.url))?;
    if let Some(title) = page.and_then(|page| page.title.as_deref()).map(harmless)
        && !title.is_empty()
    {
        writeln!(out, "{title}")?;
    }
    writeln!(out, "\n{}", answer(explanation))?;
    if let Some(mark) = explanation.mark {
        writeln!(out, "You marked it {} (hound mark).", mark_name(mark))?;
    }
    if let Some(page) = page {
        write_judgement(page, explanation.is_unjudged_seed(), out)?;
    }
    if let Some(queue) = &explanation.queue {
        write_queue(queue, out)?;
    }
    write_score(explanation, out)?;
    if let Some(cash) = &explanation.cash {
        write_cash(cash, out)?;
    }
    write_access(explanation, out)?;
    write_path(explanation, out)?;
    if !explanation.attempts.is_empty() {
        writeln!(out, "\nAttempts")?;
        for record in &explanation.attempts {
            writeln!(out, "  {}", attempt_text(record))?;
        }
    }
    for from in &explanation.redirected_from {
        writeln!(out, "\nRedirected here from {}", harmless(from))?;
    }
    if let Some(print) = page.and_then(|page| page.fingerprint) {
        writeln!(
            out,
            "\nFingerprint {print:016x}, {}",
            near_duplicates_text(explanation)
        )?;
        for url in &explanation.near_duplicates {
            writeln!(out, "  {}", harmless(url))?;
        }
    }
    if !explanation.similar.is_empty() {
        writeln!(out, "\nDid you mean")?;
        for similar in &explanation.similar {
            let state = if similar.fetched { "fetched" } else { "waiting" };
            writeln!(out, "  {} ({state})", harmless(&similar.url))?;
        }
    }
    Ok(())
}

/// The short answer.
fn answer(explanation: &Explanation) -> String {
    let last = explanation.attempts.last();
    let because = last
        .and_then(remarks)
        .map(|remarks| format!(": {}", harmless(&remarks)))
        .unwrap_or_default();
    match explanation.standing {
        UrlStanding::Fetched => match explanation.page() {
            Some(page) => verdict_text(page, explanation.threshold),
            None => "Fetched.".to_owned(),
        },
        UrlStanding::Redirected => {
            let to = last.and_then(PageRecord::redirect).unwrap_or("another URL");
            format!("Not a page: it redirects to {}", harmless(to))
        }
        UrlStanding::Refused => format!("Not fetched{because}"),
        UrlStanding::Failed => format!("Could not be fetched{because}"),
        UrlStanding::Retrying => format!("Not fetched yet, will be tried again{because}"),
        UrlStanding::Waiting => match explanation.robots_failed.as_ref().and_then(remarks) {
            Some(why) => format!(
                "Not fetched yet: the host's robots.txt could not be fetched ({}), and without it nothing is fetched from the host.",
                harmless(&why)
            ),
            None => waiting_text(explanation),
        },
        UrlStanding::OutOfScope => {
            let why = explanation.out_of_scope.as_ref().map(scope_text);
            format!("Not part of this crawl: {}", why.unwrap_or_default())
        }
        UrlStanding::NeverSeen => "Never seen: no page that was read has a followable link to it.\n\
             Links are dropped if they are marked nofollow, too deep (--depth, --site-depth), beyond the limit of links per page (--width), on a page\n\
             that repeats another (--follow-duplicates), or lead to too many new hosts (--new-hosts-per-page, --new-hosts-per-domain)\n\
             or to a host of which more URLs wait than will be fetched (--allow-traps)."
            .to_owned(),
        UrlStanding::NotFetched => {
            let why = explanation.queue_unknown.as_ref().map(unknown_text);
            format!(
                "Not fetched so far. Whether it is waiting in the queue is unknown: {}.\n\
                 Stop the crawl (Ctrl-C saves) and try again.",
                why.unwrap_or_default()
            )
        }
    }
}

/// Why a URL in the queue was not fetched.
fn waiting_text(explanation: &Explanation) -> String {
    if explanation.queue.as_ref().is_some_and(|queue| queue.host_is_full) {
        return "Not fetched: its host has had as many requests as allowed (--max-pages-per-host)."
            .to_owned();
    }
    match explanation.budgets_met.first() {
        Some(met) => format!(
            "Not fetched yet: it was waiting in the queue when the crawl had used up its budget ({}).",
            limit_option(met.budget, met.most)
        ),
        None => "Not fetched yet: it is waiting in the queue.".to_owned(),
    }
}

/// Why nothing is known about the queue.
fn unknown_text(why: &QueueUnknown) -> String {
    match why {
        QueueUnknown::Crawling { pid } => format!("process {pid} is crawling"),
        QueueUnknown::NoSettings => "the settings of the crawl could not be read".to_owned(),
        QueueUnknown::Unreadable { message } => message.clone(),
    }
}

/// Why a URL is outside the scope, with the setting that says so.
fn scope_text(rule: &OutsideScope) -> String {
    match rule {
        OutsideScope::Elsewhere { scope } => {
            format!("it is outside the seeds' scope (scope = {})", scope.name())
        }
        OutsideScope::NotIncluded { include } => {
            format!(
                "no include pattern matches it (include = {})",
                include.join(" or ")
            )
        }
        OutsideScope::Excluded {
            pattern: Some(pattern),
        } => format!("an exclude pattern matches it (exclude = {pattern})"),
        OutsideScope::Excluded { pattern: None } => "an exclude pattern matches it".to_owned(),
        OutsideScope::FileEnding => {
            "its file extension shows that it is neither a page nor a document that can be read (PDF, DOCX or ODT)".to_owned()
        }
        OutsideScope::Document => "it is a document, and this crawl skips documents (--skip-documents)".to_owned(),
        OutsideScope::Circular => "its path goes in circles (see --allow-traps)".to_owned(),
    }
}

/// What scope and robots.txt say about a URL that was not fetched.
fn write_access(explanation: &Explanation, out: &mut dyn Write) -> anyhow::Result<()> {
    if explanation.standing == UrlStanding::Fetched {
        return Ok(());
    }
    if let Some(rule) = &explanation.out_of_scope
        && explanation.standing != UrlStanding::OutOfScope
    {
        writeln!(out, "Scope      {}", scope_text(rule))?;
    }
    let text = match &explanation.robots {
        _ if explanation.robots_ignored => "ignored (--ignore-robots)".to_owned(),
        None => return Ok(()),
        Some(RobotsAnswer {
            unreachable: true, ..
        }) => "the host's robots.txt could not be fetched, so nothing is fetched from the host for now"
            .to_owned(),
        Some(RobotsAnswer {
            allowed,
            rule: Some(rule),
            ..
        }) => {
            let verb = if *allowed { "allowed" } else { "forbidden" };
            format!("{verb} by the host's robots.txt: {}", harmless(rule))
        }
        Some(RobotsAnswer { rule: None, .. }) => "no line of the host's robots.txt applies to it".to_owned(),
    };
    Ok(writeln!(out, "Robots     {text}")?)
}

fn write_path(explanation: &Explanation, out: &mut dyn Write) -> anyhow::Result<()> {
    let path = &explanation.path;
    if path.is_empty() {
        return Ok(());
    }
    writeln!(out, "\nPath from the seed")?;
    let skipped = path.len().saturating_sub(STEPS_SHOWN);
    for (at, step) in path.iter().enumerate() {
        if skipped > 0 && at == STEPS_SHOWN / 2 {
            writeln!(out, "      … {} …", counted(skipped as u64, "page"))?;
        }
        if (STEPS_SHOWN / 2..STEPS_SHOWN / 2 + skipped).contains(&at) {
            continue;
        }
        let relevance = match step.relevance {
            Some(relevance) => format!("{relevance:.3}"),
            None => step.outcome.to_string(),
        };
        writeln!(out, "  {relevance:>5}  {}", harmless(&step.url))?;
        let found = found_by(step.kind, step.via, step.class, step.score);
        match step.layer_queue {
            Some(Queue::Layer { queue, link_layer }) => {
                let queue = match queue {
                    Some(layer) => format!("queue {layer}"),
                    None => "last queue (no layer)".to_owned(),
                };
                let words = link_layer.map(|layer| format!(", its words lead to layer {layer}"));
                writeln!(out, "         {found}: {queue}{}", words.unwrap_or_default())?;
            }
            Some(Queue::Unlearnt) => {
                writeln!(out, "         {found}, before its page had a layer")?;
            }
            Some(Queue::LookingAround) => writeln!(
                out,
                "         {found}: drawn at random, because nothing relevant had been found for a while"
            )?,
            Some(Queue::Seeds) | None => writeln!(out, "         {found}")?,
        }
    }
    if explanation.attempts.is_empty() {
        writeln!(out, "      …  {}", harmless(&explanation.url))?;
    }
    Ok(())
}

fn near_duplicates_text(explanation: &Explanation) -> String {
    match explanation.near_duplicates_in_all {
        0 => "no near-duplicates".to_owned(),
        all if all > explanation.near_duplicates.len() => {
            format!("{} near-duplicates, including:", count(all as u64))
        }
        all => format!("{}:", counted(all as u64, "near-duplicate")),
    }
}

fn verdict_text(page: &PageRecord, threshold: Option<f64>) -> String {
    let relevance = page.relevance.unwrap_or_default();
    let is_relevant = page.is_relevant();
    let verdict = if is_relevant { "relevant" } else { "not relevant" };
    // What sets a page aside comes before any similarity, so it is said first.
    if page.has(PageNote::WrongSense) || page.has(PageNote::UnwantedLanguage) {
        let why = remarks(page).unwrap_or_default();
        return format!("Fetched, but set aside and not shown in results: {why}");
    }
    let mut text = format!("Fetched and judged {verdict}: {relevance:.3}");
    if let Some(threshold) = threshold {
        text.push_str(&match relevance >= threshold {
            true if is_relevant => format!(", at least the threshold {threshold}"),
            true => {
                format!(
                    ", although it reaches the threshold {threshold}: see the exclude terms or the notes below"
                )
            }
            false => format!(", below the threshold {threshold}"),
        });
    }
    if page.hidden {
        text.push_str("\nNot shown in results; the note on its attempt says why.");
    }
    text
}

fn write_judgement(page: &PageRecord, is_unjudged_seed: bool, out: &mut dyn Write) -> anyhow::Result<()> {
    let Some(parts) = &page.parts else {
        return Ok(());
    };
    let mut sets: BTreeMap<TermSet, (Option<f64>, Vec<&TermHit>)> = BTreeMap::new();
    let similarities = [
        (TermSet::Query, parts.query),
        (TermSet::Genre, parts.genre),
        (TermSet::Content, parts.content),
        (TermSet::Url, parts.url),
        (TermSet::Table, parts.table.or(parts.learnt)),
    ];
    for (set, similarity) in similarities {
        if similarity.is_some() {
            sets.entry(set).or_default().0 = similarity;
        }
    }
    for hit in &parts.terms {
        sets.entry(hit.set).or_default().1.push(hit);
    }
    if is_unjudged_seed {
        writeln!(
            out,
            "  table     1.000  a seed read before the table was built: it counts as fully relevant"
        )?;
    }
    if let Some(kind) = parts.kind {
        writeln!(
            out,
            "  kind     {kind:>5.3}  share of the votes for the kind of page that the query names"
        )?;
    }
    if let Some(manner) = parts.manner {
        writeln!(
            out,
            "  manner   {manner:>5.3}  how alike it and a seed are written, by their small words"
        )?;
    }
    for (set, (similarity, hits)) in &sets {
        let similarity = similarity.map(|value| format!("{value:.3}")).unwrap_or_default();
        let note = match set {
            TermSet::Table if parts.learnt.is_some() => {
                "  by words learnt from examples or from pages found earlier, and how near it lies to these"
            }
            _ if hits.is_empty() && similarity.parse::<f64>().is_ok_and(|value| value > 0.0) => {
                "  far below the threshold, so its terms were not kept"
            }
            _ if hits.is_empty() => "  none of its terms found",
            _ => "",
        };
        writeln!(out, "  {:<9}{similarity:>5}{note}", set_name(*set, parts))?;
        for hit in hits {
            // Exclude terms add nothing to a similarity.
            let share = match set {
                TermSet::Exclude => " ".repeat(5),
                _ => format!("{:.3}", hit.share),
            };
            let (term, times) = (harmless(&hit.term), count(hit.count.into()));
            writeln!(out, "           {share}  {term} ×{times}")?;
        }
    }
    if let Some(near) = parts.nearness {
        writeln!(
            out,
            "  layer    {:>5}  probability of being a target: {:.3}; similarity to the targets: {:.3}",
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

fn write_queue(queue: &QueueFacts, out: &mut dyn Write) -> anyhow::Result<()> {
    let QueueFacts {
        class,
        score,
        tie,
        age,
        ..
    } = queue;
    writeln!(
        out,
        "Priority   class {class}, score {score:.3}, tie {tie}, number {}; {} in the queue",
        count(u64::from(*age)),
        counted(queue.waiting, "URL")
    )?;
    match queue.layer_queue {
        Some(Queue::Seeds) => writeln!(out, "Queue      seeds, which come first")?,
        Some(Queue::LookingAround) => writeln!(
            out,
            "Queue      right behind the seeds: drawn at random, because nothing relevant had been found for a while"
        )?,
        Some(Queue::Layer { queue, link_layer }) => {
            let queue = match queue {
                Some(0) => {
                    "0: the page it is on is like a target, or the link has the words of the query".to_owned()
                }
                Some(layer) => format!("{layer}, the layer of the page it is on"),
                None => "the last one: the page it is on is in no layer".to_owned(),
            };
            let words = link_layer.map(|layer| format!("; its own words lead to layer {layer}"));
            writeln!(out, "Queue      {queue}{}", words.unwrap_or_default())?;
        }
        Some(Queue::Unlearnt) => writeln!(
            out,
            "Queue      none yet: it was found before layers were learnt and comes after all queues until it is scored again"
        )?,
        None => {}
    }
    let parent = queue.parent.as_deref().map(harmless);
    let found = match (queue.reason, parent) {
        (Reason::Seed, _) => "named as a seed".to_owned(),
        (Reason::Link, Some(parent)) => format!("linked from {parent}"),
        (Reason::Link, None) => "linked from another page".to_owned(),
        (Reason::Redirect, Some(parent)) => format!("reached by a redirect from a link on {parent}"),
        (Reason::Redirect, None) => "reached by a redirect".to_owned(),
        (Reason::Sitemap, _) => "listed in a sitemap".to_owned(),
        (Reason::Requisite, _) => "needed by a page to be shown".to_owned(),
        (Reason::SitemapLine, _) => "listed as a sitemap in its host's robots.txt".to_owned(),
    };
    writeln!(out, "Found      {found}, depth {}", queue.depth)?;
    let mut host = counted(queue.host_pages.into(), "page") + " requested";
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

/// What a score is made of, the largest parts first.
fn write_score(explanation: &Explanation, out: &mut dyn Write) -> anyhow::Result<()> {
    if explanation.score_parts.is_empty() {
        return Ok(());
    }
    let effect = |part: &ScorePart| part.value * part.weight;
    let parts = explanation.score_parts.iter();
    let mut parts: Vec<&ScorePart> = parts.filter(|part| effect(part) != 0.0).collect();
    parts.sort_by(|a, b| effect(b).abs().total_cmp(&effect(a).abs()));
    let total: f64 = parts.iter().map(|part| effect(part)).sum();
    match explanation.queue {
        Some(_) => writeln!(out, "\nScore now: {total:.3}")?,
        None => writeln!(out, "\nScore when it was fetched: {total:.3}")?,
    }
    for part in parts {
        let sure = match part.visits {
            Some(visits) => format!("  from {}", counted(visits as u64, "visit")),
            None => String::new(),
        };
        writeln!(
            out,
            "  {:+7.3}  {:<17}{:7.3} × {:.3}{sure}",
            effect(part),
            part.name,
            part.value,
            part.weight
        )?;
    }
    Ok(())
}

fn write_cash(cash: &CashFlow, out: &mut dyn Write) -> anyhow::Result<()> {
    writeln!(
        out,
        "\nCash: gained {:.4e} from {}, gave up {:.4e} when it was visited, holds {:.4e}",
        cash.gained,
        counted(cash.givers as u64, "page"),
        cash.spent,
        cash.held
    )?;
    if cash.as_seed > 0.0 {
        let share = 100.0 * cash.as_seed / cash.gained;
        writeln!(out, "  {:.4e}  {share:5.1} %  as a seed", cash.as_seed)?;
    }
    for source in &cash.top {
        writeln!(
            out,
            "  {:.4e}  {:5.1} %  {}",
            source.amount,
            100.0 * source.share,
            harmless(&source.from)
        )?;
    }
    if cash.unreadable > 0 {
        writeln!(
            out,
            "  what {} gave is unknown: the archive could not be read",
            counted(cash.unreadable, "more page")
        )?;
    }
    Ok(())
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
    if let Some(cut) = record.truncated {
        text.push_str(&format!(", cut short by {}", cut.code()));
    }
    if let Some(remarks) = remarks(record) {
        text.push_str(&format!(", {}", harmless(&remarks)));
    }
    if record.bytes > 0 {
        let took = time(Duration::from_millis(record.ms));
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

    #[test]
    fn a_url_without_a_scheme_is_refused_with_a_remedy() {
        let message = |given: &str| read_url(given).unwrap_err().to_string();
        assert_eq!(
            message("a.test/tea"),
            "a.test/tea is not an absolute URL; write https://a.test/tea or http://a.test/tea"
        );
        assert!(
            message("mailto:a@b.test").contains("only http and https"),
            "{}",
            message("mailto:a@b.test")
        );
        assert!(read_url("http://A.test/x/../tea").is_ok());
    }
}
