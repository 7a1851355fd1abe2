//! Example pages for a judge that learns from them: read once, then kept in the state of the crawl.
//!
//! What a user names may be URLs, which are fetched politely, or files, archives, crawl folders and lists of these. A resumed
//! crawl reads only what it does not know yet, so it needs neither the files nor the network.

use std::collections::HashSet;
use std::path::Path;

use scenthound_config::Settings;
use scenthound_frontier::HostPolicy;
use scenthound_judge::{JudgeKind, LabelledPage, Learner, saved_examples};
use scenthound_live::{Clock, LiveError};
use scenthound_store::Layout;
use scenthound_strategy::StrategyKind;
use scenthound_types::{CanonicalUrl, Keyring, Verdict};

use crate::StopHandle;
use crate::crawler::CrawlerError;
use crate::inputs::{FetchInputs, InputError, InputNotice, InputSettings, PageInputs, is_url};

/// Before the name of a page that is an example because the user marked it.
pub(crate) const MARKED: &str = "mark ";

/// What became of the examples of a crawl.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ExampleCounts {
    /// Examples that the crawl knew already.
    pub known: usize,
    /// Examples that are new.
    pub new: usize,
}

/// The names as pages. Names of files that are gone are left out if they are known.
fn named(settings: &Settings, stop: &StopHandle, is_resumed: bool) -> Result<PageInputs, InputError> {
    let names = settings.judge.examples.iter();
    let names: Vec<String> = names
        .filter(|name| !is_resumed || is_url(name) || Path::new(name).exists())
        .cloned()
        .collect();
    let fetch = FetchInputs {
        settings: for_fetching(settings),
        stop: stop.clone(),
    };
    let inputs = InputSettings {
        fetch: Some(&fetch),
        ..InputSettings::default()
    };
    PageInputs::parse(&names, &inputs)
}

/// The crawl's settings without what limits it to certain pages: the examples may be anywhere.
fn for_fetching(settings: &Settings) -> Settings {
    let mut settings = settings.clone();
    let crawl = &mut settings.crawl;
    crawl.max_pages = None;
    crawl.max_bytes = None;
    crawl.max_pages_per_host = None;
    crawl.goal = None;
    crawl.include.clear();
    crawl.exclude.clear();
    crawl.genres.clear();
    crawl.lang.clear();
    crawl.agents = 1;
    crawl.list_size = Some(0);
    settings.strategy.kind = StrategyKind::BreadthFirst;
    settings.strategy.custom = None;
    settings.judge.custom = None;
    settings.judge.kind = JudgeKind::Topic;
    settings.judge.learn = false;
    settings
}

/// The URLs of the examples: where a crawl without seeds starts.
pub(crate) fn example_urls(settings: &Settings) -> Result<Vec<CanonicalUrl>, InputError> {
    named(settings, &StopHandle::default(), false)?.urls(&mut |_| {})
}

/// What the judge of the crawl in a folder has learnt, by name.
pub(crate) fn saved_in(layout: &Layout, settings: &Settings) -> Result<Vec<(String, Vec<u8>)>, LiveError> {
    let state = layout.state();
    // A crawl that has not started has no state.
    if std::fs::read_dir(&state).map_or(true, |mut files| files.next().is_none()) {
        return Ok(Vec::new());
    }
    let keyring = Keyring::new(settings.crawl.seed);
    let now = Clock::system().now();
    let frontier = scenthound_frontier_durable::open_read_only(&state, HostPolicy::default(), keyring, now)?;
    Ok(scenthound_engine::saved_lessons(&frontier)?)
}

/// Reads the examples that the crawl in a folder does not know yet and shows them to the judge.
pub(crate) fn add_examples(
    settings: &Settings,
    layout: &Layout,
    learner: &dyn Learner,
    stop: &StopHandle,
    notice: &mut dyn FnMut(InputNotice),
) -> Result<ExampleCounts, CrawlerError> {
    let saved = saved_examples(&saved_in(layout, settings)?);
    let known: HashSet<String> = saved.into_iter().map(|page| page.name).collect();
    // A mark says more about a page than a list it is on.
    let is_known = |name: &str| known.contains(name) || known.contains(&format!("{MARKED}{name}"));
    let mut inputs = named(settings, stop, !known.is_empty())?;
    inputs.leave_out(is_known);
    let mut new = Vec::new();
    let read = inputs.each(
        |named| {
            // A list names the URL that was asked for, so that is how to know the page again.
            let name = named.asked.map_or(named.name, |url| url.to_string());
            if !is_known(&name) {
                new.push(LabelledPage {
                    name,
                    label: Verdict::Relevant,
                    fields: learner.fields(&named.page),
                });
            }
        },
        notice,
    );
    match read {
        // The others are enough.
        Err(InputError::NoneFetched(urls)) if !new.is_empty() || !known.is_empty() => {
            urls.into_iter().map(InputNotice::NotFetched).for_each(notice);
        }
        read => {
            read?;
        }
    }
    new.retain(|page| !page.fields.is_empty());
    if new.is_empty() && known.is_empty() {
        return Err(CrawlerError::NoExamples);
    }
    let counts = ExampleCounts {
        known: known.len(),
        new: new.len(),
    };
    if !new.is_empty() {
        learner.change_examples(&[], new);
    }
    Ok(counts)
}
