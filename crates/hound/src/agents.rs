//! The directory of a crawl's agents, as its status file keeps it and as people see it.

use std::io::Write;

use scenthound_engine::AgentFacts;
use scenthound_store::PageRecord;
use serde::{Deserialize, Serialize};

use crate::table::{Align, Table, terminal_width};
use crate::wording::{count, harmless};

/// Words of a table that are told to people.
const WORDS_TOLD: usize = 8;

/// One agent.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct AgentStatus {
    /// Counted from 1.
    pub number: u8,
    /// What people call it.
    pub name: String,
    /// Its strategy.
    pub strategy: String,
    /// Where it began.
    pub seeds: Vec<String>,
    /// Page attempts it asked for.
    pub pages: u64,
    /// Relevant pages among them.
    pub relevant: u64,
    /// URLs in its stack.
    pub waiting: u64,
    /// What it is doing.
    pub state: String,
    /// What its strategy has learnt, the heaviest words first.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub learnt: Vec<(String, f64)>,
}

/// The directory, where there is anything to tell: of one agent that learns nothing, all is told elsewhere.
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

/// Counts a page attempt for its agent.
pub fn count_for(agents: &mut Vec<AgentStatus>, record: &PageRecord) {
    let Some(number) = record.agent else { return };
    let at = match agents.iter().position(|agent| agent.number == number) {
        Some(at) => at,
        None => {
            agents.push(AgentStatus {
                number,
                ..AgentStatus::default()
            });
            agents.sort_by_key(|agent| agent.number);
            agents
                .iter()
                .position(|agent| agent.number == number)
                .unwrap_or_default()
        }
    };
    if let Some(agent) = agents.get_mut(at) {
        agent.pages += 1;
        agent.relevant += u64::from(record.relevant == Some(true));
    }
}

/// The figures counted from the records, in what the crawl last said of its agents.
pub fn complete(counted: Vec<AgentStatus>, mut last: Vec<AgentStatus>) -> Vec<AgentStatus> {
    for agent in counted {
        match last.iter_mut().find(|known| known.number == agent.number) {
            Some(known) => (known.pages, known.relevant) = (agent.pages, agent.relevant),
            None => last.push(agent),
        }
    }
    last
}

/// A table of agents, and the words that each has learnt.
pub fn write(agents: &[AgentStatus], out: &mut dyn Write) -> anyhow::Result<()> {
    if agents.is_empty() {
        return Ok(());
    }
    writeln!(out)?;
    if agents.len() > 1 {
        let mut table = Table::new(&[
            ("agent", Align::Right),
            ("name", Align::Left),
            ("state", Align::Left),
            ("seeds", Align::Right),
            ("pages", Align::Right),
            ("relevant", Align::Right),
            ("waiting", Align::Right),
        ]);
        for agent in agents {
            table.row(
                vec![
                    agent.number.to_string(),
                    harmless(&agent.name),
                    harmless(&agent.state),
                    count(agent.seeds.len() as u64),
                    count(agent.pages),
                    count(agent.relevant),
                    count(agent.waiting),
                ],
                Vec::new(),
            );
        }
        table.write(out, terminal_width())?;
    }
    for agent in agents.iter().filter(|agent| !agent.learnt.is_empty()) {
        let words: Vec<String> = agent
            .learnt
            .iter()
            .take(WORDS_TOLD)
            .map(|(word, weight)| format!("{} {weight:.2}", harmless(word)))
            .collect();
        writeln!(
            out,
            "Table of agent {} ({} words): {}",
            agent.number,
            count(agent.learnt.len() as u64),
            words.join(", ")
        )?;
    }
    Ok(())
}
