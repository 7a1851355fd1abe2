//! The directory of a crawl's agents, as kept in its status file.

use scenthound_engine::AgentFacts;
use scenthound_store::PageRecord;
use serde::{Deserialize, Serialize};

/// One agent of a crawl.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct AgentStatus {
    /// Its number, from 1.
    pub number: u8,
    /// Its name.
    pub name: String,
    /// Its strategy.
    pub strategy: String,
    /// Its seeds.
    pub seeds: Vec<String>,
    /// Its page attempts.
    pub pages: u64,
    /// Relevant pages among them.
    pub relevant: u64,
    /// URLs in its queue.
    pub waiting: u64,
    /// What it is doing.
    pub state: String,
    /// The words its strategy has learnt and their weights, heaviest first.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub learnt: Vec<(String, f64)>,
}

impl AgentStatus {
    /// The directory of a crawl's agents. It is empty for a single agent that learns nothing, because the figures of the crawl
    /// already describe it.
    pub fn directory(agents: &[AgentFacts]) -> Vec<AgentStatus> {
        if agents.len() == 1 && agents.iter().all(|agent| agent.learnt.is_empty()) {
            return Vec::new();
        }
        agents
            .iter()
            .map(|agent| AgentStatus {
                number: agent.id.0 + 1,
                name: agent.name.clone(),
                strategy: agent.strategy.to_owned(),
                seeds: agent.seeds.iter().map(ToString::to_string).collect(),
                pages: agent.pages,
                relevant: agent.relevant,
                waiting: agent.waiting,
                state: agent.state.name().to_owned(),
                learnt: agent.learnt.clone(),
            })
            .collect()
    }
}

/// Counts a page attempt for its agent.
pub(super) fn count_for(agents: &mut Vec<AgentStatus>, record: &PageRecord) {
    let Some(number) = record.agent else { return };
    let at = match agents.binary_search_by_key(&number, |agent| agent.number) {
        Ok(at) => at,
        Err(at) => {
            let agent = AgentStatus {
                number,
                ..AgentStatus::default()
            };
            agents.insert(at, agent);
            at
        }
    };
    if let Some(agent) = agents.get_mut(at) {
        agent.pages += 1;
        agent.relevant += u64::from(record.is_find());
    }
}

/// The agents as the crawl last wrote them, with the figures counted from the records.
pub(super) fn complete(counted: Vec<AgentStatus>, mut last: Vec<AgentStatus>) -> Vec<AgentStatus> {
    for agent in counted {
        match last.iter_mut().find(|known| known.number == agent.number) {
            Some(known) => (known.pages, known.relevant) = (agent.pages, agent.relevant),
            None => last.push(agent),
        }
    }
    last
}
