//! Counts where links lead on a web, by relevance and genre of their page: the table for the strategy `genre`.
//!
//! It counts distinct pairs of a page and a recorded page it links to. Redirects are followed; links to the page itself are
//! left out.

use std::collections::BTreeSet;

use scenthound_config::genre_detector;
use scenthound_strategy::{Leads, LinkClass, PigTable};
use scenthound_types::Verdict;

use crate::error::LabError;
use crate::recorded::PageId;
use crate::session::{Lab, LabEvent};
use crate::spec::JudgeSpec;
use crate::trial::Trial;

/// Stands for all genres together.
const ALL: &str = "all";

/// Paper 2's shares of links that lead to relevant pages, in percent.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct PaperShares {
    /// Gaming: links on relevant and on irrelevant pages.
    pub gaming: [f64; 2],
    /// Baseball: likewise.
    pub baseball: [f64; 2],
}

/// Paper 2's shares by genre.
const PAPER: [(&str, PaperShares); 6] = [
    ("blog", shares([89.2, 10.9], [76.4, 3.3])),
    ("image", shares([70.1, 2.7], [36.7, 1.5])),
    ("news", shares([71.2, 2.3], [52.7, 4.6])),
    ("video", shares([64.7, 0.3], [69.5, 1.8])),
    ("other", shares([87.3, 1.1], [23.6, 0.4])),
    (ALL, shares([82.9, 1.9], [57.6, 2.6])),
];

const fn shares(gaming: [f64; 2], baseball: [f64; 2]) -> PaperShares {
    PaperShares { gaming, baseball }
}

/// The counts of one genre, beside the paper's.
#[derive(Clone, PartialEq, Debug)]
pub struct GenreLeads {
    /// The genre; `all` for all genres together.
    pub genre: String,
    /// Links on relevant pages.
    pub from_relevant: Leads,
    /// Links on irrelevant pages.
    pub from_irrelevant: Leads,
    /// The paper's shares.
    pub paper: Option<PaperShares>,
}

/// The share of links that lead to relevant pages; `None` if there are no links.
pub fn share(leads: &Leads) -> Option<f64> {
    (leads.links > 0.0).then(|| leads.relevant / leads.links)
}

/// The counts by genre, sorted by name, with those of all genres last. The paper's genres are included even if nothing was counted.
pub fn by_genre(table: &PigTable) -> Vec<GenreLeads> {
    let of = |is_relevant: bool, genre: &str| -> Leads {
        table
            .iter()
            .find(|(class, _)| {
                class.is_relevant == is_relevant && class.genre.as_deref().unwrap_or(ALL) == genre
            })
            .map(|(_, leads)| leads)
            .unwrap_or_default()
    };
    let mut genres: BTreeSet<String> = table
        .iter()
        .filter_map(|(class, _)| class.genre.map(String::from))
        .collect();
    genres.extend(PAPER.iter().map(|(genre, _)| (*genre).to_owned()));
    genres.remove(ALL);
    let genres = genres.into_iter().chain([ALL.to_owned()]);
    genres
        .map(|genre| GenreLeads {
            from_relevant: of(true, &genre),
            from_irrelevant: of(false, &genre),
            paper: PAPER
                .iter()
                .find(|(known, _)| *known == genre)
                .map(|(_, shares)| *shares),
            genre,
        })
        .collect()
}

impl Lab<'_> {
    /// Adds the links of a trial's web to a table. The genre detector is a built-in one, by name, or a model file.
    pub fn count_leads(
        &self,
        trial: &Trial,
        judge: &JudgeSpec,
        detector: &str,
        table: &mut PigTable,
    ) -> Result<(), LabError> {
        let trial = trial.read_by(judge)?;
        let trial = trial.as_ref();
        let judge = self.judge(trial, judge)?.judge;
        let genres = self.genres(trial, detector, || Ok(genre_detector(detector)?))?;
        let web = trial.web.as_ref();
        let pages = web.pages() as u32;
        let mut is_relevant = Vec::with_capacity(pages as usize);
        for page in (0..pages).map(PageId) {
            if page.0.is_multiple_of(200) {
                self.tell(LabEvent::Judging {
                    task: &trial.task.name,
                    judged: page.0.into(),
                    pages: pages.into(),
                });
            }
            is_relevant.push(judge.opinion(web, page, false).judgement.is_relevant());
        }
        self.tell(LabEvent::StepEnded);
        let relevant = |page: PageId| is_relevant.get(page.0 as usize).copied().unwrap_or(false);
        let mut neighbours = Vec::new();
        for page in (0..pages).map(PageId) {
            neighbours.clear();
            web.neighbours(page, &mut neighbours);
            let distinct: BTreeSet<PageId> = neighbours
                .iter()
                .copied()
                .filter(|other| *other != page)
                .collect();
            if distinct.is_empty() {
                continue;
            }
            let verdict = if relevant(page) {
                Verdict::Relevant
            } else {
                Verdict::Irrelevant
            };
            let genre = genres.of(web, page);
            let class = LinkClass::new(verdict, genre.as_ref().map(|guess| &*guess.class));
            for other in distinct {
                table.count(&class, relevant(other));
            }
        }
        Ok(())
    }
}
