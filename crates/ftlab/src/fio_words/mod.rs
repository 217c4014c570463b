//! Loads in the words of fio's command line.

mod arrange;

pub use arrange::arranged;

use crate::failure::{Failure, Outcome};
use crate::screen;
use ftlab_bench::loads::{OwnLoad, Reading};
use ftlab_console::machine;
use ftlab_workload::{Described, Effect, Sections, Surroundings};
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Name of a load that is made of words.
const NAME: &str = "command-line";

/// The machine that ftlab runs on, for job files that ask.
pub fn this_machine() -> Surroundings<'static> {
    Surroundings {
        variable: &|name| std::env::var(name).ok(),
        cpus: Some(machine::cores() as u64),
        memory_mib: machine::total_mib(),
    }
}

/// Words as a load: that of the job file of the same words.
///
/// # Errors
/// When they are no jobs, or a trace that they replay cannot be read.
pub fn load(sections: Sections, reading: &Reading<'_>) -> Result<OwnLoad, Failure> {
    Ok(OwnLoad {
        name: NAME.to_owned(),
        load: reading.jobs(sections, NAME)?.load,
    })
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

/// Words and job files that are shown, not run.
pub struct Words<'a> {
    /// Words behind the `--`, as they were typed.
    pub words: &'a [String],
    pub files: &'a [PathBuf],
    /// The jobs of files that are asked for; all if none is.
    pub sections: &'a [String],
}

impl Words<'_> {
    /// Sections of the words, if there are any, and of each job file.
    fn all(&self) -> Result<Vec<Sections>, Failure> {
        let words = Sections::of_arguments(self.words)?;
        let defaults = words.defaults();
        let mut all = Vec::new();
        for path in self.files {
            all.push(only(of_file(path)?, self.sections)?.behind(&defaults));
        }
        if words.has_jobs() || !self.words.is_empty() && all.is_empty() {
            all.push(words);
        }
        Ok(all)
    }

    /// Prints them as fio's command lines.
    pub fn show_command(&self) -> Outcome {
        let lines = self.all()?;
        let lines = lines.iter().map(|sections| {
            let arguments = sections.to_arguments();
            let quoted: Vec<String> = arguments.iter().map(|word| quoted(word)).collect();
            format!("fio {}\n", quoted.join(" "))
        });
        screen::print(&lines.collect::<String>())
    }

    /// Prints them as job files.
    pub fn show_job(&self) -> Outcome {
        let texts: Vec<String> = self.all()?.iter().map(Sections::to_text).collect();
        screen::print(&texts.join("\n"))
    }

    /// Prints what each option does to a drive, what does nothing, and why.
    pub fn report(&self) -> Outcome {
        let mut out = String::new();
        for sections in self.all()? {
            for told in sections.effects(&this_machine()) {
                let effect = in_words(&told.effect);
                let _ = writeln!(out, "{}  {}\n    {effect}", told.at, told.option);
            }
        }
        screen::print(&out)
    }
}

/// The jobs of those names; all if none is asked for.
///
/// # Errors
/// When there is no such job.
pub fn only(sections: Sections, names: &[String]) -> Result<Sections, Failure> {
    match names {
        [] => Ok(sections),
        names => Ok(sections.only(names)?),
    }
}

fn in_words(effect: &Effect) -> String {
    match effect {
        Effect::Does(what) => format!("does: {what}"),
        Effect::Nothing(why) => format!("without effect: {why}"),
        Effect::Refused(why) => format!("refused: {why}"),
    }
}

/// Prints what one of fio's options does, or what all of them do.
pub fn help(option: &str) -> Outcome {
    let all = ftlab_workload::described();
    let is_asked = |of: &&Described| option == "all" || of.names.contains(&option);
    let asked: Vec<&Described> = all.iter().filter(is_asked).collect();
    if asked.is_empty() {
        let nearest = ftlab_workload::nearest_command_word(option);
        let hint =
            nearest.map_or_else(String::new, |(name, _)| format!("; did you mean `{name}`?"));
        return Err(Failure::Input(format!(
            "--cmdhelp: fio has no option `{option}`{hint}"
        )));
    }
    let lines = asked.iter().map(|of| {
        let names = of.names.join(", ");
        format!("{names}\n    {}\n", in_words(&of.effect))
    });
    screen::print(&lines.collect::<String>())
}

/// Prints fio's engines, or what becomes of one.
pub fn engines(name: &str) -> Outcome {
    let all = ftlab_workload::known_engines();
    if name.is_empty() {
        let lines = all
            .iter()
            .map(|(engine, effect)| format!("{engine}\n    {}\n", in_words(effect)));
        return screen::print(&lines.collect::<String>());
    }
    match all.iter().find(|(engine, _)| *engine == name) {
        Some((_, effect)) => screen::print(&format!("{name}\n    {}\n", in_words(effect))),
        None => Err(Failure::Input(format!(
            "--enghelp: fio has no engine `{name}`; --enghelp without a name lists them"
        ))),
    }
}

/// A word as a shell takes it, without the quotes around every = that a library puts there to be on the safe side.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_=./:,%+@^".contains(c);
    match word.chars().all(is_plain) && !word.is_empty() {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_for_a_shell() {
        assert_eq!(quoted("--bs=4k,8k"), "--bs=4k,8k");
        assert_eq!(
            quoted("--description=it's one"),
            r"'--description=it'\''s one'"
        );
    }
}
