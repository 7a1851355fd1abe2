//! The clock and the limits of a lab crawl.

use std::str::FromStr;
use std::time::Duration;

use scenthound_engine::{AgentRules, Budget, CrawlSettings, PageSettings, Scope, SeedAssignment};
use scenthound_frontier::HostPolicy;

use crate::error::LabError;
use crate::nodes::NodeSettings;
use crate::replay::LabSettings;
use crate::trial::LabBudget;

/// The clock and the limits of a lab crawl. The default is serial, instant and unlimited, so that a comparison shows the effect
/// of the strategy and nothing else.
#[derive(Clone, PartialEq, Debug)]
pub struct Conditions {
    /// When to stop; `None` for the usual budget, which is everything unless an experiment sets its own.
    pub budget: Option<LabBudget>,
    /// After how many pages the crawl ends, as a limit that the strategy knows of. A budget ends it too, but counts only pages
    /// that count and comes as a surprise, so that its figures hold for a longer crawl as well.
    pub page_limit: Option<u64>,
    /// Virtual time between two requests to the same host.
    pub delay: Duration,
    /// Number of requests in flight at a time.
    pub workers: u32,
    /// Virtual time that each response takes.
    pub latency: Duration,
    /// Links taken at once and all visited before more are taken; `None` for the strategy's own list size.
    pub list_size: Option<u32>,
    /// Maximum number of links in a row from a seed.
    pub depth: Option<u16>,
    /// Maximum number of links in a row from the page where the crawl entered a host.
    pub site_depth: Option<u16>,
    /// Maximum number of links followed per page.
    pub width: Option<u32>,
    /// Maximum number of pages per host.
    pub max_pages_per_host: Option<u32>,
    /// Whether nofollow on links and pages is obeyed.
    pub nofollow: bool,
    /// Whether robots.txt is fetched first, where one was recorded, and obeyed.
    pub robots: bool,
    /// Number of agents, each with its own seeds.
    pub agents: u8,
    /// How seeds are assigned to agents.
    pub assign_seeds: SeedAssignment,
    /// Number of pages judged relevant after which an agent stops.
    pub goal: Option<u64>,
    /// Number of requests that an agent may have in flight at a time.
    pub agent_requests: Option<u32>,
    /// How long a link may wait before it is forgotten.
    pub expire_after: Option<Duration>,
    /// A link is forgotten after this many pages were fetched while it waited.
    pub expire_after_pages: Option<u64>,
    /// About how many links may wait; the worst are forgotten beyond that.
    pub max_waiting: Option<u64>,
    /// Number of nodes that crawl together, each with a strategy and a judge of its own. The requests in flight are divided
    /// among them.
    pub nodes: u16,
    /// How long what a node finds is on its way to another.
    pub message_delay: Duration,
    /// How often nodes tell each other what they have learnt; never if none.
    pub share_every: Option<Duration>,
    /// How many of the nodes die on the way, after equal numbers of pages.
    pub node_deaths: u16,
    /// The random seed.
    pub seed: u64,
}

impl Default for Conditions {
    fn default() -> Conditions {
        Conditions {
            budget: None,
            page_limit: None,
            delay: Duration::ZERO,
            workers: 1,
            latency: Duration::ZERO,
            list_size: None,
            depth: None,
            site_depth: None,
            width: None,
            max_pages_per_host: None,
            nofollow: false,
            robots: false,
            agents: 1,
            assign_seeds: SeedAssignment::default(),
            goal: None,
            agent_requests: None,
            expire_after: None,
            expire_after_pages: None,
            max_waiting: None,
            nodes: 1,
            message_delay: NodeSettings::default().message_delay,
            share_every: NodeSettings::default().share_every,
            node_deaths: 0,
            seed: 0,
        }
    }
}

impl Conditions {
    /// The settings of the lab, for a strategy with this list size unless the conditions set another.
    pub fn lab_settings(&self, list_size: usize) -> LabSettings {
        LabSettings {
            seed: self.seed,
            workers: self.workers as usize,
            latency: self.latency,
            jitter: Duration::ZERO,
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
                max_site_depth: self.site_depth,
                width: self.width,
                follow_nofollow: !self.nofollow,
                ..PageSettings::default()
            },
            crawl: CrawlSettings {
                budget: Budget {
                    pages: self.page_limit,
                    ..Budget::default()
                },
                scope: Scope::everything(),
                robots: self.robots,
                list_size: self.list_size.map_or(list_size, |size| size as usize),
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

    /// How nodes crawl together, if a crawl on one reads this many pages.
    pub(crate) fn node_settings(&self, pages: u64) -> NodeSettings {
        let parts = u64::from(self.node_deaths) + 1;
        NodeSettings {
            message_delay: self.message_delay,
            share_every: self.share_every,
            deaths: (1..parts).map(|part| pages * part / parts).collect(),
            ..NodeSettings::default()
        }
    }

    /// The budget; everything unless one is set.
    pub fn budget(&self) -> LabBudget {
        self.budget.unwrap_or(LabBudget::All)
    }

    /// The budget in words.
    pub(crate) fn budget_in_words(&self) -> String {
        match self.budget() {
            LabBudget::Pages(pages) => format!("{pages} pages"),
            LabBudget::Share(share) => format!("{} % of the reachable pages", share * 100.0),
            LabBudget::All => "all reachable pages".to_owned(),
        }
    }
}

impl FromStr for LabBudget {
    type Err = LabError;

    /// Reads a number of pages (`5000`) or a share of the reachable ones (`30%`).
    fn from_str(text: &str) -> Result<LabBudget, LabError> {
        let wrong = || LabError::Budget {
            given: text.to_owned(),
        };
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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_is_a_number_of_pages_or_a_share() {
        assert_eq!("5000".parse::<LabBudget>().unwrap(), LabBudget::Pages(5_000));
        assert_eq!("30%".parse::<LabBudget>().unwrap(), LabBudget::Share(0.3));
        for wrong in ["0", "0%", "130%", "many", "-1", "NaN%"] {
            assert!(wrong.parse::<LabBudget>().is_err(), "{wrong}");
        }
    }
}
