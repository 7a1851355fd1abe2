//! `hound lab synth`: a synthetic web as a folder, or its settings to start from.

use std::path::PathBuf;

use anyhow::Result;
use indicatif::{ProgressBar, ProgressStyle};
use scenthound_lab::synth::{SynthSettings, SynthWeb, preset, preset_names, write_folder};

use crate::pages_input::bad_input;

#[derive(Debug, clap::Args)]
pub struct Args {
    /// A preset by name, or a file of settings ending in .toml; without one, the presets are listed.
    #[arg(value_name = "PRESET|FILE.toml")]
    web: Option<String>,
    /// Another number makes another web of the same kind.
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// How many pages, in place of the preset's number.
    #[arg(long, value_name = "N")]
    pages: Option<u32>,
    /// How many hosts, in place of the preset's number.
    #[arg(long, value_name = "N")]
    hosts: Option<u32>,
    /// Mean number of links on a page, in place of the preset's.
    #[arg(long, value_name = "N")]
    links: Option<f64>,
    /// Print the settings as a file to change, and write nothing.
    #[arg(long)]
    settings: bool,
    /// The folder to write: archive, labels and tasks.
    #[arg(short, long, value_name = "FOLDER")]
    output: Option<PathBuf>,
}

pub fn run(args: Args) -> Result<()> {
    let Some(name) = &args.web else {
        say!("presets (use as --web synth:NAME, or write one with -o FOLDER):");
        for name in preset_names() {
            let Some(settings) = preset(name) else { continue };
            say!(
                "  {name:16} {:>9} pages on {} hosts, {} links a page",
                settings.pages,
                settings.hosts,
                settings.out_degree
            );
        }
        return Ok(());
    };
    let mut settings = super::webs::synthetic_settings(name)?;
    settings.seed = args.seed.unwrap_or(settings.seed);
    settings.pages = args.pages.unwrap_or(settings.pages);
    settings.hosts = args.hosts.unwrap_or(settings.hosts);
    settings.out_degree = args.links.unwrap_or(settings.out_degree);
    if args.settings {
        crate::stdout::say(toml_of(&settings)?.trim_end());
        return Ok(());
    }
    let Some(folder) = &args.output else {
        return Err(bad_input(
            "name the folder to write with -o FOLDER, or use --settings to see the settings".to_owned(),
        ));
    };
    let web = SynthWeb::new(settings).map_err(|fault| bad_input(fault.to_string()))?;
    let bar = ProgressBar::new(web.len().into());
    if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} pages  {eta} left") {
        bar.set_style(style);
    }
    write_folder(&web, folder, &mut |pages| bar.set_position(pages.into()))
        .map_err(|fault| bad_input(fault.to_string()))?;
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

fn toml_of(settings: &SynthSettings) -> Result<String> {
    Ok(toml::to_string(settings)?)
}
