//! What people asked of a crawl, applied to its settings.
//!
//! Part of it counts at once and as long as it is in force: the delay and the threshold. The rest waits until the pages are
//! judged again: terms and weights. After that it is part of the settings, and the journal says so.

use scenthound_config::Settings;
use scenthound_store::{CrawlView, Request, Steering, TermList};

use crate::collection::now;

/// What is in force for the crawl in a folder. Nothing, if its journal cannot be read: whoever crawls in it reports that.
pub(crate) fn in_force(view: &CrawlView) -> Steering {
    let actions = view.steering_actions().unwrap_or_default();
    Steering::of(&actions)
}

/// Applies what counts at once.
pub(crate) fn apply(steering: &Steering, settings: &mut Settings) {
    if let Some(threshold) = steering.threshold {
        settings.judge.threshold = threshold;
    }
    if let Some(delay) = steering.delay {
        settings.crawl.delay = delay;
    }
}

/// Applies what waits until the pages are judged again.
pub(crate) fn apply_to_judge(steering: &Steering, settings: &mut Settings) {
    if let Some(threshold) = steering.threshold {
        settings.judge.threshold = threshold;
    }
    for (name, value) in &steering.weights {
        let judge = &mut settings.judge;
        match name.as_str() {
            "genre-weight" => judge.genre_weight = *value,
            "content-weight" => judge.content_weight = *value,
            "genre-content-weight" => judge.genre_content_weight = *value,
            "url-weight" => judge.url_weight = *value,
            _ => {}
        }
    }
    let terms = &mut settings.terms;
    for (list, term) in &steering.dropped {
        list_of(terms, *list).retain(|own| !own.eq_ignore_ascii_case(term));
    }
    for (list, term) in &steering.accepted {
        let own = list_of(terms, *list);
        if !own.iter().any(|own| own.eq_ignore_ascii_case(term)) {
            own.push(term.clone());
        }
    }
}

fn list_of(terms: &mut scenthound_config::TermSettings, list: TermList) -> &mut Vec<String> {
    match list {
        TermList::Genre => &mut terms.genre,
        TermList::Content => &mut terms.content,
        TermList::Exclude => &mut terms.exclude,
    }
}

/// Notes that the pages were judged again, if anything waited for that.
pub(crate) fn note_rejudged(view: &CrawlView, generation: u32) -> Result<(), scenthound_store::Error> {
    if in_force(view).is_pending() {
        view.ask(Request::Rejudged { generation }, now())?;
    }
    Ok(())
}
