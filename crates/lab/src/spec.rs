//! Strategies and judges in the lab: those of a crawl, and a few that exist only here.
//!
//! A name is parsed once, here. After that a strategy or a judge is an enum, and its name is only for display.

use std::fmt;
use std::str::FromStr;

use scenthound_config::{Given, Spec};
use scenthound_judge::JudgeKind;
use scenthound_strategy::StrategyKind;

use crate::error::LabError;
use crate::trial::Trial;

/// The name of the crawl with perfect knowledge.
const UPPER_BOUND: &str = "upper-bound";
/// The name of the task's own judge.
const DEFAULT: &str = "default";
/// The name of the judge that knows the labels.
const TRUTH: &str = "truth";

/// How waiting links are ranked in the lab.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LabStrategy {
    /// As in a crawl.
    Crawl(StrategyKind),
    /// By perfect knowledge of links and labels: a near-optimal order. It is computed, not crawled.
    UpperBound,
}

/// How pages are judged in the lab.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LabJudge {
    /// As in a crawl.
    Crawl(JudgeKind),
    /// By the task's own judge: terms if it has any, otherwise logistic regression.
    TaskDefault,
    /// By the labels.
    Truth,
}

/// A strategy with its settings.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StrategySpec {
    kind: LabStrategy,
    spec: Spec,
}

impl StrategySpec {
    /// Parses a strategy, and refuses settings that do not belong to it.
    pub fn new(spec: Spec) -> Result<StrategySpec, LabError> {
        let kind = match StrategyKind::from_name(&spec.name) {
            Some(kind) => LabStrategy::Crawl(kind),
            None if spec.name == UPPER_BOUND => LabStrategy::UpperBound,
            None => return Err(unknown_strategy(&spec.name)),
        };
        spec.check_strategy()?;
        Ok(StrategySpec { kind, spec })
    }

    /// The crawl with perfect knowledge.
    pub fn upper_bound() -> StrategySpec {
        StrategySpec {
            kind: LabStrategy::UpperBound,
            spec: Spec::named(UPPER_BOUND),
        }
    }

    /// Which strategy it is.
    pub fn kind(&self) -> LabStrategy {
        self.kind
    }

    /// The strategy of a crawl; an error for the upper bound, which is not crawled.
    pub(crate) fn crawl(&self) -> Result<StrategyKind, LabError> {
        match self.kind {
            LabStrategy::Crawl(kind) => Ok(kind),
            LabStrategy::UpperBound => Err(unknown_strategy(UPPER_BOUND)),
        }
    }

    /// Its settings.
    pub fn settings(&self) -> &[Given] {
        &self.spec.settings
    }

    /// The value of a setting, if it is given.
    pub fn setting(&self, name: &str) -> Option<&str> {
        self.spec.setting(name)
    }

    /// The same strategy with one more setting, which replaces an earlier one of that name.
    pub fn with(&self, name: &str, value: &str) -> Result<StrategySpec, LabError> {
        StrategySpec::new(self.spec.with(name, value))
    }

    /// The same strategy in a crawl that wants pages of these genres.
    pub(crate) fn for_genres(mut self, genres: &[&str]) -> StrategySpec {
        let wanted = genres.iter().map(|genre| Given::new("genre", *genre));
        self.spec.settings.extend(wanted);
        self
    }
}

impl From<StrategyKind> for StrategySpec {
    fn from(kind: StrategyKind) -> StrategySpec {
        StrategySpec {
            kind: LabStrategy::Crawl(kind),
            spec: Spec::named(kind.name()),
        }
    }
}

fn unknown_strategy(name: &str) -> LabError {
    LabError::Unknown {
        what: "strategy",
        name: name.to_owned(),
        known: StrategyKind::NAMES.join(", "),
    }
}

/// A judge with its settings.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct JudgeSpec {
    kind: LabJudge,
    spec: Spec,
}

impl JudgeSpec {
    /// Parses a judge, and refuses settings that do not belong to it. Settings of the task's own judge can only be checked once the
    /// task is known.
    pub fn new(spec: Spec) -> Result<JudgeSpec, LabError> {
        let kind = match JudgeKind::from_name(&spec.name) {
            Some(kind) => LabJudge::Crawl(kind),
            None if spec.name == DEFAULT => LabJudge::TaskDefault,
            None if spec.name == TRUTH => LabJudge::Truth,
            None => {
                return Err(LabError::Unknown {
                    what: "judge",
                    name: spec.name,
                    known: format!("{}, {DEFAULT}, {TRUTH}", JudgeKind::NAMES.join(", ")),
                });
            }
        };
        spec.check_judge()?;
        Ok(JudgeSpec { kind, spec })
    }

    /// Which judge it is.
    pub fn kind(&self) -> LabJudge {
        self.kind
    }

    /// Its settings.
    pub fn settings(&self) -> &[Given] {
        &self.spec.settings
    }

    /// The value of a setting, if it is given.
    pub fn setting(&self, name: &str) -> Option<&str> {
        self.spec.setting(name)
    }

    /// The same judge with one more setting, which replaces an earlier one of that name.
    pub fn with(&self, name: &str, value: &str) -> Result<JudgeSpec, LabError> {
        JudgeSpec::new(self.spec.with(name, value))
    }

    /// The judge of a crawl that this stands for on a trial: the task's own for `default`, and for `truth`, which uses it for links.
    pub(crate) fn on(&self, trial: &Trial) -> Result<(JudgeKind, JudgeSpec), LabError> {
        let kind = match self.kind {
            LabJudge::Crawl(kind) => return Ok((kind, self.clone())),
            LabJudge::TaskDefault | LabJudge::Truth => trial.default_judge(),
        };
        let spec = JudgeSpec::new(Spec {
            name: kind.name().to_owned(),
            settings: self.spec.settings.clone(),
        })?;
        Ok((kind, spec))
    }
}

impl Default for JudgeSpec {
    /// The task's own judge.
    fn default() -> JudgeSpec {
        JudgeSpec {
            kind: LabJudge::TaskDefault,
            spec: Spec::named(DEFAULT),
        }
    }
}

impl From<JudgeKind> for JudgeSpec {
    fn from(kind: JudgeKind) -> JudgeSpec {
        JudgeSpec {
            kind: LabJudge::Crawl(kind),
            spec: Spec::named(kind.name()),
        }
    }
}

impl FromStr for StrategySpec {
    type Err = LabError;

    fn from_str(text: &str) -> Result<StrategySpec, LabError> {
        StrategySpec::new(text.parse()?)
    }
}

impl FromStr for JudgeSpec {
    type Err = LabError;

    fn from_str(text: &str) -> Result<JudgeSpec, LabError> {
        JudgeSpec::new(text.parse()?)
    }
}

impl fmt::Display for StrategySpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.spec.fmt(f)
    }
}

impl fmt::Display for JudgeSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.spec.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_judge_is_one_of_a_crawl_or_one_that_only_the_lab_has() {
        let kind = |text: &str| text.parse::<JudgeSpec>().unwrap().kind();
        assert_eq!(kind("terms:joint=true"), LabJudge::Crawl(JudgeKind::Terms));
        assert_eq!(kind("default:threshold=0.5"), LabJudge::TaskDefault);
        assert_eq!(kind("truth"), LabJudge::Truth);
        let unknown = "none".parse::<JudgeSpec>().unwrap_err().to_string();
        assert!(
            unknown.contains("\"none\"") && unknown.contains("logistic"),
            "{unknown}"
        );
    }

    #[test]
    fn a_spec_is_shown_as_it_was_written() {
        for text in ["fs-2:ties=probe", "upper-bound"] {
            assert_eq!(text.parse::<StrategySpec>().unwrap().to_string(), text);
        }
        assert!("fs-2:revision=1".parse::<StrategySpec>().is_err());
    }
}
