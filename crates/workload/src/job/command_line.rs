//! fio's command line: the words of a job file as arguments, beside options of fio's program.

use super::error::{JobError, Source};
use super::file::Ignored;
use super::ini::{Entry, Section};
use super::keys;
use super::program::{self, Becomes};
use super::sections::Sections;
use super::words;

/// Word that messages have for the place of an argument.
const ARGUMENT: &str = "argument";

/// fio's options of jobs that take no value but behind a `=`.
const SWITCHES: &[&str] = &[
    "bs_unaligned",
    "blocksize_unaligned",
    "norandommap",
    "time_based",
    "verify_only",
    "exitall",
    "exitall_on_error",
    "stonewall",
    "wait_for_previous",
    "new_group",
    "thread",
    "group_reporting",
    "zero_buffers",
    "refill_buffers",
];

/// An option of fio's command line, and how it takes its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CommandWord {
    /// Its whole name: fio takes as much of it as no other begins with.
    pub name: &'static str,
    /// True if the next argument is its value, where none stands behind a `=`.
    pub takes_value: bool,
    /// It is none of a job but of the program, and one that is done: whoever runs jobs has it among its own options.
    pub is_done_by_program: bool,
}

/// Every name of an option of fio's, of a job or of the program.
fn names() -> impl Iterator<Item = &'static str> {
    let of_jobs = words::all().flat_map(|word| word.names.iter().copied());
    let tables = [keys::IGNORED, keys::UNSUPPORTED];
    let others = tables.into_iter().flatten();
    of_jobs
        .chain(others.flat_map(|(_, keys)| keys.iter().copied()))
        .chain(program::OPTIONS.iter().map(|option| option.name))
}

/// The option of fio's that an argument names, whole or by its beginning.
#[must_use]
pub fn command_word(key: &str) -> Option<CommandWord> {
    if key.is_empty() {
        return None;
    }
    let name = names().find(|name| *name == key).or_else(|| {
        let mut begun = names().filter(|name| name.starts_with(key));
        let only = begun.next()?;
        begun.next().is_none().then_some(only)
    })?;
    let of_program = program::find(name);
    Some(CommandWord {
        name,
        takes_value: of_program.map_or(!SWITCHES.contains(&name), |option| option.takes_value),
        is_done_by_program: of_program.is_some_and(|option| option.becomes == Becomes::Done),
    })
}

/// The option of fio's most like a word that is none, and how like it is, from 0 to 1.
#[must_use]
pub fn nearest_command_word(key: &str) -> Option<(&'static str, f64)> {
    keys::most_alike(key, names())
}

/// An argument as an option: its name and, behind a `=`, its value. fio takes long options with one dash as well.
#[must_use]
pub fn option_of(argument: &str) -> Option<(&str, Option<&str>)> {
    let option = match argument.strip_prefix("--") {
        Some(option) => option,
        // A number is a value, whatever its sign.
        None => argument
            .strip_prefix('-')
            .filter(|option| option.starts_with(|c: char| c.is_ascii_alphabetic()))?,
    };
    let (key, value) = match option.split_once('=') {
        Some((key, value)) => (key, Some(value)),
        None => (option, None),
    };
    (!key.is_empty()).then_some((key, value))
}

/// The sections that arguments make: what stands before the first `--name` is global.
///
/// # Errors
/// When an argument is no option, or an option would change the run without effect here.
pub fn sections(arguments: &[String]) -> Result<Sections, JobError> {
    let mut sections: Vec<Section> = Vec::new();
    let mut ignored = Vec::new();
    let mut rest = (1..).zip(arguments).peekable();
    while let Some((line, argument)) = rest.next() {
        let at = Source {
            file: ARGUMENT.into(),
            line,
        };
        let Some((key, value)) = option_of(argument) else {
            let why = format!(
                "`{argument}` is none of fio's options, which are written --key=value; a job file stands before the --"
            );
            return Err(JobError::Syntax { at, why });
        };
        let word = command_word(key);
        let key = word.map_or(key, |word| word.name);
        let takes_value = word.is_none_or(|word| word.takes_value);
        let value = value.map(str::to_owned).or_else(|| {
            let next = rest.next_if(|(_, next)| takes_value && option_of(next).is_none());
            next.map(|(_, value)| value.clone())
        });
        if let Some(option) = program::find(key) {
            ignored.push(without_effect(at, key, &option.becomes)?);
            continue;
        }
        if key == "name" {
            let Some(name) = value.filter(|name| !name.is_empty()) else {
                return Err(JobError::MissingValue {
                    at,
                    key: "name".into(),
                });
            };
            sections.push(Section {
                name,
                at,
                options: Vec::new(),
            });
            continue;
        }
        // As in fio, options before the first job hold for all of them.
        if sections.is_empty() {
            sections.push(Section {
                name: "global".into(),
                at: at.clone(),
                options: Vec::new(),
            });
        }
        let section = sections.last_mut().expect("one at least");
        section.options.push(Entry {
            key: key.to_owned(),
            value,
            at,
        });
    }
    Ok(Sections {
        file: "the command line".into(),
        sections,
        ignored,
    })
}

/// An option of fio's program that changes nothing here; an error if it is one that would.
fn without_effect(at: Source, key: &str, becomes: &Becomes) -> Result<Ignored, JobError> {
    match becomes {
        Becomes::Nothing(reason) => Ok(Ignored {
            at,
            key: key.to_owned(),
            reason,
        }),
        Becomes::Refused(why) => Err(unsupported(at, key, why)),
        Becomes::Done => {
            let why = "it is an option of `ftlab run`, which stands before the --";
            Err(unsupported(at, key, why))
        }
    }
}

fn unsupported(at: Source, key: &str, why: &'static str) -> JobError {
    JobError::Unsupported {
        at,
        key: key.to_owned(),
        why,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::JobFile;

    fn of(line: &str) -> Result<Sections, String> {
        let arguments: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        sections(&arguments).map_err(|error| error.to_string())
    }

    #[test]
    fn arguments_are_the_job_file_of_the_same_words() {
        let line = "--direct=1 --bs 8k --time_based --runtime=5 --eta always --name=a --rw=randwrite --name=b \
                    --iodepth=4 --thread";
        let text = "[global]\ndirect=1\nbs=8k\ntime_based\nruntime=5\n\n[a]\nrw=randwrite\n\n[b]\niodepth=4\nthread\n";
        let sections = of(line).unwrap();
        assert_eq!(sections.to_text(), text);
        let again = Sections::of_text(text, "t.fio").unwrap();
        let arguments = again.to_arguments();
        assert_eq!(Sections::of_arguments(&arguments).unwrap().to_text(), text);
        let with_one_dash = line.replace("--", "-");
        assert_eq!(of(&with_one_dash).unwrap().to_text(), text);
    }

    #[test]
    fn a_name_may_be_cut_to_what_no_other_begins_with() {
        let name = |key: &str| command_word(key).map(|word| word.name);
        assert_eq!(name("numj"), Some("numjobs"));
        assert_eq!(name("rw"), Some("rw"));
        assert_eq!(name("outpu"), None);
        assert_eq!(name(""), None);
    }

    #[test]
    fn options_of_the_program_are_listed_or_refused() {
        let file = JobFile::of(
            of("--name=a --eta=never --max-jobs 4").unwrap(),
            &crate::Surroundings::NONE,
        );
        let keys: Vec<String> = file.unwrap().ignored.into_iter().map(|of| of.key).collect();
        assert_eq!(keys, ["eta", "max-jobs"]);
        assert_eq!(
            of("--name=a -client=b").unwrap_err(),
            "argument:2: option `client` is not supported: jobs run on a modelled drive in this process, on no other \
             machine; leave it out"
        );
        assert!(of("--minimal").unwrap_err().contains("before the --"));
    }

    #[test]
    fn what_is_wrong_is_told_with_the_argument() {
        assert!(
            of("job.fio")
                .unwrap_err()
                .starts_with("argument:1: `job.fio`")
        );
        assert_eq!(
            of("--rw=read --name").unwrap_err(),
            "argument:2: name needs a value: write name=…"
        );
        let machine = crate::Surroundings::NONE;
        let wrong = JobFile::of(of("--name=a --iodpeth=4").unwrap(), &machine).unwrap_err();
        assert_eq!(
            wrong.to_string(),
            "argument:2: unknown option `iodpeth`; did you mean `iodepth`?"
        );
        let none = JobFile::of(of("--rw=read").unwrap(), &machine).unwrap_err();
        assert!(none.to_string().starts_with("the command line: no job"));
    }
}
