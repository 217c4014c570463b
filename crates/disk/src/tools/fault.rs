//! `ftlab fault`: something goes wrong with a drive, because somebody wants to see what comes of it.

use super::program::{self, Rules};
use super::{Target, change, input, json, nobody_serves, read};
use clap::{Args, Command, Subcommand};
use ftlab_attach::control::{ControlRequest, FaultAdded, FaultClear, PowerCutRequest, ask};
use ftlab_attach::faults::{FaultTold, Mishap, Rule};
use ftlab_console::failure::{Failure, Outcome};
use ftlab_console::screen;
use ftlab_drive::Catalog;
use ftlab_drive::faults::words;
use ftlab_image::FlashFault;
use std::path::PathBuf;
use std::time::Duration;

#[derive(Debug, Args)]
#[command(subcommand_value_name = "FAULT", subcommand_help_heading = "Faults")]
#[command(after_help = "\
Examples:
  ftlab fault db.img stall 3s                 requests wait for 3 s, then go on
  ftlab fault db.img slow x10 --on read       reads take ten times as long
  ftlab fault db.img error 0.1% --on write    one write in a thousand fails
  ftlab fault db.img drop-flush --count 5     five flushes do nothing
  ftlab fault db.img power-cut --for 2s
  ftlab fault db.img bad 1m..2m               that range cannot be read
  ftlab fault db.img list                     the faults there are
  ftlab fault db.img clear                    remove all of them

Give the image or its control socket, then the fault, then the fault's own
values and options. `ftlab fault x.img stall --help` shows those of one fault.
Most faults need a drive at work (`ftlab serve`). Faults of the flash stay in
the image and need no server: bad-block, unreadable, die and end-of-life.")]
pub struct FaultOptions {
    /// An image, or the control socket of a drive at work
    target: PathBuf,
    #[command(subcommand)]
    fault: Fault,
}

/// What goes wrong.
#[derive(Debug, Clone, PartialEq, Subcommand)]
enum Fault {
    /// A block wears out: its next erase fails, or a program; the drive replaces it
    BadBlock {
        /// The number of the block in the array
        block: u32,
    },
    /// Data have more errors than ECC corrects, until they are written again
    Unreadable {
        /// Where in the drive, for example 8m
        #[arg(value_name = "BYTES", value_parser = ftlab_workload::bytes)]
        offset: u64,
    },
    /// A die dies: with parity (RAISE) it is rebuilt in pauses, without parity its data are lost
    Die {
        /// The number of the die in the array
        die: u16,
    },
    /// All blocks wear out: the spare blocks are soon used up, then writes fail and reads still work
    EndOfLife,
    /// A drive at work leaves its bus: it answers nothing, and the host gives up after 30 s
    Vanish,
    /// A drive that vanished comes back and does the waiting requests
    Return,
    /// A drive at work loses its power: connections end, requests under way fail, and data in a volatile
    /// write buffer may be lost unless they were flushed; then the drive comes back
    PowerCut {
        /// Decides what is lost; the drive has a seed of its own
        #[arg(long)]
        seed: Option<u64>,
        /// How long it is off, for example 2s; requests that come meanwhile wait
        #[arg(long = "for", value_name = "TIME", value_parser = words::time, default_value = "0s")]
        off: Duration,
    },
    /// All requests wait for a time, beginning with the next one
    Stall {
        /// How long, for example 3s
        #[arg(value_name = "TIME", value_parser = words::time)]
        time: Duration,
        #[command(flatten)]
        rules: Rules,
    },
    /// Requests take N times as long
    Slow {
        /// For example x10
        #[arg(value_name = "FACTOR", value_parser = words::factor)]
        times: f64,
        #[command(flatten)]
        rules: Rules,
    },
    /// A share of the requests ends with an input/output error
    Error {
        /// For example 0.1%, or once
        #[arg(value_name = "SHARE", value_parser = words::share)]
        share: words::Share,
        #[command(flatten)]
        rules: Rules,
    },
    /// One bit of a read flips, or of a write (--on write), without an error
    Flip {
        #[command(flatten)]
        rules: Rules,
    },
    /// A range cannot be read until it is written again
    Bad {
        /// Its first byte, and the byte after its last, for example 1m..2m
        #[arg(value_name = "A..B", value_parser = words::range)]
        range: (u64, u64),
        /// It takes no writes, and stays bad
        #[arg(long)]
        stays: bool,
    },
    /// Flushes are answered but not done: the drive lies
    DropFlush {
        #[command(flatten)]
        rules: Rules,
    },
    /// Writes are answered but not done: the old data stay
    Drop {
        #[command(flatten)]
        rules: Rules,
    },
    /// Writes are answered, but go to another place and overwrite its data
    Misdirect {
        /// How far behind their place, or before it where the drive ends, for example 4k; right behind if left out
        #[arg(long, value_name = "BYTES", value_parser = ftlab_workload::bytes)]
        by: Option<u64>,
        #[command(flatten)]
        rules: Rules,
    },
    /// Writes find no room
    Full {
        #[command(flatten)]
        rules: Rules,
    },
    /// Writes and trims are not permitted
    ReadOnly {
        #[command(flatten)]
        rules: Rules,
    },
    /// The drive is off its bus for a while; requests wait, and none fails
    Disappear {
        /// How long, for example 3s; the word "for" may stand before it
        #[arg(value_name = "TIME", num_args = 1..=2, required = true)]
        words: Vec<String>,
    },
    /// List the faults of requests, and how often each happened
    List,
    /// Remove faults of requests
    Clear {
        /// The number of one; all of them if left out
        number: Option<u32>,
    },
    /// None of these; clap alone would not say which there are
    #[command(external_subcommand)]
    Unknown(Vec<String>),
}

/// The part of a drive at work that a fault concerns, or the faults that it has.
pub enum FaultTarget {
    Flash(FlashFault),
    /// True for a return to the bus, and false for leaving it.
    Bus(bool),
    Power(PowerCutRequest),
    Requests(Rule),
    List,
    Clear(FaultClear),
}

impl Fault {
    fn part(&self) -> Result<FaultTarget, Failure> {
        Ok(match self {
            Fault::BadBlock { block } => FaultTarget::Flash(FlashFault::BadBlock { block: *block }),
            Fault::Unreadable { offset } => FaultTarget::Flash(FlashFault::Unreadable {
                offset_bytes: *offset,
            }),
            Fault::Die { die } => FaultTarget::Flash(FlashFault::Die { die: *die }),
            Fault::EndOfLife => FaultTarget::Flash(FlashFault::EndOfLife),
            Fault::Vanish => FaultTarget::Bus(false),
            Fault::Return => FaultTarget::Bus(true),
            Fault::PowerCut { seed, off } => FaultTarget::Power(PowerCutRequest {
                seed: *seed,
                off_ms: words::ms(*off),
            }),
            Fault::Stall { time, rules } => {
                let ms = words::ms(*time);
                rules.rule(Mishap::Stall { ms })
            }
            Fault::Slow { times, rules } => rules.rule(Mishap::Slow { times: *times }),
            Fault::Error { share, rules } => {
                let rules = match share.once {
                    // `once` and --count would contradict each other.
                    true if rules.count.is_some() => {
                        let why = "once is a count of 1: leave out --count";
                        return Err(Failure::Input(why.into()));
                    }
                    true => Rules {
                        count: Some(1),
                        ..rules.clone()
                    },
                    false => rules.clone(),
                };
                rules.rule(Mishap::Error { share: share.share })
            }
            Fault::Flip { rules } => rules.rule(Mishap::Flip),
            Fault::Bad { range, stays } => {
                let rules = Rules {
                    range: Some(*range),
                    ..Rules::default()
                };
                rules.rule(Mishap::Bad { stays: *stays })
            }
            Fault::DropFlush { rules } => rules.rule(Mishap::DropFlush),
            Fault::Drop { rules } => rules.rule(Mishap::Drop),
            Fault::Misdirect { by, rules } => rules.rule(Mishap::Misdirect { by_bytes: *by }),
            Fault::Full { rules } => rules.rule(Mishap::Full),
            Fault::ReadOnly { rules } => rules.rule(Mishap::ReadOnly),
            Fault::Disappear { words } => {
                let ms = words::ms(program::time_in_words(words)?);
                Rules::default().rule(Mishap::Disappear { ms })
            }
            Fault::List => FaultTarget::List,
            Fault::Clear { number } => FaultTarget::Clear(FaultClear { number: *number }),
            Fault::Unknown(words) => return Err(unknown(words)),
        })
    }
}

fn done(fault: &FlashFault) -> String {
    match fault {
        FlashFault::BadBlock { block } => format!("block {block} is worn out\n"),
        FlashFault::Unreadable { offset_bytes } => {
            format!("what lies {offset_bytes} bytes into the drive cannot be corrected\n")
        }
        FlashFault::Die { die } => format!("die {die} is dead\n"),
        FlashFault::EndOfLife => "all blocks are worn out\n".to_owned(),
    }
}

fn unknown(words: &[String]) -> Failure {
    let faults = Fault::augment_subcommands(Command::new("fault"));
    let names: Vec<&str> = faults.get_subcommands().map(Command::get_name).collect();
    let word = words.first().map_or("", String::as_str);
    Failure::Input(format!(
        "there is no fault \"{word}\": there are {}",
        names.join(", ")
    ))
}

/// `ftlab fault`: something goes wrong with a drive.
pub fn fault(options: &FaultOptions, catalog: &Catalog) -> Outcome {
    let part = options.fault.part()?;
    let control = match (Target::find(&options.target)?, &part) {
        // Flash keeps its faults in the image, so they need no server; all others end with it.
        (Target::Image(path), FaultTarget::Flash(fault)) => {
            change(&path, catalog, |drive| drive.inject(*fault).map_err(input))?;
            return screen::print(&done(fault));
        }
        (Target::Image(path), _) => return Err(nobody_serves(&path)),
        (Target::AtWork(control), _) => control,
    };
    let text = match &part {
        FaultTarget::Flash(fault) => {
            ask(&control, ControlRequest::Post("/fault", &json(fault)))?;
            done(fault)
        }
        FaultTarget::Bus(true) => {
            ask(&control, ControlRequest::Post("/return", ""))?;
            "the drive is back\n".to_owned()
        }
        FaultTarget::Bus(false) => {
            ask(&control, ControlRequest::Post("/vanish", ""))?;
            "the drive is off its bus\n".to_owned()
        }
        FaultTarget::Power(cut) => {
            let answer = ask(&control, ControlRequest::Post("/power-cut", &json(cut)))?;
            program::power_cut(&read(&control, &answer)?)
        }
        FaultTarget::Requests(rule) => {
            let answer = ask(&control, ControlRequest::Post("/fault-rule", &json(rule)))?;
            let FaultAdded { number } = read(&control, &answer)?;
            format!("fault {number}: {rule}\n")
        }
        FaultTarget::List => {
            let answer = ask(&control, ControlRequest::Get("/faults"))?;
            program::list(&read::<Vec<FaultTold>>(&control, &answer)?)
        }
        FaultTarget::Clear(which) => {
            ask(&control, ControlRequest::Post("/fault-clear", &json(which)))?;
            match which.number {
                Some(number) => format!("fault {number} has ended\n"),
                None => "no fault of requests goes on\n".to_owned(),
            }
        }
    };
    screen::print(&text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Debug, Parser)]
    struct Line {
        #[command(flatten)]
        options: FaultOptions,
    }

    fn by_the_command(words: &str) -> Option<Rule> {
        let words = ["fault", "x.img"].into_iter().chain(words.split(' '));
        let line = Line::try_parse_from(words).ok()?;
        match line.options.fault.part().ok()? {
            FaultTarget::Requests(rule) => Some(rule),
            _ => None,
        }
    }

    #[test]
    fn the_command_reads_a_fault_as_an_embedded_drive_does() {
        for words in [
            "stall 3s --on write --at 2s",
            "slow x10 --on read,trim --range 1m..2m",
            "error 0.1% --seed 7 --after=3",
            "error once --on flush",
            "flip --on write --count 5",
            "bad 64k..1m --stays",
            "drop-flush --count 5",
            "drop",
            "misdirect --by 64k --count 1",
            "full",
            "read-only --after 2",
            "disappear for 250ms",
            "disappear 3s",
        ] {
            let by_words = words.parse().ok();
            assert!(by_words.is_some(), "{words}");
            assert_eq!(by_the_command(words), by_words, "{words}");
        }
        for wrong in [
            "",
            "eror once",
            "stall",
            "stall 3s 4s",
            "error once --count 2",
            "flip --often 3",
            "drop --by 4k",
        ] {
            assert_eq!(by_the_command(wrong), None, "{wrong}");
            assert!(wrong.parse::<Rule>().is_err(), "{wrong}");
        }
    }
}
