//! `hound strategies` and `hound judges`: list what there is to choose from, with all settings.

use anyhow::Result;
use scenthound_config::{Kind, OptionSpec, default_of_judge, judge_settings, strategy_settings};
use scenthound_judge::JudgeKind;
use scenthound_strategy::StrategyKind;
use serde_json::{Value, json};

use crate::table::terminal_width;

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Show only this one
    name: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// A strategy or judge in the list.
struct Listed {
    name: &'static str,
    about: &'static str,
    is_default: bool,
    /// With the default of each, if it has one.
    settings: Vec<(&'static OptionSpec, Option<&'static str>)>,
}

pub fn strategies(args: Args) -> Result<()> {
    let listed = StrategyKind::ALL.iter().map(|kind| Listed {
        name: kind.name(),
        about: kind.about(),
        is_default: *kind == StrategyKind::default(),
        settings: strategy_settings(*kind)
            .map(|setting| (setting, setting.default))
            .collect(),
    });
    list("strategy", listed.collect(), &args)
}

pub fn judges(args: Args) -> Result<()> {
    let listed = JudgeKind::ALL.iter().map(|kind| Listed {
        name: kind.name(),
        about: kind.about(),
        is_default: *kind == JudgeKind::default(),
        settings: judge_settings(*kind)
            .map(|setting| (setting, default_of_judge(*kind, setting.name).or(setting.default)))
            .collect(),
    });
    list("judge", listed.collect(), &args)
}

fn list(what: &str, mut listed: Vec<Listed>, args: &Args) -> Result<()> {
    if let Some(name) = &args.name {
        let known: Vec<&str> = listed.iter().map(|kind| kind.name).collect();
        if !known.contains(&name.as_str()) {
            refuse!(
                "there is no {what} named {name:?}; choose one of {}",
                known.join(", ")
            );
        }
        listed.retain(|kind| kind.name == name);
    }
    if args.json {
        let all: Vec<Value> = listed.iter().map(object).collect();
        say!("{}", json!(all));
        return Ok(());
    }
    let width = terminal_width().clamp(60, 110);
    for kind in &listed {
        let mark = if kind.is_default { " (default)" } else { "" };
        say!("{}{mark}", kind.name);
        wrapped(kind.about, 4, width);
        for (setting, default) in &kind.settings {
            let default = match (kind.name, setting.name, default) {
                // Similarity to a table of words is on another scale than that to terms.
                ("table", "threshold", _) => " [default: 0.1, or 0.8 with table-space=table]".to_owned(),
                (_, _, Some(default)) => format!(" [default: {default}]"),
                (_, _, None) => String::new(),
            };
            let value = match setting.kind {
                Kind::Choice(names) => names.join("|"),
                kind => kind.value_name().unwrap_or("true|false").to_owned(),
            };
            say!("      {}={value}{default}", setting.name);
            wrapped(&setting.help(), 10, width);
        }
    }
    if args.name.is_none() {
        say!();
        say!("Choose one with --{what} NAME, and settings with --{what} NAME:setting=value:setting=value,");
        say!("or in a topic file under [{what}] as kind = \"NAME\" and setting = value.");
    }
    Ok(())
}

fn object(kind: &Listed) -> Value {
    let settings: Vec<Value> = kind
        .settings
        .iter()
        .map(|(setting, default)| json!({"name": setting.name, "default": default, "about": setting.help()}))
        .collect();
    json!({"name": kind.name, "about": kind.about, "default": kind.is_default, "settings": settings})
}

/// Prints a text indented and wrapped to the width.
fn wrapped(text: &str, indent: usize, width: usize) {
    let mut line = String::new();
    for word in text.split(' ') {
        if !line.is_empty() && indent + line.chars().count() + 1 + word.chars().count() > width {
            say!("{:indent$}{line}", "");
            line.clear();
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    say!("{:indent$}{line}", "");
}
