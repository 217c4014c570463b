//! The words that shape a job: a table for each of the things that they shape. A word has its names, how its
//! value is read, and what it does here.

mod checks;
mod data;
mod logs;
mod order;
mod pace;
mod place;
mod replay;
mod reporting;
mod shape;

pub use pace::{PRERUN, slept};

use super::keys::most_alike;
use super::sizes::PerKind;
use super::spec::JobSpec;
use crate::units::{Allowed, Value};
use ftlab_base::Nanos;

/// As many clones of a job as fio allows by default.
pub const JOBS_MAX: usize = 4096;
const SECOND: Nanos = Nanos::from_secs(1);
const MICROSECOND: Nanos = Nanos::from_micros(1);

type Set = fn(&mut JobSpec, Value<'_>) -> Result<(), Allowed>;

/// A word of job files that is supported.
pub struct Word {
    /// fio's main name, then its others.
    pub names: &'static [&'static str],
    /// Value that it has where none is written; none where it needs one.
    pub bare: Option<&'static str>,
    /// Reads the value into the job.
    pub set: Set,
    /// Effect of the word, for a table of all words.
    pub does: &'static str,
}

const fn value(names: &'static [&'static str], set: Set, does: &'static str) -> Word {
    Word {
        names,
        bare: None,
        set,
        does,
    }
}

const fn flag(names: &'static [&'static str], set: Set, does: &'static str) -> Word {
    Word {
        names,
        bare: Some("1"),
        set,
        does,
    }
}

/// Writes what `$read` makes of the value into a field.
macro_rules! set {
    ($($field:ident).+, $read:expr) => {
        |job, value| {
            job.$($field).+ = ($read)(value)?;
            Ok(())
        }
    };
}

/// As `set!`, for a field with a value for each kind of request.
macro_rules! set_kinds {
    ($($field:ident).+, $read:expr) => {
        |job, value| {
            job.$($field).+ = $crate::job::words::per_kind(value, job.$($field).+, $read)?;
            Ok(())
        }
    };
}

use {set, set_kinds};

/// Words by the part of a job that they shape.
pub static WORDS: &[(&str, &[Word])] = &[
    ("Requests", shape::WORDS),
    ("Places", place::WORDS),
    ("Length and pace", pace::WORDS),
    ("Order of jobs", order::WORDS),
    ("Data", data::WORDS),
    ("Checks and failures", checks::WORDS),
    ("Reports", reporting::WORDS),
    ("Logs", logs::WORDS),
    ("Replay", replay::WORDS),
];

/// Returns every supported word.
pub fn all() -> impl Iterator<Item = &'static Word> {
    WORDS.iter().flat_map(|(_, words)| words.iter())
}

/// The supported word of that name or alias.
pub fn find(name: &str) -> Option<&'static Word> {
    all().find(|word| word.names.contains(&name))
}

fn text(value: Value<'_>) -> Result<String, Allowed> {
    Ok(value.text.to_owned())
}

/// A count that 0 switches off, as in fio.
fn unless_zero(value: Value<'_>) -> Result<Option<u64>, Allowed> {
    value.number(0, u64::MAX).map(|n| (n > 0).then_some(n))
}

/// Reads up to three values for reads, writes and trims. The last one, when no comma ends it, also
/// holds for the kinds after it; an empty one leaves what was there.
fn per_kind<T: Clone>(
    value: Value<'_>,
    before: PerKind<T>,
    read: impl Fn(Value<'_>) -> Result<T, Allowed>,
) -> Result<PerKind<T>, Allowed> {
    let parts: Vec<&str> = value.text.split(',').map(str::trim).collect();
    if parts.len() > 3 {
        return Err("at most three values: reads, writes, trims".into());
    }
    let nth = |n: usize, before: T| match parts[n.min(parts.len() - 1)] {
        "" => Ok(before),
        part => read(value.part(part)),
    };
    Ok(PerKind {
        read: nth(0, before.read)?,
        write: nth(1, before.write)?,
        trim: nth(2, before.trim)?,
    })
}

/// One of several words and what each means.
fn one_of<T: Copy>(value: Value<'_>, words: &[(&str, T)]) -> Result<T, Allowed> {
    let found = words.iter().find(|(word, _)| *word == value.text);
    found.map(|(_, meaning)| *meaning).ok_or_else(|| {
        let words: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
        let alike = most_alike(value.text, words.iter().copied());
        let alike = alike.map_or(String::new(), |(word, _)| format!("; did you mean {word}?"));
        match words.split_last() {
            Some((last, others)) if !others.is_empty() => {
                format!("{} or {last}{alike}", others.join(", "))
            }
            _ => words.concat() + &alike,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::keys;

    #[test]
    fn commas_give_values_to_kinds_as_in_fio() {
        let default = PerKind::all(4096);
        let kinds = |read, write, trim| Ok(PerKind { read, write, trim });
        let of = |text| {
            let value = Value {
                text,
                kb_base: 1024,
            };
            per_kind(value, default, shape::block_bytes)
        };
        assert_eq!(of("8k"), kinds(8192, 8192, 8192));
        assert_eq!(of("8k,32k"), kinds(8192, 32768, 32768));
        assert_eq!(of("8k,32k,"), kinds(8192, 32768, 4096));
        assert_eq!(of(",8k"), kinds(4096, 8192, 8192));
        assert_eq!(of(",8k,"), kinds(4096, 8192, 4096));
        assert!(of("8k,8k,8k,8k").is_err());
    }

    #[test]
    fn no_name_belongs_to_two_keys() {
        let mut names: Vec<_> = all().flat_map(|word| word.names).collect();
        let count = names.len();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), count);
        for name in names {
            assert_eq!(keys::ignored(name), None, "{name}");
            assert_eq!(keys::unsupported(name), None, "{name}");
        }
    }
}
