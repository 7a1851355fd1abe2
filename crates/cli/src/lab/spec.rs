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
    /// The setting of that name, if it is given here.
    pub fn option(&self, name: &str) -> Option<&str> {
        self.options
            .iter()
            .find(|given| given.name == name)
            .map(|given| given.value.as_str())
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
