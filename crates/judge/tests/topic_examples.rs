//! Examples of the topic judge: named, replaced, dropped, and saved with the rest of what it knows.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::BTreeMap;

use scenthound_judge::{Judge, LabelledPage, Learner, TopicJudge, TopicSettings, TopicWords, saved_examples};
use scenthound_types::text::Text;
use scenthound_types::{CanonicalUrl, ParsedPage, StateDelta, Verdict};

fn page(words: &str) -> ParsedPage {
    let mut text = Text::default();
    text.push(words);
    ParsedPage {
        text,
        ..ParsedPage::blank(CanonicalUrl::parse("http://a.example/").unwrap())
    }
}

fn judge() -> TopicJudge {
    TopicJudge::new(&TopicWords::default(), TopicSettings::default()).unwrap()
}

fn example(judge: &TopicJudge, name: &str, label: Verdict, words: &str) -> LabelledPage {
    LabelledPage {
        name: name.to_owned(),
        label,
        fields: Learner::fields(judge, &page(words)),
    }
}

/// What a crawl would hold after these changes.
fn keep(state: &mut BTreeMap<String, Vec<u8>>, judge: &TopicJudge) {
    let mut changes = StateDelta::default();
    judge.save_changes(&mut changes);
    state.extend(changes.changes().iter().cloned());
}

fn restored(state: &BTreeMap<String, Vec<u8>>) -> TopicJudge {
    let saved: Vec<(String, Vec<u8>)> = state.clone().into_iter().collect();
    let judge = judge();
    judge.restore(&saved).unwrap();
    judge
}

#[test]
fn examples_are_known_by_name_and_survive_a_restart() {
    use Verdict::{Irrelevant, Relevant};
    let first = judge();
    let mut state = BTreeMap::new();
    first.change_examples(
        &[],
        vec![
            example(&first, "a", Relevant, "green tea leaves in a teapot"),
            example(&first, "b", Relevant, "oolong tea and infusions"),
            example(&first, "c", Irrelevant, "engines and brakes of cars"),
        ],
    );
    keep(&mut state, &first);
    let saved: Vec<(String, Vec<u8>)> = state.clone().into_iter().collect();
    assert_eq!(saved_examples(&saved).len(), 3);

    let second = restored(&state);
    assert_eq!(second.examples(), first.examples());
    let tea = page("tea leaves for the teapot");
    assert_eq!(second.judge(&tea), first.judge(&tea));
    assert!(second.judge(&tea).relevance > second.judge(&page("brakes of cars")).relevance);

    // One changes sides, one goes.
    let changed = vec![example(&second, "b", Irrelevant, "oolong tea and infusions")];
    second.change_examples(&["c".to_owned()], changed);
    keep(&mut state, &second);
    let third = restored(&state);
    let expected = [("a".to_owned(), Relevant), ("b".to_owned(), Irrelevant)];
    assert_eq!(third.examples(), expected);
    assert_eq!(third.judge(&tea), second.judge(&tea));
}
