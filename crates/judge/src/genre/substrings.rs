//! Counts many short strings inside words and URLs at once.
//!
//! The strings become one automaton over bytes (Aho–Corasick). Every step is one table look-up, so the cost depends
//! only on the bytes read, not on the number of strings.

/// Finds strings and the sections they count for.
#[derive(Clone, Debug)]
pub(crate) struct Substrings {
    /// Which column of the table a byte uses; 0 for bytes in no string.
    column_of: [u8; 256],
    columns: usize,
    /// The next state by state and column. A state is identified by the start of its row.
    next: Vec<u32>,
    /// The sections whose strings end in a state.
    ends: Vec<Vec<u8>>,
}

/// What the bytes read so far may still turn into.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct State(u32);

/// Marks a step to a state in which some string ends.
const ENDING: u32 = 1 << 31;

/// More states than any sensible list needs. A longer list is cut off here.
const MOST_STATES: usize = 20_000;

impl Substrings {
    /// An automaton for strings and the sections they count for.
    pub(crate) fn new<'a>(strings: impl Iterator<Item = (&'a str, u8)> + Clone) -> Substrings {
        let mut column_of = [0_u8; 256];
        let mut columns = 1;
        for byte in strings.clone().flat_map(|(string, _)| string.bytes()) {
            if let Some(column) = column_of.get_mut(usize::from(byte))
                && *column == 0
                && columns < 255
            {
                *column = columns as u8;
                columns += 1;
            }
        }
        let mut built = Substrings {
            column_of,
            columns,
            next: vec![0; columns],
            ends: vec![Vec::new()],
        };
        for (string, section) in strings {
            built.add(string, section);
        }
        built.link();
        for at in 0..built.next.len() {
            let state = built.next.get(at).copied().unwrap_or(0);
            let is_ending = built
                .ends
                .get(built.number(state))
                .is_some_and(|ends| !ends.is_empty());
            if let Some(next) = built.next.get_mut(at)
                && is_ending
            {
                *next |= ENDING;
            }
        }
        built
    }

    #[inline]
    fn place(&self, state: u32, byte: u8) -> usize {
        state as usize + usize::from(self.column_of[usize::from(byte)])
    }

    fn number(&self, state: u32) -> usize {
        state as usize / self.columns
    }

    fn add(&mut self, string: &str, section: u8) {
        if string.is_empty() || self.ends.len() + string.len() > MOST_STATES {
            return;
        }
        let mut state = 0_u32;
        for byte in string.bytes() {
            let place = self.place(state, byte);
            let known = self.next.get(place).copied().unwrap_or(0);
            state = if known == 0 {
                let new = self.next.len() as u32;
                self.ends.push(Vec::new());
                self.next.extend(std::iter::repeat_n(0, self.columns));
                if let Some(next) = self.next.get_mut(place) {
                    *next = new;
                }
                new
            } else {
                known
            };
        }
        let number = self.number(state);
        if let Some(ends) = self.ends.get_mut(number) {
            ends.push(section);
        }
    }

    /// Gives every state the transitions of its longest suffix that is a prefix of some string.
    fn link(&mut self) {
        let mut fallback = vec![0_u32; self.ends.len()];
        // States by their distance from the first; the first is its own fallback.
        let mut queue: Vec<u32> = self
            .next
            .iter()
            .take(self.columns)
            .copied()
            .filter(|state| *state != 0)
            .collect();
        let mut at = 0;
        while let Some(state) = queue.get(at).copied() {
            at += 1;
            let number = self.number(state);
            let fall = fallback.get(number).copied().unwrap_or(0);
            let inherited = self.ends.get(self.number(fall)).cloned().unwrap_or_default();
            if let Some(ends) = self.ends.get_mut(number) {
                ends.extend(inherited);
            }
            for column in 0..self.columns {
                let after_fall = self.next.get(fall as usize + column).copied().unwrap_or(0);
                let Some(next) = self.next.get_mut(state as usize + column) else {
                    continue;
                };
                if *next == 0 {
                    *next = after_fall;
                } else {
                    queue.push(*next);
                    if let Some(fallback) = fallback.get_mut(*next as usize / self.columns) {
                        *fallback = after_fall;
                    }
                }
            }
        }
    }

    /// Calls back with the section of each string found, including overlapping ones.
    #[inline]
    pub(crate) fn each(&self, bytes: &[u8], found: impl FnMut(u8)) {
        self.each_after(State::default(), bytes, found);
    }

    /// The same, continuing from the state after earlier bytes; returns the state after these.
    #[inline]
    pub(crate) fn each_after(&self, before: State, bytes: &[u8], mut found: impl FnMut(u8)) -> State {
        let State(mut state) = before;
        for byte in bytes {
            state = self.next.get(self.place(state, *byte)).copied().unwrap_or(0);
            if state & ENDING != 0 {
                state &= !ENDING;
                for section in self.ends.get(self.number(state)).into_iter().flatten() {
                    found(*section);
                }
            }
        }
        State(state)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_occurrence_is_found(
            strings in prop::collection::vec("[abc]{1,4}", 1..8),
            text in "[abcd]{0,60}",
        ) {
            let numbered = || strings.iter().map(String::as_str).zip(0_u8..);
            let mut found = vec![0; strings.len()];
            Substrings::new(numbered()).each(text.as_bytes(), |section| found[usize::from(section)] += 1);
            let expected: Vec<i32> = strings
                .iter()
                .map(|string| (0..text.len()).filter(|at| text[*at..].starts_with(string.as_str())).count() as i32)
                .collect();
            prop_assert_eq!(&found, &expected);

            // The same in two pieces.
            let automaton = Substrings::new(numbered());
            let mut found = vec![0; strings.len()];
            let mut count = |section: u8| found[usize::from(section)] += 1;
            let (head, tail) = text.as_bytes().split_at(text.len() / 2);
            let between = automaton.each_after(State::default(), head, &mut count);
            automaton.each_after(between, tail, &mut count);
            prop_assert_eq!(found, expected);
        }
    }
}
