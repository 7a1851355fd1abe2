//! What nodes tell each other of what they have learnt.
//!
//! Lessons go to one stream in Redis, which keeps the last of them, [`MOST_BYTES`] at most. A node remembers in its own notes how far it has read, together
//! with what it has learnt from them, so it hears each lesson once, also after it was started again. What a lesson says is for the
//! strategies and judges that gave it; here it is bytes.
//!
//! A few lessons must reach every node, however late it joins. They are kept by name beside the stream, for as long as the crawl.

use scenthound_frontier::FrontierError;
use scenthound_frontier_redis::{RedisFault, command};
use scenthound_types::StateDelta;

use crate::frontier::ClusterFrontier;

/// How many bytes of lessons are kept for nodes that come later, or are slow to read them. A node that is alone tells no less: who
/// joins it should not begin with nothing.
pub const MOST_BYTES: u64 = 32 << 20;
/// The most lessons read at a time.
const AT_ONCE: u32 = 1_000;
/// Where a node remembers how far it has read.
const NOTE: &str = "cluster/lessons";

/// Adds a lesson and drops the oldest while there are too many bytes of them.
const TELL: &str = "
redis.call('XADD', KEYS[1], '*', 'node', ARGV[1], 'pupil', ARGV[2], 'lesson', ARGV[3])
local bytes = redis.call('INCRBY', KEYS[2], #ARGV[3])
local most = tonumber(ARGV[4])
while bytes > most and redis.call('XLEN', KEYS[1]) > 1 do
  local first = redis.call('XRANGE', KEYS[1], '-', '+', 'COUNT', 1)[1]
  redis.call('XDEL', KEYS[1], first[1])
  bytes = redis.call('DECRBY', KEYS[2], #first[2][6])
end
return bytes
";

/// An entry of a stream: its id, and its fields with their values.
type Entry = (String, Vec<(String, Vec<u8>)>);

/// How far the lessons of others were read.
#[derive(Debug, Default)]
pub(crate) struct Heard {
    /// The last entry; none if its note was not looked up yet.
    last: Option<String>,
    is_changed: bool,
    /// How many lasting lessons there were when they were read last.
    lasting: u64,
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
        let stream = self.space.key("lessons");
        let mut asked = command("EVAL");
        asked
            .arg(TELL)
            .arg(2)
            .arg(&stream)
            .arg(beside(&stream, "bytes"))
            .arg(&self.member.node)
            .arg(pupil)
            .arg(lesson)
            .arg(MOST_BYTES);
        passed(self.link.query::<u64>(&asked))
    }

    /// Tells a lesson that every node must hear, by its name. Telling it again changes nothing. Returns whether Redis has it.
    pub fn tell_lasting_lesson(&self, pupil: u8, name: &str, lesson: &[u8]) -> Result<bool, FrontierError> {
        let mut asked = command("HSETNX");
        asked
            .arg(beside(&self.space.key("lessons"), "lasting"))
            .arg(format!("{pupil} {name}"))
            .arg(lesson);
        passed(self.link.query::<u64>(&asked))
    }

    /// The lasting lessons of all nodes, with who has learnt them and their names; none if there are no more than before.
    pub fn hear_lasting_lessons(&mut self) -> Result<Vec<(u8, String, Vec<u8>)>, FrontierError> {
        let kept = beside(&self.space.key("lessons"), "lasting");
        let mut asked = command("HLEN");
        asked.arg(&kept);
        let count: u64 = match self.link.query(&asked) {
            Ok(count) => count,
            Err(fault) if RedisFault::is_passing(&fault) => return Ok(Vec::new()),
            Err(fault) => return Err(fault.into()),
        };
        if count == self.heard.lasting {
            return Ok(Vec::new());
        }
        let mut asked = command("HGETALL");
        asked.arg(&kept);
        let mut lessons: Vec<(String, Vec<u8>)> = match self.link.query(&asked) {
            Ok(lessons) => lessons,
            Err(fault) if RedisFault::is_passing(&fault) => return Ok(Vec::new()),
            Err(fault) => return Err(fault.into()),
        };
        self.heard.lasting = lessons.len() as u64;
        lessons.sort_unstable();
        let named = |(field, lesson): (String, Vec<u8>)| {
            let (pupil, name) = field.split_once(' ')?;
            Some((pupil.parse().ok()?, name.to_owned(), lesson))
        };
        Ok(lessons.into_iter().filter_map(named).collect())
    }

    /// The lessons of other nodes that were not heard yet, with who has learnt them.
    pub fn hear_lessons(&mut self) -> Result<Vec<(u8, Vec<u8>)>, FrontierError> {
        let last = match self.heard.last.clone() {
            Some(last) => last,
            None => {
                let note = scenthound_frontier::Frontier::notes(&self.local, NOTE)?.pop();
                note.and_then(|(_, last)| String::from_utf8(last).ok())
                    .unwrap_or_else(|| "0".to_owned())
            }
        };
        self.heard.last = Some(last);
        let mut lessons = Vec::new();
        while self.hear_some(&mut lessons)? == AT_ONCE as usize {}
        Ok(lessons)
    }

    /// Reads some of the lessons that were not heard yet. Returns how many there were, with the node's own.
    fn hear_some(&mut self, lessons: &mut Vec<(u8, Vec<u8>)>) -> Result<usize, FrontierError> {
        let last = self.heard.last.as_deref().unwrap_or("0");
        let mut asked = command("XRANGE");
        asked
            .arg(self.space.key("lessons"))
            .arg(format!("({last}"))
            .arg("+");
        asked.arg("COUNT").arg(AT_ONCE);
        let entries: Vec<Entry> = match self.link.query(&asked) {
            Ok(entries) => entries,
            Err(fault) if RedisFault::is_passing(&fault) => return Ok(0),
            Err(fault) => return Err(fault.into()),
        };
        let own = self.member.node.as_bytes();
        let count = entries.len();
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
        Ok(count)
    }
}

/// A key on the same server as another, so that one script may change both.
fn beside(key: &str, what: &str) -> String {
    format!("{{{key}}}:{what}")
}

/// Whether Redis did as it was told. It may be away for a moment.
fn passed<T>(answer: Result<T, RedisFault>) -> Result<bool, FrontierError> {
    match answer {
        Ok(_) => Ok(true),
        Err(fault) if RedisFault::is_passing(&fault) => Ok(false),
        Err(fault) => Err(fault.into()),
    }
}
