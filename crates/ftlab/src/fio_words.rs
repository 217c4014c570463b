//! Loads in the words of fio's command line, and how such words are told from ftlab's own.

use crate::failure::{Failure, Outcome};
use crate::loads::Reading;
use crate::screen;
use crate::trace::ReplayOptions;
use clap::{ArgAction, CommandFactory};
use ftlab_bench::machine;
use ftlab_bench::suites::{Test, own};
use ftlab_play::driver::Clock;
use ftlab_play::load::{Load, What};
use ftlab_play::states::State;
use ftlab_workload::{Effect, JobFile, Sections, Surroundings, is_word};
use std::ffi::OsString;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// The command of fio's own name, which takes fio's words without a `--` before them.
const FIO: &str = "fio";
const RUN: &str = "run";

/// What a load of words is called.
const NAME: &str = "command-line";

/// Reads sections as a job file, on this machine; `shuffle` spreads skewed laws over all blocks.
///
/// # Errors
/// When they are none.
pub fn jobs(sections: Sections, shuffle: bool) -> Result<JobFile, Failure> {
    let machine = Surroundings {
        variable: &|name| std::env::var(name).ok(),
        cpus: Some(machine::cores() as u64),
        memory_mib: machine::total_mib(),
    };
    let mut file = JobFile::of(sections, &machine)?;
    file.jobs.iter_mut().for_each(|job| job.shuffle = shuffle);
    Ok(file)
}

/// Reads sections as a load: jobs, or the recorded trace that a job replays.
///
/// # Errors
/// As [`jobs`], and when the trace cannot be read or is not all that is to run.
pub fn what(sections: Sections, reading: Reading<'_>) -> Result<What, Failure> {
    let file = jobs(sections, reading.is_shuffled)?;
    let replays = file
        .jobs
        .iter()
        .find_map(|job| Some((job, job.replay.file.as_ref()?)));
    let Some((job, path)) = replays else {
        return Ok(What::Job(file));
    };
    if file.jobs.len() > 1 {
        return Err(Failure::Input(format!(
            "{}: job `{}` replays a trace, and there are other jobs; a load replays one trace and nothing beside it, so \
             put the job into a file of its own",
            job.source, job.name
        )));
    }
    let default = ReplayOptions::default();
    let options = reading.replay.map_or(&default, |(options, _)| options);
    let signs = reading.replay.map(|(_, signs)| signs);
    let recording = options.of_job(job).recording(Path::new(path), signs)?;
    Ok(What::Recording(recording))
}

/// The words as a test that begins in a state: that of the job file of the same words.
///
/// # Errors
/// As [`what`].
pub fn test(
    words: &[String],
    state: State,
    clock: Clock,
    reading: Reading<'_>,
) -> Result<Test, Failure> {
    let sections = Sections::of_arguments(words)?;
    let text = sections.to_text();
    let what = what(sections, reading)?;
    Ok(own(NAME, Load::of_text(NAME, &text, what), state, clock))
}

/// Sections of the words, if there are any, and of each job file.
fn all_sections(words: &[String], files: &[PathBuf]) -> Result<Vec<Sections>, Failure> {
    let mut all = Vec::new();
    for path in files {
        all.push(of_file(path)?);
    }
    if !words.is_empty() {
        all.push(Sections::of_arguments(words)?);
    }
    Ok(all)
}

/// The sections of a job file.
///
/// # Errors
/// When it cannot be read or is none.
pub fn of_file(path: &Path) -> Result<Sections, Failure> {
    let text = crate::files::read(path, "a fio job file")?;
    crate::files::guarded(path, || {
        Ok(Sections::of_text(&text, &path.display().to_string())?)
    })
}

/// Prints job files as fio's command lines.
pub fn show_command(words: &[String], files: &[PathBuf]) -> Outcome {
    let lines = all_sections(words, files)?;
    let lines = lines.iter().map(|sections| {
        let arguments = sections.to_arguments();
        let quoted: Vec<String> = arguments.iter().map(|word| quoted(word)).collect();
        format!("fio {}\n", quoted.join(" "))
    });
    screen::print(&lines.collect::<String>())
}

/// Prints words as a job file.
pub fn show_job(words: &[String], files: &[PathBuf]) -> Outcome {
    let texts = all_sections(words, files)?;
    let texts: Vec<String> = texts.iter().map(Sections::to_text).collect();
    screen::print(&texts.join("\n"))
}

/// Prints what each option of a load does to a drive, what does nothing, and why.
pub fn report(words: &[String], files: &[PathBuf]) -> Outcome {
    let mut out = String::new();
    for sections in all_sections(words, files)? {
        for told in sections.effects() {
            let effect = match told.effect {
                Effect::Does(what) => format!("does: {what}"),
                Effect::Nothing(why) => format!("without effect: {why}"),
                Effect::Refused(why) => format!("refused: {why}"),
            };
            let _ = writeln!(out, "{}  {}\n    {effect}", told.at, told.option);
        }
    }
    screen::print(&out)
}

/// A word as a shell takes it, without the quotes around every = that a library puts there to be on the safe side.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_=./:,%+@^".contains(c);
    match word.chars().all(is_plain) && !word.is_empty() {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

/// The arguments of the program with fio's words behind a `--`: those of `ftlab fio`, and those that stand among the
/// options of `ftlab run`, which is told.
pub fn arranged(arguments: Vec<OsString>) -> Vec<OsString> {
    let texts: Option<Vec<&str>> = arguments.iter().map(|a| a.to_str()).collect();
    // What is no text is a path of ftlab's own.
    let Some([program, command @ (FIO | RUN), rest @ ..]) = texts.as_deref() else {
        return arguments;
    };
    let Arranged { own, words } = arrange(rest);
    let is_misplaced = !words.is_empty() && !rest.contains(&"--");
    let mut line = vec![*command];
    line.extend(own);
    if !words.is_empty() {
        line.push("--");
        line.extend(words);
    }
    if is_misplaced && *command == RUN {
        let call: Vec<String> = line.iter().map(|word| quoted(word)).collect();
        screen::say(&format!(
            "note: fio's options stand behind a --; read as: ftlab {}\n",
            call.join(" ")
        ));
    }
    std::iter::once(program)
        .chain(&line)
        .map(OsString::from)
        .collect()
}

#[derive(Debug, PartialEq, Eq)]
struct Arranged<'a> {
    own: Vec<&'a str>,
    words: Vec<&'a str>,
}

/// Tells fio's words from the options of `run`, and from the names of loads.
fn arrange<'a>(arguments: &[&'a str]) -> Arranged<'a> {
    let cli = crate::cli::Cli::command();
    let run = cli.find_subcommand(RUN).expect("there is such a command");
    let own_option = |key: &str| {
        let mut options = run.get_arguments();
        options.find(|option| option.get_long() == Some(key))
    };
    let (mut own, mut words) = (Vec::new(), Vec::new());
    let mut rest = arguments.iter().copied().peekable();
    while let Some(argument) = rest.next() {
        if argument == "--" {
            words.extend(rest);
            break;
        }
        let key = argument.strip_prefix("--").unwrap_or_default();
        let (key, has_value) = match key.split_once('=') {
            Some((key, _)) => (key, true),
            None => (key, false),
        };
        if let Some(option) = own_option(key) {
            own.push(argument);
            let takes_value = matches!(option.get_action(), ArgAction::Set | ArgAction::Append);
            if takes_value && !has_value {
                own.extend(rest.next());
            }
        } else if !key.is_empty() && is_word(key) {
            words.push(argument);
            if !has_value {
                words.extend(rest.next_if(|next| !next.starts_with('-')));
            }
        } else {
            own.push(argument);
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
            "x.fio",
            "--bs=4k",
            "--seed=3",
            "--nonsense",
        ];
        let arranged = arrange(&line);
        assert_eq!(arranged.words, ["--name=a", "--rw", "randwrite", "--bs=4k"]);
        let own = [
            "--drive",
            "generic-mlc-8",
            "--untimed",
            "x.fio",
            "--seed=3",
            "--nonsense",
        ];
        assert_eq!(arranged.own, own);
        let arranged = arrange(&["--drive=x", "--", "--drive=y", "--name=a"]);
        assert_eq!(arranged.words, ["--drive=y", "--name=a"]);
    }

    #[test]
    fn words_are_quoted_for_a_shell() {
        assert_eq!(quoted("--bs=4k,8k"), "--bs=4k,8k");
        assert_eq!(
            quoted("--description=it's one"),
            r"'--description=it'\''s one'"
        );
    }
}
