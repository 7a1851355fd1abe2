//! `hound lab synth`: writes a synthetic web to a folder, or prints its settings as a starting point.

use std::path::PathBuf;

use anyhow::Result;
use indicatif::{ProgressBar, ProgressStyle};
use scenthound_lab::synth::{SynthWeb, preset, preset_names, write_folder};
use scenthound_lab::synthetic_settings;

use crate::fault::bad_input;

#[derive(Debug, clap::Args)]
pub struct Args {
    /// A preset, or a settings file ending in .toml; without one, the presets are listed.
    #[arg(value_name = "PRESET|FILE.toml")]
    web: Option<String>,
    /// Random seed; a different seed gives a different web of the same kind.
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Number of pages [default: the preset's].
    #[arg(long, value_name = "N")]
    pages: Option<u32>,
    /// Number of hosts [default: the preset's].
    #[arg(long, value_name = "N")]
    hosts: Option<u32>,
    /// Mean number of links per page [default: the preset's].
    #[arg(long, value_name = "N")]
    links: Option<f64>,
    /// Print the settings as TOML, ready to edit, and write nothing.
    #[arg(long)]
    settings: bool,
    /// Write the web to this folder: archive, labels and tasks.
    #[arg(short, long, value_name = "FOLDER")]
    output: Option<PathBuf>,
}

pub fn run(args: Args) -> Result<()> {
    let Some(name) = &args.web else {
        say!("presets (use as --web synth:NAME, or write one with -o FOLDER):");
        for name in preset_names() {
            let Some(settings) = preset(name) else { continue };
            say!(
                "  {name:16} {:>9} pages on {} hosts, {} links per page",
                settings.pages,
                settings.hosts,
                settings.out_degree
            );
        }
        return Ok(());
    };
    let mut settings = synthetic_settings(name)?;
    settings.seed = args.seed.unwrap_or(settings.seed);
    settings.pages = args.pages.unwrap_or(settings.pages);
    settings.hosts = args.hosts.unwrap_or(settings.hosts);
    settings.out_degree = args.links.unwrap_or(settings.out_degree);
    if args.settings {
        crate::stdout::say(toml::to_string(&settings)?.trim_end());
        return Ok(());
    }
    let Some(folder) = &args.output else {
        return Err(bad_input(
            "name a folder to write to with -o FOLDER, or print the settings with --settings".to_owned(),
        ));
    };
    let web = SynthWeb::new(settings)?;
    let bar = ProgressBar::new(web.len().into());
    if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} pages  {eta} left") {
        bar.set_style(style);
    }
    write_folder(&web, folder, &mut |pages| bar.set_position(pages.into()))?;
    bar.finish_and_clear();
    let tasks: Vec<&str> = web.tasks().iter().map(|task| task.name.as_str()).collect();
    say!(
        "{}: {} pages; tasks: {}",
        folder.display(),
        web.len(),
        tasks.join(", ")
    );
    Ok(())
}
