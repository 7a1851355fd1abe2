//! A strategy or a judge with its settings, in one word: `fs-2:ties=probe:parents=first`.

use std::str::FromStr;

use scenthound_config::{Given, options};

/// A name and the settings that go with it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Spec {
    /// As written: what tables call it.
    pub label: String,
    /// The strategy or judge.
    pub name: String,
    /// Its settings.
    pub options: Vec<Given>,
}

impl Spec {
    /// A name with settings, spelled as people would write it.
    pub fn of(name: &str, options: impl IntoIterator<Item = Given>) -> Spec {
        let options: Vec<Given> = options.into_iter().collect();
        let settings = options
            .iter()
            .map(|given| format!(":{}={}", given.name, given.value));
        Spec {
            label: name.to_owned() + &settings.collect::<String>(),
            name: name.to_owned(),
            options,
        }
    }

    /// The setting of that name, if it is given here.
    pub fn option(&self, name: &str) -> Option<&str> {
        self.options
            .iter()
            .find(|given| given.name == name)
            .map(|given| given.value.as_str())
    }

    /// Refuses settings of the judge on a strategy: nothing would heed them there.
    pub fn check_strategy(&self) -> Result<(), String> {
        let stray = self.options.iter().find(|given| {
            is_judges(&given.name) && !matches!(given.name.as_str(), "genre-detector" | "genre-model")
        });
        stray.map_or(Ok(()), |given| {
            Err(format!(
                "{} is a setting of the judge, not of {}; write it after the judge's name, as in terms:{}={}",
                given.name, self.name, given.name, given.value
            ))
        })
    }

    /// Refuses settings of a strategy on a judge.
    pub fn check_judge(&self) -> Result<(), String> {
        // The judge table makes its table as the strategy does.
        let is_shared = |name: &str| self.name == "table" && matches!(name, "table-size" | "table-space");
        let stray = self
            .options
            .iter()
            .find(|given| !is_judges(&given.name) && !is_shared(&given.name));
        stray.map_or(Ok(()), |given| {
            Err(format!(
                "{} is no setting of the judge {}; write it after the strategy's name",
                given.name, self.name
            ))
        })
    }

    /// The same with one more setting.
    #[must_use]
    pub fn with(&self, name: &str, value: &str) -> Spec {
        let mut changed = self.clone();
        changed.label = format!("{}:{name}={value}", self.label);
        changed.options.retain(|given| given.name != name);
        changed.options.push(Given::new(name, value));
        changed
    }
}

/// Whether a setting belongs to the judge rather than to the strategy.
pub fn is_judges(setting: &str) -> bool {
    options().any(|option| option.name == setting && matches!(option.section, "judge" | "terms"))
}

impl FromStr for Spec {
    type Err = String;

    fn from_str(label: &str) -> Result<Spec, String> {
        let mut parts = label.split(':');
        let name = parts.next().unwrap_or_default().trim();
        if name.is_empty() {
            return Err("a name is missing; write NAME or NAME:setting=value".to_owned());
        }
        let mut given = Vec::new();
        for part in parts {
            let Some((setting, value)) = part.split_once('=') else {
                return Err(format!("{part:?} is no setting; write setting=value"));
            };
            if !options().any(|option| option.name == setting) {
                let known: Vec<&str> = options()
                    .filter(|option| matches!(option.section, "strategy" | "judge"))
                    .map(|option| option.name)
                    .collect();
                return Err(format!(
                    "there is no setting {setting:?}; there are: {}",
                    known.join(", ")
                ));
            }
            given.push(Given::new(setting, value));
        }
        Ok(Spec {
            label: label.to_owned(),
            name: name.to_owned(),
            options: given,
        })
    }
}
