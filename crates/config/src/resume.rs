//! What may change between two runs of one crawl.
//!
//! The list of options says what a change of each one means; this module compares two settings by it.

use std::fmt;

use crate::option::{OnResume, OptionSpec, Shape};
use crate::settings::Settings;

/// The longest value a message repeats, in characters.
const SHOWN: usize = 60;

/// An option whose value has changed.
#[derive(Clone, Debug)]
pub struct Change {
    /// The option.
    pub option: &'static OptionSpec,
    /// How the value was written before; empty for none.
    pub before: String,
    /// How it is written now; empty for none.
    pub now: String,
}

impl Change {
    /// Whether the crawl may continue with it.
    pub fn is_allowed(&self) -> bool {
        matches!(
            self.option.on_resume,
            OnResume::Allowed | OnResume::AllowedFromHere
        )
    }
}

impl Change {
    /// What changed, without what that means for a resumed crawl.
    pub fn difference(&self) -> String {
        let alike = self.before.chars().zip(self.now.chars());
        let alike = alike.take_while(|(before, now)| before == now).count();
        // Long values are shown around the place where they begin to differ.
        let from = if alike > SHOWN / 2 { alike - SHOWN / 3 } else { 0 };
        let shown = |value: &str| match value.chars().count() {
            0 => "nothing".to_owned(),
            length if length <= SHOWN => value.to_owned(),
            length => {
                let part: String = value.chars().skip(from).take(SHOWN).collect();
                let before = if from > 0 { "…" } else { "" };
                let after = if from + SHOWN < length { "…" } else { "" };
                format!("{before}{part}{after}")
            }
        };
        let (before, now) = (shown(&self.before), shown(&self.now));
        let (section, key) = (self.option.section, self.option.key);
        format!("[{section}] {key} was {before}, now {now}")
    }
}

impl fmt::Display for Change {
    /// What changed, and what that means or what to do instead.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.difference())?;
        match self.option.on_resume {
            OnResume::Allowed => Ok(()),
            OnResume::AllowedFromHere => f.write_str("; what was found before stays as it is"),
            OnResume::NeedsRejudging if self.option.section == "strategy" => f.write_str(
                "; the waiting links were ranked by the old value; start a new folder with -o, or name it in a topic file for \
                 hound rejudge, which re-scores them",
            ),
            OnResume::NeedsRejudging => f.write_str(
                "; the pages fetched so far were judged by the old value; judge them again with hound rejudge, or start a \
                 new folder with -o",
            ),
            OnResume::NeedsNewFolder => {
                f.write_str("; this crawl cannot be resumed with it; start a new folder with -o")
            }
        }
    }
}

/// What differs between the settings a crawl ran with and those it is resumed with, in the order of the options.
pub fn changes(before: &Settings, now: &Settings) -> Vec<Change> {
    let both = before.values().into_iter().zip(now.values());
    both.filter(|((_, before), (_, now))| before != now)
        .map(|((option, before), (_, now))| {
            let spell = |values: &[_]| {
                let spelled: Vec<String> = values.iter().map(|value| option.kind.spell_toml(value)).collect();
                match option.shape {
                    Shape::Many if !spelled.is_empty() => format!("[{}]", spelled.join(", ")),
                    _ => spelled.concat(),
                }
            };
            Change {
                option,
                before: spell(&before),
                now: spell(&now),
            }
        })
        .collect()
}
