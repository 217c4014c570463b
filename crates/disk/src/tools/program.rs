//! Faults as a program, in words: what goes wrong with which requests, and what came of it.

use super::fault::FaultTarget;
use clap::Args;
use ftlab_attach::control::PowerCutReply;
use ftlab_attach::faults::{FaultTold, Mishap, On, Rule};
use ftlab_console::failure::Failure;
use ftlab_console::options::choice;
use ftlab_console::screen;
use ftlab_drive::faults::words::{ms, range, time};
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
