//! What a part of the crawl needs to restore after a restart.

/// Changed values by name, written in the same batch as the page that changed them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct StateDelta {
    changes: Vec<(String, Vec<u8>)>,
}

impl StateDelta {
    /// Stores a value; a later one under the same name replaces it.
    pub fn put(&mut self, name: impl Into<String>, value: impl Into<Vec<u8>>) {
        self.changes.push((name.into(), value.into()));
    }

    /// The changes in the order they were put.
    pub fn changes(&self) -> &[(String, Vec<u8>)] {
        &self.changes
    }

    /// Appends the other's changes after these.
    pub fn append(&mut self, mut other: StateDelta) {
        self.changes.append(&mut other.changes);
    }

    /// Discards all changes but keeps the allocated space.
    pub fn clear(&mut self) {
        self.changes.clear();
    }

    /// Whether nothing changed.
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }
}
