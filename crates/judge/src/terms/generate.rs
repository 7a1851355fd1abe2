//! Picks genre and content terms from counted runs.
//!
//! The most frequent runs of the genre pages are the genre terms. The most frequent runs of the relevant pages that
//! are not genre terms are the content terms. Options: count documents instead of occurrences, contrast with a
//! background (what is frequent here *and* rare elsewhere), and leave out runs that add nothing to a longer one.
//!
//! Contrast is the difference of log-odds between examples and background, divided by its standard error, with half
//! an occurrence added to every count: rare runs do not pass for informative ones, and nothing divides by zero.

use std::cmp::Ordering;
use std::collections::HashSet;

use scenthound_types::Token;
use serde::Serialize;

use crate::terms::TermsFault;
use crate::terms::runs::{BackgroundCounts, Run, RunCounts, Seen, Totals};

/// Added to every count before computing odds.
const PRIOR: f64 = 0.5;

/// What frequency means.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Frequency {
    /// Every occurrence counts.
    #[default]
    Occurrences,
    /// Every page counts once.
    Documents,
}

impl Frequency {
    fn of(self, seen: &Seen) -> u64 {
        match self {
            Frequency::Occurrences => seen.count,
            Frequency::Documents => seen.documents,
        }
    }

    fn in_all(self, totals: Totals) -> u64 {
        match self {
            Frequency::Occurrences => totals.runs,
            Frequency::Documents => totals.documents,
        }
    }
}

/// How terms are picked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GenerateSettings {
    /// The maximum number of genre terms.
    pub genre_terms: usize,
    /// The maximum number of content terms.
    pub content_terms: usize,
    /// What "most frequent" means.
    pub by: Frequency,
    /// The minimum number of pages that contain a run. Words of a single page stand out against any background and
    /// say nothing about the others.
    pub least_documents: u64,
    /// Whether to leave out a run that only ever occurs inside a longer one that was picked.
    pub drop_inner: bool,
}

impl GenerateSettings {
    /// The paper's form: the most frequent runs, whatever they are.
    pub fn plain() -> GenerateSettings {
        GenerateSettings {
            by: Frequency::Occurrences,
            least_documents: 1,
            drop_inner: false,
            ..GenerateSettings::default()
        }
    }
}

impl Default for GenerateSettings {
    /// Pages count rather than occurrences, a run must be on two pages, and runs inside longer ones are left out.
    fn default() -> GenerateSettings {
        GenerateSettings {
            genre_terms: 20,
            content_terms: 20,
            by: Frequency::Documents,
            least_documents: 2,
            drop_inner: true,
        }
    }
}

/// A picked term, with the evidence for it.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Candidate {
    /// Normalised, in readable form.
    pub term: String,
    /// Its words.
    #[serde(skip)]
    pub tokens: Vec<Token>,
    /// How often it occurs in the examples.
    pub count: u64,
    /// The number of examples it occurs in.
    pub documents: u64,
    /// The contrast with the background if there is one: in standard errors or, for a single example page, frequency by rarity.
    pub contrast: Option<f64>,
}

/// The terms picked, best first.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Generated {
    /// What kind of page.
    pub genre: Vec<Candidate>,
    /// What it is about.
    pub content: Vec<Candidate>,
}

/// Picks terms from counted genre pages and relevant pages; if there is a background, by contrast with it.
pub fn generate(
    genre: &RunCounts,
    relevant: &RunCounts,
    background: Option<&BackgroundCounts>,
    settings: &GenerateSettings,
) -> Result<Generated, TermsFault> {
    for (role, counts, wanted) in [
        ("genre", genre, settings.genre_terms),
        ("relevant", relevant, settings.content_terms),
    ] {
        if wanted > 0 && counts.documents() == 0 {
            return Err(TermsFault::NoPages { role });
        }
    }
    if background.is_some_and(|background| background.documents() == 0) {
        return Err(TermsFault::NoBackground);
    }
    let genre = pick(genre, background, settings, settings.genre_terms, &HashSet::new());
    let taken: HashSet<&[Token]> = genre.iter().map(|term| term.tokens.as_slice()).collect();
    let content = pick(relevant, background, settings, settings.content_terms, &taken);
    Ok(Generated { genre, content })
}

/// Picks the terms that best set some pages apart from a background, leaving out those already in use: feedback from
/// pages a user liked. The terms in use are given as their words without stop words.
pub fn suggest(
    pages: &RunCounts,
    background: &BackgroundCounts,
    taken: &[Vec<Token>],
    wanted: usize,
    settings: &GenerateSettings,
) -> Result<Vec<Candidate>, TermsFault> {
    if wanted > 0 && pages.documents() == 0 {
        return Err(TermsFault::NoPages { role: "relevant" });
    }
    if background.documents() == 0 {
        return Err(TermsFault::NoBackground);
    }
    let taken: HashSet<&[Token]> = taken.iter().map(Vec::as_slice).collect();
    Ok(pick(pages, Some(background), settings, wanted, &taken))
}

struct Ranked<'a> {
    run: &'a Run,
    seen: &'a Seen,
    contrast: Option<f64>,
}

fn pick(
    counts: &RunCounts,
    background: Option<&BackgroundCounts>,
    settings: &GenerateSettings,
    wanted: usize,
    taken: &HashSet<&[Token]>,
) -> Vec<Candidate> {
    let by = settings.by;
    // Occurrences here cannot be compared with pages there.
    let compared = match background {
        Some(background) if background.knows_pages_only() => Frequency::Documents,
        _ => by,
    };
    let mut ranked: Vec<Ranked<'_>> = counts
        .seen()
        .filter(|(run, seen)| seen.documents >= settings.least_documents && !taken.contains(run.tokens()))
        .map(|(run, seen)| Ranked {
            run,
            seen,
            contrast: background.map(|background| {
                if background.knows_pages_only() && counts.documents() < 2 {
                    return frequency_by_rarity(seen, background.seen(run).documents, background.totals());
                }
                contrast(
                    (compared.of(seen), compared.in_all(counts.totals())),
                    (
                        compared.of(&background.seen(run)),
                        compared.in_all(background.totals()),
                    ),
                )
            }),
        })
        // What is rarer here than elsewhere is not a term, however few other candidates there are.
        .filter(|ranked| ranked.contrast.is_none_or(|contrast| contrast > 0.0))
        .collect();
    ranked.sort_unstable_by(|a, b| order(a, b, by, counts));

    let mut picked: Vec<(&Ranked<'_>, String)> = Vec::new();
    for next in &ranked {
        if picked.len() >= wanted {
            break;
        }
        // A longer run with the same count comes first, so looking back is enough.
        let is_inner = settings.drop_inner
            && picked
                .iter()
                .any(|(kept, _)| kept.seen.count == next.seen.count && kept.run.encloses(next.run));
        if is_inner {
            continue;
        }
        if let Some(term) = counts.write(next.run) {
            picked.push((next, term));
        }
    }
    picked
        .into_iter()
        .map(|(ranked, term)| Candidate {
            term,
            tokens: ranked.run.tokens().to_vec(),
            count: ranked.seen.count,
            documents: ranked.seen.documents,
            contrast: ranked.contrast,
        })
        .collect()
}

/// Best first, and never equal for two different runs: by contrast if there is one, then by the chosen frequency, by
/// the other one, longer runs first, by spelling.
fn order(a: &Ranked<'_>, b: &Ranked<'_>, by: Frequency, counts: &RunCounts) -> Ordering {
    let contrast = |ranked: &Ranked<'_>| ranked.contrast.unwrap_or(0.0);
    contrast(b)
        .total_cmp(&contrast(a))
        .then_with(|| by.of(b.seen).cmp(&by.of(a.seen)))
        .then_with(|| b.seen.count.cmp(&a.seen.count))
        .then_with(|| b.seen.documents.cmp(&a.seen.documents))
        .then_with(|| b.run.tokens().len().cmp(&a.run.tokens().len()))
        .then_with(|| counts.sorting_key(a.run).cmp(&counts.sorting_key(b.run)))
        .then_with(|| a.run.cmp(b.run))
}

/// How often a run occurs, times the logarithm of how rare it is elsewhere. On a single page every run is on all pages, so
/// only this tells them apart.
fn frequency_by_rarity(seen: &Seen, pages: u64, elsewhere: Totals) -> f64 {
    let rarity = (elsewhere.documents as f64 + 1.0) / (pages as f64 + 1.0);
    seen.count as f64 * rarity.ln()
}

/// How much likelier something is here than there, in standard errors; each is given as (count, total).
fn contrast(here: (u64, u64), there: (u64, u64)) -> f64 {
    let log_odds =
        |(part, all): (u64, u64)| ((part as f64 + PRIOR) / (all.saturating_sub(part) as f64 + PRIOR)).ln();
    let variance = 1.0 / (here.0 as f64 + PRIOR) + 1.0 / (there.0 as f64 + PRIOR);
    (log_odds(here) - log_odds(there)) / variance.sqrt()
}

#[cfg(test)]
mod tests {
    use crate::Background;
    use proptest::prelude::*;
    use scenthound_types::text::tokenize;
    use scenthound_types::{Language, Text};

    use super::*;

    fn counts(pages: &[&str], language: Option<&str>) -> RunCounts {
        let language = language.and_then(Language::from_code);
        let mut counts = RunCounts::new(language);
        for page in pages {
            let mut text = Text::default();
            for block in page.split('/') {
                text.push(block);
                text.push_break();
            }
            counts.add(&text, language);
        }
        counts
    }

    fn terms(candidates: &[Candidate]) -> Vec<&str> {
        candidates
            .iter()
            .map(|candidate| candidate.term.as_str())
            .collect()
    }

    fn of_each(genre_terms: usize, content_terms: usize) -> GenerateSettings {
        GenerateSettings {
            genre_terms,
            content_terms,
            ..GenerateSettings::plain()
        }
    }

    /// "information" and "page" are everywhere; "hashing" is not.
    #[test]
    fn words_of_the_web_at_large_come_last_without_any_background_pages() {
        let pages = [
            "information page hashing",
            "page information hashing / page",
            "hashing page information",
        ];
        let examples = counts(&pages, Some("en"));
        let background = BackgroundCounts::at_large(&[&examples], Background::shipped());
        assert!(background.documents() > 1_000);
        let settings = GenerateSettings {
            genre_terms: 0,
            content_terms: 1,
            by: Frequency::Occurrences,
            ..GenerateSettings::default()
        };
        let first = |background| {
            let made = generate(&examples, &examples, background, &settings).unwrap();
            made.content.first().map(|term| term.term.clone())
        };
        assert_eq!(first(Some(&background)).as_deref(), Some("hashing"));
        assert_eq!(first(None).as_deref(), Some("page"));
    }

    #[test]
    fn genre_terms_come_first_and_are_left_out_of_the_content_terms() {
        let genre = counts(&["syllabus / course", "syllabus / course / exam"], None);
        let relevant = counts(
            &["course / sql / syllabus / course", "sql / sql / relational model"],
            None,
        );
        let generated = generate(&genre, &relevant, None, &of_each(2, 2)).unwrap();
        assert_eq!(terms(&generated.genre), ["course", "syllabus"]);
        assert_eq!(terms(&generated.content), ["sql", "relational model"]);
        let sql = &generated.content[0];
        assert_eq!((sql.count, sql.documents, sql.contrast), (3, 2, None));
    }

    #[test]
    fn documents_can_count_instead_of_occurrences() {
        let pages = counts(&["spam / spam / spam / tea", "tea / cup"], None);
        let by = |by| {
            let settings = GenerateSettings { by, ..of_each(1, 0) };
            terms(&generate(&pages, &pages, None, &settings).unwrap().genre).join(", ")
        };
        assert_eq!(by(Frequency::Occurrences), "spam");
        assert_eq!(by(Frequency::Documents), "tea");
    }

    #[test]
    fn words_of_too_few_pages_can_be_left_out() {
        let pages = counts(&["tea / spam / spam / spam", "tea / cup"], None);
        let settings = GenerateSettings {
            least_documents: 2,
            ..of_each(9, 0)
        };
        assert_eq!(
            terms(&generate(&pages, &pages, None, &settings).unwrap().genre),
            ["tea"]
        );
    }

    #[test]
    fn contrast_leaves_out_what_is_frequent_everywhere() {
        let pages = counts(&["home page / sql / home page", "home page / sql / query"], None);
        let mut background = BackgroundCounts::of(&[&pages], None);
        for _ in 0..20 {
            let mut text = Text::default();
            for block in ["home page", "home page", "cars"] {
                text.push(block);
                text.push_break();
            }
            background.add(&text, None);
        }
        let generated = generate(&pages, &pages, Some(&background), &of_each(20, 0)).unwrap();
        assert_eq!(terms(&generated.genre), ["sql", "query"]);
        assert!(generated.genre[0].contrast > generated.genre[1].contrast);
    }

    #[test]
    fn a_run_that_only_occurs_inside_a_picked_one_can_be_dropped() {
        let pages = counts(&["relational model / relational model / data model"], None);
        let generated = |drop_inner| {
            let settings = GenerateSettings {
                drop_inner,
                ..of_each(10, 0)
            };
            generate(&pages, &pages, None, &settings).unwrap().genre
        };
        assert_eq!(
            terms(&generated(false)),
            ["model", "relational model", "relational", "data model", "data"]
        );
        // "model" also occurs outside "relational model".
        assert_eq!(
            terms(&generated(true)),
            ["model", "relational model", "data model"]
        );
    }

    #[test]
    fn portuguese_chinese_and_japanese_examples_give_readable_terms() {
        let settings = GenerateSettings {
            drop_inner: true,
            ..of_each(1, 0)
        };
        for (language, pages, term) in [
            (
                "pt",
                [
                    "o banco de dados / banco de dados",
                    "os bancos / um Banco de Dados",
                ],
                "banco dados",
            ),
            ("zh", ["数据库课程 / 数据库", "数据库 / 大学"], "数据库"),
            ("ja", ["データベース / データ", "データ / 講義"], "データ"),
        ] {
            let pages = counts(&pages, Some(language));
            let generated = generate(&pages, &pages, None, &settings).unwrap();
            assert_eq!(terms(&generated.genre), [term]);
            assert_eq!(tokenize(term), generated.genre[0].tokens);
        }
    }

    #[test]
    fn suggestions_leave_out_what_is_taken_and_what_the_others_hold() {
        let good = counts(&["sql / index / exam", "sql / index / lock"], None);
        let mut rest = BackgroundCounts::of(&[&good], None);
        for _ in 0..5 {
            let mut text = Text::default();
            text.push("exam");
            rest.add(&text, None);
        }
        let settings = GenerateSettings::plain();
        let found = suggest(&good, &rest, &[tokenize("sql")], 9, &settings).unwrap();
        assert_eq!(terms(&found), ["index", "lock"]);
        let nothing = BackgroundCounts::of(&[&good], None);
        assert_eq!(
            suggest(&good, &nothing, &[], 1, &settings),
            Err(TermsFault::NoBackground)
        );
    }

    #[test]
    fn nothing_to_take_terms_from_is_an_error() {
        let (some, none) = (counts(&["tea"], None), counts(&["", ""], None));
        let fault = generate(&none, &some, None, &of_each(1, 1)).unwrap_err();
        assert_eq!(fault, TermsFault::NoPages { role: "genre" });
        let fault = generate(&some, &none, None, &of_each(1, 1)).unwrap_err();
        assert_eq!(fault, TermsFault::NoPages { role: "relevant" });
        assert!(generate(&none, &some, None, &of_each(0, 1)).is_ok());
        let empty = BackgroundCounts::of(&[&some], None);
        let fault = generate(&some, &some, Some(&empty), &of_each(1, 1)).unwrap_err();
        assert_eq!(fault, TermsFault::NoBackground);
    }

    proptest! {
        #[test]
        fn the_order_of_pages_does_not_matter_and_every_term_tokenizes_back(
            pages in prop::collection::vec("[a-c /7数据库课茶é]{0,30}", 1..6),
            turn in 0_usize..6,
            drop_inner: bool,
            with_background: bool,
        ) {
            let settings = GenerateSettings { drop_inner, ..of_each(8, 8) };
            let answer = |pages: &[String]| {
                let pages: Vec<&str> = pages.iter().map(String::as_str).collect();
                let (first, rest) = pages.split_at(1);
                let (genre, relevant) = (counts(&pages, None), counts(rest, None));
                let mut background = BackgroundCounts::of(&[&genre, &relevant], None);
                for page in first {
                    let mut text = Text::default();
                    text.push(page);
                    background.add(&text, None);
                }
                generate(&genre, &relevant, with_background.then_some(&background), &settings)
            };
            let expected = answer(&pages);
            let mut turned = pages.clone();
            if let Some((_, rest)) = turned.split_first_mut() {
                let by = turn.checked_rem(rest.len()).unwrap_or(0);
                rest.rotate_left(by);
            }
            let again = answer(&turned);
            prop_assert_eq!(&again, &expected);
            for term in expected.iter().flat_map(|generated| generated.genre.iter().chain(&generated.content)) {
                prop_assert_eq!(tokenize(&term.term), term.tokens.clone());
            }
        }
    }
}
