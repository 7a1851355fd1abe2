//! Finds the name a user probably meant by an unknown one.

/// Longer words are hardly typing errors, and comparing takes time in proportion to both lengths.
const LONGEST_TYPO: usize = 40;

/// The known name most similar to `word`, if any is: a typing error away, or containing it.
pub(crate) fn nearest<'a>(word: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if word.len() > LONGEST_TYPO {
        return None;
    }
    let word = word.trim_start_matches('-').to_lowercase().replace('_', "-");
    let typos_allowed = (word.len() / 3).max(1);
    names
        .into_iter()
        .filter_map(|name| {
            let typos = strsim::osa_distance(&word, name);
            let is_part = word.len() >= 4 && name.contains(&word);
            (typos <= typos_allowed || is_part).then_some((typos, name))
        })
        // Among equally similar names the first wins, so that the same typing error always gets the same answer.
        .min_by_key(|(typos, _)| *typos)
        .map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_typo_leads_to_the_name_and_nonsense_to_none() {
        let names = ["max-pages", "max-time", "connect-timeout", "delay"];
        assert_eq!(nearest("max_pages", names), Some("max-pages"));
        assert_eq!(nearest("maxpages", names), Some("max-pages"));
        assert_eq!(nearest("dealy", names), Some("delay"));
        assert_eq!(nearest("timeout", names), Some("connect-timeout"));
        assert_eq!(nearest("zebra", names), None);
        assert_eq!(nearest(&"x".repeat(1_000_000), names), None);
    }
}
