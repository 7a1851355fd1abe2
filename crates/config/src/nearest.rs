//! What somebody meant who wrote a name we do not know.

/// Longer words are no slips of the finger, and comparing costs the product of both lengths.
const LONGEST_SLIP: usize = 40;

/// The known name most like `word`, if any is like it: a slip away, or holding it as a part.
pub(crate) fn nearest<'a>(word: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if word.len() > LONGEST_SLIP {
        return None;
    }
    let word = word.trim_start_matches('-').to_lowercase().replace('_', "-");
    let slips_allowed = (word.len() / 3).max(1);
    names
        .into_iter()
        .filter_map(|name| {
            let slips = strsim::osa_distance(&word, name);
            let is_part = word.len() >= 4 && name.contains(&word);
            (slips <= slips_allowed || is_part).then_some((slips, name))
        })
        // Equal names keep the table's order, so that the same slip always gets the same answer.
        .min_by_key(|(slips, _)| *slips)
        .map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_leads_to_the_name_and_nonsense_to_none() {
        let names = ["max-pages", "max-time", "connect-timeout", "delay"];
        assert_eq!(nearest("max_pages", names), Some("max-pages"));
        assert_eq!(nearest("maxpages", names), Some("max-pages"));
        assert_eq!(nearest("dealy", names), Some("delay"));
        assert_eq!(nearest("timeout", names), Some("connect-timeout"));
        assert_eq!(nearest("zebra", names), None);
        assert_eq!(nearest(&"x".repeat(1_000_000), names), None);
    }
}
