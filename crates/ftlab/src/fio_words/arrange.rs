//! Arrangement of a command line: fio's words behind `--`, the program's own before.

use super::quoted;
use crate::screen;
use clap::{Arg, ArgAction, Command};
use ftlab_workload::{CommandWord, command_word, nearest_command_word, option_of};
use std::ffi::OsString;

/// The command of fio's own name, which takes fio's words without a `--` before them.
const FIO: &str = "fio";
const RUN: &str = "run";

/// Likeness from which one of two words counts as the other, misspelt; 1 is equality.
const LIKENESS_MIN: f64 = 0.6;

/// The arguments of the program with fio's words behind a `--`: those of `ftlab fio`, and those that stand among the
/// options of `ftlab run`. In the second case a note shows the line as it is read.
pub fn arranged(arguments: Vec<OsString>) -> Vec<OsString> {
    let texts: Option<Vec<&str>> = arguments.iter().map(|a| a.to_str()).collect();
    // What is no text is a path of ftlab's own.
    let Some([program, command @ (FIO | RUN), rest @ ..]) = texts.as_deref() else {
        return arguments;
    };
    let asks_version = |argument: &&str| option_of(argument) == Some(("version", None));
    if *command == FIO && rest.iter().any(asks_version) {
        return [program, "--version"].map(OsString::from).to_vec();
    }
    let Arranged { own, words } = arrange(rest, *command == FIO);
    let is_misplaced = !words.is_empty() && !rest.contains(&"--");
    let mut line = vec![(*command).to_owned()];
    line.extend(own);
    if !words.is_empty() {
        line.push("--".to_owned());
        line.extend(words);
    }
    if is_misplaced && *command == RUN {
        let call: Vec<String> = line.iter().map(|word| quoted(word)).collect();
        screen::say(&format!(
            "note: fio's options stand behind a --; read as: ftlab {}\n",
            call.join(" ")
        ));
    }
    std::iter::once((*program).to_owned())
        .chain(line)
        .map(OsString::from)
        .collect()
}

#[derive(Debug, PartialEq, Eq)]
struct Arranged {
    own: Vec<String>,
    words: Vec<String>,
}

/// The owner of an option.
enum Whose<'a> {
    /// The command's, which may be one that fio's program has too.
    Own(&'a Arg),
    Fio(CommandWord),
    /// Nobody's, but so like one of fio's that it is taken for a misspelt one.
    Misspelt,
    /// Nobody's: the command's, misspelt, or a word that is no option.
    Unknown,
}

/// The options of `run`.
struct Options<'a> {
    run: &'a Command,
    /// True if an option that nobody has is taken for fio's.
    is_fio: bool,
}

impl Options<'_> {
    fn own(&self, key: &str) -> Option<&Arg> {
        let mut options = self.run.get_arguments();
        options.find(|option| option.get_long() == Some(key))
    }

    fn whose(&self, key: &str) -> Whose<'_> {
        // `help` and `version` are there as well, once the command is built.
        if let Some(option) = self.own(key) {
            return Whose::Own(option);
        }
        match command_word(key) {
            Some(word) => match self.own(word.name) {
                Some(option) => Whose::Own(option),
                None => Whose::Fio(word),
            },
            None if self.is_fio && self.is_likelier_of_fio(key) => Whose::Misspelt,
            None => Whose::Unknown,
        }
    }

    fn is_likelier_of_fio(&self, key: &str) -> bool {
        let own = self.run.get_arguments().filter_map(Arg::get_long);
        let own = own.map(|name| strsim::normalized_damerau_levenshtein(key, name));
        let of_fio = nearest_command_word(key).map_or(LIKENESS_MIN, |(_, likeness)| likeness);
        own.fold(0.0, f64::max) < of_fio
    }
}

/// Tells fio's words from the options of `run`, and from the names of loads. Behind a `--` are fio's, and there those
/// alone are the command's that fio's program has too.
fn arrange(arguments: &[&str], is_fio: bool) -> Arranged {
    let mut cli = crate::cli::command();
    cli.build();
    let run = cli.find_subcommand(RUN).expect("there is such a command");
    let options = Options { run, is_fio };
    let (mut own, mut words) = (Vec::new(), Vec::new());
    let mut is_behind = false;
    let mut rest = arguments.iter().copied().peekable();
    while let Some(argument) = rest.next() {
        if argument == "--" && !is_behind {
            is_behind = true;
            continue;
        }
        let Some((key, value)) = option_of(argument) else {
            let side = if is_behind { &mut words } else { &mut own };
            side.push(argument.to_owned());
            continue;
        };
        let is_one_letter = key.len() == 1 && !argument.starts_with("--");
        let with = |name: &str| match value {
            Some(value) => format!("--{name}={value}"),
            None => format!("--{name}"),
        };
        let is_of_program =
            |key: &str| command_word(key).is_some_and(|word| word.is_done_by_program);
        match options.whose(key) {
            // Behind `--` an option is the program's own only where fio's program acts on it rather than a job.
            Whose::Own(option) if !is_behind || is_of_program(key) => {
                own.push(with(option.get_long().unwrap_or(key)));
                let takes_value = matches!(option.get_action(), ArgAction::Set | ArgAction::Append)
                    && !option.is_require_equals_set();
                if takes_value && value.is_none() {
                    own.extend(rest.next().map(str::to_owned));
                }
            }
            Whose::Fio(word) => {
                words.push(with(word.name));
                if word.takes_value && value.is_none() {
                    let next = rest.next_if(|next| option_of(next).is_none() && *next != "--");
                    words.extend(next.map(str::to_owned));
                }
            }
            Whose::Misspelt if !is_one_letter => words.push(with(key)),
            _ if is_behind => words.push(argument.to_owned()),
            _ => own.push(argument.to_owned()),
        }
    }
    Arranged { own, words }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_fio_are_told_from_options_of_run() {
        let line = [
            "--name=a",
            "--rw",
            "randwrite",
            "--drive",
            "generic-mlc-8",
            "--untimed",
            "--time_based",
            "x.fio",
            "--bs=4k",
            "--seed=3",
            "--nonsense",
        ];
        let arranged = arrange(&line, false);
        assert_eq!(
            arranged.words,
            ["--name=a", "--rw", "randwrite", "--time_based", "--bs=4k"]
        );
        let own = [
            "--drive",
            "generic-mlc-8",
            "--untimed",
            "x.fio",
            "--seed=3",
            "--nonsense",
        ];
        assert_eq!(arranged.own, own);
        let arranged = arrange(&["--drive=x", "--", "--drive=y", "--name=a"], false);
        assert_eq!(arranged.words, ["--drive=y", "--name=a"]);
    }

    #[test]
    fn one_dash_is_as_good_as_two_and_so_is_a_part_of_a_name() {
        let line = [
            "-name=a",
            "-drive",
            "x",
            "--numj=2",
            "-output-format=json",
            "-h",
        ];
        let arranged = arrange(&line, true);
        assert_eq!(arranged.words, ["--name=a", "--numjobs=2"]);
        assert_eq!(arranged.own, ["--drive", "x", "--output-format=json", "-h"]);
    }

    #[test]
    fn what_fio_s_program_has_is_the_command_s_behind_the_dashes_too() {
        let line = [
            "--",
            "--name=a",
            "--output",
            "x.json",
            "--minimal",
            "--eta=never",
        ];
        let arranged = arrange(&line, false);
        assert_eq!(arranged.own, ["--output", "x.json", "--minimal"]);
        assert_eq!(arranged.words, ["--name=a", "--eta=never"]);
    }

    #[test]
    fn a_misspelt_option_is_that_of_whom_it_is_more_like() {
        let arranged = arrange(&["--iodpeth=4", "--drvie=x"], true);
        assert_eq!(arranged.words, ["--iodpeth=4"]);
        assert_eq!(arranged.own, ["--drvie=x"]);
    }
}
