//! A strategy or a judge together with its settings: `fs-2:ties=probe:parents=first`.
//!
//! This module decides which setting belongs to which strategy or judge. A setting that would have no effect is therefore
//! refused rather than ignored, and `hound strategies` and `hound judges` can list the settings.

use std::fmt;
use std::str::FromStr;

use scenthound_judge::JudgeKind;
use scenthound_strategy::StrategyKind;
use thiserror::Error;

use crate::check::Given;
use crate::nearest::nearest;
use crate::option::OptionSpec;
use crate::settings::options;

/// What is wrong with a spec.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum SpecError {
    /// There is nothing before the first colon.
    #[error("a name is missing; write NAME or NAME:setting=value")]
    NoName,
    /// A part without an equals sign.
    #[error("{part:?} is not a setting; write setting=value")]
    NoValue {
        /// The part.
        part: String,
    },
    /// A setting is given more than once.
    #[error("{setting} is given more than once; give it once")]
    Twice {
        /// The setting.
        setting: String,
    },
    /// The setting does not exist, or belongs to another strategy or judge.
    #[error("{name} has no setting {setting:?}; {right}")]
    NoSetting {
        /// The strategy or judge.
        name: String,
        /// The setting.
        setting: String,
        /// What would be right.
        right: String,
    },
}

/// The name of a strategy or a judge and the settings that go with it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Spec {
    /// The strategy or judge.
    pub name: String,
    /// Its settings.
    pub settings: Vec<Given>,
}

impl Spec {
    /// A name without settings.
    pub fn named(name: impl Into<String>) -> Spec {
        Spec {
            name: name.into(),
            settings: Vec::new(),
        }
    }

    /// The same with one more setting, which replaces an earlier one of that name.
    #[must_use]
    pub fn with(&self, name: &str, value: &str) -> Spec {
        let mut changed = self.clone();
        changed.settings.retain(|given| given.name != name);
        changed.settings.push(Given::new(name, value));
        changed
    }

    /// The value of a setting, if it is given here.
    pub fn setting(&self, name: &str) -> Option<&str> {
        let given = self.settings.iter().find(|given| given.name == name);
        given.map(|given| given.value.as_str())
    }

    /// Refuses settings that the strategy does not use. An unknown strategy is left to whoever reads its name.
    pub fn check_strategy(&self) -> Result<(), SpecError> {
        match StrategyKind::from_name(&self.name) {
            Some(kind) => self.check("strategy", &|setting| is_setting_of_strategy(kind, setting)),
            None => Ok(()),
        }
    }

    /// Refuses settings that the judge does not use. An unknown judge is left to whoever reads its name.
    pub fn check_judge(&self) -> Result<(), SpecError> {
        match JudgeKind::from_name(&self.name) {
            Some(kind) => self.check("judge", &|setting| is_setting_of_judge(kind, setting)),
            None => Ok(()),
        }
    }

    fn check(&self, what: &str, belongs: &dyn Fn(&str) -> bool) -> Result<(), SpecError> {
        let Some(stray) = self.settings.iter().find(|given| !belongs(&given.name)) else {
            return Ok(());
        };
        let own: Vec<&str> = options()
            .map(|option| option.name)
            .filter(|name| belongs(name))
            .collect();
        let right = match (whose(&stray.name), nearest(&stray.name, own.iter().copied())) {
            (Some(whose), _) => format!("it belongs to {whose}"),
            (None, Some(near)) => format!("did you mean {near}?"),
            (None, None) if own.is_empty() => format!("this {what} has no settings"),
            (None, None) => format!("its settings are {}", own.join(", ")),
        };
        Err(SpecError::NoSetting {
            name: self.name.clone(),
            setting: stray.name.clone(),
            right,
        })
    }
}

impl FromStr for Spec {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Spec, SpecError> {
        let mut parts = text.split(':');
        let name = parts.next().unwrap_or_default().trim();
        if name.is_empty() {
            return Err(SpecError::NoName);
        }
        let mut spec = Spec::named(name);
        for part in parts {
            let setting = part
                .split_once('=')
                .filter(|(setting, _)| !setting.trim().is_empty());
            let Some((setting, value)) = setting else {
                return Err(SpecError::NoValue {
                    part: part.to_owned(),
                });
            };
            if spec.setting(setting.trim()).is_some() {
                return Err(SpecError::Twice {
                    setting: setting.trim().to_owned(),
                });
            }
            spec = spec.with(setting.trim(), value.trim());
        }
        Ok(spec)
    }
}

impl fmt::Display for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        for given in &self.settings {
            write!(f, ":{}={}", given.name, given.value)?;
        }
        Ok(())
    }
}

/// The settings of a strategy.
pub fn strategy_settings(kind: StrategyKind) -> impl Iterator<Item = &'static OptionSpec> {
    options().filter(move |option| option.section == "strategy" && is_setting_of_strategy(kind, option.name))
}

/// The settings of a judge, without the topic's own terms.
pub fn judge_settings(kind: JudgeKind) -> impl Iterator<Item = &'static OptionSpec> {
    options().filter(move |option| option.section != "terms" && is_setting_of_judge(kind, option.name))
}

/// Whether a strategy uses a setting.
fn is_setting_of_strategy(kind: StrategyKind, setting: &str) -> bool {
    use StrategyKind as K;
    match setting {
        "list-size" => true,
        "ties" | "merge" => matches!(kind, K::Ps | K::Fs1 | K::Fs2 | K::Pfs1 | K::Pfs2),
        "parents" => matches!(kind, K::Fs1 | K::Fs2 | K::Pfs1 | K::Pfs2),
        "change-threshold" => matches!(kind, K::Fs2 | K::Pfs2),
        "page-weight" => matches!(kind, K::LinkContext | K::Otie),
        "revision" | "revision-power" | "recrawl-every" => kind == K::Otie,
        "history-every" => kind == K::Opic,
        "decay" | "inherited-weight" | "anchor-weight" => kind == K::Shark,
        "fish-depth" => matches!(kind, K::Shark | K::Fish),
        "fish-width" => kind == K::Fish,
        "relevance-weight" | "pig" | "pig-fixed" => kind == K::Genre,
        "genre-detector" | "genre-model" | "genre-words" => kind == K::Genre,
        "layers" | "learn-after" | "learn-from" | "replace" => kind.uses_layers(),
        "layer-threshold" | "layer-evidence" | "layer-missed" | "per-layer" => kind.uses_layers(),
        "hot-threshold" => kind == K::Layered,
        "ache-batch" => kind == K::Ache,
        "bandit-explore" => kind == K::Bandit,
        "tunnel-cutoff" => kind == K::Tunnel,
        "explore" => kind == K::Scent,
        _ => {
            let is_of_table = setting.starts_with("table-") || setting.starts_with("link-");
            kind == K::Table && is_of_table && options().any(|option| option.name == setting)
        }
    }
}

/// The default of a judge's setting, if it is not the same for all judges: their relevances are on different scales.
pub fn default_of_judge(kind: JudgeKind, setting: &str) -> Option<&'static str> {
    match (setting, kind) {
        ("threshold", JudgeKind::Topic) => Some("0.5"),
        ("threshold", JudgeKind::Table) => Some("0.1"),
        _ => None,
    }
}

/// Whether a judge uses a setting.
fn is_setting_of_judge(kind: JudgeKind, setting: &str) -> bool {
    match setting {
        "judge" | "custom-judge" => false,
        "genre-detector" | "genre-model" | "genre-words" => true,
        // Words of the wrong sense apply to every judge.
        "exclude-terms" | "min-exclude" => true,
        "threshold" => kind != JudgeKind::Query,
        "model" => kind.model().is_some() || kind == JudgeKind::Table,
        "calibrate" => kind.model().is_some(),
        // The judge topic folds plurals itself, in step with its built-in table.
        "stem" => kind != JudgeKind::Topic,
        "query-match" => kind == JudgeKind::Query,
        "text" => matches!(kind, JudgeKind::Topic | JudgeKind::Terms | JudgeKind::Query),
        "learn" | "background" | "examples" => kind == JudgeKind::Topic,
        "genre-terms" | "content-terms" => matches!(kind, JudgeKind::Terms | JudgeKind::Topic),
        "table-size" | "table-space" => kind == JudgeKind::Table,
        _ => {
            let is_of_terms =
                |option: &OptionSpec| option.name == setting && matches!(option.section, "judge" | "terms");
            kind == JudgeKind::Terms && options().any(is_of_terms)
        }
    }
}

/// The strategies or judges that use a setting, as they are written on the command line.
fn whose(setting: &str) -> Option<String> {
    let strategies = StrategyKind::ALL.iter();
    let strategies: Vec<&str> = strategies
        .filter(|kind| is_setting_of_strategy(**kind, setting))
        .map(|kind| kind.name())
        .collect();
    let judges = JudgeKind::ALL.iter();
    let judges: Vec<&str> = judges
        .filter(|kind| is_setting_of_judge(**kind, setting))
        .map(|kind| kind.name())
        .collect();
    match (strategies.as_slice(), judges.as_slice()) {
        ([], []) => None,
        ([], judges) => Some(format!("--judge {}", judges.join(", "))),
        (strategies, _) => Some(format!("--strategy {}", strategies.join(", "))),
    }
}

/// How to write a setting of a strategy or a judge that was given as an option of its own.
pub fn spelled_as_spec(setting: &str) -> Option<String> {
    options().find(|option| option.name == setting && matches!(option.section, "strategy" | "judge"))?;
    let judges = JudgeKind::ALL
        .iter()
        .filter(|kind| is_setting_of_judge(**kind, setting));
    let judges: Vec<&str> = judges.map(|kind| kind.name()).collect();
    let strategies = StrategyKind::ALL.iter();
    let strategies = strategies.filter(|kind| is_setting_of_strategy(**kind, setting));
    let strategies: Vec<&str> = strategies.map(|kind| kind.name()).collect();
    let (option, names) = if judges.is_empty() || setting.starts_with("table-") {
        ("strategy", strategies)
    } else {
        ("judge", judges)
    };
    Some(match names.as_slice() {
        [] => return None,
        [name] => format!("--{option} {name}:{setting}=VALUE"),
        names => format!(
            "--{option} NAME:{setting}=VALUE, where NAME is {}",
            names.join(", ")
        ),
    })
}

/// Whether a setting matters to the chosen strategy or judge.
pub(crate) fn is_used(option: &OptionSpec, strategy: StrategyKind, judge: JudgeKind) -> bool {
    matches!(option.key, "kind" | "custom")
        || is_setting_of_strategy(strategy, option.name)
        || is_setting_of_judge(judge, option.name)
        // The strategy genre decides with it what was relevant.
        || (option.name == "threshold" && strategy == StrategyKind::Genre)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spec_is_read_and_spelled_the_same_way() {
        let spec: Spec = "fs-2:ties=probe:parents=first".parse().unwrap();
        assert_eq!(
            (spec.name.as_str(), spec.setting("ties")),
            ("fs-2", Some("probe"))
        );
        assert_eq!(spec.to_string(), "fs-2:ties=probe:parents=first");
        assert_eq!(
            spec.with("ties", "fifo").to_string(),
            "fs-2:parents=first:ties=fifo"
        );
        assert_eq!(":ties=probe".parse::<Spec>(), Err(SpecError::NoName));
        assert!(matches!(
            "fs-2:ties".parse::<Spec>(),
            Err(SpecError::NoValue { .. })
        ));
    }

    #[test]
    fn a_setting_of_another_strategy_is_refused_with_its_owner() {
        let refused = |text: &str| {
            text.parse::<Spec>()
                .unwrap()
                .check_strategy()
                .unwrap_err()
                .to_string()
        };
        assert_eq!(
            refused("best-first:revision=0.5"),
            "best-first has no setting \"revision\"; it belongs to --strategy otie"
        );
        assert_eq!(
            refused("otie:revison=0.5"),
            "otie has no setting \"revison\"; did you mean revision?"
        );
        // Similar to change-threshold, but not what was meant.
        assert!(refused("fs-2:threshold=0.5").contains("it belongs to --judge topic, terms"));
        let judge: Spec = "logistic:joint=true".parse().unwrap();
        assert!(
            judge
                .check_judge()
                .unwrap_err()
                .to_string()
                .ends_with("belongs to --judge terms")
        );
    }

    #[test]
    fn every_setting_of_strategies_and_judges_belongs_to_one_of_them() {
        for option in options().filter(|option| matches!(option.section, "strategy" | "judge")) {
            if !matches!(option.key, "kind" | "custom") {
                assert!(whose(option.name).is_some(), "{}", option.name);
                assert!(spelled_as_spec(option.name).is_some(), "{}", option.name);
            }
        }
    }
}
