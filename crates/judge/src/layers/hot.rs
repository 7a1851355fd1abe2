//! Links whose words match the query.

use scenthound_types::text::{Token, tokenize};

/// The words of a query, and how similar a link's words must be to be hot.
#[derive(Clone, PartialEq, Debug)]
pub struct HotWords {
    /// The query's words and how often each occurs, ascending.
    words: Vec<(Token, f64)>,
    threshold: f64,
}

/// The default of θ_h.
pub const HOT: f64 = 0.2;

impl HotWords {
    /// The words of a query; a link whose similarity exceeds the threshold is hot.
    pub fn new(query: &str, threshold: f64) -> HotWords {
        HotWords {
            words: counted(&tokenize(query)),
            threshold,
        }
    }

    /// The cosine of the word counts: character pairs in scripts without spaces, whole words elsewhere.
    pub fn similarity(&self, anchor: &[Token]) -> f64 {
        let anchor = counted(anchor);
        let common: f64 = anchor
            .iter()
            .filter_map(|(token, count)| {
                let at = self.words.binary_search_by_key(token, |(word, _)| *word).ok()?;
                Some(count * self.words.get(at)?.1)
            })
            .sum();
        let lengths = length(&anchor) * length(&self.words);
        if lengths > 0.0 { common / lengths } else { 0.0 }
    }

    /// Whether a link with these words is hot.
    pub fn is_hot(&self, anchor: &[Token]) -> bool {
        self.similarity(anchor) > self.threshold
    }
}

/// The words among tokens and how often each occurs, ascending.
pub(super) fn counted(tokens: &[Token]) -> Vec<(Token, f64)> {
    let mut words: Vec<Token> = tokens.iter().copied().filter(|token| token.is_word()).collect();
    words.sort_unstable();
    words
        .chunk_by(|a, b| a == b)
        .filter_map(|same| Some((*same.first()?, same.len() as f64)))
        .collect()
}

/// The length of a vector of counts.
pub(super) fn length(counts: &[(Token, f64)]) -> f64 {
    counts.iter().map(|(_, count)| count * count).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_similarity_is_the_cosine_of_the_counts() {
        let hot = HotWords::new("graduate school admission", 0.2);
        let anchor = tokenize("Admission to graduate studies");
        assert!((hot.similarity(&anchor) - 2.0 / (3.0_f64.sqrt() * 2.0)).abs() < 1e-12);
        assert!(hot.is_hot(&anchor));
        assert!(!hot.is_hot(&tokenize("sports")));
    }

    #[test]
    fn chinese_words_are_compared_by_pairs_of_characters() {
        // 碩士 士班 班甄 甄試 against 碩士 士班 班招 招生: two of four pairs.
        let hot = HotWords::new("碩士班甄試", 0.2);
        assert!((hot.similarity(&tokenize("碩士班招生")) - 0.5).abs() < 1e-12);
    }

    #[test]
    fn nothing_is_hot_without_a_query_or_without_words() {
        assert!(!HotWords::new("", 0.2).is_hot(&tokenize("tea")));
        assert!(!HotWords::new("tea", 0.2).is_hot(&[]));
    }
}
