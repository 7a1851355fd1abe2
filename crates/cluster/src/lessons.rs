//! What nodes tell each other of what they have learnt.
//!
//! Lessons go to one stream in Redis, which keeps the last of them. A node remembers in its own notes how far it has read, together
//! with what it has learnt from them, so it hears each lesson once, also after it was started again. What a lesson says is for the
//! strategies and judges that gave it; here it is bytes.

use scenthound_frontier::FrontierError;
use scenthound_frontier_redis::{RedisFault, command};
use scenthound_types::StateDelta;

use crate::frontier::ClusterFrontier;

/// About how many lessons are kept for nodes that come later.
const KEPT: u32 = 500;
/// The most lessons read at a time.
const AT_ONCE: u32 = 100;
/// Where a node remembers how far it has read.
const NOTE: &str = "cluster/lessons";

/// An entry of a stream: its id, and its fields with their values.
type Entry = (String, Vec<(String, Vec<u8>)>);

/// How far the lessons of others were read.
#[derive(Debug, Default)]
pub(crate) struct Heard {
    /// The last entry; none if its note was not looked up yet.
    last: Option<String>,
    is_changed: bool,
}

impl Heard {
    /// Adds how far they were read to what a commit keeps.
    pub fn save(&mut self, notes: &mut StateDelta) {
        if let (true, Some(last)) = (std::mem::take(&mut self.is_changed), &self.last) {
            notes.put(NOTE, last.clone().into_bytes());
        }
    }
}

impl ClusterFrontier {
    /// Tells other nodes what this one has learnt; the number says who on the node has. Returns whether Redis has it: if not, the
    /// lesson is lost, and no harm is done.
    pub fn tell_lesson(&self, pupil: u8, lesson: &[u8]) -> Result<bool, FrontierError> {
        let mut asked = command("XADD");
        asked
            .arg(self.space.key("lessons"))
            .arg("MAXLEN")
            .arg("~")
            .arg(KEPT)
            .arg("*");
        asked.arg("node").arg(&self.member.node).arg("pupil").arg(pupil);
        asked.arg("lesson").arg(lesson);
        match self.link.query::<String>(&asked) {
            Ok(_) => Ok(true),
            Err(fault) if RedisFault::is_passing(&fault) => Ok(false),
            Err(fault) => Err(fault.into()),
        }
    }

    /// The lessons of other nodes that were not heard yet, with who has learnt them; some of them if there are many.
    pub fn hear_lessons(&mut self) -> Result<Vec<(u8, Vec<u8>)>, FrontierError> {
        let last = match self.heard.last.clone() {
            Some(last) => last,
            None => {
                let note = scenthound_frontier::Frontier::notes(&self.local, NOTE)?.pop();
                note.and_then(|(_, last)| String::from_utf8(last).ok())
                    .unwrap_or_else(|| "0".to_owned())
            }
        };
        let mut asked = command("XRANGE");
        asked
            .arg(self.space.key("lessons"))
            .arg(format!("({last}"))
            .arg("+");
        asked.arg("COUNT").arg(AT_ONCE);
        let entries: Vec<Entry> = match self.link.query(&asked) {
            Ok(entries) => entries,
            Err(fault) if RedisFault::is_passing(&fault) => return Ok(Vec::new()),
            Err(fault) => return Err(fault.into()),
        };
        let own = self.member.node.as_bytes();
        let mut lessons = Vec::new();
        self.heard.last = Some(last);
        for (id, fields) in entries {
            let field = |name: &str| {
                fields
                    .iter()
                    .find(|(known, _)| known == name)
                    .map(|(_, value)| value)
            };
            let pupil = field("pupil").and_then(|pupil| std::str::from_utf8(pupil).ok()?.parse().ok());
            if let (Some(pupil), Some(lesson), Some(true)) =
                (pupil, field("lesson"), field("node").map(|node| node != own))
            {
                lessons.push((pupil, lesson.clone()));
            }
            self.heard.last = Some(id);
            self.heard.is_changed = true;
        }
        Ok(lessons)
    }
}
