//! A call writes nothing over what it reads, and no two of its outputs are one file: looked at for every command in
//! the same way, before any work is done.

use crate::failure::Outcome;
use crate::files;
use clap::{ArgMatches, Command};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Arguments that name a file to write. A page that is written anew where it lies (`--quote`) is read, too, and a
/// folder is looked at file by file.
const OUTPUTS: [&str; 12] = [
    "crash_log",
    "html",
    "json",
    "junit",
    "keep",
    "log",
    "out",
    "output",
    "record",
    "save_after",
    "save_state",
    "standing",
];

/// States that are there are replaced when that is asked for, also by what was made of them.
const STATES: [&str; 3] = ["from_state", "save_after", "save_state"];

/// A path as it was given: the argument, and what messages call that.
struct Named {
    id: String,
    word: String,
    path: PathBuf,
}

/// Looks at the arguments of a call.
pub fn check(command: &Command, matches: &ArgMatches) -> Outcome {
    if let Some((name, matches)) = matches.subcommand() {
        return command
            .find_subcommand(name)
            .map_or(Ok(()), |command| check(command, matches));
    }
    let named: Vec<Named> = command
        .get_arguments()
        .flat_map(|argument| {
            let id = argument.get_id().as_str();
            let given = matches.try_get_raw(id).ok().flatten();
            let word = match argument.get_long() {
                Some(long) => format!("--{long}"),
                None => match argument.get_value_names() {
                    Some([name, ..]) => name.to_string(),
                    _ => id.to_uppercase(),
                },
            };
            let paths = given.into_iter().flatten().flat_map(paths);
            paths.map(move |path| Named {
                id: id.to_owned(),
                word: word.clone(),
                path: path.to_owned(),
            })
        })
        .collect();
    let is_output = |one: &Named| OUTPUTS.contains(&one.id.as_str()) && !one.path.is_dir();
    let is_state = |one: &Named| STATES.contains(&one.id.as_str());
    for (n, output) in named.iter().enumerate().filter(|(_, one)| is_output(one)) {
        for (other_n, other) in named
            .iter()
            .enumerate()
            .filter(|(other_n, _)| *other_n != n)
        {
            let is_of_states = other.id == "from_state" && is_state(output);
            // A pair of outputs is compared once.
            let matters = match is_output(other) {
                true => other_n < n,
                false => other.path.is_file() && !is_of_states,
            };
            if matters {
                files::distinct(&[(&other.word, &other.path), (&output.word, &output.path)])?;
            }
        }
    }
    Ok(())
}

/// Returns the parts of a value that may be a path: all of it, and the text behind an equals sign.
fn paths(value: &OsStr) -> impl Iterator<Item = &Path> {
    let text = value.to_str();
    let behind = text.and_then(|text| text.split_once('='));
    let behind = behind.map(|(_, behind)| Path::new(behind));
    std::iter::once(Path::new(value)).chain(behind)
}
