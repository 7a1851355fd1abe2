//! What people asked of a crawl, applied to its settings.
//!
//! `crawl.toml` keeps the settings that the crawl was started with. What was asked counts on top of them for as long as it is
//! in force, so undoing it brings back what was before, and the command that started the crawl still resumes it.

use std::cell::RefCell;
use std::sync::Arc;

use scenthound_config::Settings;
use scenthound_engine::PageSettings;
use scenthound_judge::{Judge, Learner};
use scenthound_live::{Lessons, LiveSettings, NodeLessons, Rejudged, Steered, StopSwitch};
use scenthound_store::{CrawlFolder, CrawlView, Request, Steering, TermList, TopicSteering};

use crate::collection::now;
use crate::crawler::CrawlerError;
use crate::rejudge::learn_from_marks;

/// What is in force for the crawl in a folder. Nothing, if its journal cannot be read: whoever crawls in it reports that.
pub(crate) fn in_force(view: &CrawlView) -> Steering {
    let actions = view.steering_actions().unwrap_or_default();
    Steering::of(&actions)
}

/// Applies everything that is a setting.
pub(crate) fn apply(steering: &Steering, settings: &mut Settings) {
    if let Some(delay) = steering.delay {
        settings.crawl.delay = delay;
    }
    apply_topic(&steering.topic, settings);
}

/// Applies what people asked of the topic.
pub(crate) fn apply_topic(steering: &TopicSteering, settings: &mut Settings) {
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

/// The settings by which a running crawl judges pages. It applies the threshold by itself.
pub(crate) fn judging(settings: &Settings, steering: &TopicSteering) -> Settings {
    let mut judging = settings.clone();
    apply_topic(&without_threshold(steering), &mut judging);
    judging
}

fn without_threshold(steering: &TopicSteering) -> TopicSteering {
    TopicSteering {
        threshold: None,
        ..steering.clone()
    }
}

fn list_of(terms: &mut scenthound_config::TermSettings, list: TermList) -> &mut Vec<String> {
    match list {
        TermList::Genre => &mut terms.genre,
        TermList::Content => &mut terms.content,
        TermList::Exclude => &mut terms.exclude,
    }
}

/// Notes that the pages were judged again by what was in force after an action, if that changed anything.
pub(crate) fn note_rejudged(
    view: &CrawlView,
    generation: u32,
    upto: Option<u64>,
) -> Result<(), scenthound_store::Error> {
    let before = in_force(view);
    let is_replaced = upto.is_none() && before.topic != TopicSteering::default();
    if before.is_pending() || before.wants_rejudging() || is_replaced {
        view.ask(Request::Rejudged { generation, upto }, now())?;
    }
    Ok(())
}

/// The topic of a running crawl, which people may change.
pub(crate) struct SteeredTopic<'a> {
    view: &'a CrawlView,
    settings: &'a Settings,
    /// What the present judge was built with.
    applied: RefCell<TopicSteering>,
    /// Whether the judge can be built from the settings alone.
    is_built_in: bool,
}

impl<'a> SteeredTopic<'a> {
    pub fn new(
        view: &'a CrawlView,
        settings: &'a Settings,
        applied: TopicSteering,
        is_built_in: bool,
    ) -> SteeredTopic<'a> {
        SteeredTopic {
            view,
            settings,
            applied: RefCell::new(without_threshold(&applied)),
            is_built_in,
        }
    }

    /// The settings by which the crawl judges pages from here on.
    pub fn judging(&self) -> Settings {
        let topic = in_force(self.view).topic;
        let judging = judging(self.settings, &topic);
        self.applied.replace(without_threshold(&topic));
        judging
    }

    /// Judges all pages again by what is in force, and by the marks if people asked for that. A node of a cluster judges its own. None
    /// if it was stopped.
    pub fn rank(
        &self,
        folder: &CrawlFolder,
        live: &LiveSettings,
        settings_text: &str,
        is_node: bool,
        stop: &StopSwitch,
    ) -> Result<Option<Rejudged>, CrawlerError> {
        let steering = in_force(self.view);
        let mut steered = self.settings.clone();
        apply(&steering, &mut steered);
        let live = LiveSettings {
            processor: steered.page_settings()?,
            ..live.clone()
        };
        let add = |learner: &dyn Learner| {
            if steering.wants_rejudging() {
                learn_from_marks(self.view, learner);
            }
        };
        let (judge, agents) = (steered.judge()?, self.settings.agents(&self.settings.seeds.urls)?);
        // Where the topic is still the same and the strategy does not judge, only judgements have changed.
        let is_same = !steering.is_pending() && !steering.wants_rejudging();
        if is_same && !is_node && agents.len() == 1 && self.settings.strategy_judges().is_none() {
            return Ok(scenthound_live::rank(
                folder,
                &live,
                judge,
                &agents,
                settings_text,
                stop,
            )?);
        }
        let ranked = match is_node {
            true => scenthound_live::rejudge_node(
                folder,
                live,
                judge,
                agents,
                NodeLessons::Kept(&add),
                settings_text,
                stop,
                &mut |_| {},
            )?,
            false => scenthound_live::rejudge(
                folder,
                live,
                judge,
                agents,
                Lessons::Kept(&add),
                settings_text,
                stop,
                &mut |_| {},
            )?,
        };
        if let Some(ranked) = &ranked {
            note_rejudged(self.view, ranked.generation, Some(steering.last))?;
        }
        Ok(ranked)
    }
}

impl Steered for SteeredTopic<'_> {
    fn learn(&self, learner: &dyn Learner) {
        learn_from_marks(self.view, learner);
    }

    fn rebuild(&self, topic: &TopicSteering) -> Option<(Arc<dyn Judge>, PageSettings)> {
        let wanted = without_threshold(topic);
        if !self.is_built_in || *self.applied.borrow() == wanted {
            return None;
        }
        let judging = judging(self.settings, &wanted);
        self.applied.replace(wanted);
        let built = judging
            .judge()
            .and_then(|judge| Ok((judge, judging.page_settings()?)));
        match built {
            Ok(built) => Some(built),
            // A crawl does not fail because somebody dropped its last word.
            Err(error) => {
                tracing::warn!("what was asked of the topic cannot be done: {error}");
                None
            }
        }
    }

    fn can_rejudge(&self) -> bool {
        self.is_built_in
    }
}
