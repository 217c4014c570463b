//! `ftlab completions`: scripts with which shells complete commands, options and their values.

use crate::cli;
use crate::failure::{Failure, Outcome};
use crate::own;
use crate::screen;
use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Arg, Args, Command, ValueEnum};
use clap_complete::generate;
use ftlab_bench::suites;
use ftlab_drive::Catalog;
use ftlab_host::Testbed;
use ftlab_result::quantity::{self, Kind};
use std::collections::BTreeSet;
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

pub fn command(options: &Options, catalog: &Catalog) -> Outcome {
    let shell = match options.shell {
        Shell::Bash => clap_complete::Shell::Bash,
        Shell::Zsh => clap_complete::Shell::Zsh,
        Shell::Fish => clap_complete::Shell::Fish,
    };
    // A program with policies of its own has a name of its own.
    let words = own::words();
    let name = words.first().and_then(|path| Path::new(path).file_name());
    let name = name.map_or_else(|| "ftlab".into(), |name| name.to_string_lossy());
    let (mut script, mut ftlab) = (Vec::new(), with_values(cli::command(), catalog)?);
    generate(shell, &mut ftlab, &*name, &mut script);
    let mut script = String::from_utf8_lossy(&script).into_owned();
    if options.shell == Shell::Fish {
        script += &positionals_in_fish(&ftlab, &name);
    }
    screen::print(&script)
}

/// Gives options whose values may be any text those that ftlab knows, for shells to offer.
fn with_values(ftlab: Command, catalog: &Catalog) -> Result<Command, Failure> {
    let values = Values::known(catalog)?;
    let offered = |argument: Arg| match values.of(argument.get_id().as_str(), argument.get_long()) {
        Some(values) if argument.get_possible_values().is_empty() => {
            // Names of values live as long as the program, which ends with this command.
            let names = values.into_iter().map(|value| &*value.leak());
            argument.value_parser(PossibleValuesParser::new(
                names.collect::<Vec<&'static str>>(),
            ))
        }
        _ => argument,
    };
    let names: Vec<String> = (ftlab.get_subcommands())
        .map(|command| command.get_name().to_owned())
        .collect();
    Ok(names.iter().fold(ftlab, |ftlab, name| {
        ftlab.mut_subcommand(name, |command| command.mut_args(offered))
    }))
}

/// Values that options take among others.
struct Values {
    tests: Vec<String>,
    settings: Vec<String>,
}

impl Values {
    fn known(catalog: &Catalog) -> Result<Values, Failure> {
        let (mut tests, mut keys) = (BTreeSet::new(), BTreeSet::new());
        for test in suites::all() {
            tests.extend([test.family.method.clone(), test.family.slug.clone()]);
            tests.insert(test.step.slug.clone());
        }
        for drive in Catalog::drives() {
            let rows = catalog.load(drive, &[])?.parameters();
            keys.extend(rows.into_iter().map(|row| format!("{}=", row.key)));
        }
        let policies = catalog.policies().victim_names().into_iter();
        keys.extend(policies.map(|policy| format!("gc.policy={policy}")));
        let whole = |names: BTreeSet<String>| names.into_iter().filter(|name| !name.is_empty());
        Ok(Values {
            tests: whole(tests).collect(),
            settings: whole(keys).collect(),
        })
    }

    /// Returns the values of an option, or of the argument that is called so.
    fn of(&self, id: &str, long: Option<&str>) -> Option<Vec<String>> {
        let owned = |names: Vec<&str>| Some(names.into_iter().map(str::to_owned).collect());
        match long {
            Some("test") => Some(self.tests.clone()),
            None if id == "tests" => Some(self.tests.clone()),
            Some("set") => Some(self.settings.clone()),
            Some("suite") => owned(suites::names().collect()),
            Some("testbed") => owned(Testbed::names().collect()),
            Some("metric") => owned(quantity::metrics().collect()),
            Some("require") => Some(figures()),
            _ => None,
        }
    }
}

/// Returns the figures that a requirement may begin with.
fn figures() -> Vec<String> {
    let of_kinds = Kind::ALL.into_iter().flat_map(|kind| {
        ["mean", "max", "p50", "p99", "p99.9"].map(|of| format!("{}.{of}", kind.word()))
    });
    of_kinds
        .chain(quantity::metrics().map(str::to_owned))
        .collect()
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
