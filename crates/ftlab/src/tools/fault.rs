//! `ftlab fault`: something goes wrong with a drive, because somebody wants to see what comes of it.

use super::{Target, change, input, json, nobody_serves};
use crate::failure::{Failure, Outcome};
use crate::screen;
use clap::{Args, Command, Subcommand};
use ftlab_attach::control::{Asked, ask};
use ftlab_image::FlashFault;
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(subcommand_value_name = "FAULT", subcommand_help_heading = "Faults")]
pub struct FaultOptions {
    /// An image, or the control socket of a drive at work
    target: PathBuf,
    #[command(subcommand)]
    fault: Fault,
}

/// What goes wrong.
#[derive(Debug, Clone, PartialEq, Eq, Subcommand)]
enum Fault {
    /// A block wears out: its next erase fails, or a program; the drive replaces it
    BadBlock {
        /// The number of the block in the array
        block: u32,
    },
    /// What is stored somewhere is beyond what ECC corrects, until it is written anew
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
    /// All blocks wear out: what is spare is soon used up, then writes fail and reads go on
    EndOfLife,
    /// A drive at work leaves its bus: nothing is answered, and the host gives up after 30 s
    Vanish,
    /// It comes back
    Return,
    /// None of these; clap alone would not say which there are
    #[command(external_subcommand)]
    Unknown(Vec<String>),
}

/// What a fault concerns.
enum Part {
    Flash(FlashFault),
    /// Whether the drive comes back to its bus, or leaves it.
    Bus(bool),
}

impl Fault {
    fn part(&self) -> Result<Part, Failure> {
        Ok(match self {
            Fault::BadBlock { block } => Part::Flash(FlashFault::BadBlock { block: *block }),
            Fault::Unreadable { offset } => Part::Flash(FlashFault::Unreadable {
                offset_bytes: *offset,
            }),
            Fault::Die { die } => Part::Flash(FlashFault::Die { die: *die }),
            Fault::EndOfLife => Part::Flash(FlashFault::EndOfLife),
            Fault::Vanish => Part::Bus(false),
            Fault::Return => Part::Bus(true),
            Fault::Unknown(words) => return Err(unknown(words)),
        })
    }
}

impl Part {
    fn done(&self) -> String {
        match self {
            Part::Flash(FlashFault::BadBlock { block }) => format!("block {block} is worn out\n"),
            Part::Flash(FlashFault::Unreadable { offset_bytes }) => {
                format!("what lies {offset_bytes} bytes into the drive cannot be corrected\n")
            }
            Part::Flash(FlashFault::Die { die }) => format!("die {die} is dead\n"),
            Part::Flash(FlashFault::EndOfLife) => "all blocks are worn out\n".to_owned(),
            Part::Bus(false) => "the drive is off its bus\n".to_owned(),
            Part::Bus(true) => "the drive is back\n".to_owned(),
        }
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
pub fn fault(options: &FaultOptions) -> Outcome {
    let part = options.fault.part()?;
    match (Target::find(&options.target)?, &part) {
        (Target::AtWork(control), Part::Flash(fault)) => {
            ask(&control, Asked::Post("/fault", &json(fault)))?;
        }
        (Target::Image(path), Part::Flash(fault)) => {
            change(&path, |drive| drive.inject(*fault).map_err(input))?;
        }
        (Target::AtWork(control), Part::Bus(is_back)) => {
            let url = if *is_back { "/return" } else { "/vanish" };
            ask(&control, Asked::Post(url, ""))?;
        }
        (Target::Image(path), Part::Bus(_)) => return Err(nobody_serves(&path)),
    }
    screen::print(&part.done())
}
