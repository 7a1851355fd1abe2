//! How much work is left. Everything that reads or decodes bytes asks here first.

use std::cell::Cell;

use crate::Limits;

/// The work that is left for one document.
#[derive(Debug)]
pub(crate) struct Budget {
    left: Cell<usize>,
    is_short: Cell<bool>,
    stream_bytes: usize,
}

impl Budget {
    pub(crate) fn new(limits: &Limits) -> Budget {
        Budget {
            left: Cell::new(limits.work_bytes),
            is_short: Cell::new(false),
            stream_bytes: limits.stream_bytes,
        }
    }

    /// Takes this much work from the budget. False if there was less.
    pub(crate) fn charge(&self, bytes: usize) -> bool {
        match self.left.get().checked_sub(bytes) {
            Some(left) => {
                self.left.set(left);
                true
            }
            None => {
                self.left.set(0);
                self.is_short.set(true);
                false
            }
        }
    }

    pub(crate) fn is_spent(&self) -> bool {
        self.left.get() == 0
    }

    /// How long the next stream may become.
    pub(crate) fn stream_room(&self) -> usize {
        self.left.get().min(self.stream_bytes)
    }

    /// Notes that something was left unread.
    pub(crate) fn fall_short(&self) {
        self.is_short.set(true);
    }

    pub(crate) fn fell_short(&self) -> bool {
        self.is_short.get()
    }
}
