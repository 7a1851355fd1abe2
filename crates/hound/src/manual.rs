//! `hound completions` and `hound man`: files for shells and for `man`, made from the definitions of the commands.

use std::fs;
use std::path::PathBuf;

use anyhow::Context;

use crate::stdout;

/// Prints completions for a shell.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  hound completions bash > ~/.local/share/bash-completion/completions/hound
  hound completions zsh > ~/.zfunc/_hound
  hound completions fish > ~/.config/fish/completions/hound.fish")]
pub struct CompletionArgs {
    /// The shell
    #[arg(value_enum, value_name = "SHELL")]
    shell: clap_complete::Shell,
}

/// Prints the manual page.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  hound man | man -l -
  hound man -o ~/.local/share/man/man1")]
pub struct ManArgs {
    /// Write one page for every command to this folder instead
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
}

/// Runs `hound completions`.
pub fn completions(args: CompletionArgs) -> anyhow::Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut crate::command(), "hound", &mut script);
    stdout::write(|out| Ok(out.write_all(&script)?))
}

/// Runs `hound man`.
pub fn man(args: ManArgs) -> anyhow::Result<()> {
    match args.output {
        Some(folder) => {
            fs::create_dir_all(&folder).with_context(|| format!("could not create {}", folder.display()))?;
            clap_mangen::generate_to(crate::command(), &folder)
                .with_context(|| format!("could not write the manual pages to {}", folder.display()))
        }
        None => {
            let mut page = Vec::new();
            clap_mangen::Man::new(crate::command()).render(&mut page)?;
            stdout::write(|out| Ok(out.write_all(&page)?))
        }
    }
}
