//! Also uses the genre of the page a link is on to estimate how likely the link leads to a relevant page.
//!
//! S = w_R · R + w_G · (C · P_IG): R, the verdict I, the genre G and the detector's confidence C are those of the
//! source page. [`PigTable`] holds P_IG, either given or counted during the crawl.
//!
//! A waiting URL carries the class of the page that gave it its score as its tie. When it is fetched, the right row
//! is counted, and no list of sources is needed. A link to a page that is already fetched therefore counts at once,
//! and a link that gave a URL its score counts when the URL is fetched. Other links to a waiting URL are not counted
//! during the crawl; a table learnt from a recorded crawl counts them all.

use scenthound_types::{Judgement, Merge, PageReport, Rank, Standing, StateDelta, Updates, UrlKey};

use crate::pig::{LinkClass, PigTable};
use crate::{RestoreError, Strategy, offer_links};

/// The settings of the strategy.
#[derive(Clone, PartialEq, Debug)]
pub struct GenreSettings {
    /// w_R, from 0 to 1; w_G is the rest.
    pub relevance_weight: f64,
    /// The initial P_IG.
    pub table: PigTable,
    /// Whether P_IG stays as given.
    pub is_fixed: bool,
    /// The relevance from which a previously fetched page counts as relevant.
    pub threshold: f64,
}

impl Default for GenreSettings {
    fn default() -> GenreSettings {
        GenreSettings {
            relevance_weight: 0.95,
            table: PigTable::new(),
            is_fixed: false,
            threshold: 0.5,
        }
    }
}

/// Best-first, with part of the score from the genre of the source page.
#[derive(Clone, Debug)]
pub struct Genre {
    settings: GenreSettings,
    /// The classes seen so far; a class's tie is its position plus one.
    classes: Vec<LinkClass>,
    is_table_changed: bool,
    are_classes_changed: bool,
}

/// The names the state is saved under.
const TABLE: &str = PigTable::SAVED_AS;
const CLASSES: &str = "genre/classes";

impl Genre {
    /// The strategy with these settings.
    pub fn new(settings: GenreSettings) -> Genre {
        Genre {
            settings,
            classes: Vec::new(),
            is_table_changed: false,
            are_classes_changed: false,
        }
    }

    /// The current P_IG.
    pub fn table(&self) -> &PigTable {
        &self.settings.table
    }

    fn genre_weight(&self) -> f64 {
        1.0 - self.settings.relevance_weight
    }

    /// With no weight on genres nothing is counted and every tie is 0: plain best-first.
    fn counts(&self) -> bool {
        !self.settings.is_fixed && self.genre_weight() > 0.0
    }

    fn tie_of(&mut self, class: &LinkClass) -> u32 {
        let known = self.classes.iter().position(|known| known == class);
        let place = known.unwrap_or_else(|| {
            self.classes.push(class.clone());
            self.are_classes_changed = true;
            self.classes.len() - 1
        });
        u32::try_from(place + 1).unwrap_or(u32::MAX)
    }

    /// Counts the link that led here, and the links to pages that are already fetched.
    fn count(&mut self, report: &PageReport<'_>, judgement: &Judgement, class: &LinkClass) {
        let tie = report.lease.taken.rank.tie;
        let source = (tie as usize)
            .checked_sub(1)
            .and_then(|place| self.classes.get(place));
        let table = &mut self.settings.table;
        if let Some(source) = source {
            table.count(source, judgement.is_relevant());
            self.is_table_changed = true;
        }
        for link in report.links {
            if let Standing::Fetched { relevance } = link.standing {
                table.count(class, f64::from(relevance) >= self.settings.threshold);
                self.is_table_changed = true;
            }
        }
    }

    fn rank(&mut self, judgement: &Judgement, class: &LinkClass) -> Rank {
        let settings = &self.settings;
        let share = if settings.is_fixed {
            settings.table.given(class)
        } else {
            settings.table.estimate(class)
        };
        let confidence = judgement.genre.as_ref().map_or(1.0, |guess| guess.confidence);
        let score =
            settings.relevance_weight * judgement.relevance + self.genre_weight() * (confidence * share);
        Rank {
            tie: if self.counts() { self.tie_of(class) } else { 0 },
            ..Rank::of_score(score)
        }
    }
}

impl Default for Genre {
    fn default() -> Genre {
        Genre::new(GenreSettings::default())
    }
}

impl Strategy for Genre {
    fn name(&self) -> &'static str {
        "genre"
    }

    fn seed(&self, _key: UrlKey, _seeds: usize) -> Rank {
        Rank::of_score(1.0)
    }

    fn observe(&mut self, report: &PageReport<'_>, out: &mut Updates) {
        let rank = match report.judgement {
            Some(judgement) => {
                let genre = judgement.genre.as_ref().map(|guess| &*guess.class);
                let class = LinkClass::new(judgement.verdict, genre);
                if self.counts() {
                    self.count(report, judgement, &class);
                }
                self.rank(judgement, &class)
            }
            // A sitemap has neither relevance nor genre; its entries go to the end of the queue.
            None => Rank::default(),
        };
        offer_links(report, Merge::Max, out, |_| rank);
    }

    fn save_changes(&mut self, out: &mut StateDelta) {
        if std::mem::take(&mut self.is_table_changed) {
            out.put(TABLE, self.settings.table.to_toml());
        }
        if std::mem::take(&mut self.are_classes_changed) {
            let line = |class: &LinkClass| {
                let source = if class.is_relevant {
                    "relevant"
                } else {
                    "irrelevant"
                };
                match &class.genre {
                    Some(genre) => format!("{source} {genre}"),
                    None => source.to_owned(),
                }
            };
            let lines: Vec<String> = self.classes.iter().map(line).collect();
            out.put(CLASSES, lines.join("\n"));
        }
    }

    fn restore(&mut self, saved: &[(String, Vec<u8>)]) -> Result<(), RestoreError> {
        let damaged = |what: String| RestoreError::Damaged {
            strategy: "genre",
            what,
        };
        for (name, value) in saved {
            let text =
                || std::str::from_utf8(value).map_err(|_| damaged(format!("{name} is not UTF-8 text")));
            match name.as_str() {
                TABLE => {
                    self.settings.table =
                        PigTable::from_toml(text()?).map_err(|fault| damaged(fault.to_string()))?;
                }
                CLASSES => {
                    let class = |line: &str| {
                        let (source, genre) = match line.split_once(' ') {
                            Some((source, genre)) => (source, Some(genre.into())),
                            None => (line, None),
                        };
                        let is_relevant = match source {
                            "relevant" => true,
                            "irrelevant" => false,
                            other => return Err(damaged(format!("unknown class of links {other:?}"))),
                        };
                        Ok(LinkClass { is_relevant, genre })
                    };
                    self.classes = text()?.split('\n').map(class).collect::<Result<_, _>>()?;
                }
                _ => {}
            }
        }
        Ok(())
    }
}
