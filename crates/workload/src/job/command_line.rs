//! fio's command line: the words of a job file as arguments.

use super::error::{JobError, Source};
use super::ini::{Entry, Section};
use super::keys;
use super::sections::Sections;
use super::words;

/// Options of fio's program, not of a job, and whether they take a value.
const PROGRAM: &[(&str, bool)] = &[
    ("output", true),
    ("output-format", true),
    ("minimal", false),
    ("append-terse", false),
    ("terse-version", true),
    ("eta", true),
    ("eta-interval", true),
    ("eta-newline", true),
    ("status-interval", true),
    ("debug", true),
    ("alloc-size", true),
    ("max-jobs", true),
    ("warnings-fatal", false),
    ("idle-prof", true),
    ("aux-path", true),
    ("readonly", false),
    ("parse-only", false),
    ("timeout-is-fatal", false),
];

/// What messages call the place of an argument.
const ARGUMENT: &str = "argument";

/// Whether an option is one of fio's command line, of a job or of the program.
#[must_use]
pub fn is_word(key: &str) -> bool {
    let of_job =
        words::find(key).is_some() || keys::ignored(key).or(keys::unsupported(key)).is_some();
    of_job || is_of_program(key)
}

/// Whether an option is one of fio's program that changes nothing of what jobs do.
fn is_of_program(key: &str) -> bool {
    PROGRAM.iter().any(|(name, _)| *name == key)
}

/// The sections that arguments make: what stands before the first `--name` is global.
pub fn sections(arguments: &[String]) -> Result<Sections, JobError> {
    let mut sections: Vec<Section> = Vec::new();
    let mut rest = (1..).zip(arguments).peekable();
    while let Some((line, argument)) = rest.next() {
        let at = Source {
            file: ARGUMENT.into(),
            line,
        };
        let Some(option) = argument
            .strip_prefix("--")
            .filter(|option| !option.is_empty())
        else {
            let why = format!(
                "`{argument}` is none of fio's options, which are written --key=value; a job file stands before the --"
            );
            return Err(JobError::Syntax { at, why });
        };
        let (key, value) = match option.split_once('=') {
            Some((key, value)) => (key, Some(value.to_owned())),
            None => {
                let next = rest.next_if(|(_, next)| takes_value(option) && !next.starts_with("--"));
                (option, next.map(|(_, value)| value.clone()))
            }
        };
        if is_of_program(key) {
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
    })
}

/// Whether an option without `=` has its value in the next argument.
fn takes_value(key: &str) -> bool {
    let of_program = PROGRAM.iter().find(|(name, _)| *name == key);
    match (words::find(key), of_program) {
        (Some(word), _) => word.bare.is_none(),
        (None, Some((_, takes))) => *takes,
        (None, None) => true,
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
                    --iodepth=4 --output-format=json";
        let text = "[global]\ndirect=1\nbs=8k\ntime_based\nruntime=5\n\n[a]\nrw=randwrite\n\n[b]\niodepth=4\n";
        let sections = of(line).unwrap();
        assert_eq!(sections.to_text(), text);
        let again = Sections::of_text(text, "t.fio").unwrap();
        let arguments = again.to_arguments();
        assert_eq!(Sections::of_arguments(&arguments).unwrap().to_text(), text);
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
        let wrong = JobFile::of(of("--name=a --iodeph=4").unwrap(), &machine).unwrap_err();
        assert_eq!(
            wrong.to_string(),
            "argument:2: unknown option `iodeph`; did you mean `iodepth`?"
        );
        let none = JobFile::of(of("--rw=read").unwrap(), &machine).unwrap_err();
        assert!(none.to_string().starts_with("the command line: no job"));
    }
}
