//! Prints the directory of a crawl's agents.

use std::io::Write;

use scenthound::AgentStatus;

use crate::table::{Align, Table};
use crate::wording::{count, harmless};

/// Learnt words shown per agent.
const WORDS_SHOWN: usize = 8;

/// Writes a table of the agents and the words that each has learnt.
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
        crate::table::show(&table, out)?;
    }
    for agent in agents.iter().filter(|agent| !agent.learnt.is_empty()) {
        let words: Vec<String> = agent
            .learnt
            .iter()
            .take(WORDS_SHOWN)
            .map(|(word, weight)| format!("{} {weight:.2}", harmless(word)))
            .collect();
        let by = match agents.len() {
            1 => String::new(),
            _ => format!(" by agent {}", agent.number),
        };
        writeln!(
            out,
            "Learnt{by} ({} weights): {}",
            count(agent.learnt.len() as u64),
            words.join(", ")
        )?;
    }
    Ok(())
}
