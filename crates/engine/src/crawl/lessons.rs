//! What several nodes of one crawl tell each other of what they have learnt.
//!
//! A node learns from its own pages as it would alone. Every few seconds it passes on what it has learnt from, and learns from what
//! the others pass on. Nothing waits for that, and nothing is wrong if some of it is lost.

use scenthound_frontier::Frontier;
use scenthound_types::AgentId;

use super::Crawl;
use crate::CrawlError;
use crate::recorder::Recorder;

/// Who has learnt something.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Pupil {
    /// An agent's strategy.
    Strategy(AgentId),
    /// The judge.
    Judge,
}

impl Pupil {
    /// A number for it.
    pub fn code(self) -> u8 {
        match self {
            Pupil::Strategy(agent) => agent.0,
            Pupil::Judge => u8::MAX,
        }
    }

    /// The pupil with this number.
    pub fn of_code(code: u8) -> Pupil {
        match code {
            u8::MAX => Pupil::Judge,
            agent => Pupil::Strategy(AgentId(agent)),
        }
    }
}

impl<F: Frontier, R: Recorder> Crawl<F, R> {
    /// Keeps what is learnt from now on for other nodes. The judge must be there already.
    pub fn share_lessons(&mut self) {
        for slot in &mut self.slots {
            slot.agent.strategy.share_lessons();
        }
        if let Some(learner) = self.learner.as_ref().and_then(|judge| judge.learner()) {
            learner.share_lessons();
        }
    }

    /// What was learnt from this node's own pages since the last call.
    pub fn lessons(&mut self) -> Vec<(Pupil, Vec<u8>)> {
        let mut all = Vec::new();
        for (number, slot) in (0..AgentId::MOST).zip(&mut self.slots) {
            all.push((Pupil::Strategy(AgentId(number)), slot.agent.strategy.lessons()));
        }
        if let Some(learner) = self.learner.as_ref().and_then(|judge| judge.learner()) {
            all.push((Pupil::Judge, learner.lessons()));
        }
        all.retain(|(_, lessons)| !lessons.is_empty());
        all
    }

    /// What every node must know, however late it joins: who has learnt it, its name and the lesson.
    pub fn lasting_lessons(&mut self) -> Vec<(Pupil, String, Vec<u8>)> {
        let mut all = Vec::new();
        for (number, slot) in (0..AgentId::MOST).zip(&mut self.slots) {
            let told = slot.agent.strategy.lasting_lessons().into_iter();
            all.extend(told.map(|(name, lesson)| (Pupil::Strategy(AgentId(number)), name, lesson)));
        }
        all
    }

    /// Learns lasting lessons by their names. Hearing one again does no harm.
    pub fn hear_lasting_lessons(
        &mut self,
        pupil: Pupil,
        lessons: &[(String, Vec<u8>)],
    ) -> Result<(), CrawlError> {
        if let Pupil::Strategy(agent) = pupil
            && let Some(slot) = self.slots.get_mut(usize::from(agent.0))
        {
            slot.agent.strategy.hear_lasting_lessons(lessons)?;
        }
        Ok(())
    }

    /// Learns from the lessons of another node. They become durable with the next commit, like those of its own pages.
    pub fn hear_lessons(&mut self, pupil: Pupil, lessons: &[u8]) -> Result<(), CrawlError> {
        match pupil {
            Pupil::Strategy(agent) => {
                if let Some(slot) = self.slots.get_mut(usize::from(agent.0)) {
                    slot.agent.strategy.hear_lessons(lessons)?;
                }
            }
            Pupil::Judge => {
                if let Some(learner) = self.learner.as_ref().and_then(|judge| judge.learner()) {
                    learner.hear_lessons(lessons)?;
                }
            }
        }
        Ok(())
    }
}
