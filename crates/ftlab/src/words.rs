//! Words that commands share: every command takes a drive by its place or with `--drive`, and a job file by its place
//! or with the option for loads. They are put as the command has them before clap reads the line.

use crate::screen;
use clap::Command;
use ftlab_drive::Catalog;
use std::ffi::OsString;
use std::path::Path;

/// Commands about drives: these stand by their place, and `--drive` may be written before them.
const DRIVES_BY_PLACE: [&str; 7] = [
    "calibrate",
    "card",
    "compare",
    "fit",
    "pts",
    "review",
    "show",
];

/// Commands with `--drive`: the name of a drive may stand without it.
const DRIVES_BY_OPTION: [&str; 6] = ["claims", "endurance", "fio", "plan", "run", "serve"];

/// Commands with `--test`: a job file may stand without it.
const LOADS_BY_OPTION: [&str; 2] = ["compare", "review"];

/// Commands whose load stands by its place, and had an option once.
const LOADS_BY_PLACE: [(&str, &str); 1] = [("endurance", "--job")];

const DRIVE: &str = "--drive";
const TEST: &str = "--test";

/// Puts the words of a call as its command has them; a line that is no text stays as it is.
pub fn alike(cli: &Command, arguments: Vec<OsString>) -> Vec<OsString> {
    let texts: Option<Vec<&str>> = arguments.iter().map(|word| word.to_str()).collect();
    let Some([program, name, rest @ ..]) = texts.as_deref() else {
        return arguments;
    };
    let Some(command) = cli.find_subcommand(name) else {
        return arguments;
    };
    let is_file = |path: &str| Path::new(path).exists();
    let (line, notes) = arranged(command, rest, &is_file);
    for note in notes {
        screen::say(&format!("note: {note}\n"));
    }
    [(*program).to_owned(), (*name).to_owned()]
        .into_iter()
        .chain(line)
        .map(OsString::from)
        .collect()
}

/// Returns the arranged line, and notes about old words.
fn arranged(
    command: &Command,
    line: &[&str],
    is_file: &dyn Fn(&str) -> bool,
) -> (Vec<String>, Vec<String>) {
    let name = command.get_name();
    let has = |list: &[&str]| list.contains(&name);
    let old = LOADS_BY_PLACE.iter().find(|(of, _)| *of == name);
    let drives = Catalog::drives();
    let (mut out, mut notes) = (Vec::new(), Vec::new());
    let mut words = line.iter().copied();
    while let Some(word) = words.next() {
        if word == "--" {
            out.push(word.to_owned());
            out.extend(words.map(str::to_owned));
            break;
        }
        let (option, value) = match word.split_once('=') {
            Some((option, value)) => (option, Some(value)),
            None => (word, None),
        };
        let is_old = old.is_some_and(|(_, old)| *old == option);
        if is_old || option == DRIVE && has(&DRIVES_BY_PLACE) {
            if is_old {
                notes.push(format!("{option} is an old word: give the load without it"));
            }
            // Without a value clap says what is wrong.
            out.push(value.or_else(|| words.next()).unwrap_or(word).to_owned());
        } else if word.starts_with('-') {
            out.push(word.to_owned());
            if value.is_none() && takes_value(command, option) {
                out.extend(words.next().map(str::to_owned));
            }
        } else if has(&DRIVES_BY_OPTION) && drives.contains(&word) && !is_file(word) {
            out.extend([DRIVE, word].map(str::to_owned));
        } else if has(&LOADS_BY_OPTION) && Path::new(word).extension().is_some_and(|e| e == "fio") {
            out.extend([TEST, word].map(str::to_owned));
        } else {
            out.push(word.to_owned());
        }
    }
    (out, notes)
}

/// Tells if an option of a command is followed by its value.
fn takes_value(command: &Command, option: &str) -> bool {
    let is_it = |argument: &&clap::Arg| {
        let longs = argument.get_long_and_visible_aliases().unwrap_or_default();
        let short = argument.get_short().map(|short| format!("-{short}"));
        short.as_deref() == Some(option) || longs.iter().any(|long| option == format!("--{long}"))
    };
    let found = command.get_arguments().find(is_it);
    found.is_some_and(|argument| {
        argument.get_action().takes_values() && !argument.is_require_equals_set()
    })
}

#[cfg(test)]
mod tests {
    use super::arranged;

    #[test]
    fn drives_and_loads_are_put_as_the_command_has_them() {
        let cli = crate::cli::command();
        for (given, read) in [
            ("show --drive generic-mlc-8", "show generic-mlc-8"),
            (
                "review --drive=generic-mlc-8 --quick",
                "review generic-mlc-8 --quick",
            ),
            (
                "review generic-mlc-8 x.fio",
                "review generic-mlc-8 --test x.fio",
            ),
            (
                "review generic-mlc-8 --test x.fio",
                "review generic-mlc-8 --test x.fio",
            ),
            ("compare OLD NEW", "compare OLD NEW"),
            ("run generic-mlc-8 x.fio", "run --drive generic-mlc-8 x.fio"),
            (
                "run x.fio --out generic-mlc-8",
                "run x.fio --out generic-mlc-8",
            ),
            ("run x.fio -- generic-mlc-8", "run x.fio -- generic-mlc-8"),
            (
                "endurance generic-mlc-8 --job x.fio",
                "endurance --drive generic-mlc-8 x.fio",
            ),
            (
                "serve generic-mlc-8 --image a",
                "serve --drive generic-mlc-8 --image a",
            ),
            ("show --drive", "show --drive"),
        ] {
            let words: Vec<&str> = given.split(' ').collect();
            let command = cli.find_subcommand(words[0]).unwrap();
            let (line, notes) = arranged(command, &words[1..], &|_| false);
            assert_eq!(format!("{} {}", words[0], line.join(" ")), read);
            assert_eq!(notes.len(), usize::from(given.contains("--job")), "{given}");
        }
        let command = cli.find_subcommand("run").unwrap();
        let (line, _) = arranged(command, &["generic-mlc-8"], &|_| true);
        assert_eq!(line, ["generic-mlc-8"], "a file of that name is a load");
    }
}
