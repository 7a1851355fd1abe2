//! Counts what a pass finds.
//!
//! Both tallies list a term when it is first found, so that reading them costs time in proportion to what was found,
//! not to the number of terms in the topic.

/// How often each term was found.
pub(crate) trait TermCounts {
    /// Counts one more occurrence of a term.
    fn add(&mut self, term: u32);
    /// The terms found and how often, in the order they were first found.
    fn counts(&self) -> &[(u32, u32)];
}

/// For a whole page: constant time per occurrence.
pub(crate) struct PageTermCounts {
    counts: Vec<(u32, u32)>,
    /// One more than the position of each term in `counts`; 0 if not found yet.
    places: Vec<u32>,
}

impl PageTermCounts {
    pub(crate) fn new(terms: usize) -> PageTermCounts {
        PageTermCounts {
            counts: Vec::new(),
            places: vec![0; terms],
        }
    }
}

impl TermCounts for PageTermCounts {
    fn add(&mut self, term: u32) {
        let Some(place) = self.places.get_mut(term as usize) else {
            return;
        };
        match self.counts.get_mut((*place as usize).wrapping_sub(1)) {
            Some((_, count)) => *count = count.saturating_add(1),
            None => {
                self.counts.push((term, 1));
                *place = self.counts.len() as u32;
            }
        }
    }

    fn counts(&self) -> &[(u32, u32)] {
        &self.counts
    }
}

/// How many different terms a snippet may contain before the counts allocates.
const FEW: usize = 24;

/// For a handful of words: no allocation as long as few terms are found.
pub(crate) struct SnippetTermCounts {
    few: [(u32, u32); FEW],
    used: usize,
    /// Takes over from `few` when it is full.
    many: Vec<(u32, u32)>,
}

impl SnippetTermCounts {
    pub(crate) fn new() -> SnippetTermCounts {
        SnippetTermCounts {
            few: [(0, 0); FEW],
            used: 0,
            many: Vec::new(),
        }
    }
}

impl TermCounts for SnippetTermCounts {
    fn add(&mut self, term: u32) {
        let counts = if self.many.is_empty() {
            &mut self.few[..self.used]
        } else {
            &mut self.many[..]
        };
        if let Some((_, count)) = counts.iter_mut().find(|(held, _)| *held == term) {
            *count = count.saturating_add(1);
        } else if self.used < FEW {
            self.few[self.used] = (term, 1);
            self.used += 1;
        } else {
            if self.many.is_empty() {
                self.many.extend_from_slice(&self.few);
            }
            self.many.push((term, 1));
        }
    }

    fn counts(&self) -> &[(u32, u32)] {
        if self.many.is_empty() {
            &self.few[..self.used]
        } else {
            &self.many
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_tallies_count_alike_even_when_the_small_one_overflows() {
        let mut page = PageTermCounts::new(200);
        let mut snippet = SnippetTermCounts::new();
        for n in 0..1000_u32 {
            let term = n * n % 97;
            page.add(term);
            snippet.add(term);
        }
        assert!(page.counts().len() > FEW);
        assert_eq!(page.counts(), snippet.counts());
        assert_eq!(page.counts().iter().map(|(_, count)| count).sum::<u32>(), 1000);
    }
}
