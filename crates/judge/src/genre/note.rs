//! What a word says regardless of context, packed into a few bits for [`super::memory::Memory`].
//!
//! Invariant: a note fits into the 15 bits that the cache keeps, and unpacks to what was packed.

/// What a word is as a number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Numeric {
    No,
    Year,
    Other,
}

impl Numeric {
    pub(crate) fn of(spelling: &str) -> Numeric {
        match spelling.as_bytes() {
            [b'1', b'9', c, d] | [b'2', b'0', c, d] if c.is_ascii_digit() && d.is_ascii_digit() => {
                Numeric::Year
            }
            [b'0'..=b'9', ..] => Numeric::Other,
            _ => Numeric::No,
        }
    }
}

/// Which section a word counts for by itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Alone {
    /// No section.
    Nothing,
    /// Once, for this section.
    Once(u8),
    /// More than once: it must be looked up each time.
    Often,
}

/// All of the above, and whether phrases begin with the word. A word that counts for nothing has the note 0.
///
/// It is read without branches: the next word of a page is unpredictable, and a mispredicted branch is expensive.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Note(pub(crate) u16);

const YEAR: u16 = 1;
const NUMBER: u16 = 1 << 1;
const BEGINS_PHRASES: u16 = 1 << 2;
/// The section plus one, or [`OFTEN`], starts at this bit.
const ALONE_SHIFT: u32 = 3;
const OFTEN: u8 = u8::MAX;

impl Note {
    pub(crate) fn new(numeric: Numeric, alone: Alone, begins_phrases: bool) -> Note {
        let numeric = match numeric {
            Numeric::No => 0,
            Numeric::Year => YEAR,
            Numeric::Other => NUMBER,
        };
        let alone = match alone {
            Alone::Nothing => 0,
            Alone::Once(section) => section.saturating_add(1),
            Alone::Often => OFTEN,
        };
        Note(numeric | (u16::from(begins_phrases) * BEGINS_PHRASES) | (u16::from(alone) << ALONE_SHIFT))
    }

    #[inline]
    pub(crate) fn begins_phrases(self) -> bool {
        self.0 & BEGINS_PHRASES != 0
    }

    /// Whether the word counts more than once by itself, which a sum of notes cannot express.
    #[inline]
    pub(crate) fn is_often(self) -> bool {
        self.alone() == OFTEN
    }

    #[inline]
    fn alone(self) -> u8 {
        (self.0 >> ALONE_SHIFT) as u8
    }
}

/// A sum of notes.
pub(crate) struct WordNotes {
    /// By section plus one; the first is for words that count for none.
    alone: [u32; 256],
    pub(crate) years: u32,
    pub(crate) numbers: u32,
}

impl Default for WordNotes {
    fn default() -> WordNotes {
        WordNotes {
            alone: [0; 256],
            years: 0,
            numbers: 0,
        }
    }
}

impl WordNotes {
    #[inline]
    pub(crate) fn add(&mut self, note: Note) {
        self.years += u32::from(note.0 & YEAR);
        self.numbers += u32::from(note.0 & NUMBER) / u32::from(NUMBER);
        self.alone[usize::from(note.alone())] += 1;
    }

    /// Adds one to a section.
    pub(crate) fn count(&mut self, section: u8) {
        self.alone[usize::from(section.saturating_add(1))] += 1;
    }

    /// How often the words of a section occur.
    pub(crate) fn of(&self, section: usize) -> u32 {
        self.alone.get(section + 1).copied().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_add_up_to_what_was_noted() {
        let mut counts = WordNotes::default();
        for (numeric, alone, begins) in [
            (Numeric::No, Alone::Nothing, false),
            (Numeric::No, Alone::Once(0), true),
            (Numeric::Year, Alone::Once(3), false),
            (Numeric::Year, Alone::Nothing, true),
            (Numeric::Other, Alone::Once(3), false),
            (Numeric::Other, Alone::Often, true),
        ] {
            let note = Note::new(numeric, alone, begins);
            assert!(note.0 < 1 << 15);
            assert_eq!(note.begins_phrases(), begins);
            assert_eq!(note.is_often(), alone == Alone::Often);
            counts.add(note);
        }
        counts.count(3);
        assert_eq!((counts.years, counts.numbers), (2, 2));
        assert_eq!([0, 1, 3].map(|section| counts.of(section)), [1, 0, 3]);
        assert_eq!(Note::new(Numeric::No, Alone::Nothing, false), Note(0));
        // An untrusted model may name sections that do not exist.
        assert!(Note::new(Numeric::No, Alone::Once(255), false).is_often());
    }

    #[test]
    fn years_are_told_from_other_numbers() {
        assert_eq!(Numeric::of("1997"), Numeric::Year);
        assert_eq!(Numeric::of("2024"), Numeric::Year);
        for other in ["1797", "20245", "3rd", "7"] {
            assert_eq!(Numeric::of(other), Numeric::Other);
        }
        assert_eq!(Numeric::of("tea"), Numeric::No);
    }
}
