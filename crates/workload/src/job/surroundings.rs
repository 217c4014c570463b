//! Values that a job file takes from the machine that it is read on: `${NAME}`, `$ncpus`, `$pagesize`, `$mb_memory`,
//! and sums of them.

use super::error::JobError;
use super::ini::Entry;
use crate::units::Value;

/// The machine that a job file is read on.
#[derive(Clone, Copy)]
pub struct Surroundings<'a> {
    /// A variable of the environment.
    pub variable: &'a dyn Fn(&str) -> Option<String>,
    /// Its processors; none where nobody may ask.
    pub cpus: Option<u64>,
    /// Its memory in MiB; none where nobody may ask.
    pub memory_mib: Option<u64>,
}

/// Options whose value is a text, in which a bracket or a slash is no sum.
const TEXTS: &[&str] = &[
    "name",
    "description",
    "filename",
    "directory",
    "filename_format",
    "exec_prerun",
    "exec_postrun",
    "buffer_pattern",
    "verify_pattern",
    "wait_for",
];

/// Bytes of a page: those of the machines that fio runs on, and of most others.
const PAGE_BYTES: u64 = 4096;

impl Surroundings<'_> {
    /// No machine: a text that says everything itself.
    pub const NONE: Surroundings<'static> = Surroundings {
        variable: &|_| None,
        cpus: None,
        memory_mib: None,
    };

    /// An option with what it takes from the machine in its place.
    pub(super) fn expand(&self, entry: Entry) -> Result<Entry, JobError> {
        let Some(written) = entry
            .value
            .as_deref()
            .filter(|value| value.contains(['$', '(']))
        else {
            return Ok(entry);
        };
        let fail = |allowed: String| JobError::BadValue {
            at: entry.at.clone(),
            key: entry.key.clone(),
            value: written.to_owned(),
            allowed,
        };
        let with_variables = self.variables(written).map_err(|name| JobError::Syntax {
            at: entry.at.clone(),
            why: format!(
                "`{}={written}` takes ${{{name}}} from the environment, where it is not set; set it ({name}=… ftlab \
                 run …) or write its value",
                entry.key
            ),
        })?;
        let value = self.keywords(&with_variables).map_err(fail)?;
        // A dash or slash in a name or path is no sum.
        let is_text = TEXTS.contains(&entry.key.as_str());
        let has_words = value != with_variables && value.contains(['+', '-', '*', '/']);
        let is_sum = !is_text && (has_words || value.starts_with('(') && value.ends_with(')'));
        let value = match is_sum {
            true => sum(&value)
                .ok_or_else(|| fail("a sum of whole numbers with + - * / and brackets".into()))?
                .to_string(),
            false => value,
        };
        Ok(Entry {
            value: Some(value),
            ..entry
        })
    }

    /// The text with its variables; the first that is not set.
    fn variables(&self, text: &str) -> Result<String, String> {
        let mut done = String::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once("${") {
            let Some((name, after)) = after.split_once('}') else {
                break;
            };
            done += before;
            done += &(self.variable)(name).ok_or(name)?;
            rest = after;
        }
        Ok(done + rest)
    }

    fn keywords(&self, text: &str) -> Result<String, String> {
        let mut text = text.to_owned();
        let words = [
            ("$pagesize", Some(PAGE_BYTES)),
            ("$mb_memory", self.memory_mib),
            ("$ncpus", self.cpus),
        ];
        for (word, value) in words {
            if text.contains(word) {
                let value =
                    value.ok_or_else(|| format!("a number: {word} is that of no machine here"))?;
                text = text.replace(word, &value.to_string());
            }
        }
        Ok(text)
    }
}

/// The value of a sum, with fio's suffixes; none where it is none, or leaves what 64 bits hold.
fn sum(text: &str) -> Option<u64> {
    let mut rest = text.trim();
    let value = terms(&mut rest, BRACKETS_MAX)?;
    rest.is_empty().then_some(value)
}

/// As many brackets within one another as anybody writes.
const BRACKETS_MAX: usize = 16;

fn terms(rest: &mut &str, brackets: usize) -> Option<u64> {
    let mut value = factors(rest, brackets)?;
    loop {
        value = match taken(rest, &['+', '-']) {
            Some('+') => value.checked_add(factors(rest, brackets)?)?,
            Some(_) => value.checked_sub(factors(rest, brackets)?)?,
            None => return Some(value),
        };
    }
}

fn factors(rest: &mut &str, brackets: usize) -> Option<u64> {
    let mut value = operand(rest, brackets)?;
    loop {
        value = match taken(rest, &['*', '/', '%']) {
            Some('*') => value.checked_mul(operand(rest, brackets)?)?,
            Some('/') => value.checked_div(operand(rest, brackets)?)?,
            Some(_) => value.checked_rem(operand(rest, brackets)?)?,
            None => return Some(value),
        };
    }
}

fn operand(rest: &mut &str, brackets: usize) -> Option<u64> {
    if taken(rest, &['(']).is_some() {
        let value = terms(rest, brackets.checked_sub(1)?)?;
        return taken(rest, &[')']).map(|_| value);
    }
    let end = rest
        .find(|c: char| !c.is_ascii_alphanumeric())
        .unwrap_or(rest.len());
    let (number, after) = rest.split_at(end);
    *rest = after;
    let value = Value {
        text: number,
        kb_base: 1024,
    };
    value.bytes().ok()
}

/// Takes the next sign, if it is one of these.
fn taken(rest: &mut &str, signs: &[char]) -> Option<char> {
    *rest = rest.trim_start();
    let sign = rest.chars().next().filter(|sign| signs.contains(sign))?;
    *rest = &rest[sign.len_utf8()..];
    Some(sign)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Source;

    fn expand(text: &str) -> Result<String, String> {
        let variable = |name: &str| (name == "SIZE").then(|| "2g".to_owned());
        let machine = Surroundings {
            variable: &variable,
            cpus: Some(6),
            memory_mib: Some(1000),
        };
        let at = Source {
            file: "t.fio".into(),
            line: 3,
        };
        let entry = Entry {
            key: "size".into(),
            value: Some(text.into()),
            at,
        };
        let expanded = machine.expand(entry).map_err(|error| error.to_string())?;
        Ok(expanded.value.unwrap())
    }

    #[test]
    fn variables_and_words_of_the_machine_stand_for_their_values() {
        assert_eq!(expand("${SIZE}"), Ok("2g".into()));
        assert_eq!(expand("a-${SIZE}-b"), Ok("a-2g-b".into()));
        assert_eq!(expand("$ncpus"), Ok("6".into()));
        assert_eq!(expand("8*$mb_memory"), Ok("8000".into()));
        assert_eq!(expand("$pagesize"), Ok("4096".into()));
        assert_eq!(expand("/dev/sda-1"), Ok("/dev/sda-1".into()), "no sum");
    }

    #[test]
    fn sums_in_brackets_are_done() {
        assert_eq!(expand("(4k*2)"), Ok("8192".into()));
        assert_eq!(expand("(1+2*(10-4)/3)"), Ok("5".into()));
        for text in [
            "(1/0)",
            "(1-2)",
            "(9999999p*9)",
            "(1+)",
            "()",
            "((1)",
            "(é)",
        ] {
            assert!(expand(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_variable_that_is_not_set_is_named_with_its_line() {
        assert_eq!(
            expand("${GONE}").unwrap_err(),
            "t.fio:3: `size=${GONE}` takes ${GONE} from the environment, where it is not set; set it (GONE=… ftlab \
             run …) or write its value"
        );
    }
}
