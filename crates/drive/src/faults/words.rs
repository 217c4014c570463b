//! Faults of requests in words, as `ftlab fault` takes them: `error once --on flush`.

use super::{Mishap, On, Rule};
use ftlab_base::size::bytes;
use std::collections::VecDeque;
use std::str::FromStr;
use std::time::Duration;

/// The names that a fault can begin with.
const NAMES: [&str; 11] = [
    "stall",
    "slow",
    "error",
    "flip",
    "bad",
    "drop-flush",
    "drop",
    "misdirect",
    "full",
    "read-only",
    "disappear",
];

/// A share of requests, or one of them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Share {
    /// The share, from 0 to 1.
    pub share: f64,
    /// True if the fault comes one time.
    pub once: bool,
}

/// Reads a span of time, as 3s.
///
/// # Errors
/// When it is none, or more than a week.
pub fn time(text: &str) -> Result<Duration, String> {
    let wrong = || "give a time, as 3s, 250ms or 2m".to_owned();
    let digits = text.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    let number: f64 = digits.trim().parse().map_err(|_| wrong())?;
    let seconds = match &text[digits.len()..] {
        "ms" => number / 1e3,
        "s" => number,
        "m" | "min" => number * 60.0,
        "h" => number * 3600.0,
        _ => return Err(wrong()),
    };
    let span = Duration::try_from_secs_f64(seconds).map_err(|_| wrong())?;
    match span <= Duration::from_secs(7 * 24 * 3600) {
        true => Ok(span),
        false => Err("a week at most".to_owned()),
    }
}

/// Rounds up to milliseconds, the unit of a rule.
#[must_use]
pub fn ms(time: Duration) -> u64 {
    u64::try_from(time.as_nanos().div_ceil(1_000_000)).unwrap_or(u64::MAX)
}

/// Reads a factor, as x10.
///
/// # Errors
/// When it is none.
pub fn factor(text: &str) -> Result<f64, String> {
    let number = text.strip_prefix('x').unwrap_or(text);
    let wrong = |_| "give a factor, as x10".to_owned();
    number.parse().map_err(wrong)
}

/// Reads the share of requests that fail, as 0.1%, or once.
///
/// # Errors
/// When it is none.
pub fn share(text: &str) -> Result<Share, String> {
    if text == "once" {
        return Ok(Share {
            share: 1.0,
            once: true,
        });
    }
    let percent = text.strip_suffix('%').and_then(|text| text.parse().ok());
    let percent: f64 = percent.ok_or("give a share, as 0.1%, or once")?;
    Ok(Share {
        share: percent / 100.0,
        once: false,
    })
}

/// Reads a range of bytes, as 1m..2m.
///
/// # Errors
/// When it is none.
pub fn range(text: &str) -> Result<(u64, u64), String> {
    let wrong = || "give the first byte and the one behind the last, as 1m..2m".to_owned();
    let (first, end) = text.split_once("..").ok_or_else(wrong)?;
    let bytes = |text: &str| bytes(text).map_err(|_| wrong());
    Ok((bytes(first)?, bytes(end)?))
}

/// Words behind the name of a fault.
#[derive(Default)]
struct Said<'a> {
    values: VecDeque<&'a str>,
    stays: bool,
    by_bytes: Option<u64>,
    on: Vec<On>,
    range_bytes: Option<(u64, u64)>,
    count: Option<u64>,
    after: u64,
    at_ms: u64,
    seed: u64,
}

impl<'a> Said<'a> {
    fn of(mut words: impl Iterator<Item = &'a str>) -> Result<Said<'a>, String> {
        let mut said = Said::default();
        while let Some(word) = words.next() {
            if !word.starts_with("--") {
                said.values.push_back(word);
            } else if word == "--stays" {
                said.stays = true;
            } else {
                let (name, value) = match word.split_once('=') {
                    Some(both) => both,
                    None => (word, words.next().unwrap_or_default()),
                };
                said.option(name, value)
                    .map_err(|why| format!("{name} \"{value}\": {why}"))?;
            }
        }
        Ok(said)
    }

    fn option(&mut self, name: &str, value: &str) -> Result<(), String> {
        let number = || value.parse().map_err(|_| "give a whole number".to_owned());
        match name {
            "--on" => {
                let kinds = value.split(',').map(|kind| On::of_name(kind.trim()));
                let kinds: Option<Vec<On>> = kinds.collect();
                self.on = kinds.ok_or("give read, write, flush or trim, or several with commas")?;
            }
            "--range" => self.range_bytes = Some(range(value)?),
            "--count" => self.count = Some(number()?),
            "--after" => self.after = number()?,
            "--at" => self.at_ms = ms(time(value)?),
            "--seed" => self.seed = number()?,
            "--by" => self.by_bytes = Some(bytes(value).map_err(|of| format!("give {of}"))?),
            _ => {
                let known = "--on, --range, --count, --after, --at, --seed, --by and --stays";
                return Err(format!("there is no such option; there are {known}"));
            }
        }
        Ok(())
    }

    fn value<T>(&mut self, read: impl Fn(&str) -> Result<T, String>) -> Result<T, String> {
        read(self.values.pop_front().unwrap_or_default())
    }

    /// The fault of that name, with its values; they are gone then.
    fn fault(&mut self, name: &str) -> Result<Mishap, String> {
        Ok(match name {
            "stall" => Mishap::Stall {
                ms: ms(self.value(time)?),
            },
            "slow" => Mishap::Slow {
                times: self.value(factor)?,
            },
            "error" => {
                let Share { share, once } = self.value(share)?;
                // `once` and --count would contradict each other.
                if once && self.count.replace(1).is_some() {
                    return Err("once is a count of 1: leave out --count".to_owned());
                }
                Mishap::Error { share }
            }
            "flip" => Mishap::Flip,
            "bad" => {
                let bad = self.value(range)?;
                if self.range_bytes.replace(bad).is_some() {
                    return Err("it has its range in front: leave out --range".to_owned());
                }
                let stays = std::mem::take(&mut self.stays);
                Mishap::Bad { stays }
            }
            "drop-flush" => Mishap::DropFlush,
            "drop" => Mishap::Drop,
            "misdirect" => Mishap::Misdirect {
                by_bytes: self.by_bytes.take(),
            },
            "full" => Mishap::Full,
            "read-only" => Mishap::ReadOnly,
            "disappear" => {
                self.values.pop_front_if(|word| *word == "for");
                let ms = ms(self.value(time)?);
                Mishap::Disappear { ms }
            }
            _ => {
                let names = NAMES.join(", ");
                return Err(format!("there is no such fault; there are {names}"));
            }
        })
    }
}

impl FromStr for Rule {
    type Err = String;

    fn from_str(text: &str) -> Result<Rule, String> {
        let mut words = text.split_whitespace();
        let name = words.next().unwrap_or_default();
        let mut said = Said::of(words)?;
        let fault = said.fault(name)?;
        if let Some(word) = said.values.front() {
            return Err(format!("\"{word}\" is a word too many"));
        }
        if said.stays || said.by_bytes.is_some() {
            return Err("--stays is for bad, and --by for misdirect: leave it out".to_owned());
        }
        Ok(Rule {
            fault,
            on: said.on,
            range_bytes: said.range_bytes,
            count: said.count,
            after: said.after,
            at_ms: said.at_ms,
            seed: said.seed,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(text: &str) -> Rule {
        text.parse().unwrap_or_else(|why| panic!("{text}: {why}"))
    }

    #[test]
    fn times_and_shares_are_read_with_their_units() {
        assert_eq!(time("3s"), Ok(Duration::from_secs(3)));
        assert_eq!(time("1.5s"), Ok(Duration::from_millis(1500)));
        assert_eq!(time("250ms"), Ok(Duration::from_millis(250)));
        assert_eq!(time("2m"), Ok(Duration::from_secs(120)));
        for wrong in ["", "3", "s", "-1s", "3 parsecs", "1e300s", "9999h", "NaNs"] {
            assert!(time(wrong).is_err(), "{wrong}");
        }
        assert_eq!(share("0.1%").map(|share| share.share), Ok(0.001));
        assert!(share("once").is_ok_and(|share| share.once));
        assert!(share("0.1").is_err());
        assert_eq!(factor("x10"), Ok(10.0));
        assert_eq!(range("1m..2m"), Ok((1 << 20, 2 << 20)));
        assert!(range("1m-2m").is_err());
        assert_eq!(ms(Duration::from_micros(1)), 1);
    }

    #[test]
    fn a_fault_says_in_words_what_a_drive_file_says_in_keys() {
        let of = |fault| Rule {
            fault,
            on: Vec::new(),
            range_bytes: None,
            count: None,
            after: 0,
            at_ms: 0,
            seed: 0,
        };
        assert_eq!(
            rule("error once --on write,flush --after=2 --at 1.5s --seed 7"),
            Rule {
                on: vec![On::Write, On::Flush],
                count: Some(1),
                after: 2,
                at_ms: 1500,
                seed: 7,
                ..of(Mishap::Error { share: 1.0 })
            }
        );
        assert_eq!(
            rule(" bad 64k..1m  --stays "),
            Rule {
                range_bytes: Some((65_536, 1 << 20)),
                ..of(Mishap::Bad { stays: true })
            }
        );
        let by_bytes = Some(8192);
        assert_eq!(
            rule("misdirect --by 8k --range 0..4k --count 3"),
            Rule {
                range_bytes: Some((0, 4096)),
                count: Some(3),
                ..of(Mishap::Misdirect { by_bytes })
            }
        );
        assert_eq!(rule("disappear for 3s"), rule("disappear 3s"));
        for name in NAMES {
            let values = ["", " 3s", " x10", " 1%", " 1m..2m"];
            let words = values.map(|value| format!("{name}{value}").parse::<Rule>().ok());
            let rule = words.into_iter().flatten().next();
            let rule = rule.unwrap_or_else(|| panic!("{name} is not read"));
            assert_eq!(rule.fault.name(), name);
        }
    }

    #[test]
    fn what_is_no_fault_is_refused_with_what_would_be() {
        for (text, why) in [
            ("", "there is no such fault; there are stall, slow, error"),
            ("eror once", "there is no such fault"),
            ("stall", "give a time, as 3s"),
            ("stall 3s 4s", "\"4s\" is a word too many"),
            ("error 3", "give a share"),
            ("error once --count 2", "leave out --count"),
            ("flip --on reads", "--on \"reads\": give read, write"),
            ("flip --after x", "--after \"x\": give a whole number"),
            ("flip --count", "--count \"\": give a whole number"),
            ("flip --often 3", "--often \"3\": there is no such option"),
            ("flip --stays", "--stays is for bad"),
            ("drop --by 4k", "--by for misdirect"),
            ("misdirect --by far", "--by \"far\": give a number"),
            ("bad 0..1m --range 0..1m", "leave out --range"),
        ] {
            let refused = text.parse::<Rule>().expect_err(text);
            assert!(refused.contains(why), "{text}: {refused}");
        }
    }
}
