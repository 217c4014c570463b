//! `ftlab completions`: what a shell completes commands, options and drives with.

use crate::cli;
use crate::failure::Outcome;
use crate::screen;
use clap::builder::PossibleValue;
use clap::{Args, Command, ValueEnum};
use clap_complete::generate;
use std::path::Path;

/// A shell, of those whose scripts are tested.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Shell {
    Bash,
    Zsh,
    Fish,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  source <(ftlab completions bash)
                                  for this shell
  ftlab completions bash > ~/.local/share/bash-completion/completions/ftlab
  ftlab completions zsh > ~/.zfunc/_ftlab
                                  put fpath+=~/.zfunc before compinit
  ftlab completions fish > ~/.config/fish/completions/ftlab.fish")]
pub struct Options {
    /// Which shell
    #[arg(value_enum)]
    shell: Shell,
}

pub fn command(options: &Options) -> Outcome {
    let shell = match options.shell {
        Shell::Bash => clap_complete::Shell::Bash,
        Shell::Zsh => clap_complete::Shell::Zsh,
        Shell::Fish => clap_complete::Shell::Fish,
    };
    // A program with policies of its own has a name of its own.
    let called = std::env::args_os().next();
    let name = called
        .as_deref()
        .and_then(|path| Path::new(path).file_name());
    let name = name.map_or_else(|| "ftlab".into(), |name| name.to_string_lossy());
    let (mut script, mut ftlab) = (Vec::new(), cli::command());
    generate(shell, &mut ftlab, &*name, &mut script);
    let mut script = String::from_utf8_lossy(&script).into_owned();
    if options.shell == Shell::Fish {
        script += &positionals_in_fish(&ftlab, &name);
    }
    screen::print(&script)
}

/// Returns lines that complete values where no option stands, which the script for fish leaves out.
fn positionals_in_fish(ftlab: &Command, name: &str) -> String {
    let mut script = String::new();
    for command in ftlab.get_subcommands() {
        for positional in command.get_positionals() {
            let values = positional.get_possible_values();
            let values: Vec<&str> = values.iter().map(PossibleValue::get_name).collect();
            if !values.is_empty() {
                let (command, values) = (command.get_name(), values.join(" "));
                script += &format!(
                    "complete -c {name} -n '__fish_seen_subcommand_from {command}' -a '{values}'\n"
                );
            }
        }
    }
    script
}
