//! Faults as a program, in words: what goes wrong with which requests, and what came of it.

use super::fault::FaultTarget;
use clap::Args;
use ftlab_attach::control::PowerCutReply;
use ftlab_attach::faults::{FaultTold, Mishap, On, Rule};
use ftlab_console::failure::Failure;
use ftlab_console::options::choice;
use ftlab_console::screen;
use std::time::Duration;

/// Which requests a fault concerns, and how often it comes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args)]
pub struct Rules {
    /// Only for these kinds of request
    #[arg(long, value_parser = choice(KINDS), value_delimiter = ',', value_name = "KIND")]
    pub on: Vec<On>,
    /// Only for requests that touch a range, for example 1m..2m
    #[arg(long, value_name = "A..B", value_parser = range)]
    pub range: Option<(u64, u64)>,
    /// How often
    #[arg(long, value_name = "N")]
    pub count: Option<u64>,
    /// How many of those requests go well before
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub after: u64,
    /// When it begins, from now on
    #[arg(long, value_name = "TIME", value_parser = time, default_value = "0s")]
    pub at: Duration,
    /// Decides where a share is drawn, and which bit flips
    #[arg(long, value_name = "SEED", default_value_t = 0)]
    pub seed: u64,
}

const KINDS: [(&str, On, &str); 4] = [
    ("read", On::Read, "Reads"),
    ("write", On::Write, "Writes, of zeroes too"),
    ("flush", On::Flush, "Flushes"),
    ("trim", On::Trim, "Trims"),
];

impl Rules {
    /// With what goes wrong.
    pub fn rule(&self, fault: Mishap) -> FaultTarget {
        FaultTarget::Requests(Rule {
            fault,
            on: self.on.clone(),
            range_bytes: self.range,
            count: self.count,
            after: self.after,
            at_ms: ms(self.at),
            seed: self.seed,
        })
    }
}

/// A share of requests, or one of them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Share {
    pub share: f64,
    pub once: bool,
}

/// Reads a span of time.
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

/// Reads "for 3s", or "3s".
pub fn time_in_words(words: &[String]) -> Result<Duration, Failure> {
    let text = match words {
        [text] => text,
        [word, text] if word == "for" => text,
        _ => {
            let why = format!("\"{}\" is no time: say for 3s", words.join(" "));
            return Err(Failure::Input(why));
        }
    };
    time(text).map_err(|why| Failure::Input(format!("\"{text}\" is no time: {why}")))
}

/// Rounds up to milliseconds, the unit of the control socket.
pub fn ms(time: Duration) -> u64 {
    u64::try_from(time.as_nanos().div_ceil(1_000_000)).unwrap_or(u64::MAX)
}

/// Parses a factor, as x10.
pub fn factor(text: &str) -> Result<f64, String> {
    let number = text.strip_prefix('x').unwrap_or(text);
    let wrong = |_| "give a factor, as x10".to_owned();
    number.parse().map_err(wrong)
}

/// Parses the share of requests that fail.
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

/// Reads a range of bytes.
pub fn range(text: &str) -> Result<(u64, u64), String> {
    let wrong = || "give the first byte and the one behind the last, as 1m..2m".to_owned();
    let (first, end) = text.split_once("..").ok_or_else(wrong)?;
    let bytes = |text: &str| ftlab_workload::bytes(text).map_err(|_| wrong());
    Ok((bytes(first)?, bytes(end)?))
}

/// Describes the faults of requests, one a line.
pub fn list(faults: &[FaultTold]) -> String {
    if faults.is_empty() {
        return "no fault of requests goes on\n".to_owned();
    }
    let mut table = screen::table(&["", "fault", "concerned", "hits", ""]);
    for fault in faults {
        table.add_row([
            fault.number.to_string(),
            fault.fault.clone(),
            fault.concerned.to_string(),
            fault.hits.to_string(),
            if fault.is_over { "over" } else { "" }.to_owned(),
        ]);
    }
    screen::lines(table) + "\n"
}

/// Describes the losses of a power cut.
pub fn power_cut(done: &PowerCutReply) -> String {
    match done.cut {
        None => "the power was cut and is on again: this drive loses nothing\n".to_owned(),
        Some(cut) => format!(
            "the power was cut and is on again: {}\n",
            crate::power_cut(&cut)
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
