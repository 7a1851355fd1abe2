//! Which agent starts from which seeds.

use std::collections::HashMap;

use scenthound_types::CanonicalUrl;
use scenthound_types::named_enum;

named_enum! {
    /// How seeds are assigned to agents.
    #[derive(Default)]
    pub enum SeedAssignment {
        /// One after the other, in turn.
        #[default]
        Even = "even",
        /// Seeds of one host go to the same agent.
        ByHost = "host",
        /// Seeds of one genre go to the same agent.
        ByGenre = "genre",
    }
}

/// The seeds of one agent.
#[derive(Clone, PartialEq, Debug)]
pub struct Assignment {
    /// What people call the agent.
    pub name: String,
    /// Its seeds.
    pub seeds: Vec<CanonicalUrl>,
}

/// Assigns seeds to at most `agents` agents, so that each has at least one. Groups that stay together go, in the order they
/// come up, to the agent with the fewest seeds so far. `genre_of` guesses the genre of a seed from its URL.
pub fn assign_seeds(
    seeds: &[CanonicalUrl],
    agents: usize,
    how: SeedAssignment,
    genre_of: &dyn Fn(&CanonicalUrl) -> String,
) -> Vec<Assignment> {
    let mut groups: Vec<(String, Vec<CanonicalUrl>)> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    for (number, seed) in seeds.iter().enumerate() {
        let group = match how {
            SeedAssignment::Even => number.to_string(),
            SeedAssignment::ByHost => seed.host().to_owned(),
            SeedAssignment::ByGenre => genre_of(seed),
        };
        let place = *places.entry(group.clone()).or_insert_with(|| {
            groups.push((group, Vec::new()));
            groups.len() - 1
        });
        if let Some((_, group)) = groups.get_mut(place) {
            group.push(seed.clone());
        }
    }
    let mut assignments: Vec<(Vec<String>, Vec<CanonicalUrl>)> =
        vec![Default::default(); agents.min(groups.len()).max(1)];
    for (group, mut seeds) in groups {
        if let Some((names, assignment)) = assignments
            .iter_mut()
            .min_by_key(|(_, assignment)| assignment.len())
        {
            names.push(group);
            assignment.append(&mut seeds);
        }
    }
    let named = |(number, (groups, seeds)): (usize, (Vec<String>, _))| Assignment {
        name: match how {
            SeedAssignment::ByGenre => groups.join(" + "),
            SeedAssignment::Even | SeedAssignment::ByHost => format!("agent {}", number + 1),
        },
        seeds,
    };
    assignments.into_iter().enumerate().map(named).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assigned(urls: &[&str], agents: usize, how: SeedAssignment) -> Vec<(String, Vec<String>)> {
        let seeds: Vec<_> = urls.iter().map(|url| CanonicalUrl::parse(url).unwrap()).collect();
        let genre_of = |url: &CanonicalUrl| url.path_and_query().trim_matches('/').to_owned();
        assign_seeds(&seeds, agents, how, &genre_of)
            .into_iter()
            .map(|assignment| {
                (
                    assignment.name,
                    assignment.seeds.iter().map(ToString::to_string).collect(),
                )
            })
            .collect()
    }

    const SEEDS: [&str; 5] = [
        "http://a.test/news",
        "http://a.test/blog",
        "http://b.test/news",
        "http://c.test/blog",
        "http://c.test/news",
    ];

    #[test]
    fn seeds_are_assigned_in_turn() {
        let assignments = assigned(&SEEDS, 2, SeedAssignment::Even);
        assert_eq!(
            assignments[0],
            (
                "agent 1".into(),
                [SEEDS[0], SEEDS[2], SEEDS[4]].map(String::from).to_vec()
            )
        );
        assert_eq!(assignments[1].1, [SEEDS[1], SEEDS[3]]);
    }

    #[test]
    fn seeds_of_a_host_stay_together() {
        let assignments = assigned(&SEEDS, 2, SeedAssignment::ByHost);
        assert_eq!(assignments[0].1, [SEEDS[0], SEEDS[1]]);
        assert_eq!(assignments[1].1, [SEEDS[2], SEEDS[3], SEEDS[4]]);
    }

    #[test]
    fn agents_are_named_after_their_genres() {
        let assignments = assigned(&SEEDS, 3, SeedAssignment::ByGenre);
        let names: Vec<&str> = assignments.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["news", "blog"]);
        assert_eq!(assigned(&SEEDS, 1, SeedAssignment::ByGenre)[0].0, "news + blog");
    }

    #[test]
    fn no_agent_is_without_a_seed() {
        assert_eq!(assigned(&SEEDS[..2], 5, SeedAssignment::Even).len(), 2);
        assert_eq!(
            assigned(&[], 5, SeedAssignment::Even),
            [("agent 1".to_owned(), Vec::new())]
        );
    }
}
