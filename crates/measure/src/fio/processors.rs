//! Processors that jobs run on, as the kernel and fio list them: `0-3,6`.

use super::FioError;
use std::collections::BTreeSet;
use std::fmt::{self, Display, Formatter};
use std::io;
use std::str::FromStr;

/// The processors that this process may run on.
const STATUS: &str = "/proc/self/status";
const ALLOWED: &str = "Cpus_allowed_list:";

/// No machine has more.
const PROCESSORS_MAX: u32 = 1 << 16;

/// A set of processors that is not empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Processors(BTreeSet<u32>);

impl FromStr for Processors {
    type Err = String;

    fn from_str(text: &str) -> Result<Processors, String> {
        let wrong = || format!("`{text}` is no list of processors, which is written like 0-3,6");
        let number = |text: &str| text.trim().parse().ok().filter(|n| *n < PROCESSORS_MAX);
        let mut all = BTreeSet::new();
        for part in text.split(',') {
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            let first: u32 = number(first).ok_or_else(wrong)?;
            let last: u32 = number(last).ok_or_else(wrong)?;
            if first > last {
                return Err(wrong());
            }
            all.extend(first..=last);
        }
        Ok(Processors(all))
    }
}

impl Display for Processors {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let mut rest = self.0.iter().copied().peekable();
        let mut comma = "";
        while let Some(first) = rest.next() {
            let mut last = first;
            while let Some(next) = rest.next_if(|next| *next == last + 1) {
                last = next;
            }
            match first == last {
                true => write!(f, "{comma}{first}")?,
                false => write!(f, "{comma}{first}-{last}")?,
            }
            comma = ",";
        }
        Ok(())
    }
}

impl Processors {
    /// Those that were asked for, or all that this process may run on.
    ///
    /// # Errors
    /// When it may not run on one of them.
    pub(super) fn chosen(asked: Option<&Processors>) -> Result<Processors, FioError> {
        let allowed = Processors::allowed()?;
        let Some(asked) = asked else {
            return Ok(allowed);
        };
        match asked.0.is_subset(&allowed.0) {
            true => Ok(asked.clone()),
            false => Err(FioError::Unfit(format!(
                "fio may not run on the processors {asked}: this process has {allowed}"
            ))),
        }
    }

    fn allowed() -> io::Result<Processors> {
        let status = std::fs::read_to_string(STATUS)?;
        let list = status.lines().find_map(|line| line.strip_prefix(ALLOWED));
        let list =
            list.ok_or_else(|| io::Error::other(format!("{STATUS} has no line {ALLOWED}")))?;
        list.trim().parse().map_err(io::Error::other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Result<Processors, String> {
        text.parse()
    }

    #[test]
    fn lists_are_read_and_written_as_the_kernel_does() {
        for (text, written) in [("0", "0"), ("3,1,2", "1-3"), ("0-1,4,6-7", "0-1,4,6-7")] {
            assert_eq!(of(text).unwrap().to_string(), written);
        }
        for wrong in ["", "a", "1-", "3-1", "1,,2", "0-99999", "-1"] {
            assert!(of(wrong).unwrap_err().contains("0-3,6"), "{wrong}");
        }
    }

    #[test]
    fn a_processor_that_is_not_there_is_refused() {
        let all = Processors::allowed().unwrap();
        assert_eq!(Processors::chosen(None).unwrap(), all);
        let beyond = Processors(BTreeSet::from([PROCESSORS_MAX - 1]));
        let why = Processors::chosen(Some(&beyond)).unwrap_err().to_string();
        assert!(why.contains(&all.to_string()), "{why}");
    }
}
